/** `strapi-sdk-js`, a client library of the ecosystem: its methods for accounts and documents. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import library from 'strapi-sdk-js';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** The library's declarations are those of its CommonJS form, in which the class is a member. */
const Strapi = library as unknown as typeof library.default;

/** The library keeps its token where a browser would. */
const kept = new Map<string, string>();
const localStorage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};

interface Named {
  name: string;
}

const auth = (...names: string[]) => names.map((name) => `plugin::users-permissions.auth.${name}`);
const FIXTURE = {
  locales: [{ code: 'en', default: true }, { code: 'fr' }],
  tokens: [{ name: 'full', type: 'full-access' }],
  roles: {
    public: auth('callback', 'register', 'forgotPassword', 'resetPassword', 'sendEmailConfirmation'),
    authenticated: [...auth('changePassword'), 'plugin::users-permissions.user.me'],
  },
};

for (const engine of engines) {
  describe(`strapi-sdk-js on ${engine.name}`, () => {
    let server: SeededServer;
    let client: InstanceType<typeof Strapi>;
    const account = { username: 'visitor', email: 'Visitor@Example.com', password: 'first password' };

    before(async () => {
      Object.assign(globalThis, { window: { localStorage, location: { search: '' } } });
      server = await serveSeeded(engine, await copyProject(CONFORMANCE_DIR), FIXTURE);
      client = new Strapi({ url: server.url, store: { key: 'jwt', useLocalStorage: true } });
    });
    after(async () => {
      Reflect.deleteProperty(globalThis, 'window');
      await server?.stop();
    });

    it('registers, and is that account from then on', async () => {
      const { user, jwt } = await client.register(account);
      deepStrictEqual([user['username'], user['email']], ['visitor', 'visitor@example.com']);
      strictEqual(client.getToken(), jwt);
      const me = await client.fetchUser();
      strictEqual(me?.['username'], 'visitor');
    });

    it('returns the addresses of other providers', () => {
      strictEqual(client.getProviderAuthenticationUrl('github'), `${server.url}/api/connect/github`);
    });

    it('logs out and in again', async () => {
      client.logout();
      strictEqual(client.getToken(), null);
      strictEqual(await client.fetchUser(), null);
      await rejects(client.login({ identifier: 'visitor', password: 'wrong' }), {
        data: null,
        error: { status: 400, name: 'ValidationError', message: 'Invalid identifier or password', details: {} },
      });
      const { user } = await client.login({ identifier: account.email, password: account.password });
      strictEqual(user['username'], 'visitor');
      strictEqual((await client.fetchUser({ fields: ['username'] }))?.['username'], 'visitor');
    });

    it('changes the password, and continues with the new token', async () => {
      const change = {
        currentPassword: account.password,
        password: 'second password',
        passwordConfirmation: 'second password',
      };
      const before = client.getToken();
      const { jwt } = await client.changePassword(change);
      strictEqual(client.getToken(), jwt);
      strictEqual((await client.fetchUser())?.['username'], 'visitor');
      const { status } = await server.get('/api/users/me', before!);
      strictEqual(status, 401);
      await client.login({ identifier: 'visitor', password: 'second password' });
    });

    it('needs no forbidden request', async () => {
      const hint = 'this needs the action api::tag.tag.find, which the role authenticated does not have';
      await rejects(client.find('tags'), {
        data: null,
        error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: { hint } },
      });
    });

    it('creates, finds, updates and deletes documents', async () => {
      client.setToken(server.secrets['full']!);
      const { data: made } = await client.create<Named>('tags', { name: 'green' }, { fields: ['name'] });
      strictEqual(made.name, 'green');
      const { data: updated } = await client.update<Named>('tags', made.documentId, { name: 'greener' });
      deepStrictEqual([updated.documentId, updated.name], [made.documentId, 'greener']);
      // its update and create name no status, so what they write is published, as the reference does
      const { data: one } = await client.findOne<Named>('tags', made.documentId, { fields: ['name'] });
      strictEqual(one.name, 'greener');
      const { data, meta } = await client.find<Named>('tags', {
        filters: { name: { $startsWith: 'green' } },
        sort: ['name:asc'],
        pagination: { page: 1, pageSize: 10 },
        populate: { articles: { fields: ['title'] } },
      });
      deepStrictEqual([data.length, meta.pagination?.page], [1, 1]);
      await client.delete('tags', made.documentId);
      await rejects(client.findOne('tags', made.documentId), { data: null });
    });

    it('reads locales and any other path', async () => {
      const { data: made } = await client.create<Named>('countries', { name: 'Germany', code: 'DE' });
      const update = await client.request<{ data: Named }>('put', `/countries/${made.documentId}`, {
        params: { locale: 'fr' },
        data: { data: { name: 'Allemagne' } },
      });
      strictEqual(update.data.name, 'Allemagne');
      const { data } = await client.find<Named>('countries', { locale: 'fr' });
      deepStrictEqual(
        data.map(({ name }: Named) => name),
        ['Allemagne'],
      );
    });

    it('requests mails, with the same answer for an unknown address', async () => {
      deepStrictEqual(await client.forgotPassword({ email: 'nobody@example.com' }), { ok: true });
      const email = 'nobody@example.com';
      deepStrictEqual(await client.sendEmailConfirmation({ email }), { email, sent: true });
      await rejects(
        client.resetPassword({ code: 'x', password: 'third password', passwordConfirmation: 'third password' }),
        {
          data: null,
        },
      );
    });
  });
}
