/** A path in an unusual spelling reaches nothing that code of the project guards by the usual one. */
import { deepStrictEqual } from 'node:assert/strict';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const router = `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreRouter('api::note.note', {
  config: { find: { policies: ['no'] }, create: { policies: ['no'] } },
});`;
const files = {
  'src/api/note/routes/note.js': router,
  'src/api/note/policies/no.js': 'module.exports = () => false;',
  'src/middlewares/gate.js': `module.exports = () => (ctx, next) =>
  /^\\/(api\\/(pages|auth)|uploads)/.test(ctx.path) ? ctx.forbidden() : next();`,
  'src/middlewares/move.js': `module.exports = () => (ctx, next) => {
  ctx.path = ctx.path.replace(/^\\/en/, '');
  return next();
};`,
  'config/middlewares.js': `module.exports = ['strapi::errors', 'global::gate', 'global::move', 'strapi::body', 'strapi::public'];`,
  'public/uploads/a.txt': 'a',
  'public/b c.txt': 'b',
};
const text = { text: { type: 'string' } };
const contentTypes = { note: contentType('note', text), page: contentType('page', text) };
/** Spellings of a path, without its first slash. */
const SPELLINGS = [
  (path: string) => `http://127.0.0.1/${path}`,
  (path: string) => `/x/../${path}`,
  (path: string) => `/x/%2e%2E/${path}`,
  (path: string) => `/./${path}`,
  (path: string) => `/%2e/${path}`,
  (path: string) => `/x\\..\\${path}`,
  (path: string) => `//host/${path}`,
  (path: string) => `/en//host/${path}`,
  (path: string) => `/en/x/../${path}`,
  (path: string) => `/${path}#x`,
  (path: string) => `/%${path.charCodeAt(0).toString(16)}${path.slice(1)}`,
];

for (const engine of engines) {
  describe(`paths in unusual spellings on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
    });
    after(() => server?.stop());

    /** The status of a request whose target is sent as it is. */
    const status = (method: string, path: string, body?: object): Promise<number> => {
      const { hostname, port } = new URL(server.url);
      const headers: OutgoingHttpHeaders = {
        authorization: `Bearer ${server.secrets['full']}`,
        'content-type': 'application/json',
      };
      return new Promise((resolve, reject) => {
        const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode!));
        });
        sent.once('error', reject).end(body && JSON.stringify(body));
      });
    };

    for (const [path, method, body] of [
      ['api/notes', 'GET'],
      ['api/notes', 'POST', { data: { text: 'x' } }],
      ['api/pages', 'GET'],
      ['api/auth/local', 'POST', { identifier: 'x', password: 'y' }],
      ['uploads/a.txt', 'GET'],
    ] as const) {
      it(`do not bypass the guard of ${method} /${path}`, async () => {
        const statuses = await Promise.all([
          status(method, `/${path}`, body),
          ...SPELLINGS.map((spelling) => status(method, spelling(path), body)),
        ]);
        deepStrictEqual(
          statuses.map((one) => one === 403 || one === 404 || one === 405),
          statuses.map(() => true),
          String(statuses),
        );
      });
    }

    it('do not hinder characters that a path must encode', async () => {
      deepStrictEqual(await status('GET', '/b%20c.txt'), 200);
    });
  });
}
