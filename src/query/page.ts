/** `pagination` → Page (docs/reference/query-parameters.md, "Pagination"). */
import { ContentError, validation } from '../errors.ts';
import { wrongCursor } from './cursor.ts';
import { isEmptyList, isRawObject, type RawObject, type RawValue, singleValue } from './params.ts';

export interface Page {
  readonly mode: 'page' | 'offset' | 'cursor';
  readonly offset: number;
  readonly limit: number;
  readonly withCount: boolean;
  /** The end of the page before; empty for the first page. In `cursor` mode only. */
  readonly cursor?: string;
}

export interface PageLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number | null;
  readonly withCount: boolean;
}

/**
 * Reads the pagination of a list. Numbers out of range are clamped.
 *
 * @throws ContentError 400 `PaginationError` for mixed modes and flat `page`/`pageSize`, `ValidationError` for values
 * that are not numbers.
 */
export function parsePage(params: RawObject, limits: PageLimits): Page {
  if (params['page'] !== undefined || params['pageSize'] !== undefined) {
    const hint = `write ${params['page'] === undefined ? 'pagination[pageSize]' : 'pagination[page]'}`;
    throw new ContentError(
      'PaginationError',
      'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
      { hint },
    );
  }
  const raw = params['pagination'];
  const value = singleValue(raw);
  if (value === undefined || value === null || value === '') return firstPage(limits);
  if (!isRawObject(raw)) throw validation('The pagination parameter must be an object');
  return pageOf(raw, limits);
}

/** Reads pagination keys from an object. */
export function pageOf(raw: RawObject, limits: PageLimits): Page {
  const has = (key: string) => raw[key] !== undefined;
  if (has('cursor')) return cursorPage(raw, limits);
  const offsetMode = has('start') || has('limit');
  if (offsetMode && (has('page') || has('pageSize'))) {
    throw new ContentError('PaginationError', 'Cannot use both page & offset pagination in the same query');
  }
  const withCount = parseWithCount(raw['withCount'], limits.withCount);
  const limit = clampLimit(readWhole(raw, offsetMode ? 'limit' : 'pageSize'), limits);
  if (offsetMode) {
    return { mode: 'offset', offset: Math.max(0, readWhole(raw, 'start') ?? 0), limit, withCount };
  }
  const page = Math.max(1, readWhole(raw, 'page') ?? 1);
  return { mode: 'page', offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER), limit, withCount };
}

/** A page by cursor (Galley's own): its size is `pageSize`, and it is counted only on request. */
function cursorPage(raw: RawObject, limits: PageLimits): Page {
  if (['page', 'start', 'limit'].some((key) => raw[key] !== undefined)) {
    throw new ContentError('PaginationError', 'Cannot use a cursor with page or offset pagination in the same query');
  }
  const cursor = raw['cursor'] ?? '';
  if (typeof cursor !== 'string') throw wrongCursor('The cursor must be a string');
  const withCount = parseWithCount(raw['withCount'], false);
  return { mode: 'cursor', offset: 0, limit: clampLimit(readWhole(raw, 'pageSize'), limits), withCount, cursor };
}

function firstPage(limits: PageLimits): Page {
  return { mode: 'page', offset: 0, limit: clampLimit(undefined, limits), withCount: limits.withCount };
}

function clampLimit(requested: number | undefined, limits: PageLimits): number {
  const limit = Math.max(1, requested ?? limits.defaultLimit);
  return limits.maxLimit === null ? limit : Math.min(limit, limits.maxLimit);
}

/** A whole number; undefined when absent; an empty text counts as 0 (page 1, size 1). `name`: how a refusal names it. */
function readWhole(raw: RawObject, key: string, name = `pagination[${key}]`): number | undefined {
  if (raw[key] === undefined || isEmptyList(raw[key])) return undefined;
  const value = singleValue(raw[key]);
  const number = value === null ? 0 : typeof value === 'string' ? Number(value) : Number.NaN;
  if (!Number.isInteger(number)) throw validation(`${name} must be a whole number`);
  return Math.max(Math.min(number, Number.MAX_SAFE_INTEGER), -1);
}

const COUNT_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

function parseWithCount(raw: RawValue, fallback: boolean): boolean {
  if (raw === undefined) return fallback;
  const parsed = typeof raw === 'string' && Object.hasOwn(COUNT_WORDS, raw) ? COUNT_WORDS[raw] : undefined;
  if (parsed === undefined) throw validation('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
  return parsed;
}

/**
 * The `meta.pagination` text of an answer. `total` is undefined when it was not counted; `next` is the cursor of the page
 * behind this one, where pages have cursors and there is one.
 */
export function pageMeta(page: Page, total: number | undefined, next?: string | undefined): string {
  if (page.mode === 'cursor') {
    const cursor = next === undefined ? null : `"${next}"`;
    return `{"pageSize":${page.limit},"next":${cursor}${total === undefined ? '' : `,"total":${total}`}}`;
  }
  if (page.mode === 'offset') {
    return `{"start":${page.offset},"limit":${page.limit}${total === undefined ? '' : `,"total":${total}`}}`;
  }
  const number = Math.floor(page.offset / page.limit) + 1;
  const counted = total === undefined ? '' : `,"pageCount":${Math.ceil(total / page.limit)},"total":${total}`;
  return `{"page":${number},"pageSize":${page.limit}${counted}}`;
}

/** All rows, uncounted. */
export const everything: Page = { mode: 'offset', offset: 0, limit: Number.MAX_SAFE_INTEGER, withCount: false };

/**
 * The page of accounts, whose list reads plain `start` and `limit` instead of `pagination`. A limit of 0 or less means
 * no limit.
 *
 * @throws ContentError 400 for values that are not numbers, and for a negative `start`.
 */
export function offsetPage(params: RawObject): Page {
  const offset = readWhole(params, 'start', 'start') ?? 0;
  if (offset < 0) throw validation('start must be a whole number of at least 0');
  const limit = readWhole(params, 'limit', 'limit');
  return { ...everything, offset, limit: limit === undefined || limit <= 0 ? everything.limit : limit };
}
