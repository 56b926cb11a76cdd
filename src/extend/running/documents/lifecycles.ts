/** Lifecycles: what code has done around the reads and writes of rows, under the names of the reference. */
import type { Narrowing } from '../narrowing.ts';
import type { SchemaOf } from '../schemas/schemas.ts';
import { UnitOfWork } from '../unit-of-work.ts';

/** What happens to rows. */
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

/** What a lifecycle is told. It may change `params` before, and `result` after. */
export interface LifecycleEvent {
  readonly action: LifecycleAction;
  readonly model: object;
  params: Params;
  result?: unknown;
  state: object;
}

/** What adds to what a caller is shown, and is asked in its rows. */
const READS = /Find|Count/;

type Listener = (event: LifecycleEvent) => unknown;

/** A function that is told of everything, or an object of functions by action. */
export type Subscriber = Listener | ({ readonly models?: readonly string[] } & Readonly<Record<string, unknown>>);

/** What one operation keeps for each of its listeners between before and after. */
export type States = Map<Subscriber, object>;

export class Lifecycles {
  readonly #schemaOf: SchemaOf;
  readonly #narrowing: Narrowing;
  /** Those of the files of types, which come first. */
  readonly #ofTypes = new Map<string, Subscriber>();
  #subscribers: readonly Subscriber[] = [];
  #isEnabled = true;
  /** Rises with every subscriber. */
  version = 0;

  constructor(schemaOf: SchemaOf, narrowing: Narrowing) {
    this.#schemaOf = schemaOf;
    this.#narrowing = narrowing;
  }

  /** Adds those of a type's file. */
  addType(uid: string, lifecycles: Subscriber): void {
    this.#ofTypes.set(uid, lifecycles);
  }

  /** Adds one until the function that it gives is called. */
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

  /** Whether anybody subscribes: components have no lifecycles otherwise. */
  get hasSubscribers(): boolean {
    return this.#isEnabled && this.#subscribers.length > 0;
  }

  /** Whether anybody is told of one of some moments of a type. */
  listens(uid: string, ...moments: Moment[]): boolean {
    if (!this.#isEnabled) return false;
    const names = moments.flatMap((moment) => [`before${moment}`, `after${moment}`]);
    return this.#of(uid).some((one) => typeof one === 'function' || names.some((name) => name in one));
  }

  /** A row that was written, as those leave it who are told of its reading: in the reference it is read before all else. */
  async asRead(uid: string, row: unknown, shape: Params = {}): Promise<unknown> {
    if (typeof row !== 'object' || row === null || !this.listens(uid, 'FindOne')) return row;
    const states: States = new Map();
    const where = { id: (row as Params)['id'] };
    const { params } = await this.run('beforeFindOne', uid, { params: { where, ...shape } }, states);
    return (await this.run('afterFindOne', uid, { params, result: row }, states)).result;
  }

  /** Tells everybody, one after the other. What one throws ends the operation. Gives the event as they have left it. */
  async run(
    action: LifecycleAction,
    uid: string,
    { params, result }: { params: Params; result?: unknown },
    states: States,
  ): Promise<{ params: Params; result: unknown }> {
    const told = { params, result };
    if (!this.#isEnabled) return told;
    for (const subscriber of this.#of(uid)) {
      const listener = typeof subscriber === 'function' ? subscriber : subscriber[action];
      if (typeof listener !== 'function') continue;
      const event: LifecycleEvent = {
        action,
        model: this.#schemaOf(uid),
        state: states.get(subscriber) ?? {},
        params: told.params,
        ...(result === undefined ? {} : { result: told.result }),
      };
      const tell = () => UnitOfWork.call(listener as Listener, subscriber, event);
      await (READS.test(action) ? tell() : this.#narrowing.aside(tell));
      if (event.state) states.set(subscriber, event.state);
      told.params = event.params;
      if (result !== undefined) told.result = event.result;
    }
    return told;
  }

  #of(uid: string): readonly Subscriber[] {
    const own = this.#ofTypes.get(uid);
    const others = this.#subscribers.filter(
      (one) => typeof one === 'function' || one.models === undefined || one.models.includes(uid),
    );
    return own ? [own, ...others] : others;
  }
}
