/** The parent of the workers: it starts them, replaces those that end, and ends them all. */
import cluster from 'node:cluster';
import type { Config } from '../../config/config.ts';
import type { MetricsListener } from '../../http/monitoring/metrics-listener.ts';
import { type Family, type Sample, single } from '../../http/monitoring/prometheus.ts';
import { entryFile } from '../../own-files.ts';
import { FirstToken } from '../../users/administrators/first-token.ts';
import type { Surroundings } from '../command.ts';
import { CLOSING, printAnnouncement } from '../serving.ts';
import { SharedWork } from './shared-work.ts';
import { warningOf } from './shares.ts';
import { makeSignalFile, removeSignalFile } from './signal-file.ts';
import { type Exit, type Serving, WorkerLife } from './worker-life.ts';

/** The program of the workers. */
const PROGRAM = entryFile('main');
/** Milliseconds that a worker has to exit after its own time limit. */
const GRACE = 2000;
/** The first start fails after so many early ends of one worker in a row. */
const ATTEMPTS = 3;

interface Supervision {
  /** The number of workers. */
  readonly count: number;
  /** Resolves at the first signal. */
  readonly ended: Promise<void>;
}

/**
 * Serves a project with several processes until a signal.
 *
 * @returns the exit code: 0; that of a worker that could not start; 1 if a worker did not end in time.
 * @throws UsageError if the port of the metrics is not free.
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

/** A worker by its number, with the process that is this worker now. */
interface Place {
  readonly number: number;
  readonly restarts: Restarts;
  /** The current process, which a replacement follows. */
  life: WorkerLife | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Each resolves once: the project is open, the worker may take requests, the worker takes requests. */
  readonly prepared: PromiseWithResolvers<void>;
  readonly listening: PromiseWithResolvers<void>;
  readonly serving: PromiseWithResolvers<void>;
}

class Supervisor {
  readonly #config: Config;
  readonly #surroundings: Surroundings;
  readonly #work: SharedWork;
  readonly #firstToken = FirstToken.create();
  /** The file through which workers signal commits; undefined if the database needs none or none could be created. */
  readonly #signal: string | undefined;
  /** Resolves with the exit code of a worker that cannot start during the first start. */
  readonly #failed = Promise.withResolvers<number>();
  #places: readonly Place[] = [];
  #metrics: MetricsListener | undefined;
  #replaced = 0;
  /** Whether the database matches the schema. Workers that start afterwards are replacements. */
  #isPrepared = false;
  /** The last announcement of the first worker, and the last address at which a worker began to listen. */
  #announcement: Serving | undefined;
  #url = '';
  /** The address that the operator has seen; undefined until all workers serve. */
  #reportedUrl: string | undefined;
  #isEnding = false;

  constructor(config: Config, surroundings: Surroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
    this.#work = new SharedWork(config.upload.images);
    this.#signal = config.database.client === 'sqlite' ? makeSignalFile() : undefined;
    // the parent distributes connections in turn. The system would give long-lived connections to the first workers
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const { dir, host, port } = config;
    cluster.setupPrimary({ exec: PROGRAM, args: ['start', dir, '--host', host, '--port', String(port)] });
  }

  /**
   * Starts the workers.
   *
   * @returns undefined when all of them take requests; the exit code of a worker that cannot start; 0 after a signal.
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
      // imported only if needed, because it loads Node's HTTP
      const { listenForMetrics } = await import('../../http/monitoring/metrics-listener.ts');
      this.#metrics = await listenForMetrics(() => this.#families(), metrics);
    }
    lead!.listening.resolve();
    await lead!.serving.promise;
    for (const other of others) other.listening.resolve();
    await Promise.all(others.map(({ serving }) => serving.promise));
    const warning = warningOf(this.#config, this.#places.length);
    if (warning !== undefined) this.#surroundings.warn(`warning: ${warning}`);
    printAnnouncement(this.#announcement!.announcement, this.#surroundings);
    this.#reportedUrl = this.#announcement!.url;
    this.#reportUrl();
    return undefined;
  }

  /** Starts a process for a worker. */
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
    void life.serving.then((started) => {
      this.#url = started.url;
      if (number === 1) this.#announcement = started;
      serving.resolve();
      this.#reportUrl();
    });
    void life.exited.then((exit) => this.#replace(place, life, exit));
  }

