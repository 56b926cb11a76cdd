/** Locales, rows of `i18n_locale`, as SQL. Slots are in the order of the values named. */
import { id, type Sql, slot, sql } from './fragment.ts';

/** Gives a locale another name; `returning "id", "document_id"`. Values: name, now, code. */
export function compileRenameLocale(): Sql {
  return sql`update "i18n_locale" set "name" = ${slot(0)}, "updated_at" = ${slot(1)} where "code" = ${slot(2)}
        returning "id", "document_id"`;
}

/** Deletes a locale; `returning "id", "document_id"`. Value: the code. */
export function compileDeleteLocale(): Sql {
  return sql`delete from "i18n_locale" where "code" = ${slot(0)} returning "id", "document_id"`;
}

/** The number of documents in a table that have a version in a locale. Value: the code. */
export function compileCountInLocale(table: string): Sql {
  return sql`select count(distinct "document_id") from ${id(table)} where "locale" = ${slot(0)}`;
}

/** Ids of documents in a table that have a version in a locale, at most `most`. Value: the code. */
export function compileDocumentsInLocale(table: string, most: number): Sql {
  return sql`select distinct "document_id" from ${id(table)} where "locale" = ${slot(0)} limit ${most}`;
}

/** The number of documents in a table that have versions in no other locale than one. Value: the code. */
export function compileCountOnlyInLocale(table: string): Sql {
  return sql`select count(*) from (select "document_id" from ${id(table)} group by "document_id"
        having min("locale") = ${slot(0)} and max("locale") = ${slot(0)}) single`;
}

/** Locales with the number of documents in a table that have a version in each. */
export function compileCountByLocale(table: string): Sql {
  return sql`select "locale", count(distinct "document_id") from ${id(table)} where "locale" is not null
        group by "locale"`;
}

/** The number of documents in a table. */
export function compileCountDocuments(table: string): Sql {
  return sql`select count(distinct "document_id") from ${id(table)}`;
}
