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
} from '../../../sql/kept/modified.ts';

/**
 * The statements that have the modified drafts of a table noted from now on, in one transaction. Others may read the
 * table meanwhile, and write to it afterwards.
 */
export const keepModified = (table: string, pairing: Pairing): string[] => [
  lockRows(table),
  ...noteFromNowOn(table, pairing),
];

/** Keeps writers of a table out. */
export const lockRows = (table: string): string => text(sql`lock table ${id(table)} in share row exclusive mode`);

/** The same where the table is locked already. */
export function noteFromNowOn(table: string, pairing: Pairing): string[] {
  const name = modifiedTrigger(table, pairing);
  const trigger = (event: string, what: Sql): Sql =>
    sql`create trigger ${id(modifiedTrigger(table, pairing, event))} after ${what} on ${id(table)} for each row execute function ${id(name)}()`;
  return [
    functionOf(table, pairing, name),
    // whoever calls it, its names are those of the schema it is in
    `do $place$ begin
      execute format('alter function ${text(id(name))}() set search_path = %I, pg_temp', current_schema());
    end $place$`,
    ...PAIRINGS.flatMap((other) => NOTED.map((event) => dropTrigger(table, modifiedTrigger(table, other, event)))),
    text(compileForgetNotes(table)),
    text(compileNoteAnew({ table, pairing })),
    text(trigger('insert', raw('insert'))),
    text(trigger('delete', raw('delete'))),
    text(trigger('update', sql`update of ${DECIDING}`)),
  ];
}

/**
 * No transaction sees what another has not committed yet, so of two that change a draft and its published row at once
 * neither sees both. What decides is who holds the draft's row: whoever changes it does, and whoever changes the published
 * row asks for it, and takes what it does not get to be modified. Nobody waits for it, or two who go on to the other's row
 * would wait for each other. A transaction that sees the database as it was at its beginning notes whatever it changes.
 *
 * The function runs with the rights of its owner, as whoever writes to a table need not have rights on the notes.
 */
function functionOf(table: string, pairing: Pairing, name: string): string {
  const pairs = { table, pairing };
  const draft = raw('"d"');
  const own = sql`"m"."name" = ${literal(table)}`;
  const notes = id(MODIFIED_TABLE);
  const isOwnDraft = sql`${draft}."id" = new."id"`;
  const locale = pairing === 'locale' ? sql` and ${draft}."locale" = new."locale"` : raw('');
  const drafts = sql`${draft}."document_id" = new."document_id"${locale} and ${draft}."published_at" is null`;
  const modified = isModified(pairs, draft);
  const anew = (where: Sql): Sql => compileNote(notesOf(table, draft, sql`${where} and not ${isNoted(table, draft)}`));
  const body = sql`
begin
  if tg_op = 'DELETE' then
    delete from ${notes} "m" where ${own} and "m"."draft" = old."id";
  elsif current_setting('transaction_isolation') <> 'read committed' then
    ${anew(drafts)};
  elsif new."published_at" is null then
    ${anew(sql`${isOwnDraft} and ${modified}`)};
  else
    galley_free := array(select ${draft}."id" from ${id(table)} ${draft} where ${drafts} for share skip locked);
    delete from ${notes} "m" where ${own} and "m"."draft" = any(galley_free)
      and not exists (select 1 from ${id(table)} ${draft} where ${draft}."id" = "m"."draft" and ${modified});
    ${anew(sql`${drafts} and (${draft}."id" <> all(galley_free) or ${modified})`)};
  end if;
  return null;
end `;
  return `create or replace function ${text(id(name))}() returns trigger language plpgsql security definer as $function$
#variable_conflict use_variable
declare
  galley_free integer[];${text(body)}$function$`;
}

function dropTrigger(table: string, name: string): string {
  // dropping one locks readers out, even if it is not there
  const there = sql`select from pg_trigger where tgrelid = ${literal(id(table).chunks[0]!)}::regclass and tgname = ${literal(name)}`;
  return text(
    sql`do $drop$ begin if exists (${there}) then drop trigger ${id(name)} on ${id(table)}; end if; end $drop$`,
  );
}

/** The tables of which all triggers are there, each with the name of their function. */
export const MODIFIED = `
  select c.relname::text, f.proname::text from pg_trigger g
  join pg_class c on c.oid = g.tgrelid
  join pg_proc f on f.oid = g.tgfoid
  where c.relnamespace = current_schema()::regnamespace and g.tgenabled in ('O', 'A') and f.proname like 'galley%'
  group by 1, 2 having count(*) = ${NOTED.length}`;

/** Whether the modified drafts of a table are noted. @param rows what `MODIFIED` gives. */
export const hasModified = (rows: readonly (readonly unknown[])[], table: string, pairing: Pairing): boolean =>
  rows.some(([name, by]) => name === table && by === modifiedTrigger(table, pairing));

const text = (statement: Sql): string => render(statement, (n) => `$${n}`).text;
