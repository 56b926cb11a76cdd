/** Conditions on rows with resolved names: filters of a query, and the row conditions of a View. */
import type { Operator } from '../query/content-query.ts';
import type { FieldType } from '../schema/catalog.ts';

/** A value that the statement looks up along a path from the caller's account. */
export interface AccountPath {
  /** Relations and components, from the account on. */
  readonly steps: readonly string[];
  readonly field: string;
  readonly type: FieldType;
  /** True where the path can have several values. */
  readonly hasMany: boolean;
}

/** The relation whose row id is tested, for the error of an invalid value. */
export interface TestedRow {
  /** The attributes of the path, from the outside in. */
  readonly path: readonly string[];
  readonly kind: 'relation' | 'component' | 'file';
  /** A text attribute that may be compared instead; undefined where there is none. */
  readonly text: string | undefined;
  /** The operand as written. */
  readonly operator: string;
}

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly items: readonly Condition[] }
  | { readonly kind: 'not'; readonly item: Condition }
  /** A test of a column of the current row. */
  | {
      readonly kind: 'test';
      readonly field: string;
      readonly type: FieldType;
      readonly operator: Operator;
      /** Indexes into the request's values. Negative ones are operands of the View; -1 is the first. */
      readonly slots: readonly number[];
      /** Slots whose value is an account id, with the value of that account to compare with. */
      readonly accounts?: ReadonlyMap<number, AccountPath>;
      /** Of a test of the id of a related row. */
      readonly row?: TestedRow;
    }
  /** A step to related rows: `item` must hold for one of them. */
  | { readonly kind: 'through'; readonly name: string; readonly target: string; readonly item: Condition };
