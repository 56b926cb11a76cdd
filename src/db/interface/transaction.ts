/**
 * A transaction: the only way to write. It holds the connection while it lasts and refuses whatever is asked of it
 * afterwards, keeps the locks that it took, collects the changes that it makes, and knows what is to run once it is
 * committed.
 */

import { errorField, writeLogLine } from '../../log-line.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { render, type SqlValue, slot } from '../../sql/fragment.ts';
import { currentAccount } from '../scheduling/account.ts';
import { type Change, Changes, type Removal } from './change.ts';
import type { Queryable, Row, Sent, WritingExecutor } from './queryable.ts';

/** Thrown by a transaction that gives way to another one: it is to be run again. */
export class TransactionConflict extends Error {}

/** A lock that is kept until the transaction ends: exclusive, or shared with others. */
export interface Lock {
  readonly key: string;
  readonly shared: boolean;
}

/** What an attempt at a transaction knows of the locks of earlier attempts. */
export interface LockPlan {
  /** Keys that an earlier attempt found locked when it held other locks already, and whether shared: taken first. */
  readonly wanted: Map<string, boolean>;
  /** Whether to wait for a lock while holding others, at the risk of a deadlock, which the engine resolves. */
  readonly isPatient: boolean;
}

/** What hears of the changes of transactions: all of an attempt's together, never those of one that was given up. */
export interface ChangeListener {
  /**
   * Called before versions of documents are removed, by the transaction that is about to do so: it sees them for the last
   * time. What comes of it is told as changes.
   */
  beforeRemoval?(tx: Transaction, removals: readonly Removal[]): Promise<void>;
  /**
   * Called before the commit. It may write in the same transaction, whose further changes it is told of in another call;
   * what it throws rolls the transaction back.
   */
  beforeCommit?(tx: Transaction, changes: readonly Change[]): Promise<void>;
  /**
   * Whether anything would come of `beforeRemoval` and `beforeCommit` at present, whatever the changes; always when left
   * out. Where nothing would, statements and the commit are sent together that would else wait for it.
   */
  isConcerned?(): boolean;
  /**
   * Brings what `isConcerned` goes by up to date with the commits of other processes. Called on SQLite, once for each group
   * of writers that shares a commit, while the file is theirs. Where it fails, `isConcerned` goes by what is known, and is
   * true in doubt.
   */
  learn?(): Promise<void> | undefined;
  /** Called once the changes are durable, before whoever asked for them is answered. What it throws is logged. */
  afterCommit?(changes: readonly Change[]): void;
}

/** Those who are told of the changes of a database's transactions. */
export class ChangeListeners {
  readonly #all = new Set<ChangeListener>();
  /** Those who are told before the commit. */
  beforeCommit: readonly ChangeListener[] = [];
  /** Those who are told before versions are removed. */
  beforeRemoval: readonly ChangeListener[] = [];
  /** Those who are told after the commit. */
  afterCommit: readonly ChangeListener[] = [];

  /** Adds one until the function that it gives is called. */
  add(listener: ChangeListener): () => void {
    this.#all.add(listener);
    this.#sort();
    return () => {
      this.#all.delete(listener);
      this.#sort();
    };
  }

  /** Whether anybody has to be told before the commit at present. */
  get areConcerned(): boolean {
    return this.beforeCommit.some(isConcerned);
  }

  /** Has those who are told before the commit learn whether they are concerned. It never fails. */
  async learn(): Promise<void> {
    for (const listener of this.beforeCommit) await listener.learn?.()?.catch(() => undefined);
  }

