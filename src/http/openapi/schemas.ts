/** Catalog → JSON Schema (draft 2020-12, as in OpenAPI 3.1): documents in answers, and in bodies. */
import type { View } from '../../access/view.ts';
import { UID } from '../../content/validation/validate-scalar.ts';
import {
  type Attribute,
  attributeOf,
  type Catalog,
  CREATORS,
  FILE_UID,
  type Model,
  modelOf,
  type RelationAttribute,
  type ScalarAttribute,
  type ScalarType,
  TEXT_TYPES,
} from '../../schema/catalog.ts';
import { nameOf } from '../../schema/declarations.ts';

export type Schema = { readonly [key: string]: unknown };

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;

/** Values of scalar types in answers. */
const READ: Readonly<Record<ScalarType, Schema>> = {
  string: text,
  text,
  richtext: text,
  blocks: { type: 'array', items: { type: 'object' } },
  email: text,
  password: text,
  uid: text,
  enumeration: text,
  integer: { type: 'integer' },
  biginteger: { type: 'string', pattern: '^-?\\d+$' },
  float: { type: 'number' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: text,
  datetime: time,
  timestamp: time,
  json: {},
};

/** A reference to a schema of `components`. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const outputName = nameOf;
export const inputName = (model: Model): string => `${nameOf(model)}Input`;

const nullable = (schema: Schema): Schema => {
  if (Object.keys(schema).length === 0) return schema;
  const { type } = schema;
  return typeof type === 'string' ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
};
export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** True for an attribute that answers to a caller may contain: it and something behind it are readable. */
function isShown(view: View, model: Model, attribute: Attribute): boolean {
  const { readable, populatable } = view.of(model);
  if (readable.includes(attribute.name)) return true;
  if (!populatable.includes(attribute.name)) return false;
  if (attribute.type === 'media') return !view.of(modelOf(view.catalog, FILE_UID)).isSealed;
  if (attribute.type !== 'relation' || attribute.target === undefined) return true;
  return view.of(modelOf(view.catalog, attribute.target)).isSeen;
}

/** The schema of a model in answers. Populated attributes are optional. */
export function outputOf(view: View, model: Model): Schema {
  const { catalog } = view;
  const isDocument = model.modelType === 'contentType';
  const own = [...model.attributes.values()]
    .filter((attribute) => isShown(view, model, attribute))
    .map((attribute): [string, Schema] => [attribute.name, readSchema(catalog, attribute)]);
  const system: Record<string, Schema> = isDocument
    ? {
        documentId: text,
        createdAt: nullable(time),
        updatedAt: nullable(time),
        publishedAt: nullable(time),
        ...creatorsOf(view, model),
        locale: nullable(text),
        ...(view.of(model).populatable.includes('localizations')
          ? { localizations: listOf(ref(outputName(model))) }
          : {}),
        // behind a relation to any type
        __type: text,
      }
    : { __component: text };
  return {
    type: 'object',
    title: model.displayName,
    properties: { id: { type: 'integer' }, ...system, ...Object.fromEntries(own) },
    required: isDocument && model.routed ? ['id', 'documentId'] : ['id'],
    ...(model.uid === FILE_UID ? {} : { additionalProperties: false }),
  };
}

/** The creators of a document, as far as they are visible. */
function creatorsOf(view: View, model: Model): Record<string, Schema> {
  return Object.fromEntries(
    CREATORS.flatMap((name): [string, Schema][] => {
      if (model.attributes.has(name) || !view.of(model).populatable.includes(name)) return [];
      const creator = view.into(model, attributeOf(model, name) as RelationAttribute);
      return view.of(creator).isSeen ? [[name, nullable(outputOf(view, creator))]] : [];
    }),
  );
}

function readSchema(catalog: Catalog, attribute: Attribute): Schema {
  switch (attribute.type) {
    case 'media':
      return attribute.multiple ? nullable(listOf(ref('File'))) : nullable(ref('File'));
    case 'component': {
      const part = ref(outputName(modelOf(catalog, attribute.component)));
      return attribute.repeatable ? listOf(part) : nullable(part);
    }
    case 'dynamiczone':
      return listOf(anyOf(attribute.components.map((uid) => ref(outputName(modelOf(catalog, uid))))));
    case 'relation':
      return relationSchema(catalog, attribute);
    default:
      return nullable(READ[attribute.type]);
  }
}

function relationSchema(catalog: Catalog, { relation, target }: RelationAttribute): Schema {
  const type = target === undefined ? undefined : catalog.contentTypes.get(target);
  const one = type ? schemaOfType(type.uid, outputName(type)) : { type: 'object' };
  return /Many$/.test(relation) ? { anyOf: [listOf(one), ref('Count')] } : nullable(one);
}

/** Types outside of the API have no schema of their own. */
const schemaOfType = (uid: string, name: string): Schema =>
  uid.startsWith('admin::') ? { type: 'object' } : ref(name);

/** The schema of a model in bodies. */
export function inputOf(view: View, model: Model): Schema {
  const { catalog } = view;
  const { writable } = view.of(model);
  const attributes = [...model.attributes.values()].filter(({ name }) => writable.has(name));
  const own = attributes.map((attribute): [string, Schema] => [
    attribute.name,
    { ...writtenSchema(catalog, attribute), ...conditionOf(attribute) },
  ]);
  const more = model.modelType === 'component' ? { id: { type: ['integer', 'string'] }, __component: text } : {};
  return {
    type: 'object',
    title: `${model.displayName}, to be written`,
    properties: { ...more, ...Object.fromEntries(own) },
  };
}

/** Conditions under which the limits of an attribute apply. */
const conditionOf = ({ visibility }: Attribute): Schema =>
  visibility ? { description: `Validated where ${JSON.stringify(visibility.condition)}` } : {};

function writtenSchema(catalog: Catalog, attribute: Attribute): Schema {
  switch (attribute.type) {
    case 'media':
      return ref('FileLink');
    case 'relation':
      return ref('Links');
    case 'component': {
      const part = ref(inputName(modelOf(catalog, attribute.component)));
      return attribute.repeatable ? nullable(listOf(part)) : nullable(part);
    }
    case 'dynamiczone':
      return nullable(listOf(anyOf(attribute.components.map((uid) => ref(inputName(modelOf(catalog, uid)))))));
    default:
      return nullable(scalarInput(attribute));
  }
}

function scalarInput(attribute: ScalarAttribute): Schema {
  const limits = {
    ...(attribute.minLength === undefined ? {} : { minLength: attribute.minLength }),
    ...(attribute.maxLength === undefined ? {} : { maxLength: attribute.maxLength }),
  };
  const { type } = attribute;
  if (type === 'enumeration' && attribute.enum.length > 0) return { enum: [...attribute.enum, null] };
  if (type === 'uid') return { ...text, ...limits, pattern: attribute.regex ?? UID.source };
  if (TEXT_TYPES.has(type) || type === 'password') return { ...text, ...limits };
  if (type === 'integer' || type === 'float' || type === 'decimal') {
    const { min, max } = attribute;
    const range = {
      ...(typeof min === 'number' ? { minimum: min } : {}),
      ...(typeof max === 'number' ? { maximum: max } : {}),
    };
    return { ...READ[type], ...range };
  }
  if (type === 'biginteger') return { type: ['string', 'integer'] };
  return READ[type];
}

const anyOf = (schemas: readonly Schema[]): Schema => (schemas.length === 0 ? {} : { anyOf: schemas });

/** Schemas that are the same in every project. */
export const COMMON: Readonly<Record<string, Schema>> = {
  Error: {
    type: 'object',
    properties: {
      data: { type: 'null' },
      error: {
        type: 'object',
        properties: {
          status: { type: 'integer' },
          name: text,
          message: text,
          details: { type: 'object' },
        },
        required: ['status', 'name', 'message'],
        additionalProperties: false,
      },
    },
    required: ['data', 'error'],
    additionalProperties: false,
  },
  Count: {
    description: 'In place of a list of links, where it was populated with count',
    type: 'object',
    properties: { count: { type: 'integer' } },
    required: ['count'],
    additionalProperties: false,
  },
  Pagination: {
    type: 'object',
    properties: Object.fromEntries(
      ['page', 'pageSize', 'pageCount', 'start', 'limit', 'total'].map((name) => [name, { type: 'integer' }]),
    ),
  },
  Links: {
    description: 'Documents by documentId or id, all of them or as changes: connect, disconnect, set',
    anyOf: [
      { type: ['string', 'integer', 'null'] },
      { type: 'array', items: { type: ['string', 'integer', 'object'] } },
      { type: 'object' },
    ],
  },
  FileLink: {
    description: 'Files by id',
    anyOf: [
      { type: ['string', 'integer', 'null'] },
      { type: 'array', items: { type: ['string', 'integer', 'object'] } },
      { type: 'object' },
    ],
  },
};
