/** What one user has seen, when another one is signed in. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { clearWhenUserChanges, PRESENCE } from '../../../admin/src/data/one-user.ts';

describe('cached data of one user', () => {
  const seenAfter = (presence: unknown): readonly string[] => {
    const client = new QueryClient();
    clearWhenUserChanges(client, () => undefined);
    client.setQueryData([PRESENCE], { signedIn: true, session: { user: { id: 1 } } });
    client.setQueryData(['document'], 'of the first');
    client.setQueryData([PRESENCE], presence);
    const keys = client
      .getQueryCache()
      .getAll()
      .map(({ queryKey }) => String(queryKey[0]));
    client.clear();
    return keys;
  };

  it('is deleted after signing out, and for another user', () => {
    deepStrictEqual(seenAfter({ signedIn: false, firstAdministrator: false }), [PRESENCE]);
    deepStrictEqual(seenAfter({ signedIn: true, session: { user: { id: 2 } } }), [PRESENCE]);
    deepStrictEqual(seenAfter({ signedIn: true, session: { user: { id: 1 } } }), [PRESENCE, 'document']);
  });
});
