/** What docs/frontends shows, held against a server of the example project: its calls, its types, its versions. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runCommandLine } from '../../../src/cli/run.ts';
import { loadSeed } from '../../../src/cli/seed.ts';
import { engines } from '../../support/databases/databases.ts';
import { copyProject, type ProjectFolder, type RunningServer, serve } from '../../support/servers/project.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const PAGES = path.join(ROOT, 'docs/frontends');
const [sqlite] = engines;

interface Article {
  readonly title: string;
  readonly author: { readonly name: string } | null;
  readonly cover: object | null;
}
/** The file that all pages share. */
interface Content {
  listArticles(): Promise<Article[]>;
  findArticle(slug: string, status?: 'draft' | 'published'): Promise<Article | undefined>;
  image(file: object): { readonly src: string; readonly srcset: string; readonly alt: string };
}

/** The code blocks of a page by the path in their first line. */
async function blocksOf(page: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path.join(PAGES, page), 'utf8');
  const blocks = text.matchAll(/^```\w+\n(?:---\n)?(?:\/\/|<!--) (\S+\.\w+)(?: -->)?\n(.*?)^```$/gms);
  return new Map([...blocks].map(([, file, code]) => [file!, code!]));
}

describe(`the pages on front ends on ${sqlite!.name}`, () => {
  let folder: ProjectFolder;
  let server: RunningServer;
  let site: string;
  let content: Content;

  before(async () => {
    folder = await copyProject(path.join(ROOT, 'examples/blog'));
    const database = await sqlite!.emptyDatabase();
    server = await serve(folder, database, {}, {}, async (app) => void (await loadSeed(app)));
    site = path.join(folder.dir, 'site');
    await mkdir(site);
    await symlink(path.join(ROOT, 'node_modules'), path.join(site, 'node_modules'));
    const code = (await blocksOf('README.md')).get('content.ts')!;
    await writeFile(path.join(site, 'content.ts'), code.replace('http://127.0.0.1:1337', server.url));
    content = (await import(pathToFileURL(path.join(site, 'content.ts')).href)) as Content;
  });
  after(() => server?.stop());

  it('read lists, published articles and drafts, and the sizes of a picture', async () => {
    const slug = 'bread-for-a-long-weekend';
    ok((await content.listArticles()).some(({ title }) => title === 'Bread for a long weekend'));
    const published = (await content.findArticle(slug))!;
    deepStrictEqual([published.title, published.author!.name], ['Bread for a long weekend', 'Mira Holt']);
    strictEqual((await content.findArticle(slug, 'draft'))!.title, 'Bread for a very long weekend');
    strictEqual(await content.findArticle('coffee-without-a-machine'), undefined);
    const { src, srcset, alt } = content.image(published.cover!);
    strictEqual(alt, 'A scored loaf of bread');
    match(srcset, /thumbnail_\S+ \d+w/);
    for (const address of [src, srcset.split(' ')[0]!]) strictEqual((await fetch(address)).status, 200);
  });

  it('type-check with what galley types writes', async () => {
    const out = path.join(site, 'galley.d.ts');
    const silent = { env: {}, print: () => {}, warn: () => {} };
    strictEqual(await runCommandLine(['types', folder.dir, '--out', out], silent), 0);
    const args = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler'];
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--target', 'es2022', '--types', 'node', '--ignoreConfig'];
    const { status, stdout, error } = spawnSync(process.execPath, [compiler, ...args, ...types, 'content.ts'], {
      cwd: site,
      encoding: 'utf8',
    });
    deepStrictEqual([status, stdout, error], [0, '', undefined]);
  });

  it('call nothing that the shared file does not have, and name the client that is tested here', async () => {
    const { version } = JSON.parse(
      await readFile(path.join(ROOT, 'node_modules/@strapi/client/package.json'), 'utf8'),
    ) as { version: string };
    const pages = (await readdir(PAGES)).filter((page) => page !== 'README.md');
    deepStrictEqual(pages.sort(), ['astro.md', 'next.md', 'nuxt.md', 'sveltekit.md']);
    for (const page of pages) {
      const text = await readFile(path.join(PAGES, page), 'utf8');
      ok(text.includes(`\`@strapi/client\` ${version}`), page);
      const blocks = [...(await blocksOf(page)).values()];
      ok(blocks.length >= 5, page);
      const imported = blocks.join('\n').matchAll(/import \{ ([^}]+) \} from '[^']*\/content'/g);
      const names = new Set([...imported].flatMap(([, list]) => list!.split(', ')));
      if (page !== 'nuxt.md') deepStrictEqual([...names].sort(), ['findArticle', 'image', 'listArticles'], page);
      for (const name of names) strictEqual(typeof content[name as keyof Content], 'function', `${page}: ${name}`);
    }
  });
});
