/** The file service's configuration: `config/plugins` `upload`, the body parser's limits, and environment. */
import type { UploadConfig } from '../config.ts';
import { type ConfigFile, type ConfigFiles, isTree, type Tree } from '../config-file.ts';
import type { Variables } from '../env-helper.ts';
import { integerAt, valueAt, wrong } from '../values.ts';
import { IMAGES_KEYS, imagesConfig, sizesConfig } from './images-config.ts';
import { STORAGE_KEYS, storageConfig } from './storage-config.ts';

/** Dotted paths of the plugin's entry that count. */
export const UPLOAD_KEYS: readonly string[] = [
  'enabled',
  'config.sizeLimit',
  'config.providerOptions.sizeLimit',
  'config.security.allowedTypes',
  'config.security.deniedTypes',
  ...IMAGES_KEYS,
  ...STORAGE_KEYS,
];

/** Dotted paths of the settings of `strapi::body` in `config/middlewares` that count. */
export const FORM_KEYS: readonly string[] = [
  'formidable.maxFileSize',
  'formidable.maxFiles',
  'formidable.maxFields',
  'formidable.maxFieldsSize',
];

/** Defaults. `docs/reference/limits.md` lists the same values. */
const DEFAULTS = { sizeLimit: 1_000_000_000, maxFiles: 100, maxFields: 1000, maxFieldsSize: 1_048_576 };

/** The settings of the file service. Throws UsageError, naming the key, for values of the wrong shape. */
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
