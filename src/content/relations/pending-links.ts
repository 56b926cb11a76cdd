/**
 * Pending links: a published row links a document that has no published row yet. A link table cannot hold a link to no
 * row, so the link stays in the table `galley_pending_links` until the target is published (docs/differences.md,
 * "Publication and relations").
 */
import type { Row, Sent } from '../../db/interface/queryable.ts';
import { numberOrNull } from '../../plain-values.ts';
import { isExclusive, type LinkTable } from '../../plan/link-place.ts';
import type { ColumnList } from '../../plan/row-query.ts';
import { isCopied } from '../../plan/write.ts';
import type { MediaAttribute, Model, RelationAttribute } from '../../schema/catalog.ts';
import { PENDING_TABLE } from '../../schema/layout/table.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import {
  hasDrafts,
  layoutOfModel,
  linkPlanOf,
  model,
  placeOf,
  type ReadContext,
  type Source,
  type WriteContext,
} from '../rows/write-context.ts';
import { linksOfRows, linkValues } from './stored-links.ts';

export interface PendingLink {
  /** The row that will be linked from: of a content type or a component. */
  readonly model: Model;
  readonly source: number;
  readonly attribute: string;
  readonly target: { readonly uid: string; readonly documentId: string; readonly locale: string | null };
  readonly order: number | null;
  readonly inverse: number | null;
}

const TARGET = ['target_type', 'target_document_id', 'target_locale'];
/** The columns that name a pending link of one row, of any row, and all columns. */
const OF_A_ROW = pendingColumns(['source_type', 'source_id', 'attribute', ...TARGET]);
const OF_ANY_ROW = pendingColumns(['source_type', 'attribute', ...TARGET]);
const NOTED = pendingColumns([...OF_A_ROW.names, 'link_order', 'inverse_order']);

function pendingColumns(names: readonly string[]): ColumnList {
  return { key: `${PENDING_TABLE} ${names}`, table: PENDING_TABLE, names };
}

/**
 * Notes links that wait for their targets, each once.
 *
 * @param exclusive whether a target may be linked from one source only: the last that was published.
 */
export async function notePending(
  { tables }: WriteContext,
  links: readonly PendingLink[],
  exclusive = false,
): Promise<void> {
  if (links.length === 0) return;
  // of several links to one document the last one counts
  const last = new Map<string, { readonly link: PendingLink; readonly row: readonly SqlValue[] }>();
  for (const link of links) {
    const { uid, documentId, locale } = link.target;
    const row = [link.model.uid, link.source, link.attribute, uid, documentId, locale];
    last.set(JSON.stringify(row), { link, row });
  }
  const noted = [...last.values()];
  const rows = noted.map(({ row }) => row);
  if (exclusive)
    await tables.deleteEach(
      OF_ANY_ROW,
      rows.map((row) => row.toSpliced(1, 1)),
    );
  else await tables.deleteEach(OF_A_ROW, rows);
  await tables.insertMany(
    NOTED,
    noted.map(({ link, row }) => [...row, link.order, link.inverse]),
  );
}

/** Removes the pending links of rows that are published again or removed. */
export function forgetPending({ tables }: WriteContext, model: Model, rows: readonly number[]): Sent {
  return tables.delete(PENDING_TABLE, { source_type: model.uid, source_id: rows });
}

/** A stored pending link of a row. */
export interface PendingRow {
  readonly id: number;
  readonly attribute: string;
  readonly uid: string;
  /** The draft of its target; undefined where there is none. */
  readonly draft: number | undefined;
  readonly order: number | null;
}

/** The pending links of a row of a model. */
export async function pendingOf(context: WriteContext, model: Model, rowId: number): Promise<PendingRow[]> {
  const { tables, catalog } = context;
  const columns = ['id', 'attribute', 'target_type', 'target_document_id', 'target_locale', 'link_order'];
  const rows = await tables.select(PENDING_TABLE, columns, { source_type: model.uid, source_id: rowId });
  const pending: PendingRow[] = [];
  for (const [uid, ofType] of Map.groupBy(rows, ([, , target]) => String(target))) {
    const documents = ofType.map(([, , , documentId]) => String(documentId));
    const drafts = catalog.contentTypes.has(uid) ? await draftsOf(context, uid, documents) : new Map<string, number>();
    for (const [id, attribute, , documentId, locale, order] of ofType) {
      const draft = drafts.get(`${documentId} ${locale}`);
      pending.push({ id: Number(id), attribute: String(attribute), uid, draft, order: numberOrNull(order) });
    }
  }
  return pending;
}

