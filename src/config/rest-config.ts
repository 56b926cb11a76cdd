/** `config/api`: prefix and limits of the content API. */
import type { RestConfig } from './config.ts';
import type { ConfigFile } from './config-file.ts';
import { booleanAt, bytesAt, integerAt, textAt, textsAt, valueAt, wrong } from './values.ts';

/** The settings that are read here, as dotted paths. */
export const REST_KEYS: readonly string[] = [
  ...['prefix', 'defaultLimit', 'maxLimit', 'withCount', 'strictParams', 'createdStatus', 'localizationPermission'].map(
    (key) => `rest.${key}`,
  ),
  'rest.maxBatch',
  'rest.maxAnswerSize',
  'rest.answerCache.size',
  'rest.answerCache.largest',
  'responses.privateAttributes',
  'documents.strictParams',
  'documents.strictRelations',
];

/** Defaults. `docs/reference/configuration.md` lists the same values. */
const REST_DEFAULTS: RestConfig = {
  prefix: '/api',
  defaultLimit: 25,
  maxLimit: 100,
  withCount: true,
  strictParams: false,
  strictRelations: false,
  strictDocuments: false,
  firstPublishedAt: false,
  createdStatus: 200,
  localizationPermission: 'createLocalization',
  privateAttributes: [],
  maxBatch: 100,
  maxAnswerSize: 16 * 1024 ** 2,
  answerCache: { size: 16 * 1024 ** 2, largest: 1024 ** 2 },
};

/** Bytes: a smaller limit would refuse even short answers. */
const LEAST_ANSWER = 1024;
/** Bytes: well below the longest string of the runtime. */
const MOST_ANSWER = 256 * 1024 ** 2;

/** Bytes: the cache is memory of the process. */
const MOST_CACHE = 4 * 1024 ** 3;

/**
 * The settings of `config/api`, and the flags of `config/features` that change content.
 *
 * @throws UsageError, naming the key, for a wrong value.
 */
export function restConfig(file: ConfigFile, features: ConfigFile): RestConfig {
  const createdStatus = valueAt(file, 'rest.createdStatus') ?? REST_DEFAULTS.createdStatus;
  if (createdStatus !== 200 && createdStatus !== 201) throw wrong(file, 'rest.createdStatus', '200 or 201');
  const permission = valueAt(file, 'rest.localizationPermission') ?? REST_DEFAULTS.localizationPermission;
  if (permission !== 'createLocalization' && permission !== 'update') {
    throw wrong(file, 'rest.localizationPermission', "'createLocalization' or 'update'");
  }
  return {
    prefix: prefixOf(file),
    defaultLimit: integerAt(file, 'rest.defaultLimit', REST_DEFAULTS.defaultLimit, 1),
    maxLimit: maxLimitOf(file),
    withCount: booleanAt(file, 'rest.withCount', REST_DEFAULTS.withCount),
    strictParams: booleanAt(file, 'rest.strictParams', REST_DEFAULTS.strictParams),
    strictRelations: booleanAt(file, 'documents.strictRelations', REST_DEFAULTS.strictRelations),
    strictDocuments: booleanAt(file, 'documents.strictParams', REST_DEFAULTS.strictDocuments),
    firstPublishedAt: booleanAt(features, 'future.experimental_firstPublishedAt', REST_DEFAULTS.firstPublishedAt),
    createdStatus,
    localizationPermission: permission,
    privateAttributes: textsAt(file, 'responses.privateAttributes'),
    maxBatch: integerAt(file, 'rest.maxBatch', REST_DEFAULTS.maxBatch, 1),
    answerCache: {
      size: bytesAt(file, 'rest.answerCache.size', REST_DEFAULTS.answerCache.size, 0, MOST_CACHE),
      largest: bytesAt(file, 'rest.answerCache.largest', REST_DEFAULTS.answerCache.largest, 0, MOST_CACHE),
    },
    maxAnswerSize: bytesAt(file, 'rest.maxAnswerSize', REST_DEFAULTS.maxAnswerSize, LEAST_ANSWER, MOST_ANSWER),
  };
}

/** Null, 0 and -1 mean no maximum, as in Strapi. */
function maxLimitOf(file: ConfigFile): number | null {
  if (valueAt(file, 'rest.maxLimit') === null) return null;
  const limit = integerAt(file, 'rest.maxLimit', REST_DEFAULTS.maxLimit, -1);
  return limit !== null && limit < 1 ? null : limit;
}

function prefixOf(file: ConfigFile): string {
  const text = textAt(file, 'rest.prefix') ?? REST_DEFAULTS.prefix;
  if (!/^[\w./~-]*$/.test(text)) throw wrong(file, 'rest.prefix', 'a path such as /api');
  const path = text.replace(/^\/+|\/+$/g, '');
  return path === '' ? '' : `/${path}`;
}
