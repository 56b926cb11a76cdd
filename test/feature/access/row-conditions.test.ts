/**
 * A View may have a condition on the rows of a type. A row that it does not meet is not there for the caller, wherever a
 * request could reach it; and what a caller writes stays within it.
 */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Grants } from '../../../src/access/grants.ts';
import type { RowRules } from '../../../src/access/row-conditions.ts';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, upload } from '../../support/media/uploads.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'api::post.post';
const TAG = 'api::tag.tag';
const TOPIC = 'api::topic.topic';
const HOME = 'api::home.home';
const USER = 'plugin::users-permissions.user';
const FILE = 'plugin::upload.file';

const to = (relation: string, target?: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });
const localized = { pluginOptions: { i18n: { localized: true } } };

const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', ...localized },
      open: { type: 'boolean', default: false, ...localized },
      weight: { type: 'integer' },
      // what a condition names need not be readable
      owner: to('manyToOne', USER, { private: true }),
      editor: to('manyToOne', USER),
      tags: to('manyToMany', TAG, { inversedBy: 'posts' }),
      topic: to('manyToOne', TOPIC, { inversedBy: 'posts' }),
      next: to('oneToOne', POST),
      about: { type: 'relation', relation: 'morphToMany' },
      cover: { type: 'media', multiple: false, ...localized },
      gallery: { type: 'media', multiple: true, ...localized },
      part: { type: 'component', component: 'shared.part', ...localized },
      zone: { type: 'dynamiczone', components: ['shared.part'], ...localized },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', {
    name: { type: 'string' },
    hidden: { type: 'boolean', default: false, private: true },
    posts: to('manyToMany', POST, { mappedBy: 'tags' }),
  }),
  topic: contentType('topic', {
    name: { type: 'string' },
    hidden: { type: 'boolean', default: false, private: true },
    posts: to('oneToMany', POST, { mappedBy: 'topic' }),
  }),
  home: contentType('home', { title: { type: 'string' }, hidden: { type: 'boolean' } }, { kind: 'singleType' }),
};
const components = {
  'shared.part': {
    collectionName: 'components_parts',
    attributes: { text: { type: 'string' }, tag: to('oneToOne', TAG), file: { type: 'media', multiple: false } },
  },
};

const RULES: RowRules = {
  [POST]: { $or: [{ open: 'true' }, { owner: { id: { $eq: '$user.id' } } }] },
  [TAG]: { hidden: 'false' },
  [TOPIC]: { hidden: 'false' },
  [HOME]: { hidden: { $ne: 'true' } },
  [FILE]: { $or: [{ caption: { $null: 'true' } }, { caption: { $ne: 'secret' } }] },
  [USER]: { username: { $ne: 'mallory' } },
};
/** Full access sees every row: the tests set up with it. */
const rowRules = ({ all }: Grants): RowRules => (all ? {} : RULES);

