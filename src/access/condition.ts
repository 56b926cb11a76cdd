/** Conditions on rows with names of the Catalog: what filters become, and what a View says of rows. */

import type { Operator } from '../query/content-query.ts';
import type { FieldType } from '../schema/catalog.ts';

/** A value that the statement looks up: what a path leads to from the account of whoever asks. */
export interface AccountPath {
  /** Relations and components, from the account on. */
  readonly steps: readonly string[];
  readonly field: string;
  readonly type: FieldType;
  /** Whether there may be several values. */
  readonly hasMany: boolean;
}

/** What a test of a row id leads to, for the error of a value that is none. */
export interface TestedRow {
  /** The attributes that lead there, from the outside in. */
  readonly path: readonly string[];
  readonly kind: 'relation' | 'component' | 'file';
  /** A text attribute that may be compared instead; undefined where there is none. */
  readonly text: string | undefined;
  /** As it was written. */
  readonly operator: string;
}

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Condition[] }
  | { readonly kind: 'not'; readonly item: Condition }
  /** A test of a column of the row at hand. */
  | {
      readonly kind: 'test';
      readonly field: string;
      readonly type: FieldType;
      readonly operator: Operator;
      /** Indexes into the request's values. Negative ones are of the View's own operands, of which -1 is the first. */
      readonly slots: readonly number[];
      /** By slots that take the id of an account, what is compared is a value of that account. */
      readonly accounts?: ReadonlyMap<number, AccountPath>;
      /** Of a test of the id of a related row. */
      readonly row?: TestedRow;
    }
  /** A step to related rows: `item` must hold for one of them. */
  | { readonly kind: 'through'; readonly name: string; readonly target: string; readonly item: Condition };
