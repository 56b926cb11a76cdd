/** Attributes that `read` of `access` leaves out are not there on any path (docs/extending.md, "Access"). */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { extendedUser } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const USER = 'plugin::users-permissions.user';
const text = { type: 'string' };
const to = (relation: string, name: string, rest = {}) => {
  const target = name === 'user' ? USER : `api::${name}.${name}`;
  return { type: 'relation', relation, target, ...rest };
};
const file = { type: 'media', multiple: false };
const localized = { pluginOptions: { i18n: { localized: true } } };

/** An article shows its title and `front` only. Whatever else leads to `canary` leads there through what it hides. */
const PROJECT = {
  contentTypes: {
    article: contentType(
      'article',
      {
        title: { ...text, ...localized },
        secret: { ...text, ...localized },
        tags: to('manyToMany', 'tag', { inversedBy: 'articles' }),
        seat: to('oneToOne', 'seat', { inversedBy: 'article', useJoinTable: false }),
        author: to('manyToOne', 'user', { inversedBy: 'articles' }),
        about: { type: 'relation', relation: 'morphToMany' },
        only: { type: 'relation', relation: 'morphToOne' },
        front: file,
        cover: file,
      },
      { options: { draftAndPublish: true }, ...localized },
    ),
    tag: contentType('tag', {
      name: text,
      articles: to('manyToMany', 'article', { mappedBy: 'tags' }),
      mentions: to('morphToMany', 'article', { relation: 'morphMany', morphBy: 'about' }),
      chosen: to('morphOne', 'article', { morphBy: 'only' }),
    }),
    seat: contentType('seat', { name: text, article: to('oneToOne', 'article', { mappedBy: 'seat' }) }),
    page: contentType('page', {
      about: { type: 'relation', relation: 'morphToMany' },
      only: { type: 'relation', relation: 'morphToOne' },
    }),
    topic: contentType('topic', {
      name: text,
      mentions: to('morphToMany', 'page', { relation: 'morphMany', morphBy: 'about' }),
      chosen: to('morphOne', 'page', { morphBy: 'only' }),
    }),
    // its lifecycle stands before every action: these go through code
    memo: contentType('memo', { text, secret: text, tag: to('manyToOne', 'tag') }),
  },
  files: {
    ...extendedUser({ articles: to('oneToMany', 'article', { mappedBy: 'author' }) }),
    'src/galley.js': `module.exports = { access: {
      'api::article.article': { read: ['title', 'front'] },
      'api::memo.memo': { read: ['text', 'tag'] },
      'api::topic.topic': { read: ['name'] },
      '${USER}': { read: ['username', 'email', 'articles'], update: { id: '$user.id' }, delete: false },
    } };`,
    'src/api/memo/content-types/memo/lifecycles.js':
      'module.exports = { beforeCreate() {}, beforeFindMany() {}, beforeFindOne() {}, beforeUpdate() {} };',
  },
};
const TYPES = ['article', 'tag', 'seat', 'memo', 'page', 'topic'];
const OPERATIONS = ['find', 'findOne', 'create', 'update', 'delete'];
const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
  ],
  roles: {
    authenticated: [
      ...TYPES.flatMap((name) => OPERATIONS.map((operation) => `api::${name}.${name}.${operation}`)),
      ...['me', 'find', 'findOne', 'update', 'destroy'].map((name) => `${USER}.${name}`),
      ...['find', 'findPage', 'findOne', 'upload'].map((name) => `plugin::upload.content-api.${name}`),
    ],
    public: ['plugin::users-permissions.auth.register'],
  },
};

