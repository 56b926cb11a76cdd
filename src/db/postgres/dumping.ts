/**
 * Backups of a PostgreSQL database by its own programs, pg_dump, pg_restore and psql
 * (https://www.postgresql.org/docs/current/app-pgdump.html), which keep everything in a schema: tables, columns and
 * functions of other programs, too.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { linesOf } from '../../byte-lines.ts';
import { UsageError } from '../../errors.ts';
import type { DatabaseCopies, TableRows } from '../interface/database-copies.ts';
import type { Executor } from '../interface/queryable.ts';
import { postgresDialect } from './dialect.ts';
import { quoted } from './driver.ts';
import { openSnapshot } from './snapshot.ts';

/** The form of backups by pg_dump. */
const DUMP_FORM = 'pg_dump';

const EXPORT = 'select pg_export_snapshot(), current_schema()';
const TABLES = `select relname::text from pg_class
  where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1`;

/** Drops everything in a schema that belongs to no extension. */
export const EMPTY = `do $$ declare one record; begin
  for one in select c.oid::regclass as name, c.relkind as kind from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e', 'i', 'a'))
  loop
    execute format('drop %s if exists %s cascade', case one.kind when 'v' then 'view' when 'm' then 'materialized view'
      when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end, one.name);
  end loop;
  for one in select p.oid::regprocedure as name, p.prokind as kind from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('drop %s if exists %s cascade', case one.kind when 'p' then 'procedure' when 'a' then 'aggregate'
      else 'function' end, one.name);
  end loop;
  for one in select t.oid::regtype as name from pg_type t
    where t.typnamespace = current_schema()::regnamespace and t.typtype in ('e', 'd', 'r')
      and not exists (select from pg_depend d where d.objid = t.oid and d.deptype in ('e', 'i'))
  loop
    execute format('drop type if exists %s cascade', one.name);
  end loop;
end $$;`;

/** Whether a connection needs certificates of the configuration, which the programs read only from files. */
const hasCertificates = ({ ssl }: pg.ClientConfig): boolean =>
  typeof ssl === 'object' && [ssl.ca, ssl.cert, ssl.key, ssl.pfx].some((part) => part !== undefined);

/**
 * Whether the programs are installed and can dump the server: pg_dump refuses servers of later versions than its own, and
 * does not have the certificates of the configuration.
 */
export async function canDump(options: pg.ClientConfig): Promise<boolean> {
  if (hasCertificates(options)) return false;
  const versions = await Promise.all(['pg_dump', 'pg_restore', 'psql'].map(versionOf));
  if (versions.includes(undefined)) return false;
  const snapshot = await openSnapshot(options);
  try {
    const [row] = await snapshot.rows(`select current_setting('server_version_num')::integer / 10000`, []);
    return versions[0]! >= Number(row![0]);
  } finally {
    await snapshot.close();
  }
}

/** The major version of a program; undefined if it is not installed. */
async function versionOf(program: string): Promise<number | undefined> {
  const child = spawn(program, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return Number(/(\d+)(?:\.\d+)?/.exec(output)?.[1]);
  } catch {
    return undefined;
  }
}

/** The copies of the schema that connections with these options use. */
export function dumpCopies(options: pg.ClientConfig): DatabaseCopies {
  return {
    form: DUMP_FORM,
    async create(file, during) {
      const snapshot = await openSnapshot(options);
      try {
        const [row] = await snapshot.rows(EXPORT, []);
        const [id, schema] = row as [string, string];
        const rows = await countRows(snapshot);
        const args = [...PLAIN, `--schema=${quoted(schema)}`, '--extension=*', `--snapshot=${id}`, `--file=${file}`];
        await start(options, 'pg_dump', args).done;
        await during({ rows: snapshot.rows, dialect: DIALECT }, rows);
        return rows;
      } finally {
        await snapshot.close();
      }
    },
    check: countDumped,
    restore: (file) => restoreDump(options, file),
  };
}

const OWNERLESS = ['--no-owner', '--no-privileges'];
const PLAIN = ['--format=custom', '--compress=0', ...OWNERLESS];
/** For statements that compare no text. */
const DIALECT = postgresDialect({ foldingCollation: undefined, foldsDotted: false, asciiTrigrams: false });

