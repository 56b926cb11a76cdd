/** `src/galley` of a project: hooks, routes, policies, populate, and jobs (docs/extending.md). */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { insertRow, selectRows, updateRows } from '../../../src/db/interface/statements.ts';
import { CORE_STORE_TABLE } from '../../../src/sql/settings.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const text = { type: 'string' };
const to = (relation: string, target: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });

const contentTypes = {
  article: contentType(
    'article',
    { title: text, slug: text, author: to('manyToOne', 'api::author.author'), owned: { ...text, private: true } },
    { options: { draftAndPublish: true } },
  ),
  author: contentType('author', {
    name: text,
    articles: to('oneToMany', 'api::article.article', { mappedBy: 'author' }),
  }),
  entry: contentType('entry', { text }),
  page: contentType('page', { text, secret: text }),
};

const GALLEY = `
import { defineGalley, ForbiddenError, NotFoundError, UnauthorizedError, ValidationError } from 'galley';
import { slugOf } from './lib/slug';

const told: string[] = [];
const has = (name: string) => function hasHeader({ headers }) {
  return headers[name] !== undefined;
};

export default defineGalley({
  hooks: {
    '*': {
      beforeWrite({ data, log }) {
        if (data.text === 'refused') throw new ValidationError('not this text', 'text');
        log.debug('written');
      },
    },
    'api::page.page': {
      afterCommit: {
        retry: true,
        async run({ changes, documents }) {
          if (process.env.RETRIES !== 'work') throw new Error('cannot be reached');
          await documents('api::entry.entry').create({ data: { text: 'told of ' + changes[0].documentId } });
        },
      },
    },
    'api::article.article': {
      beforeWrite({ action, data, userId }) {
        if (action === 'create') data.slug ??= slugOf(data.title);
        if (data.title === 'broken') throw new Error('something is broken');
        return { ...data, owned: String(userId) };
      },
      async inTransaction({ changes, documents }) {
        for (const { kind, status, documentId } of changes) {
          await documents('api::entry.entry').create({ data: { text: kind + ' ' + status } });
          const article = await documents('api::article.article').findOne({ documentId });
          if (article?.title === 'rolled back') throw new ValidationError('rolled back', ['title']);
          if (article?.title === 'breaks') throw new TypeError('breaks inside');
        }
      },
      afterCommit({ changes }) {
        told.push(...changes.map(({ kind, status }) => kind + ' ' + status));
        throw new Error('nobody waits for this');
      },
    },
  },
  routes: [
    { name: 'told', method: 'GET', path: '/own/told', auth: false, handler: () => told },
    {
      name: 'hello',
      method: 'POST',
      path: '/own/:name/hello',
      async handler({ request, params, query, caller }) {
        const body = await request.json();
        return { ...params, ...query, body, user: caller.user?.username, role: caller.role, may: caller.may('api::page.page.find') };
      },
    },
    {
      name: 'raw',
      method: 'GET',
      path: '/own/raw',
      auth: false,
      handler: () => new Response('<p>raw</p>', { status: 202, headers: { 'content-type': 'text/html', 'x-own': '1' } }),
    },
    {
      name: 'echo',
      method: 'POST',
      path: '/own/echo',
      auth: false,
      handler: async ({ request, body }) => ({
        bytes: Buffer.from(await request.arrayBuffer()).toString('latin1'),
        type: request.headers.get('content-type'),
        body,
      }),
    },
    {
      name: 'order',
      method: 'POST',
      path: '/own/orders/:id',
      auth: false,
      request: {
        params: { id: schema((value) => (/^\\d+$/.test(value) ? Number(value) : undefined), 'no number', { type: 'number' }) },
        query: { page: schema((value) => (value === undefined ? 1 : Number(value)), '', { type: 'integer' }) },
        body: { 'application/json': {
          safeParse: (value: any) => value?.items?.length > 0 ? { success: true, data: { ...value, paid: false } }
            : { success: false, error: { issues: [{ path: ['items'], message: 'no items' }] } },
          toJSONSchema: () => ({ type: 'object', required: ['items'] }),
        } },
      },
      response: schema(() => 1, '', { type: 'object' }),
      handler: ({ params, query, body }) => ({ params, query, body }),
    },
    { name: 'refuses', method: 'GET', path: '/own/refuses/:status', auth: false, handler({ params }) {
      throw params.status === '401' ? new UnauthorizedError('sign in first') : new ForbiddenError('not on Sundays');
    } },
    { name: 'guarded', method: 'GET', path: '/own/guarded', auth: false, handler: () => 'never', policies: [
      function closes() { throw new ForbiddenError('the shop is closed'); },
    ] },
    { name: 'nothing', method: 'DELETE', path: '/own/nothing', auth: false, handler() {} },
    { name: 'missing', method: 'GET', path: '/own/missing', auth: false, handler() { throw new NotFoundError('no such thing'); } },
    { name: 'fails', method: 'GET', path: '/own/fails', auth: false, handler() { throw new Error('a secret of the code'); } },
    {
      name: 'stray',
      method: 'POST',
      path: '/own/stray',
      auth: false,
      handler({ documents }) {
        // nobody waits for these, and none has a line of this file in its stack
        void documents('api::article.article').findMany({ filters: { titel: 'a' } });
        void fetch('http://127.0.0.1:1/stray');
        setTimeout(() => { throw 'a stray text'; });
        return 'begun';
      },
    },
    { name: 'kept', method: 'GET', path: '/own/kept', auth: false, policies: [has('x-key')], handler: () => 'kept' },
    {
      name: 'pages',
      method: 'GET',
      path: '/own/pages',
      async handler({ caller, documents }) {
        const keys = (rows) => Object.keys(rows[0]).filter((name) => ['text', 'secret'].includes(name));
        return {
          all: keys(await documents('api::page.page').findMany()),
          own: keys(await caller.documents('api::page.page').findMany()),
        };
      },
    },
  ],
  policies: {
    'api::page.page': {
      find: [has('x-key')],
      findOne: [({ params, action }) => action.endsWith('.findOne') && params.documentId !== 'none'],
      update: [async ({ caller, documents }) => (await documents('api::page.page').count()) > 0 && caller.user?.role.type === 'authenticated'],
      delete: [() => false],
    },
    'api::article.article': { publish: [() => false] },
  },
  access: { 'api::page.page': { roles: { authenticated: { read: ['text'] } } } },
  populate: {
    'api::article.article': { list: ['author'], one: { author: { fields: ['name'] } } },
    'api::author.author': { list: ['articles'] },
  },
  jobs: {
    writes: {
      cron: '0 0 1 1 *',
      async run({ documents }) {
        await documents('api::entry.entry').create({ data: { text: 'by a job' } });
      },
    },
    fails: { cron: '0 0 1 1 *', run() { throw new Error('a job that fails'); } },
    waits: {
      cron: '0 0 1 1 *',
      async run({ documents }) {
        const isLetGo = async () => (await documents('api::entry.entry').count({ filters: { text: 'go on' } })) > 0;
        while (!(await isLetGo())) await new Promise(setImmediate);
      },
    },
  },
});

// as those of zod
function schema(made: (value: any) => unknown, message: string, json: object) {
  const safeParse = (value: unknown) => {
    const data = made(value);
    return data === undefined ? { success: false, error: new Error(message) } : { success: true, data };
  };
  return { safeParse, toJSONSchema: () => json };
}
`;

