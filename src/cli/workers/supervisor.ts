/** The parent of the workers: it starts them, puts others in the place of those that end, and ends them all. */
import cluster from 'node:cluster';
import type { Config } from '../../config/config.ts';
import type { MetricsListener } from '../../http/monitoring/metrics-listener.ts';
import { type Family, type Sample, single } from '../../http/monitoring/prometheus.ts';
import { entryFile } from '../../own-files.ts';
import { FirstToken } from '../../users/administrators/first-token.ts';
import type { Surroundings } from '../command.ts';
import { CLOSING, say } from '../serving.ts';
import { SharedWork } from './shared-work.ts';
import { warningOf } from './shares.ts';
import { makeSignalFile, removeSignalFile } from './signal-file.ts';
import { type Exit, type Serving, WorkerLife } from './worker-life.ts';

/** The program next to this one, compiled or not as this one is. */
const PROGRAM = entryFile('main');
/** Milliseconds that a worker gets to end beyond what it takes for itself. */
const GRACE = 2000;
/** How often a worker may end in one place, one after the other, before the first start has failed. */
const ATTEMPTS = 3;

export interface Supervision {
  /** How many workers there are. */
  readonly count: number;
  /** Resolves at the first signal to end. */
  readonly ended: Promise<void>;
}

/**
 * Serves a project by several processes until a signal ends them, and gives the exit code: 0; that of a worker that
 * could not start; 1 when one did not end in time.
 *
 * @throws UsageError when the port of the metrics cannot be had.
 */
export async function supervise(
  config: Config,
  { count, ended }: Supervision,
  surroundings: Surroundings,
): Promise<number> {
  const supervisor = new Supervisor(config, surroundings);
  let code: number | undefined;
  let isWell = false;
  try {
    code = await supervisor.start(count, ended);
    if (code === undefined) await ended;
  } finally {
    isWell = await supervisor.end();
  }
  return code ?? (isWell ? 0 : 1);
}

/** One of the places for workers, and who is in it. */
interface Place {
  readonly number: number;
  readonly restarts: Restarts;
  /** Whoever is in it next. */
  life: WorkerLife | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Resolve when one in it has opened the project, when those in it may take requests, and when one does. */
  readonly prepared: PromiseWithResolvers<void>;
  readonly listening: PromiseWithResolvers<void>;
  readonly serving: PromiseWithResolvers<void>;
}

class Supervisor {
  readonly #config: Config;
  readonly #surroundings: Surroundings;
  readonly #work: SharedWork;
  readonly #firstToken = FirstToken.make();
  /** The file by which workers tell one another of commits; undefined where the database needs none, or none can be made. */
  readonly #signal: string | undefined;
  /** Resolves with the exit code of a worker that cannot start, as long as the first start goes on. */
  readonly #failed = Promise.withResolvers<number>();
  #places: readonly Place[] = [];
  #metrics: MetricsListener | undefined;
  #replaced = 0;
  /** Whether the database is what the schema says: who comes then takes the place of another. */
  #isPrepared = false;
  /** What the first worker has told last, and where one has begun to listen last. */
  #announcement: Serving | undefined;
  #url = '';
  /** Where they are said to serve; undefined before all of them do. */
  #toldUrl: string | undefined;
  #isEnding = false;

  constructor(config: Config, surroundings: Surroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
    this.#work = new SharedWork(config.upload.images);
    this.#signal = config.database.client === 'sqlite' ? makeSignalFile() : undefined;
    // connections are handed to the workers in turn. Left to the system, those that are kept for long would gather
    // where the first ones went
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const { dir, host, port } = config;
    cluster.setupPrimary({ exec: PROGRAM, args: ['start', dir, '--host', host, '--port', String(port)] });
  }

