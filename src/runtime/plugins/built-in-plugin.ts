/**
 * A built-in plugin as `src/extensions/<plugin>/strapi-server` receives it: actions that it may replace and call, and
 * routes that it may add, change and remove. The server answers unchanged routes.
 */
import { BUILT_IN_ACTIONS } from '../../access/actions.ts';
import type { Lifecycles, Subscriber } from '../documents/lifecycles.ts';
import { guarded, unsupported } from '../guarded.ts';
import type { Registry } from '../registry.ts';
import { authViewer } from '../requests/auth.ts';
import { answeredInside, callingOf } from '../requests/context.ts';
import { type ListedRoute, listed, type WrittenRoute } from '../requests/routes.ts';
import { HttpError } from '../requests/strapi-errors.ts';
import type { Schema } from '../schemas/schemas.ts';
import { type Action, type Actions, uploadActions } from './upload-actions.ts';

/** The parts of a plugin that do not follow from its routes. */
interface Kind {
  /** Controllers that are functions which give their actions. */
  readonly factories: readonly string[];
  /** Controllers of the panel, which code may wrap and which are never called. */
  readonly ofPanel: readonly string[];
  /** Actions that a route does not have for itself, of those of a controller. */
  readonly others?: (controller: string, actions: Actions) => Actions;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'users-permissions': { factories: ['auth'], ofPanel: ['contentmanageruser', 'settings'] },
  upload: {
    factories: ['content-api'],
    ofPanel: [
      'admin-file',
      'admin-folder',
      'admin-folder-file',
      'admin-settings',
      'admin-upload',
      'view-configuration',
    ],
    others: (_controller, actions) => uploadActions(actions['upload']!),
  },
};

/** A plugin as its extension may change it. */
export interface ExtensiblePlugin {
  readonly controllers: Record<string, unknown>;
  readonly routes: Record<string, unknown>;
  readonly register: unknown;
  readonly bootstrap: unknown;
  readonly destroy: unknown;
  readonly services?: Record<string, unknown>;
  readonly policies?: Record<string, unknown>;
  readonly middlewares?: Record<string, unknown>;
}

/** The parts of the plugin that code may replace. */
const CHANGEABLE = [
  ...['controllers', 'routes', 'services', 'policies', 'middlewares'],
  ...['register', 'bootstrap', 'destroy'],
];

/** The members of `strapi.plugin`. */
export interface PluginObject {
  readonly services: Readonly<Record<string, object>>;
  readonly contentTypes: Readonly<Record<string, Schema>>;
}

/** A type of a plugin as its extension may change it. */
export interface ExtensibleType {
  schema: Schema;
  lifecycles?: Subscriber;
}

/** A route of the plugin, with whether code answers it. */
export interface PluginRoute {
  readonly route: ListedRoute;
  readonly isOwn: boolean;
}

/** The routes of a plugin after code has changed them. */
export interface LeftRoutes {
  readonly routes: readonly PluginRoute[];
  /** Those of the server that code has taken away: `GET /users/count`. */
  readonly withdrawn: readonly string[];
}

/**
 * An action of the server, which code calls by `strapi.controller` and in extensions.
 *
 * @throws HttpError for an answer that is an error; Unsupported where code has changed who its caller is.
 */
export function builtIn(method: string, path: string): Action {
  return async (ctx) => {
    const calling = callingOf(ctx);
    if (calling && authViewer(ctx.state['auth']) !== calling.viewer) unsupported(`ctx.state.auth changed for ${path}`);
    const at = path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(ctx.params[name] ?? ''));
    await answeredInside(ctx, { method, path: at, pattern: path });
    const { status, body } = ctx.response;
    if (status < 400) return;
    const { name, message, details } = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
    ctx.response.body = null;
    throw new HttpError(status, String(message ?? ''), { name, details });
  };
}

export interface BuiltInPluginParts {
  /** The plugin as `strapi.plugin` gives it. */
  readonly object: PluginObject;
  /** Its services as the extension gets them, and its middlewares. */
  readonly services: Readonly<Record<string, unknown>>;
  readonly middlewares: Readonly<Record<string, unknown>>;
}

export class BuiltInPlugin {
  readonly name: string;
  /** The server's own, by controller. */
  readonly #actions = new Map<string, Actions>();
  readonly #routes: readonly WrittenRoute[];
  /** Types of the plugin, to whose schemas and lifecycles the extension may add. */
  readonly #types: Readonly<Record<string, ExtensibleType>>;
  readonly #schemas: Readonly<Record<string, Schema>>;
  /** The object that code receives and may change. */
  readonly plugin: ExtensiblePlugin;

