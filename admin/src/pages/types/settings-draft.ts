/** The settings of a type while they are edited. */
import type { ContentTypeFile } from '../../../contract/content-types.ts';
import { API_ID, pluralOf } from './names.ts';
import { objectText, parsedObject } from './option-texts.ts';
import type { Types } from './relations.ts';
import { hasDrafts, infoText, isJson, isLocalized, optionAt, type WorkingType, withOption } from './working-type.ts';

export interface SettingsDraft {
  readonly kind: ContentTypeFile['kind'];
  readonly displayName: string;
  /** The API id; for components the name. */
  readonly singular: string;
  readonly plural: string;
  readonly category: string;
  readonly drafts: boolean;
  readonly localized: boolean;
  readonly description: string;
  /** Empty for the default. */
  readonly collectionName: string;
  /** Whether the app shows the type. */
  readonly visible: boolean;
  /** The settings without controls of their own, as JSON. */
  readonly rest: string;
}

type Json = Readonly<Record<string, unknown>>;

const VISIBLE = ['pluginOptions', 'content-manager', 'visible'];
/** The places of the settings that have controls. */
const SHOWN: readonly (readonly string[])[] = [
  ['kind'],
  ['collectionName'],
  ['info', 'displayName'],
  ['info', 'singularName'],
  ['info', 'pluralName'],
  ['info', 'description'],
  ['options', 'draftAndPublish'],
  ['pluginOptions', 'i18n', 'localized'],
  VISIBLE,
];
/** The order of keys in a new file. */
const ORDER = ['kind', 'collectionName', 'info', 'options', 'pluginOptions'];

const restOf = (schema: Json): string =>
  objectText(
    SHOWN.reduce(
      (rest, keys) => (optionAt(rest, keys) === undefined ? rest : withOption(rest, keys, undefined)),
      schema,
    ),
  );

/** The settings of a type, or the initial ones of a new type. */
export function settingsOf(type: WorkingType | undefined, kind: SettingsDraft['kind']): SettingsDraft {
  const isComponent = kind === 'component';
  const { schema = {} } = type ?? {};
  const collectionName = schema['collectionName'];
  return {
    kind,
    displayName: type ? infoText(type, 'displayName') : '',
    singular: !type ? '' : isComponent ? type.uid.slice(type.uid.indexOf('.') + 1) : infoText(type, 'singularName'),
    plural: type ? infoText(type, 'pluralName') : '',
    category: type?.category ?? '',
    drafts: type ? hasDrafts(type) : !isComponent,
    localized: isLocalized(schema),
    description: type ? infoText(type, 'description') : '',
    collectionName: typeof collectionName === 'string' ? collectionName : '',
    visible: optionAt(schema, VISIBLE) !== false,
    rest: restOf(schema),
  };
}

/** The uid of a type with its settings. The folder of an existing type stays. */
export function uidWith({ kind, singular, category }: SettingsDraft, type: WorkingType | undefined): string {
  if (kind === 'component') return `${category}.${singular}`;
  const folder = type?.uid.slice(0, type.uid.lastIndexOf('.')) ?? `api::${singular}`;
  return `${folder}.${singular}`;
}

function defaultTable({ kind, singular, plural, category }: SettingsDraft): string {
  const name = kind === 'component' ? `components_${category}_${pluralOf(singular)}` : plural;
  return name.replaceAll('-', '_');
}

/** A type with changed settings. */
export function typeWith(draft: SettingsDraft, type: WorkingType | undefined, uid: string): WorkingType {
  const isComponent = draft.kind === 'component';
  const isRestChanged = type === undefined || draft.rest !== restOf(type.schema);
  let schema: Json = isRestChanged ? (parsedObject(draft.rest) ?? {}) : type.schema;
  const set = (keys: readonly string[], value: unknown): void => {
    if (optionAt(schema, keys) !== value) schema = withOption(schema, keys, value);
  };
  if (!isComponent) set(['kind'], draft.kind);
  set(['collectionName'], draft.collectionName || defaultTable(draft));
  if (!isComponent) {
    set(['info', 'singularName'], draft.singular);
    set(['info', 'pluralName'], draft.plural);
  }
  set(['info', 'displayName'], draft.displayName.trim());
  if (draft.description !== (type ? infoText(type, 'description') : '')) {
    set(['info', 'description'], draft.description || undefined);
  }
  if (!isComponent) {
    if (type === undefined || draft.drafts !== hasDrafts(type)) set(['options', 'draftAndPublish'], draft.drafts);
    if (draft.localized !== isLocalized(schema))
      set(['pluginOptions', 'i18n', 'localized'], draft.localized || undefined);
    if (draft.visible !== (optionAt(schema, VISIBLE) !== false)) set(VISIBLE, draft.visible ? undefined : false);
  }
  return {
    attributes: [],
    from: null,
    revision: null,
    isRemoved: false,
    ...type,
    uid,
    kind: draft.kind,
    category: isComponent ? draft.category : null,
    schema: isRestChanged ? inOrder(schema) : schema,
  };
}

function inOrder(schema: Json): Json {
  const names = [...ORDER.filter((name) => name in schema), ...Object.keys(schema)];
  return Object.fromEntries([...new Set(names)].map((name) => [name, schema[name]]));
}

type Problem = 'empty' | 'apiId' | 'taken' | 'same' | 'json' | 'table';
type Named = 'displayName' | 'singular' | 'plural' | 'category' | 'collectionName' | 'rest';

/** The problems of the settings by field. */
export function settingsProblems(
  draft: SettingsDraft,
  types: Types,
  type: WorkingType | undefined,
): Partial<Record<Named, Problem>> {
  const found: Partial<Record<Named, Problem>> = {};
  const isComponent = draft.kind === 'component';
  const others = Object.values(types).filter((one) => one.uid !== type?.uid);
  const ids = others
    .filter((one) => one.kind !== 'component' && !one.isRemoved)
    .flatMap((one) => [infoText(one, 'singularName'), infoText(one, 'pluralName')]);
  const idProblem = (id: string): Problem | undefined => {
    if (id === '') return 'empty';
    return API_ID.test(id) ? undefined : 'apiId';
  };
  if (draft.displayName.trim() === '') found.displayName = 'empty';
  const isTaken =
    others.some((one) => one.uid === uidWith(draft, type)) || (!isComponent && ids.includes(draft.singular));
  const singular = idProblem(draft.singular) ?? (isTaken ? 'taken' : undefined);
  if (singular && draft.singular !== originalSingular(type)) found.singular = singular;
  if (isComponent) {
    const category = idProblem(draft.category);
    if (category && draft.category !== type?.category) found.category = category;
  } else {
    const plural = idProblem(draft.plural) ?? (ids.includes(draft.plural) ? 'taken' : undefined);
    if (plural) found.plural = plural;
    else if (draft.plural === draft.singular) found.plural = 'same';
  }
  if (draft.collectionName !== '' && !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(draft.collectionName))
    found.collectionName = 'table';
  const rest = parsedObject(draft.rest);
  if (!rest || ['info', 'options', 'pluginOptions'].some((name) => name in rest && !isJson(rest[name])))
    found.rest = 'json';
  return found;
}

const originalSingular = (type: WorkingType | undefined): string | undefined =>
  type && settingsOf(type, type.kind).singular;
