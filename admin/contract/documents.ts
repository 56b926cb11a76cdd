/** Requests for one document: its versions, the actions that are permitted, and the documents that it can link. */
import {
  anything,
  flag,
  type Infer,
  list,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  text,
} from './shape.ts';

/** `modified`: published, with a newer draft. Documents of types without drafts are `published`. */
export const documentState = oneOf('draft', 'published', 'modified');

export const person = object({ id: number, name: text });

/** A document that is linked or can be. */
const linkedShape = {
  /** The uid of the type. */
  type: text,
  id: number,
  documentId: text,
  /** Null if the type has no locales. */
  locale: nullable(text),
  /** The value of the main field, which is the id in some types; null if it is empty. */
  label: nullable(text),
  /** Null if the type has no drafts. */
  state: nullable(documentState),
} as const;
export const linked = object(linkedShape);

/**
 * The content of a version by attribute, and `id`, `createdAt`, `updatedAt` and `publishedAt`.
 *
 * Scalars, components and dynamic zones have the format of the content API. Relations are lists of `linked` and media
 * lists of files, also if they hold at most one.
 */
export const values = recordOf(anything);

/** A document in one locale. */
export const document = object({
  /** Null for a single type without a document. */
  documentId: nullable(text),
  /** Null if the type has no locales. */
  locale: nullable(text),
  /** The entity tag for `If-Match`; null if there is no version in this locale. */
  tag: nullable(text),
  /** The draft, published or not; null if there is no version in this locale. */
  draft: nullable(values),
  /** The published version; always null if the type has no drafts. */
  published: nullable(values),
  /**
   * The number of linked documents, by the path of the relation (`zone.2.articles`), for relations of which `draft` has
   * only the first links.
   */
  counts: recordOf(number),
  /** The number of these documents that are unpublished. */
  draftCounts: recordOf(number),
  /** The same as `counts`, for `published`. */
  publishedCounts: recordOf(number),
  /** The state of each locale by its code; for types without locales, the key is empty. */
  states: recordOf(documentState),
  /**
   * The permitted actions on this version, and whether the whole document may be deleted. All are false if there is
   * none.
   */
  may: object({ update: flag, delete: flag, deleteAll: flag, publish: flag }),
  createdBy: nullable(person),
  updatedBy: nullable(person),
  /** Whether the last change came through the API, and not from an administrator. */
  isThroughApi: flag,
});

/** The body of a write, with attributes in the format of the content API. Absent attributes stay unchanged. */
const written = object({ data: values, locale: optional(text) });
const inLocale = object({ locale: optional(text) });
const one = object({ data: document });

/** Who made or replaced a version. */
const author = object({
  kind: oneOf('administrator', 'token', 'user', 'public', 'code', 'command', 'server'),
  id: nullable(number),
  name: nullable(text),
});

/** An earlier state of a document. */
const versionShape = {
  id: text,
  status: oneOf('draft', 'published'),
  locale: nullable(text),
  savedAt: moment,
  /** Null if it is not known. */
  savedBy: nullable(author),
  /** When, by whom and why it was replaced or removed; null for versions that Strapi recorded. */
  replacedAt: nullable(moment),
  replacedBy: nullable(author),
  reason: nullable(oneOf('updated', 'published', 'unpublished', 'discarded', 'deleted', 'restored', 'imported')),
} as const;
const version = object(versionShape);

/** Why something of a version would not be restored. */
export const lossReasons = [
  'removedAttribute',
  'changedAttribute',
  'notPermitted',
  'deletedDocument',
  'deletedFile',
  'longList',
] as const;

/** The document or file at the other end of a lost link; a deleted document with the name that it has in the trash. */
export const lossTarget = object({
  type: optional(text),
  documentId: optional(text),
  locale: optional(text),
  id: optional(number),
  name: optional(text),
});

/** Something of a version that would not be restored. */
export const loss = object({
  /** The dotted path of the attribute. */
  path: text,
  reason: oneOf(...lossReasons),
  target: optional(lossTarget),
});

const versionWithValues = object({ ...versionShape, values, losses: list(loss) });

const pagination = object({ page: number, pageSize: number, pageCount: number, total: number });
const linkedPage = object({ data: list(linked), meta: object({ pagination }) });

/** A document that can be linked, with details that tell it apart from others with the same name. */
const choice = object({
  ...linkedShape,
  updatedAt: text,
  /** Further short values, for the same attributes of all documents of a type. */
  details: list(nullable(text)),
});
const choices = object({ data: list(choice), meta: object({ pagination }) });

