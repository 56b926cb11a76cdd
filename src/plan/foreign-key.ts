/**
 * Columns of link tables that refer to other rows. Other programs leave links to documents, files or components that no
 * longer exist; such links are ignored (docs/differences.md, "The database"), and `galley doctor` removes them.
 */
import type { Catalog } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';

/**
 * A column whose value must be the id of an existing row: of one table, or of the table that another column of the row
 * names by uid. Unlisted uids name no table.
 */
export type ForeignKey =
  | { readonly column: string; readonly table: string }
  | { readonly column: string; readonly type: string; readonly tables: ReadonlyMap<string, string> };

/** A column with ids of rows of one model. */
export function foreignKeyTo(layout: Layout, uid: string, column: string): ForeignKey {
  return { column, table: layoutOf(layout, uid).table };
}

/** The tables of all models of a kind, by uid. */
export function tablesOf(catalog: Catalog, layout: Layout, kind: keyof Catalog): ReadonlyMap<string, string> {
  return new Map([...catalog[kind].keys()].map((uid) => [uid, layoutOf(layout, uid).table]));
}
