/** All measurements on one engine: a server for each size, all of them up at once and measured in turns. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { startGalley } from '../galley.ts';
import type { Target } from '../processes.ts';
import { type Writers, writersOf } from '../writes.ts';
import { cursorPaths } from './cursors.ts';
import type { RunDatabase, Samples, Store } from './databases.ts';
import { makeSuggested } from './indexes.ts';
import { figuresOf, type Measured, measure } from './load.ts';
import type { Progress } from './progress.ts';
import type { EngineResult, Line, ServerFigures } from './results.ts';
import { idle, settled } from './settled.ts';
import { cursorAim, cursorName, cursorPages, reads, writes } from './workloads.ts';

/** Turns of each size at a workload: the machine is not the same all the time. */
const ROUNDS = 3;
/** Requests of each workload before indexes are waited for, and how often the two may follow each other. */
const WARMING = 24;
const WARMINGS = 4;
/** Milliseconds of a request that, left alone, keeps the server busy for a noticeable time. */
const SLOW = 200;
/** Milliseconds that a first start may take. */
const START_TIMEOUT = 300_000;
const MEGABYTE = 1024 ** 2;

export interface EngineRun {
  readonly store: Store;
  readonly project: string;
  /** One for each size, the smallest first. */
  readonly samples: readonly Samples[];
  readonly seconds: number;
  readonly connections: number;
  /** Parts of names; all workloads when left out. */
  readonly only: readonly string[] | undefined;
  /** Seconds that the work that servers have in hand is waited for, at most. */
  readonly settle: number;
  readonly progress: Progress;
}

/** A server of one size. */
interface Contender {
  readonly samples: Samples;
  readonly database: RunDatabase;
  readonly target: Target;
  /** Seconds until it had nothing in hand any more; undefined: longer than allowed. */
  readonly settledIn: number | undefined;
  readonly namesBefore: readonly string[];
  readonly before: number;
}

const isChosen = (only: EngineRun['only']) => (name: string) => !only || only.some((part) => name.includes(part));
const cursorNames = cursorPages.map(cursorName);

/** Steps of the progress bar for an engine. */
export function stepsOf(sizes: readonly number[], only: EngineRun['only']): number {
  const names = [...reads.map(({ name }) => name), ...cursorNames, ...writes.map(({ name }) => name)];
  return sizes.length * 2 + names.filter(isChosen(only)).length;
}

/** Measures everything at every size. What was copied for it is removed. */
export async function measureEngine(run: EngineRun): Promise<EngineResult> {
  const { store, samples, progress } = run;
  const sizes = samples.map(({ size }) => size);
  const contenders: Contender[] = [];
  try {
    for (const each of samples) {
      progress.step(`${store.version}, ${each.size}: first start, and what is made after it`);
      contenders.push(await enter(run, each));
    }
    const lines = [...(await measureReads(run, contenders)), ...(await measureWrites(run, contenders))];
    const servers: ServerFigures[] = [];
    for (const contender of contenders) {
      progress.step(`${store.version}, ${contender.samples.size}: memory and another start`);
      servers.push(await leave(run, contender));
    }
    return { engine: store.engine, version: store.version, sizes, lines, servers };
  } finally {
    for (const { target, database } of contenders) {
      await target.stop();
      await database.remove();
    }
  }
}

function start({ project }: EngineRun, database: RunDatabase, { rows }: Samples): Promise<Target> {
  const tokens = JSON.parse(readFileSync(path.join(project, 'tokens.json'), 'utf8')) as Record<string, string>;
  return startGalley({
    program: 'dist/main.js',
    project,
    env: database.env,
    headers: { authorization: `Bearer ${tokens['full']}` },
    probe: `/api/articles/${rows[0]!.documentId}`,
    timeout: START_TIMEOUT,
  });
}

