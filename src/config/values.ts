/** Reads single values out of an evaluated configuration file and refuses wrong ones, naming file and key. */
import type { UsageError } from '../errors.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import { ConfigMistake } from './mistake.ts';

/** The value at a dotted path, a list without its absent entries; undefined when a step of the path is missing. */
export function valueAt(file: ConfigFile, path: string): unknown {
  let value: unknown = file.value;
  for (const key of path.split('.')) value = isTree(value) ? value[key] : undefined;
  return Array.isArray(value) ? presentEntries(value) : value;
}

/**
 * The entries of a list of configuration, without those of variables that are not set: `[env('SITE')]`. A list keeps its
 * meaning when it loses them: one that names what is allowed allows nothing when it is empty.
 */
export const presentEntries = (list: readonly unknown[]): readonly unknown[] =>
  list.filter((entry) => entry !== undefined && entry !== null && entry !== '');

/** The text at a path; undefined when absent, null or empty (an unset variable often arrives as empty text). */
export function textAt(file: ConfigFile, path: string): string | undefined {
  const value = valueAt(file, path);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(file, path, 'a string');
  return value;
}

/** The boolean at a path, or the fallback when absent. */
export function booleanAt(file: ConfigFile, path: string, fallback: boolean): boolean {
  const value = valueAt(file, path);
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'boolean') throw wrong(file, path, 'true or false');
  return value;
}

/** The whole number from `least` to `most` at a path (digits in a text count), or the fallback when absent. */
export function integerAt<Fallback>(
  file: ConfigFile,
  path: string,
  fallback: Fallback,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | Fallback {
  const value = valueAt(file, path);
  if (value === undefined || value === null || value === '') return fallback;
  const number = parseInteger(value, least, most);
  if (number === undefined) throw wrong(file, path, rangeText(least, most));
  return number;
}

/** The number, or undefined when `value` is not a whole number from `least` to `most`. */
export function parseInteger(value: unknown, least: number, most: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** The bytes at a path, as a number or a text such as `1mb`, or the fallback when absent. */
export function bytesAt(
  file: ConfigFile,
  path: string,
  fallback: number,
  least = 0,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = valueAt(file, path);
  if (value === undefined || value === null || value === '') return fallback;
  const [, digits, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?b)?\s*$/i.exec(String(value)) ?? [];
  const bytes = digits === undefined ? Number.NaN : Math.floor(Number(digits) * UNITS[unit.toLowerCase()]!);
  if (!Number.isSafeInteger(bytes)) throw wrong(file, path, "a number of bytes, or a string such as '2mb'");
  if (bytes < least || bytes > most) throw wrong(file, path, `${rangeText(least, most)} bytes`);
  return bytes;
}

/** The texts of the list at a path; none when absent. */
export function textsAt(file: ConfigFile, path: string): readonly string[] {
  const value = valueAt(file, path) ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw wrong(file, path, 'a list of strings');
  return value;
}

/** `a whole number from 0 to 65535`, for messages. */
export function rangeText(least: number, most: number): string {
  return most === Number.MAX_SAFE_INTEGER
    ? `a whole number of at least ${least}`
    : `a whole number from ${least} to ${most}`;
}

/** The error for a value of the wrong shape. */
export function wrong(file: ConfigFile, path: string, expected: string): UsageError {
  return new ConfigMistake(`${file.path}: ${path} must be ${expected}`, { file: file.path, path });
}