/** Removes pending links by their ids. */
export function forgetPendingRows({ tables }: WriteContext, ids: readonly number[]): Sent {
  return tables.delete(PENDING_TABLE, { id: ids });
}

/** Changes the orders that pending links will have. */
export function movePending({ tables }: WriteContext, orders: ReadonlyMap<number, number | null>): Sent {
  return tables.setEach(PENDING_TABLE, 'link_order', orders);
}

/** The draft rows of documents, by document id and locale. */
async function draftsOf(
  { tables, plans }: WriteContext,
  uid: string,
  documents: readonly string[],
): Promise<Map<string, number>> {
  const match = { document_id: [...new Set(documents)], published_at: null };
  const rows = await tables.select(plans.of(uid).table, ['id', 'document_id', 'locale'], match, ['id']);
  // a broken database may have two drafts of one version: the older one counts
  return new Map(rows.toReversed().map(([id, documentId, locale]) => [`${documentId} ${locale}`, Number(id)]));
}

/** Removes the pending links of one relation of some rows: a link of the other side has taken their place. */
export function forgetPendingOf(
  { tables }: WriteContext,
  model: Model,
  rows: readonly number[],
  attribute: string,
): Sent {
  return tables.delete(PENDING_TABLE, { source_type: model.uid, source_id: rows, attribute });
}

/** Gives rows the pending links of other rows of their model, in place of their own. */
export async function copyPending(
  { tables }: WriteContext,
  model: Model,
  rows: readonly { readonly from: number; readonly to: number }[],
): Promise<void> {
  const type = { source_type: model.uid };
  await tables.delete(PENDING_TABLE, { ...type, source_id: rows.map(({ to }) => to) });
  const sources = rows.map(({ from }) => from);
  const [, ...columns] = NOTED.names;
  const stored = await tables.select(PENDING_TABLE, columns, { ...type, source_id: sources });
  const bySource = Map.groupBy(stored, ([source]) => Number(source));
  const copies = rows.flatMap(({ from, to }) =>
    (bySource.get(from) ?? []).map(([, ...values]) => [model.uid, to, ...(values as SqlValue[])]),
  );
  await tables.insertMany(NOTED, copies);
}

/** Removes the pending links to a document that is removed. */
export async function forgetPendingTargets(
  { tables }: WriteContext,
  uid: string,
  documentId: string,
  locale: string | null,
): Promise<void> {
  await tables.delete(PENDING_TABLE, { target_type: uid, target_document_id: documentId, target_locale: locale });
}

/** The links that wait for a document's published row, as they are noted. */
export function linksWaitingFor({ tables }: ReadContext, target: PendingLink['target']): Row[] | Promise<Row[]> {
  const match = {
    target_type: target.uid,
    target_document_id: target.documentId,
    target_locale: target.locale,
  };
  const columns = ['id', 'source_type', 'source_id', 'attribute', 'link_order', 'inverse_order'];
  return tables.select(PENDING_TABLE, columns, match, ['id']);
}

/** Makes real every link that waited for a document's published row. */
export async function realizePending(
  context: WriteContext,
  target: PendingLink['target'],
  rows: readonly Row[],
  publishedRow: number,
): Promise<void> {
  const { tables, catalog } = context;
  if (rows.length === 0) return;
  await tables.delete(PENDING_TABLE, { id: rows.map((row) => Number(row[0])) });
  for (const [, waiting] of Map.groupBy(rows, ([, uid, , name]) => `${uid} ${name}`)) {
    const [, uid, , name] = waiting[0]!;
    const model = catalog.contentTypes.get(String(uid)) ?? catalog.components.get(String(uid));
    const attribute = model?.attributes.get(String(name));
    // the schema may have lost the attribute since, and another program may have removed rows
    if (!model || attribute?.type !== 'relation') continue;
    const sources = await tables.select(layoutOfModel(context, model).table, ['id'], {
      id: waiting.map(([, , source]) => Number(source)),
    });
    const existing = new Set(sources.map(([id]) => Number(id)));
    const links = new Map<number, LinkPosition>();
    for (const [, , source, , order, inverse] of waiting) {
      if (existing.has(Number(source)))
        links.set(Number(source), { order: numberOrNull(order), inverse: numberOrNull(inverse) });
    }
    await realize(context, model, attribute, links, target.uid, publishedRow);
  }
}

