/**
 * A transaction: the only way to write. It holds the connection while it lasts, refuses statements after its end, keeps
 * its locks, collects its changes, and runs callbacks after the commit.
 */
import { chain } from '../../chain.ts';
import { errorField, writeLogLine } from '../../log-line.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { render, type SqlValue, slot } from '../../sql/fragment.ts';
import { currentActor } from './account.ts';
import type { Action, NewAction } from './action.ts';
import { changesCached } from './cached-tables.ts';
import { type Change, Changes, type Removal, type RemovedRows, type Replacement } from './change.ts';
import type { Queryable, Row, Sent, WritingExecutor } from './queryable.ts';

/** Thrown by a transaction that gives way to another one: it must be repeated. */
export class TransactionConflict extends Error {}

/** A lock that is held until the transaction ends: exclusive, or shared with others. */
export interface Lock {
  readonly key: string;
  readonly shared: boolean;
}

/** Whether SQL of the code may be more than one query: it may change what processes have in memory. */
export const mayWrite = (text: string): boolean => !/^\s*select\b[^;]*;?\s*$/i.test(text);

/** What an attempt at a transaction knows of the locks of earlier attempts. */
export interface LockPlan {
  /**
   * Keys that an earlier attempt could not lock while it held other locks, and whether shared: they are locked first.
   */
  readonly wanted: Map<string, boolean>;
  /** Whether to wait for a lock while holding others, at the risk of a deadlock, which the engine resolves. */
  readonly isPatient: boolean;
}

/**
 * A listener to the changes of transactions. It receives all changes of an attempt together, and none of an attempt
 * that was repeated.
 */
export interface ChangeListener {
  /**
   * Called by the transaction before versions of documents are removed, so that they can be read once more. The
   * resulting changes are reported as usual.
   */
  beforeRemoval?(tx: Transaction, removals: readonly Removal[]): Promise<void>;
  /**
   * Records the present state of a version before it is replaced or removed, as `record` records changes: nothing waits
   * for its statements.
   */
  beforeReplacement?(tx: Transaction, version: Replacement): Sent;
  /** Whether `beforeReplacement` records versions of a type. */
  recordsReplacements?(uid: string): boolean;
  /** Records, in the same way, rows of a document before they are deleted. */
  beforeDeletion?(tx: Transaction, removed: RemovedRows): Sent;
  /**
   * Called before the commit. It may write in the same transaction, whose further changes are reported in another call;
   * an error rolls the transaction back.
   */
  beforeCommit?(tx: Transaction, changes: readonly Change[]): Promise<void>;
  /**
   * Records changes and other actions in the same transaction, after the last of them. It refuses nothing and may be repeated, so it costs
   * no round trip and no savepoint, as `beforeCommit` may: its statements are sent before the last one of the
   * transaction.
   */
  record?(tx: Transaction, changes: readonly Change[], actions: readonly Action[]): Sent;
  /**
   * Whether `beforeRemoval` and `beforeCommit` would do anything at present, whatever the changes; always if left out.
   * If not, statements and the commit that would otherwise wait for them are sent together.
   */
  isConcerned?(): boolean;
  /**
   * Updates the state behind `isConcerned` after commits of other processes. Called on SQLite, once for each group of
   * writers that share a commit, while they hold the file. If it fails, `isConcerned` uses the last known state, and is
   * true in doubt.
   */
  learn?(): Promise<void> | undefined;
  /** Called after the changes are durable, before the caller is answered. An error is logged. */
  afterCommit?(changes: readonly Change[]): void;
  /** Called at the same time if statements may have changed what caches depend on (`changesCached`). */
  afterCachedChange?(): void;
}

