/**
 * A counter of the commits to a database, by which a cache tells whether something that was read is still current. Only
 * an engine that learns of every commit without asking a server has one.
 */
import type { SqlValue } from '../../sql/fragment.ts';

/** The tables that a statement reads. */
export interface Sources {
  /** Table names; undefined where the engine does not list them, so that every commit counts. */
  readonly tables: readonly string[] | undefined;
}

export interface ChangeClock {
  /**
   * The current moment: a number that increases with every commit by any process. It is read from the engine at each
   * call, so a commit counts as soon as its writer knows of it.
   *
   * @throws ContentError 503 if the file cannot be read at present.
   */
  now(): number;
  /** The tables that a statement reads. Cached by its text. */
  sourcesOf(text: string, values: readonly SqlValue[]): Sources;
  /** Whether no commit has changed the sources between a moment and the last result of `now`. */
  unchangedSince(moment: number, sources: Sources): boolean;
}
