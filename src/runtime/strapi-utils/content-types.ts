/** `contentTypes` and `relations` of `@strapi/utils`: questions about schemas. */
import { snake } from '../../schema/layout/naming.ts';
import type { Schema } from '../schemas/schemas.ts';

type Attribute = Readonly<Record<string, unknown>>;

const constants = {
  ID_ATTRIBUTE: 'id',
  DOC_ID_ATTRIBUTE: 'documentId',
  PUBLISHED_AT_ATTRIBUTE: 'publishedAt',
  FIRST_PUBLISHED_AT_ATTRIBUTE: 'firstPublishedAt',
  CREATED_BY_ATTRIBUTE: 'createdBy',
  UPDATED_BY_ATTRIBUTE: 'updatedBy',
  CREATED_AT_ATTRIBUTE: 'createdAt',
  UPDATED_AT_ATTRIBUTE: 'updatedAt',
  SINGLE_TYPE: 'singleType',
  COLLECTION_TYPE: 'collectionType',
};
const ID_FIELDS = ['id', 'documentId'];
const NOT_SCALAR: ReadonlySet<unknown> = new Set(['relation', 'media', 'component', 'dynamiczone']);
const RULES = ['max', 'min', 'maxLength', 'minLength'];

const isScalarAttribute = (attribute?: Attribute): boolean =>
  attribute !== undefined && !NOT_SCALAR.has(attribute['type']);
const isMediaAttribute = (attribute?: Attribute): boolean => attribute?.['type'] === 'media';
const isRelationalAttribute = (attribute?: Attribute): boolean => attribute?.['type'] === 'relation';
const isDynamicZoneAttribute = (attribute?: Attribute): boolean => attribute?.['type'] === 'dynamiczone';
const isComponentAttribute = (attribute?: Attribute): boolean =>
  attribute?.['type'] === 'component' || isDynamicZoneAttribute(attribute);

const names = ({ attributes }: Schema, isWanted: (attribute: Attribute) => boolean): string[] =>
  Object.entries(attributes).flatMap(([name, attribute]) => (isWanted(attribute) ? [name] : []));
const those = ({ attributes }: Schema, wanted: readonly string[]): string[] =>
  wanted.filter((name) => Object.hasOwn(attributes, name));

const getTimestamps = (schema: Schema) => those(schema, ['createdAt', 'updatedAt']);
const getNonWritableAttributes = (schema?: Schema): string[] =>
  schema
    ? [...new Set([...ID_FIELDS, ...getTimestamps(schema), ...names(schema, ({ writable }) => writable === false)])]
    : [];
const getNonVisibleAttributes = (schema: Schema): string[] => [
  ...new Set([
    ...[...ID_FIELDS, 'publishedAt', ...getTimestamps(schema)],
    ...names(schema, ({ visible }) => visible === false),
  ]),
];
const without = (schema: Schema, excluded: readonly string[]): string[] =>
  Object.keys(schema.attributes).filter((name) => !excluded.includes(name));
const getWritableAttributes = (schema?: Schema): string[] =>
  schema ? without(schema, getNonWritableAttributes(schema)) : [];
const getVisibleAttributes = (schema: Schema): string[] => without(schema, getNonVisibleAttributes(schema));

const hasDraftAndPublish = ({ options }: Schema): boolean =>
  (options as { draftAndPublish?: boolean } | undefined)?.draftAndPublish === true;
const isSingleType = ({ kind }: Schema): boolean => kind === 'singleType';
const isOf = (value: unknown, modelTypes: readonly unknown[]): boolean =>
  typeof value === 'object' && value !== null && modelTypes.includes((value as Partial<Schema>).modelType);

export const contentTypes = {
  constants,
  ID_FIELDS,
  isSchema: (value: unknown): boolean => isOf(value, ['component', 'contentType']),
  isComponentSchema: (value: unknown): boolean => isOf(value, ['component']),
  isContentTypeSchema: (value: unknown): boolean => isOf(value, ['contentType']),
  isSingleType,
  isCollectionType: ({ kind = 'collectionType' }: Schema): boolean => kind === 'collectionType',
  isKind: (kind: string) => (schema: Schema) => schema.kind === kind,
  hasDraftAndPublish,
  getOptions: ({ options }: Schema) => ({ draftAndPublish: false, ...(options as object | undefined) }),
  isDraft: (data: Attribute, schema: Schema): boolean => hasDraftAndPublish(schema) && data['publishedAt'] === null,
  getTimestamps,
  getCreatorFields: (schema: Schema) => those(schema, ['createdBy', 'updatedBy']),
  getNonWritableAttributes,
  getWritableAttributes,
  isWritableAttribute: (schema: Schema, name: string): boolean => getWritableAttributes(schema).includes(name),
  getNonVisibleAttributes,
  getVisibleAttributes,
  isVisibleAttribute: (schema: Schema, name: string): boolean => getVisibleAttributes(schema).includes(name),
  // private attributes of the configuration are part of the schema here
  getPrivateAttributes: (schema: Schema) => names(schema, (attribute) => attribute['private'] === true),
  isPrivateAttribute: ({ attributes }: Schema, name: string): boolean => attributes[name]?.['private'] === true,
  isScalarAttribute,
  isMediaAttribute,
  isRelationalAttribute,
  isComponentAttribute,
  isDynamicZoneAttribute,
  isMorphToRelationalAttribute: (attribute?: Attribute): boolean =>
    isRelationalAttribute(attribute) && String(attribute?.['relation']).startsWith('morphTo'),
  isTypedAttribute: (attribute: Attribute | undefined, type: string): boolean => attribute?.['type'] === type,
  getDoesAttributeRequireValidation: (attribute: Attribute): boolean =>
    Boolean(attribute['required'] || attribute['unique']) || RULES.some((rule) => Object.hasOwn(attribute, rule)),
  hasRelationReordering: (attribute?: Attribute): boolean =>
    isRelational(attribute, ['manyToMany', 'manyToOne', 'oneToMany']),
  getScalarAttributes: (schema: Schema) => names(schema, isScalarAttribute),
  getMediaAttributes: (schema: Schema) => names(schema, isMediaAttribute),
  getRelationalAttributes: (schema: Schema) => names(schema, isRelationalAttribute),
  getComponentAttributes: (schema: Schema) => names(schema, isComponentAttribute),
  getContentTypeRoutePrefix: (schema: Schema): string => {
    const { singularName, pluralName } = schema['info'] as { singularName: string; pluralName: string };
    return snake(isSingleType(schema) ? singularName : pluralName).replaceAll('_', '-');
  },
};

