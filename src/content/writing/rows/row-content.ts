/** Storing one validated row with everything that belongs to it: columns, relations, media, components. */

import { at, Failures } from '../../../failures.ts';
import type { Model, ScalarAttribute } from '../../../schema/catalog.ts';
import type { SqlValue } from '../../../sql/fragment.ts';
import { writeMedia, writeRelations } from '../../links/links.ts';
import { linkedRows } from '../../links/stored-links.ts';
import type { Targets } from '../../links/targets.ts';
import type { ValidRow } from '../../validation/validate.ts';
import { type Stored, storedTime } from '../../validation/validate-scalar.ts';
import {
  type ContentRow,
  type Tie,
  tie,
  type WriteContents,
  type WrittenContent,
  writeComponents,
} from '../components.ts';
import { encode, layoutOfModel, linkPlanOf, type Source, type WriteContext } from '../write-context.ts';

/** Hashes of the passwords in a body, made before the transaction begins: hashing takes long. */
export type Hashes = ReadonlyMap<string, string>;

/** A new row's scalar columns in the driver's form, in the order of `WritePlan.content`. */
export function valuesOf(context: WriteContext, { written, scalars }: ValidRow, hashes: Hashes): SqlValue[] {
  const values: SqlValue[] = [];
  for (const { attribute } of context.plans.of(written.model.uid).scalars.values()) {
    const value = scalars.get(attribute);
    if (value === undefined) throw new Error(`a new row has no value of ${attribute.name}`);
    values.push(encode(context, attribute.type, storedValue(attribute, value, hashes)));
  }
  return values;
}

/** The scalar columns of a row that is there, as far as they are written, in the driver's form. */
export function columnsOf(context: WriteContext, row: ValidRow, hashes: Hashes): Map<string, SqlValue> {
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
export interface OwnerRow extends Required<Omit<Source, 'model'>> {
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
  const ties: Tie[] = [];
  for (const attribute of context.plans.of(model.uid).nested) {
    const { name } = attribute;
    if (!owners.some(({ row }) => isWritten(row, name))) continue;
    if (attribute.type === 'relation') {
      const edits = owners.flatMap((owner) => {
        const edit = owner.row.written.relations.get(name);
        return edit ? [{ source: sourceOf(model, owner), edit }] : [];
      });
      await writeRelations(context, model, attribute, edits, targets);
      // of drafts this is checked when they are published
      const shortened = edits.filter(
        ({ source, edit }) => source.scope.state === 'both' && edit.kind === 'edit' && edit.disconnect.length > 0,
      );
      if (!attribute.required || shortened.length === 0) continue;
      const rows = shortened.map(({ source }) => source.rowId);
      const isLinked = await linkedRows(context, [linkPlanOf(context, model, attribute)], rows);
      for (const row of rows) if (!isLinked(row, name)) missing.add(at(name), `${name} must be defined.`, null);
    } else if (attribute.type === 'media') {
      const edits = owners.flatMap((owner) => {
        const entries = owner.row.written.media.get(name);
        const files = entries?.map((entry) => targets.file(entry, missing)?.id).filter((id) => id !== undefined);
        return files ? [{ source: sourceOf(model, owner), files }] : [];
      });
      await writeMedia(context, model, attribute, edits);
    } else {
      const owning = owners.flatMap(({ rowId, twin, scope, isNew, row }) => {
        const entries = row.components.get(name);
        return entries ? [{ rowId, twin, scope, isNew, entries }] : [];
      });
      ties.push(...(await writeComponents(context, model, attribute, owning, targets, contentsWriter(hashes))));
    }
  }
  if (ties.length > 0) await tie(context, model, ties);
  missing.throwAny();
}

const sourceOf = (model: Model, { rowId, twin, scope, isNew, isDraftEdit }: OwnerRow): Source => ({
  model,
  rowId,
  twin,
  scope,
  isNew,
  isDraftEdit,
});

const isWritten = ({ written, components }: ValidRow, name: string): boolean =>
  written.relations.has(name) || written.media.has(name) || components.has(name);

function contentsWriter(hashes: Hashes): WriteContents {
  return async (context, model, rows, targets) => {
    const made = await insertContents(
      context,
      model,
      rows.filter(({ rowId }) => rowId === undefined),
      hashes,
    );
    const kept = rows.filter(({ rowId }) => rowId !== undefined);
    if (kept.length > 0) await updateContents(context, model, kept, hashes);
    const owners = rows.map((row): OwnerRow => {
      const { scope, entry } = row;
      const isNew = row.rowId === undefined;
      const { rowId, twin } = isNew ? made.shift()! : { rowId: row.rowId, twin: undefined };
      return { rowId, twin, scope, isNew, isDraftEdit: false, row: entry.row };
    });
    await writeNestedContent(context, model, owners, targets, hashes);
    return owners;
  };
}

/** Makes component rows, and those of published rows that are made together with theirs. */
async function insertContents(
  context: WriteContext,
  model: Model,
  rows: readonly ContentRow[],
  hashes: Hashes,
): Promise<WrittenContent[]> {
  if (rows.length === 0) return [];
  const values = rows.map(({ entry }) => valuesOf(context, entry.row, hashes));
  const { hasTwin } = rows[0]!;
  const { content } = context.plans.of(model.uid);
  const ids = await context.tables.insertRows(content, hasTwin ? [...values, ...values] : values);
  return rows.map((_, n) => ({ rowId: ids[n]!, twin: hasTwin ? ids[rows.length + n] : undefined }));
}

/** Changes component rows that are there: those of which the same columns are written together. */
async function updateContents(
  context: WriteContext,
  model: Model,
  rows: readonly ContentRow[],
  hashes: Hashes,
): Promise<void> {
  const { table } = context.plans.of(model.uid);
  const columns = rows.map(({ rowId, entry }) => [rowId!, columnsOf(context, entry.row, hashes)] as const);
  for (const alike of Map.groupBy(columns, ([, written]) => [...written.keys()].join()).values()) {
    await context.tables.updateRows(table, new Map(alike));
  }
}
