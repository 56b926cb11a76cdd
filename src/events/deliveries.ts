/** What webhooks are to be sent and were sent: rows that the changes themselves write. */
import type { Queryable, Row } from '../db/queryable.ts';
import { execute, query } from '../db/statements.ts';
import type { Transaction } from '../db/transaction.ts';
import {
  compileAddDeliveries,
  compileDeliveries,
  compileDueDeliveries,
  compileForgetGone,
  compileForgetOldest,
  compileGiveUpOldest,
  compileNextDue,
  compileNoteAttempt,
  compileRetryDeliveries,
  compileRetryDelivery,
  DELIVERIES_TABLE,
  SECRETS_TABLE,
} from '../sql/events/webhooks.ts';
import type { EntryAddress } from './entries.ts';
import { listWebhooks } from './webhook.ts';

/** Deliveries of a webhook that may wait, and those that are kept when they are over. */
export const MOST_WAITING = 10_000;
export const KEPT = 1000;
/** Characters of a body that is kept when its delivery is over; it is made anew where a longer one is sent again. */
const KEPT_BODY = 65_536;

export const DELIVERY_STATES = ['waiting', 'sent', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface NewDelivery extends EntryAddress {
  readonly webhook: number;
  readonly event: string;
  /** Epoch milliseconds. */
  readonly changedAt: number;
  /** Undefined: made when it is sent. */
  readonly body: string | undefined;
}

export interface Delivery extends NewDelivery {
  readonly id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it is attempted next, and was last: epoch milliseconds. */
  readonly nextAt: number;
  readonly triedAt: number | undefined;
  /** What the last attempt came to: the status of the answer and its beginning, or why there is none. */
  readonly answerStatus: number | undefined;
  readonly answer: string | undefined;
  readonly milliseconds: number | undefined;
}

/** What an attempt came to. */
export interface Attempt {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: number;
  readonly triedAt: number;
  readonly body: string;
  readonly answerStatus: number | undefined;
  readonly answer: string;
  readonly milliseconds: number;
}

/** Adds deliveries in the transaction that makes their changes. */
export async function addDeliveries(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = deliveries.map((one) => [
    ...[one.webhook, one.event, one.uid, one.documentId, one.locale, one.status, one.row, one.changedAt],
    ...[one.body ?? null, 'waiting', 0, one.changedAt],
  ]);
  await execute(tx, compileAddDeliveries(tx.dialect), [JSON.stringify(rows)]);
}

/** What a webhook may be sent now, of each document the oldest. */
export async function dueDeliveries(db: Queryable, webhook: number, now: number, most: number): Promise<Delivery[]> {
  return (await query(db, compileDueDeliveries(), [webhook, now, most])).map(deliveryOf);
}

/** When the next delivery of some webhooks is due; undefined when none waits. */
export async function nextDue(db: Queryable, webhooks: readonly number[]): Promise<number | undefined> {
  const [row] = await query(db, compileNextDue(webhooks.length), webhooks);
  return row === undefined || row[0] === null ? undefined : Number(row[0]);
}

/** The last deliveries, the newest first. */
export async function listDeliveries(
  db: Queryable,
  { webhook, state, most }: { webhook?: number | undefined; state?: DeliveryState | undefined; most: number },
): Promise<Delivery[]> {
  const asked = compileDeliveries({ ofOne: webhook !== undefined, inState: state !== undefined });
  const values = [webhook, state].filter((value) => value !== undefined);
  return (await query(db, asked, [...values, most])).map(deliveryOf);
}

/** Notes what an attempt came to. */
export async function noteAttempt(tx: Transaction, delivery: number, attempt: Attempt): Promise<void> {
  const { state, attempts, nextAt, triedAt, body, answerStatus, answer, milliseconds } = attempt;
  const kept = state !== 'waiting' && body.length > KEPT_BODY ? null : body;
  const values = [kept, state, attempts, nextAt, triedAt, answerStatus ?? null, answer, milliseconds, delivery];
  await execute(tx, compileNoteAttempt(), values);
}

/** Has a delivery attempted anew, whatever became of it. Gives whether there is one. */
export async function retryDelivery(tx: Transaction, delivery: number, now: number): Promise<boolean> {
  return (await execute(tx, compileRetryDelivery(), [now, delivery])).length > 0;
}

/** Has all deliveries of a webhook attempted anew that have not arrived. Gives how many. */
export async function retryDeliveries(tx: Transaction, webhook: number, now: number): Promise<number> {
  return (await execute(tx, compileRetryDeliveries(), [now, webhook])).length;
}

/** Keeps the number of deliveries within its bounds. Gives how many were given up. */
export async function tidyDeliveries(tx: Transaction): Promise<number> {
  for (const table of [DELIVERIES_TABLE, SECRETS_TABLE] as const) await execute(tx, compileForgetGone(table));
  let givenUp = 0;
  for (const { id } of await listWebhooks(tx)) {
    givenUp += (await execute(tx, compileGiveUpOldest(), [id, id, MOST_WAITING])).length;
    await execute(tx, compileForgetOldest(), [id, id, KEPT]);
  }
  return givenUp;
}

const numberOf = (value: unknown): number | undefined => (value === null ? undefined : Number(value));
const textOf = (value: unknown): string | undefined => (value === null ? undefined : String(value));

function deliveryOf(row: Row): Delivery {
  const [id, webhook, event, uid, documentId, locale, status, rowId, changedAt, body, state, attempts, nextAt] = row;
  const [triedAt, answerStatus, answer, milliseconds] = row.slice(13);
  return {
    id: Number(id),
    webhook: Number(webhook),
    event: String(event),
    uid: String(uid),
    documentId: String(documentId),
    locale: textOf(locale) ?? null,
    status: status === 'draft' ? 'draft' : 'published',
    row: Number(rowId),
    changedAt: Number(changedAt),
    body: textOf(body),
    state: DELIVERY_STATES.find((known) => known === state) ?? 'failed',
    attempts: Number(attempts),
    nextAt: Number(nextAt),
    triedAt: numberOf(triedAt),
    answerStatus: numberOf(answerStatus),
    answer: textOf(answer),
    milliseconds: numberOf(milliseconds),
  };
}
