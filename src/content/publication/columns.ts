/** Copying and comparing columns of two rows of one table. */
import type { Columns } from '../../db/interface/tables.ts';
import type { ColumnList } from '../../plan/row-query.ts';
import { compileColumnsDiffer, compileCopyColumns } from '../../sql/content-rows.ts';
import type { ReadContext, WriteContext } from '../rows/write-context.ts';

/** Copies columns from one row onto another, and gives others values of their own. */
export async function copyColumns(
  { tables }: WriteContext,
  { key, table, names }: ColumnList,
  from: number,
  to: number,
  own: Columns = new Map(),
): Promise<void> {
  if (names.length === 0) return;
  const others = [...own.keys()];
  await tables.write(`copy ${key} ${others}`, [...own.values(), from, to], () =>
    compileCopyColumns(table, names, others),
  );
}

/** Whether two rows differ in columns. */
export async function columnsDiffer(
  { tables }: ReadContext,
  { key, table, names }: ColumnList,
  a: number,
  b: number,
): Promise<boolean> {
  if (names.length === 0) return false;
  const [row] = await tables.run(`differ ${key}`, [a, b], () => compileColumnsDiffer(tables.dialect, table, names));
  return row !== undefined;
}
