/** What the members of strapi are for: which of them requests are served with, and what may be done with those. */
import type { AnyNode, Step } from '../reading/syntax.ts';
import { meaningOfPackage } from './packages.ts';
import { CONTEXT, GLOBAL, HOLDER, itemOf, LIST, MAKER, type Meaning, moduleOf, type Path, packageOf } from './path.ts';
import { isInContainer, MEMBERS, MEMBERS_IN_CONTAINER, REGISTRIES } from './reference.ts';
import { CHANGING, model } from './schemas.ts';

/** Members that only read, report, or store data: whatever is done below them. */
const FREE: ReadonlySet<string> = new Set([
  'log',
  'dirs',
  'cron',
  'eventHub',
  'telemetry',
  'requestContext',
  'store',
  'customFields',
  'ai',
  'EE',
  'features',
  'isLoaded',
  'startupLogger',
  'webhookRunner',
  'webhookStore',
  'fetch',
  'fs',
  'ee',
  'reload',
  'stop',
  // what starts and ends the server stands before no request
  ...['add', 'app', 'bootstrap', 'configureGlobalProxy', 'contentAPISchemaRegistry', 'destroy', 'has'],
  ...['internal_config', 'listen', 'load', 'openAdmin', 'postListen', 'register', 'runPluginsLifecycles'],
  ...['runUserLifecycles', 'sendStartupTelemetry', 'start', 'stopWithError'],
]);

/** What many projects add: where socket.io is kept, by its documentation. */
const ADDED = 'io';

/** Plugins that describe the API, or serve it in another way, and are not there: what is told to them has no effect. */
export const MUTE_PLUGINS: readonly string[] = ['graphql', 'documentation'];

/** Plugins that serve nothing here. */
const ELSEWHERE: ReadonlySet<string> = new Set([...MUTE_PLUGINS, 'email', 'content-manager', 'content-type-builder']);

/** Settings that decide what is answered: they are not handed on, since they may be changed there. */
const DECIDING = /^(?:api|middlewares|enabledPlugins|plugin(?:::|\.)(?:users-permissions|upload|i18n))(?!\w)/;
/** Those of them that are strings, which cannot be changed. */
const TEXTS = /\.(?:jwtSecret|prefix|maxLimit|defaultLimit|sizeLimit|expiresIn)$/;

const OF_ENTITY_SERVICE: ReadonlySet<string> = new Set([
  'findMany',
  'findOne',
  'findPage',
  'create',
  'update',
  'delete',
  'deleteMany',
  'count',
  'load',
  'loadPages',
  'clone',
]);

/** What of the connection to the database reports statements to others, or intercepts them. */
const WATCHING: ReadonlySet<Step> = new Set(['on', 'once', 'addListener', 'prependListener', 'emit', 'removeListener']);

const OF_HTTP_SERVER: ReadonlySet<Step> = new Set([
  'address',
  'close',
  'headersTimeout',
  'keepAliveTimeout',
  'listening',
  'maxConnections',
  'ref',
  'requestTimeout',
  'setTimeout',
  'timeout',
  'unref',
]);
const EVENTS_OF_HTTP_SERVER: ReadonlySet<string> = new Set(['clientError', 'close', 'error', 'listening', 'upgrade']);

/** What else plugins and APIs have of Strapi. */
const OF_MODULES: ReadonlySet<string> = new Set([
  'bootstrap',
  'destroy',
  'load',
  'middleware',
  'middlewares',
  'policies',
  'policy',
  'register',
  'routes',
]);

const isCall = (step: Step): step is { readonly call: readonly AnyNode[] } => typeof step === 'object';

/** Methods that every object has hand it on, or change it. */
const isOwnMethod = (step: Step): boolean => typeof step === 'string' && !(step in Object.prototype);

/** Whether a member of strapi is one that a project may add for itself. */
export const isAddable = (name: string): boolean => !MEMBERS.has(name) && !(name in Object.prototype);

