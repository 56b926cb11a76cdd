/** `strapi.db.query` of tables without a content type, without the rules of a type, and of relations to administrators. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const ACTIONS: Readonly<Record<string, string>> = {
  store: `const store = strapi.db.query('strapi::core-store');
    await strapi.store({ type: 'own', key: 'a' }).set({ value: { n: 1 } });
    const made = await store.create({ data: { key: 'own_b', value: '"text"', type: 'string', environment: null, tag: null } });
    const where = { key: { $startsWith: 'own_' } };
    const keys = (await store.findMany({ where, orderBy: { key: 'desc' }, select: ['key'] })).map(({ key }) => key);
    const changed = await store.update({ where: { key: 'own_a' }, data: { value: JSON.stringify({ n: 2 }) } });
    const value = await strapi.store({ type: 'own', key: 'a' }).get();
    const removed = await store.deleteMany({ where: { $or: [{ key: 'own_a' }, { key: 'own_b' }] } });
    return { made: made.key, keys, changed: changed.value, value, removed, left: await store.count({ where }), none: await store.findOne({ where: { key: 'own_a' } }) };`,
  webhook: `const webhooks = strapi.db.query('strapi::webhook');
    const { id } = await webhooks.create({ data: { name: 'w', url: 'https://example.com', headers: { a: 'b' }, events: ['entry.create'], enabled: true } });
    const read = await webhooks.findOne({ where: { id } });
    const listed = (await strapi.get('webhookStore').findWebhooks()).map(({ name, events, isEnabled }) => ({ name, events, isEnabled }));
    await webhooks.update({ where: { name: 'w' }, data: { enabled: false } });
    const [{ isEnabled }] = await strapi.get('webhookStore').findWebhooks();
    await webhooks.delete({ where: { id } });
    return { headers: read.headers, enabled: read.enabled, listed, isEnabled, count: await webhooks.count() };`,
  unchecked: `const rows = strapi.db.query('api::strict.strict');
    const [one, two] = [await rows.create({ data: { note: 'without a title' } }), await rows.create({ data: { title: 'x', size: 1 } })];
    const refused = await strapi.documents('api::strict.strict').create({ data: { note: 'no title' }, status: 'published' }).then(() => 'made', ({ name }) => name);
    const found = await rows.findMany({ select: ['title', 'note', 'size'], orderBy: 'id' });
    return { published: [one.publishedAt !== null, two.publishedAt !== null], refused, found: found.map(({ title, note, size }) => [title, note, size]) };`,
  administrators: `const admin = await strapi.db.query('admin::user').create({ data: { email: 'ann@example.com', firstname: 'Ann', password: 'Password1', isActive: true } });
    const rows = strapi.db.query('api::strict.strict');
    const { id } = await rows.create({ data: { title: 'owned', owner: admin.id } });
    const { owner } = await rows.findOne({ where: { id }, populate: ['owner'] });
    const of = await rows.count({ where: { owner: { firstname: 'Ann' } } });
    const document = await strapi.documents('api::strict.strict').findFirst({ filters: { owner: { id: admin.id } }, populate: ['owner'], status: 'published' });
    return { owner: owner.firstname, of, document: document?.owner?.firstname, password: owner.password ?? null };`,
};

const PROJECT = {
  contentTypes: {
    strict: contentType(
      'strict',
      {
        title: { type: 'string', required: true, minLength: 5 },
        note: { type: 'string' },
        size: { type: 'integer', min: 10 },
        owner: { type: 'relation', relation: 'manyToOne', target: 'admin::user' },
      },
      { options: { draftAndPublish: true } },
    ),
  },
  files: {
    'src/api/strict/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(ACTIONS).map((name) => ({ method: 'POST', path: `/do/${name}`, handler: `own.${name}` })),
    )} };`,
    'src/api/strict/controllers/own.js': `module.exports = { ${Object.entries(ACTIONS)
      .map(([name, body]) => `async ${name}() { ${body} }`)
      .join(',\n')} };`,
  },
};

for (const engine of engines) {
  describe(`strapi.db.query on ${engine.name}`, () => {
    let server: SeededServer;
    const run = async (name: string): Promise<unknown> => {
      const token = server.secrets['full'];
      const { status, body } = await server.request('POST', `/api/do/${name}`, { token, body: {} });
      strictEqual(status, 200, JSON.stringify(body));
      return body;
    };
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('reads and writes the settings of strapi.store', async () => {
      deepStrictEqual(await run('store'), {
        ...{ made: 'own_b', keys: ['own_b', 'own_a'], changed: '{"n":2}', value: { n: 2 }, removed: { count: 2 } },
        ...{ left: 0, none: null },
      });
    });

    it('reads and writes webhooks', async () => {
      deepStrictEqual(await run('webhook'), {
        ...{ headers: { a: 'b' }, enabled: true, isEnabled: false, count: 0 },
        listed: [{ name: 'w', events: ['entry.create'], isEnabled: true }],
      });
    });

    it('creates rows that the rules of the type would refuse', async () => {
      deepStrictEqual(await run('unchecked'), {
        ...{ published: [true, true], refused: 'ValidationError' },
        found: expectedRows,
      });
    });

    it('links rows to administrators', async () => {
      deepStrictEqual(await run('administrators'), { owner: 'Ann', of: 2, document: 'Ann', password: null });
    });
  });
}

/** Rows of drafts and published versions. */
const expectedRows = [
  ...[
    [null, 'without a title', null],
    ['x', null, 1],
  ].flatMap((row) => [row, row]),
];
