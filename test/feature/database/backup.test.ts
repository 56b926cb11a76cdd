/** `galley backup` and `galley restore` (docs/reference/backup.md). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { uploadSamples } from '../../support/media/media.ts';
import { BUCKET, startS3 } from '../../support/media/s3.ts';
import { CONFORMANCE_DIR, copyProject, makeProject, type ProjectFolder, serve } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const KEY = 'a key of the backups';

/** Runs a command of the program; all that it prints is its text. */
async function run(env: Record<string, string>, ...args: string[]) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const code = await runCommandLine(args, { env, print: write, warn: write });
  return { code, text: lines.join('\n') };
}

for (const engine of engines) {
  describe(`galley backup on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    let target: ProjectFolder;
    let other: TestDatabase;
    let token: string;
    /** What the first backup contains. */
    let first: { readonly titles: readonly string[]; readonly files: number };
    const inFolder = (name: string) => path.join(folder.dir, name);
    const backup = (...args: string[]) => run(server.env, 'backup', ...args);
    const restore = (...args: string[]) => run(other.env, 'restore', ...args);
    const create = (title: string) => server.request('POST', '/api/articles', { token, body: { data: { title } } });
    /** The titles and files that a server answers with after a restore. */
    const restored = async () => {
      const kept = { remove: async () => {}, drop: async () => {} };
      const there = await serve({ ...target, ...kept }, { ...other, ...kept });
      try {
        const titles = (await there.get('/api/articles?fields=title&sort=id&pagination[pageSize]=100', token)).body
          .data;
        const files = (await there.get('/api/upload/files?sort=id', token)).body;
        for (const { url } of files) strictEqual((await fetch(new URL(url, there.url))).status, 200, url);
        return { titles: titles.map(({ title }: { title: string }) => title), files: files.length };
      } finally {
        await there.stop();
      }
    };

    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      target = await copyProject(CONFORMANCE_DIR);
      const env = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
      server = await serveSeeded(engine, folder, undefined, env);
      token = server.secrets['full']!;
      const empty = await engine.emptyDatabase();
      other = { ...empty, env: { ...empty.env, ...env } };
      await uploadSamples(server, ['landscape.jpg', 'note.txt']);
      await create('First');
    });
    after(async () => {
      await server?.stop();
      await target?.remove();
      await other?.drop();
    });

    it('backs up the database and the files while documents are written, and restores them', async () => {
      let isOver = false;
      const writing = (async () => {
        const titles: string[] = [];
        while (!isOver) {
          const title = `Written ${titles.length}`;
          ok((await create(title)).status < 300);
          titles.push(title);
        }
        return titles;
      })();
      const { code, text } = await backup(inFolder('one.tar.gz'), folder.dir);
      isOver = true;
      const titles = await writing;
      strictEqual(code, 0, text);
      match(text, /^one\.tar\.gz: [\d,]+ rows of \d+ tables, \d+ files, \d+\.\d MB, read again and complete$/);
      const { code: restoring, text: said } = await restore(inFolder('one.tar.gz'), target.dir);
      strictEqual(restoring, 0, said);
      first = await restored();
      strictEqual(first.files, 2);
      // those that were written before the moment of the backup, and no others
      deepStrictEqual(first.titles, ['First', ...titles.slice(0, first.titles.length - 1)]);
    });

    it('replaces a database with content only with --replace, after a backup of it', async () => {
      const refused = await restore(inFolder('one.tar.gz'), target.dir);
      strictEqual(refused.code, 1);
      match(refused.text, /the database has content: with --replace it is backed up and then replaced/);
      const { code, text } = await restore(inFolder('one.tar.gz'), target.dir, '--replace');
      strictEqual(code, 0, text);
      const [name] = /backups\/\S+/.exec(text)!;
      ok((await stat(path.join(target.dir, name))).size > 0);
    });

    it('is refused while a server runs with the database', async () => {
      const { code, text } = await run(server.env, 'restore', inFolder('one.tar.gz'), folder.dir, '--replace');
      strictEqual(code, 1);
      match(text, /a server is running with the database: stop it first/);
    });

    it('encrypts with a key, and refuses what is damaged before anything is changed', async () => {
      const env = { ...server.env, GALLEY_BACKUP_KEY: KEY };
      const { code, text } = await run(env, 'backup', inFolder('two.tar.gz.enc'), folder.dir);
      strictEqual(code, 0, text);
      const bytes = await readFile(inFolder('two.tar.gz.enc'));
      const place = bytes.length - 1000;
      const refusals: [name: string, bytes: Buffer, key: string, message: RegExp][] = [
        ['wrong-key', bytes, 'another key', /the key is wrong, or the backup is damaged/],
        ['changed', bytes.with(place, bytes[place]! ^ 1) as Buffer, KEY, /damaged or cut off/],
        ['cut', bytes.subarray(0, -100), KEY, /damaged or cut off/],
      ];
      const plain = await readFile(inFolder('one.tar.gz'));
      refusals.push(['plain-cut', plain.subarray(0, -1000), KEY, /damaged/]);
      for (const [name, content, key, message] of refusals) {
        await writeFile(inFolder(`${name}.tar.gz`), content);
        const refused = await restore(inFolder(`${name}.tar.gz`), target.dir, '--replace', '--key', key);
        strictEqual(refused.code, 1, name);
        match(refused.text, message, name);
      }
      deepStrictEqual(await restored(), first);
      const { code: restoring } = await restore(inFolder('two.tar.gz.enc'), target.dir, '--replace', '--key', KEY);
      strictEqual(restoring, 0);
    });

    it('is a tar archive with checksums that other programs check', async () => {
      strictEqual((await backup(inFolder('three.tar'), folder.dir)).code, 0);
      const unpacked = await makeProject({});
      execFileSync('tar', ['xf', inFolder('three.tar'), '-C', unpacked.dir]);
      execFileSync('sha256sum', ['--check', '--quiet', 'checksums.txt'], { cwd: unpacked.dir });
      await unpacked.remove();
    });

    it('puts backups into an object store, and restores them from it', async () => {
      const s3 = await startS3('private');
      try {
        const { S3_BUCKET: _bucket, UPLOAD_PROVIDER: _provider, ...access } = s3.env();
        const { code, text } = await run({ ...server.env, ...access }, 'backup', `s3://${BUCKET}/nightly`, folder.dir);
        strictEqual(code, 0, text);
        const [name] = await s3.names();
        match(name!, /^nightly\/[\w.-]+Z\.tar\.gz$/);
        await rm(path.join(target.dir, 'public/uploads'), { recursive: true, force: true });
        const args = [`s3://${BUCKET}/${name}`, target.dir, '--replace'];
        const { code: restoring, text: said } = await run({ ...other.env, ...access }, 'restore', ...args);
        strictEqual(restoring, 0, said);
        strictEqual((await restored()).files, 2);
      } finally {
        await s3.stop();
      }
    });

    it('leaves nothing of a backup that cannot be created', async () => {
      const before = await readdir(folder.dir);
      const { code, text } = await backup(inFolder('four.tar.gz.enc'), folder.dir);
      strictEqual(code, 2);
      match(text, /names of encrypted backups, and of no others, end with \.enc/);
      deepStrictEqual(await readdir(folder.dir), before);
    });
  });
}
