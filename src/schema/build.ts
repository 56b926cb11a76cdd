/** Builds models of the Catalog from checked schema files. The check itself is in `check/check.ts`. */
import { isObject } from '../plain-values.ts';
import { customFieldType, type RawSchema, SECRETS } from './built-in.ts';
import {
  type Attribute,
  type Component,
  type ContentType,
  type DeclaredIndex,
  FIRST_PUBLISHED,
  MEDIA_KINDS,
  type RelationAttribute,
  type RelationKind,
  SCALAR_TYPES,
  type ScalarAttribute,
  type ScalarType,
  type Visibility,
} from './catalog.ts';
import type { SchemaSource } from './files.ts';
import { membersOf, operationOf } from './json-logic.ts';
import { buildReviewStages } from './review-stages.ts';

/** The uid of a source: `api::<api>.<singularName>`, `<category>.<name>` in lower case, or that of a built-in type. */
export function uidOf(source: SchemaSource): string {
  if (source.role === 'builtIn' || source.role === 'plugin') return source.uid;
  if (source.role === 'component') return `${source.category}.${source.name}`.toLowerCase();
  return `api::${source.api}.${singularNameOf(source)}`;
}

/** `info.singularName`, or the folder's name; for a component its file name in lower case. */
export function singularNameOf(source: SchemaSource): string {
  if (source.role === 'component') return source.name.toLowerCase();
  const fallback = source.role === 'contentType' ? source.folder : '';
  return text(child(source.raw, 'info')['singularName']) ?? fallback;
}

/** `info.pluralName`, or the singular name with an `s`. */
export function pluralNameOf(source: SchemaSource): string {
  return text(child(source.raw, 'info')['pluralName']) ?? `${singularNameOf(source)}s`;
}

/** `collectionName`, or the singular name (components have no default). */
export function collectionNameOf(source: SchemaSource): string | undefined {
  return text(source.raw['collectionName']) ?? (source.role === 'component' ? undefined : singularNameOf(source));
}

/** Whether the i18n option of a schema or an attribute is `localized`. */
export function isLocalized(raw: RawSchema): boolean {
  return child(child(raw, 'pluginOptions'), 'i18n')['localized'] === true;
}

/** The result of checking a file's attributes, by name. */
export interface Verdict {
  /** Attributes that are not built: refused ones, or ones without effect. */
  readonly leaveOut: ReadonlySet<string>;
  /** Relations whose inverse does not name them. */
  readonly alone: ReadonlySet<string>;
  /** Names of attributes that are private in every model. */
  readonly hidden: readonly string[];
  /** Whether relations and media may be required. */
  readonly strictRelations: boolean;
  /** Whether types with drafts have `firstPublishedAt`. */
  readonly firstPublishedAt: boolean;
  /** Uids of existing components. */
  readonly components: ReadonlySet<string>;
  /** Whether the file declares stages of review without a mistake. */
  readonly reviewStages: boolean;
}

/** The content type of a source. */
export function buildContentType(source: SchemaSource, verdict: Verdict): ContentType {
  const { raw } = source;
  const localized = isLocalized(raw);
  const draftAndPublish = child(raw, 'options')['draftAndPublish'] === true;
  const attributes = buildAttributes(raw, localized, verdict, SECRETS.get(uidOf(source)));
  if (verdict.firstPublishedAt && draftAndPublish) attributes.set(FIRST_PUBLISHED, firstPublished(localized));
  return Object.freeze({
    modelType: 'contentType',
    uid: uidOf(source),
    kind: raw['kind'] === 'singleType' ? 'singleType' : 'collectionType',
    singularName: singularNameOf(source),
    pluralName: pluralNameOf(source),
    collectionName: collectionNameOf(source)!,
    displayName: text(child(raw, 'info')['displayName']) ?? singularNameOf(source),
    draftAndPublish,
    localized,
    routed: source.role === 'contentType',
    builtIn: source.role === 'builtIn',
    attributes,
    indexes: buildIndexes(raw),
    hidden: hiddenNames(raw, verdict),
    declared: raw,
    ...iconOf(raw),
    ...(verdict.reviewStages ? { reviewStages: buildReviewStages(source.file, raw['reviewStages']) } : {}),
    ...(child(raw, 'options')['populateCreatorFields'] === true ? { showsCreators: true } : {}),
    ...(child(child(raw, 'pluginOptions'), 'content-manager')['visible'] === false ? { unlisted: true } : {}),
  });
}

