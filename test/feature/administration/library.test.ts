/**
 * The library of files: lists and searches, uploads, changes, folders, moving, deleting, where files are used, and who
 * may do which of it. Every answer is held against the contract with the app.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createSearchIndex, dropSearchIndex } from '../../../src/db/indexes/building.ts';
import { mentionsOf, namesOf } from '../../../src/media/library/mentions.ts';
import {
  compileBelow,
  compileCountBelow,
  compileCountByPath,
  compileMovePaths,
  PATH_VALUES,
} from '../../../src/sql/files.ts';
import { id, type Sql, type SqlValue, slot, sql } from '../../../src/sql/fragment.ts';
import { textInOrder } from '../../../src/sql/statement.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { uploadForm } from '../../support/media/media.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const media = { type: 'media', multiple: false };
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', ...localized },
      cover: media,
      body: { type: 'richtext', ...localized },
      story: { type: 'blocks', ...localized },
      figure: { type: 'component', component: 'part.figure', ...localized },
      zone: { type: 'dynamiczone', components: ['part.figure'], ...localized },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', {
    name: { type: 'string' },
    icon: media,
    settings: { type: 'json' },
    // a text, whatever its field looks like
    link: { type: 'customField', customField: 'plugin::color-picker.color' },
    secret: { type: 'password' },
  }),
};
const components = {
  'part.figure': {
    collectionName: 'components_figures',
    attributes: { image: { type: 'component', component: 'part.image' } },
  },
  'part.image': {
    collectionName: 'components_images',
    attributes: {
      file: media,
      credit: { type: 'text' },
      credits: { type: 'component', component: 'part.credit', repeatable: true },
    },
  },
  'part.credit': { collectionName: 'components_credits', attributes: { text: { type: 'text' } } },
};

for (const engine of engines) {
  describe(`the library of files on ${engine.name}`, () => {
    let server: SeededServer;
    const ids: Record<string, number> = {};
    const browsers: Record<string, Browser> = {};

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components }));
      for (const [name, role] of [
        ['sue', 'strapi-super-admin'],
        ['eva', 'strapi-editor'],
        ['ann', 'strapi-author'],
        ['bob', 'strapi-author'],
      ]) {
        ids[name!] = await makeAdministrator(server, name!, role!);
        browsers[name!] = new Browser(server);
        strictEqual((await browsers[name!]!.signIn(name!)).status, 200);
      }
    });
    after(() => server?.stop());

    /** Sends a request whose answer has to keep to the contract. */
    const ask = async (method: string, target: string, body?: unknown, as = 'sue'): Promise<Answer> => {
      const answer = await browsers[as]!.send(method, target, body);
      const value = answer.text === '' ? undefined : answer.body;
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, value), []);
      return answer;
    };
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const given = async (method: string, target: string, body?: unknown, as?: string): Promise<any> => {
      const answer = await ask(method, target, body, as);
      ok(answer.status < 300, `${method} ${target}: ${answer.status} ${answer.text}`);
      return answer.body?.data;
    };
    const upload = async (names: readonly string[], { as = 'sue', ...fields }: Record<string, string> = {}) =>
      given('POST', 'files', await uploadForm(names, fields), as);
    const note = async (name: string, folder?: number, as = 'sue') => {
      const [file] = await upload(['note.txt'], {
        as,
        fileInfo: JSON.stringify({ name }),
        ...(folder === undefined ? {} : { folder: String(folder) }),
      });
      return file;
    };
    const makeFolder = (name: string, parent: number | null = null) => given('POST', 'folders', { name, parent });
    const rows = (text: string) => server.app.database.transaction(async (tx) => tx.rows(text, []));
    const names = async (query: string, as?: string): Promise<string[]> =>
      (await given('GET', `files?${query}`, undefined, as)).map(({ name }: { name: string }) => name);
    const content = async (method: string, target: string, data?: unknown) => {
      const answer = await server.request(method, `/api/${target}`, {
        token: server.secrets['full'],
        ...(data === undefined ? {} : { body: { data } }),
      });
      ok(answer.status < 300, answer.text);
      return answer.body.data;
    };

    it('stores files in the folder of the form, and names the users who added and changed them', async () => {
      const folder = await makeFolder('Recipes');
      const [dot, text] = await upload(['dot.gif', 'note.txt'], { as: 'eva', folder: String(folder.id) });
      deepStrictEqual(dot.folder, { id: folder.id, documentId: folder.documentId, name: 'Recipes' });
      deepStrictEqual([dot.name, text.name, dot.createdBy.firstname], ['dot.gif', 'note.txt', 'eva']);
      await given('PUT', `files/${dot.id}`, { caption: 'A dot' });
      const [row] = await rows(`select folder_path, created_by_id, updated_by_id from files where id = ${dot.id}`);
      deepStrictEqual(row!.map(String), [folder.path, String(ids['eva']), String(ids['sue'])]);
      const orders = await rows(
        `select file_ord from files_folder_lnk where folder_id = ${folder.id} order by file_id`,
      );
      deepStrictEqual(
        orders.map(([order]) => Number(order)),
        [1, 2],
      );
      const missing = await ask('POST', 'files', await uploadForm(['dot.gif'], { folder: '999' }));
      deepStrictEqual([missing.status, missing.body.error.details.errors[0].path], [400, ['folder']]);
      const alone = await ask('POST', 'files', {});
      deepStrictEqual([alone.status, alone.body.error.message], [400, 'Files are empty']);
    });

    it('lists files of a folder or of none, by kind, by words and in order, in pages', async () => {
      const folder = await makeFolder('Listed');
      const inner = await makeFolder('Inner', folder.id);
      for (const name of ['Quince jam', 'Plum jam', 'Quince pie']) await note(name, folder.id);
      await note('Quince 100% cheese', inner.id);
      await upload(['dot.gif'], { folder: String(folder.id) });
      const within = `folder=${folder.id}&sort=name:asc`;
      deepStrictEqual(await names(within), ['Plum jam', 'Quince jam', 'Quince pie', 'dot.gif']);
      deepStrictEqual(await names(`${within}&_q=jam QUINCE`), ['Quince jam']);
      // what is searched for is found in folders below, and everywhere from the top
      deepStrictEqual(await names(`${within}&_q=100%25`), ['Quince 100% cheese']);
      deepStrictEqual(await names('folder=none&_q=cheese'), ['Quince 100% cheese']);
      deepStrictEqual(await names(`${within}&kind=image`), ['dot.gif']);
      deepStrictEqual(await names(`${within}&kind=file,video`), ['Plum jam', 'Quince jam', 'Quince pie']);
      const page = await ask('GET', `files?${within}&page=2&pageSize=3`);
      deepStrictEqual(page.body.meta.pagination, { page: 2, pageSize: 3, pageCount: 2, total: 4 });
      strictEqual(page.body.data.length, 1);
      const all = (await ask('GET', `files?${within}`)).body.data.map(({ id }: { id: number }) => id);
      deepStrictEqual(await given('GET', `files/ids?${within}&page=2&pageSize=1`), all);
      deepStrictEqual(await given('GET', `files/ids?${within}&start=1&limit=2`), all.slice(1, 3));
      strictEqual((await given('GET', `files/ids?${within}&_q=jam`)).length, 2);
      ok(!(await names('folder=none')).includes('Plum jam'));
      // another program may leave a file without a path
      const { id: pathless } = await note('Without a path');
      await rows(`update files set folder_path = null where id = ${pathless}`);
      ok((await names('folder=none')).includes('Without a path'));
      await rows(`update files set folder_path = '/' where id = ${pathless}`);
      ok((await names('folder=none')).includes('Without a path'));
      // the file that a text shows, by the whole of its address
      const [{ url, name }] = page.body.data;
      deepStrictEqual(await names(`url=${encodeURIComponent(url)}`), [name]);
      deepStrictEqual(await names(`url=${encodeURIComponent(url.slice(0, -1))}`), []);
      for (const wrong of [
        `url=${'a'.repeat(2001)}`,
        'url[a]=b',
        'kind=cat',
        'sort=hash',
        'sort=name:up',
        'folder=x',
        'page=x',
        '_q[a]=b',
        'folder=99999',
      ]) {
        strictEqual((await ask('GET', `files/ids?${wrong}`)).status, 400, wrong);
        strictEqual((await ask('GET', `files?${wrong}`)).status, 400, wrong);
      }
    });

    it('changes the details of a file, removes them with null, and moves it', async () => {
      const folder = await makeFolder('Elsewhere');
      const file = await note('Lemon');
      const told = { name: 'Lemons', alternativeText: 'Two lemons', caption: '', focalPoint: { x: 20, y: 80.5 } };
      const changed = await given('PUT', `files/${file.id}`, { ...told, folder: folder.id });
      for (const [key, value] of Object.entries(told)) deepStrictEqual(changed[key], value, key);
      strictEqual(changed.folder.id, folder.id);
      const away = await given('PUT', `files/${file.id}`, { alternativeText: null, focalPoint: null, folder: null });
      deepStrictEqual([away.name, away.alternativeText, away.focalPoint, away.folder], ['Lemons', null, null, null]);
      const wrong = await ask('PUT', `files/${file.id}`, { focalPoint: { x: 101, y: 0 }, name: 'x'.repeat(300) });
      deepStrictEqual(
        wrong.body.error.details.errors.map(({ path }: { path: string[] }) => path.join('.')),
        ['focalPoint.x', 'name'],
      );
      for (const id of ['99999', 'x']) strictEqual((await ask('PUT', `files/${id}`, { caption: 'x' })).status, 404);
    });

    it('replaces the bytes of a file, which keeps its address and texts', async () => {
      const file = await note('Replaced');
      await given('PUT', `files/${file.id}`, { alternativeText: 'Kept' });
      const now = await given('POST', `files/${file.id}/replace`, await uploadForm(['mark.svg']));
      deepStrictEqual([now.id, now.url, now.alternativeText, now.mime], [file.id, file.url, 'Kept', 'image/svg+xml']);
    });

    it('makes, renames and moves folders, whose paths those below and their files follow', async () => {
      const a = await makeFolder('A');
      const b = await makeFolder('B', a.id);
      const c = await makeFolder('C', b.id);
      const file = await note('Deep', c.id);
      const target = await makeFolder('Target');
      const moved = await given('PUT', `folders/${b.id}`, { name: 'Bee', parent: target.id });
      const end = (path: string) => path.split('/').at(-1);
      deepStrictEqual([moved.name, moved.parent, moved.path], ['Bee', target.id, `${target.path}/${end(b.path)}`]);
      const folders = await given('GET', 'folders');
      const now = folders.find(({ id }: { id: number }) => id === c.id);
      deepStrictEqual([now.parent, now.path, now.files], [b.id, `${moved.path}/${end(c.path)}`, 1]);
      const [row] = await rows(`select folder_path from files where id = ${file.id}`);
      strictEqual(row![0], now.path);
      strictEqual((await given('PUT', `folders/${b.id}`, { parent: null })).path, `/${end(b.path)}`);
      const refused = async (id: number, body: object) => {
        const answer = await ask('PUT', `folders/${id}`, body);
        return [answer.status, answer.body.error.message];
      };
      deepStrictEqual(await refused(b.id, { parent: c.id }), [400, 'folder cannot be moved inside itself']);
      deepStrictEqual(await refused(b.id, { parent: 999 }), [400, 'the folder does not exist']);
      deepStrictEqual(await refused(b.id, { name: 'Target' }), [400, 'A folder with this name already exists']);
      deepStrictEqual(await refused(b.id, { name: 'a/b' }), [400, 'name cannot contain slashes']);
      deepStrictEqual(await refused(b.id, { name: ' a' }), [400, 'name cannot start or end with a whitespace']);
      strictEqual((await ask('POST', 'folders', { name: 'A', parent: null })).status, 400);
      strictEqual((await ask('PUT', 'folders/999', { name: 'x' })).status, 404);
      const [author] = await rows(`select created_by_id, updated_by_id from upload_folders where id = ${b.id}`);
      deepStrictEqual(author!.map(Number), [ids['sue'], ids['sue']]);
    });

    it('finds files below a folder, and counts files by folder, with indexes alone', async () => {
      const { dialect } = server.app.database;
      const folder = await makeFolder('Below');
      const inner = await makeFolder('Further below', folder.id);
      for (const { id } of [folder, inner, inner]) await note('Low', id);
      // what only begins like the path is not below it
      await rows(`update files set folder_path = '${folder.path}0' where id = ${(await note('Beside')).id}`);
      const path = Array.from({ length: PATH_VALUES }, () => String(folder.path));
      const [table, column] = ['files', 'folder_path'];
      const planned = (of: Sql, values: SqlValue[]) =>
        server.app.database.transaction(async (tx) => {
          const text = textInOrder(dialect, of);
          const isSqlite = engine.name === 'sqlite';
          if (!isSqlite) await tx.rows('set local enable_seqscan = off', []);
          const plan = await tx.rows(`${isSqlite ? 'explain query plan' : 'explain (costs off)'} ${text}`, values);
          return { plan: plan.map((row) => String(row.at(-1))).join('\n'), found: await tx.rows(text, values) };
        });
      const range =
        engine.name === 'sqlite' ? /folder_path>\? AND folder_path<\?/ : /Index Cond: .*folder_path.* >= .* < /;
      const counted = await planned(compileCountBelow(dialect, table, column, 1), path);
      deepStrictEqual(
        counted.found.map(([count]) => Number(count)),
        [3],
      );
      for (const { plan } of [
        counted,
        await planned(compileBelow(dialect, table, column, 1), [...path, 100]),
        await planned(compileMovePaths(dialect, table, column), [path[0]!, path[0]!, ...path]),
      ]) {
        match(plan, range);
        doesNotMatch(plan, /SCAN files|Seq Scan/);
      }
      const byPath = await planned(compileCountByPath(dialect, table, column), []);
      match(byPath.plan, /COVERING INDEX .*folder_path>|galley_files_folder_path_sorted/);
      const numbers = new Map(byPath.found.map(([of, count]) => [String(of), Number(count)]));
      deepStrictEqual([numbers.get(folder.path), numbers.get(inner.path), numbers.has('/')], [1, 2, false]);
      const none = sql`select "id" from ${id(table)} where ${id(column)} = ${slot(0)} order by "created_at" desc, "id" desc limit 50`;
      const listed = await planned(none, ['/']);
      match(listed.plan, /galley_files_folder_path_created_at/);
      doesNotMatch(listed.plan, /TEMP B-TREE|Sort/);
    });

    it('moves files and folders together, one of which may lie in another', async () => {
      const from = await makeFolder('From');
      const inner = await makeFolder('Inner of it', from.id);
      const to = await makeFolder('To');
      const [one, two] = [await note('One', inner.id), await note('Two')];
      const move = (body: object, as?: string) => ask('POST', 'files/move', body, as);
      strictEqual((await move({ files: [two.id], folders: [from.id, inner.id], to: to.id })).status, 204);
      const folders: { id: number; parent: number; path: string }[] = await given('GET', 'folders');
      const placed = folders.filter(({ parent }) => parent === to.id);
      deepStrictEqual(placed.map(({ id }) => id).sort(), [from.id, inner.id].sort());
      for (const { path } of placed) ok(path.startsWith(`${to.path}/`) && path.split('/').length === 3, path);
      const [row] = await rows(`select folder_path from files where id = ${one.id}`);
      strictEqual(row![0], placed.find(({ id }) => id === inner.id)!.path);
      deepStrictEqual(await names(`folder=${to.id}`), ['Two']);
      strictEqual((await move({ files: [two.id], folders: [], to: null })).status, 204);
      strictEqual((await given('GET', `files/${two.id}`)).folder, null);
      strictEqual((await move({ files: [], folders: [to.id], to: inner.id })).status, 400);
      strictEqual((await move({ files: [99999], folders: [], to: null })).status, 404);
      for (const body of [{}, { files: 'x', to: null }, { files: [], folders: [], to: null }, { files: [1] }]) {
        strictEqual((await move(body)).status, 400, JSON.stringify(body));
      }
    });

    it('reports which documents use a file: drafts, published versions, locales, and components in zones', async () => {
      const file = await note('Shown');
      const zone = [{ __component: 'part.figure', image: { file: file.id } }];
      const post = await content('POST', 'posts', { title: 'Published', cover: file.id });
      await content('POST', `posts?status=draft&locale=en`, { title: 'In a zone', zone });
      await content('PUT', `posts/${post.documentId}?status=draft`, { cover: null });
      await content('POST', 'tags', { name: 'Sweet', icon: file.id });
      const answer = await ask('GET', `files/${file.id}/uses`);
      const told = answer.body.data.map(({ uid, label, locale, state }: Record<string, string>) =>
        [uid, label, locale, state].join(' '),
      );
      deepStrictEqual(told.sort(), [
        'api::post.post In a zone en draft',
        'api::post.post Published en modified',
        'api::tag.tag Sweet  published',
      ]);
      const meta = { hidden: 0, more: false, texts: true, files: 1, folders: 0, deletable: true, days: 30 };
      deepStrictEqual(answer.body.meta, meta);
    });

    /** The documents that show files, with their locales and states. */
    const usesOf = async (target: string, as?: string): Promise<string[]> =>
      (await given('GET', target, undefined, as))
        .map(({ label, locale, state }: Record<string, string>) => `${label} ${locale ?? ''} ${state}`)
        .sort();
    const paragraph = (text: string) => ({ type: 'paragraph', children: [{ type: 'text', text }] });
    /** A block with a picture, which has a copy of the file's record. */
    // biome-ignore lint/suspicious/noExplicitAny: the answer of an upload
    const picture = ({ createdBy, updatedBy, folder, ...image }: any, more: object = {}) => ({
      type: 'image',
      image: { ...image, previewUrl: null, width: 1, height: 1, ...more },
      children: [{ type: 'text', text: '' }],
    });

    it('finds files in texts: pictures in blocks, addresses in Markdown, JSON and components', async () => {
      const [file, other] = [await note('Mentioned'), await note('Mentioned as well')];
      const end = String(file.url).split('/').at(-1);
      const uses = () => usesOf(`files/${file.id}/uses`);
      await content('POST', 'posts', { title: 'Blocks', story: [paragraph('See:'), picture(file)] });
      // a draft in another locale alone, and a published version whose draft has it no more
      const { documentId } = await content('POST', 'posts?status=draft', { title: 'Neither' });
      await content('PUT', `posts/${documentId}?locale=fr&status=draft`, {
        title: 'Markdown',
        body: `![](${file.url})`,
      });
      const once = await content('POST', 'posts', { title: 'Once', body: `[a note](http://localhost${file.url})` });
      await content('PUT', `posts/${once.documentId}?status=draft`, { body: `[a note](${other.url})` });
      // as it was in another store, signed for a while; in a part of a part, and within a zone
      const credit = `From https://files.example.com/base/${end}?X-Amz-Date=1&X-Amz-Signature=a`;
      await content('POST', 'posts', { title: 'Component', figure: { image: { credits: [{}, { text: credit }] } } });
      const zone = [{ __component: 'part.figure', image: { credit } }];
      await content('POST', 'posts?status=draft', { title: 'Zone', zone });
      await content('POST', 'tags', { name: 'JSON', settings: { deep: [{ address: file.url }] } });
      await content('POST', 'tags', { name: 'Custom', link: file.url, secret: 'x' });
      const expected = [
        'Blocks en published',
        'Component en published',
        'Custom  published',
        'JSON  published',
        'Markdown fr draft',
        'Once en modified',
        'Zone en draft',
      ];
      deepStrictEqual(await uses(), expected);
      deepStrictEqual(await usesOf(`files/${other.id}/uses`), ['Once en draft']);
      // after it was moved to another store
      await rows(`update files set url = 'https://files.example.com/base/${end}' where id = ${file.id}`);
      deepStrictEqual(await uses(), expected);
      await rows(`update files set url = '${file.url}' where id = ${file.id}`);
      await given('POST', `files/${file.id}/replace`, await uploadForm(['mark.svg']));
      deepStrictEqual(await uses(), expected);
      // the file itself, and others that are called alike, mention nothing
      await given('PUT', `files/${other.id}`, { caption: file.url });
      deepStrictEqual(await uses(), expected);
      strictEqual((await ask('GET', `files/${file.id}/uses`)).body.meta.texts, true);
    });

    it('finds files in texts by the addresses of their sizes, and by those that say nothing of their names', async () => {
      const [photo] = await upload(['landscape.jpg']);
      const [size] = Object.values(photo.formats) as { url: string }[];
      await content('POST', 'posts?status=draft', { title: 'Small', body: `![](${size!.url})` });
      deepStrictEqual(await usesOf(`files/${photo.id}/uses`), ['Small en draft']);
      // such as those of providers that are code, and of records that somebody has made by hand
      const named = await note('By hand');
      const formats = JSON.stringify({ small: { url: 'https://cdn.example.com/img?id=7&w=100' } });
      const address = 'https://cdn.example.com/img?id=7';
      await rows(`update files set hash = 'a', url = '${address}', formats = '${formats}' where id = ${named.id}`);
      await content('POST', 'tags', { name: 'Parameters', settings: `${address}&w=100` });
      await content('POST', 'tags', { name: 'Another', link: 'https://cdn.example.com/img?id=8' });
      deepStrictEqual(await usesOf(`files/${named.id}/uses`), ['Parameters  published']);
      await rows(`update files set hash = 'pear', url = '/uploads/pear.txt', formats = null where id = ${named.id}`);
      await content('POST', 'tags', { name: 'Plain', link: '/uploads/pear.txt' });
      await content('POST', 'tags', { name: 'Alike', link: '/uploads/spear.txt' });
      deepStrictEqual(await usesOf(`files/${named.id}/uses`), ['Plain  published']);
    });

    it('finds several files in texts, and those in folders, by search indexes where there are any', async () => {
      const folder = await makeFolder('Told of');
      const inner = await makeFolder('Told of too', folder.id);
      const [one, two, three] = [await note('A', folder.id), await note('B', inner.id), await note('C')];
      await content('POST', 'posts', { title: 'Of B', body: two.url, story: [picture(one)] });
      await content('POST', 'posts?status=draft', { title: 'Of C', body: three.url });
      const chosen = `files/uses?files=${three.id}&folders=${folder.id}`;
      const { data, meta } = (await ask('GET', `${chosen}&texts=false`)).body;
      deepStrictEqual([data, meta.texts], [[], false]);
      const expected = ['Of B en published', 'Of C en draft'];
      deepStrictEqual(await usesOf(chosen), expected);
      const { database } = server.app;
      const columns = { table: 'posts', columns: ['title', 'body'] };
      await createSearchIndex(database, server.app.engine.search, columns);
      deepStrictEqual(
        database
          .search!.of('posts')
          .flatMap((index) => index.columns)
          .sort(),
        ['body', 'title'],
      );
      deepStrictEqual(await usesOf(chosen), expected);
      // of a name whose every letter an index leaves out, it cannot tell
      await rows(`update files set hash = 'x', url = '/=', formats = null where id = ${three.id}`);
      await content('POST', 'posts?status=draft', { title: 'Of signs', body: 'see /=' });
      deepStrictEqual(await usesOf(`files/${three.id}/uses`), ['Of signs en draft']);
      await dropSearchIndex(database, server.app.engine.search, columns);
    });

    it('reports that texts were not searched if there are too many texts or files', async () => {
      const { database, writer } = server.app;
      const read = writer.reading(database);
      const file = await note('Late');
      const names = await namesOf(read, [file.id]);
      deepStrictEqual(names, [file.hash]);
      await content('POST', 'tags', { name: 'Early', link: file.url });
      const [[last]] = (await rows('select max(id) from posts')) as [[number]];
      // as large a table as that may be, or one that is locked, takes longer
      const far = Number(last) + 10_000_000;
      await rows(`insert into posts (id, document_id, title, body) values (${far}, 'late', 'Late', '${file.url}')`);
      await rows('analyze');
      const search = (time: number) => mentionsOf(read, database, names, 10, time);
      if (engine.name === 'sqlite') strictEqual((await search(1)).complete, false);
      else {
        await database.transaction(async (tx) => {
          await tx.rows('lock table posts in access exclusive mode', []);
          strictEqual((await search(50)).complete, false);
        });
      }
      const found = await search(60_000);
      const told = found.found.map(({ uid, attribute }) => `${uid} ${attribute}`).sort();
      deepStrictEqual([told, found.complete], [['api::post.post body', 'api::tag.tag link'], true]);
      await rows(`delete from posts where id = ${far}`);
      const folder = await makeFolder('Full');
      const many = Array.from({ length: 1001 }, (_, n) => `('many-${n}', '${folder.path}')`);
      await rows(`insert into files (hash, folder_path) values ${many.join(', ')}`);
      const { meta } = (await ask('GET', `files/uses?folders=${folder.id}`)).body;
      deepStrictEqual([meta.texts, meta.files], [false, 1001]);
      await rows(`delete from files where hash like 'many-%'`);
    });

    it('names no document whose text or picture stands in an attribute that is not shown', async () => {
      const file = await note('Secret use');
      const figure = { image: { file: file.id, credit: file.url } };
      await content('POST', 'posts', { title: 'Body', body: file.url });
      await content('POST', 'posts', { title: 'Part', figure });
      await content('POST', 'posts', { title: 'Zone', zone: [{ __component: 'part.figure', ...figure }] });
      await content('POST', 'posts', { title: 'Both', body: file.url, cover: file.id });
      const look = async (name: string, fields: readonly string[]) => {
        const subject = 'api::post.post';
        await makeRole(server, name, [
          { operation: 'read', subject, properties: { fields, locales: ['en'] } },
          { operation: 'plugin::upload.read', subject: null, properties: {} },
        ]);
        await makeAdministrator(server, name, name);
        browsers[name] = new Browser(server);
        await browsers[name]!.signIn(name);
        const { data, meta } = (await ask('GET', `files/${file.id}/uses`, undefined, name)).body;
        return [data.map(({ label }: { label: string }) => label).sort(), meta.hidden];
      };
      deepStrictEqual(await look('titles', ['title']), [[], 4]);
      deepStrictEqual(await look('covers', ['title', 'cover']), [['Both'], 3]);
      deepStrictEqual(await look('credits', ['title', 'figure.image.credit']), [['Part'], 3]);
      deepStrictEqual(await look('others', ['title', 'figure.image.credits', 'zone']), [['Zone'], 3]);
    });

    it('reports the effects of a deletion, deletes folders with their contents, and reports the rest', async () => {
      const folder = await makeFolder('Doomed');
      const inner = await makeFolder('Doomed too', folder.id);
      const [one, two] = [await note('First', folder.id), await note('Second', inner.id)];
      await content('POST', 'tags', { name: 'Broken', icon: two.id });
      const chosen = `files=${one.id}&folders=${folder.id}`;
      const uses = await ask('GET', `files/uses?folders=${folder.id}`);
      deepStrictEqual(
        [uses.body.data.map(({ label }: { label: string }) => label), uses.body.meta],
        [['Broken'], { hidden: 0, more: false, texts: true, files: 2, folders: 1, deletable: true, days: 30 }],
      );
      strictEqual((await ask('GET', 'files/uses')).status, 400);
      strictEqual((await ask('GET', `files/uses?folders=${folder.id}&texts=perhaps`)).status, 400);
      strictEqual((await ask('GET', `files/uses?${chosen}`)).status, 200);
      const [stored] = await rows(`select url from files where id = ${two.id}`);
      strictEqual((await server.get(String(stored![0]))).status, 200);
      const removed = await given('POST', 'files/delete', { files: [one.id], folders: [folder.id] });
      deepStrictEqual(removed, { files: 2, folders: 2, left: 0 });
      strictEqual((await server.get(String(stored![0]))).status, 404);
      strictEqual((await content('GET', 'tags?filters[name]=Broken&populate=icon'))[0].icon, null);
      const left = await rows(`select id from upload_folders where path like '${folder.path}%'`);
      const links = await rows(`select id from upload_folders_parent_lnk where inv_folder_id = ${folder.id}`);
      deepStrictEqual([left.length, links.length], [0, 0]);
      const again = await given('DELETE', `folders/${folder.id}`);
      deepStrictEqual(again, { files: 0, folders: 0, left: 0 });
    });

    it('shows authors their own files, and lets them change no others', async () => {
      const folder = await makeFolder('Of all');
      const [own, other] = [await note('By Ann', folder.id, 'ann'), await note('By Bob', folder.id, 'bob')];
      await content('POST', 'tags', { name: 'Hidden', icon: own.id });
      deepStrictEqual(await names(`folder=${folder.id}`, 'ann'), ['By Ann']);
      deepStrictEqual((await names(`folder=${folder.id}`, 'eva')).sort(), ['By Ann', 'By Bob']);
      strictEqual((await ask('GET', `files/${other.id}`, undefined, 'ann')).status, 404);
      strictEqual((await ask('PUT', `files/${other.id}`, { name: 'x' }, 'ann')).status, 404);
      strictEqual((await ask('PUT', `files/${own.id}`, { name: 'Still by Ann' }, 'ann')).status, 200);
      const form = await uploadForm(['dot.gif']);
      strictEqual((await ask('POST', `files/${other.id}/replace`, form, 'ann')).status, 404);
      const move = { files: [own.id, other.id], folders: [], to: null };
      strictEqual((await ask('POST', 'files/move', move, 'ann')).status, 403);
      strictEqual((await ask('POST', 'files/delete', { files: [other.id], folders: [] }, 'ann')).status, 403);
      strictEqual((await ask('DELETE', `folders/${folder.id}`, undefined, 'ann')).status, 403);
      const folders = await given('GET', 'folders', undefined, 'ann');
      strictEqual(folders.find(({ id }: { id: number }) => id === folder.id).files, null);
      // documents that are not shown to her are counted and not named
      const uses = await ask('GET', `files/${own.id}/uses`, undefined, 'ann');
      deepStrictEqual([uses.body.data, uses.body.meta.hidden], [[], 1]);
      strictEqual((await ask('GET', `files/${other.id}/uses`, undefined, 'ann')).status, 404);
      // who sees all files and may change a few chooses among the few
      const file = { subject: null, properties: {} };
      await makeRole(server, 'archivist', [
        { operation: 'plugin::upload.read', ...file },
        { operation: 'plugin::upload.assets.create', ...file },
        { operation: 'plugin::upload.assets.update', ...file, conditions: ['admin::is-creator'] },
      ]);
      await makeAdministrator(server, 'kim', 'archivist');
      browsers['kim'] = new Browser(server);
      await browsers['kim'].signIn('kim');
      const ofKim = await note('By Kim', folder.id, 'kim');
      const here = `folder=${folder.id}&sort=name:asc`;
      deepStrictEqual(await names(here, 'kim'), ['By Bob', 'By Kim', 'Still by Ann']);
      deepStrictEqual(await given('GET', `files/ids?${here}`, undefined, 'kim'), [ofKim.id]);
      deepStrictEqual(await given('GET', `files/ids?${here}&start=0&limit=1`, undefined, 'kim'), []);
      const deletable = async (target: string, as: string): Promise<boolean> =>
        (await ask('GET', target, undefined, as)).body.meta.deletable;
      const asked = [`files/${other.id}/uses`, `files/${ofKim.id}/uses`, `files/uses?folders=${folder.id}`];
      const told = (as: string) => Promise.all(asked.map((target) => deletable(target, as)));
      deepStrictEqual(
        [await told('kim'), await told('eva')],
        [
          [false, true, false],
          [true, true, true],
        ],
      );
      // nor is it told that, or where, files in a folder are used that she is not shown
      await content('POST', 'tags', { name: 'Of Bob', icon: other.id });
      await content('POST', 'tags', { name: 'Mentions Bob', link: other.url });
      await content('POST', 'tags', { name: 'Mentions Ann', link: own.url });
      const within = await ask('GET', `files/uses?folders=${folder.id}`, undefined, 'ann');
      const { hidden, files, more, texts } = within.body.meta;
      deepStrictEqual([within.body.data, hidden, files, more, texts], [[], 2, 1, false, true]);
      const both = await ask('GET', `files/uses?folders=${folder.id}&files=${own.id}`, undefined, 'ann');
      strictEqual(both.body.meta.hidden, 2);
      strictEqual((await ask('GET', `files/uses?folders=${folder.id}`)).body.data.length, 4);
      // asking whether a folder may be deleted tells no more of it: it is the same with hidden files and with none
      const [full, empty] = [await makeFolder('Of Bob alone'), await makeFolder('Of nobody')];
      const ofBob = await note('Also by Bob', full.id, 'bob');
      const asks = async ({ id }: { id: number }) =>
        (await ask('GET', `files/uses?folders=${id}`, undefined, 'ann')).body;
      deepStrictEqual(await asks(full), await asks(empty));
      deepStrictEqual(
        [await deletable(`files/uses?folders=${folder.id}`, 'ann'), (await asks(full)).meta.deletable],
        [true, true],
      );
      strictEqual((await ask('DELETE', `folders/${full.id}`, undefined, 'ann')).status, 403);
      deepStrictEqual(await names(`folder=${full.id}`, 'bob'), ['Also by Bob']);
      await given('POST', 'files/delete', { files: [ofBob.id], folders: [full.id, empty.id] });
      const removed = await given('POST', 'files/delete', { files: [own.id], folders: [] }, 'ann');
      deepStrictEqual(removed, { files: 1, folders: 0, left: 0 });
    });

    it('refuses each operation without the right to it', async () => {
      const file = await note('Guarded');
      const folder = await makeFolder('Guarded');
      const requests: readonly (readonly [right: string, method: string, target: string, body?: unknown])[] = [
        ['plugin::upload.read', 'GET', 'files'],
        ['plugin::upload.read', 'GET', `files/${file.id}`],
        ['plugin::upload.read', 'GET', `files/${file.id}/uses`],
        ['plugin::upload.read', 'GET', 'folders'],
        ['plugin::upload.assets.create', 'POST', 'files', await uploadForm(['dot.gif'])],
        ['plugin::upload.assets.create', 'POST', 'folders', { name: 'New', parent: null }],
        ['plugin::upload.assets.update', 'GET', 'files/ids'],
        ['plugin::upload.assets.update', 'PUT', `files/${file.id}`, { name: 'x' }],
        ['plugin::upload.assets.update', 'POST', `files/${file.id}/replace`, await uploadForm(['dot.gif'])],
        ['plugin::upload.assets.update', 'PUT', `folders/${folder.id}`, { name: 'x' }],
        ['plugin::upload.assets.update', 'POST', 'files/move', { files: [file.id], folders: [], to: null }],
        ['plugin::upload.assets.update', 'POST', 'files/delete', { files: [file.id], folders: [] }],
        ['plugin::upload.assets.update', 'DELETE', `folders/${folder.id}`],
      ];
      for (const right of new Set(requests.map(([action]) => action))) {
        await rows(`update admin_permissions set action = 'gone ' || action where action = '${right}'`);
        for (const [needed, method, target, body] of requests.filter(([action]) => action === right)) {
          strictEqual((await ask(method, target, body, 'eva')).status, 403, `${needed}: ${method} ${target}`);
        }
        await rows(`update admin_permissions set action = '${right}' where action = 'gone ${right}'`);
        const [, method, target] = requests[0]!;
        strictEqual((await ask(method, target, undefined, 'eva')).status, 200);
      }
      strictEqual((await new Browser(server).get('files')).status, 401);
    });
  });
}
