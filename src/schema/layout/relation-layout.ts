/** Types of a layout: the tables and columns of a model's attributes. Created by `layOut` in `layout.ts`. */
import type { MorphTableNames } from './naming.ts';

/** Where the links of a relation are stored, seen from its attribute. */
export type RelationLayout =
  /** A link table. `source` contains ids of this side's rows, `target` of the other's. */
  | {
      readonly kind: 'link';
      readonly table: string;
      readonly source: string;
      readonly target: string;
      /** The order of targets of one source; null if this side is to-one or there is none. */
      readonly order: string | null;
      /** The order of sources of one target. */
      readonly inverseOrder: string | null;
    }
  /** `useJoinTable: false`, owning side: a column of the source's own table. */
  | { readonly kind: 'column'; readonly column: string }
  /** `useJoinTable: false`, the `mappedBy` side: a column of the target's table. */
  | { readonly kind: 'inverseColumn'; readonly column: string }
  /** morphToOne: two columns of the source's own table. */
  | { readonly kind: 'morphColumns'; readonly id: string; readonly type: string }
  /** morphToMany: a table of its own. */
  | ({ readonly kind: 'morphTable' } & MorphTableNames)
  /** morphOne, morphMany: rows of the target's morph attribute that point here. `via` is that attribute's layout. */
  | { readonly kind: 'morphInverse'; readonly via: Extract<RelationLayout, { kind: 'morphColumns' | 'morphTable' }> };

/** The layout of a content type or component. */
export interface ModelLayout {
  readonly uid: string;
  readonly table: string;
  /**
   * Column of each scalar attribute and system field by its API name: `id`, `documentId`, `createdAt`, `updatedAt`,
   * `publishedAt`, `locale` and the attributes (components: `id` and attributes only).
   */
  readonly columns: ReadonlyMap<string, string>;
  readonly relations: ReadonlyMap<string, RelationLayout>;
  /** The table that links components and zone entries to rows; undefined if the model has neither. */
  readonly componentsTable: string | undefined;
}