/** What a caller may ask who is after a hidden attribute. Each is refused, or answered without it. */
const PATHS: readonly [target: string, refused: boolean][] = [
  ['articles?fields=secret', true],
  ['articles?filters[secret]=canary', true],
  ['articles?filters[$not][secret]=canary', true],
  ['articles?filters[secret][$startsWith]=c', true],
  ['articles?sort=secret', true],
  ['articles?pagination[cursor]=&sort=secret', true],
  ['articles?_q=canary', false],
  ['articles?populate=*', false],
  ['articles?populate=tags', true],
  ['articles?populate=cover', true],
  ['articles?populate[tags][count]=true', true],
  ['articles?populate=about', true],
  ['articles?filters[tags][name]=canary', true],
  ['articles?sort=tags.name', true],
  ['articles?filters[cover][name]=cover.txt', true],
  ['articles?sort=cover.name', true],
  ['articles?populate[localizations][fields]=secret', true],
  ['articles?filters[localizations][secret]=canary', true],
  ['tags?populate=*', false],
  ['tags?populate=articles', true],
  ['tags?populate=mentions', true],
  ['tags?populate=chosen', true],
  ['tags?populate[articles][count]=true', true],
  ['tags?populate[mentions][count]=true', true],
  ['tags?filters[articles][title]=canary', true],
  ['tags?filters[articles][$notNull]=true', true],
  ['tags?filters[mentions][title]=canary', true],
  ['tags?filters[chosen][title]=canary', true],
  ['tags?sort=articles.title', true],
  ['seats?populate=article', true],
  ['seats?filters[article][title]=canary', true],
  ['seats?filters[article][id][$notNull]=true', true],
  ['topics?populate=mentions', true],
  ['topics?populate=chosen', true],
  ['memos?populate[tag][populate]=articles', true],
  ['memos?populate=tag.articles', true],
  ['memos?filters[tag][articles][title]=canary', true],
  ['memos?filters[secret]=canary', true],
  ['memos?fields=secret', true],
  ['memos?populate=*&_q=canary', false],
  ['users/me?populate=articles', true],
  ['users?populate=articles', true],
  ['users?populate=role', true],
  ['users?filters[role][name]=Authenticated', true],
  ['users?filters[confirmed]=true', true],
  ['users?filters[articles][title]=canary', true],
  ['upload/files?populate=related&filters[name]=cover.txt', false],
  ['upload/files?populate[related][on][api::article.article][fields]=title&filters[name]=cover.txt', false],
  ['upload/files?populate[related][count]=true&filters[name]=cover.txt', false],
  ['upload/files/page?populate=*&filters[name]=cover.txt', false],
  ['articles?populate[front][populate][related][populate]=*&populate[front][fields]=name&fields=documentId', false],
];

