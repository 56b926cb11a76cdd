/**
 * Galley beside a hand-written handler, Strapi, Payload and another checkout of Galley, on databases with the same rows,
 * in one run.
 *
 *     npm run bench [-- --no-strapi] [--no-payload] [--postgres [--network MS]] [--against DIR] [--seconds N]
 *       [--warm N] [--connections N] [--only NAME[,NAME…]] [--write]
 *
 * `--postgres` puts all of them on PostgreSQL, `--network` with so many milliseconds of round trip to it.
 * `--write` puts the tables into docs/performance.md.
 * `--against` measures another checkout of Galley in turns with this one: what a change has gained.
 * `--only fairness` measures on a larger database what one caller's expensive reads cost another's cheap ones.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { aimLines, BY_HAND, WITH_HEADERS } from './aims.ts';
import { headersOf } from './answer-headers.ts';
import { difference } from './difference.ts';
import { circumstances, fillPart } from './document.ts';
import { FAIRNESS_ARTICLES, measureFairness } from './fairness.ts';
import { buildGalley, onFile, startGalley } from './galley.ts';
import { growDatabase } from './grow.ts';
import { type Latency, measureLogins } from './logins.ts';
import { contentOf, payloadPaths, payloadWriters, startPayload } from './payload.ts';
import { loadPostgres } from './postgres.ts';
import { freePort, launch, type Target } from './processes.ts';
import { measureRefusals } from './refusals.ts';
import { type Network, roundTrip, startNetwork } from './slow-network.ts';
import { startStrapi } from './strapi.ts';
import {
  type Contestant,
  markdown,
  printReads,
  printWrites,
  type RateLine,
  type Timing,
  type WriteContestant,
} from './tables.ts';
import { withoutAnswerCache } from './without-cache.ts';
import { type Workload, workloads } from './workloads.ts';
import { writeNames, writersOf } from './writes.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const ARTICLES = 2000;
const PROBE = '/api/articles?pagination[pageSize]=1';

const { values: options } = parseArgs({
  options: {
    'no-strapi': { type: 'boolean', default: false },
    'no-payload': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '4' },
    warm: { type: 'string', default: '4' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    network: { type: 'string' },
    against: { type: 'string' },
  },
});
if (options.network !== undefined && !options.postgres) throw new Error('--network needs --postgres');
const seconds = Number(options.seconds);
const timing: Timing = {
  seconds,
  warm: Number(options.warm),
  connections: Number(options.connections),
  rounds: options.against ? 4 : 2,
};
const only = options.only?.split(',');
const isFairness = options.only === 'fairness';
const tokens = JSON.parse(readFileSync(path.join(FIXTURE, 'tokens.json'), 'utf8')) as Record<string, string>;
const headers = { authorization: `Bearer ${tokens['full']}` };

/** Starts Galley as it is installed: the compiled package of a checkout. */
const startInstalled = (
  project: string,
  env: Readonly<Record<string, string>>,
  checkout: { readonly root?: string } = {},
): Promise<Target> => startGalley({ program: 'dist/main.js', project, env, headers, probe: PROBE, ...checkout });

