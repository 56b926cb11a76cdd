/** What was refused of bulk actions, rows of `galley_admin_refused`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

export const REFUSED_TABLE = 'galley_admin_refused';

/** Deletes what is old, whoever it was for, and what nobody is left for. Value: a time. */
export function compileForgetOldRefused(): Sql {
  return sql`delete from "galley_admin_refused" where "made_at" <= ${slot(0)}
    or "user_id" not in (select "id" from "admin_users")`;
}

/** Deletes all but the newest of an administrator. Value: the administrator. */
export function compileForgetMoreRefused(kept: number): Sql {
  return sql`delete from "galley_admin_refused" where "user_id" = ${slot(0)} and "id" not in (
    select "id" from "galley_admin_refused" where "user_id" = ${slot(0)} order by "id" desc limit ${kept})`;
}
