/**
 * Publication: the published row of a version takes over its draft (behaviour-publication-locales.md, decisions.md).
 * Whatever order related documents are published in, once all are published every published link stands.
 */

import { isToOne, type LinkPlace } from '../../plan/link-place.ts';
import { contentColumns, type IncomingPlan } from '../../plan/write.ts';
import type { ContentType, Model } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { counterpartsOf, rowsAhead } from '../links/counterparts.ts';
import { NOTHING_WAITS, settleDraftLinks, waitingLinks } from '../links/draft-links.ts';
import { copyInverseLinks } from '../links/inverse-links.ts';
import { notePending, type PendingLink, realizePending } from '../links/pending-links.ts';
import { linkColumns, linksOfRows } from '../links/stored-links.ts';
import { recordChange } from '../writing/changes.ts';
import { readEntries } from '../writing/components.ts';
import { columnsDiffer, copyColumns, copyNestedContent } from '../writing/copy.ts';
import type { DocumentRow } from '../writing/documents.ts';
import type { Columns } from '../writing/tables.ts';
import { hasDrafts, layoutOfModel, type WriteContext } from '../writing/write-context.ts';

/** A version of a document whose draft is copied onto its published row, or the other way round. */
export interface Version {
  readonly type: ContentType;
  readonly documentId: string;
  readonly draft: DocumentRow;
  readonly published: DocumentRow | undefined;
  /**
   * Where this very request made the document: the attributes that it wrote. The others are empty, and nothing leads to
   * the document but what the request wrote itself.
   */
  readonly made?: ReadonlySet<string>;
}

/** Columns beside the attributes that the published row takes from the draft. */
const FOLLOWING = ['updated_at', 'updated_by_id'];

/**
 * Publishes a version and gives the published row's id.
 *
 * @param mentioned relations that this very request wrote: their links count as meant for publication on both sides.
 */
export async function publish(
  context: WriteContext,
  version: Version,
  now: number,
  mentioned: ReadonlySet<string>,
): Promise<number> {
  const { type, documentId, draft, made } = version;
  const { table } = layoutOfModel(context, type);
  const time = new Map<string, SqlValue>([['published_at', context.tables.dialect.encodeTime(now)]]);
  const content = contentColumns(context.plans.of(type.uid));
  const isNew = version.published === undefined;
  let id = version.published?.id;
  if (id === undefined) {
    const copied = ['document_id', ...content, 'created_at', 'created_by_id', 'locale', ...FOLLOWING];
    id = await context.tables.copy(table, draft.id, copied, time);
  } else {
    await copyColumns(context, table, [...content, ...FOLLOWING], draft.id, id, time);
  }
  const mapping = { state: 'published', locale: undefined } as const;
  // of a document that was just made nobody else can have changed anything
  const waits = made ? NOTHING_WAITS : await waitingLinks(context, type, draft.id, mentioned);
  await copyNestedContent(context, { model: type, from: draft.id, to: id, isNew, mapping, waits }, made);
  const isUnknown = made && !linksFromAfar(type, made);
  if (isNew && !isUnknown) {
    await realizePending(context, { uid: type.uid, documentId, locale: draft.locale }, id);
    await followDrafts(context, type, draft.id, id);
  }
  await copyInverseLinks(context, type, draft.id, id, 'published', waits);
  if (!made) await settleDraftLinks(context, type, draft.id, mentioned);
  recordChange(
    context,
    { type, documentId, locale: draft.locale, published: true },
    'published',
    version.published?.id,
    id,
  );
  return id;
}

/** Whether attributes are written whose links another type's rows hold. */
function linksFromAfar(type: ContentType, names: ReadonlySet<string>): boolean {
  return [...names].some((name) => {
    const attribute = type.attributes.get(name);
    return attribute?.type === 'relation' && !attribute.owner;
  });
}

/** Makes a draft what its published row is. */
export async function discardDraft(
  context: WriteContext,
  version: Version & { published: DocumentRow },
): Promise<void> {
  const { type, documentId, draft, published } = version;
  const { table } = layoutOfModel(context, type);
  const columns = [...contentColumns(context.plans.of(type.uid)), ...FOLLOWING];
  const differs = await columnsDiffer(context, table, columns, published.id, draft.id);
  if (differs) await copyColumns(context, table, columns, published.id, draft.id);
  const mapping = { state: 'draft', locale: undefined } as const;
  const copy = { model: type, from: published.id, to: draft.id, isNew: false, mapping };
  const isChanged = await copyNestedContent(context, copy);
  await copyInverseLinks(context, type, published.id, draft.id, 'draft', NOTHING_WAITS);
  await settleDraftLinks(context, type, draft.id, new Set());
  if (differs || isChanged) recordChange(context, { type, documentId, ...draft }, 'discarded', draft.id, draft.id);
}

