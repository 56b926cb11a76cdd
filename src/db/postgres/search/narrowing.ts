/** How lists are narrowed by the search indexes of PostgreSQL. */
import type { Candidates, IndexSearch } from '../../../plan/read-plan.ts';
import { columnKind, type Dialect, type TextSearch } from '../../../sql/dialect.ts';
import { id, join, literal, raw, render, type Sql, slot, sql } from '../../../sql/fragment.ts';

/** Three letters or digits in a row: what has none is looked for in all of an index. */
const WORD = /[\p{L}\p{N}]{3}/u;
/** The same where the server knows no other letters. */
const ASCII_WORD = /[A-Za-z0-9]{3}/;

/** Rows by which it is told whether candidates are common, and the most that are looked at for it. */
const SAMPLE = 128;
const MOST = 512;
/** The most places of a block that are looked at, and how many beyond twice those that are taken on an average. */
const MOST_PLACES = 64;
const MORE_PLACES = 8;
/** Parts of the rows beyond which a list is found sooner without an index: a page of it, and all of it for its total. */
const COMMON_ON_PAGE = 0.02;
const COMMON_IN_TOTAL = 0.05;

/**
 * True, by a function that the server does not run in parallel processes, so that it starts none for these rows. The
 * planner takes a piece of text to be in far more rows than it mostly is, and starting them takes longer than the rows.
 */
const ALONE = raw('pg_backend_pid() > 0');

/**
 * @param fold how text is folded, which is what indexes contain.
 * @param isAscii whether the server takes letters beyond ASCII for punctuation, as in the locale `C`.
 */
export function postgresSearch(fold: Dialect['fold'], isAscii: boolean): TextSearch {
  const word = isAscii ? ASCII_WORD : WORD;

  const compile = (candidates: Candidates, row: Sql): Sql => {
    if (candidates.kind === 'piece') {
      const { column, type, folded } = candidates;
      const name = sql`${row}.${id(column)}`;
      const text = columnKind(type) === 'json' ? sql`${name}::text` : name;
      const pattern = sql`${slot(candidates.slot)}::text`;
      // a piece that is to be found as it is gets folded by the server, as the column is
      return sql`${fold(text)} like ${folded ? pattern : fold(pattern)}`;
    }
    const items = candidates.items.map((item) => compile(item, row));
    return sql`(${join(items, candidates.kind === 'and' ? ' and ' : ' or ')})`;
  };

  return {
    // `like` compares as `position` does: no letter has to be left out
    ask: (piece) => (word.test(piece) ? `%${piece.replaceAll(/[\\%_]/g, '\\$&')}%` : undefined),

    narrow: ({ candidates }, _table, row) => ({ before: raw(''), where: [compile(candidates, row), ALONE] }),

    /**
     * A sample of blocks, since the size of a set cannot be told before an index has gathered all of it. Places in them
     * are named one by one: `tablesample` draws a lot for each block of the table.
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