type LinkPosition = Pick<PendingLink, 'order' | 'inverse'>;

/** Makes links of one attribute: of rows of a model, with their places. */
async function realize(
  context: WriteContext,
  model: Model,
  attribute: RelationAttribute,
  links: ReadonlyMap<number, LinkPosition>,
  uid: string,
  target: number,
): Promise<void> {
  const { tables } = context;
  const place = placeOf(context, model, attribute);
  const sources = [...links.keys()];
  if (place.kind === 'own' || place.kind === 'ownMorph') {
    const columns = new Map<string, SqlValue>(
      place.kind === 'own'
        ? [[place.column, target]]
        : [
            [place.id, target],
            [place.type, uid],
          ],
    );
    await tables.update(layoutOfModel(context, model).table, columns, { id: sources });
    return;
  }
  if (place.kind !== 'table') return;
  const typed = place.targetType ? { [place.targetType]: uid } : {};
  const key: Record<string, SqlValue> = { [place.target]: target, ...place.fixed, ...typed };
  const present = await tables.select(place.table, [place.source], { ...key, [place.source]: sources });
  const linked = new Set(present.map(([source]) => Number(source)));
  const rows = [...links].flatMap(([source, { order, inverse }]) => {
    if (linked.has(source)) return [];
    const link = linkValues(place, source, { target, uid, order });
    if (place.inverseOrder !== null) link.push(inverse);
    return [link];
  });
  await tables.insertMany(place.placedColumns, rows);
}

/** A link that a draft gets, at its place. */
interface GivenLink {
  readonly target: number;
  readonly uid: string;
  readonly order: number;
}

/** A link of a draft to a document that is not published. */
export interface WaitingLink {
  readonly source: Source;
  readonly link: GivenLink;
  readonly target: PendingLink['target'];
}

/**
 * The links of a draft, mapped to those of its twin; undefined if there is no twin, or if the other side stores the
 * links.
 */
export function linksOfTwin<Link extends GivenLink>(
  context: WriteContext,
  source: Source,
  attribute: RelationAttribute | MediaAttribute,
  added: readonly Link[],
): { readonly source: Source; readonly links: readonly Link[]; readonly waiting: readonly WaitingLink[] } | undefined {
  const { twin, scope } = source;
  if (twin === undefined || !isCopied(source.model, attribute)) return undefined;
  const links: Link[] = [];
  const waiting: WaitingLink[] = [];
  for (const link of added) {
    const target = publishedTarget(context, attribute, link.uid, link.target);
    if (typeof target === 'number') links.push({ ...link, target });
    else waiting.push({ source, link, target });
  }
  const published: Source = { model: source.model, rowId: twin, scope: { ...scope, state: 'published' }, isNew: true };
  return { source: published, links, waiting };
}

/** The published row for a linked draft row; if there is none yet, the document. */
export function publishedTarget(
  context: WriteContext,
  attribute: RelationAttribute | MediaAttribute,
  uid: string,
  row: number,
): number | PendingLink['target'] {
  if (attribute.type === 'media' || !hasDrafts(model(context, uid))) return row;
  const { memory } = context;
  const draft = memory.row(uid, row)!;
  return memory.publishedOf(uid, draft)?.id ?? { uid, documentId: draft.documentId, locale: draft.locale };
}

/** Notes the pending links of twins. Each link keeps its place in the lists of both sides. */
export async function noteWaiting(
  context: WriteContext,
  attribute: RelationAttribute | MediaAttribute,
  place: LinkTable,
  waiting: readonly WaitingLink[],
): Promise<void> {
  const { model } = waiting[0]!.source;
  const drafts = waiting.map(({ source }) => source.rowId);
  // the database has chosen the place in the list of the other side
  const stored =
    place.inverseOrder === null
      ? undefined
      : await linksOfRows(context, linkPlanOf(context, model, attribute), [...new Set(drafts)]);
  const pending = waiting.map(({ source: { rowId, twin }, link, target }): PendingLink => {
    const same = stored?.get(rowId)?.find((other) => other.target === link.target && other.uid === link.uid);
    const order = place.order === null ? null : link.order;
    return { model, source: twin!, attribute: attribute.name, target, order, inverse: same?.inverse ?? null };
  });
  await notePending(context, pending, isExclusive(attribute));
}
