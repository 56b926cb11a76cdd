/** The project's default populate, for requests without one. */
import { stringify } from 'qs';
import type { View } from '../../../access/view.ts';
import { ContentError } from '../../../errors.ts';
import { isObject } from '../../../plain-values.ts';
import { parseParams } from '../../../query/params.ts';
import { rawParams } from '../../../query/plain.ts';
import type { ContentType } from '../../../schema/catalog.ts';
import type { HttpContext } from '../context.ts';

type Populating = Pick<HttpContext, 'populate' | 'reader'>;

/** The parameter as text by View, type and kind of read; empty where nothing of it is visible. */
const texts = new WeakMap<View, Map<string, string>>();

/** The query string of a read, with the default populate if it has none. */
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

/** True for a query string with a populate. */
function says(query: string): boolean {
  if (!query.includes('populate') && !query.includes('%')) return false;
  return parseParams(query)['populate'] !== undefined;
}

/** The visible part of a populate: the rest would be refused. */
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
  const shown = shownOf(populate, isShown);
  return shown === undefined ? '' : stringify({ populate: shown }, { encodeValuesOnly: false });
}

type IsShown = (part: unknown) => boolean;

/** The visible part of a populate; undefined where nothing is visible. */
function shownOf(populate: unknown, isShown: IsShown): unknown {
  if (isShown(populate)) return populate;
  const list = typeof populate === 'string' ? populate.split(',') : populate;
  if (Array.isArray(list)) {
    const shown = list.filter((name) => isShown([name]));
    return shown.length === 0 ? undefined : shown;
  }
  return isObject(list) ? shownEntries(list, (name, value) => isShown({ [name]: value })) : undefined;
}

/** The visible entries of a populate with their options; undefined without any. */
function shownEntries(
  entries: Readonly<Record<string, unknown>>,
  isShown: (name: string, value: unknown) => boolean,
): object | undefined {
  const shown = Object.entries(entries).flatMap(([name, value]) => {
    if (isShown(name, value)) return [[name, value]];
    const options = isObject(value) ? shownOptions(value, (part) => isShown(name, part)) : undefined;
    return options === undefined ? [] : [[name, options]];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

/** The visible options; undefined where the rest would show other rows, or more. */
function shownOptions(options: Readonly<Record<string, unknown>>, isShown: IsShown): object | undefined {
  const { fields, sort, populate, on, ...rest } = options;
  if (!isShown(rest)) return undefined;
  const fragments = isObject(on) ? shownEntries(on, (uid, part) => isShown({ on: { [uid]: part } })) : undefined;
  if (on !== undefined && fragments === undefined) return undefined;
  const named = listOf(fields).filter((name) => isShown({ fields: [name] }));
  const below = populate === undefined ? undefined : shownOf(populate, (part) => isShown({ populate: part }));
  const order = listOf(sort).filter((key) => isShown({ sort: key }));
  return {
    ...rest,
    // an empty list would mean all fields
    ...(fields === undefined ? {} : { fields: named.length > 0 ? named : ['id'] }),
    ...(order.length > 0 ? { sort: order } : {}),
    ...(below === undefined ? {} : { populate: below }),
    ...(fragments === undefined ? {} : { on: fragments }),
  };
}

/** The single names of a text, a list or an object. */
function listOf(names: unknown): readonly unknown[] {
  if (isObject(names)) return Object.entries(names).map(([name, value]) => ({ [name]: value }));
  return typeof names === 'string' ? names.split(',') : [names ?? []].flat();
}
