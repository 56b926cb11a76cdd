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

declare const permittedBody: unique symbol;

/** What is written of one row: only what the body mentions is in the maps. */
export interface WrittenRow {
  readonly model: Model;
  readonly scalars: ReadonlyMap<string, unknown>;
  readonly relations: ReadonlyMap<string, RelationEdit>;
  readonly media: ReadonlyMap<string, readonly RelationEntry[]>;
  readonly components: ReadonlyMap<string, WrittenComponents>;
  /**
   * The path of a component of which the caller may neither read nor write all: in the place of a stored one that it does
   * not name it would take what is hidden from the caller with it.
   */
  readonly hidesAt?: readonly string[];
}

/** The value of a component or zone attribute. */
export interface WrittenComponents {
  readonly attribute: ComponentAttribute | DynamicZoneAttribute;
  /** The value as it came, for the messages of validation. */
  readonly raw: unknown;
  /** Entries in order; undefined when the value is not of the attribute's shape, which validation tells. */
  readonly entries: readonly WrittenEntry[] | undefined;
}

export type WrittenEntry =
  | {
      readonly kind: 'row';
      /** Id of a component row to keep and merge into; undefined makes a new one. */
      readonly id: number | undefined;
      readonly row: WrittenRow;
    }
  /** Not a component's object, or of no component that may stand here. */
  | { readonly kind: 'malformed'; readonly raw: unknown };

export interface PermittedWrite {
  readonly [permittedBody]: true;
  readonly type: ContentType;
  readonly row: WrittenRow;
}
