/** Hooks of `src/galley` for built-in types: files before and after they are stored, roles, locales (docs/extending.md). */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, type Sent, sample, traces, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const FILE = 'plugin::upload.file';
const contentTypes = { entry: contentType('entry', { text: { type: 'string' } }) };

const GALLEY = `
import { existsSync, readFileSync } from 'node:fs';
import { defineGalley, ForbiddenError, ValidationError } from 'galley';

const seen = [];
const told = [];
const tell = (uid) => ({ afterCommit({ changes }) { told.push(...changes.map(({ kind }) => uid + ' ' + kind)); } });

export default defineGalley({
  hooks: {
    '*': { beforeWrite({ data }) { if (data.name) throw new Error('not of files'); } },
    '${FILE}': {
      beforeWrite({ action, data, file, documentId, userId, administratorId, uid }) {
        seen.push({ action, data: { ...data }, by: userId ? 'user' : administratorId ? 'administrator' : null,
          file: file && { ...file, filepath: existsSync(file.filepath) }, hasId: documentId !== undefined });
        if (file && readFileSync(file.filepath, 'utf8').includes('virus')) throw new ValidationError('a virus', 'files');
        if (data.caption === 'refused') throw new ForbiddenError('not this caption');
        if (data.caption === 'throws') throw new TypeError('a mistake');
        if (data.caption === 'wrong key') data.url = 'https://elsewhere.example';
        if (data.caption === 'wrong value') data.alternativeText = { a: 1 };
        if (data.caption === 'wrong folder') data.folder = 'nowhere';
        if (data.caption === 'no such folder') data.folder = 9999;
        if (data.caption?.startsWith('to ')) data.folder = Number(data.caption.slice(3)) || null;
        if (data.caption === 'away') { delete data.caption; data.alternativeText = null; }
        if (action === 'create') return { ...data, name: 'own ' + data.name, alternativeText: data.alternativeText ?? 'text of ' + data.name };
      },
      async inTransaction({ changes, documents }) {
        for (const { kind } of changes) await documents('api::entry.entry').create({ data: { text: kind } });
      },
      ...tell('file'),
    },
    'plugin::users-permissions.role': {
      async inTransaction({ changes, documents }) {
        for (const { documentId } of changes) {
          const role = await documents('plugin::users-permissions.role').findOne({ documentId });
          if (role?.name === 'refused') throw new ValidationError('no such role', 'name');
        }
      },
      ...tell('role'),
    },
    'plugin::i18n.locale': tell('locale'),
  },
  routes: [
    { name: 'seen', method: 'GET', path: '/own/seen', auth: false, handler: () => seen.splice(0) },
    { name: 'told', method: 'GET', path: '/own/told', auth: false, handler: () => told },
    { name: 'code', method: 'POST', path: '/own/code', auth: false, async handler({ body: { id, caption } }) {
      await strapi.db.query('${FILE}').update({ where: { id }, data: { caption } });
      await strapi.plugin('upload').service('upload').updateFileInfo(id, { name: 'by code' });
    } },
  ],
});
`;

