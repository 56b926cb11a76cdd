/** The databases of each size, made once and kept between runs, and a copy of one for each run. */
import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { databaseUrl, FIXTURE_TEMPLATE, runSql, startCluster } from '../../test/support/databases/cluster.ts';
import { copyRows } from '../copy-rows.ts';
import { onFile } from '../galley.ts';
import { growDatabase, SMALL_LOCALE } from '../grow.ts';
import type { Progress } from './progress.ts';

const BENCH = path.join(import.meta.dirname, '..');
const FIXTURE = path.join(BENCH, '../test/fixtures/strapi-project/database');
/** What the rows follow from: when one of them changes, databases are made anew. */
const RECIPE = ['grow.ts', 'copy-rows.ts'].map((name) => path.join(BENCH, name));
const INGREDIENTS = ['data.db', 'postgres.sql'].map((name) => path.join(FIXTURE, name));
/** Documents that requests ask for in turn. */
const SAMPLES = 400;

export type EngineName = 'sqlite' | 'postgres';

/** Values that requests name, taken from all over a database. */
export interface Samples {
  readonly size: number;
  readonly rows: readonly { readonly documentId: string; readonly slug: string; readonly title: string }[];
  readonly authors: readonly string[];
  /** Published rows of the language that lists show, and of the small one. */
  readonly published: number;
  readonly small: number;
}

