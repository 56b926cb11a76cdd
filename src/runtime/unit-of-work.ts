/**
 * A unit of work of a project's code: a request, a run of a task, a step of the start, a call of a listener or a timer.
 *
 * Code that reads a member of strapi which Galley lacks gets an error, and its unit of work is condemned: even if the
 * code catches the error, later writes of the unit are not committed, and its request answers 500. So a guard that
 * catches the error and lets the caller in opens nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** What runs at the moment. */
interface Scope {
  readonly unit: UnitOfWork | undefined;
  /** The innermost call of a handler, such as a policy; undefined outside of handlers. */
  readonly call: Call | undefined;
}

/** A call of a handler, with the error of a missing member that the handler has read in it. */
interface Call {
  readonly handler: Handler;
  error: Error | undefined;
  isOver: boolean;
}

/** A function of the project that Galley calls for requests, with all functions that share its variables. */
interface Handler {
  /** The error that the handler has swallowed: it is not called again, since it may have cached a result of it. */
  swallowed: Error | undefined;
  /** Errors in calls that go on: whether they swallow them is seen at their end. */
  readonly open: Set<Error>;
}

export interface UnitOptions {
  /**
   * Takes the error that condemns the unit after its end, in work that the unit has started and not awaited. By default
   * it is ignored, so that long-lived work of the unit, such as a timer of a connection, retains only the unit.
   */
  readonly late?: (error: Error) => void;
  /** The same for work that outlives the unit, such as a module that is loaded in it. By default `late`. */
  readonly lateInParts?: (error: Error) => void;
  /** The error of a start that has failed after its end: no handler is called any more. */
  readonly failedStart?: () => Error | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();
const handlers = new WeakMap<object, Handler>();
/** Errors that condemned a unit, which is how the log has them. */
const reported = new WeakSet<Error>();

export class UnitOfWork {
  #condemned: (error: Error) => void;
  readonly #late: ((error: Error) => void) | undefined;
  #lateInParts: ((error: Error) => void) | undefined;
  #failedStart: (() => Error | undefined) | undefined;
  #error: Error | undefined;
  #isOver = false;
  /** Work that is in progress, and whether the unit ends with it. */
  #parts = 0;
  #endsWithParts = false;
  /** Neighbours in the list of units whose work has not ended. A set would keep those that have left it in memory. */
  #previous: UnitOfWork | undefined;
  #next: UnitOfWork | undefined;
  static #firstOpen: UnitOfWork | undefined;

  /** @param condemned takes the error that condemns it, once. */
  constructor(condemned: (error: Error) => void, { late, lateInParts = late, failedStart }: UnitOptions = {}) {
    this.#condemned = condemned;
    this.#late = late;
    this.#lateInParts = lateInParts;
    this.#failedStart = failedStart;
    this.#next = UnitOfWork.#firstOpen;
    if (this.#next) this.#next.#previous = this;
    UnitOfWork.#firstOpen = this;
  }

  /** The unit of code outside of all others, such as the handlers of a socket that code has opened. */
  static #outside = UnitOfWork.#ended();

  /** A unit whose work has ended. @param late as the constructor takes it. */
  static #ended(late?: (error: Error) => void): UnitOfWork {
    const unit = new UnitOfWork(() => {}, late && { late });
    unit.end();
    return unit;
  }

