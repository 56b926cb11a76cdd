/** What a View shows of each type, from grants alone. */
import { deepStrictEqual, notStrictEqual, strictEqual, throws } from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CatalogFields } from '../../../src/access/fields.ts';
import { FULL_ACCESS, type Grants, grantsOf, READ_ONLY } from '../../../src/access/grants.ts';
import { View } from '../../../src/access/view.ts';
import { Views } from '../../../src/access/views.ts';
import { ADMIN_USER_UID, type Catalog, FILE_UID } from '../../../src/schema/catalog.ts';
import { ARTICLE, AUTHOR, accessCatalog, TAG, typeOf } from '../../support/queries/access.ts';

const closed = (grants: Grants, ...actions: string[]): Grants => ({
  ...grants,
  key: `${grants.key} closed`,
  closed: new Map(actions.map((action) => [action, 'code'])),
});

describe('a view', () => {
  let catalog: Catalog;
  before(async () => {
    catalog = await accessCatalog();
  });
  const viewOf = (grants: Grants): View => new Views(catalog).of(grants);

  it('shows the fields of a type that are neither private nor passwords', () => {
    const article = viewOf(grantsOf([])).of(typeOf(catalog, ARTICLE));
    const fields = ['id', 'documentId', 'title', 'views', 'createdAt', 'updatedAt', 'publishedAt', 'locale'];
    deepStrictEqual(article.readable, fields);
    deepStrictEqual([...article.filterable.keys()], fields);
    deepStrictEqual([...article.sortable.keys()], fields);
    deepStrictEqual(article.populatable, ['author', 'tags', 'cover', 'part', 'zone', 'about', 'localizations']);
  });

  it('chooses the attributes of a search: texts, and numbers for a numeric term', () => {
    const view = viewOf(grantsOf([]));
    const names = (uid: string) => {
      const { text, number } = view.of(typeOf(catalog, uid)).searchable;
      return [text, number].map((fields) => fields.map(({ field }) => field));
    };
    deepStrictEqual(names(ARTICLE), [['title'], ['title', 'views']]);
    deepStrictEqual(names(AUTHOR), [['name'], ['name']]);
    deepStrictEqual(names(TAG), [['name'], ['name', 'weight']]);
  });

  it('permits writing all attributes except relations to hidden types', () => {
    const hiding = ['author', 'reviewer', 'tags'];
    const all = [...typeOf(catalog, ARTICLE).attributes.keys()];
    const writable = (grants: Grants) => [...viewOf(grants).of(typeOf(catalog, ARTICLE)).writable];
    deepStrictEqual(
      writable(grantsOf([])),
      all.filter((name) => !hiding.includes(name)),
    );
    deepStrictEqual(
      writable(grantsOf([`${TAG}.find`])),
      all.filter((name) => name !== 'author' && name !== 'reviewer'),
    );
    deepStrictEqual(writable(FULL_ACCESS), all);
  });

  const rights: readonly [string, Grants, string, { isFound: boolean; isSeen: boolean; isSealed: boolean }][] = [
    ['nothing granted', grantsOf([]), TAG, { isFound: false, isSeen: false, isSealed: false }],
    ['find granted', grantsOf([`${TAG}.find`]), TAG, { isFound: true, isSeen: true, isSealed: false }],
    ['findOne granted', grantsOf([`${TAG}.findOne`]), TAG, { isFound: false, isSeen: false, isSealed: false }],
    ['reading granted', READ_ONLY, TAG, { isFound: true, isSeen: true, isSealed: false }],
    ['everything granted', FULL_ACCESS, TAG, { isFound: true, isSeen: true, isSealed: false }],
    ['administrators', FULL_ACCESS, ADMIN_USER_UID, { isFound: false, isSeen: false, isSealed: false }],
    ['find closed', closed(FULL_ACCESS, `${TAG}.find`), TAG, { isFound: true, isSeen: true, isSealed: false }],
    ['the type closed', closed(FULL_ACCESS, TAG), TAG, { isFound: true, isSeen: false, isSealed: true }],
    ['files closed', closed(grantsOf([]), FILE_UID), FILE_UID, { isFound: false, isSeen: false, isSealed: true }],
  ];
  for (const [name, grants, uid, expected] of rights) {
    it(`distinguishes found, seen and sealed types: ${name}`, () => {
      const view = viewOf(grants);
      const { isSeen, isSealed } = view.of(typeOf(catalog, uid));
      const isFound = view.finds(uid);
      deepStrictEqual({ isFound, isSeen, isSealed }, expected);
    });
  }

  it('has the actions that were granted, but for those that are closed', () => {
    const view = viewOf(closed(grantsOf([`${TAG}.find`, `${TAG}.delete`]), `${TAG}.delete`, `${TAG}.update`));
    const may = ['find', 'delete', 'update', 'create'].map((name) => view.may(`${TAG}.${name}`));
    deepStrictEqual(may, [true, false, false, false]);
  });

  it('of private attributes shows all but passwords', () => {
    const view = new View({ fields: new CatalogFields(catalog), grants: FULL_ACCESS, showsPrivate: true });
    const article = view.of(typeOf(catalog, ARTICLE));
    deepStrictEqual(article.readable.slice(0, 5), ['id', 'documentId', 'title', 'views', 'note']);
    strictEqual(article.named('code').kind, 'hidden');
    strictEqual(article.sortable.has('code'), false);
    deepStrictEqual(
      article.searchable.text.map(({ field }) => field),
      ['title', 'note'],
    );
    strictEqual(article.populatable.includes('reviewer'), true);
  });

  it('is the same one for equal grants, and another one, under another key, for others', () => {
    const views = new Views(catalog);
    const view = views.of(grantsOf([`${TAG}.find`, `${ARTICLE}.find`]));
    strictEqual(views.of(grantsOf([`${ARTICLE}.find`, `${TAG}.find`])), view);
    notStrictEqual(views.of(grantsOf([`${TAG}.find`])).key, view.key);
    notStrictEqual(new Views(catalog).of(grantsOf([`${TAG}.find`, `${ARTICLE}.find`])).key, view.key);
  });

  it('is evicted for one that is used more recently, and its key never returns', () => {
    const views = new Views(catalog);
    const first = views.of(grantsOf(['first']));
    for (let index = 0; index < 1000; index++) views.of(grantsOf([`other ${index}`]));
    const again = views.of(grantsOf(['first']));
    notStrictEqual(again.key, first.key);
  });

  it('grants one more action in a separate cached view, with the same conditions on rows', () => {
    const views = new Views(catalog, () => ({ [TAG]: { name: 'red' } }));
    const view = views.of(grantsOf([`${ARTICLE}.find`]));
    const wider = view.granting(`${TAG}.find`);
    deepStrictEqual([view.finds(TAG), wider.finds(TAG), wider.finds(ARTICLE)], [false, true, true]);
    strictEqual(view.granting(`${TAG}.find`), wider);
    strictEqual(view.granting(`${ARTICLE}.find`), view);
    strictEqual(wider.rows, view.rows);
  });

  it('shows every row of one type in a separate cached view, and hides others as before', () => {
    const rules = { [TAG]: { name: 'red' }, [AUTHOR]: { name: 'Ann' } };
    const view = new Views(catalog, () => rules).of(grantsOf([]));
    const wider = view.showingAll(TAG);
    deepStrictEqual([...wider.rows.byType.keys()], [AUTHOR]);
    strictEqual(wider.rows.operands, view.rows.operands);
    strictEqual(view.showingAll(TAG), wider);
    strictEqual(view.showingAll(ARTICLE), view);
  });

  it('has conditions on rows as trees whose operands stand apart', () => {
    const rules = {
      [ARTICLE]: { $or: [{ author: { id: '$user.id' } }, { note: { $eq: 'open' } }] },
      [TAG]: { name: { $in: ['red', '$user.id'] } },
    };
    const { rows } = new Views(catalog, () => rules).of(grantsOf([]));
    deepStrictEqual(rows.operands, [
      { kind: 'caller', name: 'userId' },
      { kind: 'constant', value: 'open' },
      { kind: 'constant', value: 'red' },
      { kind: 'caller', name: 'userId' },
    ]);
    const test = { kind: 'test', operator: '$eq' } as const;
    deepStrictEqual(rows.byType.get(ARTICLE), {
      kind: 'or',
      items: [
        {
          kind: 'through',
          name: 'author',
          target: AUTHOR,
          item: { ...test, field: 'id', type: 'id', slots: [-1] },
        },
        { ...test, field: 'note', type: 'text', slots: [-2] },
      ],
    });
    deepStrictEqual(rows.byType.get(TAG), { ...test, operator: '$in', field: 'name', type: 'string', slots: [-3, -4] });
  });

  const wrong: readonly [string, Parameters<typeof Object.entries>[0], RegExp][] = [
    ['of a type that is not there', { 'api::nothing.nothing': { name: 'red' } }, /no content type/],
    ['of a component', { 'shared.part': { text: 'red' } }, /no content type/],
    ['on a name that is not there', { [TAG]: { nome: 'red' } }, /Invalid key nome/],
    ['on a password', { [ARTICLE]: { code: 'red' } }, /Invalid key code/],
    ['with a value that no caller has', { [TAG]: { name: '$user.shoeSize' } }, /no value \$user.shoeSize/],
    ['that compares a value of the caller with a time', { [TAG]: { createdAt: '$user.id' } }, /cannot be compared/],
    ['that asks for nothing', { [TAG]: {} }, /is empty/],
    ['of which a part asks for nothing', { [ARTICLE]: { title: 'a', author: {} } }, /is empty/],
    ['of which a group asks for nothing', { [TAG]: { $or: [{ name: 'red' }, { $and: [] }] } }, /is empty/],
  ];
  for (const [name, rules, message] of wrong) {
    it(`takes no condition on rows ${name}`, () => {
      throws(() => new Views(catalog, () => rules as never).of(grantsOf([])), message);
    });
  }

  it('of code that embeds the server has no conditions on rows, for any rules', () => {
    const { full } = new Views(catalog, () => ({ [TAG]: { name: 'red' } }));
    strictEqual(full.view.rows.byType.size, 0);
  });
});
