/**
 * One connection to a server. Statements are sent without waiting for the answers of earlier ones, and are answered in
 * order, each in a limited time after the answer before it.
 */
import type pg from 'pg';
import type { SqlValue } from '../../sql/fragment.ts';
import { isAborted, isLoss, tookTooLong, translated, unreachable } from './failures.ts';
import { type Preparation, Prepared } from './prepared.ts';
import { type Answer, dropPrepared, type Outcome, Query } from './query.ts';
import { cancelStatement, isReachable, type Peer } from './side-channel.ts';

/** Milliseconds that a server has to react to the cancellation of a statement. */
const GRACE = 1000;
/** Milliseconds after which a silent server is probed, and for the answer to the probe. */
const PROBE_AFTER = 5000;
const PROBE_TIMEOUT = 2000;
/** A timer may fire this many milliseconds too early. */
const EARLY = 2;

/** How long the answer of a statement is awaited. */
export interface Patience {
  /** Milliseconds; 0: as long as the server is reachable. */
  readonly limit: number;
  /** Whether the server is then requested to cancel the statement; otherwise the connection is dropped at once. */
  readonly cancels: boolean;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether long texts may be returned as bytes. */
  readonly bytes?: boolean;
  /**
   * Whether statements of other callers may be sent before and after it. It is sent together with those of the same
   * turn of the event loop, and its time, which includes that of statements before it, counts from when it was
   * requested.
   */
  readonly isShared?: boolean;
  /** Whether it is in one batch with the statements of the same callback: those of a transaction. */
  readonly joins?: boolean;
  /** Whether it is one of a project's own code: not prepared, with rows that stay texts. */
  readonly isRaw?: boolean;
}

/** A statement, or a text without values, which is never prepared. */
type SentText = Pick<Statement, 'text'> & Partial<Statement>;

/** A statement that was sent to the server. */
interface Pending {
  readonly text: string;
  readonly query: Query;
  readonly isShared: boolean;
  readonly requested: number;
  /** When the server started with it. */
  began: number;
  readonly patience: Patience;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  /** Whether the caller has the outcome. */
  isReported: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Set once its time is over: called if the server answers after all. */
  answered: ((outcome: Outcome) => void) | undefined;
}

/**
 * The cause of failures since the server stopped responding, always with the same words, because the log counts by
 * them.
 */
const silence = () => new Error('the server does not react');

export class Connection {
  /** The pool's epoch when the connection was made: connections of earlier epochs are replaced. */
  readonly epoch: number;
  /** The server, or the network, is gone: no more statements can be sent. */
  isLost = false;
  /** The connection was lost because the server did not react. */
  isSilent = false;
  readonly #client: pg.ClientBase;
  readonly #peer: Peer;
  readonly #prepared: Prepared | undefined;
  /** Statements without an outcome, in the order of their answers. */
  readonly #pending: Pending[] = [];
  /** Prepared statements that were closed together with these statements. */
  readonly #dropped = new Set<string>();

  /** @param preparation shared by the connections of a pool; without it statements are parsed each time. */
  constructor(client: pg.ClientBase, preparation?: Preparation, epoch = 0) {
    this.#client = client;
    this.#peer = client as unknown as Peer;
    this.#prepared = preparation && new Prepared(preparation);
    this.epoch = epoch;
    // without a listener, losing an idle connection would end the process
    client.on('error', () => {
      this.isLost = true;
    });
  }

  /**
   * Runs a statement after earlier ones, without waiting for their answers.
   *
   * @throws ContentError 503 if its time is over, or the connection is or gets lost; otherwise the server's error.
   */
  run(statement: Statement, patience: Patience): Promise<Answer> {
    return this.#answer(statement, patience);
  }

  /**
   * Runs commands such as `begin`, which are never prepared.
   *
   * @param joins as of a statement; a text that does not join a batch may contain several commands.
   */
  command(text: string, patience: Patience, joins = false): Promise<Answer> {
    return this.#answer({ text, joins }, patience);
  }

  async #answer(statement: SentText, patience: Patience): Promise<Answer> {
    try {
      return await this.#send(statement, patience);
    } catch (error) {
      if (isLoss(error)) this.isLost = true;
      // the server has skipped the closing along with the rest of the batch
      if (isAborted(error)) for (const name of this.#dropped) this.#drop(name);
      this.#prepared?.failed(statement.text, error, (old) => this.#drop(old));
      throw translated(error);
    }
  }

