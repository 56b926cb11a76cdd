/** Addresses of objects in a bucket: how they are made, and which ones lead there. No I/O. */
import { isIP } from 'node:net';
import type { S3Config } from '../../config/config.ts';

/**
 * What records may call the provider of the store: what the configuration calls it now, and what it may have before.
 */
export function s3Names({ provider }: S3Config): string[] {
  return [...new Set([provider, 'aws-s3', 's3', '@strapi/provider-upload-aws-s3'])];
}

/** Text encoded for the path of an address (RFC 3986), slashes kept. */
export function encodePath(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

export class S3Address {
  /** `https://s3.eu-west-1.amazonaws.com` */
  readonly endpoint: string;
  /** Whether the bucket is part of the path. */
  readonly pathStyle: boolean;
  /** Beginnings of the addresses of the bucket that signatures can be given to, each with a slash at its end. */
  readonly bases: readonly string[];
  readonly #origin: string;
  readonly #baseUrl: string | undefined;
  readonly #prefix: string;

  constructor(config: S3Config) {
    const { bucket, region, endpoint, prefix, baseUrl } = config;
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    this.endpoint = endpoint ?? `https://s3.${region}.${domain}`;
    const { protocol, host, hostname } = new URL(this.endpoint);
    this.pathStyle = config.pathStyle ?? !isHostLabel(bucket, protocol, hostname);
    const inPath = `${this.endpoint}/${encodePath(bucket)}`;
    const inHost = `${protocol}//${bucket}.${host}`;
    this.#origin = this.pathStyle ? inPath : inHost;
    const bases = [inPath, inHost];
    // older forms that AWS answers to, and that a library may still contain
    if (endpoint === undefined) {
      bases.push(`https://${bucket}.s3.${domain}`, `https://s3.${domain}/${encodePath(bucket)}`);
      bases.push(`https://${bucket}.s3-${region}.${domain}`, `https://s3-${region}.${domain}/${encodePath(bucket)}`);
    }
    this.bases = [...new Set(bases)].map((base) => `${base}/`).filter((base) => !baseUrl || !base.startsWith(baseUrl));
    this.#baseUrl = baseUrl;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
  }

  /** The name of an object in the bucket. */
  nameOf(key: string): string {
    return this.#prefix + key;
  }

  /** The key of an object of the bucket; undefined for one that is not below the prefix. */
  keyOfName(name: string): string | undefined {
    return name.startsWith(this.#prefix) && name.length > this.#prefix.length
      ? name.slice(this.#prefix.length)
      : undefined;
  }

  /** What records say of an object: an address below the configured base, or one of the store itself. */
  urlOf(key: string): string {
    return `${this.#baseUrl ?? this.#origin}/${encodePath(this.nameOf(key))}`;
  }

  /** Where the store itself answers for an object: the origin, and the path as it is sent. */
  requestOf(name: string): { origin: string; path: string } {
    const slash = this.#origin.indexOf('/', this.#origin.indexOf('//') + 2);
    const [origin, bucket] =
      slash === -1 ? [this.#origin, ''] : [this.#origin.slice(0, slash), this.#origin.slice(slash)];
    return { origin, path: `${bucket}/${encodePath(name)}` };
  }

  /** The name of the object that an address leads to; undefined for one that does not lead into the bucket. */
  nameAt(url: string): string | undefined {
    const bases = this.#baseUrl === undefined ? this.bases : [`${this.#baseUrl}/`, ...this.bases];
    return nameBelow(bases, url);
  }

  /** The same for addresses that signatures can be given to: those below a base of the configuration are left alone. */
  nameToSign(url: string): string | undefined {
    return nameBelow(this.bases, url);
  }
}

function nameBelow(bases: readonly string[], url: string): string | undefined {
  const base = bases.find((candidate) => url.startsWith(candidate));
  if (base === undefined) return undefined;
  const path = url.slice(base.length).replace(/[?#].*$/s, '');
  if (path === '') return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a bucket's name can be part of a host's: not before an IP address, and certificates cover one label. */
function isHostLabel(bucket: string, protocol: string, hostname: string): boolean {
  const labels = hostname.replace(/^\[|\]$/g, '');
  if (isIP(labels) !== 0 || labels === 'localhost') return false;
  return protocol === 'https:' ? /^[a-z0-9-]+$/.test(bucket) : /^[a-z0-9.-]+$/.test(bucket);
}
