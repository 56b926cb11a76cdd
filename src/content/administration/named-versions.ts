/** Versions of documents with their names and the administrator who changed them last. */
import type { View, Viewer } from '../../access/view.ts';
import type { RawObject } from '../../query/params.ts';
import { type ContentType, TEXT_TYPES } from '../../schema/catalog.ts';
import type { DocumentReader } from '../reading/reader.ts';
import { arrangementOf, type StoredArrangements } from './arrangement.ts';
import { labelOf } from './form-values.ts';
import { type State, statesOf } from './lists.ts';
import { shownTypes } from './shown-schema.ts';

export interface Person {
  readonly id: number;
  readonly name: string;
}

export interface NamedVersion {
  readonly id: number;
  readonly documentId: string;
  /** Null on types without locales. */
  readonly locale: string | null;
  /** The value of the main field; null if it has none. */
  readonly label: string | null;
  readonly updatedAt: string;
  /** Null: none of the administrators. */
  readonly by: Person | null;
  readonly isThroughApi: boolean;
}

type Stored = ReturnType<StoredArrangements['get']>;

/** Versions that are read at once. */
const VERSIONS = 1000;

/** The visible field that names documents of a type. */
export function mainFieldOf(view: View, type: ContentType, stored: Stored): string {
  return arrangementOf(type, stored, (name) => view.of(type).named(name).kind === 'field').layout.mainField;
}

/** The drafts of documents in all locales, as far as they are shown. */
export function namedVersions(
  reader: DocumentReader,
  viewer: Viewer,
  type: ContentType,
  documentIds: readonly string[],
  stored: Stored,
): Promise<readonly NamedVersion[]> {
  const filters = { documentId: { $in: [...documentIds] } };
  return named(reader, viewer, type, stored, { filters, locale: '*' }, VERSIONS);
}

export interface NamedAddress {
  readonly uid: string;
  readonly documentId: string;
}

/** The name of a document in a locale, or in any: null if it has none, undefined if it is not shown. */
export type NameOf = (document: NamedAddress, locale?: string) => string | null | undefined;

/** The names of documents of types that the viewer is shown, by one statement for each type. */
export async function documentNames(
  reader: DocumentReader,
  viewer: Viewer,
  arrangements: StoredArrangements,
  documents: readonly NamedAddress[],
): Promise<NameOf> {
  const labels = new Map<string, string | null>();
  const byType = Map.groupBy(documents, ({ uid }) => uid);
  for (const type of shownTypes(viewer.view)) {
    const ids = new Set(byType.get(type.uid)?.map(({ documentId }) => documentId));
    if (ids.size === 0) continue;
    for (const version of await namedVersions(reader, viewer, type, [...ids], arrangements.get(type.uid))) {
      const key = `${type.uid} ${version.documentId}`;
      labels.set(`${key} ${version.locale}`, version.label);
      if (!labels.has(key)) labels.set(key, version.label);
    }
  }
  return ({ uid, documentId }, locale) => {
    const key = `${uid} ${documentId}`;
    return labels.get(`${key} ${locale}`) ?? labels.get(key);
  };
}

async function named(
  reader: DocumentReader,
  viewer: Viewer,
  type: ContentType,
  stored: Stored,
  params: RawObject,
  limit: number,
): Promise<readonly NamedVersion[]> {
  const mainField = mainFieldOf(viewer.view, type, stored);
  const fields = ['documentId', 'updatedAt', mainField, ...(type.localized ? ['locale'] : [])];
  const populate = { updatedBy: { fields: ['firstname', 'lastname', 'username'] } };
  const page = { mode: 'offset', offset: 0, limit, withCount: false } as const;
  const query: RawObject = { ...params, fields, populate, status: 'draft' };
  const versions = JSON.parse((await reader.list(type, viewer, query, { page })).data) as Record<string, unknown>[];
  return versions.map((version) => ({
    id: Number(version['id']),
    documentId: String(version['documentId']),
    locale: type.localized ? String(version['locale']) : null,
    label: labelOrNull(version[mainField]),
    updatedAt: String(version['updatedAt'] ?? new Date(0).toISOString()),
    by: personOf(version['updatedBy']),
    // filled in by callers that show it
    isThroughApi: false,
  }));
}

