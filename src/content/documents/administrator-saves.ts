/**
 * The times at which administrators saved versions of documents. The reference's columns name the administrator who
 * changed a row last, and still do when a program changes the row through the API. The time shows such a later change.
 */
import type { Queryable } from '../../db/interface/queryable.ts';
import { execute, query } from '../../db/interface/statements.ts';
import { compileForgetSaves, compileNoteSave, compileSaves } from '../../sql/administrators/app-state.ts';
import type { WriteContext } from '../rows/write-context.ts';

/** Milliseconds for which a save is stored. */
const KEPT_FOR = 400 * 24 * 3_600_000;

interface SavedVersions {
  readonly uid: string;
  readonly documentId: string;
  readonly locales: readonly (string | null)[];
  /** Epoch milliseconds, as in the rows. */
  readonly at: number;
  readonly isNew: boolean;
}

/** Stores that an administrator has saved versions. Saving a new document removes old records. */
export async function noteSaves(
  { tx }: WriteContext,
  { uid, documentId, locales, at, isNew }: SavedVersions,
): Promise<void> {
  for (const locale of locales) await execute(tx, compileNoteSave(), [uid, documentId, locale ?? '', at]);
  if (isNew) await execute(tx, compileForgetSaves(), [at - KEPT_FOR]);
}

/**
 * Whether a version was changed through the API after an administrator saved it. False if no administrator has saved it
 * in Galley: seeded, applied and imported content was not written through the API.
 */
export type ByProgram = (documentId: string, locale: string | null, updatedAt: string | undefined) => boolean;

/** Reads when documents of a type were saved. */
export async function changedByProgram(db: Queryable, uid: string, documentIds: readonly string[]): Promise<ByProgram> {
  const rows = await query(db, compileSaves(db.dialect), [uid, JSON.stringify(documentIds.map((id) => [id]))]);
  const saved = new Map(rows.map(([documentId, locale, at]) => [`${documentId} ${locale}`, Number(at)]));
  return (documentId, locale, updatedAt) => {
    const at = saved.get(`${documentId} ${locale ?? ''}`);
    return at !== undefined && updatedAt !== undefined && Date.parse(updatedAt) > at;
  };
}
