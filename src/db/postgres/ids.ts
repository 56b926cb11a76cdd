/**
 * The sequences that assign ids to new rows. Programs that insert rows with their ids (`pg_restore --data-only`,
 * `COPY`, pgloader) leave them behind, and each new row would then get an id that is taken
 * (https://www.postgresql.org/docs/current/functions-sequence.html).
 */
import { id, literal, raw, render, sql } from '../../sql/fragment.ts';
import type { Executor } from '../interface/queryable.ts';

/** A sequence whose next value is not beyond the ids of its table. */
export interface LaggingSequence {
  readonly table: string;
  /** Its name, quoted if necessary. */
  readonly sequence: string;
  /** The value before its next one. */
  readonly last: number;
  readonly largest: number;
}

/** The value before the next one of a sequence; a new sequence has assigned none. */
const lastOf = (sequence: string): string =>
  `coalesce(pg_sequence_last_value(${sequence}), (select seqstart - 1 from pg_sequence where seqrelid = ${sequence}))`;

/**
 * Tables with the sequence that the default of `id` reads or that belongs to the column, the last value that it has
 * assigned, its comment, and whether the table may have rows. `$1`: the name of a table, or null for all. The default is a subquery because a join, without
 * statistics of the catalogs, compares the defaults of all tables for each table.
 */
const SEQUENCES = `
  select t.relname::text, s.oid::regclass::text, case when s.relkind = 'S' then ${lastOf('s.oid')} end, obj_description(s.oid, 'pg_class'),
    t.relkind = 'p' or pg_relation_size(t.oid) > 0
  from pg_class t
  join pg_attribute a on a.attrelid = t.oid and a.attname = 'id' and not a.attisdropped
  cross join lateral (
    select p.objid from pg_depend p
      where p.classid = 'pg_class'::regclass and p.refclassid = 'pg_class'::regclass and p.refobjid = t.oid
        and p.refobjsubid = a.attnum and p.deptype = 'i'
    union
    select p.refobjid from pg_depend p
      where p.classid = 'pg_attrdef'::regclass and p.refclassid = 'pg_class'::regclass
        and p.objid = (select d.oid from pg_attrdef d where d.adrelid = t.oid and d.adnum = a.attnum)) o (oid)
  join pg_class s on s.oid = o.oid
  where t.relkind in ('r', 'p') and t.relnamespace = current_schema()::regnamespace and ($1::text is null or t.relname = $1)
    and case when s.relkind = 'S' then has_table_privilege(t.oid, 'select')
      and has_sequence_privilege(s.oid, 'update') and has_sequence_privilege(s.oid, 'usage, select') else false end`;

/** The prefix of the comment of a sequence that was behind. */
const NOTE = 'Galley: was behind the ids of its table until ';

export interface IdSequence {
  readonly table: string;
  readonly sequence: string;
  readonly last: number;
  readonly comment: string | null;
  readonly mayHaveRows: boolean;
}

/** The sequences that assign the ids of tables. Only reads. @param table undefined: of all tables. */
export async function sequencesOf(executor: Executor, table?: string): Promise<IdSequence[]> {
  const rows = await executor.rows(SEQUENCES, [table ?? null]);
  return rows.map(([name, sequence, last, comment, mayHaveRows]) => ({
    table: String(name),
    sequence: String(sequence),
    last: Number(last),
    comment: comment === null ? null : String(comment),
    mayHaveRows: mayHaveRows === true,
  }));
}

/**
 * The sequences that are behind the ids of their tables. Only reads.
 *
 * @param table undefined: of all tables.
 */
export async function laggingSequences(executor: Executor, table?: string): Promise<LaggingSequence[]> {
  // to plan the statement for a table takes longer than to see that it is empty
  const sequences = (await sequencesOf(executor, table)).filter(({ mayHaveRows }) => mayHaveRows);
  if (sequences.length === 0) return [];
  const parts = sequences.map(({ table }, n) => sql`select ${raw(String(n))}, (select max("id") from ${id(table)})`);
  const text = parts.map((part) => render(part, String).text).join(' union all ');
  const largest = new Map(
    (await executor.rows(text, [])).map(([n, max]) => [Number(n), max === null ? null : Number(max)]),
  );
  return sequences.flatMap(({ table, sequence, last }, n) => {
    const max = largest.get(n) ?? null;
    return max !== null && max > last ? [{ table, sequence, last, largest: max }] : [];
  });
}

/** Sentences about the sequences that a server has moved forward. Only reads. */
export async function sequenceNotes(executor: Executor): Promise<string[]> {
  const sequences = await sequencesOf(executor);
  return sequences.flatMap(({ table, sequence, comment }) =>
    comment?.startsWith(NOTE)
      ? [
          `the sequence ${sequence} was behind the ids of ${table} until ${comment.slice(NOTE.length)}, when a server moved it forward`,
        ]
      : [],
  );
}

export async function clearSequenceNotes(tx: Executor): Promise<void> {
  for (const { sequence, comment } of await sequencesOf(tx)) {
    if (comment?.startsWith(NOTE))
      await tx.rows(render(sql`comment on sequence ${raw(sequence)} is null`, String).text, []);
  }
}

/**
 * Moves a sequence beyond the ids of its table. It never moves back: the statement that sets it compares the largest id
 * with the last value.
 */
export function compileAdvance({ table, sequence }: LaggingSequence): string {
  const name = sql`${literal(sequence)}::regclass`;
  const largest = sql`(select max("id") as "largest" from ${id(table)}) rows`;
  const last = raw(lastOf(render(name, String).text));
  return render(sql`select setval(${name}, "largest") from ${largest} where "largest" > ${last}`, String).text;
}

/** Records in the comment of a sequence that it was behind, if it has no comment and the role may write one. */
function compileNote({ sequence }: LaggingSequence): string {
  const name = literal(sequence);
  const note = literal(`${NOTE}${new Date().toISOString()}`);
  const comment = sql`execute format('comment on sequence %s is %L', ${name}, ${note})`;
  const isFree = sql`obj_description(${name}::regclass, 'pg_class') is null`;
  const body = sql`begin if ${isFree} then ${comment}; end if; exception when insufficient_privilege then null; end`;
  return render(sql`do ${literal(render(body, String).text)}`, String).text;
}

/** A number that no other program is likely to lock: the letters `gals`. */
const LOCK = 0x67616c73;
/** Lets processes take turns at a table: of two that set a sequence at once, the slower one might set it back. */
const IN_TURN = `select pg_advisory_xact_lock(${LOCK}, hashtext($1))::text`;

/**
 * Moves the sequences that are behind.
 *
 * @param tx a transaction.
 * @param table undefined: those of all tables.
 * @returns those that were behind.
 */
export async function advanceSequences(tx: Executor, table?: string): Promise<LaggingSequence[]> {
  const lagging = await laggingSequences(tx, table);
  // in one order, so that no two transactions wait for each other
  lagging.sort((one, other) => (one.table < other.table ? -1 : 1));
  for (const one of lagging) {
    await tx.rows(IN_TURN, [one.table]);
    await tx.rows(compileAdvance(one), []);
    await tx.rows(compileNote(one), []);
  }
  return lagging;
}

/** Whether a constraint of a table is its primary key. */
export async function isPrimaryKey(executor: Executor, table: string, constraint: string): Promise<boolean> {
  const text = `select 1 from pg_constraint where contype = 'p' and conname = $2
    and conrelid = (select c.oid from pg_class c where c.relname = $1 and c.relnamespace = current_schema()::regnamespace)`;
  return (await executor.rows(text, [table, constraint])).length > 0;
}
