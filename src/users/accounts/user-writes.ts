/**
 * Writes accounts by the rules of content and accounts: names are unique, and an account that is blocked, deleted or
 * gets a new password loses its sessions.
 */
import { permitBody } from '../../access/permit-body.ts';
import type { Viewer } from '../../access/view.ts';
import type { Views } from '../../access/views.ts';
import type { Precondition, WriteRequest } from '../../content/documents/write-request.ts';
import type { Writer } from '../../content/documents/writer.ts';
import type { Reader } from '../../content/reading/reader.ts';
import { documentLock } from '../../content/rows/locks.ts';
import { type Hashes, hashPasswords } from '../../content/validation/passwords.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { notFound } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import type { RawObject } from '../../query/params.ts';
import { type Catalog, type ContentType, USER_UID } from '../../schema/catalog.ts';
import { endAllSessions } from '../sessions/sessions.ts';
import { dropAccount, dropConfirmationCode, dropResetCode, NOBODY_ID } from './account-codes.ts';
import { type AccountRow, findById, findTaken, lockNames, type NewNames, type TakenNames } from './account-rows.ts';

export interface UserWritesContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly views: Views;
}

/** A write of an account. */
export interface UserWrite {
  /** Attributes of the user type, with the address in lower case. */
  readonly data: WrittenData;
  /** The writer: which relations may be written, and which accounts exist for it. */
  readonly actor: Viewer;
  /** The viewer of the answer, by the account's row id. */
  readonly viewerOf: (id: number) => Viewer;
  /** `fields` and `populate` of the answer. */
  readonly shape: RawObject;
  /** Throws if names exist. */
  readonly refuseTaken: (taken: TakenNames) => void;
  /** As in any write of a document. */
  readonly documentId?: string | undefined;
  readonly precondition?: Precondition | undefined;
  /** Those of `hashed`. */
  readonly hashes?: Hashes | undefined;
}

/** The result of a write: its record, and the result of the caller's work. */
export interface WrittenUser<T> {
  readonly record: string;
  readonly result: T;
}

type After<T> = (tx: Transaction, id: number) => Promise<T>;

export class UserWrites {
  readonly type: ContentType;
  readonly #context: UserWritesContext;

  constructor(context: UserWritesContext) {
    this.#context = context;
    this.type = context.catalog.contentTypes.get(USER_UID)!;
  }

  /** The viewer with all rights. */
  get full(): Viewer {
    return this.#context.views.full;
  }

  /** The database for statements outside of a transaction. */
  get db(): Queryable {
    return this.#context.database;
  }

  /**
   * Creates an account. Returns its record as JSON text.
   *
   * @param after further work in the transaction.
   * @throws ContentError 400 for a wrong key or value, or an existing name.
   */
  async create<T>(write: UserWrite, after: After<T>): Promise<WrittenUser<T>> {
    const { database, writer } = this.#context;
    const request = this.#request(write);
    await this.#refuseEarly(write, undefined);
    const prepared = await writer.prepare(request);
    return database.transaction(async (tx) => {
      await this.#requireNames(tx, write, undefined);
      const answer = await writer.createIn(tx, request, prepared);
      if ('read' in answer) throw new Error('the answer of an account populates nothing: it is not put off');
      const id = (JSON.parse(answer.data) as { id: number }).id;
      return this.#finish(tx, write, id, after);
    });
  }

  /**
   * Changes an account. Returns its record as JSON text. A new password and blocking end its sessions.
   *
   * @param before inspects the locked account.
   * @param after further work in the transaction.
   * @throws ContentError 404 for no such account, 400 as `create`.
   */
  async update<T>(
    id: number,
    write: UserWrite,
    after: After<T>,
    before?: (tx: Transaction, account: AccountRow) => Promise<void>,
  ): Promise<WrittenUser<T>> {
    const { database, writer } = this.#context;
    const known = await this.find(id, write.actor);
    if (!known) throw notFound('User not found');
    const request = this.#request(write);
    await this.#refuseEarly(write, id);
    const prepared = await writer.prepare(request, known.documentId);
    return database.transaction(async (tx) => {
      await this.#requireNames(tx, write, id);
      await tx.lock(() => [documentLock(USER_UID, known.documentId)]);
      const account = await this.find(id, write.actor, tx);
      if (!account) throw notFound('User not found');
      await before?.(tx, account);
      await writer.updateIn(tx, request, known.documentId, prepared);
      await this.#endWhatChanged(tx, account, 'password' in write.data);
      return this.#finish(tx, write, id, after);
    });
  }

  /**
   * Deletes an account with its sessions and all links to it. Returns its record as it was.
   *
   * @throws ContentError 404 for no such account, 412 if the precondition fails.
   */
  async remove(id: number, viewer: Viewer, precondition?: Precondition): Promise<string> {
    const { database, reader, writer } = this.#context;
    return database.transaction(async (tx) => {
      const known = await findById(tx, id);
      if (!known) throw notFound('User not found');
      await tx.lock(() => [documentLock(USER_UID, known.documentId)]);
      const single = { kind: 'row', id } as const;
      const text = (await reader.one(this.type, viewer, {}, single, { db: tx }))?.data;
      if (text === undefined) throw notFound('User not found');
      const removal = { type: this.type, viewer, documentId: known.documentId, locales: undefined, precondition };
      await writer.deleteIn(tx, removal, [null]);
      await dropAccount(tx, id);
      return text;
    });
  }

