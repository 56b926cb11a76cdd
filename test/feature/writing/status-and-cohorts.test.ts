/** `status` and `publicationFilter` of reads: docs/reference/query-parameters.md, "Status and publication". */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

/** Cohort, names of draft rows, names of published rows. `lone` is a published row whose draft is gone. */
const COHORTS: readonly [string, readonly string[], readonly string[]][] = [
  ['never-published', ['never'], []],
  ['has-published-version', ['clean', 'changed 2'], ['clean', 'changed', 'lone']],
  ['modified', ['changed 2'], ['changed']],
  ['unmodified', ['clean'], ['clean']],
  ['never-published-document', ['never'], []],
  ['has-published-version-document', ['clean', 'changed 2'], ['clean', 'changed', 'lone']],
  ['published-without-draft', [], ['lone']],
  ['published-with-draft', [], ['clean', 'changed']],
];

for (const engine of engines) {
  describe(`status and cohorts on ${engine.name}`, () => {
    let server: SeededServer;
    const ids: Record<string, string> = {};
    const read = (target: string) => server.get(target, server.secrets['full']);
    const names = async (query: string) => {
      const { body } = await read(`/api/tags?fields=name&${query}`);
      return body.data.map((tag: { name: string }) => tag.name);
    };
    const titles = (rows: { title: string }[]) => rows.map(({ title }) => title);

    before(async () => {
      server = await serveScenarioProject(engine);
      const { seeder } = server;
      ids['never'] = await seeder.create('api::tag.tag', { name: 'never' }, { status: 'draft' });
      ids['clean'] = await seeder.create('api::tag.tag', { name: 'clean' });
      ids['changed'] = await seeder.create('api::tag.tag', { name: 'changed' });
      await seeder.update('api::tag.tag', ids['changed'], { name: 'changed 2' }, { status: 'draft' });
      ids['lone'] = await seeder.create('api::tag.tag', { name: 'lone' });
      await seeder.sql(`delete from tags where id = ${seeder.rowId(ids['lone'], 'draft')}`);
      ids['author'] = await seeder.create('api::author.author', { name: 'Ann' });
      const tags = ['never', 'clean', 'changed'].map((name) => ids[name]);
      ids['article'] = await seeder.create('api::article.article', { title: 'shown', tags, author: ids['author'] });
      await seeder.update('api::article.article', ids['article'], { title: 'drafted' }, { status: 'draft' });
      ids['hidden'] = await seeder.create(
        'api::article.article',
        { title: 'unseen', author: ids['author'] },
        { status: 'draft' },
      );
    });
    after(() => server?.stop());

    it('shows published rows without a word', async () => {
      deepStrictEqual(await names(''), ['clean', 'changed', 'lone']);
      deepStrictEqual(await names('status'), ['clean', 'changed', 'lone']);
      deepStrictEqual(await names('status=published'), ['clean', 'changed', 'lone']);
    });

    it('shows draft rows on request', async () => {
      deepStrictEqual(await names('status=draft'), ['never', 'clean', 'changed 2']);
    });

    it('takes a list of one status for the status', async () => {
      deepStrictEqual(await names('status[]=draft'), ['never', 'clean', 'changed 2']);
      deepStrictEqual(await names('status[0]=draft'), ['never', 'clean', 'changed 2']);
      deepStrictEqual(await names('status[]=published'), ['clean', 'changed', 'lone']);
      deepStrictEqual(await names('status[]'), ['clean', 'changed', 'lone']);
    });

    it('refuses other words and longer lists, on types without drafts as well', async () => {
      for (const status of ['status=', 'status[]=', 'status=Draft', 'status[a]=draft', 'status=draft&status=draft']) {
        strictEqual((await read(`/api/tags?${status}`)).status, 400, status);
      }
      strictEqual((await read('/api/authors?status=x')).status, 400);
      strictEqual((await read('/api/authors?status=draft')).body.data.length, 1);
    });

    it('does not find a document that is absent in the status', async () => {
      strictEqual((await read(`/api/tags/${ids['never']}`)).status, 404);
      strictEqual((await read(`/api/tags/${ids['never']}?status=draft`)).status, 200);
      strictEqual((await read(`/api/tags/${ids['lone']}?status=draft`)).status, 404);
    });

    it('never leaves the status by a filter on publishedAt', async () => {
      deepStrictEqual(await names('filters[publishedAt][$null]=true'), []);
      deepStrictEqual(await names('status=draft&filters[publishedAt][$notNull]=true'), []);
    });

    it('searches and filters only rows of the requested status', async () => {
      deepStrictEqual(await names('_q=changed 2'), []);
      deepStrictEqual(await names('status=draft&_q=changed 2'), ['changed 2']);
      deepStrictEqual(await names('status=draft&filters[name]=changed'), []);
    });

    it('shows related rows in the status of the request at every level', async () => {
      const tree = 'fields=name&populate[articles][fields]=title&populate[articles][populate][tags][fields]=name';
      const draft = (await read(`/api/authors?${tree}&status=draft`)).body.data[0];
      deepStrictEqual(titles(draft.articles), ['drafted', 'unseen']);
      deepStrictEqual(
        draft.articles[0].tags.map((tag: { name: string }) => tag.name),
        ['never', 'clean', 'changed 2'],
      );
      const shown = (await read(`/api/authors?${tree}`)).body.data[0];
      deepStrictEqual(titles(shown.articles), ['shown']);
      deepStrictEqual(
        shown.articles[0].tags.map((tag: { name: string }) => tag.name),
        ['clean', 'changed'],
      );
    });

    it('filters and sorts only by related rows of the requested status, from types without drafts too', async () => {
      const found = async (query: string) => (await read(`/api/authors?${query}`)).body.data.length;
      deepStrictEqual(await found('filters[articles][title]=unseen'), 0);
      deepStrictEqual(await found('filters[articles][title]=unseen&status=draft'), 1);
      deepStrictEqual(await found('filters[articles][title]=shown&status=draft'), 0);
      deepStrictEqual(await found('sort=articles.title'), 1);
    });

    for (const [cohort, drafts, published] of COHORTS) {
      it(`${cohort} chooses among drafts and among published rows`, async () => {
        deepStrictEqual(await names(`status=draft&publicationFilter=${cohort}`), drafts);
        deepStrictEqual(await names(`publicationFilter=${cohort}`), published);
      });
    }

    it('answers 404 for a document outside the cohort', async () => {
      strictEqual((await read(`/api/tags/${ids['clean']}?publicationFilter=modified`)).status, 404);
      strictEqual((await read(`/api/tags/${ids['changed']}?publicationFilter=modified`)).status, 200);
    });

    it('narrows populated relations with drafts by their own cohort, and no others', async () => {
      const query = 'publicationFilter=modified&populate[tags][fields]=name&populate[author][fields]=name';
      const { data } = (await read(`/api/articles/${ids['article']}?${query}`)).body;
      deepStrictEqual(
        data.tags.map((tag: { name: string }) => tag.name),
        ['changed'],
      );
      strictEqual(data.author.name, 'Ann');
    });

    it('does not narrow the relations that filters and sort go through', async () => {
      const found = async (query: string) =>
        titles((await read(`/api/articles?publicationFilter=modified&${query}`)).body.data);
      deepStrictEqual(await found('filters[tags][name]=clean'), ['shown']);
      deepStrictEqual(await found('filters[$not][tags][name]=clean'), []);
      deepStrictEqual(await found('filters[tags][articles][tags][name]=clean'), ['shown']);
      const authors = await read(
        '/api/authors?publicationFilter=unmodified&filters[articles][title]=shown&populate[articles][fields]=title',
      );
      deepStrictEqual(authors.body.data.length, 1);
      deepStrictEqual(authors.body.data[0].articles, []);
      const related = await read(
        `/api/articles/${ids['article']}?publicationFilter=modified&populate[tags][filters][articles][tags][name]=clean`,
      );
      deepStrictEqual(
        related.body.data.tags.map((tag: { name: string }) => tag.name),
        ['changed'],
      );
    });

    it('sorts by related rows outside of the cohort', async () => {
      const { seeder } = server;
      const bea = await seeder.create('api::author.author', { name: 'Bea' });
      // neither article of hers is modified, the one of Ann is
      const first = await seeder.create('api::article.article', { title: 'a first', author: bea });
      const last = await seeder.create('api::article.article', { title: 'z last', author: bea });
      for (const order of ['asc', 'desc']) {
        const query = `publicationFilter=modified&sort=articles.title:${order}&fields=name`;
        const { body } = await read(`/api/authors?${query}`);
        deepStrictEqual(
          body.data.map((author: { name: string }) => author.name),
          ['Bea', 'Ann'],
          order,
        );
      }
      for (const id of [first, last, bea]) await seeder.remove(id);
    });

    it('is joined with filters, order and page', async () => {
      const query =
        'publicationFilter=has-published-version&filters[name][$contains]=c&sort=name&pagination[pageSize]=1';
      const { body } = await read(`/api/tags?${query}`);
      deepStrictEqual([body.data[0].name, body.meta.pagination.total], ['changed', 2]);
    });

    it('refuses other values in every place', async () => {
      for (const value of [
        '=',
        '=Modified',
        '[0]=modified',
        '=modified&publicationFilter=modified',
        '[a]=modified',
        '',
      ]) {
        const { status, body } = await read(`/api/authors?publicationFilter${value}`);
        strictEqual(status, 400, value);
        match(body.error.message, /^Invalid value for 'publicationFilter'\. Expected one of: never-published, /);
        deepStrictEqual(body.error.details, { source: 'query', param: 'publicationFilter' });
      }
    });

    it('reads hasPublishedVersion as the document cohorts, publicationFilter first', async () => {
      deepStrictEqual(await names('status=draft&hasPublishedVersion=false'), ['never']);
      deepStrictEqual(await names('status=draft&hasPublishedVersion=true'), ['clean', 'changed 2']);
      deepStrictEqual(await names('status=draft&hasPublishedVersion=false&publicationFilter=modified'), ['changed 2']);
      strictEqual((await read('/api/tags?hasPublishedVersion=1&publicationFilter=modified')).status, 400);
    });
  });
}
