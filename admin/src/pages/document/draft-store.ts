/** What a draft shows to those who subscribe to it, and what the device keeps of it. */
import { unparsedPaths } from '../../form/values/unparsed.ts';
import { Baseline } from './baseline.ts';
import { newDocumentId } from './document-id.ts';
import type { DraftParts, DraftState } from './draft-parts.ts';

/** Milliseconds before what is written is kept on the device. */
const SOON = 150;

export class DraftStore {
  readonly #parts: DraftParts;
  readonly #listeners = new Set<() => void>();
  #state: DraftState;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly baseline: Baseline;
  /** The id of the document, should it be made here. */
  newId = newDocumentId();

  constructor(parts: DraftParts) {
    this.#parts = parts;
    this.baseline = new Baseline(parts, parts.server);
    this.#state = {
      values: this.baseline.shown,
      server: parts.server,
      status: 'saved',
      savedAt: undefined,
      errors: [],
      refusal: undefined,
      theirs: undefined,
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly get = (): DraftState => this.#state;

  set(some: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...some };
    for (const listener of this.#listeners) listener();
  }

  /** Says at its fields what cannot be read yet, and so is not saved. Gives whether there is nothing of the kind. */
  isReadable(): boolean {
    const paths = unparsedPaths(this.#state.values);
    const { unreadable: message } = this.#parts;
    if (paths.length > 0) this.set({ errors: paths.map((path) => ({ path, message, name: 'ValidationError' })) });
    return paths.length === 0;
  }

  keepSoon(): void {
    this.keepLater();
    this.#keeping = setTimeout(() => this.keepNow(), SOON);
  }

  /** Keeps what is unsaved, and nothing where all is saved. */
  keepNow(): void {
    this.keepLater();
    const { values, server } = this.#state;
    const unsaved = this.baseline.toKeep(values);
    const made = server.documentId === null ? { newId: this.newId } : {};
    this.#parts.keep(server, unsaved && { at: Date.now(), tag: server.tag, values: unsaved, ...made });
  }

  /** Has nothing kept by itself until somebody says so again. */
  keepLater(): void {
    clearTimeout(this.#keeping);
  }

  keepNothing(): void {
    this.keepLater();
    this.#parts.keep(this.#state.server, undefined);
  }
}
