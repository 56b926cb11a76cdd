/** Names of permissions of roles. */
import { match } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Text } from '../../../admin/src/language/messages.ts';
import { actionName, groupName, groupOf } from '../../../admin/src/pages/roles/permission-texts.ts';
import { SETTINGS } from '../../../src/access/administrators/administrator-rights.ts';

describe('permissions of a role without a type', () => {
  it('have names in the catalogues', () => {
    const t = ((key: string) => key) as Text;
    for (const action of SETTINGS) {
      match(actionName(t, action), /^role\.(?:action|verb)\.[\w.]+$/, action);
      match(groupName(t, groupOf(action)), /^(?:role\.group\.\w+|\w+\.title)$/, action);
    }
  });
});
