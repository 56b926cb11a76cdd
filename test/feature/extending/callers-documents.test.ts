/**
 * `caller.documents` of `src/galley`: the operations of the content API on behalf of its caller
 * (docs/reference/document-service.md).
 */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'api::post.post';
const TAG = 'api::tag.tag';
const HOME = 'api::home.home';
const to = (relation: string, target: string, rest = {}) => ({ type: 'relation', relation, target, ...rest });
const localized = { pluginOptions: { i18n: { localized: true } } };
const text = { type: 'string' };

const contentTypes = {
  post: contentType(
    'post',
    {
      title: { ...text, ...localized },
      note: { ...text, private: true },
      secret: text,
      price: { type: 'integer', default: 1 },
      open: { type: 'boolean', default: false },
      owner: to('manyToOne', 'plugin::users-permissions.user'),
      tags: to('manyToMany', TAG, { inversedBy: 'posts' }),
      any: to('morphToMany', '', { target: undefined }),
      twin: to('oneToOne', POST, { inversedBy: 'twinOf' }),
      twinOf: to('oneToOne', POST, { mappedBy: 'twin' }),
      gallery: { type: 'media', multiple: true },
      part: { type: 'component', component: 'shared.part' },
      zone: { type: 'dynamiczone', components: ['shared.part'], ...localized },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', {
    name: text,
    hidden: { type: 'boolean', default: false, private: true },
    posts: to('manyToMany', POST, { mappedBy: 'tags' }),
  }),
  home: contentType('home', { text }, { kind: 'singleType' }),
};
const components = {
  'shared.part': {
    collectionName: 'components_parts',
    attributes: { shown: text, hidden: text, tags: to('oneToMany', TAG) },
  },
};

/** Rows that are refused have `price` 2. */
const GALLEY = `
import { ContentError, defineGalley, ForbiddenError, NotFoundError, ValidationError } from 'galley';

const mine = { owner: '$user.id' };
const rule = { $and: [mine, { price: { $ne: 2 } }] };
const fields = ['title', 'open', 'owner', 'tags', 'any', 'twin', 'gallery', 'part.shown', 'zone'];

export default defineGalley({
  access: {
    '${POST}': {
      find: { $or: [{ open: true }, mine] },
      create: rule, update: rule, delete: rule, publish: rule, unpublish: rule, discardDraft: rule,
      roles: { authenticated: { read: [...fields, 'price'], write: fields } },
    },
    '${TAG}': { find: { hidden: false } },
    'plugin::upload.file': { find: { caption: { $null: true } } },
  },
  policies: {
    '${TAG}': {
      find: [({ headers }) => headers['x-refused'] !== 'find'],
      findOne: [({ headers, params }) => headers['x-refused'] !== 'findOne' || params.documentId === undefined],
      delete: [async ({ caller, params }) => {
        // asks for what has a policy itself: no end is asked for
        await caller.documents('${TAG}').findOne({ documentId: params.documentId });
        return (await caller.documents('${TAG}').count()) > 1;
      }],
    },
    '${POST}': { find: [({ query }) => query.status === 'draft' || query.status === 'published'] },
  },
  hooks: { '${TAG}': { async beforeWrite({ data, action }) {
    if (action !== 'create') return;
    await globalThis.meanwhile?.();
    data.name += '!';
  } } },
  routes: [
    { name: 'call', method: 'POST', path: '/own/call', async handler({ body, caller }) {
      return { given: await caller.documents(body.uid)[body.method](body.params) };
    } },
    { name: 'caught', method: 'POST', path: '/own/caught', async handler({ body, caller }) {
      class OwnError extends ForbiddenError {}
      try {
        await caller.documents(body.uid)[body.method](body.params);
      } catch (error) {
        return [ForbiddenError, NotFoundError, ValidationError, ContentError, OwnError].map((one) => error instanceof one)
          .concat(new OwnError() instanceof OwnError, new OwnError() instanceof ForbiddenError);
      }
    } },
    { name: 'may', method: 'GET', path: '/own/may/:action', handler: ({ caller, params }) => caller.may(params.action) },
  ],
});
`;