/** The listeners to the changes of a database's transactions. */
export class ChangeListeners {
  readonly #all = new Set<ChangeListener>();
  /** The listeners that are called before the commit. */
  beforeCommit: readonly ChangeListener[] = [];
  /** The listeners that are called before versions are removed. */
  beforeRemoval: readonly ChangeListener[] = [];
  /** The listeners that record changes, those that record replaced states, and those that record deleted rows. */
  record: readonly ChangeListener[] = [];
  beforeReplacement: readonly ChangeListener[] = [];
  beforeDeletion: readonly ChangeListener[] = [];
  /** The listeners that are called after the commit. */
  afterCommit: readonly ChangeListener[] = [];
  /** The listeners that are called after changes of what caches depend on. */
  afterCachedChange: readonly ChangeListener[] = [];

  /** Adds a listener until the returned function is called. */
  add(listener: ChangeListener): () => void {
    this.#all.add(listener);
    this.#sort();
    return () => {
      this.#all.delete(listener);
      this.#sort();
    };
  }

  /** Whether any listener must be called before the commit at present. */
  get areConcerned(): boolean {
    return this.beforeCommit.some(isConcerned);
  }

  /** Lets the listeners before the commit update `isConcerned`. Never fails. */
  async learn(): Promise<void> {
    for (const listener of this.beforeCommit) await listener.learn?.()?.catch(() => undefined);
  }

  #sort(): void {
    const having = (call: keyof ChangeListener): readonly ChangeListener[] =>
      [...this.#all].filter((listener) => listener[call] !== undefined);
    this.beforeCommit = having('beforeCommit');
    this.beforeRemoval = having('beforeRemoval');
    this.record = having('record');
    this.beforeReplacement = having('beforeReplacement');
    this.beforeDeletion = having('beforeDeletion');
    this.afterCommit = having('afterCommit');
    this.afterCachedChange = having('afterCachedChange');
  }
}

/** Calls listeners one after the other, without a promise if none of them returns one. */
function inOrder(listeners: readonly ChangeListener[], call: (listener: ChangeListener) => Sent): Sent {
  let done: Sent;
  for (const listener of listeners) done = done ? done.then(() => call(listener)) : call(listener);
  return done;
}

const isConcerned = (listener: ChangeListener): boolean => listener.isConcerned?.() ?? true;

/** How often listeners may respond to changes with further changes before the transaction is aborted. */
const ROUNDS = 16;

export class Transaction implements Queryable {
  readonly dialect: Dialect;
  readonly #executor: WritingExecutor;
  readonly #lockPlan: LockPlan | undefined;
  readonly #listeners: ChangeListeners | undefined;
  readonly #locks = new Map<string, boolean>();
  readonly #recorded = new Changes();
  /** The number of changes that listeners have recorded. */
  #written = 0;
  /** Actions that listeners have not recorded yet. */
  #actions: Action[] = [];
  /** Further recorders of changes (`noting`). */
  readonly #noting = new Set<Changes>();
  readonly #afterCommit: (() => void)[] = [];
  readonly #afterRollback: (() => void)[] = [];
  #isOver = false;
  #changesCached = false;
  /** Whether other work follows in the same transaction after what the work takes for its last statement. */
  isShared = false;

  /**
   * @param listeners called before versions are removed.
   * @param lockPlan undefined if writers take turns anyway, so that locks are not needed.
   */
  constructor(executor: WritingExecutor, dialect: Dialect, listeners?: ChangeListeners, lockPlan?: LockPlan) {
    this.#executor = executor;
    this.dialect = dialect;
    this.#listeners = listeners;
    this.#lockPlan = lockPlan;
  }

  /** The executor, until the transaction has ended. */
  get #open(): WritingExecutor {
    if (this.#isOver) throw new Error('the transaction has ended');
    return this.#executor;
  }

  /** All rows of a statement; for a write without `returning`, none. */
  rows(text: string, values: readonly SqlValue[]): Row[] | Promise<Row[]> {
    this.#changesCached ||= changesCached(text);
    return this.#open.rows(text, values);
  }

  /** Runs a statement whose rows are not needed; its error may be thrown later (`WritingExecutor.send`). */
  send(text: string, values: readonly SqlValue[]): Sent {
    this.#changesCached ||= changesCached(text);
    return this.#open.send(text, values);
  }

