/** Values that a document created again from a form lacks, which its writer sees before. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Values } from '../../../admin/src/form/values/model.ts';
import { uncopiedValues } from '../../../admin/src/form/values/uncopied-values.ts';
import { article, link, schema } from './form-schema.ts';

const left = (values: Values) =>
  uncopiedValues(schema, article, { secret: 'written', ...values }).map(({ label, links }) => [label, links]);

describe('values that a newly created copy of a document lacks', () => {
  it('is links that were not read, at any depth, with how many they are', () => {
    const cut = (count: number) => ({ items: [link('a')], count });
    deepStrictEqual(left({ title: 'a', tags: [link('a'), link('b')], author: [] }), []);
    deepStrictEqual(left({ tags: cut(60), slots: [{ id: 1, links: cut(3) }, { id: 2 }, { id: 3, links: cut(5) }] }), [
      ['tags', 59],
      ['slots › links', 6],
    ]);
    deepStrictEqual(left({ zone: [{ __component: 'shared.slot', id: 1, links: cut(2) }] }), [['zone › links', 1]]);
  });

  it('are passwords that were not typed again, and hidden attributes', () => {
    deepStrictEqual(left({ secret: '' }), [['secret', undefined]]);
    const attributes = article.attributes.map((one) => (one.name === 'body' ? { ...one, readable: false } : one));
    const fields = (values: Values) =>
      uncopiedValues(schema, { ...article, attributes }, { secret: 'written', ...values }).map(({ label }) => label);
    deepStrictEqual(fields({ title: 'a' }), ['body']);
    deepStrictEqual(fields({ body: 'written anew' }), []);
  });

  it('are attributes with a value that a new document may not have', () => {
    const attributes = article.attributes.map((one) => ({ ...one, writableInNew: false }));
    const values = { title: 'a', body: '', count: 0, done: false, at: null, tags: [], author: [link('a')], slots: [] };
    deepStrictEqual(
      uncopiedValues(schema, { ...article, attributes }, values).map(({ label }) => label),
      ['title', 'count', 'done', 'secret', 'author'],
    );
  });
});
