/** PostgreSQL's notation for definitions: columns as Strapi 5 creates them. */
import type { ColumnType } from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import { sql } from '../../sql/fragment.ts';
import { forgetTotals, keepTotals } from './totals.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  increments: 'serial primary key',
  bigincrements: 'bigserial primary key',
  integer: 'integer',
  biginteger: 'bigint',
  string: 'varchar(255)',
  text: 'text',
  json: 'jsonb',
  float: 'double precision',
  double: 'double precision',
  decimal: 'numeric(10,2)',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'timestamp(6)',
};

/** The notation of `format_type`, without lengths. */
const FORMATTED: Partial<Readonly<Record<ColumnType, string>>> = {
  increments: 'integer',
  bigincrements: 'bigint',
  string: 'character varying',
  decimal: 'numeric',
  time: 'time without time zone',
  datetime: 'timestamp without time zone',
};

/** Types created by other programs that work as well, in the notation of `format_type`. */
const EQUIVALENT: Partial<Readonly<Record<ColumnType, readonly string[]>>> = {
  increments: ['bigint'],
  integer: ['bigint'],
  string: ['text'],
  float: ['numeric'],
  double: ['numeric'],
  decimal: ['double precision'],
  datetime: ['timestamp with time zone'],
};

export const postgresDdl: DdlDialect = {
  columnType: (type) => TYPES[type],
  sameType(type, existing) {
    const bare = existing.toLowerCase().replace(/\(.*\)/, '');
    return bare === (FORMATTED[type] ?? TYPES[type]) || (EQUIVALENT[type]?.includes(bare) ?? false);
  },
  // as in `Dialect.orderBy` and `Dialect.comparable`
  byCodePoint: (column) => sql`${column} collate "C"`,
  endsInId: false,
  addsForeignKeys: true,
  uniqueIsConstraint: true,
  placeholder: (n) => `$${n}`,
  keepTotals,
  forgetTotals,
  batch: (statements) => (statements.length === 0 ? [] : [block(statements)]),
  // wall clock in UTC, as the column has no zone: `2024-05-06 07:08:09.123`
  datetime: (time) => new Date(time).toISOString().replace('T', ' ').replace('Z', ''),
};

/**
 * One `do` block: hundreds of definitions in one round trip, and one text instead of hundreds for the driver to keep
 * prepared (https://www.postgresql.org/docs/current/sql-do.html).
 */
function block(statements: readonly string[]): string {
  const body = statements.map((statement) => `${statement};`).join('\n');
  let quote = '$galley$';
  for (let n = 1; body.includes(quote); n++) quote = `$galley${n}$`;
  return `do ${quote} begin\n${body}\nend ${quote}`;
}
