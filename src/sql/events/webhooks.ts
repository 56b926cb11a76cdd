/** Webhooks, their deliveries, and leases. Slots are in the order of the named values; times are epoch milliseconds. */
import type { Dialect, UnfoldedColumn } from '../dialect.ts';
import { id, join, raw, type Sql, slot, sql } from '../fragment.ts';
import { compileInsertMany } from '../write.ts';

export const WEBHOOKS_TABLE = 'strapi_webhooks';
export const SECRETS_TABLE = 'galley_webhook_secrets';
export const DELIVERIES_TABLE = 'galley_webhook_deliveries';
export const LEASES_TABLE = 'galley_leases';

const deliveries = id(DELIVERIES_TABLE);

/** The first webhooks, with their secrets, the oldest first. */
export function compileWebhooks(most: number): Sql {
  return sql`select w."id", w."name", w."url", w."headers", w."events", w."enabled", s."secret"
    from ${id(WEBHOOKS_TABLE)} w left join ${id(SECRETS_TABLE)} s on s."webhook_id" = w."id" order by w."id" limit ${most}`;
}

/** Sets the secret of a webhook. Values: webhook, secret. */
export function compileSetWebhookSecret(): Sql {
  return sql`insert into ${id(SECRETS_TABLE)} ("webhook_id", "secret") values (${slot(0)}, ${slot(1)})
    on conflict ("webhook_id") do update set "secret" = excluded."secret"`;
}

const NEW_DELIVERY: readonly UnfoldedColumn[] = [
  { name: 'webhook_id', kind: 'integer' },
  { name: 'event', kind: 'text' },
  { name: 'uid', kind: 'text' },
  { name: 'document_id', kind: 'text' },
  { name: 'locale', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'row_id', kind: 'integer' },
  { name: 'changed_at', kind: 'integer' },
  { name: 'body', kind: 'text' },
  { name: 'state', kind: 'text' },
  { name: 'attempts', kind: 'integer' },
  { name: 'next_at', kind: 'integer' },
];

/** Adds deliveries: slot 0 is the JSON of a list of lists in the order of `NEW_DELIVERY`. */
export function compileAddDeliveries(dialect: Dialect): Sql {
  return compileInsertMany(dialect, DELIVERIES_TABLE, NEW_DELIVERY);
}

const COLUMNS = [
  ...['id', ...NEW_DELIVERY.map(({ name }) => name)],
  ...['tried_at', 'answer_status', 'answer', 'milliseconds'],
];

/** The columns of deliveries. Bodies are long: null replaces those that are not needed. */
const columns = (withBodies: boolean) =>
  raw(COLUMNS.map((name) => (name === 'body' && !withBodies ? 'null' : `d."${name}"`)).join(', '));

/** The time of a delivery that waits behind another one of its document. */
export const BEHIND = 8.64e15;

const NUMBERS: readonly UnfoldedColumn[] = [{ name: 'n', kind: 'integer' }];

/** The next due time of some webhooks: rows of webhook and time. Slot 0 is a JSON list of lists of one. */
export function compileNextDue(dialect: Dialect): Sql {
  return sql`select given."n", (select min(d."next_at") from ${deliveries} d
      where d."webhook_id" = given."n" and d."state" = 'waiting') from ${dialect.unfold(slot(0), NUMBERS)} given`;
}

/** The due deliveries of a webhook: id, uid and document. Values: webhook, now, how many. */
export function compileDueDeliveries(): Sql {
  return sql`select d."id", d."uid", d."document_id" from ${deliveries} d
    where d."webhook_id" = ${slot(0)} and d."state" = 'waiting' and d."next_at" <= ${slot(1)}
    order by d."next_at", d."id" limit ${slot(2)}`;
}

const DOCUMENTS: readonly UnfoldedColumn[] = [
  { name: 'u', kind: 'text' },
  { name: 'd', kind: 'text' },
];

/**
 * The oldest delivery that waits of each of some documents: one look into an index for each, however many wait. Slot 0 is
 * the JSON of a list of lists of uid and document; slot 1 the webhook.
 */
