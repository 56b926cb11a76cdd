/**
 * The keys of the machine, searched in the same places and order as in AWS's own programs
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html). AWS's package for this takes 16 MB
 * on disk.
 */
import type { S3Credentials } from '../../../config/config.ts';
import { containerCredentials, instanceCredentials } from './metadata.ts';
import { profileCredentials } from './profiles.ts';
import { webIdentityCredentials } from './roles.ts';
import { type Environment, expirationOf, type Sources } from './sources.ts';

/**
 * Returns a function that searches keys each time it is called: environment variables (unless a profile is set), the
 * profile, a web identity (such as a Kubernetes service account), the container, the instance.
 *
 * @param region the region of the bucket, whose token service is used unless a profile has another one.
 */
export function chainedCredentials(region: string, env: Environment = process.env): () => Promise<S3Credentials> {
  const sources: Sources = {
    region,
    env,
    environment: async () => environmentCredentials(env),
    container: () => containerCredentials(env),
    instance: () => instanceCredentials(env),
    webIdentity: (role) => webIdentityCredentials(sources, role),
  };
  return async () => {
    const { AWS_PROFILE, AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME } = env;
    const tokenFile = AWS_WEB_IDENTITY_TOKEN_FILE;
    const credentials =
      (AWS_PROFILE ? undefined : await sources.environment()) ??
      (await profileCredentials(sources)) ??
      (tokenFile && AWS_ROLE_ARN
        ? await sources.webIdentity({ tokenFile, arn: AWS_ROLE_ARN, session: AWS_ROLE_SESSION_NAME })
        : undefined) ??
      (await sources.container()) ??
      (await sources.instance());
    if (!credentials)
      throw new Error('No keys in the environment, a profile, a web identity, the container or the instance');
    return credentials;
  };
}

/** @throws Error for an invalid expiration. */
function environmentCredentials(env: Environment): S3Credentials | undefined {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN,
    AWS_CREDENTIAL_EXPIRATION,
  } = env;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: AWS_SESSION_TOKEN || undefined,
    ...(AWS_CREDENTIAL_EXPIRATION ? { expiration: expirationOf(AWS_CREDENTIAL_EXPIRATION) } : {}),
  };
}
