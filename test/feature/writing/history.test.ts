/** Recorded versions of documents over HTTP: what is recorded, read, restored, compressed and deleted. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { historyConfig } from '../../../src/config/history-config.ts';
import { forgetVersions, packVersions, pruneVersions } from '../../../src/history/upkeep.ts';
import { compileForgetVersions } from '../../../src/sql/trash.ts';
import { engines } from '../../support/databases/databases.ts';
import {
  CONFORMANCE_DIR,
  contentType,
  copyProject,
  makeProject,
  type ProjectFolder,
  serve,
} from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are of any form
type Any = any;

const ARTICLE = 'api::article.article';

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'other', type: 'full-access' },
    { name: 'reader', type: 'custom', permissions: [`${ARTICLE}.find`, `${ARTICLE}.findOne`] },
    { name: 'historian', type: 'custom', permissions: [`${ARTICLE}.findVersions`] },
  ],
};

for (const engine of engines) {
  describe(`the history on ${engine.name}`, () => {
    let server: SeededServer;
    const documents = () => server.app.documents(ARTICLE);
    const get = (url: string, token = 'full') => server.get(url, server.secrets[token]);
    const post = (url: string, body: unknown, token = 'full') =>
      server.request('POST', url, { token: server.secrets[token], body });
    const put = (id: string, data: unknown, query = 'status=draft') =>
      server.request('PUT', `/api/articles/${id}?${query}`, { token: server.secrets['full'], body: { data } });
    const create = async (data: Record<string, unknown>, status: 'draft' | 'published' = 'draft') =>
      String((await documents().create({ data: { title: 't', ...data }, status })).documentId);
    const versions = async (id: string, query = '') => (await get(`/api/articles/${id}/versions?${query}`)).body.data;
    let folder: ProjectFolder;
    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      server = await serveSeeded(engine, folder, FIXTURE);
    });
    after(() => server?.stop());

    it('records a state when it is replaced, with its author, its end and the reason', async () => {
      const id = await create({ title: 'one' }, 'published');
      await put(id, { title: 'two' }, 'status=published');
      await server.request('POST', `/api/articles/${id}/actions/unpublish`, { token: server.secrets['full'] });
      await put(id, { title: 'three' });
      const list = await versions(id);
      deepStrictEqual(
        list.map(({ status, reason, locale }: Record<string, unknown>) => [status, reason, locale]),
        [
          ['published', 'unpublished', 'en'],
          ['published', 'published', 'en'],
          // before the second write, which changed the draft as well
          ['draft', 'updated', 'en'],
        ],
      );
      const [unpublished, published] = list;
      deepStrictEqual(Object.keys(unpublished), [
        ...['id', 'status', 'locale', 'savedAt', 'savedBy', 'replacedAt', 'replacedBy', 'reason'],
      ]);
      strictEqual(unpublished.replacedBy.kind, 'token');
      strictEqual(unpublished.replacedBy.name, 'full');
      deepStrictEqual(unpublished.savedBy, published.replacedBy);
      ok(unpublished.savedAt <= unpublished.replacedAt && published.savedAt <= unpublished.savedAt);
      const { body } = await get(`/api/articles/${id}/versions/${published.id}`);
      strictEqual(body.data.content.title, 'one');
      deepStrictEqual(body.data.losses, []);
    });

    it('counts edits by one actor within the interval as one, and separates those of several', async () => {
      const id = await create({ title: 'one' });
      for (const title of ['two', 'three', 'four']) await put(id, { title });
      deepStrictEqual(
        (await versions(id)).map(({ reason }: Record<string, unknown>) => reason),
        ['updated'],
        'the state before the session',
      );
      await documents().update({ documentId: id, data: { title: 'five' } });
      await put(id, { title: 'six' });
      strictEqual((await versions(id)).length, 3);
      const contents = await Promise.all(
        (await versions(id)).map(
          async (one: { id: number }) => (await get(`/api/articles/${id}/versions/${one.id}`)).body.data.content.title,
        ),
      );
      deepStrictEqual(contents, ['five', 'four', 'one']);
    });

    it('names the author of the first state of a version, of any kind', async () => {
      const { documentId } = (await post('/api/articles', { data: { title: 'by one' } })).body.data;
      const byOther = async (query: string) => {
        const token = server.secrets['other'];
        const body = { data: { title: 'by the other' } };
        const { status, text } = await server.request('PUT', `/api/articles/${documentId}?${query}`, { token, body });
        ok(status < 300, text);
      };
      await byOther('status=published');
      await byOther('status=published&locale=fr');
      await put(documentId, { title: 'by one again' }, 'status=published&locale=fr');
      const authors = async (id: string) =>
        (await versions(id)).map(({ locale, status, savedBy }: Any) => [
          ...[locale, status, savedBy?.kind ?? null, savedBy?.name ?? null],
        ]);
      deepStrictEqual((await authors(documentId)).toSorted(), [
        ['en', 'draft', 'token', 'full'],
        ['en', 'published', 'token', 'full'],
        ['fr', 'draft', 'token', 'other'],
        ['fr', 'published', 'token', 'other'],
      ]);
      const byServer = await create({ title: 'by no request' });
      await put(byServer, { title: 'by a token' });
      deepStrictEqual(
        (await authors(byServer)).map(([, , kind]: Any) => kind),
        ['server'],
      );
    });

    it('records documents with values in any combination of attributes', async () => {
      const target = await create({ title: 'target' });
      const parts = {
        seo: { metaTitle: 'm' },
        links: [{ label: 'l', url: 'https://example.org' }],
        zone: [{ __component: 'blocks.quote', text: 'q' }],
        hero: [{ __component: 'blocks.hero', title: 'h' }],
        related: [target],
      };
      const names = Object.keys(parts) as (keyof typeof parts)[];
      for (let chosen = 0; chosen < 2 ** names.length; chosen += 1) {
        const has = (name: keyof typeof parts) => (chosen >> names.indexOf(name)) % 2 === 1;
        const pick = <K extends keyof typeof parts>(name: K, without: unknown) => (has(name) ? parts[name] : without);
        const zone = [...(has('zone') ? parts.zone : []), ...(has('hero') ? parts.hero : [])];
        const id = await create({
          seo: pick('seo', null),
          links: pick('links', []),
          zone,
          related: pick('related', []),
        });
        await put(id, { title: 'changed', seo: null, links: [], zone: [], related: [] });
        const [version] = await versions(id);
        const { content } = (await get(`/api/articles/${id}/versions/${version.id}`)).body.data;
        deepStrictEqual(
          [
            content.seo?.metaTitle ?? content.seo,
            content.links.map(({ label }: Any) => label),
            content.zone.map(({ __component, text, title }: Any) => [__component, text ?? title]),
            content.related.map(({ documentId }: Any) => documentId),
            ...[content.tags, content.author, content.cover, content.gallery],
          ],
          [
            has('seo') ? 'm' : null,
            has('links') ? ['l'] : [],
            zone.map((entry: Any) => [entry.__component, entry.text ?? entry.title]),
            has('related') ? [target] : [],
            ...[[], null, null, []],
          ],
          names.filter(has).join(),
        );
      }
    });

    it('records what a token has created before another one edits it', async () => {
      const created = await post('/api/articles?status=draft', { data: { title: 'by one' } });
      const { documentId } = created.body.data;
      const token = server.secrets['other'];
      const edited = await server.request('PUT', `/api/articles/${documentId}?status=draft`, {
        ...{ token, body: { data: { title: 'by the other' } } },
      });
      strictEqual(edited.status, 200, edited.text);
      const [version] = await versions(documentId);
      strictEqual((await get(`/api/articles/${documentId}/versions/${version.id}`)).body.data.content.title, 'by one');
    });

    it('lists the versions of one locale in pages', async () => {
      const id = await create({ title: 'one' }, 'published');
      await put(id, { title: 'un' }, 'status=published&locale=fr');
      for (const title of ['two', 'three']) await put(id, { title }, 'status=published');
      await put(id, { title: 'deux' }, 'status=published&locale=fr');
      const { body } = await get(`/api/articles/${id}/versions?locale=en&pagination[pageSize]=2`);
      strictEqual(body.data.length, 2);
      ok(body.data.every(({ locale }: { locale: string }) => locale === 'en'));
      ok(body.meta.pagination.total > 2);
      deepStrictEqual(
        (await versions(id, 'locale=fr')).map(({ status, reason }: Record<string, unknown>) => [status, reason]),
        [
          ['published', 'published'],
          // before the edits in English, which also write the values that all locales share
          ['draft', 'updated'],
        ],
        'and none of what edits in English have left unchanged',
      );
    });

    it('records each published state, also where a locale takes a shared value before it is published', async () => {
      const id = await create({ title: 'one', seo: { metaTitle: 'm' } }, 'published');
      for (const title of ['un', 'deux']) await put(id, { title }, 'status=published&locale=fr');
      await put(id, { title: 'two', views: 7, seo: { metaTitle: 'n' } });
      await put(id, { title: 'trois' }, 'status=draft&locale=fr');
      const url = `/api/articles/${id}/actions/publish?locale=*`;
      const published = await server.request('POST', url, { token: server.secrets['full'] });
      strictEqual(published.status, 200, published.text);
      const states = (await versions(id, 'locale=fr')).filter(({ status }: Any) => status === 'published');
      const titles = await Promise.all(
        states.map(async (one: Any) => (await get(`/api/articles/${id}/versions/${one.id}`)).body.data.content.title),
      );
      deepStrictEqual(titles, ['deux', 'un']);
    });

    it('restores a version or some of its attributes into the draft', async () => {
      const tag = String(
        (await server.app.documents('api::tag.tag').create({ data: { name: 'n' }, status: 'published' })).documentId,
      );
      const id = await create(
        { title: 'one', views: 1, tags: [tag], seo: { metaTitle: 'm' }, links: [{ label: 'a' }] },
        'published',
      );
      await put(id, { title: 'two', views: 2, tags: [], seo: null, links: [] }, 'status=published');
      const [{ id: version }] = (await versions(id)).filter(({ status }: { status: string }) => status === 'published');
      const url = `/api/articles/${id}/versions/${version}/actions/restore`;
      const some = await post(url, { attributes: ['views'] });
      strictEqual(some.status, 200, some.text);
      deepStrictEqual([some.body.data.title, some.body.data.views], ['two', 1]);
      const all = await post(`${url}?populate[tags]=true&populate[seo]=true&populate[links]=true`, {});
      const { title, tags, seo, links } = all.body.data;
      deepStrictEqual(
        [title, tags.map((one: { documentId: string }) => one.documentId), seo.metaTitle, links[0].label],
        ['one', [tag], 'm', 'a'],
      );
      strictEqual((await get(`/api/articles/${id}`)).body.data.title, 'two', 'the published version stays');
      strictEqual((await versions(id))[0].reason, 'restored');
    });

    it('tells what of a version cannot come back, and restores the rest', async () => {
      const tag = String(
        (await server.app.documents('api::tag.tag').create({ data: { name: 'gone' }, status: 'published' })).documentId,
      );
      const id = await create({ title: 'one', tags: [tag] }, 'published');
      await put(id, { title: 'two', tags: [] }, 'status=published');
      await server.app.documents('api::tag.tag').delete({ documentId: tag });
      const [{ id: version }] = (await versions(id)).filter(({ status }: { status: string }) => status === 'draft');
      const { body } = await get(`/api/articles/${id}/versions/${version}`);
      deepStrictEqual(body.data.losses, [
        { path: 'tags', reason: 'deletedDocument', target: { type: 'api::tag.tag', documentId: tag } },
      ]);
      const restored = await post(`/api/articles/${id}/versions/${version}/actions/restore?populate[tags]=true`, {});
      deepStrictEqual([restored.body.data.title, restored.body.data.tags], ['one', []]);
    });

    it('restores a locale that was deleted, with the values that the other locales share', async () => {
      const seo = { metaTitle: 'm' };
      const id = await create({ title: 'one', views: 1, featured: true, seo }, 'published');
      const french = { title: 'un', seo: { metaTitle: 'n' } };
      await put(id, french, 'status=draft&locale=fr');
      await server.request('DELETE', `/api/articles/${id}?locale=fr`, { token: server.secrets['full'] });
      const [{ id: version }] = await versions(id, 'locale=fr');
      const url = `/api/articles/${id}/versions/${version}`;
      deepStrictEqual((await get(url)).body.data.losses, [], 'the other locale has the same values');
      await put(id, { title: 'two', views: 2 });
      deepStrictEqual((await get(url)).body.data.losses, [{ path: 'views', reason: 'sharedByLocales' }]);
      const restored = await post(`${url}/actions/restore?populate[seo]=true`, {});
      strictEqual(restored.status, 200, restored.text);
      const { locale, title, views, featured, seo: restoredSeo } = restored.body.data;
      deepStrictEqual([locale, title, views, featured, restoredSeo.metaTitle], ['fr', 'un', 2, true, 'n']);
      strictEqual((await get(`/api/articles/${id}?status=draft`)).body.data.views, 2);

      // the last locale of a document shares its attributes with no other one
      await server.request('DELETE', `/api/articles/${id}?locale=en`, { token: server.secrets['full'] });
      const whole = await post(`${url}/actions/restore`, {});
      deepStrictEqual([whole.status, whole.body.data.views], [200, 1]);
    });

    it('names attributes that the schema no longer has, without their values', async () => {
      const id = await create({ title: 'one' }, 'published');
      await put(id, { title: 'two' }, 'status=published');
      const [{ id: version }] = await versions(id);
      await server.app.database.transaction(async (tx) => {
        const content = '{"title":"one","gone":"old","empty":null,"unused":[]}';
        await tx.rows(`update galley_versions set content = '${content}', content_id = null where id = ${version}`, []);
      });
      const { body } = await get(`/api/articles/${id}/versions/${version}`);
      deepStrictEqual(body.data.losses, [{ path: 'gone', reason: 'removedAttribute' }]);
      deepStrictEqual(Object.keys(body.data.content), ['title']);
      const restored = await post(`/api/articles/${id}/versions/${version}/actions/restore`, {});
      deepStrictEqual([restored.status, restored.body.data.title], [200, 'one']);
    });

    it('lists, reads and restores the versions that Strapi recorded after its own', async () => {
      const created = async (name: string) =>
        String((await server.app.documents('api::tag.tag').create({ data: { name }, status: 'published' })).documentId);
      const [tag, gone] = [await created('strapi'), await created('strapi gone')];
      await server.app.documents('api::tag.tag').delete({ documentId: gone });
      const id = await create({ title: 'now', views: 1 }, 'published');
      await put(id, { title: 'newer' }, 'status=published');
      const own = await versions(id);
      const isPostgres = engine.name === 'postgres';
      const data = JSON.stringify({
        ...{ id: 5, documentId: id, locale: 'en', title: 'then', views: '7', secret: '$2a$10$hash', formerly: 'x' },
        tags: [tag, tag, gone].map((documentId, n) => ({ id: n + 1, documentId, locale: null, publishedAt: null })),
        cover: { id: 987654 },
        seo: { metaTitle: 'then' },
        links: [{ label: 'a' }, { label: 'b' }],
        zone: [{ __component: 'blocks.quote', text: 'q' }],
      });
      const schema = JSON.stringify({
        ...{ title: { type: 'string' }, views: { type: 'integer' }, formerly: { type: 'string' } },
        ...{
          secret: { type: 'password' },
          tags: { type: 'relation', target: 'api::tag.tag' },
          cover: { type: 'media' },
        },
        ...{ seo: { type: 'component', component: 'shared.seo' }, zone: { type: 'dynamiczone' } },
        links: { type: 'component', component: 'shared.link', repeatable: true },
      });
      await server.app.database.transaction(async (tx) => {
        const [key, json, time] = isPostgres
          ? ['serial primary key', 'jsonb', 'timestamp(6)']
          : ['integer primary key autoincrement', 'json', 'datetime'];
        await tx.rows(
          `create table strapi_history_versions (id ${key}, content_type varchar(255) not null,
           related_document_id varchar(255), locale varchar(255), status varchar(255), data ${json}, schema ${json},
           created_at ${time}, created_by_id integer)`,
          [],
        );
        const at = (day: number) => {
          const moment = Date.UTC(2025, 4, day);
          return isPostgres ? `'${new Date(moment).toISOString()}'` : String(moment);
        };
        for (const [day, status, locale] of [
          [1, 'modified', 'en'],
          [2, 'published', 'en'],
          [3, 'draft', 'fr'],
        ] as const) {
          await tx.rows(
            `insert into strapi_history_versions (content_type, related_document_id, locale, status, data, schema, created_at)
             values ('${ARTICLE}', '${id}', '${locale}', '${status}', '${data}', '${schema}', ${at(day)})`,
            [],
          );
        }
      });
      // a start finds the table, and adds the index by which the timeline of a document reads it
      const project = { dir: folder.dir, remove: () => Promise.resolve() };
      const started = await serve(project, { env: server.env, drop: () => Promise.resolve() });
      const read = (url: string) => started.get(url, server.secrets['full']);
      const listed = async (id: string, query = '') => (await read(`/api/articles/${id}/versions?${query}`)).body.data;
      try {
        const tables = await started.app.engine.introspect(started.app.database);
        const indexes = tables.get('strapi_history_versions')!.indexes.map(({ name }) => name);
        ok(indexes.includes('galley_strapi_versions_document'), String(indexes));
        const all = await listed(id);
        strictEqual(all.length, own.length + 3);
        deepStrictEqual(
          all.slice(own.length).map((one: Record<string, unknown>) => [one['id'], one['status'], one['savedAt']]),
          [
            ['strapi-3', 'draft', '2025-05-03T00:00:00.000Z'],
            ['strapi-2', 'published', '2025-05-02T00:00:00.000Z'],
            ['strapi-1', 'draft', '2025-05-01T00:00:00.000Z'],
          ],
        );
        const pages = await Promise.all(
          all.map(async (_: unknown, n: number) => listed(id, `pagination[pageSize]=1&pagination[page]=${n + 1}`)),
        );
        deepStrictEqual(pages.flat(), all, 'pages of both');
        strictEqual((await listed(id, 'locale=fr')).at(-1).id, 'strapi-3');

        const { content, losses } = (await read(`/api/articles/${id}/versions/strapi-1`)).body.data;
        deepStrictEqual([content.title, content.secret, content.formerly], ['then', undefined, undefined]);
        deepStrictEqual(content.tags, [{ documentId: tag }, { documentId: gone }]);
        // PostgreSQL orders the keys of JSON
        const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
        deepStrictEqual(losses.sort(byPath), [
          { path: 'cover', reason: 'deletedFile', target: { id: 987654 } },
          { path: 'formerly', reason: 'removedAttribute' },
          { path: 'tags', reason: 'deletedDocument', target: { type: 'api::tag.tag', documentId: gone } },
        ]);
        const url = `/api/articles/${id}/versions/strapi-1/actions/restore?populate=*`;
        const restored = await started.request('POST', url, { token: server.secrets['full'], body: {} });
        strictEqual(restored.status, 200, restored.text);
        const { title, views, tags, seo, links, zone } = restored.body.data;
        deepStrictEqual(
          [
            title,
            views,
            tags.map((one: { documentId: string }) => one.documentId),
            seo.metaTitle,
            links.length,
            zone[0].text,
          ],
          ['then', 7, [tag], 'then', 2, 'q'],
        );
        for (const wrong of ['strapi-9', 'strapi-', 'strapi-x', 'strapi-1e3']) {
          strictEqual((await read(`/api/articles/${id}/versions/${wrong}`)).status, 404, wrong);
        }
        const other = await create({ title: 'other' });
        strictEqual((await read(`/api/articles/${other}/versions/strapi-1`)).status, 404);
      } finally {
        await started.stop();
      }
    });

    it('requires rights of its own', async () => {
      const id = await create({ title: 'one' }, 'published');
      await put(id, { title: 'two' }, 'status=published');
      const [{ id: version }] = await versions(id);
      const url = `/api/articles/${id}/versions`;
      for (const [token, path, expected] of [
        ['reader', url, 403],
        ['reader', `${url}/${version}`, 403],
        ['historian', url, 200],
        ['historian', `${url}/${version}`, 200],
      ] as const) {
        strictEqual((await get(path, token)).status, expected, `${token} ${path}`);
      }
      strictEqual((await server.get(url)).status, 403);
      strictEqual((await post(`${url}/${version}/actions/restore`, {}, 'historian')).status, 403);
    });

    it('refuses unknown documents, versions and attributes', async () => {
      const id = await create({ title: 'one' });
      const other = await create({ title: 'other' }, 'published');
      await put(other, { title: 'two' }, 'status=published');
      const [{ id: version }] = await versions(other);
      strictEqual((await get('/api/articles/unknown/versions')).status, 404);
      strictEqual((await get(`/api/articles/${id}/versions/${version}`)).status, 404);
      strictEqual((await get(`/api/articles/${id}/versions/x`)).status, 404);
      for (const [body, path] of [
        [{ attributes: 'title' }, ['attributes']],
        [{ attributes: ['title', 'nope'] }, ['attributes', '1']],
        [{ attribute: ['title'] }, ['attribute']],
      ] as const) {
        const refused = await post(`/api/articles/${other}/versions/${version}/actions/restore`, body);
        strictEqual(refused.status, 400);
        deepStrictEqual(refused.body.error.details.errors[0].path.map(String), path);
      }
    });

    it('compresses contents and stores equal ones once', async () => {
      const id = await create({ title: 'same', body: 'x'.repeat(5000) }, 'published');
      const before = await versions(id);
      for (let n = 0; n < 3; n += 1) {
        await post(`/api/articles/${id}/actions/unpublish`, undefined);
        await post(`/api/articles/${id}/actions/publish`, undefined);
      }
      await packVersions(server.app.database, () => false);
      const [row] = await server.app.database.rows(
        `select count(*), count(distinct content_id), max(length(packed)) from galley_versions v
         join galley_version_contents c on c.id = v.content_id where document_id = '${id}'`,
        [],
      );
      strictEqual(Number(row![0]), before.length + 3);
      ok(Number(row![2]) < 1000, 'compressed');
      const [{ id: version }] = await versions(id);
      strictEqual((await get(`/api/articles/${id}/versions/${version}`)).body.data.content.body.length, 5000);
    });

    it('stores compressed versions closely', {
      skip: engine.name !== 'sqlite' && 'it reuses the space later',
    }, async () => {
      const id = await create({ title: 'many', body: 'word '.repeat(500) }, 'published');
      const size = async () => {
        const [row] = await server.app.database.rows(
          `select coalesce(sum(pgsize), 0) from dbstat where name = 'galley_versions'`,
          [],
        );
        return Number(row![0]);
      };
      const before = await size();
      for (let n = 0; n < 40; n += 1) {
        await post(`/api/articles/${id}/actions/unpublish`, undefined);
        await post(`/api/articles/${id}/actions/publish`, undefined);
      }
      const unpacked = await size();
      await packVersions(server.app.database, () => false);
      const packed = await size();
      ok(unpacked - before > 40 * 2500, 'whole contents');
      ok(packed - before < 40 * 500, `${packed - before} bytes for 40 versions`);
    });

    it('leaves a content in place that another version gets while the last one that had it is deleted', async () => {
      const { database } = server.app;
      const [first, second] = [await create({ title: 'same' }), await create({ title: 'same' })];
      const content = '{"title":"precious"}';
      for (const id of [first, second]) {
        await put(id, { title: 'next' });
        await database.transaction(async (tx) =>
          tx.rows(
            `update galley_versions set content = '${content}', content_id = null where document_id = '${id}'`,
            [],
          ),
        );
        if (id === first) await packVersions(database, () => false);
      }
      const isPostgres = engine.name === 'postgres';
      const [locked, packing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const gate = database.transaction(async (tx) => {
        await tx.rows(`update galley_versions set reason = reason where document_id = '${second}'`, []);
        locked.resolve();
        await packing.promise;
      });
      await locked.promise;
      const waiting = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const wait = async (count: number, isOver: () => boolean) =>
        isPostgres &&
        (await until(
          `${count} wait`,
          async () => isOver() || Number((await database.rows(waiting, []))[0]![0]) >= count,
        ));
      const packed = packVersions(database, () => false);
      await wait(1, () => false);
      let isForgotten = false;
      const forgotten = database
        .transaction((tx) => forgetVersions(tx, compileForgetVersions(tx.dialect), [ARTICLE, first, 'en']))
        .then(() => (isForgotten = true));
      await wait(2, () => isForgotten);
      packing.resolve();
      await Promise.all([gate, packed, forgotten]);
      strictEqual((await versions(first)).length, 0);
      const [{ id: version }] = await versions(second);
      const read = await get(`/api/articles/${second}/versions/${version}`);
      deepStrictEqual([read.status, read.body.data?.content], [200, { title: 'precious' }]);
    });

    it('compresses the other contents if one cannot be compressed', async () => {
      const { database } = server.app;
      const id = await create({ title: 'one' });
      for (const title of ['two', 'three', 'four']) {
        await put(id, { title });
        await documents().update({ documentId: id, data: { title: `${title} by code` } });
      }
      const numbers = (await versions(id))
        .map((version: { id: string }) => Number(version.id))
        .sort((a: number, b: number) => a - b);
      const refused = numbers[1]!;
      await database.transaction(async (tx) => {
        for (const statement of refusalOf(engine.name, refused)) await tx.rows(statement, []);
      });
      const unpacked = async () =>
        (
          await database.rows(`select id from galley_versions where document_id = '${id}' and content_id is null`, [])
        ).map(([version]) => Number(version));
      const failed = await packVersions(database, () => false);
      deepStrictEqual([failed?.id, await unpacked()], [refused, [refused]]);
      strictEqual(await packVersions(database, () => false, refused), undefined, 'the one that follows');
      strictEqual((await get(`/api/articles/${id}/versions/${refused}`)).status, 200);
      await database.transaction(async (tx) => {
        await tx.rows(engine.name === 'sqlite' ? 'drop trigger refuse' : 'drop trigger refuse on galley_versions', []);
      });
      strictEqual(await packVersions(database, () => false), undefined);
      deepStrictEqual(await unpacked(), []);
    });

    const config = (history: object) =>
      historyConfig({ path: 'config/galley', value: { history } } as unknown as Parameters<typeof historyConfig>[0]);
    const prune = (history: object, database = server.app.database) =>
      pruneVersions(database, config(history), [ARTICLE], { isOver: () => false, pause: 0 });

    it('deletes old and surplus versions, but never the last publication', async () => {
      const id = await create({ title: 'kept' }, 'published');
      for (let n = 0; n < 5; n += 1) await put(id, { title: `t${n}` }, 'status=published');
      await server.request('POST', `/api/articles/${id}/actions/unpublish`, { token: server.secrets['full'] });
      for (let n = 0; n < 3; n += 1) {
        await put(id, { title: `d${n}` });
        await documents().update({ documentId: id, data: { title: `e${n}` } });
      }
      await packVersions(server.app.database, () => false);
      const statuses = async () => (await versions(id)).map(({ status }: Record<string, unknown>) => status);
      await prune({ versions: 4 });
      const left = await statuses();
      // drafts and publications are counted apart, so that neither displace the others
      deepStrictEqual(left, [...Array(4).fill('draft'), ...Array(4).fill('published')]);
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update galley_versions set replaced_at = 1 where document_id = '${id}'`, []);
      });
      await prune({ days: 1, versions: 4 });
      deepStrictEqual(
        (await versions(id)).map(({ reason }: Record<string, unknown>) => reason),
        ['unpublished'],
      );
      const [contents] = await server.app.database.rows(
        `select count(*) from galley_version_contents c
         where not exists (select 1 from galley_versions v where v.content_id = c.id)`,
        [],
      );
      strictEqual(Number(contents![0]), 0);
      await prune({ versions: 0 });
      deepStrictEqual(await versions(id), [], 'none');
    });

    it('examines documents without new versions no more, and writes only where there is something to delete', async () => {
      const { database } = server.app;
      let writes = 0;
      const counting = new Proxy(database, {
        get(target, key) {
          if (key === 'transaction') writes += 1;
          const member: unknown = Reflect.get(target, key);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
      const id = await create({ title: 'one' });
      for (let n = 0; n < 3; n += 1) {
        await put(id, { title: `d${n}` });
        await documents().update({ documentId: id, data: { title: `e${n}` } });
      }
      await prune({ versions: 7 });
      await prune({ versions: 7 }, counting);
      strictEqual(writes, 1, 'the time of the pruning');
      const [stored] = await database.rows(
        `select value from strapi_core_store_settings where key = 'galley_history_pruning'`,
        [],
      );
      const [last] = await database.rows('select max(id) from galley_versions', []);
      strictEqual(JSON.parse(String(stored![0])).examined, Number(last![0]));
      await prune({ versions: 2 });
      strictEqual((await versions(id)).length, 2, 'another configuration applies to all');
    });
  });

  describe(`versions under rules of access on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const tags = { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' };
      const folder = await makeProject({
        contentTypes: {
          post: contentType('post', { title: { type: 'string' }, tags }, { options: { draftAndPublish: true } }),
          tag: contentType('tag', { name: { type: 'string' }, hidden: { type: 'boolean' } }),
        },
        files: {
          'src/galley.ts': `import { defineAccess } from 'galley';
export const access = defineAccess({ 'api::tag.tag': { find: { hidden: { $ne: true } } } });`,
          'config/galley.js': 'module.exports = { history: { interval: 0 } };',
        },
      });
      const permissions = ['find', 'findOne', 'update', 'findVersions', 'restoreVersion'].map(
        (action) => `api::post.post.${action}`,
      );
      server = await serveSeeded(engine, folder, {
        locales: [{ code: 'en', name: 'English (en)', default: true }],
        tokens: [{ name: 'part', type: 'custom', permissions: [...permissions, 'api::tag.tag.find'] }],
      });
    });
    after(() => server?.stop());

    it('show no links to hidden documents, and name none', async () => {
      const [posts, documents] = [server.app.documents('api::post.post'), server.app.documents('api::tag.tag')];
      const [open, hidden, deleted] = await Promise.all(
        [false, true, false].map(async (isHidden) =>
          String((await documents.create({ data: { name: 'n', hidden: isHidden } })).documentId),
        ),
      );
      const { documentId } = await posts.create({ data: { title: 'one', tags: [open, hidden, deleted] } });
      await posts.update({ documentId: String(documentId), data: { title: 'two', tags: [] } });
      await documents.delete({ documentId: deleted! });
      const token = server.secrets['part']!;
      const url = `/api/posts/${documentId}/versions`;
      const [{ id: version }] = (await server.get(url, token)).body.data;
      const { text, body } = await server.get(`${url}/${version}`, token);
      deepStrictEqual(
        body.data.content.tags.map((tag: { documentId: string }) => tag.documentId),
        [open, deleted],
      );
      deepStrictEqual(body.data.losses, [
        { path: 'tags', reason: 'notPermitted' },
        { path: 'tags', reason: 'deletedDocument', target: { type: 'api::tag.tag', documentId: deleted } },
      ]);
      ok(!text.includes(hidden!));
      const restoring = `${url}/${version}/actions/restore?populate=tags`;
      const restored = await server.request('POST', restoring, { token });
      deepStrictEqual([restored.status, (restored.body as Any).data.title], [200, 'one'], restored.text);
      deepStrictEqual(
        (restored.body as Any).data.tags.map((tag: { documentId: string }) => tag.documentId),
        [open],
      );
    });
  });
}

/** Statements after which the content of a version cannot be replaced. */
function refusalOf(engine: string, version: number): string[] {
  if (engine === 'sqlite')
    return [
      `create trigger refuse before delete on galley_versions when old.id = ${version}
       begin select raise(abort, 'refused'); end`,
    ];
  return [
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    `create trigger refuse before delete on galley_versions for each row when (old.id = ${version})
     execute function refuse()`,
  ];
}