/** The text that a call is given first; undefined for anything else. */
export type TextOf = (node: AnyNode | undefined) => string | undefined;

/** What the value at the end of a path from strapi is. `own` are members that the project itself has added. */
export function meaningOf(whole: Path, text: TextOf, own: ReadonlySet<string>): Meaning {
  const path = itemOf(whole);
  // a method of a list that is not called there
  if (path.includes(LIST)) return path.at(-1) === 'length' ? 'read' : 'unclear';
  const [first, second, third, ...rest] = path;
  const argument = isCall(second) ? text(second.call[0]) : undefined;
  const beyond = path.slice(2);
  if (first === undefined) return path.length === 0 ? 'shared' : 'unclear';
  if (isCall(first)) return 'unclear';
  // the holder has nothing else; the global object has much, and strapi only under that name
  if (first === HOLDER) return path.length === 1 ? 'shared' : second === undefined ? 'unclear' : 'free';
  if (first === GLOBAL) {
    if (path.length === 1) return 'shared';
    return second === undefined || second === 'eval' || second === 'Function' ? 'unclear' : 'free';
  }
  if (first === MAKER || moduleOf(path) !== undefined) return path.length === 1 ? 'shared' : 'unclear';
  if (packageOf(path) !== undefined) return meaningOfPackage(path);
  if (first === 'requestContext' && path.includes('app')) return 'unclear';
  if (first === CONTEXT) return 'free';
  // what strapi does not have is nothing, or what the project itself keeps there
  if (FREE.has(first) || first === ADDED || own.has(first) || isAddable(first)) return 'free';
  switch (first) {
    case 'config':
      if (path.length === 1) return 'shared';
      if (second === 'has') return 'free';
      if (second === 'set') return isCall(third) && isOwnSetting(text(third.call[0])) ? 'free' : 'unclear';
      if (second !== 'get') return typeof second === 'string' ? settings(second, beyond) : 'unclear';
      return isCall(third) ? settings(text(third.call[0]), rest) : 'unclear';
    case 'documents':
    case 'query':
    case 'service':
    case 'controller':
    case 'policy':
    case 'middleware':
      return path.length === 1 ? 'shared' : isCall(second) ? methods(beyond) : 'unclear';
    case 'services':
    case 'controllers':
    case 'policies':
    case 'middlewares':
      return path.length === 1 ? 'shared' : typeof second === 'string' ? methods(beyond) : 'unclear';
    case 'getModel':
    case 'contentType':
      return path.length === 1 ? 'shared' : isCall(second) ? model(beyond) : 'unclear';
    case 'contentTypes':
    case 'components':
      return modelsBelow(path.slice(1));
    case 'entityService':
      if (path.length === 1) return 'shared';
      return typeof second === 'string' && OF_ENTITY_SERVICE.has(second) ? methods(path.slice(1)) : 'unclear';
    case 'contentAPI':
      // which actions there are
      if (second === 'permissions' && (third === 'getActionsMap' || third === 'providers')) return methods(beyond);
      if (second === 'addQueryParams' || second === 'addInputParams' || second === 'getRoutesMap')
        return methods(path.slice(1));
      if (second !== 'sanitize' && second !== 'validate') return path.length === 1 ? 'shared' : 'unclear';
      return methods(beyond);
    case 'db':
      return path.length === 1 ? 'shared' : database(path.slice(1));
    case 'server':
      if (path.length === 1) return 'shared';
      if (second === 'app' && (third === 'env' || third === 'emit')) return 'free';
      if (second === 'listRoutes') return 'free';
      return second === 'httpServer' ? httpServer(beyond, text) : 'unclear';
    case 'plugin':
      if (path.length === 1) return 'shared';
      return isCall(second) ? plugin(argument, beyond, text) : 'unclear';
    case 'plugins':
    case 'api':
    case 'apis':
      if (path.length === 1) return 'shared';
      if (isCall(second)) return first === 'api' ? plugin(argument, beyond, text) : 'unclear';
      return second === undefined ? 'unclear' : plugin(second, beyond, text);
    case 'auth':
      if (path.length === 1) return 'shared';
      return second === 'verify' || second === 'authenticate' ? methods(path.slice(1)) : 'unclear';
    case 'sessionManager':
      if (path.length === 1) return 'shared';
      // what is known of an origin decides who is let in
      return isCall(second) ? methods(beyond) : second === 'defineOrigin' ? 'unclear' : 'free';
    case 'entityValidator':
      return methods(path.slice(1));
    case 'hook':
      // handlers of it may change schemas
      return path.length === 1 ? 'shared' : isCall(second) ? handlers(beyond) : 'unclear';
    case 'hooks':
      return path.length === 1 ? 'shared' : handlers(beyond);
    case 'sanitizers':
    case 'validators':
      if (path.length === 1) return 'shared';
      if (second === 'has') return 'free';
      // a list, of which the reference goes through the items
      return second === 'get' ? (isCall(third) ? items(rest) : 'shared') : 'unclear';
    case 'registerMap':
    case 'serviceMap':
      if (path.length === 1) return 'shared';
      return second === 'has' || second === 'keys' || second === 'size' ? 'free' : 'unclear';
    case 'admin':
      return path.length === 1 ? 'shared' : plugin(undefined, path.slice(1), text);
    case 'get':
      if (path.length === 1) return 'shared';
      return argument === undefined ? 'unclear' : contained(argument, beyond, (inner) => meaningOf(inner, text, own));
    default:
      return path.length === 1 ? 'shared' : 'unclear';
  }
}

