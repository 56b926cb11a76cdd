/** The one request at a time that brings what is written and what the server has together. */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { RefusedError, UnreachableError } from '../../data/failures.ts';
import type { Values } from '../../form/values/model.ts';
import { withSaved } from '../../form/values/with-saved.ts';
import type { Baseline } from './baseline.ts';
import type { DraftSetup, DraftState } from './draft-state.ts';
import type { DraftStore } from './draft-store.ts';
import { nothingYet } from './new-document.ts';

/** Milliseconds without a key before what was written is sent. */
const PAUSE = 800;
/** The same where code of the project runs with each save: it may send mails, or rebuild a site. */
const PAUSE_WITH_CODE = 4_000;
/** Milliseconds before the server is asked again that did not answer. */
const AGAIN = 5_000;
/** How often it is tried again what the server has failed at, each time after twice as long. */
const FAILURES = 4;
/** Saves that may follow one another while somebody waits for all to be saved. */
const ROUNDS = 5;
/** How a draft is whose save was answered. */
const SENT: ReadonlySet<DraftState['status']> = new Set(['saved', 'unsaved', 'waiting']);

export class Sending {
  readonly #parts: DraftSetup;
  readonly #store: DraftStore;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  /** Set while something else is done to the document: nothing is sent beside it. */
  #isBusy = false;
  #isOver = false;
  /** Whether it may still be what was seen the last time, and not what is there. */
  #isOpening: boolean;
  /** Failures of the server since something was saved. */
  #failures = 0;
  /** Whether what is sent may come after the page has gone. */
  #isLeaving = false;
  /** What is being sent, if it arrives though the page goes meanwhile. */
  #outliving: Values | undefined;

  constructor(parts: DraftSetup, store: DraftStore) {
    this.#parts = parts;
    this.#store = store;
    this.#isOpening = parts.isOpening === true;
  }

