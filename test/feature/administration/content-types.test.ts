/** Content types and components changed in the administration: files, content, permissions, concurrent edits, undo. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { ProjectWatch } from '../../../src/cli/watch/watch.ts';
import { createIndex, createSearchIndex, dropIndexOf } from '../../../src/db/indexes/building.ts';
import { forgetIndex, storeIndex } from '../../../src/db/indexes/stored-indexes.ts';
import { storeEntry } from '../../../src/db/interface/core-store.ts';
import { examineProject } from '../../../src/doctor.ts';
import { processName } from '../../../src/media/safety/process-name.ts';
import { openDatabase } from '../../../src/open-database.ts';
import { commandText } from '../../../src/own-files.ts';
import { checkSchemas } from '../../../src/schema/check/check.ts';
import { recordStep, STEP_FILE } from '../../../src/schema/editing/unfinished-step.ts';
import { settleSchemaFiles } from '../../../src/schema-editor.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { send } from '../../support/servers/exchange.ts';
import { startProcess } from '../../support/servers/process.ts';
import {
  contentType,
  copyProject,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';
const relation = (kind: string, target: string, more: object) => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
});

const ARTICLE_FILE = `{
	"kind": "collectionType",
	"collectionName": "articles",
	"info": { "singularName": "article", "pluralName": "articles", "displayName": "Article" },
	"options": { "draftAndPublish": true },
	"pluginOptions": {},
	"attributes": {
		"title": { "type": "string", "required": true },
		"slug": { "type": "uid", "targetField": "title" },
		"views": { "type": "integer", "index": true },
		"kind": { "type": "enumeration", "enum": ["news", "blog"] },
		"seo": { "type": "component", "component": "shared.seo" },
		"cover": { "type": "media", "multiple": false },
		"editor": { "type": "relation", "relation": "manyToOne", "target": "api::author.author" },
		"author": {
			"type": "relation", "relation": "manyToOne",
			"target": "api::author.author", "inversedBy": "articles"
		}
	}
}
`;

/** Sends requests to a server of another process. */
const requestTo =
  (url: string): RunningServer['request'] =>
  (method, target, { headers = {}, body } = {}) =>
    send(
      method,
      url + target,
      { ...headers, 'content-type': 'application/json' },
      body === undefined ? undefined : JSON.stringify(body),
    );

/** A project that Strapi serves too. */
const STRAPI = {
  'package.json': { name: 'site', dependencies: { '@strapi/strapi': '5.54.0' } },
  'tsconfig.json': { extends: '@strapi/typescript-utils/tsconfigs/server', compilerOptions: { outDir: 'dist' } },
};

const PROJECT = {
  contentTypes: {
    article: ARTICLE_FILE,
    author: contentType('author', {
      name: { type: 'string' },
      articles: relation('oneToMany', ARTICLE, { mappedBy: 'author' }),
    }),
  },
  components: {
    'shared.seo': {
      collectionName: 'components_shared_seos',
      info: { displayName: 'Seo' },
      attributes: { metaTitle: { type: 'string' } },
    },
  },
};

