/** What is measured at every size: one form of request each, about documents from all over the database. */
import { COMMON_WORD, RARE_WORD, SMALL_LOCALE } from '../grow.ts';
import type { Samples } from './databases.ts';

/** Entries of a page, and rows that a narrow range of numbers holds at every size. */
const PAGE = 25;
const NARROW = 100;
/** Values of `views` lie below. */
const VIEWS = 100_000;

export interface Workload {
  readonly name: string;
  /** How many times slower it may be at the largest size than at the smallest. */
  readonly aim?: number;
  /** Why the aim is not to be expected, where it is what whoever asks would wish for all the same. */
  readonly why?: string;
  /** The paths that are asked for in turn. */
  readonly paths: (samples: Samples) => readonly string[];
}

const LIST = '/api/articles?';
const UNCOUNTED = 'pagination[withCount]=false';
const list = (...parameters: readonly string[]): string => LIST + parameters.join('&');
const constant =
  (...parameters: readonly string[]) =>
  () => [list(...parameters)];
const ALL_FOUND =
  'the range has a hundred times the rows, all of which are found for the first of them by id, or for their number';
const value = (text: string): string => encodeURIComponent(text);

/** Ranges of `views` all over its values, each of so many rows. */
function ranges({ size }: Samples, rows: number, ...parameters: readonly string[]): string[] {
  const width = Math.max(1, Math.round((rows * VIEWS) / size));
  return Array.from({ length: 100 }, (_, n) => {
    const from = Math.floor((n * (VIEWS - width)) / 100);
    return list(`filters[views][$gte]=${from}`, `filters[views][$lt]=${from + width}`, ...parameters);
  });
}

export const reads: readonly Workload[] = [
  { name: 'single by document id', aim: 2, paths: ({ rows }) => rows.map((row) => `/api/articles/${row.documentId}`) },
  { name: 'by slug', aim: 2, paths: ({ rows }) => rows.map((row) => list(`filters[slug][$eq]=${value(row.slug)}`)) },
  { name: 'first page, no total', aim: 2, paths: constant(UNCOUNTED) },
  { name: 'first page with total', aim: 3, paths: constant() },
  { name: 'newest first', aim: 2, paths: constant('sort=publishedAt:desc', UNCOUNTED) },
  { name: 'newest first with total', aim: 3, paths: constant('sort=publishedAt:desc') },
  { name: 'sort=views:desc', aim: 2, paths: constant('sort=views:desc', UNCOUNTED) },
  {
    name: 'title $eq',
    aim: 2,
    paths: ({ rows }) => rows.map((row) => list(`filters[title][$eq]=${value(row.title)}`)),
  },
  { name: 'range of 100 rows', aim: 2, paths: (samples) => ranges(samples, NARROW, UNCOUNTED) },
  { name: 'range of 100 rows with total', aim: 3, paths: (samples) => ranges(samples, NARROW) },
  {
    name: 'range of 1 % of the rows',
    aim: 2,
    why: ALL_FOUND,
    paths: (samples) => ranges(samples, samples.size / 100, UNCOUNTED),
  },
  {
    name: 'range of 1 % with total',
    aim: 3,
    why: ALL_FOUND,
    paths: (samples) => ranges(samples, samples.size / 100),
  },
  {
    name: 'range of 1 %, sort=views',
    aim: 2,
    paths: (samples) => ranges(samples, samples.size / 100, 'sort=views', UNCOUNTED),
  },
  { name: 'two relations', aim: 2, paths: constant('populate[0]=author', 'populate[1]=tags', UNCOUNTED) },
  { name: 'drafts', aim: 3, paths: constant('status=draft') },
  { name: 'a locale of 40 rows', aim: 3, paths: constant(`locale=${SMALL_LOCALE}`) },
  {
    name: 'filter through a relation',
    paths: ({ authors }) => authors.map((name) => list(`filters[author][name][$eq]=${value(name)}`, UNCOUNTED)),
  },
  { name: 'page 40', paths: constant('pagination[page]=40', UNCOUNTED) },
  {
    name: 'last page',
    paths: ({ published }) => [list(`pagination[page]=${Math.ceil(published / PAGE)}`, UNCOUNTED)],
  },
  { name: '_q, rare word', aim: 3, paths: constant(`_q=${RARE_WORD}`) },
  { name: '_q, common word', paths: constant(`_q=${COMMON_WORD}`) },
  { name: '$containsi, rare word', aim: 3, paths: constant(`filters[title][$containsi]=${RARE_WORD.toUpperCase()}`) },
  { name: '$containsi, common word', paths: constant(`filters[title][$containsi]=${COMMON_WORD.toUpperCase()}`) },
];

/** Pages that are walked to with cursors. */
export const cursorPages = ['start', 'middle', 'end'] as const;
export type CursorPage = (typeof cursorPages)[number];
export const cursorAim = 2;
export const cursorName = (page: CursorPage): string => `cursor page, ${page}`;
/** A page after a cursor; with none the first. */
export const cursorPath = (cursor: string, pageSize = PAGE): string =>
  list(`pagination[cursor]=${value(cursor)}`, `pagination[pageSize]=${pageSize}`, 'sort=publishedAt:desc');

/** Names of workloads of `writes.ts`, with their aims. */
export const writes: readonly { readonly name: string; readonly aim?: number }[] = [
  { name: 'create', aim: 2 },
  { name: 'update' },
  { name: 'publish' },
];
