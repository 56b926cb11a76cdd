/**
 * The keys of the machine, looked for where AWS's own programs look and in their order
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html). AWS's own package for this takes 16
 * MB on disk with what it depends on.
 */
import type { S3Credentials } from '../../../config/config.ts';
import { containerCredentials, instanceCredentials } from './metadata.ts';
import { profileCredentials } from './profiles.ts';
import { webIdentityCredentials } from './roles.ts';
import { type Environment, expirationOf, type Sources } from './sources.ts';

/**
 * Returns a function that looks for keys each time it is called: environment variables (unless a profile is named), the
 * profile, a web identity (such as of a Kubernetes service account), the container, the instance.
 *
 * @param region of the bucket: the token service of the same region is asked, where a profile names no other.
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
    const found =
      (AWS_PROFILE ? undefined : await sources.environment()) ??
      (await profileCredentials(sources)) ??
      (tokenFile && AWS_ROLE_ARN
        ? await sources.webIdentity({ tokenFile, arn: AWS_ROLE_ARN, session: AWS_ROLE_SESSION_NAME })
        : undefined) ??
      (await sources.container()) ??
      (await sources.instance());
    if (!found) throw new Error('No keys in the environment, a profile, a web identity, the container or the instance');
    return found;
  };
}

/** @throws Error for an expiration that is no date. */
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
