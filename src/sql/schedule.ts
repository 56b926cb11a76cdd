/** Scheduled work. Slots are in the order of the named values; times are epoch milliseconds. */
import type { Dialect, UnfoldedColumn } from './dialect.ts';
import { id, join, raw, type Sql, slot, slots, sql } from './fragment.ts';
import { compileInsertMany } from './write.ts';

export const SCHEDULED_TABLE = 'galley_scheduled';

const scheduled = id(SCHEDULED_TABLE);

/** The columns of new work. */
const NEW_ITEM: readonly UnfoldedColumn[] = [
  { name: 'kind', kind: 'text' },
  { name: 'content_type', kind: 'text' },
  { name: 'target', kind: 'text' },
  { name: 'subject', kind: 'text' },
  { name: 'due_at', kind: 'integer' },
  { name: 'next_at', kind: 'integer' },
  { name: 'state', kind: 'text' },
  { name: 'attempts', kind: 'integer' },
  { name: 'by_kind', kind: 'text' },
  { name: 'by_id', kind: 'integer' },
  { name: 'by_name', kind: 'text' },
  { name: 'created_at', kind: 'integer' },
];

const COLUMNS = ['id', ...NEW_ITEM.map(({ name }) => name), 'ended_at', 'result'];
const columns = raw(COLUMNS.map((name) => `"${name}"`).join(', '));

/** Adds work: slot 0 is the JSON of a list of lists in the order of `NEW_ITEM`; `returning` the columns of items. */
export function compileAddItems(dialect: Dialect): Sql {
  return sql`${compileInsertMany(dialect, SCHEDULED_TABLE, NEW_ITEM)} returning ${columns}`;
}

/** When the next work after a time is due. Values: the time, kinds. */
export function compileNextItem(kinds: number): Sql {
  return sql`select min("next_at") from ${scheduled}
    where "state" = 'waiting' and "next_at" > ${slot(0)} and "kind" in (${slots(1, kinds)})`;
}

/**
 * Claims the earliest due work that no other transaction is changing, for an owner until a time, and returns it.
 * Values: owner, until, now, kinds.
 */
export function compileClaimItem(dialect: Dialect, kinds: number): Sql {
  const isDue = sql`"state" = 'waiting' and "next_at" <= ${slot(2)}`;
  return sql`update ${scheduled} set "owner" = ${slot(0)}, "next_at" = ${slot(1)}, "attempts" = "attempts" + 1
    where "id" in (select "id" from ${scheduled} where ${isDue} and "kind" in (${slots(3, kinds)})
      order by "next_at", "id" limit 1 ${dialect.skipLocked}) returning ${columns}`;
}

/** Ends work that an owner has claimed as done; `returning "id"`. Values: now, item, owner. */
export function compileEndItem(): Sql {
  return sql`update ${scheduled} set "owner" = null, "state" = 'done', "ended_at" = ${slot(0)}, "result" = null
    where "id" = ${slot(1)} and "owner" = ${slot(2)} and "state" = 'waiting' returning "id"`;
}

/**
 * Ends work that has failed, also if another owner has claimed it since, but not if it was done again by hand since or
 * has another time; `returning "id"`. Values: now, result, item, its time, when it had failed before.
 */
export function compileFailItem(dialect: Dialect): Sql {
  return sql`update ${scheduled} set "owner" = null, "state" = 'failed', "ended_at" = ${slot(0)}, "result" = ${slot(1)}
    where "id" = ${slot(2)} and "state" = 'waiting' and "due_at" = ${slot(3)}
      and ${dialect.same(raw('"ended_at"'), dialect.value(slot(4), 'biginteger'))} returning "id"`;
}

/** Corrects the state of work that this transaction has ended. Values: state, result, item. */
export function compileSetItemState(): Sql {
  return sql`update ${scheduled} set "owner" = null, "state" = ${slot(0)}, "result" = ${slot(1)} where "id" = ${slot(2)}`;
}

