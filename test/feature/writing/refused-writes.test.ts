/** Writes that revealed too much, cost too much, or answered 500: each is refused, or performed, as documented. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const i18n = { pluginOptions: { i18n: { localized: true } } };
const PROJECT = {
  contentTypes: {
    note: contentType(
      'note',
      {
        title: { type: 'string' },
        secret: { type: 'string', private: true, unique: true, minLength: 5 },
        big: { type: 'biginteger', unique: true },
        visible: { type: 'string', minLength: 5 },
      },
      { options: { draftAndPublish: true } },
    ),
    member: contentType('member', {
      name: { type: 'string' },
      pin: { type: 'password', default: 'change-me' },
      items: { type: 'component', component: 'shared.item', repeatable: true },
    }),
    page: contentType(
      'page',
      { title: { type: 'string', ...i18n }, code: { type: 'string' } },
      { pluginOptions: { i18n: { localized: true } } },
    ),
  },
  components: {
    'shared.item': { collectionName: 'components_shared_items', attributes: { pin: { type: 'password' } } },
  },
};

for (const engine of engines) {
  describe(`refusals of writes on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) =>
      server.request(method, `/api${target}`, { token: server.secrets['full'], headers, ...(body ? { body } : {}) });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('quotes no stored and no private value in the failures of a publication', async () => {
      const draft = { title: 'a', secret: 'abc', visible: 'xyz' };
      const { body } = await call('POST', '/notes?status=draft', { data: draft });
      const refused = await call('POST', `/notes/${body.data.documentId}/actions/publish`);
      strictEqual(refused.status, 400);
      ok(!/"value"|abc|xyz/.test(refused.text), refused.text);
      const given = await call('POST', '/notes', { data: draft });
      ok(given.text.includes('xyz') && !given.text.includes('abc'), given.text);
    });

    it('reports a taken big integer as text', async () => {
      strictEqual((await call('POST', '/notes', { data: { big: '9007199254740993' } })).status, 200);
      const taken = await call('POST', '/notes', { data: { big: '9007199254740993' } });
      strictEqual(taken.status, 400);
      deepStrictEqual(taken.body.error.details.errors[0].value, '9007199254740993');
    });

    it('hashes the default of a password', async () => {
      await call('POST', '/members', { data: { name: 'a' } });
      const [row] = await server.app.database.rows('select "pin" from "members" where "name" = \'a\'', []);
      match(String(row![0]), /^\$2[aby]\$\d\d\$/);
    });

    it('hashes no password for a document that is not there, and few in one request', async () => {
      strictEqual((await call('PUT', '/members/nosuchdocument', { data: { pin: 'x' } })).status, 404);
      const items = Array.from({ length: 21 }, (_, index) => ({ pin: `pin ${index}` }));
      strictEqual((await call('POST', '/members', { data: { items } })).status, 400);
    });

    it('refuses more entries than a write takes', async () => {
      const items = Array.from({ length: 10_001 }, () => ({}));
      const { status, body } = await call('POST', '/members', { data: { items } });
      deepStrictEqual([status, body.error.details.errors[0].path], [400, ['items']]);
    });

    it('answers identifiers that no row can have', async () => {
      for (const documentId of ['a\0b', '\ud800']) {
        const operations = [{ action: 'delete', documentId }];
        strictEqual((await call('POST', '/notes/actions/batch', { operations })).status, 400);
      }
    });

    it('takes locale codes that are no tags, and refuses long ones', async () => {
      for (const code of ['en-a', 'en-x']) {
        const { status, body } = await call('POST', '/i18n/locales', { code });
        deepStrictEqual([status, body.name], [200, `${code} (${code})`]);
      }
      strictEqual((await call('POST', '/i18n/locales', { code: `en${'-abcdefgh'.repeat(40)}` })).status, 400);
    });

    it('ends a body of another type that is too long', async () => {
      const headers = { 'content-type': 'text/plain' };
      const { status } = await call('POST', '/notes', 'x'.repeat(3_000_000), headers);
      strictEqual(status, 413);
    });
  });
}
