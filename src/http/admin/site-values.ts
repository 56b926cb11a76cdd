/** Settings of files and the environment as administrators see them: with their source, and without secrets. */
import type { Config } from '../../config/config.ts';
import type { Catalog } from '../../schema/catalog.ts';

type Setting = keyof Config['sources'];

/** A value with the place that sets it, or that would set it in place of the default. */
export const sourced = <T>({ sources }: Config, name: Setting, value: T) => ({ value, ...sources[name] });

/** The mail server, without its password. */
export function mailOf(config: Config) {
  const { transport, code, defaultFrom = null, defaultReplyTo = null, unsupported = null } = config.users.email;
  const isServer = typeof transport !== 'string' || /^smtps?:/i.test(transport);
  const kind = code ? 'code' : isServer ? 'smtp' : transport;
  return {
    kind,
    server: sourced(config, 'mail.server', code ? code.name : isServer ? serverOf(transport) : unsupported),
    from: sourced(config, 'mail.from', defaultFrom),
    replyTo: sourced(config, 'mail.replyTo', defaultReplyTo),
  };
}

function serverOf(transport: string | Readonly<Record<string, unknown>>): string {
  if (typeof transport === 'string') return shownAddress(transport);
  const { host, port, secure } = transport;
  const scheme = secure === true ? 'smtps' : 'smtp';
  const isPort = typeof port === 'number' || typeof port === 'string';
  return `${scheme}://${String(host)}${isPort ? `:${port}` : ''}`;
}

/** The store of files. The keys of a bucket are not shown. */
export function storageOf(config: Config) {
  const { store, provider, s3 } = config.upload.storage;
  const bucket = store === 's3' ? s3 : undefined;
  return {
    kind: store,
    provider: sourced(config, 'storage.provider', provider),
    bucket: bucket
      ? {
          name: sourced(config, 'storage.bucket', bucket.bucket),
          region: sourced(config, 'storage.region', bucket.region),
          endpoint: sourced(
            config,
            'storage.endpoint',
            bucket.endpoint === undefined ? null : shownAddress(bucket.endpoint),
          ),
          folder: sourced(config, 'storage.folder', bucket.prefix || null),
          url: sourced(config, 'storage.url', bucket.baseUrl === undefined ? null : shownAddress(bucket.baseUrl)),
          private: sourced(config, 'storage.private', bucket.private),
        }
      : null,
  };
}

/** The sizes that uploaded pictures get, and those that the site can request. */
export function pictureSizesOf(config: Config) {
  const { images, sizes } = config.upload;
  const breakpoints = images.breakpoints.map(({ key: name, size: pixels }) => ({ name, pixels }));
  const { widths = [], heights = [], formats = [] } = sizes ?? {};
  return {
    breakpoints: sourced(config, 'images.breakpoints', breakpoints),
    sizes: sourced(config, 'images.sizes', sizes ? { widths, heights, formats } : null),
  };
}

/** Names of parameters in addresses whose values may be secret. */
const SECRET_NAME = /secret|token|key|pass|auth|sign/i;

/** The addresses of previews, without users, passwords, and secrets in their parameters. */
export function previewsOf(config: Config, { contentTypes }: Catalog) {
  const urls = [...config.admin.preview.urls].map(([uid, url]) => ({
    uid,
    displayName: contentTypes.get(uid)?.displayName ?? uid,
    url: withoutUser(url).replace(/([?&#])([^=&#]*)=([^&#]*)/g, (part, sign: string, name: string) =>
      SECRET_NAME.test(name) ? `${sign}${name}=…` : part,
    ),
  }));
  return sourced(config, 'preview.urls', urls);
}

/** An address with placeholders, without a user and a password. */
const withoutUser = (address: string): string => address.replace(/^([a-z][\w+.-]*:)?(\/\/)[^/?#]*@/i, '$1$2');

export function limitsOf(config: Config) {
  const { upload, http, rest, users, admin } = config;
  const { allowedTypes = null, deniedTypes } = upload;
  const rate = (rule: { readonly max: number; readonly windowMs: number } | null | undefined) =>
    rule ? { max: rule.max, seconds: rule.windowMs / 1000 } : null;
  return {
    fileSize: sourced(config, 'limits.fileSize', upload.sizeLimit),
    files: sourced(config, 'limits.files', upload.maxFiles),
    fileTypes: sourced(config, 'limits.fileTypes', { allowed: allowedTypes, denied: deniedTypes }),
    json: sourced(config, 'limits.json', http.jsonLimit),
    page: sourced(config, 'limits.page', rest.maxLimit),
    requests: sourced(config, 'limits.requests', rate(http.rateLimit)),
    siteSignIns: sourced(config, 'limits.siteSignIns', rate(users.rateLimit)),
    signIns: sourced(config, 'limits.signIns', rate(admin.rateLimit)),
  };
}

/** An address without a user and a password. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  if (!url || (url.username === '' && url.password === '')) return address;
  [url.username, url.password] = ['', ''];
  return url.href;
}