  /**
   * Replaces a worker that ended for any reason. During the first start it fails instead if the worker exited by itself
   * before it served, or ended several times in a row.
   */
  #replace(place: Place, life: WorkerLife, exit: Exit): void {
    if (this.#isEnding) return;
    const isFirstStart = this.#reportedUrl === undefined;
    const delay = place.restarts.next(Date.now() - life.started);
    if (isFirstStart && !life.hasServed && (exit.code !== null || place.restarts.inARow >= ATTEMPTS)) {
      // a worker that exits with a code other than 0 has printed the reason
      if (!exit.code) this.#surroundings.warn(`galley: ${reportOf(life, exit)} before it served`);
      this.#failed.resolve(exit.code || 1);
      return;
    }
    this.#surroundings.warn(
      `galley: ${reportOf(life, exit)}; a replacement starts ${delay ? `in ${delay} ms` : 'now'}`,
    );
    place.timer = setTimeout(() => {
      this.#replaced += 1;
      this.#fill(place);
    }, delay);
  }

  /** Prints a new address: the system may choose another free port after all workers have ended. */
  #reportUrl(): void {
    if (this.#reportedUrl === undefined || this.#url === this.#reportedUrl) return;
    this.#surroundings.warn(`galley: now serves at ${this.#url}`);
    this.#reportedUrl = this.#url;
  }

  async #families(): Promise<Family[]> {
    const serving = this.#lives.filter(({ isServing }) => isServing);
    const byWorker = new Map<number, readonly Family[]>();
    await Promise.all(
      serving.map(async (life) => {
        const families = await life.metrics();
        if (families) byWorker.set(life.role.number, families);
      }),
    );
    const inOrder = new Map([...byWorker].sort(([one], [other]) => one - other));
    return familiesOfAll(inOrder, { serving: serving.length, replaced: this.#replaced });
  }

  get #lives(): readonly WorkerLife[] {
    return this.#places.flatMap(({ life }) => life ?? []);
  }

  /**
   * Ends the workers: each finishes its requests in flight, and is killed if it takes too long.
   *
   * @returns whether all of them exited with code 0.
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

/** Milliseconds before a restart: after a second early end, and at most. */
const FIRST = 200;
const LONGEST = 30_000;
/** An end after so many milliseconds is not an early end. */
const STABLE = 60_000;

/** Decides when to restart one worker. */
export class Restarts {
  /** The number of early ends in a row. */
  #early = 0;

  get inARow(): number {
    return this.#early;
  }

  /**
   * Records an end.
   *
   * @param lived milliseconds from the start to the end.
   * @returns the milliseconds before the next start: 0 at first, then longer and longer.
   */
  next(lived: number): number {
    this.#early = lived >= STABLE ? 1 : this.#early + 1;
    return this.#early === 1 ? 0 : Math.min(LONGEST, FIRST * 2 ** (this.#early - 2));
  }
}

/** Numbers of workers. */
export interface WorkerCounts {
  /** Workers that take requests. */
  readonly serving: number;
  /** Workers that replaced one that ended. */
  readonly replaced: number;
}

/** The metrics of all workers, with a label `worker`. @param byWorker the metrics of each worker by its number. */
export function familiesOfAll(byWorker: ReadonlyMap<number, readonly Family[]>, counts: WorkerCounts): Family[] {
  const all = new Map<string, Family & { readonly samples: Sample[] }>();
  for (const [number, families] of byWorker) {
    for (const { samples, ...family } of families) {
      const merged = all.get(family.name) ?? { ...family, samples: [] };
      all.set(family.name, merged);
      const labelled = samples.map((sample) => ({ ...sample, labels: { ...sample.labels, worker: String(number) } }));
      merged.samples.push(...labelled);
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
