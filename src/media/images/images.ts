/** Processes images of the file service: measures them and derives copies. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ImagesConfig } from '../../config/config.ts';
import { ContentError, unavailable, validation } from '../../errors.ts';
import { storageFailure } from '../failures.ts';
import type {
  Fit,
  FormatBox,
  ImageFile,
  ImageJob,
  ImageSource,
  JobResult,
  ProcessedImage,
  RasterKind,
  WrittenFile,
} from './image.ts';
import { type ImageJobs, ImageQueue, JobError, QueueError } from './image-queue.ts';
import { claimsRaster, prefixOf, rasterKind } from './signature.ts';
import { drawingSize } from './svg-size.ts';

export type { ImageFile, ImageSource, ProcessedImage } from './image.ts';

/** The reference's thumbnail (docs/reference/files.md). */
const THUMBNAIL: FormatBox = { key: 'thumbnail', width: 245, height: 156 };
/** Milliseconds without an image after which the image process ends. */
const IDLE = 30_000;

export interface ProcessTarget {
  /** Folder of the written files; the caller removes it. */
  readonly folder: string;
  /** Whether to recompress originals: the setting `sizeOptimization`, by default true. */
  readonly sizeOptimization?: boolean;
  /**
   * Whether to create the breakpoints: the setting `responsiveDimensions`, by default true. The thumbnail is always
   * created.
   */
  readonly responsiveDimensions?: boolean;
  /** Whether to turn originals upright: the setting `autoOrientation`, by default true. Copies are always upright. */
  readonly autoOrientation?: boolean;
}

/** Size, format and quality of a copy. */
export interface Resizing {
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fit: Fit;
  /** Undefined for the image's own. */
  readonly format: RasterKind | undefined;
  readonly quality: number | undefined;
}

export class Images {
  readonly #config: ImagesConfig;
  readonly #queue: ImageJobs;

  /** @param queue the queue of jobs; by default a new one. */
  constructor(config: ImagesConfig, queue: ImageJobs = imageQueue(config)) {
    this.#config = config;
    this.#queue = queue;
  }

  /**
   * Measures an image and writes its recompressed original and its formats into `target.folder`
   * (docs/reference/files.md). Undefined for other files.
   *
   * @throws ValidationError for a raster image that is damaged, has too many pixels or takes too long, also if only its
   *   extension or media type claims that it is one; ServiceUnavailableError if too many images wait;
   *   InsufficientStorageError without room.
   */
  async process(source: ImageSource, target: ProcessTarget): Promise<ProcessedImage | undefined> {
    const prefix = await prefixOf(source.path);
    const kind = rasterKind(prefix);
    if (kind === undefined) {
      if (claimsRaster(source)) throw undecodable();
      const size = drawingSize(prefix);
      return size && { ...size, optimized: undefined, formats: [] };
    }
    const { sizeOptimization = true, responsiveDimensions = true, autoOrientation = true } = target;
    const boxes = [THUMBNAIL, ...(responsiveDimensions ? this.#config.breakpoints.map(boxOf) : [])];
    const job: ImageJob = {
      task: 'derive',
      path: source.path,
      kind,
      prefix: path.join(target.folder, randomUUID()),
      boxes,
      recompress: sizeOptimization,
      turn: autoOrientation,
      ...this.#limits,
    };
    try {
      return processed(source, await this.#run(job));
    } catch (error) {
      const written = ['original', ...boxes.map(({ key }) => key)];
      await Promise.all(written.map((key) => rm(`${job.prefix}-${key}`, { force: true })));
      // a text that only begins like an image is stored as a text
      if (error instanceof ContentError && error.status === 400 && !claimsRaster(source)) return undefined;
      throw error;
    }
  }

  /**
   * Writes a copy of a raster image to `output`. Returns its format and bytes; undefined for other files.
   *
   * @throws as `process`.
   */
  async resize(
    file: string,
    output: string,
    resizing: Resizing,
  ): Promise<{ readonly format: RasterKind; readonly size: number } | undefined> {
    const kind = rasterKind(await prefixOf(file));
    if (kind === undefined) return undefined;
    const format = resizing.format ?? kind;
    const job: ImageJob = { ...resizing, task: 'resize', path: file, output, kind, format, ...this.#limits };
    const { original } = await this.#run(job);
    return { format, size: original!.size };
  }

  /** Ends the image process; waiting images are refused. */
  async close(): Promise<void> {
    this.#queue.close();
  }

  get #limits() {
    const { limitInputPixels, memoryLimit } = this.#config;
    return { limitInputPixels, memoryLimit };
  }

  async #run(job: ImageJob): Promise<JobResult> {
    try {
      return await this.#queue.run(job);
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  #refusal(error: unknown): unknown {
    if (error instanceof QueueError) {
      if (error.reason === 'late')
        return validation(`The image takes longer than ${this.#config.timeout} ms to process`);
      if (error.reason === 'fatal') return validation('The image cannot be processed');
      if (error.reason === 'unavailable') {
        return unavailable('Images cannot be processed at the moment', error.cause);
      }
      return unavailable('Too many images are being processed: try again later');
    }
    if (!(error instanceof JobError)) return error;
    const { failure } = error;
    if (failure.reason === 'broken') return undecodable();
    if (failure.reason === 'pixels') {
      return validation(
        `The image has ${failure.pixels} pixels: at most ${this.#config.limitInputPixels} are accepted`,
      );
    }
    if (failure.reason === 'memory') {
      return validation('The image takes too much memory to process: send it with fewer pixels or in another format');
    }
    if (failure.reason === 'gone') {
      return unavailable('The image has been removed: try again');
    }
    return storageFailure(Object.assign(error, failure.reason === 'full' && { code: 'ENOSPC' }));
  }
}

/** A new queue with its own image process. */
export function imageQueue({ concurrency, queue: waiting, timeout, memoryLimit: memory }: ImagesConfig): ImageQueue {
  return new ImageQueue({ concurrency, waiting, memory, timeout, idle: IDLE });
}

const undecodable = (): ContentError => validation('The image cannot be decoded: it is damaged or incomplete');

const boxOf = ({ key, size }: ImagesConfig['breakpoints'][number]): FormatBox => ({ key, width: size, height: size });

function processed({ ext, mime }: ImageSource, { width, height, original, formats }: JobResult): ProcessedImage {
  const fileOf = (written: WrittenFile): ImageFile => ({ ...written, ext, mime });
  return {
    width,
    height,
    optimized: original && fileOf(original),
    formats: formats.map((written) => ({ ...fileOf(written), key: written.key })),
  };
}
