/** Stores files in a bucket of an S3-compatible object store. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3Config, S3Credentials } from '../../config/config.ts';
import type { FileUrls } from '../../content/reading/file-urls.ts';
import { UsageError } from '../../errors.ts';
import { inParallel } from '../../semaphore.ts';
import { servedType } from '../media-type.ts';
import { chainedCredentials } from './credentials/chain.ts';
import { S3Address, s3Names } from './s3-address.ts';
import { childText, S3Client, S3Error, type StreamedBody } from './s3-client.ts';
import { type CachedCredentials, CurrentCredentials, cachedCredentials } from './s3-credentials.ts';
import { fileUrlsOf, UrlSigner } from './signing.ts';
import type { LocalFile, Storage, StoredObject } from './storage.ts';

/** Larger files, in bytes, are sent in parts, which are repeated individually. */
const WHOLE = 64 * 1024 * 1024;
/** Bytes of a part, and the most parts of a file; the parts of larger files are larger. */
const PART = 16 * 1024 * 1024;
const MOST_PARTS = 10_000;
/** Concurrent parts of one file. */
const PARTS_AT_ONCE = 3;

/**
 * Opens a bucket without contacting it. Temporary keys are fetched if addresses are signed.
 *
 * @throws UsageError in one line if there are no keys.
 */
export async function openS3Storage(config: S3Config, now?: () => number): Promise<S3Storage> {
  const address = new S3Address(config);
  const provide = providerOf(config);
  if (!config.private) return new S3Storage(config, address, provide);
  const { credentials } = config;
  if (credentials !== undefined && typeof credentials !== 'function') {
    return new S3Storage(config, address, provide, CurrentCredentials.fixed(credentials), now);
  }
  try {
    return new S3Storage(config, address, provide, await CurrentCredentials.fetched(() => provide(true)), now);
  } catch {
    throw new UsageError(
      'there are no credentials for the object store: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
      1,
    );
  }
}

/** The configured keys, else those of the machine. */
function providerOf({ credentials, region }: S3Config): CachedCredentials {
  if (typeof credentials === 'object') return () => Promise.resolve(credentials);
  return cachedCredentials(credentials ?? chainedCredentials(region));
}

export class S3Storage implements Storage {
  readonly name: string;
  readonly names: ReadonlySet<string>;
  /** Marks and signs the addresses of a private store. */
  readonly fileUrls: FileUrls | undefined;
  readonly sign?: (url: string) => string;
  readonly #config: S3Config;
  readonly #address: S3Address;
  readonly #credentials: CurrentCredentials | undefined;
  readonly #client: S3Client;

  constructor(
    config: S3Config,
    address: S3Address,
    provide: () => Promise<S3Credentials>,
    credentials?: CurrentCredentials,
    now: () => number = Date.now,
  ) {
    this.name = config.provider;
    this.names = new Set(s3Names(config));
    this.#config = config;
    this.#address = address;
    this.#client = new S3Client({ region: config.region, address, credentials: provide });
    this.#credentials = credentials;
    if (!credentials) return;
    const context = { config, address, credentials, now };
    const signer = new UrlSigner(context);
    this.fileUrls = fileUrlsOf(context, signer);
    this.sign = (url) => signer.sign(url);
  }

  async put(key: string, file: LocalFile): Promise<void> {
    if (file.size > WHOLE) return this.#putParts(key, file);
    const body = pieceOf(file, 0, file.size);
    await this.#client.text({ method: 'PUT', name: this.#address.nameOf(key), headers: this.#headers(file), body });
  }

  async get(key: string): Promise<Readable | undefined> {
    if (!isPlain(key)) return undefined;
    return this.#client.send({ method: 'GET', name: this.#address.nameOf(key) }).catch(unlessMissing);
  }

  async remove(key: string): Promise<void> {
    await this.#client.text({ method: 'DELETE', name: this.#address.nameOf(key) }).catch(unlessMissing);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    if (!isPlain(key)) return undefined;
    const found = await this.#client.send({ method: 'HEAD', name: this.#address.nameOf(key) }).catch(unlessMissing);
    if (!found) return undefined;
    found.resume();
    return objectOf(key, found.headers['content-length'], found.headers['last-modified']);
  }

