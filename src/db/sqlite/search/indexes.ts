/** Creates, drops and lists the search indexes of an SQLite database. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import { UsageError } from '../../../errors.ts';
import type { SearchIndex, SearchIndexes } from '../../../plan/read-plan.ts';
import type { SqlValue } from '../../../sql/fragment.ts';
import type { Executor, Row } from '../../interface/queryable.ts';
import type { ListedSearchIndex, SearchEngine, SearchedColumns } from '../../migration/schema-engine.ts';
import {
  automerge,
  create,
  drop,
  dropTriggers,
  FILLED_BY,
  fill,
  merge,
  nameOf,
  nextIds,
  PREFIX,
  SURVEY,
  triggers,
} from './words.ts';

/** Milliseconds for which one step of a build excludes other writers, and then yields to them. */
const STEP = 100;
const FIRST_ROWS = 200;
/** The pages of segments that one step merges. */
const MERGED_PAGES = 500;
/** Segments of one size that a write merges: the engine's own number. A build merges them at its end. */
const AUTOMERGE = 4;

/** The search indexes of a database, for one version of its schema. */
export interface Survey {
  readonly version: number;
  readonly indexes: readonly ListedSearchIndex[];
}

/** Reads the rows of `SURVEY`. Indexes of missing tables are left out. */
function surveyOf(rows: readonly Row[]): Survey {
  const tables: string[] = [];
  const texts = new Map<string, string>();
  const found: { name: string; columns: string[] }[] = [];
  for (const [, type, name, of, sql, columns] of rows as readonly (readonly (string | null)[])[]) {
    if (type === 'trigger') texts.set(`${of} ${name}`, afterName(sql!));
    else if (columns && name!.startsWith(PREFIX)) found.push({ name: name!, columns: JSON.parse(columns) });
    else if (name) tables.push(name);
  }
  const indexes = found.flatMap(({ name, columns }) => {
    const table = tables.find((each) => nameOf(each, columns) === name);
    if (table === undefined) return [];
    const index = { name, table, columns };
    // another program may have created the table anew, and dropped the triggers with the old one
    const isKept = (one: { name: string; text: string }) => texts.get(`${table} ${one.name}`) === afterName(one.text);
    return [{ ...index, isComplete: triggers(index, true).every(isKept) }];
  });
  return { version: Number(rows[0]![0]), indexes };
}

/** A definition without its first words, which the engine rewrites. */
const afterName = (text: string): string => text.slice(text.indexOf('"'));

async function list(executor: Executor): Promise<readonly ListedSearchIndex[]> {
  return surveyOf(await executor.rows(SURVEY, [])).indexes;
}

async function createIndex(executor: Executor, { table, columns }: SearchedColumns): Promise<void> {
  const index = { name: nameOf(table, columns), table, columns };
  const build = randomBytes(8).toString('hex');
  const [mark] = triggers(index, false, build);
  const steps = new Steps(executor, async () => {
    const [own] = await executor.rows(FILLED_BY, [mark!.name, build]);
    // the build that began last continues; two builds would disturb each other
    if (!own) throw new UsageError('another process has started to build it', 1);
  });
  const isThere = (await list(executor)).some(({ name, isComplete }) => name === index.name && isComplete);
  if (isThere) return;
  // triggers index the rows that are written from here on; the others follow step by step
  const begin = [
    ...dropTriggers(index),
    drop(index.name),
    create(index),
    automerge(index.name, 0),
    ...triggers(index, false, build).map(({ text }) => text),
  ];
  await new Steps(executor).run(() => each(executor, begin));
  await fillIn(steps, index);
  await mergeAll(steps, index);
  const end = [
    automerge(index.name, AUTOMERGE),
    ...dropTriggers(index),
    ...triggers(index, true).map(({ text }) => text),
  ];
  await steps.run(() => each(executor, end));
}

async function each(executor: Executor, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await executor.rows(statement, []);
}

