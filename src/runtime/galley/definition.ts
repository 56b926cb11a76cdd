/** The exports of `src/galley` → a definition whose names are those of the Catalog. */
import { coreNames, ownRoutesOf } from '../../access/actions.ts';
import { ACCESS_ACTIONS } from '../../access/grants.ts';
import type { AccessRules, TypeAccess, TypeRules } from '../../access/rules/access-rules.ts';
import { Mistake, within } from '../../errors.ts';
import { choices } from '../../nearest.ts';
import type { RawObject } from '../../query/params.ts';
import { rawParams } from '../../query/plain.ts';
import { type Catalog, type ContentType, FILE_UID, LOCALE_UID, ROLE_UID, USER_UID } from '../../schema/catalog.ts';
import { isPlain, plainFilters } from '../documents/plain-params.ts';
import { pathPattern } from '../requests/path-pattern.ts';
import type { Hooks, Job, OwnRoute, Policy } from './extension-types.ts';

/** A definition, checked. */
export interface Definition {
  /** By uid, or `*`. */
  readonly hooks: ReadonlyMap<string, Hooks>;
  readonly routes: readonly OwnRoute[];
  /** By action, such as `api::article.article.find`. */
  readonly policies: ReadonlyMap<string, readonly Policy[]>;
  readonly access: AccessRules;
  /** By uid. */
  readonly populate: ReadonlyMap<string, { readonly list?: unknown; readonly one?: unknown }>;
  readonly jobs: ReadonlyMap<string, Job>;
}

const PARTS = ['hooks', 'routes', 'policies', 'access', 'populate', 'jobs'] as const;
const MOMENTS = ['beforeWrite', 'inTransaction', 'afterCommit'];
/** The hooks that are called for built-in types. */
const CALLED: ReadonlyMap<string, readonly string[]> = new Map([
  [USER_UID, MOMENTS],
  [FILE_UID, MOMENTS],
  [ROLE_UID, ['inTransaction', 'afterCommit']],
  [LOCALE_UID, ['inTransaction', 'afterCommit']],
]);
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const RULES = [...ACCESS_ACTIONS, 'read', 'write'];

/**
 * Checks what a module exports: by default, or part by part.
 *
 * @throws Error for an unknown part, type, action or name, and for a value of another kind.
 */
export function definitionOf(exported: unknown, catalog: Catalog): Definition {
  const parts = partsOf(exported);
  const byType = (part: (typeof PARTS)[number]): [uid: string, value: Record<string, unknown>, type: ContentType][] =>
    entries(parts[part], part).map(([uid, value]) => [
      uid,
      within([part, uid], () => record(value, `${part} of ${uid}`)),
      within([part], () => typeOf(catalog, uid, part)),
    ]);
  // nothing would ever ask for those of others
  const ofRouted = (part: 'policies' | 'populate') => {
    const parts = byType(part);
    const [other] = parts.find(([, , type]) => !type.routed) ?? [];
    if (other !== undefined) {
      throw new Mistake(`${part} of ${other}: only types of the project can have ${part}`, [part, other]);
    }
    return parts;
  };
  const { '*': all, ...ofTypes } = within(['hooks'], () => record(parts['hooks'] ?? {}, 'hooks'));
  const hooks = Object.entries(ofTypes).map(([uid, value]) => {
    const type = within(['hooks'], () => typeOf(catalog, uid, 'hooks'));
    return [uid, hooksOf(value, uid, type)] as const;
  });
  return {
    hooks: new Map([...hooks, ...(all === undefined ? [] : [['*', hooksOf(all, '*')] as const])]),
    routes: routesOf(parts['routes']),
    policies: new Map(
      ofRouted('policies').flatMap(([uid, value, type]) =>
        Object.entries(value).map(
          ([name, list]) => [`${uid}.${name}`, within(['policies', uid], () => policiesOf(type, name, list))] as const,
        ),
      ),
    ),
    access: new Map(
      byType('access').map(([uid, value, type]) => [uid, within(['access', uid], () => accessOf(value, type))]),
    ),
    populate: new Map(
      ofRouted('populate').map(([uid, value]) => {
        within(['populate', uid], () => {
          requireNames(value, ['list', 'one'], `populate of ${uid}`);
          requireGiven(value, `populate of ${uid}`);
        });
        return [uid, value];
      }),
    ),
    jobs: new Map(
      entries(parts['jobs'], 'jobs').map(([name, value]) => [name, within(['jobs', name], () => jobOf(value, name))]),
    ),
  };
}

