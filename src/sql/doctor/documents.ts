/**
 * Checks for inconsistent rows of documents. Queries select `id`, `document_id` and `locale` unless stated otherwise.
 */
import type { ContentType } from '../../schema/catalog.ts';
import { id, list, raw, type Sql, slot, sql } from '../fragment.ts';

const SELECTED = raw('x."id", x."document_id", x."locale"');

/** Ids of rows without a document id. */
export function compileUnnamed(table: string): Sql {
  return sql`select x."id" from ${id(table)} x where x."document_id" is null`;
}

/** Published rows whose version has no draft. */
export function compileWithoutDraft(type: ContentType, table: string): Sql {
  const sameLocale = type.localized
    ? raw(' and (y."locale" = x."locale" or (y."locale" is null and x."locale" is null))')
    : raw('');
  return sql`select ${SELECTED} from ${id(table)} x where x."published_at" is not null and not exists (
      select 1 from ${id(table)} y where y."document_id" = x."document_id" and y."published_at" is null${sameLocale})`;
}

/** Versions with several rows: some columns, the state for types with drafts, and the number of rows. */
export function compileDoubled(type: ContentType, table: string, columns: readonly string[]): Sql {
  const names = list(columns.map(id));
  const state = type.draftAndPublish
    ? raw(", case when \"published_at\" is null then 'draft' else 'published' end")
    : raw('');
  return sql`select ${names}${state}, count(*) from ${id(table)} where "document_id" is not null group by ${names}${state} having count(*) > 1`;
}

/** Rows with a locale that are the only ones of their documents in their state. */
export function compileAloneWithLocale(type: ContentType, table: string): Sql {
  const alone = sql`not exists (select 1 from ${id(table)} y where ${peer(type)})`;
  return sql`select ${SELECTED} from ${id(table)} x where x."locale" is not null and ${alone}`;
}

/**
 * Rows without a locale whose documents have no row in the default locale (slot 0), in their state.
 *
 * @param isTaken selects those whose documents have one instead.
 */
export function compileWithoutLocale(type: ContentType, table: string, isTaken: boolean): Sql {
  const taken = raw(isTaken ? 'not ' : '');
  const free = sql`not exists (select 1 from ${id(table)} y where ${peer(type)} and (y."locale" = ${slot(0)} or (y."locale" is null and y."id" < x."id")))`;
  return sql`select ${SELECTED} from ${id(table)} x where x."locale" is null and ${taken}${free}`;
}

/** Rows in a locale that the project does not have. */
export function compileUnknownLocale(table: string): Sql {
  return sql`select ${SELECTED} from ${id(table)} x where x."locale" is not null
        and not exists (select 1 from "i18n_locale" y where y."code" = x."locale")`;
}

/** `y` is another row of the document of `x`, in its state. */
function peer(type: ContentType): Sql {
  const state = type.draftAndPublish ? raw(' and (y."published_at" is null) = (x."published_at" is null)') : raw('');
  return sql`y."document_id" = x."document_id" and y."id" <> x."id"${state}`;
}
