/** Types of image processing. */
import type { RASTER_KINDS, SizesConfig } from '../../config/config.ts';

/** A complete local file that may be an image. */
export interface ImageSource {
  /** Absolute path. */
  readonly path: string;
  /** The media type to store the file with. */
  readonly mime: string;
  /** The extension to store the file with, including its dot. */
  readonly ext: string;
}

/** A written image file. */
export interface ImageFile {
  /** Absolute path. */
  readonly path: string;
  readonly ext: string;
  readonly mime: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bytes. */
  readonly size: number;
}

export interface ProcessedImage {
  /** Pixels of the upright image. Null for a drawing without a size. */
  readonly width: number | null;
  readonly height: number | null;
  /** The file to store instead of the original; undefined for the original. */
  readonly optimized: ImageFile | undefined;
  /** In the reference's order: the thumbnail, then the breakpoints as configured. */
  readonly formats: readonly (ImageFile & { readonly key: string })[];
}

/** Kinds of raster images. */
export type RasterKind = (typeof RASTER_KINDS)[number];

/** How a resized image fills the requested size. */
export type Fit = SizesConfig['fits'][number];

/** The box of one format. */
export interface FormatBox {
  readonly key: string;
  readonly width: number;
  readonly height: number;
}

/** Derives all files of an uploaded image. */
export interface DeriveJob {
  readonly task: 'derive';
  readonly path: string;
  readonly kind: RasterKind;
  /** Files are named */
  readonly prefix: string;
  /** Formats of images that are larger. */
  readonly boxes: readonly FormatBox[];
  /** Whether to recompress the original. Otherwise it is only rewritten if it is rotated or carries metadata. */
  readonly recompress: boolean;
  /** Whether to turn the original upright. Otherwise it keeps its orientation, where the kind has one. */
  readonly turn: boolean;
  readonly limitInputPixels: number;
  /** The most bytes of memory that it may use. */
  readonly memoryLimit: number;
}

/** One resized copy. */
export interface ResizeJob {
  readonly task: 'resize';
  readonly path: string;
  readonly kind: RasterKind;
  readonly output: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fit: Fit;
  readonly format: RasterKind;
  readonly quality: number | undefined;
  readonly limitInputPixels: number;
  /** The most bytes of memory that it may use. */
  readonly memoryLimit: number;
}

export type ImageJob = DeriveJob | ResizeJob;

/** A file that a job wrote. */
export interface WrittenFile {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly size: number;
}

export interface JobResult {
  readonly width: number;
  readonly height: number;
  readonly original?: WrittenFile;
  readonly formats: readonly (WrittenFile & { readonly key: string })[];
}

/** Why a job failed. The message is only for the log. */
export interface JobFailure {
  /** `heavy`: it needs more memory than its share. `gone`: the file was removed. */
  readonly reason: 'broken' | 'pixels' | 'memory' | 'heavy' | 'gone' | 'full' | 'unwritable';
  readonly message: string;
  /** For `pixels`: the pixels of the image. */
  readonly pixels?: number;
  /** For `heavy`: the bytes that it needs. */
  readonly memory?: number;
}

/** A message to the image process. */
export interface JobRequest {
  readonly id: number;
  readonly job: ImageJob;
  /** Bytes of memory that it may use besides the other running jobs. */
  readonly memory: number;
}
/** The first message of the process, when it is ready for jobs. */
export interface Ready {
  readonly ready: true;
}
export type JobReply =
  | { readonly id: number; readonly result: JobResult }
  | { readonly id: number; readonly failure: JobFailure };