  #sort(): void {
    this.beforeCommit = [...this.#all].filter((listener) => listener.beforeCommit !== undefined);
    this.beforeRemoval = [...this.#all].filter((listener) => listener.beforeRemoval !== undefined);
    this.afterCommit = [...this.#all].filter((listener) => listener.afterCommit !== undefined);
  }
}

const isConcerned = (listener: ChangeListener): boolean => listener.isConcerned?.() ?? true;

/** How often listeners may answer changes with changes before the transaction is taken for one that never ends. */
const ROUNDS = 16;

export class Transaction implements Queryable {
  readonly dialect: Dialect;
  readonly #executor: WritingExecutor;
  readonly #lockPlan: LockPlan | undefined;
  readonly #listeners: ChangeListeners | undefined;
  readonly #locks = new Map<string, boolean>();
  readonly #recorded = new Changes();
  /** Where changes are noted besides. */
  readonly #noting = new Set<Changes>();
  readonly #afterCommit: (() => void)[] = [];
  readonly #afterRollback: (() => void)[] = [];
  #isOver = false;
  /** Whether it goes on behind what takes its own last statement for that of the transaction: others share it. */
  isShared = false;

  /**
   * @param listeners who is told before versions are removed.
   * @param lockPlan undefined where writers take turns anyway, so that nothing needs to be locked.
   */
  constructor(executor: WritingExecutor, dialect: Dialect, listeners?: ChangeListeners, lockPlan?: LockPlan) {
    this.#executor = executor;
    this.dialect = dialect;
    this.#listeners = listeners;
    this.#lockPlan = lockPlan;
  }

  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]> {
    if (this.#isOver) throw new Error('the transaction has ended');
    return this.#executor.rows(text, values);
  }

  /** Runs a statement whose rows nobody needs: it may fail later than where it is asked (`WritingExecutor.send`). */
  send(text: string, values: readonly SqlValue[]): Sent {
    if (this.#isOver) throw new Error('the transaction has ended');
    return this.#executor.send(text, values);
  }

  /** Runs a statement that a project's code has written (`WritingExecutor.raw`). */
  raw(text: string, values: readonly unknown[]): unknown {
    if (this.#isOver) throw new Error('the transaction has ended');
    return this.#executor.raw(text, values);
  }

  /** Whether `insert` may be used for a table (`WritingExecutor.tellsIds`). */
  tellsIds(table: string): boolean {
    return this.#executor.tellsIds?.(table) ?? false;
  }

  /** Inserts rows and gives the id of the last, where the executor tells it (`WritingExecutor.insert`). */
  insert(text: string, values: readonly SqlValue[]): number | Promise<number> {
    if (this.#isOver) throw new Error('the transaction has ended');
    return this.#executor.insert!(text, values);
  }

  /**
   * Runs work that only reads and may fail, as a read whose answer is too long: the transaction goes on as if it had not been
   * asked.
   */
  attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('the transaction has ended');
    return this.#executor.attempt?.(work) ?? work();
  }

  /**
   * Where the last statement of the transaction is asked by work that refuses nothing any more, whatever the answer is: where
   * statements travel, the commit is sent along with it.
   */
  get last(): Queryable {
    if (this.isShared) return this;
    return {
      dialect: this.dialect,
      rows: (text, values) => {
        const rows = this.rows(text, values);
        if (this.#executor.commitBehind?.()) this.end();
        return rows;
      },
    };
  }

  /** Notes a change that this transaction makes. Of several of one version, what they come to is kept. */
  record(change: Omit<Change, 'by' | 'at'>): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    const now = { ...change, by: currentAccount(), at: Date.now() };
    this.#recorded.add(now);
    for (const changes of this.#noting) changes.add(now);
  }

  /** Runs work, and gives besides what the transaction changes meanwhile, whatever it has changed before. */
  async noting<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly changes: readonly Change[] }> {
    const noted = new Changes();
    this.#noting.add(noted);
    try {
      return { result: await work(), changes: noted.from(0) };
    } finally {
      this.#noting.delete(noted);
    }
  }

  /** Whether anybody is to be told of versions that are about to be removed, at present. */
  get tellsRemovals(): boolean {
    return this.#listeners?.beforeRemoval.some(isConcerned) ?? false;
  }

  /** Tells listeners of versions that are about to be removed: they can be read once more. */
  async removing(removals: readonly Removal[]): Promise<void> {
    for (const listener of this.#listeners?.beforeRemoval ?? []) await listener.beforeRemoval?.(this, removals);
  }

  /** What has been changed so far. */
  get changes(): readonly Change[] {
    return this.#recorded.from(0);
  }

  /** Has something done once the transaction is committed, before whoever asked for it is answered. */
  afterCommit(run: () => void): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    this.#afterCommit.push(run);
  }

  /**
   * Has something done once the transaction is rolled back, or has ended without anybody knowing how: a connection may be
   * lost between a commit and its answer.
   */
  afterRollback(run: () => void): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    this.#afterRollback.push(run);
  }

  /**
   * Takes locks, which are kept until the transaction ends. Gives whether any of them is new: what was read before it was
   * taken may have changed since.
   *
   * @param locks called only on engines that need locks.
   * @param isHeld false where everything that the locks protect is asked of this transaction: it is asked behind them, and
   * nobody has to wait here until they are taken. What they fail with is thrown as `send` does.
   * @throws TransactionConflict where waiting for one might be a deadlock.
   */
  lock(locks: () => Iterable<Lock>, isHeld = true): false | Promise<boolean> {
    const { lock } = this.dialect;
    return lock && this.#lockPlan ? this.#lock(lock, this.#lockPlan, locks(), isHeld) : false;
  }

  async #lock(
    lock: NonNullable<Dialect['lock']>,
    { wanted, isPatient }: LockPlan,
    locks: Iterable<Lock>,
    isHeld: boolean,
  ): Promise<boolean> {
    const held = this.#locks;
    const missing = this.#missing(locks);
    if (missing.size === 0) return false;
    if (held.size === 0) for (const [key, shared] of wanted) this.#add(missing, key, shared);
    // locks are waited for in one order, so that no two transactions wait for each other; one that comes before others in
    // hand makes this transaction start anew where it is taken
    const ordered = [...missing.keys()].sort();
    const waits = isPatient || [...held.keys()].every((key) => key < ordered[0]!);
    const list = ordered.map((key) => (missing.get(key) ? 's' : 'x') + key);
    const { text } = render(lock(slot(0), waits), (n) => this.dialect.placeholder(n));
    const values = [JSON.stringify(list)];
    // what is asked from now on is asked behind them
    for (const [key, shared] of missing) held.set(key, shared);
    if (waits && !isHeld) await this.send(text, values);
    else if ((await this.rows(text, values)).some(([got]) => got === 'false')) {
      for (const [key, shared] of held) wanted.set(key, shared && (wanted.get(key) ?? true));
      throw new TransactionConflict('another transaction holds a lock that this one needs');
    }
    return true;
  }

  /** Whether a lock is not held. */
  lacks(locks: () => Iterable<Lock>): boolean {
    return this.dialect.lock !== undefined && this.#lockPlan !== undefined && this.#missing(locks()).size > 0;
  }

  #missing(locks: Iterable<Lock>): Map<string, boolean> {
    const missing = new Map<string, boolean>();
    for (const { key, shared } of locks) this.#add(missing, key, shared);
    return missing;
  }

  #add(missing: Map<string, boolean>, key: string, shared: boolean): void {
    const now = this.#locks.get(key);
    if (now === undefined || (now && !shared)) missing.set(key, shared && (missing.get(key) ?? true));
  }

