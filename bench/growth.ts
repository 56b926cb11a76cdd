/**
 * How the speed of requests follows the number of documents.
 *
 *     npm run bench:growth [-- --sizes 10000,100000,1000000] [--engines sqlite,postgres] [--seconds N] [--only TEXT[,TEXT…]]
 *       [--work DIR] [--settle SECONDS] [--dry]
 *
 * Fills the tables of docs/performance.md and draws docs/performance/growth-<engine>.svg for the engines that it measured, or with
 * `--dry` prints alone. The exit code is 1 when an aim is missed. Databases are made under `--work`, a folder of the
 * system's temporary ones unless said otherwise, and kept for the next run; a million articles take some gigabytes there
 * on each engine.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { circumstances, fillPart } from './document.ts';
import { buildGalley } from './galley.ts';
import { chart } from './growth/chart.ts';
import { type EngineName, openStore, samplesOf } from './growth/databases.ts';
import { measureEngine, stepsOf } from './growth/engine.ts';
import { declareIndexes } from './growth/indexes.ts';
import { Progress } from './growth/progress.ts';
import { type EngineResult, missed } from './growth/results.ts';
import { requestTable, serverTable } from './growth/tables.ts';
import { withoutAnswerCache } from './without-cache.ts';

const ROOT = path.join(import.meta.dirname, '..');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const DOCS = path.join(ROOT, 'docs');
const CHARTS = 'performance';
const ENGINES: readonly EngineName[] = ['sqlite', 'postgres'];
const CONNECTIONS = 8;

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    engines: { type: 'string', default: ENGINES.join() },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string' },
    work: { type: 'string', default: path.join(tmpdir(), 'galley-growth') },
    settle: { type: 'string', default: '900' },
    dry: { type: 'boolean', default: false },
  },
});

const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} takes positive numbers, not ${text}`);
  return value;
};
const sizes = options.sizes
  .split(',')
  .map((size) => positive('sizes', size))
  .sort((a, b) => a - b);
const engines = options.engines.split(',').map((name) => {
  const engine = ENGINES.find((known) => known === name);
  if (!engine) throw new Error(`--engines takes ${ENGINES.join(' and ')}, not ${name}`);
  return engine;
});
const seconds = positive('seconds', options.seconds);
const settle = positive('settle', options.settle);
const only = options.only?.split(',');
const work = path.resolve(options.work);

mkdirSync(work, { recursive: true });
buildGalley();
const project = path.join(work, 'project');
rmSync(project, { recursive: true, force: true });
cpSync(FIXTURE, project, { recursive: true });
withoutAnswerCache(project);
declareIndexes(project);

const progress = new Progress(engines.length * stepsOf(sizes, only));
const results: EngineResult[] = [];
for (const engine of engines) {
  const store = await openStore(engine, work, progress);
  try {
    const samples = sizes.map((size) => samplesOf(work, size, progress));
    results.push(
      await measureEngine({ store, project, samples, seconds, connections: CONNECTIONS, only, settle, progress }),
    );
  } finally {
    store.stop();
  }
}
progress.end();
rmSync(project, { recursive: true, force: true });

const how = `${circumstances()}; ${CONNECTIONS} connections, ${seconds} s each; load generator, server and database on the same machine.`;
for (const result of results) {
  const about = `${result.version}. ${how}`;
  const text = `${about}\n\n${requestTable(result)}\n\n${serverTable(result)}`;
  console.log(`\n${result.engine}\n\n${text}`);
  if (options.dry) continue;
  const drawn = `${CHARTS}/growth-${result.engine}.svg`;
  mkdirSync(path.join(DOCS, CHARTS), { recursive: true });
  writeFileSync(path.join(DOCS, drawn), chart(result));
  const title = `Requests a second over the number of articles, ${result.version}`;
  fillPart(path.join(DOCS, 'performance.md'), `growth ${result.engine}`, `![${title}](${drawn})\n\n${text}`);
}
const problems = results.flatMap(missed);
if (problems.length > 0) {
  console.log(`\naims missed:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  process.exitCode = 1;
}
