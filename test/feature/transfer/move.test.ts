/** `galley move`: everything in a database arrives on another engine, or nothing does. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { answersAsRecorded, recordedOn } from '../../support/recording/recorded-reads.ts';
import { copyProject, type ProjectFolder, serve } from '../../support/servers/project.ts';

for (const engine of engines) describe(`galley move from ${engine.name}`, () => suite(engine));

function suite(engine: Engine): void {
  const other = engines.find(({ name }) => name !== engine.name)!;
  let folder: ProjectFolder;
  let source: TestDatabase;
  const databases: TestDatabase[] = [];

  before(async () => {
    folder = await copyProject();
    source = await engine.fixtureDatabase();
    databases.push(source);
  });
  after(async () => {
    for (const database of databases) await database.drop();
    await folder?.remove();
  });

  async function empty(on: Engine): Promise<TestDatabase> {
    const database = await on.emptyDatabase();
    databases.push(database);
    return database;
  }
  async function move(from: TestDatabase, to: TestDatabase, ...more: string[]) {
    const out: string[] = [];
    const print = (line: string): void => void out.push(line);
    const args = ['move', '--to', addressOf(to), folder.dir, ...more];
    const code = await runCommandLine(args, { env: from.env, print, warn: print });
    return { code, out: out.join('\n') };
  }
  async function within<T>(database: TestDatabase, work: (database: Database) => Promise<T>): Promise<T> {
    const plain = await openPlain(database);
    try {
      return await work(plain.database);
    } finally {
      await plain.database.close();
    }
  }
  const write = (to: TestDatabase, ...texts: string[]) =>
    within(to, (database) =>
      database.transaction(async (tx) => {
        for (const text of texts) await tx.rows(text, []);
      }),
    );
  const rows = (from: TestDatabase, text: string) => within(from, async (database) => database.rows(text, []));

  it('answers every recorded read unchanged after a move there and back', async () => {
    const there = await empty(other);
    const back = await empty(engine);
    const first = await move(source, there);
    strictEqual(first.code, 0, first.out);
    match(first.out, /moved [\d,]+ rows of \d+ tables to .*, and compared them/);
    const second = await move(there, back);
    strictEqual(second.code, 0, second.out);
    const remains = () => Promise.resolve();
    const server = await serve({ ...folder, remove: remains }, { ...back, drop: remains });
    try {
      const { recorded, secrets } = recordedOn(engine.name);
      await answersAsRecorded(server, recorded, secrets);
    } finally {
      await server.stop();
    }
    const refused = await move(source, back);
    strictEqual(refused.code, 1);
    match(refused.out, /the target is not empty/);
  });

  it('brings what is not in the schema, and the ids that rows have had', async () => {
    const changed = await engine.fixtureDatabase();
    databases.push(changed);
    await write(
      changed,
      'alter table articles add column subtitle varchar(255)',
      `update articles set subtitle = 'kept' where id = (select min(id) from articles)`,
      'create table visits (id varchar(40) primary key, page integer, seen boolean, unique (page, seen))',
      `insert into visits (id, page, seen) values ('ä', 7, true), ('Z', 8, false), ('b', 9, null)`,
      `insert into tags (id, document_id) values (7000, 'gone')`,
      'delete from tags where id = 7000',
      ...(engine.name === 'postgres' ? [`select setval('tags_id_seq', 7000)`] : []),
    );
    const there = await empty(other);
    const { code, out } = await move(changed, there);
    strictEqual(code, 0, out);
    deepStrictEqual(await rows(there, 'select subtitle from articles where subtitle is not null'), [['kept']]);
    deepStrictEqual(
      (await rows(there, 'select id, page, seen from visits order by page')).map(([id, page, seen]) => [
        id,
        page,
        seen === null ? null : Boolean(seen),
      ]),
      [
        ['ä', 7, true],
        ['Z', 8, false],
        ['b', 9, null],
      ],
    );
    await write(there, `insert into tags (document_id) values ('new')`);
    deepStrictEqual(await rows(there, `select id from tags where document_id = 'new'`), [[7001]]);
  });

  it('names the values that the target cannot store, and writes nothing until they may be skipped', async () => {
    const changed = await engine.fixtureDatabase();
    databases.push(changed);
    const wrong =
      engine.name === 'sqlite'
        ? `update articles set title = 'a' || char(0) || 'b' where id = 1`
        : `update articles set created_at = created_at + interval '7 microseconds' where id = 1`;
    await write(changed, wrong);
    const there = await empty(other);
    const refused = await move(changed, there);
    strictEqual(refused.code, 1);
    match(
      refused.out,
      /invalid-value {2}api::article\.article\.(?:title|created_at)\n {2}articles, row 1 {2}the value has/,
    );
    match(refused.out, /to accept this, add --skip invalid-value/);
    const dry = await move(changed, there, '--dry-run', '--skip', 'invalid-value');
    strictEqual(dry.code, 0);
    match(dry.out, /nothing was written/);
    const file = there.env['DATABASE_FILENAME'];
    if (file === undefined) deepStrictEqual(await rows(there, `select 1 from pg_class where relname = 'articles'`), []);
    else ok(!existsSync(file));
    const skipped = await move(changed, there, '--skip', 'invalid-value');
    strictEqual(skipped.code, 0, skipped.out);
    strictEqual((await rows(there, 'select 1 from articles where id = 1')).length, 1);
  });
}

/** The address of a test database. */
const addressOf = ({ env }: TestDatabase): string => env['DATABASE_URL'] ?? `sqlite:${env['DATABASE_FILENAME']}`;
