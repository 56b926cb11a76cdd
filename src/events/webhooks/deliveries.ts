/** The table of deliveries to webhooks: those that wait, and the last finished ones. */
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

/** Waiting deliveries of a webhook, and finished ones that are kept. */
export const MOST_WAITING = 10_000;
export const KEPT = 1000;
/** Milliseconds after which tidying stops; the next one continues. */
const LONGEST_TIDYING = 4000;
/** Due deliveries that are read at once. */
const DUE_PAGE = 200;
/** Characters of a body that is kept after its delivery. A longer one is built again if the delivery is repeated. */
const KEPT_BODY = 65_536;

export const DELIVERY_STATES = ['waiting', 'sent', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface NewDelivery extends EntryAddress {
  readonly webhook: number;
  readonly event: string;
  /** Epoch milliseconds. */
  readonly changedAt: number;
  /** Undefined: built when it is sent. */
  readonly body: string | undefined;
}

export interface Delivery extends NewDelivery {
  readonly id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Epoch milliseconds of the next attempt (undefined: after older deliveries about the document) and the last one. */
  readonly nextAt: number | undefined;
  readonly triedAt: number | undefined;
  /** The status and the beginning of the last answer, or why there is none. */
  readonly answerStatus: number | undefined;
  readonly answer: string | undefined;
  readonly milliseconds: number | undefined;
}

/** The result of an attempt. */
export interface Attempt {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: number;
  readonly triedAt: number;
  /** Undefined: it could not be built. */
  readonly body: string | undefined;
  readonly answerStatus: number | undefined;
  readonly answer: string;
  readonly milliseconds: number;
}

/** Adds deliveries in the transaction of their changes. */
export async function addDeliveries(tx: Transaction, deliveries: readonly NewDelivery[]): Promise<void> {
  const rows = deliveries.map((one) => [
    ...[one.webhook, one.event, one.uid, one.documentId, one.locale, one.status, one.row, one.changedAt],
    ...[one.body ?? null, 'waiting', 0, one.changedAt],
  ]);
  await execute(tx, compileAddDeliveries(tx.dialect), [JSON.stringify(rows)]);
}

/** The time of the next delivery by webhook; webhooks without waiting deliveries are missing. */
export async function nextDue(db: Queryable, webhooks: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await query(db, compileNextDue(db.dialect), [listOf(webhooks)]);
  return new Map(rows.filter(([, time]) => time !== null).map(([webhook, time]) => [Number(webhook), Number(time)]));
}

/** Ids of due deliveries: those that may be sent, and those that wait for an older one about the same document. */
export interface DuePage {
  readonly free: readonly number[];
  readonly behind: readonly number[];
  readonly isLast: boolean;
}

/** A page of the due deliveries of a webhook. */
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

/** Deliveries by id, in the order of the ids. @param withBodies whether to read the bodies, which may be long. */
export async function deliveriesOf(db: Queryable, ids: readonly number[], withBodies = true): Promise<Delivery[]> {
  return (await query(db, compileDeliveriesOf(db.dialect, withBodies), [listOf(ids)])).map(deliveryOf);
}

/** Has deliveries wait until older ones about their document are finished. */
export async function putBehind(tx: Transaction, ids: readonly number[]): Promise<void> {
  await execute(tx, compilePutBehind(tx.dialect), [listOf(ids), BEHIND]);
}

/** A filter of deliveries. */
export interface DeliveryFilter {
  readonly webhook?: number | undefined;
  readonly state?: DeliveryState | undefined;
  readonly before?: number | undefined;
  readonly most: number;
  readonly withBodies?: boolean;
}

/** The latest deliveries, newest first. */
export async function listDeliveries(
  db: Queryable,
  { webhook, state, before, most, withBodies = false }: DeliveryFilter,
): Promise<Delivery[]> {
  const [ofOne, inState] = [webhook !== undefined, state !== undefined];
  const statement = compileDeliveries({ ofOne, inState, before: before !== undefined, withBodies });
  const values = [webhook, state, before].filter((value) => value !== undefined);
  return (await query(db, statement, [...values, most])).map(deliveryOf);
}

/** A summary of the deliveries of a webhook. */
export interface DeliveryCounts {
  readonly last: Delivery | undefined;
  readonly waiting: number;
  readonly failed: number;
}

/** The summaries of webhooks by id. */
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

/** Stores the result of an attempt. When the delivery is finished, the next one about its document becomes due. */
export async function noteAttempt(tx: Transaction, delivery: Delivery, attempt: Attempt): Promise<void> {
  const { state, attempts, nextAt, triedAt, body, answerStatus, answer, milliseconds } = attempt;
  const stored = body === undefined || (state !== 'waiting' && body.length > KEPT_BODY) ? null : body;
  const values = [stored, state, attempts, nextAt, triedAt, answerStatus ?? null, answer, milliseconds, delivery.id];
  await execute(tx, compileNoteAttempt(), values);
  if (state === 'waiting') return;
  const { webhook, documentId, uid } = delivery;
  await execute(tx, compileLetNext(), [Date.now(), webhook, documentId, uid, BEHIND]);
}

/** Sends a delivery again, in any state. Returns whether it exists. @param webhook its webhook. */
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

/** Has all deliveries of a webhook sent again that have not arrived. Returns how many. */
export async function retryDeliveries(tx: Transaction, webhook: number, now: number): Promise<number> {
  return (await execute(tx, compileRetryDeliveries(), [now, webhook])).length;
}

/**
 * Deletes old deliveries and gives up the oldest waiting ones beyond the limit. It does so in many short transactions and
 * stops before its lease ends, however many there are (as after an import); the next call continues.
 *
 * @returns how many deliveries were given up.
 */
export async function tidyDeliveries(database: Written): Promise<number> {
  const end = Date.now() + LONGEST_TIDYING;
  const inPieces = (statement: Sql, values: readonly number[]) => executeInPieces(database, statement, values, end);
  /** Applies a statement to all but the newest deliveries of a webhook in a state. */
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

/** Numbers as a parameter that the statement unfolds. */
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
    state: DELIVERY_STATES.find((valid) => valid === state) ?? 'failed',
    attempts: Number(attempts),
    nextAt: Number(nextAt) < BEHIND ? Number(nextAt) : undefined,
    triedAt: numberOrNull(triedAt) ?? undefined,
    answerStatus: numberOrNull(answerStatus) ?? undefined,
    answer: textOrNull(answer) ?? undefined,
    milliseconds: numberOrNull(milliseconds) ?? undefined,
  };
}
