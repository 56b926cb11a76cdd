/** Places of errors in the files of a project. */
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A message of an error in a configuration file, on one line with its place: `config/server.js:3: …`, or, for an error in
 * a file that it requires, `config/server.js: … (config/helpers/cors.js:12)`.
 *
 * @param stack the stack of the error with lines of the source files.
 * @param file absolute path of the configuration file; `dir` is that of the project.
 * @param shown the name of the file in messages.
 */
export function messageWithPlace(error: unknown, stack: string, file: string, dir: string, shown: string): string {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;
  const place = placeOf(error, stack, file, dir);
  if (place === undefined) return `${shown}: ${reason}`;
  if (place.file === file) return `${shown}:${place.line}: ${reason}`;
  return `${shown}: ${reason} (${path.relative(dir, place.file).split(path.sep).join('/')}:${place.line})`;
}

interface Place {
  readonly file: string;
  readonly line: string;
}

function placeOf(error: unknown, stack: string, file: string, dir: string): Place | undefined {
  if (!(error instanceof Error)) return undefined;
  // Node and acorn put the line of a syntax error into the message or before the stack
  const inMessage = /\(line (\d+) column \d+\)/.exec(error.message)?.[1];
  if (inMessage !== undefined) return { file, line: inMessage };
  for (const match of stack.matchAll(
    /(?:^|[\s(])(file:\/\/\/[^\s()]+?|\/[^\n()]+?|[A-Z]:\\[^\n()]+?)(?:\?[^:\n]*)?:(\d+)(?=[:)\n]|$)/gm,
  )) {
    const [, name = '', line = ''] = match;
    const place = { file: name.startsWith('file:') ? fileURLToPath(name) : name, line };
    const isOwn = place.file.startsWith(dir + path.sep) && !place.file.includes(`${path.sep}node_modules${path.sep}`);
    if (isOwn) return place;
  }
  return undefined;
}

/** Returns the source map of a file; undefined for a file that was not transformed. */
export type MapOf = (file: string) => string | undefined;

const PLACE = /((?:file:\/\/)?\/[^\s():]+|[A-Za-z]:\\[^\s():]+):(\d+):(\d+)/g;

/** Replaces places in transformed files by those in their sources. */
export function inSources(stack: string, mapOf: MapOf): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replaceAll(PLACE, (whole, file: string, line: string, column: string) => {
    if (!maps.has(file)) {
      const text = mapOf(file);
      maps.set(file, text === undefined ? undefined : new SourceMap(JSON.parse(text)));
    }
    const entry = maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalLine' in entry)) return whole;
    return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