export function compileOldestWaiting(dialect: Dialect): Sql {
  return sql`select (select min(e."id") from ${deliveries} e where e."webhook_id" = ${slot(1)} and e."state" = 'waiting'
      and e."document_id" = given."d" and e."uid" = given."u") from ${dialect.unfold(slot(0), DOCUMENTS)} given`;
}

/** Deliveries by their ids: slot 0 is the JSON of a list of lists of one. */
export function compileDeliveriesOf(dialect: Dialect, withBodies: boolean): Sql {
  return sql`select ${columns(withBodies)} from ${deliveries} d
    where d."id" in (select given."n" from ${dialect.unfold(slot(0), NUMBERS)} given) order by d."id"`;
}

/** Puts deliveries behind others of their documents: slot 0 is a JSON list of lists of one, slot 1 `BEHIND`. */
export function compilePutBehind(dialect: Dialect): Sql {
  return sql`update ${deliveries} set "next_at" = ${slot(1)}
    where "id" in (select given."n" from ${dialect.unfold(slot(0), NUMBERS)} given)`;
}

/** Makes the next delivery of a document due. Values: now, webhook, document, uid, `BEHIND`. */
export function compileLetNext(): Sql {
  return sql`update ${deliveries} set "next_at" = ${slot(0)} where "id" = (
    select min("id") from ${deliveries} where "webhook_id" = ${slot(1)} and "state" = 'waiting'
      and "document_id" = ${slot(2)} and "uid" = ${slot(3)}) and "next_at" >= ${slot(4)}`;
}

/** Makes the next delivery of each document of a webhook due. Values: now, webhook, `BEHIND`. */
export function compileLetAllNext(): Sql {
  return sql`update ${deliveries} set "next_at" = ${slot(0)} where "id" in (
    select min("id") from ${deliveries} where "webhook_id" = ${slot(1)} and "state" = 'waiting'
      group by "uid", "document_id") and "next_at" >= ${slot(2)}`;
}

/** The filters of a list of deliveries: one webhook, one state, those before one. */
export interface AskedDeliveries {
  readonly ofOne: boolean;
  readonly inState: boolean;
  readonly before: boolean;
  readonly withBodies: boolean;
}

/** The last deliveries, the newest first. Values: the requested ones of webhook, state and delivery, how many. */
export function compileDeliveries({ ofOne, inState, before, withBodies }: AskedDeliveries): Sql {
  const where: Sql[] = [];
  if (ofOne) where.push(sql`d."webhook_id" = ${slot(where.length)}`);
  if (inState) where.push(sql`d."state" = ${slot(where.length)}`);
  if (before) where.push(sql`d."id" < ${slot(where.length)}`);
  const filter = where.length === 0 ? raw('') : sql` where ${join(where, ' and ')}`;
  return sql`select ${columns(withBodies)} from ${deliveries} d${filter} order by d."id" desc limit ${slot(where.length)}`;
}

/**
 * For some webhooks: webhook, last delivery, number of waiting and of abandoned deliveries. Slot 0 as of
 * `compileNextDue`.
 */
export function compileDeliveryCounts(dialect: Dialect): Sql {
  const of = sql`from ${deliveries} d where d."webhook_id" = given."n"`;
  return sql`select given."n", (select d."id" ${of} order by d."id" desc limit 1),
      (select count(*) ${of} and d."state" = 'waiting'), (select count(*) ${of} and d."state" = 'failed')
    from ${dialect.unfold(slot(0), NUMBERS)} given`;
}

/** Records an attempt. Values: body, state, attempts, next attempt, now, status, answer, milliseconds, delivery. */
export function compileNoteAttempt(): Sql {
  return sql`update ${deliveries} set "body" = ${slot(0)}, "state" = ${slot(1)}, "attempts" = ${slot(2)},
    "next_at" = ${slot(3)}, "tried_at" = ${slot(4)}, "answer_status" = ${slot(5)}, "answer" = ${slot(6)},
    "milliseconds" = ${slot(7)} where "id" = ${slot(8)}`;
}