  /**
   * Starts the workers, and resolves when all of them take requests: undefined. Where one cannot start, its exit code; 0
   * when all are to end.
   */
  async start(count: number, ended: Promise<void>): Promise<number | undefined> {
    this.#places = Array.from({ length: count }, (_, index) => ({
      number: index + 1,
      restarts: new Restarts(),
      life: undefined,
      timer: undefined,
      prepared: Promise.withResolvers(),
      listening: Promise.withResolvers(),
      serving: Promise.withResolvers(),
    }));
    for (const place of this.#places) this.#fill(place);
    const stopped = Promise.race([this.#failed.promise, ended.then(() => 0)]);
    return Promise.race([stopped, this.#begin(this.#places)]);
  }

  async #begin([lead, ...others]: readonly Place[]): Promise<undefined> {
    await lead!.prepared.promise;
    this.#isPrepared = true;
    for (const { life } of others) life?.send({ kind: 'open' });
    await Promise.all(others.map(({ prepared }) => prepared.promise));
    const { metrics } = this.#config.http;
    if (metrics) {
      // not loaded where nobody asks for it, and Node's HTTP with it
      const { listenForMetrics } = await import('../../http/monitoring/metrics-listener.ts');
      this.#metrics = await listenForMetrics(() => this.#families(), metrics);
    }
    lead!.listening.resolve();
    await lead!.serving.promise;
    for (const other of others) other.listening.resolve();
    await Promise.all(others.map(({ serving }) => serving.promise));
    const warning = warningOf(this.#config, this.#places.length);
    if (warning !== undefined) this.#surroundings.warn(`warning: ${warning}`);
    say(this.#announcement!.announcement, this.#surroundings);
    this.#toldUrl = this.#announcement!.url;
    this.#tell();
    return undefined;
  }

  /** Starts a worker in a place. */
  #fill(place: Place): void {
    const { number, prepared, listening, serving } = place;
    const isReplacement = this.#isPrepared;
    const shared = { workers: this.#places.length, firstToken: this.#firstToken, signal: this.#signal };
    const life = new WorkerLife({ number, isReplacement, ...shared }, this.#work);
    place.life = life;
    void life.prepared.then(async () => {
      prepared.resolve();
      await listening.promise;
      life.send({ kind: 'listen' });
    });
    void life.serving.then((told) => {
      this.#url = told.url;
      if (number === 1) this.#announcement = told;
      serving.resolve();
      this.#tell();
    });
    void life.exited.then((exit) => this.#replace(place, life, exit));
  }

  /**
   * Puts another worker in the place of one that has ended, whatever has ended it. One that ends by itself before it has
   * served cannot start, nor can one that something else ends each time: then the first start has failed.
   */
  #replace(place: Place, life: WorkerLife, exit: Exit): void {
    if (this.#isEnding) return;
    const isFirstStart = this.#toldUrl === undefined;
    const delay = place.restarts.next(Date.now() - life.started);
    if (isFirstStart && !life.hasServed && (exit.code !== null || place.restarts.inARow >= ATTEMPTS)) {
      // one that ends with another code has said why
      if (!exit.code) this.#surroundings.warn(`galley: ${reportOf(life, exit)} before it could serve`);
      this.#failed.resolve(exit.code || 1);
      return;
    }
    this.#surroundings.warn(`galley: ${reportOf(life, exit)}: another is started ${delay ? `in ${delay} ms` : 'now'}`);
    place.timer = setTimeout(() => {
      this.#replaced += 1;
      this.#fill(place);
    }, delay);
  }

  /** A port that the system has chosen is another one when all workers have ended in between. */
  #tell(): void {
    if (this.#toldUrl === undefined || this.#url === this.#toldUrl) return;
    this.#surroundings.warn(`galley: serves at ${this.#url} now`);
    this.#toldUrl = this.#url;
  }

  async #families(): Promise<Family[]> {
    const serving = this.#lives.filter(({ isServing }) => isServing);
    const told = new Map<number, readonly Family[]>();
    await Promise.all(
      serving.map(async (life) => {
        const families = await life.metrics();
        if (families) told.set(life.role.number, families);
      }),
    );
    const inOrder = new Map([...told].sort(([one], [other]) => one - other));
    return familiesOfAll(inOrder, { serving: serving.length, replaced: this.#replaced });
  }

  get #lives(): readonly WorkerLife[] {
    return this.#places.flatMap(({ life }) => life ?? []);
  }

  /**
   * Ends the workers: each finishes what it has in flight. One that takes too long is killed. Gives whether all of them
   * ended as they should.
   */
  async end(): Promise<boolean> {
    this.#isEnding = true;
    const { delay, timeout } = this.#config.http.shutdown;
    const lives = this.#lives.filter(({ hasEnded }) => !hasEnded);
    for (const { timer } of this.#places) clearTimeout(timer);
    for (const life of lives) life.send({ kind: 'end' });
    const late = setTimeout(
      () => {
        for (const life of lives) life.kill();
      },
      delay + timeout + CLOSING + GRACE,
    );
    const exits = await Promise.all(lives.map(({ exited }) => exited));
    clearTimeout(late);
    this.#work.close();
    await this.#metrics?.close();
    removeSignalFile(this.#signal);
    return exits.every(({ code }) => code === 0);
  }
}

function reportOf({ role, pid }: WorkerLife, { code, signal }: Exit): string {
  return `worker ${role.number} (process ${pid}) ended${signal ? ` by ${signal}` : ` with code ${code}`}`;
}

/** Milliseconds: after a second end, and at most. */
const FIRST = 200;
const LONGEST = 30_000;
/** Milliseconds of life after which an end has nothing to do with the ones before. */
const STABLE = 60_000;

/** The ends of the workers in one place. */
export class Restarts {
  /** Ends of workers that did not live long, one after the other. */
  #early = 0;

  /** How many of them there were. */
  get inARow(): number {
    return this.#early;
  }

  /**
   * Takes note of an end, and gives the milliseconds to wait before the next start: none at first, then more and more.
   *
   * @param lived milliseconds that the worker had lived.
   */
  next(lived: number): number {
    this.#early = lived >= STABLE ? 1 : this.#early + 1;
    return this.#early === 1 ? 0 : Math.min(LONGEST, FIRST * 2 ** (this.#early - 2));
  }
}

/** What is said of the workers themselves. */
export interface WorkerCounts {
  /** Workers that take requests. */
  readonly serving: number;
  /** Workers that took the place of one that had ended. */
  readonly replaced: number;
}

/** @param told the families of each worker by its number. */
export function familiesOfAll(told: ReadonlyMap<number, readonly Family[]>, counts: WorkerCounts): Family[] {
  const all = new Map<string, Family & { readonly samples: Sample[] }>();
  for (const [number, families] of told) {
    for (const { samples, ...family } of families) {
      const known = all.get(family.name) ?? { ...family, samples: [] };
      all.set(family.name, known);
      const labelled = samples.map((sample) => ({ ...sample, labels: { ...sample.labels, worker: String(number) } }));
      known.samples.push(...labelled);
    }
  }
  return [
    single('gauge', 'galley_workers', 'Workers that take requests', counts.serving),
    single(
      'counter',
      'galley_workers_replaced_total',
      'Workers that took the place of one that ended',
      counts.replaced,
    ),
    ...all.values(),
  ];
}
