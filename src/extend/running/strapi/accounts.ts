/** `strapi.plugin('users-permissions').service('user')`, and how code writes accounts in other ways. */
import { verifyPassword } from '../../../content/validation/password-hashing.ts';
import { ContentError, validation } from '../../../errors.ts';
import { modelOf, USER_UID } from '../../../schema/catalog.ts';
import type { TakenNames } from '../../../users/accounts/account-rows.ts';
import type { UserWrite } from '../../../users/accounts/user-writes.ts';
import { findRoleId } from '../../../users/roles/roles.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { ProjectService } from '../documents/operations.ts';
import type { CodeRooms } from '../rooms.ts';

/** Reads accounts as code sees them. */
export type FindAccounts = (params: Params) => Promise<unknown>;

export class Accounts {
  readonly #rooms: CodeRooms;
  readonly #find: FindAccounts;

  constructor(rooms: CodeRooms, find: FindAccounts) {
    this.#rooms = rooms;
    this.#find = find;
  }

  /** Makes an account; with the role `authenticated` where it names none. */
  async add(values: Params): Promise<unknown> {
    const role = values['role'] ?? (await findRoleId(this.#rooms.database, 'authenticated'));
    const { record } = await this.#rooms.users.create(
      this.#write({ confirmed: true, ...values, role }),
      async () => {},
    );
    return this.#whole(record);
  }

  /** Changes an account. */
  async edit(id: number, values: Params): Promise<unknown> {
    const { record } = await this.#rooms.users.update(Number(id), this.#write(values), async () => {});
    return this.#whole(record);
  }

  async remove({ id }: { readonly id: number | string }): Promise<unknown> {
    return JSON.parse(await this.#rooms.users.remove(Number(id), this.#rooms.views.code));
  }

  async fetch(id: number | string, params: Params = {}): Promise<unknown> {
    const [found] = (await this.#find({ ...params, where: { id: Number(id) }, limit: 1 })) as unknown[];
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

  validatePassword(password: string, hash: string): Promise<boolean> {
    return verifyPassword(password, hash);
  }

  #write(data: Params): UserWrite {
    const { views, catalog } = this.#rooms;
    const { code, full } = views;
    return {
      data: knownData(catalog, modelOf(catalog, USER_UID), data) as Params,
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