const isRelational = (attribute: Attribute | undefined, kinds: readonly string[]): boolean =>
  isRelationalAttribute(attribute) && kinds.includes(String(attribute?.['relation']));
const MANY_RELATIONS = ['oneToMany', 'manyToMany'];
const POLYMORPHIC = ['morphOne', 'morphMany', 'morphToOne', 'morphToMany'];

export const relations = {
  constants: { MANY_RELATIONS },
  VALID_RELATION_ORDERING_KEYS: { strict: (value: unknown): boolean => typeof value === 'boolean' },
  getRelationalFields: (schema: Schema) => names(schema, isRelationalAttribute),
  isOneToAny: (attribute: Attribute): boolean => isRelational(attribute, ['oneToOne', 'oneToMany']),
  isManyToAny: (attribute: Attribute): boolean => isRelational(attribute, ['manyToMany', 'manyToOne']),
  isAnyToOne: (attribute: Attribute): boolean => isRelational(attribute, ['oneToOne', 'manyToOne']),
  isAnyToMany: (attribute: Attribute): boolean => isRelational(attribute, MANY_RELATIONS),
  isPolymorphic: ({ relation }: Attribute): boolean => POLYMORPHIC.includes(String(relation)),
};

const OF_STRAPI = ['strapi*', '_strapi*', '__strapi*'];

const RESERVED_ATTRIBUTE_NAMES = [
  ...['id', 'document_id', 'created_at', 'updated_at', 'published_at', 'created_by_id', 'updated_by_id'],
  ...['created_by', 'updated_by', 'entry_id', 'localizations', 'meta', 'locale', '__component', '__contentType'],
  ...OF_STRAPI,
];
const RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH = ['status'];
const RESERVED_MODEL_NAMES = [...['boolean', 'date', 'date_time', 'time', 'upload', 'document', 'then'], ...OF_STRAPI];

/** Names are compared as columns have them. */
function isAmong(name: string, reserved: readonly string[]): boolean {
  const column = snake(name);
  return reserved.some((one) => (one.endsWith('*') ? column.startsWith(one.slice(0, -1)) : column === one));
}

interface OfType {
  readonly draftAndPublish?: boolean;
}
const attributeNames = ({ draftAndPublish = true }: OfType = {}): string[] => [
  ...RESERVED_ATTRIBUTE_NAMES,
  ...(draftAndPublish ? RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH : []),
];

export const reservedNames = {
  RESERVED_ATTRIBUTE_NAMES,
  RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH,
  RESERVED_MODEL_NAMES,
  MORPH_TO_KEYS: ['__type'],
  DYNAMIC_ZONE_KEYS: ['__component'],
  RELATION_OPERATION_KEYS: ['connect', 'disconnect', 'set', 'options'],
  getReservedAttributeNames: attributeNames,
  getReservedModelNames: () => [...RESERVED_MODEL_NAMES],
  isReservedAttributeName: (name: string, type?: OfType): boolean => isAmong(name, attributeNames(type)),
  isReservedModelName: (name: string): boolean => isAmong(name, RESERVED_MODEL_NAMES),
  findDraftAndPublishReservedAttributeNames: (names: readonly string[]): string[] =>
    [...names].filter((name) => isAmong(name, RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH)),
  getDraftAndPublishReservedAttributeWarning: (uid: string, name: string): string =>
    `The attribute name '${name}' on content type '${uid}' is reserved when 'draftAndPublish' is enabled. It conflicts with the Document Service / REST 'status' query parameter. Rename the attribute or disable the 'draftAndPublish' option.`,
  getDraftAndPublishEnableBlockedMessage: (names: readonly string[]): string =>
    `Cannot enable draft and publish while the following attribute names are reserved: ${names.join(', ')}. Rename them or remove them first.`,
};
