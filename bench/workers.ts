/**
 * One process beside several workers, on copies of one database, in turns. By hand:
 *
 *     npm run bench:workers [-- --workers N] [--connections N] [--seconds N] [--rounds N] [--warm N] [--postgres]
 *         [--only NAME[,NAME…]]
 *
 * The load generator takes its part of the same cores, so that two workers of two cores cannot serve twice as much as
 * one process: the processor time of a request, of all processes together, says what they would serve with cores of
 * their own.
 */
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { buildGalley, onFile, startGalley } from './galley.ts';
import { growDatabase } from './grow.ts';
import { loadPostgres } from './postgres.ts';
import type { Target } from './processes.ts';
import { cells } from './tables.ts';
import { withoutAnswerCache } from './without-cache.ts';
import { workloads } from './workloads.ts';
import { type Writers, writeNames, writersOf } from './writes.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work/workers');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const ARTICLES = 2000;
/** Milliseconds in which a server that has anything to make says so. */
const QUIET = 2500;
const READS = ['list', 'populate-all', 'single'];
/** All but one that ends when there are no more drafts. */
const WRITES = writeNames.filter((name) => name !== 'publish-first');
/** Those of them that are measured unless others are named. */
const USUAL = [...READS, 'create-small', 'create'];

const { values: options } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '4' },
    /** Seconds of each kind of request that are not counted, for each process: one that has compiled nothing is slow. */
    warm: { type: 'string', default: '4' },
    only: { type: 'string', default: USUAL.join() },
    postgres: { type: 'boolean', default: false },
  },
});
const only = options.only.split(',');
const unknown = only.filter((name) => !READS.includes(name) && !WRITES.includes(name));
if (unknown.length > 0) throw new Error(`no such workload: ${unknown.join()}; there are ${[...READS, ...WRITES]}`);
const { connections, seconds, rounds, warm } = Object.fromEntries(
  (['connections', 'seconds', 'rounds', 'warm'] as const).map((name) => [name, Number(options[name])]),
) as Record<'connections' | 'seconds' | 'rounds' | 'warm', number>;
const tokens = JSON.parse(readFileSync(path.join(FIXTURE, 'tokens.json'), 'utf8')) as Record<string, string>;
const headers = { authorization: `Bearer ${tokens['full']}` };

interface Contestant {
  readonly workers: number;
  readonly target: Target;
  readonly writers: Writers;
}

/** What requests of one kind were served, and what they took. */
interface Total {
  requests: number;
  seconds: number;
  processor: number;
}

type Load = (
  contestant: Contestant,
  seconds: number,
) => Promise<{ readonly requests: number; readonly seconds: number }>;

const read = async ({ target }: Contestant, pathname: string, duration: number) => {
  const url = target.url + pathname;
  const result = await autocannon({ url, connections, duration, headers });
  if (result.non2xx || result.errors) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return { requests: result.requests.total, seconds: result.duration };
};

async function measure(contestants: readonly Contestant[], load: Load): Promise<Total[]> {
  const totals = contestants.map((): Total => ({ requests: 0, seconds: 0, processor: 0 }));
  // each of several processes gets a part of the requests
  if (warm > 0) for (const contestant of contestants) await load(contestant, warm * contestant.workers);
  for (let round = 0; round < rounds; round++) {
    // whoever comes first finds another machine than whoever comes last
    const order = contestants.map((_, index) => (round % 2 === 0 ? index : contestants.length - 1 - index));
    for (const index of order) {
      const contestant = contestants[index]!;
      const total = totals[index]!;
      const before = contestant.target.processorTime();
      const served = await load(contestant, seconds);
      total.processor += contestant.target.processorTime() - before;
      total.requests += served.requests;
      total.seconds += served.seconds;
    }
  }
  return totals;
}

function print(name: string, totals: readonly Total[]): void {
  const rates = totals.map((total) => total.requests / total.seconds);
  const costs = totals.map(({ processor, requests }) => (processor / requests) * 1000);
  const ratio = rates.at(-1)! / rates[0]!;
  console.log(
    cells(name, ...rates.map((rate) => rate.toFixed(0)), ratio.toFixed(2), ...costs.map((ms) => ms.toFixed(3))),
  );
}

buildGalley();
rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });
const project = path.join(WORK, 'project');
cpSync(FIXTURE, project, { recursive: true });
withoutAnswerCache(project);
const grown = path.join(WORK, 'grown.db');
const documentId = growDatabase(path.join(FIXTURE, 'database/data.db'), grown, ARTICLES);
const postgres = options.postgres ? await loadPostgres(grown) : undefined;

async function databaseOf(workers: string): Promise<Record<string, string>> {
  if (postgres) return { DATABASE_CLIENT: 'postgres', DATABASE_URL: await postgres.copy(`workers_${workers}`) };
  const copy = path.join(WORK, `workers-${workers}.db`);
  copyFileSync(grown, copy);
  return onFile(copy);
}

/** Waits until a server has made its indexes: it says so of each, and then nothing more for a while. */
async function settled(target: Target): Promise<void> {
  for (let said: string | undefined; said !== target.output(); ) {
    said = target.output();
    await pause(QUIET);
  }
}

const contestants: Contestant[] = [];
for (const workers of ['1', options.workers]) {
  const env = { ...(await databaseOf(workers)), GALLEY_WORKERS: workers };
  const probe = '/api/articles?pagination[pageSize]=1';
  const target = await startGalley({ program: 'dist/main.js', project, env, headers, probe });
  await settled(target);
  contestants.push({
    workers: Number(workers),
    target,
    writers: await writersOf({ name: workers, target }, connections),
  });
}

console.log(`${connections} connections, ${rounds} rounds of ${seconds} s; requests/s, and processor ms of a request`);
const names = contestants.map(({ writers }) => `${writers.name} worker${writers.name === '1' ? '' : 's'}`);
console.log(cells('', ...names, 'ratio', ...names.map((name) => `ms, ${name}`)));
for (const name of only) {
  const { path: pathname = '' } = workloads.find((workload) => workload.name === name) ?? {};
  const load: Load = READS.includes(name)
    ? (contestant, duration) => read(contestant, pathname.replace(':documentId', documentId), duration)
    : async ({ writers }, duration) => (await writers.rate(name, duration))!;
  print(name, await measure(contestants, load));
}
for (const [index, { target }] of contestants.entries()) {
  const [all, started] = [target.memoryOfAll(), target.memory()].map((megabytes) => megabytes.toFixed(0));
  console.log(`memory, ${names[index]}: ${all} MB, ${started} MB of them in the process that was started`);
  await target.stop();
}
rmSync(WORK, { recursive: true, force: true });
process.exit();
