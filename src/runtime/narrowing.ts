/**
 * Whose rows code works with. While a controller answers, the methods of core services work on behalf of whoever asks:
 * the caller's rules of access hold for them and for all that they ask of documents. What code asks of documents by
 * itself it asks with all rights; so do hooks of a write, which decide about it, and must not miss what its caller
 * is not shown.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Viewer } from '../access/view.ts';
import type { Views } from '../access/views.ts';

interface Standing {
  /** Whoever is answered. */
  readonly caller: Viewer;
  /** What documents show; undefined: everything. */
  readonly viewer: Viewer | undefined;
}

export class Narrowing {
  readonly #views: Views;
  readonly #current = new AsyncLocalStorage<Standing | undefined>();

  constructor(views: Views) {
    this.#views = views;
  }

  /** What code sees at the moment. */
  get viewer(): Viewer {
    return this.#current.getStore()?.viewer ?? this.#views.code;
  }

  /** Runs a controller's action that answers a caller. */
  answering<T>(caller: Viewer, work: () => T): T {
    return this.#current.run({ caller, viewer: undefined }, work);
  }

  /** Runs a method of a core service: in the rows of whoever is answered, if anybody is. */
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

  /** Runs what stands around a write, with all rights. */
  aside<T>(work: () => T): T {
    return this.#current.getStore() ? this.#current.run(undefined, work) : work();
  }

  /** Gives what runs work as it would run now, from within `aside`. */
  returning(): <T>(work: () => T) => T {
    const standing = this.#current.getStore();
    return standing ? (work) => this.#current.run(standing, work) : (work) => work();
  }
}
