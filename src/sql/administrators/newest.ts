/**
 * The newest versions of many types in one statement. An index of the layout answers each part, so the time does not
 * depend on the number of rows. Slots are in the order of the values named.
 */
import type { Dialect } from '../dialect.ts';
import { id, join, raw, type Sql, slot, sql } from '../fragment.ts';

/** Rows of a table, in one locale if its type is localized. */
export interface NewestOf {
  readonly table: string;
  /** The slot of the locale's code; undefined if the type is not localized. */
  readonly locale: number | undefined;
  readonly draftAndPublish: boolean;
}

/**
 * `n` (which of the parts), `document_id`, `locale`, `updated_at`, `updated_by_id` of drafts, and `updated_at` of their
 * published rows; null where there is none.
 */
export function compileNewestDrafts(dialect: Dialect, parts: readonly NewestOf[], most: number): Sql {
  return union(
    parts.map((part, n) => {
      const { table, locale, draftAndPublish } = part;
      const columns = sql`"id", "document_id", "locale", "updated_at", "updated_by_id"`;
      const newest = sql`select ${columns} from ${id(table)} where ${rowsOf(part, false)} order by "updated_at" desc, "id" limit ${most}`;
      const ofDocument = dialect.planner.unlikely(sql`p."document_id" = d."document_id"`);
      const ofLocale =
        locale === undefined ? raw('') : sql` and ${dialect.planner.likely(sql`p."locale" = d."locale"`)}`;
      const published = draftAndPublish
        ? sql`(select max(p."updated_at") from ${id(table)} p where ${ofDocument} and p."published_at" is not null${ofLocale})`
        : sql`d."updated_at"`;
      return sql`select ${n} as "n", d."document_id", d."locale", d."updated_at", d."updated_by_id", ${published} as "published" from (${newest}) d`;
    }),
  );
}

/** `n` and the time of the newest changes of drafts since a time. Value after those of the locales: the time. */
export function compileTimesOfChanges(parts: readonly NewestOf[], since: number, most: number): Sql {
  return times(parts, 'updated_at', false, since, most);
}

/** The same of publications, for types with drafts. */
export function compileTimesOfPublications(parts: readonly NewestOf[], since: number, most: number): Sql {
  return times(parts, 'published_at', true, since, most);
}

function times(parts: readonly NewestOf[], column: string, published: boolean, since: number, most: number): Sql {
  return union(
    parts.map((part, n) => {
      const where = sql`${rowsOf(part, published)} and ${id(column)} >= ${slot(since)}`;
      return sql`select ${n} as "n", t."at" from (select ${id(column)} as "at" from ${id(part.table)} where ${where} order by ${id(column)} desc, "id" limit ${most}) t`;
    }),
  );
}

function rowsOf({ locale, draftAndPublish }: NewestOf, published: boolean): Sql {
  const ofLocale = locale === undefined ? raw('1 = 1') : sql`"locale" = ${slot(locale)}`;
  if (!draftAndPublish) return ofLocale;
  return sql`${ofLocale} and "published_at" is ${raw(published ? 'not null' : 'null')}`;
}

const union = (parts: readonly Sql[]): Sql => join(parts, ' union all ');