/**
 * The parts that a module exports, by name and in its default export. No export is ignored: an unknown one may have
 * been meant as a guard.
 */
function partsOf(exported: unknown): Record<string, unknown> {
  const { default: defaultExport, ...named } = exportsOf(exported, 'what the file exports');
  const definition =
    defaultExport === undefined ? {} : within(['default'], () => exportsOf(defaultExport, 'the default export'));
  requireNames(named, PARTS, 'what the file exports');
  requireNames(definition, PARTS, 'the definition');
  const twice = Object.keys(named).find((name) => name in definition && definition[name] !== named[name]);
  if (twice !== undefined) {
    throw new Mistake(`there are two parts ${twice}: one is a named export, one is in the default export`, [twice]);
  }
  return { ...definition, ...named };
}

/** The exports of a module, without the mark of compiled ones. */
function exportsOf(value: unknown, place: string): Record<string, unknown> {
  const { __esModule: _, ...exported } = record(value, place);
  requireGiven(exported, place);
  return exported;
}

/** @throws Mistake for a name whose value is undefined: its author meant a missing value. */
function requireGiven(values: object, place: string): void {
  const name = Object.entries(values).find(([, value]) => value === undefined)?.[0];
  if (name !== undefined) throw new Mistake(`${place}: ${name} is undefined: give it a value, or leave it out`, [name]);
}

/** @param type undefined for hooks of all types of the project. */
function hooksOf(value: unknown, uid: string, type?: ContentType): Hooks {
  return within(['hooks', uid], () => {
    const hooks = record(value, `hooks of ${uid}`);
    requireNames(hooks, MOMENTS, `hooks of ${uid}`);
    if (type?.builtIn) requireCalled(hooks, uid);
    for (const [name, hook] of Object.entries(hooks)) within([name], () => requireHook(hook, name, uid));
    return hooks as Hooks;
  });
}

/** @throws Mistake for a hook of a built-in type that nothing would call. */
function requireCalled(hooks: Record<string, unknown>, uid: string): void {
  const called = CALLED.get(uid) ?? [];
  const name = Object.keys(hooks).find((one) => !called.includes(one));
  if (name === undefined) return;
  const others = called.length === 0 ? 'nor would any other hook of it' : `it has ${called.join(' and ')}`;
  throw new Mistake(`${name} of ${uid} would never be called: ${others}`, [name]);
}

function requireHook(hook: unknown, name: string, uid: string): void {
  const place = `${name} of ${uid}`;
  const isRetried = name === 'afterCommit' && isPlain(hook);
  if (isRetried) requireNames(hook, ['retry', 'run'], place);
  if (!isRetried) requireFunction(hook, place);
  else if (hook['retry'] === true) requireFunction(hook['run'], `run of ${place}`);
  else throw new Error(`retry of ${place} must be true`);
}

function routesOf(value: unknown): OwnRoute[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Mistake('routes must be a list', ['routes']);
  const before: OwnRoute[] = [];
  for (const [index, one] of value.entries()) {
    within(['routes', index], () => {
      const { name } = record(one, `route ${index + 1}`);
      if (typeof name !== 'string' || !/^[A-Za-z][\w-]*$/.test(name)) {
        throw new Mistake(`route ${index + 1} must have a name of letters, digits, _ and -`, ['name']);
      }
      if (before.some((other) => other.name === name)) throw new Mistake(`there are two routes ${name}`, ['name']);
      const route = routeOf(one as Record<string, unknown>, `the route ${name}`);
      requireReached(route, before);
      before.push(route);
    });
  }
  return before;
}

