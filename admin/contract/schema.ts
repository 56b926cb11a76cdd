/** What there is to edit: content types and components, as far as the administrator may see them. */
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

/** Numbers, or exact ones as text. */
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
  /** As the reference's panel has it, else the name in words. */
  label: text,
  description: nullable(text),
  placeholder: nullable(text),
  /** False for passwords, which are written only. */
  readable: flag,
  /** Whether it may be written into documents that are there. */
  writable: flag,
  /** Whether it may be written into a new document. */
  writableInNew: flag,
  /** A condition in JSON Logic on the fields beside it: where it does not hold, the field is hidden. */
  visibleIf: optional(anything),
  unique: optional(flag),
  min: optional(limit),
  max: optional(limit),
  /** How many decimals are kept; left out: all. */
  decimals: optional(number),
  minLength: optional(number),
  maxLength: optional(number),
  regex: optional(text),
  default: optional(anything),
  /** Values of an enumeration. */
  enum: optional(list(text)),
  customField: optional(text),
  /** Of a custom field or a uid, as the schema gives them. */
  options: optional(anything),
  /** What a uid is made from. */
  targetField: optional(text),
  /** Of media. */
  multiple: optional(flag),
  /** `images`, `videos`, `audios`, `files`; empty: all. */
  allowedTypes: optional(list(text)),
  /** Uid of the component. */
  component: optional(text),
  /** Of components and zones where less may be done with what is in them than elsewhere: which entries of `components`. */
  place: optional(text),
  repeatable: optional(flag),
  /** Uids of a zone's components. */
  components: optional(list(text)),
  relation: optional(
    oneOf('oneToOne', 'oneToMany', 'manyToOne', 'manyToMany', 'morphToOne', 'morphToMany', 'morphOne', 'morphMany'),
  ),
  /** Uid of the type that a relation leads to; left out where it leads to any. */
  target: optional(text),
  /** The field of the target that names it, where the panel has chosen one. */
  mainField: optional(text),
});

export const layout = object({
  /** Rows of fields, whose sizes are of twelve. */
  edit: list(list(object({ name: text, size: number as Shape<4 | 6 | 8 | 12> }))),
  /** Columns of lists: attributes, and fields such as `updatedAt`. */
  list: list(text),
  /** The field that names a document. */
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
  /** Whether code of the project runs whenever a document is saved. */
  runsCode: flag,
  /** What the administrator may do to its documents, some of them at least. */
  actions: object({ create: flag, update: flag, delete: flag, publish: flag }),
});

/** Told once as a whole, and once for each place where less of it may be read or written. */
export const component = object({ ...model, category: text, place: optional(text) });

export const schema = object({
  contentTypes: list(contentType),
  components: list(component),
  locales: list(object({ code: text, name: text, isDefault: flag })),
  upload: object({
    /** Bytes that one file may have. */
    sizeLimit: number,
    /** Media types, `image/*` and the like included; null: all. */
    allowedTypes: nullable(list(text)),
    deniedTypes: list(text),
  }),
  /** Uids of the types of which the configuration has an address of previews. */
  previews: list(text),
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
