/** Loads the Catalog of a project folder, or reports all mistakes in one error. */
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import { checkSchemas, type SchemaOptions } from './check/check.ts';
import { formatProblem, type Problem } from './check/problem.ts';

/**
 * Reads the schema files of a project folder.
 *
 * @throws UsageError if the folder does not exist, is not a project or has mistakes in its schemas; the message lists
 *   all mistakes, one per line.
 */
export function loadCatalog(dir: string, options?: SchemaOptions): Catalog {
  const { catalog, problems } = checkSchemas(dir, options);
  if (catalog) return catalog;
  throw new UsageError(mistakesIn(dir, problems));
}

/** The mistakes in the schema files of a project, one per line. */
export function mistakesIn(dir: string, problems: readonly Problem[]): string {
  return [`${counted(problems.length, 'mistake')} in the schema files of ${dir}:`, ...problems.map(formatProblem)].join(
    '\n  ',
  );
}
