/** Documents that a release links and that would not be published with it: their links would wait. */
import type { ContentWriter } from '../content/documents/writer.ts';
import { readContent } from '../content/publication/original.ts';
import { linksOfRows } from '../content/relations/stored-links.ts';
import { hasDrafts, type ReadContext } from '../content/rows/write-context.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { actionKey, type NewAction, type ReleaseAction } from './releases.ts';

export interface LinkedDraftsContext {
  readonly catalog: Catalog;
  readonly database: Queryable;
  readonly writer: Pick<ContentWriter, 'reading'>;
}

/**
 * The unpublished documents that the published documents of a release link, from either side and from within
 * components, as actions that would publish them. Documents of the release itself are left out.
 */
export async function linkedDrafts(
  { catalog, database, writer }: LinkedDraftsContext,
  actions: readonly ReleaseAction[],
): Promise<readonly NewAction[]> {
  const reading = writer.reading(database);
  const own = new Set(actions.map(actionKey));
  const published = actions.filter(({ type }) => type === 'publish');
  const targets = new Map<string, Set<number>>();
  for (const [uid, ofType] of Map.groupBy(published, (action) => action.uid)) {
    const type = catalog.contentTypes.get(uid);
    if (!type?.draftAndPublish) continue;
    const drafts = await draftsOf(reading, type, ofType);
    await addLinked(reading, type, drafts, targets);
  }
  const missing = new Map<string, NewAction>();
  for (const [uid, rows] of targets) {
    const type = catalog.contentTypes.get(uid);
    if (!type || !hasDrafts(type)) continue;
    for (const action of await unpublished(reading, type, [...rows])) {
      if (!own.has(actionKey(action))) missing.set(actionKey(action), action);
    }
  }
  return [...missing.values()];
}

/** The draft rows of the versions that actions publish. */
async function draftsOf(
  { tables, plans }: ReadContext,
  type: ContentType,
  actions: readonly ReleaseAction[],
): Promise<number[]> {
  const { table } = plans.of(type.uid);
  const documents = actions.flatMap(({ documentId }) => documentId ?? []);
  const match = { published_at: null, ...(type.kind === 'singleType' ? {} : { document_id: [...new Set(documents)] }) };
  const rows = await tables.select(table, ['id', 'document_id', 'locale'], match);
  const named = new Set(actions.map(({ documentId, locale }) => `${documentId} ${type.localized ? locale : ''}`));
  const isNamed = (documentId: unknown, locale: unknown) =>
    type.kind === 'singleType' || named.has(`${documentId} ${type.localized ? locale : ''}`);
  return rows.flatMap(([id, documentId, locale]) => (isNamed(documentId, locale) ? [Number(id)] : []));
}

/** Adds the rows that rows of a type and their components link, by type. */
async function addLinked(
  reading: ReadContext,
  type: ContentType,
  rows: readonly number[],
  targets: Map<string, Set<number>>,
): Promise<void> {
  const add = (uid: string, target: number) => targets.set(uid, (targets.get(uid) ?? new Set()).add(target));
  const pairs = rows.map((from) => ({ from, to: undefined }));
  for (const { model, links } of (await readContent(reading, type, pairs)).values()) {
    for (const [name, byRow] of links) {
      if (model.attributes.get(name)?.type !== 'relation') continue;
      for (const list of byRow.values()) for (const { uid, target } of list) add(uid, target);
    }
  }
  for (const plan of reading.plans.of(type.uid).inverseLinks) {
    for (const list of (await linksOfRows(reading, plan, rows)).values()) {
      for (const { uid, target } of list) add(uid, target);
    }
  }
}

/** The documents of rows that have no published version in the locale of the row. */
async function unpublished({ tables, plans }: ReadContext, type: ContentType, ids: readonly number[]) {
  const { table } = plans.of(type.uid);
  const columns = ['document_id', 'locale', 'published_at'];
  const linked = await tables.select(table, columns, { id: ids });
  const documents = [...new Set(linked.map(([documentId]) => String(documentId)))];
  const all = await tables.select(table, columns, { document_id: documents });
  const keyOf = (documentId: unknown, locale: unknown) => `${documentId} ${type.localized ? locale : ''}`;
  const published = new Set(all.flatMap(([id, locale, at]) => (at === null ? [] : [keyOf(id, locale)])));
  return linked.flatMap(([documentId, locale, at]): NewAction[] => {
    if (at !== null || published.has(keyOf(documentId, locale))) return [];
    const code = type.localized ? String(locale) : null;
    return [{ type: 'publish', uid: type.uid, documentId: String(documentId), locale: code }];
  });
}
