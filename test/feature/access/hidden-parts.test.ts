/** Parts of a component that a caller may neither read nor write are not lost where it replaces the component. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const of = (component: string, rest = {}) => ({ type: 'component', component, ...rest });
const PAGE = 'api::page.page';
const actions = ['find', 'findOne', 'create', 'update'].map((action) => `${PAGE}.${action}`);
const project = {
  contentTypes: { page: contentType('page', { title: text, seo: of('shared.seo'), open: of('shared.card') }) },
  components: {
    'shared.seo': {
      collectionName: 'components_seos',
      attributes: { title: text, hidden: text, card: of('shared.card') },
    },
    'shared.card': { collectionName: 'components_cards', attributes: { label: text, secret: text } },
  },
  files: {
    'src/galley.js': `module.exports = { access: { '${PAGE}': {
      read: ['title', 'seo.title', 'seo.card.label', 'open'], write: ['title', 'seo.title', 'seo.card.label', 'open'],
    } } };`,
  },
};

for (const engine of engines) {
  describe(`components with hidden parts on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(project), { roles: { public: actions } });
    });
    after(() => server?.stop());

    const populate = { seo: { populate: { card: true } }, open: true };
    const stored = async (documentId: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into documents freely
      (await server.app.documents(PAGE).findOne({ documentId, populate })) as any;
    const make = async () => {
      const data = {
        title: 'a',
        seo: { title: 'a', hidden: 'KEEP', card: { label: 'a', secret: 'KEEP' } },
        open: { label: 'a', secret: 'b' },
      };
      const { documentId } = await server.app.documents(PAGE).create({ data });
      return String(documentId);
    };
    const put = (id: string, data: object) => server.request('PUT', `/api/pages/${id}`, { body: { data } });

    it('are refused without the id of the one that is stored, with their path', async () => {
      const id = await make();
      const { seo } = await stored(id);
      for (const [data, path] of [
        [{ seo: { title: 'b' } }, ['seo']],
        [{ title: 'b', seo: { id: seo.id, card: { label: 'b' } } }, ['seo', 'card']],
      ] as const) {
        const { status, body } = await put(id, data);
        deepStrictEqual([status, body.error.details.errors[0].path], [400, path]);
      }
      deepStrictEqual([(await stored(id)).title, (await stored(id)).seo], ['a', seo]);
    });

    it('keep what is hidden where the id is named', async () => {
      const id = await make();
      const { seo } = await stored(id);
      const changed = { id: seo.id, title: 'b', card: { id: seo.card.id, label: 'b' } };
      strictEqual((await put(id, { seo: changed })).status, 200);
      const now = (await stored(id)).seo;
      deepStrictEqual([now.title, now.hidden, now.card.label, now.card.secret], ['b', 'KEEP', 'b', 'KEEP']);
    });

    it('are made where none is stored, and removed as a whole', async () => {
      const made = await server.request('POST', '/api/pages', { body: { data: { seo: { title: 'a' } } } });
      strictEqual(made.status < 300, true, made.text);
      const id = await make();
      strictEqual((await put(id, { seo: null })).status, 200);
      strictEqual((await put(id, { seo: { title: 'c' } })).status, 200);
      strictEqual((await stored(id)).seo.title, 'c');
    });

    it('are replaced as ever where nothing of them is hidden, and by whoever may write all', async () => {
      const id = await make();
      strictEqual((await put(id, { open: { label: 'b' } })).status, 200);
      strictEqual((await stored(id)).open.secret, null);
      await server.app.documents(PAGE).update({ documentId: id, data: { seo: { title: 'b' } } });
      strictEqual((await stored(id)).seo.hidden, null);
    });
  });
}
