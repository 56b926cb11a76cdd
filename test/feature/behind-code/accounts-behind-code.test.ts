/** Accounts that the server writes by itself, behind document middlewares and lifecycles: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { passwordsHashed } from '../../support/accounts/password-thread.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };

const PROJECT: ProjectFiles = {
  contentTypes: { log: contentType('log', { text }, { options: { draftAndPublish: false } }) },
  files: {
    'src/api/log/routes/log.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::log.log');",
    'src/index.js': `const { errors } = require('@strapi/utils');
const ENTRIES = 'api::log.log';
const names = (data) => Object.keys(data).sort().join();
const note = (text) => strapi.documents(ENTRIES).create({ data: { text } });
module.exports = {
  register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      if (context.uid === ENTRIES) return next();
      if (context.params.data?.username === 'silent') return null;
      const result = await next();
      if (context.uid.endsWith('.user')) globalThis.shownOfAccount = result;
      if (context.action === 'create' || context.action === 'update') await note(context.action + ' ' + names(context.params.data));
      return result;
    });
  },
  bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({
      models: ['plugin::users-permissions.user', 'admin::user'],
      beforeCreate({ params: { data } }) {
        if (data.username === 'root') throw new errors.ApplicationError('Not that name', { name: data.username });
        data.username = data.username.toLowerCase();
        globalThis.hashedBeforeCode = globalThis.passwordsHashed();
      },
      async afterCreate({ result }) {
        await note('made ' + result.username);
        if (result.username === 'late') throw new errors.ForbiddenError('Too late');
      },
      afterDelete: ({ result }) => note('gone ' + result.username),
    });
  },
};`,
  },
};

/** What the code asks the test, and tells it. */
const shared = globalThis as { passwordsHashed?: () => number; hashedBeforeCode?: number; shownOfAccount?: object };
shared.passwordsHashed = passwordsHashed;

for (const engine of engines) {
  describe(`accounts behind code of the project on ${engine.name}`, () => {
    let server: SeededServer;
    let told = 0;
    const password = 'Abcdef1234';
    const of = (username: string) => ({ username, email: `${username.toLowerCase()}@example.com`, password });
    const register = (username: string) => server.request('POST', '/api/auth/local/register', { body: of(username) });
    /** What the code has written since the last time. */
    const newEntries = async (): Promise<string[]> => {
      const target = '/api/logs?sort=id&pagination[pageSize]=100';
      const { body } = await server.request('GET', target, { token: server.secrets['full'] });
      const all = body.data.map((one: { text: string }) => one.text);
      const [from, to] = [told, all.length];
      told = to;
      return all.slice(from);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [{ name: 'full', type: 'full-access' }],
      });
    });
    after(() => server?.stop());

    it("are registered with the changes of code, in one transaction with the code's writes", async () => {
      const { status, body } = await register('Ann');
      deepStrictEqual([status, body.user.username, typeof body.jwt], [200, 'ann', 'string']);
      deepStrictEqual(await newEntries(), ['made ann', 'create confirmed,email,password,provider,role,username']);
      const { username, createdAt, password: hash } = shared.shownOfAccount as Record<string, unknown>;
      deepStrictEqual([username, typeof createdAt, hash], ['ann', 'string', undefined]);
      const signedIn = await server.request('POST', '/api/auth/local', { body: { identifier: 'ann', password } });
      strictEqual(signedIn.status, 200);
    });

    it('are written with passwords that were hashed before their transaction', async () => {
      const before = passwordsHashed();
      strictEqual((await register('Eve')).status, 200);
      deepStrictEqual([shared.hashedBeforeCode, passwordsHashed()], [before + 1, before + 1]);
      const taken = await register('Eve');
      deepStrictEqual([taken.status, passwordsHashed()], [400, before + 1]);
      await newEntries();
    });

    it('are not created if code refuses, and everything is rolled back', async () => {
      const refused = await register('root');
      deepStrictEqual(
        [refused.status, refused.body.error],
        [400, { status: 400, name: 'ApplicationError', message: 'Not that name', details: { name: 'root' } }],
      );
      const late = await register('late');
      deepStrictEqual([late.status, late.body.error.name], [403, 'ForbiddenError']);
      strictEqual((await register('silent')).status, 403);
      deepStrictEqual(await newEntries(), []);
      const found = await server.request('GET', '/api/users', { token: server.secrets['full'] });
      deepStrictEqual(
        found.body.map(({ username }: { username: string }) => username),
        ['ann', 'eve'],
      );
    });

    it('are also changed and removed with the code around them, for every caller', async () => {
      const { body: ann } = await server.request('POST', '/api/auth/local', { body: { identifier: 'ann', password } });
      const changed = { currentPassword: password, password: 'Other12345', passwordConfirmation: 'Other12345' };
      const answer = await server.request('POST', '/api/auth/change-password', { token: ann.jwt, body: changed });
      deepStrictEqual([answer.status, await newEntries()], [200, ['update password']]);
      const token = server.secrets['full'];
      const made = await server.request('POST', '/api/users', { token, body: { ...of('Bob'), role: 1 } });
      deepStrictEqual([made.status, made.body.username], [201, 'bob']);
      const target = `/api/users/${made.body.id}`;
      strictEqual((await server.request('PUT', target, { token, body: { blocked: true } })).body.blocked, true);
      deepStrictEqual(await newEntries(), [
        'made bob',
        'create email,password,provider,role,username',
        'update blocked',
      ]);
      strictEqual((await server.request('DELETE', target, { token })).status, 200);
      deepStrictEqual(await newEntries(), ['gone bob']);
      deepStrictEqual(
        server.app.warnings.filter((warning) => /users-permissions\.auth|auth\.register|user\.create/.test(warning)),
        [],
      );
    });
  });
}
