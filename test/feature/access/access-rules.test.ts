/**
 * `access` of `src/galley`: the visible and writable rows and fields of callers, on every route (docs/extending.md).
 */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { type Answer, contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const USER = 'plugin::users-permissions.user';
const to = (relation: string, target: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });
const text = { type: 'string' };
const localized = { pluginOptions: { i18n: { localized: true } } };

const contentTypes = {
  post: contentType(
    'post',
    {
      title: { ...text, ...localized },
      secret: { ...text, ...localized },
      open: { type: 'boolean', default: false, ...localized },
      ready: { type: 'boolean', default: false, ...localized },
      owner: to('manyToOne', USER),
      tags: to('manyToMany', 'api::tag.tag', { inversedBy: 'posts' }),
      next: to('oneToOne', 'api::post.post'),
      topic: to('manyToOne', 'api::tag.tag', { inversedBy: 'about', useJoinTable: false }),
      cover: { type: 'media', multiple: false, ...localized },
      part: { type: 'component', component: 'shared.part', ...localized },
      zone: { type: 'dynamiczone', components: ['shared.part'], ...localized },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', {
    name: text,
    hidden: { type: 'boolean', default: false, private: true },
    posts: to('manyToMany', 'api::post.post', { mappedBy: 'tags' }),
    about: to('oneToMany', 'api::post.post', { mappedBy: 'topic' }),
  }),
  // its lifecycles stand before every action: these go through code
  memo: contentType('memo', { text, owner: to('manyToOne', USER) }),
  home: contentType('home', { text, locked: { type: 'boolean', default: false } }, { kind: 'singleType' }),
};
const components = {
  'shared.part': { collectionName: 'components_parts', attributes: { shown: text, hidden: text } },
};

const GALLEY = `
import { defineAccess, defineGalley } from 'galley';

enum Everybody { Sees = 'open' }
const own = { owner: '$user.id' };

// beside the default export
export const access = defineAccess({
  'api::post.post': {
    find: { $or: [{ [Everybody.Sees]: true }, own] },
    create: own,
    update: own,
    delete: own,
    publish: { ready: true },
    roles: {
      public: { find: { open: true }, read: ['title', 'tags', 'part.shown'], write: ['title'], create: true },
    },
  },
  'api::tag.tag': { find: { hidden: false } },
  'api::memo.memo': { find: own, create: own, update: own, delete: own },
  'api::home.home': { update: { locked: { $ne: true } } },
});

export default defineGalley({
  populate: {
    'api::tag.tag': {
      list: {
        posts: {
          fields: ['secret', 'title'],
          sort: ['secret', 'title:desc'],
          populate: { part: { fields: ['hidden', 'shown'] }, owner: true, cover: true },
        },
        about: { filters: { secret: 'x1' } },
      },
    },
  },
});
`;
const LIFECYCLES = ['Create', 'Update', 'Delete', 'FindOne', 'FindMany', 'Count']
  .map((name) => `before${name}() {}`)
  .join(', ');
const core = (kind: string, name: string) =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}');`;

const OPERATIONS = ['find', 'findOne', 'create', 'update', 'delete'];
const granted = [
  ...['post', 'tag', 'memo'].flatMap((name) => OPERATIONS.map((operation) => `api::${name}.${name}.${operation}`)),
  ...['publish', 'unpublish', 'discardDraft', 'createLocalization'].map((name) => `api::post.post.${name}`),
  ...['find', 'update', 'delete'].map((name) => `api::home.home.${name}`),
  `${USER}.me`,
  `${USER}.find`,
  'plugin::upload.content-api.upload',
];
const account = (name: string) => `plugin::users-permissions.auth.${name}`;
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
  ],
  roles: {
    authenticated: granted,
    public: [account('register'), ...granted.filter((action) => !action.startsWith(USER))],
  },
};

