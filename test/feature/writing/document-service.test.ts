/** The document service: docs/reference/document-service.md. */
import { deepStrictEqual, ok, rejects, strictEqual, throws } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const ARTICLE = 'api::article.article';
const TAG = 'api::tag.tag';
const COUNTRY = 'api::country.country';

for (const engine of engines) {
  describe(`document service on ${engine.name}`, () => {
    let server: SeededServer;
    const documents = (uid: string) => server.app.documents(uid);
    const get = (target: string) => server.get(`/api${target}`, server.secrets['full']);
    const names = (list: { name?: string; title?: string }[]) => list.map(({ name, title }) => name ?? title);

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    it('writes drafts by default', async () => {
      const draft = await documents(TAG).create({ data: { name: 'red' } });
      deepStrictEqual([draft['name'], draft['publishedAt']], ['red', null]);
      strictEqual((await get(`/tags/${draft['documentId']}`)).status, 404);
      const published = await documents(TAG).create({ data: { name: 'blue' }, status: 'published' });
      ok(published['publishedAt']);
      strictEqual((await get(`/tags/${published['documentId']}`)).body.data.name, 'blue');
    });

    it('reads drafts by default, and returns null for a missing document', async () => {
      const { documentId } = await documents(TAG).create({ data: { name: 'red' }, status: 'published' });
      await documents(TAG).update({ documentId, data: { name: 'green' } });
      strictEqual((await documents(TAG).findOne({ documentId }))?.['name'], 'green');
      strictEqual((await documents(TAG).findOne({ documentId, status: 'published' }))?.['name'], 'red');
      strictEqual(await documents(TAG).findOne({ documentId: 'nosuchdocument' }), null);
      strictEqual(await documents(TAG).update({ documentId: 'nosuchdocument', data: {} }), null);
      strictEqual(await documents(TAG).findFirst({ filters: { name: 'nobody' } }), null);
    });

    it('takes empty lists', async () => {
      await documents(TAG).create({ data: { name: 'weighed', weight: 900 } });
      await documents(TAG).create({ data: { name: 'unweighed', weight: null } });
      deepStrictEqual(await documents(TAG).findMany({ filters: { weight: { $in: [] } } }), []);
      const found = await documents(TAG)
        .findMany({ filters: { weight: { $notIn: [] } } })
        .then(names);
      ok(found.includes('weighed') && !found.includes('unweighed'));
    });

    it('takes filters, sort, pages and counts as plain values', async () => {
      for (const [name, weight] of [
        ['p1', 101],
        ['p2', 102],
        ['p3', 103],
        ['p4', null],
      ] as const) {
        await documents(TAG).create({ data: { name, weight } });
      }
      const found = (params: object) =>
        documents(TAG)
          .findMany({ sort: 'name:asc', ...params })
          .then(names);
      deepStrictEqual(await found({ filters: { weight: { $gt: 101, $lte: 103 } } }), ['p2', 'p3']);
      deepStrictEqual(await found({ filters: { weight: 101 } }), ['p1']);
      deepStrictEqual(await found({ filters: { weight: null, name: { $startsWith: 'p' } } }), ['p4']);
      deepStrictEqual(await found({ filters: { weight: { $null: true }, name: { $startsWith: 'p' } } }), ['p4']);
      deepStrictEqual(await found({ filters: { $or: [{ weight: { $in: [101, 103] } }, { name: 'p4' }] } }), [
        'p1',
        'p3',
        'p4',
      ]);
      const p = { filters: { name: { $startsWith: 'p' } } };
      deepStrictEqual(await found({ ...p, createdAt: undefined, start: 1, limit: 2 }), ['p2', 'p3']);
      deepStrictEqual(await found({ ...p, pagination: { page: 2, pageSize: 3 } }), ['p4']);
      for (const limit of [-1, 0]) {
        deepStrictEqual((await found({ ...p, limit, sort: [{ weight: 'desc' }, 'name'] })).length, 4);
      }
      strictEqual(await documents(TAG).count(p), 4);
      strictEqual(await documents(TAG).count({ ...p, status: 'published' }), 0);
      const since = new Date(Date.now() - 60_000);
      strictEqual(await documents(TAG).count({ filters: { ...p.filters, createdAt: { $gt: since } } }), 4);
    });

    it('returns every document if no page is requested', async () => {
      const made = 120;
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
      for (let i = 0; i < made; i++) {
        const code = letters[Math.floor(i / 26)]! + letters[i % 26]!;
        await documents(COUNTRY).create({ data: { name: code, code } });
      }
      strictEqual((await documents(COUNTRY).findMany()).length, made);
    });

    it('populates and selects', async () => {
      const tag = await documents(TAG).create({ data: { name: 'red' } });
      const article = await documents(ARTICLE).create({
        data: { title: 'One', tags: [tag['documentId']], at: new Date('2024-01-01T00:00:00Z'), big: 9007199254740993n },
        fields: ['title', 'at', 'big'],
        populate: { tags: { fields: ['name'] }, author: true },
      });
      const { id: _id, documentId: _documentId, tags, ...rest } = article;
      deepStrictEqual(rest, { title: 'One', at: '2024-01-01T00:00:00.000Z', big: '9007199254740993', author: null });
      deepStrictEqual(names(tags), ['red']);
    });

    it('publishes, unpublishes and discards, one version or several', async () => {
      const service = documents(ARTICLE);
      const { documentId } = await service.create({ data: { title: 'One' } });
      await service.update({ documentId, locale: 'fr', data: { title: 'Un' } });
      const published = await service.publish({ documentId });
      deepStrictEqual([published.documentId, names(published.entries)], [documentId, ['One']]);
      deepStrictEqual(names((await service.publish({ documentId, locale: '*' })).entries), ['One', 'Un']);
      await service.update({ documentId, data: { title: 'Two' } });
      deepStrictEqual(names((await service.discardDraft({ documentId })).entries), ['One']);
      // of several locales those that are there, and of what is unpublished the rows that are gone
      const { entries: gone } = await service.unpublish({ documentId, locale: ['fr', 'de'] });
      deepStrictEqual(
        gone.map(({ title, publishedAt }) => [title, publishedAt !== null]),
        [['Un', true]],
      );
      deepStrictEqual((await service.unpublish({ documentId, locale: 'fr' })).entries, []);
      strictEqual(await service.findOne({ documentId, locale: 'fr', status: 'published' }), null);
      ok(await service.findOne({ documentId, status: 'published' }));
      deepStrictEqual((await service.publish({ documentId: 'nosuchdocument' })).entries, []);
    });

    it('deletes the version of the default locale, another one, or all', async () => {
      const service = documents(ARTICLE);
      const { documentId } = await service.create({ data: { title: 'One' }, status: 'published' });
      await service.update({ documentId, locale: 'fr', data: { title: 'Un' } });
      await service.update({ documentId, locale: 'de', data: { title: 'Eins' } });
      const gone = await service.delete({ documentId });
      deepStrictEqual(
        gone.entries.map(({ title, publishedAt }) => [title, publishedAt !== null]),
        [
          ['One', false],
          ['One', true],
        ],
      );
      strictEqual(await service.findOne({ documentId }), null);
      ok(await service.findOne({ documentId, locale: 'fr' }));
      strictEqual((await service.delete({ documentId, locale: '*' })).entries.length, 2);
      deepStrictEqual(await service.delete({ documentId, locale: '*' }), { documentId, entries: [] });
      strictEqual(await service.count({ locale: '*', filters: { documentId } }), 0);
    });

    it('puts clones at the end of the lists of the documents that they link', async () => {
      const tag = String((await documents(TAG).create({ data: { name: 'listed' } }))['documentId']);
      const made: string[] = [];
      for (const title of ['first', 'second']) {
        made.push(String((await documents(ARTICLE).create({ data: { title, tags: [tag] } }))['documentId']));
      }
      await documents(ARTICLE).clone({ documentId: made[0]!, data: { title: 'copy of first' } });
      const listed = async () => {
        const found = await documents(TAG).findOne({ documentId: tag, populate: 'articles' });
        return names(found!['articles'] as { title: string }[]);
      };
      deepStrictEqual(await listed(), ['first', 'second', 'copy of first']);
      await documents(ARTICLE).clone({ documentId: made[0]!, data: { title: 'another' } });
      deepStrictEqual(await listed(), ['first', 'second', 'copy of first', 'another']);
    });

    it('clones the versions named as drafts, with changes, and takes nothing from the original', async () => {
      const service = documents(ARTICLE);
      const tag = await documents(TAG).create({ data: { name: 'red' }, status: 'published' });
      const data = {
        title: 'One',
        views: 3,
        tags: [tag['documentId']],
        links: [{ label: 'a' }],
        seo: { metaTitle: 'm' },
      };
      const { documentId } = await service.create({ data, status: 'published' });
      await service.update({ documentId, locale: 'fr', data: { title: 'Un' } });
      const populate = ['tags', 'links', 'seo'];
      const { documentId: copy, entries } = await service.clone({
        documentId,
        locale: '*',
        data: { views: 4 },
        populate,
      });
      ok(copy !== documentId);
      deepStrictEqual(
        entries.map(({ title, views, publishedAt, locale }) => [title, views, publishedAt, locale]),
        [
          ['One', 4, null, 'en'],
          ['Un', 4, null, 'fr'],
        ],
      );
      const [first] = entries;
      deepStrictEqual([names(first!['tags']), first!['links'][0].label, first!['seo'].metaTitle], [['red'], 'a', 'm']);
      const original = await service.findOne({ documentId, populate });
      deepStrictEqual([original!['views'], names(original!['tags']), original!['links'].length], [3, ['red'], 1]);
      ok(original!['links'][0].id !== first!['links'][0].id);
      // without a locale the default one is meant, as in every other method
      deepStrictEqual(
        (await service.clone({ documentId })).entries.map(({ title, locale }) => [title, locale]),
        [['One', 'en']],
      );
      await rejects(service.clone({ documentId: 'nosuchdocument' }), { name: 'NotFoundError' });
    });

    it('answers mistakes with the errors of the REST API', async () => {
      await rejects(documents(TAG).create({ data: { nope: 1 } }), {
        name: 'ValidationError',
        message: 'Invalid key nope',
      });
      await rejects(documents(TAG).create({ data: {}, status: 'published' }), {
        message: 'name must be a `string` type, but the final value was: `null`.',
      });
      await rejects(documents(TAG).findMany({ filters: { nope: 1 } }), { message: 'Invalid key nope' });
      await rejects(documents(ARTICLE).create({ data: { title: 'x' }, locale: 'xx' }), {
        message: 'Locale "xx" not found',
      });
      await rejects(documents(COUNTRY).publish({ documentId: 'x' }), { name: 'ValidationError' });
      throws(() => documents('api::article.articel'), { message: /did you mean api::article\.article\?/ });
    });
  });
}
