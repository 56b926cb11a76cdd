/** Answers requests with a project's code, within the middlewares around them. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { coreRoute } from '../access/actions.ts';
import type { ModuleLoader } from '../config/modules/loader.ts';
import { ContentError, catalogue, type ErrorDetails, type ErrorName } from '../errors.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { CodeError } from './registry.ts';
import { hasStrategies, scopesOf } from './requests/auth.ts';
import { type Context, type InsideTarget, setInside, setRoute } from './requests/context.ts';
import { type DescribedRoute, describedRoutes } from './requests/described-routes.ts';
import type { Endpoint, EndpointServer } from './requests/endpoints.ts';
import { composed, type Next } from './requests/policies.ts';
import { type MatchedRoute, type Ready, RouteTable } from './requests/route-table.ts';
import { type ListedRoute, wholePath } from './requests/routes.ts';
import { answerOfError, errorAnswer, nameOfStatus, wordsOfStatus } from './requests/strapi-errors.ts';
import type { Stages } from './strapi/app-middlewares.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** A route that code answers, with the parameters of the path. */
export interface Matched {
  readonly route: ListedRoute;
  readonly endpoint: Endpoint;
  readonly params: Record<string, string>;
}

/** The parts of the server that answering needs. */
export interface Answering extends EndpointServer {
  /**
   * Answers a request that no code handles into the context; `target` replaces the one of the request. It gives false where
   * middlewares of Strapi would see no answer.
   */
  readonly inner: (ctx: Context, target?: InsideTarget) => Promise<boolean>;
  /** Receives an error that must not reach a client. */
  readonly failed: (error: Error) => void;
}
/** The receivers of errors that code does not report. */
export type Telling = Pick<Answering, 'failed' | 'refused'>;

export interface AnswersParts {
  readonly catalog: Catalog;
  /** That of the API. */
  readonly prefix: string;
  readonly routes: readonly Ready[];
  /** The middlewares around all requests at the moment. */
  readonly stages: () => Stages;
  readonly requests: AsyncLocalStorage<Context>;
  readonly loader: ModuleLoader;
  /** Receives errors that leave the middlewares. */
  readonly errors: EventEmitter;
  /** `app.keys` of `config/server`. */
  readonly keys: unknown;
  /** `strapi.server.app`. */
  readonly app: object;
  /** Rises with everything that code puts before documents. */
  readonly version: () => number;
}

/** The circumstances of an answer within the middlewares. */
interface Around {
  readonly telling: Telling;
  /** The name of the request in the log. */
  readonly place?: string | undefined;
  /** Whether a body that cannot be read is refused, which only those before the body parser see. */
  readonly isOfBody?: boolean;
}

export class Answers {
  readonly #parts: AnswersParts;
  readonly #version: number;
  /** Those at the root are tried first. */
  readonly #tables: readonly RouteTable[];

  constructor(parts: AnswersParts) {
    this.#parts = parts;
    this.#version = parts.version();
    const { keys, app } = parts;
    this.ofContexts = { keys: Array.isArray(keys) ? keys.map(String) : undefined, app };
    const at = (wanted: boolean) => parts.routes.filter(({ route }) => (route.isAtRoot ?? false) === wanted);
    this.#tables = [new RouteTable('', at(true)), new RouteTable(parts.prefix, at(false))];
  }

  /** Whether an answer of the server to a request may be sent again without running code: no code concerns it by now. */
  isSettled({ method = 'GET', url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
    return !this.isAround && this.#parts.version() === this.#version && this.match(method, url) === undefined;
  }

  /** The members of contexts that come from the project: the keys that sign cookies. */
  readonly ofContexts: { readonly keys: readonly string[] | undefined; readonly app: object };

  /** All routes that code lists, in the order in which they are tried. */
  get routes(): readonly ListedRoute[] {
    return this.#parts.routes.map(({ route }) => route);
  }

  /** Paths of the code's own routes with their methods, for answers that list the methods of a path. */
  get paths(): RouteTable['paths'] {
    return this.#tables.flatMap(({ paths }) => paths);
  }

  /** Core routes and other routes of the code, in the order in which they are tried. */
  get described(): readonly DescribedRoute[] {
    const taken = new Set<string>();
    const { prefix, routes } = this.#parts;
    const tried = [...routes.filter(({ route }) => route.isAtRoot), ...routes.filter(({ route }) => !route.isAtRoot)];
    return tried.flatMap(({ route, endpoint, isTaken }) => {
      const free = describedRoutes(route, prefix).filter(({ method, path }) => {
        const place = `${method} ${path.toLowerCase().replaceAll(/\{\w+\}/g, '{}')}`;
        return !taken.has(place) && taken.add(place);
      });
      return endpoint.isClosed || !(route.core || isTaken()) ? [] : free;
    });
  }

  /** Whether middlewares of the project stand around all requests. */
  get isAround(): boolean {
    const { outer, inner } = this.#parts.stages();
    return outer.length + inner.length > 0;
  }

  /** The route by which code answers a request; undefined where the server does. */
  match(method: string, target: string): Matched | undefined {
    const found = this.#find(method, target.split('?', 1)[0]!);
    return found?.isTaken() ? found : undefined;
  }

  #find(method: string, path: string): MatchedRoute | undefined {
    for (const table of this.#tables) {
      const found = table.find(method, path);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Whether code answers a core action that reads, or its path, at the moment, or stands around all requests: a middleware
   * may refuse any path. An action without a core route is performed by routes of code alone.
   */
  standsBefore(type: ContentType, name: string): boolean {
    if (this.isAround) return true;
    const { prefix, routes } = this.#parts;
    const own = routes.filter(({ route: { core } }) => core?.type.uid === type.uid && core.name === name);
    return (
      own.length === 0 ||
      own.some(({ isTaken }) => isTaken()) ||
      this.match('GET', prefix + coreRoute(type, name).path) !== undefined
    );
  }

  /** Whether the caller must be identified before the body of a request is received. */
  asksFirst({ route }: Matched): boolean {
    const { auth } = route.written.config ?? {};
    return auth !== false && !hasStrategies(auth);
  }

  /** The actions that a caller of a route needs; undefined if the caller only has to be identified. */
  scopesOf({ route }: Matched): readonly string[] | undefined {
    return scopesOf(route);
  }

  /** Answers a request into its context. */
  answer(ctx: Context, matched: Matched | undefined, { identify, inner, ...telling }: Answering): Promise<void> {
    return this.#within(ctx, async () => {
      const { prefix } = this.#parts;
      setInside(ctx, async (own, target) => {
        await inner(own, target && { ...target, path: prefix + target.path });
      });
      const { method, path } = ctx.request;
      const last: Next = async () => {
        // a middleware may have sent the request elsewhere, where code may answer as well
        const isMoved = ctx.request.method !== method || ctx.request.path !== path;
        const found = isMoved ? this.match(ctx.request.method, ctx.request.path) : matched;
        this.#nameRoute(ctx, found ?? this.#find(ctx.request.method, ctx.request.path));
        if (found) return found.endpoint(ctx, found.params, { identify, refused: telling.refused });
        if (await inner(ctx)) throwRefusal(ctx);
        else ctx.response.open();
      };
      await this.#around(ctx, last, { telling, place: matched && wholePath(matched.route, prefix) });
    });
  }

