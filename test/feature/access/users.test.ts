/** Managing accounts: `/users` for callers who may. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AccountsServer, extendedUser, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';

const relation = (kind: string, target: string) => ({ type: 'relation', relation: kind, target });

const EXTENDED = extendedUser({
  points: { type: 'integer', max: 10 },
  note: { type: 'string', private: true },
  seo: { type: 'component', component: 'shared.seo' },
  favourites: relation('manyToMany', 'api::tag.tag'),
  country: relation('manyToOne', 'api::country.country'),
});

for (const engine of engines) {
  describe(`managing accounts on ${engine.name}`, () => {
    let server: AccountsServer;
    let roles: { id: number; documentId: string; type: string }[];
    before(async () => {
      server = await serveAccounts(engine, {
        projectFiles: EXTENDED,
      });
      roles = (await server.get('/api/users-permissions/roles', server.secrets['full'])).body.roles;
    });
    after(() => server?.stop());

    const call = (method: string, target: string, body?: unknown, as = 'full') =>
      server.request(method, `/api${target}`, { token: server.secrets[as], ...(body === undefined ? {} : { body }) });
    const account = (username: string, more: object = {}) => ({
      username,
      email: `${username}@example.com`,
      password: 'secret1',
      role: roles[0]!.id,
      ...more,
    });
    const create = async (username: string, more: object = {}) => {
      const { status, body, text } = await call('POST', '/users', account(username, more));
      strictEqual(status, 201, text);
      return body;
    };
    const rows = async (text: string) => (await server.app.database.rows(text, [])).map((row) => row.map(Number));

    it('never matches a missing name, not even of an account without one', async () => {
      const [bare, other] = [await create('bare1'), await create('other1')];
      for (const key of ['email', 'username']) {
        await server.app.database.transaction(async (tx) =>
          tx.rows(`update up_users set "${key}" = '' where id = ${bare.id}`, []),
        );
      }
      for (const change of [{ username: 'other2' }, { email: 'other3@example.com' }]) {
        const { status, text } = await call('PUT', `/users/${other.id}`, change);
        strictEqual(status, 200, text);
      }
      strictEqual((await call('DELETE', `/users/${bare.id}`)).status, 200);
    });

    it('refuses user names of several lines, and other control characters', async () => {
      const { id } = await create('plain1');
      for (const username of ['two\nlines', 'bell\u0007', 'tab\there', 'next\u0085line']) {
        const email = 'plain2@example.com';
        for (const answer of [
          await call('POST', '/users', account('plain2', { username, email })),
          await call('PUT', `/users/${id}`, { username }),
        ]) {
          deepStrictEqual([answer.status, answer.body.error.details.errors[0].path], [400, ['username']]);
        }
      }
    });

    it('writes the attributes and relations that a project gave its accounts', async () => {
      const tag = (await call('POST', '/tags', { data: { name: 'red' } })).body.data;
      const country = (await call('POST', '/countries', { data: { name: 'France', code: 'FR' } })).body.data;
      const more = {
        points: 3,
        note: 'private',
        favourites: [tag.documentId],
        country: country.documentId,
        seo: { metaTitle: 'x' },
      };
      const { id } = await create('extended', more);
      const read = async () =>
        (await call('GET', `/users/${id}?populate[favourites][fields]=name&populate[country][fields]=name`)).body;
      const { points, favourites, country: of, note, password } = await read();
      deepStrictEqual(
        [points, favourites[0].name, of.name, note, password],
        [3, 'red', 'France', undefined, undefined],
      );
      const cleared = await call('PUT', `/users/${id}`, { favourites: { disconnect: [tag.documentId] }, points: 4 });
      strictEqual(cleared.status, 200, cleared.text);
      const after = await read();
      deepStrictEqual([after.points, after.favourites, after.country.name], [4, [], 'France']);
      const wrong = await call('PUT', `/users/${id}`, { points: 11, country: 'nosuchdocument' });
      strictEqual(wrong.status, 400);
      const path = await call('PUT', `/users/${id}`, { points: 11 });
      deepStrictEqual(path.body.error.details.errors[0].path, ['points']);
      const created = await call('POST', '/users', account('toomany', { points: 11 }));
      deepStrictEqual([created.status, created.body.error.name], [400, 'ApplicationError']);
      match(created.body.error.details.hint, /^points: /);
    });

    it('lets a caller connect documents that it may find, and assign a role, which it may not see', async () => {
      const tag = (await call('POST', '/tags', { data: { name: 'blue' } })).body.data;
      const made = await call('POST', '/users', account('managed1'), 'manager');
      deepStrictEqual([made.status, made.body.role], [201, undefined]);
      const link = await call('POST', '/users', account('managed2', { favourites: [tag.documentId] }), 'manager');
      deepStrictEqual([link.status, link.body.error.message], [400, 'Invalid key favourites']);
      const changed = await call('PUT', `/users/${made.body.id}`, { role: roles[1]!.documentId }, 'manager');
      deepStrictEqual([changed.status, changed.body.role], [200, undefined]);
      for (const query of ['filters[role][type]=public', 'sort=role.type', 'filters[$or][0][role][id]=1']) {
        strictEqual((await call('GET', `/users?${query}`, undefined, 'manager')).status, 400, query);
      }
      const listed = await call('GET', '/users?populate=*', undefined, 'manager');
      ok(listed.body.every((user: object) => !('role' in user)));
      const { body } = await call('GET', `/users/${made.body.id}?populate=role`);
      strictEqual(body.role.type, roles[1]!.type);
    });

    it('checks every parameter, also those without effect', async () => {
      const { jwt } = await server.register('asks');
      for (const query of [
        'filters[nope]=1',
        'sort=nope',
        'fields=nope',
        'populate=nope',
        'filters[createdBy][id]=1',
      ]) {
        const me = await server.request('GET', `/api/users/me?${query}`, { token: jwt });
        const count = await call('GET', `/users/count?${query}`);
        deepStrictEqual([query, me.status, count.status], [query, 400, 400]);
      }
      strictEqual((await server.request('GET', '/api/users/me?sort=username', { token: jwt })).status, 200);
    });

    it('takes start and limit; no limit is 0 or less', async () => {
      const all = (await call('GET', '/users')).body.length;
      for (const [query, length] of [
        ['limit=2', 2],
        ['limit=0', all],
        ['limit=-1', all],
        ['start=1', all - 1],
        [`start=${all}`, 0],
      ] as const) {
        deepStrictEqual([query, (await call('GET', `/users?${query}`)).body.length], [query, length]);
      }
      strictEqual((await call('GET', '/users?start=-1')).status, 400);
    });

    it('takes no creator, and no role that cannot be one', async () => {
      const role = (await call('GET', '/users?populate=role')).body[0].role.id;
      const body = { username: 'creator', email: 'creator@example.com', password: 'secret1', role };
      for (const key of ['createdBy', 'updatedBy']) {
        const { status, body: answer } = await call('POST', '/users', { ...body, [key]: 1 });
        deepStrictEqual(
          [status, answer.error.message, answer.error.details.source],
          [400, `Invalid key ${key}`, 'body'],
        );
      }
      for (const wrong of [3.5, -1]) {
        const { status, body: answer } = await call('POST', '/users', { ...body, role: wrong });
        deepStrictEqual([status, answer.error.details.errors[0].path], [400, ['role']]);
      }
    });

    it('ignores the system fields of a record, and unknown attributes', async () => {
      const before = await create('sendback');
      const body = {
        ...before,
        id: 4711,
        documentId: 'other',
        createdAt: '2020-01-01',
        unknown: 1,
        username: 'sentback',
      };
      const { status, body: after } = await call('PUT', `/users/${before.id}`, { ...body, role: undefined });
      deepStrictEqual(
        [status, after.id, after.documentId, after.createdAt, after.username],
        [200, before.id, before.documentId, before.createdAt, 'sentback'],
      );
      const tokens = { resetPasswordToken: 'known', confirmationToken: 'known', confirmed: false };
      await call('PUT', `/users/${before.id}`, tokens);
      strictEqual((await server.get('/api/auth/email-confirmation?confirmation=known')).status, 400);
      const reset = { code: 'known', password: 'secret2', passwordConfirmation: 'secret2' };
      strictEqual((await server.post('/auth/reset-password', reset)).status, 400);
    });

    it('refuses names that others have, in any spelling that a login could confuse', async () => {
      await create('taken1');
      const { id } = await create('free1');
      const message = async (body: object) => (await call('PUT', `/users/${id}`, body)).body.error?.message;
      strictEqual(await message({ username: 'taken1' }), 'Username already taken');
      strictEqual(await message({ username: 'Taken1@Example.com' }), 'Username already taken');
      strictEqual(await message({ email: 'TAKEN1@example.com' }), 'Email already taken');
      strictEqual(await message({ username: 'free1', email: 'Free1@Example.com' }), undefined);
      strictEqual(await message({ username: 'free1@example.com' }), undefined);
      const made = await call('POST', '/users', account('Taken1@EXAMPLE.com', { email: 'else1@example.com' }));
      deepStrictEqual([made.status, made.body.error.message], [400, 'Username already taken']);
      await server.advanced({ unique_email: false });
      try {
        strictEqual((await call('POST', '/users', account('shares', { email: 'taken1@example.com' }))).status, 201);
      } finally {
        await server.advanced({ unique_email: true });
      }
    });

    it('gives one of several that change to the same name at the same moment', async () => {
      const ids = [];
      for (let i = 0; i < 5; i++) ids.push((await create(`changer${i}`)).id);
      const answers = await Promise.all(ids.map((id) => call('PUT', `/users/${id}`, { email: 'wanted@example.com' })));
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
    });

    it('leaves nothing of an account that is deleted', async () => {
      const tag = (await call('POST', '/tags', { data: { name: 'left' } })).body.data;
      const { id } = await create('leaving', {
        favourites: [tag.documentId],
        seo: { metaTitle: 'x' },
        confirmed: true,
      });
      const jwt = (await server.login('leaving', 'secret1')).body.jwt;
      await server.post('/auth/forgot-password', { email: 'leaving@example.com' });
      await server.nextMail('leaving@example.com');
      const gone = await call('DELETE', `/users/${id}`);
      deepStrictEqual([gone.status, gone.body.username], [200, 'leaving']);
      strictEqual((await server.get('/api/users/me', jwt)).body.error.message, 'Invalid credentials');
      for (const table of ['galley_sessions', 'galley_accounts', 'up_users_role_lnk', 'up_users_favourites_lnk']) {
        deepStrictEqual(await rows(`select count(*) from ${table} where user_id = ${id}`), [[0]], table);
      }
      deepStrictEqual(await rows(`select count(*) from up_users_cmps where entity_id = ${id}`), [[0]]);
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const again = await call(method, `/users/${id}`, method === 'PUT' ? {} : undefined);
        deepStrictEqual([again.status, again.body.error.message], [404, 'User not found'], method);
      }
    });

    it('answers 404 for ids that no row has', async () => {
      for (const id of ['0', '-1', '1.5', 'abc', '2147483648', '999999999999999', '1e3', '%00', roles[0]!.documentId]) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const { status, text } = await call(
            method,
            `/users/${id}`,
            method === 'PUT' ? { username: 'abc' } : undefined,
          );
          strictEqual(status, 404, `${method} ${id} ${text}`);
        }
      }
    });

    it('never leaves an account without a role', async () => {
      const { id } = await create('keeps');
      for (const role of [null, [], { set: [] }, { set: null }, { disconnect: [{ id: roles[0]!.id }] }]) {
        strictEqual((await call('PUT', `/users/${id}`, { role })).status, 400, JSON.stringify(role));
      }
      strictEqual((await call('GET', `/users/${id}?populate=role`)).body.role.id, roles[0]!.id);
    });

    it('refuses passwords of more than 72 bytes, hidden texts and strange values with the path or a hint, never 500', async () => {
      const { id } = await create('strange');
      const long = 'é'.repeat(37);
      const bodies: object[] = [
        { password: long },
        { username: 'a\0b' },
        { email: 'a\0b@example.com' },
        { username: '\ud800abc' },
        { role: 2 ** 40 },
        { role: { connect: 5 } },
        { role: { connect: [{ id: {} }] } },
        { blocked: {} },
        { email: [] },
      ];
      for (const body of bodies) {
        const put = await call('PUT', `/users/${id}`, body);
        strictEqual(put.status, 400, JSON.stringify(body) + put.text);
        const post = await call('POST', '/users', account('strange2', body));
        strictEqual(post.status, 400, JSON.stringify(body) + post.text);
        for (const { text } of [put, post]) ok(!text.includes(long));
      }
      for (const body of ['[]', '{}', '[{}]']) strictEqual((await call('POST', '/users', body)).status, 400, body);
    });

    it('closes itself to callers without the permission', async () => {
      const { jwt } = await server.register('nobody1');
      const attempts: [string, string][] = [
        ['POST', '/users'],
        ['PUT', '/users/1'],
        ['DELETE', '/users/1'],
      ];
      for (const [method, target] of attempts) {
        for (const token of [undefined, jwt, server.secrets['read']]) {
          const { status } = await server.request(method, `/api${target}`, {
            token,
            ...(method === 'DELETE' ? {} : { body: {} }),
          });
          strictEqual(status, 403, `${method} ${target}`);
        }
      }
    });
  });
}
