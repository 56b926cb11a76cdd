/** Actions of code that have the names of Galley's own, and patterns of routes: docs/reference/project-code.md. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const drafts = { options: { draftAndPublish: true } };
const title = { title: { type: 'string' } };
const router = (name: string, options = '') =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}'${options});`;

const PROJECT: ProjectFiles = {
  contentTypes: {
    article: contentType('article', title, drafts),
    page: contentType('page', title, drafts),
  },
  files: {
    'src/policies/never.js': 'module.exports = () => false;',
    'src/middlewares/on.js': 'module.exports = () => (ctx, next) => next();',
    'src/api/article/routes/article.js': router('article', ", { config: { update: { middlewares: ['global::on'] } } }"),
    'src/api/page/routes/page.js': router('page'),
    'src/api/article/routes/own.js': `module.exports = { routes: [
  { method: 'POST', path: '/articles/:id/publish', handler: 'article.publish' },
  { method: 'POST', path: '/articles/:id/withdraw', handler: 'api::article.article.unpublish', config: { policies: ['global::never'] } },
  { method: 'GET', path: '/feed.:format(json|xml)', handler: 'article.feed', config: { auth: false } },
] };`,
    'src/api/article/controllers/article.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::article.article', {
  publish: (ctx) => ({ published: ctx.params.id }),
  unpublish: () => 'unpublished',
  feed: (ctx) => ({ format: ctx.params.format }),
});`,
  },
};

const FIXTURE = {
  tokens: [
    { name: 'full', type: 'full-access' },
    {
      name: 'some',
      type: 'custom',
      permissions: ['article.publish', 'article.unpublish', 'page.publish'].map(
        (name) => `api::${name.split('.')[0]}.${name}`,
      ),
    },
  ],
};

for (const engine of engines) {
  describe(`actions of code with the names of Galley's own on ${engine.name}`, () => {
    let server: SeededServer;
    let article: string;
    let page: string;
    const post = async (target: string, token: string, body: unknown = {}) => {
      const answer = await server.request('POST', `/api${target}`, { token: server.secrets[token]!, body });
      return [answer.status, answer.body] as const;
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
      article = await server.seeder.create('api::article.article', { title: 'a' });
      page = await server.seeder.create('api::page.page', { title: 'p' });
    });
    after(() => server?.stop());

    it('are granted and run, with their guards', async () => {
      for (const token of ['full', 'some']) {
        deepStrictEqual(await post(`/articles/${article}/publish`, token), [200, { published: article }]);
        const [status, { error }] = await post(`/articles/${article}/withdraw`, token);
        deepStrictEqual([status, error.name], [403, 'PolicyError']);
      }
      strictEqual((await server.request('POST', `/api/articles/${article}/publish`)).status, 403);
    });

    it("are not bypassed by Galley's own routes, which do not exist then", async () => {
      for (const name of ['publish', 'unpublish']) {
        strictEqual((await post(`/articles/${article}/actions/${name}`, 'full'))[0], 404);
      }
      const operations = [{ action: 'publish', documentId: article }];
      strictEqual((await post('/articles/actions/batch', 'full', { operations }))[0], 403);
      strictEqual((await post(`/pages/${page}/actions/publish`, 'some'))[0], 200);
    });

    it('are described in their place', async () => {
      const { body } = await server.request('GET', '/api/openapi.json', { token: server.secrets['full']! });
      const paths = Object.keys(body.paths).filter((one) => /articles.*(?:publish|withdraw)/.test(one));
      deepStrictEqual(paths.sort(), ['/api/articles/{id}/publish', '/api/articles/{id}/withdraw']);
    });

    it('close nothing beside a pattern that begins with other letters', async () => {
      deepStrictEqual((await server.request('GET', '/api/feed.xml')).body, { format: 'xml' });
      strictEqual((await server.request('GET', '/api/feed.txt')).status, 404);
      const { status } = await server.request('GET', '/api/upload/files', { token: server.secrets['full']! });
      strictEqual(status, 200);
    });
  });
}
