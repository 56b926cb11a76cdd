/**
 * What the exactness of search indexes rests on: that the engine folds letters as Galley takes it to, and that an index
 * which is no longer kept is noticed.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { createSearchIndex } from '../../../src/db/indexes/building.ts';
import { fold, foldedOtherwise } from '../../../src/db/sqlite/search/letters.ts';
import { asTaken, TOKENIZER, UNSEEN } from '../../../src/db/sqlite/search/words.ts';
import { render, slot, sql } from '../../../src/sql/fragment.ts';
import { databaseUrl, runSql } from '../../support/databases/cluster.ts';
import { engines } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const UID = 'api::page.page';
const SEARCHED = { table: 'pages', columns: ['title', 'body'] };

const [sqlite, postgres] = engines;

/** Beyond the planes in which letters have cases, code points are like each other: some are tried. */
const LAST_WITH_CASES = 0x1ffff;
const SAMPLE = 251;

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

describe('letters of search indexes', () => {
  it('are folded one by one by SQLite, in the same way as in queries of the index', () => {
    const connection = new Sqlite(':memory:');
    connection.exec(`create virtual table letters using fts5 (text, detail = none, tokenize = '${TOKENIZER}');
      create virtual table terms using fts5vocab (letters, instance)`);
    const insert = connection.prepare('insert into letters (rowid, text) values (?, ?)');
    connection.transaction(() => {
      for (let code = 1; code <= 0x10ffff; code++) {
        if (code > LAST_WITH_CASES && code % SAMPLE !== 0) continue;
        if (!isSurrogate(code)) insert.run(code, String.fromCodePoint(code).repeat(3));
      }
    })();
    const indexed = new Map<number, string>();
    for (const [code, term] of connection.prepare('select doc, term from terms').raw().all() as [number, string][]) {
      const letters = [...term];
      deepStrictEqual([letters.length, indexed.has(code)], [3, false], `U+${code.toString(16)} is one letter`);
      indexed.set(code, letters[0]!);
    }
    connection.close();
    const otherwise = foldedOtherwise();
    let folds = 0;
    for (let code = 1; code <= 0x10ffff; code++) {
      if (isSurrogate(code)) continue;
      const letter = String.fromCodePoint(code);
      const folded = fold(letter);
      if (folded === letter) continue;
      folds++;
      for (const part of folded) {
        if (otherwise.has(part)) continue;
        strictEqual(part, folded, `what U+${code.toString(16)} becomes two letters of is not asked for`);
        const taken = asTaken(letter).codePointAt(0)!;
        strictEqual(indexed.get(taken), indexed.get(part.codePointAt(0)!), `U+${code.toString(16)} is folded alike`);
      }
    }
    ok(folds > 1000);
    // the others are what the index is asked for
    ok([...'abcdefghijklmnopqrstuvwxyzéñæжшαω'].every((letter) => !otherwise.has(letter)));
  });

  it('are folded by PostgreSQL in the same way as in queries of the index', async () => {
    const test = await postgres!.emptyDatabase();
    const { database } = await openPlain(test, { readTimeout: 60_000 });
    const { dialect } = database;
    const text = (fragment: ReturnType<typeof sql>) => render(fragment, (n) => dialect.placeholder(n)).text;
    const all = sql`(select 'Ab' || chr(c) || 'Cd' as t from generate_series(1, 1114111) c
      where c not between 55296 and 57343 and (c <= ${LAST_WITH_CASES} or c % ${SAMPLE} = 0)) s`;
    const pattern = sql`replace(replace(replace(t, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;
    const missed = sql`select count(*) from ${all} where not (${dialect.fold(sql`t || 'Σx'`)} like '%' || ${dialect.fold(pattern)} || '%')`;
    deepStrictEqual(await database.rows(text(missed), []), [[0]]);
    // what is a special character of patterns is taken literally
    const asked = dialect.search.ask('ab%_\\c 123', true);
    const literally = sql`select t like ${slot(0)}::text from (values ('ab%_\\c 123'), ('abx_\\c 123'), ('ab%x\\c 123')) v (t)`;
    deepStrictEqual(await database.rows(text(literally), [asked!]), [[true], [false], [false]]);
    await database.close();
    await test.drop();
  });
});

describe('odd letters on PostgreSQL', () => {
  // in each of these `lower()` makes something else of some of them
  for (const locale of [
    `builtin builtin_locale 'C.UTF-8' locale 'C'`,
    `icu icu_locale 'en' locale 'C'`,
    `icu icu_locale 'tr-TR' locale 'C'`,
    `libc locale 'C'`,
  ]) {
    it(`are folded as everywhere in a database of ${locale}`, async () => {
      const cluster = process.env['GALLEY_TEST_POSTGRES']!;
      const name = `galley_test_${randomBytes(6).toString('hex')}`;
      await runSql(
        cluster,
        `create database ${name} template template0 encoding 'UTF8' locale_provider ${locale} strategy file_copy`,
      );
      const { database } = await openPlain({ env: { DATABASE_URL: databaseUrl(cluster, name) } });
      try {
        const { dialect } = database;
        const letters = [
          'İstanbul',
          'ISPARTA',
          'ırmak',
          'i\u0307z',
          'Ǆǅ',
          'ſẞß',
          'KÅΩ',
          'ΟΔΟΣ ς',
          'ÉÑ',
          'Жж',
          'Ꭰꭰ',
          '𐐀',
        ];
        const folded = render(dialect.fold(sql`${slot(0)}::text`), (n) => dialect.placeholder(n)).text;
        for (const text of letters) {
          deepStrictEqual(await database.rows(`select ${folded}`, [text]), [[dialect.foldValue(text)]], text);
          strictEqual(fold(text), dialect.foldValue(text));
        }
        strictEqual(dialect.foldValue('İstanbul'), 'istanbul');
      } finally {
        await database.close();
        await runSql(cluster, `drop database ${name} with (force)`);
      }
    });
  }
});

describe('search indexes of an SQLite file', () => {
  let server: RunningServer;
  let quick: RecordingReader;
  /** What any other program has of the file. */
  let other: Sqlite.Database;
  const listed = () => server.app.engine.search.list(server.app.database);
  const make = () => createSearchIndex(server.app.database, server.app.engine.search, SEARCHED);
  const titles = async (query: string) => {
    // what others have done is looked for once in a turn of the event loop
    await immediate();
    quick.reset();
    const { data } = await quick.list(UID, query);
    return { titles: data.map(({ title }) => title), served: quick.statements.at(-1)!.text.includes('galley_sought') };
  };
  const insert = (title: unknown) =>
    other.prepare('insert into pages (document_id, title, published_at) values (?, ?, 0)').run('x', title);

  before(async () => {
    const folder = await makeProject({
      contentTypes: { page: contentType('page', { title: { type: 'string' }, body: { type: 'text' } }) },
    });
    const database = await sqlite!.emptyDatabase();
    server = await serve(folder, database);
    quick = recordingReader(server.app, server.app.database.search);
    other = new Sqlite(database.env['DATABASE_FILENAME']);
    insert('Lighthouse');
    await make();
  });
  after(async () => {
    other?.close();
    await server?.stop();
  });

  it('find rows that they cover only in part', async () => {
    insert('before\0behind the zero');
    insert(Buffer.from('stored as bytes'));
    deepStrictEqual((await titles('filters[title][$containsi]=behind the zero&fields=id')).titles.length, 1);
    strictEqual((await titles('filters[title][$containsi]=stored as&fields=id')).titles.length, 1);
    const unseen = other.prepare(`select count(*) from ${(await listed())[0]!.name} ('"${UNSEEN}"')`).pluck();
    strictEqual(unseen.get(), 2);
    other.exec(`delete from pages where title <> 'Lighthouse' or typeof(title) = 'blob'`);
  });

  it('find a dotted capital as an i, and as itself', async () => {
    insert('Abxy\u0130q');
    for (const piece of ['abxyi', 'ABXYI', 'abxyiq', 'ABXYIQ', 'abxy\u0130Q', 'y\u0130q']) {
      deepStrictEqual(
        await titles(`_q=${encodeURIComponent(piece)}`),
        { titles: ['Abxy\u0130q'], served: true },
        piece,
      );
    }
    other.exec(`delete from pages where title like 'Abxy%'`);
  });

  it('keep a row that another one replaces', async () => {
    const { lastInsertRowid: id } = insert('Foghorn');
    other.prepare(`replace into pages (id, document_id, title, published_at) values (?, 'x', 'Semaphore', 0)`).run(id);
    deepStrictEqual(await titles('_q=semaph'), { titles: ['Semaphore'], served: true });
    deepStrictEqual(await titles('_q=foghorn'), { titles: [], served: true });
    other.prepare('delete from pages where id = ?').run(id);
  });

  it('are not used after another program has created the table again', async () => {
    const { sql } = other.prepare(`select sql from sqlite_schema where name = 'pages'`).get() as { sql: string };
    other.exec(`begin; ${sql.replace('pages', 'pages_anew')}; insert into pages_anew select * from pages;
      drop table pages; alter table pages_anew rename to pages; commit`);
    insert('Breakwater');
    deepStrictEqual(await titles('_q=breakwat'), { titles: ['Breakwater'], served: false });
    deepStrictEqual(
      (await listed()).map(({ isComplete }) => isComplete),
      [false],
    );
    await make();
    deepStrictEqual(await titles('_q=breakwat'), { titles: ['Breakwater'], served: true });
  });

  it('are not used if a trigger is missing or different', async () => {
    for (const event of ['insert', 'update', 'delete']) {
      const [index] = await listed();
      other.exec(`drop trigger ${index!.name}_${event}`);
      strictEqual((await titles('_q=breakwat')).served, false);
      other.exec(`create trigger ${index!.name}_${event} after ${event} on pages begin select 1; end`);
      strictEqual((await titles('_q=breakwat')).served, false);
      await make();
      strictEqual((await titles('_q=breakwat')).served, true);
    }
  });

  it('are not used by a statement that was compiled before', async () => {
    strictEqual((await titles('_q=lightho')).served, true);
    // changes of this process are not looked for: the statement still names the index
    await server.app.database.transaction(async (tx) => {
      const [index] = await listed();
      await tx.rows(`drop trigger ${index!.name}_insert`, []);
      await tx.rows(`insert into pages (document_id, title, published_at) values ('x', 'Lighthouse keeper', 0)`, []);
    });
    for (const page of ['', '&pagination[withCount]=false']) {
      deepStrictEqual(await titles(`_q=lightho${page}`), { titles: ['Lighthouse', 'Lighthouse keeper'], served: true });
    }
    await server.app.database.transaction(async (tx) => {
      const [index] = await listed();
      for (const event of ['update', 'delete']) await tx.rows(`drop trigger ${index!.name}_${event}`, []);
      await tx.rows(`drop table ${index!.name}`, []);
    });
    deepStrictEqual(await titles('_q=lightho'), { titles: ['Lighthouse', 'Lighthouse keeper'], served: false });
  });
});
