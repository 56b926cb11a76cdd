/** Body × View → permitted write, or the refusal. */
import { deepStrictEqual, throws } from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { FULL_ACCESS, type Grants, grantsOf } from '../../../src/access/grants.ts';
import { permitBody } from '../../../src/access/permit-body.ts';
import type { WrittenRow } from '../../../src/access/permitted.ts';
import { Views } from '../../../src/access/views.ts';
import { ContentError } from '../../../src/errors.ts';
import { parseBody } from '../../../src/query/body.ts';
import type { Catalog } from '../../../src/schema/catalog.ts';
import { ARTICLE, AUTHOR, accessCatalog, TAG, typeOf } from '../../support/queries/access.ts';

const NOBODY = grantsOf([]);
const TAGS = grantsOf([`${TAG}.find`]);

/** A row by the names that it writes: values, how many entries a relation names, parts within parts. */
function shapeOf({ scalars, relations, media, components }: WrittenRow): Record<string, unknown> {
  const counted = [...relations].map(([name, edit]) => [
    name,
    edit.kind === 'set'
      ? { set: edit.entries.length }
      : { connect: edit.connect.length, disconnect: edit.disconnect.length },
  ]);
  const parts = [...components].map(([name, { entries }]) => [
    name,
    entries?.map((entry) => (entry.kind === 'row' ? shapeOf(entry.row) : 'malformed')),
  ]);
  const files = [...media].map(([name, entries]) => [name, { files: entries.length }]);
  return Object.fromEntries([...scalars, ...counted, ...files, ...parts]);
}

const permitted: readonly [string, Grants, object, object][] = [
  [
    'fields, private ones and passwords too',
    NOBODY,
    { title: 'a', note: 'b', code: 'c' },
    { title: 'a', note: 'b', code: 'c' },
  ],
  ['nothing of what is not mentioned', NOBODY, {}, {}],
  ['nothing of what code gives no value', NOBODY, { title: undefined, cover: undefined, part: undefined }, {}],
  ['system fields that clients send back, without effect', NOBODY, { publishedAt: 'x', locale: 'fr' }, {}],
  ['files without a right', NOBODY, { cover: 7 }, { cover: { files: 1 } }],
  [
    'components and zones',
    NOBODY,
    { part: { text: 'a', hint: 'b' }, zone: [{ __component: 'shared.part', text: 'c' }] },
    { part: [{ text: 'a', hint: 'b' }], zone: [{ text: 'c' }] },
  ],
  ['a component that has no form', NOBODY, { zone: [{ __component: 'shared.other' }] }, { zone: ['malformed'] }],
  [
    'a relation whose target may be found',
    TAGS,
    { tags: { connect: ['a', 'b'], disconnect: ['c'] } },
    { tags: { connect: 2, disconnect: 1 } },
  ],
  ['a relation within a component', TAGS, { part: { tag: 'a' } }, { part: [{ tag: { set: 1 } }] }],
  ['a private relation', FULL_ACCESS, { reviewer: 'a' }, { reviewer: { set: 1 } }],
  ['a relation to any type', TAGS, { about: [{ __type: TAG, documentId: 'a' }] }, { about: { set: 1 } }],
];

const refused: readonly [string, Grants, object, object][] = [
  [
    'an unknown key, with the nearest',
    NOBODY,
    { titel: 'a' },
    { key: 'titel', path: null, hint: 'did you mean title?' },
  ],
  [
    'an unknown key of a component, by its path',
    NOBODY,
    { part: { txt: 'a' } },
    { key: 'txt', path: 'part', hint: 'did you mean text?' },
  ],
  ['an id', NOBODY, { id: 3 }, { key: 'id', hint: 'did you mean id?' }],
  [
    'a time of the server',
    NOBODY,
    { createdAt: 'x' },
    { key: 'createdAt', path: 'createdAt', hint: 'did you mean createdAt?' },
  ],
  ['a relation whose target may not be found', NOBODY, { tags: ['a'] }, { key: 'tags', path: 'tags' }],
  ['the same whatever its value', NOBODY, { tags: { set: 3 } }, { key: 'tags', path: 'tags' }],
  ['the same where code gives it none', NOBODY, { tags: undefined }, { key: 'tags', path: 'tags' }],
  ['the same within a component', NOBODY, { part: { tag: 'a' } }, { key: 'tag', path: 'part.tag' }],
  [
    'a relation to any type of which one may not be found',
    TAGS,
    { about: [{ __type: AUTHOR, documentId: 'a' }] },
    { key: 'about', path: 'about' },
  ],
  [
    'a relation to a type that is not there',
    FULL_ACCESS,
    { about: [{ __type: 'api::no.no', documentId: 'a' }] },
    { key: 'about', path: 'about' },
  ],
];

describe('permitBody', () => {
  let catalog: Catalog;
  before(async () => {
    catalog = await accessCatalog();
  });
  const permit = (grants: Grants, data: object) =>
    permitBody(new Views(catalog).of(grants), typeOf(catalog, ARTICLE), parseBody({ data }));

  for (const [name, grants, data, shape] of permitted) {
    it(`lets through ${name}`, () => {
      deepStrictEqual(shapeOf(permit(grants, data).row), shape);
    });
  }
  for (const [name, grants, data, details] of refused) {
    it(`refuses ${name}`, () => {
      throws(
        () => permit(grants, data),
        (error) => {
          deepStrictEqual(error instanceof ContentError && error.details, { source: 'body', ...details });
          return true;
        },
      );
    });
  }
});
