/**
 * Background work that takes time in proportion to the rows of tables: building and dropping indexes, counting totals.
 * One piece at a time, with pauses for writers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../interface/database.ts';
import type { LaterWork, SchemaEngine } from './schema-engine.ts';

/** Milliseconds between two pieces of work, in which waiting writers get a turn. */
const PAUSE = 50;
/** Work that takes at least this many seconds is logged. */
const WORTH_TELLING = 0.2;
/** Attempts at a piece of work, and milliseconds between them. */
const ATTEMPTS = 3;
const LATER = 5000;
/** Milliseconds of delay before totals are gathered, so that further changes are gathered with them. */
const GATHERING = 2000;
/** The number of changes after which totals are gathered, each of which may have left a piece. */
const MANY_CHANGES = 100;

export interface UpkeepOptions {
  readonly database: Database;
  readonly engine: SchemaEngine;
  /** Writes a line to the log, with an error if there is one. */
  readonly log: (line: string, error?: unknown) => void;
}

/** A piece of work; returns a sentence about the reason if it could not be done. */
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
  #changes = 0;
  #gathering: NodeJS.Timeout | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#unsubscribe = options.database.subscribe({ afterCommit: (changes) => this.#noteChanges(changes.length) });
  }

  /** Adds the remaining work of a migration. Nothing is done before `start`, because most commands end sooner. */
  add({ indexes, totals, retired }: LaterWork): void {
    const { database, engine } = this.#options;
    const later = (done: string, work: Piece) => this.run(() => this.#timed(done, work()));
    for (const table of totals) later(`counted the rows of ${table}`, () => engine.keepTotals(database, table));
    for (const one of indexes) later(`built index ${one.index.name}`, () => engine.addIndex(database, one));
    for (const name of retired) later(`dropped index ${name}`, () => engine.dropIndex(database, name));
  }

  /**
   * Adds a piece of work.
   *
   * @param givenUp called if it could not be done in the last attempt.
   */
  run(piece: Piece, givenUp?: () => void): void {
    this.#waiting.push({ piece, givenUp });
    this.#go();
  }

  /** Begins with the added work, and continues with later additions. */
  start(): void {
    this.#isStarted = true;
    this.#gather();
    this.#go();
  }

  /** Whether no work remains. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#working === undefined;
  }

  /** Discards pending work. Current work ends with the database. */
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

  /** Does a piece of work, repeatedly if it fails: the table may be locked for a while. */
  async #attempt(piece: Piece): Promise<string | Thrown | undefined> {
    for (let attempt = 1; ; attempt++) {
      const failure = await piece().catch((error: unknown) => new Thrown('', { cause: error }));
      if (failure === undefined || attempt === ATTEMPTS || this.#stop.signal.aborted) return failure;
      await pause(LATER, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) return failure;
    }
  }

  async #timed(done: string, work: Promise<string | undefined>): Promise<string | undefined> {
    const started = performance.now();
    const failure = await work;
    const seconds = (performance.now() - started) / 1000;
    // work that another process has done takes no time
    if (failure === undefined && seconds >= WORTH_TELLING && !this.#stop.signal.aborted)
      this.#options.log(`${done} (${seconds.toFixed(1)} s)`);
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

/** Wraps an error that was thrown instead of a returned reason. */
class Thrown extends Error {}
