/** `galley doctor` holds stored files against their records (docs/reference/command-line.md). */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { examineFiles, removeOrphans, type Subject } from '../../../src/media/doctor.ts';
import type { Storage } from '../../../src/media/storage/storage.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { uploadSamples } from '../../support/media/media.ts';
import { BUCKET, startS3 } from '../../support/media/s3.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

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

    const clear = async () => {
      await rm(uploads, { recursive: true, force: true });
      await sql('delete from "files_related_mph"');
      await sql('delete from "files"');
      await mkdir(uploads, { recursive: true });
      return true;
    };
    /** What the functions behind the command look through. */
    const subject = (): Subject => {
      const { database, stores } = server.app;
      return { db: database, stores: stores.stores };
    };
    /** Makes everything that is stored two hours old. */
    const age = async () => {
      const time = Date.now() / 1000 - 7200;
      for (const name of await stored()) await utimes(path.join(uploads, name), time, time);
    };

    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      uploads = path.join(folder.dir, 'public/uploads');
      const own: Engine = { ...engine, databaseFor: async () => (database = await engine.databaseFor(folder)) };
      server = await serveSeeded(own, folder);
    });
    after(() => server?.stop());
    beforeEach(async () => {
      await clear();
      // a hash may be of digits alone, once in a hundred times
      do records = await uploadSamples(server, ['landscape.jpg', 'note.txt']);
      while (!records.every(({ hash }) => /_\d*[a-f][0-9a-f]*$/.test(hash)) && (await clear()));
      names = await stored();
    });

    it('find nothing wrong where each has the other', async () => {
      ok(names.length >= 6);
      await writeFile(path.join(uploads, '.gitkeep'), '');
      deepStrictEqual(await doctor(), { code: 0, text: 'no problems found' });
    });

    it('list objects without record, with sizes, and remove them if requested', async () => {
      await put('gone_012345678a.jpg');
      await put('thumbnail_gone_012345678a.jpg');
      await put('without_an_extension_a123456789');
      const { code, text } = await doctor();
      strictEqual(code, 1);
      match(text, /^stored file without a record: 3, 3\.7 KB \(--fix: remove it\)$/m);
      match(text, /^ +local +gone_012345678a\.jpg +1\.2 KB$/m);
      strictEqual((await stored()).length, names.length + 3);

      const fixed = await doctor('--fix');
      strictEqual(fixed.code, 0, fixed.text);
      match(fixed.text, /^removed 3 stored files, 3\.7 KB$/m);
      deepStrictEqual(await stored(), names);
      deepStrictEqual(await doctor(), { code: 0, text: 'no problems found' });
    });

    it('finish a delete that failed half-way', async () => {
      for (const name of names) await utimes(path.join(uploads, name), 1_700_000_000, 1_700_000_000);
      await sql(`delete from "files" where "id" = ${records[0].id}`);
      strictEqual((await doctor('--fix')).code, 0);
      deepStrictEqual(await stored(), [path.basename(records[1].url)]);
    });

    it('skip files that may belong to an upload in progress', async () => {
      await put('new_01234b6789.jpg', { isOld: false });
      const { code, text } = await doctor('--fix');
      strictEqual(code, 1);
      match(text, /^stored file without a record yet: 1,/m);
      ok((await stored()).includes('new_01234b6789.jpg'));
    });

    it('ignore objects without the name of an upload', async () => {
      for (const name of [
        'logo.png',
        'photo_123.jpg',
        'x_0123456789a.jpg',
        'x_0123456ABC.jpg',
        'IMG_1700000000.jpg',
        'backup_1700000000.tar.gz',
        'backup_17000000ab.tar.gz',
        'thumbnail_1700000000',
      ]) {
        await put(name);
      }
      await mkdir(path.join(uploads, 'folder_012345678a.d'));
      await writeFile(path.join(uploads, 'folder_012345678a.d', 'a_012345678a.jpg'), 'x');
      const { code, text } = await doctor('--fix');
      strictEqual(code, 0, text);
      match(text, /^stored file that is no upload: 8,/m);
      strictEqual((await stored()).length, names.length + 9);
    });

    it('remove nothing for a database without any record', async () => {
      for (const name of names) await utimes(path.join(uploads, name), 1_700_000_000, 1_700_000_000);
      await sql('delete from "files"');
      const { code, text } = await doctor('--fix');
      strictEqual(code, 1);
      match(text, /check that this is the right database/);
      deepStrictEqual(await stored(), names);
    });

    it('skip files that a record has under another address or in another store', async () => {
      await age();
      await put('gone_012345678a.jpg');
      const { id, url } = records[0];
      for (const [provider, base] of [
        ['elsewhere', 'https://cdn.example.com/uploads'],
        ['elsewhere', '/uploads'],
        ['@strapi/provider-upload-local', '/uploads'],
        ['local', 'http://localhost:1337/some/folder'],
      ]) {
        const formats = JSON.stringify(records[0].formats).replaceAll('/uploads', base!);
        const moved = `${base}/${path.basename(url)}`;
        await sql(
          `update "files" set "provider" = '${provider}', "url" = '${moved}?v=1', "formats" = '${formats}' where "id" = ${id}`,
        );
        await put('gone_012345678a.jpg');
        const { text } = await doctor('--fix');
        match(text, /^stored file whose record points elsewhere: \d/m, `${provider} ${base}`);
        match(text, /^removed 1 stored file,/m);
        deepStrictEqual(await stored(), names, `${provider} ${base}`);
      }
    });

    it('skip files that have a record by the time of the removal', async () => {
      await put('gone_012345678a.jpg');
      await put('late_012345678b.jpg');
      const { orphans } = await examineFiles(subject());
      deepStrictEqual(
        orphans.map(({ kind }) => kind),
        ['left', 'left'],
      );
      await sql(
        `insert into "files" ("document_id", "provider", "url", "name") values ('late', 'local', '/uploads/late_012345678b.jpg', 'n')`,
      );
      const removed = await removeOrphans(subject(), orphans);
      deepStrictEqual(
        removed.map(({ object }) => object.key),
        ['gone_012345678a.jpg'],
      );
      deepStrictEqual(await stored(), [...names, 'late_012345678b.jpg'].sort());
    });

    it('do not remove an object that was stored again meanwhile', async () => {
      await put('gone_012345678a.jpg');
      const { orphans } = await examineFiles(subject());
      await put('gone_012345678a.jpg', { isOld: false });
      deepStrictEqual(await removeOrphans(subject(), orphans), []);
    });

    it('do not fail on objects that are deleted meanwhile', async () => {
      const [local] = server.app.stores.stores;
      const missing = async (isDeleted: boolean) => {
        await rm(path.join(uploads, path.basename(records[1].url)), { force: true });
        const looking: Storage = Object.assign(Object.create(local!), {
          stat: async (key: string) => {
            if (isDeleted) await sql(`delete from "files" where "id" = ${records[1].id}`);
            return local!.stat(key);
          },
        });
        return (await examineFiles({ ...subject(), stores: [looking] })).missing.map(({ recordId }) => recordId);
      };
      deepStrictEqual(await missing(false), [records[1].id]);
      deepStrictEqual(await missing(true), []);
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
      deepStrictEqual(await doctor(), { code: 0, text: 'no problems found' });
    });
  });
}

