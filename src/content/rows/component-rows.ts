/** Component rows: the entries of components and zones. A table of ties connects them with the row that owns them. */
import type { Sent } from '../../db/interface/queryable.ts';
import type { Model } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { layoutOfModel, model as modelNamed, type ReadContext, type WriteContext } from './write-context.ts';

/** An entry of a component or zone attribute as stored. */
export interface StoredEntry {
  readonly linkId: number;
  readonly field: string;
  readonly uid: string;
  readonly id: number;
  readonly order: number | null;
}

/**
 * The entries of rows of a model, in order; of one field if `field` is set. Ties to components that no longer exist, in
 * the database or in the schema, are skipped and stay stored.
 */
export async function readEntries(
  context: ReadContext,
  model: Model,
  rowIds: readonly number[],
  field?: string,
): Promise<Map<number, StoredEntry[]>> {
  const { ties } = context.plans.of(model.uid);
  if (ties === undefined) return new Map();
  const { tables } = context;
  const rows = await (field === undefined
    ? tables.find(ties.byOwner, [rowIds])
    : tables.find(ties.byField, [rowIds, field]));
  const entries = rows.map(([linkId, rowId, name, uid, id, order]) => ({
    rowId: Number(rowId),
    linkId: Number(linkId),
    field: String(name),
    uid: String(uid),
    id: Number(id),
    order: order === null ? null : Number(order),
  }));
  return Map.groupBy(entries, ({ rowId }) => rowId);
}

/** A component's row at its place in the row that owns it. */
export type Tie = Omit<StoredEntry, 'linkId'> & { readonly ownerId: number };

/** Ties component rows to their owners, rows of a model. */
export function tie({ tables, plans }: WriteContext, owner: Model, entries: readonly Tie[]): Sent {
  const rows = entries.map(({ ownerId, id, uid, field, order }) => [ownerId, id, uid, field, order]);
  return tables.insertMany(plans.of(owner.uid).ties!.columns, rows);
}

/** Removes entries of a model's rows: their ties, their rows, and everything inside them. */
export async function removeEntries(
  context: WriteContext,
  owner: Model,
  entries: readonly StoredEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const table = layoutOfModel(context, owner).componentsTable!;
  await context.tables.delete(table, { id: entries.map(({ linkId }) => linkId) });
  for (const [uid, ofType] of Map.groupBy(entries, (entry) => entry.uid)) {
    await removeComponentRows(
      context,
      modelNamed(context, uid),
      ofType.map(({ id }) => id),
    );
  }
}

async function removeComponentRows(context: WriteContext, model: Model, ids: readonly number[]): Promise<void> {
  await removeAllEntries(context, model, ids);
  await removeLinksOf(context, model, ids);
  await context.tables.delete(layoutOfModel(context, model).table, { id: ids });
}

/** Removes every component entry of rows of a model. */
export async function removeAllEntries(context: WriteContext, model: Model, ids: readonly number[]): Promise<void> {
  const entries = await readEntries(context, model, ids);
  await removeEntries(context, model, [...entries.values()].flat());
}

/**
 * Removes all links to and from rows of a model. The rows themselves and their components stay.
 *
 * @param found of each row, a digit for each removal: 0 if it removes nothing. Undefined where that is not known.
 */
export async function removeLinksOf(
  context: WriteContext,
  model: Model,
  ids: readonly number[],
  found: readonly (string | undefined)[] = [undefined],
): Promise<void> {
  for (const [n, { table, column, fixed, cleared }] of context.plans.of(model.uid).removals.entries()) {
    if (found.every((digits) => digits?.[n] === '0')) continue;
    const match = { [column]: ids, ...fixed };
    if (!cleared) await context.tables.delete(table, match);
    else await context.tables.update(table, new Map(cleared.map((name) => [name, null as SqlValue])), match);
  }
}
