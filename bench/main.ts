/**
 * Galley (g) beside a hand-written handler (a) and beside Strapi (b), on one database, in one run.
 *
 *     npm run bench [-- --no-strapi] [--postgres] [--seconds N] [--only NAME]
 *
 * `--postgres` puts Galley and the hand-written handler on PostgreSQL, without Strapi; reads alone are measured.
 * `--only fairness` measures on a larger database what one caller's expensive reads cost another's cheap ones.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { difference } from './difference.ts';
import { FAIRNESS_ARTICLES, measureFairness } from './fairness.ts';
import { onFile, startGalley } from './galley.ts';
import { growDatabase } from './grow.ts';
import { type Latency, measureLogins } from './logins.ts';
import { loadPostgres } from './postgres.ts';
import { freePort, launch, type Target } from './processes.ts';
import { measureRefusals } from './refusals.ts';
import { startStrapi } from './strapi.ts';
import { type Workload, workloads } from './workloads.ts';
import { measureWrites, writeNames } from './writes.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const ARTICLES = 2000;
const CONNECTIONS = 16;
const PROBE = '/api/articles?pagination[pageSize]=1';

const { values: options } = parseArgs({
  options: {
    'no-strapi': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
});
const seconds = Number(options.seconds);
const isFairness = options.only === 'fairness';
const tokens = JSON.parse(readFileSync(path.join(FIXTURE, 'tokens.json'), 'utf8')) as Record<string, string>;
const headers = { authorization: `Bearer ${tokens['full']}` };

/** Starts Galley as it is installed: the compiled package. */
const startInstalled = (project: string, env: Readonly<Record<string, string>>): Promise<Target> =>
  startGalley({ program: 'dist/main.js', project, env, headers, probe: PROBE });

/** Answers per second under load, after a warm-up. */
async function rate(target: Target, pathname: string): Promise<number> {
  const url = target.url + pathname;
  const run = (duration: number): Promise<autocannon.Result> =>
    autocannon({ url, connections: CONNECTIONS, duration, headers: { ...target.headers } });
  await run(1);
  const result = await run(seconds);
  if (result.non2xx || result.errors) throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return result.requests.average;
}

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
execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
const project = path.join(WORK, 'project');
rmSync(project, { recursive: true, force: true });
cpSync(FIXTURE, project, { recursive: true });
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
const untouched = path.join(WORK, 'grown-strapi.db');
copyFileSync(database, untouched);

const postgres = options.postgres ? await loadPostgres(database) : undefined;
const chosen = workloads.filter(
  ({ name, byHandOnPostgres }) => (!options.only || name === options.only) && (!postgres || byHandOnPostgres),
);
const contentPath = (workload: Workload): string => workload.path.replace(':documentId', documentId);
const handlerPath = ({ name }: Workload): string => (name === 'single' ? `/single/${documentId}` : `/${name}`);

const problems: string[] = [];
const galley = await startInstalled(
  project,
  postgres ? { DATABASE_CLIENT: 'postgres', DATABASE_URL: postgres } : onFile(database),
);
if (isFairness) {
  const callers = { cheap: tokens['full']!, expensive: tokens['read']! };
  problems.push(...(await measureFairness({ target: galley, tokens: callers, seconds, aim: postgres ? 150 : 50 })));
  await galley.stop();
  report(problems);
  process.exit();
}
// After Galley, on the same file: indexes that Galley adds serve the yardstick as well.
const handlerPort = await freePort();
const handler = await launch({
  command: process.execPath,
  args: [
    path.join(import.meta.dirname, postgres ? 'handler-postgres.ts' : 'handler.ts'),
    postgres ?? database,
    String(handlerPort),
  ],
  cwd: ROOT,
  env: {},
  port: handlerPort,
  probe: '/list',
  timeout: 30_000,
});
const strapi =
  options['no-strapi'] || postgres
    ? undefined
    : await startStrapi({
        project: FIXTURE,
        database: untouched,
        work: WORK,
        port: await freePort(),
        headers,
        probe: PROBE,
      });

for (const workload of chosen) {
  const answer: unknown = JSON.parse(await bodyOf(galley, contentPath(workload)));
  const byHand = difference(JSON.parse(await bodyOf(handler, handlerPath(workload))), answer);
  if (byHand) problems.push(`${workload.name}: the hand-written handler and Galley differ at ${byHand}`);
  const byStrapi = strapi && difference(JSON.parse(await bodyOf(strapi, contentPath(workload))), answer);
  if (byStrapi) problems.push(`${workload.name}: Strapi and Galley differ at ${byStrapi}`);
}

console.log(`requests/s, ${CONNECTIONS} connections, ${seconds} s each, ${ARTICLES} published articles`);
const cells = (...columns: (string | number)[]): string => columns.map((cell) => String(cell).padStart(12)).join('');
console.log(cells('workload', 'KB', 'g Galley', 'a by hand', 'b Strapi', 'g/a', 'g/b'));
let loaded = 0;
for (const workload of chosen) {
  const size = (Buffer.byteLength(await bodyOf(galley, contentPath(workload))) / 1000).toFixed(1);
  const g = await rate(galley, contentPath(workload));
  loaded = Math.max(loaded, galley.memory());
  const a = await rate(handler, handlerPath(workload));
  const b = strapi && (await rate(strapi, contentPath(workload)));
  console.log(
    cells(
      workload.name,
      size,
      g.toFixed(0),
      a.toFixed(0),
      b?.toFixed(0) ?? '-',
      (g / a).toFixed(2),
      b ? (g / b).toFixed(1) : '-',
    ),
  );
}
console.log('aims: g/a at least 0.8; g/b at least 20, three-levels at least 10');
await handler.stop();

// the PostgreSQL server of the bench puts nothing on the disk
const written = writeNames.filter((name) => !postgres && (!options.only || name === options.only));
if (written.length > 0) {
  console.log(`\nwrites/s, each validated, published and on disk before it is answered (synchronous = full)`);
  console.log(cells('workload', 'g Galley', 'b Strapi', 'g/b'));
  const g = await measureWrites(galley, written, CONNECTIONS, seconds);
  const b = strapi && (await measureWrites(strapi, written, CONNECTIONS, seconds));
  for (const [name, rate] of g) {
    const other = b?.get(name);
    console.log(cells(name, rate.toFixed(0), other?.toFixed(1) ?? '-', other ? (rate / other).toFixed(1) : '-'));
  }
  console.log('aim: create at least 40 times Strapi');
}
await strapi?.stop();

if (!options.only || options.only === 'logins') {
  const { idle, storm, logins, refused } = await measureLogins(galley, Math.max(seconds, 5));
  const told = ({ p50, p99 }: Latency): string => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  console.log(
    `\n200 reads/s, idle: ${told(idle)}; with 20 logins/s: ${told(storm)}; logins: ${told(logins)}, ${refused} refused`,
  );
  console.log(`p99 of reads ${(storm.p99 / idle.p99).toFixed(1)} times its idle value; aim: under 3`);
}

console.log(`\nmemory of Galley under load: ${loaded.toFixed(0)} MB; aim: under 150 MB`);
problems.push(...(await measureRefusals(galley)));
await galley.stop();

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
console.log(`\nstart to first answer on the fixture: ${starts[2]!.toFixed(0)} ms (median of 5); aim: under 500 ms`);

report(problems);
