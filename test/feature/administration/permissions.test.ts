/** Roles of accounts and API tokens in the administration: by rights, stored as in Strapi, and effective at once. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { en } from '../../../admin/src/language/en.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const POST = 'api::post.post';
const CODE = {
  'src/galley.js': `
    exports.access = { '${POST}': {
      update: { owner: '$user.email' }, delete: false,
      roles: { public: { read: ['title'] } },
    } };
    exports.policies = { '${POST}': { create: [() => true] } };
    exports.routes = [
      { name: 'count', method: 'GET', path: '/counted', handler: () => ({ count: 1 }) },
      { name: 'ping', method: 'POST', path: '/ping', auth: false, handler: () => ({}) },
    ];`,
};

for (const engine of engines) {
  describe(`site permissions and API tokens in the administration on ${engine.name}`, () => {
    let server: RunningServer;
    let sue: Browser;
    let eva: Browser;
    before(async () => {
      const post = { title: { type: 'string' }, owner: { type: 'string' } };
      const folder = await makeProject({
        contentTypes: { post: contentType('post', post, { options: { draftAndPublish: true } }) },
        files: CODE,
      });
      server = await serve(folder, await engine.databaseFor(folder));
      const rights = [
        ...['plugin::users-permissions.roles.read', 'plugin::users-permissions.roles.update'],
        ...['admin::api-tokens.access', 'admin::api-tokens.regenerate'],
      ] as const;
      await makeRole(
        server,
        'keeper',
        rights.map((operation) => ({ operation, subject: null, properties: {} })),
      );
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'keeper');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, as = sue, tag?: string): Promise<Any> => {
      const answer = await as.send(method, target, body, tag === undefined ? {} : { 'if-match': tag });
      deepStrictEqual(breaches(method, target, answer.status, answer.body), []);
      return answer;
    };
    const rows = (text: string) => server.app.database.rows(text, []) as Promise<Any[][]>;
    const roleOf = async (type: string) =>
      (await ask('GET', 'permissions/roles')).body.data.find((role: Any) => role.type === type);
    const problems = ({ body }: Any) =>
      body.error.details.errors.map(({ path, message }: Any) => `${path.join('.')}: ${message}`);

    it('list every action with its requests, its risk, and other guards', async () => {
      const { data } = (await ask('GET', 'permissions/actions')).body;
      deepStrictEqual(
        data.map(({ kind, name }: Any) => `${kind} ${name}`),
        [
          ...['collectionType post', 'files files', 'signIn signIn', 'accounts accounts', 'roles roles'],
          ...['locales locales', 'schemas schemas', 'code api::galley.route'],
        ],
      );
      // the app has words for each of them
      const parts = data.filter(({ kind }: Any) => !['collectionType', 'singleType', 'code'].includes(kind));
      const keys = parts.flatMap((part: Any) => part.actions.map(({ name }: Any) => `perms.can.${part.kind}.${name}`));
      deepStrictEqual(
        keys.filter((key: string) => !Object.hasOwn(en, key)),
        [],
      );
      const actions = new Map(data.flatMap((subject: Any) => subject.actions.map((one: Any) => [one.action, one])));
      const shown = (action: string) => {
        const { requests, risk, state } = actions.get(action) as Any;
        return [
          requests.map(({ method, path, isOpen }: Any) => `${method} ${path}${isOpen ? ' open' : ''}`),
          risk,
          state,
        ];
      };
      deepStrictEqual(shown(`${POST}.find`), [['GET /api/posts'], null, 'open']);
      deepStrictEqual(shown(`${POST}.create`), [['POST /api/posts'], 'writes', 'guarded']);
      deepStrictEqual(shown(`${POST}.publish`), [['POST /api/posts/:documentId/actions/publish'], 'writes', 'open']);
      deepStrictEqual(shown(`${POST}.findVersions`), [
        ['GET /api/posts/:documentId/versions', 'GET /api/posts/:documentId/versions/:id'],
        'history',
        'open',
      ]);
      deepStrictEqual(shown(`${POST}.restoreVersion`).slice(1), ['writes', 'open']);
      deepStrictEqual(shown('plugin::users-permissions.user.find'), [['GET /api/users'], 'accounts', 'open']);
      deepStrictEqual(shown('plugin::users-permissions.role.updateRole'), [
        ['PUT /api/users-permissions/roles/:id'],
        'rights',
        'open',
      ]);
      deepStrictEqual(shown('plugin::users-permissions.user.update')[0], ['PUT /api/users/:id']);
      deepStrictEqual(
        [...actions.values()].filter(({ requests }: Any) => requests.length === 0).map(({ action }: Any) => action),
        ['plugin::users-permissions.auth.connect'],
      );
      deepStrictEqual(shown('plugin::users-permissions.auth.register').slice(1), [null, 'open']);
      deepStrictEqual(shown('api::galley.route.count'), [['GET /api/counted'], null, 'open']);
      deepStrictEqual(shown('api::galley.route.ping'), [['POST /api/ping open'], 'writes', 'open']);
    });

    it('change the rights of a role at once, in the form of Strapi', async () => {
      const { id } = await roleOf('public');
      const before = (await ask('GET', `permissions/roles/${id}`)).body.data;
      deepStrictEqual(
        [before.isNeeded, before.rules],
        [
          true,
          [
            {
              uid: POST,
              rows: [
                { action: 'update', filter: '{"owner":"$user.email"}' },
                { action: 'delete', filter: null },
              ],
              read: ['title'],
              write: null,
            },
          ],
        ],
      );
      strictEqual((await server.request('GET', '/api/posts')).status, 403);
      const actions = [...before.actions, `${POST}.find`, `${POST}.publish`, 'api::galley.route.count'];
      const saved = await ask('PUT', `permissions/roles/${id}`, { actions }, sue, before.tag);
      deepStrictEqual([saved.status, saved.body.data.actions], [200, [...actions].sort()]);
      strictEqual(saved.headers.get('etag'), saved.body.data.tag);
      strictEqual((await server.request('GET', '/api/posts')).status, 200);
      strictEqual((await server.request('GET', '/api/counted')).status, 200);
      // the page says so of the right to read
      await server.app.documents(POST).create({ data: { title: 'a draft' } });
      const drafts = await server.request('GET', '/api/posts?status=draft');
      deepStrictEqual(
        (drafts.body as Any).data.map(({ title, owner }: Any) => [title, owner]),
        [['a draft', undefined]],
      );
      const stored = `select p.action from up_permissions p join up_permissions_role_lnk l on l.permission_id = p.id
        where l.role_id = ${id} and p.action like 'api::%'`;
      deepStrictEqual(await rows(stored), [[`${POST}.find`]]);
      deepStrictEqual((await rows(`select action from galley_permissions where role_id = ${id}`)).flat().sort(), [
        'api::galley.route.count',
        `${POST}.publish`,
      ]);
      await ask('PUT', `permissions/roles/${id}`, { actions: before.actions }, sue, saved.body.data.tag);
      strictEqual((await server.request('GET', '/api/posts')).status, 403);
    });

    it('refuse to overwrite a role or a token that another administrator has changed, and show it', async () => {
      const { id } = await roleOf('authenticated');
      const { tag, actions } = (await ask('GET', `permissions/roles/${id}`)).body.data;
      await ask('PUT', `permissions/roles/${id}`, { actions: [...actions, `${POST}.find`] }, eva, tag);
      const refused = await ask('PUT', `permissions/roles/${id}`, { actions }, sue, tag);
      strictEqual(refused.status, 412);
      ok(refused.body.error.details.current.actions.includes(`${POST}.find`));
      strictEqual(
        (await ask('PUT', `permissions/roles/${id}`, { actions }, sue, refused.body.error.details.current.tag)).status,
        200,
      );
      const made = (await ask('POST', 'tokens', { name: 'shared', type: 'read-only' })).body.data;
      await ask('PUT', `tokens/${made.id}`, { description: 'for the site' }, sue, made.tag);
      const late = await ask('PUT', `tokens/${made.id}`, { type: 'full-access' }, sue, made.tag);
      deepStrictEqual([late.status, late.body.error.details.current.description], [412, 'for the site']);
      await ask('DELETE', `tokens/${made.id}`);
    });

    it('make and delete roles, but none that the server needs', async () => {
      const made = await ask('POST', 'permissions/roles', {
        name: 'Éditeur en chef',
        description: 'writes',
        actions: [`${POST}.find`],
      });
      strictEqual(made.status, 201);
      const { id, type, actions, isNeeded } = made.body.data;
      deepStrictEqual([type, actions, isNeeded], ['editeur_en_chef', [`${POST}.find`], false]);
      const again = await ask('POST', 'permissions/roles', { name: 'editeur en chef' });
      deepStrictEqual(problems(again), ['name: This attribute must be unique']);
      deepStrictEqual(
        problems(await ask('POST', 'permissions/roles', { name: ' ', actions: ['api::post.post.fnd'] })),
        ['name: name must be a string of 1 to 255 characters', 'actions.0: There is no action api::post.post.fnd'],
      );
      strictEqual((await ask('DELETE', `permissions/roles/${id}`)).status, 204);
      strictEqual((await ask('DELETE', `permissions/roles/${id}`)).status, 404);
      deepStrictEqual(await rows(`select id from up_permissions where action = '${POST}.find'`), []);
      for (const needed of ['public', 'authenticated']) {
        strictEqual((await ask('DELETE', `permissions/roles/${(await roleOf(needed)).id}`)).status, 400);
      }
    });

    it('make tokens whose secret is shown once, and renew, change and revoke them', async () => {
      const body = { name: 'build', type: 'custom', permissions: [`${POST}.find`, `${POST}.publish`], days: 30 };
      const made = await ask('POST', 'tokens', body);
      strictEqual(made.status, 201);
      const { id, secret, createdBy, expiresAt, lastUsedAt } = made.body.data;
      deepStrictEqual([createdBy.name, lastUsedAt], ['sue', null]);
      ok(Math.abs(Date.parse(expiresAt) - Date.now() - 30 * 86_400_000) < 60_000);
      deepStrictEqual(await rows(`select kind, type, description from strapi_api_tokens where id = ${id}`), [
        ['content-api', 'custom', ''],
      ]);
      const status = async (token: string, method = 'GET', path = '/api/posts') =>
        (
          await server.request(method, path, {
            headers: { authorization: `bearer ${token}` },
            ...(method === 'POST' ? { body: { data: {} } } : {}),
          })
        ).status;
      deepStrictEqual([await status(secret), await status(secret, 'POST')], [200, 403]);
      await ask('PUT', `tokens/${id}`, { permissions: [`${POST}.find`, `${POST}.create`] }, sue, made.body.data.tag);
      const granted = `select p.action from strapi_api_token_permissions p
        join strapi_api_token_permissions_token_lnk l on l.api_token_permission_id = p.id where l.api_token_id = ${id}
        order by l.api_token_permission_ord`;
      deepStrictEqual((await rows(granted)).flat(), [`${POST}.find`, `${POST}.create`]);
      strictEqual(await status(secret, 'POST'), 200);
      const renewed = (await ask('POST', `tokens/${id}/secret`, { days: null })).body.data;
      deepStrictEqual([await status(secret), await status(renewed.secret), renewed.expiresAt], [401, 200, null]);
      const shown = [await ask('GET', 'tokens'), await ask('GET', `tokens/${id}`)].map(({ body: answer }) => answer);
      doesNotMatch(JSON.stringify(shown), new RegExp(`${renewed.secret}|secret|access_?key`, 'i'));
      await ask('PUT', `tokens/${id}`, { type: 'full-access', permissions: [] });
      deepStrictEqual(await rows(granted), []);
      strictEqual((await ask('DELETE', `tokens/${id}`)).status, 204);
      strictEqual(await status(renewed.secret), 401);
    });

    it('refuse tokens with all that is wrong', async () => {
      const wrong = {
        name: ' ',
        type: 'reading',
        permissions: ['api::post.post.fnd'],
        days: 0,
        description: 'a\u0007',
      };
      deepStrictEqual(problems(await ask('POST', 'tokens', wrong)), [
        'name: name is a required field',
        'description: description must be at most 255 characters, without control characters',
        'type: type must be one of read-only, full-access, custom',
        'permissions.0: There is no action api::post.post.fnd',
        'permissions: permissions are only for custom tokens',
        'days: days must be a whole number from 1 to 10000, or null',
      ]);
      deepStrictEqual(problems(await ask('POST', 'tokens', { name: 'empty', type: 'custom' })), [
        'permissions: permissions must name at least one action',
      ]);
      const { id } = (await ask('POST', 'tokens', { name: 'taken', type: 'read-only' })).body.data;
      deepStrictEqual(problems(await ask('POST', 'tokens', { name: 'taken', type: 'read-only' })), [
        'name: Another token has this name',
      ]);
      await ask('DELETE', `tokens/${id}`);
      strictEqual((await ask('GET', `tokens/${id}`)).status, 404);
      strictEqual((await ask('GET', 'tokens/9007199254740993')).status, 404);
    });

    it('refuse values that are no texts', async () => {
      const odd = { toString: 1, valueOf: 1 };
      const { id } = (await ask('POST', 'tokens', { name: 'texts', type: 'read-only' })).body.data;
      const role = (await roleOf('public')).id;
      const notText = [
        /^permissions\.0: permissions\[0\] must be a `string` type/,
        /^actions\.0: actions\[0\] must be/,
      ];
      const tokens = { name: 'odd', type: 'custom', permissions: [odd, `${POST}.find`] };
      for (const [method, target, body] of [
        ['POST', 'tokens', tokens],
        ['PUT', `tokens/${id}`, tokens],
        ['POST', 'permissions/roles', { name: 'odd', actions: [odd] }],
        ['PUT', `permissions/roles/${role}`, { actions: [odd] }],
      ] as const) {
        const answer = await ask(method, target, body);
        deepStrictEqual([answer.status, problems(answer).length], [400, 1], target);
        match(problems(answer)[0]!, notText['actions' in body ? 1 : 0]!);
      }
      await ask('DELETE', `tokens/${id}`);
    });

    it('are for those with the rights that Strapi has for them', async () => {
      const { id } = await roleOf('public');
      const token = (await ask('POST', 'tokens', { name: 'kept', type: 'read-only' })).body.data;
      const of = async (method: string, target: string, body?: object) => (await ask(method, target, body, eva)).status;
      deepStrictEqual(
        [
          await of('GET', 'permissions/actions'),
          await of('GET', 'permissions/roles'),
          await of('PUT', `permissions/roles/${id}`, { description: 'everyone' }),
          await of('POST', 'permissions/roles', { name: 'more' }),
          await of('DELETE', `permissions/roles/${id}`),
          await of('GET', 'tokens'),
          await of('GET', `tokens/${token.id}`),
          await of('POST', 'tokens', { name: 'more', type: 'read-only' }),
          await of('PUT', `tokens/${token.id}`, { type: 'full-access' }),
          await of('DELETE', `tokens/${token.id}`),
          // only who may create tokens may give one a longer life
          await of('POST', `tokens/${token.id}/secret`, { days: 90 }),
          await of('POST', `tokens/${token.id}/secret`, {}),
        ],
        [200, 200, 200, 403, 403, 403, 403, 403, 403, 403, 403, 200],
      );
      match((await roleOf('public')).description, /everyone/);
      const foreign = await sue.send(
        'POST',
        'tokens',
        { name: 'x', type: 'read-only' },
        { 'sec-fetch-site': 'cross-site' },
      );
      strictEqual(foreign.status, 403);
    });
  });
}
