/** Lists of documents, what is done to several of them, the first page, and what an administrator has chosen. */
import { documentState, linked, person } from './documents.ts';
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

/** Documents that a list may be narrowed to, by the state of the version in the locale of the list. */
export const cohort = oneOf('all', 'draft', 'modified', 'published');

/** A document as a list shows it: the fields and what is populated that were asked for. */
export const listed = recordOf(anything) as Shape<
  Readonly<Record<string, unknown>> & { readonly id: number; readonly documentId: string }
>;

/** By document, and by locale; under the empty name for types without locales. */
export const states = recordOf(recordOf(documentState));

export const listPage = object({
  data: list(listed),
  meta: object({
    /** `page` and its like, or `start` and `limit`, as was asked for. */
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
    /** Where documents contain the `_q`, by row id: a field, and its value before, at and behind it. */
    matches: recordOf(object({ field: text, text: list(text) })),
  }),
});

/** What became of one of several documents. */
export const outcome = object({
  documentId: text,
  /** Null: it is done. */
  error: nullable(
    object({
      status: number,
      name: text,
      message: text,
      errors: list(object({ path: list(anything), message: text, name: text })),
    }),
  ),
});

const bulk = {
  body: object({
    documentIds: list(text),
    /** A code, or `*` for all; without one the default locale, and for a deletion the whole document. */
    locale: optional(text),
  }),
  /** `refused` is what `GET me/refused` tells it under, until it is deleted there; null where nothing was refused. */
  answer: object({ data: list(outcome), meta: object({ refused: nullable(number) }) }),
};

/** A bulk request of which something was refused. */
export const refusedAction = object({
  id: number,
  type: text,
  action: oneOf('publish', 'unpublish', 'delete'),
  /** As it was asked for. */
  locale: nullable(text),
  at: moment,
  documents: list(outcome),
});

/** A document on the first page, in one of its locales. */
export const recent = object({
  type: text,
  documentId: text,
  locale: nullable(text),
  label: nullable(text),
  state: documentState,
  updatedAt: moment,
  /** Null: nobody of the administrators, such as a program with a token. */
  by: nullable(person),
  /** Whether a program has changed it last. */
  isThroughApi: flag,
});

export const home = object({
  /** What the administrator has changed, the newest first. */
  mine: list(recent),
  /** Drafts, and published documents with newer drafts. */
  waiting: list(recent),
  /** What anybody has changed. */
  changed: list(recent),
  weeks: object({
    /** The first day (UTC). Each list has a number for each day from there. */
    from: text,
    changed: list(number),
    published: list(number),
    /** False where there was too much to count: the numbers of early days are too small then. */
    complete: flag,
  }),
});

export const LIST_REQUESTS = {
  /**
   * In the content API's query language, with `cohort`. Drafts, unless `status` says otherwise.
   */
  'GET content/:uid': { answer: listPage },
  /** The ids of the documents of a list, asked for in the same way: the first 10,000, or those of `start` and `limit`. */
  'GET content/:uid/ids': { answer: object({ data: list(text) }) },
  /** How many documents there are in each cohort of a `locale`; null where counting them would take long. */
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
  /** What was refused of bulk requests of the administrator, and not deleted here since: the oldest first. */
  'GET me/refused': { answer: object({ data: list(refusedAction) }) },
  'DELETE me/refused/:id': {},
  'GET home': { answer: object({ data: home }) },
  /** Documents of all types whose names contain `q` in any locale, the newest first of each type. */
  'GET search': {
    answer: object({
      data: list(linked),
      /** Whether all types have been looked through. */
      meta: object({ complete: flag }),
    }),
  },
  /** What the administrator has chosen, by names of the app's. */
  'GET me/settings': { answer: object({ data: recordOf(anything) }) },
  /** Null forgets it. */
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
