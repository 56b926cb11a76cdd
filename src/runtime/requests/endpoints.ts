/** Endpoints of routes: authentication, permissions, policies, middlewares and the action, in the reference's order. */
import { requireAction } from '../../access/authorize.ts';
import type { Config } from '../../config/config.ts';
import { ContentError, forbidden, Mistake } from '../../errors.ts';
import { choices } from '../../nearest.ts';
import { answeringOf } from '../core/core-controller.ts';
import { methodsOf, type Registry } from '../registry.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Accounts } from '../strapi/accounts.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { authenticate, authOf, hasStrategies, type Identify, mayCall, scopesOf } from './auth.ts';
import { type Context, callingOf } from './context.ts';
import {
  composed,
  inFile,
  type Middleware,
  middlewaresOf,
  type Namespaces,
  type Next,
  policiesOf,
} from './policies.ts';
import { actionOf, controllerOf, type ListedRoute, type RouteConfig, wholePath } from './routes.ts';
import { ForbiddenError, PolicyError, UnauthorizedError } from './strapi-errors.ts';
import { viewerOf } from './verified-viewer.ts';

/** The parts of the server that an endpoint needs. */
export interface EndpointServer {
  readonly identify: Identify;
  /** Receives a refusal of which a client gets only the status; the log has the rest. */
  readonly refused: (refusal: ContentError) => void;
}

export interface Endpoint {
  (ctx: Context, params: Record<string, string>, server: EndpointServer): Promise<void>;
  /** Whether everybody is refused, since code that it needs is not run. */
  readonly isClosed?: boolean;
}

/** Why a route is closed, because code that it needs or that may guard it is not run; undefined where it is not. */
export type ClosedRoute = (route: ListedRoute) => string | undefined;

export interface EndpointContext {
  readonly closed: ClosedRoute;
  readonly namespaces: Namespaces;
  readonly controllers: Registry<Record<string, unknown>>;
  readonly accounts: Accounts;
  readonly runtime: Pick<RuntimeContext, 'narrowing' | 'views' | 'config'>;
  /** Policies of an action that run before those of its route. */
  readonly gate?: ((action: string) => Middleware | undefined) | undefined;
}

/**
 * Creates the endpoint of a route.
 *
 * @throws MistakeInFile for a missing controller, policy or middleware; LeftOut for code that `config/galley` leaves
 *   out; the errors of loading their code.
 */
export function endpointOf(route: ListedRoute, context: EndpointContext): Endpoint {
  const { written, api } = route;
  const config: RouteConfig = written.config ?? {};
  const [, pluginName] = /^plugin::(.+)$/.exec(route.space) ?? [];
  const owner = pluginName === undefined ? { apiName: api } : { pluginName };
  const info = route.isAtRoot ? { type: 'api' } : { ...owner, type: 'content-api' };
  const { runtime, controllers } = context;
  const action = actionOf(route);
  const leavesOut = action !== undefined && runtime.config.code.serve.includes(action);
  const namespaces = { ...context.namespaces, leavesOut };
  const { policies, middlewares, performing } = inFile(
    route.file,
    trailOf(route),
    () => ({
      policies: policiesOf(config.policies, route.space, namespaces),
      middlewares: middlewaresOf(config.middlewares, route.space, namespaces),
      performing: actionsOf(route, controllers),
    }),
    `the route ${route.method} ${route.path}`,
  );
  const actions = performing.map(
    (act): Middleware =>
      (ctx, next) =>
        runtime.narrowing.answering(viewerOf(runtime, ctx), () => act(ctx, next)),
  );
  const gates = gatesOf(route, context);
  const run = composed([...gates, ...(policies ? [policies] : []), ...middlewares, returning, ...actions]);
  const auth = authOf(route);
  const scopes = scopesOf(route);
  const closed = context.closed(route);
  // the grants of an identified caller lack closed actions
  if (
    closed !== undefined &&
    (action === undefined || config.auth === false || hasStrategies(auth) || !scopes?.includes(action))
  ) {
    return closedEndpoint(route, closed, runtime.config);
  }
  return async (ctx, params, { identify, refused }) => {
    ctx.params = params;
    ctx.request.params = params;
    ctx.state['route'] = { ...written, config: auth === undefined ? config : { ...config, auth }, info };
    // no credentials are any good outside of the API
    if (route.isAtRoot && auth !== false && !hasStrategies(auth))
      return ctx.response.fail(401, 'Missing or invalid credentials');
    if (auth !== false && !(await authenticate(ctx, auth, { identify, accounts: context.accounts }))) return;
    try {
      if (auth !== false && !(await mayCall(ctx, auth, scopes))) {
        const { grants, token } = callingOf(ctx)!.caller;
        for (const scope of scopes ?? []) requireAction(grants, scope);
        const isUnknown = scopes === undefined && token === undefined;
        return isUnknown ? ctx.response.fail(401, 'Unauthorized') : ctx.response.fail(403, 'Forbidden');
      }
      await run(ctx, async () => undefined);
    } catch (error) {
      if (route.tellsRefusals) throw error;
      if (error instanceof UnauthorizedError) return ctx.response.fail(401, 'Unauthorized');
      if (error instanceof PolicyError || !(error instanceof ForbiddenError)) throw error;
      if (error instanceof ContentError) refused(error);
      return ctx.response.fail(403, 'Forbidden');
    }
  };
}

