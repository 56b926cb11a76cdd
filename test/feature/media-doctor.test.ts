/** `galley doctor` holds stored files against their records (docs/reference/command-line.md). */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { runCommandLine } from '../../src/cli/run.ts';
import { type Engine, engines, type TestDatabase } from '../support/databases.ts';
import { uploadSamples } from '../support/media.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder } from '../support/project.ts';
import { startS3 } from '../support/s3.ts';
import { type SeededServer, serveSeeded } from '../support/seeded.ts';

for (const engine of engines) {
  describe(`galley doctor and stored files on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    let database: TestDatabase;
    let uploads: string;
    let names: string[];
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    let records: any[];

    const doctor = async (...flags: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine(['doctor', folder.dir, ...flags], { env: database.env, print, warn: print });
      return { code, text: lines.join('\n') };
    };
    const stored = async () => (await readdir(uploads)).filter((name) => !name.startsWith('.')).sort();
    const sql = (text: string) => server.app.database.transaction(async (tx) => tx.rows(text, []));
    /** Stores a file as if an upload had, two hours ago or now. */
    const put = async (name: string, { isOld = true } = {}) => {
      const file = path.join(uploads, name);
      await writeFile(file, 'x'.repeat(1234));
      const time = Date.now() / 1000 - 7200;
      if (isOld) await utimes(file, time, time);
    };

    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      uploads = path.join(folder.dir, 'public/uploads');
      const own: Engine = { ...engine, emptyDatabase: async () => (database = await engine.emptyDatabase()) };
      server = await serveSeeded(own, folder);
    });
    after(() => server?.stop());
    beforeEach(async () => {
      await rm(uploads, { recursive: true, force: true });
      await sql('delete from "files_related_mph"');
      await sql('delete from "files"');
      await mkdir(uploads, { recursive: true });
      records = await uploadSamples(server, ['landscape.jpg', 'note.txt']);
      names = await stored();
    });

    it('find nothing wrong where each has the other', async () => {
      ok(names.length >= 6);
      await writeFile(path.join(uploads, '.gitkeep'), '');
      deepStrictEqual(await doctor(), { code: 0, text: 'nothing is wrong' });
    });

    it('list what no record names, with sizes, and remove it when asked to', async () => {
      await put('gone_0123456789.jpg');
      await put('thumbnail_gone_0123456789.jpg');
      await put('without_an_extension_0123456789');
      const { code, text } = await doctor();
      strictEqual(code, 1);
      match(text, /^stored file without a record: 3, 3\.7 KB \(--fix: remove it\)$/m);
      match(text, /^ +local +gone_0123456789\.jpg +1\.2 KB$/m);
      strictEqual((await stored()).length, names.length + 3);

      const fixed = await doctor('--fix');
      strictEqual(fixed.code, 0, fixed.text);
      match(fixed.text, /^removed 3 stored files, 3\.7 KB$/m);
      deepStrictEqual(await stored(), names);
      deepStrictEqual(await doctor(), { code: 0, text: 'nothing is wrong' });
    });

    it('finish a delete that failed half-way', async () => {
      for (const name of names) await utimes(path.join(uploads, name), 1_700_000_000, 1_700_000_000);
      await sql(`delete from "files" where "id" = ${records[0].id}`);
      strictEqual((await doctor('--fix')).code, 0);
      deepStrictEqual(await stored(), [path.basename(records[1].url)]);
    });

    it('leave alone what may be of an upload that is under way', async () => {
      await put('new_0123456789.jpg', { isOld: false });
      const { code, text } = await doctor('--fix');
      strictEqual(code, 1);
      match(text, /^stored file without a record yet: 1,/m);
      ok((await stored()).includes('new_0123456789.jpg'));
    });

    it('leave alone what is not called as uploads are, and do not mind it', async () => {
      for (const name of ['logo.png', 'photo_123.jpg', 'x_0123456789a.jpg', 'x_0123456ABC.jpg']) await put(name);
      await mkdir(path.join(uploads, 'folder_0123456789.d'));
      await writeFile(path.join(uploads, 'folder_0123456789.d', 'a_0123456789.jpg'), 'x');
      const { code, text } = await doctor('--fix');
      strictEqual(code, 0, text);
      match(text, /^stored file that is no upload: 4,/m);
      strictEqual((await stored()).length, names.length + 5);
    });

    it('remove nothing for a database without any record', async () => {
      for (const name of names) await utimes(path.join(uploads, name), 1_700_000_000, 1_700_000_000);
      await sql('delete from "files"');
      const { code, text } = await doctor('--fix');
      strictEqual(code, 1);
      match(text, /is this its database\?/);
      deepStrictEqual(await stored(), names);
    });

    it('list records and formats whose bytes are missing, and never remove a record', async () => {
      const [image, note] = records;
      await rm(path.join(uploads, path.basename(note.url)));
      await rm(path.join(uploads, path.basename(image.formats.small.url)));
      for (const flags of [[], ['--fix']]) {
        const { code, text } = await doctor(...flags);
        strictEqual(code, 1);
        match(text, /^record whose bytes are missing: 2, /m);
        match(text, new RegExp(`^ +local +${note.url} \\(id ${note.id}, note\\.txt\\) +\\d+ B$`, 'm'));
        match(
          text,
          new RegExp(`${image.formats.small.url} \\(id ${image.id}, small of landscape\\.jpg\\) +[\\d.]+ KB$`, 'm'),
        );
        doesNotMatch(text, new RegExp(`${image.url} `));
      }
      strictEqual((await server.get('/api/upload/files', server.secrets['full'])).body.length, 2);
    });

    it('pass over records of stores that are not configured', async () => {
      await sql(
        `update "files" set "provider" = 'elsewhere', "url" = 'https://example.com/x.jpg' where "id" = ${records[1].id}`,
      );
      await rm(path.join(uploads, path.basename(records[1].url)));
      strictEqual((await doctor()).code, 0);
    });

    it('look through more records than fit into one batch', async () => {
      const values = Array.from(
        { length: 1200 },
        (_, n) => `('many${n}', 'local', '/uploads/many_${String(n).padStart(10, '0')}.txt', 'n')`,
      );
      await sql(`insert into "files" ("document_id", "provider", "url", "name") values ${values.join(', ')}`);
      await Promise.all(Array.from({ length: 1200 }, (_, n) => put(`many_${String(n).padStart(10, '0')}.txt`)));
      deepStrictEqual(await doctor(), { code: 0, text: 'nothing is wrong' });
    });
  });
}

describe('galley doctor and a bucket', () => {
  it('finds what is stored there without a record', async () => {
    const s3 = await startS3('public');
    const folder = await copyProject(CONFORMANCE_DIR);
    let database: TestDatabase | undefined;
    const engine = engines[0]!;
    const own: Engine = { ...engine, emptyDatabase: async () => (database = await engine.emptyDatabase()) };
    const env = s3.env({ S3_PREFIX: 'site' });
    const server = await serveSeeded(own, folder, undefined, env);
    try {
      const [, note] = await uploadSamples(server, ['landscape.jpg', 'note.txt']);
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const doctor = () =>
        runCommandLine(['doctor', folder.dir, '--fix'], { env: { ...database!.env, ...env }, print, warn: print });
      strictEqual(await doctor(), 0, lines.join('\n'));
      await server.app.database.transaction(async (tx) => tx.rows(`delete from "files" where "id" = ${note.id}`, []));
      // what was stored a moment ago may be of an upload that is under way
      strictEqual(await doctor(), 1);
      match(lines.join('\n'), new RegExp(`aws-s3 +${path.basename(note.url)} +\\d+ B`));
    } finally {
      await server.stop();
      await s3.stop();
    }
  });
});
