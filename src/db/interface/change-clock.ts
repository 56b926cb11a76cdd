/**
 * Moments of a database: what tells that something which was read is still so, whoever writes to it. Only an engine that
 * knows of every commit without asking a server can tell.
 */
import type { SqlValue } from '../../sql/fragment.ts';

/** What a statement reads. */
export interface Sources {
  /** Tables by name; undefined where only everything can be said to be among them. */
  readonly tables: readonly string[] | undefined;
}

export interface Moments {
  /**
   * The present: a number that is higher than before if anybody has committed anything since. The engine is asked anew
   * each time, so that a commit counts as soon as whoever made it was told so.
   *
   * @throws ContentError 503 where the file cannot be read at present.
   */
  now(): number;
  /** What a statement reads. Kept by its text. */
  sourcesOf(text: string, values: readonly SqlValue[]): Sources;
  /** Whether nobody has changed sources between a moment and the last one that `now` gave. */
  unchangedSince(moment: number, sources: Sources): boolean;
}
