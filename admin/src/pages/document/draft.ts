/**
 * A draft as it is being written: what the form shows, what the server has, and the one request at a time that brings the
 * two together. It knows nothing of React; a page subscribes to it.
 */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { RefusedError, UnreachableError } from '../../data/failures.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { withValue } from '../../form/values/path.ts';
import { same } from '../../form/values/same.ts';
import { withSaved } from '../../form/values/with-saved.ts';
import type { Baseline } from './baseline.ts';
import type { DraftParts, DraftState } from './draft-parts.ts';
import { DraftStore } from './draft-store.ts';

/** Milliseconds without a key before what was written is sent. */
const PAUSE = 800;
/** The same where code of the project runs with each save: it may send mails, or rebuild a site. */
const PAUSE_WITH_CODE = 4_000;
/** Milliseconds before the server is asked again that did not answer. */
const AGAIN = 5_000;
/** Saves that may follow one another while somebody waits for all to be saved. */
const ROUNDS = 5;

export class Draft {
  readonly #parts: DraftParts;
  readonly #store: DraftStore;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  /** Set while something else is done to the document: nothing is sent beside it. */
  #isBusy = false;
  #isGone = false;
  /** Whether it may still be what was seen the last time, and not what is there. */
  #isOpening: boolean;
  /** Whether what is sent may come after the page has gone. */
  #isLeaving = false;

  constructor(parts: DraftParts) {
    this.#parts = parts;
    this.#isOpening = parts.isOpening === true;
    this.#store = new DraftStore(parts);
  }

  get subscribe(): DraftStore['subscribe'] {
    return this.#store.subscribe;
  }

  get get(): DraftStore['get'] {
    return this.#store.get;
  }

