/** What middlewares of a project know of answers that are not the code's, and of bodies: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator, PASSWORD } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const PROJECT: ProjectFiles = {
  contentTypes: { note: contentType('note', { text: { type: 'string', required: true } }) },
  files: {
    'config/middlewares.js':
      "module.exports = ['strapi::errors', 'global::catching', { name: 'strapi::body', config: { includeUnparsed: true } }];",
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
    'src/api/hook/routes/hook.js':
      "module.exports = { routes: [{ method: 'POST', path: '/hook', handler: 'hook.take', config: { auth: false } }] };",
    'src/api/hook/controllers/hook.js': `const { createHmac } = require('node:crypto');
module.exports = { take: (ctx) => ({ ...ctx.request.body, signed: createHmac('sha256', 'key').update(ctx.request.body[Symbol.for('unparsedBody')]).digest('hex') }) };`,
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

    it('are thrown where the request is refused for what it contains, and told as ever where nobody catches them', async () => {
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

    it('are given to what a request to delete brings as well: a password, to turn a second step off', async () => {
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

    it('leave to the middleware what is not there', async () => {
      const own = await call('GET', '/notes/none', undefined, { 'x-own': '1' });
      deepStrictEqual([own.status, own.body], [200, { own: '/api/notes/none' }]);
      const plain = await call('GET', '/nothing', undefined);
      deepStrictEqual(
        [plain.status, plain.body.error.name, plain.headers.get('x-caught')],
        [404, 'NotFoundError', null],
      );
    });

    it('have the text of a body where the project asks for it, as signatures are of the text', async () => {
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