  async *list(): AsyncIterable<StoredObject> {
    // names may have characters that are invalid in XML
    const query = { 'list-type': '2', prefix: this.#address.nameOf(''), 'encoding-type': 'url' };
    let next: string | undefined;
    do {
      const more = next === undefined ? {} : { 'continuation-token': next };
      const page = await this.#client.document({ method: 'GET', query: { ...query, ...more } });
      const encoded = childText(page, 'EncodingType') === 'url';
      for (const entry of page.children.filter(({ name }) => name === 'Contents')) {
        const text = childText(entry, 'Key') ?? '';
        const key = this.#address.keyOfName(encoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text);
        // consoles create names with a trailing slash for folders
        if (key === undefined || key.endsWith('/')) continue;
        yield objectOf(key, childText(entry, 'Size'), childText(entry, 'LastModified'));
      }
      next = childText(page, 'IsTruncated') === 'true' ? childText(page, 'NextContinuationToken') : undefined;
    } while (next !== undefined);
  }

  urlOf(key: string): string {
    return this.#address.urlOf(key);
  }

  keyOf(url: string): string | undefined {
    const name = this.#address.nameAt(url);
    return name === undefined ? undefined : this.#address.keyOfName(name);
  }

  async close(): Promise<void> {
    this.#credentials?.close();
    this.#client.close();
  }

  /** After a failure no part remains. */
  async #putParts(key: string, file: LocalFile): Promise<void> {
    const name = this.#address.nameOf(key);
    const started = await this.#client.document({
      method: 'POST',
      name,
      query: { uploads: '' },
      headers: this.#headers(file),
    });
    const uploadId = childText(started, 'UploadId')!;
    try {
      const partSize = Math.max(PART, Math.ceil(file.size / MOST_PARTS));
      const starts = Array.from({ length: Math.ceil(file.size / partSize) }, (_, index) => index * partSize);
      const parts = await inParallel(PARTS_AT_ONCE, starts, async (start, index) => {
        const query = { partNumber: String(index + 1), uploadId };
        const body = pieceOf(file, start, Math.min(start + partSize, file.size));
        const sent = await this.#client.send({ method: 'PUT', name, query, body });
        sent.resume();
        return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(sent.headers.etag!)}</ETag></Part>`;
      });
      const body = `<CompleteMultipartUpload xmlns="${XML_NAMESPACE}">${parts.join('')}</CompleteMultipartUpload>`;
      const headers = { 'Content-Type': 'application/xml' };
      await this.#client.document({ method: 'POST', name, query: { uploadId }, headers, body });
    } catch (error) {
      await this.#client.text({ method: 'DELETE', name, query: { uploadId } }).catch(() => undefined);
      throw error;
    }
  }

  #headers({ mime }: LocalFile) {
    const { acl } = this.#config;
    return {
      'Content-Type': servedType(mime),
      ...(isInert(mime) ? {} : { 'Content-Disposition': 'attachment' }),
      ...(acl === undefined ? {} : { 'x-amz-acl': acl }),
    };
  }
}

const XML_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Types that browsers may show, since they run no scripts from them. */
const INERT = /^(?:(?:image|video|audio|font)\/[\w!#$&^.+-]+|application\/(?:pdf|json)|text\/(?:plain|csv|vtt))$/;

/**
 * A bucket serves files without the headers that prevent scripts below `/uploads`, so types that may contain scripts
 * are downloaded instead of shown. Images in pages are shown anyway.
 */
function isInert(mime: string): boolean {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  // not drawings and other XML
  return INERT.test(type) && !/[+/](?:svg|xml)(?:$|\+)/.test(type);
}

/** Whether a key contains no `.` or `..`, which could lead out of the prefix. */
const isPlain = (key: string): boolean => !key.split('/').some((part) => part === '.' || part === '..');

function objectOf(key: string, size = '0', modified: string | undefined): StoredObject {
  return { key, size: Number(size), modifiedAt: modified === undefined ? 0 : Date.parse(modified) };
}

function pieceOf({ path }: LocalFile, start: number, end: number): StreamedBody {
  const length = end - start;
  // an empty range cannot be expressed
  return {
    length,
    open: () => (length === 0 ? createReadStream(path) : createReadStream(path, { start, end: end - 1 })),
  };
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function unlessMissing(error: unknown): undefined {
  // a missing bucket is a configuration error
  if (error instanceof S3Error && error.status === 404 && error.name !== 'NoSuchBucket') return undefined;
  throw error;
}
