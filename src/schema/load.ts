/** A project folder → its Catalog, or one error that lists every mistake. */
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import { checkSchemas, type SchemaOptions } from './check/check.ts';
import { formatProblem, type Problem } from './check/problem.ts';

/**
 * Reads the schema files of a project folder.
 * @throws UsageError when the folder is missing, is not that of a project or has mistakes in its schemas; the message
 * lists every mistake, one a line.
 */
export function loadCatalog(dir: string, options?: SchemaOptions): Catalog {
  const { catalog, problems } = checkSchemas(dir, options);
  if (catalog) return catalog;
  throw new UsageError(mistakesIn(dir, problems));
}

/** All mistakes in the schema files of a project, one a line. */
export function mistakesIn(dir: string, problems: readonly Problem[]): string {
  return [`${counted(problems.length, 'mistake')} in the schema files of ${dir}:`, ...problems.map(formatProblem)].join(
    '\n  ',
  );
}
