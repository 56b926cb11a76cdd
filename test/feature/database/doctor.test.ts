/** `galley doctor` finds problems of a database, repairs some of them, and never changes documents. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { storeNamedFiles } from '../../support/media/stored-files.ts';
import { contentType, copyProject, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const relation = (kind: string, target: string, more = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});
const contentTypes = {
  page: contentType(
    'page',
    {
      title: { type: 'string', ...localized },
      weight: { type: 'integer' },
      secret: { type: 'password' },
      tags: relation('manyToMany', 'tag', { inversedBy: 'pages' }),
      parts: { type: 'component', component: 'base.part', repeatable: true },
      anything: { type: 'relation', relation: 'morphToOne' },
      list: { type: 'relation', relation: 'morphToMany' },
      gallery: { type: 'media', multiple: true },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', {
    name: { type: 'string' },
    pages: relation('manyToMany', 'page', { mappedBy: 'tags' }),
    above: relation('manyToOne', 'tag', { useJoinTable: false }),
  }),
};
const components = {
  'base.part': {
    collectionName: 'components_base_parts',
    attributes: { text: { type: 'string' }, inner: { type: 'component', component: 'base.inner' } },
  },
  'base.inner': { collectionName: 'components_base_inners', attributes: { text: { type: 'string' } } },
};

/** Statements that do harm; `$1`-free, so that both engines take them. */
const HARM = [
  `insert into "pages_tags_lnk" ("page_id", "tag_id", "tag_ord") select min("id"), null, 9 from "pages"`,
  `update "pages_tags_lnk" set "tag_ord" = 1`,
  `update "tags" set "above_id" = null where "above_id" = 4242`,
  `insert into "pages_cmps" ("entity_id", "cmp_id", "component_type", "field", "order")
    select min("id"), 4242, 'base.part', 'parts', 7 from "pages"`,
  `update "components_base_parts" set "text" = 'lost' where "id" in (select max("cmp_id") from "pages_cmps" where "cmp_id" < 4000)`,
  `delete from "pages_cmps" where "cmp_id" in (select "id" from "components_base_parts" where "text" = 'lost')`,
  `insert into "files_related_mph" ("related_id", "related_type", "field") values (4242, 'api::page.page', 'gallery')`,
  `update "pages" set "target_id" = 4242, "target_type" = 'api::tag.tag' where "id" in (select min("id") from "pages")`,
  `insert into "pages_list_mph" ("page_id", "list_id", "list_type", "order")
    select min("id"), 4242, 'api::tag.tag', 1 from "pages"`,
  `insert into "galley_pending_links" ("source_type", "source_id", "attribute", "target_type", "target_document_id")
    values ('api::page.page', 4242, 'tags', 'api::tag.tag', 'nobody')`,
  `update "tags" set "locale" = 'en' where "name" = 'red'`,
  `update "pages" set "locale" = null where "title" = 'two'`,
  `delete from "pages" where "title" = 'three' and "published_at" is null`,
];

/** What only a person can mend. */
const DISPUTES = [
  `update "pages" set "weight" = 5 where "title" = 'un'`,
  `update "pages" set "locale" = 'xx' where "title" = 'four'`,
  `insert into "tags" ("document_id", "name") select "document_id", 'again' from "tags" where "name" = 'blue'`,
];

