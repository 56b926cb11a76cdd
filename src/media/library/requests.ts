/** Parses requests of the library and reports all mistakes at once. */
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import { validation } from '../../errors.ts';
import { at, because, below, Failures, type Place, REQUIRED, type Sentence } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import { type RawObject, textParam } from '../../query/params.ts';
import { type FileInfo, infoAt } from '../file-info.ts';

type Body = Readonly<Record<string, unknown>>;

/** Files and folders in one request. */
const MOST = 500;
/** Characters of a folder's name, and of a search. */
const NAME_LENGTH = 255;
const SEARCH_LENGTH = 200;
const URL_LENGTH = 2000;
/** Words of a search, each of which is searched in three columns. */
const WORDS = 10;
const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
/** Ids in one answer. */
const MOST_IDS = 5000;

const KINDS = ['image', 'video', 'audio', 'file'] as const;
type Kind = (typeof KINDS)[number];
const SORTED = ['name', 'createdAt', 'updatedAt', 'size', 'ext'];

/** Files and folders by id. */
export interface Selection {
  readonly files: readonly number[];
  readonly folders: readonly number[];
}

export interface FileList {
  /** A folder's id; null for files without folder; undefined for all files. */
  readonly folder: number | null | undefined;
  /** All words must match. */
  readonly words: readonly string[];
  /** The address of the requested file; undefined for any. */
  readonly url: string | undefined;
  /** Empty for all kinds. */
  readonly kinds: readonly Kind[];
  readonly sort: string;
  readonly page: number;
  readonly pageSize: number;
}

/** Parses the parameters of a list of files. @throws ContentError 400 for a wrong parameter. */
export function fileList(params: RawObject): FileList {
  const kinds = textParam(params, 'kind').split(',').filter(Boolean);
  if (!kinds.every((kind): kind is Kind => (KINDS as readonly string[]).includes(kind))) {
    throw validation(`kind can be ${KINDS.join(', ')}`);
  }
  const sort = textParam(params, 'sort') || 'createdAt:desc';
  const [field = '', order = 'asc', ...rest] = sort.split(':');
  if (!SORTED.includes(field) || !/^(?:asc|desc)$/i.test(order) || rest.length > 0) {
    throw validation(`sort can be by ${SORTED.join(', ')}`);
  }
  const text = textParam(params, '_q').normalize();
  if (text.length > SEARCH_LENGTH) throw validation(`_q can have at most ${SEARCH_LENGTH} characters`);
  const url = textParam(params, 'url');
  if (url.length > URL_LENGTH) throw validation(`url can have at most ${URL_LENGTH} characters`);
  const folder = textParam(params, 'folder');
  return {
    folder: folder === '' ? undefined : folder === 'none' ? null : idOf(folder, 'folder'),
    words: text.split(/\s+/).filter(Boolean).slice(0, WORDS),
    url: url === '' ? undefined : url,
    kinds,
    sort: `${field}:${order.toLowerCase()}`,
    page: Math.max(1, wholeOf(params, 'page', 1)),
    pageSize: Math.min(MAX_PAGE_SIZE, Math.max(1, wholeOf(params, 'pageSize', PAGE_SIZE))),
  };
}

/**
 * Parses the parameters of a list of ids of files, with the part of the list: `start` and `limit`.
 *
 * @throws ContentError 400 for a wrong parameter.
 */
export function fileIds(params: RawObject): {
  readonly list: FileList;
  readonly start: number;
  readonly limit: number;
} {
  const limit = Math.min(MOST_IDS, Math.max(1, wholeOf(params, 'limit', MOST_IDS)));
  return { list: fileList(params), start: wholeOf(params, 'start', 0), limit };
}

/**
 * Parses comma-separated ids of files and folders in a query.
 *
 * @throws ContentError 400 for an invalid id, no ids and too many.
 */
export function selectionQuery(params: RawObject): Selection {
  const list = (key: string) =>
    textParam(params, key)
      .split(',')
      .filter(Boolean)
      .map((text) => idOf(text, key));
  return limited({ files: list('files'), folders: list('folders') });
}

/** Parses whether texts are searched for mentions of files. @throws ContentError 400 for another value. */
export function withTextsOf(params: RawObject): boolean {
  const text = textParam(params, 'texts');
  if (!['', 'true', 'false'].includes(text)) throw validation('texts must be true or false');
  return text !== 'false';
}

