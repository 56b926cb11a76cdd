/** Runs handlers: looks up the caller, waits for the caller's turn, and checks rights before a body is read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireSome } from '../../access/authorize.ts';
import { chain } from '../../chain.ts';
import { identified, onAccount, onAccountOf } from '../../db/interface/account.ts';
import type { Caller, ContextOf } from '../../users/sessions/callers.ts';
import { labelOf } from '../monitoring/request-names.ts';
import { networkOf } from '../protocol/account-limits.ts';
import { accountKey, actorOf, type CallerLimit } from '../protocol/caller-limit.ts';
import type { ContentReads } from '../reads/content-reads.ts';
import { contextOf, type ProjectRoutesContext } from './code/project-routes.ts';
import type { HttpContext } from './context.ts';
import type { Call, ContentRead, Guarded, Handler, Wrapped } from './routes.ts';

/** The account of the address that a request comes from. */
const NOBODY = { userId: undefined, token: undefined };

const addressAccount = ({ ip }: FastifyRequest): string => `ip ${networkOf(ip)}`;

export class Calls {
  readonly #context: HttpContext;
  readonly #limit: CallerLimit | undefined;

  /** @param limit counts the requests of each caller; undefined without a limit. */
  constructor(context: HttpContext, limit: CallerLimit | undefined) {
    this.#context = context;
    this.#limit = limit;
  }

  /**
   * Wraps an entry of a route for Fastify. Where there is a body, the caller is looked up and counted before it is read,
   * and refused without the right to send it; and looked up again behind it, since a body may take long to arrive.
   */
  wrap(entry: Handler | Guarded | ContentRead, reads: ContentReads): Wrapped {
    if (typeof entry === 'function' || 'respond' in entry) {
      const handler: Handler = typeof entry === 'function' ? entry : (call) => reads.respond(entry, call);
      return {
        handler: (request, reply) => {
          const sent = chain(this.identify(request, reply), (caller) => this.#run(handler, { request, reply, caller }));
          return sent instanceof Promise ? sent : undefined;
        },
      };
    }
    const { needs, before, handler } = entry;
    return {
      onRequest: async (request, reply) => {
        requireSome((await this.identify(request, reply)).grants, needs);
        await before?.(request, reply);
      },
      handler: async (request, reply) => {
        const caller = await this.#lookUp(request, reply, undefined);
        requireSome(caller.grants, needs);
        return this.#run(handler, { request, reply, caller });
      },
    };
  }

  /**
   * Looks the caller up and counts the request. The lookup is done on the account of the address.
   *
   * @throws ContentError 401 for credentials that are not valid, 429 beyond the limit.
   */
  identify(request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller> {
    return this.#lookUp(request, reply, this.#limit);
  }

  #lookUp(request: FastifyRequest, reply: FastifyReply, limit: CallerLimit | undefined): Caller | Promise<Caller> {
    const { callers } = this.#context;
    const { authorization } = request.headers;
    const cached = limit ? undefined : callers.known(authorization);
    if (cached) return cached;
    const contextMaker = this.#contextMaker(request, reply);
    return onAccountOf(addressAccount(request), () =>
      limit ? limit.identify(request, reply, callers, contextMaker) : callers.identify(authorization, contextMaker),
    );
  }

  #run(handler: Handler, { request, reply, caller }: Omit<Call, 'viewer'>): FastifyReply | Promise<FastifyReply> {
    const { views, http } = this.#context;
    const key = accountKey(caller, () => request.ip);
    const begin = () => {
      const call = { request, reply, caller, viewer: views.viewer(caller.grants, { userId: caller.userId }) };
      return onAccount({ key, actor: actorOf(caller, request) }, () => this.#withCode(call, handler));
    };
    const turn = http.admission.wait(key);
    // clients that have disconnected while waiting are not served
    return turn ? turn.then(() => (request.raw.socket.destroyed ? reply.hijack() : begin())) : begin();
  }

  /** Runs a handler in a context that project code can ask for. */
  #withCode(call: Call, handler: Handler): FastifyReply | Promise<FastifyReply> {
    const { running, config } = this.#context;
    if (!running) return handler(call);
    const { request, reply, caller, viewer } = call;
    const { method, originalUrl: url, headers, ip, protocol, host, body = {}, raw } = request;
    const parts = { method, url, headers, ip, protocol, host, body, raw, ...running.answers.ofContexts };
    const path = (labelOf(request) ?? '').slice(config.rest.prefix.length);
    const params = request.params as Record<string, string>;
    const builtIn = { parts, response: reply.raw, params, path, calling: { caller, viewer } };
    return running.builtIn.answer(builtIn, async () => handler(call));
  }

  /** What creates the context of a request for project code that looks callers up; undefined where no code runs. */
  #contextMaker(request: FastifyRequest, reply: FastifyReply): ContextOf | undefined {
    const { running } = this.#context;
    return running && (() => contextOf(request, reply, { body: request.body ?? {}, ...running.answers.ofContexts }));
  }

  /** What routes of project code use. */
  forProjectRoutes(): ProjectRoutesContext {
    const { callers, views, media, http } = this.#context;
    const limit = this.#limit;
    return {
      log: http.log,
      media,
      identify: async (request, reply, as) => {
        const contextMaker = this.#contextMaker(request, reply);
        const identify = (): Promise<Caller> => {
          if (as === 'public') return callers.identify(undefined);
          if (limit) return limit.identify(request, reply, callers, contextMaker);
          return callers.identify(request.headers.authorization, contextMaker);
        };
        const caller = await identify();
        identified(actorOf(caller, request));
        return { caller, viewer: views.viewer(caller.grants, { userId: caller.userId }) };
      },
      count: async (request, reply) => limit?.count(request, reply),
      inTurn: async (request, reply, work) => {
        await http.admission.wait(addressAccount(request));
        if (request.raw.socket.destroyed) return reply.hijack();
        const actor = actorOf(NOBODY, request);
        return onAccount({ key: addressAccount(request), actor }, work);
      },
    };
  }
}
