/** What a draft shows to those who subscribe to it, and what the device keeps of it. */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { FieldError } from '../../data/failures.ts';
import { Baseline } from './baseline.ts';
import type { DraftSetup, DraftState } from './draft-state.ts';
import { Findings } from './findings.ts';
import { newDocumentId } from './new-document.ts';

/** Milliseconds before what is written is kept on the device. */
const SOON = 150;

/** What somebody else has deleted, until what was written into it is saved anew: it is kept in its place until then. */
interface Lost {
  readonly server: DocumentAnswer;
  /** Whether the form has all that it had. */
  readonly isWhole: boolean;
  /** The id of the document that is made anew. */
  readonly newId: string;
}

export class DraftStore {
  readonly #parts: DraftSetup;
  readonly #listeners = new Set<() => void>();
  #state: DraftState;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  readonly baseline: Baseline;
  readonly findings: Findings;
  /** The id of the document, should it be made here. */
  newId = newDocumentId();
  lost: Lost | undefined;
  /** The version into which something was written that was brought back, until it is decided what becomes of it. */
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

  /** Whether the server has all that is written. */
  get isSaved(): boolean {
    return this.baseline.isSaved(this.#state.values);
  }

  set(some: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...some };
    for (const listener of this.#listeners) listener();
  }

  /** Tells at its fields what is to be mended. */
  tell(): void {
    const { values } = this.#state;
    const errors = this.findings.of(values);
    this.set({ errors, advice: this.findings.advice(values, errors) });
  }

  /** Tells what the server has refused. @param isStrict whether it was to be published. */
  refuse(errors: readonly FieldError[], isStrict: boolean): void {
    this.findings.refuse(errors, this.#state.values);
    if (isStrict && errors.length > 0) this.findings.publish();
    this.tell();
  }

  /** Tells why not all of it can be saved. Gives whether it can. @param isStrict whether it is to be published. */
  isWhole(isStrict: boolean): boolean {
    if (this.baseline.heldBack(this.#state.values).length === 0) return true;
    if (isStrict) this.findings.publish();
    this.tell();
    return false;
  }

  /** Tells nothing of what was to be mended before. */
  forgive(): void {
    this.findings.forget();
    this.baseline.release();
    this.set({ errors: [], advice: this.findings.advice(this.#state.values, []), refusal: undefined });
  }

  keepSoon(): void {
    this.keepLater();
    this.#keeping = setTimeout(() => this.keepNow(), SOON);
  }

  /** Notes that what it is written into is gone. */
  lose({ isWhole = true, newId = newDocumentId() }: Partial<Lost> = {}): void {
    this.lost ??= { server: this.#state.server, isWhole, newId };
  }

  /** Keeps what is unsaved, and nothing where all is saved; all of it where nothing else has it. */
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

  /** What is written belongs to what an answer has, whatever it was written into before. */
  found(answer: DocumentAnswer): void {
    if (this.#place.documentId !== answer.documentId) this.#parts.keep(this.#place, undefined);
    this.lost = undefined;
    this.writtenInto = undefined;
  }

  /** Whose place on the device it has. */
  get #place(): DocumentAnswer {
    return this.lost?.server ?? this.#state.server;
  }

  /** Has nothing kept by itself until somebody says so again. */
  keepLater(): void {
    clearTimeout(this.#keeping);
  }

  keepNothing(): void {
    this.keepLater();
    this.#parts.keep(this.#place, undefined);
  }
}
