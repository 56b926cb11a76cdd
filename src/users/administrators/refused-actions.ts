/**
 * What was refused of bulk actions, kept until the administrator who has asked for them was told: whoever closes the page
 * before it is answered hears of it on the next visit.
 */
import type { BulkAction, Outcome } from '../../content/administration/bulk.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import {
  compileForgetMoreRefused,
  compileForgetOldRefused,
  REFUSED_TABLE,
} from '../../sql/administrators/app-state.ts';

/** Requests of one administrator of which it is kept what was refused; of more, the last. */
const MOST = 50;
/** Milliseconds for which it is kept: as long as the app keeps what somebody has seen. */
const KEPT_FOR = 14 * 24 * 60 * 60_000;
/** Mistakes of one document, and characters of what is said of each. */
const MISTAKES = 10;
const LENGTH = 300;
/** Bytes of all that is kept of one request. */
const BYTES = 65_536;

/** Something that was asked for several documents, and refused for some. */
export interface RefusedAction {
  readonly id: number;
  readonly type: string;
  readonly action: BulkAction['name'];
  /** As it was asked for; null where no locale was named. */
  readonly locale: string | null;
  readonly at: string;
  /** Those that were left as they are, each with its error. */
  readonly documents: readonly Outcome[];
}

const COLUMNS = ['id', 'content_type', 'action', 'locale', 'made_at', 'documents'];

/** Keeps what was refused; gives the id under which it is kept, null where nothing was. */
export async function keepRefused(
  tx: Transaction,
  userId: number,
  { type, action, locale }: Pick<RefusedAction, 'type' | 'action' | 'locale'>,
  outcomes: readonly Outcome[],
  now = Date.now(),
): Promise<number | null> {
  const refused = withinBytes(outcomes.flatMap(({ documentId, error }) => (error ? [{ documentId, error }] : [])));
  if (refused.length === 0) return null;
  await execute(tx, compileForgetOldRefused(), [now - KEPT_FOR]);
  const row = { user_id: userId, content_type: type, action, locale, made_at: now };
  const id = await insertRow(tx, REFUSED_TABLE, { ...row, documents: JSON.stringify(refused) });
  await execute(tx, compileForgetMoreRefused(MOST), [userId]);
  return id;
}

/** What an administrator was not told yet, the oldest first. */
export async function refusedOf(db: Queryable, userId: number, now = Date.now()): Promise<readonly RefusedAction[]> {
  const rows = await selectRows(db, REFUSED_TABLE, COLUMNS, { user_id: userId }, ['id']);
  return rows
    .filter(([, , , , madeAt]) => Number(madeAt) > now - KEPT_FOR)
    .map(([id, type, action, locale, madeAt, documents]) => ({
      id: Number(id),
      type: String(type),
      action: String(action) as BulkAction['name'],
      locale: locale === null ? null : String(locale),
      at: new Date(Number(madeAt)).toISOString(),
      documents: JSON.parse(String(documents)) as Outcome[],
    }));
}

/** Forgets what an administrator was told. What is forgotten already stays so. */
export async function forgetRefused(tx: Transaction, userId: number, id: number): Promise<void> {
  // an id that is larger than any that the column can have is none of these
  const own = await selectRows(tx, REFUSED_TABLE, ['id'], { user_id: userId });
  if (own.some(([known]) => Number(known) === id)) await deleteRows(tx, REFUSED_TABLE, { user_id: userId, id });
}

/** Forgets what a removed administrator was not told. */
export async function forgetAllRefused(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, REFUSED_TABLE, { user_id: userId });
}

interface Refused {
  readonly documentId: string;
  readonly error: NonNullable<Outcome['error']>;
}

/** As much as is kept: the documents come first, and mistakes of the first ones as far as there is room beside them. */
function withinBytes(all: readonly Refused[]): readonly Refused[] {
  let room = BYTES;
  const hasRoomFor = (value: unknown): boolean => {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + 1;
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const documents = all.flatMap(({ documentId, error: { status, name, message, errors } }) => {
    const kept: Refused = { documentId, error: { status, name, message: message.slice(0, LENGTH), errors: [] } };
    return hasRoomFor(kept) ? [{ kept, mistakes: mistakesToKeep(errors) }] : [];
  });
  return documents.map(({ kept, mistakes }) =>
    hasRoomFor(mistakes) ? { ...kept, error: { ...kept.error, errors: mistakes } } : kept,
  );
}

/** Mistakes without the values that they are about, which nobody has to keep. */
function mistakesToKeep(errors: readonly unknown[]): readonly unknown[] {
  return (errors as readonly Readonly<Record<string, unknown>>[]).slice(0, MISTAKES).map((one) => ({
    path: one['path'],
    message: String(one['message']).slice(0, LENGTH),
    name: one['name'],
  }));
}
