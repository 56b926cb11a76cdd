/** Versions of documents that the reference recorded. Slots are in the order of the named values. */
import type { Dialect } from './dialect.ts';
import { id, raw, type Sql, slot, sql } from './fragment.ts';

export const STRAPI_VERSIONS_TABLE = 'strapi_history_versions';

const COLUMNS = sql`own."id", own."status", own."locale", own."created_at",
  author."id", author."firstname", author."lastname", author."username"`;

const FROM = sql`${id(STRAPI_VERSIONS_TABLE)} own`;
const AUTHOR = sql`left join "admin_users" author on author."id" = own."created_by_id"`;

const ofDocument = (isOfLocale: boolean): Sql =>
  sql`own."related_document_id" = ${slot(0)} and own."content_type" = ${slot(1)}${
    isOfLocale ? sql` and own."locale" = ${slot(2)}` : raw('')
  }`;

/**
 * Versions of a document, the last one first: id, status, locale, time, and id and names of the author. Values: document
 * id, type, the locale if there is one, the limit, the offset.
 */
export function compileStrapiVersions(isOfLocale: boolean): Sql {
  const next = isOfLocale ? 3 : 2;
  return sql`select ${COLUMNS} from ${FROM} ${AUTHOR} where ${ofDocument(isOfLocale)}
    order by own."created_at" desc, own."id" desc limit ${slot(next)} offset ${slot(next + 1)}`;
}

/** The number of versions. Values: document id, type, the locale if there is one. */
export function compileStrapiVersionCount(isOfLocale: boolean): Sql {
  return sql`select count(*) from ${FROM} where ${ofDocument(isOfLocale)}`;
}

/** One version: the columns of `compileStrapiVersions`, its data and schema as JSON text. Values: document id, type, id. */
export function compileStrapiVersion(dialect: Dialect): Sql {
  return sql`select ${COLUMNS}, ${dialect.asText(sql`own."data"`, 'json')}, ${dialect.asText(sql`own."schema"`, 'json')}
    from ${FROM} ${AUTHOR} where ${ofDocument(false)} and own."id" = ${slot(2)}`;
}
