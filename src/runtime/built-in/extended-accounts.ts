/**
 * Writes of accounts by the server's endpoints if an extension has replaced `add`, `edit` or `remove` of the service
 * `user`. As in the reference, the replacements are called, in the transaction of the write; the original methods, if
 * they call them, perform it.
 */
import type { Viewer } from '../../access/view.ts';
import type { Precondition } from '../../content/documents/write-request.ts';
import { documentLock } from '../../content/rows/locks.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { notFound } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { type AccountRow, findById } from '../../users/accounts/account-rows.ts';
import { type UserWrite, UserWrites, type WrittenUser } from '../../users/accounts/user-writes.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import { unsupported } from '../guarded.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import { throwingRefusals } from '../requests/strapi-errors.ts';
import { rowIdOf } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { codesOf, type ServerWriteScope, withoutCodes } from '../strapi/accounts.ts';
import { refused } from './hooked-accounts.ts';

type After<T> = (tx: Transaction, id: number) => Promise<T>;

export interface ExtendedAccountsContext {
  readonly runtime: RuntimeContext;
  readonly services: ExtendedServices;
  /** Passes the write of the server to the plugin's own service. */
  readonly serverWrites: ServerWriteScope;
  /** Writes that do not call the service. */
  readonly plain: UserWrites;
  /** The same on the database of code. */
  readonly own: UserWrites;
}

export class ExtendedAccounts extends UserWrites {
  readonly #parts: ExtendedAccountsContext;

  constructor(parts: ExtendedAccountsContext) {
    super(parts.runtime);
    this.#parts = parts;
  }

  override async create<T>(write: UserWrite, after: After<T>): Promise<WrittenUser<T>> {
    const { plain, own } = this.#parts;
    const add = this.#overriding('add');
    if (!add) return plain.create(write, after);
    const hashed = await this.hashed(write);
    return this.#within(async (tx) => {
      let done: WrittenUser<T> | undefined;
      const run = async (values: Params): Promise<string> => {
        done = await own.create({ ...hashed, data: this.#known(values) }, keepingCodes(values, after));
        return done.record;
      };
      const created = await this.#ask({ name: 'add', run }, () => add({ ...write.data }));
      const id = idOf(done ? JSON.parse(done.record) : created);
      if (idOf(created) === undefined || id === undefined || !(await findById(tx, id))) return refused();
      const result = done ? done.result : await after(tx, id);
      return { record: await this.record(id, write.viewerOf(id), write.shape, tx), result };
    });
  }

  override async update<T>(
    id: number,
    write: UserWrite,
    after: After<T>,
    before?: (tx: Transaction, account: AccountRow) => Promise<void>,
  ): Promise<WrittenUser<T>> {
    const { plain, own } = this.#parts;
    const edit = this.#overriding('edit');
    const known = edit && (await this.find(id, write.actor));
    if (!known) return plain.update(id, write, after, before);
    const hashed = await this.hashed(write, id);
    return this.#within(async (tx) => {
      await tx.lock(() => [documentLock(USER_UID, known.documentId)]);
      const account = await this.find(id, write.actor, tx);
      if (!account) throw notFound('User not found');
      await before?.(tx, account);
      let done: WrittenUser<T> | undefined;
      const run = async (values: Params): Promise<string> => {
        done = await own.update(id, { ...hashed, data: this.#known(values) }, keepingCodes(values, after));
        return done.record;
      };
      await this.#ask({ name: 'edit', id, run }, () => edit(id, { ...write.data }));
      const result = done ? (done as WrittenUser<T>).result : await after(tx, id);
      return { record: await this.record(id, write.viewerOf(id), write.shape, tx), result };
    });
  }

  override async remove(id: number, viewer: Viewer, precondition?: Precondition): Promise<string> {
    const { plain, own } = this.#parts;
    const remove = this.#overriding('remove');
    const record = remove && (await this.recordOrNone(id, viewer));
    if (record === undefined) return plain.remove(id, viewer, precondition);
    return this.#within(async () => {
      const run = () => own.remove(id, viewer, precondition);
      await this.#ask({ name: 'remove', id, run }, () => remove!({ id }));
      return record;
    });
  }

  #overriding(member: string): ((...args: unknown[]) => unknown) | undefined {
    const service = this.#parts.services.overriding('users-permissions', 'user', member);
    const method = service?.[member];
    if (service === undefined) return undefined;
    return typeof method === 'function' ? method.bind(service) : () => unsupported(`services.user without ${member}`);
  }

  #within<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return throwingRefusals(() => this.#parts.runtime.database.within(({ tx }) => work(tx)));
  }

  async #ask(write: Omit<Parameters<ServerWriteScope['run']>[0], 'isDone'>, work: () => unknown): Promise<unknown> {
    return this.#parts.serverWrites.run({ ...write, isDone: false }, async () => work());
  }

  #known(values: Params): WrittenData {
    return withoutCodes(knownData(this.#parts.runtime.catalog, this.type, values) as Params) as WrittenData;
  }
}

/** Keeps the codes that an extension has put into the data, before the server makes its own. */
function keepingCodes<T>(values: Params, after: After<T>): After<T> {
  const keep = codesOf(values);
  return async (tx, id) => {
    await keep(tx, id);
    return after(tx, id);
  };
}

function idOf(account: unknown): number | undefined {
  return rowIdOf((account as { id?: unknown } | null | undefined)?.id);
}
