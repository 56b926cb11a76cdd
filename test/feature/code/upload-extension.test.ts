/** `src/extensions/upload/strapi-server` runs: docs/reference/project-code.md. Answers were recorded from the reference. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, traces, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const EXTENSION = `module.exports = (plugin) => {
  const original = plugin.controllers['content-api'];
  plugin.controllers['content-api'] = (tools) => {
    const own = original(tools);
    const { find, upload, uploadFiles } = own;
    return Object.assign(own, {
      async upload(ctx) {
        const files = [ctx.request.files?.files ?? []].flat();
        const bad = files.find((file) => file.mimetype !== 'text/plain' || file.size > 20);
        if (bad) return ctx.badRequest('Only short texts: ' + bad.originalFilename);
        for (const file of files) file.originalFilename = 'mine-' + file.originalFilename;
        await upload.call(own, ctx);
        if (Array.isArray(ctx.body)) for (const file of ctx.body) file.checked = true;
      },
      async uploadFiles(ctx) {
        const files = [ctx.request.files?.files ?? []].flat();
        if (files.some((file) => /secret/.test(file.originalFilename))) return ctx.forbidden('Not that');
        await uploadFiles(ctx);
      },
      async find(ctx) {
        ctx.query = { ...ctx.query, filters: { name: { $startsWith: 'mine-' } }, sort: 'name' };
        await find(ctx);
      },
      async names(ctx) {
        const files = await strapi.db.query('plugin::upload.file').findMany({ orderBy: { name: 'asc' } });
        return files.map(({ name }) => name);
      },
    });
  };
  const { 'admin-upload': panel } = plugin.controllers;
  plugin.controllers['admin-upload'] = (tools) => ({ ...panel(tools), upload: () => {} });
  const routes = plugin.routes['content-api'];
  routes.routes.unshift({ method: 'GET', path: '/files/names', handler: 'content-api.names' });
  routes.routes.push({ method: 'POST', path: '/new', handler: 'content-api.uploadFiles' });
  routes.routes = routes.routes.filter(({ handler }) => handler !== 'content-api.destroy');
  routes.routes.find(({ path }) => path === '/files/page').config = { policies: ['global::lettered'] };
  return plugin;
};`;

const project = (extension: string) => ({
  contentTypes: { note: contentType('note', { file: { type: 'media', multiple: false } }) },
  files: {
    'src/policies/lettered.js': `module.exports = (ctx) => ctx.request.get('x-let') === 'yes';`,
    'src/extensions/upload/strapi-server.js': extension,
  },
});

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'names', type: 'custom', permissions: ['plugin::upload.content-api.names'] },
    { name: 'new', type: 'custom', permissions: ['plugin::upload.content-api.uploadFiles'] },
  ],
};

for (const engine of engines) {
  describe(`an extension of the plugin of files on ${engine.name}`, () => {
    let server: SeededServer;
    let full: string | undefined;
    const get = (target: string, token = full, headers = {}) =>
      server.request('GET', `/api/upload${target}`, { token, headers });
    const namesOf = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name);

    before(async () => {
      server = await serveSeeded(engine, await makeProject(project(EXTENSION)), FIXTURE);
      full = server.secrets['full'];
    });
    after(() => server?.stop());

    it('receives the files of a form, and its changes are stored', async () => {
      const infos = [{ caption: 'one' }, { alternativeText: 'two' }];
      const { status, body } = await upload(server, full, [note('b.txt'), note('é.txt')], { fileInfo: infos });
      deepStrictEqual(
        [status, body.map((file: Record<string, unknown>) => [file['name'], file['caption'], file['checked']])],
        [
          201,
          [
            ['mine-b.txt', 'one', true],
            ['mine-é.txt', null, true],
          ],
        ],
      );
      const stored = await server.request('GET', body[1].url);
      deepStrictEqual([stored.status, body[1].alternativeText], [200, 'two']);
    });

    it('may refuse files on every route that uploads, and nothing of them remains', async () => {
      const [file] = (await upload(server, full, [note('a.txt')])).body;
      // what a form brought is removed behind the answer
      const stored = async () => {
        const { files, rows } = await traces(server);
        return { rows, files: files.filter((name) => !name.startsWith('.incoming/')) };
      };
      const before = await stored();
      const refused = async (sent: Parameters<typeof upload>[2], query = '') => {
        const { status, body } = await upload(server, full, sent, {}, query);
        return [status, body.error.message];
      };
      const long = note('long.txt', 'x'.repeat(30));
      deepStrictEqual(await refused([long]), [400, 'Only short texts: long.txt']);
      deepStrictEqual(await refused([long], `?id=${file.id}`), [400, 'Only short texts: long.txt']);
      deepStrictEqual(await refused([note('secret.txt')]), [403, 'Not that']);
      deepStrictEqual(await refused([]), [400, 'Files are empty']);
      strictEqual((await server.request('POST', '/api/%75pload', { token: full, body: formOf([long]) })).status, 404);
      const within = await server.request('POST', '/api/notes', { token: full, body: formOf([long], { data: {} }) });
      strictEqual(within.status >= 400, true);
      deepStrictEqual(await stored(), before);
      strictEqual((await upload(server, undefined, [note()])).status, 403);
    });

    it('leaves replacing and describing a file to the server', async () => {
      const [file] = (await upload(server, full, [note('r.txt')])).body;
      const at = `?id=${file.id}`;
      const replaced = await upload(server, full, [note('n.txt', 'new')], {}, at);
      deepStrictEqual([replaced.status, replaced.body.id, replaced.body.url], [200, file.id, file.url]);
      const formed = await upload(server, full, [], { fileInfo: { name: 'renamed.txt' } }, at);
      deepStrictEqual([formed.status, formed.body.name], [200, 'renamed.txt']);
      const body = { fileInfo: { name: 'mine-again.txt' } };
      const renamed = await server.request('POST', `/api/upload${at}`, { token: full, body });
      deepStrictEqual([renamed.status, renamed.body.name], [200, 'mine-again.txt']);
    });

    it('adds, changes and takes away routes, each with its grant', async () => {
      const all = (await get('/files/names')).body as string[];
      deepStrictEqual((await get('/files/names', server.secrets['names'])).body, all);
      strictEqual((await get('/files/names', server.secrets['new'])).status, 403);
      deepStrictEqual((await get('/files/page')).body.error.name, 'PolicyError');
      const page = await get('/files/page', full, { 'x-let': 'yes' });
      strictEqual(page.body.meta.pagination.total, all.length);
      strictEqual((await server.request('DELETE', '/api/upload/files/1', { token: full })).status, 405);
      // the server's own action wants its own grant
      const asNew = (token: string | undefined) =>
        server.request('POST', '/api/upload/new?id=1', { token, body: formOf([note('own.txt')]) });
      strictEqual((await asNew(server.secrets['new'])).status, 403);
      const made = await asNew(full);
      // it stores a new file whatever the address says
      deepStrictEqual([made.status, namesOf(made)], [201, ['own.txt']]);
      const headers = { 'accept-encoding': 'gzip' };
      const listed = await get('/files?filters[name]=own.txt', full, headers);
      deepStrictEqual(
        namesOf(listed),
        all.filter((name) => name.startsWith('mine-')),
      );
    });

    it('closes actions that should call a service that it changes, also to administrators', async () => {
      const change = 'plugin.services.upload = ({ strapi }) => ({ upload: async () => [] });';
      const extension = `module.exports = (plugin) => {\n  ${change}\n  return plugin;\n};`;
      const closed = await serveSeeded(engine, await makeProject(project(extension)));
      try {
        strictEqual((await upload(closed, closed.secrets['full'], [note()])).status, 403);
        match(closed.app.warnings.join('\n'), /change of services\.upload/);
      } finally {
        await closed.stop();
      }
    });
  });
}
