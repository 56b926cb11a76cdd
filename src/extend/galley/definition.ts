/** What `src/galley` exports → a definition whose names are those of the Catalog. */
import { ACCESS_ACTIONS } from '../../access/rules/access-action.ts';
import type { AccessRules, TypeAccess, TypeRules } from '../../access/rules/access-rules.ts';
import { Mistake, within } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import { rawParams } from '../../query/plain.ts';
import { type Catalog, type ContentType, FILE_UID, USER_UID } from '../../schema/catalog.ts';
import { choices } from '../../schema/check/nearest.ts';
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
    within(['hooks'], () => typeOf(catalog, uid, 'hooks'));
    return [uid, hooksOf(value, uid)] as const;
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
        within(['populate', uid], () => requireNames(value, ['list', 'one'], `populate of ${uid}`));
        return [uid, value];
      }),
    ),
    jobs: new Map(
      entries(parts['jobs'], 'jobs').map(([name, value]) => [name, within(['jobs', name], () => jobOf(value, name))]),
    ),
  };
}

function hooksOf(value: unknown, uid: string): Hooks {
  return within(['hooks', uid], () => {
    const hooks = record(value, `hooks of ${uid}`);
    requireNames(hooks, MOMENTS, `hooks of ${uid}`);
    for (const [name, hook] of Object.entries(hooks)) within([name], () => requireHook(hook, name, uid));
    return hooks as Hooks;
  });
}

function requireHook(hook: unknown, name: string, uid: string): void {
  const isRetried = name === 'afterCommit' && isPlain(hook);
  if (!isRetried) requireFunction(hook, `${name} of ${uid}`);
  else if (hook['retry'] === true) requireFunction(hook['run'], `run of afterCommit of ${uid}`);
  else throw new Error(`retry of afterCommit of ${uid} must be true`);
}

function routesOf(value: unknown): OwnRoute[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Mistake('routes must be a list', ['routes']);
  const names = new Set<unknown>();
  return value.map((one, index) =>
    within(['routes', index], () => {
      const { name } = record(one, `route ${index + 1}`);
      if (typeof name !== 'string' || !/^[A-Za-z][\w-]*$/.test(name)) {
        throw new Mistake(`route ${index + 1} must have a name of letters, digits, _ and -`, ['name']);
      }
      if (names.has(name)) throw new Mistake(`there are two routes ${name}`, ['name']);
      names.add(name);
      return routeOf(one as Record<string, unknown>, `the route ${name}`);
    }),
  );
}

function routeOf(route: Record<string, unknown>, place: string): OwnRoute {
  const { method, path, auth, policies = [], handler, request = {}, response } = route;
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
  within(['policies'], () => functions(policies, `policies of ${place}`));
  within(['request'], () => requireSchemas(request, `request of ${place}`));
  if (response !== undefined) within(['response'], () => requireSchema(response, `response of ${place}`));
  within(['handler'], () => requireFunction(handler, `handler of ${place}`));
  return route as unknown as OwnRoute;
}

function requireSchemas(request: unknown, place: string): void {
  const parts = record(request, place);
  requireNames(parts, ['params', 'query', 'body'], place);
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
  const own = ownRoutesOf(type).flatMap((route) => (route.name === 'batch' ? [] : [route.name]));
  const names = [...coreNames(type), ...own];
  if (!names.includes(name)) throw unknown(`policies of ${type.uid}: there is no action`, name, names);
  return within([name], () => functions(value, `policies of ${type.uid}.${name}`)) as readonly Policy[];
}

function accessOf({ roles, ...rules }: Record<string, unknown>, type: ContentType): TypeAccess {
  const place = `access of ${type.uid}`;
  const ofRoles = entries(roles, `roles of ${place}`, 'roles').map(([role, value]) => {
    const inner = `${place}, role ${role}`;
    return [role, within(['roles', role], () => rulesOf(record(value, inner), type, inner))] as const;
  });
  return { ...rulesOf(rules, type, place), roles: Object.fromEntries(ofRoles) };
}

function rulesOf({ read, write, ...conditions }: Record<string, unknown>, type: ContentType, place: string): TypeRules {
  const isWritten = type.routed || type.uid === USER_UID;
  // of a file there is nothing to publish, and what its record says is not written by name
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
      const filters = plainFilters(record(rule, `${action} of ${place}`), type) as object;
      return [action, rawParams(filters)];
    });
  });
  return {
    rows: Object.fromEntries(rows),
    read: within(['read'], () => names(read, `read of ${place}`)),
    write: within(['write'], () => names(write, `write of ${place}`)),
  };
}

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
  const uids = [...contentTypes.keys()].filter((one) => !one.startsWith('admin::'));
  if (uids.includes(uid)) return contentTypes.get(uid)!;
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

function unknown(what: string, name: string, known: readonly string[], hint = ''): Mistake {
  return new Mistake(`${what} ${name}${hint || choices(name, known)}`, [name]);
}

/** @param key under which the value stands. */
const entries = (value: unknown, place: string, key = place): [string, unknown][] =>
  value === undefined ? [] : Object.entries(within([key], () => record(value, place)));

function record(value: unknown, place: string): Record<string, unknown> {
  if (!isPlain(value)) throw new Error(`${place} must be an object`);
  return value as Record<string, unknown>;
}
