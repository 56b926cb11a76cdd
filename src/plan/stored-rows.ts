/** What is asked about stored rows while they are written: questions that follow from the schema, made with the plans. */
import type { Leads } from './leads.ts';

/** A column, or a constant in its place. */
export type Selected = string | { readonly constant: 0 | '' };

/** A question about the rows of one table. */
export interface StoredRows {
  /** Tells it from all other questions of the project. */
  readonly key: string;
  readonly table: string;
  readonly columns: readonly Selected[];
  /** The columns that must have given values, one or one of several. */
  readonly by: readonly string[];
  /** Of an answer of its own; asked together with other questions, rows come in any order. */
  readonly order: readonly string[];
  /** What rows must lead to, to count: other programs leave such as lead nowhere. */
  readonly leads: Leads | undefined;
}
