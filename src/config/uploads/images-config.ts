/** Images of the file service: `config/plugins` `upload.config` `breakpoints`, `images` and `sizes`. */
import { availableParallelism } from 'node:os';
import { FITS, type ImagesConfig, RASTER_KINDS, type SizesConfig } from '../config.ts';
import { type ConfigFile, isTree } from '../config-file.ts';
import { integerAt, parseInteger, rangeText, valueAt, wrong } from '../values.ts';

const AT = 'upload.config';

/** Dotted paths of the plugin's entry that count here. */
export const IMAGES_KEYS: readonly string[] = [
  'config.breakpoints',
  ...['limitInputPixels', 'memoryLimit', 'concurrency', 'queue', 'timeout'].map((key) => `config.images.${key}`),
  ...['widths', 'heights', 'fits', 'formats', 'qualities', 'cacheSize'].map((key) => `config.sizes.${key}`),
];

/** The reference's, in its order. */
const BREAKPOINTS = { large: 1000, medium: 750, small: 500 };
/** Defaults. `docs/reference/limits.md` lists the same values. */
const DEFAULTS = {
  limitInputPixels: 100_000_000,
  memoryLimit: 450_000_000,
  queue: 100,
  timeout: 60_000,
  cacheSize: 500_000_000,
};
/** Longest side of a format, and of a size on the fly. */
const LONGEST_SIDE = 10_000;
const MOST_BREAKPOINTS = 20;

/** How images are processed. Throws UsageError, naming the key, for values of the wrong shape. */
export function imagesConfig(plugins: ConfigFile): ImagesConfig {
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
  const keys = Object.keys(value);
  // the key becomes part of file names
  if (keys.length > MOST_BREAKPOINTS || !keys.every((key) => /^[\w-]{1,50}$/.test(key) && key !== 'thumbnail')) {
    throw wrong(plugins, path, `an object of at most ${MOST_BREAKPOINTS} names of letters, digits, - and _`);
  }
  return keys.map((key) => {
    const size = parseInteger(value[key], 1, LONGEST_SIDE);
    if (size === undefined) throw wrong(plugins, `${path}.${key}`, 'a number of pixels');
    return { key, size };
  });
}

/** The sizes that are made when they are asked for; undefined: none. Throws UsageError, naming the key. */
export function sizesConfig(plugins: ConfigFile): SizesConfig | undefined {
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

function wordsAt<Word extends string>(plugins: ConfigFile, path: string, known: readonly Word[]): Word[] {
  const list = listAt(plugins, path);
  if (!list.every((item) => known.includes(item as Word))) throw wrong(plugins, path, `a list of ${known.join(', ')}`);
  return list as Word[];
}

function listAt(plugins: ConfigFile, path: string): readonly unknown[] {
  const value = valueAt(plugins, path) ?? [];
  if (!Array.isArray(value)) throw wrong(plugins, path, 'a list');
  return value;
}
