/** The tables of docs/reference/schemas.md say what is true: each option is accepted, warned of or refused as stated. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { COMMON, EDITOR, OPTIONS, UNSUPPORTED } from '../../../src/schema/check/attribute.ts';
import { checkSchemas } from '../../../src/schema/check/check.ts';
import { CONTENT_TYPE_KEYS, INFO_KEYS, OPTION_KEYS } from '../../../src/schema/check/model.ts';
import { formatProblem } from '../../../src/schema/check/problem.ts';
import { SCALAR_OPTIONS } from '../../../src/schema/check/scalar.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';

type Json = Record<string, unknown>;

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/reference/schemas.md'), 'utf8');

/** What a table says of each option: `supported`, `without effect`, `warned of` or `refused`. */
function tableOf(title: string, column: number): ReadonlyMap<string, string> {
  const section = page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const cells = row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim());
      const names = [...cells[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
      return names.map((name): [string, string] => [name, cells[column]!]);
    }),
  );
}

/** An attribute with each option, in a type that has the attributes `a`, `kind` and `title` besides. */
const ATTRIBUTES: Readonly<Record<string, Json>> = {
  type: { type: 'string' },
  required: { type: 'string', required: true },
  private: { type: 'string', private: true },
  conditions: { type: 'string', conditions: { visible: { '==': [{ var: 'kind' }, 'x'] } } },
  writable: { type: 'string', writable: false },
  visible: { type: 'string', visible: false },
  searchable: { type: 'string', searchable: false },
  pluginOptions: { type: 'string', pluginOptions: { i18n: { localized: true } } },
  default: { type: 'string', default: 'x' },
  unique: { type: 'string', unique: true },
  min: { type: 'integer', min: 1 },
  max: { type: 'integer', max: 1 },
  minLength: { type: 'string', minLength: 1 },
  maxLength: { type: 'string', maxLength: 1 },
  regex: { type: 'uid', regex: '^[a-z/]+$' },
  enum: { type: 'enumeration', enum: ['a'] },
  enumName: { type: 'enumeration', enum: ['a'], enumName: 'Kinds' },
  targetField: { type: 'uid', targetField: 'title' },
  options: { type: 'uid', options: { separator: '_', customReplacements: [['&', 'and']] } },
  customField: { type: 'customField', customField: 'plugin::color-picker.color' },
  underlyingType: { type: 'customField', customField: 'plugin::x.y', underlyingType: 'string' },
  multiple: { type: 'media', multiple: true },
  allowedTypes: { type: 'media', allowedTypes: ['images'] },
  relation: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing' },
  target: { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing' },
  inversedBy: { type: 'relation', relation: 'manyToMany', target: 'api::other.other', inversedBy: 'things' },
  mappedBy: { type: 'relation', relation: 'manyToMany', target: 'api::other.other', mappedBy: 'owned' },
  morphBy: { type: 'relation', relation: 'morphMany', target: 'api::other.other', morphBy: 'any' },
  useJoinTable: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing', useJoinTable: false },
  component: { type: 'component', component: 'shared.part' },
  repeatable: { type: 'component', component: 'shared.part', repeatable: true },
  components: { type: 'dynamiczone', components: ['shared.part'] },
  column: { type: 'string', column: { unique: true } },
  columnName: { type: 'string', columnName: 'other_name' },
  columnType: { type: 'string', columnType: { type: 'text' } },
  index: { type: 'string', index: true },
  renamedFrom: { type: 'string', renamedFrom: 'former' },
  configurable: { type: 'string', configurable: false },
  editable: { type: 'string', editable: false },
  sortable: { type: 'string', sortable: false },
  label: { type: 'string', label: 'X' },
  displayName: { type: 'string', displayName: 'X' },
  description: { type: 'string', description: 'X' },
  placeholder: { type: 'string', placeholder: 'X' },
  autoPopulate: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing', autoPopulate: true },
  unstable_virtual: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing', unstable_virtual: true },
  joinTable: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing', joinTable: { name: 'x' } },
  joinColumn: { type: 'relation', relation: 'oneToOne', target: 'api::thing.thing', joinColumn: { name: 'x' } },
  morphColumn: { type: 'relation', relation: 'morphToOne', morphColumn: { idColumn: { name: 'x' } } },
};

/** Values of what a schema file says besides attributes, by their place. */
const TYPES: Readonly<Record<string, unknown>> = {
  kind: 'collectionType',
  collectionName: 'things',
  attributes: { title: { type: 'string' } },
  'info.singularName': 'thing',
  'info.pluralName': 'things',
  'info.displayName': 'Thing',
  'info.icon': 'pencil',
  'info.description': 'x',
  'info.name': 'x',
  'options.draftAndPublish': true,
  'options.privateAttributes': ['title'],
  'options.populateCreatorFields': true,
  'options.comment': 'x',
  'options.version': '1',
  'options.timestamps': true,
  'options.increments': true,
  'options.sharedTable': false,
  reviewStages: { stages: [{ name: 'To do' }] },
  renamedFrom: 'api::former.former',
  'options.reviewWorkflows': true,
  'options.noStageAttribute': true,
  'pluginOptions.i18n.localized': true,
  'pluginOptions.content-manager.visible': false,
  'pluginOptions.content-type-builder.visible': false,
  indexes: [{ name: 'things_title', columns: ['title'], type: 'unique' }],
  foreignKeys: [{ name: 'x', columns: ['title'], referencedTable: 'others', referencedColumns: ['id'] }],
  config: {},
  modelName: 'thing',
  uid: 'api::thing.thing',
  globalId: 'Thing',
  connection: 'default',
};

const KEYS: Readonly<Record<string, unknown>> = {
  'features.future.experimental_firstPublishedAt': true,
  'features.useLegacyMediaLibrary': true,
  'features.future.betaMediaLibrary': true,
  'api.rest.strictParams': true,
  'api.documents.strictParams': true,
  'api.documents.strictRelations': true,
  'admin.auth.sessions.idleSessionLifespan': 3600,
  'admin.auth.sessions.maxSessionLifespan': 7200,
  'plugins.users-permissions.config.jwtManagement': 'refresh',
  'plugins.users-permissions.config.sessions.accessTokenLifespan': 600,
  'plugins.upload.config.security.allowedTypes': ['image/*'],
  'plugins.upload.config.security.deniedTypes': ['image/svg+xml'],
  'server.mcp.enabled': true,
  'server.mcp.connectTimeoutMs': 1000,
  'server.mcp.requestTimeoutMs': 1000,
  'server.openapi.content-api.access': 'public',
  'plugins.upload.config.concurrentUploadSize': 2,
  'plugins.upload.config.concurrentUploadRequests': 2,
  'admin.ai.enabled': true,
  'admin.history.retentionDays': 7,
  'admin.auditLogs.enabled': true,
};

/** An object with a value at a path of keys. */
const nested = ([key = '', ...rest]: readonly string[], value: unknown): Json => ({
  [key]: rest.length === 0 ? value : nested(rest, value),
});

async function stateOf(name: string, attributes: Json, schema: Json = {}): Promise<string> {
  const thing = contentType(
    'thing',
    { title: { type: 'string' }, kind: { type: 'string' }, owned: { type: 'boolean' }, ...attributes },
    schema,
  );
  const things = { type: 'relation', relation: 'manyToMany', target: 'api::thing.thing' };
  const other = contentType('other', {
    ...(name === 'inversedBy' ? { things: { ...things, mappedBy: 'x' } } : {}),
    ...(name === 'mappedBy' ? { owned: { ...things, inversedBy: 'x' } } : {}),
    any: { type: 'relation', relation: 'morphToOne' },
  });
  const part = { collectionName: 'components_parts', attributes: { label: { type: 'string' } } };
  const folder = await makeProject({ contentTypes: { thing, other }, components: { 'shared.part': part } });
  const { problems, warnings } = checkSchemas(folder.dir);
  await folder.remove();
  const isAbout = ({ path: place }: { path: string }) => place.split('.').includes(name.split('.').at(-1)!);
  for (const one of problems) ok(isAbout(one), formatProblem(one));
  for (const one of warnings) ok(isAbout(one), formatProblem(one));
  return problems.length > 0 ? 'refused' : warnings.length > 0 ? 'warned of' : 'accepted';
}

/** Whether the code does as a table says: what is accepted may have an effect or none. */
const agrees = (state: string, told: string): boolean =>
  state === 'accepted' ? told === 'supported' || told === 'without effect' : state === told;

describe('the tables of the schema page', () => {
  it('list the effect of each option of attributes', async () => {
    const table = tableOf('Options of attributes', 2);
    const known = [...COMMON, ...EDITOR, ...SCALAR_OPTIONS, ...Object.values(OPTIONS).flat(), ...UNSUPPORTED];
    deepStrictEqual([...table.keys()].sort(), [...new Set(known)].sort());
    for (const [name, told] of table) {
      const state = await stateOf(name, { x: ATTRIBUTES[name] });
      ok(agrees(state, told), `${name} is told to be ${told}, and is ${state}`);
    }
  });

  it('list the effect of each option of types', async () => {
    const table = tableOf('Options of types and components', 1);
    const known = [
      ...CONTENT_TYPE_KEYS.filter((key) => !['info', 'options', 'pluginOptions'].includes(key)),
      ...INFO_KEYS.map((key) => `info.${key}`),
      ...OPTION_KEYS.map((key) => `options.${key}`),
    ];
    const listed = [...table.keys()].filter((name) => !name.startsWith('pluginOptions.'));
    deepStrictEqual(listed.sort(), known.sort());
    for (const [name, told] of table) {
      ok(name in TYPES, name);
      const { attributes = {}, ...schema } = nested(name.split('.'), TYPES[name]) as { attributes?: Json };
      const state = await stateOf(name, attributes, schema);
      ok(agrees(state, told), `${name} is told to be ${told}, and is ${state}`);
    }
  });

  it('list the effect of each flag and key', async () => {
    const table = tableOf('Flags and keys of the configuration', 1);
    deepStrictEqual([...table.keys()].sort(), Object.keys(KEYS).sort());
    for (const [name, told] of table) {
      const [file = '', ...keys] = name.split('.');
      const folder = await makeProject({ contentTypes: {} });
      await mkdir(path.join(folder.dir, 'config'), { recursive: true });
      await writeFile(path.join(folder.dir, `config/${file}.json`), JSON.stringify(nested(keys, KEYS[name])));
      const { warnings } = await loadConfig(folder.dir, { env: {} });
      await folder.remove();
      const isWarned = warnings.some((line) => line.includes(file) && line.includes(keys.at(-1)!));
      strictEqual(isWarned, told === 'warned of', `${name}: ${warnings.join(' ')}`);
    }
  });
});
