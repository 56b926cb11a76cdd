/**
 * Whose rows code works with: a core action asks services and documents on behalf of a caller, whose rules of access
 * hold for all that is asked that way.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';

export class Narrowing {
  readonly #views: Views;
  readonly #current = new AsyncLocalStorage<Viewer>();

  constructor(views: Views) {
    this.#views = views;
  }

  /** What code sees at the moment. */
  get viewer(): Viewer {
    return this.#current.getStore() ?? this.#views.code;
  }

  /** Runs work in the rows of a caller. */
  run<T>({ view, values }: Viewer, work: () => T): T {
    const narrower = view.narrowing(this.#views.code.view);
    return narrower === this.#views.code.view ? work() : this.#current.run({ view: narrower, values }, work);
  }
}