/** Makes the draft that a published row lacks. */
export async function draftFrom(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  published: DocumentRow,
): Promise<DocumentRow> {
  const { table } = layoutOfModel(context, type);
  const content = contentColumns(context.plans.of(type.uid));
  const copied = ['document_id', ...content, 'created_at', 'created_by_id', 'locale', ...FOLLOWING];
  const id = await context.tables.copy(table, published.id, copied, new Map([['published_at', null]]));
  const mapping = { state: 'draft', locale: undefined } as const;
  await copyNestedContent(context, { model: type, from: published.id, to: id, isNew: true, mapping });
  await copyInverseLinks(context, type, published.id, id, 'draft', NOTHING_WAITS);
  const draft = { ...published, id, published: false };
  recordChange(context, { type, documentId, ...draft }, 'created', undefined, id);
  return draft;
}

/**
 * On first publication: links to the draft whose source already counts as published lead to the published row as
 * well. Sources are documents of types without drafts, documents whose draft is not newer than their published row,
 * and components of both.
 */
async function followDrafts(context: WriteContext, type: ContentType, draft: number, published: number): Promise<void> {
  for (const { model, attribute, place } of context.plans.of(type.uid).incoming) {
    // the other side of a two-sided relation is this type's own attribute: copyInverseLinks (inverse-links.ts) follows it
    if (attribute.inverse !== undefined && model.modelType === 'contentType' && hasDrafts(model)) continue;
    if (place.kind !== 'table') {
      await followColumn(context, model, place, type.uid, draft, published);
      continue;
    }
    const typed = place.targetType ? { [place.targetType]: type.uid } : {};
    const orders = [place.order, place.inverseOrder].filter((column) => column !== null);
    const columns = [place.source, ...orders, ...Object.keys(place.added)];
    const match = { [place.target]: draft, ...place.fixed, ...typed };
    const leads = context.plans.leadsTo(model.uid, place.source);
    const rows = await context.tables.select(place.table, columns, match, ['id'], leads);
    const sources = await publishedSources(
      context,
      model,
      rows.map(([row]) => Number(row)),
    );
    const linked = await linksOfRows(context, place, type.uid, [...new Set(sources.values())]);
    const made = new Map<number, Columns>();
    for (const row of rows) {
      const source = sources.get(Number(row[0]));
      if (source === undefined || made.has(source)) continue;
      const present = (linked.get(source) ?? []).filter(({ uid }) => uid === type.uid);
      if (present.some((link) => link.target === published)) continue;
      if (isToOne(attribute) && present.some((link) => link.target !== draft)) continue;
      const at = (column: string | null) => (column === null ? null : Number(row[columns.indexOf(column)] ?? 0));
      const fields = Object.fromEntries(
        Object.keys(place.added).map((column) => [column, row[columns.indexOf(column)] as SqlValue]),
      );
      const link = linkColumns(place, source, { target: published, uid: type.uid, order: at(place.order), fields });
      if (place.inverseOrder !== null) link.set(place.inverseOrder, at(place.inverseOrder));
      made.set(source, link);
    }
    await context.tables.insertMany(place.table, [...made.values()]);
  }
}

/** A column holds one row of the two that a document has: the published one, which readers get by default. */
async function followColumn(
  context: WriteContext,
  model: Model,
  place: Exclude<LinkPlace, { kind: 'theirs' | 'table' }>,
  uid: string,
  draft: number,
  published: number,
): Promise<void> {
  const { table } = layoutOfModel(context, model);
  const [column, typed] = place.kind === 'own' ? [place.column, {}] : [place.id, { [place.type]: uid }];
  for (const [row] of await context.tables.select(table, ['id'], { [column]: draft, ...typed })) {
    const source = await publishedSource(context, model, Number(row));
    if (source === undefined) continue;
    const [known] = await context.tables.select(table, [column], { id: source });
    if (source !== Number(row) && known?.[0] !== null) continue;
    const columns = new Map<string, SqlValue>([[column, published], ...Object.entries(typed)]);
    await context.tables.update(table, columns, { id: source });
  }
}

