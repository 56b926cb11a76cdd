/** What the places where keys are looked for have in common. */
import type { S3Credentials } from '../../../config/config.ts';
import { readText } from '../s3-client.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A role that a token in a file lets its bearer take. */
export interface WebIdentity {
  readonly tokenFile: string;
  readonly arn: string;
  readonly session: string | undefined;
}

/** The places that a profile can name; each gives undefined where there is nothing of the kind. */
export interface Sources {
  readonly region: string;
  readonly env: Environment;
  environment(): Promise<S3Credentials | undefined>;
  container(): Promise<S3Credentials | undefined>;
  instance(): Promise<S3Credentials | undefined>;
  webIdentity(role: WebIdentity): Promise<S3Credentials>;
}

/**
 * Keys as services and programs write them in JSON.
 *
 * @throws Error where a part is missing, or the expiration is no date.
 */
export function credentialsOf(answer: string): S3Credentials {
  const { AccessKeyId, SecretAccessKey, Token, SessionToken, Expiration } = JSON.parse(answer);
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') {
    throw new Error('An answer without AccessKeyId and SecretAccessKey');
  }
  const hasExpiration = Expiration !== undefined && Expiration !== null;
  if (hasExpiration && typeof Expiration !== 'string') throw noDate();
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: Token ?? SessionToken ?? undefined,
    ...(hasExpiration ? { expiration: expirationOf(Expiration) } : {}),
  };
}

export const isDate = (date: Date): boolean => !Number.isNaN(date.getTime());

export const noDate = (): Error => new Error('The credentials have an expiration that is not a date');

/**
 * Reads an expiration as services, programs and variables write it.
 *
 * @throws Error for what is not a date.
 */
export function expirationOf(text: string): Date {
  const date = new Date(text);
  if (!isDate(date)) throw noDate();
  return date;
}

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
