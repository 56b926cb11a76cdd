/**
 * PermittedQuery: a ContentQuery with its names resolved against the Catalog and the caller's View applied. The
 * brand's symbol is not exported, so only `authorize.ts` can make one and nothing can plan an unauthorised query.
 */
import type { Cohort, Status } from '../query/content-query.ts';
import type { ContentType, FieldType } from '../schema/catalog.ts';
import type { Condition } from './condition.ts';
import type { SearchedField } from './fields.ts';
import type { RowConditions } from './view.ts';

declare const permitted: unique symbol;

export interface Order {
  /** Steps to the row that holds the field, from the outside in. */
  readonly steps: readonly { readonly name: string; readonly target: string }[];
  readonly field: string;
  readonly type: FieldType;
  readonly descending: boolean;
}

/** What to read of one model: columns and populated names, in the order of the answer. */
export interface Selection {
  readonly uid: string;
  readonly fields: readonly string[];
  readonly populated: readonly Populated[];
}

/** One alternative of a zone or polymorphic relation. */
export interface Part {
  readonly selection: Selection;
  readonly filter: Condition | undefined;
  /** The attributes on the other side by which rows may be linked; undefined: whichever. */
  readonly linkedBy?: readonly string[] | undefined;
}

export type Populated =
  | {
      readonly kind: 'related';
      readonly name: string;
      readonly selection: Selection;
      readonly filter: Condition | undefined;
      readonly order: readonly Order[];
      readonly count: boolean;
    }
  /** Zones and relations to any type: one part for each type that can stand there. */
  | { readonly kind: 'parts'; readonly name: string; readonly parts: readonly Part[]; readonly count: boolean };

export interface PermittedQuery {
  readonly [permitted]: true;
  readonly type: ContentType;
  readonly selection: Selection;
  readonly filter: Condition | undefined;
  readonly order: readonly Order[];
  /** The slot of the `_q` term, and the fields that it is looked for in. */
  readonly search: { readonly slot: number; readonly fields: readonly SearchedField[] } | undefined;
  readonly status: Status | 'either' | undefined;
  readonly cohort: Cohort | undefined;
  /** Whether a top-level filter on `locale` replaces the `locale` parameter. */
  readonly choosesLocale: boolean;
  /** Which rows of each type there are for the caller, wherever in the answer or on a path they stand. */
  readonly rows: RowConditions;
}
