/**
 * A draft as it is being written: what the form shows, what the server has, and the one request at a time that brings the
 * two together. It knows nothing of React; a page subscribes to it.
 */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { RefusedError, UnreachableError } from '../../data/failures.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import { differences } from '../../form/values/differences.ts';
import { withCounts } from '../../form/values/links.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { withValue } from '../../form/values/path.ts';
import { same, sameContent } from '../../form/values/same.ts';
import { toBody } from '../../form/values/to-body.ts';
import { unparsedPaths } from '../../form/values/unparsed.ts';
import { withSaved } from '../../form/values/with-saved.ts';
import { newDocumentId } from './document-id.ts';
import type { DraftParts, DraftState } from './draft-parts.ts';

/** Milliseconds without a key before what was written is sent. */
const PAUSE = 800;
/** Milliseconds before it is kept on the device. */
const SOON = 150;
/** Milliseconds before the server is asked again that did not answer. */
const AGAIN = 5_000;
/** Saves that may follow one another while somebody waits for all to be saved. */
const ROUNDS = 5;

export class Draft {
  readonly #parts: DraftParts;
  readonly #listeners = new Set<() => void>();
  #state: DraftState;
  /** The server's values in the form's shape; null where it has none. */
  #before: Values | null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;
  #saving: Promise<void> | undefined;
  /** Set while something else is done to the document: nothing is sent beside it. */
  #isBusy = false;
  #isGone = false;
  /** The id of the document, should it be made here. */
  readonly #newId = newDocumentId();
  /** What was sent last, where no answer came: the server may have it. */
  #unanswered: Values | undefined;

