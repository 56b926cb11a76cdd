/**
 * What is answered before any route: preflights, `/_health`, and requests that no route takes. All of it before a body
 * is read: a wrong path or method comes before a wrong body (behaviour-media-access.md, "Access").
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../errors.ts';
import { addCommonHeaders, answerPreflight, isPreflight } from './headers.ts';
import type { PathTable } from './path-table.ts';
import { sendError } from './reply.ts';

/** Adds the hook that answers them, and the headers of every answer. */
export function answerUnrouted(server: FastifyInstance, paths: PathTable): void {
  server.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply);
    if (request.is404) answer(request, reply, paths);
    else done();
  });
  // The hook comes first; this keeps Fastify's own words out should it ever not.
  server.setNotFoundHandler((_request, reply) => sendError(reply, notFound()));
}

function answer(request: FastifyRequest, reply: FastifyReply, paths: PathTable): FastifyReply {
  if (isPreflight(request)) return answerPreflight(reply);
  if (/^\/_health\/?(?:\?|$)/i.test(request.url)) return reply.code(204).send();
  const allow = paths.allow(request.url);
  if (allow === undefined) return sendError(reply, notFound());
  reply.header('allow', allow);
  if (request.method === 'OPTIONS') return reply.send();
  return reply.code(405).type('text/plain; charset=utf-8').send('Method Not Allowed');
}
