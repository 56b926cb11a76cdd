/** Links that are columns: `useJoinTable: false`, morphToOne, and the other sides of both. */
import { isExclusive, type LinkPlace, type LinkTable } from '../../plan/link-place.ts';
import type { Model, RelationAttribute } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { compileTakeColumn } from '../../sql/links.ts';
import { recordLinkEffect } from '../rows/changes.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  model as modelNamed,
  type Source,
  type WriteContext,
} from '../rows/write-context.ts';
import { counterpartsOf } from './counterparts.ts';
import { type ChangedLink, noteDraftLinks } from './draft-links.ts';
import { notePending, publishedTarget } from './pending-links.ts';

type ColumnPlace = Exclude<LinkPlace, LinkTable>;
export type OwnColumns = Exclude<ColumnPlace, { kind: 'inverse' }>;

/** A row, and its type. */
export interface ColumnTarget {
  readonly uid: string;
  readonly row: number;
}

/** An edit of such links. */
export interface ColumnEdit {
  readonly linked: readonly ColumnTarget[];
  readonly cut: readonly ColumnTarget[];
  /** Whether `linked` replaces all stored links. */
  readonly replaces: boolean;
}

/** Applies an edit to a relation whose links are columns. */
export async function writeColumns(
  context: WriteContext,
  source: Source,
  place: ColumnPlace,
  attribute: RelationAttribute,
  edit: ColumnEdit,
): Promise<void> {
  const changed =
    place.kind === 'inverse'
      ? await writeTheirs(context, source, place, attribute, edit)
      : await writeOwn(context, source, place, attribute, edit);
  if (source.isDraftEdit) await noteDraftLinks(context, source, attribute, changed);
}

/** Writes columns of the row itself. Returns the links that have changed. */
async function writeOwn(
  context: WriteContext,
  source: Source,
  place: OwnColumns,
  attribute: RelationAttribute,
  { linked, cut, replaces }: ColumnEdit,
): Promise<ChangedLink[]> {
  const { model, rowId } = source;
  const before = source.isNew ? undefined : await ownTarget(context, source, place, attribute);
  const isCut = before !== undefined && cut.some(({ uid, row }) => uid === before.uid && row === before.row);
  const last = linked.at(-1);
  if (!last && !replaces && !isCut) return [];
  await storeOwn(context, source, place, last);
  if (source.twin !== undefined && last) await storeOfTwin(context, model, source.twin, place, attribute, last);
  if (last) noteMade(context, model, place, attribute, [{ row: rowId, to: last.row }]);
  if (before && last && before.uid === last.uid && before.row === last.row) return [];
  const changed = [before, last].filter((target) => target !== undefined);
  const links = changed.map(({ uid, row }) => ({ row: rowId, uid, target: row }));
  if (!last || place.kind !== 'own' || !isExclusive(attribute)) return links;
  const taken = await takeColumnFromOthers(context, model, place.column, last.row, rowId);
  return [...links, ...taken.map((row) => ({ row, uid: last.uid, target: last.row }))];
}

/** Writes the same columns of the published row that is inserted with a draft. */
async function storeOfTwin(
  context: WriteContext,
  model: Model,
  twin: number,
  place: OwnColumns,
  attribute: RelationAttribute,
  { uid, row }: ColumnTarget,
): Promise<void> {
  const target = publishedTarget(context, attribute, uid, row);
  if (typeof target !== 'number') {
    const link = { model, source: twin, attribute: attribute.name, target, order: null, inverse: null };
    return notePending(context, [link], isExclusive(attribute));
  }
  await storeOwn(context, { model, rowId: twin }, place, { uid, row: target });
  if (place.kind === 'own' && isExclusive(attribute)) {
    await takeColumnFromOthers(context, model, place.column, target, twin);
  }
}

/** Lets the columns of a row lead to another row, or to none. */
async function storeOwn(
  context: WriteContext,
  { model, rowId }: Pick<Source, 'model' | 'rowId'>,
  place: OwnColumns,
  target: ColumnTarget | undefined,
): Promise<void> {
  const columns = new Map<string, SqlValue>([[place.kind === 'own' ? place.column : place.id, target?.row ?? null]]);
  if (place.kind === 'ownMorph') columns.set(place.type, target?.uid ?? null);
  await context.tables.update(layoutOfModel(context, model).table, columns, { id: rowId });
}

/** The same of several rows of a model. */
export async function storeOwnOf(
  context: WriteContext,
  model: Model,
  place: OwnColumns,
  links: readonly { readonly row: number; readonly target: ColumnTarget | undefined }[],
): Promise<void> {
  const { tables } = context;
  const { table } = context.plans.of(model.uid);
  const column = place.kind === 'own' ? place.column : place.id;
  await tables.setEach(table, column, new Map(links.map(({ row, target }) => [row, target?.row ?? null])));
  if (place.kind === 'own') return;
  for (const [uid = null, ofType] of Map.groupBy(links, ({ target }) => target?.uid)) {
    await tables.update(table, new Map([[place.type, uid]]), { id: ofType.map(({ row }) => row) });
  }
}