  /** Runs work on a locked account in a transaction; undefined if it does not exist. */
  async withAccount<T>(id: number, work: (tx: Transaction, account: AccountRow) => Promise<T>): Promise<T | undefined> {
    const { database } = this.#context;
    return database.transaction(async (tx) => {
      const known = await findById(tx, id);
      if (!known) return undefined;
      await tx.lock(() => [documentLock(USER_UID, known.documentId)]);
      const account = await findById(tx, id);
      return account && work(tx, account);
    });
  }

  /**
   * Runs work on an account, or on no account, with the same statements, so that the caller cannot tell whether it
   * exists.
   *
   * @param work must do nothing if the account is undefined.
   */
  async withAccountOrNobody<T>(
    id: number | undefined,
    work: (tx: Transaction, account: AccountRow | undefined) => Promise<T>,
  ): Promise<T> {
    const { database } = this.#context;
    return database.transaction(async (tx) => {
      const known = await findById(tx, id ?? NOBODY_ID);
      await tx.lock(() => [documentLock(USER_UID, known?.documentId ?? '')]);
      return work(tx, await findById(tx, id ?? NOBODY_ID));
    });
  }

  /** An account that a caller sees; undefined if there is none. */
  async find(id: number, viewer: Viewer, db: Queryable = this.db): Promise<AccountRow | undefined> {
    const account = await findById(db, id);
    const shown = this.#context.reader.shown(db, viewer);
    return account && (await shown.hidden(this.type, [{ id, published: true }])).size === 0 ? account : undefined;
  }

  /** An account by its document id, if a caller sees it; undefined if there is none. */
  async findByDocument(documentId: string, viewer: Viewer): Promise<AccountRow | undefined> {
    const [row] = await selectRows(this.db, 'up_users', ['id'], { document_id: documentId });
    return row && this.find(Number(row[0]), viewer);
  }

  /** @throws ContentError 403 for an account that a caller may not change. */
  async requireWritable(id: number, viewer: Viewer): Promise<void> {
    await this.#context.reader.shown(this.db, viewer).requireWritten(this.type, [{ id, published: true }]);
  }

  /** An account as a caller sees it, as JSON text; undefined if there is none. */
  async recordOrNone(id: number, viewer: Viewer): Promise<string | undefined> {
    return (await this.#context.reader.one(this.type, viewer, {}, { kind: 'row', id }))?.data;
  }

  /** An account as a caller sees it, as JSON text. */
  async record(id: number, viewer: Viewer, shape: RawObject = {}, db?: Queryable): Promise<string> {
    const options = db === undefined ? {} : { db };
    const text = (await this.#context.reader.one(this.type, viewer, shape, { kind: 'row', id }, options))?.data;
    if (text === undefined) throw notFound('User not found');
    return text;
  }

  /**
   * Adds the hash of the password to a write, for callers that begin a transaction themselves; no transaction waits for
   * hashing.
   *
   * @param id of the account; undefined for a new one.
   * @throws ContentError 400 for an invalid key, or an existing name.
   */
  protected async hashed(write: UserWrite, id?: number): Promise<UserWrite> {
    const { data, actor } = write;
    const { password } = data;
    if (typeof password !== 'string') return write;
    permitBody(actor.view, this.type, data);
    await this.#refuseEarly(write, id);
    const hashes = await hashPasswords({ written: new Set([password]), defaults: new Set() });
    return { ...write, hashes };
  }

  #request({ data, actor, documentId, precondition, hashes }: UserWrite): WriteRequest {
    return {
      type: this.type,
      viewer: actor,
      status: 'published',
      locale: undefined,
      data,
      shape: { fields: ['id'] },
      mayLocalize: true,
      ...(documentId === undefined ? {} : { documentId }),
      precondition,
      hashes,
    };
  }

  /** Checks names before the slow hashing of a password; the transaction checks them again. */
  async #refuseEarly({ data, refuseTaken }: UserWrite, id: number | undefined): Promise<void> {
    const names = namesOf(data);
    if (names && data['password'] !== undefined) refuseTaken(await findTaken(this.db, names, id));
  }

  async #requireNames(tx: Transaction, { data, refuseTaken }: UserWrite, id: number | undefined): Promise<void> {
    const names = namesOf(data);
    if (names === undefined) return;
    await lockNames(tx, this.type, names);
    refuseTaken(await findTaken(tx, names, id));
  }

  async #endWhatChanged(tx: Transaction, before: AccountRow, hasNewPassword: boolean): Promise<void> {
    const account = await findById(tx, before.id);
    if (!account) return;
    const isClosed = hasNewPassword || (account.blocked && !before.blocked);
    if (isClosed) await endAllSessions(tx, account.id);
    // mailed codes prove access to the old address, or replace a forgotten password
    if (isClosed || account.email !== before.email) await dropResetCode(tx, account.id);
    if (account.email !== before.email) await dropConfirmationCode(tx, account.id);
  }

  async #finish<T>(
    tx: Transaction,
    { viewerOf, shape }: UserWrite,
    id: number,
    after: After<T>,
  ): Promise<WrittenUser<T>> {
    const result = await after(tx, id);
    const viewer = viewerOf(id);
    // access rules may hide the role, which the request did not ask for
    const isShown = viewer.view.of(this.type).populatable.includes('role');
    const shown = shape['populate'] === 'role' && !isShown ? {} : shape;
    return { record: await this.record(id, viewer, shown, tx), result };
  }
}

/** The written names; undefined for none. */
function namesOf(data: WrittenData): NewNames | undefined {
  const names = { username: storableText(data['username']), email: storableText(data['email']) };
  return names.username === undefined && names.email === undefined ? undefined : names;
}

/** Invalid names are refused with the other values. */
function storableText(value: unknown): string | undefined {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed() ? value : undefined;
}
