/** Files in a bucket of an S3-compatible object store. The SDK is loaded when it is first needed. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Config, S3Credentials } from '../../config/config.ts';
import type { FileUrls } from '../../content/reading/file-urls.ts';
import { UsageError } from '../../errors.ts';
import { servedType } from '../media-type.ts';
import { inParallel } from '../safety/in-parallel.ts';
import { S3Address, s3Names } from './s3-address.ts';
import { CurrentCredentials } from './s3-credentials.ts';
import { fileUrlsOf, UrlSigner } from './signing.ts';
import type { LocalFile, Storage, StoredObject } from './storage.ts';

/** Larger files are sent in parts, in bytes: a part that fails is sent again, not the whole. */
const WHOLE = 64 * 1024 * 1024;
/** Bytes of a part, and the most parts that a file may have; larger files have larger parts. */
const PART = 16 * 1024 * 1024;
const MOST_PARTS = 10_000;
/** Parts of one file on their way at once. */
const PARTS_AT_ONCE = 3;
/** How often something is sent; the SDK does not send streams again. */
const ATTEMPTS = 3;
/** Milliseconds to connect, and without an answer. */
const CONNECTION_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 60_000;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

type Sdk = typeof import('@aws-sdk/client-s3');

/**
 * Opens a bucket. Nothing is asked of it yet; keys that somebody else hands out are fetched if addresses are signed.
 *
 * @throws UsageError in one line where such keys cannot be had.
 */
export async function openS3Storage(config: S3Config, now?: () => number): Promise<S3Storage> {
  const address = new S3Address(config);
  if (!config.private) return new S3Storage(config, address, undefined);
  const { credentials } = config;
  if (credentials !== undefined && typeof credentials !== 'function') {
    return new S3Storage(config, address, CurrentCredentials.fixed(credentials), now);
  }
  const storage = new S3Storage(config, address, undefined);
  try {
    const current = await CurrentCredentials.fetched(() => storage.credentials());
    return new S3Storage(config, address, current, now);
  } catch {
    throw new UsageError('there are no keys for the object store: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY', 1);
  } finally {
    await storage.close();
  }
}

