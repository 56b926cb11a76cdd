/** Accounts of the content API as administrators write them: as documents, by the rules of accounts. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const USERS = 'content/plugin::users-permissions.user';
const PASSWORD = 'first-Password1';
const ANY = { 'if-match': '*' };

for (const engine of engines) {
  describe(`accounts in the administration on ${engine.name}`, () => {
    let server: SeededServer;
    const people: Record<string, Browser> = {};

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes: { note: contentType('note', {}) } }));
      for (const [name, role] of [
        ['sue', 'strapi-super-admin'],
        ['eva', 'strapi-editor'],
      ] as const) {
        await makeAdministrator(server, name, role);
        people[name] = new Browser(server);
        await people[name].signIn(name);
      }
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: object, headers = {}, name = 'sue'): Promise<Any> => {
      const answer = await people[name]!.send(method, target, body, headers);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const make = async (username: string, more = {}): Promise<Any> => {
      const data = { username, email: `${username}@Example.com`, password: PASSWORD, ...more };
      const { status, body, text } = await ask('POST', USERS, { data });
      strictEqual(status, 201, text);
      return body.data;
    };
    const change = (id: string, data: object, headers: object = ANY, name = 'sue') =>
      ask('PUT', `${USERS}/${id}`, { data }, headers, name);
    const login = (identifier: string, password = PASSWORD) =>
      server.request('POST', '/api/auth/local', { body: { identifier, password } });
    const tokenOf = async (identifier: string): Promise<string> => (await login(identifier)).body.jwt;
    const me = async (token: string): Promise<number> => (await server.get('/api/users/me', token)).status;
    const paths = ({ body }: Any): string[] => body.error.details.errors.map(({ path }: Any) => path.join('.'));
    const roles = async (name = 'sue'): Promise<Any[]> =>
      (await ask('GET', 'relations/plugin::users-permissions.user/role', undefined, {}, name)).body.data;

    it('are created with the role that is chosen, or the default one, and can log in', async () => {
      const made = await make('ann');
      const { draft } = made;
      deepStrictEqual([draft.email, draft.provider, draft.blocked], ['ann@example.com', 'local', false]);
      deepStrictEqual([draft.role[0].label, made.createdBy.name], ['Authenticated', 'sue']);
      ok(!('password' in draft));
      strictEqual((await login('ann@example.com')).status, 200);
      const open = (await roles()).find(({ label }) => label === 'Public');
      const other = await make('bea', { role: { set: [{ documentId: open.documentId }] } });
      strictEqual(other.draft.role[0].label, 'Public');
    });

    it('never give away a password, which is stored as a hash', async () => {
      const { documentId } = await make('cleo');
      const [row] = await server.app.database.rows(`select password from up_users where username = 'cleo'`, []);
      match(String(row![0]), /^\$2[aby]\$/);
      for (const target of [`${USERS}/${documentId}`, `${USERS}?populate=*`]) {
        doesNotMatch((await ask('GET', target)).text, /\$2[aby]\$|first-Password1|"password"/);
      }
      strictEqual((await ask('GET', `${USERS}?filters[password][$startsWith]=$2`)).status, 400);
    });

    it('need a name, an address and a password, and unique names, with errors at their fields', async () => {
      await make('dora');
      const refused = async (data: object) => {
        const answer = await ask('POST', USERS, { data });
        strictEqual(answer.status, 400);
        return paths(answer).sort();
      };
      deepStrictEqual(await refused({}), ['email', 'password', 'username']);
      const user = (await ask('GET', 'schema')).body.data.contentTypes.find(
        ({ uid }: Any) => uid === 'plugin::users-permissions.user',
      );
      const required = user.attributes.filter((attribute: Any) => attribute.required);
      deepStrictEqual(required.map(({ name }: Any) => name).sort(), ['email', 'password', 'username']);
      deepStrictEqual(await refused({ username: 'x\n', email: 'none', password: '' }), [
        'email',
        'password',
        'username',
      ]);
      const password = PASSWORD;
      deepStrictEqual(await refused({ username: 'dora', email: 'DORA@example.com', password }), ['email']);
      deepStrictEqual(await refused({ username: 'dora', email: 'other@example.com', password }), ['username']);
      deepStrictEqual(await refused({ username: 'DORA@example.com', email: 'd@example.com', password }), ['username']);
      deepStrictEqual(await refused({ username: 'dan', email: 'dan@example.com', password: 'x' }), ['password']);
      strictEqual((await login('dan@example.com', 'x')).status, 400);
      const { documentId } = await make('dana');
      for (const [data, place] of [
        [{ username: 'dora' }, 'username'],
        [{ email: 'dora@EXAMPLE.com' }, 'email'],
        [{ username: '' }, 'username'],
        [{ email: null }, 'email'],
        [{ password: null }, 'password'],
        [{ role: { set: [] } }, 'role'],
        [{ role: null }, 'role'],
      ] as const) {
        const answer = await change(documentId, data);
        deepStrictEqual([answer.status, paths(answer)], [400, [place]], JSON.stringify(data));
      }
      for (const key of ['resetPasswordToken', 'confirmationToken']) {
        strictEqual((await change(documentId, { [key]: 'mine' })).status, 400);
      }
    });

    it('are signed out when they are blocked or get another password, and not for anything else', async () => {
      const { documentId } = await make('emil');
      const token = await tokenOf('emil');
      strictEqual((await change(documentId, { username: 'emilio' })).status, 200);
      strictEqual(await me(token), 200);
      strictEqual((await change(documentId, { password: 'Other-Password1' })).status, 200);
      strictEqual(await me(token), 401);
      strictEqual((await login('emilio')).status, 400);
      const next = (await login('emilio', 'Other-Password1')).body.jwt;
      strictEqual(await me(next), 200);
      strictEqual((await change(documentId, { blocked: true })).status, 200);
      strictEqual(await me(next), 401);
      strictEqual((await login('emilio', 'Other-Password1')).status, 400);
    });

    it('get another role, and are deleted with their sessions, also several at once', async () => {
      const { documentId, draft, tag } = await make('fred');
      const open = (await roles()).find(({ label }) => label === 'Public');
      const [own] = draft.role;
      const connect = [{ documentId: open.documentId, position: { start: true } }];
      const role = { connect, disconnect: [{ documentId: own.documentId }] };
      const changed = await change(documentId, { role }, { 'if-match': tag });
      deepStrictEqual([changed.status, changed.body.data.draft.role[0].label], [200, 'Public']);
      const late = await change(documentId, { blocked: true }, { 'if-match': tag });
      deepStrictEqual([late.status, late.body.error.details.current.draft.blocked], [412, false]);
      strictEqual((await ask('DELETE', `${USERS}/${documentId}`, undefined, { 'if-match': tag })).status, 412);
      const token = await tokenOf('fred');
      strictEqual((await ask('DELETE', `${USERS}/${documentId}`, undefined, ANY)).status, 204);
      strictEqual(await me(token), 401);
      const two = [(await make('gina')).documentId, (await make('gus')).documentId, documentId];
      const sessions = async () => (await server.app.database.rows('select count(*) from galley_sessions', []))[0]![0];
      const before = Number(await sessions());
      await tokenOf('gina');
      const { body } = await ask('POST', `${USERS}/bulk/delete`, { documentIds: two });
      deepStrictEqual(
        body.data.map(({ error }: Any) => error?.status ?? null),
        [null, null, 404],
      );
      strictEqual(Number(await sessions()), before);
      strictEqual((await ask('POST', `${USERS}/${two[0]}/duplicate`, {})).status, 400);
    });

    it('are created once, for any number of repeated requests', async () => {
      const documentId = 'a'.repeat(24);
      const data = { username: 'hugo', email: 'hugo@example.com', password: PASSWORD };
      strictEqual((await ask('POST', USERS, { data, documentId })).status, 201);
      const again = await ask('POST', USERS, { data, documentId });
      deepStrictEqual([again.status, again.body.data.documentId], [200, documentId]);
    });

    it('are written as far as rights go, and refused without any', async () => {
      const { documentId } = await make('ida');
      strictEqual((await change(documentId, { blocked: true }, ANY, 'eva')).status, 403);
      const give = (operation: string, fields: readonly string[]) =>
        server.app.database.transaction(async (tx) => {
          const [right] = await tx.rows(
            `insert into admin_permissions (action, subject, properties, conditions)
              values ('plugin::content-manager.explorer.${operation}', 'plugin::users-permissions.user',
                '${JSON.stringify({ fields })}', '[]') returning id`,
            [],
          );
          await tx.rows(
            `insert into admin_permissions_role_lnk (permission_id, role_id)
              select ${Number(right![0])}, id from admin_roles where code = 'strapi-editor'`,
            [],
          );
        });
      await give('read', ['username', 'blocked']);
      await give('update', ['blocked']);
      strictEqual((await change(documentId, { blocked: true }, ANY, 'eva')).status, 200);
      for (const data of [{ password: PASSWORD }, { username: 'other' }, { role: 1 }]) {
        strictEqual((await change(documentId, data, ANY, 'eva')).status, 400, JSON.stringify(data));
      }
      strictEqual((await ask('POST', USERS, { data: {} }, {}, 'eva')).status, 403);
      strictEqual((await ask('DELETE', `${USERS}/${documentId}`, undefined, ANY, 'eva')).status, 403);
      strictEqual((await ask('POST', `${USERS}/bulk/delete`, { documentIds: [documentId] }, {}, 'eva')).status, 403);
      strictEqual(
        (await ask('GET', 'relations/plugin::users-permissions.user/role', undefined, {}, 'eva')).status,
        404,
      );
      await give('read', ['role']);
      await give('update', ['role']);
      const open = (await roles('eva')).find(({ label }) => label === 'Public');
      const role = { connect: [{ documentId: open.documentId }] };
      const { status, body } = await change(documentId, { role }, ANY, 'eva');
      deepStrictEqual([status, body.data.draft.role[0].label], [200, 'Public']);
    });
  });
}
