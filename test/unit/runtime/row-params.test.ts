/** Parameters of documents in the form of rows, as lifecycles of reads receive them. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { documentParams, listenerParams } from '../../../src/runtime/documents/row-params.ts';

const ids = ['id', 'documentId'];

describe('the fields and the order of documents', () => {
  for (const [params, told] of [
    [{}, {}],
    [{ fields: 'text, meta' }, { select: [...ids, 'text', 'meta'] }],
    [{ fields: ['text'] }, { select: [...ids, 'text'] }],
    [{ sort: 'text:desc,id' }, { orderBy: [{ text: 'desc' }, { id: 'asc' }] }],
    [{ sort: ['text,meta:desc'] }, { orderBy: [{ text: 'asc' }, { meta: 'desc' }] }],
    [{ sort: ['a.b:ASC', { meta: 'desc' }] }, { orderBy: [{ a: { b: 'ASC' } }, { meta: 'desc' }] }],
    [{ sort: { text: 'asc' } }, { orderBy: { text: 'asc' } }],
  ] as const) {
    it(`are passed in the form of rows: ${JSON.stringify(params)}`, () => {
      deepStrictEqual(listenerParams(params), { ...told, where: {} });
    });
  }

  for (const params of [
    { fields: null },
    { fields: 5 },
    { fields: {} },
    { sort: '' },
    { sort: 'text:' },
    { sort: 5 },
  ]) {
    it(`have the same meaning as without a listener if they are not understood: ${JSON.stringify(params)}`, () => {
      const left = documentParams(listenerParams(params));
      deepStrictEqual(left, { ...(params.fields === null ? {} : params), where: {} });
    });
  }
});
