/** The description of the API in OpenAPI 3.1: it is valid, says what the caller may do, and answers are as it says. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { runCommandLine } from '../../../src/cli/run.ts';
import { type Description, Judge } from '../../support/conformance/judge.ts';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const galley = async (...args: string[]) => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  strictEqual(await runCommandLine(args, { env: {}, print, warn: print }), 0, lines.join('\n'));
  return lines.join('\n');
};

async function requireValid(description: object): Promise<void> {
  const { valid, errors } = await new Validator().validate(structuredClone(description) as never);
  ok(valid, JSON.stringify(errors));
}

for (const engine of engines) {
  describe(`the description of the API on ${engine.name}`, () => {
    let server: SeededServer;
    const describe_ = async (token?: string) =>
      (await server.get('/api/openapi.json', token)).body as unknown as Description;

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    it('is valid, and contains only permitted operations of the caller', async () => {
      const [own, everybody] = [await describe_(server.secrets['full']), await describe_()];
      await requireValid(own);
      await requireValid(everybody);
      deepStrictEqual(Object.keys(own.paths['/api/articles']!).sort(), ['get', 'post']);
      ok(!('/api/articles' in everybody.paths) && 'get' in everybody.paths['/api/authors']!);
      ok(!('ArticleInput' in everybody.components.schemas));
      strictEqual((await describe_(server.secrets['read'])).paths['/api/articles']!['post'], undefined);
    });

    it('contains the scheduled actions of callers who may publish', async () => {
      const path = '/api/articles/{documentId}/actions/schedule';
      const { paths } = await describe_(server.secrets['full']);
      deepStrictEqual(
        [Object.keys(paths[path]!), Object.keys(paths[`${path}/{id}`]!)],
        [
          ['post', 'get'],
          ['put', 'delete'],
        ],
      );
      strictEqual((await describe_(server.secrets['read'])).paths[path], undefined);
    });

    it('names no private attribute and no password', async () => {
      const { schemas } = (await describe_(server.secrets['full'])).components;
      doesNotMatch(JSON.stringify(schemas['UsersPermissionsUser']), /password|resetPasswordToken/);
    });

    it('names no type and no field that the caller may not read or write', async () => {
      const { schemas } = (await describe_(server.secrets['custom'])).components as unknown as {
        schemas: Record<string, { properties: object }>;
      };
      for (const name of ['Article', 'ArticleInput']) {
        ok('title' in schemas[name]!.properties && !('author' in schemas[name]!.properties), name);
      }
      deepStrictEqual(
        Object.keys(schemas).filter((name) => /^(Author|Category|Country|UsersPermissions)/.test(name)),
        [],
      );
      const everybody = (await describe_()).components as unknown as { schemas: typeof schemas };
      ok('name' in everybody.schemas['Author']!.properties && !('Article' in everybody.schemas));
    });

    it('describes the permitted operations of a batch, and their answers', async () => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      const batchOf = async (token?: string) => {
        const { paths, components } = (await describe_(token)) as Any;
        const operation = paths['/api/articles/actions/batch']?.post;
        if (!operation) return undefined;
        const { schema } = operation.requestBody.content['application/json'];
        const answer = operation.responses['200'].content['application/json'].schema;
        return [schema, answer].map((one) => ajv.compile({ ...one, components }));
      };
      const [takes, answers] = (await batchOf(server.secrets['full']))!;
      const title = { title: 'A batch' };
      const wrong = [
        {},
        { operations: [{ action: 'create' }] },
        { operations: [{ action: 'create', documentId: 'a', data: title }] },
        { operations: [{ action: 'delete' }] },
        { operations: [{ action: 'publish', documentId: 'a', data: title }] },
        { operations: [{ action: 'find' }] },
      ];
      deepStrictEqual(
        wrong.map((one) => takes!(one)),
        wrong.map(() => false),
      );
      const post = async (body: object) => {
        ok(takes!(body), JSON.stringify(takes!.errors));
        const sent = { token: server.secrets['full'], body };
        const answer = await server.request('POST', '/api/articles/actions/batch', sent);
        strictEqual(answer.status, 200, answer.text);
        ok(answers!(answer.body), JSON.stringify(answers!.errors));
        return (answer.body as Any).data as Any[];
      };
      const [{ documentId }] = await post({ operations: [{ action: 'create', status: 'draft', data: title }] });
      await post({
        operations: [
          { action: 'update', documentId, locale: 'en', data: title },
          { action: 'publish', documentId, locale: ['en'] },
          { action: 'delete', documentId, locale: '*' },
        ],
      });
      strictEqual(await batchOf(server.secrets['read']), undefined);
    });

    it('is a page for people that loads nothing from elsewhere', async () => {
      const { status, text, headers } = await server.get('/api/docs');
      deepStrictEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      match(text, /<code>GET<\/code> <code>\/api\/authors<\/code>/);
      doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\/|@import|url\(| on\w+=/);
      // its own style and script run, and no others
      const policy = headers.get('content-security-policy')!;
      match(policy, /^default-src 'none'; .*; connect-src 'self'; base-uri 'none'; form-action 'none'/);
      for (const kind of ['style', 'script']) {
        const inline = [...text.matchAll(new RegExp(`<${kind}>(.*?)</${kind}>`, 'gs'))].map(([, own]) => own!);
        strictEqual(inline.length, 1);
        const hash = createHash('sha256').update(inline[0]!).digest('base64');
        ok(policy.includes(`${kind}-src 'sha256-${hash}';`), policy);
      }
    });

    it("is a page with readable bodies and answers, for each caller's permitted requests", async () => {
      const page = async (token?: string) => (await server.get('/api/docs', token)).text;
      const all = await page(server.secrets['full']);
      match(all, /<h3>Request body <code>application\/json<\/code><\/h3><pre>\{\n {2}data: <a href="#ArticleInput">/);
      match(
        all,
        /<h3>Answer 200 <code>application\/json<\/code><\/h3><pre>\{\n {2}data: <a href="#Article">Article<\/a>\[\]/,
      );
      match(all, /<details id="Article"><summary>Article<\/summary><pre>\{\n {2}id: integer\n {2}documentId: string\n/);
      match(all, /createdAt\?: string \(date-time\) \| null\n/);
      match(all, /These are the requests that the token permits/);
      doesNotMatch(all, /\$ref|&quot;type&quot;/);
      const targets = [...all.matchAll(/href="#([^"]+)"/g)].map(([, name]) => name);
      deepStrictEqual(
        targets.filter((name) => !all.includes(`<details id="${name}">`)),
        [],
      );
      const everybody = await page();
      match(everybody, /the requests that need no token/);
      match(everybody, /<form hidden>.*<div id="without"><p>.*<pre>curl --header/s);
      match(all, /<code>\/api\/articles\/\{documentId\}\/actions\/publish<\/code> Publish article</);
      match(all, />\/api\/articles\/\{documentId\}\/actions\/discard-draft<\/code> Discard the draft of article</);
      match(all, /operations: \(\{\n {4}action: &quot;create&quot;\n {4}locale\?: string\n/);
      match(
        all,
        /\} \| \{\n {4}action: &quot;publish&quot; \| &quot;unpublish&quot; \| &quot;discardDraft&quot;\n {4}documentId: string\n/,
      );
      ok(everybody.includes('id="Author"') && !everybody.includes('Article'));
      const reads = await page(server.secrets['read']);
      ok(reads.includes('href="#Article"') && !reads.includes('ArticleInput'));
    });
  });
}

const route = (method: string, path: string, handler: string, config: object = {}) => ({
  method,
  path,
  handler,
  config,
});
const OWN_ROUTES: ProjectFiles = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    // schemas of zod 4.4, and what it makes of them
    'src/order.js': `const zod = (json, ...fine) => ({ safeParse: (value) => ({ success: fine.includes(value) }), toJSONSchema: () => json });
      const part = { type: 'object', properties: { name: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/__schema0' } } } };
      const body = zod({
        $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', required: ['size', '$ref'],
        properties: { size: { $ref: '#/$defs/Size' }, part: { $ref: '#/$defs/__schema0' }, when: {}, $ref: { type: 'string', maxLength: 9 } },
        $defs: { Size: { type: 'string', enum: ['s', 'm'] }, __schema0: part },
      });
      const unknown = { safeParse: () => { throw new Error('not now'); }, toJSONSchema: () => { throw new Error('no'); } };
      const query = { page: zod({ type: 'number' }, undefined), at: zod({ type: 'object' }), odd: unknown };
      module.exports = {
        request: { params: { id: zod({ type: 'number' }) }, query, body: { 'application/json': body } },
        response: zod({ type: 'object', properties: { next: { $ref: '#' } } }),
      };`,
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/routes/own.js': `module.exports = { routes: [
      ...${JSON.stringify([
        route('GET', '/notes/of/:who(\\w+)/:page?', 'note.of'),
        route('POST', '/notes/hello', 'note.hello', { auth: false }),
        route('ALL', '/notes/any', 'note.any', { auth: { scope: ['api::note.note.find', 'api::note.note.any'] } }),
        // the router's own stand before it
        route('GET', '/notes/:slug', 'note.of'),
      ])},
      { method: 'GET', path: '/whoami', handler: (ctx) => ({ id: ctx.state.user?.id ?? null }) },
      { method: 'POST', path: '/orders/:id', handler: 'note.hello', ...require('../../../order') },
    ] };`,
    'src/api/note/controllers/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', { of: () => ({}), hello: () => ({}), any: () => ({}) });",
    'src/galley.js':
      "module.exports = require('galley').defineGalley({ routes: [{ name: 'ping', method: 'GET', path: '/ping', handler: () => ({ ok: true }) }] });",
  },
};

for (const engine of engines) {
  it(`the description names the routes of the project that the caller may call on ${engine.name}`, async () => {
    const folder = await makeProject(OWN_ROUTES);
    const server = await serveSeeded(engine, folder, {
      locales: [{ code: 'en', name: 'English (en)', default: true }],
      tokens: [
        { name: 'full', type: 'full-access' },
        { name: 'own', type: 'custom', permissions: ['api::note.note.of'] },
      ],
      roles: {},
    });
    try {
      const described = async (token?: string) => {
        const { body } = await server.get('/api/openapi.json', token);
        await requireValid(body);
        return body as unknown as Description;
      };
      const own = ({ paths }: Description) =>
        Object.entries(paths).flatMap(([path, methods]) =>
          Object.entries(methods as Readonly<Record<string, Any>>)
            .filter(([, { tags }]) => String(tags[0]).startsWith('Routes of'))
            .map(([method, { description, security }]) => [method, path, description, security]),
        );
      const all = own(await described(server.secrets['full']));
      const scopes = 'Needs the grant api::note.note.find and api::note.note.any';
      const ofSome = ['get', '/api/notes/of/{who}/{page}', 'Needs the grant api::note.note.of', undefined];
      const open = ['post', '/api/notes/hello', undefined, []];
      deepStrictEqual(all, [
        ['get', '/api/ping', 'Needs the grant api::galley.route.ping', undefined],
        ofSome,
        open,
        ...['get', 'post', 'put', 'patch', 'delete'].map((method) => [method, '/api/notes/any', scopes, undefined]),
        ['get', '/api/whoami', undefined, [{ token: [] }]],
        ['post', '/api/orders/{id}', 'Needs the grant api::note.note.hello', undefined],
      ]);
      const written = JSON.parse(await galley('openapi', folder.dir));
      await requireValid(written);
      deepStrictEqual(own(written), all);
      const { paths } = await described(server.secrets['full']);
      const ids = Object.values(paths).flatMap((methods) =>
        Object.values(methods as Any).map((one: Any) => one.operationId),
      );
      strictEqual(new Set(ids).size, ids.length);
      deepStrictEqual(
        ids.filter((id) => !/^[\w.:-]+$/.test(id)),
        [],
      );
      const idOf = (method: string, path: string) => (paths[path]![method] as Any).operationId;
      deepStrictEqual(
        [idOf('get', '/api/ping'), idOf('get', '/api/whoami'), idOf('post', '/api/notes/any')],
        ['galley.ping', 'note.get.whoami', 'api::note.note.any.2'],
      );
      deepStrictEqual(own(await described(server.secrets['own'])), [ofSome, open]);
      const body = {
        type: 'object',
        required: ['size', '$ref'],
        properties: {
          size: { type: 'string', enum: ['s', 'm'] },
          part: {
            type: 'object',
            properties: { name: { type: 'string' }, parts: { type: 'array', items: {} } },
          },
          when: {},
        },
      };
      const json = (schema: object) => ({ 'application/json': { schema } });
      const inQuery = { in: 'query', required: true };
      const order = (await described(server.secrets['full'])).paths['/api/orders/{id}']!['post'] as Any;
      deepStrictEqual(order.parameters, [
        { name: 'id', in: 'path', required: true, schema: { type: 'number' } },
        { ...inQuery, name: 'page', required: false, schema: { type: 'number' } },
        { ...inQuery, name: 'at', schema: { type: 'object' }, style: 'deepObject', explode: true },
        { ...inQuery, name: 'odd', required: false, schema: {} },
      ]);
      deepStrictEqual(order.requestBody, { required: true, content: json(body) });
      deepStrictEqual(order.responses['200'].content, json({ type: 'object', properties: { next: {} } }));
      deepStrictEqual(own(await described()), [open]);
      match((await server.get('/api/docs')).text, /<code>POST<\/code> <code>\/api\/notes\/hello<\/code>/);
    } finally {
      await server.stop();
    }
  });
}

const CHANGED: ProjectFiles = {
  contentTypes: {
    note: contentType('note', {
      text: { type: 'string' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    }),
    author: contentType('author', { name: { type: 'string' } }),
    plain: contentType('plain', { name: { type: 'string' } }),
  },
  files: {
    'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter(
      'api::note.note', { config: { find: { auth: false }, create: { auth: { scope: ['api::note.note.find'] } } } });`,
    'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController(
      'api::note.note', () => ({ async findOne(ctx) {
        const answer = await super.findOne(ctx);
        return { ...answer, data: { ...answer.data, words: 1, author: { id: 1, documentId: "x", age: 7 } } };
      } }));`,
    'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
      const { me } = plugin.controllers.user;
      plugin.controllers.user.me = async (ctx) => { await me(ctx); ctx.body = { ...ctx.body, words: 1 }; };
      return plugin;
    };`,
  },
};

for (const engine of engines) {
  it(`the description lists the callers of core routes, and values that code may add, on ${engine.name}`, async () => {
    const folder = await makeProject(CHANGED);
    const server = await serveSeeded(engine, folder, {
      tokens: [{ name: 'full', type: 'full-access' }],
      roles: {},
    });
    try {
      const { body } = await server.get('/api/openapi.json');
      await requireValid(body);
      const { paths } = body as unknown as Description;
      const find = paths['/api/notes']!['get'] as Any;
      deepStrictEqual([find.security, Object.keys(paths['/api/notes']!)], [[], ['get']]);
      strictEqual((await server.get('/api/notes')).status, 200);
      match((await server.get('/api/docs')).text, /<code>GET<\/code> <code>\/api\/notes<\/code>/);
      const all = (await server.get('/api/openapi.json', server.secrets['full'])).body;
      await requireValid(all);
      const written = JSON.parse(await galley('openapi', folder.dir));
      for (const { components } of [all, written] as Any[]) {
        const closed = ['Note', 'Author', 'UsersPermissionsUser', 'Plain'].filter(
          (name) => components.schemas[name].additionalProperties === false,
        );
        deepStrictEqual(closed, ['Plain']);
      }
      const { documentId } = await server.app.documents('api::note.note').create({ data: { text: 'a' } });
      const judge = new Judge(all as unknown as Description);
      const answer = await server.get(`/api/notes/${documentId}`, server.secrets['full']);
      judge.take('GET', `/api/notes/${documentId}`, answer.status, answer.text);
      deepStrictEqual([...judge.failures], []);
    } finally {
      await server.stop();
    }
  });
}

describe('galley openapi', () => {
  it('describes everything that can be granted', async () => {
    const description = JSON.parse(await galley('openapi', CONFORMANCE_DIR)) as Description;
    await requireValid(description);
    ok('post' in description.paths['/api/articles/{documentId}/actions/publish']!);
    ok('post' in description.paths['/api/upload']!);
  });

  it("has the name and the version of the project's package.json, or 1.0.0", async () => {
    const info = async (manifest: object) => {
      const files = { 'package.json': manifest };
      const folder = await makeProject({ contentTypes: { note: contentType('note', {}) }, files });
      const description = JSON.parse(await galley('openapi', folder.dir));
      await folder.remove();
      await requireValid(description);
      return description.info;
    };
    deepStrictEqual(await info({ name: '@firm/shop', version: '0.3.1' }), { title: 'shop', version: '0.3.1' });
    for (const version of [undefined, '', 2])
      deepStrictEqual(await info({ name: 'shop', version }), { title: 'shop', version: '1.0.0' });
  });

  it('fails an answer with undescribed parts, or without described ones', async () => {
    const judge = new Judge(JSON.parse(await galley('openapi', CONFORMANCE_DIR)) as Description);
    judge.take('GET', '/api/tags/x', 200, '{"data":{"id":1,"documentId":"x","name":"t"},"meta":{}}');
    deepStrictEqual([...judge.failures], []);
    judge.take('GET', '/api/tags/x', 200, '{"data":{"id":1,"name":"t"},"meta":{}}');
    judge.take('GET', '/api/tags', 200, '{"data":[{"id":1,"documentId":"x","nome":"t"}],"meta":{}}');
    judge.take('GET', '/api/tags', 400, '{"error":"no"}');
    judge.take('PATCH', '/api/tags', 200, '{}');
    strictEqual(judge.failures.size, 4);
  });
});
