/**
 * Cursors: where in a sorted list a page ended (ours, docs/reference/extensions.md). A cursor contains the values that the
 * last row was sorted by and its id, so that the list can be continued behind that place whether or not the row is still
 * there. Callers can forge them: what they contain is treated as the operands of filters are.
 */
import { hash } from 'node:crypto';
import { type ContentError, validation } from '../errors.ts';
import type { SortKey } from './content-query.ts';

/** Limits of cursors; `docs/reference/limits.md` lists them. */
export const cursorLimits = {
  /** Keys of an order that is continued. */
  keys: 5,
  /** Characters that longer texts are compared by: with as many keys as there may be, a cursor still fits in an address. */
  textLength: 255,
  /** Characters of a cursor: the longest texts where JSON escapes each character. */
  length: 12_000,
} as const;

/** A value of a row, as the driver gave it (`Dialect.exact`), or as a caller has forged it. */
export type CursorValue = string | number | null;

/** A place in a sorted list. */
export interface Position {
  /** One for each key of the order. */
  readonly values: readonly CursorValue[];
  readonly id: CursorValue;
}

/** Behind the version: a cursor of another form is not understood. */
const VERSION = 1;
const TIE_LENGTH = 12;

/** What ties a cursor to a list: the type and the order that it was made for. */
export function cursorTie(uid: string, sort: readonly SortKey[]): string {
  const keys = sort.map(({ path, order }) => [order, ...path]);
  return hash('sha256', JSON.stringify([VERSION, uid, keys]), 'base64url').slice(0, TIE_LENGTH);
}

/**
 * Writes a cursor.
 *
 * @throws ContentError 400 for values of a length that no schema allows, which another program has stored.
 */
export function encodeCursor(tie: string, { values, id }: Position): string {
  const cursor = Buffer.from(JSON.stringify([tie, ...values.map(plain), id])).toString('base64url');
  if (cursor.length <= cursorLimits.length) return cursor;
  throw wrongCursor('The list cannot be continued behind a document with such long values to sort by');
}

/** JSON has no infinite numbers. */
function plain(value: CursorValue): CursorValue {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/**
 * Reads a cursor.
 *
 * @param keys how many the order has.
 * @throws ContentError 400 for anything but a cursor of the same list.
 */
export function decodeCursor(text: string, tie: string, keys: number): Position {
  const [made, ...values] = text.length <= cursorLimits.length ? contentOf(text) : [];
  if (made !== tie || values.length !== keys + 1) throw invalidCursor();
  return { values: values.slice(0, -1), id: values.at(-1)! };
}

function contentOf(text: string): CursorValue[] {
  if (!/^[\w-]+$/.test(text)) return [];
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(content) && content.every(isCursorValue) ? content : [];
  } catch {
    return [];
  }
}

function isCursorValue(value: unknown): value is CursorValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** The refusal of what is no cursor of the list, or has been tampered with. */
export const invalidCursor = (): ContentError =>
  wrongCursor('Invalid cursor. Expected the `next` of a page of the same type and sort, or nothing for the first page');

/** A refusal that concerns the cursor. */
export function wrongCursor(message: string): ContentError {
  return validation(message, { path: 'pagination.cursor', source: 'query', param: 'pagination' });
}
