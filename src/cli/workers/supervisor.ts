/** The parent of the workers: it starts them, puts others in the place of those that end, and ends them all. */
import cluster from 'node:cluster';
import type { Config } from '../../config/config.ts';
import type { MetricsListener } from '../../http/monitoring/metrics-listener.ts';
import type { Family } from '../../http/monitoring/prometheus.ts';
import { entryFile } from '../../own-files.ts';
import { FirstToken } from '../../users/administrators/first-token.ts';
import type { Surroundings } from '../command.ts';
import { CLOSING, say } from '../serving.ts';
import { Restarts } from './restarts.ts';
import { SharedWork } from './shared-work.ts';
import { warningOf } from './shares.ts';
import { type Exit, WorkerLife } from './worker-life.ts';
import { familiesOfAll } from './worker-metrics.ts';

/** The program next to this one, compiled or not as this one is. */
const PROGRAM = entryFile('main');
/** Milliseconds that a worker gets to end beyond what it takes for itself. */
const GRACE = 2000;

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
  life: WorkerLife;
  readonly restarts: Restarts;
  timer: NodeJS.Timeout | undefined;
}

class Supervisor {
  readonly #config: Config;
  readonly #surroundings: Surroundings;
  readonly #work: SharedWork;
  #places: readonly Place[] = [];
  #metrics: MetricsListener | undefined;
  #replaced = 0;
  /** Where they listen. */
  #url = '';
  #isEnding = false;

  constructor(config: Config, surroundings: Surroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
    this.#work = new SharedWork(config.upload.images);
    // connections are handed to the workers in turn. Left to the system, those that are kept for long would gather
    // where the first ones went
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const { dir, host, port } = config;
    cluster.setupPrimary({ exec: PROGRAM, args: ['start', dir, '--host', host, '--port', String(port)] });
  }

  /**
   * Starts the workers, and resolves when all of them take requests: undefined. Where one ends before that, its exit
   * code; 0 when all are to end.
   */
  async start(count: number, ended: Promise<void>): Promise<number | undefined> {
    const firstToken = FirstToken.make();
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    this.#places = numbers.map((number) => ({
      life: new WorkerLife({ number, workers: count, isReplacement: false, firstToken }, this.#work),
      restarts: new Restarts(),
      timer: undefined,
    }));
    const lives = this.#places.map(({ life }) => life);
    const failed = Promise.race(lives.map(({ exited }) => exited.then(({ code }) => code || 1)));
    const stopped = Promise.race([failed, ended.then(() => 0)]);
    return Promise.race([stopped, this.#begin(lives)]);
  }

  async #begin(lives: readonly WorkerLife[]): Promise<undefined> {
    const [lead, ...others] = lives;
    await lead!.prepared;
    for (const other of others) other.send({ kind: 'open' });
    await Promise.all(others.map(({ prepared }) => prepared));
    const { metrics } = this.#config.http;
    if (metrics) {
      // not loaded where nobody asks for it, and Node's HTTP with it
      const { listenForMetrics } = await import('../../http/monitoring/metrics-listener.ts');
      this.#metrics = await listenForMetrics(() => this.#families(), metrics);
    }
    lead!.send({ kind: 'listen' });
    const { url, announcement } = await lead!.serving;
    this.#url = url;
    for (const other of others) other.send({ kind: 'listen' });
    await Promise.all(others.map(({ serving }) => serving));
    for (const place of this.#places) this.#guard(place);
    const warning = warningOf(this.#config, lives.length);
    if (warning !== undefined) this.#surroundings.warn(`warning: ${warning}`);
    say(announcement, this.#surroundings);
    return undefined;
  }

  /** Has another worker take the place of one that ends. */
  #guard(place: Place): void {
    const { life } = place;
    void life.exited.then((exit) => {
      if (this.#isEnding) return;
      const delay = place.restarts.next(Date.now() - life.started);
      this.#surroundings.warn(
        `galley: ${reportOf(life, exit)}: ${delay ? `in ${delay} ms` : 'now'} another is started`,
      );
      place.timer = setTimeout(() => this.#replace(place), delay);
    });
  }

  #replace(place: Place): void {
    this.#replaced += 1;
    const life = new WorkerLife({ ...place.life.role, isReplacement: true }, this.#work);
    place.life = life;
    this.#guard(place);
    void life.prepared.then(() => life.send({ kind: 'listen' }));
    void life.serving.then(({ url }) => this.#tell(url));
  }

  /** A port that the system has chosen is another one when all workers have ended in between. */
  #tell(url: string): void {
    if (url !== this.#url) this.#surroundings.warn(`galley: serves at ${url} now`);
    this.#url = url;
  }

  async #families(): Promise<Family[]> {
    const serving = this.#places.map(({ life }) => life).filter(({ isServing }) => isServing);
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

  /**
   * Ends the workers: each finishes what it has in flight. One that takes too long is killed. Gives whether all of them
   * ended as they should.
   */
  async end(): Promise<boolean> {
    this.#isEnding = true;
    const { delay, timeout } = this.#config.http.shutdown;
    const lives = this.#places.map(({ life }) => life).filter(({ hasEnded }) => !hasEnded);
    for (const { life, timer } of this.#places) {
      clearTimeout(timer);
      life.send({ kind: 'end' });
    }
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
    return exits.every(({ code }) => code === 0);
  }
}

function reportOf({ role, pid }: WorkerLife, { code, signal }: Exit): string {
  return `worker ${role.number} (process ${pid}) ended${signal ? ` by ${signal}` : ` with code ${code}`}`;
}
