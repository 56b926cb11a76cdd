/** Requests for lists of documents, bulk actions, the home page, and settings of the administrator. */

import { documentState, linked, person } from './documents.ts';
import { fieldError, reason } from './reasons.ts';
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
  type Shape,
  text,
} from './shape.ts';

/** Filters a list by the state of the version in its locale. */
export const cohort = oneOf('all', 'draft', 'modified', 'published');

/** A document in a list: the requested fields and relations. */
export const listed = recordOf(anything) as Shape<
  Readonly<Record<string, unknown>> & { readonly id: number; readonly documentId: string }
>;

/** By document and locale; the locale is empty for types without locales. */
export const states = recordOf(recordOf(documentState));

export const listPage = object({
  data: list(listed),
  meta: object({
    /** `page` and `pageSize`, or `start` and `limit`, as requested. */
    pagination: object({
      page: optional(number),
      start: optional(number),
      limit: optional(number),
      pageSize: optional(number),
      pageCount: optional(number),
      total: optional(number),
      next: optional(nullable(text)),
    }),
    states,
    /** The place where each document matches `_q`, by row id: a field, and its text before, at and after the match. */
    matches: recordOf(object({ field: text, text: list(text) })),
  }),
});

/** The result for one of several documents. */
export const outcome = object({
  documentId: text,
  /** Null if it succeeded. */
  error: nullable(
    object({
      status: number,
      name: text,
      message: text,
      reason: optional(reason),
      errors: list(fieldError),
    }),
  ),
});

const bulk = {
  body: object({
    documentIds: list(text),
    /** A code, or `*` for all. Without one it is the default locale, or the whole document for a deletion. */
    locale: optional(text),
  }),
  /**
   * `refused` is the id of the failures in `GET me/refused`, where they remain until they are deleted; null if nothing
   * failed.
   */
  answer: object({ data: list(outcome), meta: object({ refused: nullable(number) }) }),
};

/** A bulk request with failures. */
export const refusedAction = object({
  id: number,
  type: text,
  action: oneOf('publish', 'unpublish', 'delete'),
  /** As requested. */
  locale: nullable(text),
  at: moment,
  documents: list(outcome),
});

/** A document of the home page, in one of its locales. */
export const recent = object({
  type: text,
  documentId: text,
  locale: nullable(text),
  label: nullable(text),
  state: documentState,
  updatedAt: moment,
  /** Null if it was not an administrator, but for example a program with a token. */
  by: nullable(person),
  /** Whether the last change came through the API. */
  isThroughApi: flag,
});

export const home = object({
  /** The documents that the administrator has changed, newest first. */
  mine: list(recent),
  /** Drafts, and published documents with newer drafts. */
  waiting: list(recent),
  /** The documents that anyone has changed. */
  changed: list(recent),
  weeks: object({
    /** The first day (UTC). Each list has a number for each day from then on. */
    from: text,
    changed: list(number),
    published: list(number),
    /** False if there was too much to count. The numbers of the first days are then too small. */
    complete: flag,
  }),
});

export const LIST_REQUESTS = {
  /** In the query language of the content API, with `cohort`. Lists drafts unless `status` says otherwise. */
  'GET content/:uid': { answer: listPage },
  /** The ids of the documents of a list with the same query: the first 10,000, or those of `start` and `limit`. */
  'GET content/:uid/ids': { answer: object({ data: list(text) }) },
  /** The number of documents in each state of a `locale`; null if counting would take too long. */
  'GET cohorts/:uid': {
    answer: object({
      data: object({
        all: nullable(number),
        draft: nullable(number),
        modified: nullable(number),
        published: nullable(number),
      }),
    }),
  },
  'POST content/:uid/bulk/publish': bulk,
  'POST content/:uid/bulk/unpublish': bulk,
  'POST content/:uid/bulk/delete': bulk,
  /** The failures of the administrator's bulk requests that have not been deleted, oldest first. */
  'GET me/refused': { answer: object({ data: list(refusedAction) }) },
  'DELETE me/refused/:id': {},
  'GET home': { answer: object({ data: home }) },
  /** The documents of all types whose names contain `q` in any locale, newest first for each type. */
  'GET search': {
    answer: object({
      data: list(linked),
      /** Whether all types were searched. */
      meta: object({ complete: flag }),
    }),
  },
  /** The settings of the administrator, under names that the app chooses. */
  'GET me/settings': { answer: object({ data: recordOf(anything) }) },
  /** Null deletes the setting. */
  'PUT me/settings/:name': { body: object({ value: anything }) },
} as const;

export type Cohort = Infer<typeof cohort>;
export type Listed = Infer<typeof listed>;
export type ListPage = Infer<typeof listPage>;
export type States = Infer<typeof states>;
export type RefusedAction = Infer<typeof refusedAction>;
export type Outcome = Infer<typeof outcome>;
export type Recent = Infer<typeof recent>;
export type Home = Infer<typeof home>;
