/** SQL of the search indexes of SQLite: FTS5 tables of trigrams (https://sqlite.org/fts5.html). */
import { createHash } from 'node:crypto';
import type { SearchIndex } from '../../../plan/read-plan.ts';
import { short } from '../../../schema/layout/naming.ts';
import { id, join, literal, raw, render, type Sql, sql } from '../../../sql/fragment.ts';

export const TOKENIZER = 'trigram';
/** The prefix of the names of search indexes. */
export const PREFIX = 'galley_search';

/**
 * Stands for a text that the index may not see completely: one with U+0000, at which older engines stop reading, or one
 * that is stored as bytes. Every query includes it. Its letters are for private use; content that contains them is
 * merely tested in vain.
 */
export const UNSEEN = '\u{F8FD}\u{F8FE}\u{F8FF}';

/** The name of the index of some columns of a table. */
export function nameOf(table: string, columns: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(columns)).digest('hex').slice(0, 5);
  return short([PREFIX], table, [hash]);
}

const text = (statement: Sql): string => render(statement, () => '?').text;

const list = (parts: readonly Sql[]): Sql => join(parts, ', ');

/** A letter that the engine does not fold, and its folded form, which is indexed instead. */
const UNFOLDED = { letter: 'İ', folded: 'i' };

/** A text as it is indexed. */
export const asTaken = (text: string): string => text.replaceAll(UNFOLDED.letter, UNFOLDED.folded);

/** The texts of a row as they are indexed. */
function taken(columns: readonly string[], row: Sql): Sql {
  return list(
    columns.map((column) => {
      const value = sql`${row}.${id(column)}`;
      return sql`case when typeof(${value}) = 'blob' or instr(${value}, char(0)) > 0 then ${literal(UNSEEN)} else replace(${value}, ${literal(UNFOLDED.letter)}, ${literal(UNFOLDED.folded)}) end`;
    }),
  );
}

/**
 * The statement that creates an empty index. It stores neither texts nor positions: that would take several times the
 * space, and the rows are tested anyway.
 */
export function create({ name, columns }: SearchIndex): string {
  const options = raw(`content = '', contentless_delete = 1, detail = none, tokenize = '${TOKENIZER}'`);
  return text(sql`create virtual table ${id(name)} using fts5 (${list(columns.map(id))}, ${options})`);
}

/** A trigger that maintains an index. An index counts as complete only if it has all three with exactly these texts. */
export interface Trigger {
  readonly name: string;
  readonly text: string;
}

/**
 * The triggers of an index. They only use functions of the engine, so that other programs maintain the index as well.
 *
 * @param complete whether the index contains all rows; only the text of the triggers records this.
 * @param build identifies the build that fills an incomplete index.
 */
export function triggers({ name, table, columns }: SearchIndex, complete: boolean, build = ''): readonly Trigger[] {
  const state = raw(complete ? '' : `/* the index is being filled ${build} */ `);
  const without = (row: string) => sql`delete from ${id(name)} where rowid = ${raw(row)}.${id('id')};`;
  const added = sql`insert into ${id(name)} (rowid, ${list(columns.map(id))}) values (new.${id('id')}, ${taken(columns, raw('new'))});`;
  const trigger = (event: string, when: Sql, work: Sql): Trigger => {
    const own = `${name}_${event}`;
    const head = sql`after ${when} on ${id(table)} begin ${state}${work} end`;
    return { name: own, text: text(sql`create trigger ${id(own)} ${head}`) };
  };
  const changed = list(['id', ...columns].map(id));
  return [
    // replacing a row fires no delete trigger
    trigger('insert', raw('insert'), sql`${without('new')} ${added}`),
    trigger('update', sql`update of ${changed}`, sql`${without('old')} ${without('new')} ${added}`),
    trigger('delete', raw('delete'), without('old')),
  ];
}

/** The statement that tells whether a build fills an index. Values: the name of a trigger, the build. */
export const FILLED_BY = `select 1 from sqlite_schema where type = 'trigger' and name = ? and instr(sql, ?) > 0`;

/** The statements that drop the triggers of an index. */
export function dropTriggers(index: SearchIndex): string[] {
  return triggers(index, true).map(({ name }) => text(sql`drop trigger if exists ${id(name)}`));
}

/** The statement that drops an index whose triggers are gone. */
export const drop = (name: string): string => text(sql`drop table if exists ${id(name)}`);

/** The statement for the last of the next so many ids after an id; null after the last. */
export const nextIds = (table: string): string =>
  text(sql`select max(${id('id')}) from (select ${id('id')} from ${id(table)} where ${id('id')} > ?
    order by ${id('id')} limit ?)`);

/** The statement that indexes the rows after an id, up to another. Rows that are already indexed are replaced. */
export function fill({ name, table, columns }: SearchIndex): string {
  const row = raw('r');
  return text(sql`insert or replace into ${id(name)} (rowid, ${list(columns.map(id))})
    select r.${id('id')}, ${taken(columns, row)} from ${id(table)} r where r.${id('id')} > ? and r.${id('id')} <= ?`);
}

/** The statement that sets how many segments of one size a write merges; 0: none. */
export const automerge = (name: string, segments: number): string =>
  text(sql`insert into ${id(name)} (${id(name)}, rank) values ('automerge', ${segments})`);

/** The statement that merges about so many pages of segments (https://sqlite.org/fts5.html#the_merge_command). */
export const merge = (name: string, pages: number): string =>
  text(sql`insert into ${id(name)} (${id(name)}, rank) values ('merge', ${pages})`);

/**
 * Selects the indexes with their columns, the triggers with their texts, and the tables, all for one version of the
 * schema.
 */
export const SURVEY = `
  select v.schema_version, m.type, m.name, m.tbl_name, m.sql, iif(m.name glob '${PREFIX}_*' and m.sql like 'create virtual table%',
    (select json_group_array(c.name) from pragma_table_info(m.name) c), null)
  from pragma_schema_version v left join sqlite_schema m
    on m.type = 'table' or (m.type = 'trigger' and m.name glob '${PREFIX}_*')`;
