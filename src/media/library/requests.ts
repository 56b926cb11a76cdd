/** What requests of the library ask for, checked: everything that is wrong with one is told at once. */
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import { validation } from '../../errors.ts';
import { at, below, Failures, type Place } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import { type RawObject, textParam } from '../../query/params.ts';
import { type FileInfo, infoAt } from '../file-info.ts';

type Body = Readonly<Record<string, unknown>>;

/** Files and folders that one request names. */
const MOST = 500;
/** Characters of a folder's name, and of what is searched for. */
const NAME_LENGTH = 255;
const SEARCH_LENGTH = 200;
const URL_LENGTH = 2000;
/** Words that are searched for: each is looked for in three columns. */
const WORDS = 10;
const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
/** Ids that one request is told. */
const MOST_IDS = 5000;

const KINDS = ['image', 'video', 'audio', 'file'] as const;
type Kind = (typeof KINDS)[number];
const SORTED = ['name', 'createdAt', 'updatedAt', 'size', 'ext'];

/** Files and folders by their ids. */
export interface Chosen {
  readonly files: readonly number[];
  readonly folders: readonly number[];
}

export interface FileList {
  /** Id of the folder; null: those in none; undefined: all there are. */
  readonly folder: number | null | undefined;
  /** Each of which has to be found. */
  readonly words: readonly string[];
  /** The address of the only file that is looked for; undefined: any. */
  readonly url: string | undefined;
  /** Empty: all. */
  readonly kinds: readonly Kind[];
  readonly sort: string;
  readonly page: number;
  readonly pageSize: number;
}

/**
 * The parameters of a list of files.
 *
 * @throws ContentError 400 for one that is wrong.
 */
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
 * The parameters of a list of files of which only the ids are wanted, and which part of it: `start` and `limit`.
 *
 * @throws ContentError 400 for one that is wrong.
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
 * Ids of files and folders behind a question mark, with commas.
 *
 * @throws ContentError 400 for what is none, for none at all and for too many.
 */
export function chosenOf(params: RawObject): Chosen {
  const list = (key: string) =>
    textParam(params, key)
      .split(',')
      .filter(Boolean)
      .map((text) => idOf(text, key));
  return fewOf({ files: list('files'), folders: list('folders') });
}

/** Whether texts are to be searched for what shows files. @throws ContentError 400 for what says neither. */
export function withTextsOf(params: RawObject): boolean {
  const said = textParam(params, 'texts');
  if (!['', 'true', 'false'].includes(said)) throw validation('texts must be true or false');
  return said !== 'false';
}

/**
 * The same from a body.
 *
 * @throws ContentError 400.
 */
export function chosenBody(raw: unknown): Chosen {
  const body = objectOf(raw);
  const failures = new Failures();
  const chosen = { files: idsOf(body, 'files', failures), folders: idsOf(body, 'folders', failures) };
  failures.throwAny();
  return fewOf(chosen);
}

/** Files and folders, and the folder that they go to: null is none. @throws ContentError 400. */
export function moveBody(raw: unknown): Chosen & { readonly to: number | null } {
  const body = objectOf(raw);
  const failures = new Failures();
  const to = folderIn(body, 'to', failures);
  if (to === undefined && failures.count === 0) failures.add(at('to'), 'to must be the id of a folder, or null');
  failures.throwAny();
  return { ...chosenBody(raw), to: to ?? null };
}

/** What is changed of a file: undefined stays, null is taken away. */
export type FileChange = FileInfo & { readonly folder: number | null | undefined };

/** @throws ContentError 400 with the paths of what is wrong. */
export function fileBody(raw: unknown): FileChange {
  const { folder: _, ...info } = objectOf(raw);
  const failures = new Failures();
  const folder = folderIn(objectOf(raw), 'folder', failures);
  failures.throwAny();
  return { ...infoAt(undefined, info), folder };
}

export interface FolderChange {
  readonly name: string | undefined;
  /** Undefined: it stays where it is; null: in none. */
  readonly parent: number | null | undefined;
}

/**
 * A new folder, or what is changed of one. Names are as the reference allows them.
 *
 * @throws ContentError 400 with the paths of what is wrong.
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
  const add = (message: string) => failures.add(at('name'), message, name);
  if (typeof name !== 'string' || name === '') add('name is a required field');
  else if (name.length > NAME_LENGTH) add(`name can have at most ${NAME_LENGTH} characters`);
  else if (name.includes('/')) add('name cannot contain slashes');
  else if (name !== name.trim()) add('name cannot start or end with a whitespace');
  else if (name.includes('\0') || !name.isWellFormed()) add('name must be well-formed Unicode without U+0000');
  failures.throwAny();
  return { name: String(name).normalize(), parent };
}

/** The id of a folder in a form: null where there is none. @throws ContentError 400 for what is no id. */
export function folderField(values: readonly string[] | undefined): number | null {
  const text = values?.at(-1) ?? '';
  return text === '' ? null : idOf(text, 'folder');
}

function objectOf(raw: unknown): Body {
  if (isObject(raw)) return raw;
  throw validation('The request needs a JSON object as its body');
}

function fewOf(chosen: Chosen): Chosen {
  const count = chosen.files.length + chosen.folders.length;
  if (count === 0) throw validation('files or folders must be named');
  if (count > MOST) throw validation(`A request can name at most ${MOST} files and folders`);
  return { files: [...new Set(chosen.files)], folders: [...new Set(chosen.folders)] };
}

function idsOf(body: Body, key: string, failures: Failures): number[] {
  const value = body[key] ?? [];
  if (!Array.isArray(value)) {
    failures.add(at(key), `${key} must be a list of ids`, value);
    return [];
  }
  // a long one is refused by its length
  return value.slice(0, MOST + 1).filter((id, index) => isId(id, below(at(key), index), failures));
}

/** The id of a folder in a body; undefined where the key is missing. */
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
