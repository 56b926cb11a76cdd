/** The API as its callers see it: available requests, requests sent as a role or a token, and missing indexes. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeIndex } from '../../../src/db/indexes/made-indexes.ts';
import { existingIndexes, named } from '../../../src/db/indexes/stored-indexes.ts';
import { ROWS_OF_STATUS } from '../../../src/schema/layout/model-indexes.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const UID = 'api::article.article';
/** Rows of the table that is large enough to matter. */
const ROWS = 12_000;

const PROJECT = {
  contentTypes: {
    article: contentType(
      'article',
      {
        title: { type: 'string' },
        views: { type: 'integer' },
        likes: { type: 'integer' },
        secret: { type: 'string', private: true },
        author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
      },
      { options: { draftAndPublish: true } },
    ),
    author: contentType('author', { name: { type: 'string' } }),
  },
  files: {
    'src/api/article/routes/01-best.js': `module.exports = { routes: [
      { method: 'GET', path: '/articles/best', handler: 'article.best' },
    ] };`,
    'src/api/article/routes/article.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreRouter('${UID}');`,
    'src/api/article/controllers/article.js': `const { factories } = require('@strapi/strapi');
module.exports = factories.createCoreController('${UID}', () => ({
  async best(ctx) {
    if (ctx.query.held) {
      globalThis.exploredBest.begun.resolve();
      await globalThis.exploredBest.held.promise;
    }
    return { as: ctx.state.auth?.credentials?.name ?? null, ip: ctx.request.ip };
  },
}));`,
    'config/database.js': `module.exports = { indexes: 'off' };`,
  },
};

const RIGHTS = {
  roles: {
    public: [`${UID}.find`],
    authenticated: [`${UID}.find`, `${UID}.findOne`, `${UID}.best`, 'api::author.author.find'],
  },
  tokens: [
    { name: 'site', type: 'read-only' },
    { name: 'all', type: 'full-access' },
  ],
};

