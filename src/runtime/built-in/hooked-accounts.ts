/**
 * Writes of accounts by the server's endpoints, with document middlewares and lifecycles of the project in the
 * transaction of the write.
 */
import type { Viewer } from '../../access/view.ts';
import type { Precondition } from '../../content/documents/write-request.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { forbidden } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import { type Catalog, USER_UID } from '../../schema/catalog.ts';
import { type AccountRow, findById } from '../../users/accounts/account-rows.ts';
import {
  type UserWrite,
  UserWrites,
  type UserWritesContext,
  type WrittenUser,
} from '../../users/accounts/user-writes.ts';
import { AROUND_WRITES } from '../documents/document-actions.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import { throwingRefusals } from '../requests/strapi-errors.ts';

type After<T> = (tx: Transaction, id: number) => Promise<T>;

export class HookedAccounts extends UserWrites {
  readonly #catalog: Catalog;
  readonly #plain: UserWrites;
  readonly #documents: ProjectDocuments;

  /**
   * @param context on the database of code, which knows of its transactions.
   * @param plain writes accounts as long as no code has put anything before them.
   */
  constructor(context: UserWritesContext, plain: UserWrites, documents: ProjectDocuments) {
    super(context);
    this.#catalog = context.catalog;
    this.#plain = plain;
    this.#documents = documents;
  }

  override async create<T>(write: UserWrite, after: After<T>): Promise<WrittenUser<T>> {
    if (!this.#isTouched) return this.#plain.create(write, after);
    return this.#around('create', {}, await this.hashed(write), (own, noted) => super.create(own, noted), after);
  }

  override async update<T>(
    id: number,
    write: UserWrite,
    after: After<T>,
    before?: (tx: Transaction, account: AccountRow) => Promise<void>,
  ): Promise<WrittenUser<T>> {
    const account = this.#isTouched ? await this.find(id, write.actor) : undefined;
    if (!account) return this.#plain.update(id, write, after, before);
    const { documentId } = account;
    const run = (own: UserWrite, noted: After<T>) => super.update(id, own, noted, before);
    return this.#around('update', { documentId }, await this.hashed(write, id), run, after);
  }

  override async remove(id: number, viewer: Viewer, precondition?: Precondition): Promise<string> {
    const account = this.#isTouched ? await findById(this.db, id) : undefined;
    if (!account) return this.#plain.remove(id, viewer, precondition);
    let record: string | undefined;
    await throwingRefusals(() =>
      this.#documents.remove(this.type, account.documentId, async () => {
        record = await super.remove(id, viewer, precondition);
        return account;
      }),
    );
    return record!;
  }

  get #isTouched(): boolean {
    return this.#documents.isTouched(USER_UID, ...AROUND_WRITES);
  }

  /** Writes the data after code has changed it. Lifecycles receive no password, since the row has only its hash. */
  async #around<T>(
    action: 'create' | 'update',
    place: Params,
    { data, ...write }: UserWrite,
    run: (write: UserWrite, after: After<T>) => Promise<WrittenUser<T>>,
    after: After<T>,
  ): Promise<WrittenUser<T>> {
    const { password, ...shown } = data;
    const secret = password === undefined ? {} : { password };
    let written: WrittenUser<T> | undefined;
    const own = async ({ data: changed }: Params) => {
      const known = knownData(this.#catalog, this.type, changed) as WrittenData;
      let account: AccountRow | undefined;
      written = await run({ ...write, data: { ...known, ...secret } }, async (tx, id) => {
        account = await findById(tx, id);
        return after(tx, id);
      });
      // with all its attributes, and without the hash
      const [row] = await this.#documents.rows(this.type, { documentId: account?.documentId });
      return this.#documents.asRead(USER_UID, row);
    };
    await throwingRefusals(() => this.#documents.run(this.type, action, { ...place, data: shown }, own, secret));
    return written ?? refused();
  }
}

/** Code has ended the operation without an error: nothing was written. */
export function refused(): never {
  const logged = 'code of the project around accounts did not go on';
  throw forbidden(logged);
}