/** What `strapi.get` gives: a member under its name, a registry of such, or what a project has added. */
function contained(name: string, steps: Path, meaning: (path: Path) => Meaning): Meaning {
  const [first, second, ...rest] = steps;
  if (REGISTRIES.has(name) && (first === 'get' || first === 'getAll' || first === 'keys')) {
    if (first === 'keys') return 'free';
    if (!isCall(second)) return 'shared';
    // one by its uid, all by their uids
    const member = MEMBERS_IN_CONTAINER[name]!;
    return meaning([member, ...(first === 'get' ? [second.call.length > 0 ? 'one' : undefined] : []), ...rest]);
  }
  if (REGISTRIES.has(name)) return steps.length === 0 ? 'shared' : meaning([MEMBERS_IN_CONTAINER[name]!, ...steps]);
  if (Object.hasOwn(MEMBERS_IN_CONTAINER, name)) return meaning([MEMBERS_IN_CONTAINER[name]!, ...steps]);
  if (name === 'query-params') return methods(steps);
  if (name === 'models') return first === 'get' ? (isCall(second) ? model(rest) : 'shared') : 'unclear';
  return isInContainer(name) ? 'unclear' : 'free';
}

/** Steps below a hook: what is registered there is called. */
const handlers = (steps: Path): Meaning =>
  steps.length === 0 ? 'shared' : steps[0] === 'getHandlers' || steps[0] === 'call' ? 'free' : 'unclear';

/** Steps below a list that may not be changed. */
function items(steps: Path): Meaning {
  if (steps.length === 0) return 'schema';
  return steps.some((step) => CHANGING.has(step)) ? 'unclear' : 'free';
}

/** Whether a setting decides nothing about what is answered. */
const isOwnSetting = (key: string | undefined): boolean => key !== undefined && !DECIDING.test(key);

/** Steps below an object whose methods may be called, and what they give used. */
function methods(steps: Path): Meaning {
  const called = steps.findIndex(isCall);
  const names = called < 0 ? steps : steps.slice(0, called);
  if (!names.every(isOwnMethod)) return 'unclear';
  if (called < 0) {
    // a method on its own leads no way back to the object
    return names.length === 1 ? 'read' : 'shared';
  }
  return called === 0 ? 'unclear' : 'free';
}

