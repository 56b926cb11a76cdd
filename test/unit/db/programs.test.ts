/** Which tables a statement reads and writes, as SQLite's own program for it has it. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { Programs } from '../../../src/db/sqlite/programs.ts';

const connection = new Sqlite(':memory:');
connection.pragma('foreign_keys = on');
connection.exec(`
  create table posts (id integer primary key, title text);
  create index titles on posts (title);
  create table links (id integer primary key, post_id integer references posts (id) on delete cascade);
  create table counts (number integer);
  create table settings (name text primary key, value text) without rowid;
  create table drafts (id integer primary key);
  create trigger counted after insert on drafts begin update counts set number = number + 1; end;
`);
after(() => connection.close());

const sorted = (names: readonly string[] | undefined) => names && [...names].sort();

describe('the tables of a statement', () => {
  const programs = new Programs(connection);
  const writes: readonly [string, string, readonly string[] | undefined][] = [
    ['an insert', 'insert into posts (title) values (?)', ['posts']],
    ['an update', 'update counts set number = ?', ['counts']],
    ['a removal of all rows', 'delete from counts', ['counts']],
    ['a removal that a foreign key takes further', 'delete from posts where id = ?', ['links', 'posts']],
    ['an insert with a trigger', 'insert into drafts values (?)', ['counts', 'drafts']],
    ['an insert into a table without row ids', 'insert into settings values (?, 1)', ['settings']],
    ['a copy', 'insert into counts select id from posts where id = ?', ['counts']],
    ['a read', 'select * from posts where id = ?', []],
    ['a definition', 'create table more (id)', undefined],
    ['an index', 'create index more on links (post_id)', undefined],
  ];
  for (const [what, text, tables] of writes) {
    it(`that writes: ${what}`, () => {
      const values = text.includes('?') ? [1] : [];
      deepStrictEqual(sorted(programs.writtenBy(text, values)), tables);
    });
  }

  const reads: readonly [string, string, readonly string[]][] = [
    ['of an index alone', 'select count(*) from posts', ['posts']],
    [
      'of several',
      'select (select value from settings), p.* from posts p join links l on l.post_id = p.id',
      ['links', 'posts', 'settings'],
    ],
    ['of a function', "select value from json_each('[1]')", []],
  ];
  for (const [what, text, tables] of reads) {
    it(`that reads ${what}`, () => deepStrictEqual(sorted(programs.readBy(text, [])), tables));
  }

  it('are unknown if a table is virtual or the statement is invalid', () => {
    const other = new Sqlite(':memory:');
    other.exec(`
      create table posts (id integer primary key, title text);
      create virtual table words using fts5 (title);
      create trigger found after insert on posts begin insert into words (title) values (new.title); end;
    `);
    const virtual = new Programs(other);
    deepStrictEqual(virtual.readBy("select rowid from words where words match 'a'", []), undefined);
    deepStrictEqual(virtual.writtenBy('insert into posts (title) values (?)', ['a']), undefined);
    deepStrictEqual(virtual.writtenBy('insert into nowhere values (1)', []), undefined);
    deepStrictEqual(virtual.readBy('select title from posts', []), ['posts']);
    other.close();
  });

  it('are those of the current schema after `forget`', () => {
    const text = 'insert into settings values (?, 2)';
    connection.exec('create trigger too after insert on settings begin delete from links; end');
    programs.forget();
    deepStrictEqual(sorted(programs.writtenBy(text, ['a'])), ['links', 'settings']);
  });
});
