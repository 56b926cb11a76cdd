/** Conditions of code, which mean what they mean in Strapi 5.54: the rows are those that its SQLite gives. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';

import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      title: { type: 'string' },
      n: { type: 'integer' },
      flag: { type: 'boolean' },
      tags: { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag', mappedBy: 'note' },
      first: { type: 'relation', relation: 'oneToOne', target: 'api::tag.tag' },
    }),
    tag: contentType('tag', {
      title: { type: 'string' },
      n: { type: 'integer' },
      note: { type: 'relation', relation: 'manyToOne', target: 'api::note.note', inversedBy: 'tags' },
    }),
  },
  files: {
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
      strapi.db.lifecycles.subscribe({ models: ['api::note.note'], beforeFindMany() {} });
      const tags = [];
      for (const n of [1, 2, 3]) {
        tags.push((await strapi.documents('api::tag.tag').create({ data: { title: 's' + n, n } })).documentId);
      }
      const create = (data) => strapi.documents('api::note.note').create({ data });
      await create({ title: 'one', n: 1, flag: true, tags: [tags[0], tags[1]], first: tags[0] });
      await create({ title: 'two', n: 2, flag: false, tags: [tags[2]], first: tags[1] });
      await create({ title: 'three' });
    } };`,
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/routes/ask.js':
      "module.exports = { routes: [{ method: 'POST', path: '/ask', handler: 'note.ask', config: { auth: false } }] };",
    'src/api/note/controllers/note.js': `
const { createCoreController } = require('@strapi/strapi').factories;
module.exports = createCoreController('api::note.note', ({ strapi }) => ({ async ask(ctx) {
  const { by, where } = ctx.request.body;
  const calls = {
    rows: () => strapi.db.query('api::note.note').findMany({ where }),
    documents: () => strapi.documents('api::note.note').findMany({ filters: where }),
    populatedRows: () => strapi.db.query('api::note.note').findMany({ populate: { tags: { where } } }),
    populatedDocuments: () => strapi.documents('api::note.note').findMany({ populate: { tags: { filters: where } } }),
  };
  ctx.body = await calls[by]().then(
    (found) => ({ found: (by.startsWith('populated') ? found[0].tags : found).map(({ title }) => title) }),
    () => ({ found: 'refused' }),
  );
} }));`,
  },
};

const ALL = ['one', 'two', 'three'];
type Rows = readonly string[] | 'refused';

const OF_BOTH: readonly (readonly [where: unknown, rows: Rows])[] = [
  // conditions that are none
  [{ title: { $or: [null] } }, 'refused'],
  [{ id: { $or: [null] } }, 'refused'],
  [{ first: { title: { $or: [null] } } }, 'refused'],
  [{ tags: { note: { $or: [null] } } }, 'refused'],
  [{ first: { $not: { title: 's1' } } }, 'refused'],
  [{ tags: { $not: { $in: [1] } } }, 'refused'],
  [{ tags: { $eq: 1, title: 's1' } }, 'refused'],
  [{ tags: { $eq: 1, $ne: 2 } }, 'refused'],
  [{ $or: { title: 'one' } }, 'refused'],
  [{ $and: [[]] }, ALL],
  [{ $not: null }, ALL],
  [{ $not: { $or: [] } }, ALL],
  // tests of no value
  [{ title: { $eq: [] } }, ALL],
  [{ title: { $ne: [] } }, ALL],
  [{ title: { $in: [] } }, []],
  [{ title: { $notIn: [] } }, ALL],
  [{ n: { $notIn: [] } }, ALL],
  [{ tags: { $in: 'x' } }, []],
  // lists under $not
  [{ title: { $not: ['one', 'two'] } }, ALL],
  [{ title: { $not: ['one'] } }, ['two', 'three']],
  [{ tags: { $not: [1, 2] } }, ['one', 'two']],
  // $not around relations
  [{ $not: { tags: { title: 's1' } } }, ['one', 'two']],
  [{ $not: { tags: { title: 'none' } } }, ['one', 'two']],
  [{ $not: { tags: 1 } }, ['one', 'two']],
  [{ $not: { tags: [1, 2] } }, ['two']],
  [{ $not: { tags: { title: 's1', n: 2 } } }, ['one', 'two']],
  [{ $not: { tags: { $or: [{ title: 's1' }, { title: 's2' }] } } }, ['two']],
  [{ $not: { tags: { note: { title: 'one' } } } }, ['two']],
  [{ $not: { tags: { note: { tags: { title: 's1' } } } } }, ['one', 'two']],
  [{ $not: { tags: { title: { $notNull: true } } } }, ['three']],
  [{ $not: { tags: null } }, ['one', 'two']],
  [{ $not: { $not: { tags: { title: 's1' } } } }, ['one']],
  [{ $not: { $and: [{ tags: { title: 's1' } }, { title: 'one' }] } }, ALL],
  [{ $not: { $or: [{ tags: { title: 's1' } }, { title: 'two' }] } }, ['one']],
  [{ $not: { $or: [], tags: { title: 's1' } } }, ['one', 'two']],
  [{ $not: { first: { title: 's2' } } }, ['one']],
  // flags
  [{ n: { $null: true } }, ['three']],
  [{ n: { $null: 0 } }, ['one', 'two']],
  [{ n: { $notNull: '' } }, ['three']],
  [{ flag: 'x' }, ['one']],
  [{ flag: '' }, ['two']],
  [{ flag: { $in: ['x', false] } }, ['one', 'two']],
];

const OF_ROWS: typeof OF_BOTH = [
  [{ $or: {} }, 'refused'],
  [{ n: { $null: 'false' } }, ['three']],
  [{ n: { $notNull: 'false' } }, ['one', 'two']],
  [{ tags: { $null: 'false' } }, ['three']],
  [{ $not: { tags: { $null: 'false' } } }, ['one', 'two']],
  [{ first: { n: { $null: 'false' } } }, ['three']],
];

const OF_DOCUMENTS: typeof OF_BOTH = [
  [{ $or: {} }, ALL],
  [{ title: { $eq: {} } }, ALL],
  [{ n: { $null: 'false' } }, ['one', 'two']],
  [{ n: { $notNull: 'false' } }, ['three']],
  [{ n: { $null: [] } }, ['three']],
];

const OF_POPULATED: typeof OF_BOTH = [
  [{ $or: [null] }, 'refused'],
  [{ title: { $or: [null] } }, 'refused'],
  [{ note: { $not: { title: 'one' } } }, 'refused'],
  [{ $not: { note: { title: 'one' } } }, []],
  [{ title: { $eq: [] } }, ['s1', 's2']],
  [{ $and: [[]] }, ['s1', 's2']],
  [{ n: { $not: [1, 2] } }, ['s1', 's2']],
];

/** What Strapi answers and Galley compares in another way, or not at all. */
const CONDEMNED = [
  { $and: [[{ title: 'one' }]] },
  { $not: [{ title: 'one' }] },
  { title: [['one']] },
  { title: { $in: [{ a: 1 }] } },
  { title: { $contains: { a: 1 } } },
  { first: true },
  { first: [{ id: 1 }] },
  { id: true },
  { tags: { $contains: '1' } },
];

