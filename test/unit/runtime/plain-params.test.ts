/** Conditions of a project's code, as they are read. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainFilters } from '../../../src/runtime/documents/plain-params.ts';

const DOCUMENT_ID = 'g2i9wy7axq6dsgtwrq841imk';

describe('an id of a row that is a document id', () => {
  for (const [given, plain] of [
    [DOCUMENT_ID, { $in: [] }],
    [Number.NaN, { $in: [] }],
    [[1, Number.NaN], { $in: [1] }],
    ['12', '12'],
    [12, 12],
    [['1', DOCUMENT_ID, 2], { $in: ['1', 2] }],
    [{ $eq: DOCUMENT_ID }, { $in: [] }],
    [{ $ne: DOCUMENT_ID }, { $notNull: true }],
    [{ $in: [DOCUMENT_ID, 3] }, { $in: [3] }],
    [{ $notIn: [DOCUMENT_ID, 3] }, { $notIn: [3] }],
    [{ $notIn: [DOCUMENT_ID] }, { $notNull: true }],
    [{ $gt: 3 }, { $gt: 3 }],
  ] as const) {
    it(`is not an id of a row: ${JSON.stringify(given)}`, () => {
      deepStrictEqual(plainFilters({ id: given }), { id: plain });
      deepStrictEqual(plainFilters({ owner: { $or: [{ id: given }] } }), { owner: { $or: [{ id: plain }] } });
    });
  }
});
