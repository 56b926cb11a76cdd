/** Builds and recognises addresses of objects in a bucket. No I/O. */
import { isIP } from 'node:net';
import type { S3Config } from '../../config/config.ts';

/** Values of `provider` in records of the store: the configured one, and those of earlier configurations. */
export function s3Names({ provider }: S3Config): string[] {
  return [...new Set([provider, 'aws-s3', 's3', '@strapi/provider-upload-aws-s3'])];
}

/** Encodes text for the path of an address (RFC 3986); slashes stay. */
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
  /** Prefixes of addresses that can be signed, each with a trailing slash. */
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
    // older forms that AWS supports and a library may contain
    if (endpoint === undefined) {
      bases.push(`https://${bucket}.s3.${domain}`, `https://s3.${domain}/${encodePath(bucket)}`);
      bases.push(`https://${bucket}.s3-${region}.${domain}`, `https://s3-${region}.${domain}/${encodePath(bucket)}`);
    }
    this.bases = [...new Set(bases)].map((base) => `${base}/`).filter((base) => !baseUrl || !base.startsWith(baseUrl));
    this.#baseUrl = baseUrl;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
  }

  /** The object's name in the bucket. */
  nameOf(key: string): string {
    return this.#prefix + key;
  }

  /** The key of an object in the bucket; undefined if it is not below the prefix. */
  keyOfName(name: string): string | undefined {
    return name.startsWith(this.#prefix) && name.length > this.#prefix.length
      ? name.slice(this.#prefix.length)
      : undefined;
  }

  /** The address of an object in records: below the configured base, or at the store. */
  urlOf(key: string): string {
    return `${this.#baseUrl ?? this.#origin}/${encodePath(this.nameOf(key))}`;
  }

  /** The origin and path of requests for an object. */
  requestOf(name: string): { origin: string; path: string } {
    const slash = this.#origin.indexOf('/', this.#origin.indexOf('//') + 2);
    const [origin, bucket] =
      slash === -1 ? [this.#origin, ''] : [this.#origin.slice(0, slash), this.#origin.slice(slash)];
    return { origin, path: `${bucket}/${encodePath(name)}` };
  }

  /** The object's name at an address; undefined for an address outside of the bucket. */
  nameAt(url: string): string | undefined {
    const bases = this.#baseUrl === undefined ? this.bases : [`${this.#baseUrl}/`, ...this.bases];
    return nameBelow(bases, url);
  }

  /** The object's name at an address that can be signed; addresses below the configured base are not. */
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

/** Whether a bucket's name can be part of the host name: not with an IP address, and certificates cover one label. */
function isHostLabel(bucket: string, protocol: string, hostname: string): boolean {
  const labels = hostname.replace(/^\[|\]$/g, '');
  if (isIP(labels) !== 0 || labels === 'localhost') return false;
  return protocol === 'https:' ? /^[a-z0-9-]+$/.test(bucket) : /^[a-z0-9.-]+$/.test(bucket);
}
