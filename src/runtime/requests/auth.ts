/** Who makes a request of a route and whether they may: the strategies of the reference, and those of a route's own. */
import { type Grants, may, READ_ONLY } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import { ContentError } from '../../errors.ts';
import { hiddenField } from '../../hidden-field.ts';
import { RefusedAccount } from '../../users/sessions/callers.ts';
import { isPlain } from '../documents/plain-params.ts';
import { guarded } from '../guarded.ts';
import type { Accounts } from '../strapi/accounts.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { type Calling, type Context, callingOf, setCalling } from './context.ts';
import { actionOf, type ListedRoute, type RouteAuth } from './routes.ts';
import { ForbiddenError, UnauthorizedError } from './strapi-errors.ts';

/**
 * Identifies the caller of a request.
 *
 * @param as the caller whose rights it has instead of its credentials'.
 * @throws ContentError 401 for invalid credentials.
 */
export type Identify = (as?: 'public') => Promise<Calling>;

/** The result of a strategy. */
interface Authenticated {
  readonly authenticated?: boolean;
  readonly credentials?: unknown;
  readonly ability?: unknown;
  readonly error?: unknown;
}

/** A strategy of the project's own, which a route lists. */
interface Strategy {
  readonly authenticate: (ctx: Context) => unknown;
  readonly verify?: (auth: unknown, config: unknown) => unknown;
}

const OF_ACCOUNTS = 'users-permissions';

const INVALID_STRATEGY =
  'Invalid auth strategy. Expecting an object with properties {name: string, authenticate: function, verify: function}';

/** Whether a route lists strategies of its own choice. */
export const hasStrategies = (auth: boolean | RouteAuth | undefined): auth is RouteAuth =>
  typeof auth === 'object' && auth !== null && Array.isArray(auth.strategies);

/**
 * `auth` of a route as the reference completes it: a route whose handler has a name needs the action of that name, unless it
 * lists a scope. An empty list of scopes counts as none.
 */
export function authOf(route: ListedRoute): boolean | RouteAuth | undefined {
  const { auth } = route.written.config ?? {};
  // routes that code adds by itself are of no API, and their actions mean nothing
  const action = route.space === 'api::' ? undefined : actionOf(route);
  if (typeof auth === 'boolean' || action === undefined) return auth;
  const { scope } = auth ?? {};
  const isOpen = scope === undefined || (Array.isArray(scope) && scope.length === 0);
  return { ...auth, scope: isOpen ? [action] : scope };
}

/** The actions that a caller needs for a route; undefined where it has to be identified and no more. */
export function scopesOf(route: ListedRoute): readonly string[] | undefined {
  const auth = authOf(route);
  const scope = typeof auth === 'object' ? auth.scope : undefined;
  return scope ? [scope].flat() : undefined;
}

/** Puts the caller of a request into its context. Gives false after it has answered 401. */
export async function authenticate(
  ctx: Context,
  auth: boolean | RouteAuth | undefined,
  { identify, accounts }: { readonly identify: Identify; readonly accounts: Accounts },
): Promise<boolean> {
  if (hasStrategies(auth)) return authenticateBy(auth.strategies as unknown[], ctx, { identify, accounts });
  try {
    await know(ctx, await identify(), accounts);
    return true;
  } catch (error) {
    if (!(error instanceof ContentError) || error.status !== 401) throw error;
    return unauthorized(ctx, error.message);
  }
}

/** Runs strategies in order: the first one that identifies the caller decides. Unknown names are ignored. */
async function authenticateBy(
  strategies: readonly unknown[],
  ctx: Context,
  { identify, accounts }: { readonly identify: Identify; readonly accounts: Accounts },
): Promise<boolean> {
  for (const strategy of strategies) {
    if (typeof strategy === 'string') {
      const calling = await identify().catch((error: unknown) => {
        if (error instanceof ContentError && error.status === 401) return error;
        throw error;
      });
      // credentials of another kind are for another strategy; an account that is refused is refused by all
      if (calling instanceof RefusedAccount && strategy === OF_ACCOUNTS) return unauthorized(ctx, calling.message);
      if (calling instanceof ContentError || strategyOf(calling) !== strategy) continue;
      await know(ctx, calling, accounts);
      return true;
    }
    const { authenticate: ask } = requireStrategy(strategy);
    const answer = ((await UnitOfWork.call(ask, strategy, ctx)) ?? {}) as Authenticated;
    if (answer.error != null) return unauthorized(ctx, String(answer.error));
    if (answer.authenticated !== true) continue;
    // Galley shows such a caller what the public sees, since it has no grants of the strategy
    setCalling(ctx, await identify('public'));
    const { credentials, ability = null } = answer;
    Object.assign(ctx.state, { isAuthenticated: true, auth: { strategy, credentials, ability } });
    return true;
  }
  return unauthorized(ctx, 'Missing or invalid credentials');
}

function requireStrategy(value: unknown): Strategy {
  const isStrategy =
    isPlain(value) &&
    typeof value['authenticate'] === 'function' &&
    (value['verify'] === undefined || typeof value['verify'] === 'function');
  if (!isStrategy) throw new TypeError(INVALID_STRATEGY);
  return value as unknown as Strategy;
}

/** The strategy of the reference that identifies a caller. */
const strategyOf = ({ caller }: Calling): string => (caller.token ? 'content-api-token' : OF_ACCOUNTS);

function unauthorized(ctx: Context, message: string): false {
  ctx.response.fail(401, message);
  return false;
}

