/** What webhooks are to be sent and were sent: rows that the changes themselves write. */

import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { execute, executeInPieces, query, type Written } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { numberOrNull, textOrNull } from '../../plain-values.ts';
import {
  BEHIND,
  compileAddDeliveries,
  compileDeliveries,
  compileDeliveriesOf,
  compileDeliveryCounts,
  compileDueDeliveries,
  compileForgetGone,
  compileForgetOldest,
  compileGiveUpOldest,
  compileLastBeyond,
  compileLetAllNext,
  compileLetNext,
  compileNextDue,
  compileNoteAttempt,
  compileOldestWaiting,
  compilePutBehind,
  compileRetryDeliveries,
  compileRetryDelivery,
  DELIVERIES_TABLE,
  SECRETS_TABLE,
} from '../../sql/events/webhooks.ts';
import type { Sql } from '../../sql/fragment.ts';
import type { EntryAddress } from '../entries.ts';
import { listWebhooks } from './webhook.ts';

/** Deliveries of a webhook that may wait, and those that are kept when they are over. */
export const MOST_WAITING = 10_000;
export const KEPT = 1000;
/** Milliseconds after which the rest is left to the next time. */
const LONGEST_TIDYING = 4000;
/** Deliveries that are looked at together when some are due. */
const DUE_PAGE = 200;
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
  /** When it is attempted next, and was last: epoch milliseconds. Undefined: when those before it are over. */
  readonly nextAt: number | undefined;
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
  /** Undefined: it could not be made. */
  readonly body: string | undefined;
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

/** When each of some webhooks is due next; one for which nothing waits has no entry. */
export async function nextDue(db: Queryable, webhooks: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await query(db, compileNextDue(db.dialect), [listOf(webhooks)]);
  return new Map(rows.filter(([, time]) => time !== null).map(([webhook, time]) => [Number(webhook), Number(time)]));
}

/** What of a page of due deliveries may be sent, and what has to wait for an older one of its document: ids. */
export interface DuePage {
  readonly free: readonly number[];
  readonly behind: readonly number[];
  readonly isLast: boolean;
}

/** A page of what waits at a webhook and is due. */
export async function duePage(db: Queryable, webhook: number, now: number): Promise<DuePage> {
  const rows = await query(db, compileDueDeliveries(), [webhook, now, DUE_PAGE]);
  const documents = [...new Set(rows.map(([, uid, document]) => JSON.stringify([uid, document])))];
  const oldest = new Set(
    documents.length === 0
      ? []
      : (await query(db, compileOldestWaiting(db.dialect), [`[${documents.join()}]`, webhook])).map(([id]) =>
          Number(id),
        ),
  );
  const { free = [], behind = [] } = Object.groupBy(
    rows.map(([id]) => Number(id)),
    (id) => (oldest.has(id) ? 'free' : 'behind'),
  );
  return { free, behind, isLast: rows.length < DUE_PAGE };
}

/** Deliveries by their ids, in the order of these. @param withBodies whether with what is sent, which may be long. */
export async function deliveriesOf(db: Queryable, ids: readonly number[], withBodies = true): Promise<Delivery[]> {
  return (await query(db, compileDeliveriesOf(db.dialect, withBodies), [listOf(ids)])).map(deliveryOf);
}

/** Has deliveries wait until those before them are over. */
export async function putBehind(tx: Transaction, ids: readonly number[]): Promise<void> {
  await execute(tx, compilePutBehind(tx.dialect), [listOf(ids), BEHIND]);
}

/** Which deliveries are listed: of all webhooks or one, in one state or any, older than one or all; with bodies or not. */
export interface AskedDeliveries {
  readonly webhook?: number | undefined;
  readonly state?: DeliveryState | undefined;
  readonly before?: number | undefined;
  readonly most: number;
  readonly withBodies?: boolean;
}

/** The last deliveries, the newest first. */
export async function listDeliveries(
  db: Queryable,
  { webhook, state, before, most, withBodies = false }: AskedDeliveries,
): Promise<Delivery[]> {
  const [ofOne, inState] = [webhook !== undefined, state !== undefined];
  const asked = compileDeliveries({ ofOne, inState, before: before !== undefined, withBodies });
  const values = [webhook, state, before].filter((value) => value !== undefined);
  return (await query(db, asked, [...values, most])).map(deliveryOf);
}

/** What a webhook was sent, in short. */
export interface DeliveryCounts {
  readonly last: Delivery | undefined;
  readonly waiting: number;
  readonly failed: number;
}

