/** Recorded versions in the administration: their values, restoring them, and the rights that this needs. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are of any form
type Any = any;

const POST = 'content/api::post.post';
const SUBJECT = 'api::post.post';
const ANY = { 'if-match': '*' };

const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', ...localized },
      note: { type: 'string', ...localized },
      code: { type: 'password', ...localized },
      tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', { name: { type: 'string' } }),
  note: contentType('note', { text: { type: 'string' }, part: { type: 'component', component: 'shared.part' } }),
  home: contentType('home', { head: { type: 'string' } }, { kind: 'singleType' }),
};
const components = {
  'shared.part': {
    collectionName: 'components_shared_parts',
    attributes: { shown: { type: 'string' }, hidden: { type: 'string' } },
  },
};
const LOCALES = [
  { code: 'en', name: 'English', default: true },
  { code: 'fr', name: 'French' },
];

for (const engine of engines) {
  describe(`recorded versions in the administration on ${engine.name}`, () => {
    let server: SeededServer;
    const people = new Map<string, Browser>();
    const ask = async (
      who: string,
      method: string,
      target: string,
      body?: object,
      headers: Record<string, string> = ANY,
    ): Promise<Any> => people.get(who)!.send(method, target, body, headers);
    const admit = async (name: string, role: string) => {
      await makeAdministrator(server, name, role);
      const person = new Browser(server);
      await person.signIn(name);
      people.set(name, person);
    };
    before(async () => {
      const project = await makeProject({
        contentTypes,
        components,
        files: {
          'config/admin.js': 'module.exports = { rateLimit: { enabled: false } };',
          'config/galley.js': 'module.exports = { history: { interval: 0 } };',
        },
      });
      server = await serveSeeded(engine, project, { locales: LOCALES });
      for (const name of ['mara', 'eve']) await admit(name, 'strapi-super-admin');
      const properties = { fields: ['title', 'tags'], locales: ['en'] };
      await makeRole(server, 'english', [
        { operation: 'read', subject: SUBJECT, properties: { ...properties, fields: ['title', 'note'] } },
        { operation: 'update', subject: SUBJECT, properties: { ...properties, fields: ['title'] } },
      ]);
      await makeRole(server, 'reader', [{ operation: 'read', subject: SUBJECT, properties }]);
      const own = { subject: 'api::tag.tag', properties: { fields: ['name'] }, conditions: ['admin::is-creator'] };
      await makeRole(server, 'creator', [
        ...(['read', 'update'] as const).map((operation) => ({ operation, ...own })),
        { ...own, operation: 'create', conditions: [] },
      ]);
      await admit('owen', 'creator');
      const parts = { subject: 'api::note.note', properties: { fields: ['text', 'part.shown'] } };
      await makeRole(server, 'partial', [
        { operation: 'read', ...parts },
        { operation: 'update', ...parts },
      ]);
      await admit('pat', 'partial');
      await admit('edna', 'english');
      await admit('rita', 'reader');
    });
    after(() => server?.stop());

    const make = async (data: object): Promise<string> =>
      (await ask('mara', 'POST', POST, { data })).body.data.documentId;
    const save = (who: string, id: string, data: object, locale = 'en') =>
      ask(who, 'PUT', `${POST}/${id}`, { data, locale });
    const versions = async (who: string, id: string, query = ''): Promise<Any[]> =>
      (await ask(who, 'GET', `${POST}/${id}/versions${query}`)).body.data;

    it('are listed with their authors, and read without passwords and deleted links', async () => {
      const tags = await Promise.all(
        ['left', 'gone'].map(
          async (name) => (await ask('mara', 'POST', 'content/api::tag.tag', { data: { name } })).body.data.documentId,
        ),
      );
      const set = tags.map((documentId) => ({ documentId }));
      const id = await make({ title: 'one', code: 'Secret123', tags: { set } });
      await save('eve', id, { title: 'two', tags: { set: [] } });
      strictEqual((await ask('mara', 'DELETE', `content/api::tag.tag/${tags[1]}`)).status, 204);
      const list = await ask('mara', 'GET', `${POST}/${id}/versions?locale=en`);
      deepStrictEqual(breaches('GET', `${POST}/${id}/versions`, 200, list.body), []);
      const [first] = list.body.data;
      deepStrictEqual([first.savedBy?.name ?? null, first.replacedBy.name, first.reason], ['mara', 'eve', 'updated']);
      const { body } = await ask('mara', 'GET', `${POST}/${id}/versions/${first.id}`);
      deepStrictEqual(breaches('GET', `${POST}/${id}/versions/${first.id}`, 200, body), []);
      const { values, losses } = body.data;
      deepStrictEqual([values.title, 'code' in values], ['one', false]);
      deepStrictEqual(
        values.tags.map(({ label, documentId }: Any) => [label, documentId]),
        [['left', tags[0]]],
      );
      deepStrictEqual(losses, [
        {
          path: 'tags',
          reason: 'deletedDocument',
          target: { type: 'api::tag.tag', documentId: tags[1], name: 'gone' },
        },
      ]);
      const restored = await ask('mara', 'POST', `${POST}/${id}/versions/${first.id}/restore`, {
        attributes: ['tags'],
      });
      const target = `${POST}/${id}/versions/${first.id}/restore`;
      deepStrictEqual(breaches('POST', target, 200, restored.body), []);
      const { draft } = restored.body.data;
      deepStrictEqual([draft.title, draft.tags.length], ['two', 1]);
    });

    it('follow the rights by locale and by field', async () => {
      const id = await make({ title: 'one', note: 'n' });
      await ask('mara', 'PUT', `${POST}/${id}`, { data: { title: 'un' }, locale: 'fr' }, {});
      await save('mara', id, { title: 'deux' }, 'fr');
      await save('mara', id, { title: 'two', note: 'm' });
      const [french] = await versions('mara', id, '?locale=fr');
      const [english] = await versions('mara', id, '?locale=en');
      strictEqual(french.locale, 'fr');
      deepStrictEqual(
        (await versions('edna', id)).map(({ locale }) => locale),
        ['en'],
      );
      deepStrictEqual(await versions('edna', id, '?locale=fr'), []);
      strictEqual((await ask('edna', 'GET', `${POST}/${id}/versions/${french.id}`)).status, 404);
      strictEqual((await ask('edna', 'POST', `${POST}/${id}/versions/${french.id}/restore`, {})).status, 404);
      const { data } = (await ask('edna', 'GET', `${POST}/${id}/versions/${english.id}`)).body;
      deepStrictEqual([data.values.note, data.losses], ['n', [{ path: 'note', reason: 'notPermitted' }]]);
      const restored = await ask('edna', 'POST', `${POST}/${id}/versions/${english.id}/restore`, {});
      deepStrictEqual([restored.status, restored.body.data.draft.title], [200, 'one']);
      strictEqual((await ask('mara', 'GET', `${POST}/${id}`)).body.data.draft.note, 'm');
      const read = await ask('rita', 'GET', `${POST}/${id}/versions/${english.id}`);
      deepStrictEqual([read.status, 'note' in read.body.data.values], [200, false]);
      strictEqual((await ask('rita', 'POST', `${POST}/${id}/versions/${english.id}/restore`, {})).status, 403);
    });

    it('of a document that had the same id are hidden from those who are shown some documents only', async () => {
      const tags = 'content/api::tag.tag';
      const { documentId } = (await ask('mara', 'POST', tags, { data: { name: 'of mara' } })).body.data;
      const found = async (who: string) => (await ask(who, 'GET', `${tags}/${documentId}/versions`)).body.data as Any[];
      await ask('mara', 'DELETE', `${tags}/${documentId}`);
      strictEqual((await ask('owen', 'POST', tags, { documentId, data: { name: 'of owen' } })).status, 201);
      deepStrictEqual(await found('owen'), []);
      const [deleted] = await found('mara');
      strictEqual(deleted.reason, 'deleted');
      const target = `${tags}/${documentId}/versions/${deleted.id}`;
      strictEqual((await ask('owen', 'GET', target)).status, 404);
      strictEqual((await ask('owen', 'POST', `${target}/restore`, {})).status, 404);
      await ask('owen', 'PUT', `${tags}/${documentId}`, { data: { name: 'changed' } });
      const replaced = async () => (await found('owen')).map(({ reason, replacedBy }) => [reason, replacedBy.name]);
      deepStrictEqual(await replaced(), [['updated', 'owen']]);
      // without a trash no deletion is recorded
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update galley_versions set reason = 'updated' where document_id = '${documentId}'`, []);
      });
      deepStrictEqual(await replaced(), [['updated', 'owen']]);
    });

    it('restore no component with parts that are hidden from the administrator', async () => {
      const note = 'content/api::note.note';
      const data = { text: 'one', part: { shown: 'a', hidden: 'b' } };
      const { documentId } = (await ask('mara', 'POST', note, { data })).body.data;
      await ask('mara', 'PUT', `${note}/${documentId}`, { data: { text: 'two' } });
      const [{ id: version }] = (await ask('pat', 'GET', `${note}/${documentId}/versions`)).body.data;
      const target = `${note}/${documentId}/versions/${version}`;
      deepStrictEqual((await ask('pat', 'GET', target)).body.data.losses, [{ path: 'part', reason: 'notPermitted' }]);
      const restored = await ask('pat', 'POST', `${target}/restore`, {});
      deepStrictEqual([restored.status, restored.body.data.draft.text], [200, 'one'], restored.text);
      const { text, part } = (await ask('mara', 'GET', `${note}/${documentId}`)).body.data.draft;
      deepStrictEqual([text, part.shown, part.hidden], ['one', 'a', 'b']);
    });

    it('of a single type are read and restored at "single"', async () => {
      const home = 'content/api::home.home/single';
      strictEqual((await ask('mara', 'GET', `${home}/versions`)).status, 404);
      await ask('mara', 'PUT', home, { data: { head: 'one' } }, {});
      await ask('mara', 'PUT', home, { data: { head: 'two' } });
      const [version] = (await ask('mara', 'GET', `${home}/versions`)).body.data;
      const restored = await ask('mara', 'POST', `${home}/versions/${version.id}/restore`, {});
      deepStrictEqual([restored.status, restored.body.data.draft.head], [200, 'one'], restored.text);
    });

    it('are restored only over the version that the administrator has seen', async () => {
      const id = await make({ title: 'one' });
      await save('eve', id, { title: 'two' });
      const [{ id: version }] = await versions('mara', id);
      const url = `${POST}/${id}/versions/${version}/restore`;
      const { status } = await ask('mara', 'POST', url, {}, { 'if-match': '"old"' });
      strictEqual(status, 412);
    });
  });
}
