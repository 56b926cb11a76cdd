/** `strings`, `arrays`, `objects` and `dates` of `@strapi/utils`. */
import { type Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import slugify, { type Options } from '@sindresorhus/slugify';
import { snake } from '../../schema/layout/naming.ts';

/** A text without the letters at its beginning, and at its end, that are among those of a joint. */
function trimmed(text: string, joint: string, ends: 'start' | 'end' | 'both'): string {
  const isKept = (letter: string): boolean => !joint.includes(letter);
  const letters = [...text];
  const from = ends === 'end' ? 0 : letters.findIndex(isKept);
  const to = ends === 'start' ? letters.length : letters.findLastIndex(isKept) + 1;
  return from < 0 ? '' : letters.slice(from, to).join('');
}

/** A slug as the reference's version of the package makes it, which parts words at apostrophes. */
const slug = (text: string, options?: Options): string => slugify(text.replaceAll(/['’]/g, ' '), options);

export const strings = {
  nameToSlug: slug,
  nameToCollectionName: (name: string): string => slug(name, { separator: '_' }),
  toRegressedEnumValue: (value: string): string => slug(value, { decamelize: false, lowercase: false, separator: '_' }),
  toKebabCase: (text: string): string => snake(text).replaceAll('_', '-'),
  isKebabCase: (text: string): boolean => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(text),
  isCamelCase: (text: string): boolean => /^[a-z][a-zA-Z0-9]+$/.test(text),
  startsWithANumber: (text: string): boolean => /^[0-9]/.test(text),
  /** Parts of a path or an address, with one joint between each two: `joinBy('/', 'a/', '/b')` is `a/b`. */
  joinBy: (joint: string, ...parts: string[]): string => {
    if (parts.length < 2) return parts[0] ?? '';
    const last = parts.length - 1;
    return parts
      .map((part, index) => trimmed(part, joint, index === 0 ? 'end' : index === last ? 'start' : 'both'))
      .join(joint);
  },
  isEqual: (a: unknown, b: unknown): boolean => String(a) === String(b),
  /** The folders that paths have in common. */
  getCommonPath: (...paths: string[]): string => {
    const [first = [], ...others] = paths.map((path) => path.split('/'));
    const end = first.findIndex((folder, index) => others.some((other) => other[index] !== folder));
    return (end < 0 ? first : first.slice(0, end)).join('/');
  },
};

export const arrays = {
  includesString: (list: readonly unknown[], value: unknown): boolean => list.map(String).includes(String(value)),
};

export const objects = { keysDeep };

/** The paths of all values in an object: `{a: {b: 1}}` has `a.b`. */
function keysDeep(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [path.join('.')];
  return Object.entries(value).flatMap(([key, inner]) => keysDeep(inner, [...path, key]));
}

export const dates = { timestampCode: (date = new Date()): string => date.getTime().toString(36) };

const SIZES = ['Bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

export const file = {
  bytesToKbytes: (bytes: number): number => Math.round((bytes / 1000) * 100) / 100,
  kbytesToBytes: (kilobytes: number): number => kilobytes * 1000,
  bytesToHumanReadable: (bytes: number): string => {
    const power = bytes === 0 ? 0 : Math.floor(Math.log(bytes) / Math.log(1000));
    return `${Math.round(bytes / 1000 ** power)} ${SIZES[power]}`;
  },
  streamToBuffer: (stream: Readable): Promise<Buffer> => buffer(stream),
  getStreamSize: async (stream: Readable): Promise<number> => {
    let size = 0;
    for await (const chunk of stream) size += Buffer.byteLength(chunk as Buffer | string);
    return size;
  },
  /** A stream that takes everything and keeps nothing. */
  writableDiscardStream: (options?: object): Writable =>
    new Writable({ ...options, write: (_chunk, _encoding, done) => setImmediate(done) }),
};

/** `async` of `@strapi/utils`. */
export const async = { map, pipe, reduce };

interface MapOptions {
  /** How many items are worked on at the same time. */
  readonly concurrency?: number;
}
type Mapper = (item: unknown, index: number) => unknown;

/** The results of a function for each item, in order. Without the function, returns a curried function. */
function map(list: Iterable<unknown>): (work: Mapper, options?: MapOptions) => Promise<unknown[]>;
function map(list: Iterable<unknown>, work: Mapper, options?: MapOptions): Promise<unknown[]>;
function map(list: Iterable<unknown>, work?: Mapper, { concurrency = Number.POSITIVE_INFINITY }: MapOptions = {}) {
  if (work === undefined) return (later: Mapper, options?: MapOptions) => map(list, later, options);
  const items = [...list];
  const results: unknown[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(await items[index], index);
    }
  };
  const workers = Array.from({ length: Math.min(Math.max(concurrency, 1), items.length) }, worker);
  return Promise.all(workers).then(() => results);
}

/** A pipeline of functions: each receives the result of the one before, the first all arguments. */
function pipe(...[first, ...others]: readonly ((...args: unknown[]) => unknown)[]) {
  return async (...args: unknown[]): Promise<unknown> => {
    let result = await first!(...args);
    for (const step of others) result = await step(result);
    return result;
  };
}

function reduce(list: readonly unknown[]) {
  return async (work: (sum: unknown, item: unknown, index: number) => unknown, initial?: unknown): Promise<unknown> => {
    let sum = initial;
    for (const [index, item] of list.entries()) sum = await work(sum, await item, index);
    return sum;
  };
}
