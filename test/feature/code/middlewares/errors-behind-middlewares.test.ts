/** Answers of the server, and bodies, in middlewares of a project: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator, PASSWORD } from '../../../support/accounts/administrators.ts';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const PROJECT: ProjectFiles = {
  contentTypes: { note: contentType('note', { text: { type: 'string', required: true } }) },
  files: {
    'config/middlewares.js': `const around = (place) => ({ name: 'global::marking', config: { place } });
module.exports = [around('outer'), 'strapi::errors', 'strapi::cors', around('ahead'), 'global::catching', { name: 'strapi::body', config: { includeUnparsed: true } }, around('behind')];`,
    'src/middlewares/marking.js': `module.exports = ({ place }) => async (ctx, next) => {
  ctx.set('x-' + place, [ctx.get('x-' + place) || 'before'].join());
  if (ctx.path.startsWith('/api/')) ctx.cookies.set(place, 'seen');
  if (place === 'outer' && ctx.method === 'OPTIONS' && ctx.get('x-own')) return void (ctx.status = 204);
  await next();
  ctx.set('x-' + place, 'before, after');
};`,
    'src/middlewares/catching.js': `const { errors } = require('@strapi/utils');
module.exports = () => async (ctx, next) => {
  try {
    await next();
    if (ctx.status === 404 && !ctx.body && ctx.get('x-own')) ctx.body = { own: ctx.path };
  } catch (error) {
    ctx.set('x-caught', error.name);
    if (!(error instanceof errors.ValidationError) || !ctx.get('x-own')) throw error;
    ctx.status = 422;
    ctx.body = { message: error.message, details: error.details };
  }
};`,
    'src/api/hook/routes/hook.js': `module.exports = { routes: [
  { method: 'POST', path: '/hook', handler: 'hook.take', config: { auth: false } },
  { method: 'POST', path: '/form', handler: 'hook.form' },
  { method: 'GET', path: '/fresh', handler: 'hook.fresh', config: { auth: false } },
  { method: 'GET', path: '/raw', handler: 'hook.raw', config: { auth: false } },
] };`,
    'src/api/hook/controllers/hook.js': `const { createHmac } = require('node:crypto');
module.exports = { form: (ctx) => ({ a: ctx.request.body.a }), raw: () => strapi.db.queryBuilder('notes'), fresh(ctx) { ctx.vary('X-Tenant'); ctx.etag = 'abc'; ctx.lastModified = new Date('2024-01-01T00:00:00Z'); ctx.body = 'whole'; if (ctx.fresh) ctx.status = 304; }, take: (ctx) => ({ ...ctx.request.body, signed: createHmac('sha256', 'key').update(ctx.request.body[Symbol.for('unparsedBody')]).digest('hex') }) };`,
  },
};

for (const engine of engines) {
  describe(`answers of the server behind a middleware on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body: unknown, headers: Record<string, string> = {}) =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        headers,
        ...(body === undefined ? {} : { body }),
      });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('are thrown for an invalid request, and answered as usual if no middleware catches them', async () => {
      const own = await call('POST', '/notes', { data: {} }, { 'x-own': '1' });
      deepStrictEqual([own.status, own.body.message], [422, 'text must be defined.']);
      deepStrictEqual(own.body.details.errors[0].path, ['text']);
      const plain = await call('GET', '/notes?filters[nope]=1', undefined);
      deepStrictEqual([plain.status, plain.headers.get('x-caught')], [400, 'ValidationError']);
      deepStrictEqual(
        [plain.body.data, plain.body.error.message, plain.body.error.details.key],
        [null, 'Invalid key nope', 'nope'],
      );
    });

    it('also pass for requests to delete with a body: a password that turns a second factor off', async () => {
      await makeAdministrator(server, 'second', 'strapi-author');
      const browser = new Browser(server);
      await browser.signIn('second');
      const turnOff = async (password: string, name?: string) => {
        const { status, body } = await browser.send('DELETE', 'me/second-factor', { password });
        deepStrictEqual([status, body?.error?.name], [name === undefined ? 204 : 400, name]);
      };
      await turnOff('wrong', 'ApplicationError');
      await turnOff(PASSWORD);
      strictEqual((await call('DELETE', '/notes/nothing', { aside: true })).status, 204);
    });

    it('leave missing routes to the middleware', async () => {
      const own = await call('GET', '/notes/none', undefined, { 'x-own': '1' });
      deepStrictEqual([own.status, own.body], [200, { own: '/api/notes/none' }]);
      const plain = await call('GET', '/nothing', undefined);
      deepStrictEqual(
        [plain.status, plain.body.error.name, plain.headers.get('x-caught')],
        [404, 'NotFoundError', null],
      );
    });

    const FORM = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    const MULTIPART = 'multipart/form-data; boundary=b';
    /** What the middlewares at their three places have done around an answer. */
    const marks = async (
      method: string,
      target: string,
      init: { body?: string; headers?: Record<string, string> } = {},
    ) => {
      const { body, headers = {} } = init;
      const type = body === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' };
      const sent = { method, headers: { ...type, ...headers }, ...(body === undefined ? {} : { body }) };
      const answer = await fetch(`${server.url}${target}`, sent);
      await answer.arrayBuffer();
      const cookies = answer.headers.getSetCookie().length;
      return [answer.status, ...['outer', 'ahead', 'behind'].map((place) => answer.headers.get(`x-${place}`)), cookies];
    };
    const [all, begun] = ['before, after', 'before'];

    it('keep headers and cookies of earlier middlewares if the body cannot be read', async () => {
      for (const target of ['/api/notes', '/api/hook', '/api/nothing']) {
        deepStrictEqual(await marks('POST', target, { body: '{bad' }), [400, all, begun, null, 2], target);
      }
      const long = `{"a":"${'x'.repeat(1_200_000)}"}`;
      deepStrictEqual(await marks('POST', '/api/hook', { body: long }), [413, all, begun, null, 2]);
      const coded = { body: '{}', headers: { 'content-encoding': 'zip' } };
      deepStrictEqual(await marks('POST', '/api/hook', coded), [415, all, begun, null, 2]);
      const authorization = `Bearer ${server.secrets['full']}`;
      const cut = { body: '--b\r\ncontent-disp', headers: { 'content-type': MULTIPART, authorization } };
      deepStrictEqual(await marks('POST', '/api/form', cut), [400, all, begun, null, 2]);
    });

    it('keep them where a form is refused because of its caller', async () => {
      const sent = { body: FORM, headers: { 'content-type': MULTIPART } };
      deepStrictEqual(await marks('POST', '/api/form', sent), [403, all, all, all, 3]);
      const unknown = { body: FORM, headers: { 'content-type': MULTIPART, authorization: 'Bearer nobody' } };
      deepStrictEqual(await marks('POST', '/api/form', unknown), [401, all, all, all, 3]);
      const known = {
        body: FORM,
        headers: { 'content-type': MULTIPART, authorization: `Bearer ${server.secrets['full']}` },
      };
      deepStrictEqual(await marks('POST', '/api/form', known), [200, all, all, all, 3]);
    });

    it('keep them with every other refusal, and with answers about a path', async () => {
      for (const [method, target, status] of [
        ['GET', '/api/notes', 403],
        ['GET', '/api/hook', 404],
        ['HEAD', '/api/hook', 404],
        ['HEAD', '/api/nothing', 404],
        ['PATCH', '/api/hook', 405],
        ['PUT', '/api/hook', 405],
        ['OPTIONS', '/api/hook', 200],
      ] as const) {
        deepStrictEqual(await marks(method, target), [status, all, all, all, 3], `${method} ${target}`);
      }
      const authorization = `Bearer ${server.secrets['full']}`;
      // code that reads a missing member keeps nothing of its answer
      deepStrictEqual(await marks('GET', '/api/raw'), [500, null, null, null, 0]);
      const refused = await marks('GET', '/api/notes?filters[nope]=1', { headers: { authorization } });
      deepStrictEqual(refused, [400, all, begun, begun, 3]);
    });

    it('leave OPTIONS requests to a middleware, except for preflight requests of browsers', async () => {
      deepStrictEqual(await marks('OPTIONS', '/api/hook', { headers: { 'x-own': '1' } }), [204, begun, null, null, 1]);
      const headers = { origin: 'http://example.com', 'access-control-request-method': 'POST', 'x-own': '1' };
      const answer = await fetch(`${server.url}/api/hook`, { method: 'OPTIONS', headers });
      deepStrictEqual([answer.status, answer.headers.get('x-outer')], [204, null]);
    });

    it('compare validators of the client, and add Vary', async () => {
      const fresh = async (headers: Record<string, string>) => {
        const answer = await server.request('GET', '/api/fresh', { headers });
        match(answer.headers.get('vary')!, /^Origin, X-Tenant(?:, |$)/);
        return answer.status;
      };
      strictEqual(await fresh({}), 200);
      // `fetch` adds `cache-control: no-cache` where it finds nothing else
      const cached = { 'cache-control': 'max-age=0' };
      for (const tags of ['"abc"', 'W/"abc"', '"x", "abc"', '*'])
        strictEqual(await fresh({ ...cached, 'if-none-match': tags }), 304);
      strictEqual(await fresh({ ...cached, 'if-none-match': '"x"' }), 200);
      strictEqual(await fresh({ 'cache-control': 'no-cache', 'if-none-match': '"abc"' }), 200);
      for (const [time, status] of [
        ['Tue, 02 Jan 2024 00:00:00 GMT', 304],
        ['Sat, 30 Dec 2023 00:00:00 GMT', 200],
        ['never', 200],
      ] as const) {
        strictEqual(await fresh({ ...cached, 'if-modified-since': time }), status);
      }
    });

    it('have the raw body if the project requests it, for signatures', async () => {
      const text = '{ "event":  "paid" }';
      const answer = await fetch(`${server.url}/api/hook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      });
      strictEqual(answer.status, 200);
      const signed = createHmac('sha256', 'key').update(text).digest('hex');
      deepStrictEqual(await answer.json(), { event: 'paid', signed });
    });
  });
}
