/** `_q`: docs/reference/query-parameters.md, "Search". */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

const SEARCHES: readonly [string, string, readonly string[]][] = [
  ['finds a part of a text in any letter case', '_q=LPH', ['Alpha']],
  ['finds enumeration values', '_q=review', ['Beta']],
  ['finds digits of numbers', '_q=0', ['Alpha', 'Gamma']],
  ['finds a number in a text as well', '_q=30', ['Gamma']],
  ['does not look for text in numbers', '_q=3x', []],
  ['does not search private attributes', '_q=treasure', []],
  ['does not search relations', '_q=Ann', []],
  ['takes _ literally', '_q=_', []],
  ['takes % literally', '_q=%25', []],
  ['does not search without a term', '_q=', ['Alpha', 'Beta', 'Gamma', 'Delta']],
  ['is joined with filters', '_q=a&filters[views]=2', ['Beta']],
  ['is joined with a page', '_q=a&pagination[limit]=1&sort=title:desc', ['Gamma']],
];

for (const engine of engines) {
  describe(`search on ${engine.name}`, () => {
    let library: Library;
    const read = (target: string) => library.get(target, library.secrets['full']);

    before(async () => {
      library = await serveLibrary(engine);
    });
    after(() => library?.stop());

    for (const [sentence, query, expected] of SEARCHES) {
      it(sentence, async () => deepStrictEqual(await library.titles(query), expected));
    }

    it('folds letters beyond ASCII', async () => {
      for (const term of ['éLAN', 'σίσυφος', 'ΣΊΣΥΦΟσ']) {
        const { body } = await read(`/api/authors?_q=${term}`);
        deepStrictEqual(
          body.data.map((author: { name: string }) => author.name),
          ['Cleo'],
          term,
        );
      }
    });

    it('does not search row ids and document ids', async () => {
      const id = library.ids['Alpha']!;
      deepStrictEqual(await library.titles(`_q=${id}`), []);
    });

    it('acts on single reads', async () => {
      strictEqual((await read(`/api/articles/${library.ids['Alpha']}?_q=alp`)).status, 200);
      strictEqual((await read(`/api/articles/${library.ids['Alpha']}?_q=beta`)).status, 404);
    });

    it('refuses an object and a list', async () => {
      strictEqual((await read('/api/articles?_q[a]=1')).status, 400);
      strictEqual((await read('/api/articles?_q=a&_q=b')).status, 400);
    });
  });
}
