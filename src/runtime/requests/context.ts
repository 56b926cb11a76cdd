/** `ctx`: a request with its answer, in the members of Koa's that policies, middlewares and controllers use. */
/// <reference path="./koa-packages.d.ts" />
import assert from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Cookies from 'cookies';
import type { Viewer } from '../../access/view.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import { missingMember, standIn } from '../guarded.ts';
import { MISSING } from '../members/members.ts';
import { ProjectRequest, type RequestParts } from './request.ts';
import { FAILURES, ProjectResponse } from './response.ts';
import { HttpError } from './strapi-errors.ts';

/** The caller of a request. */
export interface Calling {
  readonly caller: Caller;
  readonly viewer: Viewer;
}

const CALLING = Symbol('calling');

/** The caller of a context's request; undefined before the caller is looked up. Hidden from the project's code. */
export const callingOf = (ctx: object): Calling | undefined => (ctx as { [CALLING]?: Calling })[CALLING];

export function setCalling(ctx: object, calling: Calling): void {
  Object.defineProperty(ctx, CALLING, { value: calling, configurable: true });
}

/** The target of a request that the server sends to itself. */
export interface InsideTarget {
  /**
   * The pattern of the path below the API's prefix, for a route that takes precedence over other routes of the path.
   */
  readonly pattern?: string;
  readonly method: string;
  readonly path: string;
}
type Inside = (ctx: Context, target?: InsideTarget) => Promise<void>;

const INSIDE = Symbol('inside');

/** Lets code of a context send requests to the server itself. Hidden from the project's code. */
export function setInside(ctx: object, inside: Inside): void {
  Object.defineProperty(ctx, INSIDE, { value: inside });
}

/** Has the server itself answer a request into its context, as one for some target. */
export function answeredInside(ctx: Context, target: InsideTarget): Promise<void> {
  return (ctx as unknown as { [INSIDE]: Inside })[INSIDE](ctx, target);
}

/** Puts the pattern of the route that answers into a context, as Koa's router does, and its name where it has one. */
export function setRoute(ctx: object, pattern: string, name: string | null = null): void {
  Object.assign(ctx, { routerPath: pattern, routerName: name, _matchedRoute: pattern });
  if (name !== null) Object.assign(ctx, { _matchedRouteName: name });
}

/** Whether the route that answers is in a context. */
export const hasRoute = (ctx: object): boolean => '_matchedRoute' in ctx;

/** The parameters of a request where code may have changed them or defined others; undefined if it has not read them. */
export function readQueryOf(ctx: Context): object | undefined {
  const { request } = ctx;
  const isOwn = Object.getPrototypeOf(ctx) !== Context.prototype || Object.hasOwn(ctx, 'query');
  return isOwn || request.isQueryRead || Object.hasOwn(request, 'query') ? queryOf(ctx) : undefined;
}

/** `ctx.query`. @throws TypeError for an object of the code without one. */
export function queryOf(ctx: Context): object {
  const { query } = ctx as Context & { readonly query?: object };
  if (query === undefined) throw new TypeError("Cannot read properties of undefined (reading 'query')");
  return query;
}

/** `ctx.state`, to which code adds members of its own. */
export interface ContextState {
  // biome-ignore lint/suspicious/noExplicitAny: project code stores values of any type there
  [name: string]: any;
}

export class Context {
  readonly request: ProjectRequest;
  readonly response: ProjectResponse;
  readonly state: ContextState = {};
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly app: object | undefined;
  readonly originalUrl: string;
  readonly #parts: RequestParts;
  #cookies: Cookies | undefined;
  params: Record<string, string> = {};
  /** False: code answers the request by itself, on `ctx.res`. */
  declare respond?: boolean;

  constructor(parts: RequestParts, res: ServerResponse) {
    this.request = new ProjectRequest(parts);
    this.response = new ProjectResponse(this.request, res);
    this.#parts = parts;
    this.req = parts.raw;
    this.res = res;
    this.app = parts.app;
    this.originalUrl = parts.url;
    const { context = {} } = (parts.app ?? {}) as { readonly context?: object };
    if (Reflect.ownKeys(context).length > 0) Object.defineProperties(this, Object.getOwnPropertyDescriptors(context));
  }

  /** @throws Unsupported always: the server has no sessions, only cookies. */
  get session(): never {
    return missingMember('ctx.session');
  }
  set session(_session: unknown) {
    missingMember('ctx.session');
  }

  inspect(): object {
    return this.toJSON();
  }

  /** The form in which logs show the context. */
  toJSON(): object {
    const { request, response, originalUrl } = this;
    const parts = { req: '<original node req>', res: '<original node res>', socket: '<original node socket>' };
    return { request: request.toJSON(), response: response.toJSON(), originalUrl, ...parts };
  }

