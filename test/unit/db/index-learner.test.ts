/** When slow reads are worth an index. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IndexLearner, SLOW, type WantedIndex } from '../../../src/db/indexes/index-learner.ts';
import type { Read } from '../../../src/db/interface/database.ts';
import { postgresDdl } from '../../../src/db/postgres/ddl.ts';
import { sqliteDdl } from '../../../src/db/sqlite/ddl.ts';
import { costOf } from '../../../src/plan/cost.ts';
import { layout, planText } from '../../support/queries/planned.ts';

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

interface Learning {
  readonly rows?: number;
  readonly ddl?: typeof sqliteDdl;
  readonly searched?: readonly string[];
}

/** A learner, and what it has decided: `make articles: locale views desc id`. */
function learning({ rows = 1_000_000, ddl = sqliteDdl, searched = [] }: Learning = {}) {
  const decided: string[] = [];
  const decide = ({ table, index }: WantedIndex, verdict: string) => {
    const columns = index.columns.map((column) => (index.descending?.includes(column) ? `${column} desc` : column));
    decided.push(`${verdict} ${table}: ${columns.join(' ')}${index.search ? ' (texts)' : ''}`);
  };
  const learner = new IndexLearner({
    rowsOf: () => rows,
    mostRows: 20_000_000,
    ddl,
    searched: () => new Set(searched),
    isLearned: () => true,
    canSearch: (piece) => piece.length >= 3,
    decide,
  });
  learner.begin(layout, []);
  /** Has so many reads of one query take some milliseconds each. */
  const read = (query: string, times: number, milliseconds: number, now = START) => {
    const { plan, kinds, values } = planText(query, { locales: ['en'] });
    const parameters = [...kinds].map(([slot, kind]) => ({ slot, kind }));
    const asked: Read = {
      text: '',
      values: parameters.map(({ slot }) => values[slot] as string),
      cost: costOf(plan),
      table: plan.table,
      page: { limit: 25, offset: 0 },
      origin: () => ({ plan, parameters }),
    };
    for (let n = 0; n < times; n++) learner.note(asked, milliseconds, now);
  };
  return { learner, decided, read };
}

