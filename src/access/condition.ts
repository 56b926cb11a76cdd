/** Conditions on rows with names of the Catalog: what filters become, and what a View says of rows. */
import type { Operator } from '../query/content-query.ts';
import type { FieldType } from './fields.ts';

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
    }
  /** A step to related rows: `item` must hold for one of them. */
  | { readonly kind: 'through'; readonly name: string; readonly target: string; readonly item: Condition };
