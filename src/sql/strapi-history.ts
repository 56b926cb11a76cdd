/** Versions of documents that the reference recorded. Slots are in the order of the named values. */
import type { Dialect } from './dialect.ts';
import { id, raw, type Sql, slot, sql } from './fragment.ts';
import { inLocales, notDeletedLater, type VersionScope } from './history.ts';

export const STRAPI_VERSIONS_TABLE = 'strapi_history_versions';

const COLUMNS = sql`own."id", own."status", own."locale", own."created_at",
  author."id", author."firstname", author."lastname", author."username"`;

const FROM = sql`${id(STRAPI_VERSIONS_TABLE)} own`;
const AUTHOR = sql`left join "admin_users" author on author."id" = own."created_by_id"`;

const OF_DOCUMENT = sql`own."related_document_id" = ${slot(0)} and own."content_type" = ${slot(1)}`;

// they are older than every deletion that Galley recorded
const scoped = (dialect: Dialect, { hasLocales, isSinceDeletion }: VersionScope): Sql =>
  sql`${OF_DOCUMENT}${hasLocales ? sql` and ${inLocales(dialect, slot(2))}` : raw('')}${
    isSinceDeletion ? sql` and ${notDeletedLater(dialect, raw('0'))}` : raw('')
  }`;

/**
 * Versions of a document, the last one first: id, status, locale, time, and id and names of the author. Values: document
 * id, type, the locales if there are some (`inLocales`), the limit, the offset.
 */
export function compileStrapiVersions(dialect: Dialect, scope: VersionScope): Sql {
  const next = scope.hasLocales ? 3 : 2;
  return sql`select ${COLUMNS} from ${FROM} ${AUTHOR} where ${scoped(dialect, scope)}
    order by own."created_at" desc, own."id" desc limit ${slot(next)} offset ${slot(next + 1)}`;
}

/** The number of versions. Values: document id, type, the locales if there are some. */
export function compileStrapiVersionCount(dialect: Dialect, scope: VersionScope): Sql {
  return sql`select count(*) from ${FROM} where ${scoped(dialect, scope)}`;
}

/** One version: the columns of `compileStrapiVersions`, its data and schema as JSON text. Values: document id, type, id. */
export function compileStrapiVersion(dialect: Dialect, isSinceDeletion: boolean): Sql {
  return sql`select ${COLUMNS}, ${dialect.asText(sql`own."data"`, 'json')}, ${dialect.asText(sql`own."schema"`, 'json')}
    from ${FROM} ${AUTHOR} where ${scoped(dialect, { hasLocales: false, isSinceDeletion })} and own."id" = ${slot(2)}`;
}
