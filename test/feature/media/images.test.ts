/** What is made of images that are uploaded (docs/reference/files.md). No engine has a part in it. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { ImagesConfig } from '../../../src/config/config.ts';
import { type ImageFile, Images, type ProcessTarget } from '../../../src/media/images/images.ts';
import { chunk, claimingPng, moving, picture, pixel, redAndBlue } from '../../support/media/images.ts';
import { until } from '../../support/wait.ts';

const CONFIG: ImagesConfig = {
  breakpoints: [
    { key: 'large', size: 1000 },
    { key: 'medium', size: 750 },
    { key: 'small', size: 500 },
  ],
  limitInputPixels: 10_000_000,
  memoryLimit: 450_000_000,
  concurrency: 2,
  queue: 20,
  timeout: 60_000,
};
const BROKEN = { name: 'ValidationError', status: 400, message: /cannot be decoded/ };

/** A JPEG with one more segment, behind its beginning. */
function withSegment(jpeg: Buffer, marker: string, content: string): Buffer {
  const head = Buffer.from(`ff${marker}0000`, 'hex');
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, Buffer.from(content, 'latin1'), jpeg.subarray(2)]);
}

describe('images', () => {
  let folder: string;
  let images: Images;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'galley-images-'));
    images = new Images(CONFIG);
  });
  after(async () => {
    await images.close();
    await rm(folder, { recursive: true, force: true });
  });

  let count = 0;
  /** Processes bytes under a name; `on` is another workbench than the common one. */
  async function process(
    bytes: Buffer | string,
    name: string,
    mime: string,
    options: { on?: Images } & Partial<ProcessTarget> = {},
  ) {
    const { on = images, ...target } = options;
    const own = path.join(folder, String(++count));
    const file = `${own}.sent`;
    await writeFile(file, bytes);
    await mkdir(own);
    const made = await on
      .process({ path: file, mime, ext: path.extname(name) }, { folder: own, ...target })
      .catch(async (error) => {
        deepStrictEqual(await readdir(own), [], 'a refused image leaves nothing');
        throw error;
      });
    if (made) {
      const files = [made.optimized, ...made.formats].filter((made) => made !== undefined);
      deepStrictEqual((await readdir(own)).sort(), files.map((made) => path.basename(made.path)).sort());
      for (const made of files) await isAsTold(made);
    }
    return made;
  }

  async function isAsTold(file: ImageFile): Promise<void> {
    const bytes = await readFile(file.path);
    const { width, height } = await sharp(bytes).metadata();
    deepStrictEqual([width, height, bytes.length], [file.width, file.height, file.size]);
  }

  const sizesOf = (made: Awaited<ReturnType<typeof process>>) =>
    Object.fromEntries(made!.formats.map(({ key, width, height }) => [key, [width, height]]));

  for (const form of ['jpeg', 'png', 'webp', 'tiff', 'gif'] as const) {
    it(`of the kind ${form} get a thumbnail and the breakpoints that they exceed, in their own kind`, async () => {
      const made = await process(await picture(800, 400).toFormat(form).toBuffer(), `a.${form}`, `image/${form}`);
      deepStrictEqual([made!.width, made!.height], [800, 400]);
      deepStrictEqual(Object.keys(sizesOf(made)), ['thumbnail', 'medium', 'small']);
      deepStrictEqual(sizesOf(made), { thumbnail: [245, 122], medium: [750, 375], small: [500, 250] });
      for (const { path: file } of made!.formats) strictEqual((await sharp(file).metadata()).format, form);
    });
  }

  it('of the kind avif are measured and recompressed, and get no formats', async () => {
    const sent = await picture(600, 300).avif({ quality: 100, effort: 0 }).toBuffer();
    const made = await process(sent, 'a.avif', 'image/avif');
    deepStrictEqual([made!.width, made!.height, made!.formats], [600, 300, []]);
    ok(made!.optimized!.size < sent.length);
  });

  it('get a format only where they are strictly larger than it', async () => {
    const sized = async (width: number, height: number) =>
      Object.keys(sizesOf(await process(await picture(width, height).jpeg().toBuffer(), 'a.jpg', 'image/jpeg')));
    deepStrictEqual(await sized(245, 156), []);
    deepStrictEqual(await sized(246, 156), ['thumbnail']);
    deepStrictEqual(await sized(245, 157), ['thumbnail']);
    deepStrictEqual(await sized(500, 500), ['thumbnail']);
    deepStrictEqual(await sized(20, 501), ['thumbnail', 'small']);
  });

  it('get formats of the breakpoints that are configured, or the thumbnail alone', async () => {
    const on = new Images({
      ...CONFIG,
      breakpoints: [
        { key: 'xl', size: 300 },
        { key: 'xs', size: 64 },
      ],
    });
    const sent = await picture(400, 200).jpeg().toBuffer();
    deepStrictEqual(sizesOf(await process(sent, 'a.jpg', 'image/jpeg', { on })), {
      thumbnail: [245, 122],
      xl: [300, 150],
      xs: [64, 32],
    });
    const without = await process(sent, 'a.jpg', 'image/jpeg', { on, responsiveDimensions: false });
    deepStrictEqual(Object.keys(sizesOf(without)), ['thumbnail']);
    await on.close();
  });

  it('get the breakpoint called thumbnail in the place of the thumbnail, if they exceed it', async () => {
    const on = new Images({ ...CONFIG, breakpoints: [{ key: 'thumbnail', size: 245 }] });
    const sizes = async (width: number, height: number) =>
      sizesOf(await process(await picture(width, height).jpeg().toBuffer(), 'a.jpg', 'image/jpeg', { on }));
    deepStrictEqual(await sizes(400, 400), { thumbnail: [245, 245] });
    deepStrictEqual(await sizes(200, 240), { thumbnail: [130, 156] });
    await on.close();
  });

  it('are recompressed only where that makes them smaller', async () => {
    const rich = await picture(400, 300).jpeg({ quality: 100 }).toBuffer();
    ok((await process(rich, 'a.jpg', 'image/jpeg'))!.optimized!.size < rich.length);
    const poor = await picture(400, 300).jpeg({ quality: 20 }).toBuffer();
    strictEqual((await process(poor, 'a.jpg', 'image/jpeg'))!.optimized, undefined);
    strictEqual((await process(rich, 'a.jpg', 'image/jpeg', { sizeOptimization: false }))!.optimized, undefined);
  });

  it('are rotated upright and measured that way, for any compression', async () => {
    // stored on its side: what is left in the file is seen on top
    for (const form of ['jpeg', 'webp', 'png', 'tiff'] as const) {
      for (const sizeOptimization of [true, false]) {
        const sent = await redAndBlue(600, 300)
          .withMetadata({ orientation: 6 })
          .toFormat(form, { quality: 10 })
          .toBuffer();
        const made = await process(sent, `a.${form}`, `image/${form}`, { sizeOptimization });
        deepStrictEqual([made!.width, made!.height], [300, 600], form);
        deepStrictEqual(sizesOf(made), { thumbnail: [78, 156], small: [250, 500] }, form);
        for (const { path: file, width, height } of [made!.optimized!, ...made!.formats]) {
          const bytes = await readFile(file);
          strictEqual((await sharp(bytes).metadata()).orientation ?? 1, 1, form);
          const [red, , blue] = await pixel(bytes, Math.floor(width / 2), Math.floor(height / 8));
          ok(red! > 180 && blue! < 70, `${form}: ${red}, ${blue}`);
        }
      }
    }
  });

  it('contain no data about the camera and the place', async () => {
    const exif = { IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
    for (const sizeOptimization of [true, false]) {
      const sent = await picture(600, 300).jpeg({ quality: 10 }).withExif(exif).toBuffer();
      ok(sent.includes('somebody'));
      const made = await process(sent, 'a.jpg', 'image/jpeg', { sizeOptimization });
      for (const { path: file } of [made!.optimized!, ...made!.formats]) {
        const { exif, xmp, iptc } = await sharp(file).metadata();
        deepStrictEqual([exif, xmp, iptc], [undefined, undefined, undefined]);
      }
    }
  });

  it('contain no comments either, also if nothing else shrinks', async () => {
    const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
      .png({ palette: true })
      .toBuffer();
    const jpeg = await picture(64, 64).jpeg({ quality: 20 }).toBuffer();
    const webp = await picture(64, 64).webp({ quality: 20 }).toBuffer();
    const riff = Buffer.concat([webp, Buffer.from('NOTE'), Buffer.from([14, 0, 0, 0]), Buffer.from('SECRET-COMMENT')]);
    riff.writeUInt32LE(riff.length - 8, 4);
    const app = (marker: string, text: string) =>
      Buffer.concat([
        jpeg.subarray(0, 2),
        Buffer.from(`ff${marker}00${(text.length + 2).toString(16).padStart(2, '0')}`, 'hex'),
        Buffer.from(text),
        jpeg.subarray(2),
      ]);
    const sent: [string, Buffer][] = [
      ['jpeg', app('fe', 'SECRET-COMMENT')],
      ['jpeg', app('e6', 'GoPro SECRET-COMMENT')],
      ['jpeg', app('e2', 'MPF SECRET-COMMENT')],
      ['jpeg', Buffer.concat([jpeg, Buffer.from('SECRET-COMMENT')])],
      ['png', Buffer.concat([png.subarray(0, 33), chunk('tEXt', 'Author\0SECRET-COMMENT'), png.subarray(33)])],
      ['png', Buffer.concat([png.subarray(0, 33), chunk('caBX', 'SECRET-COMMENT'), png.subarray(33)])],
      ['png', Buffer.concat([png, Buffer.from('SECRET-COMMENT')])],
      ['webp', riff],
      ['webp', Buffer.concat([webp, Buffer.from('SECRET-COMMENT')])],
    ];
    for (const [form, bytes] of sent) {
      for (const sizeOptimization of [true, false]) {
        const made = await process(bytes, `a.${form}`, `image/${form}`, { sizeOptimization });
        ok(made!.optimized, form);
        ok(!(await readFile(made!.optimized.path)).includes('SECRET-COMMENT'), form);
      }
    }
    // pictures that carry nothing, and all that says how they look
    const profiled = await picture(64, 64).withIccProfile('p3').jpeg({ quality: 20 }).toBuffer();
    for (const [form, bytes] of [
      ['jpeg', jpeg],
      ['png', png],
      ['webp', webp],
      ['jpeg', profiled],
    ] as const) {
      const made = await process(bytes, `a.${form}`, `image/${form}`, { sizeOptimization: false });
      strictEqual(made!.optimized, undefined, form);
    }
  });

  it('of several pages keep all pages, upright and without data about their author', async () => {
    const page = await redAndBlue(600, 300).raw().toBuffer();
    const pages = (orientation: number) =>
      sharp(Buffer.concat([page, page, page]), { raw: { width: 600, height: 900, channels: 3, pageHeight: 300 } })
        .withMetadata({ orientation })
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRET-ARTIST</x:xmpmeta>')
        .tiff({ compression: 'deflate' })
        .toBuffer();
    for (const orientation of [1, 3, 6]) {
      for (const sizeOptimization of [true, false]) {
        const sent = await pages(orientation);
        ok(sent.includes('SECRET-ARTIST'));
        const made = await process(sent, 'a.tiff', 'image/tiff', { sizeOptimization });
        const upright = orientation === 6 ? [300, 600] : [600, 300];
        deepStrictEqual([made!.width, made!.height], upright);
        const bytes = await readFile(made!.optimized!.path);
        ok(!bytes.includes('SECRET-ARTIST'));
        for (let index = 0; index < 3; index++) {
          const image = sharp(bytes, { page: index });
          const { pages, width, height, orientation = 1 } = await image.metadata();
          deepStrictEqual([pages, width, height, orientation], [3, ...upright, 1]);
        }
        // red is on the left as it was stored: right when it is turned over, above when it is stood up
        const [red] = await pixel(bytes, orientation === 3 ? upright[0]! - 20 : 20, 20);
        ok(red! > 180, `${orientation}: ${red}`);
      }
    }
  });

  it('keep their colours, in any colour space', async () => {
    const red = redAndBlue(600, 300);
    const wide = await red.clone().withIccProfile('p3').png().toBuffer();
    const press = await red.clone().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 100 }).toBuffer();
    for (const [name, mime, sent] of [
      ['a.png', 'image/png', wide],
      ['a.jpg', 'image/jpeg', press],
    ] as const) {
      const made = await process(sent, name, mime);
      for (const { path: file, width, height } of made!.formats) {
        const [r, g, b] = await pixel(await readFile(file), Math.floor(width / 4), Math.floor(height / 2));
        ok(r! > 200 && g! < 80 && b! < 80, `${name}: ${[r, g, b]}`);
      }
    }
  });

  it('keep transparency', async () => {
    for (const form of ['png', 'webp'] as const) {
      const made = await process(await picture(600, 400, 4).toFormat(form).toBuffer(), `a.${form}`, `image/${form}`);
      for (const { path: file, width, height } of [made!.optimized, ...made!.formats].filter(
        (made) => made !== undefined,
      )) {
        const bytes = await readFile(file);
        strictEqual((await pixel(bytes, Math.floor(width / 4), Math.floor(height / 2)))[3], 0, form);
        strictEqual((await pixel(bytes, Math.floor((width * 3) / 4), Math.floor(height / 2)))[3], 255, form);
      }
    }
  });

  it('that move keep moving, in every format', async () => {
    for (const form of ['gif', 'webp'] as const) {
      const made = await process(await moving(600, 300, 4, form), `a.${form}`, `image/${form}`);
      deepStrictEqual([made!.width, made!.height], [600, 300]);
      deepStrictEqual(sizesOf(made), { thumbnail: [245, 122], small: [500, 250] });
      for (const { path: file } of made!.formats) strictEqual((await sharp(file).metadata()).pages, 4, form);
      if (made!.optimized) strictEqual((await sharp(made!.optimized.path).metadata()).pages, 4, form);
    }
  });

  it('that cannot be encoded again without loss are stored as they were sent, with their formats', async () => {
    const still = await picture(600, 300).png().toBuffer();
    const frames = Buffer.alloc(8);
    frames.writeUInt32BE(3, 0);
    const animated = Buffer.concat([still.subarray(0, 33), chunk('acTL', frames), still.subarray(33)]);
    const jpeg = await picture(600, 300).jpeg({ quality: 100 }).toBuffer();
    const mapped = withSegment(jpeg, 'e1', `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta hdrgm:Version="1.0"/>`);
    const sent: [string, Buffer][] = [
      ['png', animated],
      ['png', await picture(600, 300).toColourspace('rgb16').png().toBuffer()],
      ['jpeg', await picture(600, 300).toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 100 }).toBuffer()],
      ['jpeg', Buffer.concat([jpeg, Buffer.from('00000018667479706d703432', 'hex'), Buffer.alloc(500)])],
      ['jpeg', Buffer.concat([jpeg, mapped])],
    ];
    for (const [form, bytes] of sent) {
      const made = await process(bytes, `a.${form}`, `image/${form}`);
      strictEqual(made!.optimized, undefined, form);
      deepStrictEqual([made!.width, made!.height], [600, 300]);
      deepStrictEqual(Object.keys(sizesOf(made)), ['thumbnail', 'small']);
    }
  });

  const EXIF = { IFD0: { Copyright: 'SECRET' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };
  const XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRET</x:xmpmeta>';

  /** Has an image processed whose metadata is to be removed, and gives what is stored. */
  async function cleared(sent: Buffer, form: string, options?: Parameters<typeof process>[3]): Promise<Buffer> {
    ok(sent.includes('SECRET'), form);
    const made = await process(sent, `a.${form}`, `image/${form}`, options);
    for (const { path: file } of [made!.optimized!, ...made!.formats]) {
      ok(!(await readFile(file)).includes('SECRET'), form);
    }
    const stored = await readFile(made!.optimized!.path);
    const { exif, iptc, orientation = 1 } = await sharp(stored).metadata();
    strictEqual(iptc, undefined);
    ok(orientation > 1 ? exif!.subarray(32).every((byte) => byte === 0) : exif === undefined, form);
    return stored;
  }

  /** Both in their own depth and colours. */
  async function looksAlike(one: Buffer, other: Buffer): Promise<void> {
    const raw = async (image: Buffer) => {
      const { space } = await sharp(image).metadata();
      return sharp(image).pipelineColourspace(space).toColourspace(space).raw({ depth: 'ushort' }).toBuffer();
    };
    ok((await raw(one)).equals(await raw(other)));
  }

  it('keep their orientation, without any other metadata, where they are not to be turned', async () => {
    for (const form of ['jpeg', 'webp', 'png'] as const) {
      for (const sizeOptimization of [true, false]) {
        const sent = await redAndBlue(600, 300)
          .withExif(EXIF)
          .withMetadata({ orientation: 6 })
          .toFormat(form)
          .toBuffer();
        const made = await process(sent, `a.${form}`, `image/${form}`, { sizeOptimization, autoOrientation: false });
        const { exif, ...original } = await sharp(made!.optimized!.path).metadata();
        deepStrictEqual([original.orientation, original.width, original.height], [6, 600, 300], form);
        deepStrictEqual([made!.width, made!.height], [300, 600], form);
        ok(!exif!.toString('latin1').includes('SECRET'), form);
        for (const { path: file } of made!.formats) {
          const { orientation = 1, width, height } = await sharp(file).metadata();
          ok(orientation === 1 && width! < height!, form);
        }
      }
    }
  });

  it('that are PNG of 16 bits or with frames are stored without metadata, and look the same', async () => {
    const texts = ['tEXt', 'zTXt', 'iTXt', 'tIME', 'caBX'].map((name) => chunk(name, 'SECRET'));
    const deep = await picture(600, 300).toColourspace('rgb16').withExif(EXIF).withXmp(XMP).png().toBuffer();
    const still = await picture(600, 300).withExif(EXIF).withMetadata({ orientation: 6 }).png().toBuffer();
    const frames = Buffer.alloc(8);
    frames.writeUInt32BE(2, 0);
    const frame = [chunk('fcTL', Buffer.alloc(26)), chunk('fdAT', Buffer.alloc(40))];
    const end = still.length - 12;
    const animated = [still.subarray(0, 33), chunk('acTL', frames), still.subarray(33, end), ...frame];
    for (const sent of [
      Buffer.concat([deep.subarray(0, 33), ...texts, deep.subarray(33), Buffer.from('SECRET')]),
      Buffer.concat([...animated, ...texts, still.subarray(end)]),
    ]) {
      const stored = await cleared(sent, 'png');
      await looksAlike(stored, sent);
      const [now, before] = [await sharp(stored).metadata(), await sharp(sent).metadata()];
      deepStrictEqual([now.depth, now.orientation ?? 1, now.xmp], [before.depth, before.orientation, undefined]);
      deepStrictEqual(stored.includes('fdAT'), sent.includes('fdAT'));
    }
  });

  it('that are JPEG of print, with a gain map or a film are stored without metadata, and look the same', async () => {
    const located = picture(600, 300).withExif(EXIF).withXmp(XMP);
    const print = await located.clone().toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer();
    const turned = await located.clone().withMetadata({ orientation: 6 }).withExif(EXIF).jpeg().toBuffer();
    const told = (jpeg: Buffer) =>
      ['ed', 'fe', 'e5'].reduce((sent, marker) => withSegment(sent, marker, 'Photoshop 3.0\0SECRET'), jpeg);
    const map = `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:Description
      xmlns:hdrgm="h" hdrgm:Version="1.0" exif:GPSLatitude="SECRET"><photoshop:City>SECRET</photoshop:City>
      <hdrgm:GainMapMax><rdf:Seq><rdf:li>1.5</rdf:li></rdf:Seq></hdrgm:GainMapMax>SECRET</rdf:Description></rdf:RDF></x:xmpmeta>`;
    const plain = await picture(600, 300).withExif(EXIF).jpeg().toBuffer();
    const gains = Buffer.concat([withSegment(plain, 'e1', map), Buffer.alloc(7), withSegment(plain, 'e1', map)]);
    const box = (type: string, ...content: (Buffer | string)[]) => {
      const body = Buffer.concat([Buffer.from(type, 'latin1'), ...content.map((part) => Buffer.from(part))]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(body.length + 4);
      return Buffer.concat([length, body]);
    };
    const handler = (type: string) => box('hdlr', Buffer.alloc(8), type, Buffer.alloc(13));
    const film = (track: string) =>
      Buffer.concat([
        box('ftyp', 'mp42', Buffer.alloc(4)),
        box('mdat', Buffer.alloc(300, 7)),
        box(
          'moov',
          box('mvhd', Buffer.alloc(100)),
          box('trak', box('udta', 'SECRET'), box('mdia', handler(track))),
          box('udta', box('\xa9xyz', 'SECRET')),
        ),
        box('uuid', 'SECRET'),
        Buffer.from('SECRET'),
      ]);
    for (const sent of [
      told(print),
      told(gains),
      Buffer.concat([told(turned), film('vide')]),
      Buffer.concat([told(gains), film('soun')]),
    ]) {
      const stored = await cleared(sent, 'jpeg');
      strictEqual(stored.length, sent.length);
      await looksAlike(stored, sent);
      const { orientation, space, xmp } = await sharp(stored).metadata();
      deepStrictEqual(
        [orientation ?? 1, space],
        [sent.includes(told(turned)) ? 6 : 1, sent === told(print) ? 'cmyk' : space],
      );
      strictEqual(stored.toString('latin1').split('>1.5<').length, sent.toString('latin1').split('>1.5<').length);
      ok(!xmp || xmp.includes('hdrgm:Version="1.0"'));
      strictEqual(stored.includes(Buffer.alloc(300, 7)), sent.includes(Buffer.alloc(300, 7)));
    }
    // a track of places is not understood: the film goes
    ok(!(await cleared(Buffer.concat([plain, film('meta')]), 'jpeg')).includes('ftyp'));
  });

  it('that are AVIF with several pictures are stored without metadata, and encoded again if some may remain', async () => {
    const sent = await picture(600, 300).withExif(EXIF).withXmp(XMP).avif({ effort: 0 }).toBuffer();
    const sequence = Buffer.from(sent);
    sequence.write('avis', sequence.indexOf('miaf'), 'latin1');
    const stored = await cleared(sequence, 'avif');
    strictEqual(stored.length, sequence.length);
    await looksAlike(stored, sent);
    strictEqual((await sharp(stored).metadata()).xmp, undefined);
    // what lists the items is not read
    const other = Buffer.from(sequence);
    other.writeUInt8(9, other.indexOf('iinf') + 4);
    await process(other, 'a.avif', 'image/avif').then(
      async (made) => ok(!(await readFile(made!.optimized!.path)).includes('SECRET')),
      (error) => match(error.message, BROKEN.message),
    );
  });

  it('that are TIFF of 16 bits or of print are encoded again without metadata, and look the same', async () => {
    const located = picture(600, 300).withExif(EXIF).withXmp(XMP);
    for (const image of [located.clone().toColourspace('rgb16'), located.clone().toColourspace('cmyk')]) {
      const sent = await image.tiff({ compression: 'deflate' }).toBuffer();
      const stored = await cleared(sent, 'tiff');
      await looksAlike(stored, sent);
      const [now, before] = [await sharp(stored).metadata(), await sharp(sent).metadata()];
      deepStrictEqual([now.depth, now.space, now.xmp], [before.depth, before.space, undefined]);
    }
  });

  it('with more frames than pixels allow are stored, as one picture is decoded', async () => {
    const still = await picture(600, 300).png().toBuffer();
    for (const told of [49, 0xffffffff]) {
      const frames = Buffer.alloc(8);
      frames.writeUInt32BE(told, 0);
      const sent = Buffer.concat([still.subarray(0, 33), chunk('acTL', frames), still.subarray(33)]);
      const few = new Images({ ...CONFIG, limitInputPixels: 200_000 });
      const made = await process(sent, 'a.png', 'image/png', { on: few });
      deepStrictEqual([made!.width, made!.optimized, made!.formats.length], [600, undefined, 2]);
      await few.close();
    }
  });

  it('of more colours than screens have keep them', async () => {
    const wide = await picture(600, 300).withIccProfile('p3').jpeg({ quality: 100 }).toBuffer();
    const made = await process(wide, 'a.jpg', 'image/jpeg');
    ok((await sharp(made!.optimized!.path).metadata()).icc);
  });

  it('of many millions of pixels are resized in the same way', async () => {
    const sent = await picture(4000, 2400).jpeg().toBuffer();
    const made = await process(sent, 'a.jpg', 'image/jpeg');
    deepStrictEqual([made!.width, made!.height], [4000, 2400]);
    deepStrictEqual(sizesOf(made), {
      thumbnail: [245, 147],
      large: [1000, 600],
      medium: [750, 450],
      small: [500, 300],
    });
  });

  it('that are cut off are refused, of every kind and size', async () => {
    for (const form of ['jpeg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const) {
      for (const [width, height] of [
        [100, 80],
        [600, 400],
        [3200, 2600],
      ] as const) {
        if (['avif', 'gif'].includes(form) && width > 1000) continue;
        const whole = await picture(width, height).toFormat(form).toBuffer();
        for (const share of [0.3, 0.9]) {
          const cut = whole.subarray(0, Math.floor(whole.length * share));
          await rejects(process(cut, `a.${form}`, `image/${form}`), BROKEN, `${form} ${width}, ${share}`);
          await rejects(
            process(cut, `a.${form}`, `image/${form}`, { sizeOptimization: false }),
            BROKEN,
            `${form} ${width}, ${share}, kept`,
          );
        }
      }
    }
  });

  it('that are something else behind the name or the type of an image are refused', async () => {
    await rejects(process('<html><script>alert(1)</script></html>', 'a.jpg', 'text/html'), BROKEN);
    await rejects(process('a text', 'a.PNG', 'text/plain'), BROKEN);
    await rejects(process('a text', 'a.txt', 'image/webp'), BROKEN);
    await rejects(process(Buffer.from('ffd8ff', 'hex'), 'a.jpg', 'image/jpeg'), BROKEN);
  });

  it('are detected by their bytes, with any name', async () => {
    const made = await process(await picture(300, 200).png().toBuffer(), 'a.jpg', 'image/jpeg');
    deepStrictEqual([made!.width, made!.height, made!.formats[0]!.ext], [300, 200, '.jpg']);
    strictEqual(await process('a text', 'a.txt', 'text/plain'), undefined);
    strictEqual(await process('GIF89a is what images begin with', 'a.txt', 'text/plain'), undefined);
    strictEqual(await process('', 'a.bin', 'application/octet-stream'), undefined);
    strictEqual(await process('%PDF-1.4', 'a.pdf', 'application/pdf'), undefined);
    // of a kind that is not processed
    strictEqual(await process('BM......', 'a.bmp', 'image/bmp'), undefined);
  });

  it('of more pixels than the limit are refused before they are decoded', async () => {
    const message = /2500000000 pixels: at most 10000000/;
    await rejects(process(claimingPng(50_000, 50_000), 'a.png', 'image/png'), { status: 400, message });
    // all frames count
    const frames = await moving(500, 500, 41, 'gif');
    await rejects(process(frames, 'a.gif', 'image/gif'), { status: 400, message: /10250000 pixels/ });
  });

  it('that take more memory than images may are refused before they are decoded', async () => {
    const bomb = await sharp({ create: { width: 2000, height: 2000, channels: 4, background: '#01020304' } })
      .toColourspace('rgb16')
      .png({ progressive: true })
      .toBuffer();
    const on = new Images({ ...CONFIG, memoryLimit: 60_000_000 });
    const message = /too much memory/;
    await rejects(process(bomb, 'a.png', 'image/png', { on }), { status: 400, message });
    // the limit is of what the form takes, not of its pixels
    const plain = await picture(3000, 3000).jpeg().toBuffer();
    strictEqual((await process(plain, 'a.jpg', 'image/jpeg', { on }))!.width, 3000);
    await on.close();
  });

  it('are decoded by the decoders of their kinds alone, from files alone', async () => {
    await writeFile(path.join(folder, 'a.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await writeFile(path.join(folder, 'a.ppm'), 'P6 1 1 255\nabc');
    await writeFile(path.join(folder, 'a.csv'), '1,2\n3,4\n');
    await picture(9, 9).png().toFile(path.join(folder, 'known.png'));
    const script = `
      const { default: sharp } = await import('sharp');
      const { restrictDecoders } = await import('./src/media/images/derive.ts');
      const files = ['a.svg', 'a.ppm', 'a.csv', 'known.png'].map((name) => ${JSON.stringify(folder)} + '/' + name);
      const known = (await import('node:fs')).readFileSync(files.at(-1));
      const formats = async () => {
        const found = [];
        for (const input of [...files, known]) {
          found.push((await sharp(input).metadata().catch(() => ({ format: null }))).format);
        }
        return found;
      };
      const before = await formats();
      restrictDecoders();
      console.log(JSON.stringify([before, await formats()]));`;
    const cwd = path.join(import.meta.dirname, '../../..');
    const said = execFileSync(globalThis.process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
    });
    const [before, now] = JSON.parse(said);
    ok(before.filter((format: string | null) => format !== null).length > 2, said);
    deepStrictEqual(now, [null, null, null, 'png', null]);
  });

  it('do not exhaust memory with false sizes', async () => {
    await rejects(process(claimingPng(100, 100), 'a.png', 'image/png'), BROKEN);
  });

  describe('that are drawings', () => {
    const sizeOf = async (text: string | Buffer, name = 'a.svg') => {
      const made = await process(text, name, 'image/svg+xml');
      return made && [made.width, made.height, made.optimized, made.formats.length];
    };
    const stored = (width: number | null, height: number | null) => [width, height, undefined, 0];

    it('are measured by their width and height, their viewBox, or both', async () => {
      deepStrictEqual(await sizeOf('<svg width="24" height="12px"/>'), stored(24, 12));
      deepStrictEqual(await sizeOf("<svg viewBox='0 0 30 20'></svg>"), stored(30, 20));
      deepStrictEqual(await sizeOf('<svg viewBox="0,0,30,20" width="60"/>'), stored(60, 40));
      deepStrictEqual(await sizeOf('<svg viewBox="0 0 30 20" height="1in" width="100%"/>'), stored(108, 72));
      deepStrictEqual(await sizeOf('<svg viewBox="0 0 24 24" width="1em" height="2em"/>'), stored(12, 24));
      deepStrictEqual(await sizeOf('<svg/>'), stored(null, null));
      deepStrictEqual(await sizeOf('<svg width="-5" height="1e400"/>'), stored(null, null));
    });

    it('are detected after declarations, and by no other root element', async () => {
      const before = '\ufeff<?xml version="1.0"?>\n<!-- <svg width="1"/> --><!DOCTYPE svg [<!ENTITY a "b>">]>\n';
      deepStrictEqual(await sizeOf(`${before}<s:svg xmlns:s="x" width="7" height="8">`), stored(7, 8));
      deepStrictEqual(await sizeOf(Buffer.from('\ufeff<svg width="7" height="8"/>', 'utf16le')), stored(7, 8));
      strictEqual(await sizeOf('<html><svg width="7" height="8"/></html>'), undefined);
      strictEqual(await sizeOf('<svgs width="7" height="8"/>'), undefined);
      strictEqual(await sizeOf(`<!--${'x'.repeat(100_000)}--><svg width="7" height="8"/>`), undefined);
      strictEqual(await sizeOf('no drawing'), undefined);
    });
  });

  describe('and the process that decodes them', () => {
    /** Process ids of this test's image processes that are ready for work: they give way to all others by then. */
    const ready = (): number[] =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && isReady(name))
        .map(Number);
    const isReady = (pid: string): boolean => {
      try {
        const [, parent, nice] = /^\d+ \(.*\) \S (\d+) (?:\S+ ){14}(\S+) /.exec(
          readFileSync(`/proc/${pid}/stat`, 'utf8'),
        )!;
        if (Number(parent) !== globalThis.process.pid || nice !== '19') return false;
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-process');
      } catch {
        return false; // it has ended
      }
    };
    /** Works with images of its own; `pid` waits for an image process that it has not given yet. */
    const ofOwn = async (
      config: Partial<ImagesConfig>,
      work: (own: Images, pid: () => Promise<number>) => Promise<void>,
    ) => {
      const known = new Set(ready());
      const own = new Images({ ...CONFIG, ...config });
      const pid = async () => {
        // the second look gives this process the time to hear that it is ready
        let looks = 0;
        const found = await until('an image process is ready', () => {
          const child = ready().find((pid) => !known.has(pid));
          return child !== undefined && ++looks > 1 ? child : undefined;
        });
        known.add(found);
        return found;
      };
      try {
        await work(own, pid);
      } finally {
        await own.close();
      }
    };

    it('have a low priority, and no access to the environment', async () => {
      await ofOwn({}, async (on, pid) => {
        globalThis.process.env['SECRET_OF_TEST'] = 'secret';
        await process(await picture(30, 20).png().toBuffer(), 'a.png', 'image/png', { on });
        const child = await pid();
        match(await readFile(`/proc/${child}/stat`, 'utf8'), /^\d+ \(.*\) (\S+ ){16}19 /);
        ok(!(await readFile(`/proc/${child}/environ`, 'utf8')).includes('SECRET_OF_TEST'));
      });
    });

    it('are done again when it ends, and refused when it ends again', async () => {
      const sent = await picture(2000, 1500).png().toBuffer();
      await ofOwn({}, async (on, pid) => {
        const outcome = process(sent, 'a.png', 'image/png', { on });
        globalThis.process.kill(await pid(), 'SIGKILL');
        strictEqual((await outcome)!.width, 2000);
      });
      await ofOwn({}, async (on, pid) => {
        const message = /cannot be processed/;
        const refused = rejects(process(sent, 'a.png', 'image/png', { on }), { status: 400, message });
        globalThis.process.kill(await pid(), 'SIGKILL');
        globalThis.process.kill(await pid(), 'SIGKILL');
        await refused;
        strictEqual((await process(await picture(30, 20).png().toBuffer(), 'a.png', 'image/png', { on }))!.width, 30);
      });
    });

    it('wait for one another when they take much memory', async () => {
      const sent = await sharp({ create: { width: 4400, height: 4400, channels: 4, background: '#01020304' } })
        .toColourspace('rgb16')
        .png({ progressive: true, compressionLevel: 1 })
        .toBuffer();
      // 155 MB each, before anything is made of it
      await ofOwn({ limitInputPixels: 20_000_000, memoryLimit: 300_000_000, concurrency: 3 }, async (on, pid) => {
        const all = [1, 2, 3].map(() => process(sent, 'a.png', 'image/png', { on, sizeOptimization: false }));
        const child = await pid();
        deepStrictEqual(
          (await Promise.all(all)).map((made) => made!.width),
          [4400, 4400, 4400],
        );
        const peak = Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${child}/status`, 'utf8'))![1]);
        ok(peak < 430_000, `${peak} kB`);
      });
    });

    it('are refused when they take too long', async () => {
      await ofOwn({ timeout: 1 }, async (on) => {
        const sent = await picture(3000, 2000).png().toBuffer();
        await rejects(process(sent, 'a.png', 'image/png', { on }), { status: 400, message: /longer than 1 ms/ });
      });
    });

    it('wait for their turn up to a number, and are refused beyond it', async () => {
      await ofOwn({ concurrency: 1, queue: 2 }, async (on) => {
        const sent = await picture(300, 200).png().toBuffer();
        const outcomes = await Promise.allSettled(
          Array.from({ length: 5 }, () => process(sent, 'a.png', 'image/png', { on })),
        );
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        strictEqual(refused.length, 2);
        for (const { reason } of refused) strictEqual(reason.status, 503);
      });
    });

    it('are refused when the server ends', async () => {
      await ofOwn({ concurrency: 1 }, async (on, pid) => {
        const sent = await picture(2000, 1500).png().toBuffer();
        const both = [1, 2].map(() => rejects(process(sent, 'a.png', 'image/png', { on }), { status: 503 }));
        await pid();
        await on.close();
        await Promise.all(both);
        await rejects(process(sent, 'a.png', 'image/png', { on }), { status: 503 });
      });
    });
  });
});