/** @throws Mistake for a route whose requests all match an earlier one. */
function requireReached({ name, method, path }: OwnRoute, before: readonly OwnRoute[]): void {
  const pattern = pathPattern(path);
  const taking = before.find((other) => other.method === method && pathPattern(other.path).covers(pattern));
  if (taking === undefined) return;
  const message = `the route ${name} is never reached: the route ${taking.name}, before it, answers ${method} ${path}`;
  throw new Mistake(message, ['path']);
}

function routeOf(route: Record<string, unknown>, place: string): OwnRoute {
  const { method, path, auth, policies, handler, request, response } = route;
  const names = ['name', 'method', 'path', 'auth', 'policies', 'request', 'response', 'handler'];
  requireNames(route, names, place);
  if (typeof method !== 'string' || !METHODS.includes(method)) {
    throw new Mistake(`${place} must have a method: ${METHODS.join(', ')}`, ['method']);
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new Mistake(`${place} must have a path that begins with /`, ['path']);
  }
  if (auth !== undefined && auth !== false) {
    throw new Mistake(`auth of ${place} must be false, or be left out`, ['auth']);
  }
  within(['path'], () => pathPattern(path), place);
  if ('policies' in route) within(['policies'], () => functions(policies, `policies of ${place}`));
  if ('request' in route) within(['request'], () => requireSchemas(request, `request of ${place}`));
  if (response !== undefined) within(['response'], () => requireSchema(response, `response of ${place}`));
  within(['handler'], () => requireFunction(handler, `handler of ${place}`));
  return route as unknown as OwnRoute;
}

function requireSchemas(request: unknown, place: string): void {
  const parts = record(request, place);
  requireNames(parts, ['params', 'query', 'body'], place);
  requireGiven(parts, place);
  for (const [part, value] of Object.entries(parts)) {
    for (const [name, schema] of entries(value, `${part} of ${place}`, part)) {
      within([part, name], () => requireSchema(schema, `${name} of ${part} of ${place}`));
    }
  }
}

function requireSchema(value: unknown, place: string): void {
  const isSchema = typeof (value as { safeParse?: unknown } | null)?.safeParse === 'function';
  if (!isSchema) throw new Error(`${place} must be a schema with safeParse, such as one of zod`);
}

function policiesOf(type: ContentType, name: string, value: unknown): readonly Policy[] {
  const own = ownRoutesOf(type).filter((route) => route.name !== 'batch');
  const names = [...coreNames(type), ...new Set(own.map(({ action }) => action.slice(type.uid.length + 1)))];
  if (!names.includes(name)) throw unknown(`policies of ${type.uid}: there is no action`, name, names);
  return within([name], () => functions(value, `policies of ${type.uid}.${name}`)) as readonly Policy[];
}

function accessOf(written: Record<string, unknown>, type: ContentType): TypeAccess {
  const place = `access of ${type.uid}`;
  requireGiven(written, place);
  const { roles, ...rules } = written;
  const ofRoles = entries(roles, `roles of ${place}`, 'roles').map(([role, value]) => {
    const inner = `${place}, role ${role}`;
    const ofRole = () => {
      const own = record(value, inner);
      requireGiven(own, inner);
      return rulesOf(own, type, inner);
    };
    return [role, within(['roles', role], ofRole)] as const;
  });
  return { ...rulesOf(rules, type, place), roles: Object.fromEntries(ofRoles) };
}

