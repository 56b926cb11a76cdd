/** Requests for deleted documents, files and folders. */
import { lossReasons, lossTarget } from './documents.ts';
import { flag, type Infer, list, moment, nullable, number, object, oneOf, optional, text } from './shape.ts';

const trashLoss = object({
  /** Dotted path of the attribute, of the document that linked the deleted one if there is a `source`. */
  path: text,
  reason: oneOf(...lossReasons, 'takenLink', 'password', 'deletedStage', 'deletedAssignee'),
  target: optional(lossTarget),
  source: optional(lossTarget),
});

const fields = {
  id: number,
  type: text,
  documentId: text,
  /** The value of the main field. */
  name: nullable(text),
  /** Empty for types without locales. */
  locales: list(text),
  isPublished: flag,
  deletedAt: moment,
  deletedBy: object({
    kind: oneOf('administrator', 'token', 'user', 'public', 'code', 'command', 'server'),
    id: nullable(number),
    name: nullable(text),
  }),
  mayRestore: flag,
  /** Of a file: its media type, its bytes, and whether who has its address can still fetch it. */
  file: nullable(object({ mime: text, size: number, isReachable: flag })),
  /** Of a folder: the number of files in the trash that were deleted with it. */
  files: nullable(number),
};

export const deletion = object(fields);

export const deletionDetails = object({ ...fields, losses: list(trashLoss), more: number });

export const TRASH_REQUESTS = {
  /** Parameters: `type`, `documentId`, `person`, `from`, `to`, `cursor`, `pageSize`. */
  'GET trash': {
    answer: object({
      data: list(deletion),
      meta: object({
        pagination: object({ pageSize: number, next: nullable(text) }),
        mayEmpty: flag,
        days: number,
      }),
    }),
  },
  'GET trash/:id': { answer: object({ data: deletionDetails }) },
  'POST trash/:id/restore': {
    answer: object({
      data: object({
        documentId: text,
        locales: list(nullable(text)),
        losses: list(trashLoss),
        more: number,
        /** Files of a folder that remain in the trash; the request is to be repeated. */
        left: number,
      }),
    }),
  },
  'DELETE trash/:id': {},
  'POST trash/empty': {
    body: object({ type: optional(text) }),
    answer: object({ data: object({ deleted: number, more: flag }) }),
  },
} as const;

export type Deletion = Infer<typeof deletion>;
export type DeletionDetails = Infer<typeof deletionDetails>;
export type TrashLoss = Infer<typeof trashLoss>;
