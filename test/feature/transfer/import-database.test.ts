/** `galley import` of databases: they lose nothing, and are only read. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { runCommandLine } from '../../../src/cli/run.ts';
import { WallClock } from '../../../src/transfer/database/wall-clock.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { hasMariaDb, type MariaDb, startMariaDb } from '../../support/databases/mariadb.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { answersAsRecorded, type RecordedRead, recordedOn } from '../../support/recording/recorded-reads.ts';
import { copyProject, type ProjectFolder, serve } from '../../support/servers/project.ts';

async function importInto(to: TestDatabase, folder: ProjectFolder, address: string, ...more: string[]) {
  const out: string[] = [];
  const print = (line: string): void => void out.push(line);
  const code = await runCommandLine(['import', address, folder.dir, ...more], { env: to.env, print, warn: print });
  return { code, out: out.join('\n') };
}

async function rows(from: TestDatabase, text: string, isWrite = false) {
  const { database } = await openPlain(from);
  try {
    if (isWrite) return await database.transaction(async (tx) => tx.rows(text, []));
    return await database.rows(text, []);
  } finally {
    await database.close();
  }
}

/** Fails for the first recorded read that a project on a database answers otherwise. */
async function answers(folder: ProjectFolder, on: TestDatabase, recorded: readonly RecordedRead[], secrets: object) {
  const remains = () => Promise.resolve();
  const server = await serve({ ...folder, remove: remains }, { ...on, drop: remains });
  try {
    await answersAsRecorded(server, recorded, secrets as Record<string, string>);
  } finally {
    await server.stop();
  }
}

for (const engine of engines) describe(`an import of a database of ${engine.name}`, () => suite(engine));

function suite(engine: Engine): void {
  let folder: ProjectFolder;
  let source: TestDatabase;
  let target: TestDatabase;

  before(async () => {
    folder = await copyProject();
    source = await engine.fixtureDatabase();
    target = await engine.emptyDatabase();
  });
  after(async () => {
    await source?.drop();
    await target?.drop();
    await folder?.remove();
  });

  const address = () => source.env['DATABASE_URL'] ?? source.env['DATABASE_FILENAME']!;
  const count = async (database: TestDatabase, table: string) =>
    Number((await rows(database, `select count(*) from ${table}`))[0]![0]);

  it('answers every recorded read with the same tokens, and keeps administrators and history', async () => {
    const { code, out } = await importInto(target, folder, address());
    strictEqual(code, 0, out);
    const { recorded, secrets } = recordedOn(engine.name);
    await answers(folder, target, recorded, secrets);
    for (const table of ['admin_users', 'admin_permissions', 'strapi_api_tokens', 'strapi_history_versions'])
      strictEqual(await count(target, table), await count(source, table), table);
    const again = await importInto(target, folder, address());
    strictEqual(again.code, 1);
    match(again.out, /the database of the project is not empty/);
  });

  it('names tables and columns that the project does not have, with their numbers', async () => {
    const other = await engine.emptyDatabase();
    try {
      await rows(source, 'alter table articles add column subtitle varchar(255)', true);
      await rows(source, `update articles set subtitle = 'x' where id in (1, 2)`, true);
      await rows(source, 'create table visits (id integer primary key)', true);
      await rows(source, 'insert into visits (id) values (1), (2), (3)', true);
      const settings = 'insert into strapi_core_store_settings (key, value) values';
      await rows(
        source,
        `${settings} ('galley_schema_hold', '{"until":9e15}'), ('galley_site', '{"title":"x"}')`,
        true,
      );
      const refused = await importInto(other, folder, address());
      strictEqual(refused.code, 1);
      match(refused.out, /unknown-attribute {2}articles\.subtitle \(2 times\)/);
      match(refused.out, /unknown-table {2}visits \(3 times\)/);
      const skipped = await importInto(other, folder, address(), '--skip', 'unknown-attribute,unknown-table');
      strictEqual(skipped.code, 0, skipped.out);
      strictEqual(await count(other, 'articles'), await count(source, 'articles'));
      const entries = `select key from strapi_core_store_settings where key in ('galley_schema_hold', 'galley_site')`;
      deepStrictEqual(await rows(other, entries), [['galley_site']]);
    } finally {
      await other.drop();
    }
  });
}

const FIXTURES = path.join(import.meta.dirname, '../../fixtures/strapi-archives');
const unpacked = (name: string): string => gunzipSync(readFileSync(path.join(FIXTURES, name))).toString();

/** Times as PostgreSQL writes them. */
const withShortTimes = (text: string): string =>
  text.replaceAll(/"(\d\d:\d\d:\d\d\.\d{3})"/g, (_, time: string) => `"${time.replace(/\.?0+$/, '')}"`);

const skip = hasMariaDb ? false : 'no MariaDB is installed';

describe('an import of a database of MariaDB', { skip }, () => {
  let server: MariaDb;
  let folder: ProjectFolder;

  before(async () => {
    folder = await copyProject();
    server = await startMariaDb();
    await server.load('site', unpacked('mariadb.sql.gz'));
  });
  after(async () => {
    await server?.stop();
    await folder?.remove();
  });

  for (const engine of engines) {
    it(`answers the recorded reads on ${engine.name}`, async () => {
      const target = await engine.emptyDatabase();
      try {
        const { code, out } = await importInto(target, folder, server.address('site'));
        strictEqual(code, 0, out);
        const text = unpacked('reads-mariadb.json.gz');
        const recorded = JSON.parse(engine.name === 'sqlite' ? text : withShortTimes(text)) as RecordedRead[];
        const { secrets } = recordedOn('sqlite');
        // engines differ in the order of null
        const isComparable = ({ request }: RecordedRead) => engine.name === 'sqlite' || !request.includes('sort');
        const asked = recorded.filter((read) => !read.engine && isComparable(read));
        await answers(folder, target, asked, secrets);
        await rows(target, `insert into articles (title) values ('new')`, true);
        deepStrictEqual(await rows(target, `select id from articles where title = 'new'`), [[139]]);
      } finally {
        await target.drop();
      }
    });
  }

  it('converts times by the clock of the Strapi process', async () => {
    const target = await engines[0]!.emptyDatabase();
    try {
      const zone = ['--timezone', 'Europe/Berlin'];
      strictEqual((await importInto(target, folder, server.address('site'), ...zone)).code, 0);
      deepStrictEqual(await rows(target, 'select at from articles where id = 131'), [
        [Date.parse('2024-10-26T22:30:00Z')],
      ]);
    } finally {
      await target.drop();
    }
  });
});

describe('times without a zone', () => {
  it('are converted around changes of the clock, and before there were zones', () => {
    const clock = new WallClock('Europe/Berlin');
    const times = ['2024-10-27T02:30:00', '2024-03-31T02:30:00', '2024-07-01T12:00:00.123', '1890-01-01T00:00:00'];
    deepStrictEqual(
      times.map((time) => new Date(clock.toMoment(Date.parse(`${time}Z`))).toISOString()),
      ['2024-10-27T00:30:00.000Z', '2024-03-31T01:30:00.000Z', '2024-07-01T10:00:00.123Z', '1889-12-31T23:06:32.000Z'],
    );
  });
});
