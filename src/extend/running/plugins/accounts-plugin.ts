/**
 * The plugin `users-permissions` as `src/extensions/users-permissions/strapi-server` gets it: its actions, which it may
 * replace and call, and its routes, which it may add to, change and take away. What it leaves as it is the server answers.
 */
import { BUILT_IN_ROUTES } from '../../actions.ts';
import type { Registry } from '../registry.ts';
import { answeredInside, type Context } from '../requests/context.ts';
import type { Middleware } from '../requests/policies.ts';
import { type ListedRoute, listed, type WrittenRoute } from '../requests/routes.ts';
import { HttpError } from '../requests/strapi-errors.ts';
import { guarded, unchangeable, unsupported } from '../strapi/guarded.ts';

export const ACCOUNTS = 'users-permissions';
const SPACE = `plugin::${ACCOUNTS}`;

type Action = (ctx: Context) => Promise<void>;
type Actions = Record<string, Action>;

/** A plugin as its extension may change it. */
export interface ExtensiblePlugin {
  readonly controllers: Record<string, unknown>;
  readonly routes: Record<string, unknown>;
  readonly register: unknown;
  readonly bootstrap: unknown;
  readonly destroy: unknown;
}

/** What of the plugin code may put something else in the place of. */
const CHANGEABLE = ['controllers', 'routes', 'register', 'bootstrap', 'destroy'];

/** A route of the plugin, with whether code answers it. */
export interface PluginRoute {
  readonly route: ListedRoute;
  readonly isOwn: boolean;
}

/** An action of the server's own, asked for by code. @throws HttpError for an answer that is an error. */
function builtIn(method: string, path: string): Action {
  return async (ctx) => {
    const at = path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(ctx.params[name] ?? ''));
    await answeredInside(ctx, { method, path: at });
    const { status, body } = ctx.response;
    if (status < 400) return;
    const { name, message, details } = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
    ctx.response.body = null;
    throw new HttpError(status, String(message ?? ''), { name, details });
  };
}

export class AccountsPlugin {
  readonly #actions = new Map<string, Actions>();
  readonly #routes: readonly WrittenRoute[];
  /** What code gets and may change. */
  readonly plugin: ExtensiblePlugin;

  constructor(services: object, contentTypes: object) {
    const routes: WrittenRoute[] = [];
    for (const { action, method, path } of BUILT_IN_ROUTES) {
      const [, controller, name] = /^plugin::users-permissions\.(\w+)\.(\w+)$/.exec(action) ?? [];
      if (controller === undefined || name === undefined) continue;
      const actions = this.#actions.get(controller) ?? {};
      this.#actions.set(controller, actions);
      actions[name] = builtIn(method, path);
      const isOutside = !path.startsWith(`/${ACCOUNTS}/`);
      const short = isOutside ? path : path.slice(ACCOUNTS.length + 1);
      routes.push({
        method,
        path: short,
        handler: `${controller}.${name}`,
        config: { ...(isOutside ? { prefix: '' } : {}), ...NOTHING_BEFORE() },
      });
    }
    this.#routes = routes.map((route) => ({ ...route, config: { ...route.config, ...NOTHING_BEFORE() } }));
    const controllers = Object.fromEntries([...this.#actions].map(([name, actions]) => [name, { ...actions }]));
    const content = Object.assign(() => ({ type: 'content-api', routes: content.routes }), { routes });
    const step = async (): Promise<void> => {};
    const plugin = {
      controllers: { ...controllers, auth: () => ({ ...controllers['auth'] }), contentmanageruser: {}, settings: {} },
      routes: { 'content-api': content, admin: { type: 'admin', routes: [] } },
      services,
      contentTypes: unchangeable(`${SPACE} contentTypes`, contentTypes),
      config: {},
      ...{ register: step, bootstrap: step, destroy: step },
    };
    this.plugin = guarded(`the plugin ${ACCOUNTS}`, plugin, { changeable: CHANGEABLE });
  }

  /**
   * The routes as code has left them, in their order.
   *
   * @param extended what the extension gave back.
   * @param controllers takes the plugin's controllers by their uids.
   * @throws UsageError for a route that is none.
   */
  routes(extended: ExtensiblePlugin, controllers: Registry<Record<string, unknown>>): PluginRoute[] {
    for (const [name, controller] of Object.entries(extended.controllers)) {
      controllers.set(`${SPACE}.${name}`, controller);
    }
    const content = extended.routes['content-api'];
    const router = (typeof content === 'function' ? content() : content) as { routes: WrittenRoute[] };
    const place = { api: '', path: `src/extensions/${ACCOUNTS}`, space: SPACE };
    const made = router.routes.map((written): PluginRoute => {
      const route = listed(written, `/${ACCOUNTS}`, place);
      const original = this.#routes.find((one) => isSame(one, written));
      return { route, isOwn: !original || this.#isChanged(String(original.handler), controllers) };
    });
    const gone = this.#routes.filter(
      ({ method, path }) => !router.routes.some((one) => one.method === method && one.path === path),
    );
    const closed = gone.map((written) => ({
      route: listed(
        { ...written, handler: notThere, config: { ...written.config, auth: false } },
        `/${ACCOUNTS}`,
        place,
      ),
      isOwn: true,
    }));
    return [...made, ...closed];
  }

  #isChanged(handler: string, controllers: Registry<Record<string, unknown>>): boolean {
    const [controller = '', name = ''] = handler.split('.');
    return controllers.get(`${SPACE}.${controller}`)?.[name] !== this.#actions.get(controller)?.[name];
  }
}

const NOTHING_BEFORE = () => ({ policies: [], middlewares: [] });

const notThere: Middleware = (ctx) => ctx.response.fail(404, 'Not Found');

function isSame(one: WrittenRoute, other: WrittenRoute): boolean {
  const shape = ({ method, path, handler, config = {} }: WrittenRoute) => [method, path, handler, config];
  return typeof other.handler === 'string' && JSON.stringify(shape(one)) === JSON.stringify(shape(other));
}

/** What an extension has to give back. @throws Unsupported for anything else. */
export function requirePlugin(extended: unknown): ExtensiblePlugin {
  const isPlugin =
    typeof extended === 'object' && extended !== null && 'controllers' in extended && 'routes' in extended;
  return isPlugin
    ? (extended as ExtensiblePlugin)
    : unsupported(`an extension of ${ACCOUNTS} that does not return the plugin`);
}
