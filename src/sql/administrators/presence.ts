/** Who has which document open, rows of `galley_admin_presence`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

export const PRESENCE_TABLE = 'galley_admin_presence';

/** Notes that an administrator has a version open; `returning "id"`. Values: type, document, locale, administrator, now. */
export function compileNotePresence(): Sql {
  return sql`insert into "galley_admin_presence" ("content_type", "document_id", "locale", "user_id", "seen_at")
    values (${slot(0)}, ${slot(1)}, ${slot(2)}, ${slot(3)}, ${slot(4)})
    on conflict ("content_type", "document_id", "locale", "user_id")
    do update set "seen_at" = excluded."seen_at" returning "id"`;
}

/** Deletes what is old. Value: a time. */
export function compileForgetPresence(): Sql {
  return sql`delete from "galley_admin_presence" where "seen_at" <= ${slot(0)}`;
}

/** Deletes all but what an administrator has opened last. Value: the administrator. */
export function compileForgetOldestPresence(kept: number): Sql {
  return sql`delete from "galley_admin_presence" where "user_id" = ${slot(0)} and "id" not in (
    select "id" from "galley_admin_presence" where "user_id" = ${slot(0)} order by "seen_at" desc, "id" desc limit ${kept})`;
}

/**
 * `id`, `firstname`, `lastname` and `username` of the other administrators who have a version open, those who have come
 * first. Values: type, document, locale, administrator, a time after which they have been seen.
 */
export function compileOthersPresent(most: number): Sql {
  return sql`select u."id", u."firstname", u."lastname", u."username" from "galley_admin_presence" p
    join "admin_users" u on u."id" = p."user_id"
    where p."content_type" = ${slot(0)} and p."document_id" = ${slot(1)} and p."locale" = ${slot(2)}
      and p."user_id" <> ${slot(3)} and p."seen_at" > ${slot(4)} order by p."id" limit ${most}`;
}
