/** Roles over HTTP: created, changed and deleted, with effect at once. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ActionTree } from '../../../src/users/roles/action-names.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';

const ROLES = '/users-permissions/roles';
/** The body's form of granted actions. */
const granting = (...actions: string[]) => {
  const permissions: Record<string, { controllers: Record<string, Record<string, { enabled: boolean }>> }> = {};
  for (const action of actions) {
    const [owner, controller, name] = action.split('.') as [string, string, string];
    permissions[owner] ??= { controllers: {} };
    permissions[owner].controllers[controller] ??= {};
    permissions[owner].controllers[controller][name] = { enabled: true };
  }
  return permissions;
};

for (const engine of engines) {
  describe(`roles on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine);
    });
    after(() => server?.stop());

    const call = (method: string, target: string, body?: unknown) =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        ...(body === undefined ? {} : { body }),
      });
    const list = async () => (await call('GET', ROLES)).body.roles as { id: number; type: string; nb_users: number }[];
    const create = async (name: string, body: object = {}) => {
      const answer = await call('POST', ROLES, { name, ...body });
      deepStrictEqual([answer.status, answer.body], [200, { ok: true }], answer.text);
      return (await list()).at(-1)!;
    };
    const enabled = async (id: number): Promise<string[]> => {
      const { permissions } = (await call('GET', `${ROLES}/${id}`)).body.role;
      const found: string[] = [];
      for (const [owner, { controllers }] of Object.entries(permissions as ActionTree)) {
        for (const [controller, states] of Object.entries(controllers)) {
          for (const [name, state] of Object.entries(states)) {
            if (state.enabled) found.push(`${owner}.${controller}.${name}`);
          }
        }
      }
      return found.sort();
    };
    const moved = async (username: string, role: number) => {
      const { jwt, user } = await server.register(username);
      await call('PUT', `/users/${user.id}`, { role });
      return { jwt, id: user.id };
    };

    it("changes the rights of its accounts at once, including Galley's own actions", async () => {
      const article = 'api::article.article';
      const role = await create('Writer', { permissions: granting(`${article}.find`) });
      const { jwt } = await moved('writer1', role.id);
      const status = async () => (await server.get('/api/articles', jwt)).status;
      strictEqual(await status(), 200);
      const own = ['createLocalization', 'discardDraft', 'publish', 'unpublish'].map((name) => `${article}.${name}`);
      const wanted = [`${article}.create`, 'plugin::i18n.locales.createLocale', ...own];
      strictEqual((await call('PUT', `${ROLES}/${role.id}`, { permissions: granting(...wanted) })).status, 200);
      strictEqual(await status(), 403);
      deepStrictEqual(await enabled(role.id), wanted.sort());
      const kept = await server.app.database.rows(
        `select action from galley_permissions where role_id = ${role.id}`,
        [],
      );
      deepStrictEqual(kept.map(([action]) => action).sort(), ['plugin::i18n.locales.createLocale', ...own].sort());
    });

    it('keeps the grants and the description that an update does not mention', async () => {
      const permissions = granting('api::tag.tag.find');
      const role = await create('Keeper', { description: 'Keeps', permissions });
      await call('PUT', `${ROLES}/${role.id}`, { name: 'Keeper of all' });
      const { role: told } = (await call('GET', `${ROLES}/${role.id}`)).body;
      deepStrictEqual([told.name, told.description, told.type], ['Keeper of all', 'Keeps', 'keeper']);
      deepStrictEqual(await enabled(role.id), ['api::tag.tag.find']);
      await call('PUT', `${ROLES}/${role.id}`, { description: null, permissions: {} });
      strictEqual((await call('GET', `${ROLES}/${role.id}`)).body.role.description, null);
      deepStrictEqual(await enabled(role.id), []);
    });

    it('keeps grants of code that is not run here when they are sent back, and takes no others', async () => {
      const role = await create('Foreign');
      const { database } = server.app;
      await database.transaction(async (tx) => {
        await tx.rows(`insert into up_permissions (action) values ('api::shop.shop.buy')`, []);
        await tx.rows(
          `insert into up_permissions_role_lnk (permission_id, role_id, permission_ord)
           select max(id), ${role.id}, 1 from up_permissions`,
          [],
        );
      });
      const { permissions } = (await call('GET', `${ROLES}/${role.id}`)).body.role;
      strictEqual((await call('PUT', `${ROLES}/${role.id}`, { permissions })).status, 200);
      deepStrictEqual(await enabled(role.id), ['api::shop.shop.buy']);
      const unknown = await call('PUT', `${ROLES}/${role.id}`, { permissions: granting('api::shop.shop.steal') });
      const path = ['permissions', 'api::shop', 'controllers', 'shop', 'steal'];
      deepStrictEqual([unknown.status, unknown.body.error.details.errors[0].path], [400, path]);
    });

    it('moves the accounts of a deleted role to the public one, behind those it has', async () => {
      const role = await create('Leaving', { permissions: granting('api::tag.tag.find') });
      const first = await moved('leaver1', role.id);
      const second = await moved('leaver2', role.id);
      strictEqual((await server.get('/api/tags', first.jwt)).status, 200);
      const before = (await list()).find(({ type }) => type === 'public')!.nb_users;
      deepStrictEqual((await call('DELETE', `${ROLES}/${role.id}`)).body, { ok: true });
      strictEqual((await server.get('/api/tags', first.jwt)).status, 403);
      strictEqual((await list()).find(({ type }) => type === 'public')!.nb_users, before + 2);
      const { body } = await call('GET', `/users/${second.id}?populate=role`);
      strictEqual(body.role.type, 'public');
      const { database } = server.app;
      const left = await database.rows(`select count(*) from up_permissions_role_lnk where role_id = ${role.id}`, []);
      strictEqual(Number(left[0]![0]), 0);
      strictEqual((await call('GET', `${ROLES}/${role.id}`)).status, 404);
    });

    it('deletes no role that the server relies on', async () => {
      const role = await create('Newcomer');
      await server.advanced({ default_role: 'newcomer' });
      try {
        for (const { id, type } of await list()) {
          if (!['public', 'authenticated', 'newcomer'].includes(type)) continue;
          const { status, body } = await call('DELETE', `${ROLES}/${id}`);
          deepStrictEqual([status, body.error.message], [400, `Cannot delete ${type} role`]);
        }
      } finally {
        await server.advanced({ default_role: 'authenticated' });
      }
      strictEqual((await call('DELETE', `${ROLES}/${role.id}`)).status, 200);
    });

    it('gives each role a type of its own, one of several that ask at the same moment', async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => call('POST', ROLES, { name: 'Éditeur en chef 2' })),
      );
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
      ok((await list()).some(({ type }) => type === 'editeur_en_chef_2'));
      const again = await call('POST', ROLES, { name: 'Other', type: 'public' });
      deepStrictEqual(again.body.error.details.errors[0].path, ['type']);
    });

    it('refuses bodies that are wrong, with their paths', async () => {
      const role = await create('Wrongs');
      const cases: [unknown, string][] = [
        [{ name: '' }, 'name'],
        [{ name: 5 }, 'name'],
        [{ name: 'a\0b' }, 'name'],
        [{ name: 'x'.repeat(256) }, 'name'],
        [{ name: 'Fine', description: {} }, 'description'],
        [{ name: 'Fine', permissions: 'x' }, 'permissions'],
        [{ name: 'Fine', permissions: { 'api::tag': 5 } }, 'permissions.api::tag'],
        [{ name: 'Fine', permissions: { 'api::tag': { controllers: 5 } } }, 'permissions.api::tag.controllers'],
        [
          { name: 'Fine', permissions: { 'api::tag': { controllers: { tag: { find: { enabled: 'yes' } } } } } },
          'permissions.api::tag.controllers.tag.find.enabled',
        ],
      ];
      for (const [body, path] of cases) {
        for (const [method, target] of [
          ['POST', ROLES],
          ['PUT', `${ROLES}/${role.id}`],
        ] as const) {
          const { status, body: told, text } = await call(method, target, body);
          strictEqual(status, 400, text);
          strictEqual(told.error.details.errors[0].path.join('.'), path);
        }
      }
      for (const id of ['0', 'abc', '2147483648', '999999999999999', '%00']) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const body = method === 'PUT' ? { name: 'Fine' } : undefined;
          strictEqual((await call(method, `${ROLES}/${id}`, body)).status, 404, `${method} ${id}`);
        }
      }
    });

    it('lists every action that can be granted, none of them enabled', async () => {
      const { permissions } = (await call('GET', '/users-permissions/permissions')).body;
      const article = permissions['api::article'].controllers.article;
      deepStrictEqual(article.find, { enabled: false, policy: '' });
      for (const name of ['create', 'delete', 'publish', 'createLocalization']) ok(name in article, name);
      ok('callback' in permissions['plugin::users-permissions'].controllers.auth);
    });
  });
}
