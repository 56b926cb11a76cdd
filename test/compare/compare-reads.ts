/** Compares the answers to random reads. */
import type { Catalog } from '../../src/schema/catalog.ts';
import { Random } from '../model/random.ts';
import { judge, minimise } from './differences.ts';
import { Oracle } from './oracle.ts';
import { Reads } from './reads.ts';
import { pathOf, Samples, typesOf } from './samples.ts';
import { type Pair, printed } from './servers.ts';

export interface ReadOptions {
  readonly count: number;
  readonly seed: number;
  /** Kinds of differences after which it ends. */
  readonly most: number;
  /** When to end, as `performance.now()` tells it. */
  readonly until: number;
}

/** What a run has found. */
export interface ReadReport {
  equal: number;
  /** Deliberate differences by rule. */
  readonly deliberate: Map<string, number>;
  /** Where the reference answered 500: the first such read, by the reference's error and Galley's answer. */
  readonly failures: Map<string, { first: string; count: number }>;
  /** Smallest requests by the kind of their difference. */
  readonly groups: Map<string, { request: string; where: string; count: number }>;
}

export async function compareReads(pair: Pair, catalog: Catalog, options: ReadOptions): Promise<ReadReport> {
  const report: ReadReport = { equal: 0, deliberate: new Map(), failures: new Map(), groups: new Map() };
  const { groups, deliberate } = report;
  const withoutDrafts = new Set(
    typesOf(catalog).flatMap((type) => (type.draftAndPublish ? [] : [pathOf(type).slice(5)])),
  );
  const bench = { pair, catalog, oracle: await Oracle.of(catalog, pair.reference), withoutDrafts };
  const samples = await Samples.of(catalog, pair.reference);
  const reads = new Reads(catalog, samples, new Random(options.seed));
  for (let i = 0; i < options.count && groups.size < options.most && performance.now() < options.until; i++) {
    const request = reads.next();
    const verdict = await judge(bench, request);
    if (verdict.kind === 'equal') report.equal++;
    else if (verdict.kind === 'deliberate') {
      deliberate.set(verdict.rule.name, (deliberate.get(verdict.rule.name) ?? 0) + 1);
    } else if (verdict.kind === 'failed') {
      const known = report.failures.get(verdict.error);
      if (known) known.count++;
      else report.failures.set(verdict.error, { first: printed(request), count: 1 });
    } else {
      const smallest = await minimise(bench, request);
      const key = groupOf(printed(smallest.request), smallest.where);
      const known = groups.get(key);
      if (known) known.count++;
      else groups.set(key, { request: printed(smallest.request), where: smallest.where, count: 1 });
    }
  }
  return report;
}

/** Requests that differ in names and values alone are of one kind. */
function groupOf(request: string, where: string): string {
  const shape = request
    .replaceAll(/=[^&]*/g, '')
    .replaceAll(/\[(?!\$|filters|sort|populate|fields|on\b)[^\]]*\]/g, '[_]')
    .replaceAll(/\/api\/[^?]*/g, '_');
  return `${shape} ${where.replaceAll(/\d+|"[^"]*"/g, '_').split(':')[0]}`;
}
