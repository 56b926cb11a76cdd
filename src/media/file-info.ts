/** `fileInfo`: name, texts and focal point of uploaded files (docs/reference/files.md). */
import { at, below, Failures, type Place, validationFailure } from '../failures.ts';
import { isDeeper, isObject } from '../plain-values.ts';
import { lastSegment, NAME_LENGTH } from './file-name.ts';

/** Undefined values are not changed. */
export interface FileInfo {
  readonly name?: string | null | undefined;
  readonly alternativeText?: string | null | undefined;
  readonly caption?: string | null | undefined;
  readonly focalPoint?: FocalPoint | null | undefined;
}

/** The most important point of an image, in percent from its top left corner. */
export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}

const KEY = 'fileInfo';
/** Levels of nesting: a list of objects with focal points. */
const DEPTH = 10;
const TEXTS = ['name', 'alternativeText', 'caption'] as const;

/**
 * The info of each file of an upload, from the `fileInfo` parts of its form: an object or a list of one for one file; a
 * list, or one part per file, for several.
 *
 * @throws ContentError 400 with the paths of wrong values.
 */
export function uploadInfos(parts: readonly string[] | undefined, files: number): FileInfo[] {
  const value = parts === undefined ? undefined : unwrapped(parts.map(jsonOf));
  if (files === 1) return [value === undefined ? {} : oneInfo(value)];
  if (value === undefined) return Array.from({ length: files }, () => ({}));
  if (!Array.isArray(value)) {
    throw validationFailure(at(KEY), `${KEY} must be a list, with an entry for each file`, value);
  }
  const failures = new Failures();
  const infos = value.map((entry, index) => readInfo(entry, at(KEY, index), failures));
  failures.throwAny();
  return Array.from({ length: files }, (_, index) => infos[index] ?? {});
}

/** The info of one file: an object, or its JSON text. @throws ContentError 400 with the paths of wrong values. */
export function oneInfo(value: unknown): FileInfo {
  return infoAt(at(KEY), typeof value === 'string' ? jsonOf(value) : value);
}

/** The info of one file at a place in a body. @throws ContentError 400 with the paths of wrong values. */
export function infoAt(place: Place, value: unknown): FileInfo {
  const failures = new Failures();
  const info = readInfo(value, place, failures);
  failures.throwAny();
  return info;
}

/** One part with a list and several parts are the same; a list of one is its element. */
function unwrapped(values: readonly unknown[]): unknown {
  const list = values.length === 1 ? values[0] : values;
  return Array.isArray(list) && list.length === 1 ? list[0] : list;
}

/** The value of a JSON text; the text itself if it is invalid, which no rule accepts. */
function jsonOf(text: string): unknown {
  if (isDeeper(text, DEPTH)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const mustBe = (expected: string) => (label: string) => `${label} must be ${expected}`;

function readInfo(value: unknown, place: Place, failures: Failures): FileInfo {
  if (!isObject(value)) {
    failures.add(place, mustBe('an object'), value);
    return {};
  }
  const info: { -readonly [K in keyof FileInfo]: FileInfo[K] } = {};
  for (const key of TEXTS) info[key] = readText(value[key], below(place, key), failures);
  info.focalPoint = readFocalPoint(value['focalPoint'], below(place, 'focalPoint'), failures);
  if (typeof info.name === 'string') {
    info.name = lastSegment(info.name.normalize());
    if (info.name.length > NAME_LENGTH) {
      const message = (label: string) => `${label} can have at most ${NAME_LENGTH} characters`;
      failures.add(below(place, 'name'), message, info.name);
    }
  }
  return info;
}

function readText(value: unknown, place: Place, failures: Failures): string | null | undefined {
  if (value === undefined || value === null) return value;
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') failures.add(place, mustBe('a text'), value);
  else if (text.includes('\0') || !text.isWellFormed()) {
    failures.add(place, mustBe('well-formed Unicode without U+0000'));
  } else return text;
  return undefined;
}

function readFocalPoint(value: unknown, place: Place, failures: Failures): FocalPoint | null | undefined {
  if (value === undefined || value === null) return value;
  if (!isObject(value)) {
    failures.add(place, mustBe('an object'), value);
    return undefined;
  }
  const [x, y] = (['x', 'y'] as const).map((key) => {
    const number = numberOf(value[key]);
    if (number === undefined || number < 0 || number > 100) {
      failures.add(below(place, key), mustBe('a number from 0 to 100'), value[key]);
    }
    return number;
  });
  return x === undefined || y === undefined ? undefined : { x, y };
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
