/** What `src/galley` exports → a definition whose names are those of the Catalog. */
import { ACCESS_ACTIONS } from '../../access/rules/access-action.ts';
import type { AccessRules, TypeAccess, TypeRules } from '../../access/rules/access-rules.ts';
import type { RawObject } from '../../query/params.ts';
import { rawParams } from '../../query/plain.ts';
import { type Catalog, type ContentType, FILE_UID, USER_UID } from '../../schema/catalog.ts';
import { nearest } from '../../schema/check/nearest.ts';
import { coreNames, ownRoutesOf } from '../actions.ts';
import { isPlain, plainFilters } from '../running/documents/plain-params.ts';
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
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const RULES = [...ACCESS_ACTIONS, 'read', 'write'];

/**
 * Checks what a module exports: by default, or part by part.
 *
 * @throws Error for a part, a type, an action or a name that is not there, and for a value of another kind.
 */
export function definitionOf(exported: unknown, catalog: Catalog): Definition {
  const whole = record(exported, 'what the file exports');
  const parts = 'default' in whole ? record(whole['default'], 'the default export') : whole;
  requireNames(parts, ['default', '__esModule', ...PARTS], 'the definition');
  const byType = (part: (typeof PARTS)[number]): [uid: string, value: Record<string, unknown>, type: ContentType][] =>
    entries(parts[part], part).map(([uid, value]) => [
      uid,
      record(value, `${part} of ${uid}`),
      typeOf(catalog, uid, part),
    ]);
  // nothing would ever ask for those of others
  const ofRouted = (part: 'policies' | 'populate') => {
    const parts = byType(part);
    const [other] = parts.find(([, , type]) => !type.routed) ?? [];
    if (other !== undefined) throw new Error(`${part} of ${other}: only types of the project can have ${part}`);
    return parts;
  };
  const { '*': all, ...ofTypes } = record(parts['hooks'] ?? {}, 'hooks');
  const hooks = entries(ofTypes, 'hooks').map(([uid, value]) => {
    typeOf(catalog, uid, 'hooks');
    return [uid, hooksOf(value, uid)] as const;
  });
  return {
    hooks: new Map([...hooks, ...(all === undefined ? [] : [['*', hooksOf(all, '*')] as const])]),
    routes: routesOf(parts['routes']),
    policies: new Map(
      ofRouted('policies').flatMap(([uid, value, type]) =>
        entries(value, uid).map(([name, list]) => [`${uid}.${name}`, policiesOf(type, name, list)] as const),
      ),
    ),
    access: new Map(byType('access').map(([uid, value, type]) => [uid, accessOf(value, type)])),
    populate: new Map(
      ofRouted('populate').map(([uid, value]) => {
        requireNames(value, ['list', 'one'], `populate of ${uid}`);
        return [uid, value];
      }),
    ),
    jobs: new Map(entries(parts['jobs'], 'jobs').map(([name, value]) => [name, jobOf(value, name)])),
  };
}

function hooksOf(value: unknown, uid: string): Hooks {
  const hooks = record(value, `hooks of ${uid}`);
  requireNames(hooks, MOMENTS, `hooks of ${uid}`);
  for (const [name, hook] of Object.entries(hooks)) {
    const isRetried = name === 'afterCommit' && isPlain(hook);
    if (!isRetried) requireFunction(hook, `${name} of ${uid}`);
    else if (hook['retry'] === true) requireFunction(hook['run'], `run of afterCommit of ${uid}`);
    else throw new Error(`retry of afterCommit of ${uid} must be true`);
  }
  return hooks as Hooks;
}

