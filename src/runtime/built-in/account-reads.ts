/**
 * Accounts that the server reads for its own endpoints, with the lifecycles that run around these reads in the
 * reference. Listeners may refuse a request. They cannot change its result.
 */
import { isDeepStrictEqual } from 'node:util';
import { AUTH, USERS } from '../../access/actions.ts';
import { USER_UID } from '../../schema/catalog.ts';
import type { Lifecycles, Params, States } from '../documents/lifecycles.ts';
import { unsupported } from '../guarded.ts';
import type { Context } from '../requests/context.ts';

/** The account that a request names. */
type Naming = (request: {
  readonly body: Params;
  readonly query: Params;
  readonly id: unknown;
  readonly own: unknown;
}) => Params;

const lower = (address: unknown): unknown => (typeof address === 'string' ? address.toLowerCase() : address);
const byId: Naming = ({ id }) => ({ id });
const byCaller: Naming = ({ own }) => ({ id: own });
const byAddress: Naming = ({ body }) => ({ email: lower(body['email']) });

const NAMED: Readonly<Record<string, Naming>> = {
  [`${AUTH}.callback`]: ({ body: { identifier } }) => ({
    provider: 'local',
    $or: [{ email: lower(identifier) }, { username: identifier }],
  }),
  [`${AUTH}.forgotPassword`]: byAddress,
  [`${AUTH}.sendEmailConfirmation`]: byAddress,
  [`${AUTH}.resetPassword`]: ({ body }) => ({ resetPasswordToken: body['code'] }),
  [`${AUTH}.emailConfirmation`]: ({ query }) => ({ confirmationToken: query['confirmation'] }),
  [`${AUTH}.changePassword`]: byCaller,
  [`${USERS}.me`]: byCaller,
  [`${USERS}.findOne`]: byId,
  [`${USERS}.update`]: byId,
  [`${USERS}.destroy`]: byId,
};

export class AccountReads {
  readonly #lifecycles: Lifecycles;
  readonly #find: (filters: Params) => Promise<unknown>;

  /** @param find reads an account by conditions, without lifecycles; null if none matches. */
  constructor(lifecycles: Lifecycles, find: (filters: Params) => Promise<unknown>) {
    this.#lifecycles = lifecycles;
    this.#find = find;
  }

  /** Whether code has listeners for reads of the server. */
  get areHeard(): boolean {
    return this.#lifecycles.listens(USER_UID, 'FindOne', 'FindMany', 'Count');
  }

  /**
   * Notifies listeners of the account that a request names.
   *
   * @param params of the path.
   * @throws Unsupported if they change the result.
   */
  async notify(action: string, { request, state }: Context, params: Readonly<Record<string, string>>): Promise<void> {
    if (action === `${AUTH}.register`) return this.#tellOfCount(request.body as Params | undefined);
    const naming = NAMED[action];
    if (!naming || !this.#lifecycles.listens(USER_UID, 'FindOne')) return;
    const own = (state['user'] as { id?: unknown } | undefined)?.id;
    const named = {
      body: (request.body ?? {}) as Params,
      query: request.query as Params,
      id: Number(params['id']),
      own,
    };
    const where = naming(named);
    // a request that names no account is refused by itself
    if (Object.values(where).every((one) => one === undefined || one === null)) return;
    const states: States = new Map();
    const before = await this.#lifecycles.run('beforeFindOne', USER_UID, { params: { where: { ...where } } }, states);
    const found = await this.#find(where);
    const conditions: unknown = before.params['where'];
    const isSame = isDeepStrictEqual(conditions, where) && before.params['filters'] === undefined;
    const account = isSame ? found : await this.#find({ $and: [conditions, before.params['filters'] ?? {}] });
    const result = structuredClone(account);
    const after = await this.#lifecycles.run('afterFindOne', USER_UID, { params: before.params, result }, states);
    const shown = after.result as Params | null;
    const isKept = Object.entries((found ?? {}) as Params).every(([name, one]) =>
      isDeepStrictEqual(one, shown?.[name]),
    );
    if (!isKept) unsupported(`a change of accounts that the server reads, by a lifecycle of ${USER_UID}`);
  }

  /** The reference counts the accounts that have the names of a new one. */
  async #tellOfCount({ email, username }: Params = {}): Promise<void> {
    if (!this.#lifecycles.listens(USER_UID, 'Count')) return;
    const where = { $or: [{ email: lower(email) }, { username }] };
    const states: States = new Map();
    const { params } = await this.#lifecycles.run('beforeCount', USER_UID, { params: { where } }, states);
    await this.#lifecycles.run('afterCount', USER_UID, { params, result: 0 }, states);
  }
}
