/** The reference and Galley, each on a copy of its own of one project and one SQLite database. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onFile, startGalley } from '../../bench/galley.ts';
import { freePort, type Target } from '../../bench/processes.ts';
import { startStrapi } from '../../bench/strapi.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import { Snapshot } from './databases.ts';
import { fill } from './fill.ts';

/** What a server answers. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A request as both servers get it: parameters are `key=value`, unescaped. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly params: readonly string[];
  readonly body?: unknown;
}

export interface Side {
  readonly name: string;
  send(request: Request): Promise<Answer>;
}

export interface Pair {
  readonly reference: Side;
  readonly galley: Side;
  /** Puts both databases back to what they were when both servers had started. */
  restore(): void;
  /** The last error that the reference has told of in its log, without what differs from one time to the next. */
  lastError(): string;
  stop(): Promise<void>;
}

const TOKEN = 'compare';

/**
 * Starts both on copies of a project. One without a database of its own gets one that Galley makes, with the locales of
 * `fixture.json` and random documents, and that the reference takes over.
 *
 * @throws Error where BENCH_STRAPI_DIR names no installation: one made in passing would take minutes and 700 MB.
 */
export async function startPair(project: string): Promise<Pair> {
  const installed = process.env['BENCH_STRAPI_DIR'];
  if (installed === undefined || !existsSync(path.join(installed, 'node_modules/.bin/strapi'))) {
    throw new Error('BENCH_STRAPI_DIR must name a folder with the node_modules of Strapi (see bench/README.md)');
  }
  const work = mkdtempSync(path.join(tmpdir(), 'galley-compare-'));
  const started: Target[] = [];
  try {
    const copy = path.join(work, 'project');
    cpSync(project, copy, { recursive: true });
    mkdirSync(path.join(copy, 'public/uploads'), { recursive: true });
    const database = path.join(work, 'origin.db');
    const own = path.join(project, 'database/data.db');
    if (existsSync(own)) cpSync(own, database);
    const headers = { authorization: `Bearer ${await tokenOf(copy, database, existsSync(own))}` };
    const probe = '/api/upload/files';
    const galleyFile = path.join(work, 'galley.db');
    cpSync(database, galleyFile);
    started.push(await startStrapi({ project: copy, database, work, port: await freePort(), headers, probe }));
    const env = { ...onFile(galleyFile), LOG_LEVEL: 'error' };
    started.push(await startGalley({ program: 'src/main.ts', project: copy, env, headers, probe }));
  } catch (error) {
    for (const target of started) await target.stop();
    rmSync(work, { recursive: true, force: true });
    throw error;
  }
  const [reference, galley] = started as [Target, Target];
  const snapshots = [path.join(work, 'strapi-project/database/data.db'), path.join(work, 'galley.db')].map(
    (file, index) => Snapshot.take(file, path.join(work, `snapshot-${index}.db`)),
  );
  return {
    reference: sideOf('reference', reference),
    galley: sideOf('Galley', galley),
    restore() {
      for (const snapshot of snapshots) snapshot.restore();
    },
    lastError: () => lastErrorIn(reference.output()),
    async stop() {
      await Promise.all([reference.stop(), galley.stop()]);
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** A full-access token of the project's database. */
async function tokenOf(project: string, database: string, filled: boolean): Promise<string> {
  const file = path.join(project, 'tokens.json');
  if (filled) return (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)['full']!;
  const fixture = path.join(project, 'fixture.json');
  const locales = existsSync(fixture)
    ? (JSON.parse(readFileSync(fixture, 'utf8')) as { locales?: unknown }).locales
    : [];
  const applied = path.join(project, 'compare.json');
  writeFileSync(applied, JSON.stringify({ locales, tokens: [{ name: TOKEN, type: 'full-access' }] }));
  const warnings: string[] = [];
  const code = await runCommandLine(['apply', applied, project, '--tokens-out', file], {
    env: onFile(database),
    print: () => {},
    warn: (line) => void warnings.push(line),
  });
  if (code !== 0) throw new Error(warnings.join('\n'));
  await fill(project, onFile(database));
  return (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)[TOKEN]!;
}

function lastErrorIn(output: string): string {
  const errors = stripVTControlCharacters(output).match(/error: .*/g) ?? [];
  const error = (errors.at(-1) ?? 'error: not told').slice('error: '.length);
  // the text of a statement says nothing of what was wrong with it
  const text = /^(select|insert|update|delete) /.test(error) ? `SQL${error.match(/ - [^-]*$/)?.[0] ?? ''}` : error;
  return text.slice(0, 150).replaceAll(/\d+|'[^']*'|`[^`]*`|"[^"]*"|(?<=operator )\S+|(?<=found: )\S+/g, '_');
}

function sideOf(name: string, { url, headers }: Target): Side {
  return {
    name,
    async send({ method, path: target, params, body }) {
      const query = params.map(escaped).join('&');
      const response = await fetch(`${url}${target}${query === '' ? '' : `?${query}`}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: parsed(text) };
    },
  };
}

/** A parameter without its value stays without one. */
function escaped(param: string): string {
  const [key = '', ...rest] = param.split('=');
  const name = encodeURIComponent(key).replaceAll('%5B', '[').replaceAll('%5D', ']');
  return rest.length === 0 ? name : `${name}=${encodeURIComponent(rest.join('='))}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A request on one line. */
export function printed({ method, path: target, params, body }: Request): string {
  const query = params.length === 0 ? '' : `?${params.join('&')}`;
  return `${method} ${target}${query}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
}
