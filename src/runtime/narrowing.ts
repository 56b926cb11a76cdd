/**
 * The rows that code works with. While a controller answers, the methods of core services work on behalf of the caller,
 * whose rules of access hold for them and for their operations on documents. Code's own operations on documents have
 * all rights, and so do hooks of a write, which may have to see rows that are hidden from the caller.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Viewer } from '../access/view.ts';
import type { Views } from '../access/views.ts';

interface Standing {
  /** The caller. */
  readonly caller: Viewer;
  /** The view of documents; undefined: everything. */
  readonly viewer: Viewer | undefined;
}

export class Narrowing {
  readonly #views: Views;
  readonly #current = new AsyncLocalStorage<Standing | undefined>();

  constructor(views: Views) {
    this.#views = views;
  }

  /** The scope of code at the moment. */
  get viewer(): Viewer {
    return this.#current.getStore()?.viewer ?? this.#views.code;
  }

  /** Runs a controller's action that answers a caller. */
  answering<T>(caller: Viewer, work: () => T): T {
    return this.#current.run({ caller, viewer: undefined }, work);
  }

  /** Runs a method of a core service, in the rows of the caller if there is one. */
  serving<T>(work: () => T): T {
    const standing = this.#current.getStore();
    return standing ? this.run(standing.caller, work) : work();
  }

  /** Runs work in the rows of a caller. */
  run<T>(caller: Viewer, work: () => T): T {
    const { code } = this.#views;
    const view = caller.view.narrowing(code.view);
    const viewer = view === code.view ? undefined : { view, values: caller.values };
    return this.#current.run({ caller, viewer }, work);
  }

  /** Runs hooks around a write, with all rights. */
  aside<T>(work: () => T): T {
    return this.#current.getStore() ? this.#current.run(undefined, work) : work();
  }

  /** Returns a function that runs work in the current scope, from within `aside`. */
  returning(): <T>(work: () => T) => T {
    const standing = this.#current.getStore();
    return standing ? (work) => this.#current.run(standing, work) : (work) => work();
  }
}
