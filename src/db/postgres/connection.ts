/**
 * One connection to a server. Statements are sent as they are asked, without waiting for the answers of those before, and
 * are answered in that order, each in a limited time from the answer before it.
 */
import type pg from 'pg';
import type { SqlValue } from '../../sql/fragment.ts';
import { isAborted, isLoss, tookTooLong, translated, unreachable } from './failures.ts';
import { type Preparation, Prepared } from './prepared.ts';
import { type Answer, dropPrepared, type Outcome, Query } from './query.ts';
import { cancelStatement, isReachable, type Peer } from './side-channel.ts';

/** Milliseconds that a server has to react to the cancellation of a statement. */
const GRACE = 1000;
/** Milliseconds after which a server that does not answer is asked whether it is there, and that it has for that. */
const PROBE_AFTER = 5000;
const PROBE_TIMEOUT = 2000;
/** A timer may fire this many milliseconds too soon. */
const EARLY = 2;

/** How long a statement is waited for. */
export interface Patience {
  /** Milliseconds; 0: as long as the server is there. */
  readonly limit: number;
  /** Whether the server is asked to cancel it then; else the connection is given up at once. */
  readonly cancels: boolean;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** Whether long texts may come as their bytes. */
  readonly bytes?: boolean;
  /**
   * Whether others may be sent before and behind it: it waits a moment for those behind it, and its time is that since
   * it was asked, of which what was before it takes a part.
   */
  readonly isShared?: boolean;
  /** Whether it is one of a batch with those that are asked in the same callback: of a transaction. */
  readonly joins?: boolean;
  /** Whether it is one of a project's own code: not prepared, with rows that stay texts. */
  readonly isRaw?: boolean;
}

/** A statement, or a text without values, which is never prepared. */
type Asked = Pick<Statement, 'text'> & Partial<Statement>;

/** A statement that was handed to the server. */
interface Pending {
  readonly text: string;
  readonly query: Query;
  readonly isShared: boolean;
  /** When it was asked. */
  readonly asked: number;
  /** When the server came to it. */
  began: number;
  readonly patience: Patience;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  /** Whether the caller has been told. */
  isTold: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Set once its time is over: called when the server has answered after all. */
  answered: ((outcome: Outcome) => void) | undefined;
}

/** The cause of what fails since the server says nothing, in the same words each time: the log counts by them. */
const silence = () => new Error('the server does not react');

export class Connection {
  /** The pool's epoch when it was made: connections of earlier ones are replaced. */
  readonly epoch: number;
  /** The server, or the way to it, is gone: nothing more can be asked. */
  isLost = false;
  /** It was lost since the server did not react. */
  isSilent = false;
  readonly #client: pg.ClientBase;
  readonly #peer: Peer;
  readonly #prepared: Prepared | undefined;
  /** Statements whose callers have not been told, in the order of their answers. */
  readonly #pending: Pending[] = [];
  /** Prepared statements that were ended along with these. */
  readonly #dropped = new Set<string>();

  /** @param preparation what the connections of its pool share; without it statements are parsed each time. */
  constructor(client: pg.ClientBase, preparation?: Preparation, epoch = 0) {
    this.#client = client;
    this.#peer = client as unknown as Peer;
    this.#prepared = preparation && new Prepared(preparation);
    this.epoch = epoch;
    // without a listener a connection that is lost while nothing is asked of it would end the process
    client.on('error', () => {
      this.isLost = true;
    });
  }

  /**
   * Runs a statement, after those that were asked before. The caller need not wait for their answers.
   *
   * @throws ContentError 503 when its time is over, or the connection is or gets lost; else what the server says.
   */
  run(statement: Statement, patience: Patience): Promise<Answer> {
    return this.#answer(statement, patience);
  }

  /**
   * The same for commands such as `begin`, which are never prepared.
   *
   * @param joins as of a statement; one that does not may be several commands.
   */
  command(text: string, patience: Patience, joins = false): Promise<Answer> {
    return this.#answer({ text, joins }, patience);
  }

