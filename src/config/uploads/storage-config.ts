/**
 * Where the bytes of files go: `config/plugins` `upload.config.provider` in Strapi's form, and the environment, which
 * wins over it. Messages never quote a value: keys are among them.
 */
import { UsageError } from '../../errors.ts';
import { type ConfigFile, type ConfigFiles, isTree } from '../config-file.ts';
import type { Variables } from '../env-helper.ts';
import { ConfigMistake, wrongAddress, wrongVariable } from '../mistake.ts';
import { booleanAt, integerAt, parseInteger, rangeText, textAt, valueAt, wrong } from '../values.ts';
import type { S3Config, S3Credentials, StorageConfig } from './storage-types.ts';

const OPTIONS = 'upload.config.providerOptions';

/** The parts of `s3Options`, which older projects have in `providerOptions` itself. */
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

/** Dotted paths of the plugin's entry that count here. */
export const STORAGE_KEYS: readonly string[] = [
  'config.provider',
  'config.providerOptions.baseUrl',
  'config.providerOptions.rootPath',
  ...S3_OPTIONS.flatMap((key) => [`config.providerOptions.s3Options.${key}`, `config.providerOptions.${key}`]),
];

/** What records say of files in a bucket, where the configuration gives the store no name: Strapi's own. */
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
/** The longest that a signature of version 4 may live. */
const LONGEST_EXPIRES = 7 * 24 * 60 * 60;

const DEFAULT_REGION = 'us-east-1';

/**
 * The storage of a project. `UPLOAD_PROVIDER` chooses it, else `S3_BUCKET`, else the file.
 *
 * @throws UsageError, naming the key or the variable, for values of the wrong shape and a bucket without a name.
 */
export function storageConfig({ plugins }: Pick<ConfigFiles, 'plugins'>, variables: Variables): StorageConfig {
  const named = textAt(plugins, 'upload.config.provider') ?? LOCAL_PROVIDER;
  const inFile = Object.hasOwn(PROVIDERS, named) ? PROVIDERS[named]! : 'unsupported';
  const bucket = variables['S3_BUCKET'] || undefined;
  const store = chosenStore(variables) ?? (bucket === undefined ? inFile : 's3');
  const provider = inFile === 's3' ? named : S3_PROVIDER;
  const known = inFile === 's3' || bucket !== undefined || store === 's3';
  const s3 = known ? Object.freeze(s3Config(plugins, variables, provider)) : undefined;
  const names = { local: LOCAL_PROVIDER, s3: provider, unsupported: named };
  return Object.freeze({ store, provider: names[store], s3 });
}

/** A sentence for the start-up warning about a provider that Galley has not. */
export function storageWarnings({ store, provider }: StorageConfig): string[] {
  if (store !== 'unsupported') return [];
  return [
    `Uploads are refused: config/plugins names the provider ${provider}, which is none of Galley's, and there is no package or module of that name that could be run. Set S3_BUCKET for a store with S3's interface, or UPLOAD_PROVIDER=local for the disk; files that are stored stay readable.`,
  ];
}

function chosenStore(variables: Variables): 'local' | 's3' | undefined {
  const chosen = variables['UPLOAD_PROVIDER'] || undefined;
  if (chosen === undefined || chosen === 'local' || chosen === 's3') return chosen;
  throw wrongVariable('UPLOAD_PROVIDER', chosen, 'local or s3');
}

function s3Config(plugins: ConfigFile, variables: Variables, provider: string): S3Config {
  const nested = (key: string) => `${OPTIONS}.s3Options.${key}`;
  const pathOf = (key: string) =>
    valueAt(plugins, nested(key)) === undefined && valueAt(plugins, `${OPTIONS}.${key}`) !== undefined
      ? `${OPTIONS}.${key}`
      : nested(key);
  const text = (variable: string, key: string) => (variables[variable] || undefined) ?? textAt(plugins, pathOf(key));
  const bucket = text('S3_BUCKET', 'params.Bucket');
  if (bucket === undefined) {
    throw new UsageError(`${plugins.path}: ${nested('params.Bucket')} is missing: name it there or set S3_BUCKET`);
  }
  const endpoint = text('S3_ENDPOINT', 'endpoint');
  const acl = text('S3_ACL', 'params.ACL');
  const isPrivate = flagVariable(variables, 'S3_PRIVATE') ?? acl === 'private';
  return {
    provider,
    bucket,
    region:
      text('S3_REGION', 'region') ?? (variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || DEFAULT_REGION),
    endpoint: endpoint === undefined ? undefined : originOf(endpoint, plugins, variables, pathOf('endpoint')),
    prefix: ((variables['S3_PREFIX'] || undefined) ?? textAt(plugins, `${OPTIONS}.rootPath`) ?? '')
      .replace(/\/{2,}/g, '/')
      .replace(/^\/|\/$/g, ''),
    pathStyle: flagVariable(variables, 'S3_FORCE_PATH_STYLE') ?? pathStyleAt(plugins, pathOf),
    private: isPrivate,
    acl: isPrivate ? undefined : (aclOf(acl) ?? defaultAcl(plugins, pathOf('params'))),
    baseUrl: ((variables['S3_PUBLIC_URL'] || undefined) ?? textAt(plugins, `${OPTIONS}.baseUrl`))?.replace(/\/+$/, ''),
    signedUrlExpires: expiresOf(plugins, variables, pathOf('params.signedUrlExpires')),
    credentials: credentialsOf(plugins, variables, pathOf),
  };
}

