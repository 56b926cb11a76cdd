/** One run of an experiment on one engine: its servers, and the figures that come out. */
import { availableParallelism, loadavg } from 'node:os';
import { type EngineName, type Experiment, LONGEST_HEALTH, MOST_MEMORY } from './experiment.ts';
import type { Ground, Lab, MadeProject } from './lab.ts';
import { Subject } from './subject.ts';
import type { Probe } from './watcher.ts';

export interface Figure {
  readonly isFine: boolean;
  readonly text: string;
}

/** A server under attack. */
export interface Attacked extends Ground {
  readonly subject: Subject;
  readonly url: string;
}

export interface ServeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly openFiles?: number;
  /** A path that `other` reads all along; none of these reads may be refused unless `isFragile`. */
  readonly cheap?: string;
  /** Reads of `other` may be refused: what is attacked is the database itself. */
  readonly isFragile?: boolean;
  /** The server has no answer for `/_health` at times: what is attacked are its connections. */
  readonly hasNoConnections?: boolean;
}

interface Open extends Attacked {
  readonly options: ServeOptions;
}

const CHEAP = '/api/articles?pagination[pageSize]=10';

export class Trial {
  readonly engine: EngineName;
  readonly figures: Figure[] = [];
  readonly #lab: Lab;
  readonly #mostMemory: number;
  readonly #open: Open[] = [];
  readonly #cleanups: (() => unknown)[] = [];

  constructor(lab: Lab, engine: EngineName, { mostMemory = MOST_MEMORY }: Experiment) {
    this.#lab = lab;
    this.engine = engine;
    this.#mostMemory = mostMemory;
  }

  /** Serves the grown database. */
  async serveGrown(options: ServeOptions = {}): Promise<Attacked> {
    return this.serve(await this.ground(), options);
  }

  /** The grown database, for `serve`. */
  ground(): Promise<Ground> {
    return this.#lab.grown(this.engine);
  }

  /** Serves what `ground` gave. */
  serve(ground: Ground, options: ServeOptions = {}): Promise<Attacked> {
    return this.#serve(ground, { cheap: CHEAP, ...options });
  }

  /** Serves a project of the experiment's own. */
  async serveMade(project: MadeProject, options: ServeOptions = {}): Promise<Attacked> {
    return this.#serve(await this.#lab.made(this.engine, project), options);
  }

  /** Tells a figure. `isFine`: whether it is as the text demands. */
  figure(isFine: boolean, text: string): void {
    this.figures.push({ isFine, text });
  }

  /** Has something undone when the trial is over, whatever comes of it. */
  afterwards(cleanup: () => unknown): void {
    this.#cleanups.push(cleanup);
  }

  /** Ends a server before the trial is over, and tells how it stood it. */
  async end(attacked: Attacked): Promise<void> {
    const at = this.#open.findIndex(({ subject }) => subject === attacked.subject);
    if (at < 0) return;
    const [open] = this.#open.splice(at, 1);
    await this.#tell(open!);
    const problem = await open!.subject.stop();
    if (problem !== undefined) this.figure(false, `the server ${problem}`);
    await open!.remove();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    for (const open of [...this.#open]) await this.end(open);
  }

  async #serve(ground: Ground, options: ServeOptions): Promise<Attacked> {
    const probes: Probe[] = options.cheap
      ? [{ name: 'a cheap read of another caller', path: encodeURI(options.cheap), token: ground.tokens.other }]
      : [];
    const { openFiles } = options;
    const env = { ...ground.env, ...options.env };
    const subject = await Subject.start({ dir: ground.dir, env, probes, openFiles }).catch(async (error: unknown) => {
      await ground.remove();
      throw error;
    });
    const open = { ...ground, subject, url: subject.url, options };
    this.#open.push(open);
    return open;
  }

  async #tell({ subject, options }: Open): Promise<void> {
    const { probes, memory } = await subject.seen();
    // other programs then hold up more than a thread can tell: its garbage collection, the disk
    const isOverloaded = loadavg()[0]! > 2 * availableParallelism();
    for (const { name, asked, refused, longest, longestOwn, mostWork, p99 } of probes) {
      const isHealth = name === '/_health';
      const isServed = refused === 0 || (isHealth ? options.hasNoConnections : options.isFragile) === true;
      const isFine =
        isServed && (!isHealth || options.hasNoConnections || (isOverloaded ? mostWork : longestOwn) <= LONGEST_HEALTH);
      const times = isHealth
        ? `at most ${ms(longest)} (${ms(longestOwn)} without waiting for a processor, ${ms(mostWork)} of work)`
        : `p99 ${ms(p99)}, at most ${ms(longest)}`;
      this.figure(isFine, `${name} ${times}${refused ? `, ${refused} of ${asked} refused` : ''}`);
    }
    this.figure(memory <= this.#mostMemory, `memory ${memory.toFixed(0)} MB`);
  }
}

/** Milliseconds as a figure. */
export const ms = (milliseconds: number): string =>
  milliseconds < 10_000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

/** Bytes as a figure. */
export const size = (bytes: number): string =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
