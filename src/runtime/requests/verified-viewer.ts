/** The view of answers if code has set the caller in `ctx.state.auth`. */
import { type Grants, grantsOf } from '../../access/grants.ts';
import type { View, Viewer } from '../../access/view.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { authViewer } from './auth.ts';
import { type Context, callingOf } from './context.ts';

type Runtime = Pick<RuntimeContext, 'views' | 'catalog'>;

/** The viewer of a request's caller. A route without authentication does not show private attributes. */
export function viewerOf({ views }: Pick<RuntimeContext, 'views'>, ctx: Context): Viewer {
  return callingOf(ctx)?.viewer ?? views.unasked;
}

/**
 * The viewer by which an answer is checked and sanitized: that of the caller, unless code has changed `ctx.state.auth`.
 * Any other `auth` is called for each type, as in the reference.
 */
export function verifiedViewer(runtime: Runtime, ctx: Context): Viewer | Promise<Viewer> {
  const auth: unknown = ctx.state?.['auth'];
  const isUnasked = (auth === undefined || auth === null) && callingOf(ctx) === undefined;
  return isUnasked ? runtime.views.unasked : viewerOfAuth(runtime, auth, ctx);
}

/**
 * The view of `{ auth }`, as code passes it to `strapi.contentAPI`: without one, all that is not private is shown.
 *
 * @param ctx the request that is being answered.
 */
export async function viewOfAuth(runtime: Runtime, auth: unknown, ctx: Context | undefined): Promise<View> {
  return auth ? (await viewerOfAuth(runtime, auth, ctx)).view : runtime.views.full.view;
}

function viewerOfAuth(runtime: Runtime, auth: unknown, ctx: Context | undefined): Viewer | Promise<Viewer> {
  return authViewer(auth) ?? askedViewer(runtime, auth, ctx ? viewerOf(runtime, ctx) : runtime.views.unasked, ctx);
}

/** The viewer of a strategy's choice: through relations it shows the types whose `find` the strategy permits. */
async function askedViewer(
  { views, catalog }: Runtime,
  auth: unknown,
  { values }: Viewer,
  ctx: Context | undefined,
): Promise<Viewer> {
  const base: Pick<Grants, 'closed' | 'role'> = (ctx && callingOf(ctx)?.caller.grants) ?? grantsOf([], 'public');
  const actions: string[] = [];
  for (const uid of catalog.contentTypes.keys()) if (await permits(auth, `${uid}.find`)) actions.push(`${uid}.find`);
  const { key, ...grants } = grantsOf(actions, base.role);
  const isClosed = base.closed.size > 0;
  return views.viewer({ ...grants, key: isClosed ? `${key}\nclosed` : key, closed: base.closed }, values);
}

/**
 * Whether the strategy of an `auth` permits an action. One without `verify` permits all; an invalid `auth` permits
 * none.
 */
async function permits(auth: unknown, scope: string): Promise<boolean> {
  try {
    const { strategy } = auth as { readonly strategy: { readonly verify?: unknown } };
    const { verify } = strategy;
    if (typeof verify === 'function')
      await UnitOfWork.call(verify as (...args: unknown[]) => unknown, strategy, auth, { scope });
    return true;
  } catch {
    return false;
  }
}
