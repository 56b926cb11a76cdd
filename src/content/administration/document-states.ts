/**
 * The versions of documents: their locales and entity tags, how their drafts compare with what is published, and the
 * operations of an administrator on each.
 */
import { hash } from 'node:crypto';
import type { Operation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Page } from '../../query/page.ts';
import type { RawObject } from '../../query/params.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { TogetherWork, Transitions } from '../documents/transitions.ts';
import type { ContentWriter, DocumentWriter } from '../documents/writer.ts';
import type { DocumentReader } from '../reading/reader.ts';
import { type DocumentRow, inLocale, rowsOfSome } from '../rows/document-rows.ts';
import type { DocumentState, FoundLinks } from './form-values.ts';

/** Documents that one statement looks up. */
const TOGETHER = 100;
const MANY: Page = { mode: 'offset', offset: 0, limit: 10_000, withCount: false };

/** The context for reading states. */
export interface StateContext {
  readonly catalog: Catalog;
  readonly reader: DocumentReader;
}

interface Version {
  readonly documentId: string;
  readonly locale?: string | null;
  readonly updatedAt: string;
}

/** The times at which the draft and the published row were saved last; null for a missing row. */
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

/** Fills in the states of linked documents, with one lookup per type. */
export async function fillStates(
  { catalog, reader }: StateContext,
  viewer: Viewer,
  { links }: FoundLinks,
): Promise<void> {
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

/** The entity tag of a version as it was read; it differs for each locale. */
export function tagOf(version: number, text: string, locale: string | null): string {
  const words = [version, hash('sha1', text, 'base64url'), ...(locale === null ? [] : [locale])];
  return `"${words.join('.')}"`;
}

/** The locale that an entity tag of ours is of; undefined where it says none. */
export function localeOfTag(tag: string | undefined): string | undefined {
  return /^"\d+\.[\w-]+\.([^".]+)"$/.exec(tag?.trim() ?? '')?.[1];
}

export interface PermittedHere {
  readonly update: boolean;
  /** Whether all rows of the version may be deleted: of types without locales it is the document. */
  readonly delete: boolean;
  /** Whether the document may be deleted with all its versions, hidden ones included. */
  readonly deleteAll: boolean;
  readonly publish: boolean;
}

/** Of a version that is not there. */
export const NOTHING_HERE: PermittedHere = { update: false, delete: false, deleteAll: false, publish: false };

type Context = StateContext & Pick<EditingServices, 'database' | 'writer'>;

type Deleting = Pick<Context, 'database' | 'reader' | 'writer'>;

/**
 * Whether some documents may be deleted with all their versions, hidden ones included.
 *
 * @param viewer the administrator who would delete them.
 */
export function mayDeleteWhole(
  context: Deleting,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
): Promise<boolean> {
  return mayDeleteRows(context, viewer, type, documentIds, () => true);
}

async function mayDeleteRows(
  { database, reader, writer }: Deleting,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
  isMeant: (row: DocumentRow) => boolean,
): Promise<boolean> {
  if (!viewer.view.may(`${type.uid}.delete`)) return false;
  const shown = reader.shown(database, viewer);
  if (shown.areAll(type)) return true;
  const rows = (await rowsOfSome(writer.reading(database), type, documentIds)).filter(isMeant);
  return (await shown.writable(type, rows)).length === rows.length;
}

/**
 * The operations that are permitted on a visible version.
 *
 * @param editor the administrator for each operation.
 * @param states the states of all visible versions, by locale.
 * @param locale null on types without locales.
 */
export async function permittedHere(
  context: Context,
  editor: (operation: Operation) => Viewer,
  type: ContentType,
  {
    documentId,
    states,
    locale,
  }: {
    readonly documentId: string;
    readonly states: Readonly<Record<string, DocumentState>>;
    readonly locale: string | null;
  },
): Promise<PermittedHere> {
  const shown = Object.keys(states);
  /** The locales of versions that an operation may be performed on. */
  const reached = async (operation: 'update' | 'delete' | 'publish'): Promise<readonly string[]> => {
    const viewer = editor(operation);
    if (!viewer.view.may(`${type.uid}.${operation}`)) return [];
    const { written } = viewer.view;
    if (!written.rows.byType.has(type.uid)) return shown;
    const own = await statesOf(context, { ...viewer, view: written }, type, documentId);
    return shown.filter((code) => Object.hasOwn(own, code));
  };
  const isHere = (locales: readonly string[]): boolean => locales.includes(locale ?? '');
  const deletes = isHere(await reached('delete'));
  const mayDelete = (isMeant: (row: DocumentRow) => boolean): Promise<boolean> =>
    mayDeleteRows(context, editor('delete'), type, [documentId], isMeant);
  return {
    update: isHere(await reached('update')),
    delete: deletes && (await mayDelete((row) => inLocale(row, type, locale))),
    deleteAll: deletes && (await mayDelete(() => true)),
    publish: isHere(await reached('publish')),
  };
}

export interface EditingServices {
  readonly database: Database;
  readonly reader: DocumentReader;
  readonly writer: ContentWriter;
  readonly transitions: Pick<Transitions, 'run'>;
  /** Runs work in one transaction: what it writes is all committed or not at all. */
  readonly together: <T>(work: TogetherWork<T>) => Promise<T>;
  /** Duplicates a document and returns the new id (`duplicateDocument`). */
  readonly duplicate: (viewer: Viewer, type: ContentType, documentId: string) => Promise<string>;
  /** Writers of types with rules of their own, by uid. */
  readonly writers: ReadonlyMap<string, DocumentWriter>;
}
