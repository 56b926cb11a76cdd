/** Refused parts of bulk actions, stored until their administrator has seen them, also after closing the page. */
import type { BulkName, Outcome } from '../../content/administration/bulk.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, selectRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import type { Reason } from '../../reasons.ts';
import {
  compileForgetMoreRefused,
  compileForgetOldRefused,
  REFUSED_TABLE,
} from '../../sql/administrators/app-state.ts';

/** Stored requests of one administrator; the latest stay. */
const MOST = 50;
/** Milliseconds that they are stored, as long as the app keeps what was seen. */
const KEPT_FOR = 14 * 24 * 60 * 60_000;
/** Mistakes of one document, and characters of each. */
const MISTAKES = 10;
const LENGTH = 300;
/** Stored bytes of one request. */
const BYTES = 65_536;

/** A bulk action that was refused for some documents. */
export interface RefusedAction {
  readonly id: number;
  readonly type: string;
  readonly action: BulkName;
  /** The requested locale; null if none was requested. */
  readonly locale: string | null;
  readonly at: string;
  /** The refused documents with their errors. */
  readonly documents: readonly Outcome[];
}

const COLUMNS = ['id', 'content_type', 'action', 'locale', 'made_at', 'documents'];

/** Stores the refused documents. Returns the id, or null if there are none. */
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

/** The refusals that an administrator has not seen, oldest first. */
export async function refusedOf(db: Queryable, userId: number, now = Date.now()): Promise<readonly RefusedAction[]> {
  const rows = await selectRows(db, REFUSED_TABLE, COLUMNS, { user_id: userId }, ['id']);
  return rows
    .filter(([, , , , madeAt]) => Number(madeAt) > now - KEPT_FOR)
    .map(([id, type, action, locale, madeAt, documents]) => ({
      id: Number(id),
      type: String(type),
      action: String(action) as BulkName,
      locale: locale === null ? null : String(locale),
      at: new Date(Number(madeAt)).toISOString(),
      documents: JSON.parse(String(documents)) as Outcome[],
    }));
}

/** Deletes a refusal that an administrator has seen, if it exists. */
export async function forgetRefused(tx: Transaction, userId: number, id: number): Promise<void> {
  // an id beyond the range of the column matches none
  const own = await selectRows(tx, REFUSED_TABLE, ['id'], { user_id: userId });
  if (own.some(([known]) => Number(known) === id)) await deleteRows(tx, REFUSED_TABLE, { user_id: userId, id });
}

/** Deletes all refusals of a removed administrator. */
export async function forgetAllRefused(tx: Transaction, userId: number): Promise<void> {
  await deleteRows(tx, REFUSED_TABLE, { user_id: userId });
}

interface Refused {
  readonly documentId: string;
  readonly error: NonNullable<Outcome['error']>;
}

/** Reduces refusals to the limit: first all documents, then mistakes of the first ones up to the limit. */
function withinBytes(all: readonly Refused[]): readonly Refused[] {
  let room = BYTES;
  const hasRoomFor = (value: unknown): boolean => {
    const bytes = Buffer.byteLength(JSON.stringify(value)) + 1;
    if (bytes > room) return false;
    room -= bytes;
    return true;
  };
  const documents = all.flatMap(({ documentId, error: { status, name, message, reason, errors } }) => {
    const error = { status, name, message: message.slice(0, LENGTH), ...reasonToKeep(reason), errors: [] };
    const stored: Refused = { documentId, error };
    return hasRoomFor(stored) ? [{ kept: stored, mistakes: mistakesToKeep(errors) }] : [];
  });
  return documents.map(({ kept, mistakes }) =>
    hasRoomFor(mistakes) ? { ...kept, error: { ...kept.error, errors: mistakes } } : kept,
  );
}

/** Mistakes without the values that they are about. */
function mistakesToKeep(errors: readonly unknown[]): readonly unknown[] {
  return (errors as readonly Readonly<Record<string, unknown>>[]).slice(0, MISTAKES).map((one) => ({
    path: one['path'],
    message: String(one['message']).slice(0, LENGTH),
    name: one['name'],
    ...reasonToKeep(one['reason'] as Reason | undefined),
  }));
}

/** The reason as a property, unless there is none or its values are long. */
const reasonToKeep = (reason: Reason | undefined): { readonly reason?: Reason } =>
  reason && JSON.stringify(reason).length <= LENGTH ? { reason } : {};
