/** The log of changes for event listeners. Slots are in the order of the named values; times are epoch milliseconds. */
import type { Dialect, UnfoldedColumn } from '../dialect.ts';
import { id, raw, type Sql, slot, sql } from '../fragment.ts';
import { compileInsertMany } from '../write.ts';

export const EVENTS_TABLE = 'galley_events';
export const LISTENING_TABLE = 'galley_event_listening';

const NEW_EVENT: readonly UnfoldedColumn[] = [
  { name: 'uid', kind: 'text' },
  { name: 'document_id', kind: 'text' },
  { name: 'locale', kind: 'text' },
  { name: 'status', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'changed_at', kind: 'integer' },
];

const COLUMNS = sql`select "id", "uid", "document_id", "locale", "status", "kind", "changed_at" from ${id(EVENTS_TABLE)}`;

/** Adds changes: slot 0 is the JSON of a list of lists in the order of `NEW_EVENT`. */
export function compileAddEvents(dialect: Dialect): Sql {
  return compileInsertMany(dialect, EVENTS_TABLE, NEW_EVENT);
}

/** The changes after a number, up to another number or all. Values: the number, how many, the other number. */
export function compileEventsAfter(isBounded: boolean): Sql {
  const bound = isBounded ? sql` and "id" <= ${slot(2)}` : raw('');
  return sql`${COLUMNS} where "id" > ${slot(0)}${bound} order by "id" limit ${slot(1)}`;
}

/** Changes by their numbers: slot 0 is the JSON of a list of lists of one. */
export function compileEventsNumbered(dialect: Dialect): Sql {
  const numbers = dialect.unfold(slot(0), [{ name: 'n', kind: 'integer' }]);
  return sql`${COLUMNS} where "id" in (select given."n" from ${numbers} given) order by "id"`;
}

/** The first and the last number; null if there is none. */
export function compileEventRange(): Sql {
  return sql`select min("id"), max("id") from ${id(EVENTS_TABLE)}`;
}

/**
 * Removes changes before a time, and all but the newest; the last one stays. Only the oldest ones are examined;
 * `returning "id"`. Values: the time, the number to retain, the number to examine.
 */
export function compileForgetEvents(): Sql {
  const last = sql`(select max("id") from ${id(EVENTS_TABLE)})`;
  return sql`delete from ${id(EVENTS_TABLE)} where "id" < ${last}
    and "id" in (select "id" from ${id(EVENTS_TABLE)} order by "id" limit ${slot(2)})
    and ("changed_at" < ${slot(0)} or "id" <= ${last} - ${slot(1)}) returning "id"`;
}

/** A number of writing transactions (`Dialect.writers`); undefined for engines with one writer at a time. */
export function compileWriters({ writers }: Dialect, which: 'begun' | 'over'): Sql | undefined {
  return writers && sql`select ${writers[which]}`;
}

/** Until when changes are logged: one row, or none. */
export function compileListening(): Sql {
  return sql`select "until" from ${id(LISTENING_TABLE)} where "name" = 'events'`;
}

/** Until when a process may not know that changes are logged: one row, or none. */
export function compileSettling(): Sql {
  return sql`select "until" from ${id(LISTENING_TABLE)} where "name" = 'settling'`;
}

/** Records until when a process may not know. Value: the time. */
export function compileSettle(): Sql {
  return sql`insert into ${id(LISTENING_TABLE)} ("name", "until") values ('settling', ${slot(0)})
    on conflict ("name") do update set "until" = excluded."until"`;
}

/** Has changes logged at least until a time. Value: the time. */
export function compileListen(): Sql {
  const own = id(LISTENING_TABLE);
  return sql`insert into ${own} ("name", "until") values ('events', ${slot(0)})
    on conflict ("name") do update set "until" = excluded."until" where ${own}."until" < excluded."until"`;
}