/** Puts into a context who makes its request. */
export async function know(ctx: Context, calling: Calling, accounts: Accounts): Promise<void> {
  const { caller } = calling;
  setCalling(ctx, calling);
  const { userId, account } = caller;
  const user = account ?? (userId === undefined ? undefined : await accounts.fetchAuthenticatedUser(userId));
  if (user) ctx.state['user'] = user;
  ctx.state['isAuthenticated'] = true;
  const hasAbility = caller.token === undefined || caller.token.type === 'custom';
  const verify = caller.token ? verifyToken : verifyAccount;
  const auth: Auth = {
    strategy: {
      name: strategyOf(calling),
      authenticate: async () => ({ authenticated: true, ...(ctx.state['auth'] as object) }),
      verify: async (current: Auth, config: RouteAuth) => verify(current, config, caller.grants),
    },
    credentials: tokenOf(caller) ?? user ?? null,
    ability: hasAbility ? abilityOf(caller.grants) : null,
  };
  ctx.state['auth'] = auth;
  known.set(auth, { viewer: calling.viewer, parts: partsOf(auth) });
}

/** `ctx.state.auth` of a caller. */
interface Auth {
  strategy: { readonly name: string; readonly authenticate: unknown; readonly verify: unknown };
  credentials: { readonly type?: unknown; readonly expiresAt?: unknown } | null;
  ability: Ability | null;
}

interface Ability {
  readonly can: (action: string) => boolean;
}

/** The viewers of callers by the `auth` that says who they are, with the parts that decide it. */
const known = hiddenField<object, { readonly viewer: Viewer; readonly parts: readonly unknown[] }>();

/** The parts of an `auth` on which its verification depends. */
const partsOf = ({ strategy, credentials, ability }: Auth): readonly unknown[] => [
  ...[strategy, strategy?.verify, ability, credentials],
  // those of tokens: those of accounts are attributes of the project
  ...(strategy?.name === OF_ACCOUNTS ? [] : [credentials?.type, credentials?.expiresAt]),
];

/** The viewer of the caller whom an `auth` of Galley's own means; undefined for any other, and for one that code has changed. */
export function authViewer(auth: unknown): Viewer | undefined {
  const own = typeof auth === 'object' && auth !== null ? known.get(auth) : undefined;
  const parts = own && partsOf(auth as Auth);
  return own?.parts.every((part, at) => part === parts![at]) ? own.viewer : undefined;
}

/** The rights of a caller in the form of CASL's ability, for actions only. */
const abilityOf = (grants: Grants): Ability =>
  guarded('ctx.state.auth.ability', {
    can: (action: string) => may(grants, action),
    cannot: (action: string) => !may(grants, action),
  });

/** @throws UnauthorizedError, ForbiddenError for an account whose ability lacks an action of a scope. */
function verifyAccount({ credentials, ability }: Auth, { scope }: RouteAuth): void {
  if (!scope && credentials) return;
  if (!scope || !ability) throw new UnauthorizedError();
  if (![scope].flat().every((action) => ability.can(action))) throw new ForbiddenError();
}

/** @throws UnauthorizedError, ForbiddenError for a token that lacks an action of a scope. */
function verifyToken({ credentials, ability }: Auth, config: RouteAuth, { closed }: Grants): void {
  if (!credentials) throw new UnauthorizedError('Token not found');
  const { type, expiresAt } = credentials;
  if (expiresAt != null && new Date(expiresAt as string) < new Date()) throw new UnauthorizedError('Token expired');
  if (type === 'full-access') return;
  const { scope } = config;
  const reads = { ...READ_ONLY, closed };
  const can = (action: string): boolean =>
    type === 'read-only' ? may(reads, action) : type === 'custom' && ability?.can(action) === true;
  if (!scope || ![scope].flat().every(can)) throw new ForbiddenError();
}

/**
 * Whether the caller of a request may use a route: the route's own strategy decides alone.
 *
 * @throws the errors of such a strategy.
 */
export async function mayCall(
  ctx: Context,
  auth: boolean | RouteAuth | undefined,
  scopes: readonly string[] | undefined,
): Promise<boolean> {
  if (hasStrategies(auth)) {
    const { strategy } = ctx.state['auth'] as { readonly strategy: Strategy };
    if (!(auth.strategies as unknown[]).includes(strategy)) return mayPerform(ctx, scopes);
    if (strategy.verify) await UnitOfWork.call(strategy.verify, strategy, ctx.state['auth'], auth);
    return true;
  }
  return mayPerform(ctx, scopes);
}

function mayPerform(ctx: Context, scopes: readonly string[] | undefined): boolean {
  const { grants, userId } = callingOf(ctx)!.caller;
  if (scopes === undefined) return userId !== undefined || grants.all;
  return scopes.every((scope) => may(grants, scope));
}

/** API tokens as code has them, by those of cached callers. */
const shownTokens = new WeakMap<object, object>();

function shownToken({ id, name, type, ...times }: NonNullable<Calling['caller']['token']>): object {
  const dates = Object.entries(times).map(([key, time]) => [key, time === null ? null : new Date(time).toISOString()]);
  return { id, name, type, kind: 'content-api', ...Object.fromEntries(dates) };
}

/** The API token of a caller as code has it, which may change it. */
function tokenOf({ token, grants }: Calling['caller']): object | undefined {
  if (!token) return undefined;
  const shown = shownTokens.get(token) ?? shownToken(token);
  shownTokens.set(token, shown);
  return { ...shown, permissions: token.type === 'custom' ? [...grants.actions] : [] };
}
