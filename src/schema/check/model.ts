/** Checks a schema file except for its attributes: names, kind, options, indexes. */
import { isObject } from '../../plain-values.ts';
import { child, collectionNameOf, pluralNameOf, singularNameOf } from '../build.ts';
import { BUILT_IN, EXTENSIONS } from '../built-in.ts';
import type { SchemaSource } from '../files.ts';
import type { Findings } from './problem.ts';

export const CONTENT_TYPE_KEYS = [
  'kind',
  'collectionName',
  'info',
  'options',
  'pluginOptions',
  'attributes',
  'indexes',
  'foreignKeys',
  'config',
  'modelName',
  'uid',
  'globalId',
  'connection',
  'reviewStages',
  'renamedFrom',
];
const COMPONENT_KEYS = CONTENT_TYPE_KEYS.filter((key) => key !== 'kind' && key !== 'reviewStages');
export const INFO_KEYS = ['singularName', 'pluralName', 'displayName', 'description', 'name', 'icon'];
export const OPTION_KEYS = [
  'draftAndPublish',
  'privateAttributes',
  'comment',
  'timestamps',
  'increments',
  'populateCreatorFields',
  'version',
  'sharedTable',
  'reviewWorkflows',
  'noStageAttribute',
];
const KINDS = ['collectionType', 'singleType'];
const INDEX_TYPES = ['unique'];

// API ids become paths, so they may contain only lower-case letters, digits and dashes, as in the reference
const API_ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const TABLE_NAME = /^[0-9A-Za-z][-_ 0-9A-Za-z]*$/;

/** Paths below the API's prefix of accounts and files. */
const TAKEN_PATHS = ['users', 'auth', 'upload', 'i18n', 'users-permissions'];
/** Tables that belong to no content type. */
const TAKEN_TABLES = [
  'strapi_core_store_settings',
  'strapi_migrations',
  'strapi_migrations_internal',
  'strapi_database_schema',
];

/** Reports the mistakes of a file outside its attributes. */
export function checkModel(source: SchemaSource, findings: Findings): void {
  const { file, raw } = source;
  const unknown = (at: readonly string[], value: unknown, known: readonly string[]): void => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) findings.unknownOption(file, [...at, key], key, known);
    }
  };
  unknown([], raw, source.role === 'component' ? COMPONENT_KEYS : CONTENT_TYPE_KEYS);
  unknown(['info'], raw['info'], INFO_KEYS);
  unknown(['options'], raw['options'], OPTION_KEYS);
  for (const key of ['info', 'attributes']) {
    if (raw[key] !== undefined && !isObject(raw[key])) findings.problem(file, [key], 'must be an object');
  }
  for (const key of ['options', 'pluginOptions']) {
    if (raw[key] !== undefined && !isObject(raw[key])) {
      findings.warning(file, [key], 'should be an object: it is ignored');
    }
  }
  if (raw['attributes'] === undefined) findings.problem(file, ['attributes'], 'is missing');
  checkOptions(source, findings);
  checkCollectionName(source, findings);
  checkIndexes(source, findings);
  if (raw['foreignKeys'] !== undefined) {
    findings.warning(file, ['foreignKeys'], 'has no effect: create them in a migration (database/migrations)');
  }
  if (source.role === 'component') return;

  const { kind } = raw;
  if (kind !== undefined && !KINDS.includes(kind as string)) {
    const message = `unknown kind ${JSON.stringify(kind)}: it is served as a collection type`;
    findings.warning(file, ['kind'], message, String(kind), KINDS);
  }
  if (source.role === 'contentType') checkApiIds(source, findings);
  else if (source.role === 'builtIn' && source.extended) checkExtension(source, findings);
}

function checkOptions({ file, raw }: SchemaSource, findings: Findings): void {
  const options = child(raw, 'options');
  const draftAndPublish = options['draftAndPublish'];
  if (draftAndPublish !== undefined && typeof draftAndPublish !== 'boolean') {
    findings.warning(file, ['options', 'draftAndPublish'], 'should be true or false; it counts as false');
  }
  const creators = options['populateCreatorFields'];
  if (creators !== undefined && typeof creators !== 'boolean') {
    findings.warning(file, ['options', 'populateCreatorFields'], 'should be true or false; it counts as false');
  }
  const hidden = options['privateAttributes'];
  if (hidden === undefined) return;
  if (!Array.isArray(hidden)) {
    findings.warning(file, ['options', 'privateAttributes'], 'should be a list of attribute names');
    return;
  }
  const names = Object.keys(child(raw, 'attributes'));
  hidden.forEach((name, i) => {
    if (names.includes(name)) return;
    findings.warning(file, ['options', 'privateAttributes', i], `there is no attribute ${name}`, String(name), names);
  });
}

