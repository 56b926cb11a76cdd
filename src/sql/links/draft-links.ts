/** Notes of links that drafts have changed, as SQL. */
import { DRAFT_LINKS_TABLE } from '../../schema/layout/own-tables.ts';
import { id, join, type Sql, slot, sql } from '../fragment.ts';

/** Columns of the notes in which a row is the source, the target or the author. Values: its id and its uid, three times. */
export function compileNotesAt(columns: readonly string[]): Sql {
  const ends = ['source', 'target', 'author'].map(
    (end, n) => sql`(${id(`${end}_id`)} = ${slot(2 * n)} and ${id(`${end}_type`)} = ${slot(2 * n + 1)})`,
  );
  return sql`select ${join(columns.map(id), ', ')} from ${id(DRAFT_LINKS_TABLE)} where ${join(ends, ' or ')}`;
}