const CALL = ['call', 'caught', 'may'].map((name) => `api::galley.route.${name}`);
const CORE = ['find', 'findOne', 'create', 'update', 'delete'];
const MOVES = ['publish', 'unpublish', 'discardDraft'];
const ofPost = [...CORE, ...MOVES, 'createLocalization'].map((name) => `${POST}.${name}`);
const granted = [
  ...ofPost,
  ...CORE.map((name) => `${TAG}.${name}`),
  ...['find', 'update', 'delete'].map((name) => `${HOME}.${name}`),
  'plugin::users-permissions.user.find',
];
/** A token for each action by itself. */
const ALONE = [...ofPost, ...['find', 'update', 'delete'].map((name) => `${HOME}.${name}`)];
const BUILT_IN = ['plugin::users-permissions.role.find', 'plugin::users-permissions.user.count'];
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    ...[...ALONE, ...BUILT_IN].map((action) => ({ name: action, type: 'custom', permissions: [...CALL, action] })),
  ],
  roles: { public: ['plugin::users-permissions.auth.register', ...CALL], authenticated: [...CALL, ...granted] },
};

/** What each method asks for. */
const ASKED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [POST]: {
    ...Object.fromEntries(['findMany', 'findPage', 'findFirst', 'count'].map((name) => [name, ['find']])),
    ...Object.fromEntries([...CORE.slice(1), ...MOVES].map((name) => [name, [name]])),
    clone: ['findOne', 'create'],
  },
  [HOME]: {
    ...Object.fromEntries(['findMany', 'findPage', 'findFirst', 'findOne', 'count'].map((name) => [name, ['find']])),
    ...Object.fromEntries(['create', 'update'].map((name) => [name, ['update']])),
    delete: ['delete'],
  },
};

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

