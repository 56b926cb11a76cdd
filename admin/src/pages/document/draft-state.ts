/** What a draft shows of itself, and what it is made of. */
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { RefusedError } from '../../data/failures.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import type { Values } from '../../form/values/model.ts';
import type { Finding } from '../../form/values/problems.ts';

export interface DraftState {
  /** What the form shows. */
  readonly values: Values;
  /** As the server has it. */
  readonly server: DocumentAnswer;
  /**
   * `unsaved`: it waits for its turn, or, where drafts are not saved by themselves, for somebody to save it. `waiting`: all
   * that a draft can have is saved, the rest waits until it is mended. `gone`: somebody else has deleted it. In a conflict,
   * and where it is gone, nothing is sent until somebody has decided what becomes of it.
   */
  readonly status: 'saved' | 'unsaved' | 'waiting' | 'saving' | 'offline' | 'refused' | 'conflict' | 'gone';
  /** How many fields wait until they are mended. */
  readonly waiting: number;
  /** When it was last saved in this tab, in milliseconds. */
  readonly savedAt: number | undefined;
  /** What is to be mended, at its fields: see `Findings`. */
  readonly errors: readonly Finding[];
  /** What else stands against publishing it, said quietly. */
  readonly advice: readonly Finding[];
  /** What it has refused as a whole. */
  readonly refusal: RefusedError | undefined;
  /** What somebody else has saved meanwhile. */
  readonly theirs: DocumentAnswer | undefined;
  /** What there is instead of a version that is gone: other locales of the document, or nothing. */
  readonly left: DocumentAnswer | undefined;
}

export interface WriteOptions {
  /** The id of a document that is to be made: sent twice, it is made once. */
  readonly newId: string;
  /** Whether it is sent though the page may be gone before it is answered. */
  readonly outlives: boolean;
}

export interface DraftSetup {
  readonly schema: Schema;
  readonly model: ContentType;
  /** What is there, and the values that the form begins with where there is no version yet. */
  readonly server: DocumentAnswer;
  readonly initial: Values;
  /** Whether `server` is what was seen the last time, and the server is being asked for what is there: see `opened`. */
  readonly isOpening?: boolean;
  /** Whether what is written is saved without being asked to. */
  readonly savesItself: boolean;
  /** Writes: creates the document where it has no id. */
  readonly write: (server: DocumentAnswer, data: Values, how: WriteOptions) => Promise<DocumentAnswer>;
  /** Whether what is written so arrives though the page goes, if it is begun now: it may be too long for that. */
  readonly canOutlive: (server: DocumentAnswer, data: Values, newId: string) => boolean;
  /** Told of each answer that is saved. */
  readonly onSaved: (answer: DocumentAnswer) => void;
  /** Keeps what is unsaved on the device; undefined: nothing is. */
  readonly keep: (server: DocumentAnswer, unsaved: Unsaved | undefined) => void;
}
