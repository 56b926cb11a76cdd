/**
 * An S3 server on loopback: `s3rver` behind a door that checks what `s3rver` does not, signatures of version 4 in
 * headers and in addresses, their lifetime, and who may read. It computes signatures by itself, from
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const S3rver = createRequire(import.meta.url)('s3rver') as new (
  options: object,
) => {
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
  readonly logger: { exceptions: { unhandle(): void }; close(): void };
};

export const BUCKET = 'library';
/** The key pair that `s3rver` knows. */
const ACCESS_KEY = 'S3RVER';
const SECRET_KEY = 'S3RVER';

/** One request that reached the server. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  /** How it was signed. */
  readonly signed: 'header' | 'address' | 'not';
}

export interface S3Server {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  /** Environment variables of a project that stores its files here. */
  env(more?: Readonly<Record<string, string>>): Record<string, string>;
  readonly requests: SeenRequest[];
  /** Requests for which it gives true are answered with this status. */
  refuse: (request: SeenRequest) => number | undefined;
  /** Moves the server's clock forward, by which signatures end. */
  advance(seconds: number): void;
  /** Names of all objects, sorted. */
  names(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts a server with one empty bucket, which anybody may read if it is `public`. */
export async function startS3(access: 'public' | 'private'): Promise<S3Server> {
  const directory = await mkdtemp(path.join(tmpdir(), 'galley-s3-'));
  const buckets = [{ name: BUCKET, configs: [] }];
  const s3 = new S3rver({ silent: true, directory, vhostBuckets: false, configureBuckets: buckets });
  await s3.configureBuckets();
  const serve = s3.callback();
  let ahead = 0;
  const state: S3Server = {
    endpoint: '',
    requests: [],
    refuse: () => undefined,
    env: (more = {}) => ({
      S3_BUCKET: BUCKET,
      S3_ENDPOINT: state.endpoint,
      S3_REGION: 'eu-test-1',
      S3_ACCESS_KEY_ID: ACCESS_KEY,
      S3_SECRET_ACCESS_KEY: SECRET_KEY,
      ...(access === 'private' ? { S3_PRIVATE: 'true' } : {}),
      ...more,
    }),
    advance(seconds) {
      ahead += seconds * 1000;
    },
    names: async () => {
      const files = await readdir(path.join(directory, BUCKET), { recursive: true });
      const ending = '._S3rver_object';
      return files
        .filter((file) => file.endsWith(ending))
        .map((file) => file.slice(0, -ending.length))
        .sort();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      s3.logger.exceptions.unhandle();
      s3.logger.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const { signed, allowed } = check(request, Date.now() + ahead);
    const seen = { method, target: url, headers, signed };
    state.requests.push(seen);
    const status = state.refuse(seen);
    const reading = access === 'public' && signed === 'not' && (method === 'GET' || method === 'HEAD');
    if (status !== undefined) refuse(request, response, status);
    else if (!allowed && !(reading && new RegExp(`^/${BUCKET}/[^?]`).test(url))) refuse(request, response, 403);
    else serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  Object.assign(state, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return state;
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  const code = status === 403 ? 'AccessDenied' : 'InternalError';
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

/** How a request is signed, and whether the signature is right and not too old. */
function check(request: IncomingMessage, now: number): { signed: SeenRequest['signed']; allowed: boolean } {
  const url = new URL(request.url!, 'http://x');
  const authorization = request.headers.authorization;
  if (authorization !== undefined) {
    const parts = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(authorization);
    const [, credential = '', signedHeaders = '', signature = ''] = parts ?? [];
    const date = String(request.headers['x-amz-date']);
    const payload = String(request.headers['x-amz-content-sha256']);
    const fresh = Math.abs(now - timeOf(date)) < 15 * 60_000;
    const expected = signatureOf(request, [...url.searchParams], { credential, signedHeaders, date, payload });
    return { signed: 'header', allowed: fresh && equal(signature, expected) };
  }
  const signature = url.searchParams.get('X-Amz-Signature');
  if (signature === null) return { signed: 'not', allowed: false };
  const parameter = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? '';
  const date = parameter('Date');
  const expires = Number(parameter('Expires'));
  const alive = timeOf(date) <= now && now <= timeOf(date) + expires * 1000 && expires <= 604_800;
  const expected = signatureOf(
    request,
    [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature'),
    {
      credential: parameter('Credential'),
      signedHeaders: parameter('SignedHeaders'),
      date,
      payload: 'UNSIGNED-PAYLOAD',
    },
  );
  const known = parameter('Algorithm') === 'AWS4-HMAC-SHA256';
  return { signed: 'address', allowed: known && alive && equal(signature, expected) };
}

interface Signing {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly date: string;
  readonly payload: string;
}

function signatureOf(
  request: IncomingMessage,
  query: readonly (readonly [string, string])[],
  { credential, signedHeaders, date, payload }: Signing,
): string {
  const [key, day = '', region = '', service = ''] = credential.split('/');
  if (key !== ACCESS_KEY) return '';
  const pathname = request.url!.split('?', 1)[0]!;
  const canonical = [
    request.method,
    pathname
      .split('/')
      .map((part) => encoded(decodeURIComponent(part)))
      .join('/'),
    query
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join('&'),
    ...signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    signedHeaders,
    payload,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const hmac = (secret: string | Buffer, value: string) => createHmac('sha256', secret).update(value).digest();
  const signingKey = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  return hmac(signingKey, text).toString('hex');
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** `20260102T030405Z` */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const equal = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
