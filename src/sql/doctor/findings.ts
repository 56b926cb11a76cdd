/** Results of a check of `galley doctor`; `find` is the query of the check. */
import { type Sql, sql } from '../fragment.ts';

/** The number of results. */
export function compileCountFound(find: Sql): Sql {
  return sql`select count(*) from (${find}) found`;
}

/** The first results, ordered by their first column. */
export function compileFirstFound(find: Sql, count: number): Sql {
  return sql`select * from (${find}) found order by 1 limit ${count}`;
}

/** A row if there are results. */
export function compileAnyFound(find: Sql): Sql {
  return sql`select 1 from (${find}) found limit 1`;
}
