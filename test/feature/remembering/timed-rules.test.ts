/** Rules of access that compare with the present (docs/extending.md, "The present"): nothing of them is remembered. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const time = { type: 'datetime' };
const contentTypes = {
  post: contentType('post', { title: { type: 'string' }, from: time, to: time, day: { type: 'date' } }),
  shelf: contentType('shelf', {
    name: { type: 'string' },
    posts: { type: 'relation', relation: 'manyToMany', target: 'api::post.post' },
  }),
};
const rules = (post: string) => ({ 'src/galley.js': `exports.access = { 'api::post.post': ${post} };` });
const RULES = rules(`{
  find: { $and: [{ $or: [{ from: { $null: true } }, { from: { $lte: '$now' } }] }, { $or: [{ to: { $null: true } }, { to: { $gt: '$now' } }] }, { $or: [{ day: { $null: true } }, { day: { $lte: '$now' } }] }] },
  delete: { to: { $lt: '$now' } },
}`);
const granted = ['post.post.find', 'post.post.findOne', 'post.post.delete', 'shelf.shelf.find'].map((a) => `api::${a}`);

for (const engine of engines) {
  describe(`rules that compare with the present on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const folder = await makeProject({ contentTypes, files: RULES });
      server = await serveSeeded(engine, folder, {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: { public: granted },
      });
    });
    after(() => server?.stop());

    const titles = async (target: string) => {
      const { body } = await server.get(target);
      return [body.data.map(({ title }: { title: string }) => title).join(), body.meta.pagination.total];
    };

    it('show a row from one moment until another, despite cached answers', async () => {
      const posts = server.app.documents('api::post.post');
      const at = (offset: number) => new Date(Date.now() + offset).toISOString();
      const moment = Date.now() + 1200;
      const make = async (data: object) => (await posts.create({ data })).documentId;
      const ids = await Promise.all([
        make({ title: 'always' }),
        make({ title: 'gone', to: at(-1000) }),
        make({ title: 'never', from: at(3_600_000) }),
        make({ title: 'tomorrow', day: at(86_400_000).slice(0, 10) }),
        make({ title: 'today', day: at(0).slice(0, 10) }),
        make({ title: 'soon', from: new Date(moment).toISOString() }),
        make({ title: 'ending', to: new Date(moment).toISOString() }),
      ]);
      await server.app.documents('api::shelf.shelf' as 'api::post.post').create({ data: { name: 's', posts: ids } });
      const list = '/api/posts?sort=title&pagination[pageSize]=2';
      const pages = [list, `${list}&filters[title][$ne]=x`, `${list}&filters[title][$ne]=x&pagination[page]=2`];
      const asked = () => Promise.all(pages.map(titles));
      const early = [
        ['always,ending', 3],
        ['always,ending', 3],
        ['today', 3],
      ];
      // often enough for what could be remembered to be, as long as the moment is ahead
      const isAhead = () => Date.now() < moment - 100;
      for (let time = 0; time < 4; time++) {
        const answers = await asked();
        if (isAhead()) deepStrictEqual(answers, early);
      }
      const first = await server.get(list);
      const one = `/api/posts/${ids[5]}`;
      const { status } = await server.get(one);
      if (isAhead()) strictEqual(status, 404);
      const shelf = async () => (await server.get('/api/shelfs?populate[posts][sort]=title')).body.data[0].posts.length;
      for (let time = 0; time < 3; time++) await shelf();
      await until('the moment', async () => (await server.get(one)).status === 200);
      await until('the moment', async () => (await server.get(`/api/posts/${ids[6]}`)).status === 404);
      for (let time = 0; time < 3; time++) {
        deepStrictEqual(await asked(), [
          ['always,soon', 3],
          ['always,soon', 3],
          ['today', 3],
        ]);
      }
      const headers = { 'if-none-match': first.headers.get('etag')! };
      strictEqual((await server.request('GET', list, { headers })).status, 200);
      strictEqual(await shelf(), 3);
    });

    it('hold for writes', async () => {
      const posts = server.app.documents('api::post.post');
      const ending = await posts.create({ data: { title: 'open', to: new Date(Date.now() + 60_000).toISOString() } });
      strictEqual((await server.request('DELETE', `/api/posts/${ending.documentId}`)).status, 403);
    });
  });
}

describe('rules that cannot compare with the present', () => {
  for (const [find, message] of [
    ["{ title: '$now' }", /\$now cannot be compared with title, which is of type string/],
    ["{ from: { $contains: '$now' } }", /\$now cannot be compared by \$contains: there are \$eq/],
    ["{ from: '$now + 1 day' }", /\$now stands by itself/],
  ] as const) {
    it(`keep the project from being opened: ${message.source}`, async () => {
      const folder = await makeProject({ contentTypes, files: rules(`{ find: ${find} }`) });
      try {
        await rejects(openProject(folder.dir, { env: { DATABASE_FILENAME: ':memory:' } }), (error: Error) => {
          match(error.message, message);
          return true;
        });
      } finally {
        await folder.remove();
      }
    });
  }
});