/** Starts a server on a copy of a database, and asks for everything until it has nothing in hand any more. */
async function enter(run: EngineRun, samples: Samples): Promise<Contender> {
  const database = await run.store.copy(samples.size);
  const before = (await database.bytes()) / MEGABYTE;
  const { names: namesBefore } = await database.made();
  const target = await start(run, database, samples);
  const began = performance.now();
  const left = (): number => run.settle - (performance.now() - began) / 1000;
  let { isSettled, names } = await settled(target, database, left());
  for (let n = 0; isSettled && n < WARMINGS; n++) {
    for (const { name, paths } of reads) {
      if (!isChosen(run.only)(name)) continue;
      await measure(target, paths(samples), { seconds: 0.1, connections: 4, least: WARMING });
      await idle(target, database, 30);
    }
    const known = names.join();
    ({ isSettled, names } = await settled(target, database, left()));
    if (names.join() === known) break;
  }
  const suggested = await makeSuggested(run.project, database.env);
  if (suggested.length > 0) ({ isSettled } = await settled(target, database, left()));
  const settledIn = isSettled ? (performance.now() - began) / 1000 : undefined;
  return { samples, database, target, settledIn, namesBefore, before };
}

/** Measures a workload of each contender in turns, every other time in reverse order. */
async function inTurns(
  contenders: readonly Contender[],
  take: (contender: Contender, index: number) => Promise<Measured | undefined>,
): Promise<Line['figures']> {
  const rounds = contenders.map((): Measured[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    const turns = [...contenders.entries()];
    for (const [index, contender] of round % 2 === 0 ? turns : turns.reverse()) {
      const measured = await take(contender, index);
      if (!measured) continue;
      rounds[index]!.push(measured);
      // requests that were given up are still being worked on
      const isSlow = measured.refused > 0 || measured.times.length === 0 || measured.times.some((time) => time > SLOW);
      if (isSlow) await idle(contender.target, contender.database, 10);
    }
  }
  return rounds.map((each) => (each.length > 0 ? figuresOf(each) : undefined));
}

async function measureReads(run: EngineRun, contenders: readonly Contender[]): Promise<Line[]> {
  const { progress, connections, only } = run;
  const seconds = run.seconds / ROUNDS;
  const lines: Line[] = [];
  const line = async (
    { name, aim, why }: Omit<Line, 'figures'>,
    pathsOf: readonly (readonly string[] | undefined)[],
  ): Promise<void> => {
    progress.step(`${run.store.version}: ${name}`);
    const figures = await inTurns(contenders, async ({ target }, index) => {
      const paths = pathsOf[index];
      return paths && measure(target, paths, { seconds, connections });
    });
    lines.push({ name, aim, why, figures });
  };
  for (const { name, aim, why, paths } of reads) {
    if (isChosen(only)(name)) {
      await line(
        { name, aim, why },
        contenders.map(({ samples }) => paths(samples)),
      );
    }
  }
  if (!cursorNames.some(isChosen(only))) return lines;
  const walked = [];
  for (const { target, samples } of contenders) walked.push(await cursorPaths(target, samples, progress));
  for (const page of cursorPages) {
    if (!isChosen(only)(cursorName(page))) continue;
    await line(
      { name: cursorName(page), aim: cursorAim },
      walked.map((paths) => paths?.[page]),
    );
  }
  return lines;
}

async function measureWrites(run: EngineRun, contenders: readonly Contender[]): Promise<Line[]> {
  const chosen = writes.filter(({ name }) => isChosen(run.only)(name));
  const lines: Line[] = [];
  const desks: Writers[] = [];
  if (chosen.length > 0) {
    for (const { target, database } of contenders) {
      await idle(target, database, 60);
      desks.push(await writersOf({ name: 'Galley', target }, run.connections));
    }
  }
  for (const { name, aim } of chosen) {
    run.progress.step(`${run.store.version}: ${name}`);
    const figures = await inTurns(contenders, async (_, index) => {
      const pace = await desks[index]!.rate(name, run.seconds / ROUNDS);
      return pace && { answered: pace.requests, seconds: pace.seconds, times: pace.times, refused: 0 };
    });
    lines.push({ name, aim, figures });
  }
  return lines;
}

async function leave(run: EngineRun, { samples, database, target, ...entered }: Contender): Promise<ServerFigures> {
  const memory = target.memoryOfAll();
  const { names } = await database.made();
  const after = (await database.bytes()) / MEGABYTE;
  await target.stop();
  const again = await start(run, database, samples);
  await again.stop();
  const had = new Set(entered.namesBefore);
  return {
    firstStart: target.firstAnswer,
    nextStart: again.firstAnswer,
    settledIn: entered.settledIn,
    made: names.filter((name) => !had.has(name)),
    memory,
    before: entered.before,
    after,
  };
}
