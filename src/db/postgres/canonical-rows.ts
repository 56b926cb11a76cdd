/** Rows in canonical values on PostgreSQL. */
import type { ColumnType } from '../../schema/layout/table.ts';
import { id, list, raw, render, type Sql, sql } from '../../sql/fragment.ts';
import { canonicalTime, isJson, toNumber, unlikeText } from '../canonical-values.ts';
import type { CanonicalColumn, CanonicalRows, CanonicalValue, Misfit } from '../interface/canonical-rows.ts';
import type { Executor, Row } from '../interface/queryable.ts';
import { compileAdvance, laggingSequences, sequencesOf } from './ids.ts';
import { UNLIMITED } from './patience.ts';

/** The types of lists of values. The statement converts whole numbers and texts into those of their columns. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  increments: 'bigint',
  bigincrements: 'bigint',
  integer: 'bigint',
  biginteger: 'bigint',
  string: 'text',
  text: 'text',
  json: 'jsonb',
  float: 'double precision',
  double: 'double precision',
  decimal: 'numeric',
  boolean: 'boolean',
  date: 'date',
  time: 'time',
  datetime: 'timestamp',
};

function read(column: Sql, type: ColumnType): Sql {
  // exact, also for times before the year 1 and for those without an end
  if (type === 'datetime') return sql`(extract(epoch from ${column}) * 1000)::text`;
  return sql`${column}::text`;
}

function canonical(value: unknown, type: ColumnType): CanonicalValue | undefined {
  if (value === null) return null;
  const text = String(value);
  switch (type) {
    case 'increments':
    case 'bigincrements':
    case 'integer':
    case 'datetime':
      return toNumber(text);
    case 'float':
    case 'double':
      return Number(text);
    case 'biginteger':
      return /^-?\d+$/.test(text) ? BigInt(text) : text;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'time':
      return canonicalTime(text);
    default:
      return text;
  }
}

const BITS = { increments: 31n, integer: 31n, bigincrements: 63n, biginteger: 63n } as const;
/** The characters of a string column, and the largest decimal. */
const CHARACTERS = 255;
const LARGEST_DECIMAL = 99_999_999.99;
/** The years that are written with four digits. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

function misfit(value: CanonicalValue, type: ColumnType): Misfit | undefined {
  if (value === null) return undefined;
  switch (type) {
    case 'increments':
    case 'bigincrements':
    case 'integer':
    case 'biginteger':
      return wholeMisfit(value, BITS[type]);
    case 'float':
    case 'double':
      return typeof value === 'number' ? undefined : { reason: 'is no number', instead: null };
    case 'decimal':
      return decimalMisfit(value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { reason: 'is neither true nor false', instead: null };
    case 'date':
      return isDate(String(value)) ? undefined : { reason: 'is no date', instead: null };
    case 'time':
      return TIME.test(String(value)) ? undefined : { reason: 'is no time', instead: null };
    case 'datetime':
      return momentMisfit(value);
    case 'json':
      return jsonMisfit(String(value));
    case 'string':
    case 'text':
      return textMisfit(String(value), type);
  }
}

function wholeMisfit(value: CanonicalValue, bits: bigint): Misfit | undefined {
  const isWhole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  if (!isWhole) return { reason: 'is no whole number', instead: null };
  const number = BigInt(value);
  const isWithin = number < 2n ** bits && number >= -(2n ** bits);
  return isWithin ? undefined : { reason: `exceeds ${bits + 1n} bits`, instead: null };
}

function decimalMisfit(value: CanonicalValue): Misfit | undefined {
  const number = typeof value === 'string' ? toNumber(value) : Number.NaN;
  if (typeof number !== 'number' || Number.isNaN(number)) return { reason: 'is no number', instead: null };
  if (Math.abs(number) > LARGEST_DECIMAL)
    return { reason: 'has more than eight digits before the point', instead: null, isOfSize: true };
  const rounded = roundedDecimal(String(value));
  return rounded === undefined ? undefined : { reason: 'has more than two decimals', instead: rounded, isOfSize: true };
}

/** The value with two decimals, rounded as the engine does; undefined for one that has no more. */
function roundedDecimal(text: string): string | undefined {
  const match = /^(-?\d+)\.(\d{2})(\d*[1-9]\d*)$/.exec(plainDecimal(text).replace(/0+$/, ''));
  if (!match) return undefined;
  const [, whole, cents, rest] = match;
  const digits = BigInt(`${whole!.replace('-', '')}${cents}`) + (rest![0]! >= '5' ? 1n : 0n);
  const padded = String(digits).padStart(3, '0');
  return `${text.startsWith('-') ? '-' : ''}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** A decimal without an exponent. */
function plainDecimal(text: string): string {
  return /e/i.test(text) ? Number(text).toFixed(20) : text;
}

const TIME = /^(?:(?:[01]\d|2[0-3])(?::[0-5]\d){1,2}(?:\.\d{1,6})?|24:00:00(?:\.0+)?)$/;

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function momentMisfit(value: CanonicalValue): Misfit | undefined {
  if (typeof value !== 'number' || Number.isNaN(value)) return { reason: 'is no time', instead: null };
  const isWithin = value >= FIRST_MOMENT && value <= LAST_MOMENT;
  return isWithin ? undefined : { reason: 'is not in the years 1 to 9999', instead: null };
}

/** Escapes in JSON of the character that texts cannot have, and of halves of characters. */
const BAD_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

function jsonMisfit(text: string): Misfit | undefined {
  const bare = textMisfit(text, 'text');
  const json = bare ? String(bare.instead) : text;
  if (!bare && !BAD_ESCAPE.test(text)) return isJson(text) ? undefined : { reason: 'is no JSON', instead: null };
  if (!isJson(json)) return { reason: 'is no JSON', instead: null };
  const clean = JSON.stringify(JSON.parse(json), (_, part: unknown) => cleaned(part));
  // whole characters may be written as two escapes
  return !bare && clean === JSON.stringify(JSON.parse(json)) ? undefined : { reason: WRONG_CHARACTER, instead: clean };
}

const WRONG_CHARACTER = 'has a character that the database cannot store';

function cleaned(part: unknown): unknown {
  if (typeof part === 'string') return cleanText(part);
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [cleanText(key), value]));
}

const cleanText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed();

function textMisfit(text: string, type: 'string' | 'text'): Misfit | undefined {
  if (text.includes('\0')) return { reason: WRONG_CHARACTER, instead: cut(cleanText(text), type) };
  const half = unlikeText(text);
  if (half) return { ...half, instead: cut(String(half.instead), type) };
  const whole = cut(text, type);
  if (whole === text) return undefined;
  return { reason: `has more than ${CHARACTERS} characters`, instead: whole, isOfSize: true };
}

function cut(text: string, type: 'string' | 'text'): string {
  if (type === 'text' || text.length <= CHARACTERS) return text;
  const characters = [...text];
  return characters.length <= CHARACTERS ? text : characters.slice(0, CHARACTERS).join('');
}

/** Values of a column as the text of a list (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO). */
function listOf(rows: readonly (readonly CanonicalValue[])[], place: number, type: ColumnType): string {
  const values = rows.map((row) => {
    const value = row[place]!;
    if (value === null) return 'NULL';
    if (type === 'datetime') return `"${timestamp(Number(value))}"`;
    return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value);
  });
  return `{${values.join(',')}}`;
}

/** A moment with microseconds, if it has any. */
function timestamp(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  const micros = Math.round((milliseconds - whole) * 1000);
  return new Date(whole).toISOString().slice(0, -1) + (micros > 0 ? String(micros).padStart(3, '0') : '');
}

async function insert(
  tx: Executor,
  table: string,
  columns: readonly CanonicalColumn[],
  rows: readonly (readonly CanonicalValue[])[],
): Promise<void> {
  const lists = columns.map(({ type }, n) => sql`${raw(`$${n + 1}`)}::${raw(TYPES[type])}[]`);
  const into = sql`insert into ${id(table)} (${list(columns.map(({ name }) => id(name)))})`;
  const values = columns.map(({ type }, n) => listOf(rows, n, type));
  await tx.rows(render(sql`${into} select * from unnest(${list(lists)})`, String).text, values);
}

/** Types of columns without their limit of size. */
const WITHOUT_LIMIT: Partial<Readonly<Record<ColumnType, string>>> = { string: 'varchar', decimal: 'numeric' };

const FOREIGN_KEYS = `
  select t.relname::text, c.conname::text, pg_get_constraintdef(c.oid)
  from pg_constraint c join pg_class t on t.oid = c.conrelid
  where c.contype = 'f' and t.relnamespace = current_schema()::regnamespace
    and t.relname in (select json_array_elements_text($1::json))
  order by t.relname, c.conname`;

const alter = (table: Row[number], change: Sql): string =>
  render(sql`alter table ${id(String(table))} ${change}`, String).text;

async function lastIds(executor: Executor): Promise<ReadonlyMap<string, number>> {
  const sequences = await sequencesOf(executor);
  return new Map(sequences.filter(({ last }) => last > 0).map(({ table, last }) => [table, last]));
}

export const postgresRows: CanonicalRows = {
  read,
  byCodePoint: (text) => sql`${text} collate "C"`,
  canonical,
  misfit,
  async widen(tx, table, { name, type }) {
    const without = WITHOUT_LIMIT[type];
    if (without !== undefined) await tx.rows(alter(table, sql`alter column ${id(name)} type ${raw(without)}`), []);
  },
  insert,
  async suspend(tx, tables) {
    await tx.rows(UNLIMITED, []);
    const keys = await tx.rows(FOREIGN_KEYS, [JSON.stringify(tables.map(({ name }) => name))]);
    // one check of all rows takes a fraction of the time of a check for each
    for (const [table, name] of keys) await tx.rows(alter(table, sql`drop constraint ${id(String(name))}`), []);
    return async (last) => {
      for (const [table, name, definition] of keys)
        await tx.rows(alter(table, sql`add constraint ${id(String(name))} ${raw(String(definition))}`), []);
      for (const lagging of await laggingSequences(tx)) await tx.rows(compileAdvance(lagging), []);
      for (const { table, sequence, last: known } of await sequencesOf(tx)) {
        const wanted = last.get(table) ?? 0;
        if (wanted > known) await tx.rows('select setval($1::regclass, $2::bigint)', [sequence, wanted]);
      }
    };
  },
  lastIds,
};
