/** Files that code stores, changes and removes within a transaction: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { note, upload } from '../../../support/media/uploads.ts';
import { contentType, makeProject, type ProjectFiles } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';
import { until } from '../../../support/wait.ts';

const PROJECT: ProjectFiles = {
  contentTypes: {
    page: contentType('page', { text: { type: 'string' }, cover: { type: 'media', multiple: false } }),
  },
  files: {
    'src/api/page/content-types/page/lifecycles.js': `const { errors } = require('@strapi/utils');
module.exports = {
  async beforeDelete(event) {
    event.state.page = await strapi.db.query('api::page.page').findOne({ where: event.params.where, populate: ['cover'] });
  },
  async afterDelete({ state: { page } }) {
    if (page.cover) await strapi.plugin('upload').service('upload').remove(page.cover);
    if (page.text === 'kept') throw new errors.ApplicationError('It stays');
  },
};`,
    // the hook of all types is called first
    'src/galley.js': `const { stored } = require('./api/own/services/stored');
module.exports.hooks = {
  '*': {
    async inTransaction({ changes }) {
      if (!globalThis.filesOfHooks || changes[0].uid !== 'api::page.page') return;
      for (const text of ['one', 'two']) {
        const [file] = await strapi.plugin('upload').service('upload').upload({ files: await stored(text) });
        globalThis.filesOfHooks.push(file);
      }
    },
  },
  'api::page.page': {
    async inTransaction({ changes: [{ documentId }], documents }) {
      const page = await documents('api::page.page').findOne({ documentId });
      if (page?.text === 'refused later') throw new Error('refused later');
    },
  },
};`,
    'src/index.js': `module.exports = { register({ strapi }) {
  strapi.db.lifecycles.subscribe({
    models: ['plugin::upload.file'],
    async afterUpdate({ result }) {
      if (result.caption !== 'again') return;
      await strapi.plugin('upload').service('upload').updateFileInfo(result.id, { caption: 'and again' });
    },
  });
} };`,
    'src/extensions/upload/strapi-server.js': `module.exports = (plugin) => {
  plugin.contentTypes.file.schema.attributes.credit = { type: 'string' };
  plugin.contentTypes.file.schema.attributes.page = {
    type: 'relation', relation: 'oneToOne', target: 'api::page.page',
  };
  return plugin;
};`,
    'src/api/own/routes/own.js': `module.exports = { routes: ['store', 'change', 'nested', 'hooked', 'rows'].map((name) => ({
  method: 'POST', path: '/own/' + name, handler: 'own.' + name, config: { auth: false },
})) };`,
    'src/api/own/services/stored.js': `const { writeFile, mkdtemp } = require('node:fs/promises');
const { join } = require('node:path');
const { tmpdir } = require('node:os');
module.exports = () => ({});
module.exports.stored = async (text) => {
  const path = join(await mkdtemp(join(tmpdir(), 'galley-test-')), 'note.txt');
  await writeFile(path, text);
  return { filepath: path, originalFilename: 'note.txt', mimetype: 'text/plain', size: text.length };
};`,
    'src/api/own/controllers/own.js': `const { errors } = require('@strapi/utils');
const { stored } = require('../services/stored');
const service = () => strapi.plugin('upload').service('upload');
const end = (ctx) => {
  if (ctx.query.end === 'fail') throw new errors.ApplicationError('It is taken back');
};
module.exports = {
  async store(ctx) {
    const left = [];
    try {
      await strapi.db.transaction(async () => {
        const page = await strapi.documents('api::page.page').create({ data: { text: 'with a file' } });
        const data = { ref: 'api::page.page', refId: page.id, field: 'cover' };
        const [file] = await service().upload({ data, files: await stored('first') });
        const changed = await service().updateFileInfo(file.id, { name: 'renamed.txt', caption: 'told' });
        left.push(file.id, file.url, changed.caption, (await service().findOne(file.id)).name);
        end(ctx);
      });
    } catch (error) {
      left.push(error.message);
    }
    return left;
  },
  async change(ctx) {
    return strapi.db.transaction(async () => {
      const names = [];
      for (const caption of String(ctx.query.captions ?? 'a,b').split(',')) names.push((await service().updateFileInfo(Number(ctx.query.id), { caption })).caption);
      end(ctx);
      return names;
    });
  },
  // what is refused within is the matter of the code
  async nested() {
    return strapi.db.transaction(async () => {
      const refused = await service().updateFileInfo(999999, { caption: 'x' }).catch((error) => error.message);
      const [file] = await service().upload({ files: await stored('second') });
      return [refused, file.id];
    });
  },
  async rows(ctx) {
    const { method, params } = ctx.request.body;
    const rows = strapi.db.query('plugin::upload.file');
    const methods = {
      create: () => rows.create(params),
      update: () => rows.update(params),
      updateMany: () => rows.updateMany(params),
      delete: () => rows.delete(params),
      attachRelations: () => rows.attachRelations(params.id, params.data),
      folder: () => strapi.plugin('upload').service('folder').create(params),
      // as code has it that sends back what it has read
      caption: async () => rows.update({ ...params, data: { ...(await rows.findOne(params)), caption: 'read before' } }),
    };
    try {
      return (await methods[method]()) ?? { message: 'nothing' };
    } catch (error) {
      return { message: error.message };
    }
  },
  // hooks store files behind those of the code, and one of a transaction in it
  async hooked(ctx) {
    return strapi.db.transaction(async () => {
      const [mine] = await service().upload({ files: await stored('mine') });
      const [inner] = await strapi.db.transaction(async () => service().upload({ files: await stored('inner') }));
      globalThis.filesOfHooks.push(mine, inner);
      return strapi.documents('api::page.page').create({ data: { text: ctx.query.text } });
    });
  },
};`,
  },
};

for (const engine of engines) {
  describe(`files in a transaction of code on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server.stop());

    const remove = async (text: string) => {
      const token = server.secrets['full'];
      const [file] = (await upload(server, token, [note()])).body;
      const made = await server.request('POST', '/api/pages', { token, body: { data: { text, cover: file.id } } });
      const { status } = await server.request('DELETE', `/api/pages/${made.body.data.documentId}`, { token });
      const statuses = async () => [
        (await server.request('GET', `/api/upload/files/${file.id}`, { token })).status,
        (await server.request('GET', file.url)).status,
      ];
      return { status, statuses };
    };

    const post = (target: string) => server.request('POST', target);
    const statusesOf = async (id: number, url: string) => [
      (await server.get(`/api/upload/files/${id}`, server.secrets['full'])).status,
      (await server.get(url)).status,
    ];

    it('are stored, linked and changed by it, and there when it is committed', async () => {
      const { status, body } = await post('/api/own/store');
      strictEqual(status, 200, JSON.stringify(body));
      const [id, url, caption, name] = body;
      deepStrictEqual([caption, name], ['told', 'renamed.txt']);
      deepStrictEqual(await statusesOf(id, url), [200, 200]);
      const pages = await server.get('/api/pages?populate=cover', server.secrets['full']);
      deepStrictEqual(
        pages.body.data.map((page: { cover: { id: number; caption: string } }) => [page.cover.id, page.cover.caption]),
        [[id, 'told']],
      );
    });

    it('leave nothing, neither records nor bytes, where it is rolled back', async () => {
      const { body } = await post('/api/own/store?end=fail');
      const [id, url] = body;
      strictEqual(body.at(-1), 'It is taken back');
      await until('the bytes are gone', async () => String(await statusesOf(id, url)) === '404,404');
    });

    it('leave nothing where it fails behind the hook that has stored them', async () => {
      const { database } = server.app;
      const run = (...texts: string[]) =>
        database.transaction(async (tx) => {
          for (const text of texts) await tx.rows(text, []);
        });
      await run(
        'create table commit_parent (id integer primary key)',
        'create table commit_child (parent integer references commit_parent (id) deferrable initially deferred)',
      );
      let failsAtCommit = false;
      const unsubscribe = database.subscribe({
        async beforeCommit(tx) {
          if (failsAtCommit) await tx.rows('insert into commit_child values (1)', []);
        },
      });
      const token = server.secrets['full'];
      const shared = globalThis as { filesOfHooks?: { id: number; url: string }[] };
      try {
        const create = (text: string) => server.request('POST', '/api/pages', { token, body: { data: { text } } });
        const within = (text: string) => server.request('POST', `/api/own/hooked?text=${text}`);
        for (const [send, text, isCommitted] of [
          [create, 'fine', true],
          [within, 'fine', true],
          [create, 'refused later', false],
          [within, 'refused later', false],
          [create, 'no commit', false],
          [within, 'no commit', false],
        ] as const) {
          shared.filesOfHooks = [];
          failsAtCommit = text === 'no commit';
          const { status } = await send(text);
          failsAtCommit = false;
          deepStrictEqual([text, status < 300, shared.filesOfHooks.length >= 2], [text, isCommitted, true]);
          for (const { id, url } of shared.filesOfHooks) {
            const end = isCommitted ? '200,200' : '404,404';
            await until(`it is ${end} for ${text}`, async () => String(await statusesOf(id, url)) === end);
          }
        }
      } finally {
        delete shared.filesOfHooks;
        unsubscribe();
        await run('drop table commit_child', 'drop table commit_parent');
      }
    });

    it('are changed several times in it, and not at all where it is rolled back', async () => {
      const token = server.secrets['full'];
      const [file] = (await upload(server, token, [note()], { fileInfo: { caption: 'as it was' } })).body;
      strictEqual((await post(`/api/own/change?id=${file.id}&end=fail`)).status, 400);
      strictEqual((await server.get(`/api/upload/files/${file.id}`, token)).body.caption, 'as it was');
      deepStrictEqual((await post(`/api/own/change?id=${file.id}`)).body, ['a', 'b']);
      strictEqual((await server.get(`/api/upload/files/${file.id}`, token)).body.caption, 'b');
      // nobody has it any more
      strictEqual((await upload(server, token, [note('other.txt', 'other')], {}, `?id=${file.id}`)).status, 200);
    });

    it('are changed by a listener to their own change', async () => {
      const token = server.secrets['full'];
      const [file] = (await upload(server, token, [note()])).body;
      const caption = async () => (await server.get(`/api/upload/files/${file.id}`, token)).body.caption;
      strictEqual((await post(`/api/own/change?id=${file.id}&captions=again`)).status, 200);
      strictEqual(await caption(), 'and again');
      strictEqual((await upload(server, token, [], { fileInfo: { caption: 'again' } }, `?id=${file.id}`)).status, 200);
      strictEqual(await caption(), 'and again');
    });

    it('that are not there leave the transaction as it is', async () => {
      const { status, body } = await post('/api/own/nested');
      deepStrictEqual([status, typeof body[1]], [200, 'number'], JSON.stringify(body));
    });

    describe('as rows', () => {
      let id = 0;
      let url = '';
      before(async () => {
        const [file] = (await upload(server, server.secrets['full'], [note()])).body;
        ({ id, url } = file);
      });
      const rows = async (method: string, params: object) => {
        const { status, body } = await server.request('POST', '/api/own/rows', { body: { method, params } });
        return status === 500 ? { message: 'not supported' } : body;
      };
      const update = (data: object) => rows('update', { where: { id }, data, populate: ['folder', 'page'] });
      const told = async () => (await server.get(`/api/upload/files/${id}?populate=page`, server.secrets['full'])).body;

      it('store names, texts, attributes of the project and links, with lifecycles', async () => {
        const token = server.secrets['full'];
        strictEqual((await told()).credit, null);
        const made = await server.request('POST', '/api/pages', { token, body: { data: { text: 'owner' } } });
        const data = { name: 'new.txt', alternativeText: 'Alt', caption: 'A caption', credit: 'Ann' };
        const left = await update({ ...data, page: made.body.data.id });
        strictEqual(left.page.text, 'owner', JSON.stringify(left));
        const { name, alternativeText, caption, credit, page, url: kept } = await told();
        deepStrictEqual({ name, alternativeText, caption, credit }, data);
        deepStrictEqual([page.text, kept], ['owner', url]);
        deepStrictEqual(await rows('updateMany', { where: { credit: 'Ann' }, data: { credit: 'Bob' } }), { count: 1 });
        strictEqual((await told()).credit, 'Bob');
        strictEqual((await rows('caption', { where: { id } })).caption, 'read before');
        strictEqual((await update({ page: null })).page, null);
        strictEqual((await update({ caption: null })).caption, null);
        strictEqual((await rows('update', { where: { id: 999999 }, data: { caption: 'x' } })).message, 'nothing');
      });

      it('lie in the folder that is written, and their path is its path', async () => {
        const folder = await rows('folder', { name: 'rows' });
        const placed = async (data: object) => {
          const { folder, folderPath, message } = await update(data);
          return message ?? [folder?.id ?? null, folderPath];
        };
        const inside = [folder.id, folder.path];
        const none = [null, '/'];
        deepStrictEqual(await placed({ folder: folder.id }), inside);
        deepStrictEqual(await placed({ caption: 'stays there' }), inside);
        deepStrictEqual(await placed({ folder: null }), none);
        deepStrictEqual(await placed({ folder: { connect: [folder.id] }, folderPath: folder.path }), inside);
        deepStrictEqual(await placed({ folder: { set: [] } }), none);
        deepStrictEqual(await placed({ folder: folder.id }), inside);
        strictEqual(await placed({ folder: 999999 }), 'the folder does not exist');
        strictEqual(await placed({ folderPath: '/' }), 'not supported');
        strictEqual(await placed({ folder: null, folderPath: folder.path }), 'not supported');
        strictEqual(await placed({ folder: { disconnect: [folder.id] } }), 'not supported');
        deepStrictEqual(await placed({ folder: folder.id }), inside);
        await rows('attachRelations', { id, data: { folder: { set: [] } } });
        deepStrictEqual(await placed({ caption: 'none' }), none);
      });

      it('cannot change the place and the name of their bytes', async () => {
        const before = await told();
        const other = { hash: 'x', ext: '.js', url: '/uploads/x.txt', formats: {}, provider: 'x', related: [] };
        for (const [name, value] of Object.entries(other)) {
          const { message } = await update({ caption: 'refused', [name]: value });
          strictEqual(message, 'not supported', name);
        }
        strictEqual((await rows('create', { data: { name: 'x' } })).message, 'not supported');
        for (const name of ['', null]) strictEqual((await update({ name })).message, 'a file has a name');
        strictEqual((await update({ name: 'x'.repeat(256) })).message, 'name can have at most 255 characters');
        deepStrictEqual(await told(), before);
      });

      it('are removed with their bytes', async () => {
        strictEqual((await rows('delete', { where: { id } })).id, id);
        await until('the file and its bytes are gone', async () => String(await statusesOf(id, url)) === '404,404');
      });
    });

    it('are removed after the commit', async () => {
      const { status, statuses } = await remove('gone');
      strictEqual(status, 204);
      await until('the file and its bytes are gone', async () => String(await statuses()) === '404,404');
    });

    it('are there with their bytes where it is rolled back', async () => {
      const { status, statuses } = await remove('kept');
      strictEqual(status, 400);
      deepStrictEqual(await statuses(), [200, 200]);
    });
  });
}
