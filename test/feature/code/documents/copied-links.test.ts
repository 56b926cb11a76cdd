/** Links and creators that lifecycles receive in the data of copies, as Strapi has them (docs/reference/project-code.md). */
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
      },
      { options: { draftAndPublish: true } },
    ),
    tag: contentType('tag', { name: { type: 'string' } }),
  },
  files: {
    'src/api/note/content-types/note/lifecycles.js': `const NAMES = ['tag', 'tags', 'boss', 'friends', 'cover', 'createdBy', 'updatedBy'];
module.exports = { async beforeCreate({ params: { data } }) {
  const shown = NAMES.filter((name) => name in data).map((name) => [name, data[name] && structuredClone(data[name])]);
  strapi.copies.push(Object.fromEntries(shown));
  if (data.title === 'guarded' && data.publishedAt && data.tags.set.some(({ id }) => id === 2)) throw new Error('refused');
  if (data.title === 'changed' && data.publishedAt) data.tags = { set: [{ id: 2 }] };
} };`,
    'src/index.js': 'module.exports = { register({ strapi }) { strapi.copies = []; } };',
    'src/api/note/routes/run.js': `const handler = async (ctx) => {
  const [tags, notes] = [strapi.documents('api::tag.tag'), strapi.documents('api::note.note')];
  const [a, b] = [await tags.create({ data: { name: 'a' } }), await tags.create({ data: { name: 'b' } })];
  const boss = await notes.create({ data: { title: 'boss' } });
  const data = { title: 'note', tag: a.documentId, tags: [b.documentId, a.documentId], boss: boss.documentId };
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
  const names = async (status) => (await notes.findOne({ documentId, status, populate: ['tags'] })).tags.map(({ name }) => name).join();
  const changed = [await names('draft'), await names('published')];
  await notes.update({ documentId, data: { title: 'guarded', tags: [b.documentId] } });
  const refused = await notes.publish({ documentId }).then(() => undefined, ({ message }) => message);
  return { steps, changed, refused, boss: [boss.id, published.id], tags: [a.id, b.id] };
};
module.exports = { routes: [{ method: 'GET', path: '/run', handler, config: { auth: false } }] };`,
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
      deepStrictEqual(body.steps, {
        publish: { ...none, tag: set(a), tags: set(b, a), boss: set(published) },
        discard: { ...none, tag: set(a), tags: set(b, a), boss: set(draft) },
        clone: { ...none, tag: null, tags: set(a), boss: set(draft) },
        update: { ...none, tag: set(a), tags: set(b), boss: set(published) },
        create: { ...none, tag: set(b), tags: set(), boss: set(published) },
      });
      deepStrictEqual(body.changed, ['a', 'b']);
      strictEqual(body.refused, 'refused');
    });
  });
}