const project = (galley = GALLEY): Promise<ProjectFolder> =>
  makeProject({
    contentTypes,
    components,
    files: {
      'src/galley.ts': galley,
      'src/api/memo/routes/memo.js': core('Router', 'memo'),
      'src/api/memo/content-types/memo/lifecycles.js': `module.exports = { ${LIFECYCLES} };`,
    },
  });

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`rules of access on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    const tokens: Record<string, string | undefined> = {};
    const users: Record<string, number> = {};
    let ids: Record<string, string> = {};

    before(async () => {
      folder = await project();
      server = await serveSeeded(engine, folder, fixture);
      tokens['full'] = server.secrets['full'];
      tokens['read'] = server.secrets['read'];
      for (const username of ['ann', 'bob']) {
        const body = { username, email: `${username}@example.com`, password: 'secret1' };
        const { jwt, user } = (await server.request('POST', '/api/auth/local/register', { body })).body as Any;
        tokens[username] = jwt;
        users[username] = user.id;
      }
    });
    after(() => server?.stop());

    const made = async (answer: Promise<Answer>): Promise<Any> => {
      const { status, body, text } = await answer;
      if (status >= 300) throw new Error(text);
      return body;
    };
    const get = (target: string, as = 'ann') => server.get(`/api/${target}`, tokens[as]);
    const send = (method: string, target: string, data?: Any, as = 'ann') =>
      server.request(method, `/api/${target}`, { token: tokens[as], ...(data ? { body: data } : {}) });
    const put = (target: string, data: Any, as = 'ann') => send('PUT', target, { data }, as);
    const titles = async (query: string, as = 'ann'): Promise<string[]> =>
      (await made(get(`posts?sort=title&${query}`, as))).data.map(({ title }: Any) => title);
    const statusOf = async (answer: Promise<Answer>) => (await answer).status;

    /** `mine` of ann, `hers` of bob, and `open`, of bob and open. `mine` leads to `hers`. */
    beforeEach(async () => {
      for (const plural of ['posts', 'tags', 'memos']) {
        const { data } = await made(get(`${plural}?pagination[pageSize]=100&status=draft`, 'full'));
        for (const { documentId } of data) await send('DELETE', `${plural}/${documentId}`, undefined, 'full');
      }
      ids = {};
      const create = async (plural: string, name: string, data: Any, query = '') => {
        ids[name] = (await made(send('POST', `${plural}?${query}`, { data }, 'full'))).data.documentId;
      };
      await create('tags', 'red', { name: 'red' });
      await create('tags', 'gold', { name: 'gold', hidden: true });
      const { red, gold } = ids;
      const part = { shown: 's', hidden: 'h' };
      const common = { tags: [red, gold], ready: true, part };
      await create(
        'posts',
        'hers',
        { title: 'hers', secret: 'x1', owner: users['bob'], ...common },
        'status=published',
      );
      await create(
        'posts',
        'open',
        { title: 'open', secret: 'x2', open: true, owner: users['bob'], ...common },
        'status=published',
      );
      const mine = { title: 'mine', secret: 'x3', owner: users['ann'], next: ids['hers'], ...common };
      await create('posts', 'mine', mine, 'status=published');
      await create('memos', 'note', { text: 'of ann', owner: users['ann'] });
      await create('memos', 'other', { text: 'of bob', owner: users['bob'] });
    });

    it('shows each caller its own rows, in lists, totals, searches and behind cursors', async () => {
      const expected = { ann: ['mine', 'open'], bob: ['hers', 'open'], read: ['open'], full: ['hers', 'mine', 'open'] };
      // turn and turn about, with one query: no answer, plan or total of one is another's
      for (let round = 0; round < 3; round++) {
        for (const [as, shown] of Object.entries(expected)) {
          deepStrictEqual(await titles('', as), shown, as);
          deepStrictEqual(await titles('_q=x', as), shown, as);
          deepStrictEqual(await titles('pagination[cursor]=&pagination[pageSize]=5', as), shown, as);
          const { meta } = await made(get('posts?filters[title][$ne]=none', as));
          strictEqual(meta.pagination.total, shown.length, as);
          for (const [name, id] of Object.entries({ mine: ids['mine'], hers: ids['hers'], open: ids['open'] })) {
            strictEqual(await statusOf(get(`posts/${id}`, as)), shown.includes(name) ? 200 : 404, `${name} to ${as}`);
          }
        }
      }
    });

    it('holds for populate, filters, counts and sort', async () => {
      const { data } = await made(get(`posts/${ids['mine']}?populate[next]=true&populate[tags][populate]=posts`));
      strictEqual(data.next, null);
      deepStrictEqual(
        data.tags.map(({ name, posts }: Any) => [name, posts.map(({ title }: Any) => title).sort()]),
        [['red', ['mine', 'open']]],
      );
      deepStrictEqual(await titles('filters[next][title]=hers'), []);
      deepStrictEqual(await titles('filters[next][title]=hers', 'full'), ['mine']);
      deepStrictEqual(await titles('filters[tags][name]=gold'), []);
      deepStrictEqual(await titles('filters[tags][posts][title]=hers'), []);
      const counted = await made(get(`tags/${ids['red']}?populate[posts][count]=true`));
      deepStrictEqual(counted.data.posts, { count: 2 });
      const sorted = (query: string) => made(get(`posts?fields=title&${query}`));
      deepStrictEqual((await sorted('sort=next.title,title')).data, (await sorted('sort=title')).data);
    });

    it('shows a role the fields of its list, in every form of a request', async () => {
      const seen = (await made(get('posts?populate=*', 'public'))).data;
      deepStrictEqual(
        seen.map(({ title, secret, ready, owner, next, part }: Any) => [
          title,
          secret,
          ready,
          owner,
          next,
          part.hidden,
        ]),
        [['open', undefined, undefined, undefined, undefined, undefined]],
      );
      deepStrictEqual([seen[0].part.shown, seen[0].tags.length], ['s', 1]);
      const nested = (await made(get(`tags/${ids['red']}?populate=posts`, 'public'))).data.posts;
      deepStrictEqual(Object.keys(nested[0]).includes('secret'), false);
      for (const query of [
        'fields=secret',
        'filters[secret]=x2',
        'sort=secret',
        'populate=owner',
        'populate[next]=true',
        'filters[part][hidden]=h',
        'populate[part][fields]=hidden',
        'filters[tags][posts][secret]=x2',
        'sort=tags.posts.secret',
        'populate[tags][populate][posts][fields]=secret',
      ]) {
        strictEqual(await statusOf(get(`posts?${query}`, 'public')), 400, query);
        strictEqual(await statusOf(get(`posts?${query}`, 'full')), 200, query);
      }
      deepStrictEqual(await titles('_q=x2', 'public'), []);
      deepStrictEqual(await titles('_q=x2', 'ann'), ['open']);
      deepStrictEqual(await titles('_q=op', 'public'), ['open']);
    });

    it('populates by default only attributes that the caller may see', async () => {
      const red = async (as: string) => (await made(get('tags?filters[name]=red', as))).data[0];
      const { part } = (await red('full')).posts.at(-1);
      deepStrictEqual(part, { id: part.id, hidden: 'h', shown: 's' });
      const tag = await red('public');
      deepStrictEqual([tag.posts.length, 'about' in tag], [1, false]);
      deepStrictEqual(Object.keys(tag.posts[0]), ['id', 'documentId', 'title', 'part']);
      deepStrictEqual(Object.keys(tag.posts[0].part), ['id', 'shown']);
      const { posts, about } = await red('ann');
      deepStrictEqual(
        posts.map(({ title, secret }: Any) => [title, secret]),
        [
          ['open', 'x2'],
          ['mine', 'x3'],
        ],
      );
      deepStrictEqual(about, []);
    });

    it('lets a role write the fields of its list', async () => {
      const write = (data: Any) => send('POST', 'posts?status=draft', { data }, 'public');
      strictEqual(await statusOf(write({ title: 'a', secret: 'b' })), 400);
      strictEqual(await statusOf(write({ title: 'a', part: { shown: 'b' } })), 400);
      // it may be made, and is not shown
      strictEqual(await statusOf(write({ title: 'a' })), 403);
    });

    it('lets callers write the rows that meet the rule, before and after', async () => {
      strictEqual(await statusOf(put(`posts/${ids['mine']}?status=draft`, { title: 'changed' })), 200);
      strictEqual(await statusOf(put(`posts/${ids['open']}?status=draft`, { title: 'changed' })), 403);
      strictEqual(await statusOf(put(`posts/${ids['hers']}?status=draft`, { title: 'changed' })), 404);
      strictEqual(await statusOf(put(`posts/${ids['mine']}?status=draft`, { owner: users['bob'] })), 403);
      strictEqual(
        await statusOf(send('POST', 'posts?status=draft', { data: { title: 'n', owner: users['bob'] } })),
        403,
      );
      strictEqual(
        await statusOf(send('POST', 'posts?status=draft', { data: { title: 'n', owner: users['ann'] } })),
        200,
      );
      strictEqual(await statusOf(send('DELETE', `posts/${ids['open']}`)), 403);
      // what is hidden is answered as what is not there
      const missing = 'a'.repeat(24);
      for (const id of [ids['hers'], missing]) strictEqual(await statusOf(send('DELETE', `posts/${id}`)), 204);
      const operations = [{ action: 'update', documentId: ids['open'], data: { title: 'b' }, status: 'draft' }];
      strictEqual(await statusOf(send('POST', 'posts/actions/batch', { operations })), 403);
      deepStrictEqual(await titles('status=draft', 'full'), ['changed', 'hers', 'n', 'open']);
      strictEqual(await statusOf(send('DELETE', `posts/${ids['mine']}`)), 204);
      strictEqual(await statusOf(put(`posts/${ids['open']}`, { title: 'changed' }, 'full')), 200);
    });

    it('requires the rule of publishing as well on every route that publishes', async () => {
      const { mine } = ids;
      await made(put(`posts/${mine}?status=draft`, { ready: false, title: 'later' }));
      strictEqual(await statusOf(put(`posts/${mine}`, { title: 'now' })), 403);
      strictEqual(await statusOf(send('POST', `posts/${mine}/actions/publish`)), 403);
      const operations = [{ action: 'publish', documentId: mine }];
      strictEqual(await statusOf(send('POST', 'posts/actions/batch', { operations })), 403);
      deepStrictEqual(await titles(''), ['mine', 'open']);
      await made(put(`posts/${mine}?status=draft`, { ready: true }));
      strictEqual(await statusOf(send('POST', `posts/${mine}/actions/publish`)), 200);
      deepStrictEqual(await titles(''), ['later', 'open']);
    });

    it('has hidden rows be no target of links, and other locales be judged by themselves', async () => {
      const { mine, hers, gold } = ids;
      strictEqual(await statusOf(put(`posts/${mine}?status=draft`, { next: hers })), 400);
      strictEqual(await statusOf(put(`posts/${mine}?status=draft`, { tags: { connect: [gold] } })), 400);
      const french = { title: 'ouvert', open: true, ready: true };
      await made(put(`posts/${hers}?locale=fr`, french, 'full'));
      deepStrictEqual(await titles('locale=fr'), ['ouvert']);
      strictEqual(await statusOf(get(`posts/${hers}?locale=en`)), 404);
      strictEqual((await made(get(`posts/${hers}?locale=fr&populate=localizations`))).data.localizations.length, 0);
      strictEqual(await statusOf(put(`posts/${hers}?locale=fr&status=draft`, { title: 'à moi' })), 403);
    });

    it('holds for links that are written from their other side', async () => {
      const { red, mine, open, gold } = ids;
      const posts = async (edit: Any, as = 'ann') => statusOf(put(`tags/${red}`, { posts: edit }, as));
      const tagsOf = async (id?: string) =>
        (await made(get(`posts/${id}?status=draft&populate=tags`, 'full'))).data.tags.map(({ name }: Any) => name);
      for (const edit of [{ disconnect: [open] }, [], { set: [mine] }]) strictEqual(await posts(edit), 403);
      strictEqual(await posts({ disconnect: [mine] }), 200);
      deepStrictEqual([await tagsOf(mine), await tagsOf(open)], [['gold'], ['red', 'gold']]);
      strictEqual(await posts({ connect: [mine] }), 200);
      strictEqual(await statusOf(put(`posts/${open}`, { tags: [gold] }, 'full')), 200);
      strictEqual(await posts({ connect: [open] }), 403);
      strictEqual(await posts({ connect: [open] }, 'full'), 200);
      // the public may write nothing but titles of posts
      strictEqual(await posts({ connect: [open] }, 'public'), 400);
      strictEqual(await statusOf(put(`tags/${red}`, { name: 'red' }, 'public')), 200);
      const about = async (edit: Any) => statusOf(put(`tags/${red}`, { about: edit }));
      deepStrictEqual([await about([open]), await about([mine]), await about([mine])], [403, 200, 200]);
      strictEqual(await statusOf(put(`posts/${open}`, { topic: red }, 'full')), 200);
      deepStrictEqual([await about({ disconnect: [open] }), await about([]), await about([open])], [403, 403, 200]);
      deepStrictEqual(await tagsOf(open), ['gold', 'red']);
    });

    it('holds for files that an upload links', async () => {
      const link = async (name: string, as = 'ann') => {
        const fields = { ref: 'api::post.post', refId: ids[name]!, field: 'cover' };
        return statusOf(upload(server, tokens[as], [note('a.txt')], fields));
      };
      deepStrictEqual([await link('mine'), await link('open'), await link('hers')], [201, 403, 400]);
      strictEqual(await link('open', 'full'), 201);
    });

    it('holds for a single type', async () => {
      strictEqual(await statusOf(put('home', { text: 'a' })), 200);
      await made(put('home', { locked: true }, 'full'));
      strictEqual(await statusOf(put('home', { text: 'b' })), 403);
      strictEqual((await made(get('home'))).data.text, 'a');
      await made(put('home', { locked: false }, 'full'));
    });

    it('holds for actions that go through code of the project', async () => {
      const texts = async (as: string) => (await made(get('memos', as))).data.map(({ text }: Any) => text);
      deepStrictEqual([await texts('ann'), await texts('bob'), await texts('public')], [['of ann'], ['of bob'], []]);
      strictEqual((await made(get('memos', 'ann'))).meta.pagination.total, 1);
      strictEqual(await statusOf(get(`memos/${ids['other']}`)), 404);
      strictEqual(await statusOf(put(`memos/${ids['other']}`, { text: 'mine now' })), 404);
      await send('DELETE', `memos/${ids['other']}`);
      deepStrictEqual(await texts('bob'), ['of bob']);
      strictEqual(await statusOf(put(`memos/${ids['note']}`, { text: 'still of ann' })), 200);
      strictEqual(await statusOf(put(`memos/${ids['note']}`, { owner: users['bob'] })), 403);
      deepStrictEqual(await texts('ann'), ['still of ann']);
    });

    it('is shown by galley explain', async () => {
      const lines: string[] = [];
      const database = server.app.config.database;
      const print = (line: string) => void lines.push(line);
      if (database.client !== 'sqlite') return;
      const env = { DATABASE_FILENAME: database.filename };
      const surroundings = { env, print, warn: print, input: async () => '' };
      await runCommandLine(['explain', 'GET /api/posts', folder.dir, '--as', 'public'], surroundings);
      const told = lines.join('\n');
      match(told, /rows\s+find: \{"open":"true"\}/);
      match(told, /fields\s+read: title, tags, part.shown/);
      const through = async (target: string) => {
        lines.length = 0;
        await runCommandLine(['explain', `GET ${target}`, folder.dir, '--as', 'public'], surroundings);
        const section = lines.slice(lines.indexOf('Permission'), lines.indexOf('SQL'));
        return section.filter((line) => line.includes(' of api::'));
      };
      const rule = ['  rows      find of api::tag.tag: {"hidden":"false"}'];
      deepStrictEqual(await through('/api/posts?populate=tags'), rule);
      deepStrictEqual(await through('/api/posts?filters[tags][name]=a'), rule);
      deepStrictEqual(await through('/api/posts'), []);
      const ofPosts = await through('/api/tags?populate=posts');
      deepStrictEqual(ofPosts, [
        '  rows      find of api::post.post: {"open":"true"}',
        '  fields    read of api::post.post: title, tags, part.shown',
      ]);
    });
  });
}

describe('a src/galley with a mistake', () => {
  const mistakes: readonly [string, RegExp][] = [
    ["export const access = { 'api::pst.pst': {} };", /no content type api::pst\.pst: did you mean api::post\.post/],
    ["export const access = { 'api::post.post': { updat: true } };", /no part updat: did you mean update/],
    ["export const access = { 'api::post.post': { findOne: true } };", /findOne: find is of all reading/],
    ["export const access = { 'api::post.post': { find: { titel: 'a' } } };", /post, find: Invalid key titel/],
    [
      "export const access = { 'api::post.post': { find: { owner: '$user.name' } } };",
      /no value \$user\.name: there are .*username/,
    ],
    ["export const access = { 'api::post.post': { find: { $or: [] } } };", /is empty/],
    ["export const access = { 'plugin::upload.file': { publish: false } };", /publish is a rule of the project's own/],
    [
      "export const policies = { 'plugin::users-permissions.user': { find: [() => false] } };",
      /only types of the project can have policies/,
    ],
    ["export const access = { 'api::post.post': { read: ['titel'] } };", /post, read: there is no attribute titel/],
    ['export const hook = {};', /no part hook: did you mean hooks/],
    ['export const routes = [\n  { name: "a", method: "GET", path: "a" },\n];', /the route a must have a path/],
    ['\n\nthrow new Error("no");', /src\/galley\.ts:3: no/],
    // the line where it is written, what was expected, and what there is
    [
      "export const hooks = {\n  'api::post.post': {},\n  'api::pst.pst': {},\n};",
      /src\/galley\.ts:3: hooks: there is no content type api::pst\.pst: did you mean api::post\.post\? There are api::home\.home, /,
    ],
    [
      "const hooks = {\n  'api::post.post': {\n    beforeWrit() {} },\n};\nexport { hooks };",
      /src\/galley\.ts:3: hooks of api::post\.post has no part beforeWrit: did you mean beforeWrite\? There are afterCommit, /,
    ],
    [
      "const all = () => true;\nexport const routes = [\n  { name: 'a', method: 'GET', path: '/a', handler: all },\n  { name: 'b',\n    method: 'FETCH', path: '/b', handler: all },\n];",
      /src\/galley\.ts:5: the route b must have a method: GET, POST/,
    ],
    [
      "const handler = () => 1;\nexport const routes = [\n  { name: 'a', method: 'GET', path: '/a', handler, request: {\n    query: { page: 'number' } } },\n];",
      /src\/galley\.ts:4: page of query of request of the route a must be a schema with safeParse/,
    ],
    ['export const routes = [\n  1,\n];', /src\/galley\.ts:2: route 1 must be an object/],
    [
      "exports.routes = [\n  { name: 'a', method: 'GET', path: '/a' },\n];",
      /src\/galley\.ts:2: handler of the route a must be a function/,
    ],
    [
      "import { defineJobs } from 'galley';\nexport const jobs = defineJobs({\n  report: {\n    cron: 'daily',\n    run() {},\n  },\n});",
      /src\/galley\.ts:4: the job report: .*'daily'/,
    ],
    [
      "export const access = {\n  'api::post.post': {\n    update: {\n      owner: { usernam: 'a' },\n    } } };",
      /src\/galley\.ts:4: access of api::post\.post, update: Invalid key usernam at owner: did you mean username\? There are .*email/,
    ],
    [
      "const own = { owner: '$user.id' };\nexport default { access: { 'api::post.post': { find: own,\n  roles: { public: {\n    read: ['title',\n      'titel'] } } } } };",
      /src\/galley\.ts:5: access of api::post\.post, role public, read: there is no attribute titel: did you mean title\?/,
    ],
    // of what is not written out, where it belongs to
    [
      "const name = 'tit' + 'el';\nexport const access = {\n  'api::post.post': { find: { [name]: 1 } },\n};",
      /src\/galley\.ts:3: .*Invalid key titel/,
    ],
    ['export const a = ;', /src\/galley\.ts:1:18/],
    // nothing that is exported is left out
    [
      "export const access = { 'api::tag.tag': {} };\nexport default {\n  jobs: {}, access: {} };",
      /src\/galley\.ts:1: there are two parts access: one is a named export, one is in the default export/,
    ],
    [
      'export const jobs = {};\nexport const helper = 1;\nexport default { hooks: {} };',
      /src\/galley\.ts:2: what the file exports has no part helper: there are access, hooks, jobs, policies, populate, routes$/m,
    ],
    ['export default { default: { access: {} } };', /src\/galley\.ts:1: the definition has no part default: there are/],
    ['const rules = {};\nexport const access = rules.acess;', /:2: what the file exports: access is undefined/],
    [
      'export default { access: undefined };',
      /:1: the default export: access is undefined: give it a value, or leave it out/,
    ],
    ['export default undefined;', /:1: what the file exports: default is undefined/],
    ['export const hooks = Promise.resolve({});', /:1: hooks must be a plain object/],
    ["export const access = new Map([['api::post.post', {}]]);", /:1: access must be a plain object/],
    [
      "class Hooks { beforeWrite() {} }\nexport const hooks = {\n  'api::post.post': new Hooks() };",
      /:3: hooks of api::post\.post must be a plain object/,
    ],
    [
      "const open = {};\nexport const access = { 'api::post.post': { roles: { public: {\n  read: open.fields } } } };",
      /:3: access of api::post\.post, role public: read is undefined/,
    ],
    [
      "const me = {};\nexport const access = { 'api::post.post': { find: { $or: [{ open: true },\n  { owner: me.id }] } } };",
      /:3: access of api::post\.post, find: the value of owner is undefined/,
    ],
    [
      "export const access = { 'api::post.post': { update: {\n  title: { $in: ['a', undefined] } } } };",
      /:2: access of api::post\.post, update: value 2 of a list is undefined/,
    ],
    [
      "export const access = { 'api::tag.tag': {\n  read: ['name', 'hidden'] } };",
      /:2: access of api::tag\.tag, read: hidden is private and never part of an answer: only write may name it/,
    ],
    [
      "export const access = { 'plugin::users-permissions.user': { read: ['password'] } };",
      /password is (?:private|a password)/,
    ],
    [
      "export const access = { 'api::post.post': { write: ['owner.username'] } };",
      /write: there is no attribute owner\.username: owner is a relation, named as a whole/,
    ],
    [
      "export const access = { 'api::post.post': {\n  read: ['zone.shown'] } };",
      /:2: access of api::post\.post, read: there is no attribute zone\.shown: zone is a dynamic zone, named as a whole/,
    ],
    // routes that would never be reached, and paths that are none
    [
      "const handler = () => 1;\nexport const routes = [\n  { name: 'a', method: 'GET', path: '/own/:id', handler },\n  { name: 'b', method: 'GET', path: '/Own/:key', handler },\n];",
      /src\/galley\.ts:4: the route b is never reached: the route a, before it, answers GET \/Own\/:key/,
    ],
    [
      "const handler = () => 1;\nexport const routes = [\n  { name: 'a', method: 'GET', path: '/own/:id', handler },\n  { name: 'b', method: 'GET', path: '/own/list', handler },\n];",
      /:4: the route b is never reached/,
    ],
    [
      "export const routes = [\n  { name: 'a', method: 'GET',\n    path: '/own/files/*', handler: () => 1 },\n];",
      /src\/galley\.ts:3: the route a: the path \/own\/files\/\* of a route is not a pattern: Unexpected MODIFIER/,
    ],
    [
      "export const routes = [{ name: 'a', method: 'GET', path: '/a', policies: undefined, handler() {} }];",
      /policies of the route a must be a list/,
    ],
    // what is populated, and when jobs run
    [
      "export const populate = {\n  'api::post.post': {\n    list: ['ownr'] } };",
      /src\/galley\.ts:3: populate of api::post\.post, list: Invalid key ownr: did you mean owner\? There are .*tags/,
    ],
    [
      "export const populate = { 'api::post.post': { one: { owner: {\n  fields: ['usernam'] } } } };",
      /:2: populate of api::post\.post, one: Invalid key usernam: did you mean username\?/,
    ],
    [
      "export const jobs = {\n  a: { cron: '0 0 1 13 *', run() {} } };",
      /:2: the job a: '0 0 1 13 \*' is not a cron expression: its month is 13, where 1 to 12 or JAN to DEC is expected/,
    ],
    ["export const jobs = { a: { cron: '0 0 32 * *', run() {} } };", /its day is 32, where 1 to 31/],
    // hooks that nothing would call
    [
      "export const hooks = { 'plugin::users-permissions.role': {\n  afterCommit() {},\n  beforeWrite() {} } };",
      /:3: beforeWrite of plugin::users-permissions\.role would never be called: it has inTransaction and afterCommit/,
    ],
    [
      "export const hooks = { 'plugin::upload.folder': { afterCommit() {} } };",
      /afterCommit of plugin::upload\.folder would never be called: nor would any other hook of it/,
    ],
    [
      "export const hooks = { 'plugin::users-permissions.permission': { inTransaction() {} } };",
      /would never be called/,
    ],
    [
      "export const hooks = { 'admin::api-token': {} };",
      /hooks of admin::api-token: types of administrators have no hooks/,
    ],
    [
      "export const hooks = { 'api::post.post': { afterCommit: {\n  retry: true, rn() {} } } };",
      /:2: afterCommit of api::post\.post has no part rn: did you mean run\?/,
    ],
  ];
  for (const [name, message] of [
    ['src/Galley.ts', /^src\/Galley\.ts is not loaded: its name must be galley\.ts, or galley\.js$/],
    ['src/GALLEY/index.js', /^src\/GALLEY is not loaded/],
    ['src/galley.tsx', /^src\/galley\.tsx is not loaded/],
  ] as const) {
    it(`keeps the project from being opened by its name: ${name}`, async () => {
      const folder = await makeProject({ contentTypes, components, files: { [name]: 'exports.access = {};' } });
      await rejects(openProject(folder.dir, { env: { DATABASE_FILENAME: ':memory:' } }), { message });
      await folder.remove();
    });
  }
  for (const [code, message] of mistakes) {
    it(`keeps the project from being opened: ${message.source}`, async () => {
      const folder = await project(code);
      try {
        await rejects(openProject(folder.dir, { env: { DATABASE_FILENAME: ':memory:' } }), message);
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        strictEqual(
          await runCommandLine(['check', folder.dir], { env: {}, print, warn: print, input: async () => '' }),
          1,
        );
        match(lines.join('\n'), message);
      } finally {
        await folder.remove();
      }
    });
  }
});
