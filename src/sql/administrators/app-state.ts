/**
 * What the administration app stores about its users: settings, open documents, saves, and refused documents of bulk
 * actions. Slots are in the order of the named values.
 */
import type { Dialect } from '../dialect.ts';
import { type Sql, slot, sql } from '../fragment.ts';

export const SETTINGS_TABLE = 'galley_admin_settings';

/** Stores a setting; `returning "id"`. Values: administrator, name, value. */
export function compileKeepSetting(): Sql {
  return sql`insert into "galley_admin_settings" ("user_id", "name", "value")
    values (${slot(0)}, ${slot(1)}, ${slot(2)})
    on conflict ("user_id", "name") do update set "value" = excluded."value" returning "id"`;
}

/** The number of settings of an administrator besides one. Values: administrator, its name. */
export function compileOtherSettings(): Sql {
  return sql`select count(*) from "galley_admin_settings" where "user_id" = ${slot(0)} and "name" <> ${slot(1)}`;
}

export const PRESENCE_TABLE = 'galley_admin_presence';

/**
 * Records that an administrator has a version open; `returning "id"`. Values: type, document, locale, administrator,
 * now.
 */
export function compileNotePresence(): Sql {
  return sql`insert into "galley_admin_presence" ("content_type", "document_id", "locale", "user_id", "seen_at")
    values (${slot(0)}, ${slot(1)}, ${slot(2)}, ${slot(3)}, ${slot(4)})
    on conflict ("content_type", "document_id", "locale", "user_id")
    do update set "seen_at" = excluded."seen_at" returning "id"`;
}

/** Deletes old rows. Value: a time. */
export function compileForgetPresence(): Sql {
  return sql`delete from "galley_admin_presence" where "seen_at" <= ${slot(0)}`;
}

/** Deletes all but the last opened documents of an administrator. Value: the administrator. */
export function compileForgetOldestPresence(most: number): Sql {
  return sql`delete from "galley_admin_presence" where "user_id" = ${slot(0)} and "id" not in (
    select "id" from "galley_admin_presence" where "user_id" = ${slot(0)} order by "seen_at" desc, "id" desc limit ${most})`;
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

export const SAVES_TABLE = 'galley_admin_saves';

/** Records a save. Values: type, document, locale (empty: none), time. */
export function compileNoteSave(): Sql {
  return sql`insert into "galley_admin_saves" ("content_type", "document_id", "locale", "saved_at")
    values (${slot(0)}, ${slot(1)}, ${slot(2)}, ${slot(3)})
    on conflict ("content_type", "document_id", "locale") do update set "saved_at" = excluded."saved_at"`;
}

/** Deletes old records. Value: a time. */
export function compileForgetSaves(): Sql {
  return sql`delete from "galley_admin_saves" where "saved_at" < ${slot(0)}`;
}

/** `document_id`, `locale`, `saved_at` of documents. Values: type, a JSON list with a list for each id. */
export function compileSaves(dialect: Dialect): Sql {
  const ids = dialect.unfold(slot(1), [{ name: 'given_id', kind: 'text' }]);
  return sql`select s."document_id", s."locale", s."saved_at" from ${ids} g
    join "galley_admin_saves" s on s."content_type" = ${slot(0)} and s."document_id" = g."given_id"`;
}

export const REFUSED_TABLE = 'galley_admin_refused';

/** Deletes old rows, and those of deleted administrators. Value: a time. */
export function compileForgetOldRefused(): Sql {
  return sql`delete from "galley_admin_refused" where "made_at" <= ${slot(0)}
    or "user_id" not in (select "id" from "admin_users")`;
}

/** Deletes all but the newest rows of an administrator. Value: the administrator. */
export function compileForgetMoreRefused(most: number): Sql {
  return sql`delete from "galley_admin_refused" where "user_id" = ${slot(0)} and "id" not in (
    select "id" from "galley_admin_refused" where "user_id" = ${slot(0)} order by "id" desc limit ${most})`;
}
