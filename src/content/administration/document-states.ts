/** Which versions documents have, what tells them apart, and how their drafts compare with what is published. */
import { hash } from 'node:crypto';
import type { Viewer } from '../../access/view.ts';
import type { Page } from '../../query/page.ts';
import type { RawObject } from '../../query/params.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { DocumentReader } from '../reading/document-reader.ts';
import type { DocumentState, Found } from './form-values.ts';

/** Documents that one statement looks up. */
const TOGETHER = 100;
const MANY: Page = { mode: 'offset', offset: 0, limit: 10_000, withCount: false };

/** What states are read with. */
export interface StateContext {
  readonly catalog: Catalog;
  readonly reader: DocumentReader;
}

interface Version {
  readonly documentId: string;
  readonly locale?: string | null;
  readonly updatedAt: string;
}

/** When a version was saved last: its draft, and what is published; null where that is not there. */
export interface SavedAt {
  readonly draft: string | null;
  readonly published: string | null;
}

/** The states of a document's versions by locale, as far as a viewer is shown them; none where it is not there. */
export async function statesOf(
  context: StateContext,
  viewer: Viewer,
  type: ContentType,
  documentId: string,
): Promise<Readonly<Record<string, DocumentState>>> {
  return (await versionsOf(context, viewer, type, documentId)).states;
}

/** The same with the times at which the versions were saved, by locale as well. */
export async function versionsOf(
  { reader }: StateContext,
  viewer: Viewer,
  type: ContentType,
  documentId: string,
): Promise<{
  readonly states: Readonly<Record<string, DocumentState>>;
  readonly savedAt: Readonly<Record<string, SavedAt>>;
}> {
  const filters = { documentId: { $eq: documentId } };
  const drafts = await versions(reader, viewer, type, { filters, status: 'draft' });
  const published = type.draftAndPublish
    ? await versions(reader, viewer, type, { filters, status: 'published' })
    : drafts;
  const times = new Map(published.map(({ locale = '', updatedAt }) => [locale ?? '', updatedAt]));
  const states: Record<string, DocumentState> = {};
  const savedAt: Record<string, SavedAt> = {};
  const publishedAt = (locale: string): string | null => (type.draftAndPublish ? (times.get(locale) ?? null) : null);
  for (const { locale, updatedAt } of drafts) {
    const code = locale ?? '';
    states[code] = stateOf(updatedAt, times.get(code));
    savedAt[code] = { draft: updatedAt, published: publishedAt(code) };
  }
  // another program may leave a published row without its draft
  for (const [locale, updatedAt] of times) {
    states[locale] ??= 'published';
    savedAt[locale] ??= { draft: updatedAt, published: updatedAt };
  }
  return { states, savedAt };
}

/** Fills in the states of linked documents, those of a type together. */
export async function fillStates({ catalog, reader }: StateContext, viewer: Viewer, { links }: Found): Promise<void> {
  for (const [uid, ofType] of Map.groupBy(links, ({ linked }) => linked.type)) {
    const type = catalog.contentTypes.get(uid);
    if (!type?.draftAndPublish) continue;
    const ids = [...new Set(ofType.map(({ linked }) => linked.documentId))];
    const times = new Map<string, string>();
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const filters = { documentId: { $in: ids.slice(from, from + TOGETHER) } };
      for (const { documentId, locale, updatedAt } of await versions(reader, viewer, type, {
        filters,
        status: 'published',
      })) {
        times.set(`${documentId} ${locale ?? ''}`, updatedAt);
      }
    }
    for (const { linked, updatedAt } of ofType) {
      linked.state = stateOf(updatedAt, times.get(`${linked.documentId} ${linked.locale ?? ''}`));
    }
  }
}

/**
 * As cohorts compare (docs/reference/query-parameters.md, "Status and publication"): times are texts that sort as they
 * follow.
 */
function stateOf(draft: string, published: string | undefined): DocumentState {
  if (published === undefined) return 'draft';
  return draft > published ? 'modified' : 'published';
}

async function versions(
  reader: DocumentReader,
  viewer: Viewer,
  type: ContentType,
  params: RawObject,
): Promise<readonly Version[]> {
  const fields = ['documentId', 'updatedAt', ...(type.localized ? ['locale'] : [])];
  const { data } = await reader.list(type, viewer, { ...params, fields, locale: '*' }, { page: MANY });
  return JSON.parse(data) as Version[];
}

/** The entity tag of what was read of a version: of each locale another one. */
export function tagOf(version: number, text: string, locale: string | null): string {
  const words = [version, hash('sha1', text, 'base64url'), ...(locale === null ? [] : [locale])];
  return `"${words.join('.')}"`;
}

/** The locale that an entity tag of ours is of; undefined where it says none. */
export function localeOfTag(tag: string | undefined): string | undefined {
  return /^"\d+\.[\w-]+\.([^".]+)"$/.exec(tag?.trim() ?? '')?.[1];
}