  constructor(name: string, { object: { contentTypes }, services, middlewares }: BuiltInPluginParts) {
    this.name = name;
    const kind = KINDS[name] ?? unsupported(`an extension of the plugin ${name}`);
    const { factories, ofPanel, others } = kind;
    const routes: WrittenRoute[] = [];
    for (const { action, method, path } of BUILT_IN_ACTIONS) {
      if (!action.startsWith(`${this.#space}.`)) continue;
      const handler = action.slice(this.#space.length + 1);
      const [controller, own] = handler.split('.') as [string, string];
      const actions = this.#actions.get(controller) ?? {};
      this.#actions.set(controller, actions);
      actions[own] = builtIn(method, path);
      const isBelow = `${path}/`.startsWith(`/${name}/`);
      const short = isBelow ? path.slice(name.length + 1) || '/' : path;
      routes.push({
        method,
        path: short,
        handler,
        config: { ...(isBelow ? {} : { prefix: '' }), ...NOTHING_BEFORE() },
      });
    }
    for (const [controller, actions] of this.#actions) Object.assign(actions, others?.(controller, actions));
    this.#routes = routes.map((route) => ({ ...route, config: { ...route.config, ...NOTHING_BEFORE() } }));
    const controllerOf = (controller: string, actions: Actions): unknown =>
      factories.includes(controller) ? () => ({ ...actions }) : { ...actions };
    const controllers = Object.fromEntries([
      ...[...this.#actions].map(([controller, actions]) => [controller, controllerOf(controller, actions)]),
      ...ofPanel.map((controller) => [controller, name === 'upload' ? () => ({}) : {}]),
    ]);
    const content = Object.assign(() => ({ type: 'content-api', routes: content.routes }), { routes });
    this.#schemas = { ...contentTypes };
    this.#types = Object.fromEntries(Object.entries(this.#schemas).map(([type, schema]) => [type, { schema }]));
    const step = async (): Promise<void> => {};
    const plugin = {
      controllers,
      routes: { 'content-api': content, admin: { type: 'admin', routes: [] } },
      services: { ...services },
      policies: {},
      middlewares: { ...middlewares },
      contentTypes: this.#types,
      config: {},
      ...{ register: step, bootstrap: step, destroy: step },
    };
    this.plugin = guarded(`the plugin ${name}`, plugin, { changeable: CHANGEABLE });
  }

  get #space(): string {
    return `plugin::${this.name}`;
  }

  /** Schemas that the extension has put in the place of others, by uid. */
  get replaced(): readonly (readonly [uid: string, schema: Schema])[] {
    return Object.entries(this.#types)
      .filter(([type, { schema }]) => schema !== this.#schemas[type])
      .map(([type, { schema }]) => [`${this.#space}.${type}`, schema]);
  }

  /** Adds the lifecycles of the extension for the plugin's types. */
  addLifecycles(lifecycles: Lifecycles): void {
    for (const [name, { lifecycles: own }] of Object.entries(this.#types)) {
      if (own !== undefined) lifecycles.addType(`${this.#space}.${name}`, own);
    }
  }

  /**
   * The routes after code has changed them, in order. A route of code that precedes a route of the server with the same
   * requests takes them.
   *
   * @param extended the plugin that the extension returned.
   * @param controllers those of the plugin by their uids.
   * @throws UsageError for an invalid route.
   */
  routes(extended: ExtensiblePlugin, controllers: Registry<Record<string, unknown>>): LeftRoutes {
    const content = extended.routes['content-api'];
    const router = (typeof content === 'function' ? content() : content) as { routes: WrittenRoute[] };
    const prefix = `/${this.name}`;
    const place = { api: '', path: `src/extensions/${this.name}`, space: this.#space };
    const converted = router.routes.map((written): PluginRoute => {
      const route = listed(written, prefix, place);
      const original = this.#routes.find((one) => isSame(one, written));
      return { route, isOwn: !original || this.#isChanged(String(original.handler), controllers) };
    });
    const routes = converted.map(({ route, isOwn }, index) => {
      const before = ({ route: other }: PluginRoute): boolean =>
        other.method === route.method && other.path !== route.path && route.pattern.match(other.path) !== undefined;
      const isTaken = isOwn || converted.slice(index + 1).some(before);
      return { route: isTaken ? route : { ...route, ofServer: true as const }, isOwn: isTaken };
    });
    const removed = this.#routes.filter(
      ({ method, path }) => !router.routes.some((one) => one.method === method && one.path === path),
    );
    return { routes, withdrawn: removed.map((written) => `${written.method} ${listed(written, prefix, place).path}`) };
  }

  /** Whether code has changed an action, or one of its controller that no route has, which it may call. */
  #isChanged(handler: string, controllers: Registry<Record<string, unknown>>): boolean {
    const [controller = '', name = ''] = handler.split('.');
    const actions = this.#actions.get(controller) ?? {};
    const routed = new Set(this.#routes.map((route) => route.handler));
    const inner = Object.keys(actions).filter((one) => !routed.has(`${controller}.${one}`));
    const own = controllers.get(`${this.#space}.${controller}`);
    return [name, ...inner].some((one) => own?.[one] !== actions[one]);
  }
}

const NOTHING_BEFORE = () => ({ policies: [], middlewares: [] });

function isSame(one: WrittenRoute, other: WrittenRoute): boolean {
  const shape = ({ method, path, handler, config = {} }: WrittenRoute) => [method, path, handler, config];
  return typeof other.handler === 'string' && JSON.stringify(shape(one)) === JSON.stringify(shape(other));
}

/** The value that the extension of a plugin must return. @throws Unsupported for anything else. */
export function requirePlugin(name: string, extended: unknown): ExtensiblePlugin {
  const isPlugin =
    typeof extended === 'object' && extended !== null && 'controllers' in extended && 'routes' in extended;
  return isPlugin
    ? (extended as ExtensiblePlugin)
    : unsupported(`an extension of ${name} that does not return the plugin`);
}
