/** A write as it is asked for, and as far as it can be prepared without a transaction. */

import type { PermittedWrite } from '../../access/permitted-write.ts';
import type { AccessAction } from '../../access/rules/access-action.ts';
import type { CallerValues, Viewer } from '../../access/view.ts';
import { ContentError } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import type { Status } from '../../query/content-query.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type DocumentRows, inLocale } from '../rows/document-rows.ts';
import type { Hashes } from '../validation/passwords.ts';
import type { PatternTime } from '../validation/pattern-time.ts';

/** What is common to writes of one document. */
export interface WriteRequest {
  readonly type: ContentType;
  readonly viewer: Viewer;
  /** Draft only, or published as well; without effect on types without drafts. */
  readonly status: Status;
  /** A locale code; undefined: the default locale. Without effect on types that are not localized. */
  readonly locale: string | undefined;
  readonly data: WrittenData;
  /** `fields` and `populate` of the answer. */
  readonly shape: RawObject;
  /** Bytes of the longest answer; the reader's own limit when left out. */
  readonly longest?: number | undefined;
  /** Whether a new locale version may be made. */
  readonly mayLocalize: boolean;
  /** Whether a further version may bring values of shared attributes, which the others then take; not when left out. */
  readonly mayShare?: boolean;
  /** The id of a new document; made when left out. With the precondition `none` there must be no document of that id. */
  readonly documentId?: string;
  /** What the written version must be before. */
  readonly precondition?: Precondition | undefined;
  /** Hashes of passwords in the data that are made already. */
  readonly hashes?: Hashes | undefined;
  /**
   * What the row has already that is written, as it is of a copy. Code that looks at the write is shown it with the data,
   * and what it leaves of that as it is, is not written.
   */
  readonly copied?: WrittenData | undefined;
}

/** What is written to one row by itself. Where it may share, rows of other locales in the same state take what versions share. */
export type RowWrite = Pick<WriteRequest, 'type' | 'viewer' | 'data' | 'mayShare'>;

/** A request by a viewer that may write what it is for. */
export function acting<T extends { readonly viewer: Viewer }>(request: T, ...actions: readonly AccessAction[]): T {
  const { view, values } = request.viewer;
  const narrower = view.acting(...actions);
  return narrower === view ? request : { ...request, viewer: { view: narrower, values } };
}

/** The removal of a document, or of versions of it. */
export interface RemovalRequest {
  readonly type: ContentType;
  readonly viewer: Viewer;
  readonly documentId: string;
  /** Codes of the versions to delete; undefined: the whole document. */
  readonly locales: readonly string[] | undefined;
  /** What each of the versions must be before; of the whole document the one that `meant` names. */
  readonly precondition?: Precondition | undefined;
  /** The locale of the version that the precondition of a whole document is of; undefined: the default one. */
  readonly meant?: string | undefined;
}

/** A write whose keys are permitted. */
export interface Prepared {
  readonly permitted: PermittedWrite;
  readonly hashes: Hashes;
  /** How many passwords the body has. */
  readonly passwords: number;
  readonly defaultLocale: string;
}

/** What a write is within the transaction that it is made in. */
export interface Step {
  /** Whether the transaction ends with it; not when left out. */
  readonly isLast?: boolean;
  /** What testing values with patterns may take: of a batch, all operations together. */
  readonly patterns?: PatternTime;
}

/** A write that is about to be made. */
export interface ComingWrite {
  readonly type: ContentType;
  readonly action: 'create' | 'update';
  /** Undefined for what is made. */
  readonly documentId: string | undefined;
  readonly locale: string | undefined;
  readonly status: Status;
  /** Whoever asks for it may write all of its keys. */
  readonly data: WrittenData;
  /** Who asks for it: neither value for code. */
  readonly by: CallerValues;
}

/** Looks at writes before their transactions. */
export interface BeforeWrites {
  /** Whether it looks at writes of a type. */
  concerns(type: ContentType): boolean;
  /** The data that is written instead, with any key that the type has. Throws ContentError to refuse the write. */
  changed(write: ComingWrite): Promise<WrittenData>;
}

/** Versions of which the document must have one; `any`: it must be there at all; `none`: it must not be there. */
export type Precondition = 'any' | 'none' | readonly number[];

/** The version of a document in a locale: the newest `updatedAt` of its rows; undefined when it has none there. */
export function versionOf({ rows }: DocumentRows, type: ContentType, locale: string | null): number | undefined {
  const times = rows.filter((row) => inLocale(row, type, locale)).map((row) => row.updatedAt);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Holds a document, read in the transaction that will write it, to a precondition.
 *
 * @throws ContentError 412 when it is not met in one of the locales.
 */
export function requireVersion(
  precondition: Precondition | undefined,
  document: DocumentRows,
  type: ContentType,
  locales: readonly (string | null)[],
): void {
  if (precondition === undefined) return;
  const met = locales.every((locale) => {
    const version = versionOf(document, type, locale);
    if (version === undefined || precondition === 'none') return version === undefined && precondition === 'none';
    return precondition === 'any' || precondition.includes(version);
  });
  if (!met || locales.length === 0) throw new ContentError('PreconditionFailedError', 'The document has changed');
}
