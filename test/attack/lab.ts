/** Projects and databases to attack: created once for a run, copied for each experiment. */
import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { growDatabase } from '../../bench/grow.ts';
import { loadPostgres } from '../../bench/postgres.ts';
import { withoutAnswerCache } from '../../bench/without-cache.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { databaseUrl, runSql } from '../support/databases/cluster.ts';
import { engines } from '../support/databases/databases.ts';
import { copyProject, FIXTURE_DIR, makeProject, type ProjectFiles } from '../support/servers/project.ts';
import type { EngineName } from './experiment.ts';

/** Published articles of the grown database. */
export const ARTICLES = 20_000;

const PUBLIC = [
  ...['article', 'author', 'country', 'event', 'profile', 'tag'].flatMap((name) =>
    ['find', 'findOne'].map((action) => `api::${name}.${name}.${action}`),
  ),
  ...['callback', 'register', 'forgotPassword'].map((name) => `plugin::users-permissions.auth.${name}`),
];
/** Callers: `writer` may do everything, `reader` and `other` read; `other` is never the attacker. */
const TOKENS = [
  { name: 'writer', type: 'full-access' },
  { name: 'reader', type: 'read-only' },
  { name: 'other', type: 'read-only' },
] as const;

/** A project with a database of its own. */
export interface Ground {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>> & Readonly<Record<(typeof TOKENS)[number]['name'], string>>;
  remove(): Promise<void>;
}

export interface MadeProject extends ProjectFiles {
  /** What everybody may do. */
  readonly publicActions?: readonly string[];
  /** Custom tokens beside the three, with the actions of each. */
  readonly customTokens?: Readonly<Record<string, readonly string[]>>;
}

interface Grown {
  /** A file, or a URL. */
  readonly database: string;
  readonly tokens: Ground['tokens'];
}

export class Lab {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'galley-attack-'));
  readonly #grown = new Map<EngineName, Promise<Grown>>();
  #file: string | undefined;
  #server: string | undefined;

  /** The fixture's project with 20,000 published articles, which everybody may read. */
  async grown(engine: EngineName): Promise<Ground> {
    let made = this.#grown.get(engine);
    if (!made) {
      made = engine === 'sqlite' ? this.#growFile() : this.#growServer();
      this.#grown.set(engine, made);
    }
    const { database, tokens } = await made;
    const folder = await copyProject(FIXTURE_DIR);
    withoutAnswerCache(folder.dir);
    if (engine === 'sqlite') {
      const file = path.join(folder.dir, 'attacked.db');
      copyFileSync(database, file, constants.COPYFILE_FICLONE);
      return { dir: folder.dir, env: onFile(file), tokens, remove: folder.remove };
    }
    const name = `attacked_${randomBytes(6).toString('hex')}`;
    const source = new URL(database).pathname.slice(1);
    await runSql(this.#server!, `create database ${name} template ${source} strategy file_copy`);
    return {
      dir: folder.dir,
      env: onServer(databaseUrl(this.#server!, name)),
      tokens,
      remove: async () => {
        await runSql(this.#server!, `drop database if exists ${name} with (force)`);
        await folder.remove();
      },
    };
  }

  /** A project of an experiment's own on an empty database. */
  async made(engine: EngineName, project: MadeProject): Promise<Ground> {
    const folder = await makeProject(project);
    // the server of PostgreSQL is that of the run
    if (engine === 'postgres') await this.#cluster();
    const database = await engines.find(({ name }) => name === engine)!.emptyDatabase();
    const tokens = await this.#prepare(folder.dir, database.env, project);
    return {
      dir: folder.dir,
      env: database.env,
      tokens,
      remove: async () => {
        await database.drop();
        await folder.remove();
      },
    };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #grownFile(): string {
    if (this.#file === undefined) {
      this.#file = path.join(this.#folder, 'grown.db');
      growDatabase(path.join(FIXTURE_DIR, 'database/data.db'), this.#file, ARTICLES);
    }
    return this.#file;
  }

  async #growFile(): Promise<Grown> {
    const database = path.join(this.#folder, 'prepared.db');
    copyFileSync(this.#grownFile(), database);
    return { database, tokens: await this.#prepareGrown(onFile(database)) };
  }

  async #growServer(): Promise<Grown> {
    const database = await this.#cluster();
    return { database, tokens: await this.#prepareGrown(onServer(database)) };
  }

  #loading: Promise<string> | undefined;

  /** Starts the server of PostgreSQL with the grown database; gives its URL. */
  #cluster(): Promise<string> {
    this.#loading ??= loadPostgres(this.#grownFile()).then(({ url }) => {
      this.#server = databaseUrl(url, 'postgres');
      process.env['GALLEY_TEST_POSTGRES'] = this.#server;
      return url;
    });
    return this.#loading;
  }

  async #prepareGrown(env: Ground['env']): Promise<Ground['tokens']> {
    const folder = await copyProject(FIXTURE_DIR);
    try {
      return await this.#prepare(folder.dir, env, { publicActions: PUBLIC });
    } finally {
      await folder.remove();
    }
  }

  /** Has Galley make what it needs in a database, gives the public its rights, and makes tokens. */
  async #prepare(
    dir: string,
    env: Ground['env'],
    { publicActions = [], customTokens = {} }: MadeProject,
  ): Promise<Ground['tokens']> {
    const file = path.join(dir, 'attack.json');
    const out = path.join(dir, 'attack-tokens.json');
    const custom = Object.entries(customTokens).map(([name, permissions]) => ({ name, type: 'custom', permissions }));
    const tokens = [...TOKENS, ...custom];
    writeFileSync(file, JSON.stringify({ tokens, roles: { public: publicActions } }));
    const said: string[] = [];
    const code = await runCommandLine(['apply', file, dir, '--tokens-out', out, '--yes'], {
      env: { ...env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' },
      print: () => {},
      warn: (line) => void said.push(line),
    });
    if (code !== 0) throw new Error(`galley apply: ${said.join('\n')}`);
    return JSON.parse(readFileSync(out, 'utf8')) as Ground['tokens'];
  }
}

const onFile = (filename: string) => ({ DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: filename });
const onServer = (url: string) => ({ DATABASE_CLIENT: 'postgres', DATABASE_URL: url });
