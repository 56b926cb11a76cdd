/** Search indexes, and the rows that they find. */
import type { FieldType } from '../access/fields.ts';

/** A search index: some columns of text of one table. Its name says which, and how their text is kept. */
export interface SearchIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
}

/** The search indexes of a database that may be relied on. */
export interface SearchIndexes {
  /** Another number whenever they may be others; plans are made for one. */
  readonly version: number;
  of(table: string): readonly SearchIndex[];
}

/** Candidates: rows with a piece of text in a column, in all of several sets, or in some. */
export type Candidates =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Candidates[] }
  | {
      readonly kind: 'piece';
      readonly index: SearchIndex;
      readonly column: string;
      readonly type: FieldType;
      /** Of what the index is asked: a piece of text as it is, or folded (`SlotKind`, 'sought'). */
      readonly slot: number;
      readonly folded: boolean;
    };

/** The candidates of a plan, for the indexes of a version. */
export interface Sought {
  readonly candidates: Candidates;
  readonly version: number;
}
