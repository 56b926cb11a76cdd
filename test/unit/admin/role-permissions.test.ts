/** Permissions of a role while they are edited. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  coverage,
  differencesOf,
  EVERYTHING,
  extentOf,
  fieldRows,
  keyOf,
  partsOf,
  permissionsOf,
  withCondition,
  withEdit,
  withLater,
  withNames,
} from '../../../admin/src/pages/roles/permissions.ts';

const ALL = ['title', 'body', 'seo.head', 'seo.image'];
const CREATOR = 'admin::is-creator';

describe('permissions of a role', () => {
  it('lose and get fields, and end with the last one', () => {
    const change = { key: 'fields', all: ALL } as const;
    const without = withNames(EVERYTHING, { ...change, names: ['seo.head', 'seo.image'], isOn: false });
    deepStrictEqual(without, { ...EVERYTHING, fields: ['title', 'body'] });
    strictEqual(coverage(without ?? undefined, 'fields', ALL), 'mixed');
    strictEqual(withNames(without!, { ...change, names: ['title', 'body'], isOn: false }), null);
    deepStrictEqual(withNames(undefined, { ...change, names: ['body'], isOn: true }), {
      ...EVERYTHING,
      fields: ['body'],
    });
    // a list of all fields is not the same as all fields, also later ones
    const again = withNames(without!, { ...change, names: ['seo.head', 'seo.image'], isOn: true });
    deepStrictEqual([again?.fields, extentOf(again!)], [ALL, 'mixed']);
    deepStrictEqual(extentOf(withLater(again!, { ...change, isOn: true })), true);
  });

  it('are listed by component, and merged where a role has several', () => {
    deepStrictEqual(
      fieldRows(ALL).map(({ name, depth, names }) => [name, depth, names.length]),
      [
        ['title', 0, 1],
        ['body', 0, 1],
        ['seo', 0, 2],
        ['seo.head', 1, 1],
        ['seo.image', 1, 1],
      ],
    );
    const of = { action: 'a.read', subject: 's' };
    const merged = permissionsOf({
      permissions: [
        { ...of, fields: ['title'], locales: null, conditions: [CREATOR] },
        { ...of, fields: ['body'], locales: ['en'], conditions: [] },
      ],
    });
    deepStrictEqual([...merged], [['a.read s', { fields: ['title', 'body'], locales: null, conditions: [] }]]);
    deepStrictEqual([partsOf(keyOf('a.read', null)), partsOf('a.read s')], [{ action: 'a.read', subject: null }, of]);
  });

  it('drop an edit that restores the stored permission, and describe the others', () => {
    const stored = new Map([['a.read s', EVERYTHING]]);
    const own = withCondition(EVERYTHING, CREATOR, true);
    const edits = withEdit(new Map(), stored, 'a.read s', own);
    strictEqual(edits.size, 1);
    strictEqual(withEdit(edits, stored, 'a.read s', withCondition(own, CREATOR, false)).size, 0);
    const all = { fields: ALL, locales: ['en', 'de'] };
    deepStrictEqual(differencesOf(EVERYTHING, { fields: ['title'], locales: null, conditions: [CREATOR] }, all), [
      { isGrant: false, about: 'fields', names: ['body', 'seo.head', 'seo.image'] },
      { isGrant: false, about: 'laterFields', names: [] },
      { isGrant: false, about: 'condition', names: [CREATOR] },
    ]);
    deepStrictEqual(differencesOf(own, { ...EVERYTHING, locales: ['en'] }, all), [
      { isGrant: true, about: 'noCondition', names: [] },
      { isGrant: false, about: 'locales', names: ['de'] },
      { isGrant: false, about: 'laterLocales', names: [] },
    ]);
    deepStrictEqual(differencesOf(undefined, EVERYTHING, all), [{ isGrant: true, about: 'all', names: [] }]);
    deepStrictEqual(differencesOf(undefined, { fields: ['title'], locales: ['de'], conditions: [CREATOR] }, all), [
      { isGrant: true, about: 'all', names: [] },
      { isGrant: true, about: 'onlyFields', names: ['title'] },
      { isGrant: true, about: 'onlyLocales', names: ['de'] },
      { isGrant: true, about: 'condition', names: [CREATOR] },
    ]);
    deepStrictEqual(differencesOf(EVERYTHING, null, all), [{ isGrant: false, about: 'all', names: [] }]);
  });
});
