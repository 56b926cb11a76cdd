/** `pagination` and `fields`: docs/reference/query-parameters.md, "Pagination" and "Fields". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

/** Sentence, query, titles, meta. */
const PAGES: readonly [string, string, readonly string[], object][] = [
  [
    'serves 25 by page without a word',
    '',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
    { page: 1, pageSize: 25, pageCount: 1, total: 4 },
  ],
  [
    'serves a page',
    'pagination[page]=2&pagination[pageSize]=3',
    ['Delta'],
    { page: 2, pageSize: 3, pageCount: 2, total: 4 },
  ],
  ['serves an offset', 'pagination[start]=1&pagination[limit]=2', ['Beta', 'Gamma'], { start: 1, limit: 2, total: 4 }],
  ['takes start alone for an offset', 'pagination[start]=3', ['Delta'], { start: 3, limit: 25, total: 4 }],
  [
    'brings a page below 1 to 1',
    'pagination[page]=-3&pagination[pageSize]=1',
    ['Alpha'],
    { page: 1, pageSize: 1, pageCount: 4, total: 4 },
  ],
  [
    'brings a negative start to 0',
    'pagination[start]=-3&pagination[limit]=1',
    ['Alpha'],
    { start: 0, limit: 1, total: 4 },
  ],
  ['brings a limit of -1 to 1', 'pagination[limit]=-1', ['Alpha'], { start: 0, limit: 1, total: 4 }],
  [
    'brings a size above the maximum to it',
    'pagination[pageSize]=101',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
    { page: 1, pageSize: 100, pageCount: 1, total: 4 },
  ],
  ['takes an empty size for 1', 'pagination[pageSize]=', ['Alpha'], { page: 1, pageSize: 1, pageCount: 4, total: 4 }],
  ['serves nothing beyond the end', 'pagination[page]=9', [], { page: 9, pageSize: 25, pageCount: 1, total: 4 }],
  [
    'serves nothing at the end of all numbers',
    'pagination[page]=9007199254740991&pagination[pageSize]=1',
    [],
    { page: 9007199254740991, pageSize: 1, pageCount: 4, total: 4 },
  ],
  ['counts no pages where nothing matches', 'filters[title]=x', [], { page: 1, pageSize: 25, pageCount: 0, total: 0 }],
  [
    'leaves totals out without a count',
    'pagination[withCount]=f',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
    { page: 1, pageSize: 25 },
  ],
  [
    'takes a list of one number for the number',
    'pagination[page][]=2&pagination[pageSize][]=3',
    ['Delta'],
    { page: 2, pageSize: 3, pageCount: 2, total: 4 },
  ],
  [
    'takes an empty list for no pagination',
    'pagination[]',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
    { page: 1, pageSize: 25, pageCount: 1, total: 4 },
  ],
  [
    'ignores flat start and limit',
    'start=1&limit=1',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
    { page: 1, pageSize: 25, pageCount: 1, total: 4 },
  ],
];

/** Query, name of the error. */
const WRONG_PAGES: readonly [string, string][] = [
  ['pagination[page]=1&pagination[limit]=1', 'PaginationError'],
  ['page=1', 'PaginationError'],
  ['pageSize=1', 'PaginationError'],
  ['pagination[page]=x', 'ValidationError'],
  ['pagination[page][]=1&pagination[page][]=2', 'ValidationError'],
  ['pagination[0]=1', 'ValidationError'],
  ['pagination[page]=1.5', 'ValidationError'],
  ['pagination[limit]=x', 'ValidationError'],
  ['pagination[pageSize]=x', 'ValidationError'],
  ['pagination[withCount]=yes', 'ValidationError'],
];

