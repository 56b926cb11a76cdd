/**
 * What code of a project costs a read: the same list behind no code, a middleware of the route, document middlewares and a
 * lifecycle, on one copy of the fixture's database for each. The servers are up at once and are measured in turns. The
 * processor time of a request says more than requests a second on a busy machine.
 *
 *     node bench/project-code.ts [--seconds N] [--connections N] [--rounds N] [--only NAME[,NAME…]] [--query TEXT] [--source]
 *         [--postgres]
 *
 * `--query` is added to that of the list; `--source` runs Galley from its source, which takes no build; `--postgres` puts
 * the servers on PostgreSQL, whose processor time is not counted.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { buildGalley, onFile, startGalley } from './galley.ts';
import { growDatabase } from './grow.ts';
import { loadPostgres } from './postgres.ts';
import type { Target } from './processes.ts';
import { cells } from './tables.ts';
import { withoutAnswerCache } from './without-cache.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work/project-code');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const ARTICLES = 2000;
/** Requests with operands of their own, so many that nothing of one is remembered until it comes again. */
const OPERANDS = 5000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '6' },
    only: { type: 'string' },
    query: { type: 'string', default: '' },
    source: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const [seconds, connections, rounds] = [options.seconds, options.connections, options.rounds].map(Number) as [
  number,
  number,
  number,
];

const use = (middleware: string): string =>
  `module.exports = { register({ strapi }) { strapi.documents.use(${middleware}); } };`;
const ROUTES = (middleware: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::article.article', { config: { find: { middlewares: [${middleware}] } } });`;

/** The files of each project beside the fixture's own, by the name of what they do. */
const PROJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no code': {},
  'a middleware of the route': { 'src/api/article/routes/article.js': ROUTES('(ctx, next) => next()') },
  'a document middleware that passes on': {
    'src/index.js': use('(context, next) => next()'),
  },
  'a document middleware that changes params': {
    'src/index.js': use(
      "(context, next) => { if (context.action === 'findMany') context.params = { ...context.params, sort: 'id:asc' }; return next(); }",
    ),
  },
  'a lifecycle that reads params': {
    'src/api/article/content-types/article/lifecycles.js':
      'module.exports = { beforeFindMany(event) { event.state.seen = event.params.limit; }, afterFindMany() {} };',
  },
};

const only = options.only?.split(',');
const names = Object.keys(PROJECTS).filter((_name, at) => !only || only.includes('abcde'[at]!));

rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });
if (!options.source) buildGalley();
const grown = path.join(WORK, 'grown.db');
growDatabase(path.join(FIXTURE, 'database/data.db'), grown, ARTICLES);
const postgres = options.postgres ? await loadPostgres(grown) : undefined;
const tokens = JSON.parse(readFileSync(path.join(FIXTURE, 'tokens.json'), 'utf8')) as Record<string, string>;
const headers = { authorization: `Bearer ${tokens['full']}` };
const program = options.source ? 'src/main.ts' : 'dist/main.js';
const list = (least: number): string =>
  `/api/articles?filters[views][$gte]=-${least}${options.query && `&${options.query}`}`;

async function start(name: string, at: number): Promise<Target> {
  const project = path.join(WORK, String(at));
  cpSync(FIXTURE, project, { recursive: true });
  withoutAnswerCache(project);
  for (const [file, text] of Object.entries(PROJECTS[name]!)) {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    writeFileSync(path.join(project, file), text);
  }
  return startGalley({ program, project, env: await databaseOf(at), headers, probe: list(1) });
}

/** The environment of a server with a copy of the rows of its own. */
async function databaseOf(at: number): Promise<Record<string, string>> {
  if (postgres) return { DATABASE_CLIENT: 'postgres', DATABASE_URL: await postgres.copy(`code_${at}`) };
  const database = path.join(WORK, `${at}.db`);
  cpSync(grown, database);
  return onFile(database);
}

const requests = Array.from({ length: OPERANDS }, (_one, at) => ({ method: 'GET' as const, path: list(at + 1) }));

interface Rate {
  /** Requests a second. */
  readonly rate: number;
  /** Microseconds of the server's processor time for a request. */
  readonly time: number;
}

async function measure({ url, processorTime }: Target, duration: number): Promise<Rate> {
  const before = processorTime();
  const result = await autocannon({ url, connections, duration, headers, requests });
  const { total } = result.requests;
  const failed = result.errors + result.non2xx;
  // on a busy machine a request may take longer than it has
  if (failed > 1 + total / 100) throw new Error(`${failed} of ${total} requests failed`);
  return { rate: total / result.duration, time: ((processorTime() - before) * 1e6) / total };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const servers: Target[] = [];
for (const [at, name] of names.entries()) servers.push(await start(name, at));
const text = async ({ url }: Target): Promise<string> => (await fetch(url + list(2), { headers })).text();
const expected = await text(servers[0]!);
for (const [at, server] of servers.entries()) {
  if ((await text(server)) !== expected) console.log(`${names[at]}: another answer than ${names[0]}`);
}
const rates = servers.map((): Rate[] => []);
for (const server of servers) await measure(server, 2);
for (let round = 0; round < rounds; round++) {
  const turns = [...servers.entries()];
  for (const [at, server] of round % 2 === 0 ? turns : turns.reverse()) {
    rates[at]!.push(await measure(server, seconds / rounds));
  }
}
console.log(
  `${connections} connections, ${rounds} rounds, ${seconds} s each in all; ${expected.length} letters an answer`,
);
console.log(cells('requests/s', 'of no code', 'processor µs', 'of no code'), ' list behind');
const medianOf = (at: number, kind: keyof Rate): number => median(rates[at]!.map((one) => one[kind]));
for (const [at, name] of names.entries()) {
  const [rate, time] = [medianOf(at, 'rate'), medianOf(at, 'time')];
  const ratios = [(rate / medianOf(0, 'rate')).toFixed(2), (medianOf(0, 'time') / time).toFixed(2)] as const;
  console.log(cells(rate.toFixed(0), ratios[0], time.toFixed(0), ratios[1]), ` ${name}`);
}
for (const server of servers) await server.stop();
