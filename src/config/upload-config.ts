/** The settings of files and images: `config/plugins` `upload`, the limits of `strapi::body`, and environment. */
import { availableParallelism } from 'node:os';
import { FITS, type ImagesConfig, RASTER_KINDS, type SizesConfig, type UploadConfig } from './config.ts';
import { type ConfigFile, type ConfigFiles, isTree, type Tree } from './config-file.ts';
import type { Variables } from './environment.ts';
import { STORAGE_KEYS, storageConfig } from './storage-config.ts';
import { integerAt, parseInteger, rangeText, valueAt, wrong } from './values.ts';

/** The settings of the plugin's entry that are read, as dotted paths. */
export const UPLOAD_KEYS: readonly string[] = [
  'enabled',
  'config.sizeLimit',
  'config.providerOptions.sizeLimit',
  'config.security.allowedTypes',
  'config.security.deniedTypes',
  'config.breakpoints',
  ...['limitInputPixels', 'memoryLimit', 'concurrency', 'queue', 'timeout'].map((key) => `config.images.${key}`),
  ...['widths', 'heights', 'fits', 'formats', 'qualities', 'cacheSize'].map((key) => `config.sizes.${key}`),
  ...STORAGE_KEYS,
];

/** The settings of `strapi::body` in `config/middlewares` that are read here, as dotted paths. */
export const FORM_KEYS: readonly string[] = [
  'formidable.maxFileSize',
  'formidable.maxFiles',
  'formidable.maxFields',
  'formidable.maxFieldsSize',
];

/** Defaults. `docs/reference/limits.md` lists the same values. */
const DEFAULTS = {
  sizeLimit: 1_000_000_000,
  maxFiles: 100,
  maxFields: 1000,
  maxFieldsSize: 1_048_576,
  limitInputPixels: 100_000_000,
  memoryLimit: 450_000_000,
  queue: 100,
  timeout: 60_000,
  cacheSize: 500_000_000,
};

/** The settings of the file service. @throws UsageError, naming the key, for a wrong value. */
export function uploadConfig(files: ConfigFiles, variables: Variables): UploadConfig {
  const { plugins } = files;
  const body: ConfigFile = {
    path: `${files.middlewares.path} strapi::body`,
    value: bodyEntry(files.middlewares.value),
  };
  const limit = (name: string, fallback: number) => integerAt(body, `config.formidable.${name}`, fallback, 1);
  const sizeLimit =
    integerAt(plugins, 'upload.config.providerOptions.sizeLimit', undefined, 1) ??
    integerAt(plugins, 'upload.config.sizeLimit', DEFAULTS.sizeLimit, 1);
  return {
    sizeLimit: Math.min(sizeLimit, limit('maxFileSize', sizeLimit)),
    maxFiles: limit('maxFiles', DEFAULTS.maxFiles),
    maxFields: limit('maxFields', DEFAULTS.maxFields),
    maxFieldsSize: limit('maxFieldsSize', DEFAULTS.maxFieldsSize),
    allowedTypes: typesAt(plugins, 'upload.config.security.allowedTypes'),
    deniedTypes: typesAt(plugins, 'upload.config.security.deniedTypes') ?? [],
    images: imagesConfig(plugins),
    sizes: sizesConfig(plugins),
    storage: storageConfig(files, variables),
  };
}

function bodyEntry(middlewares: readonly unknown[]): Tree {
  return middlewares.find((entry): entry is Tree => isTree(entry) && entry['name'] === 'strapi::body') ?? {};
}

function typesAt(file: ConfigFile, path: string): readonly string[] | undefined {
  const value = valueAt(file, path);
  if (value === undefined || value === null) return undefined;
  const isType = (type: unknown) => typeof type === 'string' && /^[\w.+*-]+(\/[\w.+*-]+)?$/.test(type);
  if (!Array.isArray(value) || !value.every(isType)) throw wrong(file, path, "a list of media types such as 'image/*'");
  return value.map((type: string) => type.toLowerCase());
}

const AT = 'upload.config';

/** The reference's breakpoints, in its order. */
const BREAKPOINTS = { large: 1000, medium: 750, small: 500 };
/** Longest side of a format, and of a size on request. */
const LONGEST_SIDE = 10_000;
const MOST_BREAKPOINTS = 20;

/** The processing of images. @throws UsageError, naming the key, for a wrong value. */
function imagesConfig(plugins: ConfigFile): ImagesConfig {
  const at = (key: string, fallback: number, most?: number) =>
    integerAt(plugins, `${AT}.images.${key}`, fallback, 1, most);
  return Object.freeze({
    breakpoints: breakpointsAt(plugins, `${AT}.breakpoints`),
    limitInputPixels: at('limitInputPixels', DEFAULTS.limitInputPixels),
    memoryLimit: at('memoryLimit', DEFAULTS.memoryLimit),
    concurrency: at('concurrency', availableParallelism(), 64),
    queue: at('queue', DEFAULTS.queue),
    timeout: at('timeout', DEFAULTS.timeout, 3_600_000),
  });
}

function breakpointsAt(plugins: ConfigFile, path: string): ImagesConfig['breakpoints'] {
  const value = valueAt(plugins, path) ?? BREAKPOINTS;
  if (!isTree(value)) throw wrong(plugins, path, 'an object such as {large: 1000}');
  // the reference makes no copies of an undefined size
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  // keys become part of file names
  if (keys.length > MOST_BREAKPOINTS || !keys.every((key) => /^[\w-]{1,50}$/.test(key))) {
    throw wrong(plugins, path, `an object of at most ${MOST_BREAKPOINTS} names of letters, digits, - and _`);
  }
  return keys.map((key) => {
    const size = parseInteger(value[key], 1, LONGEST_SIDE);
    if (size === undefined) throw wrong(plugins, `${path}.${key}`, 'a number of pixels');
    return { key, size };
  });
}

/** Image sizes on request; undefined if there are none. @throws UsageError, naming the key, for a wrong value. */
function sizesConfig(plugins: ConfigFile): SizesConfig | undefined {
  const path = `${AT}.sizes`;
  const value = valueAt(plugins, path);
  if (value === undefined || value === null || value === false) return undefined;
  if (!isTree(value)) throw wrong(plugins, path, 'an object such as {widths: [320, 640]}');
  return Object.freeze({
    widths: numbersAt(plugins, `${path}.widths`, LONGEST_SIDE),
    heights: numbersAt(plugins, `${path}.heights`, LONGEST_SIDE),
    fits: wordsAt(plugins, `${path}.fits`, FITS),
    formats: wordsAt(plugins, `${path}.formats`, RASTER_KINDS),
    qualities: numbersAt(plugins, `${path}.qualities`, 100),
    cacheSize: integerAt(plugins, `${path}.cacheSize`, DEFAULTS.cacheSize, 0),
  });
}

function numbersAt(plugins: ConfigFile, path: string, most: number): number[] {
  return listAt(plugins, path).map((item) => {
    const number = parseInteger(item, 1, most);
    if (number === undefined) throw wrong(plugins, path, `a list of numbers, each ${rangeText(1, most)}`);
    return number;
  });
}

function wordsAt<Word extends string>(plugins: ConfigFile, path: string, words: readonly Word[]): Word[] {
  const list = listAt(plugins, path);
  if (!list.every((item) => words.includes(item as Word))) throw wrong(plugins, path, `a list of ${words.join(', ')}`);
  return list as Word[];
}

function listAt(plugins: ConfigFile, path: string): readonly unknown[] {
  const value = valueAt(plugins, path) ?? [];
  if (!Array.isArray(value)) throw wrong(plugins, path, 'a list');
  return value;
}
