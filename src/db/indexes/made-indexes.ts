/** Creates indexes on request: for `galley index create`, and for administrators. */
import type { Layout } from '../../schema/layout/layout.ts';
import type { Database } from '../interface/database.ts';
import type { SchemaEngine } from '../migration/schema-engine.ts';
import { createIndex, indexExists } from './building.ts';
import { indexKey } from './index-learner.ts';
import { existingIndexes, forgetIndex, type StoredIndex, storeIndex } from './stored-indexes.ts';

export interface IndexPlace {
  readonly database: Database;
  readonly engine: SchemaEngine;
  readonly layout: Layout;
}

export type RequestedIndex = Pick<StoredIndex, 'table' | 'index' | 'reads' | 'milliseconds'>;

/** The outcome: the existing index with the same effect; the reason why it could not be built; or how long it took. */
export type Making = { readonly equal: string } | { readonly failure: string } | { readonly milliseconds: number };

/** Builds an index and records it, unless there is one with the same effect. */
export async function makeIndex(place: IndexPlace, wanted: RequestedIndex): Promise<Making> {
  const { database, engine } = place;
  const { index } = wanted;
  const equal = await equalIndex(place, wanted);
  if (equal !== undefined) return { equal };
  const started = performance.now();
  const now = Date.now();
  // recorded first: if the process is interrupted, the list shows the index and the next start completes it
  await storeIndex(database, { ...wanted, origin: 'command', madeAt: now, usedAt: now });
  const failure = await createIndex({ database, engine }, wanted);
  if (failure === undefined) return { milliseconds: performance.now() - started };
  await forgetIndex(database, index.name);
  return { failure };
}

/** The name of an existing index with the same effect. */
export async function equalIndex(
  { database, engine, layout }: IndexPlace,
  { table, index }: Pick<RequestedIndex, 'table' | 'index'>,
): Promise<string | undefined> {
  const key = indexKey({ table, index }, engine.ddl);
  const { indexes = [], ownIndexes = [] } = layout.tables.find(({ name }) => name === table) ?? {};
  const ofSchema = [...indexes, ...ownIndexes].map((one) => ({ table, index: one }));
  const same = [...ofSchema, ...(await existingIndexes(database))].filter((one) => indexKey(one, engine.ddl) === key);
  await database.search?.refresh();
  const existing = await engine.introspect(database);
  return same.find((one) => indexExists(database, existing, one))?.index.name;
}
