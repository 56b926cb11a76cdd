/** Stacks of errors in the lines of the files as they were written. */
import { SourceMap } from 'node:module';

/** Gives the source map of a file; undefined for one that is run as it stands. */
export type MapOf = (file: string) => string | undefined;

const PLACE = /((?:file:\/\/)?\/[^\s():]+|[A-Za-z]:\\[^\s():]+):(\d+):(\d+)/g;

/** A stack with the places in files that were transformed put where their sources have them. */
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
