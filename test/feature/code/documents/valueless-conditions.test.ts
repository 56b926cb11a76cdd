/** Conditions of code that have no value, which must not be met by everything: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const router = (name: string, options = '') =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}'${options});`;

/** `$$` stands for what has no value. */
const PROJECT: ProjectFiles = {
  contentTypes: {
    tag: contentType('tag', {
      name: { type: 'string' },
      notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'tag' },
    }),
    note: contentType('note', {
      text: { type: 'string' },
      size: { type: 'integer' },
      tag: { type: 'relation', relation: 'manyToOne', target: 'api::tag.tag', inversedBy: 'notes' },
    }),
    mine: contentType('mine', { text: { type: 'string' }, owner: { type: 'string' }, size: { type: 'integer' } }),
  },
  files: {
    'config/middlewares.js': "module.exports = ['strapi::errors', 'strapi::query', 'strapi::body', 'global::owner'];",
    'src/middlewares/owner.js': `module.exports = () => async (ctx, next) => {
  if (ctx.get('x-global')) ctx.query = { ...ctx.query, filters: { [ctx.get('x-global')]: ctx.state.user?.name } };
  await next();
};`,
    'src/api/tag/routes/tag.js': router('tag'),
    'src/api/note/routes/note.js': router('note'),
    'src/api/mine/routes/mine.js': router(
      'mine',
      `, { config: { find: { middlewares: [async (ctx, next) => {
        if (ctx.get('x-route')) ctx.query.filters = { ...ctx.query.filters, $and: [{ [ctx.get('x-route')]: ctx.state.user?.name }] };
        await next();
      }] } } }`,
    ),
    'src/api/mine/controllers/mine.js': `module.exports = require('@strapi/strapi').factories.createCoreController('api::mine.mine', {
  find(ctx) {
    if (ctx.get('x-super')) ctx.query.filters = { [ctx.get('x-super')]: ctx.state.user?.name };
    return super.find(ctx);
  },
});`,
    'src/api/ask/routes/ask.js':
      "module.exports = { routes: [{ method: 'POST', path: '/ask', handler: 'ask.it', config: { auth: false } }] };",
    'src/api/ask/controllers/ask.js': `const filled = (value) => {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value === '$$' ? undefined : value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner)]));
};
module.exports = { async it(ctx) {
  const { by, params, type = 'note' } = ctx.request.body;
  const uid = 'api::' + type + '.' + type;
  const asked = filled(params);
  try {
    if (by === 'documents') return { found: await strapi.documents(uid).findMany(asked) };
    if (by === 'entity') return { found: await strapi.entityService.findMany(uid, asked) };
    const { filters: where, ...rest } = asked;
    return { found: await strapi.db.query(uid).findMany({ ...rest, where }) };
  } catch ({ message }) { return { message }; }
} };`,
  },
};

for (const engine of engines) {
  describe(`a condition of code without a value on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (by: string, params: unknown, type = 'note') =>
      (await server.request('POST', '/api/ask', { body: { by, params, type } })).body;
    const texts = async (by: string, filters: unknown) => {
      const { found, message } = await ask(by, { filters });
      return message ?? (found as { text: string }[]).map(({ text }) => text);
    };
    const mine = async (header: string, name: string): Promise<readonly [number, number | undefined]> => {
      const headers = { [header]: name };
      const { status, body } = await server.request('GET', '/api/mines', { token: server.secrets['full'], headers });
      return [status, body.data?.length];
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      const tag = await server.seeder.create('api::tag.tag', { name: 'tagged' });
      await server.seeder.create('api::note.note', { text: 'note', size: 1, tag });
      await server.seeder.create('api::mine.mine', { text: 'secret', owner: 'ann', size: 1 });
    });
    after(() => server?.stop());

    it('is met by no text', async () => {
      for (const by of ['documents', 'entity', 'query']) {
        for (const filters of [
          { text: '$$' },
          { text: { $eq: '$$' } },
          { text: { $in: '$$' } },
          { text: { $contains: '$$' } },
          { documentId: '$$' },
          { tag: { documentId: '$$' } },
          { tag: { name: { $eq: '$$' } } },
          { $and: [{ text: '$$' }] },
          { $or: [{ text: '$$' }, { text: 'other' }] },
          { text: { $null: '$$' }, documentId: '$$' },
        ]) {
          deepStrictEqual(await texts(by, filters), [], JSON.stringify({ by, filters }));
        }
        for (const filters of [
          { text: { $ne: '$$' } },
          { $or: [{ text: '$$' }, { text: 'note' }] },
          { text: { $null: '$$' } },
        ]) {
          deepStrictEqual(await texts(by, filters), ['note'], JSON.stringify({ by, filters }));
        }
      }
    });

    it('throws where it is on an id, a relation, a number or a group', async () => {
      for (const by of ['documents', 'entity', 'query']) {
        for (const filters of [
          { id: '$$' },
          { tag: '$$' },
          { tag: { id: '$$' } },
          { tag: { $eq: '$$' } },
          { tag: { $in: ['$$'] } },
          { text: 'note', tag: '$$' },
          { size: '$$' },
          { $or: '$$' },
        ]) {
          strictEqual(typeof (await texts(by, filters)), 'string', JSON.stringify({ by, filters }));
        }
      }
      match((await texts('documents', { tag: { id: '$$' } })) as string, /Undefined binding\(s\) detected/);
    });

    it('matches nothing as an empty group, at any depth', async () => {
      const none = [{ $or: [] }, { $and: [] }, { $or: [{}] }, { $not: { $or: [] } }, { tag: { $or: [] } }];
      for (const by of ['documents', 'entity', 'query']) {
        for (const filters of [...none, ...none.map((one) => ({ $and: [one, { text: 'note' }] }))]) {
          deepStrictEqual(await texts(by, filters), ['note'], JSON.stringify({ by, filters }));
        }
        for (const filters of [...none.map((one) => ({ ...one, text: 'other' })), { $or: [{}, { text: 'other' }] }]) {
          deepStrictEqual(await texts(by, filters), [], JSON.stringify({ by, filters }));
        }
      }
      const { found } = await ask('documents', { populate: { notes: { filters: { $or: [] } } } }, 'tag');
      deepStrictEqual(
        (found as { notes: unknown[] }[]).map(({ notes }) => notes.length),
        [1],
      );
    });

    it('hides populated documents', async () => {
      const populated = async (by: string, name: string) => {
        const { found } = await ask(by, { populate: { notes: { [name]: { text: '$$' } } } }, 'tag');
        return (found as { notes: unknown[] }[]).map(({ notes }) => notes.length);
      };
      deepStrictEqual(await populated('documents', 'filters'), [0]);
      deepStrictEqual(await populated('query', 'where'), [0]);
    });

    it('stays if middlewares and actions put it into the parameters of a request', async () => {
      for (const header of ['x-global', 'x-route', 'x-super']) {
        deepStrictEqual(await mine(header, 'owner'), [200, 0], header);
        const [status, found] = await mine(header, 'size');
        deepStrictEqual([status >= 400, found], [true, undefined], header);
      }
      deepStrictEqual(await mine('x-none', 'owner'), [200, 1]);
    });
  });
}
