/** Files and folders in the trash: what is stored of them, their links, and their restoration. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { forgetOldDeletions } from '../../../src/history/trash.ts';
import { examineFiles, removeOrphans } from '../../../src/media/doctor.ts';
import { Browser, type GivenPermission, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { uploadForm } from '../../support/media/media.ts';
import { type S3Server, startS3 } from '../../support/media/s3.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const FILE = 'plugin::upload.file';
const FOLDER = 'plugin::upload.folder';
const POST = 'api::post.post';
const media = { type: 'media', multiple: false };
const project = {
  contentTypes: {
    post: contentType('post', {
      title: { type: 'string' },
      cover: media,
      gallery: { type: 'media', multiple: true },
      figure: { type: 'component', component: 'part.figure' },
    }),
  },
  components: { 'part.figure': { collectionName: 'components_figures', attributes: { image: media } } },
};

/** A server with an administrator, and what tests send to it. */
async function library(engine: Engine, folder: ProjectFolder, env?: Record<string, string>) {
  let database: TestDatabase | undefined;
  const own: Engine = { ...engine, databaseFor: async () => (database = await engine.databaseFor(folder)) };
  const server: SeededServer = await serveSeeded(own, folder, undefined, env);
  await makeAdministrator(server, 'sue', 'strapi-super-admin');
  const sue = new Browser(server);
  await sue.signIn('sue');
  const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
    const answer = await as.send(method, target, body);
    const value = answer.text === '' ? undefined : answer.body;
    deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, value), []);
    return answer;
  };
  const given = async (method: string, target: string, body?: unknown): Promise<Any> => {
    const answer = await ask(method, target, body);
    ok(answer.status < 300, `${method} ${target}: ${answer.status} ${answer.text}`);
    return answer.body?.data;
  };
  return {
    server,
    sue,
    ask,
    given,
    env: () => database!.env,
    upload: async (name = 'landscape.jpg', parent?: number): Promise<Any> => {
      const fields: Record<string, string> = parent === undefined ? {} : { folder: String(parent) };
      return (await given('POST', 'files', await uploadForm([name], fields)))[0];
    },
    makeFolder: (name: string, parent: number | null = null) => given('POST', 'folders', { name, parent }),
    inTrash: async (documentId: string): Promise<Any> => (await given('GET', `trash?documentId=${documentId}`))[0],
    restore: ({ id }: Any) => given('POST', `trash/${id}/restore`, {}),
    record: async (id: number): Promise<Any> => {
      const { body } = await server.get(`/api/upload/files/${id}`, server.secrets['full']);
      return body;
    },
    /** Objects in the local store, hidden ones with a dot. */
    stored: () => {
      const uploads = path.join(folder.dir, 'public/uploads');
      const within = (name: string) => (existsSync(name) ? readdirSync(name) : []);
      const hidden = within(path.join(uploads, '.trash')).map((name) => `.${name}`);
      return [...within(uploads).filter((name) => !name.startsWith('.')), ...hidden].sort();
    },
    subject: () => {
      const { database, stores } = server.app;
      return { db: database, stores: stores.stores };
    },
    forgetOld: (days: number) => {
      const { database, stores } = server.app;
      const forgetting = { database, tables: new Map<string, string>(), stores: stores.stores };
      return forgetOldDeletions(forgetting, { days, isOver: () => false });
    },
    rows: (text: string) => server.app.database.transaction(async (tx) => tx.rows(text, [])),
  };
}

