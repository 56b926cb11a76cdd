/**
 * Which rows of link tables lead somewhere. Other programs leave rows that name a document, a file or a component which
 * is gone; they count for nothing (decisions.md, "rows that lead nowhere"), and `galley doctor` removes them.
 */
import type { Catalog } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import type { Leads } from '../../sql/write.ts';
import type { WriteContext } from '../writing/write-context.ts';

type Schema = Pick<WriteContext, 'catalog' | 'layout'>;

/** A column with the ids of rows of one model. */
export function leadsTo({ layout }: Schema, uid: string, column: string): Leads {
  return { column, table: layoutOf(layout, uid).table };
}

/** A column with the ids of documents' rows, beside one with their types. */
export function leadsToAny(schema: Schema, column: string, type: string): Leads {
  return { column, type, tables: tablesOf(schema, 'contentTypes') };
}

/** A column with the ids of components, beside one with their uids. */
export function leadsToComponent(schema: Schema, column: string, type: string): Leads {
  return { column, type, tables: tablesOf(schema, 'components') };
}

const known = new WeakMap<Layout, Map<string, ReadonlyMap<string, string>>>();

function tablesOf({ catalog, layout }: Schema, kind: keyof Catalog): ReadonlyMap<string, string> {
  const ofLayout = known.get(layout) ?? new Map<string, ReadonlyMap<string, string>>();
  known.set(layout, ofLayout);
  let tables = ofLayout.get(kind);
  if (!tables) {
    tables = new Map([...catalog[kind].keys()].map((uid) => [uid, layoutOf(layout, uid).table]));
    ofLayout.set(kind, tables);
  }
  return tables;
}