/** Steps below an object that has a schema under each name. */
function modelsBelow(steps: Path): Meaning {
  const [name, next] = steps;
  if (isCall(next)) return name === 'hasOwnProperty' ? 'free' : 'unclear';
  return isCall(name) ? 'unclear' : model(steps.slice(1));
}

function settings(key: string | undefined, steps: Path): Meaning {
  if (steps.some((step) => CHANGING.has(step))) return 'unclear';
  const names = steps.filter((step) => typeof step === 'string');
  const whole = [key, ...names].join('.');
  if (key !== undefined && (!DECIDING.test(whole) || TEXTS.test(whole))) return 'read';
  return steps.some(isCall) ? 'free' : 'shared';
}

function database(steps: Path): Meaning {
  const [first, second] = steps;
  switch (first) {
    case 'query':
      return isCall(second) ? methods(steps.slice(2)) : 'shared';
    case 'queryBuilder':
    case 'transaction':
    case 'inTransaction':
    case 'getSchemaConnection':
    case 'getSchemaName':
      return isCall(second) ? 'free' : 'shared';
    case 'entityManager':
      if (second === 'getRepository') return isCall(steps[2]) ? methods(steps.slice(3)) : 'shared';
      return steps.length === 1 ? 'shared' : methods(steps.slice(1));
    case 'destroy':
    case 'getInfo':
    case 'init':
    case 'logger':
    case 'migrations':
    case 'repair':
    case 'schema':
      return 'free';
    case 'dialect':
      return 'read';
    case 'connection':
    case 'getConnection':
      if (steps.some((step) => WATCHING.has(step))) return 'unclear';
      if (steps.includes('client') && steps.includes('config')) return 'read';
      // a query of its own is data, the connection itself is not
      return steps.slice(first === 'connection' ? 1 : 2).some(isCall) ? 'free' : 'shared';
    case 'metadata':
      if (second === undefined) return steps.length === 1 ? 'schema' : 'unclear';
      if (second === 'has') return 'free';
      return second === 'get' ? (isCall(steps[2]) ? model(steps.slice(3)) : 'schema') : 'unclear';
    case 'config':
      return 'read';
    default:
      return steps.length === 1 && first !== undefined ? 'shared' : 'unclear';
  }
}

function httpServer(steps: Path, text: TextOf): Meaning {
  const [first, second] = steps;
  if (steps.length === 0) return 'shared';
  if (OF_HTTP_SERVER.has(first)) return 'free';
  if (first !== 'on' && first !== 'once') return 'unclear';
  if (!isCall(second)) return steps.length === 1 ? 'shared' : 'unclear';
  return EVENTS_OF_HTTP_SERVER.has(text(second.call[0]) ?? '') ? 'free' : 'unclear';
}

/** Steps below a plugin, an API, or the admin panel's part of the server. */
function plugin(name: string | undefined, steps: Path, text: TextOf): Meaning {
  const [first, second] = steps;
  if (name !== undefined && ELSEWHERE.has(name)) return 'free';
  switch (first) {
    case undefined:
      return steps.length === 0 ? 'shared' : 'unclear';
    case 'service':
    case 'controller':
      return steps.length === 1 ? 'shared' : isCall(second) ? methods(steps.slice(2)) : 'unclear';
    case 'services':
    case 'controllers':
      return steps.length === 1 ? 'shared' : typeof second === 'string' ? methods(steps.slice(2)) : 'unclear';
    case 'contentType':
      return steps.length === 1 ? 'shared' : isCall(second) ? model(steps.slice(2)) : 'unclear';
    case 'contentTypes':
      return modelsBelow(steps.slice(1));
    case 'config':
      if (!isCall(second)) return steps.length === 1 ? 'shared' : 'unclear';
      return name === undefined ? 'shared' : settings(`plugin::${name}.${text(second.call[0]) ?? ''}`, steps.slice(2));
    default:
      // what a plugin keeps at itself
      return first === undefined || isCall(first) || OF_MODULES.has(first) ? 'unclear' : 'free';
  }
}