for (const engine of engines) {
  describe(`files in the trash on ${engine.name}`, () => {
    let lib: Awaited<ReturnType<typeof library>>;
    let folder: ProjectFolder;
    before(async () => {
      folder = await makeProject(project);
      lib = await library(engine, folder);
    });
    after(() => lib?.server.stop());

    const posts = () => lib.server.app.documents(POST);
    const create = async (data: object): Promise<string> =>
      String((await posts().create({ data: data as Any })).documentId);
    const read = async (id: string): Promise<Any> =>
      (
        await lib.server.get(
          `/api/posts/${id}?populate[figure][populate]=*&populate[cover]=1&populate[gallery]=1`,
          lib.server.secrets['full'],
        )
      ).body.data;
    const removeThroughApi = (id: number) =>
      lib.server.request('DELETE', `/api/upload/files/${id}`, { token: lib.server.secrets['full'] });

    it('contains a file that the content API deletes, which is no longer served and not in the API', async () => {
      const file = await lib.upload();
      const before = await lib.record(file.id);
      const stored = lib.stored();
      const removed = await removeThroughApi(file.id);
      strictEqual(removed.status, 200, removed.text);
      ok(stored.length > 1);
      deepStrictEqual(
        lib.stored(),
        stored.map((name) => `.${name}`),
      );
      const entry = await lib.inTrash(before.documentId);
      deepStrictEqual(
        [entry.type, entry.name, entry.deletedBy.kind, entry.mayRestore, entry.file.mime, entry.files],
        [FILE, 'landscape.jpg', 'token', true, 'image/jpeg', null],
      );
      ok(entry.file.size > 1000);
      deepStrictEqual([entry.file.isReachable, (await lib.server.get(before.url)).status], [false, 404]);
    });

    it('restores a file as it was, with its folder and the links of documents at their places', async () => {
      const place = await lib.makeFolder('pictures');
      const [first, second, third] = [await lib.upload(), await lib.upload('note.txt', place.id), await lib.upload()];
      const id = await create({
        title: 'linking',
        cover: second.id,
        gallery: [first.id, second.id, third.id],
        figure: { image: second.id },
      });
      const before = [await lib.record(second.id), await read(id)];
      const stored = lib.stored();
      await lib.given('POST', 'files/delete', { files: [second.id], folders: [] });
      strictEqual((await read(id)).cover, null);
      const entry = await lib.inTrash(second.documentId);
      deepStrictEqual((await lib.given('GET', `trash/${entry.id}`)).losses, []);
      deepStrictEqual((await lib.restore(entry)).losses, []);
      deepStrictEqual([await lib.record(second.id), await read(id)], before);
      deepStrictEqual(lib.stored(), stored);
      strictEqual((await lib.server.get(before[0].url)).status, 200);
      strictEqual((await lib.given('GET', `files/${second.id}`)).folder.id, place.id);
      strictEqual(await lib.inTrash(second.documentId), undefined);
      strictEqual((await lib.ask('POST', `trash/${entry.id}/restore`, {})).status, 404);
    });

    it('tells which links and folders cannot come back', async () => {
      const place = await lib.makeFolder('gone');
      const [file, other] = [await lib.upload('note.txt', place.id), await lib.upload('note.txt')];
      const [taken, gone] = [await create({ cover: file.id }), await create({ cover: file.id, title: 'lost' })];
      const [[folder]] = (await lib.server.app.database.rows(
        `select document_id from upload_folders where id = ${place.id}`,
        [],
      )) as [[string]];
      await lib.given('POST', 'files/delete', { files: [file.id], folders: [] });
      await lib.given('DELETE', `folders/${place.id}`);
      await posts().update({ documentId: taken, data: { cover: other.id } as Any });
      await posts().delete({ documentId: gone });
      const entry = await lib.inTrash(file.documentId);
      const { losses } = await lib.given('GET', `trash/${entry.id}`);
      deepStrictEqual(
        losses.toSorted((a: Any, b: Any) => a.reason.localeCompare(b.reason) || a.path.localeCompare(b.path)),
        [
          { path: 'cover', reason: 'deletedDocument', source: { type: POST, documentId: gone, name: 'lost' } },
          { path: 'folder', reason: 'deletedDocument', target: { type: FOLDER, documentId: folder, name: 'gone' } },
          { path: 'cover', reason: 'takenLink', source: { type: POST, documentId: taken } },
        ],
      );
      deepStrictEqual((await lib.restore(entry)).losses, losses);
      strictEqual((await lib.given('GET', `files/${file.id}`)).folder, null);
      strictEqual((await read(taken)).cover.id, other.id);
    });

    it('restores a folder with its folders and files', async () => {
      const top = await lib.makeFolder('top');
      const below = await lib.makeFolder('below', top.id);
      const early = await lib.upload('note.txt', top.id);
      await removeThroughApi(early.id);
      const files = [await lib.upload('note.txt', top.id), await lib.upload('note.txt', below.id)];
      const shown = async () =>
        (await lib.given('GET', 'folders')).filter(({ name }: Any) => name === 'top' || name === 'below');
      const before = await shown();
      await lib.given('DELETE', `folders/${top.id}`);
      deepStrictEqual(await shown(), []);
      const entry = await lib.inTrash(top.documentId);
      deepStrictEqual([entry.type, entry.name, entry.file, entry.files], [FOLDER, 'top', null, 2]);
      // its number may be that of another folder by now
      const next = await lib.makeFolder('next');
      const restored = await lib.restore(entry);
      deepStrictEqual([restored.losses, restored.left], [[], 0]);
      const again = await shown();
      const plain = (list: Any) => list.map(({ path: _, ...folder }: Any) => folder);
      deepStrictEqual(plain(again), plain(before));
      ok(!again.some(({ path }: Any) => path === next.path));
      for (const file of files) ok((await lib.given('GET', `files/${file.id}`)).folder);
      strictEqual((await lib.server.get(`/api/upload/files/${early.id}`, lib.server.secrets['full'])).status, 404);
      ok(await lib.inTrash(early.documentId), 'a file that was deleted before stays in the trash');
      strictEqual(await lib.inTrash(top.documentId), undefined);
    });

    it('refuses to restore a folder whose name is taken, and restores nothing of it', async () => {
      const taken = await lib.makeFolder('taken');
      const file = await lib.upload('note.txt', taken.id);
      await lib.given('DELETE', `folders/${taken.id}`);
      await lib.makeFolder('taken');
      const entry = await lib.inTrash(taken.documentId);
      strictEqual((await lib.ask('POST', `trash/${entry.id}/restore`, {})).status, 400);
      ok(await lib.inTrash(file.documentId));
    });

    it('removes what is stored when a file is deleted for good', async () => {
      const before = lib.stored();
      const place = await lib.makeFolder('for good');
      const [file, inside] = [await lib.upload(), await lib.upload('landscape.jpg', place.id)];
      await lib.given('POST', 'files/delete', { files: [file.id], folders: [place.id] });
      ok(lib.stored().length > before.length);
      for (const one of [file, place]) {
        strictEqual((await lib.ask('DELETE', `trash/${(await lib.inTrash(one.documentId)).id}`)).status, 204);
      }
      deepStrictEqual(lib.stored(), before);
      for (const one of [file, place, inside]) strictEqual(await lib.inTrash(one.documentId), undefined);
    });

    it('removes what is stored of old files, and of those whose removal a kill has ended', async () => {
      const before = lib.stored();
      const [old, marked] = [await lib.upload(), await lib.upload()];
      for (const { id } of [old, marked]) await removeThroughApi(id);
      await lib.rows(`update galley_trash set deleted_at = 1 where document_id = '${old.documentId}'`);
      await lib.rows(`update galley_trash set deleted_at = 0 where document_id = '${marked.documentId}'`);
      strictEqual(await lib.inTrash(marked.documentId), undefined);
      await lib.forgetOld(30);
      deepStrictEqual(lib.stored(), before);
      const left = await lib.rows(
        `select id from galley_trash where document_id in ('${old.documentId}', '${marked.documentId}')`,
      );
      strictEqual(left.length, 0);
    });

    it('shows administrators the files that they may see, and lets those restore who may add files', async () => {
      const file = await lib.upload('note.txt');
      await removeThroughApi(file.id);
      const entry = await lib.inTrash(file.documentId);
      const any = { subject: null, properties: {} } as const;
      const signedIn = async (name: string, permissions: readonly GivenPermission[]): Promise<Browser> => {
        await makeRole(lib.server, `${name}-role`, permissions);
        await makeAdministrator(lib.server, name, `${name}-role`);
        const browser = new Browser(lib.server);
        await browser.signIn(name);
        return browser;
      };
      const reader = await signedIn('reader', [{ operation: 'plugin::upload.read', ...any }]);
      const other = await signedIn('other', [
        { operation: 'plugin::upload.read', ...any, conditions: ['admin::is-creator'] },
        { operation: 'plugin::upload.assets.create', ...any },
      ]);
      strictEqual((await lib.ask('GET', `trash/${entry.id}`, undefined, reader)).body.data.mayRestore, false);
      strictEqual((await lib.ask('POST', `trash/${entry.id}/restore`, {}, reader)).status, 403);
      strictEqual((await lib.ask('DELETE', `trash/${entry.id}`, undefined, reader)).status, 403);
      strictEqual((await lib.ask('GET', `trash/${entry.id}`, undefined, other)).status, 404);
      deepStrictEqual((await lib.ask('GET', 'trash', undefined, other)).body.data, []);
    });

    it('does not count as left behind for the doctor', async () => {
      const file = await lib.upload();
      await removeThroughApi(file.id);
      const { orphans, missing } = await examineFiles(lib.subject());
      deepStrictEqual([orphans, missing], [[], []]);
    });

    it('is listed, restored and emptied by commands', async () => {
      const run = async (...args: string[]) => {
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        const code = await runCommandLine(['trash', ...args, folder.dir], { env: lib.env(), print, warn: print });
        return { code, text: lines.join('\n') };
      };
      const [kept, removed] = [await lib.upload('note.txt'), await lib.upload('note.txt')];
      for (const { id } of [kept, removed]) await removeThroughApi(id);
      const { id } = await lib.inTrash(kept.documentId);
      ok((await run('list', '--type', FILE)).text.includes(kept.documentId));
      deepStrictEqual(await run('restore', String(id)), { code: 0, text: `restored ${kept.documentId}` });
      strictEqual((await lib.server.get((await lib.record(kept.id)).url)).status, 200);
      strictEqual((await run('empty', '--type', FILE)).code, 0);
      strictEqual((await lib.rows(`select id from galley_trash where content_type = '${FILE}'`)).length, 0);
      deepStrictEqual(
        lib.stored().filter((name) => name.startsWith('.')),
        [],
      );
    });
  });

  describe(`files of an object store in the trash on ${engine.name}`, () => {
    let s3: S3Server;
    let lib: Awaited<ReturnType<typeof library>>;
    before(async () => {
      s3 = await startS3('public');
      lib = await library(engine, await makeProject(project), s3.env());
    });
    after(async () => {
      await lib?.server.stop();
      await s3?.stop();
    });

    it('stay stored until they are deleted for good, and the doctor leaves them alone', async () => {
      const [file, removed] = [await lib.upload(), await lib.upload()];
      const stored = await s3.names();
      await lib.given('POST', 'files/delete', { files: [file.id, removed.id], folders: [] });
      deepStrictEqual(await s3.names(), stored);
      strictEqual((await lib.inTrash(file.documentId)).file.isReachable, true);
      // objects without a record count as left behind after an hour
      const { orphans } = await examineFiles(lib.subject(), Date.now() + 7_200_000);
      deepStrictEqual(orphans, []);
      deepStrictEqual(await removeOrphans(lib.subject(), orphans), []);
      await lib.restore(await lib.inTrash(file.documentId));
      strictEqual((await fetch((await lib.record(file.id)).url)).status, 200);
      await lib.given('DELETE', `trash/${(await lib.inTrash(removed.documentId)).id}`);
      ok((await s3.names()).length < stored.length);
      ok((await s3.names()).length > 0);
    });

    it('stay in the trash while the store cannot be reached, and are removed later', async () => {
      const file = await lib.upload('note.txt');
      await lib.given('POST', 'files/delete', { files: [file.id], folders: [] });
      const entry = await lib.inTrash(file.documentId);
      const stored = await s3.names();
      s3.refuse = ({ method }) => (method === 'DELETE' ? 500 : undefined);
      await lib.given('DELETE', `trash/${entry.id}`);
      s3.refuse = () => undefined;
      deepStrictEqual(await s3.names(), stored);
      strictEqual(await lib.inTrash(file.documentId), undefined);
      await lib.forgetOld(30);
      deepStrictEqual(
        await s3.names(),
        stored.filter((key) => !key.startsWith(file.hash)),
      );
    });
  });

  describe(`files without a trash on ${engine.name}`, () => {
    it('are removed at once', async () => {
      const files = { 'config/galley.js': 'module.exports = { trash: { days: 0 } };' };
      const lib = await library(engine, await makeProject({ ...project, files }));
      try {
        const place = await lib.makeFolder('top');
        await lib.upload('landscape.jpg', place.id);
        await lib.given('DELETE', `folders/${place.id}`);
        deepStrictEqual(lib.stored(), []);
        strictEqual((await lib.rows('select id from galley_trash')).length, 0);
      } finally {
        await lib.server.stop();
      }
    });
  });
}