  get #state(): DraftState {
    return this.#store.get();
  }

  get #pause(): number {
    return this.#parts.model.runsCode ? PAUSE_WITH_CODE : PAUSE;
  }

  get #baseline(): Baseline {
    return this.#store.baseline;
  }

  /** The server's values in the form's shape; null where it has none. */
  get before(): Values | null {
    return this.#baseline.values;
  }

  get isSaved(): boolean {
    return this.#baseline.isSaved(this.#state.values);
  }

  get #isSent(): boolean {
    return this.#baseline.isSent(this.#state.values);
  }

  /** Puts a value into its place; it is kept at once and sent soon. */
  readonly change = (path: Path, value: unknown): void => {
    this.#write(withValue(this.#state.values, path, value));
  };

  /** Puts values of several attributes into their places. */
  fill(values: Values): void {
    this.#write({ ...this.#state.values, ...values });
  }

  /** Whether the server has what was kept on the device: somebody has seen it saved, or the answer came too late. */
  hasKept({ values }: Unsaved): boolean {
    return this.before !== null && Object.keys(this.#baseline.missing(values)).length === 0;
  }

  /** Brings back what was kept on the device. Written into an older version, it is a conflict to be looked at. */
  bringBack({ tag, values, newId }: Unsaved): void {
    if (newId !== undefined) this.#store.newId = newId;
    this.fill(this.#baseline.missing(values));
    if (tag === this.#state.server.tag) return;
    clearTimeout(this.#timer);
    this.#store.set({ status: 'conflict', theirs: this.#state.server });
  }

  /** Has the device keep what is unsaved here, and no longer what was found there. */
  dropKept(): void {
    this.#store.keepNow();
  }

  /**
   * Takes what the server says now, unless something here is not saved: that is settled when it is. Gives whether
   * another version is shown. What was `askedAt` a time (`performance.now()`) before the last save may be older than that.
   */
  refresh(server: DocumentAnswer, askedAt = Number.POSITIVE_INFINITY): boolean {
    const { tag, states, draft, published } = this.#state.server;
    // what is told of links and files may have changed without the version that has them
    if (server.tag === tag && same([server.states, server.draft, server.published], [states, draft, published]))
      return false;
    if (this.#saving || this.#isBusy || askedAt < this.#baseline.takenAt) return false;
    if (!this.isSaved) return this.#bringOver(server);
    const isOther = server.tag !== tag && !this.#baseline.isAsIn(server);
    this.#baseline.take(server);
    this.#store.set({ server, values: this.#baseline.shown, errors: [] });
    return isOther;
  }

  /** Called when the server has said what is there: from now on, another version is somebody else's. */
  async opened(): Promise<void> {
    await this.#saving;
    this.#isOpening = false;
  }

  /** What is written into what was seen the last time goes on in what is there, where that has it as it was. */
  #bringOver(server: DocumentAnswer): boolean {
    const values = this.#isOpening && this.#baseline.bringOver(server, this.#state.values);
    if (!values) return false;
    this.#store.set({ server, values });
    this.#store.keepNow();
    return true;
  }

  /** Saves what there is to save now. Gives whether all of it is saved. */
  flush(): Promise<boolean> {
    return this.#saveAll(false);
  }

  /** The same for somebody who has asked for it: a document in which nothing is written yet is made as well. */
  save(): Promise<boolean> {
    return this.#saveAll(true);
  }

  async #saveAll(makes: boolean): Promise<boolean> {
    for (let round = 0; round < ROUNDS; round++) {
      clearTimeout(this.#timer);
      await this.#saving;
      if (this.#state.status === 'conflict') return false;
      if (this.#isSent && (this.before !== null || !makes)) {
        if (this.#state.status === 'offline') this.#settled();
        return this.#store.isReadable();
      }
      await this.#save();
      if (this.#state.status !== 'saved' && this.#state.status !== 'unsaved') return false;
    }
    return this.isSaved;
  }

  /**
   * Does something to the saved document, such as publishing it; it is made first where there is none. Gives whether it is
   * done; what is refused stands in the state.
   *
   * @throws UnreachableError where no answer came.
   */
  act(work: (server: DocumentAnswer) => Promise<DocumentAnswer>): Promise<boolean> {
    return this.#alone(
      () => this.save(),
      async () => {
        const sent = this.#state.values;
        this.#adopt(await work(this.#state.server), sent);
      },
    );
  }

  /**
   * Takes what the server has made of the draft as it is, such as one whose changes were taken back.
   *
   * @throws UnreachableError where no answer came.
   */
  replace(work: (server: DocumentAnswer) => Promise<DocumentAnswer>): Promise<boolean> {
    return this.#alone(
      async () => {
        this.#clear();
        await this.#saving;
        return true;
      },
      async () => {
        const answer = await work(this.#state.server);
        this.#baseline.unanswered = undefined;
        this.#baseline.take(answer);
        this.#store.set({ server: answer, values: this.#baseline.shown, theirs: undefined });
        this.#settled();
        this.#parts.onSaved(answer);
      },
    );
  }

  /**
   * Deletes the document as it was seen; `forget` follows. Gives whether it is done; what is refused stands in the state.
   *
   * @throws UnreachableError where no answer came.
   */
  remove(work: (server: DocumentAnswer) => Promise<void>): Promise<boolean> {
    const before = async () => this.flush().then(() => true);
    return this.#alone(before, () => work(this.#state.server));
  }

  /** Does something while nothing is sent beside it; once more where somebody has only touched the document. */
  async #alone(before: () => Promise<boolean>, work: () => Promise<void>): Promise<boolean> {
    if (this.#isBusy || !(await before())) return false;
    this.#isBusy = true;
    this.#store.set({ errors: [], refusal: undefined });
    try {
      try {
        await work();
      } catch (error) {
        if (!this.#isRefused(error)) await work();
      }
    } catch (error) {
      this.#isRefused(error);
    } finally {
      this.#isBusy = false;
      // what was written meanwhile waited
      if (!this.#isSent) this.#saveIn(this.#pause);
    }
    const { refusal, status } = this.#state;
    return refusal === undefined && status !== 'conflict';
  }

  /**
   * Notes a refusal. False: it can be tried again.
   *
   * @throws whatever else it is.
   */
  #isRefused(error: unknown): boolean {
    if (!(error instanceof RefusedError)) throw error;
    if (error.status === 412) return this.#meet(error.details['current'] as DocumentAnswer);
    this.#store.set({ errors: error.fields, refusal: error });
    return true;
  }

  /** Settles a conflict: what somebody else has saved, with the values that were chosen instead of theirs. */
  resolve(theirs: DocumentAnswer, chosen: Values): void {
    this.#baseline.take(theirs);
    this.#store.set({ server: theirs, status: 'unsaved', theirs: undefined });
    this.#parts.onSaved(theirs);
    this.#write({ ...this.#baseline.shown, ...chosen });
    if (this.#isSent) this.#settled();
  }

  /** Keeps nothing any longer, and sends nothing: the document is gone, or its writer. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#store.keepNothing();
    this.#isGone = true;
  }

  /** Has what is written kept, and sent if its writer still is the one who is signed in: the page is being left. */
  leave(isOwn = true): void {
    if (this.#isGone) return;
    this.#isLeaving = true;
    this.#store.keepNow();
    this.#isGone = !isOwn;
    if (isOwn && this.#parts.savesItself && this.#state.status === 'unsaved') void this.flush();
    else clearTimeout(this.#timer);
  }

  /** The server may answer again. */
  readonly online = (): void => {
    if (this.#state.status === 'offline') void this.flush();
  };

  #write(values: Values): void {
    const { status } = this.#state;
    this.#store.set({ values, refusal: undefined });
    this.#store.keepSoon();
    if (status === 'conflict') return;
    if (this.#saving) return; // whoever saves looks again
    if (this.#isSent) {
      this.#settled();
      return;
    }
    if (status !== 'offline') this.#store.set({ status: 'unsaved' });
    this.#saveIn(this.#pause);
  }

  #saveIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#parts.savesItself) return;
    this.#timer = setTimeout(() => void this.#save(), milliseconds);
  }

  #save(): Promise<void> {
    if (this.#isBusy || this.#isGone || this.#state.status === 'conflict') return Promise.resolve();
    this.#saving ??= this.#saveOnce().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveOnce(): Promise<void> {
    const { values, server } = this.#state;
    // what may have arrived goes once more as it was, so that it is known again, and what was written since follows it
    const sent = this.#baseline.unanswered ?? values;
    const body = this.#baseline.bodyOf(sent);
    if (Object.keys(body).length === 0 && this.before !== null) return this.#settled();
    if (this.#state.status !== 'offline') this.#store.set({ status: 'saving' });
    try {
      const answer = await this.#parts.write(server, body, { newId: this.#store.newId, outlives: this.#isLeaving });
      this.#baseline.unanswered = undefined;
      this.#adopt(answer, sent);
    } catch (error) {
      this.#fail(error, sent);
    }
  }

  /** Takes a saved answer in; what was written meanwhile stays. */
  #adopt(answer: DocumentAnswer, sent: Values): void {
    const { schema, model } = this.#parts;
    const { values, server } = this.#state;
    this.#baseline.take(answer);
    if (server.documentId !== answer.documentId) this.#parts.keep(server, undefined);
    this.#store.set({
      server: answer,
      values: withSaved(schema, model, values, sent, this.before ?? {}),
      savedAt: Date.now(),
      errors: [],
      refusal: undefined,
      theirs: undefined,
    });
    this.#parts.onSaved(answer);
    if (this.#isSent) this.#settled();
    else {
      this.#store.set({ status: 'unsaved' });
      this.#store.keepNow();
      this.#saveIn(this.#pause);
    }
  }

  /** All that can be sent is; what cannot be read yet stays unsaved, and kept. */
  #settled(): void {
    this.#clear();
    this.#store.set({ status: this.isSaved ? 'saved' : 'unsaved', errors: [], refusal: undefined });
    this.#store.keepNow();
  }

  #fail(error: unknown, sent: Values): void {
    if (error instanceof UnreachableError) {
      this.#baseline.unanswered = sent;
      this.#store.set({ status: 'offline' });
      this.#store.keepNow();
      this.#saveIn(AGAIN);
      return;
    }
    const isRefused = this.#isRefused(error);
    this.#baseline.unanswered = undefined;
    if (!isRefused) {
      if (this.#isSent) this.#settled();
      else {
        this.#store.set({ status: 'unsaved' });
        this.#saveIn(0);
      }
    } else if (this.#state.status !== 'conflict') {
      this.#store.set({ status: 'refused' });
      this.#store.keepNow();
      if (this.#state.values !== sent) this.#saveIn(this.#pause);
    }
  }

  /**
   * There is another version: a conflict, unless nothing in it differs and only its tag is new, or it says what is written
   * here.
   */
  #meet(theirs: DocumentAnswer): boolean {
    if (this.#baseline.isAsIn(theirs)) {
      this.#baseline.take(theirs);
      this.#store.set({ server: theirs });
      return false;
    }
    const agreed = this.#baseline.agreeing(theirs, this.#state.values);
    if (agreed) {
      this.#baseline.unanswered = undefined;
      this.#adopt(theirs, agreed);
      return false;
    }
    if (this.#bringOver(theirs)) return false;
    this.#store.set({ status: 'conflict', theirs });
    this.#store.keepNow();
    return true;
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#store.keepLater();
  }
}