/** each version has its own value, which locales do not share */
const firstPublished = (localized: boolean): ScalarAttribute =>
  Object.freeze({
    name: FIRST_PUBLISHED,
    required: false,
    private: false,
    localized,
    managed: true,
    unlisted: true,
    ...scalar('datetime', {}),
  });

/** The component of a source. */
export function buildComponent(source: SchemaSource & { role: 'component' }, verdict: Verdict): Component {
  return Object.freeze({
    modelType: 'component',
    uid: uidOf(source),
    category: source.category,
    singularName: singularNameOf(source),
    collectionName: collectionNameOf(source)!,
    displayName: text(child(source.raw, 'info')['displayName']) ?? source.name,
    attributes: buildAttributes(source.raw, false, verdict),
    indexes: buildIndexes(source.raw),
    declared: source.raw,
    ...iconOf(source.raw),
  });
}

function iconOf(raw: RawSchema): { icon?: string } {
  const icon = text(child(raw, 'info')['icon']);
  return icon === undefined ? {} : { icon };
}

/** Names that the schema's options or the configuration make private. */
const hiddenNames = (raw: RawSchema, { hidden }: Verdict): string[] => [
  ...strings([child(raw, 'options')['privateAttributes']].flat()),
  ...hidden,
];

function buildAttributes(
  raw: RawSchema,
  localized: boolean,
  verdict: Verdict,
  secrets: readonly string[] = [],
): Map<string, Attribute> {
  const hidden = hiddenNames(raw, verdict);
  const attributes = new Map<string, Attribute>();
  for (const [name, value] of Object.entries(child(raw, 'attributes'))) {
    if (verdict.leaveOut.has(name) || !isObject(value)) continue;
    const isPrivate = flag('private', value['private']) || hidden.includes(name);
    const attribute = {
      ...buildAttribute(name, value, localized, isPrivate, verdict),
      ...visibilityOf(value),
      ...(value['writable'] === false ? { readOnly: true as const } : {}),
      ...(value['visible'] === false ? { unlisted: true as const } : {}),
      ...(secrets.includes(name) ? { secret: true as const } : {}),
    };
    attributes.set(name, Object.freeze(attribute));
  }
  return attributes;
}

function visibilityOf(raw: RawSchema): { visibility?: Visibility } {
  const condition = child(raw, 'conditions')['visible'];
  return operationOf(condition) ? { visibility: Object.freeze({ condition, dependsOn: membersOf(condition) }) } : {};
}

function buildAttribute(
  name: string,
  raw: RawSchema,
  localizedType: boolean,
  isPrivate: boolean,
  { alone, components, strictRelations }: Verdict,
): Attribute {
  const isLink = raw['type'] === 'media' || raw['type'] === 'relation';
  const required = flag('required', raw['required']) && (strictRelations || !isLink);
  const base = { name, required, private: isPrivate };
  const localized = localizedType && isLocalized(raw);
  const bounds = { min: number(raw['min']), max: number(raw['max']) };
  switch (raw['type']) {
    case 'media':
      return {
        ...base,
        localized,
        type: 'media',
        multiple: raw['multiple'] === true,
        allowedTypes: Object.freeze(strings(raw['allowedTypes']).filter((kind) => MEDIA_KINDS.includes(kind))),
      };
    case 'relation':
      // relations are never shared between locales, whatever the option says
      return { ...base, localized: localizedType, ...relation(raw, alone.has(name)) };
    case 'component': {
      const component = text(raw['component'])!;
      return { ...base, localized, type: 'component', component, repeatable: raw['repeatable'] === true, ...bounds };
    }
    case 'dynamiczone':
      return {
        ...base,
        localized,
        type: 'dynamiczone',
        components: Object.freeze(strings(raw['components']).filter((uid) => components.has(uid))),
        ...bounds,
      };
    default: {
      const type = scalarTypeOf(raw)!;
      return { ...base, localized: localized || (localizedType && type === 'uid'), ...scalar(type, raw) };
    }
  }
}

