/** `POST /:plural/actions/batch`: docs/reference/extensions.md, "Batches". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const action = (name: string) => `api::tag.tag.${name}`;
const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
    { name: 'maker', type: 'custom', permissions: [action('find'), action('create')] },
  ],
};
const api = 'module.exports = { rest: { maxBatch: 4 } };\n';

for (const engine of engines) {
  describe(`batches on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, as = 'full') =>
      server.request(method, `/api${target}`, { token: server.secrets[as], ...(body ? { body } : {}) });
    const batch = (plural: string, operations: unknown, query = '', as = 'full') =>
      call('POST', `/${plural}/actions/batch${query}`, { operations }, as);
    const make = async (plural: string, data: unknown, query = ''): Promise<string> =>
      (await call('POST', `/${plural}${query}`, { data })).body.data.documentId;
    const total = async (plural: string) =>
      (await call('GET', `/${plural}?status=draft`)).body.meta.pagination.total as number;

    before(async () => {
      const folder = await copyProject(CONFORMANCE_DIR);
      const { mkdir, writeFile } = await import('node:fs/promises');
      await mkdir(`${folder.dir}/config`, { recursive: true });
      await writeFile(`${folder.dir}/config/api.js`, api);
      server = await serveSeeded(engine, folder, FIXTURE);
    });
    after(() => server?.stop());

    it('performs operations in order and answers in order', async () => {
      const old = await make('tags', { name: 'old' });
      const gone = await make('tags', { name: 'gone' });
      const { status, body } = await batch(
        'tags',
        [
          { action: 'create', data: { name: 'new' }, status: 'draft' },
          { action: 'update', documentId: old, data: { name: 'older' } },
          { action: 'delete', documentId: gone },
          { action: 'unpublish', documentId: old },
        ],
        '?fields=name',
      );
      strictEqual(status, 200, JSON.stringify(body));
      deepStrictEqual(
        body.data.map((item: { name: string } | null) => item?.name ?? null),
        ['new', 'older', null, 'older'],
      );
      deepStrictEqual(body.meta, {});
      strictEqual((await call('GET', `/tags/${gone}?status=draft`)).status, 404);
      strictEqual((await call('GET', `/tags/${old}`)).status, 404);
    });

    it('takes locales, one or several where a single action does', async () => {
      const id = await make('articles', { title: 'One' }, '?status=draft');
      const { status, body } = await batch('articles', [
        { action: 'update', documentId: id, locale: 'fr', status: 'draft', data: { title: 'Un' } },
        { action: 'publish', documentId: id, locale: ['fr', 'en'] },
        { action: 'discardDraft', documentId: id, locale: 'fr' },
        { action: 'delete', documentId: id, locale: 'en' },
      ]);
      strictEqual(status, 200, JSON.stringify(body));
      const [updated, published, discarded, deleted] = body.data;
      deepStrictEqual([updated.title, updated.publishedAt], ['Un', null]);
      deepStrictEqual(
        published.map(({ title }: { title: string }) => title),
        ['Un', 'One'],
      );
      deepStrictEqual([discarded.title, deleted], ['Un', null]);
      strictEqual((await call('GET', `/articles/${id}`)).status, 404);
      strictEqual((await call('GET', `/articles/${id}?locale=fr`)).status, 200);
    });

    it('does nothing at all when one operation fails, and names it in front of the path', async () => {
      const before = await total('events');
      const venue = { name: 'Hall' };
      const starts = '2024-01-01T00:00:00.000Z';
      const { status, body } = await batch('events', [
        { action: 'create', data: { title: 'Good one', starts, venue } },
        { action: 'create', data: { title: 'Bad one', starts, venue, slots: [{ label: 'x'.repeat(21) }] } },
      ]);
      strictEqual(status, 400);
      deepStrictEqual(body.error.details.errors[0].path, ['operations', '1', 'data', 'slots', '0', 'label']);
      strictEqual(await total('events'), before);
    });

    it('checks the keys of every operation before the first is performed', async () => {
      const before = await total('tags');
      const { status, body } = await batch('tags', [
        { action: 'update', documentId: 'nosuchdocument', data: { name: 'x' } },
        { action: 'create', data: { nope: 1 } },
      ]);
      deepStrictEqual(
        [status, body.error.message, body.error.details.path],
        [400, 'Invalid key nope', 'operations.1.data'],
      );
      strictEqual(await total('tags'), before);
    });

    it('needs the permission of each operation before any is performed', async () => {
      const before = await total('tags');
      const create = { action: 'create', data: { name: 'x' } };
      const refused = await batch('tags', [create, { action: 'delete', documentId: 'x' }], '', 'maker');
      const hint = 'this needs the action api::tag.tag.delete, which the caller does not have';
      deepStrictEqual([refused.status, refused.body.error.details], [403, { path: 'operations.1', hint }]);
      strictEqual(await total('tags'), before);
      strictEqual((await batch('tags', [create, create], '', 'maker')).status, 200);
      strictEqual(await total('tags'), before + 2);
      strictEqual((await batch('tags', [], '', 'read')).status, 403);
    });

    it('answers 404 with the index of a document that is not there', async () => {
      const create = { action: 'create', data: { name: 'x' } };
      const before = await total('tags');
      const { status, body } = await batch('tags', [create, { action: 'publish', documentId: 'nosuchdocument' }]);
      deepStrictEqual([status, body.error.name, body.error.details.path], [404, 'NotFoundError', 'operations.1']);
      strictEqual(await total('tags'), before);
    });

    it('refuses a body that is not a list of operations, and more operations than the configuration allows', async () => {
      const bad: unknown[] = [
        undefined,
        {},
        [1],
        [{ action: 'find' }],
        [{ action: 'create' }],
        [{ action: 'update', data: {} }],
        [{ action: 'create', documentId: 'x', data: {} }],
        [{ action: 'delete', documentId: 'x', data: {} }],
        [{ action: 'create', data: { name: 'x' }, populate: '*' }],
        [{ action: 'create', data: { name: 'x' }, status: 'nope' }],
        Array.from({ length: 5 }, () => ({ action: 'create', data: { name: 'x' } })),
      ];
      for (const operations of bad) {
        const { status, body } = await batch('tags', operations);
        strictEqual(status, 400, JSON.stringify([operations, body]));
      }
      deepStrictEqual((await batch('tags', [])).body, { data: [], meta: {} });
    });

    it('has nothing to publish on types without drafts', async () => {
      const id = await make('countries', { name: 'France', code: 'FR' });
      const { status, body } = await batch('countries', [{ action: 'publish', documentId: id }]);
      deepStrictEqual([status, body.error.details.path], [400, 'operations.0']);
    });
  });
}
