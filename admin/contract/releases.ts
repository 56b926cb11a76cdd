/** Requests for releases. */
import { documentState, loss, person } from './documents.ts';
import { fieldError, reason } from './reasons.ts';
import {
  flag,
  type Infer,
  list,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './shape.ts';

export const releaseActionType = oneOf('publish', 'unpublish');

export const release = object({
  id: number,
  name: text,
  /** `blocked`: a document prevents it; `failed`: a scheduled run has failed; `reverted`: it has run and was reverted. */
  status: oneOf('ready', 'blocked', 'failed', 'done', 'reverted', 'empty'),
  actionCount: number,
  createdBy: nullable(person),
  /** Null if it has not run. */
  releasedAt: nullable(moment),
  /** Null if it has not been reverted. */
  revertedAt: nullable(moment),
  scheduledAt: nullable(moment),
  /** The time zone in which the time was chosen. */
  timezone: nullable(text),
  createdAt: nullable(moment),
  updatedAt: nullable(moment),
});

const version = {
  contentType: text,
  /** Null: the document of a single type, in releases of the reference. */
  documentId: nullable(text),
  locale: nullable(text),
};

/** The document of an action; null if it does not exist any more, or is hidden. */
const document = object({ label: nullable(text), state: nullable(documentState) });

export const releaseAction = object({
  id: number,
  type: releaseActionType,
  ...version,
  /** Null: not examined yet. */
  isValid: nullable(flag),
});

export const releaseItem = object({
  id: number,
  type: releaseActionType,
  ...version,
  isValid: nullable(flag),
  document: nullable(document),
});

/** Why an action cannot run. */
export const releaseProblem = object({
  action: object({
    id: number,
    type: releaseActionType,
    uid: text,
    documentId: nullable(text),
    locale: nullable(text),
  }),
  status: number,
  name: text,
  message: text,
  reason: optional(reason),
  errors: list(fieldError),
});

/** What reverting a release would do. */
const reversal = object({
  /** Versions that get their former published state back, and those that are unpublished. */
  restore: number,
  unpublish: number,
  /** Versions that have changed since the run. */
  changed: number,
  /** The first versions that have changed, or whose former state has lost something. */
  documents: list(
    object({
      action: object({ id: number, type: releaseActionType, ...version }),
      effect: oneOf('restore', 'unpublish', 'none'),
      isChanged: flag,
      losses: list(loss),
      document: nullable(document),
    }),
  ),
  /** What prevents it. */
  problems: list(releaseProblem),
  count: number,
});

/** The first problems, and the number of all. */
const problems = object({ problems: list(releaseProblem), count: number });

const plan = object({ name: text, scheduledAt: optional(nullable(moment)), timezone: optional(nullable(text)) });
const paged = <T>(shape: Shape<T>) => ({
  answer: object({ data: list(shape), meta: object({ next: nullable(text) }) }),
});
const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

export const RELEASE_REQUESTS = {
  /** Newest first. Takes `state`, `pending` or `done`, and `cursor`, the `next` of the previous page. */
  'GET releases': paged(release),
  'POST releases': { body: plan, ...inData(release) },
  'GET releases/:id': inData(release),
  'PUT releases/:id': { body: plan, ...inData(release) },
  'DELETE releases/:id': {},
  'GET releases/:id/actions': paged(releaseItem),
  /** Documents that the release has already keep their action. */
  'POST releases/:id/actions': {
    body: object({
      actions: list(
        object({ type: releaseActionType, contentType: text, documentId: text, locale: optional(nullable(text)) }),
      ),
    }),
    ...inData(object({ added: number, present: number })),
  },
  'PUT releases/:id/actions/:action': { body: object({ type: releaseActionType }) },
  'POST releases/:id/remove': { body: object({ ids: list(number) }) },
  /** Moves actions in front of another one; without one, to the end. */
  'POST releases/:id/order': { body: object({ ids: list(number), before: optional(nullable(number)) }) },
  'POST releases/:id/validate': inData(problems),
  'POST releases/:id/run': inData(release),
  'GET releases/:id/reversal': inData(reversal),
  /** `confirmed`: documents that have changed since the run as well. */
  'POST releases/:id/revert': { body: object({ confirmed: optional(flag) }), ...inData(release) },
  /** The unpublished documents outside of the release to which its documents link, and their number. */
  'GET releases/:id/missing': {
    answer: object({
      data: list(object({ type: releaseActionType, ...version, document })),
      meta: object({ count: number }),
    }),
  },
  /** The pending releases of a document. */
  'GET content/:uid/:documentId/releases': inData(
    list(object({ id: number, name: text, scheduledAt: nullable(moment), action: releaseAction })),
  ),
} as const;

export type Release = Infer<typeof release>;
export type Reversal = Infer<typeof reversal>;
export type ReleaseItem = Infer<typeof releaseItem>;
export type ReleaseAction = Infer<typeof releaseAction>;
export type ReleaseProblem = Infer<typeof releaseProblem>;
