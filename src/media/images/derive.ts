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
import { carriesMore, isRewritable } from './inspect.ts';
import { DECODED_ONCE, type Encoding, memoryOf, THOROUGH } from './memory.ts';
import { writeCleared } from './strip-metadata.ts';

/** Quality of recompressed originals (docs/reference/files.md). */
const QUALITY = 80;
/** How hard the colours of a palette are looked for, of 10: harder takes many times as long for a few percent. */
const PALETTE_EFFORT = 4;
/** Formats are made from a copy at least this many times their size, which looks as good as the original. */
const SPARE = 2;

/** Kinds that are recompressed, and kinds that get formats (docs/reference/files.md). */
const RECOMPRESSED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'avif']);
const WITH_FORMATS: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'gif']);

/** Kinds whose metadata can be removed without encoding them again. */
const CLEARED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'avif']);

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

/** The only decoders that uploads may use: none of them renders or reads other files. */
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

/**
 * Does a job. Throws ImageFailure; files of a failed job are the caller's to remove.
 *
 * @param given bytes of memory that it may take besides other jobs; it fails as `heavy` when it takes more.
 */
export async function runJob(job: ImageJob, given: number): Promise<JobResult> {
  try {
    const metadata = await examine(job);
    if (job.task === 'resize') {
      requireMemory(job, memoryOf(job.kind, metadata, pixelsOf(job, metadata), resized(job, metadata)), given);
      return await resize(job, metadata);
    }
    const plan = await planned(job, metadata);
    requireMemory(job, plan.memory, given);
    return await derive(job, metadata, plan);
  } catch (error) {
    if (error instanceof ImageFailure) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new ImageFailure({ reason: reasonOf(message), message });
  }
}

/** The library reports errors only as messages. */
function reasonOf(message: string): JobFailure['reason'] {
  if (/no space left|disk quota|file too large|ENOSPC|EDQUOT|EFBIG/i.test(message)) return 'full';
  if (/input file is missing|ENOENT/i.test(message)) return 'gone';
  return /write error|open for write/i.test(message) ? 'unwritable' : 'broken';
}

/** The header of the image, once its size is known to be bearable. */
async function examine({ path, kind, limitInputPixels }: ImageJob): Promise<Metadata> {
  const metadata = await sharp(path, { limitInputPixels: false }).metadata();
  if (metadata.format !== DECODER[kind]) {
    throw new ImageFailure({ reason: 'broken', message: `${metadata.format} where ${kind} was expected` });
  }
  const pixels = pixelsOf({ kind }, metadata);
  if (pixels > limitInputPixels) throw new ImageFailure({ reason: 'pixels', message: `${pixels} pixels`, pixels });
  return metadata;
}

/** Pixels of all frames; the pages of other files are worked on one after another. */
function pixelsOf({ kind }: Pick<ImageJob, 'kind'>, metadata: Metadata): number {
  const { width, height, pages = 1 } = metadata;
  return width * height * (isAnimated(kind, metadata) ? pages : 1);
}

/**
 * What is done with an original: `needed`, where it is on its side or carries more than its picture; `cleared`, where the
 * copy without its metadata is written already, since encoding it again would lose what is seen.
 */
interface Plan {
  readonly rewrite: 'needed' | 'wanted' | 'cleared' | undefined;
  readonly memory: number;
}

async function planned(job: DeriveJob, metadata: Metadata): Promise<Plan> {
  const { kind, path, recompress } = job;
  const { orientation = 1, exif, xmp, iptc, pages = 1 } = metadata;
  const pixels = pixelsOf(job, metadata);
  const without: Plan = { rewrite: undefined, memory: memoryOf(kind, metadata, pixels, undefined) };
  if (!RECOMPRESSED.has(kind)) return without;
  const isFaithful = await isRewritable(path, kind, metadata);
  if (!isFaithful && CLEARED.has(kind)) {
    const target = originalOf(job);
    const outcome = await writeCleared(path, kind, orientation, target);
    if (outcome === 'different') return { ...without, rewrite: 'cleared' };
    await rm(target);
    if (outcome === 'equal') return without;
    // rather a picture that loses something than one that says where it was taken
  }
  if (kind === 'tiff' && orientation > 1) {
    // pages that are turned are all in memory
    return { rewrite: 'needed', memory: memoryOf(kind, metadata, pixels * pages, undefined) };
  }
  const told = orientation > 1 || [exif, xmp, iptc].some((block) => block !== undefined);
  const isNeeded = !isFaithful || told || (await carriesMore(path, kind));
  const memory = memoryOf(kind, metadata, pixels, { kind, pixels, isRated: recompress });
  if (isNeeded) return { rewrite: 'needed', memory };
  // what would take too much is stored as it was sent
  return recompress && memory <= job.memoryLimit ? { rewrite: 'wanted', memory } : without;
}

