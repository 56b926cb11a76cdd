/** What the sources of keys have in common. */
import type { S3Credentials } from '../../../config/config.ts';
import { readText } from '../s3-client.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A role for a token in a file. */
export interface WebIdentity {
  readonly tokenFile: string;
  readonly arn: string;
  readonly session: string | undefined;
}

/** The sources that a profile can name; each returns undefined if it does not exist. */
export interface Sources {
  readonly region: string;
  readonly env: Environment;
  environment(): Promise<S3Credentials | undefined>;
  container(): Promise<S3Credentials | undefined>;
  instance(): Promise<S3Credentials | undefined>;
  webIdentity(role: WebIdentity): Promise<S3Credentials>;
}

/** Parses keys in the JSON of services and programs. @throws Error for a missing part or an invalid expiration. */
export function credentialsOf(answer: string): S3Credentials {
  const { AccessKeyId, SecretAccessKey, Token, SessionToken, Expiration } = JSON.parse(answer);
  if (typeof AccessKeyId !== 'string' || typeof SecretAccessKey !== 'string') {
    throw new Error('An answer without AccessKeyId and SecretAccessKey');
  }
  const hasExpiration = Expiration !== undefined && Expiration !== null;
  if (hasExpiration && typeof Expiration !== 'string') throw invalidExpiration();
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: Token ?? SessionToken ?? undefined,
    ...(hasExpiration ? { expiration: expirationOf(Expiration) } : {}),
  };
}

export const isValidDate = (date: Date): boolean => !Number.isNaN(date.getTime());

export const invalidExpiration = (): Error => new Error('The credentials have an expiration that is not a date');

/** Parses an expiration of services, programs and variables. @throws Error for an invalid date. */
export function expirationOf(text: string): Date {
  const date = new Date(text);
  if (!isValidDate(date)) throw invalidExpiration();
  return date;
}

export interface TextRequest {
  readonly method?: 'GET' | 'PUT' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds of the whole request. */
  readonly timeout: number;
}

/**
 * Sends a short request on its own connection. Redirects are not followed, since a token must not go elsewhere.
 *
 * @throws Error if there is no answer in time.
 */
export function requestText(address: string, { method = 'GET', headers = {}, body, timeout }: TextRequest) {
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
