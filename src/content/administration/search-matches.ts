/** Where the documents of a searched list contain the searched text. */
import type { SearchedField } from '../../access/fields.ts';
import type { Viewer } from '../../access/view.ts';
import { ContentError } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import { parseQuery } from '../../query/parse.ts';
import type { ContentType, FieldType } from '../../schema/catalog.ts';
import type { DocumentReader } from '../reading/reader.ts';

/** A field of a row that contains the text, and a part of its value. */
export interface SearchMatch {
  readonly field: string;
  /** The text before the match, the match as it is written in the document, and the text after it. */
  readonly text: readonly [before: string, found: string, after: string];
}

/** Rows that one statement reads: their texts may be long. */
const TOGETHER = 10;
/** Characters before and after the match: few before it, so that a narrow row shows the match. */
const BEFORE = 24;
const BEHIND = 60;

export interface MatchContext {
  readonly reader: DocumentReader;
  /** Folds the case of a text as searches do. */
  readonly fold: (text: string) => string;
}

/**
 * Where the rows of a page contain the `_q` of its list, by row id: in the first of the searched fields that does. Rows
 * with very long texts are skipped.
 *
 * @param params the parameters of the list.
 * @param ids of the rows of the page.
 */
export async function matchesOf(
  { reader, fold }: MatchContext,
  type: ContentType,
  viewer: Viewer,
  params: RawObject,
  ids: readonly number[],
): Promise<Readonly<Record<string, SearchMatch>>> {
  const { _q: q } = params;
  const isNumber = parseQuery({ _q: q }).query.search?.numeric === true;
  const fields = viewer.view.searchedBy(type, isNumber);
  if (typeof q !== 'string' || fields.length === 0) return {};
  const matches: Record<string, SearchMatch> = {};
  const read = async (some: readonly number[]): Promise<void> => {
    if (some.length === 0) return;
    const query: RawObject = {
      status: params['status'] ?? 'draft',
      locale: '*',
      filters: { id: { $in: some.map(String) } },
      fields: fields.map(({ field }) => field),
    };
    const page = { mode: 'offset', offset: 0, limit: some.length, withCount: false } as const;
    let rows: readonly Readonly<Record<string, unknown>>[];
    try {
      rows = JSON.parse((await reader.list(type, viewer, query, { page })).data);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      // texts may be too long for one answer; without them the rows are still listed
      if (some.length > 1) {
        const middle = some.length >> 1;
        await read(some.slice(0, middle));
        await read(some.slice(middle));
      }
      return;
    }
    for (const row of rows) {
      const match = firstMatch(fields, row, q, fold);
      if (match) matches[String(row['id'])] = match;
    }
  };
  for (let from = 0; from < ids.length; from += TOGETHER) await read(ids.slice(from, from + TOGETHER));
  return matches;
}

function firstMatch(
  fields: readonly SearchedField[],
  row: Readonly<Record<string, unknown>>,
  q: string,
  fold: MatchContext['fold'],
): SearchMatch | undefined {
  const needle = fold(q);
  for (const { field, type } of fields) {
    for (const text of textsOf(row[field], type)) {
      const at = fold(text).indexOf(needle);
      if (at >= 0) return { field, text: around(text, at, q.length) };
    }
  }
  return undefined;
}

/** The searched texts: those of each block as one, and each string within JSON. */
function textsOf(value: unknown, type: FieldType): readonly string[] {
  if (value === null || value === undefined) return [];
  if (type === 'json') return stringsOf(value);
  if (type === 'blocks') return Array.isArray(value) ? value.map((block) => textsUnder(block).join('')) : [];
  return [String(value)];
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

function textsUnder(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : textsUnder(inner),
  );
}

function around(text: string, at: number, length: number): SearchMatch['text'] {
  const [from, to] = [Math.max(0, at - BEFORE), Math.min(text.length, at + length + BEHIND)];
  const before = `${from > 0 ? '…' : ''}${text.slice(from, at)}`;
  const after = `${text.slice(at + length, to)}${to < text.length ? '…' : ''}`;
  return [oneLine(before), oneLine(text.slice(at, at + length)), oneLine(after)];
}

const oneLine = (text: string): string => text.toWellFormed().replace(/\s+/g, ' ');
