/**
 * The headers and the entity tag of this API's answers, for a yardstick that is to send them as well, and to look whether
 * whoever asks may have the answer.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The variable of a handler's environment that asks for them: `Given` as JSON. */
const HEADERS_VARIABLE = 'BENCH_ANSWER_HEADERS';

interface Given {
  /** Headers that each answer has, as Galley sends them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The credentials of the caller who may read. */
  readonly authorization: string;
}

/** Headers that are each answer's own, or that whoever sends it adds. */
const OWN = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'etag', 'keep-alive'],
  ...['transfer-encoding', 'x-request-id'],
]);

/** What a handler is started with to send the headers of an answer of Galley. */
export async function headersOf(url: string, authorization: string): Promise<Record<string, string>> {
  const answer = await fetch(url, { headers: { authorization, 'accept-encoding': 'identity' } });
  await answer.arrayBuffer();
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN.has(name)));
  return { [HEADERS_VARIABLE]: JSON.stringify({ headers, authorization } satisfies Given) };
}

/** How a handler sends its answers. */
export interface Sender {
  /** Whether answers have entity tags. */
  readonly tags: boolean;
  /** Whether a request may be answered. To be asked before anything is read. */
  readonly admits: (request: FastifyRequest) => boolean;
  /** @param version of a document, in milliseconds; lists have none. */
  readonly send: (reply: FastifyReply, body: string, version?: number) => FastifyReply;
}

/** The sender that the environment asks for. @param look gives another value once somebody may have changed grants. */
export function senderOf(look?: () => unknown): Sender {
  const text = process.env[HEADERS_VARIABLE];
  if (text === undefined) {
    const send = (reply: FastifyReply, body: string) =>
      reply.header('content-type', 'application/json; charset=utf-8').send(body);
    return { tags: false, admits: () => true, send };
  }
  const { headers, authorization } = JSON.parse(text) as Given;
  const all = { ...headers, 'content-type': 'application/json; charset=utf-8' };
  const readGrants = () => new Map([[authorization, new Set(['find', 'findOne'])]]);
  let grants = readGrants();
  let seen: unknown;
  let count = 0;
  return {
    tags: true,
    admits: (request) => {
      const now = look?.();
      if (now !== seen) {
        seen = now;
        grants = readGrants();
      }
      const action = request.url.startsWith('/single') ? 'findOne' : 'find';
      return grants.get(request.headers.authorization ?? '')?.has(action) ?? false;
    },
    send: (reply, body, version) => {
      count++;
      const tag = version === undefined ? `W/"${checksum(body)}"` : `"${version}.${hash('sha1', body, 'base64url')}"`;
      return reply
        .headers(all)
        .header('x-request-id', `by-hand-${count.toString(36)}`)
        .header('etag', tag)
        .send(body);
    },
  };
}

/** As Galley makes the tags of lists. */
function checksum(body: string): string {
  const middle = body.length >>> 1;
  return [body.length, crc32(body.slice(0, middle)), crc32(body.slice(middle))].map((n) => n.toString(36)).join('-');
}
