/**
 * Entity tags (RFC 9110, sections 8.8.3 and 13.1). A document's is `"<version>.<hash>"`, the version being the newest
 * `updatedAt` (ms) of the document's rows in that locale and the hash the body's (docs/reference/extensions.md, "Entity
 * tags"). A list has no version to write against: its tag is weak, `W/"<checksum>"`, and made of checksums, which take
 * a third of the time that a hash takes: lists are long, and most callers never ask again.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Precondition } from '../../content/documents/precondition.ts';
import { documentEnvelope, type OneText } from '../../content/reading/answers.ts';
import { withoutMarks } from '../../content/reading/file-urls.ts';
import type { JsonBody } from '../../content/reading/json-body.ts';
import { endWithAddresses } from './cache-control.ts';
import { withoutCoding } from './compression.ts';
import { sendJson } from './reply.ts';

/**
 * Answers with one document and its tag.
 *
 * @throws ContentError 404 when there is none.
 */
export function sendDocument(reply: FastifyReply, document: OneText<JsonBody> | undefined, status = 200): FastifyReply {
  const { body, tag } = taggedDocument(reply, document);
  return sendJson(reply.header('etag', tag), body, status);
}

/** The answer of a read with its tag. */
export interface TaggedAnswer {
  readonly body: JsonBody;
  readonly tag: string;
  /** Whether addresses in it are signed, and end. */
  readonly ends: boolean;
}

/**
 * The answer of one document.
 *
 * @throws ContentError 404 when there is none.
 */
export function taggedDocument(reply: FastifyReply, document: OneText<JsonBody> | undefined): TaggedAnswer {
  const body = documentEnvelope(document);
  const { digest, ends } = digestOf(reply, body, sha1);
  return { body, tag: documentTag(document!, digest), ends };
}

/**
 * The answer of one document where no addresses are signed.
 *
 * @throws ContentError 404 when there is none.
 */
export function documentTagged(document: OneText<JsonBody> | undefined): TaggedAnswer {
  const body = documentEnvelope(document);
  return { body, tag: documentTag(document!, sha1(body)), ends: false };
}

/** The answer of a list. */
export function taggedList(reply: FastifyReply, body: JsonBody): TaggedAnswer {
  const { digest, ends } = digestOf(reply, body, checksum);
  return { body, tag: listTag(digest), ends };
}

/** The answer of a list where no addresses are signed. */
export function listTagged(body: JsonBody): TaggedAnswer {
  return { body, tag: listTag(checksum(body)), ends: false };
}

/** Sends the answer of a read: without a body when the caller has the very same answer already. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, { body, tag }: TaggedAnswer): FastifyReply {
  const header = request.headers['if-none-match'];
  const known = header === undefined ? undefined : knownTag(header, tag);
  if (known === undefined) return sendJson(reply.header('etag', tag), body);
  return reply.header('etag', known).code(304).send();
}

const listTag = (digest: string): string => `W/"${digest}"`;
const documentTag = ({ version = 0 }: OneText<JsonBody>, digest: string): string => `"${version}.${digest}"`;

/**
 * The digest of an answer, addresses unsigned: it is the same in every process. Signed addresses end, so the tag of an
 * answer that has some ends with the period that they are signed for, and nobody is told to keep addresses of the last:
 * neither by a tag nor by `Cache-Control`.
 */
function digestOf(
  reply: FastifyReply,
  marked: JsonBody,
  digestBody: (body: JsonBody) => string,
): { readonly digest: string; readonly ends: boolean } {
  const { body, period } = withoutMarks(reply.server.fileUrls, marked);
  const digest = digestBody(body);
  if (period === '') return { digest, ends: false };
  endWithAddresses(reply);
  return { digest: `${digest}-${period}`, ends: true };
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
 * The tag by which `If-None-Match` names an answer, undefined when it names others. Weak tags count, and those of the
 * answer's other codings: what they name is the same.
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
