/** The trash in the administration: deleted documents are listed, restored with their links, and deleted for good. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { forgetOldDeletions, limitDeletions } from '../../../src/history/trash.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import {
  CONFORMANCE_DIR,
  contentType,
  copyProject,
  makeProject,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const AUTHOR = 'api::author.author';
const POST = 'api::post.post';
/** Refuses drafts with a title, and edits posts before their deletion. */
const CODE = `const { errors } = require('@strapi/utils');
module.exports = { register({ strapi }) {
  strapi.db.lifecycles.subscribe({
    models: ['${POST}'],
    async beforeDelete({ params: { where } }) {
      const { documentId, note } = await strapi.db.query('${POST}').findOne({ where });
      if (note === null) await strapi.documents('${POST}').update({ documentId, data: { note: 'edited' } });
    },
  });
  strapi.documents.use((context, next) => {
    if (context.params.data?.title === 'refused draft') throw new errors.ApplicationError('not this one');
    return next();
  });
} };`;

/** Components in each of which there are two others: more than a statement reads. */
const LEVELS = 11;
const TABLES = [
  ['api::note.note', 'notes'],
  ['api::large.large', 'larges'],
] as const;

for (const engine of engines) {
  describe(`the trash on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;

    const documents = (uid = ARTICLE) => server.app.documents(uid);
    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const create = async (data: object, status: 'draft' | 'published' = 'draft', uid = ARTICLE): Promise<string> =>
      String((await documents(uid).create({ data: data as Any, status })).documentId);
    const remove = (id: string, query = '', uid = ARTICLE) =>
      sue.send('DELETE', `content/${uid}/${id}${query}`, undefined, { 'if-match': '*' });
    const removeThrough = (id: string, uid = ARTICLE) => documents(uid).delete({ documentId: id });
    const inTrash = async (id: string, as = sue): Promise<Any> =>
      (await ask('GET', `trash?documentId=${id}`, undefined, as)).body.data[0];
    const restore = (entry: Any, as = sue) => ask('POST', `trash/${entry.id}/restore`, {}, as);
    const read = async (path: string) => (await server.get(`/api/${path}`, server.secrets['full'])).body.data;
    const count = async (text: string): Promise<number> =>
      Number((await server.app.database.rows(`select count(*) from ${text}`, []))[0]![0]);
    /** Signs in an administrator with a role. */
    const administrator = async (name: string, role: string): Promise<Browser> => {
      await makeAdministrator(server, name, role);
      const browser = new Browser(server);
      await browser.signIn(name);
      return browser;
    };

    before(async () => {
      server = await serveSeeded(engine, await copyProject(CONFORMANCE_DIR));
      sue = await administrator('sue', 'strapi-super-admin');
    });
    after(() => server?.stop());

    it('contains a deleted document, with its name, its locales and the person who deleted it', async () => {
      const id = await create({ title: 'gone' }, 'published');
      const removed = await remove(id);
      strictEqual(removed.status, 204, removed.text);
      const entry = await inTrash(id);
      deepStrictEqual(
        [entry.type, entry.name, entry.locales, entry.isPublished, entry.deletedBy.kind, entry.mayRestore],
        [ARTICLE, 'gone', ['en'], true, 'administrator', true],
      );
      strictEqual((await server.get(`/api/articles/${id}`, server.secrets['full'])).status, 404);
    });

    it('restores drafts and published versions with their own contents, times and ids', async () => {
      const id = await create({ title: 'one', links: [{ label: 'a' }], seo: { metaTitle: 'm' } }, 'published');
      await documents().update({ documentId: id, data: { title: 'un' } as Any, locale: 'fr', status: 'published' });
      await documents().update({ documentId: id, data: { title: 'two', links: [] } as Any });
      const query = (status: string, locale: string) =>
        read(`articles/${id}?status=${status}&locale=${locale}&populate=*`);
      const all = async () => {
        const versions = [await query('draft', 'en'), await query('published', 'en'), await query('published', 'fr')];
        return JSON.parse(JSON.stringify(versions, (key, value) => (key === 'id' ? undefined : value)));
      };
      const before = await all();
      await remove(id);
      const restored = await restore(await inTrash(id));
      strictEqual(restored.status, 200, restored.text);
      deepStrictEqual(restored.body.data.losses, []);
      deepStrictEqual(restored.body.data.locales.toSorted(), ['en', 'fr']);
      deepStrictEqual(await all(), before);
      strictEqual(await inTrash(id), undefined);
    });

    it('restores the links of other documents at their places', async () => {
      const tags = [];
      for (const name of ['a', 'b', 'c']) tags.push(await create({ name }, 'published', TAG));
      const id = await create({ title: 'linking', tags }, 'published');
      const names = async () => {
        const shown = await read(`articles/${id}?populate[tags][fields]=name`);
        return shown.tags.map(({ name }: Any) => name);
      };
      await removeThrough(tags[1]!, TAG);
      deepStrictEqual(await names(), ['a', 'c']);
      const entry = await inTrash(tags[1]!);
      strictEqual(entry.name, 'b');
      deepStrictEqual((await ask('GET', `trash/${entry.id}`)).body.data.losses, []);
      strictEqual((await restore(entry)).status, 200);
      deepStrictEqual(await names(), ['a', 'b', 'c']);
      strictEqual((await read(`articles/${id}?status=draft&populate=tags`)).tags.length, 3);
    });

    it('restores what a transaction has written and then deleted', async () => {
      for (const action of [{ action: 'update', data: { title: 'two' } }, { action: 'publish' }]) {
        const id = await create({ title: 'one' }, 'published');
        const operations = [action, { action: 'delete' }].map((one) => ({ ...one, documentId: id }));
        const token = server.secrets['full'];
        const batch = await server.request('POST', '/api/articles/actions/batch', { token, body: { operations } });
        strictEqual(batch.status, 200, batch.text);
        const restored = await restore(await inTrash(id));
        strictEqual(restored.status, 200, restored.text);
        strictEqual((await read(`articles/${id}?status=draft`)).title, action.data?.title ?? 'one');
      }
    });

    it('tells what cannot come back, and restores the rest', async () => {
      const tag = await create({ name: 'deleted too' }, 'published', TAG);
      const id = await create({ title: 'one', tags: [tag] }, 'published');
      await remove(id);
      await removeThrough(tag, TAG);
      const entry = await inTrash(id);
      const { losses } = (await ask('GET', `trash/${entry.id}`)).body.data;
      ok(losses.length > 0);
      const target = { type: TAG, documentId: tag, name: 'deleted too' };
      ok(losses.every((loss: Any) => loss.path === 'tags' && loss.reason === 'deletedDocument'));
      deepStrictEqual(losses[0].target, target);
      const restored = await restore(entry);
      deepStrictEqual(restored.body.data.losses, losses);
      deepStrictEqual((await read(`articles/${id}?populate=tags`)).tags, []);
    });

    it('leaves a document alone that links another one by now', async () => {
      const [first, second] = [
        await create({ name: 'first' }, 'draft', AUTHOR),
        await create({ name: 'second' }, 'draft', AUTHOR),
      ];
      const id = await create({ title: 'written', author: first });
      await removeThrough(first, AUTHOR);
      await documents().update({ documentId: id, data: { author: second } as Any });
      const { losses } = (await restore(await inTrash(first))).body.data;
      deepStrictEqual(losses, [
        { path: 'author', reason: 'takenLink', source: { type: ARTICLE, documentId: id, locale: 'en' } },
      ]);
      strictEqual((await read(`articles/${id}?status=draft&populate=author`)).author.name, 'second');
    });

    it('links documents again that were deleted one after the other', async () => {
      const tag = await create({ name: 'first' }, 'published', TAG);
      const id = await create({ title: 'second', tags: [tag] }, 'published');
      await removeThrough(tag, TAG);
      await remove(id);
      await restore(await inTrash(id));
      await restore(await inTrash(tag));
      deepStrictEqual(
        (await read(`articles/${id}?populate=tags`)).tags.map(({ documentId }: Any) => documentId),
        [tag],
      );
    });

    it('restores the version of one locale into a document that still exists', async () => {
      const id = await create({ title: 'one' }, 'published');
      await documents().update({ documentId: id, data: { title: 'un' } as Any, locale: 'fr', status: 'published' });
      await remove(id, '?locale=fr');
      const entry = await inTrash(id);
      deepStrictEqual(entry.locales, ['fr']);
      strictEqual((await restore(entry)).status, 200);
      strictEqual((await read(`articles/${id}?locale=fr`)).title, 'un');
      strictEqual((await read(`articles/${id}?locale=en`)).title, 'one');
    });

    it('refuses to restore a document that exists again, or what another request has restored', async () => {
      const id = await create({ title: 'one' });
      await remove(id);
      const entry = await inTrash(id);
      strictEqual((await ask('POST', `content/${ARTICLE}`, { documentId: id, data: { title: 'again' } })).status, 201);
      const refused = await restore(entry);
      strictEqual(refused.status, 400, refused.text);
      strictEqual((await inTrash(id)).id, entry.id, 'it stays in the trash');
      strictEqual((await ask('POST', 'trash/999999/restore', {})).status, 404);
    });

    it('restores all or nothing', async () => {
      const id = await create({ title: 'one', slug: 'taken-slug' }, 'published');
      await remove(id);
      const entry = await inTrash(id);
      await create({ title: 'other', slug: 'taken-slug' }, 'published');
      const refused = await restore(entry);
      strictEqual(refused.status, 400, refused.text);
      strictEqual(await count(`articles where document_id = '${id}'`), 0);
      ok(await inTrash(id));
    });

    it('pages, and narrows by type, person and time', async () => {
      const ids: string[] = [];
      for (const name of ['x', 'y', 'z']) ids.push(await create({ name }, 'draft', TAG));
      for (const id of ids) await removeThrough(id, TAG);
      const first = await ask('GET', `trash?type=${TAG}&pageSize=2`);
      deepStrictEqual(
        first.body.data.map(({ name }: Any) => name),
        ['z', 'y'],
      );
      const second = await ask('GET', `trash?type=${TAG}&pageSize=2&cursor=${first.body.meta.pagination.next}`);
      strictEqual(second.body.data[0].name, 'x');
      const byPerson = (await ask('GET', 'trash?person=999')).body.data;
      deepStrictEqual(byPerson, []);
      deepStrictEqual((await ask('GET', 'trash?to=2020-01-01')).body.data, []);
      const wrong = await ask('GET', 'trash?from=yesterday&pageSize=0');
      strictEqual(wrong.status, 400);
      deepStrictEqual(
        wrong.body.error.details.errors.map(({ path }: Any) => path),
        [['from'], ['pageSize']],
      );
      for (const [query, path, hint] of [
        ['typ=x', 'typ', 'type'],
        ['type=api::tga.tga', 'type', TAG],
      ] as const) {
        const { status, body } = await ask('GET', `trash?${query}`);
        const [failure] = body.error.details.errors;
        deepStrictEqual([status, failure.path], [400, [path]]);
        ok(failure.message.endsWith(`: did you mean ${hint}?`), failure.message);
      }
      for (const body of [{ type: 'api::tga.tga' }, { tipe: TAG }]) {
        const refused = await ask('POST', 'trash/empty', body);
        deepStrictEqual([refused.status, refused.body.error.details.errors[0].path], [400, Object.keys(body)]);
      }
    });

    it('shows administrators what they may read, and restores within their rights', async () => {
      const reads = {
        operation: 'read',
        subject: ARTICLE,
        properties: { fields: ['title'], locales: ['fr'] },
      } as const;
      await makeRole(server, 'french', [reads]);
      await makeRole(server, 'reader', [{ ...reads, properties: { fields: ['title'], locales: ['en', 'fr'] } }]);
      await makeRole(server, 'creator', [
        { ...reads, properties: { fields: ['title'], locales: ['en', 'fr'] }, conditions: ['admin::is-creator'] },
      ]);
      const [french, reader, creator] = [
        await administrator('fred', 'french'),
        await administrator('rita', 'reader'),
        await administrator('carl', 'creator'),
      ];
      const id = await create({ title: 'english' });
      const tag = await create({ name: 'tag' }, 'draft', TAG);
      await remove(id);
      await removeThrough(tag, TAG);
      strictEqual(await inTrash(id, french), undefined);
      strictEqual(await inTrash(id, creator), undefined);
      strictEqual(await inTrash(tag, reader), undefined);
      const entry = await inTrash(id, reader);
      deepStrictEqual([entry.name, entry.mayRestore], ['english', false]);
      strictEqual((await restore(entry, reader)).status, 403);
      strictEqual((await restore(entry, french)).status, 404);
      strictEqual((await ask('DELETE', `trash/${entry.id}`, undefined, reader)).status, 403);
      strictEqual((await ask('POST', 'trash/empty', {}, reader)).status, 403);
    });

    it('grants the right to delete for good by a permission of its own', async () => {
      const eva = await administrator('eva', 'strapi-editor');
      const roles = (await sue.send('GET', 'roles')).body.data;
      const editor = (roles.roles ?? roles).find(({ code }: Any) => code === 'strapi-editor');
      const permissions = [
        { action: 'admin::trash.delete', subject: null, permission: { fields: null, locales: null, conditions: [] } },
      ];
      const id = await create({ title: 'for good' }, 'published');
      await remove(id);
      const entry = await inTrash(id, eva);
      strictEqual((await ask('DELETE', `trash/${entry.id}`, undefined, eva)).status, 403);
      const granted = await sue.send('PUT', `roles/${editor.id}`, { permissions });
      strictEqual(granted.status, 200, granted.text);
      strictEqual(await count(`admin_permissions where action like 'admin::trash%'`), 0, 'Strapi does not see it');
      strictEqual((await ask('DELETE', `trash/${entry.id}`, undefined, eva)).status, 204);
      strictEqual(await count(`galley_versions where document_id = '${id}'`), 0);
      strictEqual((await restore(entry)).status, 404);
    });

    it('is listed, restored from and emptied by commands', async () => {
      const { dir } = server.app.config;
      const galley = async (...args: string[]) => {
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        const code = await runCommandLine([...args, dir], { env: server.env, print, warn: print });
        return { code, text: lines.join('\n') };
      };
      const id = await create({ title: 'by command' }, 'published');
      await remove(id);
      const { text } = await galley('trash', 'list', '--type', ARTICLE, '--limit', '1', '--json');
      const [listed] = text.split('\n').map((line) => JSON.parse(line) as Any);
      deepStrictEqual([listed.documentId, listed.name, listed.deletedBy.name], [id, 'by command', 'sue']);
      deepStrictEqual(await galley('trash', 'restore', String(listed.id)), { code: 0, text: `restored ${id}` });
      strictEqual((await read(`articles/${id}`)).title, 'by command');
      strictEqual((await galley('trash', 'restore', String(listed.id))).code, 2);
      strictEqual((await galley('trash', 'empty', '--type', 'unknown')).code, 2);
      await remove(id);
      strictEqual((await galley('trash', 'empty', '--type', ARTICLE)).code, 0);
      strictEqual(await inTrash(id), undefined);
    });

    it('is emptied', async () => {
      const id = await create({ title: 'last' });
      await remove(id);
      const { deleted, more } = (await ask('POST', 'trash/empty', { type: ARTICLE })).body.data;
      ok(deleted > 0);
      strictEqual(more, false);
      deepStrictEqual((await ask('GET', `trash?type=${ARTICLE}`)).body.data, []);
      ok((await ask('GET', `trash?type=${TAG}`)).body.data.length > 0);
      await ask('POST', 'trash/empty', {});
      strictEqual(await count('galley_trash'), 0);
    });

    it('deletes documents for good after some days', async () => {
      const id = await create({ title: 'old' }, 'published');
      await remove(id);
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update galley_trash set deleted_at = 1 where document_id = '${id}'`, []);
      });
      const tables = new Map([[ARTICLE, 'articles']]);
      const { database, stores } = server.app;
      await forgetOldDeletions({ database, tables, stores: stores.stores }, { days: 30, isOver: () => false });
      strictEqual(await inTrash(id), undefined);
      strictEqual(await count(`galley_versions where document_id = '${id}'`), 0);
    });

    it('deletes the oldest documents for good beyond a number', async () => {
      const ids = [];
      for (const title of ['first', 'second', 'third']) {
        ids.push(await create({ title }));
        await remove(ids.at(-1)!);
      }
      await limitDeletions(server.app.database, 2);
      deepStrictEqual(
        (await ask('GET', 'trash')).body.data.map(({ documentId }: Any) => documentId),
        [ids[2], ids[1]],
      );
      const forgetting = { database: server.app.database, tables: new Map<string, string>(), stores: [] };
      await forgetOldDeletions(forgetting, { days: 30, isOver: () => false });
      strictEqual(await count('galley_trash'), 2);
      strictEqual(await count(`galley_versions where document_id = '${ids[0]}'`), 0);
    });

    it('deletes for good the versions of locales that were deleted one after the other', async () => {
      const id = await create({ title: 'one' }, 'published');
      for (const title of ['un', 'deux'])
        await documents().update({ documentId: id, data: { title } as Any, locale: 'fr', status: 'published' });
      for (const title of ['two', 'three'])
        await documents().update({ documentId: id, data: { title } as Any, status: 'published' });
      for (const locale of ['en', 'fr']) strictEqual((await remove(id, `?locale=${locale}`)).status, 204);
      const { data } = (await ask('GET', `trash?documentId=${id}`)).body;
      deepStrictEqual(
        data.map(({ locales }: Any) => locales),
        [['fr'], ['en']],
      );
      const left = () => count(`galley_versions where document_id = '${id}'`);
      const all = await left();
      strictEqual((await ask('DELETE', `trash/${data[1].id}`)).status, 204);
      const french = await left();
      ok(french > 0 && french < all, 'those of the locale that can be restored');
      strictEqual((await ask('DELETE', `trash/${data[0].id}`)).status, 204);
      strictEqual(await left(), 0);
    });
  });

  describe(`the trash without what cannot be restored on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    const removed = async (path: string, data: object): Promise<string> => {
      const token = server.secrets['full'];
      const made = await server.request('POST', `/api/${path}`, { token, body: { data } });
      const id = made.body.data.documentId;
      const body = { data: { title: 'two' } };
      strictEqual((await server.request('PUT', `/api/${path}/${id}`, { token, body })).status, 200);
      strictEqual((await server.request('DELETE', `/api/${path}/${id}`, { token })).status, 204);
      return id;
    };
    const start = async (days: number) => {
      const part = (inside: object) => ({ collectionName: '', attributes: { text: { type: 'string' }, ...inside } });
      const components: Record<string, object> = {};
      for (let level = 1; level <= LEVELS; level += 1) {
        const component = `nested.level${level + 1}`;
        const inside =
          level === LEVELS ? {} : { a: { type: 'component', component }, b: { type: 'component', component } };
        components[`nested.level${level}`] = { ...part(inside), collectionName: `components_nested_level${level}s` };
      }
      const large = { title: { type: 'string' }, part: { type: 'component', component: 'nested.level1' } };
      const folder = await makeProject({
        contentTypes: { note: contentType('note', { title: { type: 'string' } }), large: contentType('large', large) },
        components: components as Any,
        files: { 'config/galley.js': `module.exports = { trash: { days: ${days} } };` },
      });
      server = await serveSeeded(engine, folder);
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = new Browser(server);
      await sue.signIn('sue');
    };
    const forget = (days: number) =>
      forgetOldDeletions(
        { database: server.app.database, tables: new Map(TABLES), stores: server.app.stores.stores },
        { days, isOver: () => false },
      );
    const stored = async (table: string, id: string): Promise<number> => {
      const [row] = await server.app.database.rows(`select count(*) from ${table} where document_id = '${id}'`, []);
      return Number(row![0]);
    };
    afterEach(() => server?.stop());

    it('does not have documents if it is switched off, and their versions are deleted in the background', async () => {
      await start(0);
      const id = await removed('notes', { title: 'one' });
      ok((await stored('galley_versions', id)) > 0, 'before the deletion');
      deepStrictEqual((await sue.send('GET', 'trash')).body.data, []);
      await forget(0);
      deepStrictEqual([await stored('galley_versions', id), await stored('galley_trash', id)], [0, 0]);
    });

    it('does not have documents whose content the history does not record', async () => {
      await start(30);
      const [note, large] = [await removed('notes', { title: 'one' }), await removed('larges', { title: 'one' })];
      deepStrictEqual(
        (await sue.send('GET', 'trash')).body.data.map(({ documentId }: Any) => documentId),
        [note],
      );
      await forget(30);
      deepStrictEqual([await stored('galley_trash', note), await stored('galley_trash', large)], [1, 0]);
    });
  });

  describe(`the trash of documents with links and hidden parts on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let pat: Browser;
    const text = { type: 'string' };
    const localized = { pluginOptions: { i18n: { localized: true } } };
    const to = (relation: string, target: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });
    const drafts = { options: { draftAndPublish: true } };
    const [STORY, TOPIC, NOTE, VAULT, PAGE] = ['story', 'topic', 'note', 'vault', 'page'].map(
      (name) => `api::${name}.${name}`,
    ) as [string, string, string, string, string];

    const documents = (uid: string) => server.app.documents(uid);
    const create = async (uid: string, data: object, rest: object = {}): Promise<string> =>
      String((await documents(uid).create({ data: data as Any, status: 'published', ...rest })).documentId);
    const inTrash = async (documentId: string, as = sue): Promise<Any[]> =>
      (await as.send('GET', `trash?documentId=${documentId}`)).body.data;
    const lossesOf = async (entry: Any, as = sue): Promise<Any> =>
      (await as.send('GET', `trash/${entry.id}`)).body.data.losses;
    const restore = async (entry: Any, as = sue): Promise<Any> => {
      const { status, text, body } = await as.send('POST', `trash/${entry.id}/restore`, {});
      strictEqual(status, 200, text);
      return body.data.losses;
    };
    const linked = async (uid: string, documentId: string, name: string, status: 'draft' | 'published') => {
      const found = (await documents(uid).findOne({ documentId, status, populate: [name] })) as Any;
      return found[name].map((one: Any) => one.documentId);
    };

    before(async () => {
      const folder = await makeProject({
        contentTypes: {
          story: contentType(
            'story',
            {
              title: text,
              topics: to('manyToMany', TOPIC, { inversedBy: 'stories' }),
              related: to('oneToMany', TOPIC),
            },
            drafts,
          ),
          topic: contentType('topic', { name: text, stories: to('manyToMany', STORY, { mappedBy: 'topics' }) }, drafts),
          note: contentType('note', {
            text,
            secret: text,
            part: { type: 'component', component: 'shared.part' },
          }),
          vault: contentType('vault', { name: text, note: to('manyToOne', NOTE) }),
          page: contentType('page', { title: { ...text, ...localized }, shared: text }, { ...drafts, ...localized }),
        },
        components: {
          'shared.part': { collectionName: 'components_shared_parts', attributes: { shown: text, hidden: text } },
        },
      });
      server = await serveSeeded(engine, folder);
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const properties = { fields: ['text', 'part.shown'] };
      await makeRole(server, 'partial', [
        { operation: 'read', subject: NOTE, properties },
        { operation: 'create', subject: NOTE, properties },
      ]);
      await makeAdministrator(server, 'pat', 'partial');
      [sue, pat] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await pat.signIn('pat');
    });
    after(() => server?.stop());

    it('links published versions of documents that were published anew', async () => {
      const topic = await create(TOPIC, { name: 't' });
      const story = await create(STORY, { title: 's', topics: [topic], related: [topic] });
      await documents(STORY).delete({ documentId: story });
      await documents(TOPIC).unpublish({ documentId: topic });
      await documents(TOPIC).publish({ documentId: topic });
      deepStrictEqual(await restore((await inTrash(story))[0]), []);
      for (const status of ['draft', 'published'] as const) {
        deepStrictEqual(await linked(STORY, story, 'topics', status), [topic], status);
      }
      await documents(TOPIC).delete({ documentId: topic });
      await documents(STORY).unpublish({ documentId: story });
      await documents(STORY).publish({ documentId: story });
      deepStrictEqual(await restore((await inTrash(topic))[0]), []);
      for (const status of ['draft', 'published'] as const) {
        deepStrictEqual(await linked(STORY, story, 'topics', status), [topic], status);
        deepStrictEqual(await linked(STORY, story, 'related', status), [topic], status);
      }
    });

    it('links documents once they are published again that were unpublished meanwhile', async () => {
      const topic = await create(TOPIC, { name: 't' });
      const story = await create(STORY, { title: 's', topics: [topic] });
      await documents(STORY).delete({ documentId: story });
      await documents(TOPIC).unpublish({ documentId: topic });
      deepStrictEqual(await restore((await inTrash(story))[0]), []);
      deepStrictEqual(await linked(STORY, story, 'topics', 'published'), []);
      await documents(TOPIC).publish({ documentId: topic });
      deepStrictEqual(await linked(STORY, story, 'topics', 'published'), [topic]);
    });

    it('names fields that the person may not write, and components with hidden parts', async () => {
      const note = await create(NOTE, { text: 'a', secret: 'b', part: { shown: 'c', hidden: 'd' } });
      await documents(NOTE).delete({ documentId: note });
      const [entry] = await inTrash(note, pat);
      const losses = await lossesOf(entry, pat);
      deepStrictEqual(
        losses.toSorted((one: Any, other: Any) => one.path.localeCompare(other.path)),
        [
          { path: 'part', reason: 'notPermitted' },
          { path: 'secret', reason: 'notPermitted' },
        ],
      );
      deepStrictEqual(await restore(entry, pat), losses);
      const found = (await documents(NOTE).findOne({ documentId: note, populate: ['part'] })) as Any;
      deepStrictEqual([found.text, found.secret, found.part], ['a', null, null]);
      await documents(NOTE).delete({ documentId: note });
    });

    it('does not name documents that are hidden from the person', async () => {
      const [first, second] = [await create(NOTE, { text: 'a' }), await create(NOTE, { text: 'b' })];
      const vault = await create(VAULT, { name: 'v', note: first });
      await documents(NOTE).delete({ documentId: first });
      await documents(VAULT).update({ documentId: vault, data: { note: second } as Any });
      const [entry] = await inTrash(first, pat);
      deepStrictEqual(await lossesOf(entry), [
        { path: 'note', reason: 'takenLink', source: { type: VAULT, documentId: vault } },
      ]);
      deepStrictEqual(await lossesOf(entry, pat), [{ path: 'note', reason: 'takenLink' }]);
      deepStrictEqual(await restore(entry, pat), [{ path: 'note', reason: 'takenLink' }]);
    });

    it('restores the last shared values of a document whose locales were deleted one after the other', async () => {
      const page = await create(PAGE, { title: 'en', shared: 'old' }, { locale: 'en' });
      await documents(PAGE).update({
        documentId: page,
        locale: 'fr',
        data: { title: 'fr' } as Any,
        status: 'published',
      });
      await documents(PAGE).delete({ documentId: page, locale: 'fr' });
      await documents(PAGE).update({
        documentId: page,
        locale: 'en',
        data: { shared: 'new' } as Any,
        status: 'published',
      });
      await documents(PAGE).delete({ documentId: page });
      const [whole, french] = await inTrash(page);
      deepStrictEqual([whole.locales, french.locales], [['en'], ['fr']]);
      for (const entry of [french, whole]) deepStrictEqual(await restore(entry), []);
      for (const locale of ['en', 'fr']) {
        for (const status of ['draft', 'published'] as const) {
          const { title, shared } = (await documents(PAGE).findOne({ documentId: page, locale, status })) as Any;
          deepStrictEqual([title, shared], [locale, 'new'], `${locale} ${status}`);
        }
      }
    });
  });

  describe(`the trash with code of the project on ${engine.name}`, () => {
    let server: RunningServer;
    let sue: Browser;
    before(async () => {
      const post = {
        title: { type: 'string' },
        note: { type: 'string' },
        tags: { type: 'relation', relation: 'oneToMany', target: POST },
        code: { type: 'password' },
      };
      const folder = await makeProject({
        contentTypes: { post: contentType('post', post, { options: { draftAndPublish: true } }) },
        files: { 'src/index.js': CODE },
      });
      server = await serve(folder, await engine.databaseFor(folder));
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = new Browser(server);
      await sue.signIn('sue');
    });
    after(() => server?.stop());

    it('records the passwords of documents with more links than are recorded', async () => {
      const { database } = server.app;
      const posts = server.app.documents(POST);
      const { documentId } = await posts.create({ data: { title: 'linked', code: 'Secret123' } as Any });
      const numbers =
        engine.name === 'sqlite'
          ? '(with recursive s(n) as (select 1 union all select n + 1 from s where n < 10001) select n from s)'
          : '(select generate_series(1, 10001) as n)';
      await database.transaction(async (tx) => {
        await tx.rows(`insert into posts (document_id, title) select 'link' || s.n, 'linking' from ${numbers} s`, []);
        await tx.rows(
          `insert into posts_tags_lnk (post_id, inv_post_id) select p.id, (select min(id) from posts
           where document_id = '${documentId}') from posts p where p.title = 'linking'`,
          [],
        );
      });
      await sue.send('DELETE', `content/${POST}/${documentId}`, undefined, { 'if-match': '*' });
      const [row] = await database.rows(`select links from galley_trash where document_id = '${documentId}'`, []);
      const links = JSON.parse(String(row![0])) as readonly { readonly side: string }[];
      deepStrictEqual([links.length, links.filter(({ side }) => side === 'password').length], [10_000, 1]);
    });

    it('runs it as for a creation, and restores nothing if it refuses a write', async () => {
      const remove = async (title: string): Promise<{ readonly id: string; readonly entry: number }> => {
        const posts = server.app.documents(POST);
        const id = String((await posts.create({ data: { title } as Any, status: 'published' })).documentId);
        await posts.update({ documentId: id, data: { title: `${title} draft` } as Any });
        await sue.send('DELETE', `content/${POST}/${id}`, undefined, { 'if-match': '*' });
        return { id, entry: (await sue.send('GET', `trash?documentId=${id}`)).body.data[0].id };
      };
      const found = (documentId: string) =>
        server.app.documents(POST).findOne({ documentId, status: 'draft' }) as Promise<Any>;
      const [kept, refused] = [await remove('kept'), await remove('refused')];
      strictEqual((await sue.send('POST', `trash/${kept.entry}/restore`, {})).status, 200);
      const draft = await found(kept.id);
      deepStrictEqual([draft.title, draft.note], ['kept draft', 'edited']);
      deepStrictEqual((await sue.send('GET', `content/${POST}/${kept.id}`)).body.data.published.title, 'kept');
      // code refuses the draft, which is written last
      strictEqual((await sue.send('POST', `trash/${refused.entry}/restore`, {})).status, 400);
      strictEqual(await found(refused.id), null);
      strictEqual((await sue.send('GET', `trash/${refused.entry}`)).status, 200);
    });
  });
}
