/** What the document service gives to the code of a project, as Strapi 5.54 does: docs/reference/document-service.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };

/** Code before writes of a type that changes nothing. */
const HOOKED = 'module.exports = { beforeUpdate() {} };';

const PROJECT: ProjectFiles = {
  components: {
    'shared.seo': {
      collectionName: 'components_seos',
      info: { displayName: 'seo' },
      attributes: { title: { type: 'string' } },
    },
  },
  files: {
    'src/api/note/content-types/note/lifecycles.js': HOOKED,
    'src/api/home/content-types/home/lifecycles.js': HOOKED,
  },
  contentTypes: {
    note: contentType(
      'note',
      {
        title: { type: 'string', ...localized },
        code: { type: 'string' },
        size: { type: 'integer' },
        seo: { type: 'component', component: 'shared.seo' },
        parts: { type: 'relation', relation: 'oneToMany', target: 'api::part.part', mappedBy: 'whole' },
      },
      { ...drafts, ...localized },
    ),
    home: contentType(
      'home',
      { title: { type: 'string', ...localized }, code: { type: 'string' } },
      { kind: 'singleType', ...localized },
    ),
    sheet: contentType('sheet', { name: { type: 'string' }, meta: { type: 'json' }, body: { type: 'blocks' } }),
    part: contentType('part', {
      name: { type: 'string' },
      whole: { type: 'relation', relation: 'manyToOne', target: 'api::note.note', inversedBy: 'parts' },
    }),
  },
};

const ACTIONS = {
  clones: `const notes = strapi.documents('api::note.note');
    const part = await strapi.documents('api::part.part').create({ data: { name: 'p' } });
    const { documentId } = await notes.create({ data: { title: 'One', code: 'c', parts: [part.documentId] } });
    await notes.update({ documentId, locale: 'de', data: { title: 'Eins' } });
    const shown = ({ entries }) => entries.map(({ title, locale }) => [title, locale]).sort();
    const [plain, german, all] = [await notes.clone({ documentId }), await notes.clone({ documentId, locale: 'de' }), await notes.clone({ documentId, locale: '*', data: { title: 'x' } })];
    const { parts } = await notes.findOne({ documentId, populate: ['parts'] });
    return { plain: shown(plain), german: shown(german), all: shown(all), none: await notes.clone({ documentId: 'none' }), nowhere: await notes.clone({ documentId, locale: 'fr' }), parts: parts.map(({ name }) => name) };`,
  shares: `const notes = strapi.documents('api::note.note');
    const rows = async (documentId) => (await strapi.db.query('api::note.note').findMany({ where: { documentId }, populate: ['seo'] })).map(({ locale, publishedAt, title, code, size, seo }) => [locale, publishedAt === null ? 'draft' : 'published', title, code, size, seo?.title].join()).sort();
    const { documentId } = await notes.create({ data: { title: 'One', code: 'a', size: 1, seo: { title: 's' } }, status: 'published' });
    const made = await notes.update({ documentId, locale: 'de', data: { title: 'Eins', code: 'b', seo: { title: 't' } }, populate: ['seo'] });
    const first = await rows(documentId);
    await notes.update({ documentId, locale: 'fr', data: { title: 'Un', code: 'c' }, status: 'published' });
    return { made: [made.locale, made.code, made.size, made.seo.title], first, second: await rows(documentId) };`,
  gone: `const notes = strapi.documents('api::note.note');
    const { documentId } = await notes.create({ data: { title: 'One', seo: { title: 's' } }, status: 'published' });
    await notes.update({ documentId, data: { title: 'Two' } });
    const shown = ({ entries }) => entries.map(({ title, publishedAt, seo }) => [title, publishedAt !== null, seo?.title]);
    return [shown(await notes.unpublish({ documentId, populate: ['seo'] })), await notes.unpublish({ documentId }).then(shown), await notes.findOne({ documentId, status: 'published' })];`,
  searches: `const body = [{ type: 'paragraph', children: [{ type: 'text', text: 'Straße' }] }];
    const values = [['red', 'blue'], { a: 'Red', b: 1 }, 'plain', 5, null];
    for (const [index, meta] of values.entries()) await strapi.documents('api::sheet.sheet').create({ data: { name: String(index), meta, body: index === 1 ? body : null } });
    const names = (rows) => rows.map(({ name }) => name).join();
    const asked = [{ meta: { $contains: 'red' } }, { meta: { $containsi: 'RED' } }, { meta: { $notContainsi: 'red' } }, { meta: { $not: { $contains: 'red' } } }, { meta: { $startsWith: '["red' } }, { meta: { $endsWithi: 'BLUE"]' } }, { meta: { $contains: ['red', 'plain'] } }, { meta: { $contains: 5 } }, { body: { $containsi: 'STRASSE' } }, { body: { $containsi: 'straß' } }];
    const found = [];
    for (const filters of asked) found.push([await strapi.documents('api::sheet.sheet').findMany({ filters, sort: 'name' }), await strapi.db.query('api::sheet.sheet').findMany({ where: filters, orderBy: 'name' })].map(names).join(' '));
    return { found, refused: await strapi.documents('api::sheet.sheet').findMany({ filters: { meta: { $gt: 1 } } }).catch(({ message }) => message) };`,
  pages: `const notes = strapi.documents('api::note.note');
    for (const n of [1, 2, 3, 4]) await notes.create({ data: { title: 'p' + n, code: 'paged' } });
    const asked = { filters: { code: 'paged' }, sort: 'title' };
    const told = async (work) => { try { return [await work()].flat().map((one) => one && one.title).join(); } catch ({ name }) { return name; } };
    const pages = [{ page: 2, pageSize: 2 }, { start: 1, limit: 2 }, { start: '1', limit: '2' }, { limit: 0 }, { limit: -1, start: 3 }, { start: null, limit: null }, { page: 2, limit: 1 }, { pageSize: 'x' }, { limit: 'x' }, { start: -1 }];
    const lists = [];
    for (const page of pages) lists.push(await told(() => notes.findMany({ ...asked, ...page })));
    const firsts = [];
    for (const more of [{}, { start: 2 }, { page: 2, pageSize: 1 }, { locale: '*' }, { locale: ['en', 'de'] }]) firsts.push(await told(() => notes.findFirst({ ...asked, ...more })));
    return { lists, firsts, count: await notes.count({ ...asked, start: 1, limit: 1 }) };`,
};

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'writes', type: 'custom', permissions: ['api::note.note.update', 'api::home.home.update'] },
  ],
};

