/** What a project has populated where a request does not say. */
import { stringify } from 'qs';
import type { View } from '../../../access/view.ts';
import { ContentError } from '../../../errors.ts';
import { parseParams } from '../../../query/params.ts';
import { rawParams } from '../../../query/plain.ts';
import type { ContentType } from '../../../schema/catalog.ts';
import type { HttpContext } from '../context.ts';

type Populating = Pick<HttpContext, 'populate' | 'reader'>;

/** By View, type and kind of read: the parameter as text, empty where nothing of it is shown. */
const texts = new WeakMap<View, Map<string, string>>();

/** The query string of a read, with what is populated where it does not say. */
export function withPopulate(
  context: Populating,
  type: ContentType,
  view: View,
  query: string,
  kind: 'list' | 'one',
): string {
  const populate = context.populate?.get(type.uid)?.[kind];
  if (populate === undefined || says(query)) return query;
  const known = texts.get(view) ?? new Map<string, string>();
  texts.set(view, known);
  const key = `${kind} ${type.uid}`;
  let text = known.get(key);
  if (text === undefined) {
    text = textFor(context, type, view, populate);
    known.set(key, text);
  }
  return text === '' ? query : query === '' ? text : `${query}&${text}`;
}

/** Whether a query string says what is populated. */
function says(query: string): boolean {
  if (!query.includes('populate') && !query.includes('%')) return false;
  return parseParams(query)['populate'] !== undefined;
}

/** What of a populate a View shows: the others would refuse the request. */
function textFor(context: Populating, type: ContentType, view: View, populate: unknown): string {
  const isShown = (part: unknown): boolean => {
    try {
      context.reader.check(type, { view, values: {} }, rawParams({ populate: part }));
      return true;
    } catch (error) {
      if (error instanceof ContentError) return false;
      throw error;
    }
  };
  const shown = isShown(populate) ? populate : shownOf(populate, isShown);
  return shown === undefined ? '' : stringify({ populate: shown }, { encodeValuesOnly: false });
}

function shownOf(populate: unknown, isShown: (part: unknown) => boolean): unknown {
  const list = typeof populate === 'string' ? populate.split(',') : populate;
  if (Array.isArray(list)) {
    const shown = list.filter((name) => isShown([name]));
    return shown.length === 0 ? undefined : shown;
  }
  if (typeof list !== 'object' || list === null) return undefined;
  const shown = Object.entries(list).filter(([name, value]) => isShown({ [name]: value }));
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}
