/** The layouts of forms and lists, in the format in which Strapi's panel stores them. */
import { flag, type Infer, list, nullable, number, object, oneOf, optional, recordOf, text } from './shape.ts';

const settings = {
  bulkable: flag,
  filterable: flag,
  searchable: flag,
  /** 10 to 100. */
  pageSize: number,
  /** The field that names documents. */
  mainField: text,
  defaultSortBy: text,
  defaultSortOrder: oneOf('ASC', 'DESC'),
  relationOpenMode: oneOf('modal', 'page', 'newTab'),
};

const metadata = object({
  /** The settings of a field in forms. */
  edit: object({
    label: optional(text),
    description: optional(nullable(text)),
    placeholder: optional(nullable(text)),
    editable: optional(flag),
    visible: optional(flag),
    /** The field that names the documents of a relation. */
    mainField: optional(text),
  }),
  /** The settings of a column. */
  list: object({ label: optional(text), searchable: optional(flag), sortable: optional(flag) }),
});

const layouts = {
  /** The columns. */
  list: list(text),
  /** The rows of fields, whose sizes add up to twelve. Fields that are in no row are hidden. */
  edit: list(list(object({ name: text, size: number }))),
};

/** A field that a layout can contain. */
const field = object({
  name: text,
  /** The default label. */
  label: text,
  /**
   * The type in the schema; for `id`, times, authors and `documentId` it is `integer`, `datetime`, `relation` or
   * `string`.
   */
  type: text,
  /** Whether it can be a column. */
  listed: flag,
  /** Whether lists can be sorted by it. */
  sorted: flag,
  /** Whether it can name documents. */
  naming: flag,
  /** The possible sizes in the form; empty if it cannot be in the form. */
  sizes: list(number),
  /** The fields that can name the documents of a relation. */
  mainFields: list(text),
});

export const arrangement = object({
  uid: text,
  /** The entity tag of the stored layout. */
  tag: text,
  displayName: text,
  kind: oneOf('collectionType', 'singleType', 'component'),
  fields: list(field),
  settings: object(settings),
  metadatas: recordOf(metadata),
  layouts: object(layouts),
});

export const LAYOUT_REQUESTS = {
  'GET layout/:uid': { answer: object({ data: arrangement }) },
  /**
   * Absent settings stay unchanged, labels included. Without `If-Match` no layout must be stored yet; otherwise the
   * answer is 412 with the current one in `details.current`.
   */
  'PUT layout/:uid': {
    body: object({
      settings: optional(
        object({
          bulkable: optional(flag),
          filterable: optional(flag),
          searchable: optional(flag),
          pageSize: optional(number),
          mainField: optional(text),
          defaultSortBy: optional(text),
          defaultSortOrder: optional(settings.defaultSortOrder),
          relationOpenMode: optional(settings.relationOpenMode),
        }),
      ),
      metadatas: optional(recordOf(metadata)),
      layouts: optional(object({ list: optional(layouts.list), edit: optional(layouts.edit) })),
    }),
    answer: object({ data: arrangement }),
  },
} as const;

export type Arrangement = Infer<typeof arrangement>;
