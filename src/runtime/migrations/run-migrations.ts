/** Runs the migrations of a project that its database has not been through, before anything else is done to it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { format } from 'node:util';
import { ModuleLoader } from '../../config/modules/loader.ts';
import { UsageError } from '../../errors.ts';
import type { CodeLog } from '../../log-line.ts';
import { programText } from '../../own-files.ts';
import { guarded } from '../guarded.ts';
import { CodeError } from '../registry.ts';
import { keepAlive } from '../stray-errors.ts';
import type { MigrationFile } from './migration-files.ts';

/** Milliseconds that a migration may take. */
const LIMIT = 10 * 60_000;

/** Where migrations are run and marked (db/migration/project-migrations.ts). */
interface Runs {
  run(
    name: string,
    limit: number,
    work: (tools: { readonly knex: object; script(text: string): Promise<void> }) => Promise<unknown>,
  ): Promise<void>;
}

export interface MigrationOptions {
  readonly dir: string;
  readonly runs: Runs;
  readonly log: CodeLog;
}

/**
 * Runs migrations, each in a transaction of its own.
 *
 * @throws UsageError with file and line for the first one that fails or uses a missing member. It is rolled back; the
 *   earlier ones are done.
 */
export async function runMigrations(files: readonly MigrationFile[], { dir, runs, log }: MigrationOptions) {
  let current: object | undefined;
  const inTransaction = (work: (tools: object) => unknown) => work({ trx: current });
  const db = guarded('db of a migration', {
    transaction: async (work: (tools: object) => unknown) => inTransaction(work),
  });
  const strapi = guarded('strapi, in a migration,', { db, log: logOf(log) });
  const loader = new ModuleLoader({ dir, strapi });
  const report = (error: unknown) => {
    const failure = new CodeError(error, 'not waited for', loader);
    log('error', failure.message, failure);
  };
  const release = keepAlive({ loader, report });
  try {
    for (const { name, path } of files) {
      log('info', `the migration ${name} runs`);
      try {
        await runs.run(name, LIMIT, async ({ knex, script }) => {
          if (path.endsWith('.sql')) return script(readFileSync(join(dir, path), 'utf8'));
          current = knex;
          await upOf(loader, join(dir, path))(knex, db);
        });
      } catch (error) {
        throw new UsageError(`${whyNot(error, path, loader)}\n${HOW_TO_GO_ON(name)}`, 1);
      }
    }
  } finally {
    // work without an await has failed by now
    await nextTurn();
    release();
  }
}

/** The error for pending migrations that must not run now. */
export function waitingMigrations(files: readonly MigrationFile[], why: string): UsageError {
  const [{ name, path }] = files as [MigrationFile];
  const others = files.length > 1 ? ` and ${files.length - 1} more` : '';
  return new UsageError(
    `${path}${others}: the database has not been through this migration, ${why}\n${HOW_TO_GO_ON(name)}`,
    1,
  );
}

const HOW_TO_GO_ON = (name: string): string =>
  `Nothing of it is in the database. Run it with Strapi, or, where it has nothing to do, mark it: ${programText()} migration done ${name}`;

function upOf(loader: ModuleLoader, file: string): (knex: object, db: object) => unknown {
  const exported = loader.load(file) as { up?: unknown; default?: { up?: unknown } } | null;
  const up = exported?.up ?? exported?.default?.up;
  if (typeof up !== 'function') throw new UsageError(`${loader.pathOf(file)}: a migration exports a function up`, 1);
  return up as (knex: object, db: object) => unknown;
}

/** The place and the mistake, in one line. */
function whyNot(error: unknown, path: string, loader: ModuleLoader): string {
  if (error instanceof UsageError) return error.message;
  // a statement is part of the message, and may be of several lines
  const line = new CodeError(error, 'up', loader).message.replaceAll(/\s*\n\s*/g, ' ');
  return line.startsWith(path) ? line : `${path}: ${line}`;
}

function logOf(log: MigrationOptions['log']): object {
  const line = (...parts: unknown[]): void => log('info', format(...parts));
  return guarded('strapi.log', { ...{ debug: line, info: line, warn: line, error: line, fatal: line } });
}
