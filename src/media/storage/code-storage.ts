/**
 * The store of a provider that is code of the project, in the reference's form. It chooses addresses by itself, and the
 * server cannot read its bytes.
 */
import { createReadStream, type ReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ProviderCode } from '../../config/config.ts';
import { ContentError, UsageError } from '../../errors.ts';
import type { FileDescription, KeyedFile, PlacedObject, Storage } from './storage.ts';

/** Milliseconds without progress after which a provider counts as not answering. */
const LONGEST = 120_000;

/** A provider did not answer in time. */
class NoAnswer extends Error {}

type Method = (file: object, options: unknown) => unknown;
type Methods = Readonly<Record<string, Method | undefined>>;

export class CodeStorage implements Storage {
  readonly name: string;
  readonly names: ReadonlySet<string>;
  readonly #code: ProviderCode;
  readonly #sizeLimit: number;
  readonly #longest: number;
  #methods: Methods | undefined;

  constructor(code: ProviderCode, sizeLimit: number, longest = LONGEST) {
    [this.name, this.#code, this.#sizeLimit, this.#longest] = [code.name, code, sizeLimit, longest];
    this.names = new Set([code.name]);
  }

  /** @throws UsageError in one line for a provider that cannot run. */
  async begin(): Promise<void> {
    await this.#started();
  }

  async #started(): Promise<Methods> {
    if (this.#methods) return this.#methods;
    const wrong = (why: string) =>
      new UsageError(`The provider ${this.name} of uploads (${this.#code.module}) ${why}`, 1);
    let methods: Methods;
    let isPrivate: unknown;
    try {
      methods = this.#code.start() as Methods;
      isPrivate = await this.#within('isPrivate', methods['isPrivate']?.({}, this.#code.optionsOf('isPrivate')));
    } catch (error) {
      throw wrong(`cannot be started: ${(error as Error).message}`);
    }
    if (!methods['delete']) throw wrong('has no method delete');
    if (!methods['upload'] && !methods['uploadStream']) throw wrong('has no method upload or uploadStream');
    if (isPrivate) throw wrong('is private: addresses that it would have to sign are not supported');
    this.#methods = methods;
    return methods;
  }

  /** Stores a file and returns its address. @throws ContentError 413 if the provider finds it too large. */
  place = async ({ file: { path }, about }: KeyedFile): Promise<PlacedObject> => {
    const methods = await this.#started();
    const streams: ReadStream[] = [];
    // no data listener is added, since a flowing stream would lose bytes before the provider reads it
    const getStream = () => {
      // the provider may handle errors; unhandled ones must not end the server
      const stream = createReadStream(path).on('error', () => undefined);
      streams.push(stream);
      return stream;
    };
    const taken = () => streams.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    const file: FileDescription & Record<string, unknown> = { ...about, getStream, filepath: path };
    const check = methods['checkFileSize']?.call(methods, file, { sizeLimit: this.#sizeLimit });
    await this.#within('checkFileSize', check).catch((error: unknown) => {
      const isTooLarge = (error as Error)?.name === 'PayloadTooLargeError';
      throw isTooLarge ? new ContentError('PayloadTooLargeError', (error as Error).message) : error;
    });
    if (methods['uploadStream']) file['stream'] = getStream();
    else file['buffer'] = await readFile(path);
    const method = methods['uploadStream'] ? 'uploadStream' : 'upload';
    const work = this.#call(methods, method, file);
    try {
      await this.#within(method, work, taken);
      if (typeof file['url'] !== 'string' || file['url'] === '') {
        throw new Error(`the provider ${this.name} returned no url for a file`);
      }
    } catch (error) {
      // removes the stored file; if the provider does not answer, as soon as it does
      const dropped = work.catch(() => undefined).then(() => this.drop(file));
      if (error instanceof NoAnswer) dropped.catch(() => undefined);
      else await dropped.catch(() => undefined);
      throw error;
    } finally {
      for (const stream of streams) stream.destroy();
    }
    const {
      url,
      provider_metadata: metadata = null,
      previewUrl,
    } = file as unknown as Record<'url', string> & typeof file;
    return { url, metadata, ...(typeof previewUrl === 'string' ? { previewUrl } : {}) };
  };

  /** Removes a file by its record. */
  drop = async (file: object): Promise<void> => {
    const methods = await this.#started();
    await this.#within('delete', this.#call(methods, 'delete', file));
  };

  async #call(methods: Methods, method: string, file: object): Promise<unknown> {
    return methods[method]!.call(methods, file, this.#code.optionsOf(method));
  }

  /** @param progress a number that grows while work goes on. @throws Error if there is no progress for too long. */
  async #within<T>(method: string, work: T, progress = () => 0): Promise<Awaited<T>> {
    const { promise, reject } = Promise.withResolvers<never>();
    let before = progress();
    const timer = setInterval(() => {
      const now = progress();
      if (now === before) reject(new NoAnswer(`the provider ${this.name} does not answer (${method})`));
      before = now;
    }, this.#longest);
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearInterval(timer);
    }
  }

  async put(): Promise<void> {
    throw new Error(`files of the provider ${this.name} are not stored by keys`);
  }

  /** A file without record is described by its key. */
  async remove(key: string): Promise<void> {
    const name = key.slice(key.lastIndexOf('/') + 1);
    const [, hash = name, ext = ''] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? [];
    await this.drop({
      hash,
      ext,
      name,
      url: '',
      provider_metadata: null,
      path: key.slice(0, -name.length - 1) || null,
    });
  }

  async get(): Promise<undefined> {}

  async stat(): Promise<undefined> {}

  async *list(): AsyncGenerator<never> {}

  urlOf(key: string): string {
    return key;
  }

  keyOf(): undefined {}

  async close(): Promise<void> {}
}
