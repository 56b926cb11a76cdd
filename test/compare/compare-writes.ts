/** Compares the answers and effects of random writes. */
import type { Catalog } from '../../src/schema/catalog.ts';
import { Random } from '../model/random.ts';
import { typesOf } from './samples.ts';
import { type Answer, type Pair, printed } from './servers.ts';
import { Episodes } from './writes/episodes.ts';
import { Names } from './writes/names.ts';
import type { Known } from './writes/payloads.ts';
import { Session } from './writes/session.ts';
import { differenceIn, kindOf, shrink } from './writes/shrink.ts';
import { readState } from './writes/state.ts';
import { requestOf, type Step } from './writes/step.ts';

export interface WriteOptions {
  readonly count: number;
  readonly seed: number;
  /** Kinds of differences after which it ends. */
  readonly most: number;
  /** When to end, as `performance.now()` tells it. */
  readonly until: number;
}

/** What a run has found. */
export interface WriteReport {
  writes: number;
  equal: number;
  /** Deliberate differences by rule. */
  readonly deliberate: Map<string, number>;
  /** Where the reference answered 500: the first such write, by the reference's error and Galley's answer. */
  readonly failures: Map<string, { first: string; count: number }>;
  /** Unexplained differences by kind. */
  readonly differences: Map<string, { text: string; count: number }>;
}

/** Writes that follow one another on the origin. */
const LENGTH = 8;

/** Plays episodes until as many writes have been compared, and shrinks those that differ. */
export async function compareWrites(pair: Pair, catalog: Catalog, options: WriteOptions): Promise<WriteReport> {
  const report: WriteReport = {
    writes: 0,
    equal: 0,
    deliberate: new Map(),
    failures: new Map(),
    differences: new Map(),
  };
  const origin = await originOf(pair, catalog);
  const session = new Session(pair, catalog, new Set([...origin.documents.values()].flat()));
  for (let number = 0; report.writes < options.count; number++) {
    if (report.differences.size >= options.most || performance.now() > options.until) break;
    const seed = options.seed * 100_000 + number;
    const episode = new Episodes(catalog, origin, new Random(seed)).next(LENGTH);
    const played = await session.play(episode);
    for (const [index, verdict] of played.verdicts.entries()) {
      report.writes++;
      if (verdict.kind === 'equal') report.equal++;
      if (verdict.kind === 'deliberate') for (const rule of verdict.rules) add(report.deliberate, rule);
      if (verdict.kind === 'failed') fail(report, verdict.error, verdict.galley, episode[index]!);
    }
    const where = differenceIn(played);
    if (where === undefined) continue;
    const known = report.differences.get(kindOf(where));
    if (known) {
      known.count++;
      continue;
    }
    const smallest = await shrink(session, episode.slice(0, played.verdicts.length), where);
    const steps = smallest.episode.map((step) => `\n    ${step.number}: ${printed(requestOf(step))}`).join('');
    report.differences.set(kindOf(where), { text: `${smallest.where}${steps}`, count: 1 });
  }
  pair.restore();
  return report;
}

const add = (counts: Map<string, number>, key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1);

function fail({ failures }: WriteReport, error: string, galley: Answer, step: Step): void {
  const key = `${error} → ${galley.status} ${messageOf(galley.body)}`;
  const known = failures.get(key);
  if (known) known.count++;
  else failures.set(key, { first: printed(requestOf(step)), count: 1 });
}

function messageOf(body: unknown): string {
  const { error } = (body ?? {}) as { error?: { message?: string } };
  return (error?.message ?? '').replaceAll(/\d+|"[^"]*"/g, '_').slice(0, 100);
}

/** Documents and files that are there before the first write. */
async function originOf(pair: Pair, catalog: Catalog): Promise<Known> {
  const documents = new Map<string, string[]>(typesOf(catalog).map(({ uid }) => [uid, []]));
  for (const key of (
    await readState(catalog, { side: pair.reference, names: new Names(new Set()), since: '9' }, undefined)
  ).keys()) {
    const [uid = '', documentId = ''] = key.split(' ');
    const known = documents.get(uid);
    if (known && !known.includes(documentId)) known.push(documentId);
  }
  const { body } = await pair.reference.send({ method: 'GET', path: '/api/upload/files', params: [] });
  return { documents, files: body as Known['files'] };
}