/** A database that a server may change. */
export interface RunDatabase {
  readonly env: Readonly<Record<string, string>>;
  /** Names of all tables, indexes and triggers, and whether the database is at work at this moment. */
  made(): Promise<{ readonly names: readonly string[]; readonly isBusy: boolean }>;
  /** Of the file or, on PostgreSQL, of the tables and indexes. */
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

/** The databases of one engine. */
export interface Store {
  readonly engine: EngineName;
  /** The engine's version. */
  readonly version: string;
  copy(size: number): Promise<RunDatabase>;
  stop(): void;
}

const recipe = (): string => {
  const hash = createHash('sha256');
  for (const file of [...RECIPE, ...INGREDIENTS]) hash.update(readFileSync(file));
  return hash.digest('hex').slice(0, 16);
};

const sidecars = ['', '-wal', '-shm', '-journal'];
const removeFile = (file: string): void => {
  for (const suffix of sidecars) rmSync(file + suffix, { force: true });
};

/** The SQLite file of a size, grown unless it is there. */
function grownFile(work: string, size: number, progress: Progress): string {
  const file = path.join(work, `grown-${size}.db`);
  const mark = `${file}.recipe`;
  if (existsSync(file) && existsSync(mark) && readFileSync(mark, 'utf8') === recipe()) return file;
  removeFile(file);
  rmSync(mark, { force: true });
  const growing = `${file}.growing`;
  growDatabase(path.join(FIXTURE, 'data.db'), growing, size, (done, of) =>
    progress.within(`growing ${size} articles`, done / of),
  );
  renameSync(growing, file);
  writeFileSync(mark, recipe());
  return file;
}

/** Values from all over the database of a size. */
export function samplesOf(work: string, size: number, progress: Progress): Samples {
  const db = new Database(grownFile(work, size, progress), { readonly: true });
  const isPublished = "published_at is not null and locale = 'en'";
  const rows = db
    .prepare(
      `select document_id as documentId, slug, title from (
        select *, row_number() over (order by id) as n, count(*) over () as total from articles where ${isPublished})
      where n * ${SAMPLES} / total <> (n - 1) * ${SAMPLES} / total`,
    )
    .all() as Samples['rows'];
  const count = (where: string): number =>
    db.prepare(`select count(*) from articles where ${where}`).pluck().get() as number;
  const authors = db.prepare('select name from authors where id % 10000 <= 2 order by id').pluck().all() as string[];
  const published = count(isPublished);
  const small = count(`published_at is not null and locale = '${SMALL_LOCALE}'`);
  db.close();
  return { size, rows, authors, published, small };
}

/** The databases of an engine, under a folder that is kept. */
export async function openStore(engine: EngineName, work: string, progress: Progress): Promise<Store> {
  mkdirSync(work, { recursive: true });
  return engine === 'sqlite' ? sqliteStore(work, progress) : postgresStore(work, progress);
}

function sqliteStore(work: string, progress: Progress): Store {
  const db = new Database(':memory:');
  const version = `SQLite ${db.prepare('select sqlite_version()').pluck().get()}`;
  db.close();
  return {
    engine: 'sqlite',
    version,
    async copy(size) {
      const file = path.join(work, `run-${size}.db`);
      removeFile(file);
      copyFileSync(grownFile(work, size, progress), file, constants.COPYFILE_FICLONE);
      return {
        env: onFile(file),
        async made() {
          const reader = new Database(file, { readonly: true, timeout: 30_000 });
          const names = reader.prepare('select name from sqlite_master order by name').pluck().all() as string[];
          reader.close();
          return { names, isBusy: false };
        },
        async bytes() {
          const reader = new Database(file, { readonly: true, timeout: 30_000 });
          const bytes = reader.prepare('select page_count * page_size from pragma_page_count, pragma_page_size');
          const found = bytes.pluck().get() as number;
          reader.close();
          return found;
        },
        async remove() {
          removeFile(file);
        },
      };
    },
    stop() {},
  };
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function postgresStore(work: string, progress: Progress): Promise<Store> {
  const cluster = await startCluster(path.join(work, 'postgres'));
  const version = await withClient(cluster.url, async (client) => {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return `PostgreSQL ${rows[0]!.server_version}`;
  });

  /** The database of a size, filled unless it is there. */
  async function grown(size: number): Promise<string> {
    const name = `grown_${size}`;
    const { rows } = await withClient(cluster.url, (client) =>
      client.query("select 1 from pg_database where datname = $1 and shobj_description(oid, 'pg_database') = $2", [
        name,
        recipe(),
      ]),
    );
    if (rows.length > 0) return name;
    await runSql(cluster.url, `drop database if exists ${name} with (force)`);
    await runSql(cluster.url, `create database ${name} template ${FIXTURE_TEMPLATE} strategy file_copy`);
    await copyRows(grownFile(work, size, progress), databaseUrl(cluster.url, name), (table, done, of) =>
      progress.within(`loading ${size} articles: ${table}`, done / of),
    );
    await runSql(cluster.url, `comment on database ${name} is '${recipe()}'`);
    return name;
  }

  return {
    engine: 'postgres',
    version,
    async copy(size) {
      const source = await grown(size);
      const name = `run_${size}`;
      await runSql(cluster.url, `drop database if exists ${name} with (force)`);
      await runSql(cluster.url, `create database ${name} template ${source} strategy file_copy`);
      const url = databaseUrl(cluster.url, name);
      return {
        env: { DATABASE_CLIENT: 'postgres', DATABASE_URL: url },
        made: () =>
          withClient(url, async (client) => {
            const { rows } = await client.query<{ name: string; busy: boolean }>(`
              select c.relname as name, not coalesce(i.indisvalid, true) as busy
              from pg_class c left join pg_index i on i.indexrelid = c.oid
              where c.relnamespace = 'public'::regnamespace
              union all select tgname, false from pg_trigger where not tgisinternal
              union all select 'a statement', true from pg_stat_activity
                where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
              order by name`);
            return { names: rows.map((row) => row.name), isBusy: rows.some(({ busy }) => busy) };
          }),
        bytes: () =>
          withClient(url, async (client) => {
            const { rows } = await client.query<{ bytes: string }>(
              'select pg_database_size(current_database()) as bytes',
            );
            return Number(rows[0]!.bytes);
          }),
        remove: () => runSql(cluster.url, `drop database if exists ${name} with (force)`),
      };
    },
    stop: () => cluster.stop(),
  };
}