/** A store's default for new objects is private: it needs no header, which buckets without ACLs would refuse. */
const aclOf = (acl: string | undefined): string | undefined => (acl === 'private' ? undefined : acl);

/** In the file's form a bucket is readable by all unless its `params` say anything about it, if only `undefined`. */
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

/** Whether an address names a host that can exist, and nothing else. */
function isOrigin({ hostname, port, pathname, search, hash, username, password }: URL): boolean {
  const isHost = /^\[.*\]$/.test(hostname) || (hostname.length <= 253 && HOST.test(hostname));
  return isHost && port !== '0' && [search, hash, username, password].every((part) => part === '') && pathname === '/';
}

/** Names between dots (RFC 1123), with the underscores that containers have in theirs. */
const HOST = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.?$/;

function expiresOf(plugins: ConfigFile, variables: Variables, path: string): number {
  const wanted = variables['S3_SIGNED_URL_EXPIRES'] || undefined;
  if (wanted === undefined) return integerAt(plugins, path, SIGNED_URL_EXPIRES, 1, LONGEST_EXPIRES);
  const seconds = parseInteger(wanted, 1, LONGEST_EXPIRES);
  if (seconds === undefined) throw wrongVariable('S3_SIGNED_URL_EXPIRES', wanted, rangeText(1, LONGEST_EXPIRES));
  return seconds;
}

function credentialsOf(
  plugins: ConfigFile,
  variables: Variables,
  pathOf: (key: string) => string,
): S3Config['credentials'] {
  const key = variables['S3_ACCESS_KEY_ID'] || undefined;
  const secret = variables['S3_SECRET_ACCESS_KEY'] || undefined;
  if ((key === undefined) !== (secret === undefined)) {
    const names = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
    throw new ConfigMistake(`${names.join(' and ')} must be set together`, { variables: names });
  }
  if (key !== undefined && secret !== undefined) {
    return keys(key, secret, variables['S3_SESSION_TOKEN'] || undefined);
  }
  const given = valueAt(plugins, pathOf('credentials'));
  if (typeof given === 'function') return given as () => Promise<S3Credentials>;
  const at = (name: string) => textAt(plugins, isTree(given) ? `${pathOf('credentials')}.${name}` : pathOf(name));
  const [inFile, secretInFile] = [at('accessKeyId'), at('secretAccessKey')];
  if (inFile !== undefined && secretInFile !== undefined) return keys(inFile, secretInFile, at('sessionToken'));
  if (inFile === undefined && secretInFile === undefined) return fromEnvironment(variables);
  throw wrong(plugins, pathOf('credentials'), 'both accessKeyId and secretAccessKey, or neither');
}

/**
 * AWS's own variables, which `.env` may contain; without them the other places that AWS's programs use are searched.
 */
function fromEnvironment(variables: Variables): S3Credentials | undefined {
  const key = variables['AWS_ACCESS_KEY_ID'] || undefined;
  const secret = variables['AWS_SECRET_ACCESS_KEY'] || undefined;
  if (key === undefined || secret === undefined) return undefined;
  return keys(key, secret, variables['AWS_SESSION_TOKEN'] || undefined);
}

const keys = (accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): S3Credentials =>
  Object.freeze({ accessKeyId, secretAccessKey, sessionToken });

function flagVariable(variables: Variables, name: string): boolean | undefined {
  const value = variables[name] || undefined;
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw wrongVariable(name, value, 'true or false');
  return value === 'true';
}
