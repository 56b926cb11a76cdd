/**
 * What is done to a database beside the requests, because it takes as long as tables have rows: indexes are built and
 * dropped, totals counted. One piece at a time; whoever wants to write in between gets a turn.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../interface/database.ts';
import type { LaterWork, SchemaEngine } from './schema-engine.ts';

/** Milliseconds between two pieces of work, in which those who wait to write are let in. */
const PAUSE = 50;
/** Seconds of work from which on it is told of. */
const WORTH_TELLING = 0.2;
/** Attempts at a piece of work, and milliseconds between two. */
const ATTEMPTS = 3;
const LATER = 5000;
/** Milliseconds until totals are gathered: what changes meanwhile is gathered with them. */
const GATHERING = 2000;
/** Changes after which totals are gathered: each may have left a piece. */
const MANY_CHANGES = 100;

export interface UpkeepOptions {
  readonly database: Database;
  readonly engine: SchemaEngine;
  /** Takes a line for the log, and what was thrown if anything was. */
  readonly log: (line: string, error?: unknown) => void;
}

/** A piece of work: a sentence tells what could not be done. */
export type Piece = () => Promise<string | undefined>;

interface Waiting {
  readonly piece: Piece;
  readonly givenUp: (() => void) | undefined;
}

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #waiting: Waiting[] = [];
  readonly #stop = new AbortController();
  readonly #unsubscribe: () => void;
  #isStarted = false;
  #working: Promise<void> | undefined;
  /** Changes since totals were gathered. */
  #changes = 0;
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#unsubscribe = options.database.subscribe({ afterCommit: (changes) => this.#noteChanges(changes.length) });
  }

  /** Adds what a migration has left. Nothing is done before `start`: most commands are over sooner. */
  add({ indexes, totals, retired }: LaterWork): void {
    const { database, engine } = this.#options;
    const later = (what: string, work: Piece) => this.run(() => this.#timed(what, work()));
    for (const table of totals) later(`the rows of ${table} are counted`, () => engine.keepTotals(database, table));
    for (const one of indexes) later(`index ${one.index.name} is built`, () => engine.addIndex(database, one));
    for (const name of retired) later(`index ${name} is dropped`, () => engine.dropIndex(database, name));
  }

  /**
   * Adds a piece of work, which gives a sentence about what could not be done.
   *
   * @param givenUp is called where it has not been done, after the last attempt.
   */
  run(piece: Piece, givenUp?: () => void): void {
    this.#waiting.push({ piece, givenUp });
    this.#go();
  }

  /** Begins with what has been added, and goes on with what will be. */
  start(): void {
    this.#isStarted = true;
    this.#gather();
    this.#go();
  }

  /** Whether nothing is left to be done. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#working === undefined;
  }

  /** Gives up what has not been begun. What has ends with the database. */
  close(): void {
    this.#stop.abort();
    this.#unsubscribe();
    clearTimeout(this.#gathering);
    this.#waiting.length = 0;
  }

  #go(): void {
    if (!this.#isStarted || this.#stop.signal.aborted || this.#waiting.length === 0) return;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // what was added in the meantime
      this.#go();
    });
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const failure = await this.#attempt(next.piece);
      if (failure !== undefined) next.givenUp?.();
      await this.#options.database.refresh?.().catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      if (failure instanceof Thrown) this.#options.log('warning: upkeep of the database failed', failure.cause);
      else if (failure !== undefined) this.#options.log(`warning: ${failure}`);
      await pause(PAUSE, undefined, { ref: false });
    }
  }

  /** Does a piece of work; whoever held the table may have let go of it a little later. */
  async #attempt(piece: Piece): Promise<string | Thrown | undefined> {
    for (let attempt = 1; ; attempt++) {
      const failure = await piece().catch((error: unknown) => new Thrown('', { cause: error }));
      if (failure === undefined || attempt === ATTEMPTS || this.#stop.signal.aborted) return failure;
      await pause(LATER, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) return failure;
    }
  }

  /** Tells of work that has taken a while. */
  async #timed(what: string, work: Promise<string | undefined>): Promise<string | undefined> {
    const started = performance.now();
    const failure = await work;
    const seconds = (performance.now() - started) / 1000;
    // what another process has done is found at once
    if (failure === undefined && seconds >= WORTH_TELLING && !this.#stop.signal.aborted)
      this.#options.log(`${what} (${seconds.toFixed(1)} s)`);
    return failure;
  }

  #noteChanges(count: number): void {
    if (!this.#options.engine.gatherTotals || !this.#isStarted || this.#gathering) return;
    this.#changes += count;
    if (this.#changes < MANY_CHANGES) return;
    this.#gathering = setTimeout(() => this.#gather(), GATHERING).unref();
  }

  #gather(): void {
    const { database, engine } = this.#options;
    const changes = this.#changes;
    this.#changes = 0;
    this.#gathering = undefined;
    // the next change tries again
    engine.gatherTotals?.(database).catch(() => {
      this.#changes += changes;
    });
  }
}

/** What no sentence tells. */
class Thrown extends Error {}
