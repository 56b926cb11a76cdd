/** What the places where keys are looked for have in common. */
import type { S3Credentials } from '../../../config/uploads/storage-types.ts';
import { expirationOf, noDate } from './expiration.ts';

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