const OPERATIONS = ['find', 'findOne', 'create', 'update', 'delete'];
const granted = [
  ...[POST, TAG, TOPIC].flatMap((uid) => OPERATIONS.map((name) => `${uid}.${name}`)),
  ...['publish', 'unpublish', 'discardDraft', 'createLocalization'].map((name) => `${POST}.${name}`),
  ...['find', 'update', 'delete'].map((name) => `${HOME}.${name}`),
  ...['find', 'findOne', 'count', 'me', 'update', 'destroy', 'create'].map((name) => `${USER}.${name}`),
  ...['find', 'findOne', 'findPage', 'upload', 'destroy'].map((name) => `plugin::upload.content-api.${name}`),
];
const account = (name: string) => `plugin::users-permissions.auth.${name}`;
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
  ],
  roles: { public: [account('register'), account('callback')], authenticated: granted },
};

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`conditions on rows on ${engine.name}`, () => {
    let server: SeededServer;
    const tokens: Record<string, string> = {};
    const users: Record<string, number> = {};
    /** documentIds by name. */
    let ids: Record<string, string> = {};
    /** Row ids of files. */
    const files: Record<string, number> = {};

    before(async () => {
      const folder = await makeProject({ contentTypes, components });
      server = await serveSeeded(engine, folder, fixture, {}, { rowRules });
      tokens['full'] = server.secrets['full']!;
      for (const username of ['ann', 'bob', 'mallory']) {
        const body = { username, email: `${username}@example.com`, password: 'secret1' };
        const answer = await server.request('POST', '/api/auth/local/register', { body });
        users[username] = (await made(server.get('/api/users', tokens['full']))).find(
          (user: Any) => user.username === username,
        ).id;
        if (username !== 'mallory') tokens[username] = (await made(Promise.resolve(answer))).jwt;
      }
      for (const name of ['plain', 'secret']) {
        const info = { fileInfo: { name, caption: name === 'secret' ? name : null } };
        files[name] = (await made(upload(server, tokens['full'], [note(`${name}.txt`)], info)))[0].id;
      }
    });
    after(() => server?.stop());

    const made = async (answer: Promise<Answer>): Promise<Any> => {
      const { status, body, text } = await answer;
      if (status >= 300) throw new Error(text);
      return body;
    };
    const create = async (plural: string, data: Any, query = ''): Promise<string> =>
      (await made(server.request('POST', `/api/${plural}?${query}`, { token: tokens['full'], body: { data } }))).data
        .documentId;
    const get = (target: string, as = 'ann') => server.get(`/api/${target}`, tokens[as]);
    const put = (target: string, data: Any, as = 'ann') =>
      server.request('PUT', `/api/${target}`, { token: tokens[as], body: { data } });
    const send = (method: string, target: string, body?: Any, as = 'ann') =>
      server.request(method, `/api/${target}`, { token: tokens[as], ...(body === undefined ? {} : { body }) });
    const titles = async (query: string, as = 'ann'): Promise<string[]> =>
      (await made(get(`posts?${query}`, as))).data.map(({ title }: Any) => title);

    /**
     * | post | owner | open | tags | topic |
     * |---|---|---|---|---|
     * | mine | ann | no | red, (gold) | (middle) |
     * | open | bob | yes | (gold) | first |
     * | last | ann | no | red | zulu |
     * | closed | bob | no | red | first |
     *
     * What stands in brackets is hidden from both; ann sees all but the last of these posts, bob the others' middle two.
     */
    beforeEach(async () => {
      for (const plural of ['posts', 'tags', 'topics']) {
        for (const { documentId } of (await made(get(`${plural}?pagination[pageSize]=100&status=draft`, 'full')))
          .data) {
          await server.request('DELETE', `/api/${plural}/${documentId}`, { token: tokens['full'] });
        }
      }
      ids = {};
      ids['red'] = await create('tags', { name: 'red' });
      ids['gold'] = await create('tags', { name: 'gold', hidden: true });
      ids['first'] = await create('topics', { name: 'first' });
      ids['middle'] = await create('topics', { name: 'middle', hidden: true });
      ids['zulu'] = await create('topics', { name: 'zulu' });
      const { red, gold, first, middle, zulu } = ids;
      const [ann, bob] = [users['ann'], users['bob']];
      const post = async (title: string, data: Any) => {
        ids[title] = await create('posts', { title, ...data }, 'status=published');
      };
      const part = { text: 'a', tag: gold, file: files['secret'] };
      await post('mine', {
        owner: ann,
        editor: users['mallory'],
        tags: [red, gold],
        topic: middle,
        cover: files['secret'],
        gallery: [files['plain'], files['secret']],
        part,
        zone: [
          { __component: 'shared.part', ...part },
          { __component: 'shared.part', text: 'b', tag: red },
        ],
        about: [
          { __type: TAG, documentId: gold },
          { __type: TAG, documentId: red },
        ],
      });
      await post('open', { owner: bob, open: true, tags: [gold], topic: first });
      await post('last', { owner: ann, tags: [red], topic: zulu });
      await post('closed', { owner: bob, tags: [red], topic: first, editor: ann });
      await made(put(`posts/${ids['mine']}?status=published`, { next: ids['closed'] }, 'full'));
    });

    describe('reading', () => {
      it('lists the rows that meet it, and counts no others', async () => {
        for (const status of ['draft', 'published']) {
          const { data, meta } = await made(get(`posts?status=${status}&sort=title`));
          deepStrictEqual(
            data.map(({ title }: Any) => title),
            ['last', 'mine', 'open'],
          );
          strictEqual(meta.pagination.total, 3);
          strictEqual((await made(get(`posts?status=${status}`, 'full'))).meta.pagination.total, 4);
        }
        deepStrictEqual(await titles('sort=title&pagination[limit]=1&pagination[start]=1'), ['mine']);
      });

      it('holds for a caller who has no values of its own', async () => {
        const { data, meta } = await made(server.get('/api/posts', server.secrets['read']!));
        deepStrictEqual([data.map(({ title }: Any) => title), meta.pagination.total], [['open'], 1]);
      });

      it('compares with the values of the caller, also if two callers alternate with one query', async () => {
        const { mine, closed } = ids;
        for (let round = 0; round < 4; round++) {
          for (const [as, expected] of [
            ['ann', ['last', 'mine', 'open']],
            ['bob', ['closed', 'open']],
          ] as const) {
            deepStrictEqual(await titles('sort=title', as), expected);
            deepStrictEqual(
              await titles('sort=title&filters[title][$ne]=last', as),
              expected.filter((title) => title !== 'last'),
            );
            const found = await Promise.all([get(`posts/${mine}`, as), get(`posts/${closed}`, as)]);
            deepStrictEqual(
              found.map(({ status }) => status),
              as === 'ann' ? [200, 404] : [404, 200],
            );
          }
        }
      });

      it('finds no document that does not meet it, in whichever status', async () => {
        for (const query of ['', 'status=draft', 'locale=en', 'populate=*']) {
          strictEqual((await get(`posts/${ids['closed']}?${query}`)).status, 404, query);
          strictEqual((await get(`posts/${ids['mine']}?${query}`)).status, 200, query);
        }
        strictEqual((await get(`tags/${ids['gold']}`)).status, 404);
      });

      it('populates no row that does not meet it, in any form of populate', async () => {
        for (const query of [
          'populate=*',
          'populate=tags,topic,next,editor,about,cover,gallery,part.tag,part.file,zone.tag',
        ]) {
          const { data } = await made(get(`posts/${ids['mine']}?${query}`));
          deepStrictEqual(
            [data.tags.map(({ name }: Any) => name), data.topic, data.next, data.editor, data.cover],
            [['red'], null, null, null, null],
            query,
          );
          deepStrictEqual(
            data.gallery.map(({ id }: Any) => id),
            [files['plain']],
          );
          deepStrictEqual(
            data.about.map(({ name }: Any) => name),
            ['red'],
          );
        }
        const deep =
          'populate[part][populate]=*&populate[zone][on][shared.part][populate]=tag&populate[tags][count]=true';
        const { data } = await made(get(`posts/${ids['mine']}?${deep}`));
        deepStrictEqual([data.part.tag, data.part.file, data.tags], [null, null, { count: 1 }]);
        deepStrictEqual(
          data.zone.map(({ tag }: Any) => tag?.name ?? null),
          [null, 'red'],
        );
        const all = (await made(get(`posts/${ids['mine']}?${deep}&populate[next]=true`, 'full'))).data;
        deepStrictEqual([all.part.tag.name, all.tags.count, all.next.title], ['gold', 2, 'closed']);
      });

      it('holds at any depth, and on the other side of relations', async () => {
        const { data } = await made(get(`tags/${ids['red']}?populate[posts][populate][topic][populate]=posts`));
        const posts = data.posts.map(({ title, topic }: Any) => [title, topic?.posts.map((post: Any) => post.title)]);
        deepStrictEqual(posts, [
          ['mine', undefined],
          ['last', ['last']],
        ]);
        const first = (await made(get(`topics/${ids['first']}?populate=posts`))).data;
        deepStrictEqual(
          first.posts.map(({ title }: Any) => title),
          ['open'],
        );
        deepStrictEqual((await made(get(`topics/${ids['first']}?populate[posts][count]=true`))).data.posts, {
          count: 1,
        });
      });

      it('hides other locales of a document that is shown', async () => {
        await made(put(`posts/${ids['mine']}?locale=fr&status=published`, { title: 'le mien', open: false }, 'full'));
        const read = async (as: string) => (await made(get(`posts/${ids['mine']}?populate=localizations`, as))).data;
        deepStrictEqual([(await read('ann')).localizations.length, (await read('full')).localizations.length], [0, 1]);
        deepStrictEqual(await titles('locale=fr'), []);
        deepStrictEqual(await titles('locale=*&filters[localizations][title]=le mien'), []);
        deepStrictEqual(await titles('locale=en&filters[localizations][title]=le mien', 'full'), ['mine']);
      });

      it('lets filters go through no row that does not meet it: a relation to one is a relation to nothing', async () => {
        const filters: readonly [string, string[], string[]][] = [
          ['filters[tags][name]=gold', [], ['mine', 'open']],
          ['filters[tags][name][$null]=true', ['open'], []],
          ['filters[tags][id][$null]=true', ['open'], []],
          ['filters[$not][tags][name]=red', ['open'], ['open']],
          ['filters[$not][tags][name][$contains]=o', ['last', 'mine', 'open'], ['closed', 'last']],
          ['filters[topic][name]=middle', [], ['mine']],
          ['filters[topic][name][$null]=true', ['mine'], []],
          ['filters[topic][posts][title]=closed', [], ['closed', 'open']],
          ['filters[tags][posts][title]=closed', [], ['closed', 'last', 'mine']],
          ['filters[next][title]=closed', [], ['mine']],
          ['filters[next][id][$notNull]=true', [], ['mine']],
          ['filters[part][tag][name]=gold', [], ['mine']],
          ['filters[part][file][caption]=secret', [], ['mine']],
          ['filters[cover][caption]=secret', [], ['mine']],
          ['filters[editor][username]=mallory', [], ['mine']],
          ['filters[editor][username][$null]=true', ['last', 'mine', 'open'], ['last', 'open']],
        ];
        for (const [query, shown, all] of filters) {
          deepStrictEqual(await titles(`${query}&sort=title`), shown, query);
          deepStrictEqual(await titles(`${query}&sort=title`, 'full'), all, `${query}, unhidden`);
        }
        const populated = await made(get(`tags/${ids['red']}?populate[posts][filters][next][title]=closed`));
        deepStrictEqual(populated.data.posts, []);
      });

      it('sorts by no row that does not meet it', async () => {
        // in which order nothing stands differs by engine
        const last = engine.name === 'postgres';
        const byTopic = last ? ['open', 'last', 'mine'] : ['mine', 'open', 'last'];
        deepStrictEqual(await titles('sort=topic.name'), byTopic);
        deepStrictEqual(await titles('sort=topic.name&filters[title][$ne]=closed', 'full'), ['open', 'mine', 'last']);
        const byTags = last ? ['mine', 'last', 'open'] : ['open', 'mine', 'last'];
        deepStrictEqual(
          await titles('sort=tags.name,topic.name:desc&filters[title][$ne]=none'),
          last ? byTags : byTags.toSpliced(1, 2, 'last', 'mine'),
        );
        const { data } = await made(get(`tags/${ids['red']}?populate[posts][sort]=topic.name`));
        deepStrictEqual(
          data.posts.map(({ title }: Any) => title),
          last ? ['last', 'mine'] : ['mine', 'last'],
        );
      });

      it('is searched within', async () => {
        deepStrictEqual(await titles('_q=closed'), []);
        deepStrictEqual(await titles('_q=closed', 'full'), ['closed']);
        deepStrictEqual((await made(get('tags?_q=gold'))).data, []);
        strictEqual((await made(get('tags?_q=gold', 'full'))).data.length, 1);
      });

      it('holds for the versions that a cohort compares', async () => {
        // the draft is ann's, the published row is not any more
        await made(put(`posts/${ids['closed']}?status=draft`, { owner: users['ann'] }, 'full'));
        deepStrictEqual(await titles('status=draft&publicationFilter=modified'), []);
        deepStrictEqual(await titles('status=draft&publicationFilter=modified', 'full'), ['closed']);
        deepStrictEqual(await titles('status=draft&publicationFilter=never-published'), ['closed']);
      });

      it('hides accounts and files like other rows', async () => {
        const names = (await made(get('users?sort=username'))).map(({ username }: Any) => username);
        deepStrictEqual([names, await made(get('users/count'))], [['ann', 'bob'], 2]);
        strictEqual((await get(`users/${users['mallory']}`)).status, 404);
        strictEqual((await made(get('users/me'))).username, 'ann');
        deepStrictEqual(
          (await made(get('upload/files'))).map(({ name }: Any) => name),
          ['plain'],
        );
        strictEqual((await made(get('upload/files/page'))).meta.pagination.total, 1);
        strictEqual((await get(`upload/files/${files['secret']}`)).status, 404);
        const { related } = await made(get(`upload/files/${files['plain']}?populate=related`));
        deepStrictEqual(
          related.map(({ title }: Any) => title),
          ['mine', 'mine'],
        );
        const asBob = await made(get(`upload/files/${files['plain']}?populate=related`, 'bob'));
        deepStrictEqual(asBob.related ?? [], []);
      });

      it('lets an account log in that the public does not see', async () => {
        for (const identifier of ['ann', 'mallory']) {
          const { body } = await send('POST', 'auth/local', { identifier, password: 'secret1' }, 'public');
          strictEqual(body.user.username, identifier);
        }
      });

      it('hides a single type', async () => {
        await made(put('home', { title: 'a', hidden: false }, 'full'));
        strictEqual((await get('home')).status, 200);
        await made(put('home', { hidden: true }, 'full'));
        strictEqual((await get('home')).status, 404);
        strictEqual((await put('home', { title: 'b' })).status, 404);
        // as where there is none, and nothing is deleted
        strictEqual((await send('DELETE', 'home')).status, 204);
        strictEqual((await made(get('home', 'full'))).data.title, 'a');
        await made(put('home', { hidden: false }, 'full'));
        strictEqual((await put('home', { title: 'b' })).status, 200);
      });
    });

    describe('writing', () => {
      /** Everything that can be seen of posts and tags. */
      const everything = async () => {
        const all = 'populate=*&pagination[pageSize]=100&sort=id&locale=*';
        const read = (target: string) => made(get(target, 'full'));
        return JSON.stringify([
          await read(`posts?status=draft&${all}`),
          await read(`posts?status=published&${all}`),
          await read('tags?populate=*&sort=id'),
        ]);
      };
      /** Sends requests that are to be refused, and makes sure that nothing came of them. */
      const unchanged = async (work: () => Promise<void>) => {
        const before = await everything();
        await work();
        strictEqual(await everything(), before);
      };

      it('changes, deletes and moves no document that does not meet it, as if it were not there', async () => {
        const { closed } = ids;
        const missing = 'a'.repeat(24);
        const requests: readonly [string, string, Any?][] = [
          ['PUT', `posts/${closed}`, { data: { title: 'x' } }],
          ['PUT', `posts/${closed}?status=published`, { data: { title: 'x' } }],
          ['PUT', `posts/${closed}?locale=fr`, { data: { title: 'x' } }],
          ['PUT', `posts/${closed}`, { data: { open: true } }],
          ['PUT', `posts/${closed}`, { data: { tags: [] } }],
          ['DELETE', `posts/${closed}`],
          ['DELETE', `posts/${closed}?locale=en`],
          ['POST', `posts/${closed}/actions/publish`],
          ['POST', `posts/${closed}/actions/unpublish`],
          ['POST', `posts/${closed}/actions/discard-draft`],
          ['POST', 'posts/actions/batch', { operations: [{ action: 'update', documentId: closed, data: {} }] }],
          ['POST', 'posts/actions/batch', { operations: [{ action: 'delete', documentId: closed }] }],
          ['POST', 'posts/actions/batch', { operations: [{ action: 'publish', documentId: closed }] }],
        ];
        await unchanged(async () => {
          for (const [method, target, body] of requests) {
            const { status, text } = await send(method, target, body);
            const other = JSON.parse(JSON.stringify([target, body ?? null]).replaceAll(closed!, missing));
            const { status: expected, text: told } = await send(method, other[0], other[1] ?? undefined);
            deepStrictEqual([status, text], [expected, told], `${method} ${target} ${JSON.stringify(body)}`);
            const isRemoval = method === 'DELETE' || text.includes('[null]');
            deepStrictEqual(isRemoval, status < 300, `${method} ${target}`);
          }
          strictEqual((await put(`tags/${ids['gold']}`, { name: 'x' })).status, 404);
        });
        // whoever it is shown to may
        strictEqual((await put(`posts/${closed}`, { title: 'y' }, 'bob')).status, 200);
        strictEqual((await send('DELETE', `posts/${closed}`, undefined, 'bob')).status, 204);
      });

      it('distinguishes a hidden document from one whose requested version is hidden', async () => {
        const headers = { 'if-match': '"1.x"' };
        for (const method of ['PUT', 'DELETE']) {
          const options = { token: tokens['ann'], headers, ...(method === 'PUT' ? { body: { data: {} } } : {}) };
          const statuses = ['a'.repeat(24), ids['closed'], ids['mine']].map(
            async (id) => (await server.request(method, `/api/posts/${id}`, options)).status,
          );
          // to delete what is not there is no error, and not to be in some version is one
          deepStrictEqual(await Promise.all(statuses), method === 'PUT' ? [404, 404, 412] : [412, 412, 412]);
        }
      });

      it('lets a write through that stays within it', async () => {
        const { mine } = ids;
        strictEqual((await put(`posts/${mine}`, { title: 'changed' })).body.data.title, 'changed');
        strictEqual((await put(`posts/${mine}?status=published`, { title: 'again' })).status, 200);
        strictEqual((await send('POST', `posts/${mine}/actions/unpublish`)).status, 200);
        strictEqual((await send('POST', `posts/${mine}/actions/publish`)).status, 200);
        strictEqual((await send('POST', 'posts', { data: { title: 'new', open: true } })).status, 200);
        strictEqual((await send('DELETE', `posts/${mine}`)).status, 204);
      });

      it('refuses writes after which the writer would not see the row', async () => {
        const { open, mine } = ids;
        await unchanged(async () => {
          const requests: readonly [string, string, Any][] = [
            ['POST', 'posts', { data: { title: 'nobody' } }],
            ['POST', 'posts?status=published', { data: { title: 'nobody' } }],
            ['PUT', `posts/${open}`, { data: { open: false } }],
            ['PUT', `posts/${open}?status=published`, { data: { open: false } }],
            ['PUT', `posts/${mine}`, { data: { owner: users['bob'] } }],
            ['POST', 'tags', { data: { name: 'silver', hidden: true } }],
          ];
          for (const [method, target, body] of requests) {
            strictEqual((await send(method, target, body)).status, 403, `${method} ${target}`);
          }
        });
      });

      it('looks at every row that a write touches: draft and published, and other locales where it reaches them', async () => {
        const { mine, closed, last } = ids;
        // ann's draft of what bob has published
        await made(put(`posts/${closed}?status=draft`, { owner: users['ann'] }, 'full'));
        // another locale that is bob's
        await made(put(`posts/${last}?locale=fr&status=published`, { title: 'dernier', owner: users['bob'] }, 'full'));
        await unchanged(async () => {
          const requests: readonly [string, string, Any?][] = [
            ['PUT', `posts/${closed}?status=published`, { data: { title: 'x' } }],
            ['POST', `posts/${closed}/actions/publish`],
            ['POST', `posts/${closed}/actions/unpublish`],
            ['POST', `posts/${closed}/actions/discard-draft`],
            ['DELETE', `posts/${closed}`],
            ['DELETE', `posts/${last}`],
            ['DELETE', `posts/${last}?locale=*`],
            ['POST', `posts/${last}/actions/unpublish?locale=*`],
            // weight is shared by all locales
            ['PUT', `posts/${last}?status=draft`, { data: { weight: 3 } }],
            ['PUT', `posts/${last}?status=published`, { data: { title: 'x', weight: 3 } }],
            ['PUT', `posts/${last}?locale=de`, { data: { title: 'letzter' } }],
          ];
          for (const [method, target, body] of requests) {
            strictEqual((await send(method, target, body)).status, 403, `${method} ${target}`);
          }
          strictEqual((await put(`posts/${last}?locale=fr`, { title: 'x' })).status, 404);
          strictEqual((await send('DELETE', `posts/${last}?locale=fr`)).status, 204);
        });
        strictEqual((await put(`posts/${closed}?status=draft`, { title: 'draft' })).status, 200);
        strictEqual((await put(`posts/${last}?status=draft`, { title: 'still' })).status, 200);
        // a value that is shared already reaches nobody, and is no reason to refuse
        strictEqual((await put(`posts/${last}?status=published`, { title: 'still' })).status, 200);
        strictEqual((await send('DELETE', `posts/${last}?locale=en`)).status, 204);
        strictEqual((await made(get(`posts/${last}?locale=fr`, 'full'))).data.title, 'dernier');
        strictEqual((await put(`posts/${mine}?locale=de`, { title: 'meins', open: true })).status, 200);
      });

      it('links no hidden document, with the same answer as for a missing one', async () => {
        const { mine, red, gold, closed } = ids;
        const missing = 'a'.repeat(24);
        const row = async (target: string) => (await made(get(target, 'full'))).data.id as number;
        const goldRow = await row(`tags/${gold}`);
        const links: readonly [string, (id: string) => Any][] = [
          [`posts/${mine}`, (id) => ({ tags: { connect: [id] } })],
          [`posts/${mine}`, (id) => ({ tags: [red, id] })],
          [`posts/${mine}`, (id) => ({ tags: { set: [{ documentId: id }] } })],
          [`posts/${mine}`, (id) => ({ tags: { disconnect: [id] } })],
          [`posts/${mine}`, (id) => ({ tags: { connect: [{ documentId: red, position: { before: id } }] } })],
          [`posts/${mine}`, (id) => ({ part: { tag: id } })],
          [`posts/${mine}`, (id) => ({ zone: [{ __component: 'shared.part', tag: id }] })],
          [`posts/${mine}`, (id) => ({ about: [{ __type: TAG, documentId: id }] })],
          [`posts/${mine}?status=published`, (id) => ({ tags: { connect: [id] } })],
        ];
        await unchanged(async () => {
          for (const [target, data] of links) {
            const [hidden, absent] = [await put(target, data(gold!)), await put(target, data(missing))];
            deepStrictEqual([hidden.status, hidden.text.replaceAll(gold!, missing)], [400, absent.text], target);
          }
          // documents of the type itself, from their side of a relation and from the other one
          for (const [target, name] of [
            [`posts/${mine}`, 'next'],
            [`tags/${red}`, 'posts'],
            [`topics/${ids['zulu']}`, 'posts'],
          ]) {
            const [hidden, absent] = [
              await put(target!, { [name!]: [closed] }),
              await put(target!, { [name!]: [missing] }),
            ];
            deepStrictEqual([hidden.status, hidden.text.replaceAll(closed!, missing)], [400, absent.text], target);
          }
          const byRow = (id: number) => [{ tags: [id] }, { tags: [{ id }] }, { part: { tag: id } }];
          for (const [index, data] of byRow(goldRow).entries()) {
            const [hidden, absent] = [
              await put(`posts/${mine}`, data),
              await put(`posts/${mine}`, byRow(999_999)[index]),
            ];
            deepStrictEqual([hidden.status, hidden.text], [400, absent.text]);
          }
          for (const media of [{ cover: files['secret'] }, { gallery: [files['plain'], files['secret']] }]) {
            strictEqual((await put(`posts/${mine}`, media)).status, 400);
          }
          strictEqual((await put(`posts/${mine}`, { editor: users['mallory'] })).status, 400);
        });
        const { status } = await put(`posts/${mine}`, {
          tags: [red],
          next: ids['open'],
          cover: files['plain'],
          editor: users['bob'],
        });
        strictEqual(status, 200);
      });

      it('links no document of which a row to be linked is hidden', async () => {
        // a draft of ann's that is published as bob's: a document without drafts would be linked to both
        await made(put(`posts/${ids['closed']}?status=draft`, { owner: users['ann'] }, 'full'));
        await unchanged(async () => {
          strictEqual((await put(`tags/${ids['red']}`, { posts: { connect: [ids['closed']] } })).status, 400);
        });
        strictEqual((await put(`posts/${ids['mine']}?status=draft`, { next: ids['closed'] })).status, 200);
      });

      it('holds for every operation of a batch, and a refused one undoes all', async () => {
        const { mine, closed, gold } = ids;
        const batch = (operations: Any[]) => send('POST', 'posts/actions/batch', { operations });
        const good = { action: 'update', documentId: mine, data: { title: 'x' } };
        const bad: readonly [number, Any][] = [
          [404, { action: 'update', documentId: closed, data: { title: 'x' } }],
          [404, { action: 'publish', documentId: closed }],
          [403, { action: 'create', data: { title: 'nobody' } }],
          [400, { action: 'update', documentId: mine, data: { tags: [gold] } }],
        ];
        await unchanged(async () => {
          for (const [expected, operation] of bad) {
            const { status, text } = await batch([good, operation]);
            strictEqual(status, expected, `${JSON.stringify(operation)}: ${text}`);
          }
        });
        strictEqual((await batch([good, { action: 'delete', documentId: ids['last'] }])).status, 200);
      });

      it('holds for files, and for the documents that use them', async () => {
        const { secret, plain } = files;
        const remove = (id: number) => send('DELETE', `upload/files/${id}`);
        const info = (id: number) =>
          server.request('POST', `/api/upload?id=${id}`, {
            token: tokens['ann'],
            body: { fileInfo: { caption: 'x' } },
          });
        const replace = (id: number) =>
          server.request('POST', `/api/upload?id=${id}`, {
            token: tokens['ann'],
            body: formOf([note('new.txt', 'new')]),
          });
        const url = (await made(get(`upload/files/${secret}`, 'full'))).url;
        const bytes = async () => (await server.request('GET', url)).text;
        const before = await bytes();
        for (const work of [remove, info, replace]) {
          const [hidden, absent] = [await work(secret!), await work(999_999)];
          deepStrictEqual([hidden.status, hidden.text], [404, absent.text]);
        }
        strictEqual(await bytes(), before);
        strictEqual((await made(get(`upload/files/${secret}`, 'full'))).caption, 'secret');
        strictEqual((await info(plain!)).status, 200);
        strictEqual((await upload(server, tokens['ann'], [note()], { fileInfo: { caption: 'secret' } })).status, 403);
        strictEqual((await made(get('upload/files', 'full'))).length, 2);
        const link = (refId: string) => upload(server, tokens['ann'], [note()], { ref: POST, refId, field: 'cover' });
        const refused = await link(ids['closed']!);
        deepStrictEqual([refused.status, refused.body.error.details.errors[0].path], [400, ['refId']]);
        const part = (await made(get(`posts/${ids['closed']}?status=draft`, 'full'))).data.id;
        strictEqual((await link(String(part))).status, 400);
        const { body } = await link(ids['mine']!);
        strictEqual((await remove(body[0].id)).status, 200);
      });

      it('links no file to a component of a document that is not shown', async () => {
        await made(put(`posts/${ids['closed']}`, { part: { text: 'a' } }, 'full'));
        const link = async (title: string) => {
          const { data } = await made(get(`posts/${ids[title]}?status=draft&populate=part`, 'full'));
          return upload(server, tokens['ann'], [note()], {
            ref: 'shared.part',
            refId: String(data.part.id),
            field: 'file',
          });
        };
        strictEqual((await link('closed')).status, 400);
        const { status, body } = await link('mine');
        strictEqual(status, 201);
        await made(server.request('DELETE', `/api/upload/files/${body[0].id}`, { token: tokens['full'] }));
      });

      it('holds for accounts', async () => {
        const { mallory } = users;
        for (const [method, body] of [
          ['PUT', { username: 'renamed' }],
          ['PUT', { email: 'none' }],
          ['DELETE', undefined],
        ] as const) {
          const [hidden, absent] = [
            await send(method, `users/${mallory}`, body),
            await send(method, 'users/999999', body),
          ];
          deepStrictEqual([hidden.status, hidden.text], [404, absent.text], method);
        }
        match(JSON.stringify(await made(get('users', 'full'))), /mallory/);
        strictEqual((await send('PUT', `users/${users['bob']}`, { username: 'mallory' })).status >= 400, true);
        const role = (await made(get('users?populate=role', 'full')))[0].role.id;
        const own = { username: 'eve', email: 'eve@example.com', password: 'secret1', role };
        const { status, body } = await send('POST', 'users', own);
        strictEqual(status, 201, JSON.stringify(body));
        strictEqual((await send('DELETE', `users/${body.id}`)).status, 200);
      });

      it('holds in a project that is put in place of the one before', async () => {
        const before = server.app.views;
        await server.app.reload();
        notStrictEqual(server.app.views, before);
        deepStrictEqual(await titles('sort=title'), ['last', 'mine', 'open']);
        strictEqual((await put(`posts/${ids['closed']}`, { title: 'x' })).status, 404);
      });

      it('does not hold for code that embeds the server', async () => {
        const posts = server.app.documents(POST);
        strictEqual(await posts.count({}), 4);
        strictEqual((await posts.update({ documentId: ids['closed']!, data: { title: 'z' } }))?.['title'], 'z');
        deepStrictEqual((await posts.delete({ documentId: ids['closed']! })).entries.length, 2);
      });
    });
  });
}
