/**
 * PermittedQuery and PermittedWrite: a query and a body with their names resolved against the Catalog and the caller's View
 * applied. Their brands are not exported, so only `authorize.ts` and `permit-body.ts` can create them, and nothing can plan
 * an unauthorised query. Values of a body are not validated yet.
 */
import type { Cohort, Status } from '../query/content-query.ts';
import type { RelationEdit, RelationEntry } from '../query/relation-payload.ts';
import type { ComponentAttribute, ContentType, DynamicZoneAttribute, FieldType, Model } from '../schema/catalog.ts';
import type { Condition } from './condition.ts';
import type { SearchedField } from './fields.ts';
import type { RowConditions } from './view.ts';

declare const permitted: unique symbol;

export interface Order {
  /** Relations to the row that has the field, from the outside in. */
  readonly steps: readonly { readonly name: string; readonly target: string }[];
  readonly field: string;
  readonly type: FieldType;
  readonly descending: boolean;
}

/** Columns and populated names of one model, in the order of the answer. */
export interface Selection {
  readonly uid: string;
  readonly fields: readonly string[];
  readonly populated: readonly Populated[];
}

/** One alternative of a zone or polymorphic relation. */
export interface Part {
  readonly selection: Selection;
  readonly filter: Condition | undefined;
  /** The attributes on the other side through which rows are linked; undefined for any. */
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
  /** Zones and relations to any type: one part for each possible type. */
  | { readonly kind: 'parts'; readonly name: string; readonly parts: readonly Part[]; readonly count: boolean };

export interface PermittedQuery {
  readonly [permitted]: true;
  readonly type: ContentType;
  readonly selection: Selection;
  readonly filter: Condition | undefined;
  readonly order: readonly Order[];
  /** The slot of the `_q` term, and the fields that it is searched in. */
  readonly search: { readonly slot: number; readonly fields: readonly SearchedField[] } | undefined;
  readonly status: Status | 'either' | undefined;
  readonly cohort: Cohort | undefined;
  /** True where a top-level filter on `locale` replaces the `locale` parameter. */
  readonly choosesLocale: boolean;
  /** The rows of each type that exist for the caller, in the answer and on every path. */
  readonly rows: RowConditions;
}

declare const permittedBody: unique symbol;

/** The written attributes of one row. The maps have only attributes of the body. */
export interface WrittenRow {
  readonly model: Model;
  readonly scalars: ReadonlyMap<string, unknown>;
  readonly relations: ReadonlyMap<string, RelationEdit>;
  readonly media: ReadonlyMap<string, readonly RelationEntry[]>;
  readonly components: ReadonlyMap<string, WrittenComponents>;
  /**
   * The path of a component that is partly hidden from the caller and cannot be fully written. An entry without an id
   * would replace a stored entry and lose its hidden fields.
   */
  readonly hidesAt?: readonly string[];
}

/** The value of a component or zone attribute. */
export interface WrittenComponents {
  readonly attribute: ComponentAttribute | DynamicZoneAttribute;
  /** The value of the body, for messages of validation. */
  readonly raw: unknown;
  /** Entries in order; undefined for a value of another shape, which validation reports. */
  readonly entries: readonly WrittenEntry[] | undefined;
}

export type WrittenEntry =
  | {
      readonly kind: 'row';
      /** Id of the component row to update; undefined creates a row. */
      readonly id: number | undefined;
      readonly row: WrittenRow;
    }
  /** An entry that is not an object, or of a component that is not allowed here. */
  | { readonly kind: 'malformed'; readonly raw: unknown };

export interface PermittedWrite {
  readonly [permittedBody]: true;
  readonly type: ContentType;
  readonly row: WrittenRow;
}
