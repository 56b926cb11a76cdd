/** A project without content types: routes, accounts and files. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { makeProject } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';

const FILES = {
  'src/api/ping/routes/ping.js':
    "module.exports = { routes: [{ method: 'GET', path: '/ping', handler: 'ping.pong', config: { auth: false } }] };",
  'src/api/ping/controllers/ping.js':
    "module.exports = { pong: () => ({ uids: Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::')) }) };",
  'src/galley.js':
    "module.exports = require('galley').defineGalley({ routes: [{ name: 'hello', method: 'GET', path: '/hello', handler: () => 'hi' }] });",
};

for (const engine of engines) {
  it(`a project without content types serves its routes, accounts and files on ${engine.name}`, async () => {
    const roles = { public: ['api::galley.route.hello', 'plugin::users-permissions.auth.register'] };
    const server = await serveSeeded(engine, await makeProject({ files: FILES }), {
      roles,
      tokens: [{ name: 'full', type: 'full-access' }],
    });
    try {
      deepStrictEqual((await server.get('/api/ping')).body, { uids: [] });
      strictEqual((await server.get('/api/hello')).text, '"hi"');
      const body = { username: 'ann', email: 'ann@example.org', password: 'password1' };
      strictEqual((await server.request('POST', '/api/auth/local/register', { body })).status, 200);
      deepStrictEqual((await server.get('/api/upload/files', server.secrets['full'])).body, []);
      strictEqual((await server.get('/api/things', server.secrets['full'])).status, 404);
    } finally {
      await server.stop();
    }
  });
}
