/** Schemas that the reference accepts although they are likely not meant: they start with warnings, and work. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { checkSchemas } from '../../../src/schema/check/check.ts';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const relation = (kind: string, target: string, side: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...side,
});
const name = { type: 'string' };
const withDrafts = { options: { draftAndPublish: true } };

const project = () =>
  makeProject({
    contentTypes: {
      shelf: contentType(
        'shelf',
        {
          name,
          // a list whose other side holds one
          books: relation('oneToMany', 'book', { mappedBy: 'shelf' }),
          // one whose other side holds a list
          cover: relation('oneToOne', 'book', { mappedBy: 'covers' }),
          gone: relation('manyToMany', 'book', { mappedBy: 'nothing' }),
          any: relation('morphMany', 'book', { morphBy: 'nothing' }),
          lost: relation('manyToMany', 'book', { useJoinTable: false }),
          zone: { type: 'dynamiczone', components: ['base.part', 'base.gone'] },
          part: { type: 'component', component: 'base.part' },
          'odd-name': { type: 'string', required: 'false' },
          rank: { type: 'integer', min: 'low', max: '5' },
          locale: { type: 'string' },
        },
        { ...withDrafts, collectionName: '1st shelves' },
      ),
      book: contentType(
        'book',
        {
          name,
          shelf: relation('oneToOne', 'shelf', { inversedBy: 'books' }),
          covers: relation('manyToOne', 'shelf', { inversedBy: 'cover' }),
          // names an inverse that is a relation of its own
          friends: relation('manyToMany', 'book', { inversedBy: 'others' }),
          others: relation('manyToMany', 'book'),
        },
        withDrafts,
      ),
    },
    components: {
      'base.part': {
        collectionName: 'parts',
        attributes: { name, book: relation('manyToOne', 'book', { inversedBy: 'others' }) },
      },
    },
  });

const titles = (rows: { name: string }[]) => rows.map((row) => row.name);

for (const engine of engines) {
  describe(`schemas that are accepted with warnings on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    const ids: Record<string, string> = {};
    const read = async (target: string) => (await server.get(target, server.secrets['full'])).body;

    before(async () => {
      const folder = await project();
      deepStrictEqual(checkSchemas(folder.dir).problems, []);
      server = await serveSeeded(engine, folder);
      api = documentsOf(server);
      for (const shelf of ['s1', 's2'])
        ids[shelf] = (await api.create('shelfs', { name: shelf, 'odd-name': shelf })).documentId;
      for (const book of ['b1', 'b2', 'b3']) ids[book] = (await api.create('books', { name: book })).documentId;
    });
    after(() => server?.stop());

    it('lists documents that refer to a document with relations to one', async () => {
      await api.update('shelfs', ids['s1']!, { books: [ids['b2'], ids['b1']] });
      const { data } = await read(`/api/shelfs/${ids['s1']}?populate[books][sort]=name`);
      deepStrictEqual(titles(data.books), ['b1', 'b2']);
      strictEqual((await read(`/api/books/${ids['b1']}?populate=shelf`)).data.shelf.name, 's1');
    });

    it('takes a document from where a relation to one held it', async () => {
      await api.update('books', ids['b3']!, { shelf: ids['s1'] });
      const { data } = await read(`/api/shelfs/${ids['s1']}?populate=books`);
      deepStrictEqual(titles(data.books), ['b3']);
      deepStrictEqual((await read('/api/books?filters[shelf][name]=s1')).data.length, 1);
    });

    it('shows one of the documents that refer to a document with relations of many', async () => {
      await api.update('books', ids['b1']!, { covers: ids['s2'] });
      strictEqual((await read(`/api/shelfs/${ids['s2']}?populate=cover`)).data.cover.name, 'b1');
      strictEqual((await read(`/api/books/${ids['b1']}?populate=covers`)).data.covers.name, 's2');
    });

    it('keeps relations that name a stranger as their inverse to one side', async () => {
      await api.update('books', ids['b1']!, { friends: [ids['b3'], ids['b2']] });
      const { data } = await read(`/api/books/${ids['b1']}?populate=friends,others`);
      deepStrictEqual([titles(data.friends), data.others], [['b3', 'b2'], []]);
      deepStrictEqual((await read(`/api/books/${ids['b3']}?populate=others`)).data.others, []);
      await api.update('books', ids['b2']!, { others: [ids['b1']] });
      deepStrictEqual(titles((await read(`/api/books/${ids['b2']}?populate=others`)).data.others), ['b1']);
    });

    it('keeps relations of components that name an inverse', async () => {
      await api.update('shelfs', ids['s1']!, {
        part: { name: 'p', book: ids['b2'] },
        zone: [{ __component: 'base.part', name: 'z' }],
      });
      const { data } = await read(`/api/shelfs/${ids['s1']}?populate[part][populate]=book&populate[zone]=true`);
      deepStrictEqual([data.part.book.name, data.zone[0].name], ['b2', 'z']);
    });

    it('excludes attributes that are not stored, and those that a system field replaces', async () => {
      const { data } = await read(`/api/shelfs/${ids['s1']}?populate=*`);
      deepStrictEqual(
        ['gone', 'any', 'lost', 'locale'].filter((key) => key in data),
        [],
      );
      strictEqual((await server.get('/api/shelfs?populate=gone', server.secrets['full'])).status, 400);
    });

    it('serves unusual names, filters and sorts by them', async () => {
      const { data } = await read('/api/shelfs?filters[odd-name]=s2&sort=odd-name:desc&fields=odd-name');
      deepStrictEqual(
        data.map((row: Record<string, string>) => row['odd-name']),
        ['s2'],
      );
      const failures = async (body: object) => {
        const { errors } = (await api.refused('POST', '/api/shelfs', body)).details;
        return errors.map((error: { path: string[] }) => error.path[0]);
      };
      deepStrictEqual(await failures({ name: 'x', rank: 6 }), ['rank']);
      deepStrictEqual(await failures({ name: 'x', rank: -6 }), ['odd-name']);
    });
  });
}
