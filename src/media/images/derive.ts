/** The work of the image process: one image in, files out. Nothing here runs in the server itself. */
import { rm, stat } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp, type SharpInput } from 'sharp';
import type {
  DeriveJob,
  FormatBox,
  ImageJob,
  JobFailure,
  JobResult,
  MadeFile,
  RasterKind,
  ResizeJob,
} from './image.ts';

/** Quality of recompressed originals (behaviour-media-access.md, "Upload"). */
const QUALITY = 80;
/** Images up to so many pixels are decoded once, in memory; larger ones are streamed, once for each use. */
const DECODED_ONCE = 8_000_000;
/** Above it, palettes and the slower settings of AVIF would take longer than an upload may. */
const THOROUGH = 24_000_000;
/** How hard the colours of a palette are looked for, of 10: harder takes many times as long for a few percent. */
const PALETTE_EFFORT = 4;
/** Formats are made of a copy of at least so many times their size, which looks as if made of the original. */
const SPARE = 2;

/** Kinds that are recompressed, and kinds that get formats (behaviour-media-access.md, "Upload"). */
const RECOMPRESSED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'avif']);
const WITH_FORMATS: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'gif']);

/** How each kind is called by the library that decodes it. */
const DECODER: Readonly<Record<RasterKind, string>> = {
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  tiff: 'tiff',
  gif: 'gif',
  avif: 'heif',
};

