/** What a read leads to besides its own type, and the indexes that it uses, in words. */
import type { Grants } from '../../access/grants.ts';
import type { App } from '../../app.ts';
import { SLOW } from '../../db/indexes/index-learner.ts';
import { existingIndexes, type StoredIndex } from '../../db/indexes/stored-indexes.ts';
import type { Read } from '../../db/interface/database.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { layoutOf } from '../../schema/layout/layout.ts';

/** The rules of access of types that reads lead to: populated, or on the paths of filters and sort keys. */
export function reachedRules({ own, catalog, layout }: App, reads: readonly Read[], grants: Grants): string[] {
  if (!own) return [];
  const tables = new Set(reads.flatMap((read) => [...tablesOf(read.origin?.().plan)]));
  const asked = new Set(reads.flatMap((read) => read.origin?.().plan.table ?? []));
  const types = [...catalog.contentTypes.values()].filter(({ uid }) => {
    const { table } = layoutOf(layout, uid);
    return tables.has(table) && !asked.has(table);
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

/** The tables of a plan, but for those that only its conditions on rows go through: these see every row. */
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
 * Of the indexes that a statement uses, those that Galley or a command has made, and why they are there.
 *
 * @param text of the statement, in which SQLite's search indexes are named, and of the engine's plan, which names all others.
 */
export async function usedIndexes(app: App, text: string): Promise<string[]> {
  return (await existingIndexes(app.database)).flatMap((kept) => {
    const used = enginesNames(app, kept).filter((name) => text.includes(name));
    return used.length === 0 ? [] : [indexText(kept, used)];
  });
}

/** What the engine calls an index: a search index is one or several of its own, by other names. */
function enginesNames({ database, engine }: App, { table, index }: StoredIndex): readonly string[] {
  if (!index.search) return [index.name];
  return engine.search.namesOf(database.dialect, { table, columns: index.columns });
}

function indexText({ index, origin, reads, milliseconds, madeAt }: StoredIndex, used: readonly string[]): string {
  const name = index.search ? `${index.name} (to the database: ${used.join(', ')})` : index.name;
  const day = new Date(madeAt).toISOString().slice(0, 10);
  if (origin !== 'learned') return `${name}: made by galley index create on ${day}, and there until galley index drop`;
  const spent = `${(milliseconds / 1000).toFixed(1)} s`;
  const why = `${reads} slow reads (of ${SLOW} ms or more) had taken ${spent} together without it`;
  return `${name}: learned: Galley made it by itself on ${day}, as ${why}, and drops it once no read has used it for 30 days`;
}