  /** Runs a statement of a project's code (`WritingExecutor.raw`). */
  raw(text: string, values: readonly unknown[]): unknown {
    this.#changesCached ||= mayWrite(text);
    return this.#open.raw(text, values);
  }

  /** Whether `insert` may be used for a table (`WritingExecutor.returnsIds`). */
  returnsIds(table: string): boolean {
    return this.#executor.returnsIds?.(table) ?? false;
  }

  /** Inserts rows and returns the last id (`WritingExecutor.insert`). */
  insert(text: string, values: readonly SqlValue[]): number | Promise<number> {
    this.#changesCached ||= changesCached(text);
    return this.#open.insert!(text, values);
  }

  /**
   * Runs work that only reads and may fail, such as a read whose answer is too long; the transaction goes on
   * afterwards.
   */
  attempt<T>(work: () => Promise<T>): Promise<T> {
    return this.#open.attempt?.(work) ?? work();
  }

  /**
   * The executor of the transaction's last statement, after which the work refuses nothing any more: over a network the
   * commit is sent along with it.
   */
  get last(): Queryable {
    if (this.isShared) return this;
    return {
      dialect: this.dialect,
      rows: (text, values) =>
        chain(this.writeRecords(), () => {
          const rows = this.rows(text, values);
          if (this.#executor.commitBehind?.()) this.end();
          return rows;
        }),
    };
  }

  /** Records a change of this transaction. Several changes of one version are combined. */
  record(change: Omit<Change, 'by' | 'at'>): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    const now = { ...change, by: currentActor(), at: Date.now() };
    this.#recorded.add(now);
    for (const changes of this.#noting) changes.add(now);
  }

  /** Records an action that changes no document, such as a sign-in. */
  recordAction({ by, ...action }: NewAction): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    this.#actions.push({ ...action, by: { ...currentActor(), ...by }, at: Date.now() });
  }

