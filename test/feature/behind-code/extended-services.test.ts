/** Services of built-in plugins that an extension replaces: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ACCOUNTS = 'src/extensions/users-permissions/strapi-server.js';
const FILES = 'src/extensions/upload/strapi-server.js';

const project = (files: ProjectFiles['files']): ProjectFiles => ({
  contentTypes: { log: contentType('log', { text: { type: 'string' } }, { options: { draftAndPublish: false } }) },
  files: {
    'src/api/log/routes/log.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::log.log');",
    'src/api/log/routes/own.js':
      "module.exports = { routes: [{ method: 'GET', path: '/greeting', handler: 'log.greet', config: { auth: false } }] };",
    'src/api/log/controllers/log.js':
      "module.exports = require('@strapi/strapi').factories.createCoreController('api::log.log', { greet: (ctx) => { const { service } = strapi.plugin('users-permissions'); if (ctx.query.patch) service('user').add = async () => null; ctx.body = service('greeting').greet(); } });",
    ...files,
  },
});

const PROJECT = project({
  [ACCOUNTS]: `const { errors } = require('@strapi/utils');
const asked = (globalThis.askedOfServices ??= []);
const note = (text) => strapi.documents('api::log.log').create({ data: { text } });
module.exports = (plugin) => {
  const { user, jwt } = plugin.services;
  plugin.services.greeting = { greet: () => ({ hello: 'world' }) };
  plugin.services.user = ({ strapi }) => {
    const own = user({ strapi });
    return {
      ...own,
      async add(values) {
        asked.push(['add', values.username, values.password, strapi.requestContext.get().request.url]);
        if (values.username === 'nobody') throw new errors.ApplicationError('Not nobody');
        if (values.username === 'gone') { await own.add(values); return null; }
        if (values.username === 'direct') {
          return strapi.documents('plugin::users-permissions.user').create({ data: { ...values, provider: 'direct' } });
        }
        const code = values.username === 'Coded' ? { resetPasswordToken: 'code of add' } : {};
        const made = await own.add({ ...values, ...code, username: values.username.toLowerCase() });
        await note('added ' + made.username);
        if (made.username === 'late') throw new errors.ForbiddenError('Too late');
        return made;
      },
      async edit(id, values) {
        asked.push(['edit', id, Object.keys(values).sort().join()]);
        if (values.password === 'Refused123') throw new errors.ValidationError('Not this password');
        if (values.username === 'ignored') return null;
        if (values.username === 'coded') return own.edit(id, { ...values, confirmationToken: 'code of edit' });
        return own.edit(id, values.username ? { ...values, username: values.username + '!' } : values);
      },
      async remove(where) {
        asked.push(['remove', where]);
        const found = await own.fetch(where.id);
        if (found.username.startsWith('kept')) return strapi.db.query('plugin::users-permissions.user').update({ where, data: { blocked: true } });
        return own.remove(where);
      },
    };
  };
  plugin.services.jwt = (tools) => {
    const own = jwt(tools);
    return { ...own, issue: (payload, options) => own.issue({ ...payload, shop: 'berlin' }, options) };
  };
  return plugin;
};`,
});

type Asked = readonly unknown[];
const shared = globalThis as { askedOfServices?: Asked[] };
shared.askedOfServices ??= [];
const asked = shared.askedOfServices;

const password = 'Abcdef1234';
const payloadOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

for (const engine of engines) {
  describe(`services that an extension replaces on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    const of = (username: string) => ({ username, email: `${username.toLowerCase()}@example.com`, password });
    const register = (username: string) => server.request('POST', '/api/auth/local/register', { body: of(username) });
    const names = async (): Promise<string[]> => {
      const { body } = await server.request('GET', '/api/users?sort=id', { token });
      return body.map(({ username }: { username: string }) => username);
    };
    const logs = async (): Promise<string[]> => {
      const { body } = await server.request('GET', '/api/logs?sort=id', { token });
      return body.data.map((one: { text: string }) => one.text);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      token = server.secrets['full']!;
      asked.length = 0;
    });
    after(() => server?.stop());

    it('are there for code, those that are added as well', async () => {
      const { status, body } = await server.request('GET', '/api/greeting');
      deepStrictEqual([status, body], [200, { hello: 'world' }]);
      // which of them are asked is known by what they are when they are made
      strictEqual((await server.request('GET', '/api/greeting?patch=1')).status, 500);
    });

    it('are called to add accounts, in one transaction with their writes', async () => {
      const { status, body } = await register('Ann');
      deepStrictEqual([status, body.user.username], [200, 'ann']);
      deepStrictEqual(asked.splice(0), [['add', 'Ann', password, '/api/auth/local/register']]);
      deepStrictEqual(await logs(), ['added ann']);
      const signedIn = await server.request('POST', '/api/auth/local', { body: { identifier: 'ann', password } });
      strictEqual(signedIn.status, 200);
      const direct = await register('direct');
      deepStrictEqual([direct.status, direct.body.user.provider], [200, 'direct']);
      const coded = (await register('Coded')).body.user;
      const edited = await server.request('PUT', `/api/users/${coded.id}`, { token, body: { username: 'coded' } });
      const withCode = { code: 'code of add', password, passwordConfirmation: password };
      const reset = await server.request('POST', '/api/auth/reset-password', { body: withCode });
      const confirm = await server.request('GET', '/api/auth/email-confirmation?confirmation=code%20of%20edit');
      deepStrictEqual([edited.status, reset.status, confirm.status], [200, 200, 302]);
      strictEqual((await server.request('DELETE', `/api/users/${coded.id}`, { token })).status, 200);
      const made = await server.request('POST', '/api/users', { token, body: { ...of('Bob'), role: 1 } });
      deepStrictEqual([made.status, made.body.username], [201, 'bob']);
      asked.length = 0;
    });

    it('may refuse accounts, and everything is rolled back', async () => {
      const before = [await names(), await logs()];
      const refused = await register('nobody');
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not nobody']);
      deepStrictEqual([(await register('late')).status, (await register('gone')).status], [403, 403]);
      // the rules of accounts are asked all the same
      strictEqual((await register('Ann')).status, 400);
      deepStrictEqual([await names(), await logs()], before);
      asked.length = 0;
    });

    it('are called for the tokens of sessions, which end with these', async () => {
      const { body } = await server.request('POST', '/api/auth/local', { body: { identifier: 'ann', password } });
      const { shop, id, sid } = payloadOf(body.jwt);
      deepStrictEqual([shop, id, typeof sid], ['berlin', body.user.id, 'string']);
      const logout = await server.request('POST', '/api/auth/logout', { token: body.jwt });
      strictEqual(logout.status, 200);
      strictEqual((await server.request('GET', '/api/users/me', { token: body.jwt })).status, 401);
    });

    it('are called to change accounts, and their passwords', async () => {
      const { body } = await server.request('POST', '/api/auth/local', { body: { identifier: 'ann', password } });
      const { id } = body.user;
      const to = (next: string) => ({ currentPassword: password, password: next, passwordConfirmation: next });
      const change = (next: string) =>
        server.request('POST', '/api/auth/change-password', { token: body.jwt, body: to(next) });
      const refused = await change('Refused123');
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not this password']);
      const changed = await change('Other12345');
      deepStrictEqual([changed.status, payloadOf(changed.body.jwt).shop], [200, 'berlin']);
      strictEqual((await server.request('GET', '/api/users/me', { token: body.jwt })).status, 401);
      const signedIn = { identifier: 'ann', password: 'Other12345' };
      strictEqual((await server.request('POST', '/api/auth/local', { body: signedIn })).status, 200);
      const edit = (values: object) => server.request('PUT', `/api/users/${id}`, { token, body: values });
      strictEqual((await edit({ username: 'anna' })).body.username, 'anna!');
      strictEqual((await edit({ username: 'ignored' })).body.username, 'anna!');
      deepStrictEqual(asked.splice(0), [
        ['edit', id, 'password'],
        ['edit', id, 'password'],
        ['edit', id, 'username'],
        ['edit', id, 'username'],
      ]);
    });

    it('are called to remove accounts', async () => {
      const kept = (await register('kept')).body.user;
      const gone = (await register('removed')).body.user;
      asked.length = 0;
      const remove = ({ id }: { id: number }) => server.request('DELETE', `/api/users/${id}`, { token });
      deepStrictEqual([(await remove(kept)).body.username, (await remove(gone)).body.username], ['kept', 'removed']);
      deepStrictEqual(asked.splice(0), [
        ['remove', { id: kept.id }],
        ['remove', { id: gone.id }],
      ]);
      const { body } = await server.request('GET', `/api/users/${kept.id}`, { token });
      deepStrictEqual([body.blocked, (await names()).includes('removed')], [true, false]);
    });

    it('close nothing to administrators, whose panel calls none of them', async () => {
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const sue = new Browser(server);
      strictEqual((await sue.signIn('sue')).status, 200);
      strictEqual((await sue.get('content/api::log.log')).status, 200);
    });

    it('close actions that should call them and do not, and nothing else', async () => {
      const closed = await serveSeeded(
        engine,
        await makeProject(
          project({
            [ACCOUNTS]:
              'module.exports = (plugin) => { const { user } = plugin.services; plugin.services.user = (tools) => ({ ...user(tools), fetchAll: async () => [], ensureHashedPasswords: async (values) => values }); return plugin; };',
            [FILES]:
              'module.exports = (plugin) => { const { upload } = plugin.services; plugin.services.upload = (tools) => ({ ...upload(tools), formatFileInfo: async () => ({}), findMany: async () => [] }); return plugin; };',
          }),
        ),
      );
      try {
        const full = closed.secrets['full'];
        const status = async (method: string, target: string) =>
          (await closed.request(method, `/api${target}`, { token: full })).status;
        deepStrictEqual(
          [await status('GET', '/users'), await status('GET', '/users/count'), await status('GET', '/upload/files')],
          [403, 200, 403],
        );
        strictEqual(await status('GET', '/upload/files/page'), 200);
        strictEqual((await upload(closed, full, [note()])).status, 201);
      } finally {
        await closed.stop();
      }
    });
  });
}
