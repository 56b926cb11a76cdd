/** Entity tags with a middleware of the project around everything: they are computed from its output. */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const NOTE = 'api::note.note';
const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' }, secret: { type: 'string' } }) },
  files: {
    'config/api.js': 'module.exports = { rest: { createdStatus: 201 } };',
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::around'];",
    // what it answers depends on a header, of which nobody else knows
    'src/middlewares/around.js': `module.exports = () => async (ctx, next) => {
      await next();
      const mode = ctx.get('x-mode');
      if (mode === 'refuse') ctx.status = 403;
      if (mode === 'strip') delete ctx.body.data.secret;
      if (mode === 'own') ctx.etag = 'own';
      if (mode === 'text') ctx.body = 'instead';
    };`,
  },
};

for (const engine of engines) {
  describe(`entity tags behind a middleware on ${engine.name}`, () => {
    let server: SeededServer;
    let target: string;
    let documentId: string;
    const get = (mode: string, known?: string, method = 'GET') =>
      server.request(method, target, {
        token: server.secrets['full']!,
        headers: { 'x-mode': mode, ...(known === undefined ? {} : { 'if-none-match': known }) },
      });
    const tagOf = async (mode: string, method = 'GET') => (await get(mode, undefined, method)).headers.get('etag');

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      documentId = (await server.app.documents(NOTE).create({ data: { text: 'a', secret: 'one' } })).documentId;
      target = `/api/notes/${documentId}`;
    });
    after(() => server?.stop());

    it('match the sent bytes, and save the client a repeated answer', async () => {
      const plain = (await tagOf('plain'))!;
      const stripped = (await tagOf('strip'))!;
      notStrictEqual(plain, stripped);
      const statuses = [];
      for (const [mode, known] of [
        ['plain', plain],
        ['strip', stripped],
        ['strip', plain],
        ['plain', stripped],
        ['refuse', plain],
      ] as const) {
        statuses.push((await get(mode, known)).status);
      }
      deepStrictEqual(statuses, [304, 304, 200, 200, 403]);
      deepStrictEqual([await tagOf('refuse'), await tagOf('own'), await tagOf('plain', 'HEAD')], [null, '"own"', null]);
      match((await tagOf('text'))!, /^"\d+\./);
    });

    it('do not reveal values that the middleware removes', async () => {
      const before = (await tagOf('strip'))!;
      const version = before.slice(0, before.indexOf('.'));
      const { token, data } = { token: server.secrets['full']!, data: { secret: 'two' } };
      const put = (tag: string) =>
        server.request('PUT', target, { token, body: { data }, headers: { 'if-match': tag } });
      // a tag is a version to write against all the same
      strictEqual((await put(`"1.x"`)).status, 412);
      strictEqual((await put(before)).status, 200);
      const after = (await tagOf('strip'))!;
      notStrictEqual(after.slice(0, after.indexOf('.')), version);
      const changed = await get('strip', before);
      deepStrictEqual([changed.status, 'secret' in changed.body.data], [200, false]);
    });

    it('match the written version, which is always returned', async () => {
      const token = server.secrets['full']!;
      const body = { data: { text: 'new' } };
      for (const [method, path, status] of [
        ['POST', '/api/notes', 201],
        ['PUT', target, 200],
      ] as const) {
        const written = await server.request(method, path, { token, body, headers: { 'if-none-match': '*' } });
        deepStrictEqual([written.status, written.body?.data.text], [status, 'new']);
        match(written.headers.get('etag')!, /^"\d+\./);
      }
    });

    it('are of lists as well', async () => {
      const list = (known?: string) =>
        server.request('GET', '/api/notes', {
          token: server.secrets['full']!,
          headers: known === undefined ? {} : { 'if-none-match': known },
        });
      const tag = (await list()).headers.get('etag')!;
      match(tag, /^W\/"/);
      strictEqual((await list(tag)).status, 304);
    });
  });
}
