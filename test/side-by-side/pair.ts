/** Strapi and Galley on one project and one database. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onFile, startGalley } from '../../bench/galley.ts';
import { freePort, type Target } from '../../bench/processes.ts';
import { startStrapi } from '../../bench/strapi.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { databaseUrl, runSql, startCluster } from '../support/databases/cluster.ts';

export const SIDES = ['strapi', 'galley'] as const;
export type SideName = (typeof SIDES)[number];

export interface Answer {
  readonly status: number;
  readonly body: { readonly data?: unknown } | undefined;
}

export interface Pair extends Readonly<Record<SideName, Side>> {
  stop(): Promise<void>;
}

/** One of the servers. A request without an answer counts as status 0. */
export interface Side {
  send(method: string, target: string, data?: object): Promise<Answer>;
}

const PROJECT = path.join(import.meta.dirname, '../compare/project');
const TOKEN = 'side-by-side';
const PROBE = '/api/pages';

/** Both on one database file, as Strapi's project has it. */
export async function openSqlite(): Promise<Pair> {
  return open(async (work, project) => {
    const made = path.join(work, 'made.db');
    const headers = await prepare(project, onFile(made));
    const strapi = await startStrapi({ project, database: made, work, port: await freePort(), headers, probe: PROBE });
    return { strapi, env: onFile(path.join(work, 'strapi-project/database/data.db')), headers };
  });
}

/** Both on a database of a PostgreSQL server that is made for the occasion. */
export async function openPostgres(): Promise<Pair> {
  const cluster = await startCluster();
  await runSql(cluster.url, 'create database side_by_side');
  const database = databaseUrl(cluster.url, 'side_by_side');
  const env = { DATABASE_CLIENT: 'postgres', DATABASE_URL: database };
  const pair = await open(async (work, project) => {
    const headers = await prepare(project, env);
    const strapi = await startStrapi({ project, database, work, port: await freePort(), headers, probe: PROBE });
    return { strapi, env, headers };
  });
  return {
    ...pair,
    async stop() {
      await pair.stop();
      cluster.stop();
    },
  };
}

interface Opened {
  readonly strapi: Target;
  /** What makes Galley use the same database. */
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

async function open(start: (work: string, project: string) => Promise<Opened>): Promise<Pair> {
  const work = mkdtempSync(path.join(tmpdir(), 'galley-side-by-side-'));
  const started: Target[] = [];
  const stop = async (): Promise<void> => {
    for (const target of started) await target.stop();
    rmSync(work, { recursive: true, force: true });
  };
  try {
    const project = path.join(work, 'project');
    cpSync(PROJECT, project, { recursive: true });
    mkdirSync(path.join(project, 'public/uploads'), { recursive: true });
    const { strapi, env, headers } = await start(work, project);
    started.push(strapi);
    const own = { ...env, LOG_LEVEL: 'error' };
    const galley = await startGalley({ program: 'src/main.ts', project, env: own, headers, probe: PROBE });
    started.push(galley);
    return { strapi: sideOf(strapi), galley: sideOf(galley), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes the database, and gives the headers of a full-access token. */
async function prepare(project: string, env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const { locales } = JSON.parse(readFileSync(path.join(PROJECT, 'fixture.json'), 'utf8')) as { locales?: unknown };
  const [file, secrets] = ['apply.json', 'secrets.json'].map((name) => path.join(project, name)) as [string, string];
  writeFileSync(file, JSON.stringify({ locales, tokens: [{ name: TOKEN, type: 'full-access' }] }));
  const told: string[] = [];
  const surroundings = { env, print: () => {}, warn: (line: string) => void told.push(line) };
  const code = await runCommandLine(['apply', file, project, '--tokens-out', secrets], surroundings);
  if (code !== 0) throw new Error(told.join('\n'));
  const token = (JSON.parse(readFileSync(secrets, 'utf8')) as Record<string, string>)[TOKEN];
  return { authorization: `Bearer ${token}` };
}

function sideOf({ url, headers }: Target): Side {
  return {
    async send(method, target, data) {
      const body = data === undefined ? {} : { body: JSON.stringify({ data }) };
      const own = data === undefined ? headers : { ...headers, 'content-type': 'application/json' };
      try {
        const response = await fetch(url + target, { method, headers: own, ...body });
        const text = await response.text();
        return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
      } catch {
        return { status: 0, body: undefined };
      }
    },
  };
}
