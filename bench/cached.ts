/**
 * Remembered answers beside a bare Fastify route that sends the same bytes from memory (bare.ts), in turns in one run:
 * requests per second, and the processor time that one request takes the server, which says more on a busy machine.
 *
 *     node bench/cached.ts [--seconds N] [--connections N] [--rounds N] [--only NAME[,NAME…]] [--source]
 *
 * `--source` runs Galley from its source, which takes no build.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { buildGalley, onFile, startGalley } from './galley.ts';
import { growDatabase } from './grow.ts';
import { freePort, launch, type Target } from './processes.ts';
import { cells } from './tables.ts';
import { workloads } from './workloads.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const ARTICLES = 2000;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '6' },
    only: { type: 'string' },
    source: { type: 'boolean', default: false },
  },
});
const [seconds, connections, rounds] = [options.seconds, options.connections, options.rounds].map(Number) as [
  number,
  number,
  number,
];
const only = options.only?.split(',');

/** What was measured of a server. */
interface Sum {
  requests: number;
  seconds: number;
  /** Milliseconds. */
  processor: number;
}

async function measure(target: Target, at: string, headers: Readonly<Record<string, string>>, sum: Sum): Promise<void> {
  const before = target.processorTime();
  const result = await autocannon({ url: target.url + at, connections, duration: seconds / rounds, headers });
  if (result.errors) throw new Error(`${at}: ${result.errors} failed`);
  sum.processor += target.processorTime() - before;
  sum.requests += result.requests.total;
  sum.seconds += result.duration;
}

mkdirSync(WORK, { recursive: true });
if (!options.source) buildGalley();
const project = path.join(WORK, 'cached');
rmSync(project, { recursive: true, force: true });
cpSync(FIXTURE, project, { recursive: true });
const database = path.join(WORK, 'cached.db');
for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });
const documentId = growDatabase(path.join(FIXTURE, 'database/data.db'), database, ARTICLES);
const tokens = JSON.parse(readFileSync(path.join(FIXTURE, 'tokens.json'), 'utf8')) as Record<string, string>;
const headers = { authorization: `Bearer ${tokens['full']}` };
const program = options.source ? 'src/main.ts' : 'dist/main.js';
const probe = '/api/articles?pagination[pageSize]=1';
const galley = await startGalley({ program, project, env: onFile(database), headers, probe });

console.log(`${connections} connections, ${rounds} rounds, ${seconds} s each in all, requests/s and µs of processor`);
console.log(cells('answer', 'KB', 'Galley', 'bare', 'ratio', 'Galley µs', 'bare µs', 'ratio', 'MB'));
for (const { name, path: pattern } of workloads) {
  if (only && !only.includes(name)) continue;
  const at = pattern.replace(':documentId', documentId);
  const body = await (await fetch(galley.url + at, { headers })).text();
  const file = path.join(WORK, 'cached.json');
  writeFileSync(file, body);
  const port = await freePort();
  const bare = await launch({
    command: process.execPath,
    args: [path.join(import.meta.dirname, 'bare.ts'), file, String(port)],
    cwd: ROOT,
    env: {},
    port,
    probe: '/',
    timeout: 30_000,
  });
  const [ours, theirs, warm] = [0, 1, 2].map((): Sum => ({ requests: 0, seconds: 0, processor: 0 })) as [Sum, Sum, Sum];
  for (let round = 0; round <= rounds; round++) {
    // the first one makes both warm
    const turns = [
      () => measure(galley, at, headers, round === 0 ? warm : ours),
      () => measure(bare, '/', {}, round === 0 ? warm : theirs),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const rate = ({ requests, seconds: time }: Sum): number => requests / time;
  const each = ({ requests, processor }: Sum): number => (processor * 1e6) / requests;
  console.log(
    cells(
      name,
      (Buffer.byteLength(body) / 1000).toFixed(1),
      rate(ours).toFixed(0),
      rate(theirs).toFixed(0),
      (rate(ours) / rate(theirs)).toFixed(2),
      each(ours).toFixed(1),
      each(theirs).toFixed(1),
      (each(theirs) / each(ours)).toFixed(2),
      galley.memory().toFixed(0),
    ),
  );
  await bare.stop();
}
await galley.stop();
