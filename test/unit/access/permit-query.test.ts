/** Query text × View → permitted tree, or the refusal. */
import { deepStrictEqual, throws } from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { permitQuery } from '../../../src/access/authorize.ts';
import { FULL_ACCESS, type Grants, grantsOf } from '../../../src/access/grants.ts';
import { Views } from '../../../src/access/views.ts';
import { ContentError } from '../../../src/errors.ts';
import { Budget } from '../../../src/query/budget.ts';
import { parseParams } from '../../../src/query/params.ts';
import { parseQuery } from '../../../src/query/parse.ts';
import type { Catalog } from '../../../src/schema/catalog.ts';
import { ARTICLE, AUTHOR, accessCatalog, typeOf } from '../../support/queries/access.ts';

const NOBODY = grantsOf([]);
const AUTHORS = grantsOf([`${AUTHOR}.find`]);
const PLAIN_ARTICLE = ['id', 'documentId', 'title', 'views', 'createdAt', 'updatedAt', 'publishedAt', 'locale'];
const PLAIN_AUTHOR = ['id', 'documentId', 'name', 'createdAt', 'updatedAt', 'publishedAt'];
const title = (operator: string, slot: number) =>
  ({ kind: 'test', field: 'title', type: 'string', operator, slots: [slot] }) as const;

interface Permitted {
  readonly name: string;
  readonly grants: Grants;
  readonly query: string;
  /** The parts of the tree that are compared. */
  readonly tree: object;
}

const permitted: readonly Permitted[] = [
  {
    name: 'nothing asked for gives every readable field',
    grants: NOBODY,
    query: '',
    tree: { selection: { uid: ARTICLE, fields: PLAIN_ARTICLE, populated: [] }, filter: undefined, order: [] },
  },
  {
    name: 'fields come behind the ids, each once',
    grants: NOBODY,
    query: 'fields=views,title,views',
    tree: { selection: { uid: ARTICLE, fields: ['id', 'documentId', 'views', 'title'], populated: [] } },
  },
  {
    name: 'groups and negations keep their form',
    grants: NOBODY,
    query: 'filters[$or][0][title]=a&filters[$or][1][$not][title][$ne]=b',
    tree: { filter: { kind: 'or', items: [title('$eq', 0), { kind: 'not', item: title('$ne', 1) }] } },
  },
  {
    name: 'filters go through relations that may be found, and through components',
    grants: AUTHORS,
    query: 'filters[author][name]=a&filters[part][text][$null]=true',
    tree: {
      filter: {
        kind: 'and',
        items: [
          {
            kind: 'through',
            name: 'author',
            target: AUTHOR,
            item: { kind: 'test', field: 'name', type: 'string', operator: '$eq', slots: [0] },
          },
          {
            kind: 'through',
            name: 'part',
            target: 'shared.part',
            item: { kind: 'test', field: 'text', type: 'text', operator: 'isNull', slots: [] },
          },
        ],
      },
    },
  },
  {
    name: 'a sort key goes through relations that may be found',
    grants: AUTHORS,
    query: 'sort=author.name:desc,views',
    tree: {
      order: [
        { steps: [{ name: 'author', target: AUTHOR }], field: 'name', type: 'string', descending: true },
        { steps: [], field: 'views', type: 'integer', descending: false },
      ],
    },
  },
  {
    name: 'media, components and zones are populated without a right, relations with one',
    grants: AUTHORS,
    query: 'populate=*',
    tree: {
      populated: ['author', 'cover', 'part', 'zone', 'about'],
    },
  },
  {
    name: 'what may not be found is left out of a populate, whatever it asks for below',
    grants: NOBODY,
    query: 'populate[author][filters][name]=a&populate[part]=true',
    tree: { populated: ['part'] },
  },
  {
    name: 'a populated relation has its own fields, filter and order',
    grants: AUTHORS,
    query: 'populate[author][fields]=name&populate[author][filters][name]=a&populate[author][sort]=name',
    tree: {
      selection: {
        uid: ARTICLE,
        fields: PLAIN_ARTICLE,
        populated: [
          {
            kind: 'related',
            name: 'author',
            selection: { uid: AUTHOR, fields: ['id', 'documentId', 'name'], populated: [] },
            filter: { kind: 'test', field: 'name', type: 'string', operator: '$eq', slots: [0] },
            order: [{ steps: [], field: 'name', type: 'string', descending: false }],
            count: false,
          },
        ],
      },
    },
  },
  {
    name: 'a relation to any type is populated with the types that may be found',
    grants: AUTHORS,
    query: 'populate=about',
    tree: {
      selection: {
        uid: ARTICLE,
        fields: PLAIN_ARTICLE,
        populated: [
          {
            kind: 'parts',
            name: 'about',
            parts: [{ selection: { uid: AUTHOR, fields: PLAIN_AUTHOR, populated: [] }, filter: undefined }],
            count: false,
          },
        ],
      },
    },
  },
  {
    name: 'a search looks into texts',
    grants: NOBODY,
    query: '_q=a',
    tree: { search: { slot: 0, fields: [{ field: 'title', type: 'string' }] } },
  },
  {
    name: 'a search for a number looks into numbers as well',
    grants: NOBODY,
    query: '_q=3',
    tree: {
      search: {
        slot: 0,
        fields: [
          { field: 'title', type: 'string' },
          { field: 'views', type: 'integer' },
        ],
      },
    },
  },
  {
    name: 'a filter on locale takes the place of the parameter',
    grants: NOBODY,
    query: 'filters[locale]=fr&status=draft',
    tree: { choosesLocale: true, status: 'draft' },
  },
];