for (const engine of engines) {
  describe(`content types in the administration on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let server: RunningServer;
    let sue: Browser;
    let eva: Browser;

    before(async () => {
      folder = await makeProject(PROJECT);
      server = await serve(folder, await engine.databaseFor(folder), {}, { editsSchemas: true });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-editor');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
      const author = await server.app.documents(AUTHOR).create({ data: { name: 'Ann' } });
      for (const [title, views] of [
        ['One', 1],
        ['Two', null],
      ] as const) {
        const data = {
          title,
          slug: title.toLowerCase(),
          views,
          kind: 'news',
          author: author['documentId'],
          editor: author['documentId'],
        };
        await server.app
          .documents(ARTICLE)
          .create({ data: { ...data, seo: { metaTitle: `${title}!` } }, status: 'published' });
      }
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target, answer.status, answer.body), []);
      return answer;
    };
    const file = (name: string) => path.join(folder.dir, name);
    const textOf = (name: string) => readFileSync(file(name), 'utf8');
    const ARTICLES = 'src/api/article/content-types/article/schema.json';
    const state = async (): Promise<Any> => (await ask('GET', 'content-types')).body.data;
    const typeOf = async (uid: string): Promise<Any> => (await state()).types.find((one: Any) => one.uid === uid);
    /** A change of a type by a function, which gets a copy of its schema. */
    const change = async (uid: string, work: (schema: Any) => unknown, more: object = {}): Promise<Any> => {
      const { kind, revision, schema } = await typeOf(uid);
      const copy = structuredClone(schema);
      work(copy);
      return { uid, kind, revision, schema: copy, ...more };
    };
    const plan = async (...changes: Any[]): Promise<Any> =>
      (await ask('POST', 'content-types/plan', { changes })).body.data;
    const apply = async (changes: Any[], keep: object = {}): Promise<Any> =>
      ask('POST', 'content-types', { changes, keep });
    const done = async (changes: Any[], keep: object = {}): Promise<Any> => {
      const answer = await apply(changes, keep);
      strictEqual(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.data;
    };
    const undo = () => ask('POST', 'content-types/undo', {});
    const effectsOf = ({ effects }: Any, ...kinds: string[]) =>
      effects
        .filter(({ kind }: Any) => kinds.length === 0 || kinds.includes(kind))
        .map(({ severity, kind, attribute, count }: Any) => [severity, kind, attribute, count]);
    const find = async (params: object = {}): Promise<Any[]> =>
      (await server.app.documents(ARTICLE).findMany({ sort: 'id', status: 'published', ...params })) as Any[];
    const renamed = (schema: Any, from: string, to: string) => {
      schema.attributes = Object.fromEntries(
        Object.entries(schema.attributes).map(([name, value]) => [name === from ? to : name, value]),
      );
    };

    it('are readable with the right, with the content of the files and the numbers of documents', async () => {
      const { isEditable, reason, undo: last, types, problems } = await state();
      deepStrictEqual([isEditable, reason, last, problems], [true, null, null, []]);
      const article = types.find((one: Any) => one.uid === ARTICLE);
      deepStrictEqual([article.origin, article.file, article.count], ['project', ARTICLES, 2]);
      // a component has rows for drafts and for published versions, whose number tells nothing
      strictEqual(types.find((one: Any) => one.uid === 'shared.seo').count, null);
      deepStrictEqual(article.schema, JSON.parse(textOf(ARTICLES)));
      const others = types.filter(({ origin }: Any) => origin !== 'project').map(({ uid }: Any) => uid);
      deepStrictEqual(others.sort(), ['admin::user', 'plugin::users-permissions.user']);
      for (const target of ['content-types', 'content-types/plan', 'content-types/undo']) {
        strictEqual((await ask(target === 'content-types' ? 'GET' : 'POST', target, undefined, eva)).status, 403);
      }
      strictEqual((await ask('POST', 'content-types', { changes: [] }, eva)).status, 403);
    });

    it('are added with the names that they need, and are served at once', async () => {
      const schema = { info: { displayName: 'Place' }, attributes: { name: { required: true, type: 'string' } } };
      const box = {
        uid: 'shared.opening-hour',
        kind: 'component',
        revision: null,
        schema: { attributes: { day: { type: 'string' } } },
      };
      const place = { uid: 'api::place.place', kind: 'collectionType', revision: null, schema };
      deepStrictEqual(effectsOf(await plan(place, box)), [
        ['info', 'typeAdded', null, null],
        ['info', 'typeAdded', null, null],
      ]);
      await done([place, box]);
      strictEqual(
        textOf('src/api/place/content-types/place/schema.json'),
        `{
  "kind": "collectionType",
  "collectionName": "places",
  "info": {
    "singularName": "place",
    "pluralName": "places",
    "displayName": "Place"
  },
  "attributes": {
    "name": {
      "type": "string",
      "required": true
    }
  }
}
`,
      );
      match(textOf('src/components/shared/opening-hour.json'), /"collectionName": "components_shared_opening_hours"/);
      await server.app.documents('api::place.place').create({ data: { name: 'Here' } });
      // content was added since: undoing would put it out of reach
      const refused = await undo();
      deepStrictEqual(
        [refused.status, effectsOf(refused.body.error.details)],
        [400, [['loss', 'typeRemoved', null, 1]]],
      );
      const removal = await change('api::place.place', () => {}, { schema: null });
      strictEqual((await apply([removal])).status, 400);
      await done([removal], { 'api::place.place': 'archive' });
      ok(!existsSync(file('src/api/place')));
      await done([place]);
      strictEqual((await typeOf('api::place.place')).count, 1, 'the content is there again');
      await done([await change('api::place.place', () => {}, { schema: null })], { 'api::place.place': 'archive' });
    });

    it('keep the style of their file and everything that is not changed', async () => {
      await done([
        await change(ARTICLE, (schema) => {
          schema.attributes.lead = { maxLength: 300, type: 'text' };
          delete schema.attributes.cover;
          schema.attributes.kind.enum.push('essay');
        }),
      ]);
      strictEqual(
        textOf(ARTICLES),
        ARTICLE_FILE.replace('["news", "blog"]', '["news", "blog", "essay"]')
          .replace('\t\t"cover": { "type": "media", "multiple": false },\n', '')
          .replace(
            '"inversedBy": "articles"\n\t\t}\n',
            '"inversedBy": "articles"\n\t\t},\n\t\t"lead": {\n\t\t\t"type": "text",\n\t\t\t"maxLength": 300\n\t\t}\n',
          ),
      );
      strictEqual((await undo()).status, 200);
      strictEqual(textOf(ARTICLES), ARTICLE_FILE);
      strictEqual((await undo()).status, 404);
    });

    it('keep the content of renamed attributes of every kind, and update references to them', async () => {
      const pairs = { title: 'headline', views: 'hits', seo: 'meta', author: 'writer' };
      const changes = [
        await change(
          ARTICLE,
          (schema) => {
            for (const [from, to] of Object.entries(pairs)) renamed(schema, from, to);
          },
          { renames: pairs },
        ),
        await change('shared.seo', (schema) => renamed(schema, 'metaTitle', 'heading'), {
          renames: { metaTitle: 'heading' },
        }),
      ];
      const planned = await plan(...changes);
      deepStrictEqual([planned.isApplicable, planned.problems], [true, []]);
      deepStrictEqual(effectsOf(planned, 'attributeRenamed').slice(0, 2), [
        ['work', 'attributeRenamed', 'headline', 2],
        ['work', 'attributeRenamed', 'hits', 1],
      ]);
      await createSearchIndex(server.app.database, server.app.engine.search, { table: 'articles', columns: ['title'] });
      await done(changes);
      deepStrictEqual(await server.app.engine.search.list(server.app.database), []);
      deepStrictEqual((await find({ _q: 'one' })).length, 1);
      match(textOf(ARTICLES), /"slug": \{ "type": "uid", "targetField": "headline" \}/);
      match(textOf('src/api/author/content-types/author/schema.json'), /"mappedBy": "writer"/);
      const [one] = await find({ populate: ['meta', 'writer'] });
      deepStrictEqual([one.headline, one.hits, one.meta.heading, one.writer.name], ['One', 1, 'One!', 'Ann']);
      const [row] = (await server.app.database.rows(
        `select properties from admin_permissions where subject = '${ARTICLE}' and action like '%explorer.update' limit 1`,
        [],
      )) as Any;
      const { fields } = typeof row[0] === 'string' ? JSON.parse(row[0]) : row[0];
      ok(fields.includes('headline') && fields.includes('meta.heading') && !fields.includes('title'), String(fields));
      strictEqual((await undo()).status, 200);
      strictEqual(textOf(ARTICLES), ARTICLE_FILE);
      const [again] = await find({ populate: ['seo', 'author'] });
      deepStrictEqual([again.title, again.views, again.seo.metaTitle, again.author.name], ['One', 1, 'One!', 'Ann']);
    });

    it('keep their content in tables with other names, and undo that', async () => {
      const table = (name: string) => (schema: Any) => Object.assign(schema, { collectionName: name });
      const { database, engine: schemas } = server.app;
      await createSearchIndex(database, schemas.search, { table: 'articles', columns: ['title'] });
      const index = { table: 'articles', index: { name: 'galley_articles_made', columns: ['kind'], unique: false } };
      strictEqual(await createIndex({ database, engine: schemas }, index), undefined);
      const used = { origin: 'command', reads: 0, milliseconds: 0, madeAt: Date.now(), usedAt: Date.now() } as const;
      await storeIndex(database, { ...index, ...used });
      const content = async () =>
        (await find({ populate: ['author', 'editor', 'seo'], sort: 'title' })).map(
          ({ title, views, author, editor, seo }) => [title, views, author?.name, editor?.name, seo?.metaTitle],
        );
      const counts = () =>
        Promise.all([ARTICLE, AUTHOR].map((uid) => server.app.documents(uid).count({ status: 'published' } as Any)));
      const before = await content();
      // two types exchange their tables, and a component gets another one
      const changes = [
        await change(
          ARTICLE,
          (schema) => {
            table('authors')(schema);
            renamed(schema, 'views', 'visits');
          },
          { renames: { views: 'visits' } },
        ),
        await change(AUTHOR, table('articles')),
        await change('shared.seo', table('components_seo')),
      ];
      deepStrictEqual(effectsOf(await plan(...changes), 'tableRenamed', 'attributeRenamed'), [
        ['work', 'tableRenamed', null, 2],
        ['work', 'attributeRenamed', 'visits', 1],
        ['work', 'tableRenamed', null, 1],
        ['work', 'tableRenamed', null, 2],
      ]);
      await done(changes);
      const moved = (await find({ populate: ['author', 'editor', 'seo'], sort: 'title' })).map(
        ({ title, visits, author, editor, seo }) => [title, visits, author?.name, editor?.name, seo?.metaTitle],
      );
      deepStrictEqual(moved, before);
      deepStrictEqual(await counts(), [2, 1]);
      await server.app.documents(ARTICLE).create({ data: { title: 'Three' }, status: 'published' });
      deepStrictEqual(await counts(), [3, 1]);
      const existing = await schemas.introspect(server.app.database);
      ok(existing.get('authors')!.columns.some(({ name }) => name === 'visits'));
      ok(!existing.has('components_shared_seos') && existing.has('components_seo'));
      const [[onTable]] = (await server.app.database.rows(
        `select "on_table" from galley_indexes where "name" = 'galley_articles_made'`,
        [],
      )) as Any;
      strictEqual(onTable, 'authors');
      const { documentId } = (await find({ filters: { title: 'Three' } }))[0];
      await server.app.documents(ARTICLE).delete({ documentId });
      strictEqual((await undo()).status, 200);
      deepStrictEqual(await content(), before);
      deepStrictEqual(await counts(), [2, 1]);
      strictEqual(textOf(ARTICLES), ARTICLE_FILE);
      await forgetIndex(database, 'galley_articles_made');
      strictEqual(await dropIndexOf({ database, engine: schemas }, index), undefined);
    });

    it('exchange the names of two attributes without mixing their content', async () => {
      const swap = (schema: Any) => {
        renamed(schema, 'title', 'x');
        renamed(schema, 'kind', 'title');
        renamed(schema, 'x', 'kind');
        schema.attributes.slug.targetField = 'kind';
      };
      await done([await change(ARTICLE, swap, { renames: { title: 'kind', kind: 'title' } })]);
      const [one] = await find();
      deepStrictEqual([one.title, one.kind], ['news', 'One']);
      strictEqual((await undo()).status, 200);
      const [again] = await find();
      deepStrictEqual([again.title, again.kind], ['One', 'news']);
    });

    it('lose no content of removed attributes, and have it again with the attribute', async () => {
      const without = await change(ARTICLE, (schema) => {
        delete schema.attributes.views;
        delete schema.attributes.seo;
      });
      const planned = await plan(without);
      deepStrictEqual(
        [planned.isApplicable, effectsOf(planned)],
        [
          false,
          [
            ['loss', 'attributeRemoved', 'views', 1],
            ['loss', 'attributeRemoved', 'seo', 2],
          ],
        ],
      );
      const refused = await apply([without], { [`${ARTICLE}#views`]: 'archive' });
      deepStrictEqual(
        [refused.status, effectsOf(refused.body.error.details)],
        [400, [['loss', 'attributeRemoved', 'seo', 2]]],
      );
      strictEqual(textOf(ARTICLES), ARTICLE_FILE);
      await done([without], { [`${ARTICLE}#views`]: 'archive', [`${ARTICLE}#seo`]: 'archive' });
      ok(!server.app.warnings.some((warning) => warning.includes('articles.views')), 'nobody is asked about it again');
      const back = await change(ARTICLE, (schema) => {
        schema.attributes.views = { type: 'string' };
        schema.attributes.seo = { type: 'component', component: 'shared.seo' };
      });
      deepStrictEqual(effectsOf(await plan(back)), [
        ['info', 'attributeAdded', 'views', null],
        ['loss', 'archiveReplaced', 'views', 1],
        ['info', 'attributeRestored', 'seo', 2],
      ]);
      strictEqual((await apply([back])).status, 400);
      await done([back], { [`${ARTICLE}#views`]: 'archive' });
      const [one] = await find({ populate: ['seo'] });
      deepStrictEqual([one.views, one.seo.metaTitle], [null, 'One!']);
      strictEqual((await undo()).status, 200);
      await done([
        await change(ARTICLE, (schema) => {
          schema.attributes = JSON.parse(ARTICLE_FILE).attributes;
        }),
      ]);
      const [same] = await find({ populate: ['seo'] });
      deepStrictEqual([same.views, same.seo.metaTitle], [1, 'One!']);
      writeFileSync(file(ARTICLES), ARTICLE_FILE);
      await server.app.reload();
    });

    it('count components once, although drafts and published versions have rows of their own', async () => {
      const without = await change('shared.seo', (schema) => {
        delete schema.attributes.metaTitle;
      });
      deepStrictEqual(effectsOf(await plan(without)), [['loss', 'attributeRemoved', 'metaTitle', 2]]);
    });

    it('say that a renamed attribute displaces kept content of its new name, and report that content afterwards', async () => {
      const without = await change(ARTICLE, (schema) => {
        delete schema.attributes.views;
        delete schema.attributes.seo;
      });
      await done([without], { [`${ARTICLE}#views`]: 'archive', [`${ARTICLE}#seo`]: 'archive' });
      await done([
        await change(ARTICLE, (schema) => {
          schema.attributes.hits = { type: 'integer' };
          schema.attributes.meta = { type: 'component', component: 'shared.seo' };
        }),
      ]);
      const rename = await change(
        ARTICLE,
        (schema) => {
          renamed(schema, 'hits', 'views');
          renamed(schema, 'meta', 'seo');
        },
        { renames: { hits: 'views', meta: 'seo' } },
      );
      const planned = await plan(rename);
      deepStrictEqual(
        [planned.isApplicable, effectsOf(planned, 'archiveReplaced')],
        [
          false,
          [
            ['loss', 'archiveReplaced', 'views', 1],
            ['loss', 'archiveReplaced', 'seo', 2],
          ],
        ],
      );
      strictEqual((await apply([rename])).status, 400);
      await done([rename], { [`${ARTICLE}#views`]: 'archive', [`${ARTICLE}#seo`]: 'archive' });
      ok(server.app.warnings.some((warning) => warning.includes('articles.views_old')));
      strictEqual((await undo()).status, 200);
      writeFileSync(file(ARTICLES), ARTICLE_FILE);
      await server.app.reload();
      const [one] = await find({ populate: ['seo'] });
      deepStrictEqual([one.views, one.seo.metaTitle], [1, 'One!']);
    });

    it('convert values to a wider type, and keep those that do not fit', async () => {
      const wider = await change(ARTICLE, (schema) => {
        schema.attributes.views = { type: 'string' };
        schema.attributes.title = { type: 'text', required: true };
      });
      deepStrictEqual(effectsOf(await plan(wider), 'typeChanged'), [
        ['work', 'typeChanged', 'title', 2],
        ['work', 'typeChanged', 'views', 1],
      ]);
      await done([wider]);
      const [one] = await find();
      deepStrictEqual([one.title, one.views], ['One', '1']);
      strictEqual((await undo()).status, 200);
      deepStrictEqual(
        (await find()).map(({ views }) => views),
        [1, null],
      );
      const other = await change(ARTICLE, (schema) => {
        schema.attributes.title = { type: 'integer' };
      });
      deepStrictEqual(effectsOf(await plan(other), 'typeChanged'), [['loss', 'typeChanged', 'title', 2]]);
      await done([other], { [`${ARTICLE}#title`]: 'archive' });
      strictEqual((await undo()).status, 200);
      deepStrictEqual(
        (await find()).map(({ title }) => title),
        ['One', 'Two'],
      );
    });

    it('merge changes of other attributes, and refuse those of the same one', async () => {
      const ours = await change(ARTICLE, (schema) => {
        schema.attributes.note = { type: 'text' };
        schema.attributes.views.min = 0;
      });
      writeFileSync(file(ARTICLES), ARTICLE_FILE.replace('"required": true }', '"required": true, "maxLength": 80 }'));
      deepStrictEqual((await plan(ours)).merged, [ARTICLE]);
      await done([ours]);
      const { attributes } = JSON.parse(textOf(ARTICLES));
      deepStrictEqual([attributes.title.maxLength, attributes.views.min, attributes.note.type], [80, 0, 'text']);
      // long files displace the oldest texts that are kept for merging, and not the newest
      for (let i = 0; i < 11; i++) {
        writeFileSync(file(ARTICLES), `${ARTICLE_FILE}${' '.repeat(1_000_000 + i)}`);
        await state();
      }
      const short = await change(ARTICLE, (schema) => {
        schema.attributes.note = { type: 'text' };
      });
      writeFileSync(file(ARTICLES), ARTICLE_FILE.replace('"required": true }', '"required": true, "maxLength": 80 }'));
      deepStrictEqual((await plan(short)).merged, [ARTICLE]);
      writeFileSync(file(ARTICLES), JSON.stringify({ ...JSON.parse(ARTICLE_FILE), attributes }));
      // the same attribute, changed in another tab
      const [first, second] = [1, 2].map(async (min) =>
        change(ARTICLE, (schema) => {
          schema.attributes.views.min = min;
        }),
      );
      await done([await first!]);
      const text = textOf(ARTICLES);
      const refused = await apply([await second!]);
      deepStrictEqual([refused.status, refused.body.error.details.conflicts], [412, [ARTICLE]]);
      strictEqual(textOf(ARTICLES), text);
      writeFileSync(file(ARTICLES), `${text}\n`);
      strictEqual((await state()).undo, null);
      deepStrictEqual((await undo()).body.error.details.conflicts, [ARTICLE]);
      const tabs = [];
      for (const min of [3, 4]) {
        tabs.push(
          await change(ARTICLE, (schema) => {
            schema.attributes.views.min = min;
          }),
        );
      }
      const both = await Promise.all(tabs.map((one) => apply([one])));
      deepStrictEqual(both.map(({ status }) => status).sort(), [200, 412]);
      writeFileSync(file(ARTICLES), ARTICLE_FILE);
      await server.app.reload();
    });

    it('get both sides of a relation, and keep links when it changes its kind', async () => {
      const two = [
        await change(ARTICLE, (schema) => {
          schema.attributes.author.relation = 'manyToMany';
        }),
        await change(AUTHOR, (schema) => {
          schema.attributes.articles.relation = 'manyToMany';
        }),
      ];
      await done(two);
      const [one] = await find({ populate: ['author'] });
      deepStrictEqual(
        one.author.map(({ name }: Any) => name),
        ['Ann'],
      );
      strictEqual((await undo()).status, 200);
      strictEqual((await find({ populate: ['author'] }))[0].author.name, 'Ann');
      const oneSided = await change(ARTICLE, (schema) => {
        schema.attributes.author.target = 'plugin::users-permissions.user';
        delete schema.attributes.author.inversedBy;
      });
      const planned = await plan(oneSided, await change(AUTHOR, (schema) => delete schema.attributes.articles));
      deepStrictEqual(effectsOf(planned), [
        ['info', 'attributeRemoved', 'articles', null],
        ['loss', 'relationChanged', 'author', 2],
      ]);
    });

    it('keep content, links and permissions of a renamed type', async () => {
      await server.app.database.transaction(async (tx) => {
        const [[role]] = (await tx.rows(`select id from up_roles where type = 'public'`, [])) as Any;
        const [[id]] = (await tx.rows(
          `insert into up_permissions (action) values ('${ARTICLE}.find') returning id`,
          [],
        )) as Any;
        await tx.rows(
          `insert into up_permissions_role_lnk (permission_id, role_id) values (${Number(id)}, ${Number(role)})`,
          [],
        );
      });
      const stages = ['Draft', 'Read'].map((name) => ({ name, color: '#4945FF', from: [], to: [] }));
      const made = await ask('POST', 'workflows', { name: 'Texts', stages, required: null, types: [ARTICLE] });
      strictEqual(made.status, 201, JSON.stringify(made.body));
      const [workflow] = made.body.data;
      const [{ documentId }] = (await server.app.documents(ARTICLE).findMany({ status: 'draft', limit: 1 })) as Any;
      const stageIn = async (uid: string) => (await ask('GET', `content/${uid}/${documentId}/review`)).body.data.stage;
      const moved = await ask('PUT', `content/${ARTICLE}/${documentId}/stage`, { stage: workflow.stages[1].id });
      strictEqual(moved.status, 200, JSON.stringify(moved.body));
      const stage = await stageIn(ARTICLE);
      const to = 'api::story.story';
      const story = await change(
        ARTICLE,
        (schema) => {
          schema.info = { ...schema.info, singularName: 'story', pluralName: 'stories' };
        },
        { uid: to, renamedFrom: ARTICLE },
      );
      const planned = await plan(story);
      deepStrictEqual(planned.problems, []);
      const noted = async (uid: string) => {
        const tables = ['galley_admin_saves', 'galley_admin_refused', 'strapi_release_actions'];
        const counts = tables.map((table) =>
          server.app.database.rows(`select count(*) from ${table} where content_type = '${uid}'`, []),
        );
        return (await Promise.all(counts)).map(([row]) => Number((row as Any)[0]) > 0);
      };
      await server.app.database.transaction(async (tx) =>
        tx.rows(`insert into galley_admin_refused (content_type, documents) values ('${ARTICLE}', '[]')`, []),
      );
      await server.app.database.transaction(async (tx) =>
        tx.rows(
          `insert into galley_admin_saves (content_type, document_id, locale) values ('${ARTICLE}', 'a', '')`,
          [],
        ),
      );
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`insert into strapi_release_actions (content_type) values ('${ARTICLE}')`, []);
      });
      deepStrictEqual(effectsOf(planned, 'typeRenamed', 'pathChanged'), [
        ['work', 'typeRenamed', null, 2],
        ['work', 'pathChanged', null, null],
      ]);
      const { types } = await done([story]);
      deepStrictEqual(
        [await noted(to), await noted(ARTICLE)],
        [
          [true, true, true],
          [false, false, false],
        ],
      );
      deepStrictEqual(await stageIn(to), stage, 'the stage of the document');
      strictEqual(types.find((one: Any) => one.uid === to).count, 2);
      ok(!existsSync(file('src/api/article')));
      match(textOf('src/api/author/content-types/author/schema.json'), /"target": "api::story.story"/);
      const stories = await server.get('/api/stories?populate=*&sort=id');
      strictEqual(stories.status, 200);
      const [one] = (stories.body as Any).data;
      deepStrictEqual([one.title, one.seo.metaTitle, one.author?.name ?? 'Ann'], ['One', 'One!', 'Ann']);
      const [linked] = (await server.app.documents(to).findMany({ populate: ['author'], sort: 'id' })) as Any;
      strictEqual(linked.author.name, 'Ann');
      const undone = await undo();
      strictEqual(undone.status, 200, JSON.stringify(undone.body));
      strictEqual(textOf(ARTICLES), ARTICLE_FILE);
      strictEqual((await server.get('/api/articles')).status, 200);
      deepStrictEqual(await stageIn(ARTICLE), stage);
      strictEqual((await ask('DELETE', `workflows/${workflow.id}`)).status, 200);
    });

    it('have the code that Strapi needs beside new ones, which is removed, renamed and restored with them', async () => {
      const codeOf = (api: string, name = api) =>
        ['controllers', 'routes', 'services'].map((kind) => `src/api/${api}/${kind}/${name}.js`);
      const exists = (paths: readonly string[]) => paths.map((one) => existsSync(file(one)));
      const ALL = [true, true, true];
      const NONE = [false, false, false];
      const added = (uid: string) => ({
        ...{ uid, kind: 'collectionType', revision: null },
        schema: { attributes: { name: { type: 'string' } } },
      });
      const { files } = await plan(added('api::coast.coast'));
      deepStrictEqual(files.map((one: Any) => one.file).sort(), [
        'src/api/coast/content-types/coast/schema.json',
        ...codeOf('coast'),
      ]);
      await done([added('api::coast.coast')]);
      strictEqual(
        textOf('src/api/coast/routes/coast.js'),
        `'use strict';\n\nconst { createCoreRouter } = require('@strapi/strapi').factories;\n\nmodule.exports = createCoreRouter('api::coast.coast');\n`,
      );
      // a first file of routes would end the routes of the other types of an API
      await done([added('api::author.pen')]);
      deepStrictEqual(exists(codeOf('author', 'pen')), NONE);
      deepStrictEqual(exists(codeOf('author')), NONE);
      await done([added('api::coast.bay')]);
      deepStrictEqual(exists(codeOf('coast', 'bay')), ALL);

      const rename = (from: string, to: string) =>
        change(
          from,
          ({ info }) => {
            info.singularName = to.slice(to.indexOf('.') + 1);
            info.pluralName = `${info.singularName}-list`;
          },
          { uid: to, renamedFrom: from },
        );
      await done([await rename('api::author.pen', 'api::pen.pen')]);
      deepStrictEqual(exists(codeOf('pen')), NONE);
      const remove = async (uid: string) => ({ ...(await change(uid, () => {})), schema: null });
      await done([await remove('api::coast.bay')]);
      deepStrictEqual([exists(codeOf('coast', 'bay')), exists(codeOf('coast'))], [NONE, ALL]);
      await done([await rename('api::coast.coast', 'api::shore.shore')]);
      deepStrictEqual([exists(codeOf('coast')), exists(codeOf('shore'))], [NONE, ALL]);
      match(textOf('src/api/shore/services/shore.js'), /createCoreService\('api::shore\.shore'\)/);
      ok(!existsSync(file('src/api/coast')));
      strictEqual((await undo()).status, 200);
      deepStrictEqual([exists(codeOf('coast')), exists(codeOf('shore'))], [ALL, NONE]);

      const [controller = '', ...others] = codeOf('coast');
      writeFileSync(file(controller), 'module.exports = { find() {} };');
      await done([await remove('api::coast.coast')]);
      deepStrictEqual([textOf(controller), ...exists(others)], ['module.exports = { find() {} };', false, false]);
      rmSync(file('src/api/coast'), { recursive: true });
      await done([await remove('api::pen.pen')]);
    });

    it('are as before, in files and in the database, after a step that fails', async () => {
      await mkdir(file('database/migrations'), { recursive: true });
      writeFileSync(file('database/migrations/2030.js'), 'module.exports = { async up() {} };');
      const refused = await apply([
        await change(ARTICLE, (schema) => renamed(schema, 'title', 'headline'), { renames: { title: 'headline' } }),
      ]);
      strictEqual(refused.status, 400);
      match(refused.body.error.message, /2030/);
      strictEqual(textOf(ARTICLES), ARTICLE_FILE);
      rmSync(file('database/migrations'), { recursive: true });
      deepStrictEqual(
        (await find()).map(({ title }) => title),
        ['One', 'Two'],
      );
      await server.app.reload();
      strictEqual((await find())[0].title, 'One');
      const renamedFields = await server.app.database.rows(
        `select id from admin_permissions where cast(properties as char(10000)) like '%headline%'`,
        [],
      );
      strictEqual(renamedFields.length, 0);
    });

    it('refuse mistakes, other tables, unsafe names and links out of the project, and write nothing', async () => {
      const problemsOf = async (...changes: Any[]) => {
        const { isApplicable, problems, files } = await plan(...changes);
        strictEqual(isApplicable, false);
        const refused = await apply(changes);
        strictEqual(refused.status, 400, JSON.stringify(refused.body));
        deepStrictEqual(textOf(ARTICLES), ARTICLE_FILE);
        void files;
        return problems.map(({ message }: Any) => message).join('\n');
      };
      const wrong = await change(ARTICLE, (schema) => {
        schema.attributes.title.type = 'strng';
        schema.attributes.author.inversedBy = 'nothing';
      });
      match(await problemsOf(wrong), /unknown attribute type "strng" \(did you mean string\?\)/);
      for (const [table, mistake] of [
        ['authors', /authors/],
        ['Up_Users', /Up_Users/],
        ['strapi_core_store_settings', /strapi_core_store_settings/],
        ['a"b', /is not a table name/],
      ] as const) {
        match(
          await problemsOf(await change(ARTICLE, (schema) => Object.assign(schema, { collectionName: table }))),
          mistake,
        );
      }
      match(
        await problemsOf(await change(AUTHOR, () => {}, { schema: null })),
        /unknown content type|api::author.author/,
      );
      for (const uid of ['api::..%2f.x', 'api::a/b.c', 'api::../../x.y', 'api::Up.up']) {
        match(
          await problemsOf({ uid, kind: 'collectionType', revision: null, schema: { attributes: {} } }),
          /a uid is/,
        );
      }
      match(
        await problemsOf({ uid: '../x.y', kind: 'component', revision: null, schema: { attributes: {} } }),
        /a uid is/,
      );
      const own = { uid: 'admin::user', kind: 'collectionType', revision: null, schema: { attributes: {} } };
      match(await problemsOf(own), /cannot be changed here/);
      await mkdir(file('elsewhere'));
      symlinkSync(file('elsewhere'), file('src/components/linked'));
      const linked = {
        uid: 'linked.box',
        kind: 'component',
        revision: null,
        schema: { attributes: { a: { type: 'string' } } },
      };
      const refused = await apply([linked]);
      deepStrictEqual([refused.status, existsSync(file('elsewhere/box.json'))], [400, false]);
      match(refused.body.error.message, /symbolic link/);
      writeFileSync(file('src/components/blocked'), 'no folder');
      const failed = await apply([{ ...linked, uid: 'blocked.box' }]);
      deepStrictEqual(
        [failed.status, failed.body.error.message],
        [400, 'The schema files could not be read or written: ENOTDIR'],
      );
      rmSync(file('src/components/blocked'));
      ok(!existsSync(file(STEP_FILE)));
      // values that have no text, which a message could not contain
      const odd = { toString: 1, valueOf: 1 };
      const withoutText = [
        { kind: odd, attributes: {} },
        { info: { pluralName: odd }, attributes: {} },
        ...[{ type: odd }, { type: 'customField', customField: odd }, { type: 'enumeration', enum: [odd] }].map(
          (attribute) => ({ attributes: { a: attribute } }),
        ),
      ];
      for (const body of [
        {},
        { changes: 1 },
        { changes: [{}] },
        { changes: [own, own] },
        { changes: [], keep: { a: 1 } },
        ...withoutText.map((schema) => ({ changes: [{ ...own, uid: 'api::odd.odd', schema }] })),
      ]) {
        strictEqual((await ask('POST', 'content-types/plan', body)).status, 400, JSON.stringify(body));
      }
    });

    it('get drafts and locales for the documents that there are, and lose neither without a word', async () => {
      const both = await change(AUTHOR, (schema) => {
        schema.options.draftAndPublish = true;
        schema.pluginOptions = { i18n: { localized: true } };
      });
      deepStrictEqual(effectsOf(await plan(both)), [
        ['work', 'draftsOn', null, 1],
        ['work', 'localesOn', null, 1],
      ]);
      await done([both]);
      const drafts = (await server.app.documents(AUTHOR).findMany({ status: 'draft', locale: 'en' })) as Any;
      deepStrictEqual(
        drafts.map(({ name, locale }: Any) => [name, locale]),
        [['Ann', 'en']],
      );
      for (const status of ['draft', 'published'] as const) {
        const articles = (await find({ status, populate: ['author', 'editor'], locale: 'en' })) as Any;
        deepStrictEqual(
          articles.map(({ author, editor }: Any) => [author?.name, editor?.name]),
          [
            ['Ann', 'Ann'],
            ['Ann', 'Ann'],
          ],
          status,
        );
      }
      await server.app.documents(AUTHOR).update({ documentId: drafts[0].documentId, data: { name: 'Anna' } });
      deepStrictEqual(effectsOf((await undo()).body.error.details), [['loss', 'unpublishedLost', null, 1]]);
      const off = await change(AUTHOR, (schema) => {
        schema.options.draftAndPublish = false;
      });
      const refused = await apply([off], { [AUTHOR]: 'archive' });
      deepStrictEqual(
        [refused.status, effectsOf(refused.body.error.details)],
        [400, [['loss', 'unpublishedLost', null, 1]]],
      );
    });

    it('lose their drafts, of which those that are not published are published first', async () => {
      const authors = () => server.app.documents(AUTHOR);
      const never = (await authors().create({ data: { name: 'Bob' }, locale: 'en' })) as Any;
      const [first] = (await find({ status: 'draft', locale: 'en' })) as Any;
      const draft = { editor: never.documentId, seo: { metaTitle: 'one' } };
      await server.app.documents(ARTICLE).update({ documentId: first.documentId, locale: 'en', data: draft });
      const off = await change(AUTHOR, (schema) => {
        schema.options.draftAndPublish = false;
      });
      deepStrictEqual(effectsOf(await plan(off)), [
        ['work', 'draftsOff', null, 2],
        ['loss', 'unpublishedLost', null, 2],
      ]);
      await done([off], { [AUTHOR]: 'publish' });
      const all = (await authors().findMany({ locale: 'en', sort: 'name' })) as Any;
      deepStrictEqual(
        all.map(({ name }: Any) => name),
        ['Anna', 'Bob'],
      );
      // articles lose their drafts too, whose links and components stay
      const editors = async (status: 'draft' | 'published') =>
        ((await find({ status, populate: ['author', 'editor', 'seo'], locale: 'en', sort: 'title' })) as Any).map(
          ({ documentId, author, editor, seo }: Any) =>
            documentId === first.documentId && [author?.name, editor?.name, seo?.metaTitle],
        );
      deepStrictEqual((await editors('draft')).filter(Boolean), [['Anna', 'Bob', 'one']]);
      const others = await change(ARTICLE, (schema) => {
        schema.options.draftAndPublish = false;
      });
      const [, unpublished] = effectsOf(await plan(others));
      deepStrictEqual([unpublished![0], unpublished![1]], ['loss', 'unpublishedLost']);
      await done([others], { [ARTICLE]: 'publish' });
      deepStrictEqual((await editors('published')).filter(Boolean), [['Anna', 'Bob', 'one']]);
      const { catalog, layout, writer, stores, engine: schema, database } = server.app;
      const left = await examineProject({ catalog, layout, writer, stores, engine: schema, database });
      deepStrictEqual(
        left.filter(({ kind }) => kind !== 'table' && kind !== 'unnamed'),
        [],
      );
      const tables = await server.app.database.rows(
        'select (select count(*) from articles), (select count(distinct document_id) from articles)',
        [],
      );
      strictEqual(Number(tables[0]![0]), Number(tables[0]![1]));
      // the drafts that were removed have nothing that is not published, so they come back
      strictEqual((await undo()).status, 200);
      deepStrictEqual((await editors('draft')).filter(Boolean), [['Anna', 'Bob', 'one']]);
      deepStrictEqual((await editors('published')).filter(Boolean), [['Anna', 'Bob', 'one']]);
    });
  });
}

