/**
 * Document middlewares and lifecycles that do not access the results of reads (docs/reference/project-code.md,
 * "Documents").
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const text = { type: 'string' };
const hidden = { ...text, private: true };
const ZONE = ['own.part', 'own.plain'];
const NOTE = 'api::note.note';

const PROJECT: ProjectFiles = {
  contentTypes: {
    note: contentType(
      'note',
      {
        ...{ title: text, rating: { type: 'float' }, big: { type: 'biginteger' }, extra: { type: 'json' } },
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      },
      { options: { draftAndPublish: true } },
    ),
    secret: contentType(
      'secret',
      {
        ...{ first: hidden, title: text, hidden, next: { type: 'json', private: true } },
        ...{ part: { type: 'component', component: 'own.part' }, zone: { type: 'dynamiczone', components: ZONE } },
        ...{ parts: { type: 'component', component: 'own.part', repeatable: true } },
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
        own: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag', private: true },
        last: hidden,
      },
      { pluginOptions: { i18n: { localized: true } } },
    ),
    tag: contentType('tag', { code: hidden, name: text }),
  },
  components: {
    'own.part': { collectionName: 'parts', attributes: { label: text, code: hidden, end: hidden } },
    'own.plain': { collectionName: 'plains', attributes: { code: text } },
  },
};

/** What a middleware may do with a result, and what it sees. */
const TOUCHES: Readonly<Record<string, string>> = {
  elements: 'return [result[1].title, result.at(-1).title, result[9]];',
  length: 'return result.length;',
  list: 'return [Array.isArray(result), result instanceof Array, Object.keys(result), 1 in result, 9 in result];',
  iteration: 'const seen = []; for (const one of result) seen.push(one.title); return seen;',
  methods: "return [result.map(({ title }) => title), result.filter(({ title }) => title === 'b').length];",
  spread: 'return [[...result].length, { ...result }[0].title, Object.entries(result).length];',
  text: 'return JSON.stringify(result).length > 50 && JSON.parse(JSON.stringify(result));',
  copy: 'return structuredClone(result).map(({ title }) => title);',
  shown: "return require('node:util').inspect(result).includes('Getter');",
  equal: "require('node:assert').deepStrictEqual(result, JSON.parse(JSON.stringify(result))); return true;",
  inherited: 'return Object.create(result)[1].title;',
  concat: 'return result.concat([1]).length;',
};
/** What a middleware may change of a result: the titles of the answer. */
const CHANGES: Readonly<Record<string, readonly [code: string, titles: readonly string[]]>> = {
  'an element': ["result[1] = { ...result[1], title: 'x' };", ['a', 'x', 'c']],
  'an attribute': ["result[1].title = 'y';", ['a', 'y', 'c']],
  'an added element': ["result.push({ title: 'z' });", ['a', 'b', 'c', 'z']],
  'a removed element': ['result.splice(0, 1);', ['b', 'c']],
  'the order': ['result.reverse();', ['c', 'b', 'a']],
  'the length': ['result.length = 1;', ['a']],
  'an element that is put in its place unseen': [
    "Object.defineProperty(result, 0, { value: { title: 'd' }, enumerable: true, configurable: true });",
    ['d', 'b', 'c'],
  ],
  'another list': ["return [{ title: 'own' }];", ['own']],
};

