/** The triggers that note which drafts of a table are newer than what is published (`sql/kept/modified.ts`). */
import { PAIRINGS, type Pairing } from '../../../schema/layout/table.ts';
import { id, literal, raw, render, type Sql, sql } from '../../../sql/fragment.ts';
import {
  compileForgetNotes,
  compileNote,
  compileNoteAnew,
  DECIDING,
  isModified,
  isNoted,
  MODIFIED_TABLE,
  modifiedTrigger,
  NOTED,
  notesOf,
  type Pairs,
} from '../../../sql/kept/modified.ts';

/** The drafts and published rows of a table, compared without another index than that of documents. */
export const pairsOf = (table: string, pairing: Pairing): Pairs => ({
  table,
  pairing,
  aside: (column) => sql`+${column}`,
});

/**
 * The statements that have the modified drafts of a table noted from now on, in one transaction. The triggers consist of
 * what every program that opens the file can run, and say no `on conflict`, which the statement that fires them may
 * override (https://sqlite.org/lang_createtrigger.html).
 */
export function keepModified(table: string, pairing: Pairing): string[] {
  const drops = PAIRINGS.flatMap((other) =>
    NOTED.map((event) => sql`drop trigger if exists ${id(modifiedTrigger(table, other, event))}`),
  );
  const pairs = pairsOf(table, pairing);
  const [ofNew, ofOld] = [renew(pairs, raw('new')), forget(pairs, raw('old'))];
  const trigger = (event: string, what: Sql, when: Sql, work: Sql): Sql =>
    sql`create trigger ${id(modifiedTrigger(table, pairing, event))} after ${what} on ${id(table)} when ${when} begin ${work} end`;
  const triggers = [
    trigger('insert', raw('insert'), concerns(table), ofNew),
    trigger('update', sql`update of ${DECIDING}`, concerns(table), ofNew),
    trigger('delete', raw('delete'), sql`${isNoted(table, raw('old'))} or ${hasNotes(table, raw('old'))}`, ofOld),
  ];
  return [...drops, compileForgetNotes(table), compileNoteAnew(pairs), ...triggers].map(text);
}

/** Whether triggers of these names note the modified drafts of a table. */
export const hasModified = (triggers: ReadonlySet<unknown>, table: string, pairing: Pairing): boolean =>
  NOTED.every((event) => triggers.has(modifiedTrigger(table, pairing, event)));

/** That rows of a row's document are noted. */
const hasNotes = (table: string, row: Sql): Sql =>
  sql`exists (select 1 from ${id(table)} "o" where "o"."document_id" = ${row}."document_id" and ${isNoted(table, raw('"o"'))})`;

/** That a changed row may make a draft of its document one that is modified, or one that no longer is. */
function concerns(table: string): Sql {
  const older = sql`"o"."published_at" is not null and +"o"."updated_at" < new."updated_at"`;
  const newer = sql`"o"."published_at" is null and +"o"."updated_at" > new."updated_at"`;
  const where = sql`"o"."document_id" = new."document_id" and (case when new."published_at" is null then ${older} else ${newer} end or ${isNoted(table, raw('"o"'))})`;
  return sql`exists (select 1 from ${id(table)} "o" where ${where})`;
}

/** Notes the drafts of a row's document anew. */
function renew(pairs: Pairs, row: Sql): Sql {
  const { table } = pairs;
  const draft = raw('"d"');
  const where = sql`${draft}."document_id" = ${row}."document_id" and +${draft}."published_at" is null and ${isModified(pairs, draft)} and not ${isNoted(table, draft)}`;
  return sql`${forget(pairs, row)} ${compileNote(notesOf(table, draft, where))};`;
}

/** Forgets the notes of a row that is gone, and those of its document that are no longer true. */
function forget(pairs: Pairs, row: Sql): Sql {
  const { table } = pairs;
  const here = sql`+"d"."published_at" is null and ${isModified(pairs, raw('"d"'))}`;
  const untrue = sql`select "d"."id" from ${id(table)} "d" where "d"."document_id" = ${row}."document_id" and not (${here})`;
  const gone = sql`select ${row}."id" where not exists (select 1 from ${id(table)} "d" where "d"."id" = ${row}."id")`;
  return sql`delete from ${id(MODIFIED_TABLE)} where "name" = ${literal(table)} and "draft" in (${untrue} union all ${gone});`;
}

const text = (statement: Sql): string => render(statement, () => '?').text;
