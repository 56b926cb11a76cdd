/** The triggers that maintain the totals of a table (`sql/totals.ts`). */
import { id, literal, render, type Sql, sql } from '../../sql/fragment.ts';
import { COUNTED, compileCountAnew, compileForgetTotals, TOTALS_TABLE, totalTrigger } from '../../sql/totals.ts';

/** The most rows of one table's totals that are added up at each read. */
const PIECES = 100;
const COUNT_FUNCTION = 'galley_count_rows';

/**
 * If all writers updated one total they would wait for one another. So each inserts a row with its difference, and
 * `gather` adds the rows up now and then. The function runs with the rights of its owner, because a writer of a table
 * need not have rights on the totals.
 */
const FUNCTION = `
create or replace function ${COUNT_FUNCTION}() returns trigger language plpgsql security definer as $function$
begin
  if tg_op = 'INSERT' then
    insert into ${TOTALS_TABLE} ("name", "locale", "published", "n")
      select tg_table_name, coalesce("locale", ''), "published_at" is not null, count(*) from added group by 2, 3;
  elsif tg_op = 'DELETE' then
    insert into ${TOTALS_TABLE} ("name", "locale", "published", "n")
      select tg_table_name, coalesce("locale", ''), "published_at" is not null, -count(*) from removed group by 2, 3;
  elsif tg_op = 'UPDATE' then
    insert into ${TOTALS_TABLE} ("name", "locale", "published", "n") values
      (tg_table_name, coalesce(old."locale", ''), old."published_at" is not null, -1),
      (tg_table_name, coalesce(new."locale", ''), new."published_at" is not null, 1);
  else
    delete from ${TOTALS_TABLE} where "name" = tg_table_name;
  end if;
  return null;
end $function$`;

/** Fixes the search path of the function to its schema for all callers. */
const PLACE = `
do $place$ begin
  execute format('alter function ${COUNT_FUNCTION}() set search_path = %I, pg_temp', current_schema());
end $place$`;

const EVENTS = [...COUNTED, 'truncate'] as const;

/**
 * The statements that start maintaining the totals of a table, in one transaction. Others may read the table meanwhile,
 * and write to it afterwards.
 */
export const keepTotals = (table: string): string[] => [...lockTotals(table), ...countFromNowOn(table)];

/** The same statements for tables that are already locked. */
export function countFromNowOn(table: string): string[] {
  const [insert, remove, update, truncate] = EVENTS.map((event) => id(totalTrigger(table, event)));
  // records the table's name, because a renamed table keeps its triggers
  const call = sql`execute function ${id(COUNT_FUNCTION)}(${literal(table)})`;
  const on = id(table);
  const moved = sql`old."locale" is distinct from new."locale" or (old."published_at" is null) <> (new."published_at" is null)`;
  const triggers = [
    sql`create trigger ${insert!} after insert on ${on} referencing new table as added for each statement ${call}`,
    sql`create trigger ${remove!} after delete on ${on} referencing old table as removed for each statement ${call}`,
    sql`create trigger ${update!} after update of "locale", "published_at" on ${on} for each row when (${moved}) ${call}`,
    sql`create trigger ${truncate!} after truncate on ${on} for each statement ${call}`,
  ];
  return [FUNCTION, PLACE, ...forgetTotals(table), text(compileCountAnew(table)), ...triggers.map(text)];
}

/**
 * Excludes writers of a table, and processes that add up totals, because rows that they move would be counted twice.
 */
export const lockTotals = (table: string): string[] => [
  text(sql`lock table ${id(table)} in share row exclusive mode`),
  text(sql`lock table ${id(TOTALS_TABLE)} in share row exclusive mode`),
];

/**
 * Drops all triggers of totals, also those made for a former name. Dropping even a missing trigger would exclude
 * readers, so the existing ones are looked up.
 */
export function dropTriggers(table: string): string {
  const place = literal(id(table).chunks[0]!);
  const there = sql`select tgname from pg_trigger where tgrelid = ${place}::regclass and tgname like ${literal(NAMES)}`;
  return text(sql`do $drop$ declare found name; begin
    for found in ${there} loop execute format('drop trigger %I on %s', found, ${place}); end loop;
  end $drop$`);
}

/** The statements that end maintaining the totals of a table, and delete them. */
export const forgetTotals = (table: string): string[] => [dropTriggers(table), text(compileForgetTotals(table))];

const NAMES = 'galley%total%';

/**
 * SQL for whether a table has all triggers, made for its name: `c` is its row of `pg_class`. The triggers of all tables
 * are read once.
 */
export const KEPT = `((c.oid, convert_to(c.relname, getdatabaseencoding()) || decode('00', 'hex')) in (
  select g.tgrelid, g.tgargs from pg_trigger g where g.tgenabled in ('O', 'A') and g.tgname like '${NAMES}'
  group by 1, 2 having count(*) = ${EVENTS.length}))`;

/** Selects the tables whose totals have too many pieces. */
export const SCATTERED = `select "name" from ${TOTALS_TABLE} group by 1 having count(*) > ${PIECES}`;

/** Adds up the totals of a table into one row for each locale and status. Others may read and write meanwhile. */
export function gather(table: string): string {
  const deleted = sql`delete from ${id(TOTALS_TABLE)} where "name" = ${literal(table)} returning "name", "locale", "published", "n"`;
  const sums = sql`select "name", "locale", "published", sum("n") from gone group by 1, 2, 3 having sum("n") <> 0`;
  const whole = sql`insert into ${id(TOTALS_TABLE)} ("name", "locale", "published", "n") ${sums}`;
  return text(sql`with gone as (${deleted}) ${whole}`);
}

const text = (statement: Sql): string => render(statement, (n) => `$${n}`).text;
