/** PermittedWrite: the keys of a body resolved against the Catalog and the caller's View. Values are unchecked. */
import type { RelationEdit, RelationEntry } from '../query/relation-payload.ts';
import type { ComponentAttribute, ContentType, DynamicZoneAttribute, Model } from '../schema/catalog.ts';

declare const permitted: unique symbol;

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
  readonly [permitted]: true;
  readonly type: ContentType;
  readonly row: WrittenRow;
}
