/** Code that asks its own server over HTTP whether to let a caller in, and gets the 500 of a condemned request. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Expressions for the status of an answer to a path of `host`. */
const CLIENTS: Readonly<Record<string, string>> = {
  fetch: "(await fetch('http://' + host + '/api/inner')).status",
  http: "await new Promise((go) => require('node:http').get('http://' + host + '/api/inner', (res) => go(res.resume().statusCode)))",
  agent:
    "await new Promise((go) => require('node:http').get('http://' + host + '/api/inner', { agent: new (require('node:http').Agent)({ keepAlive: true, maxSockets: 1 }) }, (res) => go(res.resume().statusCode)))",
  remembered: "(globalThis.innerStatus ??= (await fetch('http://' + host + '/api/inner')).status)",
  hop: "(await fetch('http://' + host + '/api/fetch')).status",
};

const NAMES = [...Object.keys(CLIENTS), 'healthy', 'forged'];

const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    ...Object.fromEntries(
      Object.entries({
        ...CLIENTS,
        healthy: "(await fetch('http://' + host + '/api/plain')).status",
        forged: "(await fetch('http://' + host + '/api/forged')).status",
      }).map(([name, status]) => [
        `src/api/note/policies/${name}.js`,
        `module.exports = async ({ request }) => { const host = request.header['x-host'] ?? request.header.host; return ${status} !== 403; };`,
      ]),
    ),
    'src/api/note/routes/note.js': `module.exports = { routes: [
      ...${JSON.stringify(NAMES)}.map((name) =>
        ({ method: 'GET', path: '/' + name, handler: 'note.open', config: { auth: false, policies: [name] } })),
      { method: 'GET', path: '/plain', handler: 'note.open', config: { auth: false } },
      { method: 'GET', path: '/inner', handler: 'note.inner', config: { auth: false } },
    ] };`,
    'src/api/note/controllers/note.js': `module.exports = ({ strapi }) => ({
      open: () => ({ open: true }),
      inner(ctx) { try { strapi.db.queryBuilder; } catch {} return ctx.forbidden(); },
    });`,
  },
};

for (const engine of engines) {
  describe(`answers of condemned requests to code of the same project on ${engine.name}`, () => {
    let server: SeededServer;
    /** Passes requests on, and answers `/api/forged` itself with a mark that it has made up. */
    const proxy = createServer((incoming, outgoing) => {
      if (incoming.url === '/api/forged') return void outgoing.writeHead(200, { 'x-galley-condemned': 'x' }).end();
      incoming.pipe(
        request(server.url + incoming.url, { method: incoming.method, headers: incoming.headers }, (answer) =>
          answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers)),
        ),
      );
    });
    const passed = () => `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const get = (path: string, host?: string) =>
      server.request('GET', path, { headers: host === undefined ? {} : { 'x-host': host } });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      Reflect.deleteProperty(globalThis, 'innerStatus');
      await new Promise<void>((go) => proxy.listen(0, '127.0.0.1', go));
    });
    after(async () => {
      proxy.closeAllConnections();
      proxy.close();
      await server?.stop();
    });

    it('let policies admit callers where the answer is in order', async () => {
      for (let time = 0; time < 2; time++) {
        const { status, body } = await get('/api/healthy', passed());
        deepStrictEqual([status, body], [200, { open: true }]);
      }
    });

    it('have no effect with a mark of another server', async () => {
      strictEqual((await get('/api/forged', passed())).status, 200);
    });

    for (const name of Object.keys(CLIENTS)) {
      it(`condemn the request that waits for them, and its guard: ${name}`, async () => {
        for (let time = 0; time < 2; time++) {
          const { status, text } = await get(`/api/${name}`);
          strictEqual(status, 500, text);
          match(text, /"message":"Internal Server Error"/);
        }
      });
    }

    it('condemn it behind a proxy', async () => {
      const own = await serveSeeded(engine, await makeProject(PROJECT));
      await server.stop();
      server = own;
      for (const name of ['fetch', 'http', 'hop']) strictEqual((await get(`/api/${name}`, passed())).status, 500, name);
    });
  });
}
