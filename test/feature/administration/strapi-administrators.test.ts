/** Administrators of a Strapi database sign in, with their stored rights. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { copyProject, type RunningServer, serve } from '../../support/servers/project.ts';

/** As Strapi 5.54 stores `Secret123`. */
const HASH = '$2a$10$e2Oz0CgpgS8JYYSn/FJGO.vWUvy3nQ3k5YV3MBgxvL2TWsERreHDC';

for (const engine of engines) {
  describe(`administrators created by Strapi on ${engine.name}`, () => {
    let server: RunningServer;
    before(async () => {
      server = await serve(await copyProject(), await engine.fixtureDatabase());
      await server.app.database.transaction(async (tx) => {
        for (const [id, name, role] of [
          [1, 'ann', 3],
          [2, 'sue', 1],
        ]) {
          await tx.rows(
            `insert into admin_users (id, document_id, firstname, email, password, is_active, blocked)
              values (${id}, 'admin${id}', '${name}', '${name}@example.com', '${HASH}', true, false)`,
            [],
          );
          await tx.rows(
            `insert into admin_users_roles_lnk (user_id, role_id, role_ord, user_ord) values (${id}, ${role}, 1, 1)`,
            [],
          );
        }
      });
    });
    after(() => server?.stop());

    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const rightsOf = async (name: string): Promise<any[]> => {
      const { status, body } = await new Browser(server).signIn(name);
      strictEqual(status, 200);
      return body.data.rights;
    };

    it('have the rights of their roles, without those that give nothing', async () => {
      const rights = await rightsOf('ann');
      const subjects = new Set(rights.map(({ subject }) => subject));
      // types with locales, of which the permissions name none
      for (const name of ['article', 'country', 'homepage']) strictEqual(subjects.has(`api::${name}.${name}`), false);
      const events = rights.filter(({ subject }) => subject === 'api::event.event');
      deepStrictEqual(
        events.map(({ action }) => action.split('.').at(-1)),
        ['create', 'read', 'update', 'delete'],
      );
      strictEqual(
        events.every(({ creatorOnly }) => creatorOnly),
        true,
      );
      strictEqual(events[0].fields.includes('venue.city'), true);
      const names = rights.filter(({ subject }) => subject === null).map(({ action }) => action);
      deepStrictEqual(names.length, 6);
    });

    it('may do everything in the role of all rights', async () => {
      const rights = await rightsOf('sue');
      const articles = rights.filter(({ subject }) => subject === 'api::article.article');
      deepStrictEqual(
        articles.map(({ fields, locales }) => [fields, locales]),
        Array.from({ length: 5 }, () => [null, null]),
      );
    });

    it('see the id of a row as a column where somebody has arranged it so, and not where Strapi alone has', async () => {
      const browser = new Browser(server);
      await browser.signIn('sue');
      const columns = async (): Promise<Record<string, readonly string[]>> => {
        const { contentTypes } = (await browser.get('schema')).body.data;
        const lists = contentTypes.map(({ uid, layout }: { uid: string; layout: { list: string[] } }) => [
          uid,
          layout.list,
        ]);
        return Object.fromEntries(lists);
      };
      const all = await columns();
      deepStrictEqual(
        Object.keys(all).filter((uid) => all[uid]!.includes('id')),
        [],
      );
      deepStrictEqual(all['plugin::users-permissions.user'], ['username', 'email', 'confirmed']);
      const { data } = (await browser.get('layout/api::article.article')).body;
      const list = ['id', 'title', 'kind', 'author'];
      const layouts = { ...data.layouts, list };
      const { status } = await browser.send(
        'PUT',
        'layout/api::article.article',
        { layouts },
        { 'if-match': data.tag },
      );
      deepStrictEqual([status, (await columns())['api::article.article']], [200, list]);
    });
  });
}