async function bodyOf(target: Target, pathname: string): Promise<string> {
  const response = await fetch(target.url + pathname, { headers: target.headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${pathname}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** Prints what is not as it should be. */
function report(problems: readonly string[]): void {
  if (problems.length === 0) return;
  console.log(`\nnot as it should be:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  process.exitCode = 1;
}

mkdirSync(WORK, { recursive: true });
const against = options.against && path.resolve(options.against);
buildGalley();
if (against) buildGalley(against);
const project = path.join(WORK, 'project');
rmSync(project, { recursive: true, force: true });
cpSync(FIXTURE, project, { recursive: true });
withoutAnswerCache(project);
// the storm of logins comes from one address
const users = { config: { jwtSecret: 'jwtsecret', ratelimit: { enabled: false } } };
writeFileSync(
  path.join(project, 'config/plugins.js'),
  `module.exports = ${JSON.stringify({ 'users-permissions': users })};`,
);
const database = path.join(WORK, 'grown.db');
for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });
const articles = isFairness ? FAIRNESS_ARTICLES : ARTICLES;
const documentId = growDatabase(path.join(FIXTURE, 'database/data.db'), database, articles);
const copyOf = (name: string): string => {
  const copy = path.join(WORK, `${name}.db`);
  for (const suffix of ['-wal', '-shm']) rmSync(copy + suffix, { force: true });
  copyFileSync(database, copy);
  return copy;
};
const postgres = options.postgres ? await loadPostgres(database) : undefined;
const networks: Network[] = [];
/** A server's own way to a database of PostgreSQL. */
async function wayTo(url: string): Promise<{ url: string; network: Network | undefined }> {
  if (options.network === undefined) return { url, network: undefined };
  const network = await startNetwork(url, Number(options.network));
  networks.push(network);
  return { url: network.url, network };
}

const chosen = workloads.filter(({ name }) => !only || only.includes(name));
const written = writeNames.filter((name) => !only || only.includes(name));
const contentPath = (workload: Workload): string => workload.path.replace(':documentId', documentId);
const handlerPath = ({ name }: Workload): string => (name === 'single' ? `/single/${documentId}` : `/${name}`);

// copies are made before anybody writes to the first one
const withStrapi = !options['no-strapi'] && !isFairness;
const strapiDatabase = withStrapi ? await (postgres?.copy('strapi') ?? copyOf('grown-strapi')) : undefined;
const againstDatabase = against ? await (postgres?.copy('against') ?? copyOf('grown-against')) : undefined;

const problems: string[] = [];
async function openGalley(name: string, at: string, checkout: { readonly root?: string } = {}): Promise<Contestant> {
  if (!postgres) return { name, target: await startInstalled(project, onFile(at), checkout) };
  const { url, network } = await wayTo(at);
  const env = { DATABASE_CLIENT: 'postgres', DATABASE_URL: url };
  return { name, network, target: await startInstalled(project, env, checkout) };
}
const first = await openGalley('Galley', postgres?.url ?? database);
const galley = first.target;
if (isFairness) {
  const callers = { cheap: tokens['full']!, expensive: tokens['read']! };
  problems.push(...(await measureFairness({ target: galley, tokens: callers, seconds, aim: postgres ? 150 : 50 })));
  await galley.stop();
  report(problems);
  process.exit();
}
// After Galley, on the same database: indexes that Galley adds serve the yardsticks as well.
async function startByHand(name: string, env: Readonly<Record<string, string>>): Promise<Contestant> {
  const port = await freePort();
  const way = postgres && (await wayTo(postgres.url));
  const program = path.join(import.meta.dirname, postgres ? 'handler-postgres.ts' : 'handler.ts');
  const target = await launch({
    command: process.execPath,
    args: [program, way?.url ?? database, String(port)],
    cwd: ROOT,
    env,
    port,
    headers,
    probe: '/list',
    timeout: 30_000,
  });
  return { name, target, network: way?.network };
}
const byHand = await startByHand(BY_HAND, {});
const withHeaders = await startByHand(WITH_HEADERS, await headersOf(galley.url + PROBE, headers.authorization));
const other = against ? await openGalley('against', againstDatabase!, { root: against }) : undefined;
const strapiWay = postgres && strapiDatabase ? await wayTo(strapiDatabase) : undefined;
const strapi: Contestant | undefined = strapiDatabase
  ? {
      name: 'Strapi',
      network: strapiWay?.network,
      target: await startStrapi({
        project: FIXTURE,
        database: strapiWay?.url ?? strapiDatabase,
        work: WORK,
        port: await freePort(),
        headers,
        probe: PROBE,
      }),
    }
  : undefined;

// of content alone: it has its own bookkeeping, and no drafts to leave out
const payloadDatabase =
  options['no-payload'] || isFairness
    ? undefined
    : await (postgres?.create('payload') ?? path.join(WORK, 'payload.db'));
const payloadWay = postgres && payloadDatabase ? await wayTo(payloadDatabase) : undefined;
const payload: Contestant | undefined = payloadDatabase
  ? {
      name: 'Payload',
      network: payloadWay?.network,
      target: await startPayload({
        rowsFrom: database,
        database: payloadWay?.url ?? payloadDatabase,
        work: WORK,
        port: await freePort(),
      }),
    }
  : undefined;
const slugOf = async (): Promise<string> =>
  (JSON.parse(await bodyOf(galley, `/api/articles/${documentId}`)) as { data: { slug: string } }).data.slug;
const payloadPath = payload && (await payloadPaths(payload.target, await slugOf()));

/** Where a contestant answers a workload; undefined when it has nothing of the kind. */
function pathFor(contestant: Contestant, workload: Workload): string | undefined {
  if (contestant === byHand || contestant === withHeaders) return handlerPath(workload);
  return contestant === payload ? payloadPath?.(workload.name) : contentPath(workload);
}

for (const workload of chosen) {
  const answer: unknown = JSON.parse(await bodyOf(galley, contentPath(workload)));
  const compare = async ({ name, target }: Contestant, pathname: string): Promise<void> => {
    const found = difference(JSON.parse(await bodyOf(target, pathname)), answer);
    if (found) problems.push(`${workload.name}: ${name} and Galley differ at ${found}`);
  };
  await compare(byHand, handlerPath(workload));
  await compare(withHeaders, handlerPath(workload));
  if (other) await compare(other, contentPath(workload));
  if (strapi) await compare(strapi, contentPath(workload));
  const peerPath = payload && pathFor(payload, workload);
  if (peerPath) {
    const found = difference(contentOf(JSON.parse(await bodyOf(payload.target, peerPath))), contentOf(answer));
    if (found) problems.push(`${workload.name}: Payload and Galley have other documents at ${found}`);
  }
}

const contestants = [first, other, byHand, withHeaders, strapi, payload].filter(
  (contestant) => contestant !== undefined,
);
console.log(`requests/s, ${timing.connections} connections, ${seconds} s each, ${ARTICLES} published articles`);
if (postgres && options.network !== undefined) {
  const [direct, delayed] = [await roundTrip(postgres.url), await roundTrip(networks[0]!.url)];
  console.log(
    `a round trip to the database takes ${delayed.toFixed(2)} ms, without the network ${direct.toFixed(2)} ms`,
  );
}
let loaded = 0;
let readLines: RateLine[] = [];
let writeLines: RateLine[] = [];
if (chosen.length > 0) {
  const lines = [];
  for (const workload of chosen) {
    lines.push({
      name: workload.name,
      kilobytes: Buffer.byteLength(await bodyOf(galley, contentPath(workload))) / 1000,
      path: (contestant: Contestant) => pathFor(contestant, workload),
    });
  }
  readLines = await printReads(contestants, lines, timing, () => {
    loaded = Math.max(loaded, galley.memory());
  });
}

if (written.length > 0) {
  const durable = postgres ? 'PostgreSQL not waiting for the disk' : 'on disk before it is answered';
  console.log(`\nwrites/s, ${timing.connections} connections, each validated, ${durable}`);
  const writing: WriteContestant[] = [];
  for (const contestant of contestants) {
    if (contestant === withHeaders || (contestant === byHand && !postgres)) continue;
    const beside = contestant === byHand ? { beside: galley } : {};
    const { name, target } = contestant;
    const writers =
      contestant === payload
        ? await payloadWriters(target, timing.connections)
        : await writersOf({ name, target, ...beside }, timing.connections);
    writing.push({ ...contestant, writers });
  }
  writeLines = (await printWrites(writing, written, timing)).map(({ name, rates }) => {
    // a column for each contestant, as the reads have
    const rateOf = (contestant: Contestant) => rates[writing.findIndex(({ name: own }) => own === contestant.name)];
    return { name, rates: contestants.map(rateOf) };
  });
}
const names = contestants.map(({ name }) => name);
const aims = aimLines({ names, reads: readLines, writes: writeLines }, postgres ? 'postgres' : 'sqlite');
if (aims.length > 0) console.log(`\n${aims.join('\n')}`);
if (options.write) {
  const how = `${circumstances()}; ${timing.connections} connections, ${seconds} s each, ${ARTICLES} published articles.`;
  const told = aims.map((line) => `- ${line}`).join('\n');
  const text = `${how}\n\n${markdown(names, [...readLines, ...writeLines])}\n\n${told}`;
  fillPart(path.join(ROOT, 'docs/performance.md'), `bench ${postgres ? 'postgres' : 'sqlite'}`, text);
}
await byHand.target.stop();
await withHeaders.target.stop();
await other?.target.stop();
await strapi?.target.stop();
await payload?.target.stop();
await postgres?.tidy();

if (!only || only.includes('logins')) {
  const { idle, storm, logins, refused, reads, readsRefused } = await measureLogins(galley, Math.max(seconds, 5));
  const told = ({ p50, p99 }: Latency): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  console.log(
    `\n${reads} reads/s, idle: ${told(idle)}; with 20 logins/s: ${told(storm)}; logins: ${told(logins)}, ${refused} refused`,
  );
  if (readsRefused > 0) problems.push(`${readsRefused} reads refused while logins were measured`);
  console.log(`p99 of reads ${(storm.p99 / idle.p99).toFixed(1)} times its idle value; aim: under 3`);
}

if (chosen.length > 0) console.log(`\nmemory of Galley under load: ${loaded.toFixed(0)} MB; aim: under 150 MB`);
if (!only) problems.push(...(await measureRefusals(galley)));
await galley.stop();
for (const network of networks) network.stop();

if (!only) {
  const starts: number[] = [];
  for (let i = 0; i < 5; i++) {
    const fresh = path.join(WORK, 'start.db');
    copyFileSync(path.join(FIXTURE, 'database/data.db'), fresh);
    const started = await startInstalled(project, onFile(fresh));
    starts.push(started.firstAnswer);
    await started.stop();
    for (const suffix of ['', '-wal', '-shm']) rmSync(fresh + suffix, { force: true });
  }
  starts.sort((x, y) => x - y);
  console.log(`\nstart to first answer on the fixture: ${starts[2]!.toFixed(0)} ms (median of 5); aim: under 300 ms`);
}

report(problems);