  get cookies(): Cookies {
    if (this.#cookies) return this.#cookies;
    const { keys = [], protocol } = this.#parts;
    const { request, response } = this;
    const jar = {
      getHeader: (name: string) => (response.has(name) ? response.get(name) : undefined),
      setHeader: (name: string, value: string[]) => response.set(name, value),
    };
    const options = { keys: keys.length > 0 ? [...keys] : undefined, secure: protocol === 'https' };
    this.#cookies = new Cookies(request, jar, options);
    return this.#cookies;
  }
  set cookies(cookies: Cookies) {
    this.#cookies = cookies;
  }

  get ctx(): this {
    return this;
  }
  get headerSent(): boolean {
    return this.res.headersSent;
  }
  get writable(): boolean {
    return this.res.writable;
  }

  /** Whether the client has the answer already, by its entity tag or its time (RFC 9110, section 13.2.2). */
  get fresh(): boolean {
    const { request, response } = this;
    const isAnswer = (response.status >= 200 && response.status < 300) || response.status === 304;
    if (!['GET', 'HEAD'].includes(request.method) || !isAnswer) return false;
    const [tags, since] = [request.get('if-none-match'), request.get('if-modified-since')];
    if (/(?:^|,)\s*no-cache\s*(?:,|$)/.test(request.get('cache-control')) || (tags === '' && since === ''))
      return false;
    const own = response.etag.replace(/^W\//, '');
    if (tags !== '')
      return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === own);
    const modified = response.lastModified;
    return modified !== undefined && modified.getTime() <= new Date(since).getTime();
  }
  get stale(): boolean {
    return !this.fresh;
  }

  /** @throws HttpError always: `throw(404, 'gone')`. */
  throw(...parts: unknown[]): never {
    const status = parts.find((part) => typeof part === 'number') ?? 500;
    const message = parts.find((part) => typeof part === 'string');
    const error = parts.find((part) => part instanceof Error);
    const properties = parts.find((part) => typeof part === 'object' && part !== null && part !== error);
    if (!error) throw new HttpError(status, message, properties as Record<string, unknown>);
    throw Object.assign(error, { status, statusCode: status, expose: status < 500 }, properties);
  }

  /** @throws HttpError unless a value is true: `assert(user, 401, 'sign in')`. */
  assert(value: unknown, ...parts: unknown[]): asserts value {
    if (!value) this.throw(...parts);
  }
}

/** Members that a context has of its request and its answer; `read`: may not be set. */
const OF_REQUEST = ['method', 'query', 'path', 'querystring', 'search', 'url'];
const OF_REQUEST_READ = [
  ...['header', 'headers', 'origin', 'href', 'URL', 'protocol', 'host', 'hostname'],
  ...['secure', 'ip', 'ips', 'socket', 'idempotent', 'subdomains'],
];
const OF_RESPONSE = ['status', 'message', 'body', 'length', 'type', 'etag', 'lastModified'];
const METHODS_OF_REQUEST = ['get', 'is', 'accepts', 'acceptsEncodings', 'acceptsCharsets', 'acceptsLanguages'];
const METHODS_OF_RESPONSE = [
  ...['set', 'append', 'remove', 'vary', 'attachment', 'send', 'created', 'deleted', 'has', 'redirect'],
];

type Members = Record<string, unknown>;

function delegate(part: 'request' | 'response', names: readonly string[], isSet: boolean): void {
  for (const name of names) {
    Object.defineProperty(Context.prototype, name, {
      configurable: true,
      get(this: Context) {
        return (this[part] as unknown as Members)[name];
      },
      ...(isSet
        ? {
            set(this: Context, value: unknown) {
              (this[part] as unknown as Members)[name] = value;
            },
          }
        : {}),
    });
  }
}

function delegateMethods(part: 'request' | 'response', names: readonly string[]): void {
  for (const name of names) {
    Object.defineProperty(Context.prototype, name, {
      configurable: true,
      writable: true,
      value(this: Context, ...args: unknown[]) {
        return (this[part] as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
      },
    });
  }
}

delegate('request', OF_REQUEST, true);
delegate('request', OF_REQUEST_READ, false);
delegate('response', OF_RESPONSE, true);
delegateMethods('request', METHODS_OF_REQUEST);
delegateMethods('response', METHODS_OF_RESPONSE);
for (const [name, status] of FAILURES) {
  for (const prototype of [Context.prototype, ProjectResponse.prototype]) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: Context | ProjectResponse, message?: unknown, details?: unknown) {
        (this instanceof Context ? this.response : this).fail(status, message, details);
      },
    });
  }
}
// `ctx.assert` of Koa has the comparisons of Node's
for (const name of ['equal', 'deepEqual', 'strictEqual', 'notEqual', 'ok'] as const) {
  Object.defineProperty(Context.prototype.assert, name, {
    value(...args: [unknown, unknown, number?, string?]) {
      const values = name === 'ok' ? 1 : 2;
      try {
        (assert[name] as (...values: unknown[]) => void)(...args.slice(0, values));
      } catch {
        Context.prototype.throw(...args.slice(values));
      }
    },
  });
}

/** Members that Koa's objects have and these lack; code may set them. */
for (const [place, prototype] of [
  ['ctx', Context.prototype],
  ['ctx.request', ProjectRequest.prototype],
  ['ctx.response', ProjectResponse.prototype],
] as const) {
  for (const name of MISSING[place]!) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: () => missingMember(`${place}.${name}`),
      set(value: unknown) {
        Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}

/** Own members of Koa's context behind a route which the context lacks. */
const OF_ROUTER = ['router', 'matched', 'captures'];

/**
 * The context of a policy: a copy of the members that the context of the request has itself, as in the reference. The
 * members of its prototype, such as `query` and `forbidden`, are undefined.
 */
export function policyContext(ctx: Context, kind = 'koa'): object {
  const context = Object.assign({ is: (type: string): boolean => type === kind }, ctx);
  const missing = hasRoute(ctx) ? OF_ROUTER.filter((name) => !(name in context)) : [];
  Object.assign(context, Object.fromEntries(missing.map((name) => [name, standIn(`ctx.${name}`)])));
  // a policy may hand its context to a controller
  const hidden = [CALLING, INSIDE].map((key) => [key, { value: (ctx as unknown as Hidden)[key], configurable: true }]);
  return Object.defineProperties(context, {
    ...Object.fromEntries(hidden),
    type: { get: () => kind, enumerable: true, configurable: true },
  });
}

type Hidden = Readonly<Record<symbol, unknown>>;