/** Parses ids of files and folders in a body. @throws ContentError 400. */
export function selectionBody(raw: unknown): Selection {
  const body = objectOf(raw);
  const failures = new Failures();
  const selection = { files: idsOf(body, 'files', failures), folders: idsOf(body, 'folders', failures) };
  failures.throwAny();
  return limited(selection);
}

/** Parses a move: files and folders, and the target folder (null for none). @throws ContentError 400. */
export function moveBody(raw: unknown): Selection & { readonly to: number | null } {
  const body = objectOf(raw);
  const failures = new Failures();
  const to = folderIn(body, 'to', failures);
  if (to === undefined && failures.count === 0) failures.add(at('to'), 'to must be the id of a folder, or null');
  failures.throwAny();
  return { ...selectionBody(raw), to: to ?? null };
}

/** Changes of a file: undefined values stay, null values are removed. */
export type FileChange = FileInfo & { readonly folder: number | null | undefined };

/** Parses changes of a file. @throws ContentError 400 with the paths of wrong values. */
export function fileBody(raw: unknown): FileChange {
  const { folder: _, ...info } = objectOf(raw);
  const failures = new Failures();
  const folder = folderIn(objectOf(raw), 'folder', failures);
  failures.throwAny();
  return { ...infoAt(undefined, info), folder };
}

export interface FolderChange {
  readonly name: string | undefined;
  /** Undefined: unchanged; null: no folder. */
  readonly parent: number | null | undefined;
}

/**
 * Parses a new folder or changes of one. Names are checked as in the reference.
 *
 * @throws ContentError 400 with the paths of wrong values.
 */
export function folderBody(raw: unknown, isNew: boolean): FolderChange {
  const body = objectOf(raw);
  const failures = new Failures();
  const parent = folderIn(body, 'parent', failures);
  const name = body['name'];
  if (name === undefined && !isNew) {
    failures.throwAny();
    return { name: undefined, parent };
  }
  const add = (sentence: Sentence) => failures.add(at('name'), sentence, name);
  if (typeof name !== 'string' || name === '') add(REQUIRED);
  else if (name.length > NAME_LENGTH)
    add(because(`name can have at most ${NAME_LENGTH} characters`, 'tooLong', { limit: NAME_LENGTH }));
  else if (name.includes('/')) add('name cannot contain slashes');
  else if (name !== name.trim()) add('name cannot start or end with a whitespace');
  else if (name.includes('\0') || !name.isWellFormed()) add('name must be well-formed Unicode without U+0000');
  failures.throwAny();
  return { name: String(name).normalize(), parent };
}

/** Parses the folder of a form: null for none. @throws ContentError 400 for an invalid id. */
export function folderField(values: readonly string[] | undefined): number | null {
  const text = values?.at(-1) ?? '';
  return text === '' ? null : idOf(text, 'folder');
}

function objectOf(raw: unknown): Body {
  if (isObject(raw)) return raw;
  throw validation('The request needs a JSON object as its body');
}

function limited(selection: Selection): Selection {
  const count = selection.files.length + selection.folders.length;
  if (count === 0) throw validation('files or folders must be named');
  if (count > MOST) throw validation(`A request can name at most ${MOST} files and folders`);
  return { files: [...new Set(selection.files)], folders: [...new Set(selection.folders)] };
}

function idsOf(body: Body, key: string, failures: Failures): number[] {
  const value = body[key] ?? [];
  if (!Array.isArray(value)) {
    failures.add(at(key), `${key} must be a list of ids`, value);
    return [];
  }
  // a longer list is refused by its length
  return value.slice(0, MOST + 1).filter((id, index) => isId(id, below(at(key), index), failures));
}

/** Parses a folder's id in a body; undefined if the key is missing. */
export function folderIn(body: Body, key: string, failures: Failures): number | null | undefined {
  const value = body[key];
  if (value === undefined || value === null) return value;
  return isId(value, at(key), failures) ? value : undefined;
}

function isId(value: unknown, place: Place, failures: Failures): value is number {
  const is = typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_ROW_ID;
  if (!is) failures.add(place, (label) => `${label} must be an id`, value);
  return is;
}

function idOf(text: string, key: string): number {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id === 0 || id > MAX_ROW_ID) throw validation(`${key} must be an id`);
  return id;
}

function wholeOf(params: RawObject, key: string, otherwise: number): number {
  const text = textParam(params, key);
  if (text === '') return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw validation(`${key} must be a whole number`);
  return Number(text);
}
