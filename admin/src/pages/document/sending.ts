/** Sends the changes of a draft, one request at a time, and merges the answers. */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { RefusedError, UnreachableError } from '../../data/failures.ts';
import type { Values } from '../../form/values/model.ts';
import { withSaved } from '../../form/values/with-saved.ts';
import type { Baseline } from './baseline.ts';
import type { DraftSetup, DraftState } from './draft-state.ts';
import type { DraftStore } from './draft-store.ts';
import { nothingYet } from './new-document.ts';

/** The pause in typing, in milliseconds, after which changes are sent. */
const PAUSE = 800;
/** The same if project code runs with each save: it may send e-mail or rebuild a site. */
const PAUSE_WITH_CODE = 4_000;
/** The milliseconds before a retry if the server does not respond. */
const AGAIN = 5_000;
/** The number of retries after errors of the server. The delay doubles each time. */
const FAILURES = 4;
/** The maximum number of consecutive saves while the user waits for everything to be saved. */
const ROUNDS = 5;
/** The states of a draft whose save was answered. */
const SENT: ReadonlySet<DraftState['status']> = new Set(['saved', 'unsaved', 'waiting']);

export class Sending {
  readonly #parts: DraftSetup;
  readonly #store: DraftStore;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  /** Set while another action is performed on the document: nothing is sent then. */
  #isBusy = false;
  #isOver = false;
  /** Whether the version may be outdated while the latest one is loading. */
  #isOpening: boolean;
  /** The errors of the server since the last save. */
  #failures = 0;
  /** Whether requests have to outlive the page. */
  #isLeaving = false;
  /** The values of the running request if it outlives the page. */
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

  /** Whether saving changes the site, so that everything or nothing is saved. */
  get #isSite(): boolean {
    return !this.#parts.model.draftAndPublish;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether a request or another action is running. */
  get isAtWork(): boolean {
    return this.#saving !== undefined || this.#isBusy;
  }

  /** Whether the user first has to decide about the changes. */
  get #isUndecided(): boolean {
    const { status } = this.#state;
    return status === 'conflict' || status === 'gone';
  }

  /** Stops sending until the next change, and waits for the running request. */
  async stop(): Promise<void> {
    this.#clear();
    await this.#saving;
  }

  /** Stops sending for good. */
  end(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
  }

  /**
   * The values that certainly arrive if the page is closed now: those of the running request, or of the one that
   * `leave` sends.
   */
  get arriving(): Values | undefined {
    if (this.#saving) return this.#outliving;
    const { status, values, server } = this.#state;
    if (status !== 'unsaved' || this.#isBusy || !this.#parts.savesItself) return undefined;
    const sent = this.#baseline.unanswered ?? values;
    return this.#parts.canOutlive(server, this.#baseline.bodyOf(sent), this.#store.newId) ? sent : undefined;
  }

  /**
   * Stores the changes and, if the page belongs to their user, sends them at once or after the running request.
   * Resolves when that is done.
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

  /** Has to be called when the latest version was loaded: from then on, any other version belongs to someone else. */
  async opened(): Promise<void> {
    await this.#saving;
    this.#isOpening = false;
  }

  /** Moves changes from an outdated version to the latest one, if the same attributes are unchanged there. */
  bringOver(server: DocumentAnswer): boolean {
    const values = this.#isOpening && this.#baseline.bringOver(server, this.#state.values);
    if (!values) return false;
    this.#store.set({ server, values });
    this.#store.keepNow();
    return true;
  }

  /**
   * Saves all changes, one request after the other. Returns whether everything is saved.
   *
   * @param makes whether a document without changes is created as well.
   * @param isStrict whether it is to be published afterwards.
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

  /** Performs an action while nothing is sent. It is repeated if someone else has only touched the document. */
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
      // Changes that were made in the meantime have waited.
      if (!this.#isSent) this.#saveIn(this.#pause);
    }
    return this.#state.refusal === undefined && !this.#isUndecided;
  }

  /**
   * Handles an error. Returns false if the request can be retried.
   *
   * @param isStrict whether the document was to be on the site.
   * @throws any other error.
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

  /** The edited version is gone. @param deleted what remains of the document. */
  lose(deleted: DocumentAnswer): void {
    this.#clear();
    this.#baseline.unanswered = undefined;
    this.#store.forgive();
    this.#store.lose();
    this.#store.set({ status: 'gone', theirs: undefined, left: deleted });
    this.#store.keepNow();
  }

  /** Shows changed values, and sends them soon. */
  write(values: Values): void {
    const { status } = this.#state;
    const { findings } = this.#store;
    const errors = findings.left(this.#state.errors, values);
    const advice = findings.leftAdvice(this.#state.advice, values);
    this.#store.set({ values, errors, advice, refusal: undefined });
    this.#store.keepSoon();
    if (this.#isUndecided) return;
    if (this.#saving) return; // Saving checks the values again.
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
    // A request without an answer is repeated unchanged, so that the server recognises it. Later changes follow.
    const sent = this.#baseline.unanswered ?? values;
    const body = this.#baseline.bodyOf(sent);
    const { newId } = this.#store;
    const { model } = this.#parts;
    // Passwords are not stored on the device, so the request has to arrive.
    const hasToArrive = this.#isLeaving || this.#baseline.hasPassword(body);
    const outlives = hasToArrive && this.#parts.canOutlive(server, body, newId);
    this.#outliving = outlives ? sent : undefined;
    if (this.#state.status !== 'offline') this.#store.set({ status: 'saving' });
    try {
      const answer = await this.#parts.write(server, body, { newId, outlives });
      this.#baseline.unanswered = undefined;
      this.adopt(answer, sent);
    } catch (error) {
      const isOutdated = error instanceof RefusedError && error.status === 400 && model !== this.#parts.model;
      if (isOutdated) this.#saveAgain();
      else this.#fail(error, sent);
    }
  }

  /** Saves the values as the schema is now: it has changed while they were sent. */
  #saveAgain(): void {
    this.#baseline.unanswered = undefined;
    this.#store.set({ status: 'unsaved', refusal: undefined });
    this.#saveIn(0);
  }

  /** Takes the answer to a save. Changes that were made since then stay. */
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

  /** Everything that can be sent is saved. Other values wait and are stored on the device. */
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
      // The rest can be saved.
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

  /** Excludes refused values from requests. Returns whether this reduces the body. */
  #holdsBack(error: unknown, sent: Values): boolean {
    if (!(error instanceof RefusedError)) return false;
    return this.#baseline.holdBack(this.#baseline.placed(error.fields, sent), sent);
  }

  /** Retries if the server was too busy, and a few times after its errors unless project code runs. */
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
   * The server has another version: a conflict, unless it differs only in its tag or contains the same changes. Or it
   * has none any more.
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
