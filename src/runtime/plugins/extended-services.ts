/**
 * Services of built-in plugins as `src/extensions/<plugin>/strapi-server` has left them. Where the server would bypass a
 * changed service that the reference calls, the actions that call it are closed.
 */
import { BUILT_IN_ACTIONS, grantableActions } from '../../access/actions.ts';
import type { CodeConfig } from '../../config/config.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { isPlain } from '../documents/plain-params.ts';
import { guarded, unsupported } from '../guarded.ts';
import { MISSING } from '../members/members.ts';

type Members = Record<string, unknown>;

/** The actions of a plugin in which the reference calls a member of a service; `all`: every request does. */
type Callers = readonly string[] | 'all';

/** Services that the reference calls for every request; those of `extensions` sign addresses wherever documents are read. */
const CALLED_ALWAYS: ReadonlySet<string> = new Set(['users-permissions.permission', 'upload.extensions']);

/** The members of a service that the reference calls, with the actions that do; `*` stands for any other member. */
function callersOf(plugin: string, service: string): ReadonlyMap<string, Callers> {
  if (CALLED_ALWAYS.has(`${plugin}.${service}`)) return new Map([['*', 'all']]);
  const callers = new Map<string, string[]>();
  for (const { action, calls } of BUILT_IN_ACTIONS) {
    if (!action.startsWith(`plugin::${plugin}.`)) continue;
    for (const call of calls) {
      const [owner, member = ''] = call.split('.');
      if (owner === service) callers.set(member, [...(callers.get(member) ?? []), action]);
    }
  }
  return callers;
}

interface Changed {
  /** The file. */
  readonly path: string;
  readonly service: unknown;
  /** The same for code, which may not put other methods in the place of those that were looked at. */
  readonly shown: unknown;
  /** The plugin's own members. */
  readonly own: Members;
  /** Names of the members that are not those of the plugin. */
  readonly members: ReadonlySet<string>;
}

export class ExtendedServices {
  readonly #tools: () => object;
  readonly #changed = new Map<string, Changed>();

  /** @param tools the argument of services: `{ strapi }`. */
  constructor(tools: () => object) {
    this.#tools = tools;
  }

  /** The services of a plugin as its extension gets them: functions that make them. */
  factories(plugin: string, own: Readonly<Record<string, object>>): Members {
    const lacking = MISSING[`strapi.plugin('${plugin}').services`] ?? new Set();
    const missing = (name: string) => () => guarded(`strapi.plugin('${plugin}').service('${name}')`, {});
    return Object.fromEntries([
      ...[...lacking].map((name) => [name, missing(name)]),
      ...Object.keys(own).flatMap((name) => (lacking.has(name) ? [] : [[name, () => ({ ...own[name] })]])),
    ]);
  }

  /** Receives the services of the extension. @throws the errors of their creation. */
  take(plugin: string, path: string, members: Members, { services = {} }: { readonly services?: Members }): void {
    for (const name of new Set([...Object.keys(members), ...Object.keys(services)])) {
      const [before, after] = [members[name], services[name]];
      if (before === after) continue;
      const own = membersOf(typeof before === 'function' ? (before as () => unknown)() : undefined);
      const service: unknown = typeof after === 'function' ? after(this.#tools()) : after;
      const changed = differing(own, service);
      // a service that is not an object, or that Galley lacks, counts as changed
      const isKnown = isPlain(service) && Object.keys(own).length > 0;
      this.#changed.set(`${plugin}.${name}`, {
        path,
        service,
        own,
        shown: withFixedMethods(`strapi.plugin('${plugin}').service('${name}')`, service),
        members: new Set(isKnown ? changed : [...changed, '*']),
      });
    }
  }

  get areChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** A service that an extension has put in the place of the plugin's own. */
  get(plugin: string, name: string): Members | undefined {
    return this.#changed.get(`${plugin}.${name}`)?.shown as Members | undefined;
  }

  /** Names of those services of a plugin. */
  names(plugin: string): string[] {
    return [...this.#changed.keys()]
      .filter((key) => key.startsWith(`${plugin}.`))
      .map((key) => key.slice(plugin.length + 1));
  }

  /**
   * The service whose member is the extension's; undefined if it is the plugin's own. It is checked each time, since an
   * extension may change its service at any moment.
   */
  overriding(plugin: string, name: string, member: string): Members | undefined {
    const changed = this.#changed.get(`${plugin}.${name}`);
    if (!changed) return undefined;
    const { service, own, members } = changed;
    return members.has(member) || differing(own, service).includes(member) ? (service as Members) : undefined;
  }

  /** Why everything is closed; undefined where it is not. */
  get closesAll(): string | undefined {
    const [first] = this.#bypassed().filter(({ actions }) => actions === 'all');
    return first?.reason;
  }

  /** The actions that would call changed members, with why they are closed. */
  closed(catalog: Catalog, { serve }: Pick<CodeConfig, 'serve'>): Map<string, string> {
    const closed = new Map<string, string>();
    for (const { actions, reason } of this.#bypassed()) {
      for (const action of actions === 'all' ? grantableActions(catalog, []) : actions) {
        if (!serve.includes(action)) closed.set(action, reason);
      }
    }
    return closed;
  }

  /** The messages at start about closed actions, one for each change. */
  messages(catalog: Catalog, code: Pick<CodeConfig, 'serve'>): string[] {
    const byReason = new Map<string, string[]>();
    for (const [action, reason] of this.closed(catalog, code)) {
      byReason.set(reason, [...(byReason.get(reason) ?? []), action]);
    }
    return [...byReason].map(([why, actions]) => {
      const all = this.closesAll === why;
      return `${all ? 'Every action' : actions.join(', ')} closed (403 to everyone): ${why}`;
    });
  }

  #bypassed(): { readonly actions: Callers; readonly reason: string }[] {
    return [...this.#changed].flatMap(([key, { path, service, own, members: taken }]) => {
      const members = new Set([...taken, ...differing(own, service)]);
      const [plugin, name] = [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)];
      const callers = callersOf(plugin!, name!);
      // a service of unknown state may have changed any of them
      const names = members.has('*') ? [...callers.keys()] : [...members];
      return names.flatMap((member) => {
        const actions = callers.get(member) ?? callers.get('*');
        const reason = `change of services.${name}.${member} (${path}), which the server does not call; config/galley can open it`;
        return actions === undefined ? [] : [{ actions, reason }];
      });
    });
  }
}

const membersOf = (service: unknown): Members => (isPlain(service) ? { ...service } : {});

/** Names of the members of a service that are not the plugin's own, including removed ones. */
function differing(own: Members, service: unknown): string[] {
  const members = membersOf(service);
  return [...new Set([...Object.keys(own), ...Object.keys(members)])].filter((name) => own[name] !== members[name]);
}

/** An object whose methods cannot be changed. */
function withFixedMethods(name: string, service: unknown): unknown {
  if (typeof service !== 'object' || service === null) return service;
  const requireFree = (target: object, key: PropertyKey): void => {
    if (typeof Reflect.get(target, key) === 'function') unsupported(`a change of ${name}.${String(key)}`);
  };
  return new Proxy(service, {
    set(target, key, value) {
      requireFree(target, key);
      return Reflect.set(target, key, value);
    },
    defineProperty(target, key, descriptor) {
      requireFree(target, key);
      return Reflect.defineProperty(target, key, descriptor);
    },
    deleteProperty(target, key) {
      requireFree(target, key);
      return Reflect.deleteProperty(target, key);
    },
    setPrototypeOf: () => unsupported(`a change of ${name}`),
  });
}
