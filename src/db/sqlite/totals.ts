/** The triggers that maintain the totals of a table (`sql/totals.ts`). */
import type Sqlite from 'better-sqlite3';
import { id, literal, raw, render, type Sql, sql } from '../../sql/fragment.ts';
import { COUNTED, compileCountAnew, compileForgetTotals, TOTALS_TABLE, totalTrigger } from '../../sql/totals.ts';
import { PerSchema } from './schema-cache.ts';

/**
 * The statements that start maintaining the totals of a table, in one transaction. The triggers only use what every
 * program that opens the file supports, because all of them run the triggers.
 */
export function keepTotals(table: string): string[] {
  return [
    ...forgetTotals(table),
    text(compileCountAnew(table)),
    ...triggersOf(table).map((trigger) => CREATE + trigger),
  ];
}

/** The statements that end maintaining the totals of a table, and delete them. */
export function forgetTotals(table: string): string[] {
  const drops = COUNTED.map((event) => sql`drop trigger if exists ${id(totalTrigger(table, event))}`);
  return [...drops, compileForgetTotals(table)].map(text);
}

const CREATE = 'create trigger ';

/** The triggers of a table, as the file's schema stores them after `create trigger`. */
function triggersOf(table: string): readonly string[] {
  const moved = sql`old."locale" is not new."locale" or (old."published_at" is null) <> (new."published_at" is null)`;
  const [added, removed] = [count(table, 'new', '+'), count(table, 'old', '-')];
  return [
    sql`${id(totalTrigger(table, 'insert'))} after insert on ${id(table)} begin ${added} end`,
    sql`${id(totalTrigger(table, 'delete'))} after delete on ${id(table)} begin ${removed} end`,
    sql`${id(totalTrigger(table, 'update'))} after update of "locale", "published_at" on ${id(table)} when ${moved} begin ${removed} ${added} end`,
  ].map(text);
}

/**
 * Adds a row to the totals, or removes it. Avoids `on conflict`, which the statement that fires the trigger may
 * override (https://sqlite.org/lang_createtrigger.html).
 */
function count(table: string, row: 'new' | 'old', sign: '+' | '-'): Sql {
  const of = raw(row);
  const total = sql`"name" = ${literal(table)} and "locale" = coalesce(${of}."locale", '') and "published" = (${of}."published_at" is not null)`;
  const totals = id(TOTALS_TABLE);
  const missing = sql`select ${literal(table)}, coalesce(${of}."locale", ''), ${of}."published_at" is not null, 0 where not exists (select 1 from ${totals} where ${total})`;
  const inserted = sql`insert into ${totals} ("name", "locale", "published", "n") ${missing};`;
  return sql`${inserted} update ${totals} set "n" = "n" ${raw(sign)} 1 where ${total};`;
}

const text = (statement: Sql): string => render(statement, () => '?').text;

/**
 * Selects the texts of all triggers after `create trigger`: the triggers of a renamed table have another text but the
 * same name.
 */
export const TRIGGERS = `select substr(sql, ${CREATE.length + 1}) from sqlite_schema where type = 'trigger'`;

const SUM = `select sum(n) from ${TOTALS_TABLE} where name = ?`;

/** Trigger texts by table, which every list needs. */
const texts = new Map<string, readonly string[]>();

/** Whether triggers with these texts maintain the totals of a table. */
export function hasTotals(triggers: ReadonlySet<unknown>, table: string): boolean {
  let own = texts.get(table);
  if (!own) {
    own = triggersOf(table);
    texts.set(table, own);
  }
  return own.every((trigger) => triggers.has(trigger));
}

/** The tables whose totals are maintained. */
export class KeptTotals {
  readonly #connection: Sqlite.Database;
  readonly #triggers: PerSchema<ReadonlySet<unknown>>;
  #sum: Sqlite.Statement<[string], unknown> | undefined;

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
    this.#triggers = new PerSchema(connection, () => new Set(connection.prepare(TRIGGERS).pluck().all()));
  }

  has(table: string): boolean {
    try {
      return hasTotals(this.#triggers.get(), table);
    } catch {
      // the file is locked; other reads report that
      return false;
    }
  }

  /** The number of rows of a table; undefined if its totals are not maintained. */
  count(table: string): number | undefined {
    if (!this.has(table)) return undefined;
    try {
      this.#sum ??= this.#connection.prepare<[string], unknown>(SUM).pluck();
      return Number(this.#sum.get(table) ?? 0);
    } catch {
      return undefined;
    }
  }
}