function rulesOf({ read, write, ...conditions }: Record<string, unknown>, type: ContentType, place: string): TypeRules {
  const isWritten = type.routed || type.uid === USER_UID;
  // a file cannot be published, and attributes of its record are not written by name
  const open: readonly string[] = type.uid === FILE_UID ? ['find', 'create', 'update', 'delete'] : ['find'];
  const closed = Object.keys(conditions).find((action) => RULES.includes(action) && !open.includes(action));
  if (!isWritten && (closed !== undefined || write !== undefined)) {
    const name = closed ?? 'write';
    throw new Mistake(`${place}: ${name} is a rule of the project's own types and of accounts`, [name]);
  }
  // reading is one thing, whether of a list or of one
  requireNames(conditions, RULES, place, conditions['findOne'] === undefined ? '' : ': find is of all reading');
  const rows = Object.entries(conditions).map(([action, rule]): [string, RawObject | boolean] => {
    if (typeof rule === 'boolean') return [action, rule];
    return within([action], () => {
      const condition = record(rule, `${action} of ${place}`);
      requireValues(condition, `${place}, ${action}`);
      return [action, rawParams(plainFilters(condition, type) as object)];
    });
  });
  return {
    rows: Object.fromEntries(rows),
    read: within(['read'], () => names(read, `read of ${place}`)),
    write: within(['write'], () => names(write, `write of ${place}`)),
  };
}

/** @throws Mistake for an undefined part of a condition: without it, the condition would match too many rows. */
function requireValues(condition: unknown, place: string): void {
  if (!Array.isArray(condition) && !isPlain(condition)) return;
  for (const [name, value] of Object.entries(condition)) {
    const step = Array.isArray(condition) ? Number(name) : name;
    if (value === undefined) throw new Mistake(`${place}: ${missing(step)} is undefined`, [step]);
    within([step], () => requireValues(value, place));
  }
}

const missing = (step: string | number): string =>
  typeof step === 'number' ? `value ${step + 1} of a list` : `the value of ${step}`;

function jobOf(value: unknown, name: string): Job {
  const job = record(value, `the job ${name}`);
  requireNames(job, ['cron', 'timezone', 'run'], `the job ${name}`);
  if (typeof job['cron'] !== 'string') {
    throw new Mistake(`the job ${name} must have a cron expression, such as 0 3 * * *`, ['cron']);
  }
  within(['run'], () => requireFunction(job['run'], `run of the job ${name}`));
  return job as unknown as Job;
}

function typeOf({ contentTypes }: Catalog, uid: string, part: string): ContentType {
  const isOfAdministrators = (one: string) => one.startsWith('admin::');
  const type = contentTypes.get(uid);
  if (type && !isOfAdministrators(uid)) return type;
  if (type) throw new Mistake(`${part} of ${uid}: types of administrators have no ${part}`, [uid]);
  const uids = [...contentTypes.keys()].filter((one) => !isOfAdministrators(one));
  throw unknown(`${part}: there is no content type`, uid, uids);
}

function names(value: unknown, place: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw new Error(`${place} must be a list of names`);
}

function functions(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place} must be a list of functions`);
  for (const one of value) requireFunction(one, place);
  return value;
}

function requireFunction(value: unknown, place: string): void {
  if (typeof value !== 'function') throw new Error(`${place} must be a function`);
}

function requireNames(value: object, known: readonly string[], place: string, hint = ''): void {
  for (const name of Object.keys(value)) {
    if (!known.includes(name)) throw unknown(`${place} has no part`, name, known, hint);
  }
}

function unknown(sentence: string, name: string, known: readonly string[], hint = ''): Mistake {
  return new Mistake(`${sentence} ${name}${hint || choices(name, known)}`, [name]);
}

/** @param key under which the value stands. */
const entries = (value: unknown, place: string, key = place): [string, unknown][] =>
  value === undefined ? [] : Object.entries(within([key], () => record(value, place)));

/** @throws Error for anything but a plain object, such as a Map, whose entries are not properties. */
function record(value: unknown, place: string): Record<string, unknown> {
  const prototype: unknown = isPlain(value) ? Object.getPrototypeOf(value) : undefined;
  // code may have an `Object` of its own
  const isRecord = prototype === null || (isPlain(prototype) && Object.getPrototypeOf(prototype) === null);
  if (!isRecord) throw new Error(`${place} must be ${isPlain(value) ? 'a plain object' : 'an object'}`);
  return value as Record<string, unknown>;
}
