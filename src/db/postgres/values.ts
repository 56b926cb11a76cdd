/** What the server's values become. */
import type pg from 'pg';

/** Type ids of the server's catalogue, and how their texts become values. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  // a wall clock in UTC, as epoch milliseconds
  1114: (text) => Date.parse(`${text.replace(' ', 'T')}Z`),
};

/** A long value is bytes (`long-values.ts`). */
const typesWith = (texts: (value: string | Buffer) => string | Buffer) =>
  ({ getTypeParser: (oid: number) => PARSERS[oid] ?? texts }) as unknown as pg.CustomTypesConfig;
const decoded = typesWith((value) => value.toString());
const asSent = typesWith((value) => value);

/** The types of a statement; `bytes`: whether long texts may stay bytes. */
export function typesOf(bytes: boolean): pg.CustomTypesConfig {
  return bytes ? asSent : decoded;
}
