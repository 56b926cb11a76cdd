/** Explains reads and creates the indexes that they lack: the interface for other modules. */
import type { Read } from './database.ts';

/** An index that a read lacks. */
export interface MissingIndex {
  readonly table: string;
  /** Columns of the table; the last one of an index of values is the id, which breaks ties. */
  readonly columns: readonly string[];
  readonly descending: readonly string[];
  /** Columns of text by which lists are sorted. */
  readonly ordered: readonly string[];
  /** The rows in the index; null: all. */
  readonly rows: 'published' | 'draft' | null;
  /** Whether it is a search index of texts. */
  readonly search: boolean;
}

/** A reason why a read takes long. */
export interface Finding {
  /**
   * - `order`, `filter`: an index is missing
   * - `unused`: the database does not use an index that exists
   * - `order.…`, `filter.…`: a part that no index of values serves, by the reason (`plan/index-advice.ts`)
   * - `total`, `page`: many rows are counted or skipped
   */
  readonly kind: string;
  /** Attributes. */
  readonly names: readonly string[];
  readonly table: string;
  /** The rows that are read, sorted, counted or skipped; an upper bound unless `isExact`. */
  readonly rows: number;
  readonly isExact: boolean;
  /** The index that would help. */
  readonly index?: MissingIndex;
  /** The index that is not used. */
  readonly unused?: string;
  /** The whole sentence. */
  readonly text: string;
}

/** The answer that contains the rows of a read. */
export interface AnswerSize {
  readonly rows: number;
  readonly total: number | undefined;
}

export interface ExplainedRead {
  /** The statement, one clause per line, and its parameters. */
  readonly sql: readonly string[];
  readonly parameters: readonly string[];
  /** The plan in the engine's notation. */
  readonly plan: readonly string[];
  /** Milliseconds of some runs; undefined if the time limit of reads stopped one. */
  readonly times: readonly number[] | undefined;
  /** The indexes that the plan names. */
  readonly uses: readonly { readonly table: string; readonly index: string }[];
  /** Tables whose rows are read one by one, with the number of rows if it is known. */
  readonly scans: readonly { readonly table: string; readonly rows: number | undefined }[];
  /** Tables whose rows are sorted without an index. */
  readonly sorts: readonly { readonly table: string; readonly rows: number | undefined }[];
  readonly findings: readonly Finding[];
}

/** The outcome of creating an index. */
export interface CreatedIndex {
  readonly name: string;
  /** Whether an index with the same effect existed. */
  readonly existed: boolean;
  readonly milliseconds: number;
}

export interface ReadTuning {
  /**
   * Runs a read up to five times and explains how the database runs it.
   *
   * @param wasStopped whether a limit stopped the read, so that it is not run again.
   * @param size of the answer, if it is known.
   */
  explain(
    read: Read,
    answer: { readonly wasStopped: boolean; readonly size: AnswerSize | undefined },
  ): Promise<ExplainedRead>;
  /** The name that an index gets, and its columns for people. */
  described(index: MissingIndex): { readonly name: string; readonly columns: string };
  /**
   * Creates an index as `galley index create` does, while the database is in use.
   *
   * @throws ContentError 400 for an index that the layout does not permit, that the database refuses, or that has no
   *   free place.
   */
  create(index: MissingIndex): Promise<CreatedIndex>;
}
