/** Administrators that have a document open: rows of `galley_admin_presence`, which all processes see. */
import { type Person, personOfRow } from '../../content/administration/form-values.ts';
import type { Database } from '../../db/interface/database.ts';
import { execute, query, selectRows } from '../../db/interface/statements.ts';
import {
  compileForgetOldestPresence,
  compileForgetPresence,
  compileNotePresence,
  compileOthersPresent,
  PRESENCE_TABLE,
} from '../../sql/administrators/app-state.ts';

/** Milliseconds after the last sign of an administrator until it counts as gone. */
const PRESENT_FOR = 45_000;
/** Milliseconds during which repeated signs are not written. */
const NOTED_FOR = 15_000;
/** Versions that one administrator can have open; the latest count. */
const MOST_OPEN = 50;
/** Others in an answer. */
const MOST_OTHERS = 20;

/** A version of a document. */
export interface OpenVersion {
  readonly uid: string;
  readonly documentId: string;
  /** Null if its type has no locales. */
  readonly locale: string | null;
}

/** Records that an administrator has a version open, and returns the others that do. Old rows are deleted. */
export async function notePresence(
  database: Database,
  userId: number,
  { uid, documentId, locale }: OpenVersion,
  now = Date.now(),
): Promise<readonly Person[]> {
  const { encodeTime } = database.dialect;
  const place = { content_type: uid, document_id: documentId, locale: locale ?? '' };
  const version = Object.values(place);
  const [known] = await selectRows(database, PRESENCE_TABLE, ['seen_at'], { ...place, user_id: userId });
  const seenAt = known === undefined ? 0 : Number(known[0]);
  const others = await query(database, compileOthersPresent(MOST_OTHERS), [
    ...version,
    userId,
    encodeTime(now - PRESENT_FOR),
  ]);
  // clocks of several machines differ
  if (Math.abs(now - seenAt) >= NOTED_FOR) {
    await database.transaction(async (tx) => {
      await execute(tx, compileForgetPresence(), [encodeTime(now - PRESENT_FOR)]);
      await execute(tx, compileNotePresence(), [...version, userId, encodeTime(now)]);
      await execute(tx, compileForgetOldestPresence(MOST_OPEN), [userId]);
    });
  }
  return others.map((row) => personOfRow(row)!);
}
