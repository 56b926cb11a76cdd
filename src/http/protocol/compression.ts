/**
 * Compression of answers: gzip and brotli, off the main thread, for those who ask (RFC 9110, sections 8.4 and 12.5.3).
 * Callers are known by a header that no browser adds by itself, apart from the cookie of a refresh token, which counts
 * for no page of another site that the configuration does not name: no other site can have a victim's browser ask for
 * answers whose lengths would reveal something (BREACH).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CompressionConfig } from '../../config/config.ts';
import { LruCache } from '../../lru-cache.ts';
import { addVary } from './headers.ts';

type Encode = (body: Buffer) => Promise<Buffer>;

/** Forms of `Accept-Encoding` remembered. */
const HEADERS = 100;
/** Longer ones are read each time. */
const HEADER_LENGTH = 200;

const COMPRESSIBLE = /^(?:application\/(?:[\w.+-]+\+)?json|text\/)/;

export class Compression {
  readonly #threshold: number;
  /** Codings in the order of preference. */
  readonly #encoders: ReadonlyMap<string, Encode>;
  readonly #chosen = new LruCache<string, string>(HEADERS);

  constructor({ threshold, gzip: level, brotli: quality }: CompressionConfig) {
    this.#threshold = threshold;
    this.#encoders = new Map([
      ...(quality === undefined ? [] : [['br', brotliOf(quality)] as const]),
      ...(level === undefined ? [] : [['gzip', gzipOf(level)] as const]),
    ]);
  }

  /**
   * What to send instead of a body; undefined: the body as it is. Sets the headers that go with either. The entity tag
   * of a compressed answer ends in the coding: strong tags distinguish codings (RFC 9110, section 8.8.3.3).
   */
  apply(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<Buffer | undefined> | undefined {
    if (reply.statusCode === 304) addVary(reply, 'Accept-Encoding');
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return undefined;
    if (body.length < this.#threshold || reply.hasHeader('content-encoding')) return undefined;
    if (!COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return undefined;
    if (/\bno-transform\b/i.test(String(reply.getHeader('cache-control')))) return undefined;
    addVary(reply, 'Accept-Encoding');
    const header = request.headers['accept-encoding'];
    if (header === undefined) return undefined;
    const coding = this.#codingOf(Array.isArray(header) ? header.join() : header);
    const encode = this.#encoders.get(coding);
    return encode && this.#encoded(reply, body, coding, encode);
  }

  async #encoded(
    reply: FastifyReply,
    body: string | Buffer,
    coding: string,
    encode: Encode,
  ): Promise<Buffer | undefined> {
    const plain = typeof body === 'string' ? Buffer.from(body) : body;
    const encoded = await encode(plain);
    if (encoded.length >= plain.length) return undefined;
    reply.header('content-encoding', coding).removeHeader('content-length');
    const tag = reply.getHeader('etag');
    if (typeof tag === 'string' && tag.startsWith('"')) reply.header('etag', `${tag.slice(0, -1)}-${coding}"`);
    return encoded;
  }

  #codingOf(header: string): string {
    const known = this.#chosen.get(header);
    if (known !== undefined) return known;
    const coding = chooseCoding(header, [...this.#encoders.keys()]);
    if (header.length <= HEADER_LENGTH) this.#chosen.set(header, coding);
    return coding;
  }
}

/**
 * The coding that an `Accept-Encoding` prefers of those that there are, in our order of preference; `identity` where
 * it takes none of them.
 */
export function chooseCoding(header: string, supported: readonly string[]): string {
  const valid = header.split(',').filter((part) => !WRONG_WEIGHT.test(part));
  const headers = { 'accept-encoding': valid.join().replace(/\bx-gzip\b/gi, 'gzip') };
  const known = [...supported, 'identity'];
  const negotiator = new Negotiator({ headers }) as unknown as { encodings: Preferring };
  return negotiator.encodings(known, { preferred: known })[0] ?? 'identity';
}

/** What the library's types do not know yet. */
type Preferring = (available: string[], options: { preferred: string[] }) => string[];

/** Parts that do not count: with a weight that is not a number from 0 to 1 (RFC 9110, section 12.4.2). */
const WRONG_WEIGHT = /;\s*q\s*=(?!\s*(?:0(?:\.\d*)?|1(?:\.0*)?)\s*(?:;|$))/i;

/** The tag without the coding that compression put at its end. */
export function withoutCoding(tag: string): string {
  return tag.replace(/-(?:br|gzip)"$/, '"');
}

const asyncGzip = promisify<Buffer, object, Buffer>(gzip);
const asyncBrotli = promisify<Buffer, object, Buffer>(brotliCompress);

function gzipOf(level: number): Encode {
  return (body) => asyncGzip(body, { level });
}

function brotliOf(quality: number): Encode {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = constants;
  return (body) =>
    asyncBrotli(body, {
      params: {
        [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT,
        [BROTLI_PARAM_QUALITY]: quality,
        [BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    });
}