for (const engine of engines) {
  describe(`documents of a caller on ${engine.name}`, () => {
    let server: SeededServer;
    const tokens: Record<string, string | undefined> = {};
    const users: Record<string, number> = {};
    const ids: Record<string, string> = {};

    before(async () => {
      const folder = await makeProject({ contentTypes, components, files: { 'src/galley.ts': GALLEY } });
      server = await serveSeeded(engine, folder, fixture, { LOG_LEVEL: 'silent' });
      Object.assign(tokens, server.secrets);
      for (const username of ['eve', 'bob']) {
        const body = { username, email: `${username}@example.com`, password: 'secret1' };
        const { jwt, user } = (await server.request('POST', '/api/auth/local/register', { body })).body as Any;
        tokens[username] = jwt;
        users[username] = user.id;
      }
      const files: Record<string, number> = {};
      for (const [name, info] of Object.entries({ shown: {}, closed: { caption: 'closed' } })) {
        const { body } = await upload(server, tokens['full'], [note(`${name}.txt`)], {
          fileInfo: JSON.stringify(info),
        });
        files[name] = (body as Any)[0].id;
      }
      const post = server.app.documents(POST);
      const tag = server.app.documents(TAG);
      ids['red'] = (await tag.create({ data: { name: 'red' } })).documentId;
      ids['gold'] = (await tag.create({ data: { name: 'gold', hidden: true } })).documentId;
      ids['home'] = (await server.app.documents(HOME).create({ data: { text: 'home' } })).documentId;
      const tags = [ids['red'], ids['gold']];
      const part = { shown: 's', hidden: 'h', tags };
      const common = { note: 'n', secret: 's', price: 7, tags, part, gallery: [files['shown'], files['closed']] };
      const inside = {
        zone: [{ __component: 'shared.part', ...part }],
        any: tags.map((documentId) => ({ documentId, __type: TAG })),
      };
      const make = async (name: string, data: Any) => {
        const { documentId } = await post.create({ data: { title: name, ...common, ...inside, ...data } });
        await post.publish({ documentId });
        ids[name] = documentId;
      };
      await make('of bob', { owner: users['bob'], open: true });
      await make('hidden', { owner: users['bob'] });
      await make('of eve', { owner: users['eve'] });
      await make('closed', { owner: users['eve'], price: 2, twin: ids['of eve'] });
    });
    after(() => server?.stop());

    const call = async (uid: string, method: string, params: Any, as = 'eve', headers = {}): Promise<Any> => {
      const token = as === 'public' ? undefined : tokens[as];
      const body = { uid, method, params };
      const answer = await server.request('POST', '/api/own/call', { body, headers, ...(token ? { token } : {}) });
      return answer.status === 200 ? (answer.body as Any).given : (answer.body as Any).error;
    };
    const statusOf = async (...given: Parameters<typeof call>): Promise<number> =>
      (await call(...given))?.status ?? 200;
    const whole = (documentId: string, locale = 'en') =>
      server.app.documents(POST).findOne({ documentId, locale, populate: '*' }) as Promise<Any>;
    const total = () => server.app.documents(POST).count({ locale: '*' });
    /** Parameters that are right for each method. */
    const right = (documentId: string): Record<string, Any> => ({
      create: { data: {} },
      update: { documentId, data: {} },
      ...Object.fromEntries(['findOne', 'delete', 'clone', ...MOVES].map((name) => [name, { documentId }])),
    });

    for (const [uid, methods] of Object.entries(ASKED)) {
      it(`requires the grant of the action of each method of ${uid}`, async () => {
        const actions = [...new Set(Object.values(methods).flat())];
        for (const [method, asked] of Object.entries(methods)) {
          const params = right('none')[method] ?? {};
          const forbidden = { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} };
          deepStrictEqual(await call(uid, method, params, 'public'), forbidden, method);
          for (const action of actions) {
            const isEnough = asked.length === 1 && asked[0] === action;
            // the public's row rules hold for tokens as well: what is created is nobody's
            const isRefusedLater = uid === POST && method === 'create';
            const status = await statusOf(uid, method, params, `${uid}.${action}`);
            strictEqual(status, isEnough && !isRefusedLater ? 200 : 403, `${method} with ${action}`);
          }
          strictEqual(await statusOf(uid, method, params, 'full'), method === 'clone' ? 404 : 200, method);
        }
        strictEqual(await statusOf(uid, 'clone', { documentId: 'none' }, uid === HOME ? 'full' : 'public'), 403);
      });
    }

    it("throws errors that are instances of the project's classes", async () => {
      const caught = async (method: string, params: Any) =>
        (await server.request('POST', '/api/own/caught', { token: tokens['eve'], body: { uid: POST, method, params } }))
          .body;
      const own = [false, true, true];
      deepStrictEqual(await caught('create', { data: {} }), [true, false, false, true, ...own]);
      deepStrictEqual(await caught('clone', { documentId: 'none' }), [false, true, false, true, ...own]);
      deepStrictEqual(await caught('create', { data: { price: 1 } }), [false, false, true, true, ...own]);
    });

    it("reports by may the caller's rights in the content API", async () => {
      for (const action of ['find', 'delete', 'publish']) {
        const token = tokens[`${POST}.${action}`]!;
        const may = async (name: string) => (await server.get(`/api/own/may/${POST}.${name}`, token)).body;
        deepStrictEqual([await may(action), await may('update')], [true, false]);
      }
      const [{ tags }] = await call(POST, 'findMany', { filters: { title: 'of bob' }, populate: ['tags'] });
      deepStrictEqual(
        tags.map(({ name }: Any) => name),
        ['red!'],
      );
      // who may not find tags is shown none, and does not filter by them
      const alone = `${POST}.find`;
      const [shown] = await call(POST, 'findMany', { populate: ['tags'] }, alone);
      deepStrictEqual(['tags' in shown, 'title' in shown], [false, true]);
      strictEqual(await statusOf(POST, 'findMany', { filters: { tags: { name: 'red!' } } }, alone), 400);
    });

    it('reads built-in types by the actions that they have, and nothing else of them', async () => {
      const [role, , count] = [...BUILT_IN, BUILT_IN[1]!];
      const USER = 'plugin::users-permissions.user';
      const ROLE = 'plugin::users-permissions.role';
      strictEqual(await statusOf(ROLE, 'findMany', {}), 403);
      strictEqual((await call(ROLE, 'findMany', {}, role)).length, 2);
      strictEqual(await statusOf(ROLE, 'findOne', { documentId: 'none' }, role), 403);
      deepStrictEqual([await call(USER, 'count', {}, count), await statusOf(USER, 'findMany', {}, count)], [2, 403]);
      strictEqual(await statusOf(USER, 'update', { documentId: 'none', data: {} }, 'full'), 400);
      strictEqual(await statusOf('plugin::upload.file', 'findMany', {}), 403);
      for (const uid of ['plugin::upload.folder', 'plugin::users-permissions.permission', 'admin::user']) {
        for (const method of ['findMany', 'findOne', 'count', 'create', 'delete']) {
          strictEqual(await statusOf(uid, method, right('none')[method] ?? {}, 'full'), 403, `${method} of ${uid}`);
        }
      }
    });

    it('reads and writes no row that the caller is not shown, as if it were not there', async () => {
      const before = await total();
      for (const documentId of ['none', ids['hidden']!]) {
        const outcomes: Record<string, unknown> = {};
        for (const method of ['findOne', 'update', 'delete', ...MOVES, 'clone']) {
          const given = await call(POST, method, right(documentId)[method]);
          outcomes[method] = given?.status ?? given?.entries ?? given;
        }
        const none = { delete: [], publish: [], unpublish: [], discardDraft: [] };
        deepStrictEqual(outcomes, { findOne: null, update: null, ...none, clone: 404 });
      }
      const shown = { sort: 'title' };
      const titles = (found: Any[]) => found.map(({ title }) => title);
      const expected = ['closed', 'of bob', 'of eve'];
      deepStrictEqual(titles(await call(POST, 'findMany', shown)), expected);
      deepStrictEqual(titles((await call(POST, 'findPage', shown)).results), expected);
      strictEqual((await call(POST, 'findFirst', shown)).title, 'closed');
      deepStrictEqual([await call(POST, 'count', {}), await total()], [3, before]);
    });

    it('writes no row that the rule of an action does not let the caller write', async () => {
      const before = await total();
      for (const name of ['of bob', 'closed']) {
        const { title } = await whole(ids[name]!);
        for (const method of ['update', 'delete', ...MOVES]) {
          strictEqual(await statusOf(POST, method, right(ids[name]!)[method]), 403, `${method} ${name}`);
        }
        strictEqual((await whole(ids[name]!)).title, title);
      }
      strictEqual(await statusOf(POST, 'create', { data: { owner: users['bob'] } }), 403);
      strictEqual(await statusOf(POST, 'create', { data: {} }), 403);
      const { documentId } = await call(POST, 'create', { data: { title: 'new', owner: users['eve'] } });
      strictEqual(await statusOf(POST, 'update', { documentId, data: { owner: users['bob'] } }), 403);
      strictEqual((await call(POST, 'delete', { documentId })).entries.length, 1);
      strictEqual(await total(), before);
    });

    it('writes no attribute, and links nothing, that is not the caller’s to write or hidden', async () => {
      const before = await total();
      const owner = users['eve'];
      const refused = [
        { price: 3 },
        { secret: 'x' },
        { part: { hidden: 'x' } },
        { tags: [ids['gold']] },
        { note: 'x' },
      ];
      for (const data of refused) {
        strictEqual(await statusOf(POST, 'create', { data: { owner, ...data } }), 400, JSON.stringify(data));
        strictEqual(await statusOf(POST, 'update', { documentId: ids['of eve'], data }), 400);
        strictEqual(await statusOf(POST, 'clone', { documentId: ids['of eve'], data }), 400);
      }
      strictEqual(await total(), before);
    });

    it('creates a copy like a new document, from the attributes that the caller may see and write', async () => {
      const before = await total();
      // it would be of bob, which eve may not create
      strictEqual(await statusOf(POST, 'clone', { documentId: ids['of bob'] }), 403);
      strictEqual(await total(), before);
      const owner = users['eve'];
      const copy = await call(POST, 'clone', { documentId: ids['of bob'], data: { owner } });
      strictEqual(copy.entries.length, 1);
      deepStrictEqual(['secret' in copy.entries[0], copy.entries[0].title], [false, 'of bob']);
      const found = (await server.app.documents(POST).findOne({
        documentId: copy.documentId,
        populate: {
          owner: true,
          tags: true,
          any: { on: { [TAG]: true } },
          gallery: true,
          twin: true,
          part: { populate: ['tags'] },
          zone: { on: { 'shared.part': { populate: ['tags'] } } },
        },
      } as Any)) as Any;
      const named = (list: Any[]) => list.map(({ name }) => name);
      // a default, where the value may be read and not written
      deepStrictEqual(
        [found.title, found.open, found.price, found.secret, found.owner.id],
        ['of bob', true, 1, null, owner],
      );
      deepStrictEqual([named(found.tags), named(found.any), named(found.gallery)], [['red!'], ['red!'], ['shown.txt']]);
      deepStrictEqual([found.part.shown, found.part.hidden, found.part.tags], ['s', null, []]);
      deepStrictEqual([found.zone[0].hidden, named(found.zone[0].tags)], ['h', ['red!']]);
      const [row] = await server.app.database.rows(`select count(*) from "posts" where "note" = 'n'`, []);
      strictEqual(Number(row![0]), 8);
      await server.app.documents(POST).delete({ documentId: copy.documentId });
      // links that one document alone may have stay with it
      const twin = await call(POST, 'clone', { documentId: ids['of eve'], populate: ['twin'] });
      deepStrictEqual([twin.entries[0].twin, (await whole(ids['closed']!)).twin.title], [null, 'of eve']);
      await server.app.documents(POST).delete({ documentId: twin.documentId });
      // code copies whatever there is
      const { entries } = (await server.app
        .documents(POST)
        .clone({ documentId: ids['of bob']!, populate: '*' })) as Any;
      deepStrictEqual([entries[0].secret, named(entries[0].tags)], ['s', ['red!', 'gold!']]);
      await server.app.documents(POST).delete({ documentId: entries[0].documentId });
    });

    it('makes versions in other locales with the right to, and copies those that are shown', async () => {
      const documentId = ids['of eve']!;
      const post = server.app.documents(POST);
      await post.update({ documentId, locale: 'fr', data: { title: 'à eve', owner: users['eve'] } });
      await post.update({ documentId: ids['of bob']!, locale: 'fr', data: { title: 'à bob' } });
      const token = `${POST}.update`;
      const open = await post.create({ data: { title: 'open', open: true } });
      strictEqual(await statusOf(POST, 'update', { documentId: open.documentId, locale: 'fr', data: {} }, token), 403);
      const copy = await call(POST, 'clone', { documentId, locale: '*' });
      deepStrictEqual(
        copy.entries.map(({ locale, title }: Any) => [locale, title]),
        [
          ['en', 'of eve'],
          ['fr', 'à eve'],
        ],
      );
      // of the other only the French version is another's: it is hidden, and left out
      await post.update({ documentId: copy.documentId, locale: 'fr', data: { owner: users['bob'] } });
      const other = await call(POST, 'clone', { documentId: copy.documentId, locale: '*' });
      deepStrictEqual(
        other.entries.map(({ locale }: Any) => locale),
        ['en'],
      );
      strictEqual(await statusOf(POST, 'delete', { documentId: copy.documentId, locale: '*' }), 403);
      strictEqual(
        (await call(POST, 'delete', { documentId: copy.documentId, locale: ['en', 'fr'] })).entries.length,
        1,
      );
      strictEqual((await whole(copy.documentId, 'fr')).title, 'à eve');
      for (const { documentId } of [copy, other, open]) await post.delete({ documentId, locale: '*' });
    });

    it('runs the policies of actions', async () => {
      for (const [method, action] of [
        ['findMany', 'find'],
        ['count', 'find'],
        ['findOne', 'findOne'],
        ['clone', 'findOne'],
      ] as const) {
        const params = right(ids['red']!)[method] ?? {};
        strictEqual(await statusOf(TAG, method, params, 'eve', { 'x-refused': action }), 403, method);
        strictEqual(await statusOf(TAG, method, params), 200, method);
        strictEqual(await statusOf(TAG, method, params, 'full', { 'x-refused': action }), 403, method);
      }
      const copies = (await server.app.documents(TAG).findMany({ filters: { name: 'red!!' } })) as Any[];
      // hooks are called for copies as for what is created
      strictEqual(copies.length, 1);
      const { documentId } = copies[0];
      strictEqual((await call(TAG, 'delete', { documentId })).entries.length, 1);
      strictEqual(await statusOf(TAG, 'delete', { documentId: ids['red'] }), 403);
    });

    it('requires the rights of a creation when code copies', async () => {
      const tag = server.app.documents(TAG);
      const { documentId } = await tag.create({ data: { name: 'code', hidden: true, posts: [ids['of bob']!] } });
      const copied = async (data?: object) =>
        (await tag.clone({ documentId, ...(data ? { data } : {}) })).entries[0] as Any;
      // the hook is told of what is copied, with what is written over it
      const [one, other] = [await copied(), await copied({ name: 'over' })];
      deepStrictEqual([one.name, other.name], ['code!!', 'over!']);
      const hidden = `select count(*) from "tags" where "hidden" and "name" in ('code!!', 'over!')`;
      strictEqual(Number((await server.app.database.rows(hidden, []))[0]![0]), 2);
      for (const made of [documentId, one.documentId, other.documentId]) await tag.delete({ documentId: made });
    });

    it('copies the data that hooks have seen, despite concurrent changes', async () => {
      const tag = server.app.documents(TAG);
      const { documentId } = await tag.create({ data: { name: 'seen' } });
      const global = globalThis as { meanwhile?: () => Promise<unknown> };
      let changes = 0;
      global.meanwhile = async () => changes++ === 0 && tag.update({ documentId, data: { name: 'changed' } });
      const { entries } = (await tag.clone({ documentId })) as Any;
      global.meanwhile = () => tag.update({ documentId, data: { name: `changed ${changes++}` } });
      await rejects(tag.clone({ documentId }), {
        status: 412,
        message: 'The document was changed while it was being copied',
      });
      delete global.meanwhile;
      deepStrictEqual([entries[0].name, changes], ['changed!', 5]);
      for (const made of [documentId, entries[0].documentId]) await tag.delete({ documentId: made });
    });

    it('has one document of a single type', async () => {
      const { documentId } = await call(HOME, 'create', { data: { text: 'again' } });
      deepStrictEqual([documentId, await server.app.documents(HOME).count()], [ids['home'], 1]);
      strictEqual((await call(HOME, 'update', { documentId, data: { text: 'home' } })).text, 'home');
      strictEqual((await call(HOME, 'findFirst', {})).text, 'home');
    });
  });
}
