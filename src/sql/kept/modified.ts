/**
 * Drafts that are newer than what is published of them: triggers note which, so that a list of them need not compare every
 * draft with its published row. A list still compares those that are noted, so no note may be missing, and some may be too
 * many.
 */
import { short } from '../../schema/layout/naming.ts';
import type { Pairing } from '../../schema/layout/table.ts';
import { all } from '../compiler.ts';
import { id, literal, raw, type Sql, sql } from '../fragment.ts';

/** A row: the id (`draft`) of a row of the table `name`. The same row may be noted twice. */
export const MODIFIED_TABLE = 'galley_modified';

/** What a trigger is run by. */
export const NOTED = ['insert', 'delete', 'update'] as const;

/** The columns that decide: an update of others notes nothing. */
export const DECIDING: Sql = raw('"document_id", "locale", "published_at", "updated_at"');

/** What the names of triggers say of what they compare. */
const NAMES: Readonly<Record<Pairing, string>> = { locale: 'modified', document: 'changed' };

/** The name of a trigger of a table, or without an event that of what they all call. */
export const modifiedTrigger = (table: string, pairing: Pairing, event?: string): string =>
  short(['galley'], table, [NAMES[pairing]], ...(event === undefined ? [] : [[event] as const]));

/** Drafts and published rows of a table. */
export interface Pairs {
  readonly table: string;
  readonly pairing: Pairing;
  /**
   * A column in words that keep the planner from choosing an index for it: few rows have a document's id, and many the
   * rest. As it is where left out.
   */
  readonly aside?: (column: Sql) => Sql;
}

const asItIs = (column: Sql): Sql => column;

/** That two rows are versions of which one is compared with the other. */
function isPair(one: Sql, other: Sql, { pairing, aside = asItIs }: Pairs): Sql {
  const same = sql`${one}."document_id" = ${other}."document_id"`;
  return pairing === 'document' ? same : sql`${same} and ${aside(sql`${one}."locale"`)} = ${other}."locale"`;
}

/** That a draft is newer than a published row of its document. @param draft of the table, or a trigger's row. */
export function isModified(pairs: Pairs, draft: Sql): Sql {
  const { table, aside = asItIs } = pairs;
  const where = [
    isPair(raw('"p"'), draft, pairs),
    sql`${aside(raw('"p"."published_at"'))} is not null`,
    sql`${aside(raw('"p"."updated_at"'))} < ${draft}."updated_at"`,
  ];
  return sql`exists (select 1 from ${id(table)} "p" where ${all(where)})`;
}

/** That a row is noted. */
export const isNoted = (table: string, row: Sql): Sql =>
  sql`exists (select 1 from ${id(MODIFIED_TABLE)} "m" where "m"."name" = ${literal(table)} and "m"."draft" = ${row}."id")`;

/** A query of the notes of rows of a table that meet a condition. */
export const notesOf = (table: string, row: Sql, where: Sql): Sql =>
  sql`select ${literal(table)}, ${row}."id" from ${id(table)} ${row} where ${where}`;

/** The statement that adds notes, which a query gives. */
export const compileNote = (notes: Sql): Sql => sql`insert into ${id(MODIFIED_TABLE)} ("name", "draft") ${notes}`;

/** The statement that notes the drafts of a table anew, for triggers to keep the notes from then on. */
export function compileNoteAnew(pairs: Pairs): Sql {
  const draft = raw('"d"');
  return compileNote(notesOf(pairs.table, draft, sql`${draft}."published_at" is null and ${isModified(pairs, draft)}`));
}

/** The statement that forgets the notes of a table. */
export const compileForgetNotes = (table: string): Sql =>
  sql`delete from ${id(MODIFIED_TABLE)} where "name" = ${literal(table)}`;

/** A query of the ids (`id`) of the rows of a table that are noted, or of the published rows of the documents that are. */
export function compileNoted(pairs: Pairs, published: boolean): Sql {
  const { table, aside = asItIs } = pairs;
  const own = sql`"m"."name" = ${literal(table)}`;
  if (!published) return sql`select "m"."draft" as "id" from ${id(MODIFIED_TABLE)} "m" where ${own}`;
  const drafts = sql`${id(table)} "d" on "d"."id" = "m"."draft"`;
  const row = sql`${isPair(raw('"p"'), raw('"d"'), pairs)} and ${aside(raw('"p"."published_at"'))} is not null`;
  return sql`select distinct "p"."id" from ${id(MODIFIED_TABLE)} "m" join ${drafts} join ${id(table)} "p" on ${row} where ${own}`;
}
