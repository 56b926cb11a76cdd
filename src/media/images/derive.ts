/** The work of the image process: reads one image and writes files. Nothing here runs in the server itself. */
import { rm, stat } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp, type SharpInput } from 'sharp';
import type {
  DeriveJob,
  FormatBox,
  ImageJob,
  JobFailure,
  JobResult,
  RasterKind,
  ResizeJob,
  WrittenFile,
} from './image.ts';
import { hasMetadata, isReencodable } from './inspect.ts';
import { writeStripped } from './strip-metadata.ts';

/** Quality of recompressed originals (docs/reference/files.md). */
const QUALITY = 80;
/** The effort of finding palette colours, of 10. More effort takes many times as long for a few percent. */
const PALETTE_EFFORT = 4;
/** Formats are derived from a copy at least this many times their size, which looks as good as the original. */
const SPARE = 2;

/** Kinds that are recompressed, and kinds with formats (docs/reference/files.md). */
const RECOMPRESSED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'avif']);
const WITH_FORMATS: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'gif']);

/** Kinds whose viewers follow an orientation in their metadata. */
const ORIENTED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp']);
/** Kinds whose metadata can be removed without encoding them again. */
const CLEARED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'avif']);

/** The library's name of each kind. */
const DECODER: Readonly<Record<RasterKind, string>> = {
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  tiff: 'tiff',
  gif: 'gif',
  avif: 'heif',
};