const PASS = '(context, next) => next()';
const ACTIONS = {
  make: `const tag = await strapi.documents('api::tag.tag').create({ data: { name: 'red' } });
    for (const [at, title] of ['a', 'b', 'c'].entries())
      await strapi.documents('${NOTE}').create({ data: { title, rating: 2 + at / 2, big: '90071992547409930', extra: { at, list: [1.0, { deep: '},{' }] }, tags: [tag.documentId] }, status: 'published' });
    const part = { label: 'a"},{[', code: 'x', end: 'y' };
    const data = {
      ...{ title: 's\\\\"hidden":', first: 'f', hidden: 'h', next: { hidden: [1, { a: '"' }] }, last: 'l', part, parts: [part, part] },
      ...{ zone: [{ __component: 'own.plain', code: 'shown' }, { __component: 'own.part', ...part }], tags: [tag.documentId], own: [tag.documentId] },
    };
    const { documentId } = await strapi.documents('api::secret.secret').create({ data });
    await strapi.documents('api::secret.secret').create({ data: {} });
    await strapi.documents('api::secret.secret').update({ documentId, locale: 'de', data });`,
  none: 'strapi.off?.(); strapi.off = undefined;',
  use: 'strapi.off?.(); strapi.off = strapi.documents.use(eval(ctx.request.body.code));',
  subscribe:
    'strapi.off?.(); strapi.db.lifecycles.subscribe(eval(ctx.request.body.code)); strapi.off = () => strapi.db.lifecycles.clear();',
  seen: 'return strapi.seen;',
};

const QUERIES = [
  '/notes',
  '/notes?sort=title:desc',
  '/notes?filters[title][$in][0]=a&filters[title][$in][1]=b',
  '/notes?filters[tags][name][$eq]=red&populate=tags',
  '/notes?populate=*&fields=title,rating',
  '/notes?pagination[page]=2&pagination[pageSize]=2',
  '/notes?pagination[start]=1&pagination[limit]=1',
  '/notes?pagination[withCount]=false',
  '/notes?pagination[page]=9',
  '/notes?status=draft',
  '/notes?_q=b',
  '/notes?filters[nothing][$eq]=1',
  '/notes?pagination[pageSize]=none',
  '/secrets?fields=title',
  '/secrets',
  '/secrets?populate[0]=part&populate[1]=parts&populate[2]=zone&populate[3]=tags',
  '/secrets?populate[part]=true&populate[tags][fields]=name&fields=title',
  '/secrets?populate=*',
  '/secrets?populate=*&filters[title][$contains]=s',
  '/secrets?populate=localizations',
  '/secrets?populate[zone][on][own.part]=true',
  '/secrets?filters[hidden]=h',
  '/secrets?sort=hidden',
  '/tags',
];

