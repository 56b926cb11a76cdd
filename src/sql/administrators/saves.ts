/** When administrators saved versions last, rows of `galley_admin_saves`, as SQL. Slots are in the order of the values named. */
import type { Dialect } from '../dialect.ts';
import { type Sql, slot, sql } from '../fragment.ts';

export const SAVES_TABLE = 'galley_admin_saves';

/** Notes a save. Values: type, document, locale (empty: none), time. */
export function compileNoteSave(): Sql {
  return sql`insert into "galley_admin_saves" ("content_type", "document_id", "locale", "saved_at")
    values (${slot(0)}, ${slot(1)}, ${slot(2)}, ${slot(3)})
    on conflict ("content_type", "document_id", "locale") do update set "saved_at" = excluded."saved_at"`;
}

/** Deletes old notes. Value: a time. */
export function compileForgetSaves(): Sql {
  return sql`delete from "galley_admin_saves" where "saved_at" < ${slot(0)}`;
}

/** `document_id`, `locale`, `saved_at` of documents. Values: type, a JSON list with a list for each id. */
export function compileSaves(dialect: Dialect): Sql {
  const given = dialect.unfold(slot(1), [{ name: 'given_id', kind: 'text' }]);
  return sql`select s."document_id", s."locale", s."saved_at" from ${given} g
    join "galley_admin_saves" s on s."content_type" = ${slot(0)} and s."document_id" = g."given_id"`;
}