/** Puts work off that an owner has claimed. Values: next time, item, owner. */
export function compilePutOffItem(): Sql {
  return sql`update ${scheduled} set "owner" = null, "next_at" = ${slot(0)}
    where "id" = ${slot(1)} and "owner" = ${slot(2)} and "state" = 'waiting'`;
}

/** Cancels work that waits or has failed; `returning "id"`. Values: now, result, item. */
export function compileCancelItem(): Sql {
  return sql`update ${scheduled} set "state" = 'cancelled', "ended_at" = ${slot(0)}, "result" = ${slot(1)}
    where "id" = ${slot(2)} and "state" in ('waiting', 'failed') returning "id"`;
}

/**
 * Has failed work done again, for an actor, without the failure but with its time; `returning "id"`. Values: now, kind, id
 * and name of the actor, item.
 */
export function compileRetryItem(): Sql {
  return sql`update ${scheduled} set "state" = 'waiting', "next_at" = ${slot(0)}, "attempts" = 0, "result" = null,
      "by_kind" = ${slot(1)}, "by_id" = ${slot(2)}, "by_name" = ${slot(3)}
    where "id" = ${slot(4)} and "state" = 'failed' returning "id"`;
}

/**
 * Gives waiting work another time and actor, even if a process has claimed it; `returning` the columns of items. Values:
 * the time, kind, id and name of the actor, item.
 */
export function compileMoveItem(): Sql {
  return sql`update ${scheduled} set "due_at" = ${slot(0)}, "next_at" = ${slot(0)}, "owner" = null, "attempts" = 0,
      "by_kind" = ${slot(1)}, "by_id" = ${slot(2)}, "by_name" = ${slot(3)}
    where "id" = ${slot(4)} and "state" = 'waiting' returning ${columns}`;
}

/** Deletes work that has ended long ago; `returning "id"`. Values: the end of the time, how many at once. */
export function compileForgetItems(): Sql {
  return sql`delete from ${scheduled} where "id" in (select "id" from ${scheduled}
    where "state" <> 'waiting' and "ended_at" < ${slot(0)} limit ${slot(1)}) returning "id"`;
}

/** The filters of a list of work: each has its values. */
export interface ItemFilter {
  readonly ids?: number;
  readonly kinds?: number;
  readonly states?: number;
  readonly types?: number;
  readonly targets?: number;
  readonly from?: boolean;
  readonly to?: boolean;
  /** Items after a time and an id. */
  readonly after?: boolean;
  readonly latestFirst?: boolean;
}

/** A list of work by due time. Values: those of the filters in their order (`after`: time, time, id), how many. */
export function compileItems(filter: ItemFilter): Sql {
  const where: Sql[] = [];
  let next = 0;
  const one = () => slot(next++);
  const several = (column: string, count: number | undefined): void => {
    if (count === undefined) return;
    where.push(count === 0 ? raw('1 = 0') : sql`"${raw(column)}" in (${slots(next, count)})`);
    next += count;
  };
  several('id', filter.ids);
  several('kind', filter.kinds);
  several('state', filter.states);
  several('content_type', filter.types);
  several('target', filter.targets);
  if (filter.from) where.push(sql`"due_at" >= ${one()}`);
  if (filter.to) where.push(sql`"due_at" < ${one()}`);
  const [beyond, order] = filter.latestFirst ? [raw('<'), raw('desc')] : [raw('>'), raw('asc')];
  if (filter.after) {
    where.push(sql`("due_at" ${beyond} ${one()} or ("due_at" = ${one()} and "id" ${beyond} ${one()}))`);
  }
  const condition = where.length === 0 ? raw('') : sql` where ${join(where, ' and ')}`;
  return sql`select ${columns} from ${scheduled}${condition}
    order by "due_at" ${order}, "id" ${order} limit ${slot(next)}`;
}

/** How much work waits, and how much of it is that of an actor. Values: kind and id of the actor. */
export function compileCountWaiting(dialect: Dialect): Sql {
  const isOwn = dialect.same(raw('"by_id"'), dialect.value(slot(1), 'integer'));
  return sql`select count(*), count(*) filter (where "by_kind" = ${slot(0)} and ${isOwn})
    from ${scheduled} where "state" = 'waiting'`;
}