for (const engine of engines) {
  describe(`attributes that are not in the list of readable ones, on ${engine.name}`, () => {
    let server: SeededServer;
    let user: string;
    let id: string;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
      const token = server.secrets['full']!;
      const body = { username: 'ann', email: 'ann@example.com', password: 'secret1' };
      const registered = await server.request('POST', '/api/auth/local/register', { body });
      user = registered.body.jwt;
      const [front, cover] = (
        await upload(server, token, [note('front.txt'), note('cover.txt'), note('other.txt')])
      ).body.map((one: { id: number }) => one.id);
      const tag = await server.app.documents('api::tag.tag').create({ data: { name: 'Alpha' } });
      const seat = await server.app.documents('api::seat.seat').create({ data: { name: 'Alpha' } });
      const any = { __type: 'api::tag.tag', documentId: tag.documentId };
      const data = { title: 'Alpha', secret: 'canary', author: registered.body.user.id, seat: seat.documentId };
      const article = await server.app.documents('api::article.article').create({
        data: { ...data, tags: [tag.documentId], front, cover } as never,
        status: 'published',
      });
      id = article.documentId;
      const tags = { mentions: [id], chosen: id };
      await server.request('PUT', `/api/tags/${any.documentId}`, { token, body: { data: tags } });
      const memo = { text: 'seen', secret: 'canary', tag: tag.documentId };
      await server.request('POST', '/api/memos', { token, body: { data: memo } });
    });
    after(() => server?.stop());

    const get = (target: string, token: string | undefined) => server.get(`/api/${target}`, token);

    it('are visible to callers without rules', async () => {
      for (const [target] of PATHS) {
        if (target.startsWith('users/me')) continue;
        const { status, text } = await get(target, server.secrets['full']);
        strictEqual(status, 200, `${target} ${text}`);
        if (/cover\.txt|_q=/.test(target)) ok(/Alpha|canary|"count" ?: ?[1-9]/.test(text), `${target} ${text}`);
      }
    });

    for (const [as, tokenOf] of [
      ['an account', () => user],
      ['a read-only token', () => server.secrets['read']!],
    ] as const) {
      it(`are not there for ${as}, whichever path is taken`, async () => {
        for (const [target, refused] of PATHS) {
          // what such a token may not do at all
          if (/^(?:users\/me|upload\/files\/page)/.test(target) && as !== 'an account') continue;
          const { status, text } = await get(target, tokenOf());
          strictEqual(status, refused ? 400 : 200, `${target} ${text}`);
          // titles and names are no secrets: what leads from one to another is
          const shown = /"secret"|"seat"|"article"|"articles"|"mentions"|"chosen"|"about"|"cover"|"count" ?: ?[1-9]/;
          if (!refused) ok(!shown.test(text), `${target} ${text}`);
          if (/cover\.txt|_q=/.test(target)) ok(!/Alpha|canary/.test(text), `${target} ${text}`);
        }
        const { text } = await get('upload/files?populate=related&filters[name]=front.txt', tokenOf());
        ok(text.includes('Alpha'), text);
      });
    }

    it('do not hide links on the row that stores them', async () => {
      const { app } = server;
      const topic = await app.documents('api::topic.topic').create({ data: { name: 'Beta' } });
      const any = { __type: 'api::topic.topic', documentId: topic.documentId };
      await app.documents('api::page.page').create({ data: { about: [any], only: any } as never });
      const { body, text } = await get('pages?populate=about,only', user);
      deepStrictEqual([body.data?.[0].about?.[0]?.name, body.data?.[0].only?.name], ['Beta', 'Beta'], text);
      const counted = await get('pages?populate[about][count]=true', user);
      strictEqual(counted.body.data?.[0].about?.count, 1, counted.text);
    });

    it('are absent from answers to writes, and not writable on the other side', async () => {
      const write = (method: string, target: string, data: object) =>
        server.request(method, `/api/${target}`, { token: user, body: { data } });
      for (const query of ['populate=tags', 'fields=secret']) {
        strictEqual((await write('PUT', `articles/${id}?${query}`, { title: 'Alpha' })).status, 400, query);
      }
      const { text } = await write('PUT', `articles/${id}?populate=*`, { title: 'Alpha' });
      deepStrictEqual(Object.keys(JSON.parse(text).data).includes('secret'), false);
      const tags = (await get('tags', user)).body.data as { documentId: string }[];
      for (const data of [{ articles: [] }, { mentions: [] }, { chosen: null }]) {
        strictEqual((await write('PUT', `tags/${tags[0]!.documentId}`, data)).status, 400, JSON.stringify(data));
      }
    });

    it('are hidden for accounts, which only their owners write', async () => {
      const bob = { username: 'bob', email: 'bob@example.com', password: 'secret1' };
      const registered = await server.request('POST', '/api/auth/local/register', { body: bob });
      const other = registered.body.user.id as number;
      const { body } = await get('users/me', user);
      for (const told of [registered.body.user, body, (await get('users', user)).body[0]]) {
        deepStrictEqual(['provider' in told, 'confirmed' in told, 'role' in told], [false, false, false]);
      }
      const put = async (id: number, data: object) =>
        (await server.request('PUT', `/api/users/${id}`, { token: user, body: data })).status;
      const remove = (id: number) => server.request('DELETE', `/api/users/${id}`, { token: user });
      deepStrictEqual(
        [
          await put(body.id, { username: 'anna' }),
          await put(other, { username: 'robert' }),
          await put(body.id, { role: 1 }),
          await put(body.id, { confirmed: true }),
          await put(body.id, { articles: [id] }),
          (await remove(other)).status,
          (await remove(body.id)).status,
        ],
        [200, 403, 400, 400, 400, 403, 403],
      );
    });

    it('are not described', async () => {
      const described = await get('openapi.json', user);
      const { schemas } = described.body.components;
      deepStrictEqual(Object.keys(schemas.Tag.properties).includes('articles'), false);
      deepStrictEqual(Object.keys(schemas.Article.properties).includes('secret'), false);
    });
  });
}
