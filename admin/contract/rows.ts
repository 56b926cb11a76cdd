/** Requests for imports of files as rows. An export (`GET rows/:uid/export`) is a download. */
import { reason } from './reasons.ts';
import { flag, type Infer, list, moment, nullable, number, object, oneOf, optional, text } from './shape.ts';

export const importStates = [
  ...(['running', 'done', 'stopped', 'interrupted', 'failed', 'undoing', 'undone', 'partlyUndone'] as const),
] as const;

export const keptReasons = ['changedSince', 'notRecorded', 'forbidden', 'refused'] as const;

const rowImport = object({
  id: number,
  type: text,
  fileName: text,
  state: oneOf(...importStates),
  /** Whether nothing is written. */
  isTrial: flag,
  isPublished: flag,
  /** The columns of the file. */
  columns: list(text),
  total: number,
  done: number,
  created: number,
  updated: number,
  failed: number,
  undone: number,
  kept: number,
  /** Rows that can still be undone. */
  undoable: number,
  startedAt: moment,
  endedAt: nullable(moment),
});

const rowsPreview = object({
  format: oneOf('csv', 'json', 'ndjson'),
  delimiter: oneOf(',', ';', '\t', '|'),
  decimal: oneOf('.', ','),
  dates: oneOf('dmy', 'mdy'),
  /** How many rows the file has. */
  rows: number,
  /** The guessed key. */
  key: nullable(text),
  columns: list(object({ name: text, target: nullable(text), samples: list(text) })),
  targets: list(object({ name: text, isKey: flag })),
});

const rowProblems = object({
  failed: list(
    object({
      row: number,
      problems: list(
        object({
          /** The index of the column; null for the whole row. */
          column: nullable(number),
          message: text,
          reason: optional(reason),
          value: optional(text),
        }),
      ),
    }),
  ),
  kept: list(object({ row: number, documentId: text, reason: oneOf(...keptReasons) })),
});

export const ROWS_REQUESTS = {
  /** A form with the file as `files`, and `options` as JSON. */
  'POST rows/:uid/preview': { answer: object({ data: rowsPreview }) },
  'POST rows/:uid/imports': { answer: object({ data: rowImport }) },
  /** The last imports of the administrator. */
  'GET rows/:uid/imports': { answer: object({ data: list(rowImport) }) },
  'GET imports/:id': { answer: object({ data: rowImport }) },
  'GET imports/:id/problems': { answer: object({ data: rowProblems }) },
  'POST imports/:id/stop': { answer: object({ data: rowImport }) },
  'POST imports/:id/undo': { answer: object({ data: rowImport }) },
} as const;

export type RowImport = Infer<typeof rowImport>;
export type RowsPreview = Infer<typeof rowsPreview>;
export type RowProblems = Infer<typeof rowProblems>;