export class S3Storage implements Storage {
  readonly name: string;
  readonly names: ReadonlySet<string>;
  /** How the addresses of a private store leave the server. */
  readonly fileUrls: FileUrls | undefined;
  readonly sign?: (url: string) => string;
  readonly #config: S3Config;
  readonly #address: S3Address;
  readonly #credentials: CurrentCredentials | undefined;
  #opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  constructor(
    config: S3Config,
    address: S3Address,
    credentials: CurrentCredentials | undefined,
    now: () => number = Date.now,
  ) {
    this.name = config.provider;
    this.names = new Set(s3Names(config));
    this.#config = config;
    this.#address = address;
    this.#credentials = credentials;
    if (!credentials) return;
    const context = { config, address, credentials, now };
    const signer = new UrlSigner(context);
    this.fileUrls = fileUrlsOf(context, signer);
    this.sign = (url) => signer.sign(url);
  }

  async put(key: string, file: LocalFile): Promise<void> {
    if (file.size > WHOLE) return this.#putParts(key, file);
    const { sdk, client } = await this.#open();
    await attempt(async () => {
      const Body = createReadStream(file.path);
      const request = { ...this.#target(key), ...this.#headers(file), Body, ContentLength: file.size };
      await client.send(new sdk.PutObjectCommand(request)).finally(() => Body.destroy());
    });
  }

  async get(key: string): Promise<Readable | undefined> {
    if (!isPlain(key)) return undefined;
    const { sdk, client } = await this.#open();
    const found = await client.send(new sdk.GetObjectCommand(this.#target(key))).catch(unlessMissing);
    return found?.Body as Readable | undefined;
  }

  async remove(key: string): Promise<void> {
    const { sdk, client } = await this.#open();
    await client.send(new sdk.DeleteObjectCommand(this.#target(key))).catch(unlessMissing);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    if (!isPlain(key)) return undefined;
    const { sdk, client } = await this.#open();
    const found = await client.send(new sdk.HeadObjectCommand(this.#target(key))).catch(unlessMissing);
    return found && objectOf(key, found.ContentLength, found.LastModified);
  }

  async *list(): AsyncIterable<StoredObject> {
    const { sdk, client } = await this.#open();
    const request = { Bucket: this.#config.bucket, Prefix: this.#address.nameOf('') };
    for await (const page of sdk.paginateListObjectsV2({ client }, request)) {
      for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
        const key = this.#address.keyOfName(Key);
        // a name with a slash at its end is what consoles make for a folder
        if (key !== undefined && !key.endsWith('/')) yield objectOf(key, Size, LastModified);
      }
    }
  }

  urlOf(key: string): string {
    return this.#address.urlOf(key);
  }

  keyOf(url: string): string | undefined {
    const name = this.#address.nameAt(url);
    return name === undefined ? undefined : this.#address.keyOfName(name);
  }

  /** The keys that requests are signed with. */
  async credentials(): Promise<S3Credentials> {
    return (await this.#open()).client.config.credentials();
  }

  async close(): Promise<void> {
    this.#credentials?.close();
    (await this.#opened?.catch(() => undefined))?.client.destroy();
  }

  /** Nothing of a file that fails is kept. */
  async #putParts(key: string, file: LocalFile): Promise<void> {
    const { sdk, client } = await this.#open();
    const target = this.#target(key);
    const started = await client.send(new sdk.CreateMultipartUploadCommand({ ...target, ...this.#headers(file) }));
    const upload = { ...target, UploadId: started.UploadId! };
    try {
      const partSize = Math.max(PART, Math.ceil(file.size / MOST_PARTS));
      const starts = Array.from({ length: Math.ceil(file.size / partSize) }, (_, index) => index * partSize);
      const parts = await inParallel(PARTS_AT_ONCE, starts, (start, index) =>
        attempt(async () => {
          const end = Math.min(start + partSize, file.size);
          const Body = createReadStream(file.path, { start, end: end - 1 });
          const request = { ...upload, PartNumber: index + 1, Body, ContentLength: end - start };
          const sent = await client.send(new sdk.UploadPartCommand(request)).finally(() => Body.destroy());
          return { PartNumber: index + 1, ETag: sent.ETag! };
        }),
      );
      const complete = { ...upload, MultipartUpload: { Parts: parts } };
      await client.send(new sdk.CompleteMultipartUploadCommand(complete));
    } catch (error) {
      await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw error;
    }
  }

  #target(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#config.bucket, Key: this.#address.nameOf(key) };
  }

  #headers({ mime }: LocalFile) {
    const { acl } = this.#config;
    return {
      ContentType: servedType(mime),
      ...(isInert(mime) ? {} : { ContentDisposition: 'attachment' }),
      ...(acl === undefined ? {} : { ACL: acl as 'public-read' }),
    };
  }

  #open(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.#opened ??= this.#connect().catch((error: unknown) => {
      // the next request tries again
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #connect(): Promise<{ sdk: Sdk; client: S3Client }> {
    const sdk = await import('@aws-sdk/client-s3');
    const { region, credentials } = this.#config;
    // the SDK notes in its keys where they come from
    const own = typeof credentials === 'object' ? { ...credentials } : credentials;
    const client = new sdk.S3Client({
      region,
      endpoint: this.#address.endpoint,
      forcePathStyle: this.#address.pathStyle,
      ...(own === undefined ? {} : { credentials: own as NonNullable<S3ClientConfig['credentials']> }),
      // other stores than AWS's own do not know the checksums that the SDK would add
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: ATTEMPTS,
      // what fails is thrown, and whoever asked tells it
      logger: SILENT,
      requestHandler: { connectionTimeout: CONNECTION_TIMEOUT, socketTimeout: REQUEST_TIMEOUT },
    });
    return { sdk, client };
  }
}

/** Types that are shown: what a browser makes of them runs no scripts of theirs in the name of the bucket. */
const INERT = /^(?:(?:image|video|audio|font)\/[\w!#$&^.+-]+|application\/(?:pdf|json)|text\/(?:plain|csv|vtt))$/;

/**
 * A bucket serves by itself, without the headers that keep scripts from running below `/uploads`: what is not known to
 * be inert is saved instead of shown. Images in pages are shown all the same.
 */
function isInert(mime: string): boolean {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  // drawings and other XML
  return INERT.test(type) && !/[+/](?:svg|xml)(?:$|\+)/.test(type);
}

/** Not a way out of the prefix: such a segment is a step back to whoever reads the key as a path. */
const isPlain = (key: string): boolean => !key.split('/').some((part) => part === '.' || part === '..');

function objectOf(key: string, size = 0, modified: Date | undefined): StoredObject {
  return { key, size, modifiedAt: modified?.getTime() ?? 0 };
}

function unlessMissing(error: { name?: string; $metadata?: { httpStatusCode?: number } }): undefined {
  // a bucket that is not there is a mistake, and not a missing object
  if (error.name !== 'NoSuchBucket' && error.$metadata?.httpStatusCode === 404) return undefined;
  throw error;
}

/** Does something that reads a file anew each time, until it succeeds or was refused. */
async function attempt<T>(work: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 500;
      if (left === 0 || (status < 500 && status !== 429)) throw error;
    }
  }
}