/** A failure of a job with a reason for the server. */
export class ImageFailure extends Error {
  readonly failure: JobFailure;
  constructor(failure: JobFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Blocks all decoders but these, none of which renders drawings or reads other files. */
export function restrictDecoders(): void {
  sharp.cache(false);
  sharp.block({ operation: ['VipsForeignLoad'] });
  const kinds = ['Jpeg', 'Png', 'Webp', 'Tiff', 'Nsgif', 'Heif'];
  sharp.unblock({ operation: kinds.map((kind) => `VipsForeignLoad${kind}File`) });
}

/** Sets the threads per image: one is best, since jobs run in parallel. */
export function setThreads(count: number): void {
  sharp.concurrency(count);
}

/**
 * Runs a job. After a failure the caller removes its files.
 *
 * @param memoryShare bytes of memory that it may use besides other jobs; it fails as `heavy` if it needs more.
 * @throws ImageFailure
 */
export async function runJob(job: ImageJob, memoryShare: number): Promise<JobResult> {
  try {
    const metadata = await examine(job);
    if (job.task === 'resize') {
      requireMemory(job, memoryOf(job.kind, metadata, pixelsOf(job, metadata), resized(job, metadata)), memoryShare);
      return await resize(job, metadata);
    }
    const plan = await planOf(job, metadata);
    requireMemory(job, plan.memory, memoryShare);
    return await derive(job, metadata, plan);
  } catch (error) {
    if (error instanceof ImageFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ImageFailure({ reason: reasonOf(message), message });
  }
}

/** The library has no error codes, only messages. */
function reasonOf(message: string): JobFailure['reason'] {
  if (/no space left|disk quota|file too large|ENOSPC|EDQUOT|EFBIG/i.test(message)) return 'full';
  if (/input file is missing|ENOENT/i.test(message)) return 'gone';
  return /write error|open for write/i.test(message) ? 'unwritable' : 'broken';
}

/** Reads the header of the image. @throws ImageFailure for a wrong kind or too many pixels. */
async function examine({ path, kind, limitInputPixels }: ImageJob): Promise<Metadata> {
  const metadata = await sharp(path, { limitInputPixels: false }).metadata();
  if (metadata.format !== DECODER[kind]) {
    throw new ImageFailure({ reason: 'broken', message: `${metadata.format} where ${kind} was expected` });
  }
  const pixels = pixelsOf({ kind }, metadata);
  if (pixels > limitInputPixels) throw new ImageFailure({ reason: 'pixels', message: `${pixels} pixels`, pixels });
  return metadata;
}

/** Pixels of all frames of an animation. Pages of other files are processed one after another. */
function pixelsOf({ kind }: Pick<ImageJob, 'kind'>, metadata: Metadata): number {
  const { width, height, pages = 1 } = metadata;
  return width * height * (isAnimated(kind, metadata) ? pages : 1);
}

/**
 * How an original is rewritten. `needed`: it is rotated or carries metadata; `wanted`: to save space; `cleared`: a copy
 * without metadata is already written, since encoding it again would lose visible content.
 */
interface Plan {
  readonly rewrite: 'needed' | 'wanted' | 'cleared' | undefined;
  readonly memory: number;
}

async function planOf(job: DeriveJob, metadata: Metadata): Promise<Plan> {
  const { kind, path, recompress } = job;
  const { orientation = 1, exif, xmp, iptc, pages = 1 } = metadata;
  const pixels = pixelsOf(job, metadata);
  const without: Plan = { rewrite: undefined, memory: memoryOf(kind, metadata, pixels, undefined) };
  if (!RECOMPRESSED.has(kind)) return without;
  const isFaithful = await isReencodable(path, kind, metadata);
  if (!isFaithful && CLEARED.has(kind)) {
    const target = originalOf(job);
    const outcome = await writeStripped(path, kind, orientation, target);
    if (outcome === 'different') return { ...without, rewrite: 'cleared' };
    await rm(target);
    if (outcome === 'equal') return without;
    // a picture that loses quality is better than one that reveals where it was taken
  }
  if (kind === 'tiff' && orientation > 1) {
    // all rotated pages are in memory at once
    return { rewrite: 'needed', memory: memoryOf(kind, metadata, pixels * pages, undefined) };
  }
  const isMarked = orientation > 1 || [exif, xmp, iptc].some((block) => block !== undefined);
  const isNeeded = !isFaithful || isMarked || (await hasMetadata(path, kind));
  const memory = memoryOf(kind, metadata, pixels, { kind, pixels, isLossy: recompress });
  if (isNeeded) return { rewrite: 'needed', memory };
  // images that need too much memory are stored as sent
  return recompress && memory <= job.memoryLimit ? { rewrite: 'wanted', memory } : without;
}

const originalOf = ({ prefix }: DeriveJob): string => `${prefix}-original`;

/** The largest possible size of the copy. */
function resized({ kind, format, width, height, fit }: ResizeJob, metadata: Metadata): Encoding {
  const whole = pixelsOf({ kind }, metadata);
  const frames = whole / (metadata.width * metadata.height);
  const isBounded = fit !== 'outside' && width !== undefined && height !== undefined;
  return { kind: format, pixels: isBounded ? Math.min(whole, width * height * frames) : whole, isLossy: true };
}

/** Refuses a job that needs more memory than all images may use, or than its share. */
function requireMemory({ memoryLimit }: ImageJob, memory: number, memoryShare: number): void {
  const message = `${memory} bytes`;
  if (memory > memoryLimit) throw new ImageFailure({ reason: 'memory', message });
  if (memory > memoryShare) throw new ImageFailure({ reason: 'heavy', message, memory });
}

function isAnimated(kind: RasterKind, { pages = 1 }: Metadata): boolean {
  return pages > 1 && (kind === 'gif' || kind === 'webp');
}

/** Truncated files are errors. */
const STRICT = { limitInputPixels: false, failOn: 'error', sequentialRead: true } as const;

function open(path: string, animated = false): Sharp {
  return sharp(path, { ...STRICT, animated });
}

/** Pixels in memory. */
interface Pixels {
  readonly data: Buffer;
  readonly info: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

const fromPixels = ({ data, info }: Pixels): Sharp => sharp(data as SharpInput, { raw: info, limitInputPixels: false });
const toPixels = (image: Sharp): Promise<Pixels> => image.raw().toBuffer({ resolveWithObject: true });

async function derive(job: DeriveJob, metadata: Metadata, plan: Plan): Promise<JobResult> {
  const { width, height } = metadata.autoOrient;
  const fitting = job.boxes.filter((box) => width > box.width || height > box.height);
  // a breakpoint may be called thumbnail, and takes the place of the thumbnail as in the reference
  const boxes = WITH_FORMATS.has(job.kind) ? [...new Map(fitting.map((box) => [box.key, box])).values()] : [];
  if (job.kind === 'gif' || isAnimated(job.kind, metadata)) return deriveFrames(job, metadata, boxes, plan);

  const decoded = width * height <= DECODED_ONCE ? await toPixels(open(job.path).autoOrient()) : undefined;
  const upright = (): Sharp => (decoded ? fromPixels(decoded) : open(job.path).autoOrient());
  // in its own colour space, which may exceed that of screens
  const turned = metadata.icc ? () => open(job.path).autoOrient().keepIccProfile() : upright;
  const own = keepsOrientation(job, metadata)
    ? () => withOrientation(open(job.path).keepIccProfile(), metadata)
    : turned;
  const original = await rewrite(job, metadata, plan, own);
  // otherwise a truncated file would not be noticed
  if (!decoded && !original && boxes.length === 0) await readThrough(open(job.path));
  if (boxes.length === 0) return { width, height, ...original, formats: [] };

  const side = SPARE * Math.max(...boxes.map((box) => Math.max(box.width, box.height)));
  const isLarge = Math.max(width, height) > side;
  const base =
    decoded && !isLarge
      ? decoded
      : await toPixels(upright().resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }));
  const formats: (WrittenFile & { key: string })[] = [];
  for (const box of boxes) {
    const image = fromPixels(base);
    // the sides of a smaller copy are already rounded
    if (base === decoded) image.resize({ width: box.width, height: box.height, fit: 'inside' });
    else image.resize({ ...inside(box, width, height), fit: 'fill' });
    formats.push({ key: box.key, ...(await write(encoded(image, job), `${job.prefix}-${box.key}`)) });
  }
  return { width, height, ...original, formats };
}

/** Whether an original is stored as it was taken, with a note of the side that is up. */
const keepsOrientation = ({ kind, turn }: DeriveJob, { orientation = 1 }: Metadata): boolean =>
  !turn && orientation > 1 && ORIENTED.has(kind);

/** Without any other metadata. */
const withOrientation = (image: Sharp, { orientation }: Metadata): Sharp =>
  image.withExif({ IFD0: { Orientation: String(orientation) } });

/** The size of an image scaled into a box. */
function inside(box: FormatBox, width: number, height: number): { width: number; height: number } {
  const [across, down] = [width / box.width, height / box.height];
  return across > down
    ? { width: box.width, height: Math.max(1, Math.round(height / across)) }
    : { width: Math.max(1, Math.round(width / down)), height: box.height };
}

/** Rewrites the original: upright unless it keeps its orientation, without metadata, and recompressed if that is wanted and saves space. */
async function rewrite(
  job: DeriveJob,
  metadata: Metadata,
  plan: Plan,
  own: () => Sharp,
): Promise<{ original: WrittenFile } | undefined> {
  if (plan.rewrite === undefined) return undefined;
  const { width, height } = metadata.autoOrient;
  const target = originalOf(job);
  if (plan.rewrite === 'cleared') {
    const { size } = await stat(target);
    return { original: { path: target, width: metadata.width, height: metadata.height, size } };
  }
  const written =
    (metadata.pages ?? 1) > 1
      ? await writePages(job, metadata, target)
      : keepsColours(job, metadata)
        ? await write(encodedDeep(open(job.path).autoOrient(), metadata), target)
        : await write(encoded(own(), job, width * height), target);
  return written && keepBetter(job, written, plan.rewrite === 'needed');
}

/** Writes a file of several pages, each upright. Undefined for pages of different sizes, which no encoder writes. */
async function writePages(job: DeriveJob, metadata: Metadata, target: string): Promise<WrittenFile | undefined> {
  const sizes = new Set<string>();
  for (let page = 0; page < metadata.pages!; page++) {
    const { width, height, channels, depth, orientation } = await sharp(job.path, {
      page,
      limitInputPixels: false,
    }).metadata();
    sizes.add([width, height, channels, depth, orientation].join());
  }
  if (sizes.size > 1) return undefined;
  if ((metadata.orientation ?? 1) === 1) {
    const all = sharp(job.path, { ...STRICT, pages: -1 });
    const { size } = await write(keepsColours(job, metadata) ? encodedDeep(all, metadata) : encoded(all, job), target);
    return { path: target, width: metadata.width, height: metadata.height, size };
  }
  const pages: Pixels[] = [];
  for (let page = 0; page < metadata.pages!; page++) {
    pages.push(await toPixels(sharp(job.path, { ...STRICT, page }).autoOrient()));
  }
  const { width, height, channels } = pages[0]!.info;
  const raw = { width, height: height * pages.length, channels, pageHeight: height };
  const whole = sharp(Buffer.concat(pages.map(({ data }) => data)), { raw, limitInputPixels: false });
  const { size } = await write(encoded(whole, job), target);
  return { path: target, width, height, size };
}

/** Returns the rewritten original, unless the sent one is as small and need not change. */
async function keepBetter(
  job: DeriveJob,
  written: WrittenFile,
  needed: boolean,
): Promise<{ original: WrittenFile } | undefined> {
  if (needed || written.size < (await stat(job.path)).size) return { original: written };
  await rm(written.path);
  return undefined;
}

/** Animations keep their frames; their originals are recompressed if the kind is. */
async function deriveFrames(
  job: DeriveJob,
  { width, height }: Metadata,
  boxes: readonly FormatBox[],
  { rewrite: wanted }: Plan,
): Promise<JobResult> {
  const original =
    wanted &&
    (await keepBetter(job, await write(encoded(open(job.path, true), job), originalOf(job)), wanted === 'needed'));
  const formats: (WrittenFile & { key: string })[] = [];
  for (const box of boxes) {
    const image = open(job.path, true).resize({ width: box.width, height: box.height, fit: 'inside' });
    formats.push({ key: box.key, ...(await write(encoded(image, job), `${job.prefix}-${box.key}`)) });
  }
  if (formats.length === 0) await readThrough(open(job.path, true));
  return { width, height, ...original, formats };
}

/** Decodes the whole image without keeping it. */
async function readThrough(image: Sharp): Promise<void> {
  await image.resize({ width: 1, height: 1, fit: 'fill', kernel: 'nearest', fastShrinkOnLoad: false }).raw().toBuffer();
}

/** Writes one copy in the requested size, format and quality, never larger than the original. */
async function resize(job: ResizeJob, metadata: Metadata): Promise<JobResult> {
  const keepsFrames = isAnimated(job.kind, metadata) && (job.format === 'gif' || job.format === 'webp');
  let image = keepsFrames ? open(job.path, true) : open(job.path).autoOrient();
  if (job.width !== undefined || job.height !== undefined) {
    const { width, height, fit } = job;
    image = image.resize({ ...(width && { width }), ...(height && { height }), fit, withoutEnlargement: true });
  }
  const written = await write(encodedAs(image, job.format, job.quality ?? QUALITY), job.output);
  return { width: written.width, height: written.height, original: written, formats: [] };
}

/** Encodes an image as the job's kind. */
function encoded(image: Sharp, { kind, recompress }: DeriveJob, pixels = 0): Sharp {
  return encodedAs(image, kind, recompress ? QUALITY : undefined, pixels);
}

/** Whether the copy keeps 16-bit samples or print colours, which only TIFF supports. */
const keepsColours = ({ kind }: DeriveJob, { space }: Metadata): boolean =>
  kind === 'tiff' && ['rgb16', 'grey16', 'cmyk'].includes(space);

const encodedDeep = (image: Sharp, { space }: Metadata): Sharp =>
  image.keepIccProfile().pipelineColourspace(space).toColourspace(space).tiff({ compression: 'deflate' });

/** @param quality undefined for the best quality of the kind. */
function encodedAs(image: Sharp, kind: RasterKind, quality: number | undefined, pixels = 0): Sharp {
  const rated = { quality: quality ?? 100 };
  const isThorough = pixels <= THOROUGH;
  switch (kind) {
    case 'jpeg':
      // optimised Huffman codes would need the whole picture in memory
      return image.jpeg({ ...rated, optimiseCoding: isThorough });
    case 'png':
      // a quality creates a palette; without one PNG is lossless
      return quality !== undefined && isThorough ? image.png({ quality, effort: PALETTE_EFFORT }) : image.png();
    case 'webp':
      return image.webp(rated);
    case 'tiff':
      return quality === undefined ? image.tiff({ compression: 'deflate' }) : image.tiff({ quality });
    case 'avif':
      return image.avif({ ...rated, effort: isThorough ? 2 : 0 });
    case 'gif':
      return image.gif();
  }
}

async function write(image: Sharp, path: string): Promise<WrittenFile> {
  const { width, height, pageHeight, size } = await image.toFile(path);
  return { path, width, height: pageHeight ?? height, size };
}

/** Pixels above which palettes and slow encoder settings would take longer than an upload may. */
const THOROUGH = 24_000_000;
/** Images up to this many pixels are decoded once into memory; larger ones are streamed for each use. */
const DECODED_ONCE = 8_000_000;

/** Bytes of one sample, by the library's C types. */
const SAMPLE: Readonly<Record<string, number>> = { ushort: 2, short: 2, uint: 4, int: 4, float: 4, double: 8 };

export interface Encoding {
  readonly kind: RasterKind;
  readonly pixels: number;
  /** Whether the encoding is lossy. */
  readonly isLossy: boolean;
}

/**
 * Bytes needed to decode an image of `pixels`, including all frames, and to encode it. Kinds that can be read in strips
 * need almost nothing; interlaced, progressive and rotated images, WebP, AVIF and TIFF are in memory completely. The
 * factors are measured and rounded up.
 */
export function memoryOf(kind: RasterKind, metadata: Metadata, pixels: number, encoding: Encoding | undefined): number {
  const { channels, depth, isProgressive, orientation = 1 } = metadata;
  const samples = Math.max(channels, 3) * (SAMPLE[depth] ?? 1);
  const streamed = kind === 'jpeg' || kind === 'png';
  const whole = {
    jpeg: isProgressive ? 3 : 0,
    png: isProgressive ? samples : 0,
    webp: 4,
    avif: 17 * (SAMPLE[depth] ?? 1),
  };
  const decoding = kind === 'tiff' || kind === 'gif' ? Math.max(samples, 4) : whole[kind];
  const isCopied = pixels <= DECODED_ONCE || (orientation > 1 && streamed);
  return pixels * (decoding + (isCopied ? samples : 0)) + (encoding ? encodingMemory(encoding) : 0);
}

function encodingMemory({ kind, pixels, isLossy }: Encoding): number {
  const isThorough = pixels <= THOROUGH;
  const each = { jpeg: isThorough ? 3 : 0, png: isLossy && isThorough ? 16 : 0, webp: 8, avif: 16, tiff: 0, gif: 4 };
  return pixels * each[kind];
}
