/** The value of a relation or of media in a body (docs/reference/writing.md, "Relations"). Knows no schema. */
import { type ContentError, cut, invalidKey, validation } from '../errors.ts';
import { at, validationFailure } from '../failures.ts';
import { isObject } from '../plain-values.ts';
import { type Reason, reason } from '../reasons.ts';

/** A document or row in a payload. It has either `documentId` or `id`. */
export interface RelationEntry {
  readonly documentId: string | undefined;
  readonly id: number | undefined;
  readonly locale: string | undefined;
  readonly status: 'draft' | 'published' | undefined;
  readonly position: Position;
  /** `__type` of an entry that may be of any type. */
  readonly type: string | undefined;
}

export type Position =
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }
  | {
      readonly kind: 'before' | 'after';
      /** The neighbour of an entry. It has exactly one of these. */
      readonly documentId: string | undefined;
      readonly id?: number | undefined;
      /** `__type` of the neighbour, where it is of another type than the entry. */
      readonly type?: string | undefined;
    };

export type RelationEdit =
  /** Replaces all links, in this order. */
  | { readonly kind: 'set'; readonly entries: readonly RelationEntry[] }
  | {
      readonly kind: 'edit';
      readonly connect: readonly RelationEntry[];
      readonly disconnect: readonly RelationEntry[];
    };

type Payload = Readonly<Record<string, unknown>>;

const END: Position = { kind: 'end' };
const EDIT_KEYS: readonly string[] = ['connect', 'disconnect', 'set', 'options'];
const ENTRY_KEYS: ReadonlySet<string> = new Set(['documentId', 'id', 'locale', 'status', 'position', '__type']);

/** Entries of one list. A document with more links takes several requests. */
export const MAX_ENTRIES = 10_000;

/**
 * Reads the value of a relation: null, an identifier, an entry, a list (which replaces), or an object of `connect`,
 * `disconnect` and `set`.
 *
 * @param path dotted path of the attribute, without indices.
 * @throws ContentError 400 for other forms, for `set` beside `connect` or `disconnect`, and for one document twice in
 * `connect`.
 */
export function parseRelation(value: unknown, path: string): RelationEdit {
  if (value === null) return { kind: 'set', entries: [] };
  if (Array.isArray(value)) return { kind: 'set', entries: entriesOf(value, path) };
  if (isObject(value) && !('documentId' in value) && !('id' in value) && !('__type' in value)) {
    return parseObject(value, path);
  }
  return { kind: 'set', entries: entriesOf([value], path) };
}

function parseObject(value: Payload, path: string): RelationEdit {
  for (const key of Object.keys(value)) {
    if (!EDIT_KEYS.includes(key)) throw invalidKey({ key, path, source: 'body' });
  }
  const { connect, disconnect, set } = value;
  // null means no `set`, as for the other two keys
  if (set !== undefined && set !== null) {
    if (connect !== undefined || disconnect !== undefined) {
      throw relationError(path, `${path} cannot have set together with connect or disconnect`);
    }
    return { kind: 'set', entries: listOf(set, path) };
  }
  const edit = { kind: 'edit', connect: listOf(connect, path), disconnect: listOf(disconnect, path) } as const;
  refuseTwice(edit.connect, path);
  return edit;
}

/** Wraps a single value in a list; absent and null are an empty list. */
function listOf(value: unknown, path: string): RelationEntry[] {
  if (value === undefined || value === null) return [];
  return entriesOf(Array.isArray(value) ? value : [value], path);
}

function entriesOf(values: readonly unknown[], path: string): RelationEntry[] {
  if (values.length > MAX_ENTRIES) throw relationError(path, `${path} can have at most ${MAX_ENTRIES} entries at once`);
  return values.map((value) => entryOf(value, path));
}

function entryOf(value: unknown, path: string): RelationEntry {
  if (!isObject(value)) return plainEntry(value);
  const { documentId, id, locale, status, position, __type: type } = value;
  const isDocument = documentId !== undefined && documentId !== null;
  const named = isDocument ? plainEntry(documentId, false) : plainEntry(id);
  for (const key of Object.keys(value)) {
    if (!ENTRY_KEYS.has(key)) throw invalidKey({ key, path, source: 'body' });
  }
  return {
    ...named,
    locale: parseLocale(locale, path),
    status: parseStatus(status, path),
    position: parsePosition(position, path),
    type: typeof type === 'string' ? type : undefined,
  };
}

/**
 * Reads an identifier: a text is a document id, a number a row id.
 *
 * @param hasDigits true where a text of digits is a row id: clients and code pass on parts of addresses.
 */
function plainEntry(value: unknown, hasDigits = true): RelationEntry {
  const entry = {
    documentId: undefined,
    id: undefined,
    locale: undefined,
    status: undefined,
    position: END,
    type: undefined,
  };
  if (typeof value === 'string' && hasDigits && /^\d{1,15}$/.test(value)) return { ...entry, id: Number(value) };
  if (typeof value === 'string' && value !== '' && isStorable(value)) return { ...entry, documentId: value };
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { ...entry, id: value };
  throw validationFailure(undefined, 'Invalid relations', value);
}

