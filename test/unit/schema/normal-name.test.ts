/** What Strapi 5.54 calls files and folders of these names; looked up by running it. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byNormalName, normalName } from '../../../src/schema/normal-name.ts';

const NAMES: Readonly<Record<string, string>> = {
  'is-owner': 'is-owner',
  v2guard: 'v2guard',
  isOwner: 'is-owner',
  IsOwner: 'is-owner',
  is_owner: 'is-owner',
  'is owner': 'is-owner',
  HTTPGuard: 'http-guard',
  isReader2: 'is-reader-2',
  '2ndGuard': '2nd-guard',
  '10th_GUARD': '10th-guard',
  'foo.bar': 'foo-bar',
  "don'tGuard": 'dont-guard',
  überGuard: 'uber-guard',
  Straße: 'strasse',
  Lifecycles: 'lifecycles',
  Big_API2: 'big-api-2',
  日本: '日本',
  '': '',
};

describe('normal names', () => {
  it('are those that lodash gives', () => {
    deepStrictEqual(Object.fromEntries(Object.keys(NAMES).map((name) => [name, normalName(name)])), NAMES);
  });

  it('are of the last of several names, in the place of the first', () => {
    deepStrictEqual(
      [...byNormalName(['is-owner', 'isAdmin', 'isOwner'])],
      [
        ['is-owner', 'isOwner'],
        ['is-admin', 'isAdmin'],
      ],
    );
  });
});
