/** Files and folders that the server writes by itself, behind lifecycles of the project: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, sample, traces, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };

const PROJECT: ProjectFiles = {
  contentTypes: {
    log: contentType('log', { text, file: { type: 'media' } }, { options: { draftAndPublish: false } }),
  },
  files: {
    'src/extensions/upload/strapi-server.js':
      "module.exports = (plugin) => { plugin.contentTypes.file.schema.attributes.source = { type: 'string' }; plugin.contentTypes.file.lifecycles = { beforeCreate({ params: { data } }) { if (data.name === 'extended.txt') data.alternativeText = 'extended'; } }; return plugin; };",
    'src/index.js': `const { errors } = require('@strapi/utils');
const told = (globalThis.toldOfFiles ??= []);
const names = (data) => data && Object.keys(data).sort().join();
const who = () => {
  const { request, state } = strapi.requestContext.get();
  return [request.method, request.url, state.auth.strategy.name, state.user?.email, request.body?.fileInfo].filter(Boolean).join(' ');
};
const tell = ({ action, model, params: { where, data }, result }) =>
  void told.push([action, model.uid, where, names(data), result && (result.name ?? result.count), who()]);
module.exports = {
  async bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({
      models: ['plugin::upload.file'],
      beforeCreate(event) {
        const { data } = event.params;
        tell(event);
        if (data.name === 'refused.txt') throw new errors.ValidationError('Not this file', { name: data.name });
        if (data.name === 'moved.txt') data.hash = 'other';
        if (data.name === 'wrong.txt') data.width = 'wide';
        data.caption = 'by code of ' + data.name;
        data.source = strapi.requestContext.get().state.user?.email ?? 'nobody';
        data.unknown = 1;
      },
      async afterCreate(event) {
        const { result } = event;
        tell(event);
        await strapi.documents('api::log.log').create({ data: { text: result.name } });
        if (result.name === 'late.txt') throw new errors.ForbiddenError('Too late');
        if (result.name === 'shown.txt') {
          result.alternativeText = 'shown';
          result.folderPath = '/secret';
          result.extra = 1;
          delete result.caption;
        }
      },
      beforeUpdate(event) {
        tell(event);
        const { data, where } = event.params;
        if (data.caption === 'forbidden') throw new errors.ApplicationError('Not this caption');
        if (data.caption === 'elsewhere') where.id = 1;
        if (data.caption === 'kept') delete data.caption;
      },
      afterUpdate: tell,
      beforeDelete(event) {
        tell(event);
        if (globalThis.keepsFiles) throw new errors.ApplicationError('It stays');
      },
      afterDelete: tell,
    });
    strapi.db.lifecycles.subscribe({
      models: ['plugin::upload.folder'],
      beforeCreate(event) {
        tell(event);
        if (event.params.data.name === 'Refused') throw new errors.ApplicationError('Not this folder');
      },
      afterCreate: tell, beforeUpdate: tell, afterUpdate: tell, beforeDeleteMany: tell, afterDeleteMany: tell,
    });
  },
};`,
  },
};

const FILE = 'plugin::upload.file';
const FOLDER = 'plugin::upload.folder';
type Told = readonly [action: string, uid: string, where: unknown, names: string, result: unknown, who: string];
const shared = globalThis as { toldOfFiles?: Told[]; keepsFiles?: boolean };
shared.toldOfFiles ??= [];
const told = shared.toldOfFiles;

const INFO = 'alternativeText,caption,focalPoint,folderPath,name,updatedAt';

for (const engine of engines) {
  describe(`files behind lifecycles of the project on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let full: string;
    /** What the code was told since the last time. */
    const news = () => told.splice(0).map((one) => [...one]);
    const short = () =>
      told.splice(0).map(([action, , , , result]) => (result === undefined ? action : `${action} ${result}`));
    const logs = async (): Promise<string[]> => {
      const { body } = await server.request('GET', '/api/logs?sort=id', { token: full });
      return body.data.map((one: { text: string }) => one.text);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: { authenticated: ['plugin::upload.content-api.upload'] },
      });
      full = server.secrets['full']!;
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = new Browser(server);
      strictEqual((await sue.signIn('sue')).status, 200);
      told.length = 0;
    });
    after(() => server?.stop());

    it('closes nothing', () => {
      deepStrictEqual(
        server.app.warnings.filter((warning) => /upload/.test(warning)),
        [],
      );
    });

    it("are uploaded with the changes of code, in one transaction with the code's writes", async () => {
      const { status, body } = await upload(server, full, [note('a.txt')], { fileInfo: { alternativeText: 'alt' } });
      strictEqual(status, 201);
      const [{ id, name, alternativeText, caption, source, unknown }] = body;
      deepStrictEqual(
        [name, alternativeText, caption, source, unknown],
        ['a.txt', 'alt', 'by code of a.txt', 'nobody', undefined],
      );
      const who = 'POST /api/upload content-api-token {"alternativeText":"alt"}';
      const data =
        'alternativeText,createdAt,ext,focalPoint,folder,folderPath,hash,mime,name,provider,size,sizeInBytes,updatedAt,url';
      const after = data
        .replace('alternativeText', 'alternativeText,caption')
        .replace('sizeInBytes', 'sizeInBytes,source,unknown');
      deepStrictEqual(news(), [
        ['beforeCreate', FOLDER, undefined, 'createdAt,name,parent,path,pathId,updatedAt', undefined, who],
        ['afterCreate', FOLDER, undefined, 'createdAt,name,parent,path,pathId,updatedAt', 'API Uploads', who],
        ['beforeCreate', FILE, undefined, data, undefined, who],
        ['afterCreate', FILE, undefined, after, 'a.txt', who],
      ]);
      deepStrictEqual(await logs(), ['a.txt']);
      const found = await server.request('GET', `/api/upload/files/${id}`, { token: full });
      deepStrictEqual([found.body.caption, found.body.source], ['by code of a.txt', 'nobody']);
      const [image] = (await upload(server, full, [sample('portrait.png')])).body;
      deepStrictEqual([image.width, image.caption], [300, 'by code of portrait.png']);
      match(told.splice(0).at(-2)![3], /formats,hash,height,mime.*width/);
    });

    it('are uploaded behind lifecycles that the extension of the plugin gives them', async () => {
      const [file] = (await upload(server, full, [note('extended.txt')])).body;
      deepStrictEqual([file.alternativeText, file.caption], ['extended', 'by code of extended.txt']);
      told.length = 0;
    });

    it('are answered with the result that code returns, without hidden values', async () => {
      const [shown] = (await upload(server, full, [note('shown.txt')])).body;
      deepStrictEqual(
        [shown.alternativeText, shown.extra, 'caption' in shown, 'folderPath' in shown],
        ['shown', 1, false, false],
      );
      const { body } = await server.request('GET', `/api/upload/files/${shown.id}`, { token: full });
      deepStrictEqual([body.alternativeText, body.caption], [null, 'by code of shown.txt']);
      told.length = 0;
    });

    it('are not stored if code refuses, and nothing of them remains', async () => {
      const [before, written] = [await traces(server), await logs()];
      const refused = await upload(server, full, [note('b.txt'), note('refused.txt')]);
      const error = {
        status: 400,
        name: 'ValidationError',
        message: 'Not this file',
        details: { name: 'refused.txt' },
      };
      deepStrictEqual([refused.status, refused.body.error], [400, error]);
      strictEqual((await upload(server, full, [note('late.txt')])).status, 403);
      strictEqual((await upload(server, full, [note('moved.txt')])).status, 500);
      strictEqual((await upload(server, full, [note('wrong.txt')])).status, 400);
      deepStrictEqual([await traces(server), await logs()], [before, written]);
      told.length = 0;
    });

    it('are changed, replaced and removed behind it as well', async () => {
      const [{ id }] = (await upload(server, full, [note('c.txt')])).body;
      told.length = 0;
      const at = `?id=${id}`;
      const change = (fileInfo: object) => upload(server, full, [], { fileInfo }, at);
      strictEqual((await change({ name: 'd.txt' })).body.name, 'd.txt');
      const who = (fileInfo: object) => `POST /api/upload${at} content-api-token ${JSON.stringify(fileInfo)}`;
      const where = { id };
      deepStrictEqual(news(), [
        ['beforeUpdate', FILE, where, INFO, undefined, who({ name: 'd.txt' })],
        ['afterUpdate', FILE, where, INFO, 'd.txt', who({ name: 'd.txt' })],
      ]);
      const refused = await change({ caption: 'forbidden' });
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not this caption']);
      strictEqual((await change({ caption: 'elsewhere' })).status, 500);
      strictEqual((await change({ caption: 'kept' })).body.caption, 'by code of c.txt');
      told.length = 0;
      const replaced = await upload(server, full, [note('e.txt', 'new')], {}, at);
      deepStrictEqual(
        [replaced.status, replaced.body.name, short()],
        [200, 'e.txt', ['beforeUpdate', 'afterUpdate e.txt']],
      );
      const broken = await upload(server, full, [note('f.txt', 'other')], { fileInfo: { caption: 'forbidden' } }, at);
      strictEqual(broken.status, 400);
      const bytes = await server.request('GET', replaced.body.url);
      strictEqual(bytes.text, 'new');
      told.length = 0;
      shared.keepsFiles = true;
      const remove = () => server.request('DELETE', `/api/upload/files/${id}`, { token: full });
      const kept = await remove();
      shared.keepsFiles = false;
      deepStrictEqual([kept.status, kept.body.error.message], [400, 'It stays']);
      strictEqual((await server.request('GET', replaced.body.url)).status, 200);
      strictEqual((await remove()).status, 200);
      const deleted = `DELETE /api/upload/files/${id} content-api-token`;
      deepStrictEqual(news().slice(1), [
        ['beforeDelete', FILE, where, undefined, undefined, deleted],
        ['afterDelete', FILE, where, undefined, 'e.txt', deleted],
      ]);
    });

    it('receive the account of the caller', async () => {
      const account = { username: 'ann', email: 'ann@example.com', password: 'Abcdef1234' };
      const { body } = await server.request('POST', '/api/auth/local/register', { body: account });
      const answer = await upload(server, body.jwt, [note('g.txt')]);
      deepStrictEqual([answer.status, answer.body[0].source], [201, 'ann@example.com']);
      told.length = 0;
    });

    it('are written behind it by administrators, as in the panel', async () => {
      const folder = await sue.send('POST', 'folders', { name: 'Pictures', parent: null });
      strictEqual(folder.status, 201);
      const refused = await sue.send('POST', 'folders', { name: 'Refused', parent: null });
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not this folder']);
      const { id: within } = folder.body.data;
      told.length = 0;
      const made = await sue.send('POST', 'files', formOf([note('h.txt')], { folder: String(within) }));
      deepStrictEqual([made.status, made.body.data[0].caption], [201, 'by code of h.txt']);
      const { id } = made.body.data[0];
      const email = 'sue@example.com';
      deepStrictEqual([...new Set(told.splice(0).map(([, , , , , who]) => who))], [`POST /upload admin ${email}`]);
      strictEqual((await sue.send('PUT', `files/${id}`, { caption: 'Mine' })).status, 200);
      const who = `POST /upload?id=${id} admin ${email}`;
      deepStrictEqual(news(), [
        ['beforeUpdate', FILE, { id }, INFO, undefined, who],
        ['afterUpdate', FILE, { id }, INFO, 'h.txt', who],
      ]);
      strictEqual((await sue.send('PUT', `files/${id}`, { caption: 'forbidden' })).status, 400);
      strictEqual((await sue.send('PUT', `folders/${within}`, { name: 'Images' })).status, 200);
      told.length = 0;
      const removed = await sue.send('POST', 'files/delete', { files: [], folders: [within] });
      deepStrictEqual(removed.body.data, { files: 1, folders: 1, left: 0 });
      deepStrictEqual(short(), ['beforeDelete', 'afterDelete h.txt', 'beforeDeleteMany', 'afterDeleteMany 1']);
    });
  });
}