function checkCollectionName(source: SchemaSource, findings: Findings): void {
  const { file, raw } = source;
  const at = ['collectionName'];
  const name = collectionNameOf(source);
  if (raw['collectionName'] !== undefined && typeof raw['collectionName'] !== 'string') {
    findings.problem(file, at, 'must be a string');
  } else if (name === undefined) {
    findings.problem(file, at, 'is missing: a component has no default');
  } else if (!TABLE_NAME.test(name)) {
    findings.problem(file, at, `${name} is not a table name: a letter or digit, then letters, digits, blanks, - and _`);
  } else if (name.toLowerCase().startsWith('galley_') || TAKEN_TABLES.includes(name.toLowerCase())) {
    findings.problem(file, at, `${name} is reserved for the server's own tables`);
  }
}

function checkApiIds(source: SchemaSource, findings: Findings): void {
  const { file } = source;
  const ids = { singularName: singularNameOf(source), pluralName: pluralNameOf(source) };
  for (const [key, id] of Object.entries(ids)) {
    const name = child(source.raw, 'info')[key];
    if (name !== undefined && typeof name !== 'string') findings.problem(file, ['info', key], 'must be a string');
    else if (!API_ID.test(id)) {
      findings.problem(file, ['info', key], `${id} must consist of lower-case letters and digits, joined by dashes`);
    }
  }
  if (ids.singularName === ids.pluralName) {
    findings.problem(file, ['info', 'pluralName'], `must differ from singularName (${ids.singularName})`);
  }
  const path = source.raw['kind'] === 'singleType' ? ids.singularName : ids.pluralName;
  if (TAKEN_PATHS.includes(path)) {
    findings.warning(file, ['info'], `its path ${path} is also that of accounts or files, which it will hide`);
  }
}

function checkExtension(source: SchemaSource & { role: 'builtIn' }, findings: Findings): void {
  const { file, raw, uid } = source;
  const builtIn = BUILT_IN.get(uid)!;
  if (!EXTENSIONS.has(uid)) return;
  if (raw['collectionName'] !== builtIn['collectionName']) {
    findings.problem(file, ['collectionName'], `must stay ${builtIn['collectionName']}`);
  }
  const attributes = child(raw, 'attributes');
  for (const [name, original] of Object.entries(child(builtIn, 'attributes'))) {
    const changed = isObject(attributes[name]) ? attributes[name] : {};
    for (const key of ['type', 'relation', 'target', 'inversedBy', 'mappedBy']) {
      if (isObject(original) && changed[key] !== original[key]) {
        findings.problem(
          file,
          ['attributes', name, key],
          `must stay ${original[key] ?? 'absent'}: ${uid} depends on it`,
        );
      }
    }
  }
}

function checkIndexes({ file, raw }: SchemaSource, findings: Findings): void {
  const { indexes } = raw;
  if (indexes === undefined) return;
  if (!Array.isArray(indexes)) {
    findings.problem(file, ['indexes'], 'must be a list');
    return;
  }
  indexes.forEach((index, i) => {
    const at = ['indexes', i];
    if (!isObject(index)) {
      findings.problem(file, at, 'must be an object with name and columns');
      return;
    }
    if (typeof index['name'] !== 'string' || index['name'] === '')
      findings.problem(file, [...at, 'name'], 'is missing');
    const { columns, type } = index;
    if (!Array.isArray(columns) || columns.length === 0 || columns.some((column) => typeof column !== 'string')) {
      findings.problem(file, [...at, 'columns'], 'must be a list of column names');
    }
    if (type === 'primary') findings.problem(file, [...at, 'type'], 'a table has one primary key, which is its id');
    else if (type != null && !INDEX_TYPES.includes(type as string)) {
      findings.warning(file, [...at, 'type'], `unknown index type ${JSON.stringify(type)}`, String(type), INDEX_TYPES);
    }
  });
}
