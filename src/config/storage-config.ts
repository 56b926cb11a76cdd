/**
 * Where the bytes of files are stored: `config/plugins` `upload.config.provider` in Strapi's form, and environment
 * variables, which take precedence. Messages never quote a value, since some are keys.
 */
import { UsageError } from '../errors.ts';
import type { S3Access, S3Config, S3Credentials, StorageConfig } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import {
  booleanAt,
  ConfigMistake,
  flagVariable,
  integerAt,
  integerVariable,
  textAt,
  textVariable,
  valueAt,
  wordVariable,
  wrong,
  wrongAddress,
} from './values.ts';

const OPTIONS = 'upload.config.providerOptions';

/** The members of `s3Options`, which older projects have in `providerOptions` itself. */
const S3_OPTIONS = [
  'credentials',
  'accessKeyId',
  'secretAccessKey',
  'sessionToken',
  'region',
  'endpoint',
  'forcePathStyle',
  's3ForcePathStyle',
  'params.ACL',
  'params.Bucket',
  'params.signedUrlExpires',
];

/** The settings of the plugin's entry that are read here, as dotted paths. */
export const STORAGE_KEYS: readonly string[] = [
  'config.provider',
  'config.providerOptions.baseUrl',
  'config.providerOptions.rootPath',
  ...S3_OPTIONS.flatMap((key) => [`config.providerOptions.s3Options.${key}`, `config.providerOptions.${key}`]),
];

/** The provider in records of a bucket's files, if the configuration names none: Strapi's own. */
const S3_PROVIDER = 'aws-s3';
const LOCAL_PROVIDER = 'local';

const PROVIDERS: Readonly<Record<string, 'local' | 's3'>> = {
  [LOCAL_PROVIDER]: 'local',
  '@strapi/provider-upload-local': 'local',
  [S3_PROVIDER]: 's3',
  '@strapi/provider-upload-aws-s3': 's3',
  s3: 's3',
};

const SIGNED_URL_EXPIRES = 15 * 60;
/** The longest validity of a version 4 signature. */
const LONGEST_EXPIRES = 7 * 24 * 60 * 60;

const DEFAULT_REGION = 'us-east-1';

/**
 * The storage of a project, chosen by `UPLOAD_PROVIDER`, else by `S3_BUCKET`, else by the file.
 *
 * @throws UsageError, naming the key or variable, for a wrong value and a bucket without a name.
 */
export function storageConfig({ plugins }: Pick<ConfigFiles, 'plugins'>, variables: Variables): StorageConfig {
  const named = textAt(plugins, 'upload.config.provider') ?? LOCAL_PROVIDER;
  const inFile = Object.hasOwn(PROVIDERS, named) ? PROVIDERS[named]! : 'unsupported';
  const bucket = textVariable(variables, 'S3_BUCKET');
  const chosen = wordVariable(variables, 'UPLOAD_PROVIDER', ['local', 's3'], 'local or s3');
  const store = chosen ?? (bucket === undefined ? inFile : 's3');
  const provider = inFile === 's3' ? named : S3_PROVIDER;
  const hasBucket = inFile === 's3' || bucket !== undefined || store === 's3';
  const s3 = hasBucket ? Object.freeze(s3Config(plugins, variables, provider)) : undefined;
  const names = { local: LOCAL_PROVIDER, s3: provider, unsupported: named };
  return Object.freeze({ store, provider: names[store], s3 });
}

/** A warning about a provider that does not exist. */
export function storageWarnings({ store, provider }: StorageConfig): string[] {
  if (store !== 'unsupported') return [];
  return [
    `Uploads are refused: config/plugins names the provider ${provider}, which Galley does not have, and there is no package or module of that name. Set S3_BUCKET for a store with an S3 interface, or UPLOAD_PROVIDER=local for the disk. Stored files stay readable.`,
  ];
}

function s3Config(plugins: ConfigFile, variables: Variables, provider: string): S3Config {
  const { text, pathOf } = s3Settings(plugins, variables);
  const bucket = text('S3_BUCKET', 'params.Bucket');
  if (bucket === undefined) {
    const path = `${OPTIONS}.s3Options.params.Bucket`;
    throw new UsageError(`${plugins.path}: ${path} is missing: name it there or set S3_BUCKET`);
  }
  const acl = text('S3_ACL', 'params.ACL');
  const isPrivate = flagVariable(variables, 'S3_PRIVATE') ?? acl === 'private';
  return {
    ...s3Access(plugins, variables),
    provider,
    bucket,
    prefix: (textVariable(variables, 'S3_PREFIX') ?? textAt(plugins, `${OPTIONS}.rootPath`) ?? '')
      .replace(/\/{2,}/g, '/')
      .replace(/^\/|\/$/g, ''),
    private: isPrivate,
    acl: isPrivate ? undefined : (aclOf(acl) ?? defaultAcl(plugins, pathOf('params'))),
    baseUrl: (textVariable(variables, 'S3_PUBLIC_URL') ?? textAt(plugins, `${OPTIONS}.baseUrl`))?.replace(/\/+$/, ''),
    signedUrlExpires:
      integerVariable(variables, 'S3_SIGNED_URL_EXPIRES', 1, LONGEST_EXPIRES) ??
      integerAt(plugins, pathOf('params.signedUrlExpires'), SIGNED_URL_EXPIRES, 1, LONGEST_EXPIRES),
  };
}

