/** The rules of access of the types that a read reaches, and the indexes that it uses. */
import type { Grants } from '../../access/grants.ts';
import type { App } from '../../app.ts';
import { SLOW } from '../../db/indexes/index-learner.ts';
import { existingIndexes, type StoredIndex } from '../../db/indexes/stored-indexes.ts';
import type { Read } from '../../db/interface/database.ts';
import { programText } from '../../own-files.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { layoutOf } from '../../schema/layout/layout.ts';

/** The rules of access of types that reads populate, filter by or sort by. */
export function reachedRules({ own, catalog, layout }: App, reads: readonly Read[], grants: Grants): string[] {
  if (!own) return [];
  const tables = new Set(reads.flatMap((read) => [...tablesOf(read.origin?.().plan)]));
  const listed = new Set(reads.flatMap((read) => read.origin?.().plan.table ?? []));
  const types = [...catalog.contentTypes.values()].filter(({ uid }) => {
    const { table } = layoutOf(layout, uid);
    return tables.has(table) && !listed.has(table);
  });
  return types.flatMap((type) => rulesText(type, own.access.of(type.uid, grants)));
}

type Rules = ReturnType<NonNullable<App['own']>['access']['of']>;

function rulesText({ uid }: ContentType, rules: Rules): string[] {
  if (!rules) return [];
  const { find } = rules.rows;
  return [
    ...(find === undefined ? [] : [`rows      find of ${uid}: ${JSON.stringify(find)}`]),
    ...(rules.read ? [`fields    read of ${uid}: ${rules.read.join(', ')}`] : []),
  ];
}

/** The tables of a plan, without those that only its conditions on rows use, since these see every row. */
function tablesOf(plan: unknown): Set<string> {
  const tables = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    for (const [key, value] of Object.entries(part)) {
      if (key === 'table' && typeof value === 'string') tables.add(value);
      else if (key !== 'rows') visit(value);
    }
  };
  visit(plan);
  return tables;
}

/**
 * The learned and created indexes that a statement uses, and their origin.
 *
 * @param text the statement, which names SQLite's search indexes, and the engine's plan, which names all others.
 */
export async function usedIndexes(app: App, text: string): Promise<string[]> {
  return (await existingIndexes(app.database)).flatMap((stored) => {
    const used = enginesNames(app, stored).filter((name) => text.includes(name));
    return used.length === 0 ? [] : [indexText(stored, used)];
  });
}

/** The names of an index in the engine. A search index consists of one or several, with other names. */
function enginesNames({ database, engine }: App, { table, index }: StoredIndex): readonly string[] {
  if (!index.search) return [index.name];
  return engine.search.namesOf(database.dialect, { table, columns: index.columns });
}

function indexText({ index, origin, reads, milliseconds, madeAt }: StoredIndex, used: readonly string[]): string {
  const name = index.search ? `${index.name} (in the database: ${used.join(', ')})` : index.name;
  const day = new Date(madeAt).toISOString().slice(0, 10);
  if (origin !== 'learned')
    return `${name}: created by galley index create on ${day}; ${programText()} index drop removes it`;
  const spent = `${(milliseconds / 1000).toFixed(1)} s`;
  const why = `${reads} slow reads (${SLOW} ms or more each) took ${spent} without it`;
  return `${name}: learned: Galley created it on ${day}, after ${why}, and drops it if no read uses it for 30 days`;
}
