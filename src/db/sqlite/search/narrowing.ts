/** How lists are narrowed by the search indexes of SQLite. */
import type { Candidates, IndexSearch } from '../../../plan/read-plan.ts';
import type { TextSearch } from '../../../sql/dialect.ts';
import { id, join, type Sql, slot, sql } from '../../../sql/fragment.ts';
import { isFoldedOtherwise } from './letters.ts';
import { asTaken, UNSEEN } from './words.ts';

/** Letters of a trigram. */
const LETTERS = 3;
/** Trigrams that are asked for: of a longer piece, some from all over it. Each has a list that is read. */
const MOST = 8;

/** Letters that are not asked for: what the engine makes of bytes that are no letter. */
const BROKEN = /[\0\uFFFD\p{Cs}]/u;

/** The query for a piece of text; undefined where no three letters in a row can be asked for. */
function ask(piece: string, folded: boolean): string | undefined {
  const letters = [...asTaken(piece)];
  const trigrams = new Set<string>();
  let run: string[] = [];
  for (const letter of letters) {
    if (BROKEN.test(letter) || (folded && isFoldedOtherwise(letter))) run = [];
    else run.push(letter);
    if (run.length >= LETTERS) trigrams.add(run.slice(-LETTERS).join(''));
  }
  if (trigrams.size === 0) return undefined;
  const asked = spread([...trigrams]).map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  return `(${asked.join(' AND ')}) OR "${UNSEEN}"`;
}

function spread(trigrams: readonly string[]): readonly string[] {
  if (trigrams.length <= MOST) return trigrams;
  const step = (trigrams.length - 1) / (MOST - 1);
  return Array.from({ length: MOST }, (_, index) => trigrams[Math.round(index * step)]!);
}

/**
 * The ids of candidates. Whether the triggers that keep the indexes were there when the database was as it is read is
 * told by the version of its schema, which is looked at by the very statement: another program may have dropped them a
 * moment ago.
 */
function ids({ candidates, version }: IndexSearch): Sql {
  const isKept = sql`"v"."schema_version" = ${version}`;
  const of = (each: Candidates): Sql => {
    if (each.kind === 'piece') {
      const { name } = each.index;
      return sql`select "s".rowid as "id" from pragma_schema_version "v" cross join ${id(name)} "s" where ${isKept} and "s".${id(name)} match ${slot(each.slot)}`;
    }
    // the index does not tell columns apart: columns that are searched for one piece are one question
    const distinct = new Map(each.items.map((item) => [keyOf(item), item]));
    const items = [...distinct.values()].map(of);
    if (items.length === 1) return items[0]!;
    const named = items.map((item) => sql`select "id" from (${item})`);
    return join(named, each.kind === 'and' ? ' intersect ' : ' union ');
  };
  return of(candidates);
}

function keyOf(candidates: Candidates): string {
  if (candidates.kind === 'piece') return `${candidates.index.name} ${candidates.slot}`;
  return JSON.stringify([candidates.kind, candidates.items.map(keyOf)]);
}

/** Candidates beyond which a page without a total is found sooner by looking at rows in their order. */
const COMMON = 4000;

export const sqliteSearch: TextSearch = {
  ask,

  // a list of ids in a condition may be tried for every row that an index of another column gives
  narrow(search, table, row, alias) {
    const all = sql`select "a"."id" from pragma_schema_version "v" cross join ${id(table)} "a" where "v"."schema_version" <> ${search.version}`;
    const some = sql`select "id" from (${ids(search)})`;
    return {
      before: sql`(${some} union all ${all}) ${alias} cross join `,
      where: [sql`${row}."id" = ${alias}."id"`],
    };
  },

  // to count candidates never takes longer than to count in all rows
  common(search, _table, counted) {
    if (counted) return undefined;
    return sql`(select count(*) from (select 1 from (${ids(search)}) limit ${COMMON + 1})) > ${COMMON}`;
  },
};
