/** `strapi.documents` of built-in types whose rows have no versions: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  grant: `const role = await strapi.db.query(ROLE).findOne({ where: { type: 'public' } });
    const made = await strapi.documents(PERMISSION).create({ data: { action: 'api::note.note.find', role: role.documentId }, populate: ['role'] });
    return { action: made.action, role: made.role.type, ids: [typeof made.id, typeof made.documentId] };`,
  grantById: `const role = await strapi.db.query(ROLE).findOne({ where: { type: 'public' } });
    return (await strapi.documents(PERMISSION).create({ data: { action: 'api::note.note.findOne', role: role.id }, fields: ['action'] })).action;`,
  revoke: `const [{ documentId }] = await strapi.documents(PERMISSION).findMany({ filters: { action: 'api::note.note.find', role: { type: 'public' } } });
    const { entries } = await strapi.documents(PERMISSION).delete({ documentId });
    const again = await strapi.documents(PERMISSION).delete({ documentId });
    return [entries.map(({ action }) => action), again.entries];`,
  strays: `return strapi.documents(PERMISSION).create({ data: { action: 'api::note.note.find', role: 'nothing' } });`,
  roles: `const roles = strapi.documents(ROLE);
    const { documentId } = await roles.create({ data: { name: 'Editor', description: 'writes', type: 'editor' } });
    const changed = await roles.update({ documentId, data: { description: 'reads' } });
    const none = await roles.update({ documentId: 'nothing', data: { description: 'x' } });
    await roles.delete({ documentId });
    return [changed.name, changed.description, none, await roles.findOne({ documentId }), strapi.seen];`,
  locales: `const locales = strapi.documents('plugin::i18n.locale');
    const { documentId } = await locales.create({ data: { code: 'it', name: 'Italian' } });
    const { name } = await locales.update({ documentId, data: { name: 'Italiano' } });
    await locales.delete({ documentId });
    return [name, await locales.count({ filters: { code: 'it' } })];`,
};

const route = ([name, source]: readonly [string, string]): string =>
  `{ method: 'GET', path: '/${name}', config: { auth: false }, handler: async () => ({ value: await (async () => { ${source} })() }) }`;

for (const engine of engines) {
  describe(`documents of built-in types without versions on ${engine.name}`, () => {
    let server: SeededServer;
    const value = async (name: string): Promise<unknown> => (await server.get(`/api/${name}`)).body.value;

    before(async () => {
      const project = await makeProject({
        contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
        files: {
          'src/api/note/routes/note.js':
            "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
          'src/api/note/routes/values.js': `const ROLE = 'plugin::users-permissions.role', PERMISSION = 'plugin::users-permissions.permission';
            module.exports = { routes: [${Object.entries(ACTIONS).map(route)}] };`,
          'src/index.js': `module.exports = { bootstrap({ strapi }) {
            strapi.seen = [];
            strapi.db.lifecycles.subscribe({ models: ['plugin::users-permissions.role'], beforeCreate: ({ params }) => { strapi.seen.push(params.data.name); }, afterUpdate: ({ result }) => { strapi.seen.push(result.description); } });
          } };`,
        },
      });
      server = await serveSeeded(engine, project, { locales: [{ code: 'en', default: true }] });
    });
    after(() => server?.stop());

    it('grant and revoke permissions, whose role is named by its document or its row', async () => {
      strictEqual((await server.get('/api/notes')).status, 403);
      deepStrictEqual(await value('grant'), {
        action: 'api::note.note.find',
        role: 'public',
        ids: ['number', 'string'],
      });
      strictEqual(await value('grantById'), 'api::note.note.findOne');
      strictEqual((await server.get('/api/notes')).status, 200);
      deepStrictEqual(await value('revoke'), [['api::note.note.find'], []]);
      strictEqual((await server.get('/api/notes')).status, 403);
    });

    it('refuse a role that does not exist', async () => {
      const { status, body } = await server.get('/api/strays');
      deepStrictEqual([status, body.error.name], [400, 'ValidationError']);
    });

    it('create, change and delete roles, with lifecycles around them', async () => {
      deepStrictEqual(await value('roles'), ['Editor', 'reads', null, null, ['Editor', 'reads']]);
    });

    it('create, change and delete locales', async () => {
      deepStrictEqual(await value('locales'), ['Italiano', 0]);
    });
  });
}