for (const engine of engines) {
  describe(`content types of a Strapi project on ${engine.name}`, () => {
    it('have all their content under new names, although every type and attribute gets another one', async () => {
      const folder = await copyProject();
      const server = await serve(folder, await engine.fixtureDatabase(), {}, { editsSchemas: true });
      try {
        await makeAdministrator(server, 'sue', 'strapi-super-admin');
        const sue = new Browser(server);
        await sue.signIn('sue');
        const content = async (): Promise<string> => {
          const all: Any = [];
          const types = [...server.app.catalog.contentTypes.values()].filter(({ routed }) => routed);
          for (const { uid } of types.sort((a, b) => (a.collectionName < b.collectionName ? -1 : 1))) {
            for (const status of ['draft', 'published'] as const) {
              const params = { populate: '*', status, locale: '*', sort: 'id' } as const;
              all.push(await server.app.documents(uid as typeof ARTICLE).findMany(params as object));
            }
          }
          return JSON.stringify(all);
        };
        const before = await content();
        const warnings = server.app.warnings;
        const { types }: Any = ((await sue.send('GET', 'content-types')) as Any).body.data;
        const changes = types
          .filter(({ origin }: Any) => origin === 'project')
          .map(({ uid, kind, revision, schema }: Any) => {
            const names = Object.keys(schema.attributes);
            const attributes = Object.fromEntries(names.map((name) => [`${name}New`, schema.attributes[name]]));
            const { singularName, pluralName } = schema.info;
            const isComponent = kind === 'component';
            const info = { ...schema.info, singularName: `${singularName}-new`, pluralName: `${pluralName}-new` };
            return {
              ...{ kind, revision, renamedFrom: uid },
              uid: isComponent ? `${uid}-new` : uid.replace(/^api::(.*)\.(.*)$/, 'api::$1-new.$2-new'),
              schema: { ...schema, ...(isComponent ? {} : { info }), attributes },
              renames: Object.fromEntries(names.map((name) => [name, `${name}New`])),
            };
          });
        const applied: Any = await sue.send('POST', 'content-types', { changes });
        strictEqual(applied.status, 200, JSON.stringify(applied.body).slice(0, 1000));
        strictEqual((await content()).replaceAll(/New":/g, '":').replaceAll(/-new"/g, '"'), before);
        deepStrictEqual(server.app.warnings, warnings);
        const { problems } = checkSchemas(folder.dir);
        deepStrictEqual(problems, []);
      } finally {
        await server.stop();
      }
    });
  });
}

describe('content types under galley dev', () => {
  it('are served once when they are changed in the app, and again when a person saves a file', async () => {
    const folder = await makeProject({ ...PROJECT, files: STRAPI });
    const versions = ProjectWatch.filesOf(folder.dir);
    const server = await serve(folder, await engines[0]!.databaseFor(folder), {}, { editsSchemas: true });
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    const watch = new ProjectWatch(server.app, versions, { env: {}, print: say, warn: say });
    try {
      watch.open();
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const sue = new Browser(server);
      await sue.signIn('sue');
      const schema = { attributes: { name: { type: 'string' } } };
      const changes = [{ uid: 'api::place.place', kind: 'collectionType', revision: null, schema }];
      const started = performance.now();
      const added: Any = await sue.send('POST', 'content-types', { changes });
      strictEqual(added.status, 200, JSON.stringify(added.body));
      await server.app.documents('api::place.place').create({ data: { name: 'Here' } });
      ok(performance.now() - started < 1000, 'it takes less than a second');
      deepStrictEqual(
        lines.filter((line) => /^\S/.test(line)).map((line) => line.replace(/^reloaded in \d+ ms/, 'reloaded')),
        ['reloaded: 4 files; added places'],
      );
      const controller = readFileSync(path.join(folder.dir, 'src/api/place/controllers/place.ts'), 'utf8');
      strictEqual(
        controller,
        `import { factories } from '@strapi/strapi';\n\nexport default factories.createCoreController('api::place.place');\n`,
      );
      const place = path.join(folder.dir, 'src/api/place/content-types/place/schema.json');
      const text = readFileSync(place, 'utf8');
      writeFileSync(place, text.replace('"name"', '"label"'));
      await until(
        'the saved file is served',
        () => lines.length > 1 && lines.some((line) => /added places.label/.test(line)),
      );
      ok(server.app.catalog.contentTypes.get('api::place.place')!.attributes.has('label'));
      // a mistake of somebody else is reported, and nothing is written over it
      writeFileSync(place, '{ "kind": ');
      const state: Any = ((await sue.send('GET', 'content-types')) as Any).body.data;
      deepStrictEqual(
        state.problems.map(({ file }: Any) => file),
        ['src/api/place/content-types/place/schema.json'],
      );
      const other = state.types.find((one: Any) => one.uid === AUTHOR);
      const { uid, kind, revision } = other;
      const refused: Any = await sue.send('POST', 'content-types', {
        changes: [
          {
            uid,
            kind,
            revision,
            schema: { ...other.schema, attributes: { ...other.schema.attributes, b: { type: 'string' } } },
          },
        ],
      });
      deepStrictEqual([refused.status, readFileSync(place, 'utf8')], [400, '{ "kind": ']);
    } finally {
      await watch.close();
      await server.stop();
    }
  });
});

describe('a change of content types whose process is killed', () => {
  it('is taken back at the next start, which finds files and content as they were', async () => {
    const folder = await makeProject(PROJECT);
    const { env, drop } = await engines[0]!.emptyDatabase();
    const article = path.join(folder.dir, 'src/api/article/content-types/article/schema.json');
    const server = await serve(folder, { env, drop: () => Promise.resolve() }, {}, { editsSchemas: true });
    await makeAdministrator(server, 'sue', 'strapi-super-admin');
    await server.app.documents(ARTICLE).create({ data: { title: 'One' }, status: 'published' });
    await server.app.close();
    const galley = await startProcess(folder.dir, env, undefined, ['dev', '--host', '127.0.0.1']);
    const sue = new Browser({ ...server, url: galley.url, request: requestTo(galley.url) });
    await sue.signIn('sue');
    const { types }: Any = ((await sue.get('content-types')) as Any).body.data;
    const { uid, kind, revision, schema } = types.find((one: Any) => one.uid === ARTICLE);
    const { title, ...others } = schema.attributes;
    const changes = [
      {
        ...{ uid, kind, revision, renames: { title: 'heading' } },
        schema: { ...schema, attributes: { heading: title, ...others } },
      },
    ];
    // the files are written, and the database waits
    const lock = new DatabaseSync(env['DATABASE_FILENAME']!);
    lock.exec('begin immediate');
    const sent = sue.send('POST', 'content-types', { changes }).catch(() => undefined);
    await until('the file is written', () => readFileSync(article, 'utf8').includes('heading'));
    galley.child.kill('SIGKILL');
    await Promise.all([galley.ended, sent]);
    lock.close();
    writeFileSync(path.join(path.dirname(article), '.schema.json.0123456789ab.tmp'), '{');
    const again = await serve(folder, { env, drop }, {}, { editsSchemas: true });
    try {
      strictEqual(readFileSync(article, 'utf8'), ARTICLE_FILE);
      deepStrictEqual(readdirSync(path.dirname(article)), ['schema.json']);
      ok(!existsSync(path.join(folder.dir, STEP_FILE)));
      match(
        again.app.warnings.join('\n'),
        /an interrupted change of schema files has been rolled back: src\/api\/article/,
      );
      const [one] = (await again.app.documents(ARTICLE).findMany({ status: 'published' })) as Any;
      strictEqual(one.title, 'One');
      // what others changed since is not touched, and the page says so
      const other = { file: 'src/api/article/content-types/article/schema.json', before: 'x', after: 'y' };
      recordStep(folder.dir, 'gone', [other]);
      match((await settleSchemaFiles(again.app.config)).join('\n'), /has not ended/);
      const eve = new Browser(again);
      await eve.signIn('sue');
      const { problems }: Any = ((await eve.get('content-types')) as Any).body.data;
      deepStrictEqual(
        problems.map(({ file }: Any) => file),
        [STEP_FILE],
      );
      strictEqual((await eve.send('POST', 'content-types', { changes })).status, 400);
      strictEqual(readFileSync(article, 'utf8'), ARTICLE_FILE);
    } finally {
      await again.stop();
    }
  });
});

for (const engine of engines) {
  describe(`drafts that end in the administration on ${engine.name}`, () => {
    it('stay as they are if code fails afterwards, and end at the next start if the process is killed', async () => {
      const mode = (project: ProjectFolder) => path.join(project.dir, 'mode');
      const code = `const { existsSync, readFileSync, rmSync } = require('node:fs');
        const mode = require('node:path').join(__dirname, '../mode');
        module.exports = { bootstrap({ strapi }) {
          if (strapi.contentTypes['${ARTICLE}'].options.draftAndPublish || !existsSync(mode)) return;
          const how = readFileSync(mode, 'utf8');
          rmSync(mode);
          if (how === 'kill') process.kill(process.pid, 'SIGKILL');
          throw new Error('not today');
        } };`;
      const folder = await makeProject({ ...PROJECT, files: { 'src/index.js': code } });
      const { env, drop } = await engine.emptyDatabase();
      const server = await serve(folder, { env, drop: () => Promise.resolve() }, {}, { editsSchemas: true });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const article = path.join(folder.dir, 'src/api/article/content-types/article/schema.json');
      const articles = server.app.documents(ARTICLE);
      const one = (await articles.create({ data: { title: 'One' }, status: 'published' })) as Any;
      await articles.update({ documentId: one.documentId, data: { title: 'Newer' } });
      await articles.create({ data: { title: 'Draft', seo: { metaTitle: 'seo' } } });
      const rows = ({ app }: RunningServer) =>
        app.database.rows('select id, title, published_at from articles order by id', []);
      const before = await rows(server);
      const off = async (as: Browser) => {
        const { types }: Any = ((await as.get('content-types')) as Any).body.data;
        const { uid, kind, revision, schema } = types.find((type: Any) => type.uid === ARTICLE);
        const options = { ...schema.options, draftAndPublish: false };
        const changes = [{ uid, kind, revision, schema: { ...schema, options } }];
        return as.send('POST', 'content-types', { changes, keep: { [ARTICLE]: 'publish' } });
      };
      const sue = new Browser(server);
      await sue.signIn('sue');
      writeFileSync(mode(folder), 'throw');
      strictEqual((await off(sue)).status >= 400, true);
      ok(!existsSync(mode(folder)));
      strictEqual(readFileSync(article, 'utf8'), ARTICLE_FILE);
      deepStrictEqual(await rows(server), before);
      await server.app.reload();
      deepStrictEqual(await rows(server), before);
      await server.app.close();
      const galley = await startProcess(folder.dir, env, undefined, ['dev', '--host', '127.0.0.1']);
      const eve = new Browser({ ...server, url: galley.url, request: requestTo(galley.url) });
      await eve.signIn('sue');
      writeFileSync(mode(folder), 'kill');
      await Promise.all([galley.ended, off(eve).catch(() => undefined)]);
      // a start leaves the drafts alone that it cannot end, or that others end, and the next one ends them
      const entry = `select value from strapi_core_store_settings where "key" = 'galley_ending_drafts'`;
      const step = readFileSync(path.join(folder.dir, STEP_FILE), 'utf8');
      const after = readFileSync(article, 'utf8');
      const start = async (): Promise<Any> => {
        const one = await serve(folder, { env, drop: () => Promise.resolve() });
        try {
          deepStrictEqual((await rows(one)).length, before.length);
          deepStrictEqual((await one.app.database.rows(entry, [])).length, 1);
          return one.app.warnings.join('\n');
        } finally {
          await one.app.close();
        }
      };
      writeFileSync(path.join(folder.dir, STEP_FILE), JSON.stringify({ ...JSON.parse(step), process: processName() }));
      doesNotMatch(await start(), /drafts|interrupted/);
      rmSync(path.join(folder.dir, STEP_FILE));
      writeFileSync(article, ARTICLE_FILE);
      doesNotMatch(await start(), /drafts/);
      writeFileSync(article, after);
      const other = await openDatabase(server.app.config);
      const [[noted]] = (await other.database.rows(entry, [])) as [[string]];
      const note = (value: string) =>
        other.database.transaction(async (tx) => storeEntry(tx, 'galley_ending_drafts', value, 'object'));
      await note(JSON.stringify({ [ARTICLE]: 1 }));
      match(await start(), /drafts of types without drafts are not removed/);
      await note(noted);
      // a row that Strapi would not write, and one without a time
      await other.database.transaction(async (tx) => {
        await tx.rows(
          `insert into articles (document_id, title, published_at, updated_at, locale)
           select document_id, 'Second', published_at, updated_at, locale from articles where title = 'One'`,
          [],
        );
        await tx.rows(`update articles set updated_at = null where title = 'Newer'`, []);
      });
      await other.database.close();
      writeFileSync(path.join(folder.dir, STEP_FILE), step);
      const again = await serve(folder, { env, drop }, {}, { editsSchemas: true });
      try {
        match(again.app.warnings.join('\n'), /interrupted change of schema files has been finished: src\/api\/article/);
        strictEqual(JSON.parse(readFileSync(article, 'utf8')).options.draftAndPublish, false);
        deepStrictEqual(
          (await rows(again)).map(([, title, at]) => [title, at !== null]),
          [
            ['Newer', true],
            ['Draft', true],
          ],
        );
        deepStrictEqual(await again.app.database.rows(entry, []), []);
      } finally {
        await again.stop();
      }
    });

    it('end too if a request to the previous project saves them afterwards', async () => {
      const folder = await makeProject(PROJECT);
      const server = await serve(folder, await engine.databaseFor(folder), {}, { editsSchemas: true });
      try {
        await makeAdministrator(server, 'sue', 'strapi-super-admin');
        const sue = new Browser(server);
        await sue.signIn('sue');
        const { types }: Any = ((await sue.get('content-types')) as Any).body.data;
        const { uid, kind, revision, schema } = types.find((type: Any) => type.uid === ARTICLE);
        const options = { ...schema.options, draftAndPublish: false };
        const changes = [{ uid, kind, revision, schema: { ...schema, options } }];
        const body = JSON.stringify({ data: { title: 'Late' } });
        const late = request(`${server.url}/admin/api/content/${ARTICLE}`, {
          method: 'POST',
          headers: {
            ...{ 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
            ...{ origin: server.url, 'sec-fetch-site': 'same-origin', cookie: sue.cookie! },
          },
        });
        late.flushHeaders();
        await once(late, 'continue');
        strictEqual((await sue.send('POST', 'content-types', { changes })).status, 200);
        late.end(body);
        const [answer] = (await once(late, 'response')) as [IncomingMessage];
        answer.resume();
        strictEqual(answer.statusCode, 201);
        const rows = (text: string) => server.app.database.rows(text, []);
        await until('the database has no ending drafts', async () => {
          const noted = await rows(`select 1 from strapi_core_store_settings where "key" = 'galley_ending_drafts'`);
          return noted.length === 0;
        });
        deepStrictEqual(await rows('select title from articles where published_at is not null'), [['Late']]);
      } finally {
        await server.stop();
      }
    });
  });
}

for (const engine of engines) {
  describe(`a renamed type of a project with code on ${engine.name}`, () => {
    it('is refused with the files that name it, and otherwise takes its generated files along', async () => {
      const factory = (name: string) =>
        `'use strict';\n\nconst { ${name} } = require('@strapi/strapi').factories;\n\nmodule.exports = ${name}('${ARTICLE}');\n`;
      const home = 'src/api/article';
      const author = 'src/api/author/services/author.js';
      const folder = await makeProject({
        ...PROJECT,
        files: {
          'package.json': STRAPI['package.json'],
          [`${home}/controllers/article.js`]: factory('createCoreController'),
          [`${home}/routes/article.js`]: factory('createCoreRouter'),
          [`${home}/services/article.js`]: 'module.exports = () => ({ one: () => 1 });',
          [`${home}/services/sum.js`]: 'module.exports = () => ({ two: () => 2 });',
          [author]: `module.exports = ({ strapi }) => ({ count: () => strapi.documents('${ARTICLE}').count({}) });`,
          // another type, and packages that are installed in a plugin
          'src/index.js': `module.exports = { register() {}, tag: '${ARTICLE}-tag' };`,
          'src/plugins/one/node_modules/some/index.js': `module.exports = '${ARTICLE}';`,
          'src/api/author/routes/more.json': JSON.stringify({
            routes: [{ method: 'GET', path: '/more', handler: `${ARTICLE}.find` }],
          }),
        },
      });
      const server = await serve(folder, await engine.databaseFor(folder), {}, { editsSchemas: true });
      try {
        await makeAdministrator(server, 'sue', 'strapi-super-admin');
        const sue = new Browser(server);
        await sue.signIn('sue');
        const { types }: Any = ((await sue.get('content-types')) as Any).body.data;
        const { uid, kind, revision, schema } = types.find((one: Any) => one.uid === ARTICLE);
        const info = { ...schema.info, singularName: 'story', pluralName: 'stories' };
        const story = { uid: 'api::story.story', renamedFrom: uid, kind, revision, schema: { ...schema, info } };
        const send = async (target: string): Promise<Any> =>
          ((await sue.send('POST', target, { changes: [story] })) as Any).body.data;
        const { problems } = await send('content-types/plan');
        deepStrictEqual(
          problems.map(({ message }: Any) => message.split(': ').at(-1)),
          [`${home}/services/article.js, src/api/author/routes/more.json, ${author}`],
        );
        const place = (name: string) => path.join(folder.dir, name);
        writeFileSync(place(author), 'module.exports = () => ({});');
        rmSync(place(`${home}/services/article.js`));
        rmSync(place('src/api/author/routes/more.json'));
        await mkdir(place('src/many'));
        for (let n = 0; n <= 10_000; n++) writeFileSync(place(`src/many/${n}.js`), '');
        match((await send('content-types/plan')).problems[0].message, /too many files/);
        rmSync(place('src/many'), { recursive: true });
        deepStrictEqual((await send('content-types/plan')).problems, []);
        await send('content-types');
        deepStrictEqual(readdirSync(place(home), { recursive: true }).sort(), ['services', 'services/sum.js']);
        match(readFileSync(place('src/api/story/routes/story.js'), 'utf8'), /createCoreRouter\('api::story.story'\)/);
        const calls = server.app.documents('api::story.story');
        strictEqual((await calls.findMany({})).length, 0);
      } finally {
        await server.stop();
      }
    });
  });
}

describe('content types of a project in production', () => {
  it('are shown, and cannot be changed', async () => {
    const folder = await makeProject(PROJECT);
    const server = await serve(folder, await engines[0]!.databaseFor(folder));
    try {
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const sue = new Browser(server);
      await sue.signIn('sue');
      const state: Any = ((await sue.send('GET', 'content-types')) as Any).body.data;
      const { isEditable, reason, command, types } = state;
      deepStrictEqual([isEditable, reason, command], [false, 'production', commandText('dev', folder.dir)]);
      const { uid, kind, revision, schema } = types.find((one: Any) => one.uid === AUTHOR);
      const changes = [
        { uid, kind, revision, schema: { ...schema, attributes: { ...schema.attributes, x: { type: 'string' } } } },
      ];
      const planned = new Set<number>();
      for (let i = 0; i < 301; i++) planned.add((await sue.send('POST', 'content-types/plan', { changes })).status);
      deepStrictEqual([...planned], [403, 429]);
      strictEqual((await sue.send('POST', 'content-types', { changes })).status, 403);
      strictEqual((await sue.send('POST', 'content-types/undo', {})).status, 403);
    } finally {
      await server.stop();
    }
  });
});