/** Fails a job for a reason that the server understands. */
export class ImageFailure extends Error {
  readonly failure: JobFailure;
  constructor(failure: JobFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Only these decoders are open to what is uploaded: files alone, and none that renders or reads other files. */
export function restrictDecoders(): void {
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  const kinds = ['Jpeg', 'Png', 'Webp', 'Tiff', 'Nsgif', 'Heif'];
  sharp.unblock({ operation: kinds.map((kind) => `VipsForeignLoad${kind}File`) });
}

/** Threads of one image: jobs run side by side, so one each wastes least. */
export function setThreads(count: number): void {
  sharp.concurrency(count);
}

/** Does a job. Throws ImageFailure; files of a failed job are the caller's to remove. */
export async function runJob(job: ImageJob): Promise<JobResult> {
  try {
    const metadata = await examine(job);
    return job.task === 'derive' ? await derive(job, metadata) : await resize(job, metadata);
  } catch (error) {
    if (error instanceof ImageFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ImageFailure({ reason: reasonOf(message), message });
  }
}

/** The library tells what went wrong in words alone. */
function reasonOf(message: string): JobFailure['reason'] {
  if (/no space left|disk quota|file too large|ENOSPC|EDQUOT|EFBIG/i.test(message)) return 'full';
  return /write error|open for write/i.test(message) ? 'unwritable' : 'broken';
}

/** The header of the image, once its size is known to be bearable. */
async function examine({ path, kind, limitInputPixels }: ImageJob): Promise<Metadata> {
  const metadata = await sharp(path, { limitInputPixels: false }).metadata();
  if (metadata.format !== DECODER[kind]) {
    throw new ImageFailure({ reason: 'broken', message: `${metadata.format} where ${kind} was expected` });
  }
  const pixels = metadata.width * metadata.height * (isAnimated(kind, metadata) ? metadata.pages! : 1);
  if (pixels > limitInputPixels) throw new ImageFailure({ reason: 'pixels', message: `${pixels} pixels`, pixels });
  return metadata;
}

function isAnimated(kind: RasterKind, { pages = 1 }: Metadata): boolean {
  return pages > 1 && (kind === 'gif' || kind === 'webp');
}

/** Opens the file, the whole of which has to be there. */
function open(path: string, animated = false): Sharp {
  return sharp(path, { limitInputPixels: false, failOn: 'error', sequentialRead: true, animated });
}

/** Pixels in memory. */
interface Pixels {
  readonly data: Buffer;
  readonly info: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

const fromPixels = ({ data, info }: Pixels): Sharp => sharp(data as SharpInput, { raw: info, limitInputPixels: false });
const toPixels = (image: Sharp): Promise<Pixels> => image.raw().toBuffer({ resolveWithObject: true });

async function derive(job: DeriveJob, metadata: Metadata): Promise<JobResult> {
  const { width, height } = metadata.autoOrient;
  const boxes = WITH_FORMATS.has(job.kind) ? job.boxes.filter((box) => width > box.width || height > box.height) : [];
  if (job.kind === 'gif' || isAnimated(job.kind, metadata)) return deriveFrames(job, metadata, boxes);

  const decoded = width * height <= DECODED_ONCE ? await toPixels(open(job.path).autoOrient()) : undefined;
  const upright = (): Sharp => (decoded ? fromPixels(decoded) : open(job.path).autoOrient());
  const original = await rewrite(job, metadata, upright);
  // what nothing has read to its end yet may be cut off
  if (!decoded && !original && boxes.length === 0) await readThrough(open(job.path));
  if (boxes.length === 0) return { width, height, ...original, formats: [] };

  const side = SPARE * Math.max(...boxes.map((box) => Math.max(box.width, box.height)));
  const isLarge = Math.max(width, height) > side;
  const base =
    decoded && !isLarge
      ? decoded
      : await toPixels(upright().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }));
  const formats: (MadeFile & { key: string })[] = [];
  for (const box of boxes) {
    const image = fromPixels(base);
    // the sides of a smaller copy are rounded already
    if (base === decoded) image.resize({ width: box.width, height: box.height, fit: 'inside' });
    else image.resize({ ...inside(box, width, height), fit: 'fill' });
    formats.push({ key: box.key, ...(await write(encoded(image, job), `${job.prefix}-${box.key}`)) });
  }
  return { width, height, ...original, formats };
}

/** The size of an image inside of a box. */
function inside(box: FormatBox, width: number, height: number): { width: number; height: number } {
  const [across, down] = [width / box.width, height / box.height];
  return across > down
    ? { width: box.width, height: Math.max(1, Math.round(height / across)) }
    : { width: Math.max(1, Math.round(width / down)), height: box.height };
}

/** The original anew: upright, without what tells of its maker, and compressed where that is wanted and gains. */
async function rewrite(
  job: DeriveJob,
  metadata: Metadata,
  upright: () => Sharp,
): Promise<{ original: MadeFile } | undefined> {
  // a file of several pages would lose all but its first
  if (!RECOMPRESSED.has(job.kind) || (metadata.pages ?? 1) > 1) return undefined;
  const { orientation = 1, exif, xmp, iptc } = metadata;
  const needed = orientation > 1 || [exif, xmp, iptc].some((block) => block !== undefined);
  if (!job.recompress && !needed) return undefined;
  const { width, height } = metadata.autoOrient;
  return keepBetter(job, await write(encoded(upright(), job, width * height), `${job.prefix}-original`), needed);
}

/** The rewritten original, unless the one that was sent is as small and needs no change. */
async function keepBetter(
  job: DeriveJob,
  made: MadeFile,
  needed: boolean,
): Promise<{ original: MadeFile } | undefined> {
  if (needed || made.size < (await stat(job.path)).size) return { original: made };
  await rm(made.path);
  return undefined;
}

/** Moving images keep their frames; their originals are recompressed where the kind is. */
async function deriveFrames(job: DeriveJob, metadata: Metadata, boxes: readonly FormatBox[]): Promise<JobResult> {
  const { width, height, exif, xmp } = metadata;
  const needed = exif !== undefined || xmp !== undefined;
  const original =
    RECOMPRESSED.has(job.kind) && (job.recompress || needed)
      ? await keepBetter(job, await write(encoded(open(job.path, true), job), `${job.prefix}-original`), needed)
      : undefined;
  const formats: (MadeFile & { key: string })[] = [];
  for (const box of boxes) {
    const image = open(job.path, true).resize({ width: box.width, height: box.height, fit: 'inside' });
    formats.push({ key: box.key, ...(await write(encoded(image, job), `${job.prefix}-${box.key}`)) });
  }
  if (formats.length === 0) await readThrough(open(job.path, true));
  return { width, height, ...original, formats };
}

/** Decodes everything without keeping it. */
async function readThrough(image: Sharp): Promise<void> {
  await image.resize({ width: 1, height: 1, fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: false }).raw().toBuffer();
}

/** One copy in the size, form and quality asked for; never larger than the original. */
async function resize(job: ResizeJob, metadata: Metadata): Promise<JobResult> {
  const keepsFrames = isAnimated(job.kind, metadata) && (job.format === 'gif' || job.format === 'webp');
  let image = keepsFrames ? open(job.path, true) : open(job.path).autoOrient();
  if (job.width !== undefined || job.height !== undefined) {
    const { width, height, fit } = job;
    image = image.resize({ ...(width && { width }), ...(height && { height }), fit, withoutEnlargement: true });
  }
  const made = await write(encodedAs(image, job.format, job.quality ?? QUALITY), job.output);
  return { width: made.width, height: made.height, original: made, formats: [] };
}

/** Gives an image the encoding of the job's kind. */
function encoded(image: Sharp, { kind, recompress }: DeriveJob, pixels = 0): Sharp {
  return encodedAs(image, kind, recompress ? QUALITY : undefined, pixels);
}

/** @param quality undefined: as good as the kind allows. */
function encodedAs(image: Sharp, kind: RasterKind, quality: number | undefined, pixels = 0): Sharp {
  const rated = { quality: quality ?? 100 };
  const isThorough = pixels <= THOROUGH;
  switch (kind) {
    case 'jpeg':
      return image.jpeg(rated);
    case 'png':
      // a quality makes a palette; without one nothing is lost
      return quality !== undefined && isThorough ? image.png({ quality, effort: PALETTE_EFFORT }) : image.png();
    case 'webp':
      return image.webp(rated);
    case 'tiff':
      return image.tiff(rated);
    case 'avif':
      return image.avif({ ...rated, effort: isThorough ? 2 : 0 });
    case 'gif':
      return image.gif();
  }
}

async function write(image: Sharp, path: string): Promise<MadeFile> {
  const { width, height, pageHeight, size } = await image.toFile(path);
  return { path, width, height: pageHeight ?? height, size };
}
