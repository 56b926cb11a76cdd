/** Document middlewares and lifecycles of a project run for operations of administrators, as in Strapi's panel. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { passwordsHashed } from '../../support/accounts/password-thread.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };
const text = { type: 'string' };
const contentTypes = {
  item: contentType(
    'item',
    { title: { ...text, ...localized }, slug: { ...text, ...localized } },
    { ...drafts, ...localized },
  ),
  page: contentType('page', { title: text, kept: text, state: { ...text, private: true } }),
  home: contentType('home', { title: text }, { kind: 'singleType', ...drafts }),
  note: contentType('note', {
    title: text,
    owner: { type: 'string', private: true },
    kept: text,
    items: { type: 'relation', relation: 'oneToMany', target: 'api::item.item' },
  }),
};

const files = {
  // what it is told of is kept for the tests
  'src/index.js': `const { errors } = require('@strapi/utils');
const told = (globalThis.toldOfAdministration ??= []);
const who = (ctx) => ctx && [ctx.request.method, ctx.request.url, ctx.state.user?.email, ctx.state.auth?.strategy?.name, ctx.params];
module.exports = {
  bootstrap({ strapi }) {
    strapi.db.lifecycles.subscribe({
      models: ['plugin::users-permissions.user'],
      beforeCreate({ params: { data } }) {
        if ('password' in data) throw new Error('shown a password');
        if (data.username === 'nobody') throw new errors.ValidationError('Not nobody');
        data.username += '.';
        globalThis.hashedBeforeCode = globalThis.passwordsHashed();
      },
    });
  },
  register({ strapi }) {
    strapi.documents.use(async (context, next) => {
      if (!['api::item.item', 'api::home.home'].includes(context.uid)) return next();
      const { populate, fields, ...params } = context.params;
      const isWrite = !/^(find|count)/.test(context.action);
      if (isWrite) told.push([context.action, structuredClone(params), who(strapi.requestContext.get())]);
      if (params.data?.title === 'tomorrow') context.params.status = 'published';
      if (params.data?.title === 'nothing') return null;
      if (params.data?.title === 'twice') await next();
      const result = await next();
      if (isWrite) told.push(['done', context.action, Object.keys(result).includes('entries') ? result.entries.length : result.title]);
      return result;
    });
    strapi.documents.use(async (context, next) => {
      const isAccount = context.uid === 'plugin::users-permissions.user';
      if (!isAccount && context.uid !== 'api::page.page') return next();
      if (context.action === 'findMany') context.params.filters = { $and: [context.params.filters ?? {}, { id: { $gt: 0 } }] };
      const isHidden = (one) => (isAccount ? one.username === 'ghost.' : one.state === 'hidden');
      const result = await next();
      if (context.action === 'findMany') return result.map((one) => (isHidden(one) ? null : one));
      return context.action === 'findOne' && result && isHidden(result) ? null : result;
    });
    strapi.documents.use(async (context, next) => {
      if (context.uid !== 'api::note.note') return next();
      const { email } = strapi.requestContext.get().state.user;
      if (context.action === 'findMany' || context.action === 'count') {
        context.params.filters = { $and: [context.params.filters ?? {}, { owner: email }] };
      }
      if (context.action === 'findOne') context.params.filters = { title: { $ne: 'sealed' } };
      if (context.action === 'create') context.params.data = { ...context.params.data, owner: email, unknown: 1 };
      const result = await next();
      if (context.action === 'findOne' && result?.owner !== email) return null;
      if (context.action === 'findMany') for (const note of result) note.title += '!';
      return result;
    });
  },
};`,
  'src/api/item/content-types/item/lifecycles.js': `const { errors } = require('@strapi/utils');
const told = (globalThis.toldOfAdministration ??= []);
const dated = (data) => data && Object.fromEntries(Object.entries(data).map(([key, value]) => [key, /At$/.test(key) && value !== null ? 'time' : value]));
const tell = ({ action, params }) => void told.push([action, Object.keys(params.where ?? {}), dated(params.data)]);
module.exports = {
  beforeCreate(event) {
    const { data } = event.params;
    if (data.title === 'refused') throw new errors.ApplicationError('Not this title', { errors: [{ path: ['title'], message: 'not this one' }] });
    if (data.title === 'broken') throw new TypeError('of nobody');
    if (data.publishedAt === null && data.title) data.slug = data.title.toLowerCase().replaceAll(' ', '-');
    if (data.publishedAt !== null && data.title === 'Stamped') data.slug = 'by-publication';
    tell(event);
  },
  async afterCreate(event) {
    if (event.result.title === 'undone') throw new errors.ForbiddenError('Not after all');
    tell(event);
  },
  beforeUpdate: tell, afterUpdate: tell, beforeDelete: tell, afterDelete: tell,
};`,
};

type Told = readonly [string, ...unknown[]];
const shared = globalThis as {
  toldOfAdministration?: Told[];
  passwordsHashed?: () => number;
  hashedBeforeCode?: number;
};
shared.passwordsHashed = passwordsHashed;
shared.toldOfAdministration ??= [];
const toldList = shared.toldOfAdministration;

for (const engine of engines) {
  describe(`code of a project around operations of administrators on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let ann: Browser;
    let ian: Browser;
    let sueId: number;
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes, components: {}, files }));
      sueId = await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'ann', 'strapi-author');
      await makeAdministrator(server, 'ian', 'strapi-editor');
      [sue, ann, ian] = [new Browser(server), new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await ann.signIn('ann');
      await ian.signIn('ian');
    });
    after(() => server?.stop());

    const told = (): Told[] => toldList.splice(0);
    const item = 'content/api::item.item';
    const panel = '/content-manager/collection-types/api::item.item';
    const create = async (title: string, more: object = {}) => sue.send('POST', item, { data: { title, ...more } });
    const save = async (target: string, data: object, locale?: string) => {
      const read = await sue.get(target + (locale === undefined ? '' : `?locale=${locale}`));
      const tag = read.headers.get('etag');
      return sue.send('PUT', target, { data, locale }, tag === null ? {} : { 'if-match': tag });
    };

    it('sees the parameters, the request and the rows that Strapi’s panel would show it', async () => {
      told();
      const made = await create('A word');
      strictEqual(made.status, 201, made.text);
      const { documentId: id, draft } = made.body.data;
      deepStrictEqual([draft.title, draft.slug], ['A word', 'a-word']);
      const by = { createdBy: sueId, updatedBy: sueId };
      const from = (method: string, url: string, params: object) => [method, url, 'sue@example.com', 'admin', params];
      const model = 'api::item.item';
      const times = { createdAt: 'time', updatedAt: 'time' };
      const data = { title: 'A word', locale: 'en', ...by, ...times, publishedAt: null, slug: 'a-word' };
      deepStrictEqual(told(), [
        [
          'create',
          { data: { title: 'A word', locale: 'en', ...by }, locale: 'en', status: 'draft' },
          from('POST', panel, { model }),
        ],
        ['beforeCreate', [], data],
        ['afterCreate', [], data],
        ['done', 'create', 'A word'],
      ]);
      const target = `${item}/${id}`;
      strictEqual((await save(target, { title: 'B' })).status, 200);
      const update = { data: { title: 'B', locale: 'en', updatedBy: sueId }, locale: 'en', status: 'draft' };
      const own = { model, id };
      deepStrictEqual(told(), [
        ['update', { documentId: id, ...update }, from('PUT', `${panel}/${id}`, own)],
        ['beforeUpdate', ['id'], { ...update.data, publishedAt: null, updatedAt: 'time' }],
        ['afterUpdate', ['id'], { ...update.data, publishedAt: null, updatedAt: 'time' }],
        ['done', 'update', 'B'],
      ]);
      strictEqual((await save(target, { title: 'Un mot' }, 'fr')).status, 200);
      deepStrictEqual(
        told().map(([what, ...rest]) => [
          what,
          what === 'update' ? (rest[0] as { locale: string }).locale : rest.length,
        ]),
        [
          ['update', 'fr'],
          ['beforeCreate', 2],
          ['afterCreate', 2],
          ['done', 2],
        ],
      );
      deepStrictEqual((await sue.get(`${target}?locale=fr`)).body.data.draft.slug, 'un-mot');
      const move = async (word: string) => {
        strictEqual((await sue.send('POST', `${target}/${word}`, {})).status, 200, word);
        return told().map(([what, ...rest]) => (/^(before|after)/.test(what) ? what : [what, ...rest]));
      };
      const at = (word: string) => from('POST', `${panel}/${id}/actions/${word}`, own);
      const params = { documentId: id, locale: 'en' };
      const [removed, added] = [
        ['beforeDelete', 'afterDelete'],
        ['beforeCreate', 'afterCreate'],
      ];
      deepStrictEqual(await move('publish'), [['publish', params, at('publish')], ...added, ['done', 'publish', 1]]);
      await save(target, { title: 'C' });
      told();
      const discarded = await move('discard');
      deepStrictEqual(
        [discarded[0], discarded.at(-1)],
        [
          ['discardDraft', params, at('discard')],
          ['done', 'discardDraft', 1],
        ],
      );
      deepStrictEqual(new Set(discarded.slice(1, -1)), new Set([...removed, ...added]));
      const unpublished = await move('unpublish');
      deepStrictEqual(unpublished.slice(0, -1), [['unpublish', params, at('unpublish')], ...removed]);
      strictEqual((await sue.send('POST', `${target}/duplicate`, {})).status, 201);
      const [copied] = told();
      deepStrictEqual(
        [copied![0], copied![2]],
        ['clone', from('POST', `${panel}/clone/${id}`, { model, sourceId: id })],
      );
      strictEqual((await sue.send('DELETE', `${target}?locale=fr`)).status, 204);
      deepStrictEqual(
        told().map(([what]) => what),
        ['delete', ...removed, 'done'],
      );
      await sue.send('POST', `${item}/bulk/publish`, { documentIds: [id] });
      deepStrictEqual(told()[0], ['publish', params, from('POST', `${panel}/actions/bulkPublish`, { model })]);
      strictEqual((await sue.send('DELETE', target)).status, 204);
      strictEqual((await sue.get(target)).status, 404);
    });

    it('stores its changes of published rows in them, and in no draft', async () => {
      const { documentId } = (await create('Stamped')).body.data;
      const { status, body } = await sue.send('POST', `${item}/${documentId}/publish`, {});
      const { draft, published } = body.data;
      deepStrictEqual([status, draft.slug, published.slug], [200, 'stamped', 'by-publication']);
      deepStrictEqual(
        (await server.get(`/api/items/${documentId}`, server.secrets['full'])).body.data.slug,
        'by-publication',
      );
      // which asks for no further publication
      strictEqual(draft.updatedAt <= published.updatedAt, true);
      told();
    });

    it('refuses in its own words, and a write that it refuses leaves nothing', async () => {
      const refused = await create('refused');
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Not this title']);
      deepStrictEqual(refused.body.error.details.errors, [{ path: ['title'], message: 'not this one' }]);
      strictEqual((await create('undone')).status, 403);
      const found = await sue.get(`${item}?filters[title][$in]=refused&filters[title][$in]=undone`);
      deepStrictEqual(found.body.data, []);
      const nothing = await create('nothing');
      deepStrictEqual([nothing.status, nothing.body.error.name], [400, 'ApplicationError']);
    });

    it('fails by itself alone', async () => {
      const broken = await create('broken');
      deepStrictEqual([broken.status, broken.body.error.message], [500, 'Internal Server Error']);
      strictEqual((await create('whole')).status, 201);
    });

    it('runs around accounts, without their passwords', async () => {
      const users = 'content/plugin::users-permissions.user';
      const account = (username: string) => ({ username, email: `${username}@example.com`, password: 'Secret123' });
      const nobody = await sue.send('POST', users, { data: account('nobody') });
      deepStrictEqual([nobody.status, nobody.body.error.message], [400, 'Not nobody']);
      const hashed = passwordsHashed();
      const made = await sue.send('POST', users, { data: account('mia') });
      // before the transaction that the code runs in
      deepStrictEqual([shared.hashedBeforeCode, passwordsHashed()], [hashed + 1, hashed + 1]);
      deepStrictEqual([made.status, made.body.data?.draft.username], [201, 'mia.'], made.text);
      const login = { identifier: 'mia.', password: 'Secret123' };
      strictEqual((await server.request('POST', '/api/auth/local', { body: login })).status, 200);
    });

    it('runs around reads of accounts', async () => {
      const users = 'content/plugin::users-permissions.user';
      const account = { username: 'ghost', email: 'ghost@example.com', password: 'Secret123' };
      strictEqual((await server.request('POST', '/api/auth/local/register', { body: account })).status, 200);
      const [row] = await server.app.database.rows("select document_id from up_users where username = 'ghost.'", []);
      const listed = (await sue.get(users)).body.data as { username: string }[];
      strictEqual(
        listed.some(({ username }) => username === 'ghost.'),
        false,
      );
      strictEqual((await sue.get(`${users}/${String(row![0])}`)).status, 404);
    });

    it('receives whole documents, including attributes that are hidden or not requested', async () => {
      const documents = server.app.documents('api::page.page' as never);
      const add = (title: string, state: string) =>
        documents.create({ data: { title, kept: 'needle', state } } as never);
      await add('open', 'shown');
      const { documentId } = (await add('closed', 'hidden')) as { documentId: string };
      const change = `update admin_permissions set properties = '{"fields":["title"]}' where subject = 'api::page.page'`;
      await server.app.database.transaction(async (tx) => void (await tx.rows(change, [])));
      const page = 'content/api::page.page';
      for (const [who, fields] of [
        [sue, 'fields[0]=title'],
        [sue, 'fields=title,id'],
        [ian, ''],
      ] as const) {
        const { data } = (await who.get(`${page}?${fields}`)).body;
        deepStrictEqual(
          (data as Record<string, unknown>[]).map(({ id: _id, documentId: _document, ...one }) =>
            fields === '' ? [one['title'], one['kept'], one['state']] : one,
          ),
          [fields === '' ? ['open', undefined, undefined] : { title: 'open' }],
        );
      }
      strictEqual((await ian.get(`${page}/${documentId}`)).status, 404);
      deepStrictEqual((await ian.get('search?q=closed')).body.data, []);
    });

    it('prevents a search in hidden values if it changes parameters', async () => {
      // whoever is shown every row of every type that they are shown is not shown every attribute
      const editors = `select permission_id from admin_permissions_role_lnk l join admin_roles r on r.id = l.role_id
        where r.code = 'strapi-editor'`;
      const lose = `delete from admin_permissions where subject = 'api::item.item' and id in (${editors})`;
      await server.app.database.transaction(async (tx) => void (await tx.rows(lose, [])));
      const found = async (who: Browser) => (await who.get('content/api::page.page?_q=needle')).body.data.length;
      deepStrictEqual([await found(sue), await found(ian)], [1, 0]);
    });

    it('is announced for its types, whose drafts are saved less often', async () => {
      const { contentTypes } = (await sue.get('schema')).body.data;
      const runs = (contentTypes as { uid: string; runsCode: boolean }[]).filter(({ runsCode }) => runsCode);
      strictEqual(
        runs.some(({ uid }) => uid === 'api::item.item'),
        true,
      );
    });

    it('may publish a written document', async () => {
      const made = await create('tomorrow');
      strictEqual(made.body.data.published?.title, 'tomorrow');
    });

    it('may call next twice, which is no concurrent change', async () => {
      const { documentId } = (await create('once')).body.data;
      const saved = await save(`${item}/${documentId}`, { title: 'twice' });
      deepStrictEqual([saved.status, saved.body.data?.draft.title], [200, 'twice'], saved.text);
    });

    it('writes single types as their documents are', async () => {
      told();
      strictEqual((await sue.send('PUT', 'content/api::home.home/single', { data: { title: 'x' } })).status, 200);
      strictEqual((await save('content/api::home.home/single', { title: 'y' })).status, 200);
      deepStrictEqual(
        told()
          .filter(([what]) => what !== 'done')
          .map(([what, , who]) => [what, (who as string[])[1]]),
        ['create', 'update'].map((what) => [what, '/content-manager/single-types/api::home.home']),
      );
    });

    it('does not run for forbidden operations, nor for an outdated version', async () => {
      const { documentId } = (await create('seen')).body.data;
      const tag = (await sue.get(`${item}/${documentId}`)).headers.get('etag')!;
      await save(`${item}/${documentId}`, { title: 'later' });
      told();
      const late = await sue.send('PUT', `${item}/${documentId}`, { data: { title: 'late' } }, { 'if-match': tag });
      strictEqual(late.status, 412);
      strictEqual((await sue.send('POST', item, { data: { titel: 'x' } })).status, 400);
      const [theirs, version] = [`${item}/${documentId}`, { 'if-match': '*' }];
      strictEqual((await ann.send('PUT', theirs, { data: { title: 'x' } }, version)).status, 404);
      strictEqual((await ann.send('POST', `${theirs}/publish`, {}, version)).status, 403);
      strictEqual((await ann.send('DELETE', theirs)).status, 404);
      deepStrictEqual(told(), []);
    });

    it('decides about reads: in lists, with their totals, of one document, by name and as a choice', async () => {
      const documents = server.app.documents('api::note.note' as never);
      const add = async (title: string, owner: string) =>
        ((await documents.create({ data: { title, owner } } as never)) as { documentId: string }).documentId;
      const [own, others] = [await add('mine', 'sue@example.com'), await add('theirs', 'ed@example.com')];
      const sealed = await add('sealed', 'sue@example.com');
      const note = 'content/api::note.note';
      const listed = await sue.get(`${note}?sort=title`);
      deepStrictEqual(
        listed.body.data.map(({ title }: { title: string }) => title),
        ['mine!', 'sealed!'],
      );
      deepStrictEqual(
        [listed.body.meta.pagination.total, Object.keys(listed.body.meta.states).sort()],
        [2, [own, sealed].sort()],
      );
      const made = await sue.send('POST', note, { data: { title: 'third' } });
      deepStrictEqual([made.status, made.body.data.draft.owner], [201, 'sue@example.com'], made.text);
      strictEqual((await sue.get(`${note}/${own}`)).status, 200);
      // hidden by what the code answers, and by what it asks for
      for (const hidden of [others, sealed]) {
        const target = `${note}/${hidden}`;
        strictEqual((await sue.get(target)).status, 404);
        strictEqual((await sue.send('DELETE', target)).status, 404);
        strictEqual((await sue.send('PUT', target, { data: { title: 'x' } }, { 'if-match': '*' })).status, 404);
        const { body } = await sue.send('POST', `${note}/bulk/delete`, { documentIds: [hidden] });
        deepStrictEqual([body.data[0].documentId, body.data[0].error?.name], [hidden, 'NotFoundError']);
        strictEqual(await documents.count({ filters: { documentId: hidden } } as never), 1);
      }
      const found = await sue.get('search?q=theirs');
      deepStrictEqual(found.body.data, []);
      const home = await sue.get('home');
      strictEqual(
        home.body.data.changed.some(({ documentId }: { documentId: string }) => documentId === others),
        false,
      );
      strictEqual(
        ((await documents.findOne({ documentId: others } as never)) as unknown as { title: string }).title,
        'theirs',
      );
    });
  });
}
