/** What image processing takes and gives. */

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
export const RASTER_KINDS = ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const;
export type RasterKind = (typeof RASTER_KINDS)[number];

/** How a resized image fills the sizes asked for. */
export const FITS = ['cover', 'contain', 'fill', 'inside', 'outside'] as const;
export type Fit = (typeof FITS)[number];

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
  /** Recompress what was sent; without it, it is only rewritten when it lies on its side or tells of its maker. */
  readonly recompress: boolean;
  readonly limitInputPixels: number;
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
  readonly reason: 'broken' | 'pixels' | 'full' | 'unwritable';
  readonly message: string;
  /** Of `pixels`: how many the image has. */
  readonly pixels?: number;
}

/** What goes to the image process, and what comes back. */
export interface JobRequest {
  readonly id: number;
  readonly job: ImageJob;
}
/** The first message: the process has everything that it needs. */
export interface Ready {
  readonly ready: true;
}
export type JobReply =
  | { readonly id: number; readonly result: JobResult }
  | { readonly id: number; readonly failure: JobFailure };
