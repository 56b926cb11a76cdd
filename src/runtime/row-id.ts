/** Ids of rows as code gives them, which may be anything. */
import { MAX_ROW_ID } from '../content/rows/document-rows.ts';

/** The id of a row from a number or digits; undefined for other values, such as `1abc`, `true` and lists. */
export function rowIdOf(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isInteger(id) && id > 0 && id <= MAX_ROW_ID ? id : undefined;
}

/** The id in a written relation to one row: plain, in an object or in a list; undefined for other values. */
export function linkedId(value: unknown): number | undefined {
  if (Array.isArray(value)) return linkedId(value[0]);
  if (typeof value === 'object' && value !== null) {
    const { id, connect, set } = value as Readonly<Record<string, unknown>>;
    return linkedId(id ?? connect ?? set);
  }
  return rowIdOf(value);
}

/** The same as `rowIdOf`; for other values 0, which no row has, since ids start at 1. */
export const rowIdOrNone = (value: unknown): number => rowIdOf(value) ?? 0;
