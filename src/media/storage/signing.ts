/**
 * Signed addresses of a private bucket: signatures of version 4 in the query
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html). They are computed here, without the
 * store, and everything but the object's name once for many: a list may contain hundreds.
 *
 * Time is divided into periods of a minute, and signatures have the time of its beginning: an address is a minute old
 * at most when it is handed out, so that it lives as long as the configuration says (docs/reference/limits.md), and
 * within that minute it is the same in every process, which saves signatures and lets entity tags stand. Lifetimes of
 * less than two minutes are cut in half instead.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';
import type { S3Config, S3Credentials } from '../../config/config.ts';
import type { FileUrls } from '../../content/reading/file-urls.ts';
import { LruCache, textWeight } from '../../lru-cache.ts';
import { encodePath, type S3Address, s3Names } from './s3-address.ts';
import type { CurrentCredentials } from './s3-credentials.ts';

/** The greatest age of an address in seconds when it is sent. */
const OLDEST = 60;

/** Cached signed addresses of the current period. */
const SIGNED = 10_000;

const ALGORITHM = 'AWS4-HMAC-SHA256';

export interface SigningContext {
  readonly config: S3Config;
  readonly address: S3Address;
  readonly credentials: CurrentCredentials;
  /** Epoch milliseconds; default: `Date.now`. */
  readonly now?: () => number;
}

/** What all signatures of a period share. */
interface Period {
  readonly name: string;
  /** Epoch seconds. */
  readonly start: number;
  readonly credentials: S3Credentials;
  /** `20260102T030405Z` */
  readonly date: string;
  /** The scope of a signature: day, region and service. */
  readonly scope: string;
  readonly key: Buffer;
  /** The query without signature, encoded and in order. */
  readonly query: string;
}

/** Signs addresses of one bucket. */
export class UrlSigner {
  readonly #context: SigningContext;
  readonly #now: () => number;
  /** Seconds of a period. */
  readonly #length: number;
  readonly #signed = new LruCache<string, string>(
    SIGNED,
    textWeight((url, signed) => url.length + signed.length),
  );
  #period: Period | undefined;

  constructor(context: SigningContext) {
    this.#context = context;
    this.#now = context.now ?? Date.now;
    this.#length = Math.min(OLDEST, Math.max(1, Math.floor(context.config.signedUrlExpires / 2)));
  }

  /** Signs an address of the bucket; other addresses are returned unchanged. */
  sign(url: string): string {
    const period = this.#current();
    const cached = this.#signed.get(url);
    if (cached !== undefined) return cached;
    const name = this.#context.address.nameToSign(url);
    if (name === undefined) return url;
    const { origin, path } = this.#context.address.requestOf(name);
    const host = origin.slice(origin.indexOf('//') + 2);
    const request = ['GET', path, period.query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
    const text = [ALGORITHM, period.date, period.scope, hash('sha256', request)].join('\n');
    const signature = createHmac('sha256', period.key).update(text).digest('hex');
    const signed = `${origin}${path}?${period.query}&X-Amz-Signature=${signature}`;
    this.#signed.set(url, signed);
    return signed;
  }

  /** Identifies the time in which `sign` returns the same; it changes with each period and with new keys. */
  period(): string {
    return this.#current().name;
  }

  #current(): Period {
    const seconds = Math.floor(this.#now() / 1000);
    const start = seconds - (seconds % this.#length);
    const credentials = this.#context.credentials.value;
    if (this.#period?.start === start && this.#period.credentials === credentials) return this.#period;
    this.#signed.clear();
    this.#period = periodOf(this.#context.config, credentials, start);
    return this.#period;
  }
}

function periodOf({ region, signedUrlExpires }: S3Config, credentials: S3Credentials, start: number): Period {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const date = new Date(start * 1000).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const parts = [date.slice(0, 8), region, 's3', 'aws4_request'];
  const scope = parts.join('/');
  const key = parts.reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  ) as Buffer;
  const parameters = [
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${accessKeyId}/${scope}`],
    ['X-Amz-Date', date],
    ['X-Amz-Expires', String(signedUrlExpires)],
    ...(sessionToken === undefined ? [] : [['X-Amz-Security-Token', sessionToken]]),
    ['X-Amz-SignedHeaders', 'host'],
  ];
  const query = parameters.map(([name, value]) => `${name}=${encodeText(value!)}`).join('&');
  const name = `${start.toString(36)}-${hash('sha256', accessKeyId).slice(0, 6)}`;
  return { name, start, credentials, date, scope, key, query };
}

/** Encodes text for a query: as for a path, including slashes. */
const encodeText = (text: string): string => encodePath(text).replaceAll('/', '%2F');

/** Marks and signs the addresses of a private bucket. The token is new in every process and never leaves it. */
export function fileUrlsOf({ config, address }: SigningContext, signer: UrlSigner): FileUrls {
  const token = `galley-${randomBytes(24).toString('base64url')}:`;
  return {
    marks: { token, providers: s3Names(config), bases: address.bases },
    sign: (url) => signer.sign(url),
    period: () => signer.period(),
  };
}