const labelOrNull = (value: unknown): string | null => (typeof value === 'object' ? null : labelOf(value));

function personOf(value: unknown): Person | null {
  if (typeof value !== 'object' || value === null) return null;
  const { id, firstname, lastname, username } = value as Record<string, unknown>;
  const name = [firstname, lastname].filter(Boolean).join(' ');
  return { id: Number(id), name: name || (labelOrNull(username) ?? String(id)) };
}

/** A document found by its name. */
export interface NamedDocument extends Omit<NamedVersion, 'updatedAt' | 'by' | 'isThroughApi'> {
  readonly type: string;
  /** Null on types without drafts. */
  readonly state: State | null;
}

/** Documents of each type, and types that are looked through at once. */
const FOUND = 5;
const AT_ONCE = 3;
/** Locales that are looked through. */
const LOCALES = 12;
/** Milliseconds after which no further type is looked through. */
const PATIENCE = 800;

/** A search for documents by name. */
export interface NameSearch {
  readonly text: string;
  readonly arrangements: StoredArrangements;
  /** Codes; the first one is preferred for documents with the same name in several locales. */
  readonly locales: readonly string[];
}

/**
 * Documents whose names contain a text in any locale, the newest of each type.
 *
 * @returns the documents, and whether there was time to search all types.
 */
export async function findByName(
  reader: DocumentReader,
  viewer: Viewer,
  search: NameSearch,
): Promise<{ readonly found: readonly NamedDocument[]; readonly complete: boolean }> {
  const { view } = viewer;
  const { arrangements } = search;
  const types = shownTypes(view).filter((type) => {
    const field = view.of(type).named(mainFieldOf(view, type, arrangements.get(type.uid)));
    return field.kind === 'field' && TEXT_TYPES.has(field.type);
  });
  const until = performance.now() + PATIENCE;
  let isCut = false;
  const byType = new Map<ContentType, readonly NamedDocument[]>();
  const waiting = [...types];
  const look = async (): Promise<void> => {
    for (let type = waiting.shift(); type !== undefined; type = waiting.shift()) {
      const { found, complete } = await foundIn(reader, viewer, type, search, until);
      byType.set(type, found);
      isCut ||= !complete;
      if (performance.now() > until) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return { found: types.flatMap((type) => byType.get(type) ?? []), complete: waiting.length === 0 && !isCut };
}

async function foundIn(
  reader: DocumentReader,
  viewer: Viewer,
  type: ContentType,
  { text, arrangements, locales }: NameSearch,
  until: number,
): Promise<{ readonly found: readonly NamedDocument[]; readonly complete: boolean }> {
  const stored = arrangements.get(type.uid);
  const filters = { [mainFieldOf(viewer.view, type, stored)]: { $containsi: text } };
  const look = (place: RawObject) =>
    named(reader, viewer, type, stored, { filters, sort: 'updatedAt:desc', ...place }, FOUND);
  const byLocale: (readonly NamedVersion[])[] = [];
  // one after another: an index gives the newest of one locale
  const places = type.localized ? locales.slice(0, LOCALES).map((locale) => ({ locale })) : [{}];
  for (const place of places) {
    if (byLocale.length > 0 && performance.now() > until) break;
    byLocale.push(await look(place));
  }
  const versions = unlikeOnes(byLocale.flat())
    .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
    .slice(0, FOUND);
  const documentIds = [...new Set(versions.map(({ documentId }) => documentId))];
  const states = type.draftAndPublish ? await statesOf(reader, type, viewer, documentIds) : undefined;
  const documents = versions.map(({ id, documentId, locale, label }) => {
    const state = states?.get(documentId)?.[locale ?? ''] ?? null;
    return { type: type.uid, id, documentId, locale, label, state };
  });
  return { found: documents, complete: byLocale.length === places.length && locales.length <= LOCALES };
}

/** Versions without those whose document has the same name in an earlier one. */
function unlikeOnes(versions: readonly NamedVersion[]): readonly NamedVersion[] {
  const firsts = new Map<string, NamedVersion>();
  for (const version of versions) {
    const key = `${version.documentId} ${version.label}`;
    if (!firsts.has(key)) firsts.set(key, version);
  }
  return [...firsts.values()];
}