  get #state(): DraftState {
    return this.#store.get();
  }

  get #baseline(): Baseline {
    return this.#store.baseline;
  }

  get #isSent(): boolean {
    return this.#baseline.isSent(this.#state.values);
  }

  get #pause(): number {
    return this.#parts.model.runsCode ? PAUSE_WITH_CODE : PAUSE;
  }

  /** Whether what is saved is on the site, so that it is saved as a whole or not at all. */
  get #isSite(): boolean {
    return !this.#parts.model.draftAndPublish;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether something is being sent, or done to the document. */
  get isAtWork(): boolean {
    return this.#saving !== undefined || this.#isBusy;
  }

  /** Whether it has to be decided first what becomes of what is written. */
  get #isUndecided(): boolean {
    const { status } = this.#state;
    return status === 'conflict' || status === 'gone';
  }

  /** Sends nothing until something is written again, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#clear();
    await this.#saving;
  }

  /** Sends nothing any longer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
  }

  /** What is certain to be sent if the page goes now: what is under way so, or what `leave` sends. */
  get arriving(): Values | undefined {
    if (this.#saving) return this.#outliving;
    const { status, values, server } = this.#state;
    if (status !== 'unsaved' || this.#isBusy || !this.#parts.savesItself) return undefined;
    const sent = this.#baseline.unanswered ?? values;
    return this.#parts.canOutlive(server, this.#baseline.bodyOf(sent), this.#store.newId) ? sent : undefined;
  }

  /**
   * Has what is written kept, and sent where it is its writer's page that is being left: at once, or behind what is under
   * way. Resolves when that is over.
   */
  async leave(isOwn: boolean): Promise<void> {
    if (this.#isOver) return;
    this.#isLeaving = true;
    this.#store.keepNow();
    this.#isOver = !isOwn;
    if (this.#saving) await this.#saving;
    else clearTimeout(this.#timer);
    const { status, refusal } = this.#state;
    const isToSend = status === 'unsaved' || (status === 'refused' && refusal !== undefined && refusal.status >= 500);
    if (isOwn && this.#parts.savesItself && isToSend) await this.all(false);
  }

  /** Called when the server has said what is there: from now on, another version is somebody else's. */
  async opened(): Promise<void> {
    await this.#saving;
    this.#isOpening = false;
  }

  /** What is written into what was seen the last time goes on in what is there, where that has it as it was. */
  bringOver(server: DocumentAnswer): boolean {
    const values = this.#isOpening && this.#baseline.bringOver(server, this.#state.values);
    if (!values) return false;
    this.#store.set({ server, values });
    this.#store.keepNow();
    return true;
  }

  /**
   * Saves what there is to save now, one request after the other. Gives whether all of it is saved.
   *
   * @param makes whether a document in which nothing is written yet is made as well.
   * @param isStrict whether it is to be published then.
   */
  async all(makes: boolean, isStrict = this.#isSite): Promise<boolean> {
    if (makes) this.#baseline.release();
    for (let round = 0; round < ROUNDS; round++) {
      clearTimeout(this.#timer);
      await this.#saving;
      if (this.#isUndecided) return false;
      if (this.#isSite && !this.#store.isWhole(isStrict)) return false;
      if (this.#isSent && (this.#baseline.values !== null || !makes)) {
        if (this.#state.status === 'offline' || this.#state.status === 'unsaved') this.settled();
        return this.#store.isWhole(isStrict);
      }
      await this.#save(makes);
      if (!SENT.has(this.#state.status)) return false;
    }
    return this.#store.isSaved;
  }

  /** Does something while nothing is sent beside it; once more where somebody has only touched the document. */
  async alone(before: () => Promise<boolean>, work: () => Promise<void>): Promise<boolean> {
    if (this.#isBusy || !(await before())) return false;
    this.#isBusy = true;
    this.#store.forgive();
    try {
      try {
        await work();
      } catch (error) {
        if (!this.#isRefused(error, true)) await work();
      }
    } catch (error) {
      this.#isRefused(error, true);
    } finally {
      this.#isBusy = false;
      // what was written meanwhile waited
      if (!this.#isSent) this.#saveIn(this.#pause);
    }
    return this.#state.refusal === undefined && !this.#isUndecided;
  }

  /**
   * Notes a refusal. False: it can be tried again.
   *
   * @param isStrict whether it was to be on the site.
   * @throws whatever else it is.
   */
  #isRefused(error: unknown, isStrict: boolean): boolean {
    if (!(error instanceof RefusedError)) throw error;
    if (error.status === 412) return this.#meet(error.details['current'] as DocumentAnswer);
    if (error.status === 404 && this.#state.server.documentId !== null) {
      this.lose(nothingYet(this.#state.server.locale));
      return true;
    }
    this.#store.set({ refusal: error });
    this.#store.refuse(this.#baseline.placed(error.fields, this.#state.values), isStrict);
    return true;
  }

  /** The version into which it is written is gone. @param left what there is instead. */
  lose(left: DocumentAnswer): void {
    this.#clear();
    this.#baseline.unanswered = undefined;
    this.#store.forgive();
    this.#store.lose();
    this.#store.set({ status: 'gone', theirs: undefined, left });
    this.#store.keepNow();
  }

  /** Shows what is written, and sends it soon. */
  write(values: Values): void {
    const { status } = this.#state;
    const { findings } = this.#store;
    const errors = findings.left(this.#state.errors, values);
    const advice = findings.leftAdvice(this.#state.advice, values);
    this.#store.set({ values, errors, advice, refusal: undefined });
    this.#store.keepSoon();
    if (this.#isUndecided) return;
    if (this.#saving) return; // whoever saves looks again
    if (this.#store.isSaved) {
      this.settled();
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

  async #save(makes = false): Promise<void> {
    if (this.#isBusy || this.#isOver || this.#isUndecided) return;
    if (!this.#saving && this.#isSent && !makes) return this.settled();
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
    const { newId } = this.#store;
    // the device keeps no password, so that it has to arrive
    const hasToArrive = this.#isLeaving || this.#baseline.hasPassword(body);
    const outlives = hasToArrive && this.#parts.canOutlive(server, body, newId);
    this.#outliving = outlives ? sent : undefined;
    if (this.#state.status !== 'offline') this.#store.set({ status: 'saving' });
    try {
      const answer = await this.#parts.write(server, body, { newId, outlives });
      this.#baseline.unanswered = undefined;
      this.adopt(answer, sent);
    } catch (error) {
      this.#fail(error, sent);
    }
  }

  /** Takes a saved answer in; what was written meanwhile stays. */
  adopt(answer: DocumentAnswer, sent: Values): void {
    const { schema, model } = this.#parts;
    const { values } = this.#state;
    const arrived = this.#baseline.sentOf(sent);
    this.#baseline.take(answer);
    this.#store.found(answer);
    const merged = withSaved(schema, model, values, arrived, this.#baseline.values ?? {});
    this.#store.findings.saved(merged);
    this.#store.set({
      server: answer,
      values: merged,
      savedAt: Date.now(),
      refusal: undefined,
      theirs: undefined,
      left: undefined,
    });
    this.#parts.onSaved(answer);
    if (this.#isSent) this.settled();
    else {
      this.#store.set({ status: 'unsaved' });
      this.#store.tell();
      this.#store.keepNow();
      this.#saveIn(this.#pause);
    }
  }

  /** All that can be sent is; what a draft cannot have waits, and is kept. */
  settled(): void {
    this.#clear();
    const waiting = this.#baseline.heldBack(this.#state.values).length;
    this.#store.set({ status: waiting === 0 ? 'saved' : 'waiting', waiting, refusal: undefined });
    this.#store.tell();
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
    const isRefused = this.#isRefused(error, this.#isSite);
    this.#baseline.unanswered = undefined;
    if (!isRefused) {
      if (this.#isSent) this.settled();
      else {
        this.#store.set({ status: 'unsaved' });
        this.#saveIn(0);
      }
    } else if (this.#isUndecided) return;
    else if (!this.#isSite && this.#holdsBack(error, sent)) {
      // the rest can be saved
      this.#store.set({ status: 'unsaved', refusal: undefined });
      this.#store.keepNow();
      if (this.#isSent) this.settled();
      else this.#saveIn(0);
    } else {
      this.#store.set({ status: 'refused' });
      this.#store.keepNow();
      if (this.#state.values !== sent) this.#saveIn(this.#pause);
      else this.#again(error);
    }
  }

  /** Has what was refused wait. Gives whether less is sent without it. */
  #holdsBack(error: unknown, sent: Values): boolean {
    if (!(error instanceof RefusedError)) return false;
    return this.#baseline.holdBack(this.#baseline.placed(error.fields, sent), sent);
  }

  /** Tries again what the server was too busy for, and a few times what it has failed at, unless that runs code. */
  #again(error: unknown): void {
    if (!(error instanceof RefusedError)) return;
    const { status, retryAfter = 0 } = error;
    if (status === 503 || status === 429) this.#saveIn(Math.max(AGAIN, retryAfter * 1_000));
    else if (status >= 500 && !this.#parts.model.runsCode && this.#failures < FAILURES) {
      this.#saveIn(AGAIN * 2 ** this.#failures);
      this.#failures += 1;
    }
  }

  /**
   * There is another version: a conflict, unless nothing in it differs and only its tag is new, or it says what is written
   * here. Or there is none any longer.
   */
  #meet(theirs: DocumentAnswer): boolean {
    if (theirs.draft === null && this.#baseline.values !== null) {
      this.lose(theirs);
      return true;
    }
    if (this.#baseline.isAsIn(theirs)) {
      this.#baseline.take(theirs);
      this.#store.set({ server: theirs });
      return false;
    }
    const agreed = this.#baseline.agreeing(theirs, this.#state.values);
    if (agreed) {
      this.#baseline.unanswered = undefined;
      this.adopt(theirs, agreed);
      return false;
    }
    if (this.bringOver(theirs)) return false;
    this.#store.set({ status: 'conflict', theirs });
    this.#store.keepNow();
    return true;
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#store.keepLater();
  }
}