/** Sentence, fields, keys of the answer. */
const FIELDS: readonly [string, string, readonly string[]][] = [
  ['gives id and documentId unasked', 'fields=age', ['id', 'documentId', 'age']],
  ['gives fields in the order asked for', 'fields=bio, name', ['id', 'documentId', 'bio', 'name']],
  ['takes a list', 'fields[0]=bio&fields[1]=name', ['id', 'documentId', 'bio', 'name']],
  ['gives a field asked for twice once', 'fields=name,name,id', ['id', 'documentId', 'name']],
  ['gives id and documentId alone for an empty list', 'fields[]', ['id', 'documentId']],
  ['gives id and documentId alone for the empty list of the official client', 'fields[]=', ['id', 'documentId']],
  [
    'takes a star anywhere for all',
    'fields[0]=name&fields[1]=*',
    ['id', 'documentId', 'name', 'email', 'bio', 'age', 'createdAt', 'updatedAt', 'publishedAt'],
  ],
];

/** Fields of articles that are invalid keys: query, key, path. */
const INVALID: readonly [string, string, string | null][] = [
  ['fields=nope', 'nope', null],
  ['fields=', '', null],
  ['fields=title,', '', null],
  ['fields=author', 'author', 'author'],
  ['fields=cover', 'cover', 'cover'],
  ['fields=seo', 'seo', 'seo'],
  ['fields=author.name', 'author.name', null],
  ['fields=hidden', 'hidden', 'hidden'],
  ['fields=secret', 'secret', 'secret'],
  ['fields=createdBy', 'createdBy', 'createdBy'],
  ['fields=localizations', 'localizations', 'localizations'],
];

for (const engine of engines) {
  describe(`pagination and fields on ${engine.name}`, () => {
    let library: Library;
    const read = (target: string) => library.get(target, library.secrets['full']);

    before(async () => {
      library = await serveLibrary(engine);
    });
    after(() => library?.stop());

    for (const [sentence, query, titles, meta] of PAGES) {
      it(sentence, async () => {
        const { body } = await read(`/api/articles?fields=title&${query}`);
        deepStrictEqual(
          body.data.map((article: { title: string }) => article.title),
          titles,
        );
        deepStrictEqual(body.meta.pagination, meta);
      });
    }

    for (const [query, name] of WRONG_PAGES) {
      it(`refuses ${query}`, async () => {
        const { status, body } = await read(`/api/articles?${query}`);
        deepStrictEqual([status, body.error.name], [400, name]);
      });
    }

    it('does not mind pagination on a single read', async () => {
      strictEqual((await read(`/api/articles/${library.ids['Alpha']}?pagination[page]=x`)).status, 200);
    });

    for (const [sentence, query, keys] of FIELDS) {
      it(sentence, async () => {
        const { body } = await read(`/api/authors/${library.ids['Ann']}?${query}`);
        deepStrictEqual(Object.keys(body.data), keys);
      });
    }

    it('shows only the id of components by default', async () => {
      const documentId = await library.seeder.create('api::article.article', { title: 'S', seo: { metaTitle: 'm' } });
      const { body } = await read(`/api/articles/${documentId}?fields=title&populate[seo][fields]=metaTitle`);
      deepStrictEqual(Object.keys(body.data.seo), ['id', 'metaTitle']);
      await library.seeder.remove(documentId);
    });

    it('shows all fields in schema order, then times, locale and populated attributes', async () => {
      const { body } = await read(`/api/articles/${library.ids['Alpha']}?populate=tags,author`);
      const keys = 'id,documentId,title,slug,body,blocks,views,big,rating,price,featured,kind,day,at,hour,contact,meta';
      strictEqual(Object.keys(body.data).join(), `${keys},createdAt,updatedAt,publishedAt,locale,author,tags`);
    });

    for (const [query, key, path] of INVALID) {
      it(`refuses ${query}`, async () => {
        const { status, body } = await read(`/api/articles?${query}`);
        const { hint: _, ...details } = body.error.details;
        deepStrictEqual([status, details], [400, { key, path, source: 'query', param: 'fields' }]);
      });
    }

    for (const query of ['fields[a]=title', 'fields[0][0]=title', 'fields[0]=title,views']) {
      it(`refuses the form ${query}`, async () => {
        const { status, body } = await read(`/api/articles?${query}`);
        strictEqual(status, 400);
        strictEqual(body.error.message, 'Invalid fields parameter. Expected a string or an array of strings');
      });
    }
  });
}
