/** `strapi.plugin('users-permissions').service('user')`, and other writes of accounts by code. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { verifyPassword } from '../../content/validation/password-hashing.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import { modelOf, USER_UID } from '../../schema/catalog.ts';
import {
  dropConfirmationCode,
  dropResetCode,
  setConfirmationCode,
  setResetCode,
} from '../../users/accounts/account-codes.ts';
import type { TakenNames } from '../../users/accounts/account-rows.ts';
import type { UserWrite } from '../../users/accounts/user-writes.ts';
import { isIssuedHash, issueHash } from '../accounts/account-hashes.ts';
import type { ProjectService } from '../documents/document-actions.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import { rowParams, withIds } from '../documents/row-params.ts';
import { rowIdOrNone } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';

/** Reads accounts as code sees them. */
export type FindAccounts = Readonly<Record<'findMany' | 'findOne' | 'count', (params: Params) => Promise<unknown>>>;

/** A write of the server that calls the service. */
export interface ServerWrite {
  readonly name: 'add' | 'edit' | 'remove';
  /** Of the account; undefined for a new one. */
  readonly id?: number;
  isDone: boolean;
  /** Makes it, and gives the account's record as JSON text. */
  readonly run: (values: Params) => Promise<string>;
}
export type ServerWriteScope = AsyncLocalStorage<ServerWrite>;

type AccountContext = Pick<RuntimeContext, 'users' | 'views' | 'catalog' | 'database'>;

const UNIQUE = 'This attribute must be unique';

export class Accounts {
  readonly #runtime: AccountContext;
  readonly #find: FindAccounts;
  /** The write of the server that the service performs at the moment. */
  readonly serverWrites: ServerWriteScope = new AsyncLocalStorage();

  constructor(runtime: AccountContext, find: FindAccounts) {
    this.#runtime = runtime;
    this.#find = find;
  }

  /** The current write of the server, if its name and account match. */
  #serverWrite(name: ServerWrite['name'], id?: number): ServerWrite | undefined {
    const requested = this.serverWrites.getStore();
    if (!requested || requested.isDone || requested.name !== name || requested.id !== id) return undefined;
    requested.isDone = true;
    return requested;
  }

  /** Creates an account from the values alone, without default role and confirmation. */
  async add(values: Params): Promise<unknown> {
    const requested = this.#serverWrite('add');
    if (requested) return this.#whole(await requested.run(values));
    const { record } = await this.#runtime.users.create(this.#write(values), codesOf(values));
    return this.#whole(record);
  }

  /** Changes an account; null if it does not exist. */
  async edit(id: number, values: Params): Promise<unknown> {
    const requested = this.#serverWrite('edit', rowIdOrNone(id));
    if (requested) return this.#whole(await requested.run(values));
    if ((await this.fetch(id)) === null) return null;
    const { record } = await this.#runtime.users.update(rowIdOrNone(id), this.#write(values), codesOf(values));
    return this.#whole(record);
  }

  /** Removes an account; null if it does not exist. */
  async remove({ id }: { readonly id: number | string }): Promise<unknown> {
    const requested = this.#serverWrite('remove', rowIdOrNone(id));
    if (requested) return JSON.parse(await requested.run({}));
    if ((await this.fetch(id)) === null) return null;
    return JSON.parse(await this.#runtime.users.remove(rowIdOrNone(id), this.#runtime.views.code));
  }

  async fetch(id: number | string, params: Params = {}): Promise<unknown> {
    const { where, ...rest } = rowParams(params);
    const named = { id: rowIdOrNone(id) };
    return this.#find.findOne({ ...rest, where: where === undefined ? named : { $and: [named, where] } });
  }

  fetchAuthenticatedUser(id: number | string): Promise<unknown> {
    return this.fetch(id, { populate: ['role'] });
  }

  fetchAll(params: Params = {}): Promise<unknown> {
    return this.#find.findMany(rowParams(params));
  }

  /** @param params `filters`, or the conditions themselves. */
  async count(params: Params = {}): Promise<number> {
    const where = 'filters' in params ? params['filters'] : params;
    return Number(await this.#find.count({ where }));
  }

  /** The writes under the names of documents. */
  get documents(): Partial<ProjectService> {
    const idOf = async (documentId: unknown): Promise<number | undefined> => {
      const [user] = (await this.fetchAll({ filters: { documentId } })) as { id: number }[];
      return user?.id;
    };
    const shown = async (account: unknown, { fields, populate }: Params) => {
      if (account === null || (fields === undefined && populate === undefined)) return account;
      return this.fetch((account as { id: number }).id, { fields: withIds(fields), populate });
    };
    return {
      create: async ({ data, ...params }: Params = {}) => shown(await this.add(data as Params), params),
      update: async ({ documentId, data, ...params }: Params = {}) => {
        const id = await idOf(documentId);
        return id === undefined ? null : shown(await this.edit(id, data as Params), params);
      },
      delete: async ({ documentId }: Params = {}) => {
        const id = await idOf(documentId);
        const entry = id === undefined ? null : await this.remove({ id });
        return { documentId, entries: entry === null ? [] : [entry] };
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
    return Object.assign(values, { password: await issueHash(values['password']) });
  }

  validatePassword(password: string, hash: string): Promise<boolean> {
    return verifyPassword(password, hash);
  }

  #write(data: Params): UserWrite {
    const { views, catalog } = this.#runtime;
    const { code, full } = views;
    const { password } = data;
    const isHash = typeof password === 'string' && isIssuedHash(password);
    return {
      ...(isHash ? { hashes: new Map([[password, password]]) } : {}),
      data: withoutCodes(knownData(catalog, modelOf(catalog, USER_UID), data) as Params),
      actor: code,
      viewerOf: () => full,
      shape: {},
      refuseTaken: ({ username, email, crossed }: TakenNames) => {
        const failures = new Failures();
        if (username) failures.add(at('username'), UNIQUE, data['username']);
        if (email) failures.add(at('email'), UNIQUE, data['email']);
        failures.throwAny();
        if (crossed) throw validation('Email or Username are already taken');
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

/** Stores codes that code has set in the data of an account, and removes those that it has cleared. */
export function codesOf({ resetPasswordToken: reset, confirmationToken: confirmation }: Params) {
  return async (tx: Transaction, id: number): Promise<void> => {
    if (reset) await setResetCode(tx, id, String(reset));
    else if (reset !== undefined) await dropResetCode(tx, id);
    if (confirmation) await setConfirmationCode(tx, id, String(confirmation));
    else if (confirmation !== undefined) await dropConfirmationCode(tx, id);
  };
}
