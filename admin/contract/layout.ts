/** How forms and lists are arranged, in the form in which the reference's panel stores it. */
import { flag, type Infer, list, nullable, number, object, oneOf, optional, recordOf, text } from './shape.ts';

const settings = {
  bulkable: flag,
  filterable: flag,
  searchable: flag,
  /** 10 to 100. */
  pageSize: number,
  /** The field that names a document. */
  mainField: text,
  defaultSortBy: text,
  defaultSortOrder: oneOf('ASC', 'DESC'),
  relationOpenMode: oneOf('modal', 'page', 'newTab'),
};

const metadata = object({
  /** What stands at a field of the form. */
  edit: object({
    label: optional(text),
    description: optional(nullable(text)),
    placeholder: optional(nullable(text)),
    editable: optional(flag),
    visible: optional(flag),
    /** What names documents that a relation links. */
    mainField: optional(text),
  }),
  /** What stands above a column. */
  list: object({ label: optional(text), searchable: optional(flag), sortable: optional(flag) }),
});

const layouts = {
  /** Columns. */
  list: list(text),
  /** Rows of fields, whose sizes are of twelve. A field that stands in none is not shown. */
  edit: list(list(object({ name: text, size: number }))),
};

/** A name that an arrangement can be about. */
const field = object({
  name: text,
  /** What stands at it where nobody has chosen a label. */
  label: text,
  /** Of the schema, or `integer`, `datetime`, `relation` and `string` of `id`, times, authors and `documentId`. */
  type: text,
  /** Whether it can be a column. */
  listed: flag,
  /** Whether a list can be sorted by it. */
  sorted: flag,
  /** Whether it can name a document. */
  naming: flag,
  /** The sizes that it can have in the form; none: it stands in no form. */
  sizes: list(number),
  /** What can name the documents that a relation links. */
  mainFields: list(text),
});

export const arrangement = object({
  uid: text,
  /** The entity tag of what is stored. */
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
   * What is left out stays as it is; labels of fields as well. Without `If-Match` nothing is to be stored yet, or the answer
   * is 412 with what there is in `details.current`.
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
