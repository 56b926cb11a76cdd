/** Rows are inserted with their ids, read as the same values, and nothing dangles afterwards. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CanonicalColumn, CanonicalRows, CanonicalValue } from '../../../src/db/interface/canonical-rows.ts';
import { canonicalRows } from '../../../src/open-database.ts';
import type { ColumnType, TableDefinition } from '../../../src/schema/layout/table.ts';
import { compileTables } from '../../../src/sql/ddl.ts';
import { id, list, render, sql } from '../../../src/sql/fragment.ts';
import { beginInsertion } from '../../../src/transfer/insertion.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';

const TYPES: readonly ColumnType[] = [
  ...(['increments', 'integer', 'biginteger', 'string', 'text', 'json', 'float', 'decimal', 'boolean'] as const),
  ...(['date', 'time', 'datetime'] as const),
];
const columns: readonly CanonicalColumn[] = TYPES.map((type) => ({
  name: type === 'increments' ? 'id' : `a_${type}`,
  type,
}));
const things: TableDefinition = {
  name: 'things',
  columns: [...columns, { name: 'parent_id', type: 'integer' }],
  indexes: [],
  foreignKeys: [
    {
      name: 'things_parent_fk',
      column: 'parent_id',
      references: { table: 'things', column: 'id' },
      onDelete: 'CASCADE',
    },
  ],
};

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');
const ROWS: readonly (readonly CanonicalValue[])[] = [
  [
    7,
    -1,
    2n ** 63n - 1n,
    'a "b" \\ {c},\n😀',
    '',
    '{"a":[1,"\\"x\\\\",null]}',
    0.1,
    '1234.50',
    true,
    '2024-02-29',
    '23:59:58.700',
    LAST,
  ],
  [
    3,
    2 ** 31 - 1,
    -(2n ** 63n),
    'NULL',
    'long '.repeat(2000),
    '"12"',
    1e300,
    '-0.01',
    false,
    '0001-01-01',
    '00:00:00.000',
    FIRST,
  ],
  [9, null, null, null, null, 'null', null, null, null, null, null, null],
  [10, 0, 0n, '12', '1e3', '12', -0.5, '0', null, '9999-12-31', '10:20:30.000', 1714979289123],
  [11, 0, 1n, '{}', 'x', '"bare text"', 5, '1', null, null, null, -1],
  ...Array.from({ length: 120 }, (_, n) => [100 + n, n, BigInt(n), `t${n}`, null, '[]', n, '2', true, null, null, n]),
];

for (const engine of engines) {
  describe(`an insertion of rows on ${engine.name}`, () => {
    let own: TestDatabase;
    let plain: PlainDatabase;
    let form: CanonicalRows;

    before(async () => {
      own = await engine.emptyDatabase();
      plain = await openPlain(own);
      form = await canonicalRows({ client: engine.name });
      await plain.database.transaction(async (tx) => {
        for (const text of compileTables([things], plain.engine.ddl)) await tx.rows(text, []);
      });
    });
    after(async () => {
      await plain?.database.close();
      await own?.drop();
    });

    const insert = (rows: readonly (readonly CanonicalValue[])[], lastId?: number) =>
      plain.database.transaction(
        async (tx) => {
          const insertion = await beginInsertion(tx, form, [things]);
          const names = [...columns.map(({ name }) => name), 'parent_id'];
          await insertion.insert({ table: 'things', columns: names, rows });
          await insertion.end(new Map(lastId === undefined ? [] : [['things', lastId]]));
        },
        { once: true },
      );
    const nextId = () =>
      plain.database.transaction(async (tx) => {
        const [row] = await tx.rows(`insert into things (a_text) values ('new') returning id`, []);
        return Number(row![0]);
      });

    it('keeps every value, in any order of the rows and of the references between them', async () => {
      await insert(ROWS.map((row, n) => [...row, n === 0 ? 9 : n === 1 ? 7 : null]));
      const selected = list(columns.map(({ name, type }) => form.read(id(name), type)));
      const { text } = render(sql`select ${selected} from ${id('things')} own order by own.${id('id')}`, String);
      const read = (await plain.database.rows(text, [])).map((row) =>
        row.map((value, n) => comparable(form.canonical(value, columns[n]!.type)!, columns[n]!.type)),
      );
      const wanted = [...ROWS].sort(([one], [other]) => Number(one) - Number(other));
      deepStrictEqual(
        read,
        wanted.map((row) => row.map((value, n) => comparable(value, columns[n]!.type))),
      );
      for (const row of ROWS)
        for (const [n, value] of row.entries()) strictEqual(form.misfit(value, columns[n]!.type), undefined);
    });

    it('numbers new rows after the inserted ones, and after ids that are gone', async () => {
      strictEqual(await nextId(), 220);
      await insert([[300, ...columns.slice(1).map(() => null), null]], 500);
      strictEqual(await nextId(), 501);
      strictEqual((await form.lastIds(plain.database)).get('things'), 501);
    });

    it('refuses a row that refers to a missing row, and enforces foreign keys afterwards', async () => {
      const count = async () => Number((await plain.database.rows('select count(*) from things', []))[0]![0]);
      const before = await count();
      await rejects(insert([[900, ...columns.slice(1).map(() => null), 12_345]]));
      strictEqual(await count(), before);
      await rejects(
        plain.database.transaction((tx) =>
          Promise.resolve(tx.rows('insert into things (parent_id) values (12345)', [])),
        ),
      );
    });
  });
}

/** Values that an engine may write differently. */
function comparable(value: CanonicalValue, type: ColumnType): CanonicalValue {
  if (value === null) return null;
  if (type === 'decimal') return Number(value);
  return type === 'json' ? JSON.stringify(JSON.parse(String(value))) : value;
}

