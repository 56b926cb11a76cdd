/** What code gets of requests in less usual forms; the answers are Strapi's. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const component = (collectionName: string, attributes: object) => ({
  collectionName,
  info: { displayName: collectionName },
  attributes,
});
const entries = (name: string, repeatable: boolean) => ({ type: 'component', component: `shared.${name}`, repeatable });
const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      text: { type: 'string' },
      hours: entries('hour', true),
      hour: entries('hour', false),
      zone: { type: 'dynamiczone', components: ['shared.hour'] },
    }),
    secret: contentType('secret', { text: { type: 'string' } }),
  },
  components: {
    'shared.hour': component('hours', {
      day: { type: 'string' },
      inner: entries('inner', false),
      secret: { type: 'relation', relation: 'oneToOne', target: 'api::secret.secret' },
    }),
    'shared.inner': component('inners', { word: { type: 'string' } }),
  },
  files: {
    'config/middlewares.js':
      "module.exports = ['strapi::errors', 'global::looking', 'strapi::query', 'strapi::body', 'strapi::public'];",
    'src/middlewares/looking.js': `module.exports = () => async (ctx, next) => {
  try { await next(); } catch (error) { ctx.set('x-thrown', error.message); throw error; }
  ctx.set('x-seen', String(ctx.body?.data?.length ?? ctx.body?.error?.status ?? typeof ctx.body));
};`,
    'public/uploads/a.txt': 'a text',
    'src/api/note/routes/a.js': `module.exports = { routes: [
  { method: 'POST', path: '/form', handler: (ctx) => ({ body: ctx.request.body, files: Object.keys(ctx.request.files ?? {}) }), config: { auth: false } },
  { method: 'POST', path: '/own', handler: 'note.own', config: { auth: false } },
] };`,
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', ({ strapi }) => ({
  async own(ctx) {
    const data = await this.sanitizeInput(ctx.request.body, ctx);
    const populate = { hours: { populate: '*' }, hour: { populate: '*' }, zone: { populate: '*' } };
    return { data, made: await strapi.documents('api::note.note').create({ data, populate }) };
  },
}));`,
  },
};

/** Values without ids. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (name, one) => (name === 'id' ? undefined : (one as unknown))));

for (const engine of engines) {
  describe(`input of code on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), { grants: { public: ['api::note.note.find'] } });
    });
    after(() => server?.stop());

    it('of parts of multipart forms is nested by brackets, as of other forms', async () => {
      const form = new FormData();
      const fields = {
        'data[title]': 'a & b',
        'data[tags][0]': 'a',
        'data[tags][1]': 'b',
        'list[]': '1',
        'with.dot': '2',
      };
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      for (const value of ['1', '2']) form.append('twice', value);
      form.append('files.cover', new Blob(['x']), 'x.txt');
      const answer = await fetch(`${server.url}/api/form`, { method: 'POST', body: form });
      deepStrictEqual(await answer.json(), {
        body: { data: { title: 'a & b', tags: ['a', 'b'] }, list: ['1'], 'with.dot': '2', twice: ['1', '2'] },
        files: ['files.cover'],
      });
      const wrong = new FormData();
      wrong.append('data[__proto__][x]', '1');
      strictEqual((await fetch(`${server.url}/api/form`, { method: 'POST', body: wrong })).status, 400);
    });

    it('loses only attributes that may not be written, also in entries of components', async () => {
      const hour = (day: string, more: object = {}) => ({ day, inner: { word: 'w', unknown: 1 }, ...more });
      const body = {
        text: 'a',
        hours: [hour('mo', { uiKey: 'x' }), hour('tu', { secret: 1 })],
        hour: hour('we', { secret: 1 }),
        zone: [{ __component: 'shared.hour', ...hour('th', { secret: [1] }) }],
      };
      const { data, made } = (await server.request('POST', '/api/own', { body })).body;
      deepStrictEqual(data, {
        text: 'a',
        hours: [hour('mo', { uiKey: 'x' }), hour('tu')],
        hour: hour('we'),
        zone: [{ __component: 'shared.hour', ...hour('th') }],
      });
      const kept = (day: string) => ({ day, inner: { word: 'w' }, secret: null });
      deepStrictEqual(plain([made.hours, made.hour, made.zone]), [
        [kept('mo'), kept('tu')],
        kept('we'),
        [{ __component: 'shared.hour', ...kept('th') }],
      ]);
    });

    it('of answers without a body is the body that they would have', async () => {
      const head = async (target: string) => {
        const answer = await fetch(server.url + target, { method: 'HEAD' });
        return [answer.status, answer.headers.get('x-seen'), answer.headers.get('x-thrown'), await answer.text()];
      };
      const listed = (await server.get('/api/notes')).headers.get('x-seen');
      deepStrictEqual(await head('/api/notes'), [200, listed, null, '']);
      deepStrictEqual(await head('/api/secrets'), [403, '403', null, '']);
      deepStrictEqual(await head('/api/notes?sort=nope'), [400, null, 'Invalid key nope', '']);
      deepStrictEqual(await head('/api/nothing'), [404, 'undefined', null, '']);
      deepStrictEqual(await head('/uploads/a.txt'), [200, 'object', null, '']);
    });
  });
}
