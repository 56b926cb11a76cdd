/** Narrows lists to the candidates of PostgreSQL's search indexes. */
import type { Candidates, IndexSearch } from '../../../plan/read-plan.ts';
import { columnKind, type Dialect, type TextSearch } from '../../../sql/dialect.ts';
import { id, join, literal, raw, render, type Sql, slot, sql } from '../../../sql/fragment.ts';

/** Three consecutive letters or digits: without them a search would read the whole index. */
const WORD = /[\p{L}\p{N}]{3}/u;
/** The same for a server that knows only ASCII letters. */
const ASCII_WORD = /[A-Za-z0-9]{3}/;

/** The number of rows in a sample of candidates, and the most that are examined. */
const SAMPLE = 128;
const MOST = 512;
/** The most places of a block that are examined, and how many beyond twice the average number of rows in a block. */
const MOST_PLACES = 64;
const MORE_PLACES = 8;
/**
 * The shares of candidates among all rows beyond which a list is found faster without an index: one page, and all of it
 * for the total.
 */
const COMMON_ON_PAGE = 0.02;
const COMMON_IN_TOTAL = 0.05;

/**
 * True, by a function that the server does not run in parallel processes, so that it starts none for these rows. The
 * planner expects a piece of text in far more rows than usual, and starting processes takes longer than examining the
 * rows.
 */
const ALONE = raw('pg_backend_pid() > 0');

/**
 * @param fold how indexes fold text.
 * @param isAscii whether the server treats letters beyond ASCII as punctuation, as in the locale `C`.
 */
export function postgresSearch(fold: Dialect['fold'], isAscii: boolean): TextSearch {
  const word = isAscii ? ASCII_WORD : WORD;

  const compile = (candidates: Candidates, row: Sql): Sql => {
    if (candidates.kind === 'piece') {
      const { column, type, folded } = candidates;
      const name = sql`${row}.${id(column)}`;
      const text = columnKind(type) === 'json' ? sql`${name}::text` : name;
      const pattern = sql`${slot(candidates.slot)}::text`;
      // a literal piece is folded by the server, as the column is
      return sql`${fold(text)} like ${folded ? pattern : fold(pattern)}`;
    }
    const items = candidates.items.map((item) => compile(item, row));
    return sql`(${join(items, candidates.kind === 'and' ? ' and ' : ' or ')})`;
  };

  return {
    // `like` compares as `position` does, so no letter needs to be left out
    ask: (piece) => (word.test(piece) ? `%${piece.replaceAll(/[\\%_]/g, '\\$&')}%` : undefined),

    narrow: ({ candidates }, _table, row) => ({ before: raw(''), where: [compile(candidates, row), ALONE] }),

    /**
     * Estimates from a sample of blocks, because the size of a set is only known after an index has gathered it. Places
     * in the blocks are named one by one: `tablesample` would decide about each block of the table.
     */
    common({ candidates }: IndexSearch, table, counted) {
      const name = literal(render(id(table), String).text);
      const size = sql`select pg_relation_size(oid) / 8192 as "blocks", greatest(reltuples, pg_relation_size(oid) / 8192, ${SAMPLE}) as "rows" from pg_class where oid = ${name}::regclass`;
      const chosen = sql`select floor(random() * "blocks") as "block", least(${MOST_PLACES}, 2 * "rows" / greatest("blocks", 1) + ${MORE_PLACES})::int as "places" from (${size}) "t", generate_series(1, ceil(${SAMPLE} * "blocks" / "rows")::int)`;
      const places = sql`select format('(%s,%s)', "block", "place")::tid from (${chosen}) "b", generate_series(1, "places") "place"`;
      const sample = sql`select (${compile(candidates, raw('"s"'))}) as "v" from ${id(table)} "s" where "s".ctid = any (array(${places})) limit ${MOST}`;
      const share = raw(String(counted ? COMMON_IN_TOTAL : COMMON_ON_PAGE));
      return sql`(select count(*) filter (where "v") > ${share} * count(*) from (${sample}) "n")`;
    },
  };
}