for (const engine of engines) {
  describe(`documents in the code of a project on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS, FIXTURE);
    });
    after(() => served?.server.stop());

    it('copies the version in the default locale by default, and nothing without that version', async () => {
      deepStrictEqual(await served.run('clones'), {
        plain: [['One', 'en']],
        german: [['Eins', 'de']],
        all: [
          ['x', 'de'],
          ['x', 'en'],
        ],
        none: { entries: [] },
        nowhere: { entries: [] },
        // in the reference the first copy takes them away
        parts: ['p'],
      });
    });

    it('accepts shared attributes with a new version, and copies them to the other locales', async () => {
      deepStrictEqual(await served.run('shares'), {
        made: ['de', 'b', 1, 't'],
        first: ['de,draft,Eins,b,1,t', 'en,draft,One,b,1,t', 'en,published,One,a,1,s'],
        // what is published of it reaches what others have published as well, and their drafts
        second: [
          ...['de,draft,Eins,c,1,t', 'en,draft,One,c,1,t', 'en,published,One,c,1,t'],
          ...['fr,draft,Un,c,1,t', 'fr,published,Un,c,1,t'],
        ],
      });
    });

    it('returns the published rows of an unpublished document', async () => {
      deepStrictEqual(await served.run('gone'), [[['One', true, 's']], [], null]);
    });

    it('looks for texts in JSON as the database keeps it, which requests do not', async () => {
      const rows = ['0', '0,1', '2,3', '1,2,3', '0', '0', '0,2', '3', '', '1'].map((names) => `${names} ${names}`);
      deepStrictEqual(await served.run('searches'), { found: rows, refused: 'Invalid key $gt at meta' });
      const { server } = served;
      const asked = await server.get('/api/sheets?filters[meta][$containsi]=red', server.secrets['full']);
      deepStrictEqual([asked.status, asked.body.error.message], [400, 'Invalid key $containsi at meta']);
    });

    it('has pages by start and limit alone', async () => {
      const all = 'p1,p2,p3,p4';
      deepStrictEqual(await served.run('pages'), {
        lists: [
          ...[all, 'p2,p3', 'p2,p3', all, 'p4', all],
          ...['PaginationError', 'PaginationError', 'ValidationError', 'ValidationError'],
        ],
        firsts: ['p1', 'p3', 'p1', '', 'ValidationError'],
        count: 4,
      });
    });

    it('does not let requests bring it, nor make versions without the right to, behind code as without', async () => {
      const { server } = served;
      const write = async (method: string, target: string, data: object, name: string) => {
        const { status, body } = await server.request(method, `/api${target}`, {
          token: server.secrets[name],
          body: { data },
        });
        return [status, body.data?.documentId ?? body.error.message];
      };
      const [, note] = await write('POST', '/notes', { title: 'One', code: 'a' }, 'full');
      await write('PUT', '/home', { title: 'Home', code: 'a' }, 'full');
      for (const [target, id] of [
        [`/notes/${note}`, note],
        ['/home', undefined],
      ] as const) {
        const shared = await write('PUT', `${target}?locale=de`, { title: 'Eins', code: 'b' }, 'full');
        deepStrictEqual(shared, [400, 'code is shared by all locales: it cannot be set with the new version de']);
        deepStrictEqual((await write('PUT', `${target}?locale=de`, { title: 'Eins' }, 'writes'))[0], 403);
        const [status, made] = await write('PUT', `${target}?locale=de`, { title: 'Eins' }, 'full');
        deepStrictEqual([status, id === undefined || made === id], [200, true]);
        deepStrictEqual((await write('PUT', `${target}?locale=de`, { title: 'zwei', code: 'b' }, 'writes'))[0], 200);
      }
    });
  });
}
