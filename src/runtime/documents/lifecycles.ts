/** Lifecycles: listeners of the code that run around reads and writes of rows, under the names of the reference. */
import type { Narrowing } from '../narrowing.ts';
import type { SchemaOf } from '../schemas/schemas.ts';
import { UnitOfWork } from '../unit-of-work.ts';

/** The moments at which listeners run. */
export type LifecycleAction = `${'before' | 'after'}${Moment}`;
export type Moment =
  | 'Create'
  | 'CreateMany'
  | 'Update'
  | 'UpdateMany'
  | 'Delete'
  | 'DeleteMany'
  | 'FindOne'
  | 'FindMany'
  | 'Count';

// biome-ignore lint/suspicious/noExplicitAny: parameters and rows of any type
export type Params = Record<string, any>;

/** The event of a listener, which may change `params` before an operation and `result` after it. */
export interface LifecycleEvent {
  readonly action: LifecycleAction;
  readonly model: object;
  params: Params;
  result?: unknown;
  state: object;
}

/** Reads: their listeners see only the rows that the caller sees. */
const READS = /Find|Count/;

type Listener = (event: LifecycleEvent) => unknown;

/** A function for all events, or an object of functions by action. */
export type Subscriber = Listener | ({ readonly models?: readonly string[] } & Readonly<Record<string, unknown>>);

/** The state that one operation stores for each listener between `before` and `after`. */
export type States = Map<Subscriber, object>;

export class Lifecycles {
  readonly #schemaOf: SchemaOf;
  readonly #narrowing: Narrowing;
  /** The listeners of types' files, which run first. */
  readonly #ofTypes = new Map<string, Subscriber>();
  #subscribers: readonly Subscriber[] = [];
  #isEnabled = true;
  /** Increases with every subscriber. */
  version = 0;

  constructor(schemaOf: SchemaOf, narrowing: Narrowing) {
    this.#schemaOf = schemaOf;
    this.#narrowing = narrowing;
  }

  /** Adds the listeners of a type's file. */
  addType(uid: string, lifecycles: Subscriber): void {
    this.#ofTypes.set(uid, lifecycles);
  }

  /** Adds a subscriber. The returned function removes it. */
  subscribe(subscriber: Subscriber): () => void {
    if (typeof subscriber !== 'function' && (typeof subscriber !== 'object' || subscriber === null)) {
      throw new TypeError('Invalid subscriber. Expected function or object');
    }
    this.#subscribers = [...this.#subscribers, subscriber];
    this.version++;
    return () => {
      this.#subscribers = this.#subscribers.filter((one) => one !== subscriber);
    };
  }

  enable(): void {
    this.#isEnabled = true;
  }
  disable(): void {
    this.#isEnabled = false;
  }
  clear(): void {
    this.#subscribers = [];
  }

  /** Whether there are subscribers: components have no other listeners. */
  get hasSubscribers(): boolean {
    return this.#isEnabled && this.#subscribers.length > 0;
  }

  /** Whether a type has a listener at one of some moments. */
  listens(uid: string, ...moments: Moment[]): boolean {
    const listeners = this.#isEnabled ? this.#of(uid) : [];
    if (listeners.length === 0) return false;
    const names = moments.flatMap((moment) => [`before${moment}`, `after${moment}`]);
    return listeners.some((one) => typeof one === 'function' || names.some((name) => name in one));
  }

  /** A written row as listeners to its reading change it: the reference reads it before anything else. */
  async asRead(uid: string, row: unknown, shape: Params = {}): Promise<unknown> {
    if (typeof row !== 'object' || row === null || !this.listens(uid, 'FindOne')) return row;
    const states: States = new Map();
    const where = { id: (row as Params)['id'] };
    const { params } = await this.run('beforeFindOne', uid, { params: { where, ...shape } }, states);
    return (await this.run('afterFindOne', uid, { params, result: row }, states)).result;
  }

  /** Calls all listeners, one after the other, and returns the changed event. An error of one ends the operation. */
  async run(
    action: LifecycleAction,
    uid: string,
    { params, result }: { params: Params; result?: unknown },
    states: States,
  ): Promise<{ params: Params; result: unknown }> {
    const current = { params, result };
    if (!this.#isEnabled) return current;
    for (const subscriber of this.#of(uid)) {
      const listener = typeof subscriber === 'function' ? subscriber : subscriber[action];
      if (typeof listener !== 'function') continue;
      const event: LifecycleEvent = {
        action,
        model: this.#schemaOf(uid),
        state: states.get(subscriber) ?? {},
        params: current.params,
        ...(result === undefined ? {} : { result: current.result }),
      };
      const call = () => UnitOfWork.call(listener as Listener, subscriber, event);
      await (READS.test(action) ? call() : this.#narrowing.aside(call));
      if (event.state) states.set(subscriber, event.state);
      current.params = event.params;
      if (result !== undefined) current.result = event.result;
    }
    return current;
  }

  #of(uid: string): readonly Subscriber[] {
    const own = this.#ofTypes.get(uid);
    if (this.#subscribers.length === 0) return own ? [own] : [];
    const others = this.#subscribers.filter(
      (one) => typeof one === 'function' || one.models === undefined || one.models.includes(uid),
    );
    return own ? [own, ...others] : others;
  }
}
