/** Requests for scheduled publication: of one document, in bulk, and the calendar. */
import { outcome } from './lists.ts';
import { fieldError, reason } from './reasons.ts';
import { anything, flag, type Infer, list, moment, nullable, number, object, oneOf, optional, text } from './shape.ts';

const action = oneOf('publish', 'unpublish');
/** `run`: a release. */
const shownAction = oneOf('publish', 'unpublish', 'run');

/** `gone`: the document did not exist any more. */
export const itemState = oneOf('waiting', 'done', 'failed', 'cancelled', 'gone');

export const scheduledItem = object({
  id: number,
  /** That of releases for a release. */
  contentType: text,
  /** For a release, its id. */
  documentId: text,
  action: shownAction,
  /** `*`, or a list of codes; null if the type has no locales. */
  locale: nullable(anything),
  at: moment,
  state: itemState,
  createdAt: moment,
  endedAt: nullable(moment),
  /** Why it failed. */
  failure: nullable(
    object({
      name: text,
      message: text,
      reason: optional(reason),
      errors: optional(list(fieldError)),
      /** Whether the log of the server has the cause. */
      isInternal: optional(flag),
    }),
  ),
  /** The value of the main field; null if it is empty. */
  label: nullable(text),
  by: object({ kind: text, id: nullable(number), name: nullable(text) }),
});

/** What happens next to a document of a list, by schedule or by a release that has not run. */
export const planned = object({
  documentId: text,
  action,
  /** As for scheduled items. */
  locale: nullable(anything),
  /** Null for a release without a time. */
  at: nullable(moment),
  release: nullable(object({ id: number, name: text })),
});

const body = {
  action,
  /** With an offset. */
  at: text,
  /** A code, or `*`. */
  locale: optional(text),
};

export const SCHEDULE_REQUESTS = {
  // Before documents, because `bulk` is not a document id.
  'POST content/:uid/bulk/schedule': {
    body: object({ ...body, documentIds: list(text) }),
    answer: object({ data: list(outcome) }),
  },
  'POST content/:uid/:documentId/schedule': {
    body: object(body),
    answer: object({ data: scheduledItem }),
  },
  /** The latest first. */
  'GET content/:uid/:documentId/schedule': { answer: object({ data: list(scheduledItem) }) },
  /** By time. Takes `from`, `to`, `state`, `order`, `pageSize`, and `after`, the `next` of the previous page. */
  'GET schedule': { answer: object({ data: list(scheduledItem), meta: object({ next: nullable(text) }) }) },
  /** Of the documents named by `documentId`, at most 100; the next first, those without a time last. */
  'GET planned/:uid': { answer: object({ data: list(planned) }) },
  /** Changes the time of an item that waits. It has an offset. */
  'PUT schedule/:id': { body: object({ at: text }), answer: object({ data: scheduledItem }) },
  'DELETE schedule/:id': {},
  'POST schedule/:id/retry': {},
} as const;

export type ScheduledItem = Infer<typeof scheduledItem>;
export type Planned = Infer<typeof planned>;
export type ScheduledAction = Infer<typeof action>;
