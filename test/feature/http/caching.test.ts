/** `Cache-Control` by content type (docs/reference/http.md, "Caching"). */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import type { SeededServer } from '../../support/servers/seeded.ts';

for (const engine of engines) {
  describe(`Cache-Control on ${engine.name}`, () => {
    let server: SeededServer;
    let author = '';
    const headersOf = async (target: string, token?: string, given: Record<string, string> = {}) => {
      const { status, headers } = await server.request('GET', target, { token, headers: given });
      return [status, headers.get('cache-control'), headers.get('vary')];
    };
    const VARY = 'Origin, Authorization, Strapi-Response-Format';

    before(async () => {
      const cacheControl = { 'api::author.author': 'public, max-age=60', 'api::setting.setting': 'no-store' };
      server = await serveConfigured(engine, { api: { rest: { cacheControl } } });
      const token = server.secrets['full'];
      const { body } = await server.request('POST', '/api/authors', { token, body: { data: { name: 'Ann' } } });
      author = `/api/authors/${body.data.documentId}`;
      await server.request('PUT', '/api/setting', { token, body: { data: { siteName: 'S' } } });
    });
    after(() => server?.stop());

    it('is as configured for reads of the public', async () => {
      deepStrictEqual(await headersOf('/api/authors'), [200, 'public, max-age=60', VARY]);
      deepStrictEqual(await headersOf(author), [200, 'public, max-age=60', VARY]);
    });

    it('keeps answers with credentials out of shared caches', async () => {
      const full = server.secrets['full'];
      deepStrictEqual(await headersOf(author, full), [200, 'private, no-cache', VARY]);
      deepStrictEqual(await headersOf('/api/setting', full), [200, 'private, no-cache', VARY]);
      deepStrictEqual(await headersOf(author, undefined, { authorization: 'Basic x' }), [
        200,
        'private, no-cache',
        VARY,
      ]);
    });

    it('stands on a 304 as on the answer', async () => {
      for (const target of ['/api/authors', author]) {
        const tag = (await server.get(target)).headers.get('etag')!;
        const [status, value] = await headersOf(target, undefined, { 'if-none-match': tag });
        deepStrictEqual([status, value], [304, 'public, max-age=60']);
      }
    });

    it('is on no refusal, no write and no other type', async () => {
      deepStrictEqual((await headersOf('/api/authors?sort=nope')).slice(0, 2), [400, null]);
      deepStrictEqual((await headersOf('/api/authors/nosuch')).slice(0, 2), [404, null]);
      deepStrictEqual((await headersOf('/api/countries')).slice(0, 2), [200, null]);
      const { headers } = await server.request('PUT', author, {
        token: server.secrets['full'],
        body: { data: { age: 3 } },
      });
      strictEqual(headers.get('cache-control'), null);
    });

    it('of a type that there is not is refused at start', async () => {
      const cacheControl = { 'api::nope.nope': 'no-store' };
      await rejects(serveConfigured(engine, { api: { rest: { cacheControl } } }), /api::nope\.nope/);
    });
  });
}
