/** The observable state of a draft, and its copy on the device. */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { FieldError } from '../../data/failures.ts';
import { Baseline } from './baseline.ts';
import type { DraftSetup, DraftState } from './draft-state.ts';
import { Findings } from './findings.ts';
import { newDocumentId } from './new-document.ts';

/** The milliseconds before changes are stored on the device. */
const SOON = 150;

/** Values of a deleted version until they are saved again: they are stored in its place until then. */
interface Lost {
  readonly server: DocumentAnswer;
  /** Whether the form has all values of the version. */
  readonly isWhole: boolean;
  /** The id of the document that replaces it. */
  readonly newId: string;
}

export class DraftStore {
  readonly #parts: DraftSetup;
  readonly #listeners = new Set<() => void>();
  #state: DraftState;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly baseline: Baseline;
  readonly findings: Findings;
  /** The id of the document if it is created here. */
  newId = newDocumentId();
  lost: Lost | undefined;
  /** The version in which restored changes were made, until the conflict is resolved. */
  writtenInto: string | null | undefined;

  constructor(parts: DraftSetup) {
    this.#parts = parts;
    this.baseline = new Baseline(parts, parts.server);
    this.findings = new Findings(parts, this.baseline);
    this.#state = {
      values: this.baseline.shown,
      server: parts.server,
      status: 'saved',
      waiting: 0,
      savedAt: undefined,
      errors: [],
      advice: this.findings.advice(this.baseline.shown, []),
      refusal: undefined,
      theirs: undefined,
      left: undefined,
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly get = (): DraftState => this.#state;

  /** Whether the server has all changes. */
  get isSaved(): boolean {
    return this.baseline.isSaved(this.#state.values);
  }

  set(some: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...some };
    for (const listener of this.#listeners) listener();
  }

  /** Shows the errors at their fields. */
  tell(): void {
    const { values } = this.#state;
    const errors = this.findings.of(values);
    this.set({ errors, advice: this.findings.advice(values, errors) });
  }

  /** Shows the errors of a request. @param isStrict whether the document was to be published. */
  refuse(errors: readonly FieldError[], isStrict: boolean): void {
    this.findings.refuse(errors, this.#state.values);
    if (isStrict && errors.length > 0) this.findings.publish();
    this.tell();
  }

  /**
   * Shows why not everything can be saved. Returns whether it can. @param isStrict whether the document is to be
   * published.
   */
  isWhole(isStrict: boolean): boolean {
    if (this.baseline.heldBack(this.#state.values).length === 0) return true;
    if (isStrict) this.findings.publish();
    this.tell();
    return false;
  }

  /** Removes all errors. */
  forgive(): void {
    this.findings.forget();
    this.baseline.release();
    this.set({ errors: [], advice: this.findings.advice(this.#state.values, []), refusal: undefined });
  }

  keepSoon(): void {
    this.keepLater();
    this.#keeping = setTimeout(() => this.keepNow(), SOON);
  }

  /** Records that the edited version is gone. */
  lose({ isWhole = true, newId = newDocumentId() }: Partial<Lost> = {}): void {
    this.lost ??= { server: this.#state.server, isWhole, newId };
  }

  /**
   * Stores the unsaved changes on the device, or removes them if everything is saved. After a deletion, all values are
   * stored.
   */
  keepNow(): void {
    this.keepLater();
    const { values, server } = this.#state;
    const { lost } = this;
    const unsaved = lost ? this.baseline.withoutPasswords(values) : this.baseline.toKeep(values);
    const newId = lost || server.documentId === null ? { newId: lost?.newId ?? this.newId } : {};
    const whole = lost ? { isWhole: lost.isWhole } : {};
    const place = this.#place;
    const tag = this.writtenInto === undefined ? place.tag : this.writtenInto;
    this.#parts.keep(place, unsaved && { at: Date.now(), tag, values: unsaved, ...newId, ...whole });
  }

  /** Makes an answer the base of the changes, whatever their previous base was. */
  found(answer: DocumentAnswer): void {
    if (this.#place.documentId !== answer.documentId) this.#parts.keep(this.#place, undefined);
    this.lost = undefined;
    this.writtenInto = undefined;
  }

  /** The document under which changes are stored on the device. */
  get #place(): DocumentAnswer {
    return this.lost?.server ?? this.#state.server;
  }

  /** Stops storing changes until it is requested again. */
  keepLater(): void {
    clearTimeout(this.#keeping);
  }

  keepNothing(): void {
    this.keepLater();
    this.#parts.keep(this.#place, undefined);
  }
}