/** The row that stands for a source in what is published: itself without drafts, else its published counterpart. */
async function publishedSource(context: WriteContext, model: Model, rowId: number): Promise<number | undefined> {
  return (await publishedSources(context, model, [rowId])).get(rowId);
}

/** The same for several rows; there is none for those that are not published, or whose draft is newer. */
async function publishedSources(
  context: WriteContext,
  model: Model,
  rows: readonly number[],
): Promise<Map<number, number>> {
  const sources = new Map<number, number>();
  if (model.modelType === 'component') {
    for (const row of rows) {
      const source = await publishedComponent(context, model, row);
      if (source !== undefined) sources.set(row, source);
    }
    return sources;
  }
  if (!hasDrafts(model)) return new Map(rows.map((row) => [row, row]));
  const counterparts = await counterpartsOf(context, model, rows, { state: 'published', locale: undefined });
  const published = [...counterparts.values()].flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ahead = await rowsAhead(context, model, published);
  for (const [row, { id }] of counterparts) {
    if (id !== undefined && id !== row && !ahead.has(id)) sources.set(row, id);
  }
  return sources;
}

/** The component at the same place of the published row of the document that holds a component. */
async function publishedComponent(context: WriteContext, model: Model, rowId: number): Promise<number | undefined> {
  const owner = await ownerOf(context, model, rowId);
  if (!owner) return undefined;
  const above = await publishedSource(context, owner.model, owner.rowId);
  if (above === undefined) return undefined;
  if (above === owner.rowId) return rowId;
  const entries = (await readEntries(context, owner.model, [owner.rowId, above], owner.field)) ?? new Map();
  const index = (entries.get(owner.rowId) ?? []).findIndex(({ uid, id }) => uid === model.uid && id === rowId);
  const entry = (entries.get(above) ?? [])[index];
  return entry?.uid === model.uid ? entry.id : undefined;
}

/** The row that a component belongs to. */
async function ownerOf(
  context: WriteContext,
  component: Model,
  rowId: number,
): Promise<{ model: Model; rowId: number; field: string } | undefined> {
  for (const model of context.plans.index.holders(component.uid)) {
    const { table } = context.plans.of(model.uid).ties!;
    const match = { cmp_id: rowId, component_type: component.uid };
    const leads = context.plans.leadsTo(model.uid, 'entity_id');
    const [row] = await context.tables.select(table, ['entity_id', 'field'], match, ['id'], leads);
    if (row) return { model, rowId: Number(row[0]), field: String(row[1]) };
  }
  return undefined;
}

/**
 * Before a published row goes: published links to it wait until the document is published again. Links in tables from
 * types without drafts lead to the draft as well, and follow it then.
 */
export async function waitForRepublication(
  context: WriteContext,
  version: Version & { published: DocumentRow },
): Promise<void> {
  const { type, documentId, published } = version;
  const target = { uid: type.uid, documentId, locale: published.locale };
  const pending: PendingLink[] = [];
  for (const { model, attribute, place } of context.plans.of(type.uid).incoming) {
    const follows = model.modelType === 'contentType' && !hasDrafts(model) && attribute.target !== undefined;
    if (place.kind === 'table' && follows) continue;
    const links = await linksTo(context, model, place, type.uid, published.id);
    pending.push(...links.map((link) => ({ model, attribute: attribute.name, target, ...link })));
  }
  await notePending(context, pending);
}

/** Links to a row that stand at a place, by the rows that hold them. */
async function linksTo(
  context: WriteContext,
  model: Model,
  place: IncomingPlan['place'],
  uid: string,
  target: number,
): Promise<{ source: number; order: number | null; inverse: number | null }[]> {
  if (place.kind === 'table') {
    const columns = [place.source, ...[place.order, place.inverseOrder].filter((column) => column !== null)];
    const typed = place.targetType ? { [place.targetType]: uid } : {};
    const match = { [place.target]: target, ...place.fixed, ...place.added, ...typed };
    const rows = await context.tables.select(
      place.table,
      columns,
      match,
      [],
      context.plans.leadsTo(model.uid, place.source),
    );
    return rows.map((row) => {
      const at = (column: string | null) => (column === null ? null : Number(row[columns.indexOf(column)] ?? 0));
      return { source: Number(row[0]), order: at(place.order), inverse: at(place.inverseOrder) };
    });
  }
  const match = place.kind === 'own' ? { [place.column]: target } : { [place.id]: target, [place.type]: uid };
  const rows = await context.tables.select(layoutOfModel(context, model).table, ['id'], match);
  return rows.map(([id]) => ({ source: Number(id), order: null, inverse: null }));
}
