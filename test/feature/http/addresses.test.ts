/** Whose requests are answered by their addresses: `strapi::ip` (docs/reference/http.md, "Addresses"). */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { writeConfig } from '../../support/servers/configured.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { rawRequest } from '../../support/servers/raw-http.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const IP = {
  name: 'strapi::ip',
  config: { whitelist: ['^192\\.0\\.2\\.', '^198\\.51\\.100\\.7$'], blacklist: ['192.0.2.66'] },
};
const CODE = {
  'src/middlewares/count.js': `let asked = 0;
    module.exports = () => async (ctx, next) => { asked++; ctx.set('x-asked', String(asked)); await next(); };`,
  'src/api/note/routes/own.js':
    "module.exports = [{ method: 'GET', path: '/own', handler: (ctx) => { ctx.body = ctx.ip; }, config: { auth: false } }];",
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
};
/** As often as lets an answer be remembered, and sent again as it was. */
const TIMES = 6;

for (const engine of engines) {
  describe(`requests by their addresses on ${engine.name}`, () => {
    const open = async (middlewares: readonly unknown[], files: Readonly<Record<string, string>>) => {
      const folder = await makeProject({
        contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
        files: { ...files, 'public/uploads/a.txt': 'a' },
      });
      await writeConfig(folder.dir, { server: { proxy: true }, middlewares });
      return serveSeeded(engine, folder, { grants: { public: ['api::note.note.find'] } });
    };
    let plain: SeededServer;
    let withCode: SeededServer;
    const from = (address: string, target = '/api/notes', { url } = plain, method = 'GET') =>
      rawRequest(url + target, { method, headers: address === '' ? {} : { 'x-forwarded-for': address } });

    before(async () => {
      [plain, withCode] = await Promise.all([open([IP], {}), open([IP, 'global::count', 'strapi::errors'], CODE)]);
    });
    after(() => Promise.all([plain?.stop(), withCode?.stop()]));

    it('are answered if a pattern permits them and none refuses them', async () => {
      const addresses = ['192.0.2.1', '198.51.100.7', '::ffff:198.51.100.7', '198.51.100.70', '192.0.2.66', '::1', ''];
      const statuses = [];
      for (const address of addresses) statuses.push((await from(address)).status);
      deepStrictEqual(statuses, [200, 200, 200, 403, 403, 403, 403]);
    });

    it('are refused also for a cached answer', async () => {
      const statuses = [];
      for (let n = 0; n < TIMES; n++) statuses.push((await from('192.0.2.1')).status);
      for (let n = 0; n < TIMES; n++) statuses.push((await from('203.0.113.9')).status);
      statuses.push((await from('192.0.2.1')).status);
      deepStrictEqual(statuses, [...Array(TIMES).fill(200), ...Array(TIMES).fill(403), 200]);
    });

    it('are refused before everything else', async () => {
      for (const target of [
        '/_health',
        '/_ready',
        '/',
        '/admin',
        '/uploads/a.txt',
        '/nowhere',
        '/api/%zz',
        '/api/own',
      ]) {
        for (const server of [plain, withCode]) {
          const { status, body } = await from('203.0.113.9', target, server);
          deepStrictEqual([status, JSON.parse(String(body)).error.message], [403, 'Forbidden'], target);
        }
      }
      const headers = { origin: 'http://other.example', 'access-control-request-method': 'GET' };
      strictEqual((await rawRequest(`${plain.url}/api/notes`, { method: 'OPTIONS', headers })).status, 403);
      const body = await plain.request('POST', '/api/notes', { body: 'not JSON' });
      strictEqual(body.status, 403);
    });

    it('reach code of the project only if they are permitted', async () => {
      const own = await from('192.0.2.1', '/api/own', withCode);
      deepStrictEqual([own.status, String(own.body), own.headers['x-asked']], [200, '192.0.2.1', '1']);
      strictEqual((await from('192.0.2.66', '/api/own', withCode)).headers['x-asked'], undefined);
      strictEqual((await from('192.0.2.1', '/api/notes', withCode)).headers['x-asked'], '2');
    });
  });
}
