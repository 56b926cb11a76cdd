/** An SQLite file that another program has locked, that is full, or whose answers take long to read after a write. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const sqlite = engines.find(({ name }) => name === 'sqlite')!;

describe('a database file that another program writes', () => {
  let server: RunningServer;
  let other: Sqlite.Database;
  const write = (title: string) => server.app.documents('api::note.note').create({ data: { title } });
  const titles = async () => (await server.app.documents('api::note.note').findMany()).map(({ title }) => title);

  before(async () => {
    const folder = await makeProject({ contentTypes: { note: contentType('note', { title: { type: 'string' } }) } });
    const database = await sqlite.emptyDatabase();
    server = await serve(folder, database);
    other = new Sqlite(database.env['DATABASE_FILENAME']!);
  });
  after(async () => {
    other?.close();
    await server?.stop();
  });

  it('is read on, and written once that program has finished', async () => {
    other.exec('begin immediate');
    const writing = write('waited');
    strictEqual((await server.get('/_health')).status, 204);
    deepStrictEqual(await titles(), []);
    other.exec('rollback');
    strictEqual((await writing)['title'], 'waited');
    deepStrictEqual(await titles(), ['waited']);
  });

  it('refuses writes for which that takes too long, and takes the next', async () => {
    other.exec('begin immediate');
    const refused = rejects(write('too late'), { name: 'ServiceUnavailableError', status: 503 });
    deepStrictEqual(await titles(), ['waited']);
    await refused;
    other.exec('rollback');
    await write('in time');
    deepStrictEqual(await titles(), ['waited', 'in time']);
  });

  it('takes the writes of all callers in turn once it can be written', async () => {
    other.exec('begin immediate');
    const writes = Array.from({ length: 200 }, (_, n) => write(`n${n}`));
    other.exec('rollback');
    await Promise.all(writes);
    strictEqual((await titles()).length, 202);
  });
});

describe('a database file on a full disk', () => {
  it('refuses writes with 507, rolls them back, and accepts writes when there is space', async () => {
    const folder = await makeProject({ contentTypes: { note: contentType('note', { text: { type: 'text' } }) } });
    const server = await serve(folder, await sqlite.emptyDatabase());
    const notes = server.app.documents('api::note.note');
    const pages = (limit: string) => server.app.database.transaction(async (tx) => tx.rows(limit, []));
    try {
      const [[used]] = (await pages('pragma page_count')) as [[number]];
      await pages(`pragma max_page_count = ${used + 1}`);
      const text = 'x'.repeat(500_000);
      await rejects(notes.create({ data: { text } }), (error: Error & { status?: number }) => {
        deepStrictEqual([error.name, error.status], ['InsufficientStorageError', 507]);
        match(String((error.cause as Error).message), /full/);
        return true;
      });
      deepStrictEqual(await notes.findMany(), []);
      await pages('pragma max_page_count = 1000000');
      await notes.create({ data: { text } });
      strictEqual((await notes.findMany()).length, 1);
    } finally {
      await server.stop();
    }
  });
});
