/** Files and their folders: what is told of them, and what the app asks about them. */
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

/** The point of a picture that matters, in percent from its top left corner. */
const focalPoint = object({ x: number, y: number });

/** A file as documents show it. */
const shown = {
  id: number,
  documentId: text,
  name: text,
  alternativeText: nullable(text),
  caption: nullable(text),
  focalPoint: nullable(focalPoint),
  width: nullable(number),
  height: nullable(number),
  /** Smaller copies of a picture by name, each with `url`, `width` and `height`. */
  formats: nullable(recordOf(anything)),
  ext: nullable(text),
  mime: text,
  /** Kilobytes of 1,000 bytes. */
  size: number,
  url: text,
  /** With the provider, what a picture within a text says of its file. */
  hash: text,
  provider: text,
  createdAt: optional(moment),
  /** When it, or something about it, changed last. */
  updatedAt: optional(moment),
} as const;

export const mediaFile = object(shown);

/** A file as the library shows it. */
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
  /** Where it lies; null: in no folder. */
  folder: nullable(object({ id: number, documentId: text, name: text })),
});

export const folder = object({
  id: number,
  documentId: text,
  name: text,
  /** The folder that it lies in; null: in none. */
  parent: nullable(number),
  /** Of the folders above it and its own: `/1/4`. */
  path: text,
  /** Files directly in it; null where the administrator is not shown all files. */
  files: nullable(number),
});

/** A document that shows a file, in one locale. */
export const fileUse = object({
  uid: text,
  documentId: text,
  locale: nullable(text),
  label: nullable(text),
  /** Which of its versions do: the draft alone, the published one alone (`modified`), or what is published. */
  state: oneOf('draft', 'modified', 'published'),
});

const uses = object({
  data: list(fileUse),
  meta: object({
    /** Documents that show it and are not shown to the administrator. */
    hidden: number,
    /** Whether there are more than those that are told. */
    more: flag,
    /** Whether all texts were searched for what they mention. */
    texts: flag,
    /** What would be deleted. */
    files: number,
    folders: number,
    /** Whether the administrator may delete all of it. */
    deletable: flag,
  }),
});

const inData = <T>(shape: Shape<T>) => object({ data: shape });
/** Ids of files and folders. */
const chosen = { files: list(number), folders: list(number) } as const;
/** What was deleted, and how many files are left: one request deletes a part of many, and is to be sent again. */
const removed = inData(object({ files: number, folders: number, left: number }));

/** The part of the requests about files. Bodies of those without one here are forms with `files` and `fileInfo`. */
export const MEDIA_REQUESTS = {
  /**
   * `folder` (an id, `none`), `_q` (in all folders below), `kind` (`image`, `video`, `audio`, `file`; several with
   * commas), `sort`, `page`, `pageSize`.
   */
  'GET files': {
    answer: object({
      data: list(libraryFile),
      meta: object({ pagination: object({ page: number, pageSize: number, pageCount: number, total: number }) }),
    }),
  },
  /** The ids of those of a list that may be changed, in its order: the first 5,000, or those of `start` and `limit`. */
  'GET files/ids': { answer: inData(list(number)) },
  /** Form parts: `files`, `fileInfo`, and `folder`, the id of the folder that they go to. */
  'POST files': { answer: inData(list(libraryFile)) },
  'POST files/move': { body: object({ ...chosen, to: nullable(number) }) },
  'POST files/delete': { body: object(chosen), answer: removed },
  /**
   * What shows any of the files, those in the folders with them: `files` and `folders` are ids with commas. With
   * `texts=false`, no texts are searched.
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