const refused: readonly [string, Grants, string, object][] = [
  [
    'an unknown name is told with the nearest',
    NOBODY,
    'filters[titel]=a',
    { key: 'titel', path: null, param: 'filters', hint: 'did you mean title?' },
  ],
  [
    'a private field is refused in filters',
    FULL_ACCESS,
    'filters[note]=a',
    { key: 'note', path: 'note', param: 'filters' },
  ],
  ['a private field is refused in sort', FULL_ACCESS, 'sort=note', { key: 'note', path: 'note', param: 'sort' }],
  ['a private field is refused in fields', FULL_ACCESS, 'fields=note', { key: 'note', path: 'note', param: 'fields' }],
  [
    'a private relation is refused in populate',
    FULL_ACCESS,
    'populate=reviewer',
    { key: 'reviewer', path: 'reviewer', param: 'populate' },
  ],
  [
    'a private field behind a relation is refused',
    FULL_ACCESS,
    'filters[author][email]=a',
    { key: 'email', path: 'author.email', param: 'filters' },
  ],
  ['a password is refused', FULL_ACCESS, 'sort=code', { key: 'code', path: 'code', param: 'sort' }],
  [
    'creators are refused',
    FULL_ACCESS,
    'populate=createdBy',
    { key: 'createdBy', path: 'createdBy', param: 'populate' },
  ],
  [
    'a relation that may not be found is refused in filters',
    NOBODY,
    'filters[author][name]=a',
    { key: 'author', path: 'author', param: 'filters' },
  ],
  [
    'a relation that may not be found is refused in sort',
    NOBODY,
    'sort=author.name',
    { key: 'author', path: 'author', param: 'sort' },
  ],
  [
    'a relation of a component that may not be found is refused',
    AUTHORS,
    'filters[part][tag][name]=a',
    { key: 'tag', path: 'part.tag', param: 'filters' },
  ],
  [
    'a relation to any type is refused in filters',
    FULL_ACCESS,
    'filters[about][name]=a',
    { key: 'about', path: 'about', param: 'filters' },
  ],
  [
    'names behind what may not be found have no hints',
    NOBODY,
    'populate[author][fields]=nam',
    { key: 'nam', path: null, param: 'populate' },
  ],
  [
    'localizations may not be filtered through without the right to find',
    NOBODY,
    'filters[localizations][title]=a',
    { key: 'localizations', path: 'localizations', param: 'filters' },
  ],
];

describe('permitQuery', () => {
  let catalog: Catalog;
  before(async () => {
    catalog = await accessCatalog();
  });
  const permit = (grants: Grants, query: string) =>
    permitQuery(
      new Views(catalog).of(grants),
      typeOf(catalog, ARTICLE),
      parseQuery(parseParams(query)).query,
      new Budget(),
    );

  for (const { name, grants, query, tree } of permitted) {
    it(name, () => {
      const result = permit(grants, query);
      const compared = { ...result, populated: result.selection.populated.map((part) => part.name) };
      deepStrictEqual(Object.fromEntries(Object.keys(tree).map((key) => [key, compared[key as 'filter']])), tree);
    });
  }
  for (const [name, grants, query, expected] of refused) {
    it(name, () => {
      throws(
        () => permit(grants, query),
        (error) => {
          deepStrictEqual(error instanceof ContentError && error.details, { source: 'query', ...expected });
          return true;
        },
      );
    });
  }
});
