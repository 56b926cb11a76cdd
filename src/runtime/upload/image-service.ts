/** `strapi.plugin('upload').service('image-manipulation')`: the kinds of images, and copies in other sizes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import slugify from '@sindresorhus/slugify';
import { ContentError } from '../../errors.ts';
import { kilobytes } from '../../media/file-record.ts';
import type { ImageFile, ProcessedImage, RasterKind } from '../../media/images/image.ts';
import type { ProcessTarget } from '../../media/images/images.ts';
import { prefixOf, rasterKind } from '../../media/images/signature.ts';
import { drawingSize } from '../../media/images/svg-size.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { inFolder, onDisk, type PendingFile } from './incoming-files.ts';

/** Kinds that are recompressed, and kinds that have copies in other sizes. */
const OPTIMIZED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'avif']);
const RESIZED: ReadonlySet<RasterKind> = new Set(['jpeg', 'png', 'webp', 'tiff', 'gif']);

type Wanted = Omit<ProcessTarget, 'folder'>;

/** For results that do not depend on the original. */
const AS_SENT: Wanted = { sizeOptimization: false, responsiveDimensions: false, autoOrientation: false };

export function imageService({ media }: Pick<RuntimeContext, 'media'>) {
  const { images } = media;
  const kindOf = async (path: string) => rasterKind(await prefixOf(path));
  const isKind = (file: PendingFile, kinds: ReadonlySet<RasterKind>) =>
    onDisk(file, async (path) => {
      const kind = await kindOf(path);
      return kind !== undefined && kinds.has(kind);
    });
  /** Processes an image, and returns the result of `work`, which runs while the created files exist. */
  const processed = <T>(file: PendingFile, wanted: Wanted, work: (image: ProcessedImage) => Promise<T>): Promise<T> =>
    onDisk(file, (path) =>
      inFolder(async (folder) => {
        const image = await images.process({ path, ext: file.ext ?? '', mime: file.mime ?? '' }, { folder, ...wanted });
        if (!image) throw new ContentError('ApplicationError', 'File is not a valid image');
        return work(image);
      }),
    );
  return {
    isImage: (file: PendingFile): Promise<boolean> =>
      onDisk(file, async (path) => {
        const prefix = await prefixOf(path);
        return rasterKind(prefix) !== undefined || drawingSize(prefix) !== undefined;
      }),
    isOptimizableImage: (file: PendingFile): Promise<boolean> => isKind(file, OPTIMIZED),
    isResizableImage: (file: PendingFile): Promise<boolean> => isKind(file, RESIZED),
    /** Whether it cannot be decoded. */
    isFaultyImage: (file: PendingFile): Promise<boolean> =>
      onDisk(file, async (path) => {
        if ((await kindOf(path)) === undefined) return drawingSize(await prefixOf(path)) === undefined;
        return inFolder(async (folder) => {
          const size = { width: 1, height: 1, fit: 'inside', format: undefined, quality: undefined } as const;
          try {
            return (await images.resize(path, join(folder, 'copy'), size)) === undefined;
          } catch (error) {
            if (error instanceof ContentError && error.status === 400) return true;
            throw error;
          }
        });
      }),
    /** @throws ContentError 400 if it is not an image. */
    getDimensions: (file: PendingFile) =>
      processed(file, AS_SENT, async ({ width, height }) => ({
        width,
        height,
      })),
    /** Null for an image that is small enough, and for one without a size. */
    generateThumbnail: async (file: PendingFile) => {
      if (!file.width || !file.height) return null;
      return processed(file, AS_SENT, async ({ formats }) => {
        const [first] = formats;
        return first ? copied(file, first, first.key) : null;
      });
    },
    /** The copies in the sizes of the configuration, as `{ key, file }`; none if the project has disabled them. */
    generateResponsiveFormats: async (file: PendingFile) => {
      const { responsiveDimensions } = await media.imageSettings();
      if (!responsiveDimensions) return [];
      return processed(file, { ...AS_SENT, responsiveDimensions }, async ({ formats }) => {
        const others = formats.filter(({ key }) => key !== 'thumbnail');
        return Promise.all(
          others.map(async (format) => ({ key: format.key, file: await copied(file, format, format.key) })),
        );
      });
    },
    /** The image in fewer bytes, and upright; the file itself where neither changes it, or the project wants neither. */
    optimize: async (file: PendingFile) => {
      const { sizeOptimization, autoOrientation } = await media.imageSettings();
      if (!(sizeOptimization || autoOrientation) || !(await isKind(file, OPTIMIZED))) return file;
      const wanted = { ...AS_SENT, sizeOptimization, autoOrientation };
      return processed(file, wanted, async ({ optimized }) => {
        if (!optimized) return file;
        const { filepath, getStream, width, height, size, sizeInBytes } = await copied(file, optimized, 'optimized');
        return { ...file, filepath, getStream, width, height, size, sizeInBytes };
      });
    },
    generateFileName: (name: string): string =>
      `${slugify(name, { separator: '_', lowercase: false })}_${randomBytes(5).toString('hex')}`,
  };
}

/** A copy for code: in the folder of the file, or else in a folder of its own, until code removes it. */
async function copied(file: PendingFile, { path, width, height, size }: ImageFile, key: string) {
  const folder = file.tmpWorkingDirectory ?? (await mkdtemp(join(tmpdir(), 'galley-images-')));
  const hash = `${key}_${file.hash}`;
  const filepath = join(folder, `${randomUUID()}-${basename(hash)}`);
  await copyFile(path, filepath);
  return {
    ...{ name: `${key}_${file.name}`, hash, ext: file.ext, mime: file.mime, filepath, path: file.path || null },
    getStream: () => createReadStream(filepath),
    ...{ width, height, size: kilobytes(size), sizeInBytes: size },
  };
}
