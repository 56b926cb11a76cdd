/** `sort`: docs/reference/query-parameters.md, "Sort"; docs/differences.md, "Populate, sort, fields and pages". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

type Titles = readonly string[];

/** Sentence, query, titles; where an engine places nulls elsewhere, its own. */
const ORDERS: readonly [string, string, Titles, Titles?][] = [
  ['orders by row id without a sort', '', ['Alpha', 'Beta', 'Gamma', 'Delta']],
  ['orders text by code point', 'sort=title', ['Alpha', 'Beta', 'Delta', 'Gamma']],
  ['takes the order in any letter case with spaces', 'sort=title : DeSc', ['Gamma', 'Delta', 'Beta', 'Alpha']],
  ['takes an object', 'sort[title]=desc', ['Gamma', 'Delta', 'Beta', 'Alpha']],
  ['takes a list of objects', 'sort[0][title]=desc', ['Gamma', 'Delta', 'Beta', 'Alpha']],
  ['ignores blank parts and names', 'sort=,title:desc,,:desc', ['Gamma', 'Delta', 'Beta', 'Alpha']],
  ['ignores blank orders of objects', 'sort[views]=&sort[title]=desc', ['Gamma', 'Delta', 'Beta', 'Alpha']],
  [
    'places nulls as the engine does',
    'sort=views',
    ['Delta', 'Beta', 'Alpha', 'Gamma'],
    ['Beta', 'Alpha', 'Gamma', 'Delta'],
  ],
  [
    'places nulls as the engine does, descending',
    'sort=views:desc',
    ['Gamma', 'Alpha', 'Beta', 'Delta'],
    ['Delta', 'Gamma', 'Alpha', 'Beta'],
  ],
  [
    'takes a missing relation for null',
    'sort=author.name',
    ['Delta', 'Alpha', 'Gamma', 'Beta'],
    ['Alpha', 'Gamma', 'Beta', 'Delta'],
  ],
  [
    'breaks ties by ascending row id, also under desc',
    'sort=author.name:desc',
    ['Beta', 'Alpha', 'Gamma', 'Delta'],
    ['Delta', 'Beta', 'Alpha', 'Gamma'],
  ],
  [
    'takes the smallest value of a to-many, ascending',
    'sort=tags.weight',
    ['Delta', 'Alpha', 'Beta', 'Gamma'],
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
  ],
  [
    'takes the largest value of a to-many, descending',
    'sort=tags.weight:desc',
    ['Alpha', 'Gamma', 'Beta', 'Delta'],
    ['Delta', 'Alpha', 'Gamma', 'Beta'],
  ],
  [
    'does not narrow the values sorted by through filters',
    'filters[tags][name]=green&sort=tags.weight:desc',
    ['Alpha', 'Gamma', 'Beta'],
  ],
  [
    'goes through relations of relations',
    'sort=author.country.code,title:desc&filters[author][$notNull]=true',
    ['Beta', 'Gamma', 'Alpha'],
  ],
  ['takes nested objects', 'sort[author][name]=desc&filters[author][$notNull]=true', ['Beta', 'Alpha', 'Gamma']],
  [
    'sorts by a field that is not among the fields',
    'sort=views:desc&filters[views][$notNull]=true',
    ['Gamma', 'Alpha', 'Beta'],
  ],
];

const INVALID: readonly [string, string, string, string | null][] = [
  ['an unknown field', 'nope', 'nope', null],
  ['an unknown field of a relation', 'author.nope', 'nope', 'author'],
  ['a relation', 'author', 'author', 'author'],
  ['an order as a field of a relation', 'tags:desc', 'desc', 'tags'],
  ['a field below a scalar', 'title.x', 'x', 'title'],
  ['a private attribute', 'hidden', 'hidden', 'hidden'],
  ['a password', 'secret', 'secret', 'secret'],
  ['a zone', 'zone.id', 'zone', 'zone'],
  ['a creator', 'createdBy.id', 'createdBy', 'createdBy'],
];

for (const engine of engines) {
  describe(`sort on ${engine.name}`, () => {
    let library: Library;
    const read = (query: string) => library.get(`/api/articles?${query}`, library.secrets['full']);

    before(async () => {
      library = await serveLibrary(engine);
    });
    after(() => library?.stop());

    for (const [sentence, query, expected, other] of ORDERS) {
      it(sentence, async () => {
        deepStrictEqual(await library.titles(query), engine.name === 'postgres' ? (other ?? expected) : expected);
      });
    }

    for (const [what, sort, key, path] of INVALID) {
      it(`refuses ${what}`, async () => {
        const { status, body } = await read(`sort=${sort}`);
        const { hint: _, ...details } = body.error.details;
        deepStrictEqual([status, details], [400, { key, path, source: 'query', param: 'sort' }]);
      });
    }

    it('refuses a word that is no order', async () => {
      const { body } = await read('sort=title:up');
      strictEqual(body.error.message, 'Invalid order. order can only be one of asc|desc|ASC|DESC');
      deepStrictEqual(body.error.details, {});
    });

    it('orders ties the same way across pages', async () => {
      const pages = [];
      for (const page of [1, 2, 3, 4]) {
        pages.push(...(await library.titles(`sort=locale:desc&pagination[pageSize]=1&pagination[page]=${page}`)));
      }
      deepStrictEqual(pages, ['Alpha', 'Beta', 'Gamma', 'Delta']);
    });

    it('answers with the requested fields, not with those sorted by', async () => {
      const { body } = await read(
        'fields=title&sort=author.name,views&populate[tags][fields]=name&populate[tags][sort]=weight',
      );
      for (const article of body.data) {
        deepStrictEqual(Object.keys(article), ['id', 'documentId', 'title', 'tags']);
        for (const tag of article.tags) deepStrictEqual(Object.keys(tag), ['id', 'documentId', 'name']);
      }
    });

    it('is checked on single reads, where it has no effect', async () => {
      const one = `/api/articles/${library.ids['Alpha']}`;
      strictEqual((await library.get(`${one}?sort=views`, library.secrets['full'])).status, 200);
      strictEqual((await library.get(`${one}?sort=nope`, library.secrets['full'])).status, 400);
    });
  });
}