/** The row that the columns of a row lead to; undefined for none, and for one that no longer exists. */
async function ownTarget(
  context: WriteContext,
  { model, rowId }: Pick<Source, 'model' | 'rowId'>,
  place: OwnColumns,
  attribute: RelationAttribute,
): Promise<ColumnTarget | undefined> {
  const { table } = layoutOfModel(context, model);
  const { tables } = context;
  if (place.kind === 'own') {
    const foreignKey = context.plans.foreignKeyTo(attribute.target!, place.column);
    const [row] = await tables.select(table, [place.column], { id: rowId }, [], foreignKey);
    return row && { uid: attribute.target!, row: Number(row[0]) };
  }
  const foreignKey = place.foreignKey;
  const [row] = await tables.select(table, [place.id, place.type], { id: rowId }, [], foreignKey);
  return row && { uid: String(row[1]), row: Number(row[0]) };
}

/** Writes columns of the rows that are linked. Returns the links that have changed. */
async function writeTheirs(
  context: WriteContext,
  source: Source,
  place: Extract<ColumnPlace, { kind: 'inverse' }>,
  attribute: RelationAttribute,
  { linked, cut, replaces }: ColumnEdit,
): Promise<ChangedLink[]> {
  const { tables } = context;
  const { model, rowId } = source;
  const uid = attribute.target!;
  const { table } = layoutOfModel(context, modelNamed(context, uid));
  const typed = place.type ? { [place.type.column]: place.type.uid } : {};
  const ours = { [place.column]: rowId, ...typed };
  const wanted = new Set(linked.map(({ row }) => row));
  const before = await holdersOfColumn(context, source, place, attribute);
  const isCut = new Set(cut.map(({ row }) => row));
  const removed = removable(source, before).filter((row) => !wanted.has(row) && (replaces || isCut.has(row)));
  const added = [...wanted].filter((row) => !before.has(row));
  // a column holds one link, so a new link takes it from another row
  const foreignKey = context.plans.foreignKeyTo(model.uid, place.column);
  const taken = await tables.select(table, ['id', place.column], { id: added, ...typed }, [], foreignKey);
  const lost = taken.map(([target, row]) => ({ row: Number(row), to: Number(target) }));
  await recordLinkEffect(
    context,
    'unlinked',
    model,
    lost.map(({ row }) => row),
    context.effects.rowsOfMade(lost.map((link) => ({ table, source: place.column, target: 'id', ...link }))),
  );
  const made = added.map((row) => ({ row, to: rowId }));
  noteMade(context, model, place, attribute, made);
  const cleared = new Map<string, SqlValue>(Object.keys(ours).map((column) => [column, null]));
  await tables.update(table, cleared, { id: removed });
  await tables.update(table, new Map(Object.entries(ours)), { id: added });
  return [
    ...[...removed, ...added].map((target) => ({ row: rowId, uid, target })),
    ...taken.map(([target, row]) => ({ row: Number(row), uid, target: Number(target) })),
  ];
}

/** Notes that rows of a type name others of the same type by a column. */
function noteMade(
  { effects, plans }: WriteContext,
  { uid }: Model,
  place: ColumnPlace,
  attribute: RelationAttribute,
  links: readonly { readonly row: number; readonly to: number }[],
): void {
  if (place.kind === 'ownMorph' || attribute.inverse === undefined || attribute.target !== uid) return;
  const { table } = plans.of(uid);
  effects.made(links.map((link) => ({ table, source: 'id', target: place.column, ...link })));
}

/**
 * The rows whose column names a row, each with the row that it names. A holder without drafts may name the published
 * row of the document instead.
 */
export async function holdersOfColumn(
  context: WriteContext,
  { model, rowId, isNew }: Pick<Source, 'model' | 'rowId' | 'isNew'>,
  place: Extract<ColumnPlace, { kind: 'inverse' }>,
  attribute: RelationAttribute,
): Promise<ReadonlyMap<number, number>> {
  if (isNew) return new Map();
  const holder = modelNamed(context, attribute.target!);
  const rows = [rowId];
  if (hasDrafts(model) && !hasDrafts(holder)) {
    const published = await counterpartsOf(context, model, rows, { state: 'published', locale: undefined });
    for (const { id } of published.values()) if (id !== undefined && id !== rowId) rows.push(id);
  }
  const typed = place.type ? { [place.type.column]: place.type.uid } : {};
  const match = { [place.column]: rows, ...typed };
  const holders = await context.tables.select(layoutOfModel(context, holder).table, ['id', place.column], match);
  return new Map(holders.map(([row, named]) => [Number(row), Number(named)]));
}

/**
 * The holders whose columns a write may clear. An edit of a draft does not clear a column that names the published row.
 */
export function removable(
  { rowId, isDraftEdit }: Pick<Source, 'rowId' | 'isDraftEdit'>,
  holders: ReadonlyMap<number, number>,
): number[] {
  return [...holders].filter(([, named]) => !isDraftEdit || named === rowId).map(([row]) => row);
}

/**
 * Removes other rows' links to a target that may be linked once. Rows of the other status and other versions of the
 * same document keep theirs. Returns the rows that lost the link.
 */
export async function takeColumnFromOthers(
  context: WriteContext,
  model: Model,
  column: string,
  target: number,
  rowId: number,
): Promise<number[]> {
  const { table } = context.plans.of(model.uid);
  const takers = { table, drafts: hasDrafts(model), localized: isLocalized(model) };
  const compile = () => compileTakeColumn(takers, column);
  const rows = await context.tables.run(`take ${table} ${column}`, [target, rowId], compile);
  const taken = rows.map(([row]) => Number(row));
  const lost = taken.map((row) => ({ table, source: 'id', target: column, row, to: target }));
  await recordLinkEffect(context, 'unlinked', model, taken, context.effects.rowsOfMade(lost));
  return taken;
}
