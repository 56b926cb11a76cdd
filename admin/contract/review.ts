/** Requests for stages of review, comments, and workflows. */
import { person } from './documents.ts';
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
  recordOf,
  type Shape,
  text,
} from './shape.ts';

const inData = <T>(shape: Shape<T>) => object({ data: shape });

const stage = object({ id: number, name: text, color: text });

/** The stages of a type, in their order. */
export const stages = object({
  name: text,
  stages: list(stage),
  /** The id of the stage in which documents may be published; null for any. */
  required: nullable(number),
  /** By the id of a stage, the ids of the stages to which the administrator may move documents from there. */
  moves: recordOf(list(number)),
});

/** The stage of a document in one locale. */
export const review = object({
  documentId: text,
  locale: nullable(text),
  /** The id of the stage. */
  stage: number,
  assignee: nullable(person),
  /** Ids of the stages to which the administrator may move the document. */
  choices: list(number),
  mayAssign: flag,
});

/** A document on the board. */
export const card = object({
  documentId: text,
  label: nullable(text),
  state: nullable(oneOf('draft', 'modified', 'published')),
  updatedAt: moment,
  by: nullable(person),
  assignee: nullable(person),
  openComments: number,
});

const commentFields = {
  id: number,
  body: text,
  mentions: list(person),
  /** Null for a deleted administrator, whose name is `authorName`. */
  author: nullable(person),
  authorName: text,
  createdAt: moment,
  editedAt: nullable(moment),
  isOwn: flag,
};
export const comment = object(commentFields);

/** A comment with its answers. */
export const thread = object({
  ...commentFields,
  /** The path of the field; null: on the document. */
  field: nullable(text),
  resolvedAt: nullable(moment),
  resolvedBy: nullable(person),
  replies: list(comment),
});

/** A mention of the administrator. */
export const mention = object({
  /** The id of the comment. */
  id: number,
  contentType: text,
  documentId: text,
  locale: nullable(text),
  label: nullable(text),
  /** The path of the field; null: on the document. */
  field: nullable(text),
  /** The beginning of the comment. */
  body: text,
  author: nullable(person),
  authorName: text,
  /** When its text was written, or last edited. */
  changedAt: moment,
});

const workflow = object({
  id: number,
  name: text,
  /** With the ids of the roles that may move documents out of each stage, and into it. */
  stages: list(object({ id: number, name: text, color: text, from: list(number), to: list(number) })),
  /** The index of the stage in which documents may be published; null for any. */
  required: nullable(number),
  types: list(object({ uid: text, displayName: text })),
  /** The schema file that declares the stages, which can only be changed there; null for those of the tables. */
  file: nullable(text),
});

const workflowBody = object({
  name: text,
  stages: list(object({ id: optional(number), name: text, color: text, from: list(number), to: list(number) })),
  required: nullable(number),
  types: list(text),
});

const workflows = object({
  data: list(workflow),
  meta: object({
    /** The types that a workflow may have. */
    types: list(object({ uid: text, displayName: text })),
    roles: list(object({ id: number, name: text, code: text })),
  }),
});

const threads = inData(list(thread));

export const REVIEW_REQUESTS = {
  /** Null for a type without stages. */
  'GET review/:uid': { answer: inData(nullable(stages)) },
  /** Parameters: `stage`, `locale`, `assignee` (an id, or `me`), `cursor`. */
  'GET review/:uid/board': { answer: object({ data: list(card), meta: object({ next: nullable(text) }) }) },
  /** The number of documents in each stage by its id; null where counting takes long. */
  'GET review/:uid/counts': { answer: inData(recordOf(nullable(number))) },
  'GET content/:uid/:documentId/review': { answer: inData(review) },
  'PUT content/:uid/:documentId/stage': {
    /** `from` is the stage that was shown; the request fails if the document is in another one by now. */
    body: object({ stage: number, from: optional(number), locale: optional(text) }),
    answer: inData(review),
  },
  'PUT content/:uid/:documentId/assignee': {
    body: object({ administrator: nullable(number), locale: optional(text) }),
    answer: inData(review),
  },
  /** People who may read the document and whose name contains `q`, at most 20. */
  'GET content/:uid/:documentId/people': { answer: inData(list(person)) },
  /** In open threads that the administrator has not answered since, the newest first. */
  'GET me/mentions': { answer: inData(list(mention)) },
  /** `read` is the time up to which mentions are read. */
  'PUT me/mentions': { body: object({ read: moment }) },
  'GET content/:uid/:documentId/comments': { answer: threads },
  'POST content/:uid/:documentId/comments': {
    body: object({
      body: text,
      mentions: optional(list(number)),
      field: optional(nullable(text)),
      thread: optional(nullable(number)),
      locale: optional(text),
    }),
    answer: threads,
  },
  'PUT content/:uid/:documentId/comments/:comment': {
    body: object({
      body: optional(text),
      mentions: optional(list(number)),
      resolved: optional(flag),
      locale: optional(text),
    }),
    answer: threads,
  },
  'DELETE content/:uid/:documentId/comments/:comment': { answer: threads },
  'GET workflows': { answer: workflows },
  'POST workflows': { body: workflowBody, answer: workflows },
  'PUT workflows/:id': { body: workflowBody, answer: workflows },
  'DELETE workflows/:id': { answer: workflows },
} as const;

export type Stages = Infer<typeof stages>;
export type Review = Infer<typeof review>;
export type Card = Infer<typeof card>;
export type Comment = Infer<typeof comment>;
export type Thread = Infer<typeof thread>;
export type Mention = Infer<typeof mention>;
export type Workflow = Infer<typeof workflow>;
export type WorkflowBody = Infer<typeof workflowBody>;
