/** Links, entries of components and creators that lifecycles receive in the data of copies, as Strapi has them (docs/reference/project-code.md). */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
});
const PROJECT = {
  contentTypes: {
    note: contentType(
      'note',
      {
        title: { type: 'string' },
        tag: relation('manyToOne', 'api::tag.tag'),
        tags: relation('manyToMany', 'api::tag.tag'),
        boss: relation('manyToOne', 'api::note.note', { inversedBy: 'friends' }),
        friends: relation('oneToMany', 'api::note.note', { mappedBy: 'boss' }),
        cover: { type: 'media', multiple: false },
        any: { type: 'relation', relation: 'morphToMany' },
        one: { type: 'relation', relation: 'morphToOne' },
        part: { type: 'component', component: 'default.part' },
        parts: { type: 'component', component: 'default.part', repeatable: true },
        zone: { type: 'dynamiczone', components: ['default.part'] },
      },
      { options: { draftAndPublish: true } },
    ),
    tag: contentType('tag', { name: { type: 'string' } }),
  },
  components: {
    'default.part': {
      collectionName: 'components_default_parts',
      info: { displayName: 'part' },
      attributes: { name: { type: 'string' }, tag: relation('oneToOne', 'api::tag.tag') },
    },
  },
  files: {
    'src/api/note/content-types/note/lifecycles.js': `const NAMES = ['tag', 'tags', 'boss', 'friends', 'cover', 'createdBy', 'updatedBy', 'any', 'one', 'part', 'parts', 'zone'];
module.exports = { async beforeCreate({ params: { data } }) {
  const shown = NAMES.filter((name) => name in data).map((name) => [name, data[name] && structuredClone(data[name])]);
  strapi.copies.push(Object.fromEntries(shown));
  if (data.title === 'guarded' && data.publishedAt && data.tags.set.some(({ id }) => id === 2)) throw new Error('refused');
  if (data.title === 'changed' && data.publishedAt) {
    data.tags = { set: [{ id: 2 }] };
    data.parts = data.parts.slice(1).reverse();
    data.zone = [];
  }
  if (data.title === 'foreign' && data.publishedAt) data.parts = [{ id: 999 }];
} };`,
    'src/index.js': 'module.exports = { register({ strapi }) { strapi.copies = []; } };',
    'src/api/note/routes/run.js': `const handler = async (ctx) => {
  const [tags, notes] = [strapi.documents('api::tag.tag'), strapi.documents('api::note.note')];
  const [a, b] = [await tags.create({ data: { name: 'a' } }), await tags.create({ data: { name: 'b' } })];
  const boss = await notes.create({ data: { title: 'boss' } });
  const data = { title: 'note', tag: a.documentId, tags: [b.documentId, a.documentId], boss: boss.documentId,
    any: [{ __type: 'api::note.note', documentId: boss.documentId }, { __type: 'api::tag.tag', documentId: a.documentId }],
    one: { __type: 'api::note.note', documentId: boss.documentId }, part: { name: 'x' },
    parts: ['p', 'q', 'r'].map((name) => ({ name, tag: a.documentId })), zone: [{ __component: 'default.part', name: 'z' }] };
  const { documentId } = await notes.create({ data });
  await notes.create({ data: { title: 'friend', boss: documentId } });
  const published = (await notes.publish({ documentId: boss.documentId })).entries[0];
  const steps = {};
  const step = async (name, work) => { strapi.copies.length = 0; await work(); steps[name] = strapi.copies.at(-1); };
  await step('publish', () => notes.publish({ documentId }));
  await step('discard', () => notes.discardDraft({ documentId }));
  await step('clone', () => notes.clone({ documentId, data: { tag: null, tags: [a.documentId] } }));
  await step('update', () => notes.update({ documentId, data: { tags: { disconnect: [a.documentId] } }, status: 'published' }));
  await step('create', () => notes.create({ data: { title: 'new', tag: b.documentId, boss: boss.documentId }, status: 'published' }));
  await notes.update({ documentId, data: { title: 'changed', tags: [a.documentId] } });
  await notes.publish({ documentId });
  const names = async (status) => {
    const row = await notes.findOne({ documentId, status, populate: { tags: true, parts: { populate: ['tag'] }, zone: true } });
    return [row.tags, row.parts, row.zone].map((list) => list.map(({ name, tag }) => name + (tag?.name ?? '')).join());
  };
  const changed = [await names('draft'), await names('published')];
  await notes.update({ documentId, data: { title: 'guarded', tags: [b.documentId] } });
  const refused = await notes.publish({ documentId }).then(() => undefined, ({ message }) => message);
  return { steps, changed, refused, document: boss.documentId, boss: [boss.id, published.id], tags: [a.id, b.id] };
};
const foreign = async () => {
  const notes = strapi.documents('api::note.note');
  const { documentId } = await notes.create({ data: { title: 'foreign', parts: [{ name: 'p' }] } });
  await notes.publish({ documentId });
};
module.exports = { routes: [
  { method: 'GET', path: '/run', handler, config: { auth: false } },
  { method: 'GET', path: '/foreign', handler: foreign, config: { auth: false } },
] };`,
  },
};

for (const engine of engines) {
  describe(`links of copies that lifecycles receive, on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('are those of rows in the status of the copy, and what lifecycles change is stored in it', async () => {
      const { status, body } = await server.get('/api/run');
      strictEqual(status, 200);
      const set = (...ids: number[]) => ({ set: ids.map((id) => ({ id })) });
      const [a, b] = body.tags as [number, number];
      const [draft, published] = body.boss as [number, number];
      const none = { friends: set(), cover: null, createdBy: null, updatedBy: null };
      const any = (boss: number) => ({
        set: [
          { id: boss, __type: 'api::note.note' },
          { id: a, __type: 'api::tag.tag' },
        ],
      });
      // a link of morphToOne leads to the draft, as in Strapi
      const one = { id: draft, __type: 'api::note.note' };
      const ofDocument = { ...one, documentId: body.document, locale: null };
      const entry = (field: string) => ({ id: true, __pivot: { field, component_type: 'default.part' } });
      const zone = [{ id: true, __component: 'default.part', __pivot: { field: 'zone' } }];
      const entries = { part: entry('part'), parts: ['parts', 'parts', 'parts'].map(entry), zone };
      const copies = { ...none, ...entries };
      const found = JSON.parse(JSON.stringify(body.steps), (_, value) =>
        value?.__pivot ? { ...value, id: Number.isInteger(value.id) } : value,
      );
      deepStrictEqual(found, {
        publish: {
          ...copies,
          tag: set(a),
          tags: set(b, a),
          boss: set(published),
          any: any(published),
          one: ofDocument,
        },
        discard: { ...copies, tag: set(a), tags: set(b, a), boss: set(draft), any: any(draft), one: ofDocument },
        clone: { ...copies, tag: null, tags: set(a), boss: set(draft), any: any(draft), one },
        update: { ...copies, tag: set(a), tags: set(b), boss: set(published), any: any(published), one: ofDocument },
        create: { ...none, parts: [], zone: [], tag: set(b), tags: set(), boss: set(published), any: set(), one: null },
      });
      deepStrictEqual(body.changed, [
        ['a', 'pa,qa,ra', 'z'],
        ['b', 'ra,qa', ''],
      ]);
      strictEqual(body.refused, 'refused');
    });

    it('fail where a lifecycle adds an entry that the original does not have', async () => {
      strictEqual((await server.get('/api/foreign')).status, 500);
    });
  });
}
