/** Links removed because their target may have one source, as SQL. Slots are in the order of the text. */
import type { LinkTable } from '../../plan/link-place.ts';
import type { Dialect } from '../dialect.ts';
import { id, raw, type Sql, slot, sql } from '../fragment.ts';
import { isOneOf } from '../write.ts';

/** Rows of a table that have drafts, of one state. */
export interface SourceState {
  readonly table: string;
  readonly published: boolean;
}

/**
 * Removes the links from other sources to some targets; returns source and target. Values: the targets as the JSON of a
 * list of lists of one, the source that keeps its links.
 *
 * @param state of the sources that lose their links; undefined: of any.
 */
export function compileTakeLinks(dialect: Dialect, place: LinkTable, state: SourceState | undefined): Sql {
  const others = state
    ? sql` and ${id(place.source)} in (select "id" from ${id(state.table)} where "published_at" is ${raw(state.published ? 'not null' : 'null')})`
    : raw('');
  const isTarget = isOneOf(dialect, id(place.target), slot(0), 'integer');
  return sql`delete from ${id(place.table)} where ${isTarget} and ${id(place.source)} <> ${slot(1)}${others} returning ${id(place.source)}, ${id(place.target)}`;
}

/** Clears a column of other rows that lead to a target; `returning "id"`. Values: the target, the row that keeps it. */
export function compileTakeColumn(table: string, column: string): Sql {
  return sql`update ${id(table)} set ${id(column)} = null where ${id(column)} = ${slot(0)} and "id" <> ${slot(1)} returning "id"`;
}
