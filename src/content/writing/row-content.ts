/** Storing one validated row with everything that belongs to it: columns, relations, media, components. */

import type { Columns } from '../../db/tables.ts';
import { at, Failures } from '../../failures.ts';
import type { Model, ScalarAttribute } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { writeMedia, writeRelations } from '../links/links.ts';
import { linkedRows } from '../links/stored-links.ts';
import type { Targets } from '../links/targets.ts';
import type { ValidRow } from '../validation/validate.ts';
import { type Stored, storedTime } from '../validation/validate-scalar.ts';
import { type WriteContents, writeComponents } from './components.ts';
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

/** A row whose columns are stored, and what belongs to it. */
export interface OwnerRow extends Omit<Source, 'model' | 'isNew'> {
  readonly isNew: boolean;
  readonly row: ValidRow;
}

/** Stores relations, media and components of rows of one model whose columns are stored. */
export async function writeNestedContent(
  context: WriteContext,
  model: Model,
  owners: readonly OwnerRow[],
  targets: Targets,
  hashes: Hashes,
): Promise<void> {
  const missing = new Failures();
  for (const attribute of context.plans.of(model.uid).nested) {
    const { name } = attribute;
    if (!owners.some(({ row }) => isWritten(row, name))) continue;
    if (attribute.type === 'relation') {
      const edits = owners.flatMap(({ row, ...owner }) => {
        const edit = row.written.relations.get(name);
        return edit ? [{ source: { model, ...owner }, edit }] : [];
      });
      await writeRelations(context, model, attribute, edits, targets);
      // of drafts this is checked when they are published
      const shortened = edits.filter(
        ({ source, edit }) => source.scope.state === 'both' && edit.kind === 'edit' && edit.disconnect.length > 0,
      );
      if (!attribute.required || shortened.length === 0) continue;
      const rows = shortened.map(({ source }) => source.rowId);
      const isLinked = await linkedRows(context, [context.plans.of(model.uid).links.get(name)!], rows);
      for (const row of rows) if (!isLinked(row, name)) missing.add(at(name), `${name} must be defined.`, null);
    } else if (attribute.type === 'media') {
      const edits = owners.flatMap(({ row, ...owner }) => {
        const entries = row.written.media.get(name);
        const files = entries?.map((entry) => targets.file(entry, missing)?.id).filter((id) => id !== undefined);
        return files ? [{ source: { model, ...owner }, files }] : [];
      });
      await writeMedia(context, model, attribute, edits);
    } else {
      const owning = owners.flatMap(({ row, ...owner }) => {
        const entries = row.components.get(name);
        return entries ? [{ ...owner, entries }] : [];
      });
      await writeComponents(context, model, attribute, owning, targets, contentsWriter(hashes));
    }
  }
  missing.throwAny();
}

const isWritten = ({ written, components }: ValidRow, name: string): boolean =>
  written.relations.has(name) || written.media.has(name) || components.has(name);

function contentsWriter(hashes: Hashes): WriteContents {
  return async (context, model, rows, targets) => {
    const { table } = layoutOfModel(context, model);
    const written = rows.map((row) => ({ ...row, columns: columnsOf(context, row.entry.row, hashes) }));
    const ids = new Map(written.map((row) => [row, row.rowId]));
    const made = written.filter(({ rowId }) => rowId === undefined);
    for (const alike of Map.groupBy(made, ({ columns }) => [...columns.keys()].join()).values()) {
      const columns = alike.map((row) => row.columns);
      const inserted = await context.tables.insertRows(table, columns);
      for (const [n, row] of alike.entries()) ids.set(row, inserted[n]!);
    }
    const kept = written.flatMap(({ rowId, columns }) => (rowId === undefined ? [] : [{ rowId, columns }]));
    for (const alike of Map.groupBy(kept, ({ columns }) => [...columns.keys()].join()).values()) {
      await context.tables.updateRows(table, new Map(alike.map(({ rowId, columns }) => [rowId, columns])));
    }
    const owners = written.map((row) => {
      const { scope, entry, rowId } = row;
      return { rowId: ids.get(row)!, scope, isNew: rowId === undefined, row: entry.row };
    });
    await writeNestedContent(context, model, owners, targets, hashes);
    return owners.map(({ rowId }) => rowId);
  };
}
