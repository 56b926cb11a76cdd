/**
 * `strapi.server.app.middleware`: the middlewares around all requests, in an array that code may change as Koa's.
 * Functions in it stand for the middlewares of Strapi, whose work Galley does itself.
 */
import { unsupported } from '../guarded.ts';
import type { Middleware } from '../requests/policies.ts';
import { UnitOfWork } from '../unit-of-work.ts';

const PLACE = 'strapi.server.app.middleware';

/** The names of Strapi's functions that have one. */
const NAMES: Readonly<Record<string, string>> = {
  'strapi::cors': 'cors',
  'strapi::query': 'dummyMiddleware',
  'strapi::public': 'dummyMiddleware',
  'strapi::session': 'session',
};

/** The code around requests. */
export interface Stages {
  /** Middlewares outside of error handling. */
  readonly outer: readonly Middleware[];
  /** Those within it. */
  readonly inner: readonly Middleware[];
  /** How many of the latter precede the reading of bodies. */
  readonly ahead: number;
}

/** An entry of `config/middlewares`: a middleware of the project, or the name of one that Galley performs. */
export type Configured = Middleware | string;

export class AppMiddlewares {
  /** Those of the router, behind all others. */
  readonly #behind: Middleware[] = [];
  #list: Middleware[] = [];
  /** The functions that stand for middlewares of Strapi, in their order. */
  readonly #standIns: Middleware[] = [];
  #errors: Middleware | undefined;
  #body: Middleware | undefined;
  /** Middlewares that are called as code already. */
  readonly #configured = new Set<unknown>();
  #isOpen = true;
  /** The array, and the number of middlewares of the router, that the stages follow from. */
  #seen: readonly Middleware[] = [];
  #count = 0;
  #stages: Stages = { outer: [], inner: [], ahead: 0 };

  constructor() {
    // it opens the context of a request
    this.#standIn('');
  }

  /** The array of code. */
  get list(): Middleware[] {
    return this.#list;
  }

  /** Koa composes the array at its first request. */
  set list(list: unknown) {
    if (!Array.isArray(list)) throw new TypeError('Middleware stack must be an array!');
    if (!this.#isOpen) unsupported(`a change of ${PLACE}`);
    this.#list = list as Middleware[];
  }

  use(...middlewares: Middleware[]): void {
    this.#list.push(...middlewares);
  }

  useBehind(middleware: Middleware): void {
    this.#behind.push(middleware);
  }

  /** Adds those of `config/middlewares`. */
  configure(entries: readonly Configured[]): void {
    if (!entries.includes('strapi::errors')) this.#errors = this.#standIn('strapi::errors');
    for (const entry of entries) {
      if (typeof entry === 'string') {
        const standIn = this.#standIn(entry);
        if (entry === 'strapi::errors') this.#errors ??= standIn;
        if (entry === 'strapi::body') this.#body ??= standIn;
      } else {
        this.#configured.add(entry);
        this.#list.push(entry);
      }
    }
  }

  /**
   * Adds the router, as the server begins to listen.
   *
   * @throws Unsupported where code has changed the order of Strapi's middlewares, or removed one.
   */
  close(): void {
    if (!this.#isWhole) unsupported(CHANGE_OF_OWN);
    this.#isOpen = false;
    for (const name of ['dispatch', 'allowedMethods']) this.#standIn(name);
  }

  /** The middlewares at the moment: code may change them at any time. */
  get stages(): Stages {
    if (!isSame(this.#seen, this.#list) || this.#count !== this.#behind.length) {
      this.#stages = this.#isWhole ? this.#stagesNow() : { outer: [refuse], inner: [], ahead: 0 };
      this.#seen = [...this.#list];
      this.#count = this.#behind.length;
    }
    return this.#stages;
  }

  #stagesNow(): Stages {
    const ofCode = (from: number, to?: number) =>
      this.#list.slice(from, to).flatMap((one) => (this.#standIns.includes(one) ? [] : [this.#called(one)]));
    const at = this.#list.indexOf(this.#errors!);
    const body = this.#body === undefined ? at : this.#list.indexOf(this.#body);
    return {
      outer: ofCode(0, at),
      inner: [...ofCode(at), ...this.#behind],
      ahead: ofCode(at, Math.max(at, body)).length,
    };
  }

  /** Whether the middlewares of Strapi are all there, in their order. */
  get #isWhole(): boolean {
    const standing = this.#list.filter((one) => this.#standIns.includes(one));
    return isSame(standing, this.#standIns);
  }

  /** A function of code as a middleware that decides about requests. */
  #called(middleware: Middleware): Middleware {
    return this.#configured.has(middleware)
      ? middleware
      : (ctx, next) => UnitOfWork.call(middleware, undefined, ctx, next);
  }

  /** Appends a function in the place of one of Strapi's. */
  #standIn(name: string): Middleware {
    const standIn: Middleware = (_ctx, _next) => unsupported(`a call of ${name || 'a function'} of ${PLACE}`);
    Object.defineProperty(standIn, 'name', { value: name.startsWith('strapi::') ? (NAMES[name] ?? '') : name });
    this.#standIns.push(standIn);
    this.#list.push(standIn);
    return standIn;
  }
}

const isSame = (some: readonly Middleware[], others: readonly Middleware[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);

const CHANGE_OF_OWN = `a change of ${PLACE} that removes or moves a middleware of Strapi`;

const refuse: Middleware = () => unsupported(CHANGE_OF_OWN);
