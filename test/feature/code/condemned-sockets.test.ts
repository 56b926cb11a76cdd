/** Ways around `ctx.res` by which code of a condemned request writes an answer: its client gets none of it. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ANSWER = "'HTTP/1.1 200 OK\\r\\ncontent-length: 6\\r\\n\\r\\nsecret'";

const WRITES: Readonly<Record<string, string>> = {
  prototype: "require('node:http').ServerResponse.prototype.end.call(ctx.res, 'secret');",
  saved: "end.call(ctx.res, 'secret');",
  socket: `ctx.req.socket.write(${ANSWER});`,
  ended: `ctx.res.socket.end(${ANSWER});`,
  socketPrototype: `require('node:net').Socket.prototype.write.call(ctx.req.socket, ${ANSWER});`,
  pieces: `const { socket } = ctx.req; socket.cork(); for (const part of ${ANSWER}.split('k')) socket.write(part); socket.uncork();`,
  later: `setTimeout(() => ctx.req.socket.write(${ANSWER}), 1); await new Promise((go) => setTimeout(go, 20));`,
};

const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/api/note/routes/note.js': `module.exports = { routes: [...${JSON.stringify(Object.keys(WRITES))}, 'plain'].map((name) =>
      ({ method: 'GET', path: '/' + name, handler: 'note.' + name, config: { auth: false } })) };`,
    'src/api/note/controllers/note.js': `module.exports = ({ strapi }) => ({ plain: () => ({ ok: true }), ${Object.entries(
      WRITES,
    ).map(
      ([name, write]) => `async ${name}(ctx) {
        const { end } = ctx.res;
        try { strapi.db.queryBuilder; } catch {}
        ${write}
        return {};
      }`,
    )} });`,
  },
};

for (const engine of engines) {
  describe(`answers of condemned requests past ctx.res on ${engine.name}`, () => {
    let server: SeededServer;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('are not sent, and the server stays up', async () => {
      for (const name of Object.keys(WRITES)) {
        const status = await server.get(`/api/${name}`).then(
          (answer) => answer.status,
          () => 'cut off',
        );
        strictEqual(status === 500 || status === 'cut off', true, `${name}: ${status}`);
        deepStrictEqual((await server.get('/api/plain')).body, { ok: true });
      }
    });
  });
}
