/** Files that are read behind lifecycles of the project: docs/reference/project-code.md, "Files". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const types = { contentTypes: { log: contentType('log', { text: { type: 'string' }, file: { type: 'media' } }) } };
const listening = (listeners: string, more: object = {}): ProjectFiles => ({
  ...types,
  files: {
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
  strapi.db.lifecycles.subscribe({ models: ['plugin::upload.file'], ${listeners} });
} };`,
    ...more,
  },
});

const LISTENERS = `
beforeFindMany({ params }) {
  (globalThis.toldOfReads ??= []).push(['many', params.where]);
  if (params.where.name === 'refused') throw new (require('@strapi/utils').errors.ForbiddenError)('not these');
  if (params.where.name === 'other') params.where = {};
},
afterFindMany({ result }) {
  for (const file of result) { file.url = 'https://cdn.example' + file.url; file.folderPath = '/secret'; }
},
beforeFindOne({ params }) {
  (globalThis.toldOfReads ??= []).push(['one', String(params.where.id)]);
  if (globalThis.hiddenFile !== undefined) params.where = { ...params.where, id: { $ne: globalThis.hiddenFile } };
},
afterFindOne(event) { if (event.result) event.result = { ...event.result, caption: 'read' }; },`;

const shared = globalThis as { toldOfReads?: unknown[]; hiddenFile?: string };
shared.toldOfReads ??= [];
const told = () => shared.toldOfReads!.splice(0);

for (const engine of engines) {
  describe(`files that are read behind lifecycles of the project on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    let id: number;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(listening(LISTENERS)), {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: { public: ['plugin::upload.content-api.findOne', 'api::log.log.create'] },
      });
      token = server.secrets['full']!;
      id = (await upload(server, token, [note('a.txt')])).body[0].id;
      told();
    });
    after(() => server?.stop());
    const get = async (target: string, as: string | undefined = token) => {
      const { status, body } = await server.get(`/api/upload/files${target}`, as);
      return status === 200 ? body : [status, body.error.message];
    };

    it('closes nothing', () => {
      const warnings = server.app.warnings.join('\n');
      strictEqual(/\(403/.test(warnings), false, warnings);
    });

    it('are answered as listeners leave them', async () => {
      for (const list of [await get(''), (await get('/page')).data]) {
        deepStrictEqual(
          list.map(({ name, url, folderPath }: Record<string, string>) => [name, url!.slice(0, 28), folderPath]),
          [['a.txt', 'https://cdn.example/uploads/', undefined]],
        );
      }
      deepStrictEqual(await get('?filters[name]=b'), []);
      const one = await get(`/${id}`);
      deepStrictEqual([one.caption, one.url.slice(0, 9)], ['read', '/uploads/']);
      deepStrictEqual(told(), [
        ['many', {}],
        ['many', {}],
        ['many', { name: 'b' }],
        ['one', String(id)],
      ]);
    });

    it('are not answered if a listener throws, or changes the read', async () => {
      deepStrictEqual(await get('?filters[name]=refused'), [403, 'Forbidden']);
      deepStrictEqual(await get('?filters[name]=other'), [500, 'Internal Server Error']);
      told();
    });

    it('run listeners only for callers who may read them', async () => {
      deepStrictEqual(await get('', ''), [403, 'Forbidden']);
      deepStrictEqual(told(), []);
      strictEqual((await get(`/${id}`, '')).caption, 'read');
      deepStrictEqual(await get('/999'), [404, 'file.notFound']);
      told();
    });

    it('are changed and removed only if listeners permit finding them', async () => {
      shared.hiddenFile = String(id);
      try {
        const changed = await upload(server, token, [], { fileInfo: { caption: 'x' } }, `?id=${id}`);
        strictEqual(changed.status, 404);
        strictEqual((await server.request('DELETE', `/api/upload/files/${id}`, { token })).status, 404);
      } finally {
        delete shared.hiddenFile;
      }
      deepStrictEqual(told(), [
        ['one', String(id)],
        ['one', String(id)],
      ]);
      const linked = await server.request('POST', '/api/logs', { body: { data: { text: 'a', file: id } } });
      strictEqual(linked.status, 200, linked.text);
      deepStrictEqual(told(), []);
      const changed = await upload(server, token, [], { fileInfo: { caption: 'x' } }, `?id=${id}`);
      deepStrictEqual([changed.status, changed.body.caption], [200, 'x']);
      strictEqual((await server.request('DELETE', `/api/upload/files/${id}`, { token })).status, 200);
      deepStrictEqual(told(), [
        ['one', String(id)],
        ['one', String(id)],
      ]);
    });

    it('are not shown to administrators with other values than listeners give them', async () => {
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const sue = new Browser(server);
      strictEqual((await sue.signIn('sue')).status, 200);
      await upload(server, token, [note('b.txt')]);
      strictEqual((await sue.send('GET', 'files')).status, 500);
    });
  });
}

describe('lifecycles around reading files', () => {
  const refused = async (project: ProjectFiles) => {
    const server = await serveSeeded(engines[0]!, await makeProject(project), {
      tokens: [{ name: 'full', type: 'full-access' }],
      roles: {},
    });
    try {
      const { request, secrets } = server;
      const token = secrets['full']!;
      const log = { token, body: { data: { text: 'a' } } };
      return [(await server.get('/api/upload/files', token)).status, (await request('POST', '/api/logs', log)).status];
    } finally {
      await server.stop();
    }
  };

  it('close actions beside an extension of the plugin', async () => {
    deepStrictEqual(await refused(listening('beforeCount() {}')), [200, 200]);
    const extension = {
      'src/extensions/upload/strapi-server.js':
        "module.exports = (plugin) => { const own = plugin.controllers['content-api']({}); plugin.controllers['content-api'] = () => ({ ...own, find: (ctx) => own.find(ctx) }); return plugin; };",
    };
    deepStrictEqual((await refused(listening('afterFindMany() {}', extension)))[0], 403);
  });
});
