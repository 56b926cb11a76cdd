/**
 * Cursors: the place in a sorted list where a page ended (Galley's own, docs/reference/extensions.md). A cursor
 * contains the sort values of the last row and its id, so the list can be continued even if that row no longer exists.
 * Callers can forge cursors, so their values are treated like operands of filters.
 */
import { hash } from 'node:crypto';
import { type ContentError, validation } from '../errors.ts';
import type { SortKey } from './content-query.ts';

/** Limits of cursors; `docs/reference/limits.md` lists them. */
export const cursorLimits = {
  /** Sort keys that a cursor can have. */
  keys: 5,
  /** Characters by which longer texts are compared: a cursor with all keys still fits in an address. */
  textLength: 255,
  /** Characters of a cursor: the longest texts where JSON escapes each character. */
  length: 12_000,
} as const;

/** A value of a row, from the driver (`Dialect.exact`) or forged by a caller. */
export type CursorValue = string | number | null;

/** A place in a sorted list. */
export interface Position {
  /** One for each key of the order. */
  readonly values: readonly CursorValue[];
  readonly id: CursorValue;
}

/** The version of the format: cursors of another version are refused. */
const VERSION = 1;
const TIE_LENGTH = 12;

/** Ties a cursor to a list, by its type and order. */
export function cursorTie(uid: string, sort: readonly SortKey[]): string {
  const keys = sort.map(({ path, order }) => [order, ...path]);
  return hash('sha256', JSON.stringify([VERSION, uid, keys]), 'base64url').slice(0, TIE_LENGTH);
}

/**
 * Writes a cursor.
 *
 * @throws ContentError 400 for values longer than any schema allows, stored by another program.
 */
export function encodeCursor(tie: string, { values, id }: Position): string {
  const cursor = Buffer.from(JSON.stringify([tie, ...values.map(plain), id])).toString('base64url');
  if (cursor.length <= cursorLimits.length) return cursor;
  throw wrongCursor('The list cannot continue after a document whose sorted values are this long');
}

/** JSON has no infinite numbers. */
function plain(value: CursorValue): CursorValue {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

/**
 * Reads a cursor.
 *
 * @param keys number of sort keys of the list.
 * @throws ContentError 400 for anything but a cursor of the same list.
 */
export function decodeCursor(text: string, tie: string, keys: number): Position {
  const [version, ...values] = text.length <= cursorLimits.length ? contentOf(text) : [];
  if (version !== tie || values.length !== keys + 1) throw invalidCursor();
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

/** The error for a text that is not a cursor of the list. */
export const invalidCursor = (): ContentError =>
  wrongCursor('Invalid cursor. Expected the `next` of a page of the same type and sort, or nothing for the first page');

/** An error about the cursor. */
export function wrongCursor(message: string): ContentError {
  return validation(message, { path: 'pagination.cursor', source: 'query', param: 'pagination' });
}