const originalOf = ({ prefix }: DeriveJob): string => `${prefix}-original`;

/** The largest that a copy may become. */
function resized({ kind, format, width, height, fit }: ResizeJob, metadata: Metadata): Encoding {
  const whole = pixelsOf({ kind }, metadata);
  const frames = whole / (metadata.width * metadata.height);
  const isBounded = fit !== 'outside' && width !== undefined && height !== undefined;
  return { kind: format, pixels: isBounded ? Math.min(whole, width * height * frames) : whole, isRated: true };
}

/** Refuses a job that takes more memory than images may take, and one that takes more than it was given. */
function requireMemory({ memoryLimit }: ImageJob, memory: number, given: number): void {
  const message = `${memory} bytes`;
  if (memory > memoryLimit) throw new ImageFailure({ reason: 'memory', message });
  if (memory > given) throw new ImageFailure({ reason: 'heavy', message, memory });
}

function isAnimated(kind: RasterKind, { pages = 1 }: Metadata): boolean {
  return pages > 1 && (kind === 'gif' || kind === 'webp');
}

/** The whole of a file has to be there. */
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
  const boxes = WITH_FORMATS.has(job.kind) ? job.boxes.filter((box) => width > box.width || height > box.height) : [];
  if (job.kind === 'gif' || isAnimated(job.kind, metadata)) return deriveFrames(job, metadata, boxes, plan);

  const decoded = width * height <= DECODED_ONCE ? await toPixels(open(job.path).autoOrient()) : undefined;
  const upright = (): Sharp => (decoded ? fromPixels(decoded) : open(job.path).autoOrient());
  // in its own colours, which may be more than those of screens
  const own = metadata.icc ? () => open(job.path).autoOrient().keepIccProfile() : upright;
  const original = await rewrite(job, metadata, plan, own);
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

/** The original, rewritten: upright, without metadata, and compressed where that is wanted and saves space. */
async function rewrite(
  job: DeriveJob,
  metadata: Metadata,
  plan: Plan,
  upright: () => Sharp,
): Promise<{ original: MadeFile } | undefined> {
  if (plan.rewrite === undefined) return undefined;
  const { width, height } = metadata.autoOrient;
  const target = originalOf(job);
  if (plan.rewrite === 'cleared') {
    const { size } = await stat(target);
    return { original: { path: target, width: metadata.width, height: metadata.height, size } };
  }
  const made =
    (metadata.pages ?? 1) > 1
      ? await writePages(job, metadata, target)
      : keepsColours(job, metadata)
        ? await write(encodedDeep(open(job.path).autoOrient(), metadata), target)
        : await write(encoded(upright(), job, width * height), target);
  return made && keepBetter(job, made, plan.rewrite === 'needed');
}

/** A file of several pages, each of them upright. Undefined for pages of several sizes: no encoder writes such. */
async function writePages(job: DeriveJob, metadata: Metadata, target: string): Promise<MadeFile | undefined> {
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
async function deriveFrames(
  job: DeriveJob,
  { width, height }: Metadata,
  boxes: readonly FormatBox[],
  { rewrite: wish }: Plan,
): Promise<JobResult> {
  const original =
    wish &&
    (await keepBetter(job, await write(encoded(open(job.path, true), job), originalOf(job)), wish === 'needed'));
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

/** Whether a file is encoded with the samples that it has, of 16 bits or of the colours of print, as TIFF alone can be. */
const keepsColours = ({ kind }: DeriveJob, { space }: Metadata): boolean =>
  kind === 'tiff' && ['rgb16', 'grey16', 'cmyk'].includes(space);

const encodedDeep = (image: Sharp, { space }: Metadata): Sharp =>
  image.keepIccProfile().pipelineColourspace(space).toColourspace(space).tiff({ compression: 'deflate' });

/** @param quality undefined: as good as the kind allows. */
function encodedAs(image: Sharp, kind: RasterKind, quality: number | undefined, pixels = 0): Sharp {
  const rated = { quality: quality ?? 100 };
  const isThorough = pixels <= THOROUGH;
  switch (kind) {
    case 'jpeg':
      // its own Huffman codes would need the whole picture in memory
      return image.jpeg({ ...rated, optimiseCoding: isThorough });
    case 'png':
      // a quality makes a palette; without one nothing is lost
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

async function write(image: Sharp, path: string): Promise<MadeFile> {
  const { width, height, pageHeight, size } = await image.toFile(path);
  return { path, width, height: pageHeight ?? height, size };
}
