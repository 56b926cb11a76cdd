/** Lifecycles that listen to all types, around writes of the server itself: docs/reference/project-code.md. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { type Answer, contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const PROJECT: ProjectFiles = {
  contentTypes: { log: contentType('log', { text: { type: 'string' } }, { options: { draftAndPublish: false } }) },
  files: {
    'src/index.js': `const { errors } = require('@strapi/utils');
const told = (globalThis.toldOfEverything ??= []);
const who = () => strapi.requestContext.get()?.request.url;
const tell = ({ action, model: { uid }, params: { where, data }, result }) => {
  const { createdAt, updatedAt, publishedAt, documentId, ...row } = result ?? {};
  const dated = ({ createdAt, updatedAt, ...rest }) => ({ ...rest, dated: updatedAt instanceof Date && (createdAt instanceof Date || action.endsWith('Update')) });
  told.push([action, uid.replace('plugin::', ''), where, data && dated(data), result && (row.name ?? row.action ?? row.username ?? row.text), who()]);
};
module.exports = {
  bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({
      beforeCreate({ model, params: { data } }) {
        if (data.name === 'Refused' || data.action === 'api::log.log.delete') throw new errors.ApplicationError('Not this one');
        if (data.name === 'Renamed') data.description = 'by code';
        if (data.name === 'Typed') data.type = 'other';
      },
      afterCreate: tell,
      beforeUpdate({ model, params: { where, data } }) {
        if (data.name === 'Refused') throw new errors.ForbiddenError('Not this name');
      },
      afterUpdate: tell,
      beforeDelete(event) {
        if (globalThis.keepsEverything === event.model.uid) throw new errors.ApplicationError('It stays');
      },
      afterDelete: tell,
    });
  },
};`,
  },
};

type Told = readonly [action: string, uid: string, where: unknown, data: unknown, result: unknown, url: string];
const shared = globalThis as { toldOfEverything?: Told[]; keepsEverything?: string | undefined };
shared.toldOfEverything ??= [];
const told = shared.toldOfEverything;

const ROLES = '/api/users-permissions/roles';
const enabled = (...names: string[]) => ({
  'api::log': { controllers: { log: Object.fromEntries(names.map((name) => [name, { enabled: true }])) } },
});

for (const engine of engines) {
  describe(`lifecycles of all types on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
      server.request(method, target, { token, ...(body === undefined ? {} : { body }) });
    const news = () => told.splice(0).map(([action, uid, where, data, result]) => [action, uid, where ?? data, result]);
    const roleNamed = async (name: string): Promise<{ id: number } | undefined> => {
      const { body } = await ask('GET', ROLES);
      return body.roles.find((role: { name: string }) => role.name === name);
    };
    const granted = async (id: number): Promise<string[]> => {
      const { body } = await ask('GET', `${ROLES}/${id}`);
      const actions = Object.entries(body.role.permissions['api::log'].controllers.log) as [
        string,
        { enabled: boolean },
      ][];
      return actions.filter(([, state]) => state.enabled).map(([name]) => name);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      token = server.secrets['full']!;
      told.length = 0;
    });
    after(() => server?.stop());

    it('close nothing but actions that Strapi does not have', () => {
      const closed = server.app.warnings.join('\n');
      match(closed, /so 2 actions that Strapi does not have are closed\.\n.*check .* lists the code/);
      doesNotMatch(closed, /plugin::/);
    });

    it('receive roles and each grant', async () => {
      const body = { name: 'Editor', description: 'edits', permissions: enabled('find', 'create') };
      strictEqual((await ask('POST', ROLES, body)).status, 200);
      const { id } = (await roleNamed('Editor'))!;
      const url = told[0]![5];
      deepStrictEqual([url, [...new Set(told.map(([, , , , , one]) => one))].length], [ROLES, 1]);
      deepStrictEqual(news(), [
        [
          'afterCreate',
          'users-permissions.role',
          { name: 'Editor', description: 'edits', type: 'editor', dated: true },
          'Editor',
        ],
        [
          'afterCreate',
          'users-permissions.permission',
          { action: 'api::log.log.find', role: id, dated: true },
          'api::log.log.find',
        ],
        [
          'afterCreate',
          'users-permissions.permission',
          { action: 'api::log.log.create', role: id, dated: true },
          'api::log.log.create',
        ],
      ]);
      strictEqual((await ask('PUT', `${ROLES}/${id}`, { name: 'Writer', permissions: enabled('find') })).status, 200);
      const [renamed, taken, ...others] = news();
      deepStrictEqual([renamed, others], [['afterUpdate', 'users-permissions.role', { id }, 'Writer'], []]);
      deepStrictEqual([taken![0], taken![3]], ['afterDelete', 'api::log.log.create']);
    });

    it('may refuse roles and grants, and everything is rolled back', async () => {
      const refused = await ask('POST', ROLES, { name: 'Refused' });
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not this one']);
      strictEqual((await ask('POST', ROLES, { name: 'Other', permissions: enabled('find', 'delete') })).status, 400);
      deepStrictEqual([await roleNamed('Refused'), await roleNamed('Other')], [undefined, undefined]);
      const { id } = (await roleNamed('Writer'))!;
      strictEqual((await ask('PUT', `${ROLES}/${id}`, { permissions: enabled('findOne', 'delete') })).status, 400);
      strictEqual((await ask('PUT', `${ROLES}/${id}`, { name: 'Refused', permissions: {} })).status, 403);
      shared.keepsEverything = 'plugin::users-permissions.permission';
      strictEqual((await ask('PUT', `${ROLES}/${id}`, { permissions: {} })).status, 400);
      strictEqual((await ask('DELETE', `${ROLES}/${id}`)).status, 400);
      shared.keepsEverything = undefined;
      deepStrictEqual(await granted(id), ['find']);
      told.length = 0;
    });

    it('may change the texts of a role, and not its rights', async () => {
      strictEqual((await ask('POST', ROLES, { name: 'Renamed' })).status, 200);
      const { id } = (await roleNamed('Renamed'))!;
      strictEqual((await ask('GET', `${ROLES}/${id}`)).body.role.description, 'by code');
      strictEqual((await ask('POST', ROLES, { name: 'Typed' })).status, 500);
      strictEqual(await roleNamed('Typed'), undefined);
      told.length = 0;
    });

    it('receive accounts that get another role when theirs is deleted', async () => {
      const { id: role } = (await roleNamed('Writer'))!;
      const account = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234', role };
      const { id } = (await ask('POST', '/api/users', account)).body;
      told.length = 0;
      strictEqual((await ask('DELETE', `${ROLES}/${role}`)).status, 200);
      const [moved, grant, gone, ...others] = news();
      deepStrictEqual(
        [moved, grant![0], gone, others],
        [
          ['afterUpdate', 'users-permissions.user', { id }, 'ann'],
          'afterDelete',
          ['afterDelete', 'users-permissions.role', { id: role }, 'Writer'],
          [],
        ],
      );
    });

    it('receive locales, which they may refuse', async () => {
      const made = await ask('POST', '/api/i18n/locales', { code: 'it' });
      strictEqual(made.status, 200);
      const { id } = made.body;
      strictEqual((await ask('PUT', `/api/i18n/locales/${id}`, { name: 'Italiano' })).status, 200);
      strictEqual((await ask('PUT', `/api/i18n/locales/${id}`, { name: 'Refused' })).status, 403);
      strictEqual((await ask('POST', '/api/i18n/locales', { code: 'nl', name: 'Refused' })).status, 400);
      shared.keepsEverything = 'plugin::i18n.locale';
      strictEqual((await ask('DELETE', `/api/i18n/locales/${id}`)).status, 400);
      shared.keepsEverything = undefined;
      strictEqual((await ask('DELETE', `/api/i18n/locales/${id}`)).status, 200);
      deepStrictEqual(news(), [
        ['afterCreate', 'i18n.locale', { code: 'it', name: 'Italian (it)', dated: true }, 'Italian (it)'],
        ['afterUpdate', 'i18n.locale', { id }, 'Italiano'],
        ['afterDelete', 'i18n.locale', { id }, 'Italiano'],
      ]);
      const { body } = await ask('GET', '/api/i18n/locales');
      ok(!body.some(({ code }: { code: string }) => code === 'it' || code === 'nl'));
    });

    it('receive files and documents', async () => {
      strictEqual((await upload(server, token, [note('a.txt')])).status, 201);
      strictEqual((await ask('POST', '/api/logs', { data: { text: 'one' } })).status, 200);
      deepStrictEqual(
        news().map(([action, uid, , result]) => [action, uid, result]),
        [
          ['afterCreate', 'upload.folder', 'API Uploads'],
          ['afterCreate', 'upload.file', 'a.txt'],
          ['afterCreate', 'api::log.log', 'one'],
        ],
      );
    });
  });
}
