/** Declarations of routes: each path with its methods. Requests without a route are answered in unrouted.ts. */
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  onRequestAsyncHookHandler,
  RouteHandlerMethod,
} from 'fastify';
import { type ActionRoute, BUILT_IN_ACTIONS } from '../../access/actions.ts';
import { requireAction } from '../../access/authorize.ts';
import type { Viewer } from '../../access/view.ts';
import type { Origin } from '../../content/reading/answers.ts';
import { notFound } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import { parseParams } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import type { TaggedAnswer } from '../protocol/entity-tag.ts';

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  /** The caller for reads and writes. */
  readonly viewer: Viewer;
}

/** Answers a call. Throws ContentError to refuse it. */
export type Handler = (call: Call) => FastifyReply | Promise<FastifyReply>;

/** A handler of requests with bodies. The body is not read for a caller who is refused. */
export interface Guarded {
  /** Actions of which the caller must have one. */
  readonly needs: readonly string[];
  /** Further checks before the body. Throws ContentError to refuse the request. */
  readonly before?: ((request: FastifyRequest, reply: FastifyReply) => void | Promise<void>) | undefined;
  readonly handler: Handler;
}

/** The request of a target, for any caller. */
export interface ReadTarget {
  /** The query string. */
  readonly query: string;
  /** Undefined for a list, and for the document of a single type. */
  readonly documentId?: string;
}

/** The answer of a read, with its tables if it may be cached. */
export interface ReadAnswer extends TaggedAnswer {
  readonly origin?: Origin | undefined;
  /** Why a list is empty, as a header takes it. */
  readonly hint?: string | undefined;
}

/** A read of content, whose answer follows from the database, the caller's View, the target and the requested format. */
export interface ContentRead {
  readonly type: ContentType;
  readonly action: string;
  /** The target of a request. Throws ContentError for parameters that no caller may use. */
  readonly targetOf: (request: FastifyRequest) => ReadTarget;
  /**
   * Reads the answer: at once where nothing has to be waited for. Throws ContentError to refuse the request.
   *
   * @param request its headers choose the format.
   * @param account of the caller, where it is not the current one.
   */
  readonly respond: (
    target: ReadTarget,
    viewer: Viewer,
    request: Pick<FastifyRequest, 'headers'>,
    account?: string,
  ) => ReadAnswer | Promise<ReadAnswer>;
  /** Sets the headers of a response that succeeds. */
  readonly setHeaders: (request: FastifyRequest, reply: FastifyReply) => void;
}

export interface Route {
  /** Below the API's prefix, with `:name` for parameters. */
  readonly path: string;
  readonly methods: {
    readonly GET?: Handler | ContentRead;
    readonly POST?: Guarded;
    readonly PUT?: Guarded;
    readonly DELETE?: Handler;
  };
  /** Whether the handler reads `multipart/form-data` from the socket itself; else such a body counts as none. */
  readonly multipart?: boolean;
  /** Its name in logs and metrics, if not its path. */
  readonly label?: string;
}

/** A handler in Fastify's form, with the hook before the body is read. */
export interface Wrapped {
  readonly onRequest?: onRequestAsyncHookHandler;
  readonly handler: RouteHandlerMethod;
}

/** Registers routes. Of two with one path the first wins: a project's own types come before built-in endpoints. */
export function addRoutes(
  server: FastifyInstance,
  prefix: string,
  routes: readonly Route[],
  wrap: (handler: Handler | Guarded | ContentRead) => Wrapped,
): void {
  const taken = new Set<string>();
  for (const { path, methods, multipart, label } of routes) {
    const url = prefix + path;
    const shape = url.toLowerCase().replaceAll(/:[a-z]+/g, ':');
    if (taken.has(shape)) continue;
    taken.add(shape);
    for (const [method, handler] of Object.entries(methods)) {
      const config = { multipart: multipart === true, ...(label === undefined ? {} : { label }) };
      server.route({ method: method as HTTPMethods, url, ...wrap(handler), exposeHeadRoute: true, config });
    }
  }
}

/** A handler of requests with bodies, behind the right to an action. */
export const guarded = (action: string, handler: Handler): Guarded => ({ needs: [action], handler });

/** A handler of requests without bodies, behind the right to an action. */
export const permitted = (action: string, handler: Handler): Handler => {
  return async (call) => {
    requireAction(call.caller.grants, action);
    return handler(call);
  };
};

/**
 * Routes of built-in actions, each behind the right to the action; methods and paths are those of access/actions.ts.
 *
 * @param owner the beginning of the actions' names: `plugin::users-permissions.user`.
 * @param handlers by the rest of the name.
 */
export function builtInRoutes(
  owner: string,
  handlers: Readonly<Record<string, Handler | Omit<Guarded, 'needs'>>>,
  options: Pick<Route, 'multipart'> = {},
): Route[] {
  const actions = Object.keys(handlers).map(
    (name) => BUILT_IN_ACTIONS.find(({ action }) => action === `${owner}.${name}`)!,
  );
  const entryOf = ({ action, method }: ActionRoute) => {
    const handler = handlers[action.slice(owner.length + 1)]!;
    if (method === 'POST' || method === 'PUT')
      return typeof handler === 'function' ? guarded(action, handler) : { needs: [action], ...handler };
    return permitted(action, typeof handler === 'function' ? handler : handler.handler);
  };
  return [...Map.groupBy(actions, ({ path }) => path)].map(([path, ofPath]) => ({
    path,
    methods: Object.fromEntries(ofPath.map((action) => [action.method, entryOf(action)])),
    ...options,
  }));
}

/** The raw query string of a call, without the `?`. */
export function queryOf(request: FastifyRequest): string {
  return (request.query as { text: string }).text ?? '';
}

/**
 * The parameters of a call's query string.
 *
 * @throws ContentError 400 when it cannot be read.
 */
export function paramsOf(request: FastifyRequest): RawObject {
  return parseParams(queryOf(request));
}

/**
 * A path parameter.
 *
 * @throws ContentError 404 for one with U+0000: no document has such an id, and engines refuse the character.
 */
export function pathParam(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string>)[name]!;
  if (value.includes('\0')) throw notFound();
  return value;
}

/** A row id of a path, or undefined for a text that cannot be one. */
export function rowIdOf(text: string): number | undefined {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}
