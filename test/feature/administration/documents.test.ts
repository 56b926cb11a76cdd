/** One document as administrators edit it: both versions with all values, and operations on them. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'content/api::post.post';
const TAG = 'content/api::tag.tag';
const HOME = 'content/api::home.home/single';
const ANY = { 'if-match': '*' };

const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };
interface Use {
  readonly label: string;
  readonly state: string;
}

const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', required: true, ...localized },
      slug: { type: 'uid', targetField: 'title' },
      secret: { type: 'string', private: true, ...localized },
      code: { type: 'password', ...localized },
      views: { type: 'integer' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'posts' },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      next: { type: 'relation', relation: 'oneToOne', target: 'api::post.post' },
      cover: { type: 'media', multiple: false, allowedTypes: ['images'], ...localized },
      seo: { type: 'component', component: 'shared.seo', ...localized },
      zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.quote'], ...localized },
    },
    { ...drafts, ...localized },
  ),
  author: contentType(
    'author',
    {
      name: { type: 'string' },
      posts: { type: 'relation', relation: 'oneToMany', target: 'api::post.post', mappedBy: 'author' },
    },
    drafts,
  ),
  tag: contentType('tag', { name: { type: 'string', unique: true } }),
  page: contentType(
    'page',
    { title: { type: 'string' }, zone: { type: 'dynamiczone', components: ['shared.card', 'shared.deck'] } },
    drafts,
  ),
  route: contentType(
    'route',
    {
      word: { type: 'uid', targetField: 'word', regex: '^[a-z]+$' },
      path: { type: 'uid', targetField: 'word', regex: '^[a-z0-9/-]+$', options: { separator: '/' } },
    },
    drafts,
  ),
  home: contentType('home', { head: { type: 'string' } }, { kind: 'singleType', ...drafts }),
};
const components = {
  'shared.seo': {
    collectionName: 'components_seos',
    attributes: {
      head: { type: 'string', required: true },
      tags: { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag' },
    },
  },
  'shared.card': {
    collectionName: 'components_cards',
    attributes: { pages: { type: 'relation', relation: 'manyToMany', target: 'api::page.page' } },
  },
  'shared.deck': {
    collectionName: 'components_decks',
    attributes: { cards: { type: 'component', component: 'shared.card', repeatable: true } },
  },
  'shared.quote': {
    collectionName: 'components_quotes',
    attributes: {
      by: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' },
      place: { type: 'uid' },
    },
  },
};

for (const engine of engines) {
  describe(`documents of the administration on ${engine.name}`, () => {
    let server: SeededServer;
    const people: Record<string, Browser> = {};

    before(async () => {
      const urls = { 'api::post.post': 'https://site.example/{locale}/{slug}?id={documentId}&as={status}' };
      const files = {
        'config/admin.json': { preview: { urls } },
        'src/galley.js': `exports.hooks = { 'api::page.page': {
          beforeWrite({ action, data }) {
            if (action === 'create' && data.title?.endsWith('?')) data.title += data.zone[0].__component;
          },
        } };`,
      };
      server = await serveSeeded(engine, await makeProject({ contentTypes, components, files }));
      for (const [name, role] of [
        ['sue', 'strapi-super-admin'],
        ['eve', 'strapi-editor'],
        ['ann', 'strapi-author'],
      ] as const) {
        await makeAdministrator(server, name, role);
        people[name] = new Browser(server);
        await people[name].signIn(name);
      }
    });
    after(() => server?.stop());

    /** Asks as somebody, holds the answer against the contract, and gives it. */
    const ask = async (method: string, target: string, body?: object, headers = {}, name = 'sue') => {
      const answer = await people[name]!.send(method, target, body, headers);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const done = async (method: string, target: string, body?: object, headers = {}, name = 'sue'): Promise<any> => {
      const { status, body: answer, text } = await ask(method, target, body, headers, name);
      ok(status < 300, text);
      return answer?.data;
    };
    const create = (target: string, data: object, name = 'sue') => done('POST', target, { data }, {}, name);
    const read = (target: string, name = 'sue') => done('GET', target, undefined, {}, name);
    const move = (what: string, id: string, body = {}, name = 'sue') =>
      done('POST', `${POST}/${id}/${what}`, body, {}, name);

    it('gives a draft with everything in it, linked documents by name and state, and who wrote it', async () => {
      const author = await create('content/api::author.author', { name: 'Ada' });
      const tags = [await create(TAG, { name: 'one' }), await create(TAG, { name: 'two' })];
      const ids = tags.map(({ documentId }) => documentId);
      const { documentId } = await create(POST, {
        title: 'Whole',
        secret: 'private',
        code: 'Password1',
        author: author.documentId,
        tags: ids,
        seo: { head: 'h', tags: [ids[1]] },
        zone: [
          { __component: 'shared.quote', by: author.documentId },
          { __component: 'shared.seo', head: 'z' },
        ],
      });
      const made = await read(`${POST}/${documentId}`);
      const { draft } = made;
      deepStrictEqual([made.locale, made.states, made.published, made.counts], ['en', { en: 'draft' }, null, {}]);
      deepStrictEqual([made.createdBy.name, made.updatedBy.name], ['sue', 'sue']);
      deepStrictEqual([draft.title, draft.secret, draft.views, 'code' in draft], ['Whole', 'private', null, false]);
      const link = {
        type: 'api::author.author',
        documentId: author.documentId,
        locale: null,
        label: 'Ada',
        state: 'draft',
      };
      deepStrictEqual(draft.author, [{ ...link, id: author.draft.id }]);
      deepStrictEqual(
        [draft.tags, draft.seo.tags].map((list) =>
          list.map((tag: { label: string; state: null }) => [tag.label, tag.state]),
        ),
        [
          [
            ['one', null],
            ['two', null],
          ],
          [['two', null]],
        ],
      );
      deepStrictEqual([draft.zone[0].by[0].label, draft.zone[1].head, draft.cover], ['Ada', 'z', []]);
      const shown = await read(`content/api::author.author/${author.documentId}`);
      deepStrictEqual(shown.draft.posts[0].label, 'Whole');
      const { body } = await ask('GET', `content/api::author.author/${author.documentId}/uses`);
      const [use] = body.data;
      deepStrictEqual([use.document.label, use.document.state, use.attribute], ['Whole', 'draft', 'author']);
      deepStrictEqual([body.data.length, body.meta], [1, { more: false }]);
      await create(POST, { title: 'Quoting', zone: [{ __component: 'shared.quote', by: author.documentId }] });
      await create(POST, { title: 'Deep', seo: { head: 'h', tags: [ids[0]] } });
      const used = async (target: string) =>
        (await read(`${target}/uses`)).map((use: { document: { label: string }; attribute: string }) => [
          use.document.label,
          use.attribute,
        ]);
      deepStrictEqual(await used(`content/api::author.author/${author.documentId}`), [
        ['Whole', 'author'],
        ['Quoting', 'zone'],
      ]);
      // the side that a relation is mapped by shows the other one as well
      deepStrictEqual(await used(`${POST}/${documentId}`), [['Ada', 'posts']]);
      deepStrictEqual(await used(`${TAG}/${ids[0]}`), [
        ['Whole', 'tags'],
        ['Deep', 'seo.tags'],
      ]);
    });

    it('reports links to any of several documents, without those among them and hidden ones', async () => {
      const authors = [];
      for (const name of ['Mae', 'Noa', 'Eli']) authors.push(await create('content/api::author.author', { name }));
      const [mae, noa, eli] = authors.map(({ documentId }) => documentId);
      const used = async (target: string, documentIds: readonly unknown[], name = 'sue') => {
        const { status, body } = await ask('POST', `${target}/bulk/uses`, { documentIds }, {}, name);
        return [
          status,
          body.data?.map((use: { document: { label: string } }) => use.document.label).sort(),
          body.meta?.more,
          ...(body.meta?.locales ?? []),
          ...(body.meta?.whole === false ? ['not whole'] : []),
        ];
      };
      const first = await create(POST, { title: 'By Mae', author: mae, next: null });
      const quote = { __component: 'shared.quote', by: noa };
      const second = await create(POST, { title: 'On Noa', zone: [quote, quote], next: first.documentId });
      await done('PUT', `${POST}/${second.documentId}`, { data: { title: 'sur Noa' }, locale: 'fr' });
      const third = await create(POST, { title: 'After both', next: second.documentId });
      deepStrictEqual(await used('content/api::author.author', [mae, noa, eli]), [200, ['By Mae', 'On Noa'], false]);
      const targets = async (target: string, documentIds: readonly unknown[]) => {
        const { body } = await ask('POST', `${target}/bulk/uses`, { documentIds });
        const uses = body.data as { document: { label: string }; targets: string[] }[];
        return Object.fromEntries(uses.map((use) => [use.document.label, use.targets.toSorted()]));
      };
      deepStrictEqual(await targets('content/api::author.author', [mae, noa, eli]), {
        'By Mae': [mae],
        'On Noa': [noa],
      });
      deepStrictEqual(await used('content/api::author.author', [eli, 'gone']), [200, [], false]);
      const posts = [first, second].map(({ documentId }) => documentId);
      deepStrictEqual(await used(POST, posts), [200, ['After both', 'Mae'], false, 'en', 'fr']);
      deepStrictEqual(await targets(POST, posts), { 'After both': [second.documentId], Mae: [first.documentId] });
      deepStrictEqual(await used(POST, [...posts, third.documentId]), [200, ['Mae'], false, 'en', 'fr']);
      deepStrictEqual(await used(POST, [third.documentId]), [200, [], false, 'en']);
      // those of others are not there for an author
      deepStrictEqual(await used(POST, posts, 'ann'), [200, [], false]);
      // a version that somebody else has made of a document of hers
      const hers = [];
      for (const title of ['Hers', 'Hers as well']) hers.push((await create(POST, { title }, 'ann')).documentId);
      deepStrictEqual(await used(POST, hers, 'ann'), [200, [], false, 'en']);
      await done('PUT', `${POST}/${hers[1]}`, { data: { title: 'Pas à elle' }, locale: 'fr' });
      deepStrictEqual(await used(POST, hers, 'ann'), [200, [], false, 'en', 'not whole']);
      deepStrictEqual(await used(POST, hers.slice(0, 1), 'ann'), [200, [], false, 'en']);
      deepStrictEqual(await used(POST, hers), [200, [], false, 'en', 'fr']);
      strictEqual((await used('content/api::gone.gone', posts))[0], 404);
      for (const documentIds of [[], [7], Array.from({ length: 101 }, String)]) {
        strictEqual((await used(POST, documentIds))[0], 400);
      }
    });

    it('reports links of a published version that its draft no longer has', async () => {
      const author = await create('content/api::author.author', { name: 'Signed' });
      await done('POST', `content/api::author.author/${author.documentId}/publish`, {});
      const zone = [{ __component: 'shared.quote', by: author.documentId }];
      const [plain, quoting] = [
        await create(POST, { title: 'By Signed', author: author.documentId }),
        await create(POST, { title: 'On Signed', zone }),
      ];
      const target = `content/api::author.author/${author.documentId}`;
      const used = async () => {
        const { body } = await ask('POST', 'content/api::author.author/bulk/uses', {
          documentIds: [author.documentId],
        });
        const one = await read(`${target}/uses`);
        deepStrictEqual(
          body.data,
          one.map((use: object) => ({ ...use, targets: [author.documentId] })),
        );
        deepStrictEqual(body.meta.states, { [author.documentId]: { '': 'published' } });
        return one.map(
          ({ document, attribute, onSiteOnly }: { document: Use; attribute: string; onSiteOnly: boolean }) => [
            document.label,
            document.state,
            attribute,
            onSiteOnly,
          ],
        );
      };
      for (const { documentId } of [plain, quoting]) await move('publish', documentId);
      deepStrictEqual(await used(), [
        ['By Signed', 'published', 'author', false],
        ['On Signed', 'published', 'zone', false],
      ]);
      await done('PUT', `${POST}/${plain.documentId}`, { data: { title: 'Unsigned', author: null } }, ANY);
      await done('PUT', `${POST}/${quoting.documentId}`, { data: { title: 'On nobody', zone: [] } }, ANY);
      deepStrictEqual(await used(), [
        ['By Signed', 'modified', 'author', true],
        ['On Signed', 'modified', 'zone', true],
      ]);
      // what links it in its draft elsewhere is told of the draft
      await done('PUT', `${POST}/${quoting.documentId}`, { data: { author: author.documentId } }, ANY);
      deepStrictEqual(await used(), [
        ['On nobody', 'modified', 'author', false],
        ['By Signed', 'modified', 'author', true],
      ]);
      deepStrictEqual((await ask('GET', `${target}/uses`, undefined, {}, 'ann')).status, 404);
      for (const { documentId } of [plain, quoting]) await move('unpublish', documentId);
      deepStrictEqual(await used(), [['On nobody', 'draft', 'author', false]]);
    });

    it('lists the links among many documents that link to each other in zones', async () => {
      const pages = server.app.documents('api::page.page' as never);
      const write = async (title: string, to: readonly string[], status = 'published') => {
        const card = { __component: 'shared.card', pages: to };
        const zone = [card, { __component: 'shared.deck', cards: [{ pages: to }, { pages: to }] }];
        const made = await pages.create({ data: { title, zone: to.length === 0 ? [] : zone }, status } as never);
        return (made as { documentId: string }).documentId;
      };
      const chain: string[] = [];
      for (let n = 0; n < 12; n++) chain.push(await write(`p${n}`, chain.slice(-6)));
      const used = async (documentIds: readonly string[]) => {
        const { body } = await ask('POST', 'content/api::page.page/bulk/uses', { documentIds });
        return [body.data.map((use: { document: { label: string } }) => use.document.label).sort(), body.meta.more];
      };
      deepStrictEqual(await used(chain), [[], false]);
      await write('in a card', [chain[3]!], 'draft');
      deepStrictEqual(await used(chain), [['in a card'], false]);
      deepStrictEqual(await used(chain.slice(0, 11)), [['in a card', 'p11'], false]);
      deepStrictEqual(await used(chain.slice(11)), [[], false]);
      // parts with all the links that are looked at may hide others
      for (let n = 0; n < 5; n++) await write(`all ${n}`, chain, 'draft');
      strictEqual((await used(chain))[1], true);
    });

    it('names the last editor of a version, or says that it was a program', async () => {
      const { documentId } = await create(POST, { title: 'Signed by sue' });
      const told = async (locale = 'en') => {
        const { updatedBy, isThroughApi } = await read(`${POST}/${documentId}?locale=${locale}`);
        return [updatedBy?.name ?? null, isThroughApi];
      };
      deepStrictEqual(await told(), ['sue', false]);
      await server.app
        .documents('api::post.post' as never)
        .update({ documentId, data: { title: 'By a program' } } as never);
      deepStrictEqual(await told(), [null, true]);
      const { changed } = (await ask('GET', 'home')).body.data;
      const listed = changed.find((recent: { documentId: string }) => recent.documentId === documentId);
      deepStrictEqual([listed.by, listed.isThroughApi], [null, true]);
      await done('PUT', `${POST}/${documentId}`, { data: { title: 'By sue again' } }, ANY);
      deepStrictEqual(await told(), ['sue', false]);
      await move('publish', documentId);
      deepStrictEqual(await told(), ['sue', false]);
      const made = (await server.app
        .documents('api::post.post' as never)
        .create({ data: { title: 'Made by a program' } } as never)) as { documentId: string };
      const program = await read(`${POST}/${made.documentId}`);
      // content of seeds, files and other databases has no author, and did not come through the API
      deepStrictEqual([program.createdBy, program.updatedBy, program.isThroughApi], [null, null, false]);
    });

    it('lists each of twenty documents with a link, for any number of versions', async () => {
      const author = await create('content/api::author.author', { name: 'Translated' });
      for (let n = 0; n < 15; n++) {
        const { documentId } = await create(POST, { title: `t${n}`, author: author.documentId });
        await done('PUT', `${POST}/${documentId}`, {
          data: { title: `t${n} fr`, author: author.documentId },
          locale: 'fr',
        });
      }
      const target = `content/api::author.author/${author.documentId}/uses`;
      const told = async () => {
        const { data, meta } = (await ask('GET', target)).body;
        return [data.length, meta.more];
      };
      deepStrictEqual(await told(), [15, false]);
      for (let n = 15; n < 20; n++) await create(POST, { title: `t${n}`, author: author.documentId });
      deepStrictEqual(await told(), [20, false]);
      await create(POST, { title: 't20', author: author.documentId });
      deepStrictEqual(await told(), [20, true]);
    });

    it("does not count a document's own files and components as uses of it", async () => {
      const cover = await server.seeder.file({
        name: 'a.png',
        mime: 'image/png',
        ext: '.png',
        hash: 'a',
        url: '/a.png',
      });
      const { documentId } = await create(POST, { title: 'Shown', cover, seo: { head: 'h' } });
      await done('PUT', `${POST}/${documentId}`, { data: { next: documentId } }, ANY);
      const { body } = await ask('GET', `${POST}/${documentId}/uses`);
      deepStrictEqual([body.data, body.meta], [[], { more: false }]);
    });

    it('lists the first of very many uses, and reads no more of them than necessary', async () => {
      const author = await create('content/api::author.author', { name: 'Quoted' });
      const zone = Array.from({ length: 150 }, () => ({ __component: 'shared.quote', by: author.documentId }));
      await create(POST, { title: 'Quotes', zone });
      for (let n = 0; n < 2; n++) await create(POST, { title: `Quote ${n}`, zone: zone.slice(0, 1) });
      const { database } = server.app;
      const { rows } = database;
      const lengths: number[] = [];
      database.rows = async (...asked: Parameters<typeof rows>) => {
        const found = await rows.apply(database, asked);
        lengths.push(found.length);
        return found;
      };
      try {
        const { body } = await ask('GET', `content/api::author.author/${author.documentId}/uses`);
        deepStrictEqual([body.data[0].document.label, body.meta.more], ['Quotes', true]);
      } finally {
        database.rows = rows;
      }
      deepStrictEqual([Math.max(...lengths), lengths.includes(101)], [101, true]);
    });

    it('gives the first of a long list of links with the count, and the others page by page', async () => {
      const made = server.app.documents('api::tag.tag' as never);
      const ids: string[] = [];
      for (let n = 0; n < 28; n++) {
        ids.push(((await made.create({ data: { name: `t${n}` } } as never)) as { documentId: string }).documentId);
      }
      const { documentId, draft, counts, draftCounts } = await create(POST, {
        title: 'Long',
        tags: ids,
        seo: { head: 'h', tags: ids },
      });
      deepStrictEqual([draft.tags.length, draft.seo.tags.length, counts], [25, 25, { tags: 28, 'seo.tags': 28 }]);
      // tags have no drafts
      deepStrictEqual(draftCounts, { tags: 0, 'seo.tags': 0 });
      const { values, leftOut } = await read(`${POST}/${documentId}/filled?from=en&locale=fr`);
      deepStrictEqual([values.tags.length, values.seo.tags.length, leftOut], [28, 28, 0]);
      // what is not shown is not read either
      const { catalog, layout, database, config, views } = server.app;
      const reader = new Reader({ catalog, layout, database, locales: new LocaleStore(database), limits: config.rest });
      const populate = { tags: true, seo: { populate: { tags: true } } };
      const single = { kind: 'document', documentId } as const;
      const type = catalog.contentTypes.get('api::post.post')!;
      const short = await reader.one(type, views.full, { status: 'draft', populate }, single, { linked: 3 });
      const { tags, seo } = JSON.parse(short!.data);
      deepStrictEqual([tags.length, seo.tags.length, tags[0].name], [3, 3, 't0']);
      const { body } = await ask('GET', `${POST}/${documentId}/relations/tags?page=4&pageSize=8`);
      deepStrictEqual(
        body.data.map(({ label }: { label: string }) => label),
        ['t24', 't25', 't26', 't27'],
      );
      deepStrictEqual(body.meta.pagination, { page: 4, pageSize: 8, pageCount: 4, total: 28 });
      strictEqual((await ask('GET', `${POST}/${documentId}/relations/title`)).status, 404);
      strictEqual((await ask('GET', `${POST}/${documentId}/relations/tags?page=2000`)).status, 400);
      const kept = await done('PUT', `${POST}/${documentId}`, { data: { tags: { disconnect: [ids[0]] } } }, ANY);
      strictEqual(kept.counts.tags, 27);
      await move('publish', documentId);
      const few = { tags: { set: [] }, seo: { id: kept.draft.seo.id, tags: { set: [] } } };
      const shorter = await done('PUT', `${POST}/${documentId}`, { data: few }, ANY);
      deepStrictEqual([shorter.counts, shorter.publishedCounts], [{}, { tags: 27, 'seo.tags': 28 }]);
    });

    it('puts links of several locales in order by their rows', async () => {
      const { documentId, draft } = await create(POST, { title: 'In English' });
      const french = await done('PUT', `${POST}/${documentId}`, { data: { title: 'En français' }, locale: 'fr' }, {});
      const rows = [draft.id, french.draft.id];
      const author = await create('content/api::author.author', { name: 'Of both' });
      const link = async (connect: object[]) => {
        const data = { posts: { connect } };
        const saved = await done('PUT', `content/api::author.author/${author.documentId}`, { data }, ANY);
        return saved.draft.posts.map(({ locale }: { locale: string }) => locale);
      };
      deepStrictEqual(await link(rows.map((id) => ({ id, position: { end: true } }))), ['en', 'fr']);
      deepStrictEqual(await link([{ id: rows[1], position: { before: rows[0] } }]), ['fr', 'en']);
      deepStrictEqual(await link([{ id: rows[1], position: { after: rows[0] } }]), ['en', 'fr']);
    });

    it('counts which of the linked documents are drafts alone, those that are not shown among them', async () => {
      const made = server.app.documents('api::post.post');
      const posts: string[] = [];
      for (let n = 0; n < 29; n++) {
        const status = n % 10 === 0 || n === 28 ? 'published' : 'draft';
        const data = { title: `Of many ${n}` };
        posts.push(((await made.create({ data, status } as never)) as { documentId: string }).documentId);
      }
      const { documentId, counts, draftCounts } = await create('content/api::author.author', { name: 'Many', posts });
      deepStrictEqual([counts, draftCounts], [{ posts: 29 }, { posts: 25 }]);
      const published = await done('POST', `content/api::author.author/${documentId}/publish`, {}, ANY);
      deepStrictEqual([published.draftCounts, published.published.posts.length], [{ posts: 25 }, 4]);
    });

    it('writes drafts that stay drafts, and publishes, unpublishes and takes back', async () => {
      const { documentId, draft } = await create(POST, { title: 'First', seo: { head: 'kept' } });
      const published = await move('publish', documentId);
      deepStrictEqual([published.states, published.published.title], [{ en: 'published' }, 'First']);
      const second = { title: 'Second', seo: { id: draft.seo.id, head: 'n' } };
      const saved = await done('PUT', `${POST}/${documentId}`, { data: second }, ANY);
      deepStrictEqual(
        [saved.states, saved.published.title, saved.draft.title],
        [{ en: 'modified' }, 'First', 'Second'],
      );
      strictEqual(saved.draft.seo.id, draft.seo.id);
      const back = await move('discard', documentId);
      deepStrictEqual([back.states, back.draft.title, back.draft.seo.head], [{ en: 'published' }, 'First', 'kept']);
      const gone = await move('unpublish', documentId);
      deepStrictEqual([gone.states, gone.published], [{ en: 'draft' }, null]);
      await done('PUT', `${POST}/${documentId}`, { data: { title: null } }, ANY);
      const refused = await ask('POST', `${POST}/${documentId}/publish`, {});
      deepStrictEqual([refused.status, refused.body.error.details.errors[0].path], [400, ['title']]);
      strictEqual(
        (await ask('POST', `${TAG}/${(await create(TAG, { name: 'no drafts' })).documentId}/publish`, {})).status,
        400,
      );
    });

    it('refuses to overwrite a version that another administrator has saved, and returns it', async () => {
      const { documentId, tag } = await create(POST, { title: 'Mine' });
      const theirs = await done(
        'PUT',
        `${POST}/${documentId}`,
        { data: { title: 'Theirs' } },
        { 'if-match': tag },
        'eve',
      );
      notStrictEqual(theirs.tag, tag);
      const refused = await ask(
        'PUT',
        `${POST}/${documentId}`,
        { data: { title: 'Mine, later' } },
        { 'if-match': tag },
      );
      strictEqual(refused.status, 412);
      const { current } = refused.body.error.details;
      deepStrictEqual([current.draft.title, current.tag, current.updatedBy.name], ['Theirs', theirs.tag, 'eve']);
      for (const what of ['publish', 'discard', 'unpublish']) {
        strictEqual(
          (await ask('POST', `${POST}/${documentId}/${what}`, {}, { 'if-match': tag })).status,
          what === 'discard' ? 404 : 412,
        );
      }
      strictEqual((await ask('DELETE', `${POST}/${documentId}`, undefined, { 'if-match': tag })).status, 412);
      await done('PUT', `${POST}/${documentId}`, { data: { title: 'Mine' } }, { 'if-match': current.tag });
    });

    it('creates a document with a chosen id once, however often the request is sent', async () => {
      const documentId = 'a1b2c3d4e5f6g7h8i9j0k1l2m';
      const asked = { data: { name: 'once' }, documentId };
      const answers = await Promise.all([ask('POST', TAG, asked), ask('POST', TAG, asked)]);
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 201]);
      for (const { body } of answers)
        deepStrictEqual([body.data.documentId, body.data.draft.name], [documentId, 'once']);
      deepStrictEqual((await ask('POST', TAG, { ...asked, data: { name: 'other' } }, {}, 'eve')).status, 400);
      strictEqual((await read(`${TAG}/${documentId}`)).draft.name, 'once');
      for (const wrong of ['', 'A1b2c3d4e5f6g7h8i9j0k1l2m', '../x', 7, null]) {
        strictEqual((await ask('POST', TAG, { data: { name: 'never' }, documentId: wrong })).status, 400);
      }
    });

    it('creates a missing version, and does not overwrite one that was created meanwhile', async () => {
      const { documentId } = await create(POST, { title: 'English' });
      const target = `${POST}/${documentId}`;
      const save = (title: string, name: string) => ask('PUT', target, { data: { title }, locale: 'de' }, {}, name);
      const answers = await Promise.all([save('Von Sue', 'sue'), save('Auch von Sue', 'sue')]);
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 412]);
      const { draft } = await read(`${target}?locale=de`);
      const refused = answers.find(({ status }) => status === 412)!.body.error.details.current;
      deepStrictEqual([refused.draft.title, refused.locale], [draft.title, 'de']);
      strictEqual((await ask('PUT', target, { data: { title: 'Blind' } })).status, 412);
      const [home, again] = [
        await ask('PUT', HOME, { data: { head: 'a' } }),
        await ask('PUT', HOME, { data: { head: 'b' } }),
      ];
      deepStrictEqual([home.status, again.status, again.body.error.details.current.draft.head], [200, 412, 'a']);
      strictEqual((await ask('DELETE', HOME)).status, 204);
    });

    it('deletes a whole document if the version that was shown has not changed, in any locale', async () => {
      const { documentId } = await create(POST, { title: 'English' });
      const target = `${POST}/${documentId}`;
      const { tag } = await done('PUT', target, { data: { title: 'Deutsch' }, locale: 'de' });
      const other = await done('PUT', target, { data: { title: 'Anders' }, locale: 'de' }, { 'if-match': tag });
      await done('PUT', target, { data: { title: 'Français' }, locale: 'fr' });
      const refused = await ask('DELETE', target, undefined, { 'if-match': tag });
      deepStrictEqual([refused.status, refused.body.error.details.current.tag], [412, other.tag]);
      const { tag: french } = await read(`${target}?locale=fr`);
      strictEqual((await ask('DELETE', target, undefined, { 'if-match': french })).status, 204);
    });

    it('makes versions in other locales, fills them in from one another, and deletes one or all', async () => {
      const author = await create('content/api::author.author', { name: 'Bo' });
      const other = await create(POST, { title: 'Only English' });
      const { documentId } = await create(POST, {
        title: 'English',
        views: 3,
        next: other.documentId,
        author: author.documentId,
        seo: { head: 'head' },
        zone: [{ __component: 'shared.quote', by: author.documentId }],
      });
      const missing = await read(`${POST}/${documentId}?locale=fr`);
      deepStrictEqual([missing.draft, missing.tag, missing.states], [null, null, { en: 'draft' }]);
      const { values, leftOut } = await read(`${POST}/${documentId}/filled?from=en&locale=fr`);
      deepStrictEqual(
        [leftOut, values.title, values.next, values.seo, 'views' in values, values.zone[0].by[0].label],
        [1, 'English', [], { head: 'head', tags: [] }, false, 'Bo'],
      );
      await done('PUT', `${POST}/${other.documentId}`, { data: { title: 'Aussi en français' }, locale: 'fr' });
      const { values: all } = await read(`${POST}/${documentId}/filled?from=en&locale=fr`);
      deepStrictEqual([all.next[0].documentId, all.next[0].locale], [other.documentId, 'fr']);
      const french = await done('PUT', `${POST}/${documentId}`, { data: { title: 'Français' }, locale: 'fr' });
      deepStrictEqual([french.states, french.draft.views], [{ en: 'draft', fr: 'draft' }, 3]);
      await move('publish', documentId, { locale: 'fr' });
      deepStrictEqual((await read(`${POST}/${documentId}`)).states, { en: 'draft', fr: 'published' });
      strictEqual((await ask('GET', `${POST}/${documentId}?locale=xx`)).status, 400);
      strictEqual((await ask('DELETE', `${POST}/${documentId}?locale=fr`)).status, 204);
      deepStrictEqual((await read(`${POST}/${documentId}`)).states, { en: 'draft' });
      strictEqual((await ask('DELETE', `${POST}/${documentId}`)).status, 204);
      strictEqual((await ask('GET', `${POST}/${documentId}`)).status, 404);
    });

    it('reports that a missing document cannot be deleted', async () => {
      const { documentId } = await create(POST, { title: 'Here' });
      const remove = async (target: string, headers = {}) => (await ask('DELETE', target, undefined, headers)).status;
      const answers = [
        await remove(`${POST}/${'x'.repeat(24)}`),
        await remove(`${POST}/${'x'.repeat(24)}`, ANY),
        await remove(`${POST}/${documentId}?locale=fr`),
        await remove(HOME),
        await remove(`${POST}/${documentId}?locale=en`),
        await remove(`${POST}/${documentId}`),
      ];
      deepStrictEqual(answers, [404, 404, 404, 404, 204, 404]);
    });

    it('duplicates all locales of a draft, with other uids', async () => {
      const { documentId } = await create(POST, { title: 'Original', slug: 'original', seo: { head: 'h' } });
      await done('PUT', `${POST}/${documentId}`, { data: { title: 'Originel' }, locale: 'fr' });
      await move('publish', documentId);
      const copy = await done('POST', `${POST}/${documentId}/duplicate`, {}, {}, 'sue');
      notStrictEqual(copy.documentId, documentId);
      deepStrictEqual(
        [copy.states, copy.draft.title, copy.draft.slug],
        [{ en: 'draft', fr: 'draft' }, 'Original', 'original-1'],
      );
      deepStrictEqual([copy.draft.seo.head, copy.createdBy.name], ['h', 'sue']);
      const tag = await create(TAG, { name: 'unique' });
      const refused = await ask('POST', `${TAG}/${tag.documentId}/duplicate`, {});
      deepStrictEqual([refused.status, refused.body.error.details.errors[0].path], [400, ['name']]);
    });

    it('passes copies to hooks of the project, which may refuse or change them', async () => {
      const PAGE = 'content/api::page.page';
      const zone = [{ __component: 'shared.deck', cards: [{}] }];
      const { documentId } = await create(PAGE, { title: 'Why', zone });
      await done('PUT', `${PAGE}/${documentId}`, { data: { title: 'Why?' } }, ANY);
      const copy = await done('POST', `${PAGE}/${documentId}/duplicate`, {});
      deepStrictEqual([copy.draft.title, copy.draft.zone[0].cards.length], ['Why?shared.deck', 1]);
      deepStrictEqual((await read(`${PAGE}/${documentId}`)).draft.title, 'Why?');
    });

    it('has the document of a single type from the first write on', async () => {
      const nobody = await read(HOME);
      deepStrictEqual([nobody.documentId, nobody.draft, nobody.states], [null, null, {}]);
      const made = await done('PUT', HOME, { data: { head: 'Hello' } });
      deepStrictEqual([made.draft.head, made.states], ['Hello', { '': 'draft' }]);
      strictEqual((await read(HOME)).documentId, made.documentId);
      deepStrictEqual((await done('POST', `${HOME}/publish`, {})).states, { '': 'published' });
      strictEqual((await ask('POST', `${HOME}/duplicate`, {})).status, 400);
      strictEqual((await ask('GET', `${POST}/single`)).status, 404);
      strictEqual((await ask('DELETE', HOME)).status, 204);
      strictEqual((await read(HOME)).draft, null);
    });

    it('finds the choices of a relation by the name of documents, at any depth', async () => {
      for (const name of ['Cara Found', 'Dora Found', 'Emil']) await create('content/api::author.author', { name });
      const labels = async (target: string) => (await read(target)).map(({ label }: { label: string }) => label);
      const found = await ask('GET', 'relations/api::post.post/author?q=found&pageSize=1');
      deepStrictEqual([found.body.data[0].label, found.body.meta.pagination.total], ['Dora Found', 2]);
      deepStrictEqual(await labels('relations/shared.quote/by?q=cara'), ['Cara Found']);
      // what is called so comes first, on whichever page, though others have changed later
      for (const name of ['plain 3', 'Plain 3', 'Plain 31', 'A plain 3', 'Plain 39']) {
        await create('content/api::author.author', { name });
      }
      const named = 'relations/api::post.post/author?q=plain 3';
      deepStrictEqual(await labels(named), ['Plain 3', 'plain 3', 'Plain 39', 'A plain 3', 'Plain 31']);
      const pages = [1, 2, 3].map((n) => labels(`${named}&pageSize=2&page=${n}`));
      deepStrictEqual(await Promise.all(pages), [['Plain 3', 'plain 3'], ['Plain 39', 'A plain 3'], ['Plain 31']]);
      strictEqual((await ask('GET', `${named}&pageSize=2`)).body.meta.pagination.total, 5);
      // documents of one name are told apart
      await create(POST, { title: 'Weekly meeting', slug: 'monday' });
      await create(POST, { title: 'Weekly meeting', slug: 'tuesday', secret: 'not told' });
      const meetings = await read('relations/api::post.post/next?q=weekly');
      const told = meetings.map(({ details }: { details: unknown[] }) => details[0]);
      deepStrictEqual(told, ['tuesday', 'monday']);
      ok(meetings.every(({ updatedAt }: { updatedAt: string }) => Date.parse(updatedAt) > 0));
      const nameless = await create('content/api::author.author', { name: '' });
      const [first] = await read('relations/api::post.post/author?pageSize=1');
      deepStrictEqual([first.documentId, first.label], [nameless.documentId, null]);
      const { body } = await ask('GET', 'relations/api::post.post/author?pageSize=5000');
      strictEqual(body.meta.pagination.pageSize, 100);
      strictEqual((await ask('GET', 'relations/api::post.post/author?page=x')).status, 400);
      strictEqual((await labels('relations/api::post.post/seo.tags?q=one')).length, 1);
      for (const target of [
        'api::post.post/title',
        'api::post.post/seo',
        'api::gone.gone/x',
        'api::post.post/createdBy',
      ]) {
        strictEqual((await ask('GET', `relations/${target}`)).status, 404, target);
      }
    });

    it('reports whether a uid is free, and generates a free one', async () => {
      const { documentId } = await create(POST, { title: 'Taken', slug: 'taken' });
      const uid = (query: string) => read(`uid/api::post.post/slug?${query}`);
      deepStrictEqual(await uid('value=taken'), { value: 'taken', free: false, suggestion: 'taken-1' });
      deepStrictEqual(await uid(`value=taken&documentId=${documentId}`), {
        value: 'taken',
        free: true,
        suggestion: 'taken',
      });
      deepStrictEqual(await uid('value=taken&locale=fr'), { value: 'taken', free: true, suggestion: 'taken' });
      deepStrictEqual(await uid('from=Taken%20Crème'), { value: 'taken-creme', free: true, suggestion: 'taken-creme' });
      deepStrictEqual(await uid(''), { value: 'post', free: true, suggestion: 'post' });
      const { suggestion } = await read('uid/shared.quote/place?from=An%20Aside');
      strictEqual(suggestion, 'an-aside');
      strictEqual((await ask('GET', 'uid/api::post.post/title')).status, 404);
    });

    it('makes no value of a uid that its own pattern refuses', async () => {
      const route = 'content/api::route.route';
      const { documentId } = await create(route, { word: 'taken', path: 'taken' });
      const uid = (name: string, query: string) => read(`uid/api::route.route/${name}?${query}`);
      deepStrictEqual(await uid('word', 'from=One'), { value: 'one', free: true, suggestion: 'one' });
      deepStrictEqual(await uid('word', 'from=One%20Two'), { value: 'one-two', free: true, suggestion: null });
      deepStrictEqual(await uid('word', 'value=taken'), { value: 'taken', free: false, suggestion: null });
      deepStrictEqual(await uid('path', 'from=One%20Two'), { value: 'one/two', free: true, suggestion: 'one/two' });
      deepStrictEqual(await uid('path', 'value=taken'), { value: 'taken', free: false, suggestion: 'taken-1' });
      const { body } = await ask('POST', `${route}/${documentId}/duplicate`);
      const { draft } = await read(`${route}/${body.data.documentId}`);
      deepStrictEqual([draft.word, draft.path], [null, 'taken-1']);
    });

    it("returns the address of a draft's preview, by the pattern of its type", async () => {
      const { documentId } = await create(POST, { title: 'Shown', slug: 'a.b_c' });
      const url = async (target: string) => (await read(`${target}/preview`)).url;
      strictEqual(await url(`${POST}/${documentId}`), `https://site.example/en/a.b_c?id=${documentId}&as=draft`);
      strictEqual(await url(`${POST}/${(await create(POST, { title: 'No slug' })).documentId}`), null);
      strictEqual(await url(`${TAG}/${(await create(TAG, { name: 'never shown' })).documentId}`), null);
      const page = await server.get('/admin');
      match(page.headers.get('content-security-policy') ?? '', /frame-src https:\/\/site\.example;/);
      // where it shows none, nothing offers to
      deepStrictEqual((await read('schema')).previews, ['api::post.post']);
    });

    it('keeps authors to their own documents, and from publishing', async () => {
      const hers = await create(POST, { title: 'By Ann' }, 'ann');
      deepStrictEqual([hers.createdBy.name, hers.draft.title], ['ann', 'By Ann']);
      const other = await create(POST, { title: 'By Sue' });
      const as = (method: string, target: string, body?: object) => ask(method, target, body, {}, 'ann');
      for (const target of ['', '/uses', '/relations/tags', '/filled?from=en&locale=fr']) {
        strictEqual((await as('GET', `${POST}/${other.documentId}${target}`)).status, 404, target);
      }
      strictEqual((await as('PUT', `${POST}/${other.documentId}`, { data: { title: 'x' } })).status, 404);
      strictEqual((await as('DELETE', `${POST}/${other.documentId}`)).status, 404);
      strictEqual((await as('POST', `${POST}/${other.documentId}/duplicate`, {})).status, 404);
      for (const what of ['publish', 'unpublish']) {
        strictEqual((await as('POST', `${POST}/${hers.documentId}/${what}`, {})).status, 403, what);
      }
      strictEqual((await as('PUT', `${POST}/${hers.documentId}`, { data: { title: 'y' }, locale: 'fr' })).status, 200);
      await done('PUT', `${POST}/${hers.documentId}`, { data: { title: 'By both' } }, ANY, 'eve');
      deepStrictEqual((await read(`${POST}/${hers.documentId}`, 'ann')).updatedBy.name, 'eve');
      match((await people['ann']!.send('GET', 'content/admin::user/x')).text, /NotFoundError/);
      strictEqual((await new Browser(server).get(`${POST}/${hers.documentId}`)).status, 401);
    });

    it('requires the right to create for a new version in another locale, and the right to update for an existing one', async () => {
      const { documentId } = await create(POST, { title: 'One locale' });
      const change = (text: string) => server.app.database.transaction(async (tx) => void (await tx.rows(text, [])));
      const of = `subject = 'api::post.post' and action like 'plugin::content-manager.explorer`;
      await change(`update admin_permissions set properties = '{"locales":null}' where ${of}.%'`);
      await change(`delete from admin_permissions where ${of}.create'`);
      const save = async (locale: string) => {
        const body = { data: { title: `In ${locale}` }, locale };
        return (await ask('PUT', `${POST}/${documentId}`, body, locale === 'en' ? ANY : {}, 'eve')).status;
      };
      deepStrictEqual([await save('fr'), await save('en')], [403, 200]);
      strictEqual((await ask('POST', POST, { data: { title: 'New' } }, {}, 'eve')).status, 403);
      strictEqual((await ask('POST', `${POST}/${documentId}/duplicate`, {}, {}, 'eve')).status, 403);
    });

    it('lists the locales of the rights of an administrator, and the default one', async () => {
      const codes = async (name: string) => {
        const { locales } = (await ask('GET', 'schema', undefined, {}, name)).body.data;
        return locales.map(({ code }: { code: string }) => code);
      };
      strictEqual((await codes('sue')).includes('fr'), true);
      for (const [rights, told] of [
        ['fr', ['en', 'fr']],
        ['en', ['en']],
      ] as const) {
        const text = `update admin_permissions set properties = '{"locales":["${rights}"]}' where subject = 'api::post.post'`;
        await server.app.database.transaction(async (tx) => void (await tx.rows(text, [])));
        deepStrictEqual(await codes('eve'), told);
      }
    });
  });
}
