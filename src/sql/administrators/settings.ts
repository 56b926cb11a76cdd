/** What administrators have chosen, rows of `galley_admin_settings`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

export const SETTINGS_TABLE = 'galley_admin_settings';

/** Keeps a value under a name; `returning "id"`. Values: administrator, name, value. */
export function compileKeepSetting(): Sql {
  return sql`insert into "galley_admin_settings" ("user_id", "name", "value")
    values (${slot(0)}, ${slot(1)}, ${slot(2)})
    on conflict ("user_id", "name") do update set "value" = excluded."value" returning "id"`;
}

/** How many settings an administrator has besides one. Values: administrator, its name. */
export function compileOtherSettings(): Sql {
  return sql`select count(*) from "galley_admin_settings" where "user_id" = ${slot(0)} and "name" <> ${slot(1)}`;
}
