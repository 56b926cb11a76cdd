/** `strapi.plugin('users-permissions').service('user')`, and how code writes accounts in other ways. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { verifyPassword } from '../../../content/validation/password-hashing.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { ContentError, validation } from '../../../errors.ts';
import { modelOf, USER_UID } from '../../../schema/catalog.ts';
import {
  dropConfirmationCode,
  dropResetCode,
  setConfirmationCode,
  setResetCode,
} from '../../../users/accounts/account-codes.ts';
import type { TakenNames } from '../../../users/accounts/account-rows.ts';
import type { UserWrite } from '../../../users/accounts/user-writes.ts';
import { findRoleId } from '../../../users/roles/roles.ts';
import { giveHash, isGivenHash } from '../accounts/given-hashes.ts';
import type { ProjectService } from '../documents/document-actions.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { CodeRooms } from '../rooms.ts';
import { rowIdOrNone } from '../row-id.ts';

/** Reads accounts as code sees them. */
export type FindAccounts = (params: Params) => Promise<unknown>;

/** A write that the server has begun, and asks the service for. */
export interface AskedWrite {
  readonly name: 'add' | 'edit' | 'remove';
  /** Of the account; undefined for a new one. */
  readonly id?: number;
  isDone: boolean;
  /** Makes it, and gives the account's record as JSON text. */
  readonly run: (values: Params) => Promise<string>;
}
export type AskedScope = AsyncLocalStorage<AskedWrite>;

type AccountRooms = Pick<CodeRooms, 'users' | 'views' | 'catalog' | 'database'>;

export class Accounts {
  readonly #rooms: AccountRooms;
  readonly #find: FindAccounts;
  /** What the server asks for at the moment. */
  readonly asked: AskedScope = new AsyncLocalStorage();

  constructor(rooms: AccountRooms, find: FindAccounts) {
    this.#rooms = rooms;
    this.#find = find;
  }

  /** The write that the server asks for, where it is this one. */
  #askedFor(name: AskedWrite['name'], id?: number): AskedWrite | undefined {
    const asked = this.asked.getStore();
    if (!asked || asked.isDone || asked.name !== name || asked.id !== id) return undefined;
    asked.isDone = true;
    return asked;
  }

  /** Makes an account; with the role `authenticated` where it names none. */
  async add(values: Params): Promise<unknown> {
    const asked = this.#askedFor('add');
    if (asked) return this.#whole(await asked.run(values));
    const role = values['role'] ?? (await findRoleId(this.#rooms.database, 'authenticated'));
    const { record } = await this.#rooms.users.create(
      this.#write({ confirmed: true, ...values, role }),
      codesOf(values),
    );
    return this.#whole(record);
  }

  /** Changes an account. */
  async edit(id: number, values: Params): Promise<unknown> {
    const asked = this.#askedFor('edit', rowIdOrNone(id));
    if (asked) return this.#whole(await asked.run(values));
    const { record } = await this.#rooms.users.update(rowIdOrNone(id), this.#write(values), codesOf(values));
    return this.#whole(record);
  }

  async remove({ id }: { readonly id: number | string }): Promise<unknown> {
    const asked = this.#askedFor('remove', rowIdOrNone(id));
    if (asked) return JSON.parse(await asked.run({}));
    return JSON.parse(await this.#rooms.users.remove(rowIdOrNone(id), this.#rooms.views.code));
  }

  async fetch(id: number | string, params: Params = {}): Promise<unknown> {
    const [found] = (await this.#find({ ...params, where: { id: rowIdOrNone(id) }, limit: 1 })) as unknown[];
    return found ?? null;
  }

  fetchAuthenticatedUser(id: number | string): Promise<unknown> {
    return this.fetch(id, { populate: ['role'] });
  }

  fetchAll({ filters, ...params }: Params = {}): Promise<unknown> {
    return this.#find({ ...params, where: filters });
  }

  async count(params: Params = {}): Promise<number> {
    return ((await this.#find({ where: params })) as unknown[]).length;
  }

  /** The writes under the names of documents. */
  get documents(): Partial<ProjectService> {
    const idOf = async (documentId: unknown): Promise<number> => {
      const [user] = (await this.fetchAll({ filters: { documentId } })) as { id: number }[];
      if (!user) throw new ContentError('NotFoundError', 'User not found');
      return user.id;
    };
    return {
      create: async ({ data }: Params = {}) => this.add(data as Params),
      update: async ({ documentId, data }: Params = {}) => this.edit(await idOf(documentId), data as Params),
      delete: async ({ documentId }: Params = {}) => {
        const entry = await this.remove({ id: await idOf(documentId) });
        return { documentId, entries: [entry] };
      },
    };
  }

  /**
   * Puts the hash of a password in its place, as which it is stored when it is written.
   *
   * @throws TypeError for a password that is no text.
   */
  async ensureHashedPasswords<T extends Params>(values: T): Promise<T> {
    if (!('password' in values)) return values;
    return Object.assign(values, { password: await giveHash(values['password']) });
  }

  validatePassword(password: string, hash: string): Promise<boolean> {
    return verifyPassword(password, hash);
  }

  #write(data: Params): UserWrite {
    const { views, catalog } = this.#rooms;
    const { code, full } = views;
    const { password } = data;
    const isHash = typeof password === 'string' && isGivenHash(password);
    return {
      ...(isHash ? { hashes: new Map([[password, password]]) } : {}),
      data: withoutCodes(knownData(catalog, modelOf(catalog, USER_UID), data) as Params),
      actor: code,
      viewerOf: () => full,
      shape: {},
      refuseTaken: ({ username, email, crossed }: TakenNames) => {
        if (username || email || crossed) throw validation('Email or Username are already taken');
      },
    };
  }

  async #whole(record: string): Promise<unknown> {
    return this.fetch((JSON.parse(record) as { id: number }).id);
  }
}

/** Data of an account without codes, which are no part of it. */
export function withoutCodes(data: Params): Params {
  const { resetPasswordToken: _reset, confirmationToken: _confirmation, ...rest } = data;
  return rest;
}

/** What keeps the codes that code has put into the data of an account, and forgets those that it has put away. */
export function codesOf({ resetPasswordToken: reset, confirmationToken: confirmation }: Params) {
  return async (tx: Transaction, id: number): Promise<void> => {
    if (reset) await setResetCode(tx, id, String(reset));
    else if (reset !== undefined) await dropResetCode(tx, id);
    if (confirmation) await setConfirmationCode(tx, id, String(confirmation));
    else if (confirmation !== undefined) await dropConfirmationCode(tx, id);
  };
}
