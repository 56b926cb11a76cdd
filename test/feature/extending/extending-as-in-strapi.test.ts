/** docs/extending-as-in-strapi.md: its examples give the documented results. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const PAGE = path.join(import.meta.dirname, '../../../docs/extending-as-in-strapi.md');

/** The files that the page shows: blocks that begin with a path. */
async function shownFiles(): Promise<Record<string, string>> {
  const page = await readFile(PAGE, 'utf8');
  const blocks = page.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g);
  return Object.fromEntries([...blocks].map(([, file, text]) => [file!, text!]));
}

for (const engine of engines) {
  describe(`a project as docs/extending-as-in-strapi.md has it on ${engine.name}`, () => {
    let server: SeededServer;

    before(async () => {
      const files = await shownFiles();
      const index = /Code for several types belongs[\s\S]*?```ts\n([\s\S]*?)```/.exec(
        await readFile(PAGE, 'utf8'),
      )![1]!;
      const tasks = files['config/cron-tasks.ts']!.replace('0 3 * * *', '* * * * * *').replace(
        'const old',
        "await strapi.store({ type: 'own', key: 'job' }).set({ value: 'ran' }); const old",
      );
      const string = { type: 'string' };
      const relation = { type: 'relation', relation: 'manyToOne', target: 'api::category.category' };
      const article = { title: string, slug: string, views: { type: 'integer', default: 0 }, category: relation };
      const folder = await makeProject({
        contentTypes: {
          article: contentType('article', article, { options: { draftAndPublish: true } }),
          category: contentType('category', { name: string }),
        },
        files: {
          ...files,
          'src/index.ts': index,
          'config/cron-tasks.ts': tasks,
          'config/keys.ts': "export default { reader: 'open' };",
          'src/api/article/routes/02-job.js':
            "module.exports = [{ method: 'GET', path: '/job', handler: () => strapi.store({ type: 'own', key: 'job' }).get(), config: { auth: false } }];",
        },
      });
      const roles = {
        public: ['api::article.article.find', 'api::article.article.view', 'api::category.category.find'],
      };
      const tokens = [{ name: 'full', type: 'full-access' }];
      server = await serveSeeded(engine, folder, { roles, tokens });
    });
    after(() => server?.stop());

    it('has its route, policy, middleware and lifecycle', async () => {
      const full = { token: server.secrets['full'] };
      const category = await server.request('POST', '/api/categorys', { ...full, body: { data: { name: 'News' } } });
      const data = { title: 'Hello World', category: category.body.data.documentId };
      const made = await server.request('POST', '/api/articles', { ...full, body: { data } });
      deepStrictEqual([made.status, made.body.data?.slug], [200, 'hello-world'], made.text);
      const view = `/api/articles/${made.body.data.documentId}/view`;
      deepStrictEqual((await server.request('POST', view)).body, { views: 1 });
      deepStrictEqual((await server.request('POST', view)).body, { views: 2 });
      strictEqual((await server.request('POST', '/api/articles/none/view')).status, 404);
      strictEqual((await server.request('GET', '/api/articles')).status, 403);
      const list = await server.request('GET', '/api/articles', { headers: { 'x-key': 'open' } });
      strictEqual(list.status, 200, list.text);
      match(list.text, /"views":2.*"category":/);
    });

    it('runs its job', async () => {
      await until('the job has run', async () => (await server.request('GET', '/api/job')).text === 'ran');
    });
  });
}
