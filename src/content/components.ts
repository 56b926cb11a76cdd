/** Component rows: the entries of components and zones, told apart by the owner's components table. */
import { ContentError } from '../errors.ts';
import type { ComponentAttribute, DynamicZoneAttribute, Model } from '../schema/catalog.ts';
import type { SqlValue } from '../sql/fragment.ts';
import { leadsToComponent } from './leads.ts';
import { removeLinksOf } from './row-removal.ts';
import type { Targets } from './targets.ts';
import type { ValidEntry } from './validate.ts';
import { layoutOfModel, model as modelNamed, type Scope, type WriteContext } from './write-context.ts';

/** An entry of a component or zone attribute as stored. */
export interface StoredEntry {
  readonly linkId: number;
  readonly field: string;
  readonly uid: string;
  readonly id: number;
  readonly order: number | null;
}

/** Writes the content of a component's row, links and nested components included (see `row-content.ts`). */
export type WriteContent = (
  context: WriteContext,
  row: { readonly model: Model; readonly rowId: number | undefined; readonly scope: Scope },
  entry: ValidEntry,
  targets: Targets,
) => Promise<number>;

/**
 * The entries of rows of a model, in order; of one field when it is named. Ties to components that are gone, or that
 * the schema no longer has, are left out and stay where they are.
 */
export async function readEntries(
  context: WriteContext,
  model: Model,
  rowIds: readonly number[],
  field?: string,
): Promise<Map<number, StoredEntry[]>> {
  const { componentsTable } = layoutOfModel(context, model);
  const byRow = new Map<number, StoredEntry[]>();
  if (componentsTable === undefined) return byRow;
  const columns = ['id', 'entity_id', 'field', 'component_type', 'cmp_id', 'order'];
  const match = { entity_id: rowIds, ...(field === undefined ? {} : { field }) };
  const leads = leadsToComponent(context, 'cmp_id', 'component_type');
  const rows = await context.tables.select(componentsTable, columns, match, ['order', 'id'], leads);
  for (const [linkId, rowId, name, uid, id, order] of rows) {
    const entry = {
      linkId: Number(linkId),
      field: String(name),
      uid: String(uid),
      id: Number(id),
      order: order === null ? null : Number(order),
    };
    const known = byRow.get(Number(rowId));
    if (known) known.push(entry);
    else byRow.set(Number(rowId), [entry]);
  }
  return byRow;
}

/**
 * Writes the entries of one component or zone attribute: those with the id of a stored one are kept and merged, the
 * others are made, the rest is removed (behaviour-writes.md, "Components and zones"). All of a new owner's are made.
 *
 * @throws ContentError 400 for an id that is no entry of this attribute of a stored owner.
 */
export async function writeComponents(
  context: WriteContext,
  owner: { readonly model: Model; readonly rowId: number; readonly scope: Scope; readonly isNew: boolean },
  attribute: ComponentAttribute | DynamicZoneAttribute,
  entries: readonly ValidEntry[],
  targets: Targets,
  writeContent: WriteContent,
): Promise<void> {
  const { name } = attribute;
  const table = layoutOfModel(context, owner.model).componentsTable!;
  const stored = owner.isNew
    ? []
    : ((await readEntries(context, owner.model, [owner.rowId], name)).get(owner.rowId) ?? []);
  const keyOf = (uid: string, id: number) => `${uid} ${id}`;
  const known = new Map(stored.map((entry) => [keyOf(entry.uid, entry.id), entry]));
  const kept = new Map<ValidEntry, StoredEntry>();
  const keeping = new Set<StoredEntry>();
  for (const entry of entries) {
    // of a row that is being made nothing is stored that an id could name: bodies that were read elsewhere hold some
    if (entry.id === undefined || owner.isNew) continue;
    const found = known.get(keyOf(entry.row.written.model.uid, entry.id));
    if (!found || keeping.has(found)) {
      const message = `Some of the provided components in ${name} are not related to the entity`;
      throw new ContentError('ApplicationError', message);
    }
    kept.set(entry, found);
    keeping.add(found);
  }
  await removeEntries(
    context,
    owner.model,
    stored.filter((entry) => !keeping.has(entry)),
  );
  const numbered = attribute.type === 'dynamiczone' || attribute.repeatable;
  for (const [index, entry] of entries.entries()) {
    const found = kept.get(entry);
    const { model } = entry.row.written;
    const rowId = await writeContent(context, { model, rowId: found?.id, scope: owner.scope }, entry, targets);
    const order = numbered ? index + 1 : null;
    if (!found) await tie(context, table, owner.rowId, { field: name, uid: model.uid, id: rowId, order });
    else if (found.order !== order) {
      await context.tables.update(table, new Map([['order', order]]), { id: found.linkId });
    }
  }
}

/** Ties a component row to its owner. */
export async function tie(
  { tables }: WriteContext,
  table: string,
  ownerId: number,
  entry: Omit<StoredEntry, 'linkId'>,
): Promise<void> {
  const columns = new Map<string, SqlValue>([
    ['entity_id', ownerId],
    ['cmp_id', entry.id],
    ['component_type', entry.uid],
    ['field', entry.field],
    ['order', entry.order],
  ]);
  await tables.insert(table, columns);
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
  const byType = new Map<string, number[]>();
  for (const { uid, id } of entries) {
    const ids = byType.get(uid);
    if (ids) ids.push(id);
    else byType.set(uid, [id]);
  }
  for (const [uid, ids] of byType) await removeComponentRows(context, modelNamed(context, uid), ids);
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
