/** How routes are told: each path with its methods; every other method of a known path is a 405 with `Allow`. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteHandlerMethod } from 'fastify';
import type { RawObject } from '../query/params.ts';
import { parseParams } from '../query/params.ts';
import type { Caller } from '../users/callers.ts';

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
}

/** Answers a call. Throws ContentError to refuse it. */
export type Handler = (call: Call) => Promise<FastifyReply>;

export interface Route {
  /** Below the API's prefix, with `:name` for parameters. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', Handler>>>;
}

const ALL: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Registers routes. Of two with one path the first wins: a project's own types come before built-in endpoints. */
export function addRoutes(
  server: FastifyInstance,
  prefix: string,
  routes: readonly Route[],
  wrap: (handler: Handler) => RouteHandlerMethod,
): void {
  const taken = new Set<string>();
  for (const { path, methods } of routes) {
    const url = prefix + path;
    const shape = url.toLowerCase().replaceAll(/:[a-z]+/g, ':');
    if (taken.has(shape)) continue;
    taken.add(shape);
    for (const [method, handler] of Object.entries(methods)) {
      server.route({ method: method as HTTPMethods, url, handler: wrap(handler), exposeHeadRoute: true });
    }
    const allowed = ALL.filter((method) => method in methods || (method === 'HEAD' && 'GET' in methods));
    const allow = allowed.join(', ');
    const others = ALL.filter((method) => !allowed.includes(method) && method !== 'OPTIONS');
    server.route({
      method: others,
      url,
      exposeHeadRoute: false,
      handler: (_request, reply) =>
        reply.code(405).header('allow', allow).type('text/plain; charset=utf-8').send('Method Not Allowed'),
    });
    server.route({ method: 'OPTIONS', url, handler: (_request, reply) => reply.header('allow', allow).send() });
  }
}

/**
 * The parameters of a call's query string.
 *
 * @throws ContentError 400 when it cannot be read.
 */
export function paramsOf(request: FastifyRequest): RawObject {
  return parseParams((request.query as { text: string }).text ?? '');
}

/** A path parameter. */
export function pathParam(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name]!;
}
