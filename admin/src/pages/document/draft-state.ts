/** The state of a draft, and the dependencies of one. */
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { RefusedError } from '../../data/failures.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import type { Values } from '../../form/values/model.ts';
import type { Finding } from '../../form/values/problems.ts';

export interface DraftState {
  /** The values of the form. */
  readonly values: Values;
  /** The version of the server. */
  readonly server: DocumentAnswer;
  /**
   * `unsaved`: waits to be sent or, without automatic saving, to be saved by the user. `waiting`: everything that a
   * draft can have is saved; other values wait until they are corrected. `gone`: the version was deleted. In a
   * conflict, and if the version is gone, nothing is sent until the user has decided.
   */
  readonly status: 'saved' | 'unsaved' | 'waiting' | 'saving' | 'offline' | 'refused' | 'conflict' | 'gone';
  /** The number of fields that wait until they are corrected. */
  readonly waiting: number;
  /** When this tab last saved the draft, in milliseconds. */
  readonly savedAt: number | undefined;
  /** The errors of fields: see `Findings`. */
  readonly errors: readonly Finding[];
  /** Further errors that only prevent publishing, to be shown discreetly. */
  readonly advice: readonly Finding[];
  /** The error of the whole request. */
  readonly refusal: RefusedError | undefined;
  /** The version that someone else has saved in the meantime. */
  readonly theirs: DocumentAnswer | undefined;
  /** What remains of a document whose version is gone: its other locales, or nothing. */
  readonly left: DocumentAnswer | undefined;
}

export interface WriteOptions {
  /** The id of a new document, so that a repeated request creates it only once. */
  readonly newId: string;
  /** Whether the request outlives the page. */
  readonly outlives: boolean;
}

/** What follows from the schema, which may change while a form is open. */
export interface DraftContent {
  schema: Schema;
  model: ContentType;
  /** The initial values of the form if there is no version yet. */
  initial: Values;
  /** Whether changes are saved automatically. */
  savesItself: boolean;
}

export interface DraftSetup extends Readonly<DraftContent> {
  readonly server: DocumentAnswer;
  /** Whether `server` may be outdated while the latest version is loading: see `opened`. */
  readonly isOpening?: boolean;
  /** Saves the values; creates the document if it has no id. */
  readonly write: (server: DocumentAnswer, data: Values, how: WriteOptions) => Promise<DocumentAnswer>;
  /** Whether a request started now would arrive although the page is closed; long ones would not. */
  readonly canOutlive: (server: DocumentAnswer, data: Values, newId: string) => boolean;
  /** Called with each answer to a save. */
  readonly onSaved: (answer: DocumentAnswer) => void;
  /** Stores the unsaved values on the device; undefined removes them. */
  readonly keep: (server: DocumentAnswer, unsaved: Unsaved | undefined) => void;
}
