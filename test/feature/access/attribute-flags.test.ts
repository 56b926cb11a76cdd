/**
 * `searchable`, `writable` and `visible` of attributes: the effect of each for callers and editors
 * (docs/reference/schemas.md).
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const note = contentType('note', {
  title: { type: 'string' },
  code: { type: 'string', searchable: false },
  number: { type: 'integer', searchable: false },
  count: { type: 'integer' },
  score: { type: 'integer', writable: false },
  hidden: { type: 'string', visible: false },
  slug: { type: 'uid', options: { customReplacements: [['&', ' with ']] } },
  part: { type: 'component', component: 'shared.part' },
});
const part = {
  collectionName: 'components_parts',
  attributes: { label: { type: 'string' }, made: { type: 'string', writable: false } },
};

for (const engine of engines) {
  describe(`flags of attributes on ${engine.name}`, () => {
    let server: SeededServer;
    let mara: Browser;
    before(async () => {
      server = await serveSeeded(
        engine,
        await makeProject({ contentTypes: { note }, components: { 'shared.part': part } }),
      );
      await makeAdministrator(server, 'mara', 'strapi-super-admin');
      mara = new Browser(server);
      await mara.signIn('mara');
    });
    after(() => server?.stop());

    const call = (method: string, target: string, data?: object): Promise<Answer> =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        ...(data ? { body: { data } } : {}),
      });
    const found = async (q: string): Promise<number> => (await call('GET', `/notes?_q=${q}`)).body.data.length;

    it('searchable keeps texts and numbers from searches, and from nothing else', async () => {
      await call('POST', '/notes', { title: 'harbour', code: 'secretive', number: 4711, count: 815 });
      deepStrictEqual(
        [await found('harb'), await found('secretive'), await found('815'), await found('4711')],
        [1, 0, 1, 0],
      );
      strictEqual((await call('GET', '/notes?filters[code]=secretive')).body.data.length, 1);
      const { body } = await mara.get('content/api::note.note?_q=secretive');
      strictEqual(body.data.length, 0);
    });

    it('writable keeps callers and administrators from writing, and not code', async () => {
      const refused = await call('POST', '/notes', { score: 3 });
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'Invalid key score']);
      const nested = await call('POST', '/notes', { part: { label: 'a', made: 'b' } });
      deepStrictEqual([nested.status, nested.body.error.message], [400, 'Invalid key made at part.made']);
      const notes = server.app.documents('api::note.note');
      const { documentId } = await notes.create({ data: { score: 3, part: { label: 'a', made: 'b' } } as never });
      const { body } = await call('GET', `/notes/${documentId}?populate=part`);
      deepStrictEqual([body.data.score, body.data.part.made], [3, 'b']);
      const answer = await mara.send('POST', 'content/api::note.note', { data: { score: 4 } });
      strictEqual(answer.status, 400);
    });

    it('visible keeps fields out of the administration app, and writable has them shown only', async () => {
      const { contentTypes } = (await mara.get('schema')).body.data;
      const { attributes } = contentTypes.find(({ uid }: { uid: string }) => uid === 'api::note.note');
      const shown = attributes.map(({ name, writable }: { name: string; writable: boolean }) => [name, writable]);
      deepStrictEqual(Object.fromEntries(shown), {
        title: true,
        code: true,
        number: true,
        count: true,
        score: false,
        slug: true,
        part: true,
      });
      strictEqual((await call('POST', '/notes', { hidden: 'x' })).body.data.hidden, 'x');
    });

    it('options of a uid replace what its value is generated from', async () => {
      const { body } = await mara.get('uid/api::note.note/slug?from=Salt%26Pepper');
      strictEqual(body.data.suggestion, 'salt-with-pepper');
    });
  });
}