  /** Sets the route that answers a request, for code. */
  #nameRoute(ctx: Context, found: Matched | undefined): void {
    if (!found) return;
    const { prefix } = this.#parts;
    const { route } = found;
    setRoute(ctx, wholePath(route, prefix), route.name);
  }

  /**
   * Answers a request that the server refuses before code receives it, within the same middlewares as in the reference:
   * an unreadable body passes through those before the body parser, any other refusal through all of them.
   */
  refuse(ctx: Context, refusal: ContentError, isOfBody: boolean, telling: Telling): Promise<void> {
    const last: Next = async () => {
      if (isOfBody) throw refusal;
      answerWith(ctx, errorAnswer(refusal.status, refusal.name, refusal.message, refusal.details));
    };
    return this.#within(ctx, () => this.#around(ctx, last, { telling, isOfBody }));
  }

  /** Runs the work of a request, which its unit of work contains. */
  #within(ctx: Context, work: () => Promise<void>): Promise<void> {
    const unit = UnitOfWork.current;
    return this.#parts.requests.run(ctx, () => (unit ? unit.during(work) : work()));
  }

  /** Has the middlewares of the project stand around an answer, which is that of an error where one is thrown. */
  async #around(
    ctx: Context,
    last: Next,
    { telling, place = ctx.request.path, isOfBody = false }: Around,
  ): Promise<void> {
    const { outer, inner, ahead } = this.#parts.stages();
    await composed(outer)(ctx, async () => {
      try {
        await composed(isOfBody ? inner.slice(0, ahead) : inner)(ctx, last);
        if (!ctx.response.isDecided && ctx.respond !== false) ctx.response.fail(404, 'Not Found');
      } catch (error) {
        this.#report(ctx, error, place, telling);
      }
    }).catch((error: unknown) => {
      const { errors } = this.#parts;
      if (errors.listenerCount('error') > 0) errors.emit('error', error, ctx);
      this.#report(ctx, error, place, telling);
    });
  }

  /** Answers with an error. */
  #report(ctx: Context, error: unknown, place: string, { failed, refused }: Telling): void {
    // the error that condemned a request answers and logs it
    if (UnitOfWork.current?.error !== undefined) return;
    if (error instanceof ContentError) {
      // its cause is for the log alone
      if (error.status >= 500 || error.cause !== undefined) throw error;
      refused(error);
      answerWith(ctx, errorAnswer(error.status, error.name, error.message, error.details));
      return;
    }
    const answer = answerOfError(error);
    if (answer) {
      answerWith(ctx, answer);
      return;
    }
    failed(new CodeError(error, `in ${ctx.request.method} ${place}`, this.#parts.loader));
    const { status, statusCode = status } = (error instanceof Error ? error : {}) as Record<string, unknown>;
    const known = typeof statusCode === 'number' && statusCode >= 400 && statusCode < 600 ? statusCode : 500;
    answerWith(ctx, errorAnswer(known, nameOfStatus(known), wordsOfStatus(known), undefined));
  }
}

/**
 * Throws a 400 of the server, as the reference throws an invalid request for middlewares to catch.
 *
 * @throws ContentError the error that was answered.
 */
function throwRefusal({ response }: Context): void {
  if (response.status !== 400) return;
  const { error } = (response.body ?? {}) as { error?: { name: ErrorName; message: string; details?: ErrorDetails } };
  if (error && catalogue[error.name] === 400) throw new ContentError(error.name, error.message, error.details);
}

function answerWith(ctx: Context, { status, body }: { readonly status: number; readonly body: unknown }): void {
  ctx.response.status = status;
  ctx.response.body = body;
}
