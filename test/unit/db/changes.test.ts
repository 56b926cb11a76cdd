/** What several changes of one version come to. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SERVER } from '../../../src/db/interface/actor.ts';
import { type Change, type ChangeKind, combined } from '../../../src/db/interface/change.ts';

const change = (kind: ChangeKind, before?: number, after?: number): Change => ({
  uid: 'api::a.a',
  documentId: 'd',
  locale: 'en',
  status: 'published',
  kind,
  before,
  after,
  by: SERVER,
  at: 0,
});

/** An earlier change, a later one, and what they come to. */
const table: readonly (readonly [Change, Change, readonly Change[] | undefined])[] = [
  [change('created', undefined, 1), change('updated', 1, 1), [change('created', undefined, 1)]],
  [change('updated', 1, 1), change('updated', 1, 1), [change('updated', 1, 1)]],
  [change('published', undefined, 2), change('updated', 2, 2), [change('published', undefined, 2)]],
  [change('updated', 1, 1), change('published', 1, 1), [change('published', 1, 1)]],
  [change('created', undefined, 1), change('deleted', 1), []],
  [change('published', undefined, 1), change('unpublished', 1), []],
  [change('updated', 1, 1), change('deleted', 1), [change('deleted', 1)]],
  [change('published', 1, 1), change('unpublished', 1), [change('unpublished', 1)]],
  [change('deleted', 1), change('created', undefined, 2), undefined],
];

describe('two changes of one version', () => {
  for (const [earlier, later, expected] of table) {
    const name = expected === undefined ? 'both' : (expected[0]?.kind ?? 'nothing');
    it(`${earlier.kind} and ${later.kind} come to ${name}`, () => {
      deepStrictEqual(combined(earlier, later), expected);
    });
  }
});