/** The same of some webhooks, by their ids. */
export async function deliveryCounts(
  db: Queryable,
  webhooks: readonly number[],
): Promise<ReadonlyMap<number, DeliveryCounts>> {
  if (webhooks.length === 0) return new Map();
  const rows = await query(db, compileDeliveryCounts(db.dialect), [listOf(webhooks)]);
  const newest = await deliveriesOf(
    db,
    rows.flatMap(([, last]) => (last === null ? [] : [Number(last)])),
    false,
  );
  const lasts = new Map(newest.map((delivery) => [delivery.webhook, delivery]));
  return new Map(
    rows.map(([id, , waiting, failed]) => [
      Number(id),
      { last: lasts.get(Number(id)), waiting: Number(waiting), failed: Number(failed) },
    ]),
  );
}

/** Notes what an attempt came to. Once a delivery is over the next one of its document is due. */
export async function noteAttempt(tx: Transaction, delivery: Delivery, attempt: Attempt): Promise<void> {
  const { state, attempts, nextAt, triedAt, body, answerStatus, answer, milliseconds } = attempt;
  const kept = body === undefined || (state !== 'waiting' && body.length > KEPT_BODY) ? null : body;
  const values = [kept, state, attempts, nextAt, triedAt, answerStatus ?? null, answer, milliseconds, delivery.id];
  await execute(tx, compileNoteAttempt(), values);
  if (state === 'waiting') return;
  const { webhook, documentId, uid } = delivery;
  await execute(tx, compileLetNext(), [Date.now(), webhook, documentId, uid, BEHIND]);
}

/** Has a delivery, of one webhook or any, attempted anew, whatever became of it. Gives whether there is one. */
export async function retryDelivery(
  tx: Transaction,
  delivery: number,
  now: number,
  webhook?: number,
): Promise<boolean> {
  const ofOne = webhook !== undefined;
  const values = [now, delivery, ...(ofOne ? [webhook] : [])];
  return (await execute(tx, compileRetryDelivery({ ofOne }), values)).length > 0;
}

/** Has all deliveries of a webhook attempted anew that have not arrived. Gives how many. */
export async function retryDeliveries(tx: Transaction, webhook: number, now: number): Promise<number> {
  return (await execute(tx, compileRetryDeliveries(), [now, webhook])).length;
}

/**
 * Keeps the number of deliveries within its bounds. Gives how many were given up. However many there are, as after an
 * import, no transaction changes more than a piece of them, so that others write in between, and what takes longer than a
 * lease is good for is left to the next time.
 */
export async function tidyDeliveries(database: Written): Promise<number> {
  const end = Date.now() + LONGEST_TIDYING;
  const inPieces = (statement: Sql, values: readonly number[]) => executeInPieces(database, statement, values, end);
  /** What becomes of what a webhook has beyond the newest. */
  const beyond = async (which: 'waiting' | 'over', newest: number, webhook: number, statement: Sql) => {
    const [last] = await query(database, compileLastBeyond(which), [webhook, newest]);
    return last ? inPieces(statement, [webhook, Number(last[0])]) : 0;
  };
  for (const table of [DELIVERIES_TABLE, SECRETS_TABLE] as const) await inPieces(compileForgetGone(table), []);
  let givenUp = 0;
  for (const { id } of await listWebhooks(database)) {
    givenUp += await beyond('waiting', MOST_WAITING, id, compileGiveUpOldest());
    await beyond('over', KEPT, id, compileForgetOldest());
    await database.transaction((tx) => execute(tx, compileLetAllNext(), [Date.now(), id, BEHIND]));
  }
  return givenUp;
}

/** Numbers as a parameter that is unfolded. */
const listOf = (numbers: readonly number[]): string => JSON.stringify(numbers.map((number) => [number]));

function deliveryOf(row: Row): Delivery {
  const [id, webhook, event, uid, documentId, locale, status, rowId, changedAt, body, state, attempts, nextAt] = row;
  const [triedAt, answerStatus, answer, milliseconds] = row.slice(13);
  return {
    id: Number(id),
    webhook: Number(webhook),
    event: String(event),
    uid: String(uid),
    documentId: String(documentId),
    locale: textOrNull(locale),
    status: status === 'draft' ? 'draft' : 'published',
    row: Number(rowId),
    changedAt: Number(changedAt),
    body: textOrNull(body) ?? undefined,
    state: DELIVERY_STATES.find((known) => known === state) ?? 'failed',
    attempts: Number(attempts),
    nextAt: Number(nextAt) < BEHIND ? Number(nextAt) : undefined,
    triedAt: numberOrNull(triedAt) ?? undefined,
    answerStatus: numberOrNull(answerStatus) ?? undefined,
    answer: textOrNull(answer) ?? undefined,
    milliseconds: numberOrNull(milliseconds) ?? undefined,
  };
}
