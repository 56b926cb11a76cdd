/**
 * A draft as it is being written: what the form shows, what the server has, and what a page does with the two. It knows
 * nothing of React; a page subscribes to it.
 */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { withPasswordsOf } from '../../form/values/passwords.ts';
import { withValue } from '../../form/values/path.ts';
import { same } from '../../form/values/same.ts';
import type { Baseline } from './baseline.ts';
import type { DraftSetup, DraftState } from './draft-state.ts';
import { DraftStore } from './draft-store.ts';
import { Sending } from './sending.ts';

export class Draft {
  readonly #parts: DraftSetup;
  readonly #store: DraftStore;
  readonly #sending: Sending;

  constructor(parts: DraftSetup) {
    this.#parts = parts;
    this.#store = new DraftStore(parts);
    this.#sending = new Sending(parts, this.#store);
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

  get #baseline(): Baseline {
    return this.#store.baseline;
  }

  /** The server's values in the form's shape; null where it has none. */
  get before(): Values | null {
    return this.#baseline.values;
  }

  get isSaved(): boolean {
    return this.#store.isSaved;
  }

  /** Whether something would be lost with the version that it is written into. */
  get isAtRisk(): boolean {
    const isUnsaved = !this.isSaved && this.before !== null;
    return (isUnsaved || this.#store.lost !== undefined) && !this.#sending.isOver;
  }

  /** Whether a password would be lost with the tab: the device keeps none, and closing the tab does not save it. */
  get losesPassword(): boolean {
    return !this.#sending.isOver && this.#baseline.hasUnsavedPassword(this.#state.values, this.#sending.arriving);
  }

  /** Puts a value into its place; it is kept at once and sent soon. */
  readonly change = (path: Path, value: unknown): void => {
    this.#sending.write(withValue(this.#state.values, path, value));
  };

  /** Puts values of several attributes into their places. */
  fill(values: Values): void {
    this.#sending.write({ ...this.#state.values, ...values });
  }

  /** Whether the server has what was kept on the device: somebody has seen it saved, or the answer came too late. */
  hasKept({ values }: Unsaved): boolean {
    return this.before !== null && Object.keys(this.#baseline.missing(values)).length === 0;
  }

  /** Whether something else is written here, and not saved, where this would be brought back to. */
  isInTheWayOf({ values }: Unsaved): boolean {
    const written = this.#baseline.written(this.#state.values);
    const missing = Object.entries(this.#baseline.missing(values));
    return missing.some(([name, value]) => written.has(name) && !same(value, this.#state.values[name]));
  }

  /** Brings back what was kept on the device. Written into an older version, it is a conflict to be looked at. */
  bringBack({ tag, values, newId }: Unsaved): void {
    if (newId !== undefined) this.#store.newId = newId;
    this.fill(this.#baseline.missing(values));
    // where nothing is, nobody has written anything else
    if (tag === this.#state.server.tag || this.before === null) return;
    this.#store.writtenInto = tag;
    void this.#sending.stop();
    this.#store.set({ status: 'conflict', theirs: this.#state.server });
    this.#store.keepNow();
  }

  /**
   * Shows what was kept of a version that was deleted since: it is to be decided what becomes of it.
   *
   * @param left what there is instead of it.
   */
  recover({ values, isWhole = false, newId }: Unsaved, left: DocumentAnswer): void {
    this.#store.lose({ isWhole, ...(newId !== undefined && { newId }) });
    this.#store.set({ values: { ...this.#state.values, ...values }, status: 'gone', left });
  }

  /** Has the device keep what is unsaved. */
  keep(): void {
    this.#store.keepNow();
  }

  /** Has it kept, and saved where that needs nobody to say so. Gives whether it is saved. */
  async settle(): Promise<boolean> {
    if (this.#sending.isOver) return true;
    this.#store.keepNow();
    if (this.#parts.savesItself) await this.flush();
    return this.isSaved;
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
    if (this.#sending.isAtWork || askedAt < this.#baseline.takenAt) return false;
    if (!this.isSaved) return this.#sending.bringOver(server);
    const isOther = server.tag !== tag && !this.#baseline.isAsIn(server);
    this.#baseline.take(server);
    this.#store.set({ server, values: this.#baseline.shownIn(this.#state.values) });
    this.#store.forgive();
    return isOther;
  }

  /** Called when the server has said what is there: from now on, another version is somebody else's. */
  opened(): Promise<void> {
    return this.#sending.opened();
  }

  /** Saves what there is to save now. Gives whether all of it is saved. */
  flush(): Promise<boolean> {
    return this.#sending.all(false);
  }

  /**
   * The same for somebody who has asked for it: a document in which nothing is written yet is made as well.
   *
   * @param isStrict whether it is to be published then.
   */
  save(isStrict?: boolean): Promise<boolean> {
    return this.#sending.all(true, isStrict);
  }

  /**
   * Does something to the saved document, such as publishing it; it is made first where there is none. Gives whether it is
   * done; what is refused stands in the state.
   *
   * @throws UnreachableError where no answer came.
   */
  act(work: (server: DocumentAnswer) => Promise<DocumentAnswer>): Promise<boolean> {
    return this.#sending.alone(
      () => this.save(true),
      async () => {
        const sent = this.#state.values;
        const answer = await work(this.#state.server);
        this.#store.forgive();
        this.#sending.adopt(answer, sent);
      },
    );
  }

  /**
   * Takes what the server has made of the draft as it is, such as one whose changes were taken back.
   *
   * @throws UnreachableError where no answer came.
   */
  replace(work: (server: DocumentAnswer) => Promise<DocumentAnswer>): Promise<boolean> {
    return this.#sending.alone(
      async () => {
        await this.#sending.stop();
        return true;
      },
      async () => {
        const answer = await work(this.#state.server);
        this.#baseline.unanswered = undefined;
        this.#baseline.take(answer);
        this.#store.found(answer);
        this.#store.set({ server: answer, values: this.#baseline.shown, theirs: undefined, left: undefined });
        this.#store.forgive();
        this.#sending.settled();
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
    return this.#sending.alone(before, () => work(this.#state.server));
  }

  /**
   * Settles a conflict: what somebody else has saved, with the values that were chosen instead of theirs, and with the
   * passwords that are written here.
   */
  resolve(theirs: DocumentAnswer, chosen: Values): void {
    const { schema, model } = this.#parts;
    const { values: written } = this.#state;
    this.#baseline.take(theirs);
    this.#store.found(theirs);
    this.#store.set({ server: theirs, status: 'unsaved', theirs: undefined });
    this.#store.forgive();
    this.#parts.onSaved(theirs);
    this.#sending.write(withPasswordsOf(schema, model, { ...this.#baseline.shown, ...chosen }, written));
    this.#store.keepNow();
  }

  /** The server no longer has what it is written into: what is not saved is still to be decided about. */
  lose(left: DocumentAnswer): void {
    const isKnown = this.#store.lost && this.before === null && left.documentId === this.#state.server.documentId;
    if (this.isAtRisk && !isKnown) this.#sending.lose(left);
  }

  /** Makes what is written anew, as a version or a document of its own: what it was written into is gone. */
  async renew(): Promise<void> {
    const { left } = this.#state;
    const { lost } = this.#store;
    if (!left || !lost) return;
    this.#baseline.take(left);
    this.#store.newId = lost.newId;
    this.#store.set({ server: left, status: 'unsaved', left: undefined });
    this.#store.keepNow();
    await this.save();
  }

  /** Keeps nothing any longer, and sends nothing: the document is gone, or its writer. */
  forget(): void {
    this.#sending.end();
    this.#store.keepNothing();
  }

  /**
   * Has what is written kept, and sent if its writer still is the one who is signed in: the page is being left. Resolves
   * when all of it has had its turn.
   */
  leave(isOwn = true): Promise<void> {
    return this.#sending.leave(isOwn);
  }

  /** The server may answer again. */
  readonly online = (): void => {
    if (this.#state.status === 'offline') void this.flush();
  };
}