const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [{ name: 'full', type: 'full-access' }],
  roles: {
    public: ['plugin::users-permissions.auth.register'],
    authenticated: ['upload', 'find', 'findOne'].map((name) => `plugin::upload.content-api.${name}`),
  },
};

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`hooks of built-in types on ${engine.name}`, () => {
    let server: SeededServer;
    let browser: Browser;
    let token: string;

    before(async () => {
      const files = { 'src/galley.ts': GALLEY, 'src/index.js': 'module.exports = {};' };
      const folder = await makeProject({ contentTypes, files });
      server = await serveSeeded(engine, folder, fixture, { LOG_LEVEL: 'silent' });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      browser = new Browser(server);
      await browser.signIn('sue');
      const body = { username: 'ann', email: 'ann@example.com', password: 'secret1' };
      token = ((await server.request('POST', '/api/auth/local/register', { body })).body as Any).jwt;
    });
    after(() => server?.stop());

    const seen = async () => (await server.get('/api/own/seen')).body as Any[];
    const send = (files: readonly Sent[], fields = {}, query = '') => upload(server, token, files, fields, query);
    const info = (given: Any) => ({ fileInfo: JSON.stringify(given) });
    const change = (id: number, fileInfo: Any) =>
      server.request('POST', `/api/upload?id=${id}`, { token, body: { fileInfo } });
    const one = async (id: number) => (await server.get(`/api/upload/files/${id}`, token)).body as Any;
    const folderOf = async (id: number) => {
      const [row] = await server.app.database.rows(`select "folder_path" from "files" where "id" = ${id}`, []);
      return String(row![0]);
    };
    /** Makes sure that nothing is left of what is refused: no bytes, no rows, nothing that hooks have written. */
    const leavesNothing = async (work: () => Promise<void>) => {
      const entries = server.app.documents('api::entry.entry');
      const [own, told] = [await traces(server), await entries.count()];
      await work();
      deepStrictEqual([await traces(server), await entries.count()], [own, told]);
    };

    it('change the values of an upload before it is stored', async () => {
      await seen();
      const { status, body } = await send([note('a.txt', 'one'), sample('dot.gif')], info([{ caption: 'c' }, {}]));
      strictEqual(status, 201);
      deepStrictEqual(
        (body as Any).map(({ name, alternativeText, caption }: Any) => [name, alternativeText, caption]),
        [
          ['own a.txt', 'text of a.txt', 'c'],
          ['own dot.gif', 'text of dot.gif', null],
        ],
      );
      ok((body as Any)[0].hash.startsWith('own_a_'));
      const file = { filepath: true, originalFilename: 'a.txt', mimetype: 'text/plain', size: 3 };
      const [first, second] = await seen();
      deepStrictEqual(first, {
        action: 'create',
        data: { name: 'a.txt', caption: 'c' },
        by: 'user',
        file,
        hasId: false,
      });
      deepStrictEqual(second.file.mimetype, 'image/gif');
      const told = (await server.app.documents('api::entry.entry').findMany()) as Any[];
      deepStrictEqual(
        told.map(({ text }) => text),
        ['created', 'created'],
      );
    });

    it('may refuse an upload, of which nothing remains', async () => {
      for (const [caption, status, where] of [
        ['refused', 403, undefined],
        ['throws', 500, undefined],
        ['wrong key', 400, null],
        ['wrong value', 400, ['alternativeText']],
        ['wrong folder', 400, ['folder']],
        ['no such folder', 400, ['folder']],
      ] as const) {
        await leavesNothing(async () => {
          const { status: given, body } = await send([sample('dot.gif'), note()], info([{}, { caption }]));
          const { details = {} } = (body as Any).error;
          const at = details.errors?.[0].path ?? (details.key === 'url' ? null : undefined);
          deepStrictEqual([given, at], [status, where], caption);
        });
      }
      await leavesNothing(async () => {
        const { status, body } = await send([sample('dot.gif'), note('b.txt', 'a virus')]);
        deepStrictEqual([status, (body as Any).error.message], [400, 'a virus']);
      });
    });

    it('put an upload into another folder', async () => {
      const { body } = await browser.send('POST', 'folders', { name: 'Own', parent: null });
      const { id: folder, path: place } = (body as Any).data;
      const ids = ((await send([note(), note()], info([{ caption: `to ${folder}` }, {}]))).body as Any).map(
        ({ id }: Any) => id,
      );
      strictEqual(await folderOf(ids[0]), place);
      ok((await folderOf(ids[1])) !== place);
      strictEqual((await change(ids[1], { caption: `to ${folder}` })).status, 200);
      strictEqual(await folderOf(ids[1]), place);
      const replaced = await send([note('new.txt', 'new')], info({ caption: 'to none' }), `?id=${ids[0]}`);
      deepStrictEqual([replaced.status, await folderOf(ids[0])], [200, '/']);
      const listed = await browser.get(`files?folder=${folder}`);
      deepStrictEqual(
        (listed.body as Any).data.map(({ id }: Any) => id),
        [ids[1]],
      );
    });

    it('change and refuse the values of a file, and its replacement', async () => {
      const { body } = await send([note('kept.txt', 'kept')], info({ caption: 'first', alternativeText: 'alt' }));
      const [{ id, url }] = body as Any;
      await seen();
      strictEqual((await change(id, { caption: 'refused' })).status, 403);
      strictEqual((await change(id, { caption: 'away', name: 'n' })).status, 200);
      const { name, caption, alternativeText } = await one(id);
      deepStrictEqual([name, caption, alternativeText], ['n', 'first', null]);
      deepStrictEqual((await seen()).at(-1), {
        action: 'update',
        data: { name: 'n', caption: 'away' },
        by: 'user',
        hasId: true,
      });
      const bytes = async () => (await server.request('GET', url)).text;
      await leavesNothing(async () => {
        strictEqual((await send([note('new.txt', 'virus')], {}, `?id=${id}`)).status, 400);
        strictEqual((await send([note('new.txt', 'new')], info({ caption: 'refused' }), `?id=${id}`)).status, 403);
      });
      strictEqual(await bytes(), 'kept');
      await seen();
      strictEqual((await send([note('new.txt', 'new')], {}, `?id=${id}`)).status, 200);
      const [{ file, action }] = await seen();
      deepStrictEqual([action, file.originalFilename, file.size, await bytes()], ['update', 'new.txt', 3, 'new']);
      // what is not there asks no hook
      strictEqual((await change(9999, { caption: 'throws' })).status, 404);
      deepStrictEqual(await seen(), []);
    });

    it('are called for administrators, and for code', async () => {
      const made = await browser.send('POST', 'files', formOf([note('lib.txt')], { folder: '' }));
      const [{ id, name }] = (made.body as Any).data;
      strictEqual(name, 'own lib.txt');
      const [{ by, data }] = await seen();
      deepStrictEqual([by, data], ['administrator', { name: 'lib.txt', folder: null }]);
      const put = (body: object) => browser.send('PUT', `files/${id}`, body);
      strictEqual((await put({ caption: 'refused' })).status, 403);
      strictEqual((await put({ caption: 'wrong value' })).status, 400);
      strictEqual((await put({ caption: 'changed', folder: null })).status, 200);
      const code = async (caption: string) =>
        (await server.request('POST', '/api/own/code', { body: { id, caption } })).status;
      await seen();
      deepStrictEqual([await code('by code'), await code('refused')], [204, 403]);
      deepStrictEqual(
        (await seen()).map(({ by, data }) => [by, data]),
        [
          [null, { caption: 'by code' }],
          [null, { name: 'by code' }],
          [null, { caption: 'refused' }],
        ],
      );
      deepStrictEqual([(await one(id)).name, (await one(id)).caption], ['by code', 'by code']);
    });

    it('receive roles and locales, and may roll back their changes', async () => {
      const full = server.secrets['full']!;
      const ask = (method: string, target: string, body?: object) =>
        server.request(method, `/api/${target}`, { token: full, ...(body ? { body: body as Any } : {}) });
      strictEqual((await ask('POST', 'users-permissions/roles', { name: 'refused', permissions: {} })).status, 400);
      strictEqual((await ask('POST', 'users-permissions/roles', { name: 'Editors', permissions: {} })).status, 200);
      const { roles } = (await ask('GET', 'users-permissions/roles')).body as Any;
      const { id } = roles.find(({ name }: Any) => name === 'Editors');
      strictEqual(roles.length, 3);
      strictEqual((await ask('PUT', `users-permissions/roles/${id}`, { description: 'd' })).status, 200);
      strictEqual((await ask('DELETE', `users-permissions/roles/${id}`)).status, 200);
      const locale = (await ask('POST', 'i18n/locales', { code: 'fr', name: 'fr' })).body as Any;
      await ask('PUT', `i18n/locales/${locale.id}`, { name: 'French' });
      await ask('DELETE', `i18n/locales/${locale.id}`);
      const expected = ['role', 'locale'].flatMap((uid) =>
        ['created', 'updated', 'deleted'].map((kind) => `${uid} ${kind}`),
      );
      await until('all was told', async () => {
        const told = (await server.get('/api/own/told')).body as string[];
        return expected.every((one) => told.includes(one));
      });
    });
  });
}
