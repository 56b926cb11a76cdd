/** Prepares an uploaded file for storage: its bytes, its sizes, and the values of its record. */
import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import slugify from '@sindresorhus/slugify';
import { extension } from 'mime-types';
import type { UploadConfig } from '../config/config.ts';
import type { FileInfo } from './file-info.ts';
import { extensionOf, sentName } from './file-name.ts';
import { type FileFormats, type FileValues, kilobytes } from './file-record.ts';
import type { IncomingFile } from './form.ts';
import type { Images, ProcessTarget } from './images/images.ts';
import { mediaTypeOf } from './media-type.ts';
import type { FileDescription, KeyedFile, LocalFile, PlacedObject, Storage } from './storage/storage.ts';

/** Characters of a hash before its random end. With a format's name and an extension it becomes a file name. */
const SLUG_LENGTH = 96;

/** The environment of `prepareFile`. */
export interface PrepareContext {
  readonly config: UploadConfig;
  readonly storage: Storage;
  readonly images: Images;
}

export interface PreparedFile {
  /** The values of the record, except texts and folder. */
  readonly values: Omit<FileValues, 'alternativeText' | 'caption' | 'focalPoint' | 'folderPath'>;
  /** The file itself, then its sizes. */
  readonly objects: readonly KeyedFile[];
}

/** The key of a file: hash and extension, below folders of the store. */
export interface Place {
  readonly hash: string;
  readonly ext: string;
  /** The key of the file itself, if it is not made of its hash. */
  readonly key?: string | undefined;
  /** Folders of new keys; empty for none. */
  readonly folders: string;
}

/** A file whose name and type are permitted. */
export interface AcceptedFile {
  readonly incoming: IncomingFile;
  readonly name: string;
  /** Its extension, or that of its media type if the name has none. */
  readonly ext: string;
  readonly mime: string;
}

/**
 * Checks a file's name and media type.
 *
 * @throws ContentError 400 for an invalid name or a type that may not be uploaded.
 */
export async function acceptFile(incoming: IncomingFile, config: UploadConfig): Promise<AcceptedFile> {
  const name = sentName(incoming.name).normalize();
  const mime = await mediaTypeOf(incoming, name, config);
  return { incoming, name, ext: extensionOf(name) || extensionFor(mime), mime };
}

/** The place of a new file. */
export function newPlace({ name, ext }: AcceptedFile, info: FileInfo, folders: string): Place {
  return { hash: hashOf(info.name || name, ext), ext, folders };
}

/** The extension of a media type. */
export function extensionFor(mime: string): string {
  return `.${extension(mime) || 'bin'}`;
}

/** The hash of a new file: a slug of its name, and ten random digits. */
function hashOf(name: string, ext: string): string {
  const base = posix.basename(name, ext);
  const slug = slugify(base, { separator: '_', lowercase: false }).slice(0, SLUG_LENGTH);
  return `${slug}_${randomBytes(5).toString('hex')}`;
}

/**
 * Prepares a file; new files are written to the target's folder.
 *
 * @throws ContentError 400 for an image that cannot be decoded.
 */
export async function prepareFile(
  { storage, images }: PrepareContext,
  { incoming, name: sent, ext, mime }: AcceptedFile,
  info: FileInfo,
  place: Place,
  target: ProcessTarget,
): Promise<PreparedFile> {
  const image = await images.process({ path: incoming.path, mime, ext }, target);
  const name = info.name || sent;
  const path = place.folders === '' ? null : place.folders;
  const keyOf = (fileName: string): string => (path === null || storage.flat ? fileName : `${path}/${fileName}`);
  const formats: Record<string, FileFormats[string]> = {};
  const main: LocalFile = { path: incoming.path, size: incoming.size, mime };
  const optimized = image?.optimized;
  const stored = optimized ? { path: optimized.path, size: optimized.size, mime } : main;
  const { width = null, height = null } = image ?? {};
  const { alternativeText = null, caption = null } = info;
  const about: FileDescription = {
    ...{ name, alternativeText, caption, width, height, hash: place.hash, ext: place.ext, mime },
    ...{ path, size: kilobytes(stored.size), sizeInBytes: stored.size },
  };
  const objects: KeyedFile[] = [{ key: place.key ?? keyOf(place.hash + place.ext), file: stored, about }];
  for (const format of image?.formats ?? []) {
    const hash = `${format.key}_${place.hash}`;
    const key = keyOf(hash + format.ext);
    const described = {
      name: `${format.key}_${name}`,
      hash,
      ext: format.ext,
      mime: format.mime,
      path: storage.flat ? null : path,
      width: format.width,
      height: format.height,
      size: kilobytes(format.size),
      sizeInBytes: format.size,
    };
    formats[format.key] = { ...described, url: storage.urlOf(key) };
    const file = { path: format.path, size: format.size, mime: format.mime };
    objects.push({ key, file, about: described });
  }
  const values = {
    name,
    width,
    height,
    formats: Object.keys(formats).length === 0 ? null : formats,
    hash: place.hash,
    ext: place.ext,
    mime,
    size: kilobytes(stored.size),
    url: storage.urlOf(objects[0]!.key),
    provider: storage.name,
  };
  return { values, objects };
}

/** The values of a record with the addresses that a store has chosen. @param places by key. */
export function placedValues({ values, objects }: PreparedFile, places: ReadonlyMap<string, PlacedObject>) {
  const [main, ...sizes] = objects.map(({ key, about }) => ({ hash: about.hash, place: places.get(key) }));
  if (!main?.place) return values;
  const { url, metadata, previewUrl } = main.place;
  const formats = Object.entries(values.formats ?? {}).map(([name, format]) => {
    const place = sizes.find(({ hash }) => hash === format.hash)?.place;
    return [name, place ? { ...format, url: place.url, provider_metadata: place.metadata } : format] as const;
  });
  return {
    ...values,
    ...{ url, provider_metadata: metadata },
    ...(previewUrl === undefined ? {} : { previewUrl }),
    formats: values.formats && Object.fromEntries(formats),
  };
}