  /** Cuts off the connection without a message: the server may not be responding. */
  destroy(): void {
    this.isLost = true;
    this.#peer.connection.stream.destroy();
  }

  #send(statement: SentText, patience: Patience): Promise<Answer> {
    const { text, values, bytes = false, isShared = false, joins = false, isRaw = false } = statement;
    if (this.isLost) throw unreachable(new Error('the connection was lost before'));
    const named = isRaw ? undefined : values && this.#prepared?.of(text, (old) => this.#drop(old));
    return new Promise<Answer>((resolve, reject) => {
      const began = performance.now();
      const take = (outcome: Outcome) => {
        if (pending.isReported) return;
        if (pending.answered) pending.answered(outcome);
        else this.#report(pending, outcome);
      };
      const query = new Query({ text, values: values ?? [], named, bytes, waits: isShared, joins, isRaw }, take);
      const settlement = { resolve, reject, isReported: false, timer: undefined, answered: undefined };
      const pending: Pending = { text, query, isShared, requested: began, began, patience, ...settlement };
      this.#pending.push(pending);
      this.#client.query(query as unknown as pg.Query);
      if (this.#pending[0] === pending) this.#watch(pending);
    });
  }

  /**
   * Closes a prepared statement together with the statement that follows. In the protocol, unlike in SQL, closing an
   * unknown statement is no error, which would abort the transaction.
   */
  #drop(name: string): void {
    this.#dropped.add(name);
    dropPrepared(this.#peer.connection, name);
  }

  #report(pending: Pending, outcome: Outcome): void {
    if (pending.isReported) return;
    pending.isReported = true;
    clearTimeout(pending.timer);
    const wasFirst = this.#pending[0] === pending;
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    const now = performance.now();
    this.#prepared?.took(pending.text, now - pending.began);
    const next = this.#pending[0];
    if (!next && 'answer' in outcome) this.#dropped.clear();
    if (wasFirst && next) {
      next.began = now;
      this.#watch(next, next.isShared ? next.requested : now);
    }
    if ('error' in outcome) pending.reject(outcome.error);
    else pending.resolve(outcome.answer);
  }

  /** Watches a statement until its time is over, and probes the server at intervals. */
  #watch(pending: Pending, start = performance.now()): void {
    const { limit } = this.#patienceWith(pending);
    const remaining = limit === 0 ? PROBE_AFTER : limit - (performance.now() - start);
    const look = async () => {
      if (pending.isReported) return;
      const { limit } = this.#patienceWith(pending);
      if (limit !== 0 && performance.now() - start >= limit - EARLY) {
        this.#report(pending, await this.#giveUp(pending));
      } else if (await isReachable(this.#peer, PROBE_TIMEOUT)) {
        if (!pending.isReported) this.#watch(pending, start);
      } else if (!pending.isReported) {
        this.#lose();
        this.#report(pending, { error: unreachable(silence()) });
      }
    };
    // answers that arrived while this process was busy are read first
    pending.timer = setTimeout(() => setImmediate(look), Math.max(0, Math.min(remaining, PROBE_AFTER)));
  }

  /**
   * How long a statement is awaited whose answer comes together with those of the following statements of its batch.
   */
  #patienceWith(pending: Pending): Patience {
    let { limit, cancels } = pending.patience;
    for (let n = this.#pending.indexOf(pending); this.#pending[n]?.query.isFollowed; n++) {
      const next = this.#pending[n + 1]?.patience;
      if (!next) break;
      limit = limit === 0 || next.limit === 0 ? 0 : limit + next.limit;
      cancels ||= next.cancels;
    }
    return { limit, cancels };
  }

  /** Cancels a statement. If the server does not confirm that in time, the connection is dropped. */
  async #giveUp(pending: Pending): Promise<Outcome> {
    if (this.#patienceWith(pending).cancels) {
      const answered = new Promise<Outcome>((resolve) => {
        pending.answered = resolve;
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, GRACE, undefined);
      });
      const [isDone, outcome] = await Promise.all([
        cancelStatement(this.#peer, GRACE),
        Promise.race([answered, late]),
      ]).finally(() => clearTimeout(timer));
      if (outcome) {
        // a late cancellation might hit another statement
        if (!isDone) this.destroy();
        return outcome;
      }
    }
    this.#lose();
    return { error: tookTooLong(silence()) };
  }

  #lose(): void {
    this.isSilent = true;
    this.destroy();
  }
}