for (const engine of engines) {
  describe(`reads with document middlewares on ${engine.name}`, () => {
    let served: ServedActions;
    const get = async (path: string) => {
      const authorization = `Bearer ${served.server.secrets['full']}`;
      const answer = await fetch(`${served.server.url}/api${path}`, { headers: { authorization } });
      return { status: answer.status, text: await answer.text() };
    };
    const run = async (name: string, body: { readonly code: string }) => {
      const token = served.server.secrets['full'];
      const answer = await served.server.request('POST', `/api/own/${name}`, { token, body });
      strictEqual(answer.status, 200, answer.text);
    };
    const titles = async (path: string) =>
      (JSON.parse((await get(path)).text) as { data: { title: string }[] }).data.map(({ title }) => title);

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
      await served.run('make');
    });
    after(() => served?.server.stop());

    for (const path of QUERIES) {
      it(`is answered with the same bytes where they pass on: ${path}`, async () => {
        await served.run('none');
        const plain = await get(path);
        for (const code of [PASS, 'async (context, next) => { const result = await next(); return result; }']) {
          await run('use', { code });
          // the second answer is that of a request whose shape is known
          deepStrictEqual([await get(path), await get(path)], [plain, plain]);
        }
        await run('subscribe', {
          code: '({ beforeFindMany(event) { event.state.x = 1; }, afterFindMany() {} })',
        });
        deepStrictEqual([await get(path), await get(path)], [plain, plain]);
      });
    }

    it('is answered with the same bytes for one document', async () => {
      await served.run('none');
      const { data } = JSON.parse((await get('/notes')).text) as { data: { documentId: string }[] };
      const paths = [`/notes/${data[0]!.documentId}`, `/notes/${data[1]!.documentId}?populate=*`, '/notes/none'];
      for (const path of paths) {
        await served.run('none');
        const plain = await get(path);
        await run('use', { code: PASS });
        deepStrictEqual([await get(path), await get(path)], [plain, plain]);
        await run('use', {
          code: 'async (context, next) => { const one = await next(); if (one) one.title += "!"; return one; }',
        });
        const changed = await get(path);
        strictEqual(changed.text.includes('!"'), plain.status === 200);
        await run('use', {
          code: "async (context, next) => { const one = await next(); if (one) Object.defineProperty(one, 'title', { enumerable: false }); return one; }",
        });
        strictEqual((await get(path)).text.includes('"title"'), false);
      }
    });

    it('show middlewares ordinary documents, for every kind of access', async () => {
      await served.run('none');
      const plain = JSON.parse((await get('/notes')).text) as { data: object[] };
      for (const [name, code] of Object.entries(TOUCHES)) {
        const looking = (result: string) =>
          `async (context, next) => { const result = ${result}; if (context.action === 'findMany') strapi.seen = (() => { ${code} })(); return result; }`;
        await run('use', { code: looking('await next()') });
        const answer = JSON.parse((await get('/notes')).text) as { data: object[] };
        deepStrictEqual(answer, plain, name);
        const seen = await served.run('seen');
        await run('use', {
          code: looking("context.action === 'findMany' ? JSON.parse(JSON.stringify(await next())) : await next()"),
        });
        await get('/notes');
        deepStrictEqual(seen, await served.run('seen'), name);
      }
    });

    for (const [name, [code, expected]] of Object.entries(CHANGES)) {
      it(`lets middlewares change ${name}`, async () => {
        await run('use', {
          code: `async (context, next) => { const result = await next(); if (context.action !== 'findMany') return result; ${code} return result; }`,
        });
        deepStrictEqual([await titles('/notes?sort=title'), await titles('/notes?sort=title')], [expected, expected]);
      });
    }

    it('shows middlewares private attributes, which stay private in the answer', async () => {
      await run('use', {
        code: "async (context, next) => { const result = await next(); if (context.action === 'findMany') strapi.seen = result[0].hidden; return result; }",
      });
      const { data } = JSON.parse((await get('/secrets')).text) as { data: object[] };
      deepStrictEqual([await served.run('seen'), 'title' in data[0]!, 'hidden' in data[0]!], ['h', true, false]);
      await run('use', { code: PASS });
      const passed = JSON.parse((await get('/secrets')).text) as unknown;
      await served.run('none');
      deepStrictEqual(passed, JSON.parse((await get('/secrets')).text));
    });

    it('follows parameters that middlewares and lifecycles change, in place or as a whole', async () => {
      const changes = [
        'context.params = { ...context.params, sort: "title:desc", limit: 1 };',
        'context.params.sort = "title:desc"; context.params.limit = 1;',
        'Object.assign(context.params, { sort: ["title:desc"], limit: 1 });',
      ];
      for (const change of changes) {
        const code = `(context, next) => { if (context.action === 'findMany') { ${change} } return next(); }`;
        await run('use', { code });
        deepStrictEqual(await titles('/notes'), ['c']);
      }
      const nested = "(context, next) => { context.params.filters.title.$in[0] = 'c'; return next(); }";
      await run('use', { code: nested });
      deepStrictEqual(await titles('/notes?filters[title][$in][0]=a'), ['c']);
      await run('subscribe', { code: "({ beforeFindMany(event) { event.params.where = { title: 'b' }; } })" });
      deepStrictEqual(await titles('/notes'), ['b']);
      await run('subscribe', { code: '({ afterFindMany(event) { event.result = event.result.slice(1); } })' });
      deepStrictEqual(await titles('/notes?sort=title'), ['b', 'c']);
    });

    it('counts as middlewares say', async () => {
      const total = async () =>
        (JSON.parse((await get('/notes')).text) as { meta: { pagination: { total: number } } }).meta.pagination.total;
      await run('use', { code: "(context, next) => (context.action === 'count' ? 42 : next())" });
      strictEqual(await total(), 42);
      const counted =
        "(context, next) => { if (context.action === 'count') context.params.filters = { title: 'a' }; return next(); }";
      await run('use', { code: counted });
      strictEqual(await total(), 1);
    });
  });
}
