/** The context of transactions: on SQLite one writer runs those of several callers (docs/architecture.md). */
import { deepStrictEqual } from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Code that asks who makes the request in whose transaction it runs. */
const files = {
  'src/index.js': `module.exports = {
  bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({
      models: ['plugin::upload.file'],
      beforeCreate(event) {
        event.params.data.caption = strapi.requestContext.get().state.user.username;
      },
    });
  },
};`,
};

for (const engine of engines) {
  describe(`transactions of several callers on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const folder = await makeProject({
        contentTypes: { log: contentType('log', { text: { type: 'string' } }) },
        files,
      });
      server = await serveSeeded(engine, folder, { roles: { authenticated: ['plugin::upload.content-api.upload'] } });
    });
    after(() => server?.stop());

    it('run in the context of their caller', async () => {
      const context = new AsyncLocalStorage<number>();
      const numbers = Array.from({ length: 20 }, (_, index) => index);
      const seen = await Promise.all(
        numbers.map((number) =>
          context.run(number, () => server.app.database.transaction(async () => context.getStore())),
        ),
      );
      deepStrictEqual(seen, numbers);
    });

    it('have the request of their code, and no other', async () => {
      const names = ['ann', 'bob', 'eve'];
      const tokens = await Promise.all(
        names.map(async (username) => {
          const account = { username, email: `${username}@example.com`, password: 'Abcdef1234' };
          const { body } = await server.request('POST', '/api/auth/local/register', { body: account });
          return String(body.jwt);
        }),
      );
      const sent = Array.from({ length: 12 }, (_, index) => index % names.length);
      const answers = await Promise.all(sent.map((index) => upload(server, tokens[index], [note(`${index}.txt`)])));
      deepStrictEqual(
        answers.map(({ body }) => body[0].caption),
        sent.map((index) => names[index]),
      );
    });
  });
}
