/** Reads single values of configuration files and environment variables, and refuses wrong ones by name. */
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';

/** The value at a dotted path; lists without empty entries. Undefined if a part of the path is missing. */
export function valueAt(file: ConfigFile, path: string): unknown {
  let value: unknown = file.value;
  for (const key of path.split('.')) value = isTree(value) ? value[key] : undefined;
  return Array.isArray(value) ? presentEntries(value) : value;
}

/**
 * The entries of a list without empty ones, which come from variables that are not set: `[env('SITE')]`. A list that names
 * what is allowed allows nothing if all its entries are empty.
 */
export const presentEntries = (list: readonly unknown[]): readonly unknown[] =>
  list.filter((entry) => entry !== undefined && entry !== null && entry !== '');

/** The text at a path; undefined if it is absent, null or empty (as unset variables often are). */
export function textAt(file: ConfigFile, path: string): string | undefined {
  const value = valueAt(file, path);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw wrong(file, path, 'a string');
  return value;
}

/** The boolean at a path, or the fallback if absent. */
export function booleanAt(file: ConfigFile, path: string, fallback: boolean): boolean {
  const value = valueAt(file, path);
  if (value === undefined || value === null) return fallback;
  if (typeof value !== 'boolean') throw wrong(file, path, 'true or false');
  return value;
}

/** The whole number (or its digits) from `least` to `most` at a path, or the fallback if absent. */
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

/** The number; undefined if `value` is not a whole number from `least` to `most`. */
export function parseInteger(value: unknown, least: number, most: number): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** The bytes at a path, as a number or a text such as `1mb`, or the fallback if absent. */
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

/** The list of texts at a path; empty if absent. */
export function textsAt(file: ConfigFile, path: string): readonly string[] {
  const value = valueAt(file, path) ?? [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw wrong(file, path, 'a list of strings');
  return value;
}

/** The headers of requests at a path; none if absent. */
export function headersAt(file: ConfigFile, path: string): Record<string, string> {
  const wanted = valueAt(file, path) ?? {};
  const isHeader = ([name, value]: [string, unknown]): boolean =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && typeof value === 'string' && /^[\x20-\x7e\t]*$/.test(value);
  if (isTree(wanted) && Object.entries(wanted).every(isHeader)) return { ...(wanted as Record<string, string>) };
  throw wrong(file, path, "headers, such as { authorization: 'Bearer …' }");
}

/** `a whole number from 0 to 65535`, for messages. */
export function rangeText(least: number, most: number): string {
  return most === Number.MAX_SAFE_INTEGER
    ? `a whole number of at least ${least}`
    : `a whole number from ${least} to ${most}`;
}

/** The text of an environment variable; undefined if it is not set or empty. */
export const textVariable = (variables: Variables, name: string): string | undefined => variables[name] || undefined;

/** The whole number in a variable; undefined if it is not set. @throws ConfigMistake for another value. */
export function integerVariable(variables: Variables, name: string, least: number, most: number): number | undefined {
  const text = textVariable(variables, name);
  if (text === undefined) return undefined;
  const number = parseInteger(text, least, most);
  if (number === undefined) throw wrongVariable(name, text, rangeText(least, most));
  return number;
}

/** The word in a variable; undefined if it is not set. @throws ConfigMistake for another value. */
export function wordVariable<Word extends string>(
  variables: Variables,
  name: string,
  words: readonly Word[],
  expected: string,
): Word | undefined {
  const text = textVariable(variables, name);
  const word = words.find((one) => one === text);
  if (text !== undefined && word === undefined) throw wrongVariable(name, text, expected);
  return word;
}

/** The boolean in a variable; undefined if it is not set. @throws ConfigMistake for another value. */
export function flagVariable(variables: Variables, name: string): boolean | undefined {
  const word = wordVariable(variables, name, ['true', 'false'], 'true or false');
  return word === undefined ? undefined : word === 'true';
}
/** The error for a wrong value in a file. */
export function wrong(file: ConfigFile, path: string, expected: string): UsageError {
  return new ConfigMistake(`${file.path}: ${path} must be ${expected}`, { file: file.path, path });
}

/** The place of a wrong value: a dotted path in a file, or environment variables. */
export type ConfigPlace = { readonly file: string; readonly path: string } | { readonly variables: readonly string[] };

export class ConfigMistake extends UsageError {
  readonly place: ConfigPlace;

  constructor(message: string, place: ConfigPlace) {
    super(message);
    this.place = place;
  }
}

/**
 * The error for a setting that does not exist.
 *
 * @param path the setting with its parents, joined by dots.
 * @param known the existing settings in the same place.
 */
export function unknownSetting(file: string, path: string, known: readonly string[]): ConfigMistake {
  const hint = nearest(path.slice(path.lastIndexOf('.') + 1), known);
  const meant = hint === undefined ? '' : ` (did you mean ${hint}?)`;
  const choice = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  return new ConfigMistake(`${file}: there is no setting ${path}: use ${choice}${meant}`, { file, path });
}

/** The error for a wrong environment variable, with its value. */
export function wrongVariable(name: string, value: string, expected: string): ConfigMistake {
  return new ConfigMistake(`${name} must be ${expected}, not ${JSON.stringify(value)}`, { variables: [name] });
}

/** The error for a wrong variable whose value may contain a password, as addresses do. */
export function wrongAddress(name: string, expected: string): ConfigMistake {
  return new ConfigMistake(`${name} must be ${expected}`, { variables: [name] });
}
