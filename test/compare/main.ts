/**
 * Asks the reference and Galley the same random requests of a project and prints how their answers differ.
 *
 *     BENCH_STRAPI_DIR=/path/with/node_modules npm run compare -- --project DIR [--count N] [--seed S]
 *
 * `--count` reads (500) are asked; writes are not compared. Differences are minimised and grouped, `--most` groups at
 * most (60); those that docs/differences.md tells are counted by the name of their rule. A rule explains a difference
 * where both agree without the parameters that it is about, so it may hide another one of the same parameters. The same
 * seed asks the same requests.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadCatalog } from '../../src/schema/load.ts';
import { Random } from '../model/random.ts';
import { judge, minimise } from './differences.ts';
import { Reads } from './reads.ts';
import { pathOf, Samples, typesOf } from './samples.ts';
import { printed, startPair } from './servers.ts';

const { values: options } = parseArgs({
  options: {
    project: { type: 'string' },
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '60' },
  },
});
if (options.project === undefined) throw new Error('--project names the folder of a project');
const project = path.resolve(options.project);
const catalog = loadCatalog(project);
const withoutDrafts = new Set(
  typesOf(catalog).flatMap((type) => (type.draftAndPublish ? [] : [pathOf(type).slice(5)])),
);
const pair = await startPair(project);

/** Minimal requests by the kind of their difference. */
const groups = new Map<string, { request: string; where: string; count: number }>();
const deliberate = new Map<string, number>();
let equal = 0;

try {
  const samples = await Samples.of(catalog, pair.reference);
  const reads = new Reads(catalog, samples, new Random(Number(options.seed)));
  for (let i = 0; i < Number(options.count) && groups.size < Number(options.most); i++) {
    const request = reads.next();
    const verdict = await judge(pair, request, withoutDrafts);
    if (verdict.kind === 'equal') equal++;
    else if (verdict.kind === 'deliberate') {
      deliberate.set(verdict.rule.name, (deliberate.get(verdict.rule.name) ?? 0) + 1);
    } else {
      const smallest = await minimise(pair, request, withoutDrafts);
      const key = groupOf(printed(smallest.request), smallest.where);
      const known = groups.get(key);
      if (known) known.count++;
      else groups.set(key, { request: printed(smallest.request), where: smallest.where, count: 1 });
    }
  }
} finally {
  await pair.stop();
}

/** Requests that differ in names and values alone are of one kind. */
function groupOf(request: string, where: string): string {
  const shape = request
    .replaceAll(/=[^&]*/g, '')
    .replaceAll(/\[(?!\$|filters|sort|populate|fields|on\b)[^\]]*\]/g, '[_]')
    .replaceAll(/\/api\/[^?]*/g, '_');
  return `${shape} ${where.replaceAll(/\d+|"[^"]*"/g, '_').split(':')[0]}`;
}

for (const { request, where, count } of groups.values()) console.log(`${count} × ${request}\n    ${where}`);
console.log(
  `${equal} equal, ${groups.size} kinds of differences; deliberate: ${JSON.stringify(Object.fromEntries(deliberate))}`,
);
if (groups.size > 0) process.exitCode = 1;
