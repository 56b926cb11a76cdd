/** `strapi.db.query` in the code of a project: links and locales, as in Strapi 5.54. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const text = { type: 'string' };
const localized = { pluginOptions: { i18n: { localized: true } } };
const link = (relation: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target: 'api::item.item',
  ...more,
});

const PROJECT: ProjectFiles = {
  components: {
    'shared.seo': { collectionName: 'components_seos', info: { displayName: 'seo' }, attributes: { title: text } },
  },
  contentTypes: {
    note: contentType(
      'note',
      {
        title: { ...text, ...localized },
        tags: link('manyToMany', { inversedBy: 'notes' }),
        author: link('manyToOne'),
        parts: link('oneToMany', { mappedBy: 'whole' }),
        seo: { type: 'component', component: 'shared.seo' },
      },
      { options: { draftAndPublish: true }, ...localized },
    ),
    item: contentType('item', {
      name: text,
      notes: { type: 'relation', relation: 'manyToMany', target: 'api::note.note', mappedBy: 'tags' },
      whole: { type: 'relation', relation: 'manyToOne', target: 'api::note.note', inversedBy: 'parts' },
    }),
  },
};

const ROWS = `const [items, notes] = ['item', 'note'].map((name) => strapi.db.query('api::' + name + '.' + name));
    const told = async (work) => { try { return await work(); } catch ({ message }) { return message; } };
    const make = async (...names) => { const made = []; for (const name of names) made.push(await items.create({ data: { name } })); return made.map(({ id }) => id); };
    const names = (value) => [value ?? []].flat().map(({ name }) => name).join('');`;

const ACTIONS = {
  links: `${ROWS}
    const [a, b, c, d] = await make('a', 'b', 'c', 'd');
    const { id } = await notes.create({ data: { title: 'n', locale: 'en', seo: { title: 's' } } });
    const linked = async () => { const row = await notes.findOne({ where: { id }, populate: ['tags', 'author', 'parts', 'seo'] }); return [names(row.tags), names(row.author), names(row.parts), row.title, row.seo.title].join(); };
    const { attachRelations, updateRelations } = notes;
    const steps = [];
    for (const step of [
      () => attachRelations(id, { tags: [a], author: b, parts: [d], title: 'no link' }),
      () => attachRelations(id, { tags: { connect: [b] }, author: c }),
      () => attachRelations(id, { tags: { set: [c] }, author: null }),
      () => updateRelations(id, { tags: { disconnect: [b] }, title: 'no link' }),
      () => updateRelations(id, { tags: [d], author: null, parts: [] }),
      () => updateRelations(id, { tags: { connect: [{ id: a }] }, author: { connect: [{ id: a }] } }),
    ]) { steps.push([await step(), await linked()]); }
    const item = await items.attachRelations(b, { whole: id, notes: [id] });
    const last = await linked();
    return { steps, item, last, missing: await told(() => updateRelations(0, { tags: [a] })) };`,
  loads: `${ROWS}
    const ids = await make('a', 'b', 'c');
    const note = await notes.create({ data: { title: 'n', locale: 'en', tags: ids, author: ids[1], seo: { title: 's' } } });
    const pages = [];
    for (const params of [{ page: 1, pageSize: 2, orderBy: { name: 'desc' } }, { page: 2, pageSize: 2, orderBy: { name: 'desc' } }, { where: { name: 'b' }, select: ['name'] }, {}]) {
      const { results, pagination } = await notes.loadPages(note, 'tags', params);
      pages.push([names(results), Object.keys(results[0]).length, ...Object.values(pagination)]);
    }
    const several = await notes.load(note, ['tags', 'author', 'seo']);
    const limited = await notes.load(note, 'tags', { select: ['name'], orderBy: { name: 'desc' }, limit: 1, offset: 1 });
    const populated = await notes.populate({ id: note.id, own: 1 }, ['author']);
    const errors = [];
    for (const work of [() => notes.load(note, 'title'), () => notes.loadPages(note, 'author', {}), () => notes.loadPages(note, ['tags'], {}), () => notes.deleteRelations(note.id)]) errors.push(await told(work));
    return { pages, several: [names(several.tags), names(several.author), several.seo.title], limited: limited.map(({ id, ...rest }) => rest), populated: [Object.keys(populated), names(populated.author)], none: await notes.load({ id: 0 }, 'tags'), nobody: await notes.populate({ id: 0, own: 1 }, ['author']), errors };`,
  told: `${ROWS}
    const heard = [];
    const uid = 'api::item.item';
    const stop = strapi.db.lifecycles.subscribe((event) => { if (event.model.uid === uid) heard.push(event.action); });
    const steps = {};
    const step = async (name, work) => { await work(); steps[name] = heard.splice(0).join(' '); };
    let id;
    await step('create', async () => { ({ id } = await items.create({ data: { name: 'one' } })); });
    await step('createMany', () => items.createMany({ data: [{ name: 'two' }, { name: 'two' }] }));
    await step('update', () => items.update({ where: { id }, data: { name: 'uno' } }));
    await step('updateMany', () => items.updateMany({ where: { name: 'two' }, data: { name: 'due' } }));
    await step('delete', () => items.delete({ where: { id } }));
    await step('deleteMany', () => items.deleteMany({ where: { name: 'due' } }));
    await step('update of none', () => items.update({ where: { id }, data: { name: 'x' } }));
    await step('delete of none', () => items.delete({ where: { id } }));
    stop();
    return steps;`,
  locales: `${ROWS}
    const [id] = await make('of no locale');
    const note = await notes.create({ data: { title: 'in none', tags: [id], locale: 'en' } });
    const conditions = { none: null, isNull: { $null: true }, equal: { $eq: null }, notNull: { $notNull: true }, code: 'en', other: { $ne: 'en' }, list: { $in: ['en'] } };
    const found = {};
    for (const [name, locale] of Object.entries(conditions)) found[name] = await items.count({ where: { id, locale } });
    const either = await items.count({ where: { id, $or: [{ locale: 'de' }, { locale: null }] } });
    const through = await notes.count({ where: { id: note.id, tags: { locale: null } } });
    const selected = await items.findMany({ where: { id }, select: ['name', 'locale'], orderBy: [{ locale: 'asc' }, { name: 'asc' }] });
    const only = await items.findOne({ where: { id }, select: ['locale'] });
    const row = await notes.findOne({ where: { id: note.id }, populate: { tags: { select: ['name', 'locale'], where: { locale: null } } } });
    const documents = await strapi.documents('api::item.item').findMany({ filters: { id, locale: null }, fields: ['name', 'locale'], sort: ['locale', 'name'] });
    return { found, either, through, selected, only, tags: row.tags.map(({ id, ...rest }) => rest), documents: documents.map(({ id, documentId, ...rest }) => rest) };`,
};

for (const engine of engines) {
  describe(`strapi.db.query in the code of a project on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    it('passes the same events to lifecycles as Strapi 5.54', async () => {
      const around = (...moments: string[]) => moments.map((moment) => `before${moment} after${moment}`).join(' ');
      deepStrictEqual(await served.run('told'), {
        create: `beforeCreate ${around('FindOne')} afterCreate`,
        createMany: around('CreateMany'),
        update: `beforeUpdate ${around('FindOne')} afterUpdate`,
        updateMany: around('UpdateMany'),
        delete: `beforeDelete ${around('FindOne')} afterDelete`,
        deleteMany: around('DeleteMany'),
        'update of none': 'beforeUpdate',
        'delete of none': `beforeDelete ${around('FindOne')}`,
      });
    });

    it('adds and changes the links of a row, and nothing else of it', async () => {
      deepStrictEqual(await served.run('links'), {
        // what gives nothing is left out of an answer in JSON
        steps: ['a,b,d,n,s', 'ab,c,d,n,s', 'abc,c,d,n,s', 'ac,c,d,n,s', 'd,,,n,s', 'da,a,,n,s'].map((row) => [
          null,
          row,
        ]),
        last: 'dab,a,b,n,s',
        missing: 'api::note.note has no row 0',
      });
    });

    it('loads the links of a row, also by page', async () => {
      deepStrictEqual(await served.run('loads'), {
        pages: [
          ['cb', 7, 1, 2, 2, 3],
          ['a', 7, 2, 2, 2, 3],
          ['b', 2, 1, 10, 1, 1],
          ['abc', 7, 1, 10, 1, 3],
        ],
        several: ['abc', 'b', 's'],
        limited: [{ name: 'b' }],
        populated: [['id', 'own', 'author'], 'b'],
        none: null,
        nobody: { id: 0, own: 1 },
        errors: [
          'Invalid load. Expected title to be a relational attribute',
          'Invalid load. Expected author to be an anyToMany relational attribute',
          'Invalid load. Expected tags to be a string',
          'Invalid transacting value: deleteRelations of strapi.db.query does not work, as in Strapi',
        ],
      });
    });

    it('reads rows of types without locales without one', async () => {
      const named = { name: 'of no locale', locale: null };
      deepStrictEqual(await served.run('locales'), {
        found: { none: 1, isNull: 1, equal: 1, notNull: 0, code: 0, other: 0, list: 0 },
        ...{ either: 1, through: 1, selected: [named], only: { locale: null }, tags: [named], documents: [named] },
      });
    });
  });
}
