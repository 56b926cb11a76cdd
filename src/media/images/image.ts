/** What image processing takes and gives. */
import type { RASTER_KINDS, SizesConfig } from '../../config/config.ts';

/** A complete file of the local disk that may be an image. */
export interface ImageSource {
  /** Absolute path. */
  readonly path: string;
  /** Media type that the file is stored with. */
  readonly mime: string;
  /** Extension that the file is stored with, with its dot. */
  readonly ext: string;
}

/** An image file that was made. */
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
  /** Pixels, as the image is seen: after its orientation was applied. Null for a drawing that names no size. */
  readonly width: number | null;
  readonly height: number | null;
  /** What is to be stored in place of what was sent; undefined: what was sent. */
  readonly optimized: ImageFile | undefined;
  /** In the reference's order: the thumbnail, then the breakpoints as configured. */
  readonly formats: readonly (ImageFile & { readonly key: string })[];
}

/** Kinds of raster images. */
export type RasterKind = (typeof RASTER_KINDS)[number];

/** How a resized image fills the sizes asked for. */
export type Fit = SizesConfig['fits'][number];

/** A box for one format. */
export interface FormatBox {
  readonly key: string;
  readonly width: number;
  readonly height: number;
}

/** Everything that an upload makes of an image. */
export interface DeriveJob {
  readonly task: 'derive';
  readonly path: string;
  readonly kind: RasterKind;
  /** Files made are named `<prefix>-<key>`. */
  readonly prefix: string;
  /** Formats to make where the image is larger. */
  readonly boxes: readonly FormatBox[];
  /** Recompress what was sent; without it, it is only rewritten when it lies on its side or carries metadata. */
  readonly recompress: boolean;
  readonly limitInputPixels: number;
  /** Bytes of memory that it may take at most. */
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
  /** Bytes of memory that it may take at most. */
  readonly memoryLimit: number;
}

export type ImageJob = DeriveJob | ResizeJob;

/** A file that a job made. */
export interface MadeFile {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly size: number;
}

export interface JobResult {
  readonly width: number;
  readonly height: number;
  readonly original?: MadeFile;
  readonly formats: readonly (MadeFile & { readonly key: string })[];
}

/** Why a job failed; `message` is for the log alone. */
export interface JobFailure {
  /** `heavy`: it takes more memory than it was given. `gone`: the file has been removed. */
  readonly reason: 'broken' | 'pixels' | 'memory' | 'heavy' | 'gone' | 'full' | 'unwritable';
  readonly message: string;
  /** Of `pixels`: how many the image has. */
  readonly pixels?: number;
  /** Of `heavy`: bytes that it takes. */
  readonly memory?: number;
}

/** What goes to the image process, and what comes back. */
export interface JobRequest {
  readonly id: number;
  readonly job: ImageJob;
  /** Bytes of memory that it may take besides the other running jobs. */
  readonly memory: number;
}
/** The first message: the process has everything that it needs. */
export interface Ready {
  readonly ready: true;
}
export type JobReply =
  | { readonly id: number; readonly result: JobResult }
  | { readonly id: number; readonly failure: JobFailure };