  /** Ends the transaction for whoever holds it: what is still asked is refused. Called by the engine. */
  end(): void {
    this.#isOver = true;
  }

  /** Tells listeners before the commit of what was changed, until nothing more is. Called by the engine. */
  async announce(listeners: ChangeListeners): Promise<void> {
    const concerned = listeners.beforeCommit;
    if (concerned.length === 0) return;
    const heard = new Map(concerned.map((listener) => [listener, 0]));
    for (let round = 0; [...heard.values()].some((count) => count < this.#recorded.count); round++) {
      if (round === ROUNDS) throw new Error('those who are told of changes answer them with changes without end');
      for (const [listener, count] of heard) {
        const news = this.#recorded.from(count);
        heard.set(listener, this.#recorded.count);
        // what somebody has heard of is not combined with what comes later: all listeners hear the same
        this.#recorded.close();
        if (news.length > 0) await listener.beforeCommit?.(this, news);
      }
    }
  }

  /** Runs what is to happen after the commit. Called by the engine, once the transaction is durable. */
  committed(listeners: ChangeListeners): void {
    for (const run of this.#afterCommit) settle(run, 'commit');
    const { changes } = this;
    if (changes.length === 0) return;
    for (const listener of listeners.afterCommit) settle(() => listener.afterCommit?.(changes), 'commit');
  }

  /** Runs what is to happen after a rollback. Called by the engine. */
  rolledBack(): void {
    for (const run of this.#afterRollback) settle(run, 'rollback');
  }
}

/** What happens after the end of a transaction changes nothing about it, so that its failure is the log's matter alone. */
function settle(run: () => unknown, end: 'commit' | 'rollback'): void {
  const log = (error: unknown) => writeLogLine('error', `failure after a ${end}`, errorField(error));
  try {
    const result = run();
    // nobody waits for a promise, but its failure must not end the process
    if (result instanceof Promise) result.catch(log);
  } catch (error) {
    log(error);
  }
}