/** The scalar type of an attribute, for a custom field the underlying one; undefined for other attributes. */
export function scalarTypeOf(raw: RawSchema): ScalarType | undefined {
  const type = raw['type'] === 'customField' ? customFieldType(raw) : raw['type'];
  return SCALAR_TYPES.find((known) => known === type);
}

function relation(
  raw: RawSchema,
  alone: boolean,
): Omit<RelationAttribute, 'name' | 'required' | 'private' | 'localized'> {
  const kind = raw['relation'] as RelationKind;
  const inversedBy = text(raw['inversedBy']);
  // if both are set, the reference uses the one that makes this side the owner
  const mappedBy = inversedBy === undefined ? text(raw['mappedBy']) : undefined;
  return {
    type: 'relation',
    relation: kind,
    target: kind === 'morphToOne' || kind === 'morphToMany' ? undefined : text(raw['target']),
    inverse: alone ? undefined : (inversedBy ?? mappedBy),
    namesInverse: (inversedBy ?? mappedBy) !== undefined,
    owner: mappedBy === undefined && kind !== 'morphOne' && kind !== 'morphMany',
    morphBy: text(raw['morphBy']),
    useJoinTable: raw['useJoinTable'] !== false,
  };
}

function scalar(
  type: ScalarType,
  raw: RawSchema,
): Omit<ScalarAttribute, 'name' | 'required' | 'private' | 'localized'> {
  const column = isObject(raw['column']) ? raw['column'] : undefined;
  const columnType = text(child(raw, 'columnType')['type']);
  const customField = raw['type'] === 'customField' ? text(raw['customField']) : undefined;
  const targetField = type === 'uid' ? text(raw['targetField']) : undefined;
  const hasOptions = (customField !== undefined || type === 'uid') && isObject(raw['options']);
  return {
    type,
    unique: flag('unique', raw['unique']),
    indexed: raw['index'] === true,
    default: raw['default'],
    min: boundOf(type, raw['min']),
    max: boundOf(type, raw['max']),
    minLength: number(raw['minLength']),
    maxLength: number(raw['maxLength']),
    regex: text(raw['regex']),
    enum: Object.freeze(strings(raw['enum'])),
    columnName: text(raw['columnName']),
    column: column && Object.freeze({ unique: column['unique'] === true, defaultTo: column['defaultTo'] }),
    ...(raw['searchable'] === false ? { unsearched: true } : {}),
    ...(columnType === undefined ? {} : { columnType }),
    ...(customField === undefined ? {} : { customField }),
    ...(targetField === undefined ? {} : { targetField }),
    ...(hasOptions ? { options: child(raw, 'options') } : {}),
  };
}

function buildIndexes(raw: RawSchema): readonly DeclaredIndex[] {
  const listed = Array.isArray(raw['indexes']) ? raw['indexes'].filter(isObject) : [];
  const indexes = listed.filter((index) => text(index['name']) !== undefined);
  return Object.freeze(
    indexes.map((index) =>
      Object.freeze({
        name: text(index['name'])!,
        columns: Object.freeze(strings(index['columns'])),
        type: text(index['type']),
      }),
    ),
  );
}

/** The object under a key, or an empty one. */
export function child(raw: RawSchema, key: string): RawSchema {
  const value = raw[key];
  return isObject(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The value of a flag. Flags that hide or require something are true for any value, as in the reference. */
export function flag(key: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (key === 'useJoinTable') return true;
  return (key === 'required' || key === 'private' || key === 'unique') && Boolean(value);
}

/** A limit of a number; undefined for an invalid one. Whole numbers may be strings, to be exact. */
export function boundOf(type: ScalarType, value: unknown): number | string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (type === 'biginteger') return /^-?\d+$/.test(String(value)) ? value : undefined;
  return String(value).trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}
