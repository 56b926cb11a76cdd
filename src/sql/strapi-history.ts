/** Versions of documents that the reference recorded. Slots are in the order of the named values. */
import type { Dialect } from './dialect.ts';
import { id, type Sql, slot, sql } from './fragment.ts';
import { inLocales } from './history.ts';

export const STRAPI_VERSIONS_TABLE = 'strapi_history_versions';

const COLUMNS = sql`own."id", own."status", own."locale", own."created_at",
  author."id", author."firstname", author."lastname", author."username"`;

const FROM = sql`${id(STRAPI_VERSIONS_TABLE)} own`;
const AUTHOR = sql`left join "admin_users" author on author."id" = own."created_by_id"`;

const OF_DOCUMENT = sql`own."related_document_id" = ${slot(0)} and own."content_type" = ${slot(1)}`;

const ofLocales = (dialect: Dialect, hasLocales: boolean): Sql =>
  hasLocales ? sql`${OF_DOCUMENT} and ${inLocales(dialect, slot(2))}` : OF_DOCUMENT;

/**
 * Versions of a document, the last one first: id, status, locale, time, and id and names of the author. Values: document
 * id, type, the locales if there are some (`inLocales`), the limit, the offset.
 */
export function compileStrapiVersions(dialect: Dialect, hasLocales: boolean): Sql {
  const next = hasLocales ? 3 : 2;
  return sql`select ${COLUMNS} from ${FROM} ${AUTHOR} where ${ofLocales(dialect, hasLocales)}
    order by own."created_at" desc, own."id" desc limit ${slot(next)} offset ${slot(next + 1)}`;
}

/** The number of versions. Values: document id, type, the locales if there are some. */
export function compileStrapiVersionCount(dialect: Dialect, hasLocales: boolean): Sql {
  return sql`select count(*) from ${FROM} where ${ofLocales(dialect, hasLocales)}`;
}

/** One version: the columns of `compileStrapiVersions`, its data and schema as JSON text. Values: document id, type, id. */
export function compileStrapiVersion(dialect: Dialect): Sql {
  return sql`select ${COLUMNS}, ${dialect.asText(sql`own."data"`, 'json')}, ${dialect.asText(sql`own."schema"`, 'json')}
    from ${FROM} ${AUTHOR} where ${OF_DOCUMENT} and own."id" = ${slot(2)}`;
}