/** The transactions of a build, one after the other, with pauses for other writers. */
class Steps {
  readonly executor: Executor;
  readonly #require: () => Promise<void>;

  /** @param require called at the start of each transaction; its error ends the build. */
  constructor(executor: Executor, require: () => Promise<void> = async () => {}) {
    this.executor = executor;
    this.#require = require;
  }

  async rows(text: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.executor.rows(text, values);
  }

  /** Runs `work` in a transaction, and returns its milliseconds. */
  async run(work: () => Promise<void>): Promise<number> {
    await this.executor.rows('begin immediate', []);
    const start = performance.now();
    try {
      await this.#require();
      await work();
      await this.executor.rows('commit', []);
    } catch (error) {
      await this.executor.rows('rollback', []);
      throw error;
    }
    const took = performance.now() - start;
    await pause(Math.min(took, STEP));
    return took;
  }
}

async function fillIn(steps: Steps, index: SearchIndex): Promise<void> {
  const next = nextIds(index.table);
  const taking = fill(index);
  let count = FIRST_ROWS;
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const [row] = await steps.rows(next, [from, count]);
    const to = row![0] as number | null;
    if (to === null) return;
    const took = await steps.run(async () => void (await steps.rows(taking, [from, to])));
    from = to;
    count = Math.max(1, Math.min(count * 2, Math.round((count * STEP) / Math.max(took, 1))));
  }
}

/** Merging in small steps here saves writes from merging (https://sqlite.org/fts5.html#the_merge_command). */
async function mergeAll(steps: Steps, { name }: SearchIndex): Promise<void> {
  const changes = async () => Number((await steps.rows('select total_changes()', []))[0]![0]);
  // the first call, with a negative number, starts merging segments of any size
  for (let pages = -MERGED_PAGES; ; pages = MERGED_PAGES) {
    const before = await changes();
    await steps.run(async () => void (await steps.rows(merge(name, pages), [])));
    if (pages > 0 && (await changes()) - before < 2) return;
  }
}

async function dropIndex(executor: Executor, index: SearchIndex): Promise<void> {
  await new Steps(executor).run(() => each(executor, [...dropTriggers(index), drop(index.name)]));
}

export const sqliteSearchEngine: SearchEngine = {
  consequence: 'programs with an SQLite before 3.43 cannot write to a table that has a search index',
  create: createIndex,
  drop: dropIndex,
  namesOf: (_dialect, { table, columns }) => [nameOf(table, columns)],
  list,
};

export class KnownSearchIndexes implements SearchIndexes {
  readonly #schemaVersion: Sqlite.Statement<[], unknown>;
  readonly #survey: Sqlite.Statement<[], Row>;
  readonly #generation: () => number;
  #checkedGeneration: number | undefined;
  #version = -1;
  #indexes: readonly SearchIndex[] = [];

  /** @param generation as of `Database`: while it is unchanged, no other process has changed the schema. */
  constructor(connection: Sqlite.Database, generation: () => number) {
    this.#schemaVersion = connection.prepare<[], unknown>('pragma schema_version').pluck();
    this.#survey = connection.prepare<[], Row>(SURVEY).raw();
    this.#generation = generation;
  }

  get version(): number {
    this.#refresh();
    return this.#version;
  }

  of(table: string): readonly SearchIndex[] {
    this.#refresh();
    return this.#indexes.filter((index) => index.table === table);
  }

  /** Looks for new indexes at the next use. Those of other processes are noticed without it. */
  async refresh(): Promise<void> {
    this.#checkedGeneration = undefined;
  }

  #refresh(): void {
    const generation = this.#generation();
    if (generation === this.#checkedGeneration) return;
    this.#checkedGeneration = generation;
    if (this.#schemaVersion.get() === this.#version) return;
    const { version, indexes } = surveyOf(this.#survey.all());
    this.#version = version;
    this.#indexes = indexes.filter(({ isComplete }) => isComplete);
  }
}