  /** Runs work, and also returns the changes that the transaction makes meanwhile, independent of earlier ones. */
  async noting<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly changes: readonly Change[] }> {
    const noted = new Changes();
    this.#noting.add(noted);
    try {
      return { result: await work(), changes: noted.from(0) };
    } finally {
      this.#noting.delete(noted);
    }
  }

  /** Whether any listener must be called before versions are removed at present. */
  get reportsRemovals(): boolean {
    return this.#listeners?.beforeRemoval.some(isConcerned) ?? false;
  }

  /** Calls listeners before versions are removed, so that they can be read once more. */
  async removing(removals: readonly Removal[]): Promise<void> {
    for (const listener of this.#listeners?.beforeRemoval ?? []) await listener.beforeRemoval?.(this, removals);
  }

  /** Has listeners record what they have not received yet. Called by the engine before the commit. */
  writeRecords(): Sent {
    const { record } = this.#listeners ?? { record: [] };
    const news = record.length > 0 ? this.#recorded.from(this.#written) : [];
    const actions = this.#actions;
    if (news.length === 0 && actions.length === 0) return undefined;
    this.#written = this.#recorded.count;
    this.#actions = [];
    // later changes are recorded separately
    this.#recorded.close();
    return inOrder(record, (listener) => listener.record!(this, news, actions));
  }

  /** Whether any listener records versions of a type before they are replaced. */
  recordsReplacements(uid: string): boolean {
    return this.#listeners?.beforeReplacement.some((one) => one.recordsReplacements?.(uid)) ?? false;
  }

  /** Has listeners record the state of a version before it is replaced or removed. */
  replacing(version: Replacement): Sent {
    return inOrder(this.#listeners?.beforeReplacement ?? [], (one) => one.beforeReplacement!(this, version));
  }

  /** Has listeners record rows of a document before they are deleted. */
  deleting(removed: RemovedRows): Sent {
    return inOrder(this.#listeners?.beforeDeletion ?? [], (one) => one.beforeDeletion!(this, removed));
  }

  /** The changes so far. */
  get changes(): readonly Change[] {
    return this.#recorded.from(0);
  }

  /** Runs a callback after the commit, before the caller is answered. */
  afterCommit(run: () => void): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    this.#afterCommit.push(run);
  }

  /**
   * Runs a callback after a rollback, or after an end with an unknown outcome: a connection may be lost between a
   * commit and its answer.
   */
  afterRollback(run: () => void): void {
    if (this.#isOver) throw new Error('the transaction has ended');
    this.#afterRollback.push(run);
  }

  /**
   * Takes locks, which are held until the transaction ends. Returns whether any of them is new: what was read before
   * may have changed since.
   *
   * @param locks called only on engines that need locks.
   * @param isHeld false if all statements that the locks protect are sent by this transaction later: they run after the
   * locks, which are then not awaited here. Errors are thrown as those of `send`.
   * @throws TransactionConflict if waiting for a lock might be a deadlock.
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
    // locks are taken in one order, so that no two transactions wait for each other; a lock that precedes one already
    // held restarts this transaction if another holds it
    const ordered = [...missing.keys()].sort();
    const waits = isPatient || [...held.keys()].every((key) => key < ordered[0]!);
    const list = ordered.map((key) => (missing.get(key) ? 's' : 'x') + key);
    const { text } = render(lock(slot(0), waits), (n) => this.dialect.placeholder(n));
    const values = [JSON.stringify(list)];
    // later statements run after the locks
    for (const [key, shared] of missing) held.set(key, shared);
    if (waits && !isHeld) await this.send(text, values);
    else if ((await this.rows(text, values)).some(([got]) => got === 'false')) {
      for (const [key, shared] of held) wanted.set(key, shared && (wanted.get(key) ?? true));
      throw new TransactionConflict('another transaction holds a lock that this one needs');
    }
    return true;
  }

  /** Whether any of the locks is not held. */
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

  /** Ends the transaction: further statements are refused. Called by the engine. */
  end(): void {
    this.#isOver = true;
  }

  /** Calls listeners before the commit with the changes, until there are no more. Called by the engine. */
  async announce(listeners: ChangeListeners): Promise<void> {
    const concerned = listeners.beforeCommit;
    if (concerned.length === 0) return;
    const heard = new Map(concerned.map((listener) => [listener, 0]));
    for (let round = 0; [...heard.values()].some((count) => count < this.#recorded.count); round++) {
      if (round === ROUNDS) throw new Error(`change listeners keep producing changes; gave up after ${ROUNDS} rounds`);
      for (const [listener, count] of heard) {
        const news = this.#recorded.from(count);
        heard.set(listener, this.#recorded.count);
        // a change that a listener has received is not combined with later ones, so that all listeners receive the same
        // changes
        this.#recorded.close();
        if (news.length > 0) await listener.beforeCommit?.(this, news);
      }
    }
  }

  /** Runs the callbacks after the commit. Called by the engine once the transaction is durable. */
  committed(listeners: ChangeListeners): void {
    for (const run of this.#afterCommit) settle(run, 'commit');
    if (this.#changesCached) {
      for (const listener of listeners.afterCachedChange) settle(() => listener.afterCachedChange?.(), 'commit');
    }
    const { changes } = this;
    if (changes.length === 0) return;
    for (const listener of listeners.afterCommit) settle(() => listener.afterCommit?.(changes), 'commit');
  }

  /** Runs the callbacks after a rollback. Called by the engine. */
  rolledBack(): void {
    for (const run of this.#afterRollback) settle(run, 'rollback');
  }
}

/** Runs a callback after the end of a transaction. A failure does not affect the transaction, so it is only logged. */
function settle(run: () => unknown, end: 'commit' | 'rollback'): void {
  const log = (error: unknown) => writeLogLine('error', `failure after a ${end}`, errorField(error));
  try {
    const result = run();
    // the promise is not awaited, but its failure must not end the process
    if (result instanceof Promise) result.catch(log);
  } catch (error) {
    log(error);
  }
}
