/** Lifecycles that change which rows an operation finds (docs/reference/project-code.md). */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const text = { type: 'string' };
const NOTE = 'api::note.note';
const PAGE = 'api::page.page';

const PROJECT: ProjectFiles = {
  contentTypes: {
    note: contentType('note', { title: text, n: { type: 'integer' } }),
    page: contentType('page', { title: text }, { options: { draftAndPublish: true } }),
  },
  files: {
    'src/index.js': `module.exports = {
  register({ strapi }) {
    strapi.hides = [];
    const narrow = (event) => {
      if (!strapi.hides.includes(event.action)) return;
      if (event.action === 'afterFindMany') return void event.result.splice(0);
      if (strapi.hides.includes('by filters')) event.params.filters = { title: { $ne: 'locked' } };
      else event.params.where = { $and: [event.params.where ?? {}, { title: { $ne: 'locked' } }] };
    };
    strapi.db.lifecycles.subscribe({
      models: ['${NOTE}', '${PAGE}'],
      ...Object.fromEntries(['beforeFindOne', 'beforeFindMany', 'beforeUpdate', 'beforeDelete', 'afterFindMany'].map((name) => [name, narrow])),
    });
    strapi.documents.use((context, next) => {
      if (strapi.hides.includes('middleware') && context.action === 'delete') context.params.filters = { title: { $ne: 'locked' } };
      return next();
    });
  },
};`,
    'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('${NOTE}', {
  config: { delete: { middlewares: [(ctx, next) => {
    if (strapi.hides.includes('query')) ctx.query = { ...ctx.query, filters: { title: { $ne: 'locked' } } };
    return next();
  }] } },
});`,
  },
};

/** An action on the note `locked` while some hooks hide it. */
const hidden = (hooks: readonly string[], work: string) => `
  const made = (await strapi.documents('${NOTE}').findFirst({ filters: { title: 'locked' } }))
    ?? (await strapi.documents('${NOTE}').create({ data: { title: 'locked', n: 1 } }));
  const { id, documentId } = made;
  strapi.hides = ${JSON.stringify(hooks)};
  let told;
  try { told = await (async () => { ${work} })(); } catch (error) { told = error.name; } finally { strapi.hides = []; }
  const left = await strapi.documents('${NOTE}').findFirst({ filters: { title: 'locked' } });
  return [told, left && left.n];`;

const DOCUMENTS = `strapi.documents('${NOTE}')`;
const remove = `return (await ${DOCUMENTS}.delete({ documentId })).entries.length;`;
const update = `const row = await ${DOCUMENTS}.update({ documentId, data: { n: 2 } }); return row && row.n;`;

const ACTIONS = {
  findOne: hidden(['beforeFindOne'], `return ${DOCUMENTS}.findOne({ documentId });`),
  filtered: hidden(['beforeFindOne', 'by filters'], `return ${DOCUMENTS}.findOne({ documentId });`),
  serviceFindOne: hidden(['beforeFindOne'], `return strapi.service('${NOTE}').findOne(documentId);`),
  updateUnfound: hidden(['beforeFindOne'], update),
  updateUnmet: hidden(['beforeUpdate'], update),
  deleteUnlisted: hidden(['beforeFindMany'], remove),
  deleteEmptied: hidden(['afterFindMany'], remove),
  deleteUnfound: hidden(['beforeFindOne'], remove),
  deleteUnmet: hidden(['beforeDelete'], remove),
  deleteFiltered: hidden(['middleware'], remove),
  entityUpdate: hidden(['beforeUpdate'], `return strapi.entityService.update('${NOTE}', id, { data: { n: 2 } });`),
  entityDelete: hidden(['beforeDelete'], `await strapi.entityService.delete('${NOTE}', id); return 'done';`),
  clone: hidden(['beforeFindMany'], `return (await ${DOCUMENTS}.clone({ documentId })).entries.length;`),
  unhidden: hidden([], `${update}`),
  hide: `strapi.hides = ctx.request.body.hides; return true;`,
  documentId: `const { documentId } = await strapi.documents('${NOTE}').findFirst({ filters: { title: 'locked' } }); return documentId;`,
  publishes: `const { documentId } = await strapi.documents('${PAGE}').create({ data: { title: 'locked' } });
    strapi.hides = ['beforeFindMany'];
    const { entries } = await strapi.documents('${PAGE}').publish({ documentId });
    strapi.hides = [];
    return [entries.length, await strapi.documents('${PAGE}').findOne({ documentId, status: 'published' })];`,
  noStatus: `const { documentId } = await strapi.documents('${PAGE}').create({ data: { title: 'old' }, status: 'published' });
    await strapi.documents('${PAGE}').update({ documentId, data: { title: 'new' } });
    return (await strapi.documents('${PAGE}').findOne({ documentId, status: null })).title;`,
  unpublishes: `const { documentId } = await strapi.documents('${PAGE}').create({ data: { title: 'locked' }, status: 'published' });
    const { entries } = await strapi.documents('${PAGE}').unpublish({ documentId, filters: { title: { $ne: 'locked' } } });
    return [entries.length, (await strapi.documents('${PAGE}').findOne({ documentId, status: 'published' })).title];`,
};

for (const engine of engines) {
  describe(`lifecycles that hide rows, on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    const cases: Readonly<Partial<Record<keyof typeof ACTIONS, unknown>>> = {
      findOne: [null, 1],
      filtered: [null, 1],
      serviceFindOne: [null, 1],
      updateUnfound: [null, 1],
      updateUnmet: ['ApplicationError', 1],
      deleteUnlisted: [0, 1],
      deleteEmptied: [0, 1],
      deleteUnfound: [0, 1],
      deleteUnmet: [0, 1],
      deleteFiltered: [0, 1],
      entityUpdate: ['ApplicationError', 1],
      entityDelete: ['done', 1],
      clone: [0, 1],
      unhidden: [2, 2],
      publishes: [0, null],
      unpublishes: [0, 'locked'],
    };
    for (const [name, expected] of Object.entries(cases)) {
      it(`hides from ${name} what it hides in Strapi`, async () => {
        deepStrictEqual(await served.run(name), expected);
      });
    }

    it('reads the draft where a status is null', async () => {
      strictEqual(await served.run('noStatus'), 'new');
    });

    it('hides from requests what it hides in Strapi', async () => {
      const { server } = served;
      const token = server.secrets['full'];
      const path = `/api/notes/${await served.run('documentId')}`;
      const hide = (...hides: string[]) => server.request('POST', '/api/own/hide', { token, body: { hides } });
      const asked = async (method: string, hooks: readonly string[]) => {
        await hide(...hooks);
        const body = method === 'PUT' ? { body: { data: { n: 3 } } } : {};
        const { status } = await server.request(method, path, { token, ...body });
        await hide();
        const { body: left } = await server.request('GET', path, { token });
        return [status, left.data?.n];
      };
      deepStrictEqual(await asked('GET', ['beforeFindOne']), [404, 2]);
      deepStrictEqual(await asked('PUT', ['beforeFindOne']), [404, 2]);
      deepStrictEqual(await asked('PUT', ['beforeUpdate']), [400, 2]);
      for (const hooks of [['beforeFindMany'], ['beforeFindOne'], ['beforeDelete'], ['query']]) {
        deepStrictEqual(await asked('DELETE', hooks), [204, 2]);
      }
      strictEqual((await asked('DELETE', []))[0], 204);
      strictEqual((await server.request('GET', path, { token })).status, 404);
    });
  });
}
