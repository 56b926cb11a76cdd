/**
 * Asks the reference and Galley the same random requests of a project and prints how their answers differ. What it does
 * and needs: `npm run compare -- --help`. A rule explains a difference of reads where both agree without the parameters
 * that it is about; what filters then find is held against a second statement of theirs (truth.ts).
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalog } from '../../src/schema/load.ts';
import { compareReads } from './compare-reads.ts';
import { compareWrites } from './compare-writes.ts';
import { startPair } from './servers.ts';

const HELP = `npm run compare -- --project DIR [options]

Starts Strapi and Galley on copies of a project and of one SQLite database, asks both the same random requests, made
from the schemas, and prints each kind of difference with the smallest requests that show it. Differences that
docs/differences.md tells are counted by the name of their rule, and what Strapi answers with 500 by its error.
The exit code is 1 where a difference is left that no rule explains.

Needs BENCH_STRAPI_DIR: a folder with the node_modules of Strapi 5.54 (see bench/README.md). A project without
database/data.db gets one with the locales of its fixture.json and random documents.

Options:
  --project DIR   the project; test/compare/project and test/fixtures/strapi-project are two
  --count N       reads (500)
  --writes N      writes (0), in short episodes that begin on the database as it was
  --seed S        the same seed makes the same requests (1)
  --most N        ends after so many kinds of differences (60)
  --seconds N     ends after so much time (1800)
  --help          prints this
`;

const { values: options } = parseArgs({
  options: {
    project: { type: 'string' },
    count: { type: 'string', default: '500' },
    writes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '1800' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit();
}
if (options.project === undefined) throw new Error('--project names the folder of a project');
const project = path.resolve(options.project);
const catalog = loadCatalog(project);
const [count, writes, seed, most, seconds] = [
  options.count,
  options.writes,
  options.seed,
  options.most,
  options.seconds,
].map(numberOf) as [number, number, number, number, number];
const pair = await startPair(project);
const until = performance.now() + seconds * 1000;
let different = 0;
try {
  if (count > 0) different += await readsCompared();
  if (writes > 0) different += await writesCompared();
} finally {
  await pair.stop();
}
if (different > 0) process.exitCode = 1;

async function readsCompared(): Promise<number> {
  const { equal, deliberate, failures, groups } = await compareReads(pair, catalog, { count, seed, most, until });
  for (const { request, where, count: times } of groups.values()) console.log(`${times} × ${request}\n    ${where}`);
  tellFailures(failures);
  console.log(
    `reads: ${equal} equal, ${groups.size} kinds of differences; deliberate: ${JSON.stringify(Object.fromEntries(deliberate))}`,
  );
  return groups.size;
}

async function writesCompared(): Promise<number> {
  const report = await compareWrites(pair, catalog, { count: writes, seed, most, until });
  for (const { text, count: times } of report.differences.values()) console.log(`${times} × ${text}`);
  tellFailures(report.failures);
  console.log(
    `writes: ${report.writes}, ${report.equal} equal, ${report.differences.size} kinds of differences; deliberate: ${JSON.stringify(Object.fromEntries(report.deliberate))}`,
  );
  return report.differences.size;
}

function tellFailures(failures: ReadonlyMap<string, { first: string; count: number }>): void {
  for (const [error, { first, count: times }] of failures)
    console.log(`${times} × 500: ${error}\n    ${first.slice(0, 300)}`);
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${text} is no number of anything`);
  return value;
}
