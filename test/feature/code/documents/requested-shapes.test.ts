/** The requested shape of an answer in lifecycles and document middlewares (docs/reference/project-code.md). */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const ARTICLE = 'api::article.article';
const text = { type: 'string' };

const PROJECT: ProjectFiles = {
  components: {
    'shared.part': { collectionName: 'components_parts', attributes: { label: text, other: text } },
  },
  contentTypes: {
    article: contentType(
      'article',
      {
        title: text,
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
        part: { type: 'component', component: 'shared.part' },
      },
      { options: { draftAndPublish: true } },
    ),
    tag: contentType('tag', { name: text }),
  },
  files: {
    'src/index.js': `const tell = (event) => {
  const { select, populate, orderBy, offset, limit } = event.params;
  strapi.told.push([event.action, { select, populate, orderBy, offset, limit }]);
  if (event.action === strapi.wants?.[0]) strapi.wants[1](event.params);
  if (event.action === 'afterUpdate') strapi.result = event.result;
};
module.exports = {
  register({ strapi }) {
    strapi.told = [];
    strapi.asked = [];
    strapi.db.lifecycles.subscribe({
      models: ['${ARTICLE}'],
      ...Object.fromEntries(['Create', 'Update', 'Delete', 'FindOne', 'FindMany', 'Count'].flatMap((one) => [['before' + one, tell], ['after' + one, tell]])),
    });
    strapi.documents.use((context, next) => {
      if (context.uid === '${ARTICLE}') strapi.asked.push([context.action, { ...context.params }]);
      if (context.action === 'findMany') context.params.filters = { title: { $notNull: true } };
      return next();
    });
  },
};`,
    'src/api/article/controllers/article.js': `module.exports = require('@strapi/strapi').factories.createCoreController('${ARTICLE}');`,
  },
};

const SHAPE = `{ fields: ['title'], populate: { tags: { fields: ['name'], filters: { name: 'x' }, sort: 'name:desc' }, part: { fields: ['label'] } } }`;
const listed = (work: string) => `strapi.told.length = 0; ${work} return strapi.told;`;
const ACTIONS = {
  make: `const { documentId: tag } = await strapi.documents('api::tag.tag').create({ data: { name: 'x' } });
    await strapi.documents('${ARTICLE}').create({ data: { title: 'a', tags: [tag], part: { label: 'l', other: 'o' } } });`,
  create: listed(`await strapi.documents('${ARTICLE}').create({ data: { title: 'b' }, ...${SHAPE} });`),
  publish: listed(`const { documentId } = await strapi.documents('${ARTICLE}').findFirst({ filters: { title: 'b' } });
    await strapi.documents('${ARTICLE}').publish({ documentId, populate: ['tags'] });`),
  remove: listed(`const { documentId } = await strapi.documents('${ARTICLE}').findFirst({ filters: { title: 'b' } });
    strapi.told.length = 0;
    await strapi.documents('${ARTICLE}').delete({ documentId, populate: '*' });`),
  read: `strapi.told.length = 0;
    const found = await strapi.documents('${ARTICLE}').findFirst({ filters: { title: 'a' }, ...${SHAPE} });
    return [strapi.told[0], Object.keys(found.part), Object.keys(found.tags[0])];`,
  widenedRead: `strapi.wants = ['beforeFindOne', (params) => { params.populate = { ...params.populate, tags: true }; params.populate.part.select.push('other'); }];
    const found = await strapi.documents('${ARTICLE}').findFirst({ filters: { title: 'a' }, populate: { part: { fields: ['label'] } } });
    strapi.wants = undefined;
    return [found.part.other, found.tags.length];`,
  widenedWrite: `const { documentId } = await strapi.documents('${ARTICLE}').findFirst({ filters: { title: 'a' } });
    strapi.wants = ['beforeUpdate', (params) => { params.populate = ['tags']; params.select = ['title']; }];
    const left = await strapi.documents('${ARTICLE}').update({ documentId, data: {} });
    strapi.wants = undefined;
    return [strapi.result.tags.length, left.tags.length];`,
  asked: `const asked = strapi.asked.splice(0); strapi.told.length = 0; return asked;`,
};

const IDS = ['id', 'documentId'];
const TOLD = {
  select: [...IDS, 'title'],
  populate: {
    tags: { select: [...IDS, 'name'], where: { name: 'x' }, orderBy: [{ name: 'desc' }] },
    part: { select: [...IDS, 'label'] },
  },
};

for (const engine of engines) {
  describe(`requested shapes of answers, on ${engine.name}`, () => {
    let served: ServedActions;
    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
      await served.run('make');
    });
    after(() => served?.server.stop());

    it('reach lifecycles of writes in the form of rows, before and after', async () => {
      const moments = ['beforeCreate', 'beforeFindOne', 'afterFindOne', 'afterCreate'];
      deepStrictEqual(
        await served.run('create'),
        moments.map((action) => [action, TOLD]),
      );
      const published = (await served.run('publish')).filter(([action]: [string]) => /Create/.test(action));
      deepStrictEqual(
        published,
        ['beforeCreate', 'afterCreate'].map((action) => [action, { populate: ['tags'] }]),
      );
      const removed = await served.run('remove');
      // the draft and the published row, which are read before that
      const row = ['beforeDelete', 'beforeFindOne', 'afterFindOne'];
      const whole = ['beforeFindMany', 'afterFindMany', ...row, ...row, 'afterDelete', 'afterDelete'];
      deepStrictEqual(
        removed,
        whole.map((action) => [action, { populate: true }]),
      );
    });

    it('reach lifecycles of reads in the same form, and their changes take effect', async () => {
      const [told, part, tag] = await served.run('read');
      deepStrictEqual(told, ['beforeFindOne', TOLD]);
      deepStrictEqual(
        [part, tag],
        [
          ['id', 'label'],
          [...IDS, 'name'],
        ],
      );
      deepStrictEqual(await served.run('widenedRead'), ['o', 1]);
    });

    it('follow the changes of listeners when code writes', async () => {
      deepStrictEqual(await served.run('widenedWrite'), [1, 1]);
    });

    it('reach document middlewares of lists over HTTP with the page, also for counts', async () => {
      const token = served.server.secrets['full']!;
      await served.run('asked');
      const { body } = await served.server.request('GET', '/api/articles?status=draft&pagination[pageSize]=1', {
        token,
      });
      strictEqual(body.meta.pagination.total, 1);
      const paged = { pagination: { pageSize: '1' }, status: 'draft', start: 0, limit: 1 };
      deepStrictEqual(await served.run('asked'), [
        ['findMany', paged],
        ['count', paged],
      ]);
      const beyond = await served.server.request('GET', '/api/articles?status=draft&pagination[start]=5', { token });
      strictEqual(beyond.body.meta.pagination.total, 1);
      const [, [, counted]] = await served.run('asked');
      deepStrictEqual([counted.start, counted.limit], [5, 25]);
    });
  });
}
