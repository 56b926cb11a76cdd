/** Leftovers of renamed and removed attributes and types: reported with a remedy, and never dropped. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

const POST = 'src/api/post/content-types/post';
const relation = (target: string, more: object = {}) => ({ type: 'relation', relation: 'manyToOne', target, ...more });
const ATTRIBUTES = {
  title: { type: 'string' },
  note: { type: 'string' },
  views: { type: 'integer' },
  author: relation('api::person.person'),
  cover: { type: 'media', multiple: false },
  seo: { type: 'component', component: 'shared.seo' },
};

for (const engine of engines) {
  describe(`leftovers of the schema on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let id: string;

    const open = async <T>(work: (app: App) => Promise<T>): Promise<T> => {
      const app = await openProject(folder.dir, { env: database.env });
      try {
        return await work(app);
      } finally {
        await app.close();
      }
    };
    /** What a start says of it. */
    const notices = () => open(async ({ warnings }) => warnings.filter((line) => line.includes('ends this notice')));
    const galley = async (...words: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine([...words, folder.dir], { env: database.env, print, warn: print });
      return { code, lines };
    };
    const names = async () =>
      (await galley('leftover', 'list', '--json')).lines
        .map((line) => (JSON.parse(line) as { name: string }).name)
        .sort();
    const save = (attributes: Readonly<Record<string, unknown>>) =>
      writeFile(path.join(folder.dir, POST, 'schema.json'), JSON.stringify(contentType('post', attributes)));
    /** Does what a notice says. */
    const move = (line: string) =>
      open((app) => app.database.transaction(async (tx) => tx.rows(/move the values: (.*?); "/.exec(line)![1]!, [])));

    before(async () => {
      folder = await makeProject({
        contentTypes: {
          post: contentType('post', ATTRIBUTES),
          person: contentType('person', { name: { type: 'string' } }),
        },
        components: {
          'shared/seo': { collectionName: 'components_shared_seos', attributes: { text: { type: 'string' } } },
        },
      });
      database = await engine.emptyDatabase();
      id = await open(async (app) => {
        const person = await app.documents('api::person.person').create({ data: { name: 'Ann' } as never });
        const data = { title: 'One', views: 7, author: person['documentId'], seo: { text: 'found' } };
        const post = await app.documents('api::post.post').create({ data: data as never });
        await app.database.transaction(async (tx) => {
          const file = `insert into files (name, document_id) values ('a.png', 'f1')`;
          await tx.rows(file, []);
          const links = '"file_id", "related_id", "related_type", "field", "order"';
          const one = `select f.id, p.id, 'api::post.post', 'cover', 1 from files f, posts p`;
          await tx.rows(`insert into files_related_mph (${links}) ${one}`, []);
        });
        return String(post['documentId']);
      });
    });
    after(async () => {
      await database?.drop();
      await folder?.remove();
    });

    it('is nothing where the schema is as it was', async () => {
      deepStrictEqual(await notices(), []);
      deepStrictEqual((await galley('leftover', 'list')).lines, ['every column and table with values is in use']);
    });

    it('is named with the statement that moves it where attributes are renamed, of every kind', async () => {
      const { title, note, views, author, cover, seo } = ATTRIBUTES;
      await save({ headline: title, note, hits: views, writer: author, image: cover, meta: seo });
      const told = await notices();
      strictEqual(told.length, 5, told.join('\n'));
      const [column, count] = told;
      match(column!, /^the column title of the table posts has values, and api::post\.post has no attribute for it; /);
      match(
        count!,
        /if it was renamed to hits, move the values: update "posts" set "hits" = "views" where "hits" is null; /,
      );
      match(told.join('\n'), /posts_author_lnk .* renamed to posts_writer_lnk, move the values: insert into /);
      match(told.join('\n'), /"galley leftover keep posts\.title|leftover keep posts\.title /);
      match(column!, /if it was renamed to headline, move the values: update "posts" set "headline" = "title"/);
      // both texts are empty and there: which of them is meant would be a guess
      match((await notices())[0]!, /with the column of api::post\.post for NEW_NAME: update "posts" set "NEW_NAME" = /);
      for (const line of told) await move(line);
      const found = await open((app) =>
        app.documents('api::post.post').findOne({ documentId: id, populate: '*' as never }),
      );
      const post = found as unknown as Record<string, Record<string, unknown> & string & number>;
      deepStrictEqual(
        [post['headline'], post['hits'], post['writer']!['name'], post['image']!['name'], post['meta']!['text']],
        ['One', 7, 'Ann', 'a.png', 'found'],
      );
      // nothing was dropped
      deepStrictEqual(await names(), ['posts.title', 'posts.views', 'posts_author_lnk']);
    });

    it('is not named again once the owner has decided that it stays', async () => {
      for (const name of await names()) {
        deepStrictEqual(await galley('leftover', 'keep', name), {
          code: 0,
          lines: [`${name} stays as it is; later starts do not mention it`],
        });
      }
      deepStrictEqual(await notices(), []);
      strictEqual((await names()).length, 3);
      const wrong = await galley('leftover', 'keep', 'posts.titel');
      strictEqual(wrong.code, 1);
      match(wrong.lines.join(), /no leftover posts\.titel: did you mean posts\.title\?/);
    });

    it('include the table of an attribute of another kind, and of a removed type', async () => {
      const { title, note, views, cover, seo } = ATTRIBUTES;
      await save({ headline: title, note, hits: views, writer: { type: 'string' }, image: cover, meta: seo });
      await rm(path.join(folder.dir, 'src/api/person'), { recursive: true });
      const told = await notices();
      strictEqual(told.length, 2, told.join('\n'));
      match(told.join('\n'), /the table posts_writer_lnk has links of an attribute that api::post\.post no longer has/);
      match(told.join('\n'), /the table people|the table persons/);
      ok(told.some((line) => /"collectionName": "pe\w+" in its schema file uses the table again/.test(line)));
    });
  });
}