/** Schedules another attempt at a delivery, of one webhook or any; `returning "id"`. Values: now, delivery, webhook. */
export function compileRetryDelivery({ ofOne }: { ofOne: boolean }): Sql {
  const webhook = ofOne ? sql` and "webhook_id" = ${slot(2)}` : raw('');
  return sql`update ${deliveries} set "state" = 'waiting', "attempts" = 0, "next_at" = ${slot(0)}
    where "id" = ${slot(1)}${webhook} returning "id"`;
}

/**
 * Schedules another attempt at all deliveries of a webhook that were abandoned or wait for one. Values: now, webhook.
 */
export function compileRetryDeliveries(): Sql {
  return sql`update ${deliveries} set "state" = 'waiting', "attempts" = 0, "next_at" = ${slot(0)}
    where "webhook_id" = ${slot(1)} and ("state" = 'failed' or ("state" = 'waiting' and "attempts" > 0)) returning "id"`;
}

const WAITS = raw(`"state" = 'waiting'`);
const IS_OVER = raw(`"state" <> 'waiting'`);

/** The last delivery of a webhook beyond the newest, of those that wait or are over. Values: webhook, how many are newer. */
export function compileLastBeyond(which: 'waiting' | 'over'): Sql {
  return sql`select "id" from ${deliveries} where "webhook_id" = ${slot(0)} and ${which === 'over' ? IS_OVER : WAITS}
    order by "id" desc limit 1 offset ${slot(1)}`;
}

/**
 * Abandons the oldest waiting deliveries of a webhook; `returning "id"`. Values: webhook, the last of them, how many at
 * once.
 */
export function compileGiveUpOldest(): Sql {
  return sql`update ${deliveries} set "state" = 'failed', "answer" = 'too many deliveries were waiting'
    where "id" in (select "id" from ${deliveries} where "webhook_id" = ${slot(0)} and ${WAITS} and "id" <= ${slot(1)}
      order by "id" limit ${slot(2)}) returning "id"`;
}

/**
 * Deletes the oldest finished deliveries of a webhook; `returning "id"`. Values: webhook, the last of them, how many at
 * once.
 */
export function compileForgetOldest(): Sql {
  return sql`delete from ${deliveries} where "id" in (
    select "id" from ${deliveries} where "webhook_id" = ${slot(0)} and ${IS_OVER} and "id" <= ${slot(1)}
      order by "id" limit ${slot(2)}) returning "id"`;
}

/** Deletes deliveries, or secrets, of deleted webhooks; `returning "id"`. Value: how many at once. */
export function compileForgetGone(table: typeof DELIVERIES_TABLE | typeof SECRETS_TABLE): Sql {
  return sql`delete from ${id(table)} where "id" in (
    select "id" from ${id(table)} where "webhook_id" not in (select "id" from ${id(WEBHOOKS_TABLE)})
      limit ${slot(0)}) returning "id"`;
}

/** Takes or renews a lease; `returning "id"`. Values: name, owner, its end, owner, now. */
export function compileTakeNamedLease(): Sql {
  return sql`insert into ${id(LEASES_TABLE)} ("name", "owner", "until") values (${slot(0)}, ${slot(1)}, ${slot(2)})
    on conflict ("name") do update set "owner" = excluded."owner", "until" = excluded."until"
    where ${id(LEASES_TABLE)}."owner" = ${slot(3)} or ${id(LEASES_TABLE)}."until" <= ${slot(4)} returning "id"`;
}

/** Ends a lease. Values: name, owner. */
export function compileEndNamedLease(): Sql {
  return sql`delete from ${id(LEASES_TABLE)} where "name" = ${slot(0)} and "owner" = ${slot(1)}`;
}

/** A row if another owner has a lease. Values: name, owner, now. */
export function compileNamedLeaseTaken(): Sql {
  return sql`select 1 from ${id(LEASES_TABLE)} where "name" = ${slot(0)} and "owner" <> ${slot(1)} and "until" > ${slot(2)}`;
}
