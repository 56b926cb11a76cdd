/** Storing one validated row with everything that belongs to it: columns, relations, media, components. */

import { at, Failures } from '../failures.ts';
import type { ScalarAttribute } from '../schema/catalog.ts';
import type { SqlValue } from '../sql/fragment.ts';
import { type WriteContent, writeComponents } from './components.ts';
import { writeMedia, writeRelation } from './links.ts';
import { isLinked } from './snapshot.ts';
import type { Columns } from './tables.ts';
import type { Targets } from './targets.ts';
import type { ValidRow } from './validate.ts';
import { type Stored, storedTime } from './validate-scalar.ts';
import { encode, layoutOfModel, type Source, type WriteContext } from './write-context.ts';

/** Hashes of the passwords in a body, made before the transaction begins: hashing takes long. */
export type Hashes = ReadonlyMap<string, string>;

/** A row's scalar columns in the driver's form. */
export function columnsOf(context: WriteContext, row: ValidRow, hashes: Hashes): Columns {
  const names = layoutOfModel(context, row.written.model).columns;
  const columns = new Map<string, SqlValue>();
  for (const [attribute, value] of row.scalars) {
    columns.set(names.get(attribute.name)!, encode(context, attribute.type, storedValue(attribute, value, hashes)));
  }
  return columns;
}

function storedValue(attribute: ScalarAttribute, value: Stored, hashes: Hashes): Stored {
  if (attribute.type === 'password' && typeof value === 'string') {
    const hash = hashes.get(value);
    if (hash === undefined) throw new Error(`the password ${attribute.name} was not hashed`);
    return hash;
  }
  return storedTime(attribute, value);
}

/** Stores relations, media and components of a row whose columns are stored. */
export async function writeBelongings(
  context: WriteContext,
  owner: Omit<Source, 'model' | 'isNew'> & { readonly isNew: boolean },
  row: ValidRow,
  targets: Targets,
  hashes: Hashes,
): Promise<void> {
  const { written } = row;
  const { model } = written;
  const source = { model, ...owner };
  const missing = new Failures();
  for (const attribute of model.attributes.values()) {
    const { name } = attribute;
    if (attribute.type === 'relation') {
      const edit = written.relations.get(name);
      if (!edit) continue;
      await writeRelation(context, source, attribute, edit, targets);
      // of drafts this is checked when they are published
      const mayEmpty = attribute.required && owner.scope.state === 'both' && edit.kind === 'edit';
      if (mayEmpty && edit.disconnect.length > 0 && !(await isLinked(context, model, owner.rowId, attribute))) {
        missing.add(at(name), `${name} must be defined.`, null);
      }
    } else if (attribute.type === 'media') {
      const entries = written.media.get(name);
      if (!entries) continue;
      const files = entries.map((entry) => targets.file(entry, missing)?.id).filter((id) => id !== undefined);
      await writeMedia(context, source, attribute, files);
    } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
      const entries = row.components.get(name);
      const content = contentWriter(hashes);
      if (entries) await writeComponents(context, { model, ...owner }, attribute, entries, targets, content);
    }
  }
  missing.throwAny();
}

function contentWriter(hashes: Hashes): WriteContent {
  return async (context, { model, rowId, scope }, entry, targets) => {
    const { table } = layoutOfModel(context, model);
    const columns = columnsOf(context, entry.row, hashes);
    const id = rowId ?? (await insertComponent(context, table, columns));
    if (rowId !== undefined) await context.tables.update(table, columns, { id: rowId });
    await writeBelongings(context, { rowId: id, scope, isNew: rowId === undefined }, entry.row, targets, hashes);
    return id;
  };
}

/** A component may have no column of its own: then its row is its id alone. */
async function insertComponent({ tables }: WriteContext, table: string, columns: Columns): Promise<number> {
  if (columns.size > 0) return tables.insert(table, columns);
  return tables.insertEmpty(table);
}
