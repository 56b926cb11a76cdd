/**
 * Compression of responses with gzip and brotli, off the main thread, on request (RFC 9110, sections 8.4 and 12.5.3).
 * Callers are identified by a header that no browser adds by itself. The cookie of a refresh token counts only for
 * pages of the configured sites. So no other site can have a victim's browser request responses whose lengths reveal
 * something (BREACH).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CompressionConfig } from '../../config/config.ts';
import { LruCache } from '../../lru-cache.ts';
import { addVary } from './headers.ts';

type Encode = (body: Buffer) => Promise<Buffer>;

/** Cached values of `Accept-Encoding`. */
const HEADERS = 100;
/** Longer values are parsed each time. */
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
   * The compressed body; undefined where the body is sent as it is. Sets the headers for both. The entity tag of a
   * compressed response ends in the coding: strong tags distinguish codings (RFC 9110, section 8.8.3.3).
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
 * The coding that an `Accept-Encoding` prefers, in the server's order of preference; `identity` where it accepts none.
 */
export function chooseCoding(header: string, supported: readonly string[]): string {
  const valid = header.split(',').filter((part) => !WRONG_WEIGHT.test(part));
  const headers = { 'accept-encoding': valid.join().replace(/\bx-gzip\b/gi, 'gzip') };
  const known = [...supported, 'identity'];
  const negotiator = new Negotiator({ headers }) as unknown as { encodings: Preferring };
  return negotiator.encodings(known, { preferred: known })[0] ?? 'identity';
}

/** Options that the library's types lack. */
type Preferring = (available: string[], options: { preferred: string[] }) => string[];

/** Parts that are ignored: with a weight that is not a number from 0 to 1 (RFC 9110, section 12.4.2). */
const WRONG_WEIGHT = /;\s*q\s*=(?!\s*(?:0(?:\.\d*)?|1(?:\.0*)?)\s*(?:;|$))/i;

/** The tag without the coding that compression added. */
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