const operations = ['find', 'findOne', 'create', 'update', 'delete'];
const actions = ['article', 'author', 'entry', 'page'].flatMap((name) =>
  operations.map((operation) => `api::${name}.${name}.${operation}`),
);
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'hello', type: 'custom', permissions: ['api::galley.route.hello'] },
  ],
  roles: {
    public: ['plugin::users-permissions.auth.register', 'api::article.article.find', 'api::page.page.find'],
    authenticated: [...actions, 'api::galley.route.hello', 'api::galley.route.pages', 'api::article.article.publish'],
  },
};

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`src/galley on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    let token: string;
    let database: TestDatabase;

    before(async () => {
      folder = await makeProject({
        contentTypes,
        files: {
          'src/galley.ts': GALLEY,
          'config/galley.js': 'module.exports = { history: { interval: 0 } };',
          'src/lib/slug.ts': "export const slugOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');",
        },
      });
      database = await engine.databaseFor(folder);
      const made = Object.assign(database, { released: async () => {} });
      server = await serveSeeded({ ...engine, databaseFor: async () => made }, folder, fixture, {
        LOG_LEVEL: 'silent',
      });
      const body = { username: 'ann', email: 'ann@example.com', password: 'secret1' };
      token = ((await server.request('POST', '/api/auth/local/register', { body })).body as Any).jwt;
    });
    after(() => server?.stop());

    const send = async (
      method: string,
      target: string,
      data?: Any,
      headers: Record<string, string> = {},
    ): Promise<Any> =>
      server.request(method, `/api/${target}`, { token, headers, ...(data ? { body: { data } } : {}) });
    const entries = async (): Promise<string[]> =>
      (await server.app.documents('api::entry.entry').findMany({ sort: 'id' })).map(({ text }: Any) => text);

    describe('hooks', () => {
      it('change the data of a write, with keys that the caller may not write itself', async () => {
        const { body } = await send('POST', 'articles', { title: 'A First One' });
        strictEqual(body.data.slug, 'a-first-one');
        const [article] = await server.app
          .documents('api::article.article')
          .findMany({ filters: { slug: 'a-first-one' } });
        const { documentId } = article as Any;
        const stored = server.app.database.rows('select "owned" from "articles"', []);
        ok((await stored).every(([owned]) => /^\d+$/.test(String(owned))));
        const updated = await send('PUT', `articles/${documentId}`, { title: 'Second' });
        deepStrictEqual([updated.body.data.slug, updated.body.data.title], ['a-first-one', 'Second']);
      });

      it('refuse a write with a path, of every type for those of *', async () => {
        const { status, body } = await send('POST', 'entrys', { text: 'refused' });
        deepStrictEqual(
          [status, body.error.message, body.error.details.errors[0].path],
          [400, 'not this text', ['text']],
        );
        await rejects(server.app.documents('api::page.page').create({ data: { text: 'refused' } }), /not this text/);
      });

      it('write in the transaction, which their errors take back', async () => {
        const before = (await entries()).length;
        await send('POST', 'articles?status=draft', { title: 'kept' });
        deepStrictEqual((await entries()).slice(before), ['created draft']);
        const refused = await send('POST', 'articles?status=draft', { title: 'rolled back' });
        deepStrictEqual([refused.status, refused.body.error.message], [400, 'rolled back']);
        strictEqual((await send('POST', 'articles?status=draft', { title: 'breaks' })).status, 500);
        strictEqual((await entries()).length, before + 1);
        strictEqual(await server.app.documents('api::article.article').count({ filters: { title: 'rolled back' } }), 0);
      });

      it('receive committed changes, and requests do not wait for them', async () => {
        await until('the hook was told', async () =>
          ((await send('GET', 'own/told')).body as string[]).includes('created draft'),
        );
      });

      it('that fail answer 500, without the reason, and the server stays up', async () => {
        const { status, text } = await send('POST', 'articles', { title: 'broken' });
        strictEqual(status, 500);
        ok(!text.includes('something'));
        strictEqual((await send('GET', 'articles')).status, 200);
      });
    });

    describe('routes', () => {
      it('need the grant with their name, and have their callers', async () => {
        const body = { a: 1 };
        const target = '/api/own/bob/hello?b[c]=2';
        const { body: answer } = await server.request('POST', target, { token, body });
        const told = { name: 'bob', b: { c: '2' }, body, user: 'ann', role: 'authenticated', may: true };
        deepStrictEqual(answer, told);
        strictEqual((await server.request('POST', target, { body })).status, 403);
        const byToken = await server.request('POST', target, { token: server.secrets['hello']!, body });
        deepStrictEqual([byToken.status, (byToken.body as Any).may], [200, false]);
      });

      it('answer with values, responses, nothing, and errors', async () => {
        const raw = await send('GET', 'own/raw');
        deepStrictEqual([raw.status, raw.text, raw.headers.get('x-own')], [202, '<p>raw</p>', '1']);
        strictEqual((await send('DELETE', 'own/nothing')).status, 204);
        strictEqual((await send('POST', 'own/nothing')).status, 405);
        const missing = await send('GET', 'own/missing');
        deepStrictEqual([missing.status, missing.body.error.message], [404, 'no such thing']);
        const failed = await send('GET', 'own/fails');
        deepStrictEqual([failed.status, failed.text.includes('secret')], [500, false]);
      });

      it('have the body as it was sent, of any type', async () => {
        const form = { a: '1 2' };
        for (const [type, sent, body] of [
          ['application/json', '{"a": 1,\n "b": "\u00e9" }', { a: 1, b: 'é' }],
          ['application/x-www-form-urlencoded', 'a=1%202', form],
          ['text/plain', 'abc', 'abc'],
          ['application/x-own', '{"a": 1}', {}],
          ['application/json', '', {}],
        ] as const) {
          const headers = { 'content-type': type };
          const answer = await server.request('POST', '/api/own/echo', { body: sent, headers });
          deepStrictEqual(answer.body, { bytes: Buffer.from(sent).toString('latin1'), type, body });
        }
        const files = new FormData();
        files.append('name', 'b');
        const { body } = await server.request('POST', '/api/own/echo', { body: files });
        deepStrictEqual(body, { bytes: '{"name":"b"}', type: 'application/json', body: { name: 'b' } });
        const long = { body: 'x'.repeat(1_048_577), headers: { 'content-type': 'text/plain' } };
        strictEqual((await server.request('POST', '/api/own/echo', long)).status, 413);
      });

      it('have the output of their schemas, and are described by them', async () => {
        const order = async (target: string, body: string, type = 'application/json') => {
          const headers = { 'content-type': type };
          const { status, body: answer } = await server.request('POST', `/api/own/orders/${target}`, { body, headers });
          const { message, details } = answer.error ?? {};
          return status === 200 ? answer : [status, message, details.errors.map(({ path }: Any) => path.join('.'))];
        };
        const body = { items: [1], paid: false };
        deepStrictEqual(await order('7?page=2&x=y', '{"items":[1]}'), {
          params: { id: 7 },
          query: { page: 2, x: 'y' },
          body,
        });
        deepStrictEqual(await order('7', '{"items":[1]}', 'Application/JSON; charset=utf-8'), {
          params: { id: 7 },
          query: { page: 1 },
          body,
        });
        deepStrictEqual(await order('a', '{}'), [400, '2 errors occurred', ['params.id', 'body.items']]);
        deepStrictEqual(await order('a', '{"items":[1]}'), [400, 'no number', ['params.id']]);
        deepStrictEqual(await order('7', 'items=1', 'application/x-www-form-urlencoded'), [
          400,
          'The body must be of the type application/json',
          ['body'],
        ]);
        const { paths } = (await send('GET', 'openapi.json')).body;
        const { parameters, requestBody, responses } = paths['/api/own/orders/{id}'].post;
        deepStrictEqual(
          parameters.map(({ name, required, schema }: Any) => [name, required, schema.type]),
          [
            ['id', true, 'number'],
            ['page', false, 'integer'],
          ],
        );
        deepStrictEqual(
          [requestBody.required, requestBody.content['application/json'].schema.required],
          [true, ['items']],
        );
        deepStrictEqual(responses['200'].content['application/json'].schema, { type: 'object' });
      });

      it("send the reason of their own or their policies' refusal", async () => {
        for (const [target, status, name, message] of [
          ['refuses/401', 401, 'UnauthorizedError', 'sign in first'],
          ['refuses/403', 403, 'ForbiddenError', 'not on Sundays'],
          ['guarded', 403, 'ForbiddenError', 'the shop is closed'],
        ] as const) {
          const answer = await send('GET', `own/${target}`);
          deepStrictEqual(answer.body, { data: null, error: { status, name, message, details: {} } });
        }
      });

      it('have policies', async () => {
        strictEqual((await send('GET', 'own/kept')).status, 403);
        strictEqual((await send('GET', 'own/kept', undefined, { 'x-key': 'a' })).body, 'kept');
      });

      it('have the documents of code, and those of their caller', async () => {
        await server.app.documents('api::page.page').create({ data: { text: 'a', secret: 'b' } });
        const shown = { all: ['text', 'secret'], own: ['text'] };
        deepStrictEqual((await send('GET', 'own/pages', undefined, { 'x-key': 'a' })).body, shown);
        // a policy stands before the action
        strictEqual((await send('GET', 'own/pages')).status, 403);
      });
    });

    describe('policies of actions', () => {
      it('let requests pass or refuse them, despite cached answers', async () => {
        for (let round = 0; round < 2; round++) {
          strictEqual((await send('GET', 'pages', undefined, { 'x-key': 'a' })).status, 200);
          strictEqual((await send('GET', 'pages')).status, 403);
        }
        strictEqual((await server.get('/api/pages', server.secrets['full'])).status, 403);
      });

      it('exclude their types from streams of changes', async () => {
        const listens = async (types: string) =>
          (await server.request('HEAD', `/api/events?types=${types}`, { token: server.secrets['full']! })).status;
        deepStrictEqual([await listens('pages'), await listens('articles')], [400, 200]);
      });

      it('receive the document, and guard writes, transitions and batches', async () => {
        const { documentId } = (await server.app.documents('api::page.page').findFirst()) as Any;
        strictEqual((await send('GET', `pages/${documentId}`)).status, 200);
        strictEqual((await send('GET', 'pages/none')).status, 403);
        strictEqual((await send('PUT', `pages/${documentId}`, { text: 'b' })).status, 200);
        const body = { data: { text: 'c' } };
        strictEqual(
          (await server.request('PUT', `/api/pages/${documentId}`, { token: server.secrets['full']!, body })).status,
          403,
        );
        strictEqual((await send('DELETE', `pages/${documentId}`)).status, 403);
        const batch = { operations: [{ action: 'delete', documentId }] };
        strictEqual((await server.request('POST', '/api/pages/actions/batch', { token, body: batch })).status, 403);
        strictEqual(await server.app.documents('api::page.page').count(), 1);
        const article = (await server.app.documents('api::article.article').findFirst()) as Any;
        strictEqual((await send('POST', `articles/${article.documentId}/actions/publish`)).status, 403);
      });
    });

    it('guards versions by the policies that guard reading and changing their documents', async () => {
      const { documentId } = await server.app.documents('api::page.page').create({ data: { text: 'first' } });
      await server.app.documents('api::page.page').update({ documentId: String(documentId), data: { text: 'second' } });
      const full = server.secrets['full']!;
      const versions = `/api/pages/${documentId}/versions`;
      const read = (path: string, headers = {}) => server.request('GET', path, { token: full, headers });
      const { status, body } = await read(versions, { 'x-key': 'a' });
      deepStrictEqual([status, body.data.length], [200, 1]);
      const version = `${versions}/${body.data[0].id}`;
      deepStrictEqual([(await read(versions)).status, (await read(version)).status], [403, 403]);
      strictEqual((await read(version, { 'x-key': 'a' })).body.data.content.text, 'first');
      // the policy of update admits accounts only
      const restored = await server.request('POST', `${version}/actions/restore`, {
        token: full,
        headers: { 'x-key': 'a' },
      });
      strictEqual(restored.status, 403);
      strictEqual((await read(`/api/pages/${documentId}`)).body.data.text, 'second');
      await server.app.documents('api::page.page').delete({ documentId: String(documentId) });
    });

    it('sets the default of populate, as far as the caller may see it', async () => {
      const author = (await server.app.documents('api::author.author').create({ data: { name: 'Zoe' } })) as Any;
      const { body } = await send('POST', 'articles', { title: 'populated', author: author.documentId });
      const { documentId } = body.data;
      const listed = async (query = '', as: string | undefined = token) =>
        ((await server.get(`/api/articles?filters[title]=populated${query}`, as)).body as Any).data[0].author;
      strictEqual((await listed()).name, 'Zoe');
      strictEqual((await listed()).createdAt !== undefined, true);
      strictEqual(await listed('&populate[author]=false'), undefined);
      strictEqual(await listed('&populate='), undefined);
      deepStrictEqual(Object.keys((await send('GET', `articles/${documentId}`)).body.data.author), [
        'id',
        'documentId',
        'name',
      ]);
      // the public may not find authors
      strictEqual(((await server.get('/api/articles')).body as Any).data[0].author, undefined);
    });

    it('has jobs, which galley job lists and runs', async () => {
      const { dir } = folder;
      const told: string[] = [];
      const print = (line: string) => void told.push(line);
      const own = { env: { ...database.env, LOG_LEVEL: 'silent' }, print, warn: print, input: async () => '' };
      const before = (await entries()).length;
      strictEqual(await runCommandLine(['job', 'run', 'writes', dir], own), 0);
      deepStrictEqual((await entries()).slice(before), ['by a job']);
      strictEqual(await runCommandLine(['job', 'run', 'fails', dir], own), 1);
      match(told.join('\n'), /src\/galley\.ts:\d+: a job that fails \(job fails\)/);
      told.length = 0;
      strictEqual(await runCommandLine(['job', 'list', dir], own), 0);
      match(told.join('\n'), /writes +0 0 1 1 \*[^\n]+done/);
      match(told.join('\n'), /fails +0 0 1 1 \*[^\n]+a job that fails/);
      told.length = 0;
      strictEqual(await runCommandLine(['job', 'list', '--json', dir], own), 0);
      const listed = new Map(told.map((line) => JSON.parse(line)).map(({ name, ...job }: Any) => [name, job]));
      const { next, last, ...writes } = listed.get('writes');
      deepStrictEqual(writes, { rule: '0 0 1 1 *', from: 'src/galley', outcome: 'done' });
      ok([next, last].every((time) => new Date(time).toISOString() === time));
      deepStrictEqual([listed.get('waits').last, listed.get('waits').outcome], [null, undefined]);
      match(listed.get('fails').error, /a job that fails/);
      // another process took this run for dead, and has made the next one
      const key = 'galley_job_waits';
      const stateOf = async () => (await selectRows(server.app.database, CORE_STORE_TABLE, ['value'], { key }))[0]?.[0];
      const running = runCommandLine(['job', 'run', 'waits', dir], own);
      const state = await until(
        'the job runs',
        async () => JSON.parse(String((await stateOf()) ?? '{}')).until > 0 && stateOf(),
      );
      const later = JSON.stringify({ at: JSON.parse(String(state)).at + 60_000, until: 0, done: 1 });
      await server.app.database.transaction((tx) => updateRows(tx, CORE_STORE_TABLE, { value: later }, { key }));
      await server.app.documents('api::entry.entry').create({ data: { text: 'go on' } });
      strictEqual(await running, 0);
      strictEqual(await stateOf(), later);
      strictEqual(await runCommandLine(['job', 'run', 'writs', dir], own), 2);
      match(told.join('\n'), /did you mean writes/);
    });

    it('refuses a job with an unknown time zone', async () => {
      const job = "cron: '0 3 * * *', timezone: 'Europe/Berln', run() {}";
      const wrong = await makeProject({
        contentTypes: { entry: contentTypes.entry },
        files: { 'src/galley.js': `exports.jobs = { report: { ${job} } };` },
      });
      const told: string[] = [];
      const print = (line: string) => void told.push(line);
      strictEqual(
        await runCommandLine(['check', wrong.dir], { env: {}, print, warn: print, input: async () => '' }),
        1,
      );
      match(
        told.join('\n'),
        /src\/galley\.js:1: the job report: there is no time zone Europe\/Berln: did you mean Europe\/Berlin\?/,
      );
      await wrong.remove();
    });

    it('names file, line and purpose of an error in the log, and runs the jobs that are late', async () => {
      const write = async (file: string, text: string) => writeFile(path.join(folder.dir, file), text);
      const jobs = `jobs: { hourly: { cron: '0 * * * *', async run({ documents }) {
        await documents('api::entry.entry').create({ data: { text: 'late' } });
      } },`;
      await write('src/galley.ts', GALLEY.replace('jobs: {', jobs));
      // it was met some hours ago, by a server that is gone
      const key = 'galley_job_hourly';
      const state = JSON.stringify({ at: Date.now() - 3 * 3_600_000, until: 0 });
      await server.app.database.transaction((tx) => insertRow(tx, CORE_STORE_TABLE, { key, value: state }));
      const env = { ...database.env, API_TOKEN_SALT: server.app.config.apiTokenSalt, RETRIES: 'work' };
      // rows that cannot be read stop nothing
      const unreadable = { key: 'galley_hook_broken', type: 'galley_hook', value: '{"hook":' };
      await server.app.database.transaction((tx) => insertRow(tx, CORE_STORE_TABLE, unreadable));
      // its hook has failed: it is called again when its time has come
      const page = (await server.app.documents('api::page.page').create({ data: { text: 'retried' } })) as Any;
      const waiting = async () => {
        const rows = await selectRows(server.app.database, CORE_STORE_TABLE, ['id', 'value'], { type: 'galley_hook' });
        const readable = rows.filter(([, text]) => text !== unreadable.value);
        return readable.map(([id, text]) => ({ id: Number(id), call: JSON.parse(String(text)) }));
      };
      const callOf = async () => (await waiting()).find(({ call }) => call.changes[0].documentId === page.documentId);
      const failed = await until('the hook has failed', async () => {
        const found = await callOf();
        return found && found.call.tries === 1 && found.call.next < Date.now() + 30_000 && found;
      });
      await server.app.database.transaction(async (tx) => {
        for (const { id, call } of await waiting()) {
          const isIt = id === failed.id;
          const next = isIt ? 0 : Date.now() + 600_000;
          await updateRows(tx, CORE_STORE_TABLE, { value: JSON.stringify({ ...call, next }) }, { id });
        }
      });
      const [one, other] = await Promise.all([1, 2].map(() => startProcess(folder.dir, env)));
      try {
        const lines = (pattern: RegExp) => until(`the log has ${pattern}`, () => pattern.test(one!.errors()));
        const post = (data: Any) =>
          fetch(`${one!.url}/api/articles?status=draft`, {
            method: 'POST',
            headers: { authorization: `Bearer ${server.secrets['full']}`, 'content-type': 'application/json' },
            body: JSON.stringify({ data }),
          });
        strictEqual((await post({ title: 'broken' })).status, 500);
        await lines(/src\/galley\.ts:30: something is broken \(beforeWrite of api::article\.article\)/);
        strictEqual((await post({ title: 'breaks' })).status, 500);
        await lines(/src\/galley\.ts:38: breaks inside \(inTransaction of api::article\.article\)/);
        strictEqual((await post({ title: 'told' })).status, 200);
        await lines(/src\/galley\.ts:43: nobody waits for this \(afterCommit of api::article\.article\)/);
        strictEqual((await fetch(`${one!.url}/api/own/fails`)).status, 500);
        strictEqual((await fetch(`${one!.url}/api/own/stray`, { method: 'POST' })).status, 200);
        await lines(/Invalid key titel \(in code that nothing awaits\)/);
        await lines(/fetch failed \(in code that nothing awaits\)/);
        await lines(/a stray text \(in code that nothing awaits\)/);
        await lines(/src\/galley\.ts:\d+: a secret of the code \(route fails, GET \/own\/fails\)/);
        const errors = one!
          .errors()
          .split('\n')
          .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
        for (const { msg, err } of errors.filter(({ level }) => level === 'error')) {
          ok(!msg.includes('\n'), msg);
          deepStrictEqual([typeof err.type, typeof err.message, typeof err.stack], ['string', 'string', 'string'], msg);
          // what is no error of the code's own has no line of it
          if (msg.startsWith('src/galley.ts:')) match(err.stack, /\n {4}at .*src\/galley\.ts:\d+/);
        }
        await until('the late job has run', async () => (await entries()).includes('late'));
        await until('the hook was called again', async () => (await callOf()) === undefined);
        const { key } = unreadable;
        const [aside] = await selectRows(server.app.database, CORE_STORE_TABLE, ['type'], { key });
        strictEqual(aside![0], 'galley_hook_unreadable');
      } finally {
        for (const process of [one, other]) process?.child.kill('SIGTERM');
        await Promise.all([one?.ended, other?.ended]);
      }
      strictEqual((await entries()).filter((text) => text === 'late').length, 1);
      strictEqual((await entries()).filter((text) => text === `told of ${page.documentId}`).length, 1);
      await write('src/galley.ts', GALLEY);
    });

    it('is loaded anew with the project, and stays as it was where it has a mistake', async () => {
      const file = path.join(folder.dir, 'src/galley.ts');
      await writeFile(file, 'export const routes = [{ name: "told", method: "GET", path: "/own/told" }];');
      await rejects(server.app.reload(), /handler of the route told must be a function/);
      await writeFile(file, `import { defineRoute } from 'galley';\nexport const routes = defineRoute([]);`);
      await rejects(
        server.app.reload(),
        /src\/galley\.ts:2.*galley exports no defineRoute: did you mean defineRoutes\?/,
      );
      strictEqual((await send('GET', 'own/raw')).status, 202);
      await writeFile(
        file,
        'export const routes = [{ name: "a", method: "GET", path: "/own/anew", auth: false, handler: () => 1 }];',
      );
      await server.app.reload();
      strictEqual((await send('GET', 'own/anew')).body, 1);
      strictEqual((await send('GET', 'own/raw')).status, 404);
      const before = (await entries()).length;
      await send('POST', 'articles?status=draft', { title: 'no hooks any more' });
      strictEqual((await entries()).length, before);
    });
  });
}