describe('galley doctor and a bucket', () => {
  it('finds objects without record', async () => {
    const s3 = await startS3('public');
    const folder = await copyProject(CONFORMANCE_DIR);
    let database: TestDatabase | undefined;
    const engine = engines[0]!;
    const own: Engine = { ...engine, databaseFor: async () => (database = await engine.databaseFor(folder)) };
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

  for (const engine of engines) {
    it(`skips files of records from an older configuration, on ${engine.name}`, async () => {
      const s3 = await startS3('public');
      const folder = await copyProject(CONFORMANCE_DIR);
      const env = s3.env({ S3_PUBLIC_URL: 'https://cdn.example.com' });
      const server = await serveSeeded(engine, folder, undefined, env);
      try {
        const { database, stores } = server.app;
        const sql = (text: string) => database.transaction(async (tx) => tx.rows(text, []));
        await uploadSamples(server, ['landscape.jpg', 'note.txt']);
        const bucket = stores.storage;
        const address = `${s3.endpoint}/${BUCKET}`;
        await sql(
          `update "files" set "provider" = '@strapi/provider-upload-aws-s3', "url" = replace("url", 'https://cdn.example.com', '${address}') where "name" = 'landscape.jpg'`,
        );
        const gone = path.join(folder.dir, 'gone');
        await writeFile(gone, 'x');
        await bucket.put('gone_012345678a.txt', { path: gone, size: 1, mime: 'text/plain' });
        const names = await s3.names();
        const subject = { db: database, stores: stores.stores };
        const { orphans, missing } = await examineFiles(subject, Date.now() + 7_200_000);
        deepStrictEqual(
          orphans.map(({ object, kind }) => [object.key, kind]),
          [['gone_012345678a.txt', 'left']],
        );
        deepStrictEqual(missing, []);
        await removeOrphans(subject, orphans);
        deepStrictEqual(
          await s3.names(),
          names.filter((name) => !name.startsWith('gone_')),
        );
      } finally {
        await server.stop();
        await s3.stop();
      }
    });
  }
});