function routesOf(value: unknown): OwnRoute[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error('routes must be a list');
  const names = new Set<unknown>();
  return value.map((one, index) => {
    const route = record(one, `route ${index + 1}`);
    const { name, method, path, auth, policies = [], handler } = route;
    if (typeof name !== 'string' || !/^[A-Za-z][\w-]*$/.test(name)) {
      throw new Error(`route ${index + 1} must have a name of letters, digits, _ and -`);
    }
    const place = `the route ${name}`;
    requireNames(route, ['name', 'method', 'path', 'auth', 'policies', 'handler'], place);
    if (names.has(name)) throw new Error(`there are two routes ${name}`);
    names.add(name);
    if (typeof method !== 'string' || !METHODS.includes(method)) {
      throw new Error(`${place} must have a method: ${METHODS.join(', ')}`);
    }
    if (typeof path !== 'string' || !path.startsWith('/'))
      throw new Error(`${place} must have a path that begins with /`);
    if (auth !== undefined && auth !== false) throw new Error(`auth of ${place} must be false, or be left out`);
    functions(policies, `policies of ${place}`);
    requireFunction(handler, `handler of ${place}`);
    return route as unknown as OwnRoute;
  });
}

function policiesOf(type: ContentType, name: string, value: unknown): readonly Policy[] {
  const own = ownRoutesOf(type).flatMap((route) => (route.name === 'batch' ? [] : [route.name]));
  const names = [...coreNames(type), ...own];
  if (!names.includes(name)) throw unknown(`policies of ${type.uid}: there is no action`, name, names);
  return functions(value, `policies of ${type.uid}.${name}`) as readonly Policy[];
}

function accessOf({ roles, ...rules }: Record<string, unknown>, type: ContentType): TypeAccess {
  const place = `access of ${type.uid}`;
  const ofRoles = entries(roles, `roles of ${place}`).map(([role, value]) => {
    const inner = `${place}, role ${role}`;
    return [role, rulesOf(record(value, inner), type, inner)] as const;
  });
  return { ...rulesOf(rules, type, place), roles: Object.fromEntries(ofRoles) };
}

function rulesOf({ read, write, ...conditions }: Record<string, unknown>, type: ContentType, place: string): TypeRules {
  const isWritten = type.routed || type.uid === USER_UID;
  // of a file there is nothing to publish, and what its record says is not written by name
  const open: readonly string[] = type.uid === FILE_UID ? ['find', 'create', 'update', 'delete'] : ['find'];
  const closed = Object.keys(conditions).find((action) => RULES.includes(action) && !open.includes(action));
  if (!isWritten && (closed !== undefined || write !== undefined)) {
    throw new Error(`${place}: ${closed ?? 'write'} is a rule of the project's own types and of accounts`);
  }
  // reading is one thing, whether of a list or of one
  requireNames(conditions, RULES, place, conditions['findOne'] === undefined ? '' : ': find is of all reading');
  const rows = Object.entries(conditions).map(([action, rule]): [string, RawObject | boolean] => {
    if (typeof rule === 'boolean') return [action, rule];
    const filters = plainFilters(record(rule, `${action} of ${place}`), type) as object;
    return [action, rawParams(filters)];
  });
  return {
    rows: Object.fromEntries(rows),
    read: names(read, `read of ${place}`),
    write: names(write, `write of ${place}`),
  };
}

function jobOf(value: unknown, name: string): Job {
  const job = record(value, `the job ${name}`);
  requireNames(job, ['cron', 'timezone', 'run'], `the job ${name}`);
  if (typeof job['cron'] !== 'string') throw new Error(`the job ${name} must have a cron expression`);
  requireFunction(job['run'], `run of the job ${name}`);
  return job as unknown as Job;
}

function typeOf({ contentTypes }: Catalog, uid: string, part: string): ContentType {
  const type = contentTypes.get(uid);
  if (type && !uid.startsWith('admin::')) return type;
  throw unknown(`${part}: there is no content type`, uid, [...contentTypes.keys()]);
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

function unknown(what: string, name: string, known: readonly string[], hint = ''): Error {
  const word = nearest(name, known);
  return new Error(`${what} ${name}${hint || (word === undefined ? '' : `: did you mean ${word}?`)}`);
}

const entries = (value: unknown, place: string): [string, unknown][] =>
  value === undefined ? [] : Object.entries(record(value, place));

function record(value: unknown, place: string): Record<string, unknown> {
  if (!isPlain(value)) throw new Error(`${place} must be an object`);
  return value as Record<string, unknown>;
}
