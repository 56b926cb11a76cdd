/** How many decimals the columns of numbers keep: what is written beyond them would be rounded in silence. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';

/** The decimals that an attribute of a model keeps; undefined: all. */
export type KeptDecimals = (uid: string, attribute: string) => number | undefined;

/** Asks the database itself: a column may have been made with more of them than columns have here. */
export async function readKeptDecimals(database: Queryable, layout: Layout): Promise<KeptDecimals> {
  const { rounding } = database.dialect;
  if (rounding === undefined) return () => undefined;
  const rows = await query(database, rounding);
  const kept = new Map(rows.map(([table, column, decimals]) => [`${table}.${column}`, Number(decimals)]));
  return (uid, attribute) => {
    const { table, columns } = layoutOf(layout, uid);
    return kept.get(`${table}.${columns.get(attribute)}`);
  };
}
