/** The code of a project that is run, as far as it is known by reading it. */
import type { SourceFile } from '../source-files.ts';

export interface RunnableCode {
  readonly files: readonly SourceFile[];
  /** Files that are not run, by path, with what they ask for that is not there. */
  readonly refused: ReadonlyMap<string, string>;
  /** Middlewares of `config/middlewares` that are not run, by the names that they have there. */
  readonly skipped: ReadonlySet<string>;
  /** What the files of `config` give, by their names. */
  readonly settings: () => Promise<Readonly<Record<string, unknown>>>;
}
