/** `galley import` brings an archive of Strapi into a database as it was, or changes nothing. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { runCommandLine } from '../../../src/cli/run.ts';
import { storeEntry } from '../../../src/db/interface/core-store.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import { adoptFiles } from '../../../src/transfer/files.ts';
import { ARCHIVES, type ArchiveFile, encrypted, filesOf, headerOf, PASSWORD, tarOf } from '../../support/archives.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { copyProject, type ProjectFolder, serve } from '../../support/servers/project.ts';

const recorded = (name: string): string => path.join(ARCHIVES, name);

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command, and collects its output. */
async function galley(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const surroundings = {
    env,
    print: (line: string) => void out.push(line),
    warn: (line: string) => void err.push(line),
  };
  const code = await runCommandLine(words, surroundings);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

interface Target {
  readonly folder: ProjectFolder;
  readonly database: TestDatabase;
  readonly env: Readonly<Record<string, string>>;
  importing(...words: readonly string[]): Promise<Outcome>;
  remove(): Promise<void>;
}

async function targetOn(engine: Engine): Promise<Target> {
  const folder = await copyProject();
  const database = await engine.databaseFor(folder);
  const env = { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
  return {
    ...{ folder, database, env },
    importing: (archive, ...words) => galley(['import', archive!, folder.dir, ...words], env),
    remove: async () => {
      await database.drop();
      await folder.remove();
    },
  };
}

interface RecordedRead {
  readonly as: string;
  readonly request: string;
  readonly status: number;
  readonly response: unknown;
  /** Whether the answer depends on the engine. */
  readonly engine?: boolean;
}

/** Orders that engines have for nulls and letters. */
const ENGINE_ORDER = /sort=(?:title|author\.name|age)/;

/** A body without the zeros that one engine stores behind times. */
const withoutZeros = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (_, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/^(\d\d:\d\d:\d\d)\.(\d*?)0*$/, (_all, time, rest) => (rest ? `${time}.${rest}` : time))
      : value,
  );

async function tokensOf({ env, folder }: Target): Promise<Record<string, string>> {
  const custom = [
    'article.article.find',
    'article.article.findOne',
    'article.article.create',
    'article.article.update',
  ];
  const permissions = [...custom, 'tag.tag.create'].flatMap((action) => ['--permission', `api::${action}`]);
  const secrets: Record<string, string> = {};
  for (const [name, ...words] of [
    ['full', 'full-access'],
    ['read', 'read-only'],
    ['custom', 'custom', ...permissions],
  ]) {
    const command = ['token', 'create', '--name', name!, '--type', words[0]!, ...words.slice(1), folder.dir];
    secrets[name!] = (await galley(command, env)).out;
  }
  return secrets;
}

for (const engine of engines) {
  describe(`an import on ${engine.name}`, () => {
    let target: Target;
    before(async () => {
      target = await targetOn(engine);
    });
    after(() => target?.remove());

    it('reads all of an archive first and lists what does not fit, with its line', async () => {
      const { code, out, err } = await target.importing(recorded('broken/dangling-links.tar.gz'));
      strictEqual(code, 1);
      for (const line of [1303, 1304, 1305, 1306, 1307, 1308]) match(out, new RegExp(`links_00001\\.jsonl:${line} `));
      match(out, /nothing was written/);
      match(err, /--skip dangling-link --skip unknown-attribute/);
      deepStrictEqual(await tablesWithRows(target), []);
    });

    it('keeps rows, ids, links and files: every recorded read has the recorded answer', async () => {
      const { code, out } = await target.importing(recorded('full.tar.gz'));
      strictEqual(code, 0, out);
      match(out, /^14 files$/m);
      const secrets = await tokensOf(target);
      const reads: readonly RecordedRead[] = JSON.parse(await readFile(recorded('reads.json'), 'utf8'));
      const server = await serve(
        { ...target.folder, remove: async () => {} },
        { ...target.database, drop: async () => {} },
        target.env,
      );
      try {
        for (const { as, request, status, response, engine: isOfEngine } of reads) {
          if (isOfEngine || (engine.name !== 'sqlite' && ENGINE_ORDER.test(request))) continue;
          const [method = '', address = ''] = request.split(/ (.*)/s);
          const answer = await server.request(method, address, { token: secrets[as] });
          const [got, wanted] =
            engine.name === 'sqlite' ? [answer.body, response] : [withoutZeros(answer.body), withoutZeros(response)];
          deepStrictEqual(got, wanted, request);
          strictEqual(answer.status, status);
        }
        const picture = await fetch(`${server.url}/uploads/note_414db473fc.txt`);
        deepStrictEqual([picture.status, (await picture.arrayBuffer()).byteLength], [200, 26]);
        // new rows are numbered after the imported ones
        const created = await server.request('POST', '/api/tags', {
          token: secrets['full'],
          body: { data: { name: 'new' } },
        });
        strictEqual(created.status, 200, JSON.stringify(created.body));
      } finally {
        await server.stop();
      }
      deepStrictEqual(
        (await readdir(path.join(target.folder.dir, 'public/uploads'))).filter((name) => name.startsWith('.import')),
        [],
      );
    });

    it('refuses a database with content, and replaces it after a backup, without what is to be skipped', async () => {
      const refused = await target.importing(recorded('content-only.tar.gz'));
      strictEqual(refused.code, 1);
      match(refused.err, /is not empty: .*--replace/);
      const skip = ['--skip', 'dangling-link', '--skip', 'unknown-attribute'];
      const archive = path.join(target.folder.dir, 'own-state.tar');
      const files = await filesOf('broken/dangling-links.tar.gz');
      const foreign = Object.entries({ galley_schema_hold: { until: 9e15 }, galley_schemas: {} });
      const lines = foreign.map(([key, value], n) =>
        JSON.stringify({ type: 'core-store', value: { id: 9000 + n, key, value } }),
      );
      const own = await settingsOf(target);
      files.set('configuration/configuration_99999.jsonl', Buffer.from(lines.join('\n')));
      await writeFile(archive, tarOf([...files].sort(([one], [other]) => orderOf(one) - orderOf(other))));
      const replaced = await target.importing(archive, '--replace', ...skip);
      strictEqual(replaced.code, 0, replaced.err);
      const copy = /^backup: (.*)$/m.exec(replaced.out)![1]!;
      ok(existsSync(path.join(target.folder.dir, copy)));
      match(replaced.out, /^total +783 +783 +1040 +1034 +6$/m);
      // the entries about the database and its servers are those of the target
      deepStrictEqual(await settingsOf(target), own);
    });

    it('moves no other folder than one of an import into the library', async () => {
      const uploads = path.join(target.folder.dir, 'public/uploads');
      await mkdir(path.join(uploads, '.import'));
      const before = await readdir(uploads);
      await inDatabase(target, async (database) => {
        for (const name of ['..', '.import', '../../config']) {
          await database.transaction((tx) => storeEntry(tx, 'galley_imported_files', JSON.stringify(name), 'string'));
          strictEqual(await adoptFiles(database, uploads), 0);
        }
      });
      deepStrictEqual(await readdir(uploads), before);
    });
  });
}

/** Parts of an archive in their order. */
const orderOf = (name: string): number =>
  ['schemas', 'entities', 'assets', 'links', 'configuration', 'metadata.json'].indexOf(name.split('/')[0]!);

async function inDatabase<T>({ database: { env } }: Target, work: (database: Database) => Promise<T>): Promise<T> {
  const { database } = await openPlain({ env });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Galley's own entries of the core store. */
const settingsOf = (target: Target) =>
  inDatabase(target, async (database) =>
    database.rows(`select key, value from strapi_core_store_settings where key like 'galley%' order by key`, []),
  );

/** Names of tables of content with rows. */
async function tablesWithRows({ env, folder }: Target): Promise<readonly string[]> {
  const names = ['articles', 'authors', 'tags', 'files', 'up_users'];
  const { openProject } = await import('../../../src/app.ts');
  const app = await openProject(folder.dir, { env });
  try {
    const counts = await Promise.all(
      names.map(async (name) => [name, await app.database.rows(`select 1 from ${name} limit 1`, [])] as const),
    );
    return counts.filter(([, rows]) => rows.length > 0).map(([name]) => name);
  } finally {
    await app.close();
  }
}

const [sqlite] = engines;

describe('an archive', () => {
  let target: Target;
  let folder: string;
  let files: Map<string, Buffer>;
  before(async () => {
    target = await targetOn(sqlite!);
    folder = path.join(target.folder.dir, 'archives');
    await mkdir(folder);
    files = await filesOf('content-only.tar.gz');
  });
  after(() => target?.remove());

  const made = async (name: string, content: Buffer): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return file;
  };
  /** The recorded files, with some in place of them or behind them. */
  const withFiles = (...changed: readonly ArchiveFile[]): ArchiveFile[] => {
    const all = new Map<string, string | Buffer>(files);
    const metadata = files.get('metadata.json')!;
    all.delete('metadata.json');
    for (const [name, content] of changed) all.set(name, content);
    return [...all, ['metadata.json', metadata]];
  };
  const LINKS = 'links/links_00001.jsonl';
  const ENTITIES = 'entities/entities_00001.jsonl';
  const SETTING = '{"type":"core-store","value":{"id":1,"key":"a","value":1}}';
  const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);
  const behind = (name: string, ...lines: readonly unknown[]): ArchiveFile => [
    name,
    Buffer.concat([files.get(name)!, Buffer.from(lines.map((line) => `\n${JSON.stringify(line)}`).join(''))]),
  ];
  const dry = (file: string, ...words: readonly string[]) => target.importing(file, '--dry-run', ...words);
  const COMPLETE = /^total +737 +0 +1034 +0 +0$/m;

  it('may be a folder, a tar file, compressed, encrypted in either form, and in any order of its parts', async () => {
    const tar = tarOf(withFiles());
    const unpacked = path.join(folder, 'unpacked');
    for (const [name, content] of files) {
      await mkdir(path.dirname(path.join(unpacked, name)), { recursive: true });
      await writeFile(path.join(unpacked, name), content);
    }
    const places = [
      unpacked,
      await made('plain.tar', tar),
      await made('reversed.tar', tarOf(withFiles().toReversed())),
      await made(
        'prefixed.tar',
        tarOf(withFiles().map(([name, content]) => [`./${name.replaceAll('/', '\\')}`, content])),
      ),
      await made('old.tar.gz.enc', encrypted(gzipSync(tar))),
      recorded('encrypted-v2.tar.gz.enc'),
    ];
    for (const place of places) {
      const { code, out, err } = await dry(place, '--key', PASSWORD);
      strictEqual(code, 0, `${place}: ${err}`);
      match(out, place.endsWith('v2.tar.gz.enc') ? /^total +783/m : COMPLETE);
    }
  });

  it('is refused when it is damaged or hostile, before anything is written', async () => {
    const tar = tarOf(withFiles());
    const bomb = gzipSync(
      Buffer.concat([headerOf('assets/uploads/a.bin', 8 * 1024 ** 3 - 512), Buffer.alloc(70 * 1024 * 1024)]),
    );
    const cases: readonly (readonly [string, Buffer | string, RegExp])[] = [
      ['truncated', recorded('broken/truncated.tar.gz'), /the archive is cut off/],
      ['outside', recorded('broken/dotdot-path.tar.gz'), /leads out of it: "assets\/uploads\/\.\./],
      ['absolute', tarOf(withFiles(['/tmp/evil', 'x'])), /leads out of it: "\/tmp\/evil"/],
      ['a drive', tarOf(withFiles(['C:\\evil', 'x'])), /leads out of it/],
      ['short', tar.subarray(0, tar.length - 2000), /cut off/],
      ['no end', tarOf([...files].filter(([name]) => name !== 'metadata.json')), /no metadata\.json/],
      ['no schemas', tarOf([['metadata.json', files.get('metadata.json')!]]), /no schemas/],
      ['old', tarOf([['metadata.json', '{"strapi":{"version":"4.25.0"}}']]), /not of Strapi 5, but of "4\.25\.0"/],
      ['no archive', Buffer.from('text'), /neither a tar file nor compressed/],
      ['no UTF-8', tarOf(withFiles([LINKS, Buffer.from([0x7b, 0xff, 0x7d])])), /links_00001\.jsonl:1 is not UTF-8/],
      ['no JSON', tarOf(withFiles([ENTITIES, '{"type":\n'])), /entities_00001\.jsonl:1 is not JSON/],
      [
        'endless',
        gzipSync(tarOf(withFiles([ENTITIES, Buffer.alloc(33 * 1024 * 1024, 0x20)]))),
        /entities_00001\.jsonl:1 is longer than 32 MB/,
      ],
      ['bomb', bomb, /expands to more than 300 times/],
      ['hidden file', tarOf(withFiles(['assets/uploads/.htaccess', 'x'])), /whose name is not one/],
      [
        'unsafe hash',
        tarOf(withFiles(behind(ENTITIES, { type: 'plugin::upload.file', id: 900, data: { hash: '../x', ext: '' } }))),
        /unsafe name/,
      ],
      [
        'one id twice',
        tarOf(withFiles(['configuration/configuration_00001.jsonl', `${SETTING}\n${SETTING}`])),
        /configuration_00001\.jsonl:2 has an id that occurs before: 1/,
      ],
      [
        'deep setting',
        tarOf(withFiles(['configuration/configuration_00001.jsonl', SETTING.replace('"value":1', `"value":${DEEP}`)])),
        /configuration_00001\.jsonl:1 has more than 1000 levels/,
      ],
      [
        'deep row',
        tarOf(withFiles([ENTITIES, `{"type":"api::tag.tag","id":1,"data":{"name":${DEEP}}}`])),
        /entities_00001\.jsonl:1 has more than 1000 levels/,
      ],
      ['deep end', tarOf([['metadata.json', `{"strapi":{"version":${DEEP}}}`]]), /metadata\.json:1 has more than 1000/],
      ['no row', tarOf(withFiles(behind(ENTITIES, { type: 'api::tag.tag', id: -1, data: {} }))), /no type, id or data/],
    ];
    for (const [name, content, reason] of cases) {
      const file = typeof content === 'string' ? content : await made(name, content);
      const { code, err } = await target.importing(file);
      strictEqual(code, 1, name);
      match(err, reason, name);
    }
    for (const file of [await made('x.enc', encrypted(gzipSync(tar))), recorded('encrypted-v2.tar.gz.enc')]) {
      match((await target.importing(file, '--key', 'wrong')).err, /the password of .* is wrong/);
      match((await target.importing(file)).err, /pass its password with --key/);
    }
    ok(!existsSync(target.env['DATABASE_FILENAME']!));
  });

  it('may have things that the project does not know, which are named with their numbers', async () => {
    const renamed = await dry(recorded('broken/schema-renamed.tar.gz'));
    strictEqual(renamed.code, 1);
    match(renamed.out, /^unknown-attribute {2}api::article\.article\.headline \(128 times\)$/m);
    match(renamed.out, /api::article\.article: the archive has no title/);
    const tag = { documentId: 'a', name: 'x' };
    const file = await made(
      'odd.tar',
      tarOf(
        withFiles(
          behind(
            ENTITIES,
            { type: 'api::gone.gone', id: 1, data: {} },
            { type: 'x'.repeat(100_000), id: 1, data: {} },
            { type: 'api::tag.tag', id: 1, data: tag },
            { type: 'api::author.author', id: 800, data: { name: 'x', age: 'many', email: '\ud800' } },
          ),
          behind(
            LINKS,
            JSON.parse(
              String(files.get(LINKS))
                .split('\n')
                .find((line) => line.includes('"field":"tags"'))!,
            ),
          ),
        ),
      ),
    );
    const { code, out, err } = await dry(file);
    strictEqual(code, 1);
    match(out, /^unknown-type {2}api::gone\.gone$/m);
    match(out, /^unknown-type {2}x{300}…$/m);
    match(out, /^duplicate-id {2}api::tag\.tag$/m);
    match(
      out,
      /^invalid-value {2}api::author\.author\.age$\n.*"many" is not a whole number: the value is left empty$/m,
    );
    match(out, /^invalid-value {2}api::author\.author\.email$/m);
    match(out, /^duplicate-link {2}api::article\.article\.tags$\n {2}links\/links_00001\.jsonl:\d+ /m);
    match(err, /--skip unknown-type/);
  });

  it('has a missing file that is named, while an archive without any files is complete', async () => {
    const all = await filesOf('full.tar.gz');
    all.delete('assets/uploads/note_414db473fc.txt');
    const { code, out } = await dry(await made('missing.tar', tarOf([...all])));
    strictEqual(code, 1);
    match(
      out,
      /^missing-file {2}plugin::upload\.file$\n {2}entities\/entities_00001\.jsonl:4 {2}the archive has no file note_414db473fc\.txt: its record stays$/m,
    );
  });
});
