/** Links removed because their target may have one source, as SQL. Slots are in the order of the text. */
import type { LinkTable } from '../../plan/link-place.ts';
import type { Dialect } from '../dialect.ts';
import { id, raw, type Sql, slot, sql } from '../fragment.ts';
import { isOneOf } from '../write.ts';

/** The table of the rows that links are taken from, and of the row that takes them. */
export interface Takers {
  readonly table: string;
  /** Whether it has rows of two states: those of the other one keep their links. */
  readonly drafts: boolean;
  /** Whether a document has a version in each locale: the other versions of the one that takes keep theirs. */
  readonly localized: boolean;
}

/**
 * Removes the links from other sources to some targets; returns source and target. Values: the targets as the JSON of a
 * list of lists of one, the row that takes.
 */
export function compileTakeLinks(dialect: Dialect, place: LinkTable, takers: Takers): Sql {
  const table = id(takers.table);
  const isTarget = isOneOf(dialect, id(place.target), slot(0), 'integer');
  const source = sql`${id(place.table)}.${id(place.source)}`;
  return sql`delete from ${id(place.table)} where ${isTarget} and exists (select 1 from ${table} "taker", ${table} "other" where "taker"."id" = ${slot(1)} and "other"."id" = ${source} and ${loses(takers)}) returning ${id(place.source)}, ${id(place.target)}`;
}

/** Clears a column of other rows that lead to a target; `returning "id"`. Values: the target, the row that takes. */
export function compileTakeColumn(takers: Takers, column: string): Sql {
  const table = id(takers.table);
  return sql`update ${table} as "other" set ${id(column)} = null where ${id(column)} = ${slot(0)} and exists (select 1 from ${table} "taker" where "taker"."id" = ${slot(1)} and ${loses(takers)}) returning "id"`;
}

/** Whether the row `other` loses what `taker` takes. */
function loses({ drafts, localized }: Takers): Sql {
  const isAlike = drafts ? ' and ("other"."published_at" is null) = ("taker"."published_at" is null)' : '';
  const isForeign = localized ? ' and "other"."document_id" <> "taker"."document_id"' : '';
  return raw(`"other"."id" <> "taker"."id"${isAlike}${isForeign}`);
}
