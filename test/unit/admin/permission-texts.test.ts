/** Names of permissions of roles, and the columns of site permissions. */
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { en } from '../../../admin/src/language/en.ts';
import type { Text } from '../../../admin/src/language/messages.ts';
import { columnOf } from '../../../admin/src/pages/permissions/words.ts';
import { actionName, groupName, groupOf } from '../../../admin/src/pages/roles/permission-texts.ts';
import { SETTINGS } from '../../../src/access/administrators/administrator-rights.ts';

describe('permissions of a role without a type', () => {
  it('have names in the catalogues', () => {
    const t = ((key: string) => key) as Text;
    for (const action of SETTINGS) {
      match(actionName(t, action), /^role\.(?:action|verb)\.[\w.]+$/, action);
      ok(Object.hasOwn(en, groupName(t, groupOf(action))), action);
    }
  });
});

describe('columns of site permissions', () => {
  it('are those of the actions, and of reading for a single type, which has no list', () => {
    const columnsOf = (kind: 'collectionType' | 'singleType') =>
      ['find', 'findOne', 'update', 'search'].map((name) => columnOf({ kind }, { name }));
    deepStrictEqual(columnsOf('collectionType'), ['find', 'findOne', 'update', undefined]);
    deepStrictEqual(columnsOf('singleType'), ['findOne', 'findOne', 'update', undefined]);
  });
});