for (const engine of engines) {
  describe(`exploring the API in the administration on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let eva: Browser;
    let ids: Record<string, string>;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), RIGHTS);
      const { database } = server.app;
      await database.transaction(async (tx) => {
        const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS})`;
        for (const published of ['null', 'i']) {
          const time = published === 'null' ? 'null' : engine.name === 'sqlite' ? '1700000000000' : 'now()';
          await tx.rows(
            `insert into articles (document_id, title, views, published_at)
             ${numbers} select 'document' || i, 'title ' || i, (i * 7919) % ${ROWS}, ${time} from n`,
            [],
          );
        }
      });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-editor');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
      const { roles, tokens } = (await ask('GET', 'explore')).body.data;
      ids = Object.fromEntries([
        ...roles.map(({ id, type }: Any) => [type, `role:${id}`]),
        ...tokens.map(({ id, name }: Any) => [name, `token:${id}`]),
      ]);
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const send = (target: string, more: object = {}) =>
      ask('POST', 'explore/requests', {
        ...{ as: 'public', method: 'GET', target, body: null, confirmed: false, explain: false },
        ...more,
      });

    it('lists the requests of each type with the roles that may send them', async () => {
      const { data } = (await ask('GET', 'explore')).body;
      const article = data.types.find(({ uid }: Any) => uid === UID);
      const roleIds = [ids['authenticated'], ids['public']].map((id) => Number(id!.split(':')[1]));
      const of = (path: string, method = 'GET') =>
        article.requests.find((request: Any) => request.path === path && request.method === method);
      deepStrictEqual(of('/api/articles').roles, roleIds);
      deepStrictEqual(of('/api/articles/:documentId').roles, roleIds.slice(0, 1));
      deepStrictEqual(of('/api/articles', 'POST').roles, []);
      deepStrictEqual([of('/api/articles/best').isOwn, of('/api/articles/best').roles], [true, roleIds.slice(0, 1)]);
      strictEqual(data.docs, '/api/docs');
      doesNotMatch(JSON.stringify(data), new RegExp(server.secrets['all']!));
    });

    it('shows the readable, filterable and writable parts of the schema for a caller', async () => {
      const modelOf = async (as: string) => {
        const { data } = (await ask('GET', `explore/view?as=${as}`)).body;
        return { ...data, article: data.models.find(({ uid }: Any) => uid === UID) };
      };
      const { article, permitted } = await modelOf('public');
      deepStrictEqual(permitted, ['GET /articles']);
      ok(article.fields.includes('title') && !article.fields.includes('secret'));
      deepStrictEqual(article.populates, []);
      const token = await modelOf(ids['all']!);
      deepStrictEqual(
        token.article.populates.map(({ name }: Any) => name),
        ['author'],
      );
      ok(token.permitted.includes('POST /articles'));
      for (const as of ['nobody', 'role:99', 'token:x'])
        strictEqual((await ask('GET', `explore/view?as=${as}`)).status, 400);
      strictEqual((await ask('GET', 'explore/view?as[a]=1')).status, 400);
    });

    it('sends a request as the public, a role or a token, which may do the same as over HTTP', async () => {
      const list = '/api/articles?pagination[pageSize]=2&fields=title';
      const direct = await server.get('/api/articles?pagination[pageSize]=2&fields=title');
      const { data } = (await send(list)).body;
      deepStrictEqual([data.status, JSON.parse(data.body)], [200, direct.body]);
      ok(data.headers.some(({ name }: Any) => name.toLowerCase() === 'content-type') && data.milliseconds > 0);
      strictEqual((await send('/api/authors')).body.data.status, 403);
      strictEqual((await send('/api/authors', { as: ids['authenticated'] })).body.data.status, 200);
      strictEqual((await send('/api/authors', { as: ids['site'] })).body.data.status, 200);
      strictEqual((await send('/api/articles/none', { as: ids['site'] })).body.data.status, 404);
      const best = (await send('/api/articles/best', { as: ids['site'] })).body.data;
      strictEqual(best.status, 403);
      const own = JSON.parse((await send('/api/articles/best', { as: ids['all'] })).body.data.body);
      deepStrictEqual(own, { as: 'all', ip: '127.0.0.1' });
    });

    it('writes only if that is confirmed, and with the rights of the caller', async () => {
      const create = { method: 'POST', body: JSON.stringify({ data: { name: 'Ann' } }) };
      strictEqual((await send('/api/authors', create)).status, 400);
      const confirmed = { ...create, confirmed: true };
      strictEqual((await send('/api/authors', confirmed)).body.data.status, 403);
      const made = (await send('/api/authors', { ...confirmed, as: ids['all'] })).body.data;
      deepStrictEqual([made.status, JSON.parse(made.body).data.name], [server.app.config.rest.createdStatus, 'Ann']);
      strictEqual((await send('/api/authors', { ...confirmed, body: '{' })).status, 400);
    });

    it('reaches nothing but the content API', async () => {
      const targets = [
        ...['/admin/api/me/settings', '/api/../admin/api/session', '/api/%2e%2e/admin/api/session', '/uploads/x'],
        ...['https://example.com/api/articles', '//example.com/api/articles', '/api', 'api/articles', '/apis/x'],
        ...['/api/articles HTTP/1.1', '/api/articles\r\nx: y', '/api/articles#x', '/api/%zz', '/api/a%2f..%2f../b'],
        ...[`/api/articles?x=${'y'.repeat(9000)}`, 7, null],
      ];
      for (const target of targets) strictEqual((await send(target as string)).status, 400, String(target));
      strictEqual((await send('/api/articles', { method: 'TRACE' })).status, 400);
      for (const as of ['role:1\r\nx: y', { toString: 1, valueOf: 1 }, [['role:1']]])
        strictEqual((await send('/api/articles', { as })).status, 400);
    });

    it('ends a stream, and answers one request of an administrator at a time', async () => {
      const { status, isCut } = (await send('/api/events', { as: ids['all'] })).body.data;
      deepStrictEqual([status, isCut], [200, true]);
      const held = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      Object.assign(globalThis, { exploredBest: { begun, held } });
      const first = send('/api/articles/best?held=1', { as: ids['all'] });
      await begun.promise;
      strictEqual((await send('/api/articles')).status, 429);
      held.resolve();
      strictEqual((await first).body.data.status, 200);
      strictEqual((await send('/api/articles')).status, 200);
    });

    it('explains a slow read, names the missing index, creates it, and the read uses it', async () => {
      const target = '/api/articles?sort=views&pagination[withCount]=false';
      const explain = async () => (await send(target, { explain: true })).body.data.reads[0];
      const slow = await explain();
      const [{ kind, names, table, rows, index }] = slow.findings;
      deepStrictEqual([kind, names, table], ['order', ['views'], 'articles']);
      ok(rows >= ROWS && slow.milliseconds > 0 && slow.runs > 0);
      deepStrictEqual([index.columns.at(-1), index.rows, index.search], ['id', 'published', false]);
      match(slow.sql.join('\n'), /select/);
      deepStrictEqual(slow.uses.map((use: Any) => use.index).includes(index.name), false);
      const { name, text, ...wanted } = index;
      match(text, /views/);
      const created = await ask('POST', 'explore/indexes', wanted);
      deepStrictEqual([created.status, created.body.data.name, created.body.data.existed], [201, name, false]);
      const [stored] = await existingIndexes(server.app.database);
      deepStrictEqual([stored!.index.name, stored!.origin], [name, 'command']);
      const fast = await explain();
      deepStrictEqual([fast.findings, fast.uses], [[], [{ table: 'articles', index: name }]]);
      ok(fast.milliseconds < slow.milliseconds, `${fast.milliseconds} ms instead of ${slow.milliseconds} ms`);
      const again = await ask('POST', 'explore/indexes', wanted);
      deepStrictEqual([again.status, again.body.data.existed], [200, true]);
      for (const wrong of [
        { table: 'admin_users"' },
        { columns: ['views'] },
        { columns: ['nothing', 'id'] },
        { columns: ['views', 'views', 'id'] },
        { descending: ['title'] },
        { search: true },
        { rows: 'some' },
        { columns: 'views' },
      ]) {
        strictEqual((await ask('POST', 'explore/indexes', { ...wanted, ...wrong })).status, 400, JSON.stringify(wrong));
      }
    });

    it('suggests each index once, and none that exists', async () => {
      const explain = async () => {
        const { reads } = (await send('/api/articles?filters[title][$contains]=77&sort=title', { explain: true })).body
          .data;
        return reads.flatMap(({ findings }: Any) => findings.flatMap(({ index }: Any) => index ?? []));
      };
      const indexes = await explain();
      const indexNames = indexes.map(({ name }: Any) => name);
      deepStrictEqual(indexNames, [...new Set(indexNames)]);
      for (const { name, text, ...wanted } of indexes) await ask('POST', 'explore/indexes', wanted);
      const again = (await explain()).map(({ name }: Any) => name);
      deepStrictEqual(
        again.filter((name: string) => indexNames.includes(name)),
        [],
      );
    });

    it('suggests no index that exists under another name', async () => {
      const suggested = async () => {
        const target = '/api/articles?filters[likes][$eq]=1';
        const { reads } = (await send(target, { explain: true })).body.data;
        const indexes = reads.flatMap(({ findings }: Any) => findings.flatMap(({ index }: Any) => index ?? []));
        return indexes.filter(({ columns }: Any) => columns.includes('likes'));
      };
      const [{ table, columns, descending, ordered, rows }] = await suggested();
      const ofRows = rows === null ? {} : ROWS_OF_STATUS[rows as keyof typeof ROWS_OF_STATUS];
      const index = named({ table, index: { columns, descending, ordered, unique: false, ...ofRows } }, 'made');
      deepStrictEqual(Object.keys(await makeIndex(server.app, { table, index, reads: 0, milliseconds: 0 })), [
        'milliseconds',
      ]);
      deepStrictEqual(await suggested(), []);
    });

    it('is for super admins alone', async () => {
      const requests: [string, string, object?][] = [
        ['GET', 'explore'],
        ['GET', 'explore/view?as=public'],
        ['POST', 'explore/requests', { as: 'public', method: 'GET', target: '/api/articles' }],
        ['POST', 'explore/indexes', {}],
      ];
      for (const [method, target, body] of requests) {
        strictEqual((await ask(method, target, body, eva)).status, 403);
        strictEqual((await ask(method, target, body, new Browser(server))).status, 401);
      }
    });
  });
}
