/** Keys from the environment of the process: a container's task or pod, or a machine's instance profile. */
import { readFile } from 'node:fs/promises';
import type { S3Credentials } from '../../../config/config.ts';
import { credentialsOf, type Environment, requestText } from './sources.ts';

/** Milliseconds of a request to a metadata service, which is local or does not exist. */
const TIMEOUT = 1000;
const ATTEMPTS = 3;

const CONTAINER_HOST = 'http://169.254.170.2';
/** Hosts that may receive a token without TLS: the agents of ECS and EKS, and this machine. */
const CONTAINER_HOSTS = /^(?:169\.254\.170\.(?:2|23)|\[fd00:ec2::23\]|localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Keys of a container (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html).
 *
 * @throws Error if the variables name a service without keys, or one that must not receive the token.
 */
export async function containerCredentials(env: Environment): Promise<S3Credentials | undefined> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  if (!relative && !full) return undefined;
  const url = new URL(relative ? CONTAINER_HOST + relative : full!);
  if (url.protocol !== 'https:' && !CONTAINER_HOSTS.test(url.hostname)) {
    throw new Error('AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or an address of the container host');
  }
  const file = env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'];
  const token = file ? (await readFile(file, 'utf8')).trim() : env['AWS_CONTAINER_AUTHORIZATION_TOKEN'];
  return credentialsOf(await answerOf(url.href, token ? { authorization: token } : {}));
}

const INSTANCE_HOSTS: Readonly<Record<string, string>> = {
  ipv4: 'http://169.254.169.254',
  ipv6: 'http://[fd00:ec2::254]',
};
const ROLES = '/latest/meta-data/iam/security-credentials/';
const TOKEN_SECONDS = 21_600;

/**
 * Keys of a machine's role
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html); undefined if there
 * is no such service or role.
 */
export async function instanceCredentials(env: Environment): Promise<S3Credentials | undefined> {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') return undefined;
  const mode = env['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE']?.toLowerCase() ?? 'ipv4';
  const host = (env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || INSTANCE_HOSTS[mode])?.replace(/\/$/, '');
  if (host === undefined) return undefined;
  const token = await tokenOf(host, env['AWS_EC2_METADATA_V1_DISABLED']?.toLowerCase() === 'true');
  if (token === undefined) return undefined;
  const headers: Record<string, string> = token === '' ? {} : { 'x-aws-ec2-metadata-token': token };
  const roles = await requestText(host + ROLES, { headers, timeout: TIMEOUT }).catch(() => undefined);
  const role = roles?.status === 200 ? roles.text.split('\n', 1)[0]!.trim() : '';
  return role === '' ? undefined : credentialsOf(await answerOf(`${host}${ROLES}${role}`, headers));
}

/** The token of a session; empty for a service of version 1, undefined if there is no service. */
async function tokenOf(host: string, needed: boolean): Promise<string | undefined> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_SECONDS) };
  const answer = await requestText(`${host}/latest/api/token`, { method: 'PUT', headers, timeout: TIMEOUT }).catch(
    () => undefined,
  );
  if (answer?.status === 200) return answer.text.trim();
  return answer && [403, 404, 405].includes(answer.status) && !needed ? '' : undefined;
}

async function answerOf(address: string, headers: Readonly<Record<string, string>>): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { status, text } = await requestText(address, { headers, timeout: TIMEOUT });
      if (status === 200) return text;
      throw new Error(`The metadata service answered ${status}`);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
