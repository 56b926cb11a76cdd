/** Operations of the server on accounts and files, and their requests, with code of a project around them. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { BUILT_IN_ACTIONS, LIFECYCLE_TYPES } from '../../access/actions.ts';
import type { AroundRows } from '../../content/rows/around-rows.ts';
import type { Media } from '../../media/media.ts';
import { USER_UID } from '../../schema/catalog.ts';
import type { UserWrites } from '../../users/accounts/user-writes.ts';
import type { AccountMail, AccountMailContext } from '../../users/mail/account-mail.ts';
import type { Roles } from '../../users/roles/role-changes.ts';
import type { Callers, KnownCallers } from '../../users/sessions/callers.ts';
import type { UserTokens } from '../../users/sessions/user-tokens.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Lifecycles, Params } from '../documents/lifecycles.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import { know } from '../requests/auth.ts';
import { type Calling, Context } from '../requests/context.ts';
import type { RequestParts } from '../requests/request.ts';
import { throwingRefusals } from '../requests/strapi-errors.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { Accounts, type FindAccounts } from '../strapi/accounts.ts';
import { AccountReads } from './account-reads.ts';
import { AskedMail } from './email-service.ts';
import { ExtendedAccounts } from './extended-accounts.ts';
import { AskedTokens, ExtendedCallers } from './extended-callers.ts';
import { HookedAccounts } from './hooked-accounts.ts';

export interface BuiltInParts {
  readonly runtime: RuntimeContext;
  readonly documents: ProjectDocuments;
  /** Documents without the middlewares and lifecycles of code. */
  readonly plain: ProjectDocuments;
  readonly lifecycles: Lifecycles;
  readonly accounts: Accounts;
  /** The contexts that code knows requests by. */
  readonly requests: AsyncLocalStorage<Context>;
  readonly around: AroundRows;
  readonly services: ExtendedServices;
  /** Reads accounts as code sees them. */
  readonly find: FindAccounts;
}

/** The fields and the files of a form, by their names. */
interface FormParts {
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, unknown>>;
}

/** A request to one of the server's own endpoints. */
export interface BuiltInRequest {
  readonly parts: RequestParts;
  readonly response: Context['res'];
  readonly params: Readonly<Record<string, string>>;
  /** Of the route, with `:name` for parameters, below the API's prefix. */
  readonly path: string;
  readonly calling: Calling;
}

export class BuiltIn {
  readonly #parts: BuiltInParts;
  /** Writes accounts on the database of code, with the code around them. */
  readonly #own: HookedAccounts;
  readonly #reads: AccountReads;
  /** Accounts as the service `user` has them. */
  readonly service: Accounts;

  constructor(parts: BuiltInParts) {
    this.#parts = parts;
    const { runtime, documents, find, lifecycles, plain } = parts;
    this.#reads = new AccountReads(lifecycles, (filters: Params) => plain.of(USER_UID).findFirst({ filters }));
    this.#own = new HookedAccounts(runtime, runtime.users, documents);
    this.service = new Accounts({ ...runtime, users: this.#own }, find);
  }

  /** Services after extensions of their plugins have changed them. */
  get services(): ExtendedServices {
    return this.#parts.services;
  }

  /** Writes files, roles and locales, with the code around them. */
  get writers(): { readonly media: Media; readonly roles: Roles; readonly around: AroundRows } {
    const { runtime, around } = this.#parts;
    return { media: runtime.media, roles: runtime.roles, around };
  }

  /** The writer of accounts for the server. @param plain the writer without code around accounts. */
  accounts(plain: UserWrites): UserWrites {
    const { runtime, documents, services } = this.#parts;
    const hooked = new HookedAccounts(runtime, plain, documents);
    return new ExtendedAccounts({
      runtime,
      services,
      serverWrites: this.service.serverWrites,
      plain: hooked,
      own: this.#own,
    });
  }

  /** Who looks up who is calling. */
  callers(plain: Callers): KnownCallers {
    const { services, accounts, requests, runtime, lifecycles } = this.#parts;
    runtime.database.onRaw(() => plain.forget());
    return new ExtendedCallers(plain, { services, lifecycles, accounts, requests, log: runtime.log });
  }

  /** Mails codes to accounts. */
  mail(context: AccountMailContext): AccountMail {
    return new AskedMail(context, { services: this.#parts.services, accounts: this.service });
  }

  /** Creates the tokens of sessions. */
  get tokens(): UserTokens {
    return new AskedTokens(this.#parts.runtime, this.#parts.services);
  }

  /** Does the work of a request, of which the code that runs around it may ask for the context. */
  async answer<T>({ parts, response, params, path, calling }: BuiltInRequest, work: () => Promise<T>): Promise<T> {
    const { requests, documents, accounts, services } = this.#parts;
    const isHeard = this.#reads.areHeard;
    if (!isHeard && !services.areChanged && !LIFECYCLE_TYPES.some((uid) => documents.isTouched(uid, ...WRITES)))
      return work();
    const known = requests.getStore();
    const ctx = known ?? new Context(parts, response);
    if (ctx.state['auth'] === undefined) await know(ctx, calling, accounts);
    const action = actionOf(parts.method, path);
    const heard = async (): Promise<T> => {
      if (isHeard) await throwingRefusals(() => this.#reads.notify(action, ctx, params));
      return work();
    };
    if (known) return heard();
    ctx.params = { ...params };
    ctx.state['route'] = routeOf(parts.method, path);
    return requests.run(ctx, heard);
  }

  /** The form of a request, which is read after its caller has been identified. */
  receive({ body, files }: FormParts): void {
    const ctx = this.#parts.requests.getStore();
    if (!ctx) return;
    ctx.request.body = body;
    ctx.request.files = files;
  }
}

const WRITES = ['Create', 'CreateMany', 'Update', 'UpdateMany', 'Delete', 'DeleteMany'] as const;

const actionOf = (method: string, path: string): string =>
  BUILT_IN_ACTIONS.find((route) => route.method === method && route.path === path)?.action ?? '';

/** A route of the server as the reference shows it to code. */
function routeOf(method: string, path: string): object {
  const [, pluginName, handler] = /^plugin::([^.]+)\.(.+)$/.exec(actionOf(method, path)) ?? [];
  return { method, path, handler, config: {}, info: { pluginName, type: 'content-api' } };
}
