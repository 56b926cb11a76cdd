/** `POST …/actions/publish`, `unpublish`, `discard-draft`: docs/reference/extensions.md, "Publication". */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
    {
      name: 'publisher',
      type: 'custom',
      permissions: ['api::article.article.find', 'api::article.article.findOne', 'api::article.article.publish'],
    },
  ],
};

for (const engine of engines) {
  describe(`publication actions on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, as = 'full') =>
      server.request(method, `/api${target}`, { token: server.secrets[as], ...(body ? { body } : {}) });
    const act = (path: string, word: string, query = '', as = 'full') =>
      call('POST', `${path}/actions/${word}${query}`, undefined, as);
    const read = async (path: string) => (await call('GET', path)).body.data;
    /** Writes a draft and gives its path. */
    const draft = async (plural: string, data: unknown, query = ''): Promise<string> => {
      const { status, body } = await call('POST', `/${plural}?status=draft${query}`, { data });
      strictEqual(status, 200, JSON.stringify(body));
      return `/${plural}/${body.data.documentId}`;
    };
    const cohorts = async (path: string, query = '') => {
      const found: string[] = [];
      for (const cohort of ['never-published', 'modified', 'unmodified']) {
        const { status } = await call('GET', `${path}?status=draft&publicationFilter=${cohort}${query}`);
        if (status === 200) found.push(cohort);
      }
      return found;
    };

    before(async () => {
      server = await serveSeeded(engine, await copyProject(CONFORMANCE_DIR), FIXTURE);
    });
    after(() => server?.stop());

    it('publishes a draft and answers with the published row', async () => {
      const path = await draft('tags', { name: 'red' });
      const { status, body } = await act(path, 'publish');
      strictEqual(status, 200);
      deepStrictEqual([body.data.name, typeof body.data.publishedAt, body.meta], ['red', 'string', {}]);
      deepStrictEqual(await cohorts(path), ['unmodified']);
      strictEqual((await read(path)).id, body.data.id);
    });

    it('publishes later changes of the draft in the same row', async () => {
      const path = await draft('tags', { name: 'red' });
      const first = (await act(path, 'publish')).body.data;
      await call('PUT', `${path}?status=draft`, { data: { name: 'green' } });
      deepStrictEqual(await cohorts(path), ['modified']);
      const second = (await act(path, 'publish')).body.data;
      deepStrictEqual([second.id, second.name], [first.id, 'green']);
      deepStrictEqual(await cohorts(path), ['unmodified']);
    });

    it('unpublishes, keeping the draft, and accepts a document that is not published', async () => {
      const path = await draft('tags', { name: 'red' });
      await act(path, 'publish');
      const { status, body } = await act(path, 'unpublish');
      deepStrictEqual([status, body.data.name, body.data.publishedAt], [200, 'red', null]);
      strictEqual((await call('GET', path)).status, 404);
      deepStrictEqual(await cohorts(path), ['never-published']);
      strictEqual((await act(path, 'unpublish')).status, 200);
    });

    it('discards a draft: it equals the published version again', async () => {
      const quote = { __component: 'blocks.quote', text: 'first' };
      const data = { title: 'One', views: 1, links: [{ label: 'a' }], zone: [quote] };
      const path = await draft('articles', data);
      await act(path, 'publish');
      const changes = { title: 'Two', views: 2, links: [{ label: 'b' }, { label: 'c' }], zone: [] };
      await call('PUT', `${path}?status=draft`, { data: changes });
      const { status, body } = await act(path, 'discard-draft', '?populate=*');
      strictEqual(status, 200);
      deepStrictEqual(
        [body.data.title, body.data.views, body.data.publishedAt, body.data.links.length, body.data.zone.length],
        ['One', 1, null, 1, 1],
      );
      deepStrictEqual(await cohorts(path), ['unmodified']);
    });

    it('restores the shared attributes of a discarded draft in the drafts of other locales', async () => {
      const path = await draft('articles', { title: 'One', views: 1 });
      await call('PUT', `${path}?status=draft&locale=fr`, { data: { title: 'Un' } });
      await act(path, 'publish', '?locale=*');
      await call('PUT', `${path}?status=draft`, { data: { views: 7 } });
      strictEqual((await read(`${path}?status=draft&locale=fr`)).views, 7);
      await act(path, 'discard-draft');
      strictEqual((await read(`${path}?status=draft&locale=fr`)).views, 1);
    });

    it('answers 404 for a draft to discard that has never been published', async () => {
      strictEqual((await act(await draft('tags', { name: 'red' }), 'discard-draft')).status, 404);
    });

    it('takes one locale, several, or all, in the order of the codes', async () => {
      const path = await draft('articles', { title: 'One' });
      for (const [code, title] of [
        ['fr', 'Un'],
        ['de', 'Eins'],
      ]) {
        await call('PUT', `${path}?status=draft&locale=${code}`, { data: { title } });
      }
      strictEqual((await act(path, 'publish', '?locale=fr')).body.data.title, 'Un');
      strictEqual((await call('GET', path)).status, 404);
      const titles = async (word: string, query: string) =>
        (await act(path, word, `?${query}&fields=title`)).body.data.map(({ title }: { title: string }) => title);
      deepStrictEqual(await titles('publish', 'locale=fr&locale=en'), ['Un', 'One']);
      deepStrictEqual(await titles('publish', 'locale[0]=de'), ['Eins']);
      deepStrictEqual(await titles('unpublish', 'locale=*'), ['Eins', 'One', 'Un']);
      for (const code of ['en', 'fr', 'de']) {
        deepStrictEqual(await cohorts(path, `&locale=${code}`), ['never-published']);
      }
    });

    it('moves all versions or none', async () => {
      const path = await draft('articles', { title: 'One' });
      strictEqual((await act(path, 'publish', '?locale=en&locale=fr')).status, 404);
      strictEqual((await call('GET', path)).status, 404);
    });

    it('refuses a draft that may not be published as a publishing update does, and changes nothing', async () => {
      const path = await draft('events', { title: 'x' });
      const refused = await act(path, 'publish');
      const update = await call('PUT', path, { data: {} });
      strictEqual(refused.status, 400);
      ok(refused.body.error.details.errors.length > 1);
      deepStrictEqual(refused.body, update.body);
      strictEqual((await call('GET', path)).status, 404);
    });

    it('answers 404 for documents and versions that are not there, 400 for unknown locales', async () => {
      const path = await draft('articles', { title: 'One' });
      strictEqual((await act('/articles/nosuchdocument', 'publish')).status, 404);
      strictEqual((await act(path, 'publish', '?locale=fr')).status, 404);
      strictEqual((await act(path, 'publish', '?locale=xx')).status, 400);
      strictEqual((await act('/homepage', 'publish')).status, 404);
    });

    it('exists only for types with drafts, and for one method', async () => {
      strictEqual((await call('POST', '/setting/actions/publish')).status, 404);
      strictEqual((await call('POST', '/countries/x/actions/publish')).status, 404);
      const { status, headers } = await call('PUT', '/tags/x/actions/publish', { data: {} });
      deepStrictEqual([status, headers.get('allow')], [405, 'HEAD, GET, POST']);
      strictEqual((await call('GET', '/tags/x/actions/publish')).status, 404);
    });

    it('needs a permission of its own for each', async () => {
      const path = await draft('articles', { title: 'One' });
      strictEqual((await act(path, 'publish', '', 'read')).status, 403);
      strictEqual((await act(path, 'publish', '', 'publisher')).status, 200);
      strictEqual((await act(path, 'unpublish', '', 'publisher')).status, 403);
      strictEqual((await act(path, 'discard-draft', '', 'publisher')).status, 403);
      strictEqual((await call('PUT', path, { data: {} }, 'publisher')).status, 403);
    });

    it('shapes the answer by fields and populate, and refuses unknown keys', async () => {
      const tag = await draft('tags', { name: 'red' });
      await act(tag, 'publish');
      const path = await draft('articles', { title: 'One', tags: [tag.split('/')[2]] });
      const { body } = await act(path, 'publish', '?fields=title&populate[tags][fields]=name');
      deepStrictEqual(Object.keys(body.data), ['id', 'documentId', 'title', 'tags']);
      strictEqual(body.data.tags[0].name, 'red');
      strictEqual((await act(path, 'publish', '?populate=nope')).status, 400);
    });

    it('works on single types, whose document is the only one', async () => {
      await call('PUT', '/homepage?status=draft', { data: { headline: 'Hello' } });
      strictEqual((await act('/homepage', 'publish')).body.data.headline, 'Hello');
      strictEqual((await read('/homepage')).headline, 'Hello');
      await call('PUT', '/homepage?status=draft', { data: { headline: 'Bye' } });
      strictEqual((await act('/homepage', 'discard-draft')).body.data.headline, 'Hello');
      strictEqual((await act('/homepage', 'unpublish')).body.data.publishedAt, null);
      strictEqual((await call('GET', '/homepage')).status, 404);
    });

    it('brings published links back when their target is published again', async () => {
      const tag = await draft('tags', { name: 'red' });
      await act(tag, 'publish');
      const other = await draft('tags', { name: 'blue' });
      await act(other, 'publish');
      const [red, blue] = [tag, other].map((path) => path.split('/')[2]!);
      const article = await draft('articles', { title: 'One', tags: [red, blue] });
      await act(article, 'publish');
      const event = {
        title: 'Event',
        starts: '2024-01-01T00:00:00.000Z',
        venue: { name: 'Hall' },
        topics: [red, blue],
        mentions: [{ __type: 'api::tag.tag', documentId: red }],
        subject: { __type: 'api::tag.tag', documentId: red },
      };
      const made = await call('POST', '/events', { data: event });
      strictEqual(made.status, 200, JSON.stringify(made.body));
      const eventPath = `/events/${made.body.data.documentId}`;
      const names = async () => {
        const { tags } = await read(`${article}?populate=tags`);
        const { topics, mentions, subject } = await read(`${eventPath}?populate=*`);
        const of = (list: { name: string }[]) => list.map(({ name }) => name);
        return [of(tags), of(topics), of(mentions), subject?.name ?? null];
      };
      const before = [['red', 'blue'], ['red', 'blue'], ['red'], 'red'];
      deepStrictEqual(await names(), before);
      await act(tag, 'unpublish');
      deepStrictEqual(await names(), [['blue'], ['blue'], [], null]);
      await act(tag, 'publish');
      deepStrictEqual(await names(), before);
    });
  });
}
