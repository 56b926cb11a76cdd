/** `Strapi-Response-Format: v4` (docs/reference/http.md, "Previous response format"). */
import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const V4 = { 'strapi-response-format': 'v4' };

for (const engine of engines) {
  describe(`the previous response format on ${engine.name}`, () => {
    let server: SeededServer;
    let ann = '';
    let article = '';
    const call = async (method: string, target: string, body?: unknown, headers: Record<string, string> = V4) => {
      const answer = await server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return answer;
    };
    const flat = (method: string, target: string, body?: unknown) => call(method, target, body, {});

    before(async () => {
      server = await serveScenarioProject(engine);
      ann = (await flat('POST', '/authors', { data: { name: 'Ann' } })).body.data.documentId;
      const data = {
        title: 'One',
        author: ann,
        meta: { id: 1, documentId: 'x', author: { id: 2 } },
        seo: { metaTitle: 'm' },
        links: [{ label: 'a' }],
        zone: [{ __component: 'blocks.quote', text: 'q', by: ann }],
      };
      article = (await flat('POST', '/articles', { data })).body.data.documentId;
    });
    after(() => server?.stop());

    it('nests attributes, wraps relations of every depth, leaves components and JSON values flat', async () => {
      const query =
        'fields[0]=title&fields[1]=meta&populate[author][fields][0]=name&populate[author][populate][articles][fields][0]=title' +
        '&populate[tags][fields][0]=name&populate[cover]=true&populate[seo]=true&populate[links]=true' +
        '&populate[zone][on][blocks.quote][populate][by][fields][0]=name';
      const { status, body, text } = await call('GET', `/articles/${article}?${query}`);
      strictEqual(status, 200, text);
      const { id, documentId, attributes, ...rest } = body.data;
      deepStrictEqual([typeof id, documentId, rest, body.meta], ['number', article, {}, {}]);
      strictEqual(attributes.title, 'One');
      deepStrictEqual(attributes.meta, { id: 1, documentId: 'x', author: { id: 2 } });
      const author = attributes.author.data;
      deepStrictEqual(author.documentId, ann);
      strictEqual(author.attributes.name, 'Ann');
      deepStrictEqual(
        author.attributes.articles.data.map((item: { attributes: unknown }) => item.attributes),
        [{ title: 'One' }],
      );
      deepStrictEqual([attributes.tags, attributes.cover], [{ data: [] }, { data: null }]);
      deepStrictEqual([attributes.seo.metaTitle, 'attributes' in attributes.seo], ['m', false]);
      strictEqual(attributes.links[0].label, 'a');
      const [quote] = attributes.zone;
      deepStrictEqual(
        [quote.__component, quote.text, quote.by.data.attributes],
        ['blocks.quote', 'q', { name: 'Ann' }],
      );
    });

    it('counts relations, and wraps the localizations', async () => {
      const counted = await call('GET', `/articles/${article}?fields[0]=title&populate[tags][count]=true`);
      deepStrictEqual(counted.body.data.attributes.tags, { data: { attributes: { count: 0 } } });
      await flat('PUT', `/articles/${article}?locale=fr`, { data: { title: 'Un' } });
      const { body } = await call(
        'GET',
        `/articles/${article}?fields[0]=title&populate[localizations][fields][0]=title`,
      );
      const [french] = body.data.attributes.localizations.data;
      deepStrictEqual([french.documentId, french.attributes.title], [article, 'Un']);
    });

    it('is that of lists, writes, actions and batches', async () => {
      const list = await call('GET', '/authors?fields[0]=name');
      deepStrictEqual(list.body.data[0].attributes, { name: 'Ann' });
      strictEqual(list.body.meta.pagination.total, 1);
      const made = await call('POST', '/tags?fields[0]=name', { data: { name: 'red' } });
      const { documentId } = made.body.data;
      deepStrictEqual(made.body.data.attributes, { name: 'red' });
      const put = await call('PUT', `/tags/${documentId}?fields[0]=name`, { data: { name: 'blue' } });
      deepStrictEqual(put.body.data.attributes, { name: 'blue' });
      const single = await call('PUT', '/setting?fields[0]=siteName', { data: { siteName: 'S' } });
      deepStrictEqual(single.body.data.attributes, { siteName: 'S' });
      const published = await call('POST', `/articles/${article}/actions/publish?fields[0]=title`);
      strictEqual(published.body.data.attributes.title, 'One');
      const several = await call('POST', `/articles/${article}/actions/publish?fields[0]=title&locale=*`);
      deepStrictEqual(
        several.body.data.map((item: { attributes: { title: string } }) => item.attributes.title),
        ['One', 'Un'],
      );
      const operations = [
        { action: 'create', data: { name: 'green' } },
        { action: 'delete', documentId },
      ];
      const batch = await call('POST', '/tags/actions/batch?fields[0]=name', { operations });
      deepStrictEqual([batch.body.data[0].attributes, batch.body.data[1]], [{ name: 'green' }, null]);
    });

    it('is requested by the exact word only', async () => {
      for (const word of ['V4', 'v5', 'v4,', '']) {
        const { body } = await call('GET', '/authors', undefined, { 'strapi-response-format': word });
        strictEqual(body.data[0].name, 'Ann', word);
      }
    });

    it('is not that of errors, files, users and locales', async () => {
      const error = await call('GET', '/articles/nosuch');
      deepStrictEqual([error.status, error.body.data, error.body.error.name], [404, null, 'NotFoundError']);
      for (const target of ['/i18n/locales', '/users', '/upload/files']) {
        strictEqual((await call('GET', target)).text, (await flat('GET', target)).text, target);
      }
    });

    it('is refused for answers that would hold up everybody else, before anything is written', async () => {
      const meta = { text: 'x'.repeat(900_000) };
      for (const title of ['l1', 'l2', 'l3']) await flat('POST', '/articles', { data: { title, meta } });
      const long = '/articles?filters[title][$startsWith]=l';
      deepStrictEqual([(await flat('GET', long)).status, (await call('GET', long)).status], [200, 400]);
      const author = (await flat('POST', '/authors', { data: { name: 'Long' } })).body.data.documentId;
      for (const title of ['l1', 'l2', 'l3']) await flat('POST', '/articles', { data: { title, meta, author } });
      const put = await call('PUT', `/authors/${author}?populate=articles`, { data: { name: 'Changed' } });
      strictEqual(put.status, 400);
      strictEqual((await flat('GET', `/authors/${author}`)).body.data.name, 'Long');
    });

    it('has entity tags of its own, with the version of the document', async () => {
      const nested = (await call('GET', `/authors/${ann}`)).headers.get('etag')!;
      const plain = (await flat('GET', `/authors/${ann}`)).headers.get('etag')!;
      notStrictEqual(nested, plain);
      strictEqual(nested.split('.')[0], plain.split('.')[0]);
      const headers = { ...V4, 'if-none-match': nested };
      strictEqual((await call('GET', `/authors/${ann}`, undefined, headers)).status, 304);
    });
  });
}
