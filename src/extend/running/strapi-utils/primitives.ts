/** `strings`, `arrays`, `objects` and `dates` of `@strapi/utils`. */
import slugify, { type Options } from '@sindresorhus/slugify';
import { snake } from '../../../schema/layout/naming.ts';

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
