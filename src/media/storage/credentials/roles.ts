/** Keys of roles from AWS's token service (https://docs.aws.amazon.com/STS/latest/APIReference/). */
import { readFile } from 'node:fs/promises';
import { setTimeout as after } from 'node:timers/promises';
import aws4 from 'aws4';
import type { S3Credentials } from '../../../config/config.ts';
import { childText, errorOf, parseXml, S3Error, signingKeys, type XmlElement } from '../s3-client.ts';
import { type Environment, expirationOf, requestText, type Sources, type WebIdentity } from './sources.ts';

const TIMEOUT = 10_000;
const ATTEMPTS = 3;
/** Milliseconds before another attempt. */
const PAUSE = 200;
/** Temporary errors: a new token may not be known everywhere yet, and the service may be busy. */
const TEMPORARY = new Set(['IDPCommunicationError', 'InvalidIdentityToken', 'Throttling']);

interface Role {
  readonly arn: string;
  readonly session: string | undefined;
  readonly externalId: string | undefined;
  readonly seconds: string | undefined;
}

/** Keys of a role for a token in a file, such as that of a Kubernetes service account. */
export async function webIdentityCredentials(
  { region, env }: Pick<Sources, 'region' | 'env'>,
  { tokenFile, arn, session }: WebIdentity,
): Promise<S3Credentials> {
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const parameters = { RoleArn: arn, RoleSessionName: session || sessionName(), WebIdentityToken: token };
  return assumeRole({ region, env }, 'AssumeRoleWithWebIdentity', parameters, undefined);
}

/** Keys of a role for other keys. */
export async function roleCredentials(
  place: { readonly region: string; readonly env: Environment },
  { arn, session, externalId, seconds }: Role,
  keys: S3Credentials,
): Promise<S3Credentials> {
  const parameters = {
    RoleArn: arn,
    RoleSessionName: session || sessionName(),
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
    ...(seconds === undefined ? {} : { DurationSeconds: seconds }),
  };
  return assumeRole(place, 'AssumeRole', parameters, keys);
}

const sessionName = (): string => `galley-${Date.now()}`;

async function assumeRole(
  { region, env }: { readonly region: string; readonly env: Environment },
  action: string,
  parameters: Readonly<Record<string, string>>,
  keys: S3Credentials | undefined,
): Promise<S3Credentials> {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = env['AWS_ENDPOINT_URL_STS'] || env['AWS_ENDPOINT_URL'] || `https://sts.${region}.${domain}`;
  const { host, href } = new URL('/', endpoint);
  const body = String(new URLSearchParams({ Action: action, Version: '2011-06-15', ...parameters }));
  const headers = { Host: host, 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
  for (let attempt = 1; ; attempt++) {
    try {
      const request = { method: 'POST', path: '/', service: 'sts', region, headers, body };
      const sent = keys ? (aws4.sign(request, signingKeys(keys)).headers as Record<string, string>) : headers;
      const { status, text } = await requestText(href, { method: 'POST', headers: sent, body, timeout: TIMEOUT });
      if (status !== 200) throw errorOf(text, status);
      return credentialsIn(parseXml(text));
    } catch (error) {
      const refused = error instanceof S3Error && error.status < 500 && !TEMPORARY.has(error.name);
      if (refused || attempt === ATTEMPTS) throw error;
      await after(PAUSE * attempt);
    }
  }
}

function credentialsIn(answer: XmlElement): S3Credentials {
  const keys = answer.children.flatMap(({ children }) => children).find(({ name }) => name === 'Credentials');
  const text = (name: string): string => {
    const value = keys && childText(keys, name);
    if (!value) throw new Error(`The answer of the token service has no ${name}`);
    return value;
  };
  return {
    accessKeyId: text('AccessKeyId'),
    secretAccessKey: text('SecretAccessKey'),
    sessionToken: text('SessionToken'),
    expiration: expirationOf(text('Expiration')),
  };
}
