/** SQLite's notation for definitions: columns as Strapi 5 creates them, compared case-insensitively. */
import type { ColumnType } from '../../schema/layout/table.ts';
import type { DdlDialect } from '../../sql/ddl.ts';
import { forgetTotals, keepTotals } from './totals.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  increments: 'integer not null primary key autoincrement',
  bigincrements: 'integer not null primary key autoincrement',
  integer: 'integer',
  biginteger: 'bigint',
  string: 'varchar(255)',
  text: 'text',
  json: 'json',
  float: 'float',
  double: 'float',
  decimal: 'float',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
};

export const sqliteDdl: DdlDialect = {
  columnType: (type) => TYPES[type],
  sameType: (type, existing) => bare(existing) === (type.endsWith('increments') ? 'integer' : bare(TYPES[type])),
  byCodePoint: undefined,
  endsInId: true,
  // `alter table … add constraint` does not exist: https://sqlite.org/lang_altertable.html
  addsForeignKeys: false,
  uniqueIsConstraint: false,
  placeholder: () => '?',
  keepTotals,
  forgetTotals,
  batch: (statements) => statements,
  datetime: (time) => time,
};

function bare(type: string): string {
  return type.toLowerCase().replace(/\s*\(.*\)/, '');
}
