/** Narrows lists to the candidates of SQLite's search indexes. */
import type { Candidates, IndexSearch } from '../../../plan/read-plan.ts';
import type { TextSearch } from '../../../sql/dialect.ts';
import { id, join, type Sql, slot, sql } from '../../../sql/fragment.ts';
import { isFoldedOtherwise } from './letters.ts';
import { asTaken, UNSEEN } from './words.ts';

const LETTERS = 3;
/** The most trigrams of a query, spread over a longer piece: the list of each one is read. */
const MOST = 8;

/** Letters that are not queried: the engine's replacements for invalid bytes. */
const BROKEN = /[\0\uFFFD\p{Cs}]/u;

/** The query for a piece of text; undefined if it has no three consecutive letters that can be queried. */
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
  const quoted = spread([...trigrams]).map((trigram) => `"${trigram.replaceAll('"', '""')}"`);
  return `(${quoted.join(' AND ')}) OR "${UNSEEN}"`;
}

function spread(trigrams: readonly string[]): readonly string[] {
  if (trigrams.length <= MOST) return trigrams;
  const step = (trigrams.length - 1) / (MOST - 1);
  return Array.from({ length: MOST }, (_, index) => trigrams[Math.round(index * step)]!);
}

/**
 * A query of the ids of candidates. The statement itself compares the version of the schema, which tells whether the
 * triggers that maintain the indexes are still there: another program may have dropped them a moment ago.
 */
function ids({ candidates, version }: IndexSearch): Sql {
  const isKept = sql`"v"."schema_version" = ${version}`;
  const of = (each: Candidates): Sql => {
    if (each.kind === 'piece') {
      const { name } = each.index;
      return sql`select "s".rowid as "id" from pragma_schema_version "v" cross join ${id(name)} "s" where ${isKept} and "s".${id(name)} match ${slot(each.slot)}`;
    }
    // the index does not distinguish columns, so one query serves all columns that are searched for one piece
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

/** The number of candidates beyond which a page without a total is found faster by examining rows in their order. */
const COMMON = 4000;

export const sqliteSearch: TextSearch = {
  ask,

  // a list of ids in a condition might be searched for every row that an index of another column finds
  narrow(search, table, row, alias) {
    const all = sql`select "a"."id" from pragma_schema_version "v" cross join ${id(table)} "a" where "v"."schema_version" <> ${search.version}`;
    const some = sql`select "id" from (${ids(search)})`;
    return {
      before: sql`(${some} union all ${all}) ${alias} cross join `,
      where: [sql`${row}."id" = ${alias}."id"`],
    };
  },

  // counting candidates never takes longer than counting among all rows
  common(search, _table, counted) {
    if (counted) return undefined;
    return sql`(select count(*) from (select 1 from (${ids(search)}) limit ${COMMON + 1})) > ${COMMON}`;
  },
};
