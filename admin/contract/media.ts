/** Requests for files and folders. */
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

/** The focal point of a picture, in percent from its top left corner. */
const focalPoint = object({ x: number, y: number });

/** A file in a document. */
const shown = {
  id: number,
  documentId: text,
  name: text,
  alternativeText: nullable(text),
  caption: nullable(text),
  focalPoint: nullable(focalPoint),
  width: nullable(number),
  height: nullable(number),
  /** The smaller copies of a picture by name, each with `url`, `width` and `height`. */
  formats: nullable(recordOf(anything)),
  ext: nullable(text),
  mime: text,
  /** In kilobytes of 1,000 bytes. */
  size: number,
  url: text,
  /** Pictures within texts refer to their files by hash and provider. */
  hash: text,
  provider: text,
  createdAt: optional(moment),
  /** The last change of its content or its details. */
  updatedAt: optional(moment),
} as const;

export const mediaFile = object(shown);

/** A file in the library. */
export const libraryFile = object({
  ...shown,
  createdAt: moment,
  updatedAt: moment,
  createdBy: nullable(
    object({
      id: number,
      documentId: text,
      firstname: nullable(text),
      lastname: nullable(text),
      username: nullable(text),
    }),
  ),
  /** The folder of the file; null at the top. */
  folder: nullable(object({ id: number, documentId: text, name: text })),
});

export const folder = object({
  id: number,
  documentId: text,
  name: text,
  /** The parent folder; null at the top. */
  parent: nullable(number),
  /** The ids of its ancestors and its own: `/1/4`. */
  path: text,
  /** The number of files directly in it; null if the administrator may not see all files. */
  files: nullable(number),
});

/** A document that uses a file, in one locale. */
export const fileUse = object({
  uid: text,
  documentId: text,
  locale: nullable(text),
  label: nullable(text),
  /** The version that uses it: only the draft, only the published one (`modified`), or the published one. */
  state: oneOf('draft', 'modified', 'published'),
});

const uses = object({
  data: list(fileUse),
  meta: object({
    /** The number of documents that the administrator may not see. */
    hidden: number,
    /** Whether there are more. */
    more: flag,
    /** Whether texts were searched completely. */
    texts: flag,
    /** The number of files that would be deleted. */
    files: number,
    folders: number,
    /** Whether the administrator may delete all of them. */
    deletable: flag,
    /** For how many days they can then be restored; 0: not at all. */
    days: number,
  }),
});

const inData = <T>(shape: Shape<T>) => object({ data: shape });
/** The ids of files and folders. */
const chosen = { files: list(number), folders: list(number) } as const;
/** The number of deleted and of remaining files. A request deletes a part of many files and has to be repeated. */
const removed = inData(object({ files: number, folders: number, left: number }));

/** The requests for files. Those without a body here take a form with `files` and `fileInfo`. */
export const MEDIA_REQUESTS = {
  /**
   * `folder` (an id or `none`), `_q` (also searches the folders below), `kind` (`image`, `video`, `audio`, `file`;
   * several separated by commas), `sort`, `page`, `pageSize`.
   */
  'GET files': {
    answer: object({
      data: list(libraryFile),
      meta: object({ pagination: object({ page: number, pageSize: number, pageCount: number, total: number }) }),
    }),
  },
  /** The ids of the files of a list that may be changed, in order: the first 5,000, or those of `start` and `limit`. */
  'GET files/ids': { answer: inData(list(number)) },
  /** Form parts: `files`, `fileInfo`, and `folder`, the id of the target folder. */
  'POST files': { answer: inData(list(libraryFile)) },
  'POST files/move': { body: object({ ...chosen, to: nullable(number) }) },
  'POST files/delete': { body: object(chosen), answer: removed },
  /**
   * The documents that use any of the files, including files in the folders. `files` and `folders` are ids separated by
   * commas. With `texts=false`, texts are not searched.
   */
  'GET files/uses': { answer: uses },
  'GET files/:id': { answer: inData(libraryFile) },
  'PUT files/:id': {
    body: object({
      name: optional(text),
      alternativeText: optional(nullable(text)),
      caption: optional(nullable(text)),
      focalPoint: optional(nullable(focalPoint)),
      folder: optional(nullable(number)),
    }),
    answer: inData(libraryFile),
  },
  'POST files/:id/replace': { answer: inData(libraryFile) },
  'GET files/:id/uses': { answer: uses },
  'GET folders': { answer: inData(list(folder)) },
  'POST folders': { body: object({ name: text, parent: nullable(number) }), answer: inData(folder) },
  'PUT folders/:id': {
    body: object({ name: optional(text), parent: optional(nullable(number)) }),
    answer: inData(folder),
  },
  'DELETE folders/:id': { answer: removed },
} as const;

export type FocalPoint = Infer<typeof focalPoint>;
export type MediaFile = Infer<typeof mediaFile>;
export type LibraryFile = Infer<typeof libraryFile>;
export type Folder = Infer<typeof folder>;
export type FileUse = Infer<typeof fileUse>;
export type FileUses = Infer<typeof uses>;
