/** Sends responses of project code. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerWithUnread } from '../../../runtime/documents/unread-results.ts';
import type { Context } from '../../../runtime/requests/context.ts';
import { EMPTY_STATUSES } from '../../../runtime/requests/response.ts';
import { sendJson } from '../../protocol/reply.ts';

/** Headers that do not apply to the response that replaces an answer: about its bytes, and about caching. */
const OF_ANSWER =
  /^(?:content-(?!security-policy).*|accept-ranges|age|digest|etag|expires|last-modified|location|pragma|trailer|transfer-encoding|(?:.*-)?cache-control|surrogate-.*)$/;

/** Adds the headers and cookies that project code has set to an error response. */
export function keepHeaders(reply: FastifyReply, { response }: Context): void {
  for (const [name, value] of Object.entries(response.headers))
    if (!OF_ANSWER.test(name)) setHeader(reply, name, value);
}

/** Sets a header of project code. `Vary` is merged. */
function setHeader(reply: FastifyReply, name: string, value: string | string[]): void {
  if (name !== 'vary') return void reply.header(name, value);
  const known = String(reply.getHeader('vary') ?? '').split(/, */);
  const values = [value].flat().flatMap((one) => one.split(/, */));
  const all = [...known, ...values.filter((one) => known.every((other) => other.toLowerCase() !== one.toLowerCase()))];
  reply.header(name, all.filter((one) => one !== '').join(', '));
}

/**
 * Sends the response of a context.
 *
 * @param failed receives the error of a stream after the response has begun, which closes the connection.
 * @param isKnown whether the client has the answer already.
 */
export function sendAnswer(
  { method }: FastifyRequest,
  reply: FastifyReply,
  ctx: Context,
  { failed, isKnown = false }: { readonly failed: (error: Error) => void; readonly isKnown?: boolean | undefined },
): FastifyReply {
  if (ctx.respond === false || reply.raw.headersSent) return reply.hijack();
  const { response } = ctx;
  reply.code(response.status);
  for (const [name, value] of Object.entries(response.headers)) setHeader(reply, name, value);
  if (isKnown) return reply.code(304).removeHeader('content-type').removeHeader('content-length').send();
  const { json } = response;
  const type = response.has('content-type') ? String(response.get('content-type')) : undefined;
  if (json) return sendJson(reply, json.json, response.status, type);
  const { body } = response;
  if (EMPTY_STATUSES.has(response.status)) {
    if (body instanceof Readable) body.destroy();
    return reply.removeHeader('content-type').removeHeader('content-length').send();
  }
  if (body === undefined || body === null) return reply.type('text/plain; charset=utf-8').send(response.message);
  if (typeof body === 'string' || Buffer.isBuffer(body)) return reply.send(body);
  if (!(body instanceof Readable)) {
    return sendJson(reply, answerWithUnread(body) ?? jsonOf(ctx, body), response.status, type);
  }
  if (method === 'HEAD') {
    body.destroy();
    return reply.send('');
  }
  body.once('error', (error) => {
    if (reply.raw.headersSent) failed(new Error(`The stream of ${placeOf(ctx)} failed: ${error.message}`));
  });
  return reply.send(body);
}

/** @throws Error for a body that is not JSON. */
function jsonOf(ctx: Context, body: unknown): string {
  try {
    return JSON.stringify(body) ?? 'null';
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The body of ${placeOf(ctx)} cannot be written as JSON: ${message.split('\n', 1)[0]}`, {
      cause: error,
    });
  }
}

/** The name of the responding code for the log: the request, and the action if it has a name. */
function placeOf({ request: { method, path }, state }: Context): string {
  const { handler } = (state['route'] ?? {}) as { readonly handler?: unknown };
  return `${method} ${path}${typeof handler === 'string' ? ` (${handler})` : ''}`;
}
