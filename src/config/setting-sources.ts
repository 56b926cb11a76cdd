/** Where the values of settings come from, for people who look for the place to change them. */
import { type ConfigFiles, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import { valueAt } from './values.ts';

/** The place that sets a value: an environment variable, or a key of a configuration file. */
export type SettingSource = { readonly variable: string } | { readonly file: string; readonly key: string };

/** The places of a setting, of which an earlier one takes precedence. */
interface SettingPlaces {
  readonly variables?: readonly string[];
  readonly file?: Exclude<keyof ConfigFiles, 'middlewares'>;
  /** Dotted paths in the file. */
  readonly paths?: readonly string[];
  /** A key of the settings of `strapi::body` in `config/middlewares`. */
  readonly body?: string;
}

const UPLOAD = 'upload.config';
const OPTIONS = `${UPLOAD}.providerOptions`;
const EMAIL = 'email.config';

const s3 = (variable: string, key: string, ...more: readonly string[]): SettingPlaces => ({
  variables: [variable, ...more],
  file: 'plugins',
  paths: [`${OPTIONS}.s3Options.${key}`, `${OPTIONS}.${key}`],
});

const PLACES = {
  url: { variables: ['PUBLIC_URL'], file: 'server', paths: ['url'] },
  timeZone: { variables: ['TZ'] },
  'mail.server': {
    variables: ['SMTP_URL'],
    file: 'plugins',
    paths: [`${EMAIL}.providerOptions`, `${EMAIL}.provider`],
  },
  'mail.from': { variables: ['EMAIL_FROM'], file: 'plugins', paths: [`${EMAIL}.settings.defaultFrom`] },
  'mail.replyTo': { variables: ['EMAIL_REPLY_TO'], file: 'plugins', paths: [`${EMAIL}.settings.defaultReplyTo`] },
  'storage.provider': { variables: ['UPLOAD_PROVIDER', 'S3_BUCKET'], file: 'plugins', paths: [`${UPLOAD}.provider`] },
  'storage.bucket': s3('S3_BUCKET', 'params.Bucket'),
  'storage.region': s3('S3_REGION', 'region', 'AWS_REGION', 'AWS_DEFAULT_REGION'),
  'storage.endpoint': s3('S3_ENDPOINT', 'endpoint'),
  'storage.folder': { variables: ['S3_PREFIX'], file: 'plugins', paths: [`${OPTIONS}.rootPath`] },
  'storage.url': { variables: ['S3_PUBLIC_URL'], file: 'plugins', paths: [`${OPTIONS}.baseUrl`] },
  'storage.private': s3('S3_PRIVATE', 'params.ACL', 'S3_ACL'),
  'images.breakpoints': { file: 'plugins', paths: [`${UPLOAD}.breakpoints`] },
  'images.sizes': { file: 'plugins', paths: [`${UPLOAD}.sizes`] },
  'preview.urls': { file: 'admin', paths: ['preview.urls', 'preview.enabled'] },
  'limits.fileSize': {
    file: 'plugins',
    paths: [`${OPTIONS}.sizeLimit`, `${UPLOAD}.sizeLimit`],
    body: 'formidable.maxFileSize',
  },
  'limits.files': { body: 'formidable.maxFiles' },
  'limits.fileTypes': {
    file: 'plugins',
    paths: [`${UPLOAD}.security.allowedTypes`, `${UPLOAD}.security.deniedTypes`],
  },
  'limits.json': { body: 'jsonLimit' },
  'limits.page': { file: 'api', paths: ['rest.maxLimit'] },
  'limits.requests': { file: 'api', paths: ['rest.rateLimit'] },
  'limits.siteSignIns': { file: 'plugins', paths: ['users-permissions.config.ratelimit'] },
  'limits.signIns': { file: 'admin', paths: ['rateLimit'] },
} as const satisfies Readonly<Record<string, SettingPlaces>>;

/** The place that sets a value, or that would set it in place of the default. */
export interface SettingPlace {
  readonly source: SettingSource;
  readonly isDefault: boolean;
}

/** Places by the names of settings. */
export type SettingSources = Readonly<Record<keyof typeof PLACES, SettingPlace>>;

/**
 * The source of each setting: the environment variable or the key of a file that sets it, or would set it. No value is
 * recorded.
 */
export function settingSources(files: ConfigFiles, variables: Variables): SettingSources {
  const entries = Object.entries(PLACES).map(([name, places]): [string, SettingPlace] => {
    const source = sourceOf(places, files, variables);
    return [name, { source: source ?? placeOf(places, files), isDefault: source === null }];
  });
  return Object.freeze(Object.fromEntries(entries) as SettingSources);
}

function sourceOf(places: SettingPlaces, files: ConfigFiles, variables: Variables): SettingSource | null {
  const { variables: names = [], file, paths = [], body } = places;
  const variable = names.find((name) => Boolean(variables[name]));
  if (variable !== undefined) return { variable };
  const key = file && paths.find((path) => isSet(valueAt(files[file], path)));
  if (file && key !== undefined) return { file: files[file].path, key };
  const { path, value: middlewares } = files.middlewares;
  const value = middlewares.find((entry) => isTree(entry) && entry['name'] === 'strapi::body');
  const isInBody = body !== undefined && isTree(value) && isSet(valueAt({ path, value }, `config.${body}`));
  return isInBody ? { file: path, key: bodyKey(body) } : null;
}

/** The first place of a setting, in a file if it can be there. */
function placeOf({ variables = [], file, paths = [], body }: SettingPlaces, files: ConfigFiles): SettingSource {
  if (file && paths[0] !== undefined) return { file: files[file].path, key: paths[0] };
  if (body !== undefined) return { file: files.middlewares.path, key: bodyKey(body) };
  return { variable: variables[0]! };
}

const bodyKey = (body: string): string => `strapi::body config.${body}`;

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