  async #answer(statement: Asked, patience: Patience): Promise<Answer> {
    try {
      return await this.#ask(statement, patience);
    } catch (error) {
      if (isLoss(error)) this.isLost = true;
      // behind a refused statement of a batch the server has passed over this as well
      if (isAborted(error)) for (const name of this.#dropped) this.#drop(name);
      this.#prepared?.failed(statement.text, error, (old) => this.#drop(old));
      throw translated(error);
    }
  }

  /** Cuts the connection off, without a word: the server may not be listening. */
  destroy(): void {
    this.isLost = true;
    this.#peer.connection.stream.destroy();
  }

  #ask(asked: Asked, patience: Patience): Promise<Answer> {
    const { text, values, bytes = false, isShared = false, joins = false, isRaw = false } = asked;
    if (this.isLost) throw unreachable(new Error('the connection was lost before'));
    const named = isRaw ? undefined : values && this.#prepared?.of(text, (old) => this.#drop(old));
    return new Promise<Answer>((resolve, reject) => {
      const began = performance.now();
      const take = (outcome: Outcome) => {
        if (pending.isTold) return;
        if (pending.answered) pending.answered(outcome);
        else this.#tell(pending, outcome);
      };
      const query = new Query({ text, values: values ?? [], named, bytes, waits: isShared, joins, isRaw }, take);
      const told = { resolve, reject, isTold: false, timer: undefined, answered: undefined };
      const pending: Pending = { text, query, isShared, asked: began, began, patience, ...told };
      this.#pending.push(pending);
      this.#client.query(query as unknown as pg.Query);
      if (this.#pending[0] === pending) this.#watch(pending);
    });
  }

  /**
   * Ends a prepared statement, along with the statement that follows. In the protocol, other than in SQL, one that the
   * server does not know is not an error, which would end the transaction.
   */
  #drop(name: string): void {
    this.#dropped.add(name);
    dropPrepared(this.#peer.connection, name);
  }

  #tell(pending: Pending, outcome: Outcome): void {
    if (pending.isTold) return;
    pending.isTold = true;
    clearTimeout(pending.timer);
    const wasFirst = this.#pending[0] === pending;
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    const now = performance.now();
    this.#prepared?.took(pending.text, now - pending.began);
    const next = this.#pending[0];
    if (!next && 'answer' in outcome) this.#dropped.clear();
    // the server comes to it now
    if (wasFirst && next) {
      next.began = now;
      this.#watch(next, next.isShared ? next.asked : now);
    }
    if ('error' in outcome) pending.reject(outcome.error);
    else pending.resolve(outcome.answer);
  }

  /** Looks after a statement until its time is over, and now and then whether the server is there. */
  #watch(pending: Pending, start = performance.now()): void {
    const { limit } = this.#patienceWith(pending);
    const left = limit === 0 ? PROBE_AFTER : limit - (performance.now() - start);
    const look = async () => {
      if (pending.isTold) return;
      const { limit } = this.#patienceWith(pending);
      if (limit !== 0 && performance.now() - start >= limit - EARLY) {
        this.#tell(pending, await this.#giveUp(pending));
      } else if (await isReachable(this.#peer, PROBE_TIMEOUT)) {
        if (!pending.isTold) this.#watch(pending, start);
      } else if (!pending.isTold) {
        this.#lose();
        this.#tell(pending, { error: unreachable(silence()) });
      }
    };
    // what arrived while this process was busy is read first
    pending.timer = setTimeout(() => setImmediate(look), Math.max(0, Math.min(left, PROBE_AFTER)));
  }

  /** How long a statement is waited for whose answer comes with those of the statements that follow it in its batch. */
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

  /** Has a statement cancelled. When the server does not say so in time, the connection goes with it. */
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
        // a cancellation that is still on its way might hit another statement
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
