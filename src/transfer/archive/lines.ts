/** Lines of JSON in the files of an archive. */
import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../errors.ts';
import { isDeeper, isObject, type JsonObject } from '../../plain-values.ts';
import type { ArchiveEntry } from './open-archive.ts';

/** The most bytes of a line. */
const LONGEST = 32 * 1024 * 1024;
/** The most levels of lists and objects in a line: a value has up to 500, below components within components. */
const DEEPEST = 1000;
const END = 10;

export interface JsonLine {
  readonly value: JsonObject;
  /** From 1. */
  readonly line: number;
  readonly bytes: number;
}

/** The place of a line for messages: `entities/entities_00001.jsonl:17`. */
export const placeOf = (file: string, line: number): string => `${file}:${line}`;

/**
 * The lines of a file.
 *
 * @throws UsageError that names the line, for a line that is no JSON object in UTF-8 or is too long.
 */
export async function* readLines(entry: ArchiveEntry): AsyncGenerator<JsonLine> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of entry.chunks()) {
    let from = 0;
    for (let end = chunk.indexOf(END); end !== -1; end = chunk.indexOf(END, from)) {
      const part = chunk.subarray(from, end);
      const bytes = parts.length === 0 ? part : Buffer.concat([...parts, part]);
      const value = parse(bytes, entry.path, line);
      if (value) yield { value, line, bytes: bytes.length };
      from = end + 1;
      line += 1;
      parts = [];
      length = 0;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LONGEST) throw wrong(entry.path, line, `is longer than ${LONGEST / 1024 / 1024} MB`);
  }
  const value = parse(Buffer.concat(parts), entry.path, line);
  if (value) yield { value, line, bytes: length };
}

function parse(bytes: Buffer, file: string, line: number): JsonObject | undefined {
  if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)) return undefined;
  if (!isUtf8(bytes)) throw wrong(file, line, 'is not UTF-8');
  return parseObject(bytes.toString(), file, line);
}

/** @throws UsageError that names the line, for a text that is no JSON object or has too many levels. */
export function parseObject(text: string, file: string, line: number): JsonObject {
  if (text.length > 2 * DEEPEST && isDeeper(text, DEEPEST)) throw wrong(file, line, `has more than ${DEEPEST} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(file, line, 'is not JSON');
  }
  if (!isObject(value)) throw wrong(file, line, 'is not a JSON object');
  return value;
}

/** The error for a line that cannot be read. */
export const wrong = (file: string, line: number, what: string): UsageError =>
  new UsageError(`${placeOf(file, line)} ${what}`, 1);
