/** Requests for keys: small, short, over a connection of their own. */
import { readText } from '../s3-client.ts';

export interface Question {
  readonly method?: 'GET' | 'PUT' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds that the whole may take. */
  readonly timeout: number;
}

/**
 * Asks and gives status and text of the answer. Redirections are not followed: a token must not go elsewhere.
 *
 * @throws Error when there is no answer in time.
 */
export function ask(address: string, { method = 'GET', headers = {}, body, timeout }: Question) {
  const url = new URL(address);
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const signal = AbortSignal.timeout(timeout);
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    request(url, { method, headers: { ...headers, ...length }, signal, agent: false })
      .on('error', reject)
      .on('response', (answer) => {
        const status = answer.statusCode ?? 0;
        readText(answer).then((text) => resolve({ status, text }), reject);
      })
      .end(body);
  });
}
