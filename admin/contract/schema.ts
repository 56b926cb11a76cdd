/** The content types and components that the administrator may see. */
import {
  anything,
  flag,
  type Infer,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './shape.ts';

/** A number, or an exact one as text. */
const limit: Shape<number | string> = {
  check: (value, path) => (/^(?:number|string)$/.test(typeof value) ? [] : [`${path}: is neither a number nor a text`]),
};

export const ATTRIBUTE_TYPES = [
  ...(['string', 'text', 'richtext', 'blocks', 'email', 'password', 'uid', 'enumeration'] as const),
  ...(['integer', 'biginteger', 'float', 'decimal', 'boolean'] as const),
  ...(['date', 'time', 'datetime', 'timestamp', 'json'] as const),
  ...(['media', 'relation', 'component', 'dynamiczone'] as const),
] as const;

export const attribute = object({
  name: text,
  type: oneOf(...ATTRIBUTE_TYPES),
  required: flag,
  /** Whether each locale has its own value. */
  localized: flag,
  private: flag,
  /** The label from Strapi's panel, or else the name in words. */
  label: text,
  description: nullable(text),
  placeholder: nullable(text),
  /** False for passwords, which are write-only. */
  readable: flag,
  /** Whether it may be changed in existing documents. */
  writable: flag,
  /** Whether it may be set in a new document. */
  writableInNew: flag,
  /** A JSON Logic condition on neighbouring fields. The field is hidden if it does not hold. */
  visibleIf: optional(anything),
  unique: optional(flag),
  min: optional(limit),
  max: optional(limit),
  /** The number of decimal places that are stored; absent if there is no limit. */
  decimals: optional(number),
  minLength: optional(number),
  maxLength: optional(number),
  regex: optional(text),
  default: optional(anything),
  /** The values of an enumeration. */
  enum: optional(list(text)),
  customField: optional(text),
  /** The options of a custom field or a uid, as in the schema. */
  options: optional(anything),
  /** The field from which a uid is generated. */
  targetField: optional(text),
  /** For media. */
  multiple: optional(flag),
  /** `images`, `videos`, `audios`, `files`; empty for all. */
  allowedTypes: optional(list(text)),
  /** The uid of the component. */
  component: optional(text),
  /** For components and dynamic zones with fewer permissions at this place: which entries of `components` apply. */
  place: optional(text),
  repeatable: optional(flag),
  /** The uids of the components of a dynamic zone. */
  components: optional(list(text)),
  relation: optional(
    oneOf('oneToOne', 'oneToMany', 'manyToOne', 'manyToMany', 'morphToOne', 'morphToMany', 'morphOne', 'morphMany'),
  ),
  /** The uid of the type that a relation links; absent if it links any. */
  target: optional(text),
  /** The field that names linked documents, if Strapi's panel has chosen one. */
  mainField: optional(text),
});

export const layout = object({
  /** The rows of fields, whose sizes add up to twelve. */
  edit: list(list(object({ name: text, size: number as Shape<4 | 6 | 8 | 12> }))),
  /** The columns of lists: attributes, and fields such as `updatedAt`. */
  list: list(text),
  /** The field that names documents. */
  mainField: text,
  /** `title:asc`. */
  defaultSort: text,
  pageSize: number,
});

const model = {
  uid: text,
  displayName: text,
  icon: nullable(text),
  /** In the order of the schema. */
  attributes: list(attribute),
  layout,
};

export const contentType = object({
  ...model,
  kind: oneOf('collectionType', 'singleType'),
  singularName: text,
  pluralName: text,
  draftAndPublish: flag,
  localized: flag,
  /** Whether project code runs whenever a document is saved. */
  runsCode: flag,
  /** The actions that the administrator may perform on at least some documents. */
  actions: object({ create: flag, update: flag, delete: flag, publish: flag }),
});

/** A component appears once in general, and once for each place with fewer permissions. */
export const component = object({ ...model, category: text, place: optional(text) });

export const schema = object({
  contentTypes: list(contentType),
  components: list(component),
  locales: list(object({ code: text, name: text, isDefault: flag })),
  upload: object({
    /** The maximum size of a file in bytes. */
    sizeLimit: number,
    /** MIME types, which may contain wildcards such as `image/*`; null for all. */
    allowedTypes: nullable(list(text)),
    deniedTypes: list(text),
  }),
  /** The uids of the types for which previews are configured. */
  previews: list(text),
  /** The uids of the types whose documents have stages of review. */
  reviewed: list(text),
  /** The name of the site, and the time zone of dates and times; null if they are not set. */
  site: object({ name: nullable(text), timeZone: nullable(text) }),
  /** Changes with everything above. The stream `GET changes` sends it. */
  version: text,
});

export const SCHEMA_REQUESTS = {
  'GET schema': { answer: object({ data: schema }) },
} as const;

export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];
export type Attribute = Infer<typeof attribute>;
export type Layout = Infer<typeof layout>;
export type ContentType = Infer<typeof contentType>;
export type Component = Infer<typeof component>;
export type Model = ContentType | Component;
export type Schema = Infer<typeof schema>;
