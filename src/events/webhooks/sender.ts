/** Sends one request to a webhook. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage, RequestOptions } from 'node:http';
import type { WebhooksConfig } from '../../config/config.ts';
import { lookUpPublic, requirePublic } from './addresses.ts';
import type { Webhook } from './webhook.ts';

/** Bytes of an answer that are read and kept. */
const KEPT = 2048;

export interface Message {
  /** The same for every attempt. */
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

/** The result of a request. */
export interface Sent {
  /** Whether the status of the answer is 2xx. */
  readonly ok: boolean;
  /** Undefined if there is no answer. */
  readonly status: number | undefined;
  /** The beginning of the answer, or why there is none. */
  readonly answer: string;
  readonly milliseconds: number;
}

/**
 * Sends a message. Redirects are not followed. It never rejects: an error becomes the answer.
 *
 * @param signal aborts the request.
 */
export async function send(
  webhook: Pick<Webhook, 'url' | 'headers' | 'secret'>,
  message: Message,
  config: WebhooksConfig,
  signal?: AbortSignal,
): Promise<Sent> {
  const start = performance.now();
  const took = () => Math.round(performance.now() - start);
  try {
    const limit = AbortSignal.timeout(config.timeout);
    const { status, answer } = await post(webhook, message, config, signal ? AbortSignal.any([limit, signal]) : limit);
    return { ok: status >= 200 && status < 300, status, answer, milliseconds: took() };
  } catch (error) {
    return { ok: false, status: undefined, answer: reasonOf(error, config), milliseconds: took() };
  }
}

/** Sends a test request, like the reference's `trigger-test`. It never rejects. */
export function sendTest(webhook: Webhook, config: WebhooksConfig): Promise<Sent> {
  const event = 'trigger-test';
  const body = JSON.stringify({ event, createdAt: new Date().toISOString() });
  return send(webhook, { id: `${webhook.id}-test-${Date.now()}`, event, body }, config);
}

async function post(
  { url: address, headers, secret }: Pick<Webhook, 'url' | 'headers' | 'secret'>,
  message: Message,
  config: WebhooksConfig,
  signal: AbortSignal,
): Promise<{ status: number; answer: string }> {
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('not an address of http or https');
  if (!config.allowPrivateNetworks) requirePublic(url.hostname);
  const body = Buffer.from(message.body);
  const options: RequestOptions = {
    method: 'POST',
    signal,
    // no connection is reused: the address may have changed since it was opened
    agent: false,
    ...(config.allowPrivateNetworks ? {} : { lookup: lookUpPublic }),
    headers: {
      'user-agent': 'Galley',
      ...lowerCase(config.defaultHeaders),
      ...lowerCase(headers),
      'x-strapi-event': message.event,
      'content-type': 'application/json',
      'content-length': body.length,
      ...signatureOf(message, secret, Math.floor(Date.now() / 1000)),
    },
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const node = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const request = node.request(url, options, resolve);
  request.on('error', reject);
  request.end(body);
  try {
    const response = await promise;
    return { status: response.statusCode ?? 0, answer: await beginningOf(response) };
  } finally {
    request.destroy();
  }
}

/**
 * Headers with which a webhook can verify the sender and detect repeated requests: https://www.standardwebhooks.com. The
 * signature is the HMAC-SHA256 of id, time and body, joined by dots.
 */
export function signatureOf(
  { id, body }: Pick<Message, 'id' | 'body'>,
  secret: string | undefined,
  seconds: number,
): Record<string, string> {
  const named = { 'webhook-id': id, 'webhook-timestamp': String(seconds) };
  if (secret === undefined) return named;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { ...named, 'webhook-signature': `v1,${signature}` };
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= KEPT) break;
  }
  // text columns take any character but this one
  return Buffer.concat(chunks).subarray(0, KEPT).toString().replaceAll('\0', '');
}

function reasonOf(error: unknown, { timeout }: WebhooksConfig): string {
  const { name, code, message, cause } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError')
    return `no answer within ${timeout} ms`;
  return (message || code || 'failed').slice(0, KEPT);
}