describe('values that an engine cannot store', () => {
  it('are named on PostgreSQL with the nearest value that it can', async () => {
    const { misfit } = await canonicalRows({ client: 'postgres' });
    const cases: readonly (readonly [CanonicalValue, ColumnType])[] = [
      ['a\0b', 'text'],
      ['\ud800x', 'text'],
      ['x'.repeat(256), 'string'],
      ['"a\\u0000"', 'json'],
      ['not json', 'json'],
      ['"\\\\u0000 😀 \\ud83d\\ude00"', 'json'],
      [2 ** 31, 'integer'],
      [2n ** 63n, 'biginteger'],
      ['many', 'integer'],
      ['0.125', 'decimal'],
      ['-0.996', 'decimal'],
      ['1e-7', 'decimal'],
      ['100000000', 'decimal'],
      ['2024-02-30', 'date'],
      ['24:00:01', 'time'],
      [FIRST - 1, 'datetime'],
      ['soon', 'datetime'],
      ['maybe', 'boolean'],
    ];
    deepStrictEqual(
      cases.map(([value, type]) => {
        const found = misfit(value, type);
        return found && [found.reason, typeof found.instead === 'string' ? found.instead.slice(0, 9) : found.instead];
      }),
      [
        ['has a character that the database cannot store', 'a\ufffdb'],
        ['has half a character', '\ufffdx'],
        ['has more than 255 characters', 'xxxxxxxxx'],
        ['has a character that the database cannot store', '"a\ufffd"'],
        ['is no JSON', null],
        undefined,
        ['exceeds 32 bits', null],
        ['exceeds 64 bits', null],
        ['is no whole number', null],
        ['has more than two decimals', '0.13'],
        ['has more than two decimals', '-1.00'],
        ['has more than two decimals', '0.00'],
        ['has more than eight digits before the point', null],
        ['is no date', null],
        ['is no time', null],
        ['is not in the years 1 to 9999', null],
        ['is no time', null],
        ['is neither true nor false', null],
      ],
    );
  });
});
