/**
 * A draft: the values of the form, the version of the server, and the actions of a page on both. It does not depend on
 * React; pages subscribe to it.
 */
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import { type GoneField, goneFields } from '../../form/values/gone-fields.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { withPasswordsOf } from '../../form/values/passwords.ts';
import { withValue } from '../../form/values/path.ts';
import { same } from '../../form/values/same.ts';
import type { Baseline } from './baseline.ts';
import type { DraftContent, DraftSetup, DraftState } from './draft-state.ts';
import { DraftStore } from './draft-store.ts';
import { Sending } from './sending.ts';

export class Draft {
  readonly #parts: DraftSetup & DraftContent;
  readonly #store: DraftStore;
  readonly #sending: Sending;

  constructor(setup: DraftSetup) {
    // Shared, so that a changed schema applies to all of them.
    this.#parts = { ...setup };
    this.#store = new DraftStore(this.#parts);
    this.#sending = new Sending(this.#parts, this.#store);
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

  /** The server's values in the format of the form; null if it has none. */
  get before(): Values | null {
    return this.#baseline.values;
  }

  get isSaved(): boolean {
    return this.#store.isSaved;
  }

  /** Whether changes would be lost with the edited version. */
  get isAtRisk(): boolean {
    const isUnsaved = !this.isSaved && this.before !== null;
    return (isUnsaved || this.#store.lost !== undefined) && !this.#sending.isOver;
  }

  /**
   * Whether closing the tab would lose a password: passwords are not stored on the device and not sent when it closes.
   */
  get losesPassword(): boolean {
    return !this.#sending.isOver && this.#baseline.hasUnsavedPassword(this.#state.values, this.#sending.arriving);
  }

  /** Sets the value at a path. It is stored on the device at once and sent soon. */
  readonly change = (path: Path, value: unknown): void => {
    this.#sending.write(withValue(this.#state.values, path, value));
  };

  /** Sets the values of several attributes. */
  fill(values: Values): void {
    this.#sending.write({ ...this.#state.values, ...values });
  }

  /** Whether the server has the changes that were stored on the device: they were saved, but the answer was lost. */
  hasKept({ values }: Unsaved): boolean {
    return this.before !== null && Object.keys(this.#baseline.missing(values)).length === 0;
  }

  /** Whether other unsaved changes are in the place in which these would be restored. */
  isInTheWayOf({ values }: Unsaved): boolean {
    const written = this.#baseline.written(this.#state.values);
    const missing = Object.entries(this.#baseline.missing(values));
    return missing.some(([name, value]) => written.has(name) && !same(value, this.#state.values[name]));
  }

  /** Restores changes from the device. If they were made in an older version, there is a conflict. */
  bringBack({ tag, values, newId }: Unsaved): void {
    if (newId !== undefined) this.#store.newId = newId;
    this.fill(this.#baseline.missing(values));
    // Without a version on the server, there is no conflict.
    if (tag === this.#state.server.tag || this.before === null) return;
    this.#store.writtenInto = tag;
    void this.#sending.stop();
    this.#store.set({ status: 'conflict', theirs: this.#state.server });
    this.#store.keepNow();
  }

  /**
   * Shows the stored changes of a version that was deleted since. The user decides what happens to them.
   *
   * @param deleted what remains of the document.
   */
  recover({ values, isWhole = false, newId }: Unsaved, deleted: DocumentAnswer): void {
    this.#store.lose({ isWhole, ...(newId !== undefined && { newId }) });
    this.#store.set({ values: { ...this.#state.values, ...values }, status: 'gone', left: deleted });
  }

  /** Stores the unsaved changes on the device. */
  keep(): void {
    this.#store.keepNow();
  }

  /** Stores the changes and, if that happens automatically, saves them. Returns whether they are saved. */
  async settle(): Promise<boolean> {
    if (this.#sending.isOver) return true;
    this.#store.keepNow();
    if (this.#parts.savesItself) await this.flush();
    return this.isSaved;
  }

  /**
   * Takes the current version of the server, unless there are unsaved changes, which are compared with it when they are
   * saved. Returns whether another version is shown. An answer requested (`askedAt`, by `performance.now()`) before the
   * last save is ignored.
   */
  refresh(server: DocumentAnswer, askedAt = Number.POSITIVE_INFINITY): boolean {
    const { tag, states, draft, published } = this.#state.server;
    // Details of links and files may change although the version stays the same.
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

  /**
   * Takes another state of the schema. The values of the form stay. Returns the fields that it no longer has, with the
   * texts that were not saved.
   */
  follow(content: DraftContent): readonly GoneField[] {
    const { schema, model } = this.#parts;
    if (schema === content.schema && model === content.model) return [];
    const { values } = this.#state;
    const gone = goneFields({ schema, model }, content, values, this.before);
    Object.assign(this.#parts, content);
    this.#store.forgive();
    if (!this.#sending.isOver) this.#sending.write(values);
    return gone;
  }

  /** Has to be called when the latest version was loaded: from then on, any other version belongs to someone else. */
  opened(): Promise<void> {
    return this.#sending.opened();
  }

  /** Saves all changes. Returns whether everything is saved. */
  flush(): Promise<boolean> {
    return this.#sending.all(false);
  }

  /**
   * Saves all changes on request of the user, and creates a document without any.
   *
   * @param isStrict whether it is to be published afterwards.
   */
  save(isStrict?: boolean): Promise<boolean> {
    return this.#sending.all(true, isStrict);
  }

  /**
   * Performs an action on the saved document, such as publishing, and creates the document first if necessary. Returns
   * whether it succeeded; errors are in the state.
   *
   * @throws UnreachableError without an answer.
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
   * Performs an action that replaces the draft, such as taking back its changes, without saving it.
   *
   * @throws UnreachableError without an answer.
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
   * Deletes the document in the shown version. `forget` has to follow. Returns whether it succeeded; errors are in the
   * state.
   *
   * @throws UnreachableError without an answer.
   */
  remove(work: (server: DocumentAnswer) => Promise<void>): Promise<boolean> {
    const before = async () => this.flush().then(() => true);
    return this.#sending.alone(before, () => work(this.#state.server));
  }

  /**
   * Resolves a conflict: takes the other version, with the chosen values instead of its own, and with the passwords of
   * the form.
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

  /** The edited version is gone. The user decides what happens to unsaved changes. */
  lose(deleted: DocumentAnswer): void {
    const isKnown = this.#store.lost && this.before === null && deleted.documentId === this.#state.server.documentId;
    if (this.isAtRisk && !isKnown) this.#sending.lose(deleted);
  }

  /** Saves the values of a version that is gone as a new version or document. */
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

  /** Stops storing and sending anything: the document is gone, or its user has signed out. */
  forget(): void {
    this.#sending.end();
    this.#store.keepNothing();
  }

  /**
   * Stores the changes, and sends them if their user is still signed in: the page is being closed. Resolves when all
   * requests are done.
   */
  leave(isOwn = true): Promise<void> {
    return this.#sending.leave(isOwn);
  }

  /** The server may be available again. */
  readonly online = (): void => {
    if (this.#state.status === 'offline') void this.flush();
  };
}
