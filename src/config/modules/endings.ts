/** Which of several files counts that differ in their endings alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TYPED = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.cts', '.cjs'] as const;
const PLAIN = ['.js', '.jsx', '.cjs', '.mjs', '.ts', '.tsx', '.mts', '.cts'] as const;

/**
 * Endings of code, those first that count first. In a project of TypeScript `a.ts` is compiled and `a.js` beside it is
 * passed over; in one of JavaScript nothing else than `a.js` is looked for.
 *
 * @param dir the project's folder.
 */
export function codeEndings(dir: string): readonly string[] {
  return existsSync(join(dir, 'tsconfig.json')) ? TYPED : PLAIN;
}

/** Paths of code in whose place another file of the same name counts. What is JSON takes the place of code. */
export function overshadowed(dir: string, paths: readonly string[]): Set<string> {
  const order = ['.json', ...codeEndings(dir)];
  const rank = (path: string): number => order.findIndex((ending) => path.endsWith(ending));
  const groups = Map.groupBy(
    paths.filter((path) => rank(path) >= 0 && !path.endsWith('.d.ts')),
    (path) => path.slice(0, -order[rank(path)]!.length),
  );
  const others = [...groups.values()].flatMap((same) => same.sort((a, b) => rank(a) - rank(b)).slice(1));
  return new Set(others);
}