const useShape = {
  document: linked,
  attribute: text,
  /** Whether only the published version has the link, and not the draft. */
  onSiteOnly: flag,
} as const;
const use = object(useShape);
const uses = object({
  data: list(use),
  /** Whether there may be more. */
  meta: object({ more: flag }),
});
const severalUses = object({
  /** `targets` are the ids of the linked documents. */
  data: list(object({ ...useShape, targets: list(text) })),
  meta: object({
    more: flag,
    /** The locales in which the documents have versions; empty if the type has no locales. */
    locales: list(text),
    /** Whether the administrator may delete all versions of all documents, hidden ones included. */
    whole: flag,
    /** The states by document and locale. */
    states: recordOf(recordOf(documentState)),
  }),
});

/** For a single type, `:documentId` is `single`. The locale is in the query, or in the body if there is one. */
export const DOCUMENT_REQUESTS = {
  'GET content/:uid/:documentId': { answer: one },
  /** A client that sends an id of its own can repeat the request: the answer is then the document that was created. */
  'POST content/:uid': {
    body: object({ data: values, locale: optional(text), documentId: optional(text) }),
    answer: one,
  },
  /**
   * Also creates the version of another locale, and the document of a single type. Without `If-Match` the version must
   * not exist yet; otherwise the answer is 412 with the current one in `details.current`.
   */
  'PUT content/:uid/:documentId': { body: written, answer: one },
  /**
   * Deletes the version of the locale in the query; without one the whole document, and `If-Match` may name any
   * version.
   */
  'DELETE content/:uid/:documentId': {},
  'POST content/:uid/:documentId/publish': { body: inLocale, answer: one },
  'POST content/:uid/:documentId/unpublish': { body: inLocale, answer: one },
  /** Resets the draft to the published version. */
  'POST content/:uid/:documentId/discard': { body: inLocale, answer: one },
  /** Creates a document with the drafts of all locales. The answer is its version in the requested locale. */
  'POST content/:uid/:documentId/duplicate': { body: inLocale, answer: one },
  /** Earlier states in one locale, the last one first. */
  'GET content/:uid/:documentId/versions': {
    answer: object({ data: list(version), meta: object({ pagination }) }),
  },
  /** A version with its values, without links and files that no longer exist. */
  'GET content/:uid/:documentId/versions/:id': {
    answer: object({ data: versionWithValues }),
  },
  /** Restores all attributes of a version, or some, into the draft. */
  'POST content/:uid/:documentId/versions/:id/restore': {
    body: object({ attributes: optional(list(text)) }),
    answer: one,
  },
  /** The values of the locale `from`, converted for `locale`. Links without a counterpart are left out and counted. */
  'GET content/:uid/:documentId/filled': { answer: object({ data: object({ values, leftOut: number }) }) },
  /** The address of the preview; null if the configuration has none for the type. */
  'GET content/:uid/:documentId/preview': { answer: object({ data: object({ url: nullable(text) }) }) },
  /** The first documents that link to the document, from drafts and published versions. */
  'GET content/:uid/:documentId/uses': { answer: uses },
  /** The first other documents that link to any of the given documents. */
  'POST content/:uid/bulk/uses': { body: object({ documentIds: list(text) }), answer: severalUses },
  /** A page of the links of an attribute of the draft. Attributes of components are not supported. */
  'GET content/:uid/:documentId/relations/:attribute': { answer: linkedPage },
  /**
   * The documents that an attribute can link, searched by `q`. `:uid` is a type or a component, `:attribute` a path
   * through components (`seo.articles`). Names that match `q` come first, then the latest changes. Query: `q`, `page`,
   * `pageSize`, `locale`, and `type` if the attribute links any type.
   */
  'GET relations/:uid/:attribute': { answer: choices },
  /**
   * Whether the `value` of a uid attribute is available, and a similar one that is. For an empty value, a suggestion is
   * generated from `from`.
   */
  'GET uid/:uid/:attribute': {
    answer: object({ data: object({ value: text, free: flag, suggestion: nullable(text) }) }),
  },
} as const;

export type VersionAuthor = Infer<typeof author>;
export type RecordedVersion = Infer<typeof version>;
export type VersionWithValues = Infer<typeof versionWithValues>;
export type Loss = Infer<typeof loss>;
export type DocumentState = Infer<typeof documentState>;
export type Person = Infer<typeof person>;
export type Linked = Infer<typeof linked>;
export type Choice = Infer<typeof choice>;
export type Uses = Infer<typeof uses>;
export type SeveralUses = Infer<typeof severalUses>;
export type Values = Infer<typeof values>;
export type DocumentAnswer = Infer<typeof document>;
