/**
 * Entity tags (RFC 9110, sections 8.8.3 and 13.1). A document's is `"<version>.<hash>"`, the version being the newest
 * `updatedAt` (ms) of the document's rows in that locale and the hash the body's (docs/reference/extensions.md, "Entity
 * tags"). A list has no version to write against: its tag is weak, `W/"<checksum>"`, and made of checksums, which take
 * a third of the time that a hash takes: lists are long, and most callers never ask again.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Precondition } from '../../content/documents/write-request.ts';
import { documentEnvelope, type JsonBody, type OneText } from '../../content/reading/answers.ts';
import { type FileUrls, withoutMarks } from '../../content/reading/file-urls.ts';
import { endWithAddresses } from './cache-control.ts';
import { withoutCoding } from './compression.ts';
import { sendJson } from './reply.ts';

/**
 * Sends one document with its tag.
 *
 * @throws ContentError 404 when there is none.
 */
export function sendDocument(reply: FastifyReply, document: OneText<JsonBody> | undefined, status = 200): FastifyReply {
  const { body, tag, ends } = documentAnswer(reply.server.fileUrls, document);
  if (ends) endWithAddresses(reply);
  return sendJson(reply.header('etag', tag), body, status);
}

/** The body of a response with its tag. */
export interface TaggedAnswer {
  readonly body: JsonBody;
  readonly tag: string;
  /** True for an answer that must not be cached: signed addresses in it end, or what it lacks may be added. */
  readonly ends: boolean;
}

/**
 * The answer of one document.
 *
 * @throws ContentError 404 when there is none.
 */
export function documentAnswer(fileUrls: FileUrls | undefined, document: OneText<JsonBody> | undefined): TaggedAnswer {
  const body = documentEnvelope(document);
  const { digest, ends } = digestOf(fileUrls, body, sha1);
  return { body, tag: `"${document!.version ?? 0}.${digest}"`, ends };
}

/** The answer of a list. */
export function listAnswer(fileUrls: FileUrls | undefined, body: JsonBody): TaggedAnswer {
  const { digest, ends } = digestOf(fileUrls, body, checksum);
  return { body, tag: `W/"${digest}"`, ends };
}

/** Sends the answer of a read: without a body when the client has the very same answer already. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): FastifyReply {
  const { body, tag, ends } = answer;
  if (ends) endWithAddresses(reply);
  const header = request.headers['if-none-match'];
  const known = header === undefined ? undefined : knownTag(header, tag);
  if (known === undefined) return sendJson(reply.header('etag', tag), body);
  return reply.header('etag', known).code(304).send();
}

/**
 * The digest of an answer, addresses unsigned: it is the same in every process. Signed addresses end, so the tag of an
 * answer with signed addresses ends with the period that they are signed for, and neither a tag nor `Cache-Control`
 * lets a client cache the addresses of the last period.
 */
function digestOf(
  fileUrls: FileUrls | undefined,
  marked: JsonBody,
  digestBody: (body: JsonBody) => string,
): { readonly digest: string; readonly ends: boolean } {
  const { body, period } = withoutMarks(fileUrls, marked);
  const digest = digestBody(body);
  return period === '' ? { digest, ends: false } : { digest: `${digest}-${period}`, ends: true };
}

const sha1 = (body: JsonBody): string => hash('sha1', body, 'base64url');

/** The length and a checksum of each half. */
function checksum(body: JsonBody): string {
  const middle = body.length >>> 1;
  const half = (from: number, to: number) =>
    crc32(typeof body === 'string' ? body.slice(from, to) : body.subarray(from, to));
  const numbers = [body.length, half(0, middle), half(middle, body.length)];
  return numbers.map((number) => number.toString(36)).join('-');
}

/**
 * The tag in `If-None-Match` that matches an answer; undefined where none does. Weak tags match, and those of the
 * answer's other codings.
 */
export function knownTag(header: string, tag: string): string | undefined {
  const weak = tag.startsWith('W/') ? 'W/' : '';
  for (const word of header.split(',')) {
    const name = word.trim();
    if (name === '*') return tag;
    const opaque = name.replace(/^W\//, '');
    if (weak + opaque === tag || weak + withoutCoding(opaque) === tag) return weak + opaque;
  }
  return undefined;
}

/** The precondition of `If-Match`; undefined without one. Tags of another form match no version. */
export function preconditionOf(request: FastifyRequest): Precondition | undefined {
  const header = request.headers['if-match'];
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  return header.split(',').flatMap((word) => {
    const version = /^"(\d{1,16})\.[^"]*"$/.exec(word.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** The tags of `If-Match` (RFC 9110, 13.1.1) without codings; undefined without the header. */
export function tagsOf(header: string | undefined): readonly string[] | 'any' | undefined {
  return header?.trim() === '*' ? 'any' : header?.split(',').map((tag) => withoutCoding(tag.trim()));
}
