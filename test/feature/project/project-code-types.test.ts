/** Types whose attributes code may hide are not shown through others: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const user = 'plugin::users-permissions.user';
const contentTypes = {
  note: contentType('note', {
    text: { type: 'string' },
    author: { type: 'relation', relation: 'manyToOne', target: user },
    about: { type: 'relation', relation: 'morphToMany' },
    picture: { type: 'media', multiple: false },
  }),
};
const extension = (plugin: string, body: string) => ({
  [`src/extensions/${plugin}/strapi-server.js`]: `module.exports = (plugin) => { ${body} return plugin; };`,
});

for (const engine of engines) {
  describe(`types that code may hide parts of, on ${engine.name}`, () => {
    const servers: SeededServer[] = [];
    const serve = async (files: Readonly<Record<string, unknown>>): Promise<SeededServer> => {
      const server = await serveSeeded(
        engine,
        await makeProject({ contentTypes, files: { '.env': 'GALLEY_CODE=read\n', ...files } }),
      );
      servers.push(server);
      const author = await server.seeder.create(user, { username: 'u', email: 'u@example.org' });
      await server.seeder.create('api::note.note', { text: 'x', author });
      return server;
    };
    const hidden = extension('users-permissions', 'plugin.contentTypes.user.schema.attributes.email.private = true;');
    let server: SeededServer;
    before(async () => {
      server = await serve(hidden);
    });
    after(async () => {
      for (const one of servers) await one.stop();
    });

    it('are left out where others populate them, and no filter and no sort goes through them', async () => {
      const token = server.secrets['full'];
      for (const query of ['populate=*', 'populate=author', 'populate[author][fields]=username']) {
        const { status, body } = await server.get(`/api/notes?${query}`, token);
        deepStrictEqual([status, 'author' in body.data[0]], [200, false], query);
      }
      for (const query of [
        'filters[author][email][$contains]=u',
        'sort=author.email',
        'populate[author][filters][email]=u',
      ]) {
        const { status, body } = await server.get(`/api/notes?${query}`, token);
        const told = status === 400 || !('author' in body.data[0]);
        strictEqual(told, true, query);
      }
      strictEqual((await server.get('/api/notes?filters[author][email][$contains]=u', token)).status, 400);
      strictEqual((await server.get('/api/notes?sort=author.email', token)).status, 400);
      // links to them may be made
      const [{ documentId }] = (await server.get('/api/notes', token)).body.data;
      const body = { data: { author: null } };
      strictEqual((await server.request('PUT', `/api/notes/${documentId}`, { token, body })).status, 200);
    });

    it('are seen by code that embeds the server, before a request and after', async () => {
      await server.get('/api/notes?populate=author', server.secrets['full']);
      const [note] = (await server.app.documents('api::note.note').findMany({ populate: 'author' })) as unknown[];
      strictEqual('author' in (note as object), true);
      const { body } = await server.get('/api/notes?populate=author', server.secrets['full']);
      strictEqual('author' in body.data[0], false);
    });

    it('are shown once config/galley says that it is safe', async () => {
      for (const settings of [
        { serve: [user] },
        { safeToSkip: ['src/extensions/users-permissions/strapi-server.js'] },
      ]) {
        const opened = await serve({ ...hidden, 'config/galley.json': JSON.stringify(settings) });
        const { body } = await opened.get('/api/notes?populate=author', opened.secrets['full']);
        strictEqual(body.data[0].author.username, 'u');
      }
    });

    it('are files as well, which need no right', async () => {
      const closed = await serve(
        extension('upload', 'delete plugin.contentTypes.file.schema.attributes.provider_metadata;'),
      );
      const token = closed.secrets['full'];
      const { body } = await closed.get('/api/notes?populate=*', token);
      strictEqual('picture' in body.data[0], false);
      strictEqual((await closed.get('/api/notes?filters[picture][name]=x', token)).status, 400);
      match(closed.app.warnings.join('\n'), /what other types show of plugin::upload\.file/);
    });

    it('have no attribute that config/api says is private everywhere', async () => {
      const closed = await serve({
        'config/api.js':
          "module.exports = { responses: { privateAttributes: ['email', 'text', 'createdAt', 'updatedAt'] } };",
      });
      const token = closed.secrets['full'];
      const { body } = await closed.get('/api/notes?populate=author', token);
      deepStrictEqual(['text' in body.data[0], 'email' in body.data[0].author], [false, false]);
      strictEqual(body.data[0].author.username, 'u');
      for (const one of [body.data[0], body.data[0].author]) {
        const names = ['createdAt', 'updatedAt', 'publishedAt'].map((name) => name in one);
        deepStrictEqual(names, [false, false, true]);
      }
      for (const query of [
        'sort=createdAt',
        'filters[author][updatedAt][$null]=true',
        'filters[text]=x',
        'sort=text',
        'fields=text',
        'filters[author][email]=u@example.org',
      ]) {
        strictEqual((await closed.get(`/api/notes?${query}`, token)).status, 400, query);
      }
    });

    it('stay where an extension changes other things', async () => {
      const open = await serve(
        extension(
          'users-permissions',
          'plugin.controllers.user.me = (ctx) => {}; plugin.contentTypes.user.lifecycles = { beforeDelete() {} };',
        ),
      );
      const { body } = await open.get('/api/notes?populate=author', open.secrets['full']);
      strictEqual(body.data[0].author.username, 'u');
    });
  });
}
