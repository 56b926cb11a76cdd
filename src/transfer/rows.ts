/** Rows of tables on their way from one place to another, in values that are the same for every engine. */
import type { Readable } from 'node:stream';
import type { CanonicalValue } from '../db/interface/canonical-rows.ts';

export type { CanonicalValue } from '../db/interface/canonical-rows.ts';

/** Rows of one table. A source yields any number of batches of a table. */
export interface RowBatch {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CanonicalValue[])[];
  /** The rows are there: the columns after the first one, the id, are set. */
  readonly isUpdate?: true;
  /** The file and line, or table and row, of a row of the batch. `articles, row 12` if left out. */
  readonly placeOf?: (row: number) => string;
}

/** The kinds of things that do not arrive as they are. `--skip` names them. */
export const FINDING_KINDS = [
  'unknown-type',
  'unknown-attribute',
  'unknown-table',
  'changed-attribute',
  'changed-type',
  'invalid-value',
  'dangling-link',
  'duplicate-link',
  'duplicate-id',
  'missing-file',
] as const;

export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something that does not arrive as it is. */
export interface Finding {
  readonly kind: FindingKind;
  /** The file and line, or the table and row: `entities/entities_00001.jsonl:17`, `articles, row 12`. */
  readonly place: string;
  /** The uid of the type, or the name of the table. */
  readonly type?: string;
  readonly attribute?: string;
  /** The number of rows, values or links that it concerns; one if left out. */
  readonly count?: number;
  /** Of these, the number of rows that are not written; none if left out. */
  readonly rows?: number;
  /** What is wrong, and what happens to it. */
  readonly message: string;
}

export type ReportFinding = (finding: Finding) => void;

/** A file of the media library. */
export interface SourceFile {
  /** The base name: `<hash><ext>`. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly open: () => Readable;
}

/** A place from which content comes. Reading it twice gives the same rows. */
export interface Source {
  /** Yields the rows in batches of bounded size. Row ids are those of the source. */
  rows(report: ReportFinding): AsyncIterable<RowBatch>;
  /** Yields the files. A file is read before the next one is requested. */
  files(): AsyncIterable<SourceFile>;
  /** Sentences about the source that refuse nothing, after it has been read once. */
  readonly notices?: readonly string[];
  /** The part of the source that has been read since it was last opened: 0 to 1. Undefined if its size is not known. */
  readonly progress?: () => number;
  /** The last ids that were given to rows, also to deleted ones, by table. */
  readonly lastIds?: () => Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}
