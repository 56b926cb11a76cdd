/** Explains how SQLite runs a read, without running it (https://www.sqlite.org/eqp.html). */
import type { Database, Read } from '../interface/database.ts';
import type { Row } from '../interface/queryable.ts';
import type { EnginePlan, Handled } from '../migration/schema-engine.ts';
import type { LaneTimes } from '../scheduling/lanes.ts';

/** The thresholds for quick reads, in milliseconds: reads on the main thread delay everything else. */
export const LANE_TIMES: LaneTimes = { small: 2, bounded: 100, quick: 10, surprise: 40, surprises: 1 };

/**
 * A step that examines all rows, or all rows of a locale and a status: indexes of lists begin with those columns, which
 * leave most rows.
 */
const SCAN =
  /^(?:SCAN (\w+)|SEARCH (\w+) USING (?:COVERING )?INDEX \S+ \((?:locale=\?)?(?: AND )?(?:published_at>\?)?\))/;

interface Step {
  readonly id: number;
  readonly parent: number;
  readonly text: string;
}

export async function explain(database: Database, read: Read): Promise<EnginePlan> {
  // a cached statement of this kind is not prepared again when the schema changes
  const [[version]] = (await database.rows('pragma schema_version', [])) as [Row];
  const rows = await database.rows(`explain query plan /* schema ${version} */ ${read.text}`, read.values);
  const steps = rows.map(
    ([id, parent, , text]): Step => ({ id: Number(id), parent: Number(parent), text: String(text) }),
  );
  const aliases = aliasesOf(read.text);
  const sizes = sizesOf(database, new Set(aliases.values()));
  const scans = steps.flatMap(({ text }): Handled[] => {
    const table = aliases.get(scannedBy(text) ?? '');
    return table === undefined ? [] : [{ table, rows: undefined }];
  });
  // the rows that a list has found are rows of its own table
  const found = new Set(Array.from(read.text.matchAll(/\bgalley_found (t\d+)\b/g), ([, alias]) => alias!));
  for (const alias of found) aliases.set(alias, read.table);
  return {
    lines: linesOf(steps),
    scans,
    sorts: sortsOf(steps, aliases, found),
    sizes,
    laneTimes: LANE_TIMES,
    collation: undefined,
  };
}

/** The alias of the rows that a step scans. */
function scannedBy(text: string): string | undefined {
  const found = SCAN.exec(text);
  return found?.[1] ?? found?.[2];
}

/** The tables behind a statement's aliases. */
function aliasesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/"([^"]+)" (t\d+)\b/g)].map(([, table, alias]) => [alias!, table!]));
}

/** The sorts. The steps beside a sort read its rows. */
function sortsOf(steps: readonly Step[], aliases: ReadonlyMap<string, string>, found: ReadonlySet<string>): Handled[] {
  return steps.flatMap(({ parent, text }): Handled[] => {
    if (!text.startsWith('USE TEMP B-TREE FOR ORDER BY')) return [];
    const read = steps.find((step) => step.parent === parent && /^(?:SCAN|SEARCH) /.test(step.text));
    const alias = /^\w+ (\w+)/.exec(read?.text ?? '')?.[1] ?? '';
    const table = aliases.get(alias);
    return table === undefined ? [] : [{ table, rows: undefined, isOfFound: found.has(alias) }];
  });
}

function linesOf(steps: readonly Step[]): string[] {
  const depths = new Map<number, number>();
  return steps.map(({ id, parent, text }) => {
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(id, depth);
    return `${'  '.repeat(depth)}${text}`;
  });
}

function sizesOf(database: Database, tables: ReadonlySet<string>): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const table of tables) {
    const rows = database.rowsOf(table);
    if (rows !== undefined) sizes.set(table, rows);
  }
  return sizes;
}