/** A locale code, which need not exist. Empty and null are the default locale. */
function parseLocale(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && isStorable(value)) return value;
  throw relationError(path, `locale at ${path} must be the code of a locale`);
}

function parseStatus(value: unknown, path: string): RelationEntry['status'] {
  if (value === undefined || value === null) return undefined;
  if (value === 'draft' || value === 'published') return value;
  throw relationError(path, `status at ${path} must be one of draft, published`);
}

/** True for a text that every engine can store. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

function parsePosition(value: unknown, path: string): Position {
  if (value === undefined || value === null) return END;
  if (isObject(value)) {
    const { __type, ...places } = value;
    const { before, after, start, end } = places;
    const type = typeof __type === 'string' ? { type: __type } : {};
    // keys without a value do not count; of several values it would be ambiguous which counts
    const stated = Object.values(places).filter(isSaid);
    if (stated.length > 1) throw relationError(path, `position at ${path} must have one of before, after, start, end`);
    const beside = isSaid(before) ? before : after;
    const kind = isSaid(before) ? 'before' : 'after';
    if (typeof beside === 'string' && isStorable(beside)) return { kind, ...besideText(beside), ...type };
    if (typeof beside === 'number' && Number.isSafeInteger(beside))
      return { kind, documentId: undefined, id: beside, ...type };
    if (start === true) return { kind: 'start' };
    if (end === true || stated.length === 0) return END;
  }
  throw relationError(path, `position at ${path} must be one of before, after, start, end`);
}

const isSaid = (place: unknown): boolean => place !== undefined && place !== null && place !== false;

/** A text of digits alone is a row id, as in an entry. */
const besideText = (text: string) =>
  /^\d{1,15}$/.test(text) ? { documentId: undefined, id: Number(text) } : { documentId: text };

function refuseTwice(entries: readonly RelationEntry[], path: string): void {
  const seen = new Set<string>();
  for (const { documentId, id, locale, status, type } of entries) {
    const key = JSON.stringify([documentId ?? id, locale, status, type]);
    if (seen.has(key)) throw relationError(path, `${cut(String(documentId ?? id), 100)} is connected twice at ${path}`);
    seen.add(key);
  }
}

/** The error for more media, or deeper components and zones, than one write may have. */
export function tooManyEntries(path: string): ContentError {
  const message = `${path} can have at most ${MAX_ENTRIES} entries at once`;
  return validationFailure(at(...path.split('.')), message);
}

/** The error for one relation. The reference has no path at this stage, so the path is a hint. */
export function relationError(path: string, message: string, why: Reason = reason('relation')): ContentError {
  return validation(message, { hint: `at ${path}` }, { ...why, path });
}

const MEDIA_EDIT_KEYS: ReadonlySet<string> = new Set(['set', 'options']);

/**
 * Reads the value of a media attribute: an id (a number, or digits), a document id, an object with either, a list of
 * those, `{set: […]}` or null.
 *
 * @param keys what an object may have besides the identifier: a file's own names, since clients send records back.
 * @throws ContentError 400 for other keys and forms, `connect` and `disconnect` among them.
 */
export function parseMedia(value: unknown, path: string, keys: ReadonlySet<string>): RelationEntry[] {
  if (value === null) return [];
  if (Array.isArray(value)) return filesOf(value, path, keys);
  if (!isObject(value) || !('set' in value)) return [fileOf(value, path, keys)];
  refuseOthers(value, path, MEDIA_EDIT_KEYS);
  const { set } = value;
  return set === null ? [] : filesOf(Array.isArray(set) ? set : [set], path, keys);
}

function filesOf(values: readonly unknown[], path: string, keys: ReadonlySet<string>): RelationEntry[] {
  if (values.length > MAX_ENTRIES) throw tooManyEntries(path);
  return values.map((value) => fileOf(value, path, keys));
}

function fileOf(value: unknown, path: string, keys: ReadonlySet<string>): RelationEntry {
  if (isObject(value)) {
    refuseOthers(value, path, keys);
    const { id, documentId } = value;
    if (id === undefined && documentId === undefined) throw unnamedFile(path);
    return plainEntry(id ?? documentId);
  }
  return plainEntry(value);
}

const unnamedFile = (path: string): ContentError =>
  relationError(path, `${path} must name files by id or documentId; connect and disconnect are not for media`);

/** @throws ContentError 400 for another key. */
function refuseOthers(value: Payload, path: string, keys: ReadonlySet<string>): void {
  for (const key of Object.keys(value)) {
    if (key === 'connect' || key === 'disconnect') throw unnamedFile(path);
    if (!keys.has(key)) throw invalidKey({ key, path, source: 'body' });
  }
}
