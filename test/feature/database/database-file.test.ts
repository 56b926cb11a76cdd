/** The database file of a server that has ended: a copy without its log is complete. */
import { rejects, strictEqual } from 'node:assert/strict';
import { copyFileSync, linkSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

it('a stopped server leaves all writes in its file, through a symbolic link and while another process has it open', async () => {
  const folder = await makeProject({
    contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
  });
  const storage = await engines.find(({ name }) => name === 'sqlite')!.emptyDatabase();
  const file = storage.env['DATABASE_FILENAME']!;
  const copies = mkdtempSync(path.join(tmpdir(), 'galley-copy-'));
  // the log of the database is beside the file, and not beside the link
  const link = path.join(copies, 'link.db');
  symlinkSync(file, link);
  const server = await serve(folder, { ...storage, env: { ...storage.env, DATABASE_FILENAME: link } });
  const other = new Sqlite(file, { readonly: true });
  try {
    await server.app.documents('api::note.note').create({ data: { title: 'kept' } });
    strictEqual(other.prepare('select count(*) from notes').pluck().get(), 1);
    await server.app.close();
    const copy = path.join(copies, 'copy.db');
    copyFileSync(file, copy);
    const copied = new Sqlite(copy, { readonly: true });
    strictEqual(copied.prepare('select count(*) from notes').pluck().get(), 1);
    copied.close();
  } finally {
    other.close();
    await server.stop();
    rmSync(copies, { recursive: true });
  }
});

for (const [what, lose] of [
  ['deleted', (file: string) => rmSync(file)],
  ['moved away', (file: string) => renameSync(file, `${file}.moved`)],
  [
    'replaced',
    (file: string) => {
      copyFileSync(file, `${file}.other`);
      renameSync(`${file}.other`, file);
    },
  ],
  // by whoever puts a backup in its place
  ['left without its log', (file: string) => rmSync(`${file}-wal`)],
  ['there, and its log moved,', (file: string) => renameSync(`${file}-wal`, `${file}-moved`)],
  [
    'overwritten, and its log deleted,',
    (file: string) => {
      copyFileSync(`${file}.backup`, file);
      for (const end of ['wal', 'shm']) rmSync(`${file}-${end}`);
    },
  ],
  // the other name still leads to it: nobody has it in the place where it is looked for
  [
    'replaced, and has another name,',
    (file: string) => {
      linkSync(file, `${file}.kept`);
      copyFileSync(file, `${file}.other`);
      renameSync(`${file}.other`, file);
    },
  ],
] as const) {
  it(`a server whose file is ${what} refuses writes that would be lost with it, and reports that it is not ready`, async () => {
    const folder = await makeProject({
      contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
    });
    const storage = await engines.find(({ name }) => name === 'sqlite')!.emptyDatabase();
    const server = await serve(folder, storage);
    try {
      const write = () => server.app.documents('api::note.note').create({ data: { title: 'n' } });
      const file = storage.env['DATABASE_FILENAME']!;
      copyFileSync(file, `${file}.backup`);
      await write();
      strictEqual((await server.get('/_ready')).status, 204);
      lose(file);
      await rejects(write(), { status: 503, message: /was deleted, moved or replaced/ });
      await until('it is not ready', async () => (await server.get('/_ready')).status === 503);
      strictEqual((await server.get('/_health')).status, 204);
    } finally {
      await server.stop();
    }
  });
}
