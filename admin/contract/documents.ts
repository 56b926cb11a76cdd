/** One document: its versions as a form needs them, what may be done with it, and what it may be linked to. */
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
  recordOf,
  text,
} from './shape.ts';

/** `modified`: published, with a draft that is newer. Documents of types without drafts are `published`. */
export const documentState = oneOf('draft', 'published', 'modified');

export const person = object({ id: number, name: text });

/** A document that is linked, or can be. */
const linkedShape = {
  /** The uid of its type. */
  type: text,
  id: number,
  documentId: text,
  /** Null where its type has no locales. */
  locale: nullable(text),
  /** The value of its main field, which is its id in some types; null where it has none. */
  label: nullable(text),
  /** Null where its type has no drafts. */
  state: nullable(documentState),
} as const;
export const linked = object(linkedShape);

/**
 * The content of a version by attribute, and `id`, `createdAt`, `updatedAt` and `publishedAt`.
 *
 * Scalars, components and zones are what the content API gives. Relations are lists of `linked`, media lists of files,
 * those to one as well.
 */
export const values = recordOf(anything);

/** A document in one locale. */
export const document = object({
  /** Null: a single type that nobody has written yet. */
  documentId: nullable(text),
  /** Null where the type has no locales. */
  locale: nullable(text),
  /** The entity tag, for `If-Match`. Null where there is no version in this locale. */
  tag: nullable(text),
  /** What is written, whether or not it is published; null where there is no version in this locale. */
  draft: nullable(values),
  /** What is on the site; always null where the type has no drafts. */
  published: nullable(values),
  /** How many documents a relation of the draft links, by its path (`zone.2.articles`), where `draft` has the first only. */
  counts: recordOf(number),
  /** How many of these are drafts alone. */
  draftCounts: recordOf(number),
  /** The same as `counts` of `published`. */
  publishedCounts: recordOf(number),
  /** Of each locale that there is, by its code; of a type without locales under the empty name. */
  states: recordOf(documentState),
  /** What the administrator may do to this version, and whether all of the document may go; nothing where there is none. */
  may: object({ update: flag, delete: flag, deleteAll: flag, publish: flag }),
  createdBy: nullable(person),
  updatedBy: nullable(person),
  /** Whether a program has changed it last, which no administrator is named for. */
  isThroughApi: flag,
});

/** What is written of a document: attributes as the content API takes them. What is left out stays as it is. */
const written = object({ data: values, locale: optional(text) });
const inLocale = object({ locale: optional(text) });
const one = object({ data: document });

const pagination = object({ page: number, pageSize: number, pageCount: number, total: number });
const linkedPage = object({ data: list(linked), meta: object({ pagination }) });

/** A document that can be linked, with what tells it from others of its name. */
const choice = object({
  ...linkedShape,
  updatedAt: text,
  /** What else it says in short texts, the same attributes for all of a type. */
  details: list(nullable(text)),
});
const choices = object({ data: list(choice), meta: object({ pagination }) });

const useShape = {
  document: linked,
  attribute: text,
  /** Whether it is what is published that links it, and no draft that is shown. */
  onSiteOnly: flag,
} as const;
const use = object(useShape);
const uses = object({
  data: list(use),
  /** Whether there may be more. */
  meta: object({ more: flag }),
});
const severalUses = object({
  /** `targets` are the ids of the documents that it links. */
  data: list(object({ ...useShape, targets: list(text) })),
  meta: object({
    more: flag,
    /** The codes of the locales in which any of the documents has a version; none where the type has no locales. */
    locales: list(text),
    /** Whether all of them may be deleted with all their versions, those that are not shown among them. */
    whole: flag,
    /** The states of the documents, by document and by locale. */
    states: recordOf(recordOf(documentState)),
  }),
});

/** `:documentId` is `single` for the document of a single type. A locale stands in the query, or in the body where there is one. */
export const DOCUMENT_REQUESTS = {
  'GET content/:uid/:documentId': { answer: one },
  /** With an id of the client's own it can be sent again where no answer has come: the answer is then what was made. */
  'POST content/:uid': {
    body: object({ data: values, locale: optional(text), documentId: optional(text) }),
    answer: one,
  },
  /**
   * Also makes the version of another locale, and the document of a single type: without `If-Match` there is to be none
   * yet, or the answer is 412 with what there is in `details.current`.
   */
  'PUT content/:uid/:documentId': { body: written, answer: one },
  /** The version of the locale in the query; without one the whole document, where `If-Match` is of any of its versions. */
  'DELETE content/:uid/:documentId': {},
  'POST content/:uid/:documentId/publish': { body: inLocale, answer: one },
  'POST content/:uid/:documentId/unpublish': { body: inLocale, answer: one },
  /** The draft becomes what is published again. */
  'POST content/:uid/:documentId/discard': { body: inLocale, answer: one },
  /** A new document with the drafts of all locales; the answer is its version in the locale asked for. */
  'POST content/:uid/:documentId/duplicate': { body: inLocale, answer: one },
  /** The values of the version `from`, made ready for `locale`: what that has no counterpart of is left out and counted. */
  'GET content/:uid/:documentId/filled': { answer: object({ data: object({ values, leftOut: number }) }) },
  /** Where the site shows the draft; null: the configuration has no address for documents of the type. */
  'GET content/:uid/:documentId/preview': { answer: object({ data: object({ url: nullable(text) }) }) },
  /** What links to the document, the first of it: drafts, and what is published. */
  'GET content/:uid/:documentId/uses': { answer: uses },
  /** What links to any of several documents and is none of them, the first of it. */
  'POST content/:uid/bulk/uses': { body: object({ documentIds: list(text) }), answer: severalUses },
  /** What an attribute of the draft links, a page of it. Of attributes of the document itself, not of its components. */
  'GET content/:uid/:documentId/relations/:attribute': { answer: linkedPage },
  /**
   * What an attribute can link: `q` is looked for in it. `:uid` is of a type or a component, `:attribute` a path through
   * components (`seo.articles`). What is called like `q` comes first, else what changed last. Query: `q`, `page`, `pageSize`, `locale`, and `type` where the attribute links any type.
   */
  'GET relations/:uid/:attribute': { answer: choices },
  /** Whether the `value` of a uid attribute is free, and one like it that is; of an empty one as the document's `from`. */
  'GET uid/:uid/:attribute': {
    answer: object({ data: object({ value: text, free: flag, suggestion: nullable(text) }) }),
  },
} as const;

export type DocumentState = Infer<typeof documentState>;
export type Person = Infer<typeof person>;
export type Linked = Infer<typeof linked>;
export type Choice = Infer<typeof choice>;
export type Uses = Infer<typeof uses>;
export type SeveralUses = Infer<typeof severalUses>;
export type Values = Infer<typeof values>;
export type DocumentAnswer = Infer<typeof document>;