async function countRows(executor: Executor): Promise<TableRows> {
  const rows: Record<string, number> = {};
  for (const [name] of await executor.rows(TABLES, [])) {
    const [count] = await executor.rows(`select count(*) from only ${quoted(String(name))}`, []);
    rows[String(name)] = Number(count![0]);
  }
  return rows;
}

/** The beginning of the rows of a table: `COPY public."a table" (id, name) FROM stdin;` */
const COPY = /^COPY (?:"(?:[^"]|"")+"|[^".\s]+)\.("(?:[^"]|"")+"|[^"\s]+) \(/;

/** Counts the rows in a dump. @throws UsageError if it is damaged. */
async function countDumped(file: string): Promise<TableRows> {
  const child = start({}, 'pg_restore', ['--data-only', '--file=-', file]);
  const rows: Record<string, number> = {};
  let table: string | undefined;
  for await (const line of linesOf(child.output)) {
    if (table === undefined) {
      const name = COPY.exec(line)?.[1];
      table = name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
      if (table !== undefined) rows[table] = 0;
    } else if (line === '\\.') table = undefined;
    else rows[table]!++;
  }
  await child.done;
  return rows;
}

/** Replaces everything in the schema by a dump, in one transaction. */
async function restoreDump(options: pg.ClientConfig, file: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'galley-restore-'));
  try {
    const list = path.join(folder, 'list');
    const contents = start(options, 'pg_restore', ['--list', file]);
    const [lines] = await Promise.all([text(contents.output), contents.done]);
    // the schema exists, and comments may belong to another user
    const wanted = lines.split('\n').filter((line) => !/^\d+; \d+ \d+ (?:SCHEMA|COMMENT) - /.test(line));
    await writeFile(list, wanted.join('\n'));
    const target = start(options, 'psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--file=-']);
    const source = start(options, 'pg_restore', [...OWNERLESS, `--use-list=${list}`, '--file=-', file]);
    await Promise.all([target.done, feed(source, target)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives statements to psql as one transaction, which is committed only if all of them were read. */
async function feed(source: Program, { input }: Program): Promise<void> {
  // the end of psql reports why it reads no more
  input.on('error', () => source.kill());
  input.write(`begin;\nset local statement_timeout = 0;\n${EMPTY}\n`);
  source.output.pipe(input, { end: false });
  try {
    await source.done;
    input.end('commit;\n');
  } catch (error) {
    input.end('rollback;\n');
    throw error;
  }
}

/** A program that runs. */
interface Program {
  readonly input: Writable;
  readonly output: Readable;
  kill(): void;
  /** Resolves at its end. @throws UsageError with its first words if it fails. */
  readonly done: Promise<void>;
}

/** Starts a program with the settings of a connection in its environment, where other users cannot see them. */
function start(options: pg.ClientConfig, program: string, args: readonly string[]): Program {
  const { host, port, user, password, database } = new pg.Client(options);
  const { ssl, options: settings } = options;
  const isChecked = typeof ssl === 'object' && ssl.rejectUnauthorized !== false;
  const env = {
    ...process.env,
    ...{ PGHOST: host, PGPORT: String(port), PGUSER: user, PGDATABASE: database, PGAPPNAME: 'galley' },
    ...(typeof password === 'string' ? { PGPASSWORD: password } : {}),
    ...(ssl ? { PGSSLMODE: isChecked ? 'verify-full' : 'require' } : {}),
    ...(isChecked ? { PGSSLROOTCERT: 'system' } : {}),
    ...(settings === undefined ? {} : { PGOPTIONS: settings }),
  };
  const child = spawn(program, args, { env, stdio: 'pipe' });
  if (program !== 'psql') child.stdin.end();
  const done = Promise.all([text(child.stderr), once(child, 'exit')]).then(([said, [code]]) => {
    if (code === 0) return;
    throw new UsageError(`${program} failed: ${said.trim().split('\n', 1)[0] || `code ${code}`}`, 1);
  });
  // it is awaited after the output was read
  done.catch(() => {});
  return { input: child.stdin, output: child.stdout, kill: () => void child.kill(), done };
}
