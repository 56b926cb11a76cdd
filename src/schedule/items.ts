/** The table of scheduled work: what is to be done at which time, and what became of it. */
import { currentActor } from '../db/interface/account.ts';
import type { ActionName } from '../db/interface/action.ts';
import type { Actor } from '../db/interface/actor.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { execute, jsonOf, query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { refusal } from '../errors.ts';
import { type JsonObject, numberOrNull, objectOrEmpty, textOrNull } from '../plain-values.ts';
import { reason } from '../reasons.ts';
import type { SqlValue } from '../sql/fragment.ts';
import {
  compileAddItems,
  compileCancelItem,
  compileClaimItem,
  compileCountWaiting,
  compileEndItem,
  compileFailItem,
  compileItems,
  compileMoveItem,
  compileNextItem,
  compilePutOffItem,
  compileRetryItem,
  compileSetItemState,
} from '../sql/schedule.ts';

/** `gone`: the subject did not exist any more when it was due. */
export const ITEM_STATES = ['waiting', 'done', 'failed', 'cancelled', 'gone'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

export interface NewItem {
  /** Which part of the server does the work. */
  readonly kind: string;
  /** The content type of the subject, if it has one. */
  readonly contentType: string | null;
  /** The id of the subject: of a document, or whatever the kind has. */
  readonly target: string;
  /** What is to be done. */
  readonly subject: JsonObject;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

export interface ScheduledItem extends NewItem {
  readonly id: number;
  readonly state: ItemState;
  /** How often a process has begun with it. */
  readonly attempts: number;
  /** The actor that has scheduled it, or has had it done again. */
  readonly by: Actor;
  readonly createdAt: number;
  /** When it ended; for work that waits after a failure, when it failed. */
  readonly endedAt: number | null;
  /** Why it failed, or what it came to. */
  readonly result: JsonObject | null;
}

/** Adds work for the current actor, and returns it in the order of the list. */
export async function addItems(tx: Transaction, items: readonly NewItem[], now: number): Promise<ScheduledItem[]> {
  const { kind: byKind, id, name } = currentActor();
  const rows = items.map(({ kind, contentType, target, subject, dueAt }) => [
    ...[kind, contentType, target, JSON.stringify(subject), dueAt, dueAt, 'waiting', 0],
    ...[byKind, id, name, now],
  ]);
  const added = await execute(tx, compileAddItems(tx.dialect), [JSON.stringify(rows)]);
  const stored = added.map(itemOf).sort((a, b) => a.id - b.id);
  for (const item of stored) recordItemAction(tx, 'schedule.create', item);
  return stored;
}

/** Records what happens to an item in the log of actions. @param by the current actor when left out. */
export function recordItemAction(tx: Transaction, action: ActionName, item: ScheduledItem, by?: Actor): void {
  const { kind, contentType, target, subject, dueAt } = item;
  const more = { ...subject, at: new Date(dueAt).toISOString() };
  tx.recordAction({ action, type: contentType ?? kind, id: target, more, by });
}

/** The time after another one at which work of some kinds is due next; undefined: none waits. */
export async function nextTime(db: Queryable, kinds: readonly string[], after = 0): Promise<number | undefined> {
  const [row] = await query(db, compileNextItem(kinds.length), [after, ...kinds]);
  return numberOrNull(row?.[0] ?? null) ?? undefined;
}

/** Claims the earliest due work until a time; undefined: none is due, or others are doing it. */
export async function claimItem(
  tx: Transaction,
  kinds: readonly string[],
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<ScheduledItem | undefined> {
  const [row] = await execute(tx, compileClaimItem(tx.dialect, kinds.length), [owner, until, now, ...kinds]);
  return row && itemOf(row);
}

/** Ends claimed work as done. Returns whether the claim was still valid. */
export async function endItem(tx: Transaction, { id }: ScheduledItem, owner: string, now: number): Promise<boolean> {
  return (await execute(tx, compileEndItem(), [now, id, owner])).length > 0;
}

/**
 * Ends work that has failed, whose claim may have run out meanwhile. Returns false if it had ended already, or if it was
 * done again by hand or got another time since it was claimed.
 */
export async function failItem(
  tx: Transaction,
  { id, dueAt, endedAt }: ScheduledItem,
  result: JsonObject,
  now: number,
): Promise<boolean> {
  const values = [now, JSON.stringify(result), id, dueAt, endedAt];
  return (await execute(tx, compileFailItem(tx.dialect), values)).length > 0;
}

/** Corrects the state of work that the transaction has ended. */
export async function setItemState(tx: Transaction, id: number, state: ItemState, result: JsonObject): Promise<void> {
  await execute(tx, compileSetItemState(), [state, JSON.stringify(result), id]);
}

/** Puts claimed work off until a time. */
export async function putOffItem(tx: Transaction, id: number, owner: string, until: number): Promise<void> {
  await execute(tx, compilePutOffItem(), [until, id, owner]);
}

/** The refusal to cancel work that does not wait and has not failed. */
export const workIsOver = () => refusal('This is over already', reason('scheduleOver'));

/** Cancels work that waits or has failed, for the current actor. Returns false for any other. */
export async function cancelItem(tx: Transaction, item: ScheduledItem, now: number): Promise<boolean> {
  const { kind, id: by, name } = currentActor();
  const result = JSON.stringify({ by: { kind, id: by, name } });
  const isDone = (await execute(tx, compileCancelItem(), [now, result, item.id])).length > 0;
  if (isDone) recordItemAction(tx, 'schedule.cancel', item);
  return isDone;
}

/** Has failed work done again, with the rights of an actor. Returns false if it has not failed. */
export async function retryItem(tx: Transaction, item: ScheduledItem, { kind, id, name }: Actor, now: number) {
  const isDone = (await execute(tx, compileRetryItem(), [now, kind, id, name, item.id])).length > 0;
  if (isDone) recordItemAction(tx, 'schedule.retry', item);
  return isDone;
}

/** Gives work that waits another time, for the current actor. Returns it as it is then; undefined for any other. */
export async function moveItem(
  tx: Transaction,
  { id }: ScheduledItem,
  dueAt: number,
): Promise<ScheduledItem | undefined> {
  const { kind, id: by, name } = currentActor();
  const [row] = await execute(tx, compileMoveItem(), [dueAt, kind, by, name, id]);
  const moved = row && itemOf(row);
  if (moved) recordItemAction(tx, 'schedule.update', moved);
  return moved;
}

/** How much work waits, and how much of it an actor has scheduled. */
export async function countWaiting(db: Queryable, { kind, id }: Actor) {
  const [row] = await query(db, compileCountWaiting(db.dialect), [kind, id]);
  return { all: Number(row![0]), own: Number(row![1]) };
}

/** Which items a list has; a filter that is left out lets all pass. */
export interface ItemQuery {
  readonly ids?: readonly number[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly states?: readonly ItemState[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly targets?: readonly string[] | undefined;
  /** Due at this time or later, and before another. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Behind this item in the order. */
  readonly after?: Pick<ScheduledItem, 'id' | 'dueAt'> | undefined;
  readonly latestFirst?: boolean | undefined;
  readonly most: number;
}

/** Items by due time. */
export async function listItems(db: Queryable, wanted: ItemQuery): Promise<ScheduledItem[]> {
  const { ids, kinds, states, types, targets, from, to, after, latestFirst, most } = wanted;
  const counts = Object.entries({ ids, kinds, states, types, targets }).flatMap(([name, list]) =>
    list === undefined ? [] : [[name, list.length]],
  );
  const flags = { from: from !== undefined, to: to !== undefined, after: after !== undefined };
  const filter = { ...Object.fromEntries(counts), ...flags, latestFirst: latestFirst ?? false };
  const values: SqlValue[] = [ids, kinds, states, types, targets].flatMap((list): SqlValue[] => [...(list ?? [])]);
  const times = [from, to, ...(after ? [after.dueAt, after.dueAt, after.id] : [])].filter((one) => one !== undefined);
  return (await query(db, compileItems(filter), [...values, ...times, most])).map(itemOf);
}

function itemOf(row: Row): ScheduledItem {
  const [id, kind, contentType, target, subject, dueAt, , state, attempts, byKind, byId, byName, createdAt] = row;
  const [endedAt, result] = row.slice(13);
  return {
    id: Number(id),
    kind: String(kind),
    contentType: textOrNull(contentType),
    target: String(target),
    subject: objectOrEmpty(jsonOf(subject)),
    dueAt: Number(dueAt),
    state: String(state) as ItemState,
    attempts: Number(attempts),
    by: {
      kind: String(byKind) as Actor['kind'],
      id: numberOrNull(byId),
      name: textOrNull(byName),
      address: null,
    },
    createdAt: Number(createdAt),
    endedAt: numberOrNull(endedAt),
    result: result === null ? null : objectOrEmpty(jsonOf(result)),
  };
}
