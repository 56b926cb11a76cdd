/**
 * Entity tags of documents: `"<version>.<hash>"`, the version being the newest `updatedAt` (ms) of the document's rows
 * in that locale and the hash the body's (decisions.md, "ETag"; RFC 9110, sections 8.8.3 and 13.1).
 */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { JsonBody } from '../content/json-body.ts';
import type { Precondition } from '../content/precondition.ts';
import { documentEnvelope, type OneText } from '../content/reader.ts';
import { sendJson } from './reply.ts';

/**
 * Answers with one document and its tag.
 *
 * @throws ContentError 404 when there is none.
 */
export function sendDocument(reply: FastifyReply, document: OneText<JsonBody> | undefined, status = 200): FastifyReply {
  const body = documentEnvelope(document);
  return sendJson(reply.header('etag', tagOf(document!, body)), body, status);
}

/** Answers a read: without a body when the caller has the very same answer already. */
export function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  document: OneText<JsonBody> | undefined,
): FastifyReply {
  const known = request.headers['if-none-match'];
  if (known === undefined) return sendDocument(reply, document);
  const body = documentEnvelope(document);
  const tag = tagOf(document!, body);
  reply.header('etag', tag);
  return isKnown(known, tag) ? reply.code(304).send() : sendJson(reply, body);
}

function tagOf({ version = 0 }: OneText<JsonBody>, body: JsonBody): string {
  return `"${version}.${hash('sha1', body, 'base64url')}"`;
}

/** Whether `If-None-Match` names a tag. Weak ones count: the comparison is the weak one. */
function isKnown(header: string, tag: string): boolean {
  return header.split(',').some((word) => word.trim() === '*' || word.trim().replace(/^W\//, '') === tag);
}

/** What `If-Match` asks for; undefined without one. Tags that are not of our form are of no version. */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  return header.split(',').flatMap((word) => {
    const version = /^"(\d{1,16})\.[^"]*"$/.exec(word.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}
