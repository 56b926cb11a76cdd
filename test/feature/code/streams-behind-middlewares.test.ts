/** What the server streams where a middleware of the project stands around everything. */
import { strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { openStream } from '../../support/servers/event-stream.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const NOTE = 'api::note.note';
const PROJECT = {
  contentTypes: {
    note: contentType('note', { text: { type: 'string' } }),
    secret: contentType('secret', { text: { type: 'string' } }),
  },
  files: {
    'config/server.js': 'module.exports = { events: { perCaller: 1 } };',
    // a middleware may refuse what nobody else knows of
    'config/galley.js': `module.exports = { serve: ['${NOTE}.find'] };`,
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::around'];",
    'src/middlewares/around.js':
      "module.exports = () => async (ctx, next) => { await next(); if (ctx.path === '/api/_events') ctx.body = 'instead'; };",
  },
};

for (const engine of engines) {
  describe(`streams behind a middleware on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('reach their listeners with what is said to be safe, and end with them', async () => {
      const token = server.secrets['full']!;
      const open = () => openStream(`${server.url}/api/events`, { token }).catch(() => undefined);
      for (let round = 0; round < 3; round++) {
        const stream = await until('a place is free for the stream', open);
        await server.app.documents('api::secret.secret').create({ data: { text: 'not told' } });
        await server.app.documents(NOTE).create({ data: { text: 'told' } });
        const [change] = await stream.told(1);
        strictEqual(change!['uid'], NOTE);
        stream.close();
      }
    });

    it('end where code answers with something else', async () => {
      const token = server.secrets['full']!;
      for (let round = 0; round < 3; round++) {
        const sent = () => server.get('/api/_events', token);
        const text = await until('the stream before has ended', async () => {
          const { status, text } = await sent();
          return status === 200 && text;
        });
        strictEqual(text, 'instead');
      }
    });
  });
}
