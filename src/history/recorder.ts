/**
 * Records the state of a version before it is replaced or removed, in the transaction of the change. So the history
 * contains every state that is no longer there, and the present state is that of the document itself. A document that is
 * deleted is also recorded in the trash, with the links that its removal ends; so is a file, and a folder.
 */
import { currentActor } from '../db/interface/account.ts';
import type { Actor } from '../db/interface/actor.ts';
import type { RemovedRows, Replacement } from '../db/interface/change.ts';
import type { Sent } from '../db/interface/queryable.ts';
import type { Sending } from '../db/interface/statements.ts';
import type { ChangeListener, Transaction } from '../db/interface/transaction.ts';
import { LruCache } from '../lru-cache.ts';
import type { SqlValue } from '../sql/fragment.ts';

/** The statements that record the versions of a project, and how long its editing sessions are. */
export interface Recording {
  /** Milliseconds within which states that the same actor has replaced count as one. */
  readonly interval: number;
  /** The statement that records a version (`compileRecord`); undefined for types without history. */
  statement(version: Pick<Replacement, 'uid' | 'status' | 'kind' | 'filled'>, isMerged: boolean): Sending | undefined;
  /** Whether the versions of a type are recorded when they are replaced. */
  records(uid: string): boolean;
  /**
   * The statement that records the deletion of some rows of a document, with the values of `compileRecordDeletion`;
   * undefined for types that are not recorded.
   *
   * @param isLinked whether other rows may contain links from or to the rows.
   */
  deletion(uid: string, rows: number, isLinked: boolean): Sending | undefined;
}

/** A row of a deleted document: its id, its locale, and its status as its version names it. */
export type RemovedRow = readonly [row: number, locale: string | null, status: Replacement['status']];

/** The session in which an actor edits a row, as far as this process has seen it. */
interface Session {
  readonly actor: string;
  /** When a state before or within it was recorded last, in epoch milliseconds. */
  readonly recordedAt: number;
  /** The `updatedAt` of the row by the last edit. */
  editedAt: number;
}

/** Sessions in memory: a row that is edited without one costs a statement. */
const SESSIONS = 10_000;

export class Recorder implements ChangeListener {
  readonly #recording: () => Recording | undefined;
  /** The rows whose states before a transaction it has recorded. */
  readonly #recorded = new WeakMap<Transaction, Set<string>>();
  readonly #sessions = new LruCache<string, Session>(SESSIONS);

  /** @param recording that of the served project; undefined while none is loaded. */
  constructor(recording: () => Recording | undefined) {
    this.#recording = recording;
  }

  recordsReplacements(uid: string): boolean {
    return this.#recording()?.records(uid) ?? false;
  }

  beforeReplacement(tx: Transaction, version: Replacement): Sent {
    const recording = this.#recording();
    const isMerged = version.kind === 'updated';
    const statement = recording?.statement(version, isMerged);
    if (!recording || !statement) return undefined;
    const key = `${version.uid} ${version.row}`;
    const actor = currentActor();
    const now = Date.now();
    if (isMerged && this.#isSameSession(key, version, actor, now - recording.interval)) return undefined;
    // states between two statements of a transaction were never visible, but the trash restores the one that is deleted;
    // an edit may have been the same session as one before, and then nothing was recorded
    if (version.kind !== 'deleted' && !isMerged && this.#isRecorded(tx, key)) return undefined;
    if (version.times) {
      this.#sessions.set(key, { actor: keyOf(actor), recordedAt: now, editedAt: version.times.after });
    }
    return statement(tx, valuesOf(tx, version, actor, { now, since: now - recording.interval }));
  }

  beforeDeletion(tx: Transaction, { uid, documentId, rows, folder, isLinked }: RemovedRows): Sent {
    const statement = this.#recording()?.deletion(uid, rows.length, isLinked);
    if (!statement) return undefined;
    const { kind, id, name } = currentActor();
    const removed = rows.map(({ id, locale, status }): RemovedRow => [id, locale, status]);
    const values: SqlValue[] = [
      ...[...rows.map((row) => row.id), documentId, ...rows.map(({ locale }) => locale ?? '')],
      ...[JSON.stringify(removed), Date.now(), kind, id, name, folder ?? null],
    ];
    return statement(tx, values);
  }

  /** Whether the state of a row before the transaction is recorded; from now on it is. */
  #isRecorded(tx: Transaction, key: string): boolean {
    const recorded = this.#recorded.get(tx) ?? new Set<string>();
    this.#recorded.set(tx, recorded);
    const isRecorded = recorded.has(key);
    recorded.add(key);
    return isRecorded;
  }

  /** Whether an edit continues a session that has recorded a state since a time: this actor wrote the present state. */
  #isSameSession(key: string, { times }: Replacement, actor: Actor, since: number): boolean {
    const session = this.#sessions.get(key);
    if (!session || !times || session.editedAt !== times.before) return false;
    if (session.recordedAt <= since || session.actor !== keyOf(actor)) return false;
    session.editedAt = times.after;
    return true;
  }
}

const keyOf = ({ kind, id }: Actor): string => `${kind} ${id}`;

/** The values of `compileRecord`. */
function valuesOf(
  { dialect }: Transaction,
  version: Replacement,
  { kind, id, name }: Actor,
  { now, since }: { readonly now: number; readonly since: number },
): SqlValue[] {
  const administrator = kind === 'administrator' ? id : null;
  return [version.row, now, version.kind, kind, id, name, since, dialect.encodeTime(since), administrator];
}