for (const engine of engines) {
  describe(`conditions of code on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = (by: string, where: unknown) => server.request('POST', '/api/ask', { body: { by, where } });
    const requireFound = async (by: string, table: typeof OF_BOTH) => {
      for (const [where, rows] of table) {
        const { status, body } = await ask(by, where);
        deepStrictEqual([by, where, status, body.found], [by, where, 200, rows]);
      }
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('mean for rows what they mean in Strapi', async () => {
      await requireFound('rows', [...OF_BOTH, ...OF_ROWS]);
    });

    it('mean for documents what they mean in Strapi', async () => {
      await requireFound('documents', [...OF_BOTH, ...OF_DOCUMENTS]);
    });

    it('mean the same for what is populated', async () => {
      for (const by of ['populatedRows', 'populatedDocuments']) await requireFound(by, OF_POPULATED);
    });

    it('condemn the request where Strapi compares in another way', async () => {
      for (const by of ['rows', 'documents'])
        for (const where of CONDEMNED) deepStrictEqual([by, where, (await ask(by, where)).status], [by, where, 500]);
      for (const where of [{ created_at: { $notNull: true } }, { id: { $gt: 'x' } }])
        deepStrictEqual([where, (await ask('rows', where)).status], [where, 500]);
    });

    it('are errors of requests that send them', async () => {
      const token = server.secrets['full'];
      for (const query of ['filters[first][$not][title]=x', 'filters[$or][0]=', 'filters[id][$gt]=x']) {
        const { status } = await server.request('GET', `/api/notes?${query}`, { token });
        deepStrictEqual([query, status], [query, 400]);
      }
    });
  });
}
