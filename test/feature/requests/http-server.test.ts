/** `strapi.server.httpServer`, and additions of a project to strapi: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

/** Attaches itself to the server as socket.io does: before all other requests, which it hands on. */
const PROJECT: ProjectFiles = {
  contentTypes: {
    message: contentType('message', { text: { type: 'string' } }, { options: { draftAndPublish: false } }),
  },
  files: {
    'src/api/message/content-types/message/lifecycles.js':
      'module.exports = { afterCreate({ result }) { strapi.io.emit(result.text); } };',
    'src/live.js': `class Live {
  constructor(server) {
    this.sockets = new Set();
    const others = server.listeners('request').slice();
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      if (request.url.startsWith('/live/')) response.end('polled, ' + server.listening);
      else for (const other of others) other.call(server, request, response);
    });
    server.on('upgrade', (request, socket) => {
      if (!request.url.startsWith('/live/')) return socket.destroy();
      socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: line\\r\\nConnection: Upgrade\\r\\n\\r\\n');
      this.sockets.add(socket);
    });
  }
  emit(text) {
    for (const socket of this.sockets) socket.write(text + '\\n');
  }
}
exports.Live = Live;`,
    'src/index.js': `const { Live } = require('./live');
module.exports = { bootstrap({ strapi }) { strapi.io = new Live(strapi.server.httpServer); } };`,
  },
};

/** Opens a connection and asks for another protocol. */
async function upgraded(url: string, path: string): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let heard = '';
  socket.setEncoding('utf8').on('data', (text) => {
    heard += String(text);
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: line\r\n\r\n`);
  return { socket, heard: () => heard };
}

for (const engine of engines) {
  describe(`the HTTP server in the code of a project on ${engine.name}`, () => {
    it('lets code handle requests and connections, and closes the remaining ones only', async () => {
      const server = await serveSeeded(engine, await makeProject(PROJECT));
      const ended: Promise<unknown>[] = [];
      try {
        const token = server.secrets['full'];
        deepStrictEqual(
          server.app.warnings.filter((warning) => warning.startsWith('Custom code is not run')),
          [],
        );
        strictEqual((await server.request('GET', '/live/1')).text, 'polled, true');
        strictEqual((await server.request('GET', '/api/messages', { token })).status, 200);
        strictEqual((await server.request('GET', '/api/messages')).status, 403);
        const { socket, heard } = await upgraded(server.url, '/live/2');
        await once(socket, 'data');
        match(heard(), /^HTTP\/1\.1 101 /);
        const said = once(socket, 'data');
        const made = await server.request('POST', '/api/messages', { token, body: { data: { text: 'hello' } } });
        strictEqual(made.status, 200);
        await said;
        match(heard(), /hello\n$/);
        // a project that was replaced has no connections
        await server.app.reload();
        await until('the connection is ended', () => socket.closed);
        strictEqual((await server.request('GET', '/live/1')).text, 'polled, true');
        const again = await upgraded(server.url, '/live/2');
        ended.push(once(again.socket, 'close'));
        await once(again.socket, 'data');
        const other = await upgraded(server.url, '/api/messages');
        await once(other.socket, 'close');
      } finally {
        // a connection that nobody ends does not keep the server from ending
        await server.stop();
      }
      await Promise.all(ended);
    });

    it('lets code add its listener for upgrades later, and closes a connection that reads a missing member', async () => {
      const bootstrap = `({ strapi }) => {
        const add = () => strapi.server.httpServer.on('upgrade', (request, socket) => {
          const app = strapi;
          if (request.url === '/live/bad') try { app['d' + 'b'].queryBuilder('x'); } catch {}
          socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: line\\r\\nConnection: Upgrade\\r\\n\\r\\n');
        });
        globalThis.addUpgrades = add;
      }`;
      const files = { 'src/index.js': `module.exports = { bootstrap: ${bootstrap} };` };
      const server = await serveSeeded(engine, await makeProject({ ...PROJECT, files }));
      try {
        const before = await upgraded(server.url, '/live/1');
        await once(before.socket, 'data');
        match(before.heard(), /^HTTP\/1\.1 404 /);
        before.socket.destroy();
        (globalThis as unknown as { addUpgrades: () => void }).addUpgrades();
        const sound = await upgraded(server.url, '/live/1');
        await once(sound.socket, 'data');
        match(sound.heard(), /^HTTP\/1\.1 101 /);
        const bad = await upgraded(server.url, '/live/bad');
        await once(bad.socket, 'close');
        strictEqual(bad.heard(), '');
        strictEqual(sound.socket.closed, false);
      } finally {
        await server.stop();
      }
    });
  });
}
