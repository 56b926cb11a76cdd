/** `galley export` (docs/reference/export.md). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createGunzip } from 'node:zlib';
import { runCommandLine } from '../../../src/cli/run.ts';
import { readTar } from '../../../src/transfer/archive/tar.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { copyProject, type ProjectFolder } from '../../support/servers/project.ts';

/** An archive that Strapi exported of the fixture project. */
const STRAPIS = path.join(import.meta.dirname, '../../fixtures/strapi-archives/fixture.tar.gz');

type Line = Readonly<Record<string, unknown>>;

/** The entries of an archive by name, in their order. */
async function entriesOf(file: string): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  const bytes = file.endsWith('.gz') ? createReadStream(file).pipe(createGunzip()) : createReadStream(file);
  for await (const { name, chunks } of readTar(bytes)) entries.set(name, await buffer(chunks()));
  return entries;
}

/** The lines of a part of an archive. */
const linesOf = (entries: ReadonlyMap<string, Buffer>, part: string): Line[] =>
  [...entries]
    .filter(([name]) => name.startsWith(`${part}/`))
    .flatMap(([, content]) => content.toString().split('\n'))
    .map((line) => JSON.parse(line) as Line);

/** Lines in one order, with the keys of objects in one order. */
function sorted(lines: readonly Line[]): string[] {
  const ordered = (_: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  return lines.map((line) => JSON.stringify(line, ordered)).sort();
}

for (const engine of engines) {
  describe(`galley export on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let target: string;
    const exportTo = async (name: string, ...args: string[]) => {
      const lines: string[] = [];
      const write = (line: string) => void lines.push(line);
      const env = { ...database.env };
      const words = ['export', path.join(target, name), folder.dir, ...args];
      const code = await runCommandLine(words, { env, print: write, warn: write });
      return { code, text: lines.join('\n') };
    };

    before(async () => {
      folder = await copyProject();
      database = await engine.fixtureDatabase();
      target = await mkdtemp(path.join(tmpdir(), 'galley-export-'));
    });
    after(async () => {
      await database?.drop();
      await folder?.remove();
      await rm(target, { recursive: true, force: true });
    });

    it('contains the schemas, rows and links that the export of Strapi contains', async () => {
      const { code, text } = await exportTo('one.tar.gz');
      strictEqual(code, 0, text);
      match(text, /one\.tar\.gz: 207 rows, 1,039 links, \d+ files/);
      const [ours, strapis] = [await entriesOf(path.join(target, 'one.tar.gz')), await entriesOf(STRAPIS)];
      deepStrictEqual(sorted(linesOf(ours, 'schemas')), sorted(linesOf(strapis, 'schemas')));
      // ids of documents, hashes, times and the orders of grants differ between the databases of engines
      const isShared = ({ left }: Line) =>
        (left as Line)['field'] !== 'localizations' &&
        (left as Line)['type'] !== 'plugin::users-permissions.permission';
      const links = (entries: typeof ours) => sorted(linesOf(entries, 'links').filter(isShared));
      deepStrictEqual(links(ours), links(strapis));
      const rows = (entries: typeof ours) => sorted(linesOf(entries, 'entities').map(({ type, id }) => ({ type, id })));
      deepStrictEqual(rows(ours), rows(strapis));
      if (engine.name === 'sqlite') {
        for (const part of ['entities', 'links']) {
          deepStrictEqual(sorted(linesOf(ours, part)), sorted(linesOf(strapis, part)));
        }
        for (const [name, content] of strapis) if (name.startsWith('assets/')) deepStrictEqual(ours.get(name), content);
      }
      strictEqual([...ours.keys()].at(-1), 'metadata.json');
    });

    it('gives the same bytes for the same content, apart from the date', async () => {
      for (const name of ['two.tar', 'three.tar']) strictEqual((await exportTo(name)).code, 0);
      const [two, three] = await Promise.all(
        ['two.tar', 'three.tar'].map((name) => entriesOf(path.join(target, name))),
      );
      two!.delete('metadata.json');
      three!.delete('metadata.json');
      deepStrictEqual(two, three);
      strictEqual((await exportTo('folder')).code, 0);
      for (const [name, content] of two!) deepStrictEqual(await readFile(path.join(target, 'folder', name)), content);
    });

    it('exports some parts or types, and links between their rows alone', async () => {
      const { code, text } = await exportTo('tags.tar', '--only', 'api::tag.tag,api::article.article');
      strictEqual(code, 0, text);
      const entries = await entriesOf(path.join(target, 'tags.tar'));
      const types = new Set(linesOf(entries, 'entities').map(({ type }) => type));
      deepStrictEqual([...types], ['api::article.article', 'api::tag.tag']);
      ok(linesOf(entries, 'links').every(({ right }) => types.has((right as Line)['type'])));
      deepStrictEqual(
        [...new Set([...entries.keys()].map((name) => name.split('/')[0]))],
        ['schemas', 'entities', 'links', 'metadata.json'],
      );
      await exportTo('rest.tar', '--exclude', 'content', '--exclude', 'files');
      const rest = await entriesOf(path.join(target, 'rest.tar'));
      deepStrictEqual(
        [...new Set([...rest.keys()].map((name) => name.split('/')[0]))],
        ['schemas', 'configuration', 'metadata.json'],
      );
    });

    it('refuses unknown types, existing files and names that contradict the key, and leaves nothing behind', async () => {
      const before = await readdir(target);
      const refusals: [args: [string, ...string[]], message: RegExp][] = [
        [['x.tar', '--only', 'api::tag.tgg'], /there is no api::tag\.tgg to export: did you mean api::tag\.tag\?/],
        [['one.tar.gz'], /one\.tar\.gz exists; choose another name/],
        [['x.tar.enc'], /names of encrypted archives, and of no others, end with \.enc/],
        [['x', '--key', 'secret'], /names of encrypted archives, and of no others, end with \.enc/],
      ];
      for (const [args, message] of refusals) {
        const { code, text } = await exportTo(...args);
        ok(code > 0);
        match(text, message);
      }
      deepStrictEqual(await readdir(target), before);
    });
  });
}