/** The endpoint of a route whose code cannot run: it refuses every caller. The reason is in the log. */
export function closedEndpoint(
  route: Pick<ListedRoute, 'method' | 'path' | 'isAtRoot'>,
  reason: string,
  { rest }: Pick<Config, 'rest'>,
): Endpoint {
  const refuse = async (): Promise<never> => {
    throw forbidden(`${route.method} ${wholePath(route, rest.prefix)} is closed: ${reason}`);
  };
  return Object.assign(refuse, { isClosed: true });
}

/** Makes the result of an action the body, unless the action has set one. */
const returning: Middleware = async (ctx, next) => {
  const value = await next();
  const { response } = ctx;
  if (response.json === undefined && response.body == null && value != null) response.body = value;
};

/** The policies of the action that a route's handler names, shortly or by its uid. */
function gatesOf({ written: { handler }, space }: ListedRoute, { gate }: EndpointContext): Middleware[] {
  if (typeof handler !== 'string') return [];
  const names = [`${space}.${handler.trim()}`, handler.trim()];
  return names.flatMap((action) => gate?.(action) ?? []);
}

/** The keys that lead to a route in its file. */
const trailOf = ({ core, written }: ListedRoute): string[] => (core ? [core.name] : [written.path]);

/** The functions that a route's handler means. @throws Mistake for one that is not there. */
function actionsOf(route: ListedRoute, controllers: Registry<Record<string, unknown>>) {
  const { handler } = route.written;
  if (typeof handler !== 'string') {
    const functions: readonly unknown[] = [handler].flat();
    // a value in the place of a function may be a guard that is missing
    if (functions.every((one) => typeof one === 'function'))
      return (functions as Middleware[]).map(
        (one): Middleware =>
          (ctx, next) =>
            UnitOfWork.call(one, undefined, ctx, next),
      );
    throw new Mistake('handler must be a name, a function, or a list of functions', ['handler']);
  }
  const { name, uids, action } = controllerOf(handler, route);
  const [own, full] = uids;
  const controller = controllers.own(own) ?? controllers.own(full);
  if (typeof controller?.[action] !== 'function') {
    // throws for a controller that config/galley leaves out
    for (const uid of uids) controllers.get(uid);
    const uid = controllers.has(own) ? own : full;
    const { space } = route;
    const short = controllers.uids.map((one) => (one.startsWith(`${space}.`) ? one.slice(space.length + 1) : one));
    const why = controller
      ? `the controller ${uid} has no method ${action}${choices(action, methodsOf(controller))}`
      : `there is no controller ${name}${choices(name, short)}`;
    throw new Mistake(`Handler not found "${handler}": ${why}`, [handler]);
  }
  const perform = async (ctx: Context, next: Next) => {
    // looked up anew for each request: code may replace the actions of a controller
    const method = controller![action] as Middleware;
    const { response } = ctx;
    const isOpen = response.json === undefined && response.body == null;
    const answering = isOpen ? answeringOf(method) : undefined;
    if (answering === undefined) return UnitOfWork.call(method, controller, ctx, next);
    const { json, value } = await answering(ctx, controller!);
    if (json === undefined) return value();
    response.setJson({ json: json() });
    return undefined;
  };
  return [perform];
}
