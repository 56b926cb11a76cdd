/** Writes as requested, and as prepared outside of a transaction. */
import type { AccessAction } from '../../access/grants.ts';
import type { PermittedWrite } from '../../access/permitted.ts';
import type { CallerValues, Viewer } from '../../access/view.ts';
import { ContentError } from '../../errors.ts';
import type { WrittenData } from '../../query/body.ts';
import type { Status } from '../../query/content-query.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type DocumentRows, inLocale } from '../rows/document-rows.ts';
import type { Hashes } from '../validation/passwords.ts';
import type { PatternTime } from '../validation/pattern-time.ts';

/** The common part of writes of one document. */
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
  /** Whether the write may create a new locale version. */
  readonly mayLocalize: boolean;
  /** Whether a further version may set shared attributes, which the other versions then take; no when left out. */
  readonly mayShare?: boolean;
  /** The id of a new document; generated when left out. With the precondition `none` no document may have the id. */
  readonly documentId?: string;
  /** The state that the written version must be in before. */
  readonly precondition?: Precondition | undefined;
  /** Whether a new row is stored without the rules of publication: required, minimum, format and uniqueness. */
  readonly isUnchecked?: boolean | undefined;
  /** Whether the data is that of an older state, which replaces the present one. */
  readonly isRestoring?: boolean;
  /** Whether the data is a row of an imported file: the history records the state before it in any case. */
  readonly isImporting?: boolean;
  /** Hashes of passwords in the data that exist already. */
  readonly hashes?: Hashes | undefined;
  /**
   * The stored values of the written row, for a copy. Project code sees them together with the data, and values that it
   * leaves unchanged are not written.
   */
  readonly copied?: WrittenData | undefined;
}

/** A write of one row. If `mayShare` is set, rows of other locales in the same state take its shared attributes. */
export type RowWrite = Pick<WriteRequest, 'type' | 'viewer' | 'data' | 'mayShare'>;

/** A request whose viewer is narrowed to what it may do in the given actions. */
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
  /** The state that each version must be in before; for a whole document the version in the locale `meant`. */
  readonly precondition?: Precondition | undefined;
  /** The locale of the version that the precondition of a whole document is of; undefined: the default one. */
  readonly meant?: string | undefined;
}

/** A write with permitted keys and hashed passwords. */
export interface Prepared {
  readonly permitted: PermittedWrite;
  readonly hashes: Hashes;
  /** The number of passwords in the body. */
  readonly passwords: number;
  readonly defaultLocale: string;
}

/** The place of a write in its transaction. */
export interface Step {
  /** Whether the transaction ends with the write; no when left out. */
  readonly isLast?: boolean;
  /** The time that patterns may take: for a batch, of all operations together. */
  readonly patterns?: PatternTime;
}

/** A write that is about to happen. */
export interface ComingWrite {
  readonly type: ContentType;
  readonly action: 'create' | 'update';
  /** Undefined for a new document. */
  readonly documentId: string | undefined;
  readonly locale: string | undefined;
  readonly status: Status;
  /** Its requester may write all of its keys. */
  readonly data: WrittenData;
  /** The requester: neither value for code. */
  readonly by: CallerValues;
}

/** Looks at writes before their transactions. */
export interface BeforeWrites {
  /** Whether it looks at writes of a type. */
  concerns(type: ContentType): boolean;
  /** The data to write instead, with any key of the type. Throws ContentError to refuse the write. */
  changed(write: ComingWrite): Promise<WrittenData>;
}

/** Versions of which the document must have one; `any`: it must be there at all; `none`: it must not be there. */
export type Precondition = 'any' | 'none' | readonly number[];

/** The version of a document in a locale: the newest `updatedAt` of its rows; undefined if it has none there. */
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