  /**
   * The unit of a timer that fires after the end of this one. Its code may decide for any open unit, as all code may whose
   * unit has ended.
   *
   * @param condemned takes the error that condemns it, if this unit takes no late errors.
   */
  timer(condemned: (error: Error) => void): UnitOfWork {
    const take = (error: Error): void => {
      (this.#late ?? condemned)(error);
      UnitOfWork.condemnOpen(error);
    };
    return new UnitOfWork(take, { late: take });
  }

  /** Begins a new unit for code that runs in no other. @param condemned takes the error that condemns it. */
  static startOutside(condemned: (error: Error) => void): void {
    UnitOfWork.#outside = UnitOfWork.#ended(condemned);
  }

  /** The unit that the caller of this runs in; undefined outside of one. */
  static get current(): UnitOfWork | undefined {
    return scopes.getStore()?.unit;
  }

  /** The same, or the one for code outside of all others. */
  static get currentOrOutside(): UnitOfWork {
    return UnitOfWork.current ?? UnitOfWork.#outside;
  }

  /**
   * Condemns the current unit. Code whose unit has ended may decide for any other, such as a loop of bootstrap that serves a
   * queue of requests: then all open units are condemned with it.
   */
  static condemnCurrent(error: Error): void {
    const unit = UnitOfWork.currentOrOutside;
    unit.condemn(error);
    unit.#condemnOthers(error);
  }

  /**
   * A function that condemns the current request later, in the name of the handler that runs now; undefined outside of
   * requests. The error counts as one of a missing member that this handler has read. It concerns no other request, since
   * the sender of an answer must not decide about those.
   */
  static condemningRequest(): ((error: Error) => void) | undefined {
    const scope = scopes.getStore();
    const { unit } = scope ?? {};
    // without a handler the server itself sends the request, such as that of the API page
    if (scope?.call === undefined || unit === undefined || !unit.#answersRequest) return undefined;
    return (error) => {
      if (!unit.#answersRequest) return;
      scopes.run(scope, () => UnitOfWork.noteMissing(error));
      unit.condemn(error);
    };
  }

  /** Whether it is that of an unanswered request: only those are refused after a failed start. */
  get #answersRequest(): boolean {
    return this.#failedStart !== undefined;
  }

  /** Notes that the handler which runs has read a missing member. */
  static noteMissing(error: Error): void {
    const call = scopes.getStore()?.call;
    if (call?.isOver) call.handler.swallowed ??= error;
    else if (call && call.error === undefined) {
      call.error = error;
      call.handler.open.add(error);
    }
  }

  /** The error that condemned it; undefined for a unit in order. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Whether an error condemned a unit, so that it need not be logged where it is caught. */
  static isReported(error: unknown): boolean {
    return reported.has(error as Error);
  }

  /** Whether its work has ended. What it started and did not await may still run. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Runs work in it, outside of all handlers. */
  run<T>(work: () => T): T {
    return scopes.run({ unit: this, call: undefined }, work);
  }

  /** Runs work in it, within the handler that runs at the moment. */
  runOn<T>(work: () => T): T {
    return scopes.run({ unit: this, call: scopes.getStore()?.call }, work);
  }

  /** Runs a part of its work, with which it ends at the earliest if it is condemned: its answer does not wait for it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#parts++;
    try {
      return await work();
    } finally {
      this.#parts--;
      if (this.#parts === 0 && this.#endsWithParts) this.end();
    }
  }

  /** Notes that its work has ended. */
  end(): void {
    if (this.#isOver) return;
    this.#endsWithParts = this.#error !== undefined && this.#parts > 0;
    if (this.#endsWithParts) return;
    this.#isOver = true;
    // a connection that stays open keeps its last request, which must not keep the project
    this.#condemned = this.#late ?? (() => {});
    [this.#lateInParts, this.#failedStart] = [this.#late, undefined];
    if (this.#previous) this.#previous.#next = this.#next;
    else UnitOfWork.#firstOpen = this.#next;
    if (this.#next) this.#next.#previous = this.#previous;
    this.#previous = this.#next = undefined;
  }

  /** Condemns it. Only the first error counts. */
  condemn(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    reported.add(error);
    this.#condemned(error);
  }

  /** @throws a copy of the error that condemned it: code that throws the error itself has not swallowed it. */
  check(): void {
    if (this.#error === undefined) return;
    this.#condemnOthers(this.#error);
    const copy = Object.create(this.#error, { stack: { value: this.#error.stack } }) as Error;
    reported.add(copy);
    throw copy;
  }

  /** Condemns all open units where this one has ended: its code may decide for any of them. */
  #condemnOthers(error: Error): void {
    if (this.#isOver) UnitOfWork.condemnOpen(error);
  }

  /** Condemns all units whose work has not ended. */
  static condemnOpen(error: Error): void {
    const units: UnitOfWork[] = [];
    for (let unit = UnitOfWork.#firstOpen; unit; unit = unit.#next) units.push(unit);
    for (const unit of units) unit.condemn(error);
  }

  /** Counts functions that share variables, such as those of one factory, as one handler. */
  static share<T extends object>(part: T, whole: object): T {
    handlers.set(part, handlerOf(whole));
    return part;
  }

  /**
   * Calls a function of the project that decides about requests: a policy, a middleware, an action, a lifecycle.
   *
   * A function that has read a missing member and swallowed the error is never called again: it may have cached a
   * result of it. The units of later callers are condemned by the same error. After a failed start no function is
   * called: any of them may depend on the failed start.
   *
   * @throws the errors of the function; the error that it swallowed before, or the error of the start.
   */
  static call<Args extends unknown[], T>(handler: (...args: Args) => T, own: unknown, ...args: Args): T {
    const known = handlerOf(handler);
    const unit = UnitOfWork.current;
    const refusal = known.swallowed ?? [...known.open][0] ?? (unit === undefined ? undefined : unit.#failedStart?.());
    if (refusal) {
      UnitOfWork.condemnCurrent(refusal);
      throw refusal;
    }
    const call: Call = { handler: known, error: undefined, isOver: false };
    const end = (thrown?: unknown): void => {
      call.isOver = true;
      if (call.error) call.handler.open.delete(call.error);
      if (call.error && thrown !== call.error) call.handler.swallowed ??= call.error;
    };
    let result: T;
    try {
      result = scopes.run({ unit, call }, () => handler.apply(own, args));
    } catch (error) {
      end(error);
      throw error;
    }
    if (result instanceof Promise) result.then(() => end(), end);
    else end();
    return result;
  }

  /**
   * Runs work whose result outlives the current unit, such as a module or a service that is created once. If it is condemned,
   * so is the current unit, and there is no result.
   *
   * @throws the errors of the work; the error that condemned it, if the work catches that error.
   */
  static part<T>(work: () => T): T {
    const whole = UnitOfWork.current;
    return UnitOfWork.#attempt(work, (error) => whole?.condemn(error));
  }

  /** The same for work that the current unit can go on without: the caller handles the error. */
  static attempt<T>(work: () => T): T {
    return UnitOfWork.#attempt(work, () => {});
  }

  static #attempt<T>(work: () => T, condemned: (error: Error) => void): T {
    const whole = UnitOfWork.current;
    const late = whole === undefined ? undefined : whole.#lateInParts;
    const unit = new UnitOfWork(condemned, late && { late });
    try {
      const result = unit.run(work);
      unit.check();
      return result;
    } finally {
      unit.end();
    }
  }

  /**
   * Runs work as a unit of its own, to its end.
   *
   * @param late takes an error that condemns the unit after its end, in work that it did not await.
   * @throws the errors of the work; the error that condemned it, if the work catches that error.
   */
  static async whole<T>(work: () => T | Promise<T>, late: (error: Error) => void): Promise<T> {
    const unit = new UnitOfWork(() => {}, { late });
    try {
      const result = await unit.run(work);
      unit.check();
      return result;
    } finally {
      unit.end();
    }
  }
}

function handlerOf(key: object): Handler {
  const known = handlers.get(key) ?? { swallowed: undefined, open: new Set() };
  handlers.set(key, known);
  return known;
}

type Callback = (...values: unknown[]) => unknown;

/**
 * A timer function of Node for a project's code. A callback that outlives the unit which set it, such as the interval of a
 * bootstrap, is a unit of its own each time; within a request it belongs to that request. A condemned unit leaves no timer.
 *
 * @param set `setTimeout`, `setInterval` or `setImmediate`.
 * @param condemned takes the error that condemns such a unit.
 */
function timerOf<T extends object>(set: T, condemned: (error: Error) => void): T {
  const timer = (callback: unknown, ...rest: unknown[]): unknown => {
    const setIn = UnitOfWork.current;
    const call: Callback = (...values) => {
      if (setIn?.isOver && setIn.error !== undefined) return undefined;
      const run = () => (callback as Callback)(...values);
      if (setIn && !setIn.isOver) return run();
      return runToEnd(setIn?.timer(condemned) ?? new UnitOfWork(condemned, { late: condemned }), run);
    };
    return (set as unknown as Callback)(typeof callback === 'function' ? call : callback, ...rest);
  };
  // util.promisify finds the promise form of a timer by a symbol
  return Object.defineProperties(timer, Object.getOwnPropertyDescriptors(set)) as unknown as T;
}

/** The timer functions of Node for a project's code. @param condemned as `timerOf` takes it. */
export const timersOf = (condemned: (error: Error) => void) => ({
  setTimeout: timerOf(setTimeout, condemned),
  setInterval: timerOf(setInterval, condemned),
  setImmediate: timerOf(setImmediate, condemned),
});

/** Runs a callback in a unit that ends with it. Its errors are not handled. */
function runToEnd(unit: UnitOfWork, run: () => unknown): unknown {
  const end = (): void => unit.end();
  let result: unknown;
  try {
    result = unit.runOn(run);
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) void result.then(end, end);
  else end();
  return result;
}