  constructor(parts: DraftParts) {
    this.#parts = parts;
    this.#before = this.#valuesOf(parts.server);
    this.#state = {
      values: this.#before ?? parts.initial,
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

  /** The server's values in the form's shape; null where it has none. */
  get before(): Values | null {
    return this.#before;
  }

  /** What would be sent now. */
  get body(): Values {
    return this.#bodyOf(this.#state.values);
  }

  #bodyOf(values: Values): Values {
    const { schema, model } = this.#parts;
    return toBody(schema, model, values, this.#before);
  }

  get isSaved(): boolean {
    return this.#isSent && unparsedPaths(this.#state.values).length === 0;
  }

  /** Whether the server has all that can be sent: what cannot be read yet cannot. */
  get #isSent(): boolean {
    if (this.#unanswered) return false;
    if (this.#before === null && this.#state.values === this.#parts.initial) return true;
    return Object.keys(this.body).length === 0;
  }

  /** Puts a value into its place; it is kept at once and sent soon. */
  readonly change = (path: Path, value: unknown): void => {
    this.#write(withValue(this.#state.values, path, value));
  };

  /** Puts values of several attributes into their places. */
  fill(values: Values): void {
    this.#write({ ...this.#state.values, ...values });
  }

  /** Brings back what was kept on the device. Written into an older version, it is a conflict to be looked at. */
  bringBack({ tag, values }: Unsaved): void {
    this.fill(values);
    if (tag === this.#state.server.tag) return;
    clearTimeout(this.#timer);
    this.#set({ status: 'conflict', theirs: this.#state.server });
  }

  /** Has the device keep what is unsaved here, and no longer what was found there. */
  dropKept(): void {
    this.#keepNow();
  }

  /** Takes what the server says now, unless something here is not saved: that is settled when it is. */
  refresh(server: DocumentAnswer): void {
    if (server.tag === this.#state.server.tag && same(server.states, this.#state.server.states)) return;
    if (this.#saving || this.#isBusy || !this.isSaved) return;
    this.#before = this.#valuesOf(server);
    this.#set({ server, values: this.#before ?? this.#parts.initial, errors: [] });
  }

  /** Saves what there is to save now. Gives whether all of it is saved. */
  async flush(): Promise<boolean> {
    for (let round = 0; round < ROUNDS; round++) {
      clearTimeout(this.#timer);
      await this.#saving;
      if (this.#state.status === 'conflict') return false;
      if (this.#isSent) {
        if (this.#state.status === 'offline') this.#settled();
        return this.#isReadable();
      }
      await this.#save();
      if (this.#state.status !== 'saved' && this.#state.status !== 'unsaved') return false;
    }
    return this.isSaved;
  }

  /** Says at its fields what cannot be read, and so is not saved. */
  #isReadable(): boolean {
    const paths = unparsedPaths(this.#state.values);
    const { unreadable: message } = this.#parts;
    if (paths.length > 0) this.#set({ errors: paths.map((path) => ({ path, message, name: 'ValidationError' })) });
    return paths.length === 0;
  }

  /**
   * Does something to the saved document, such as publishing it. Gives whether it is done; what is refused stands in the
   * state.
   *
   * @throws UnreachableError where no answer came.
   */
  act(work: (server: DocumentAnswer) => Promise<DocumentAnswer>): Promise<boolean> {
    return this.#alone(
      () => this.flush(),
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
        this.#unanswered = undefined;
        this.#before = this.#valuesOf(answer);
        const values = this.#before ?? this.#parts.initial;
        this.#set({ server: answer, values, theirs: undefined });
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
    this.#set({ errors: [], refusal: undefined });
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
      if (!this.#isSent) this.#saveIn(PAUSE);
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
    this.#set({ errors: error.fields, refusal: error.message });
    return true;
  }

  /** Settles a conflict: what somebody else has saved, with the values that were chosen instead of theirs. */
  resolve(theirs: DocumentAnswer, chosen: Values): void {
    this.#before = this.#valuesOf(theirs);
    this.#set({ server: theirs, status: 'unsaved', theirs: undefined });
    this.#parts.onSaved(theirs);
    this.#write({ ...(this.#before ?? this.#parts.initial), ...chosen });
    if (this.#isSent) this.#settled();
  }

  /** Keeps nothing any longer, and sends nothing: the document is gone, or its writer. */
  forget(): void {
    this.#clear();
    this.#parts.keep(this.#state.server, undefined);
    this.#isGone = true;
  }

  /** Has what is written kept, and sent if its writer still is the one who is signed in: the page is being left. */
  leave(isOwn = true): void {
    if (this.#isGone) return;
    this.#keepNow();
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
    this.#set({ values, refusal: undefined });
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => this.#keepNow(), SOON);
    if (status === 'conflict') return;
    if (this.#saving) return; // whoever saves looks again
    if (this.#isSent) {
      this.#settled();
      return;
    }
    if (status !== 'offline') this.#set({ status: 'unsaved' });
    this.#saveIn(PAUSE);
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
    const sent = this.#unanswered ?? values;
    const body = this.#bodyOf(sent);
    if (Object.keys(body).length === 0 && this.#before !== null) return this.#settled();
    if (this.#state.status !== 'offline') this.#set({ status: 'saving' });
    try {
      const answer = await this.#parts.write(server, body, this.#newId);
      this.#unanswered = undefined;
      this.#adopt(answer, sent);
    } catch (error) {
      this.#fail(error, sent);
    }
  }

  /** Takes a saved answer in; what was written meanwhile stays. */
  #adopt(answer: DocumentAnswer, sent: Values): void {
    const { schema, model } = this.#parts;
    const saved = this.#valuesOf(answer) ?? {};
    const { values, server } = this.#state;
    this.#before = saved;
    if (server.documentId !== answer.documentId) this.#parts.keep(server, undefined);
    this.#set({
      server: answer,
      values: withSaved(schema, model, values, sent, saved),
      savedAt: Date.now(),
      errors: [],
      refusal: undefined,
      theirs: undefined,
    });
    this.#parts.onSaved(answer);
    if (this.#isSent) this.#settled();
    else {
      this.#set({ status: 'unsaved' });
      this.#saveIn(PAUSE);
    }
  }

  /** All that can be sent is; what cannot be read yet stays unsaved, and kept. */
  #settled(): void {
    this.#clear();
    this.#set({ status: this.isSaved ? 'saved' : 'unsaved', errors: [], refusal: undefined });
    this.#keepNow();
  }

  #fail(error: unknown, sent: Values): void {
    if (error instanceof UnreachableError) {
      this.#unanswered = sent;
      this.#set({ status: 'offline' });
      this.#keepNow();
      this.#saveIn(AGAIN);
      return;
    }
    const isRefused = this.#isRefused(error);
    this.#unanswered = undefined;
    if (!isRefused) {
      this.#set({ status: 'unsaved' });
      this.#saveIn(0);
    } else if (this.#state.status !== 'conflict') {
      this.#set({ status: 'refused' });
      this.#keepNow();
      if (this.#state.values !== sent) this.#saveIn(PAUSE);
    }
  }

  /**
   * There is another version: a conflict, unless nothing in it differs and only its tag is new, or it is what was sent
   * from here and went unanswered.
   */
  #meet(theirs: DocumentAnswer): boolean {
    const values = this.#valuesOf(theirs);
    if (sameContent(values, this.#before)) {
      this.#before = values;
      this.#set({ server: theirs });
      return false;
    }
    const sent = this.#unanswered;
    const { schema, model } = this.#parts;
    if (sent && values && differences(schema, model, sent, values).length === 0) {
      this.#unanswered = undefined;
      this.#adopt(theirs, sent);
      return false;
    }
    this.#set({ status: 'conflict', theirs });
    this.#keepNow();
    return true;
  }

  #keepNow(): void {
    clearTimeout(this.#keeping);
    const { values, server } = this.#state;
    const changed = Object.entries(values).filter(([name, value]) => !same(value, this.#before?.[name]));
    const unsaved = { at: Date.now(), tag: server.tag, values: Object.fromEntries(changed) };
    this.#parts.keep(server, this.isSaved ? undefined : unsaved);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#keeping);
  }

  #valuesOf({ draft, counts }: DocumentAnswer): Values | null {
    return draft && withCounts(this.#parts.schema, this.#parts.model, draft, counts);
  }

  #set(some: Partial<DraftState>): void {
    this.#state = { ...this.#state, ...some };
    for (const listener of this.#listeners) listener();
  }
}