/** How the object store is reached, whatever the bucket. */
export function s3Access(plugins: ConfigFile, variables: Variables): S3Access {
  const { text, pathOf } = s3Settings(plugins, variables);
  const endpoint = text('S3_ENDPOINT', 'endpoint');
  return {
    region:
      text('S3_REGION', 'region') ?? (variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || DEFAULT_REGION),
    endpoint: endpoint === undefined ? undefined : originOf(endpoint, plugins, variables, pathOf('endpoint')),
    pathStyle: flagVariable(variables, 'S3_FORCE_PATH_STYLE') ?? pathStyleAt(plugins, pathOf),
    credentials: credentialsOf(plugins, variables, pathOf),
  };
}

/** Reads settings that are in `s3Options` or, in older projects, beside it. */
function s3Settings(plugins: ConfigFile, variables: Variables) {
  const nested = (key: string) => `${OPTIONS}.s3Options.${key}`;
  const pathOf = (key: string) =>
    valueAt(plugins, nested(key)) === undefined && valueAt(plugins, `${OPTIONS}.${key}`) !== undefined
      ? `${OPTIONS}.${key}`
      : nested(key);
  const text = (variable: string, key: string) => textVariable(variables, variable) ?? textAt(plugins, pathOf(key));
  return { text, pathOf };
}

/** Objects are private by default, without a header, which buckets without ACLs would refuse. */
const aclOf = (acl: string | undefined): string | undefined => (acl === 'private' ? undefined : acl);

/** In Strapi's form objects are public unless `params` has an `ACL`, even if it is `undefined`. */
function defaultAcl(plugins: ConfigFile, path: string): string | undefined {
  const params = valueAt(plugins, path);
  return isTree(params) && !('ACL' in params) ? 'public-read' : undefined;
}

function pathStyleAt(plugins: ConfigFile, pathOf: (key: string) => string): boolean | undefined {
  const path = [pathOf('forcePathStyle'), pathOf('s3ForcePathStyle')].find((at) => valueAt(plugins, at) !== undefined);
  return path === undefined ? undefined : booleanAt(plugins, path, false);
}

/** `host`, `https://host/` and the like as `https://host`. */
function originOf(endpoint: string, plugins: ConfigFile, variables: Variables, path: string): string {
  const address = /^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && isOrigin(url)) return url.origin;
  const expected = 'a URL such as https://s3.example.com';
  if (variables['S3_ENDPOINT']) throw wrongAddress('S3_ENDPOINT', expected);
  throw wrong(plugins, path, expected);
}

/** Whether an address consists of a scheme and a valid host alone. */
function isOrigin({ hostname, port, pathname, search, hash, username, password }: URL): boolean {
  const isHost = /^\[.*\]$/.test(hostname) || (hostname.length <= 253 && HOST.test(hostname));
  return isHost && port !== '0' && [search, hash, username, password].every((part) => part === '') && pathname === '/';
}

/** Labels joined by dots (RFC 1123), including the underscores in names of containers. */
const HOST = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.?$/;

function credentialsOf(
  plugins: ConfigFile,
  variables: Variables,
  pathOf: (key: string) => string,
): S3Config['credentials'] {
  const key = textVariable(variables, 'S3_ACCESS_KEY_ID');
  const secret = textVariable(variables, 'S3_SECRET_ACCESS_KEY');
  if ((key === undefined) !== (secret === undefined)) {
    const names = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
    throw new ConfigMistake(`${names.join(' and ')} must be set together`, { variables: names });
  }
  if (key !== undefined && secret !== undefined) {
    return keys(key, secret, textVariable(variables, 'S3_SESSION_TOKEN'));
  }
  const inConfig = valueAt(plugins, pathOf('credentials'));
  if (typeof inConfig === 'function') return inConfig as () => Promise<S3Credentials>;
  const at = (name: string) => textAt(plugins, isTree(inConfig) ? `${pathOf('credentials')}.${name}` : pathOf(name));
  const [inFile, secretInFile] = [at('accessKeyId'), at('secretAccessKey')];
  if (inFile !== undefined && secretInFile !== undefined) return keys(inFile, secretInFile, at('sessionToken'));
  if (inFile === undefined && secretInFile === undefined) return fromEnvironment(variables);
  throw wrong(plugins, pathOf('credentials'), 'both accessKeyId and secretAccessKey, or neither');
}

/** AWS's own variables, which `.env` may contain. Without them, the other places of AWS's programs are searched. */
function fromEnvironment(variables: Variables): S3Credentials | undefined {
  const key = textVariable(variables, 'AWS_ACCESS_KEY_ID');
  const secret = textVariable(variables, 'AWS_SECRET_ACCESS_KEY');
  if (key === undefined || secret === undefined) return undefined;
  return keys(key, secret, textVariable(variables, 'AWS_SESSION_TOKEN'));
}

const keys = (accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): S3Credentials =>
  Object.freeze({ accessKeyId, secretAccessKey, sessionToken });