describe('an index learner', () => {
  it('requests an index after repeated slow reads', () => {
    const { decided, read } = learning();
    read('article?sort=views:desc', 4, 100);
    deepStrictEqual(decided, []);
    read('article?sort=views:desc', 1, 100);
    deepStrictEqual(decided, ['make articles: locale views desc id']);
    read('article?sort=views:desc', 100, 100);
    strictEqual(decided.length, 1, 'it is decided once');
  });

  it('adds up queries that differ only in their values', () => {
    const { decided, read } = learning();
    for (const title of ['a', 'b', 'c', 'd', 'e']) read(`article?filters[title][$eq]=${title}`, 1, 100);
    deepStrictEqual(decided, ['make articles: locale title id']);
  });

  it('ignores quick reads, and slow ones of few milliseconds in all', () => {
    const { decided, read } = learning();
    read('article?sort=views:desc', 5, SLOW);
    read('article?sort=views:desc', 1000, SLOW - 0.1);
    deepStrictEqual(decided, []);
  });

  it('ignores reads of small tables', () => {
    const { decided, read } = learning({ rows: 100 });
    read('article?sort=views:desc', 100, 100);
    deepStrictEqual(decided, []);
  });

  it('only suggests an index of a table that is too large to index automatically', () => {
    const { decided, read } = learning({ rows: 1e9 });
    read('article?sort=views:desc', 100, 100);
    deepStrictEqual(decided, ['too large articles: locale views desc id']);
  });

  it('ignores reads that are slow once in a while', () => {
    const { decided, read } = learning();
    for (let day = 0; day < 30; day++) read('article?sort=views:desc', 1, 1000, START + day * 24 * HOUR);
    deepStrictEqual(decided, []);
  });

  it('requests a search index for searches, which must be slower', () => {
    const { decided, read } = learning();
    read('article?filters[title][$containsi]=abc', 9, 1000);
    deepStrictEqual(decided, []);
    read('article?filters[title][$containsi]=xyz', 1, 1000);
    deepStrictEqual(decided, ['make articles: title (texts)']);
    const quicker = learning();
    quicker.read('article?filters[title][$containsi]=abc', 10, 100);
    deepStrictEqual(quicker.decided, []);
  });

  it('requests a search index only for columns without one', () => {
    const { decided, read } = learning({ searched: ['title'] });
    read('article?filters[title][$containsi]=abc', 10, 1000);
    deepStrictEqual(decided, [], 'title is');
    read('article?filters[$or][0][title][$contains]=abc&filters[$or][1][body][$contains]=abc', 10, 1000);
    deepStrictEqual(decided, ['make articles: body (texts)']);
  });

  it('requests no search index for reads that it could not serve', () => {
    const { decided, read } = learning();
    for (const query of [
      'filters[title][$containsi]=ab',
      '_q=ab',
      'filters[title][$contains]=abc&filters[body][$contains]=x',
      'filters[$or][0][title][$contains]=abc&filters[$or][1][views]=1',
      'filters[$or][0][title][$contains]=abc&filters[$or][1][body][$contains]=ab',
    ]) {
      read(`article?${query}`, 100, 1000);
      deepStrictEqual(decided, [], query);
    }
    read('article?filters[title][$containsi]=abc', 10, 1000);
    deepStrictEqual(decided, ['make articles: title (texts)'], 'the others do not count');
  });

  it('requests no index that the schema has', () => {
    const { decided, read } = learning();
    read('article?sort=createdAt:desc', 100, 100);
    read('article', 100, 100);
    deepStrictEqual(decided, []);
  });

  it('stops at the most indexes of a table', () => {
    const { learner, decided, read } = learning();
    const columns = ['views', 'rating', 'price', 'day', 'at', 'hour'];
    for (const column of columns) {
      learner.add({ table: 'articles', index: { columns: [column, 'id'], unique: false } }, START);
    }
    read('article?sort=title', 5, 100);
    deepStrictEqual(decided, ['too many articles: locale title id']);
    read('article?sort=title', 50, 100);
    strictEqual(decided.length, 1, 'it is decided once');
    learner.reconsider();
    learner.remove({ table: 'articles', index: { columns: ['views', 'id'], unique: false } });
    read('article?sort=title', 5, 100);
    strictEqual(decided.at(-1), 'make articles: locale title id', 'there may be room by then');
  });

  it('requests a separate index for the order of texts by code point where indexes have another order', () => {
    for (const [ddl, made] of [
      [sqliteDdl, 1],
      [postgresDdl, 2],
    ] as const) {
      const { decided, read } = learning({ ddl });
      read('article?filters[title][$eq]=a', 5, 100);
      read('article?sort=title', 5, 100);
      strictEqual(decided.length, made);
    }
  });

  it('requests an index of unique values only for their order, if the unique index has another one', () => {
    for (const [ddl, made] of [
      [sqliteDdl, []],
      [postgresDdl, ['make shops: code id']],
    ] as const) {
      const { decided, read } = learning({ ddl });
      read('shop?filters[code][$eq]=a', 5, 100);
      read('shop?sort=code', 5, 100);
      deepStrictEqual(decided, made);
    }
  });

  it('records uses of an index, also by quick reads', () => {
    const { learner, decided, read } = learning();
    const one = {
      table: 'articles',
      index: { columns: ['locale', 'views', 'id'], descending: ['views'], unique: false, whereNotNull: 'published_at' },
    };
    learner.add(one, START);
    read('article?sort=title', 1, 0.2, START + HOUR);
    strictEqual(learner.usedAt(one), START);
    read('article?sort=views:desc', 1, 0.2, START + HOUR);
    strictEqual(learner.usedAt(one), START + HOUR);
    deepStrictEqual(decided, []);
  });
});
