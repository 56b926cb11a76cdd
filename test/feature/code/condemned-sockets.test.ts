/** Ways around `ctx.res` by which code of a condemned request writes an answer: its client gets none of it. */
import { deepStrictEqual } from 'node:assert/strict';
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
  pieces: `socket.cork(); for (const part of ${ANSWER}.split('k')) socket.write(part); socket.uncork();`,
  detached: `socket.write(${ANSWER});`,
  raw: `ctx.res._writeRaw(${ANSWER});`,
  sent: `ctx.res._send(${ANSWER});`,
  generic: `ctx.req.socket._writeGeneric(false, ${ANSWER}, 'utf8', () => {});`,
  piped: `await require('node:stream/promises').pipeline(require('node:stream').Readable.from([${ANSWER}]), ctx.req.socket).catch(() => {});`,
  hints: `ctx.res.writeEarlyHints({ link: '</secret>; rel=preload' }); ctx.res.flushHeaders(); ctx.res.end('secret');`,
  assigned: `for (const name of ['_write', '_writev', '_writeGeneric']) Reflect.deleteProperty(ctx.req.socket, name); ctx.req.socket.write(${ANSWER});`,
  native: `handle.writeUtf8String(new (process.binding('stream_wrap').WriteWrap)(), ${ANSWER});`,
  reassigned: `try { ctx.res.detachSocket(socket); } catch {}
    const other = new (require('node:http').ServerResponse)(ctx.req); other.assignSocket(socket); other.end('secret');`,
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
        const { end, socket } = ctx.res;
        const handle = socket._handle;
        if ('${name}' === 'detached') ctx.res.detachSocket(socket);
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

    it('are not sent, and the server goes on', async () => {
      const sent: unknown[] = [];
      for (const name of Object.keys(WRITES)) {
        const answer = await server.get(`/api/${name}`).then(
          ({ status, text }) => ({ status, text }),
          () => ({ status: 'cut off', text: '' }),
        );
        // a connection that code has taken from the response is cut off
        const status = name === 'detached' ? 'cut off' : 500;
        if (answer.status !== status || answer.text.includes('secret')) sent.push([name, answer]);
        deepStrictEqual((await server.get('/api/plain')).body, { ok: true });
      }
      deepStrictEqual(sent, []);
    });
  });
}