for (const engine of engines) {
  describe(`galley doctor on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    before(async () => {
      folder = await makeProject({ contentTypes, components });
      database = await engine.emptyDatabase();
      await galley('locale', 'add', 'fr', 'French', folder.dir);
      await inProject(async (app) => {
        const create = async (name: string, data: Record<string, unknown>, locale?: string): Promise<string> => {
          const type = app.catalog.contentTypes.get(`api::${name}.${name}`)!;
          const request = { type, data, locale, viewer: app.views.full, status: 'published', shape: {} } as const;
          const text = await app.writer.create({ ...request, mayLocalize: true });
          return JSON.parse(typeof text === 'string' ? text : (text as { data: string }).data).documentId;
        };
        const tags = [await create('tag', { name: 'red' }), await create('tag', { name: 'blue' })];
        const parts = [
          { text: 'a', inner: { text: 'b' } },
          { text: 'c', inner: { text: 'd' } },
        ];
        const one = await create('page', { title: 'one', weight: 1, secret: 'geheim1', tags, parts });
        const type = app.catalog.contentTypes.get('api::page.page')!;
        const french = { type, locale: 'fr', viewer: app.views.full, status: 'published', shape: {} } as const;
        await app.writer.update({ ...french, data: { title: 'un' }, mayLocalize: true }, one);
        for (const title of ['two', 'three', 'four']) await create('page', { title, tags: [tags[0]], parts });
      });
    });
    after(async () => {
      await folder?.remove();
      await database?.drop();
    });

    const galley = async (...args: string[]) => {
      const out: string[] = [];
      const print = (line: string): void => void out.push(line);
      const code = await runCommandLine(args, { env: database.env, print, warn: print });
      return { code, out: out.join('\n') };
    };
    const inProject = async (work: (app: Awaited<ReturnType<typeof openProject>>) => Promise<void>) => {
      const app = await openProject(folder.dir, { env: database.env });
      try {
        await work(app);
      } finally {
        await app.close();
      }
    };
    const harm = (statements: readonly string[]) =>
      inProject((app) =>
        app.database.transaction(async (tx) => {
          for (const statement of statements) await tx.rows(statement, []);
        }),
      );
    const counted = async (): Promise<unknown> => {
      let rows: unknown;
      await inProject(async (app) => {
        rows = await app.database.rows('select "title", "document_id", "locale" from "pages" order by 1, 2, 3', []);
      });
      return rows;
    };

    it('finds no problem in a database that Galley wrote', async () => {
      deepStrictEqual(await galley('doctor', folder.dir), { code: 0, out: 'no problems found' });
    });

    it('reports every kind of harm with examples, and changes nothing', async () => {
      await harm(HARM);
      const first = await galley('doctor', folder.dir);
      strictEqual(first.code, 1);
      for (const line of [
        /^link from or to a row that is gone +pages_tags_lnk +1 /m,
        /^tag_ord missing or duplicated +pages_tags_lnk +/m,
        /^component link from or to a row that is gone +pages_cmps +1 /m,
        /^component that belongs to nothing +components_base_parts +\d+ /m,
        /^media link from a row that is gone +files_related_mph +1 /m,
        /^media link to a file that is gone +files_related_mph +1 /m,
        /^target_id leads to a row that is gone +pages +1 .*target_id 4242/m,
        /^link from or to a row that is gone +pages_list_mph +1 /m,
        /^pending link from a row that is gone +galley_pending_links +1 /m,
        /^pending link to a document that is gone +galley_pending_links +1 /m,
        /^locale on a type without locales +tags +1 /m,
        /^no locale on a localized type +pages +2 /m,
        /^published row without a draft +pages +1 /m,
      ]) {
        match(first.out, line);
      }
      deepStrictEqual(await galley('doctor', folder.dir), first);
    });

    it('--fix prints and performs its repairs, and has nothing to do a second time', async () => {
      const { code, out } = await galley('doctor', folder.dir, '--fix');
      strictEqual(code, 0, out);
      match(out, /repairing:\n {2}pages_tags_lnk, link from or to a row that is gone: delete the row, once/);
      match(
        out,
        /repairing problems that this revealed:\n {2}components_base_inners, component that belongs to nothing/,
      );
      match(out, /no problems found$/);
      deepStrictEqual(await galley('doctor', folder.dir, '--fix'), { code: 0, out: 'no problems found' });
    });

    it('does not repair problems that only a person can decide', async () => {
      const pages = await counted();
      ok(pages);
      await harm(DISPUTES);
      const { code, out } = await galley('doctor', folder.dir, '--fix');
      strictEqual(code, 1);
      const left = out.slice(out.indexOf('not repaired, because only you can decide:'));
      match(left, /^weight differs between locales +pages +\d .*locale en, other fr/m);
      match(left, /^unknown locale +pages +2 .*locale xx/m);
      match(left, /^several rows of one version +tags +1 /m);
      doesNotMatch(left, /secret/);
    });
  });

  describe(`galley doctor in a Strapi project on ${engine.name}`, () => {
    it('finds no problem in the fixture, and one after a row is deleted', async () => {
      const folder = await copyProject();
      const database = await engine.fixtureDatabase();
      await storeNamedFiles(folder, database);
      const out: string[] = [];
      const print = (line: string): void => void out.push(line);
      const doctor = (...flags: string[]) =>
        runCommandLine(['doctor', folder.dir, ...flags], { env: database.env, print, warn: () => {} });
      strictEqual(await doctor(), 0, out.join('\n'));
      const app = await openProject(folder.dir, { env: database.env });
      // as the reference deletes: what has no foreign key stays behind
      await app.database.transaction(async (tx) => {
        await tx.rows(`delete from "articles" where "id" in (select max("entity_id") from "articles_cmps")`, []);
      });
      await app.close();
      strictEqual(await doctor(), 1);
      match(out.join('\n'), /component that belongs to nothing/);
      strictEqual(await doctor('--fix'), 0, out.join('\n'));
      strictEqual(await doctor(), 0);
      await database.drop();
      await folder.remove();
    });
  });
}
