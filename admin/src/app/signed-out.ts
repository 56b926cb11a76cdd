/** The end of a session. */
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Presence } from '../data/session.ts';
import { deleteAnswers } from '../data/stored-answers.ts';
import type { SignInReturn } from './sign-in-return.ts';

/**
 * Redirects to the sign-in page as soon as the session has ended.
 *
 * @param presence undefined while it is unknown.
 * @param way the way back, unless the user has signed out.
 */
export function useSignedOut(presence: Presence | undefined, way: () => SignInReturn): void {
  const router = useRouter();
  const back = useRef(way);
  back.current = way;
  const out = presence?.signedIn === false ? presence : undefined;
  useEffect(() => {
    if (!out) return;
    void deleteAnswers();
    void router.navigate({ to: '/sign-in', search: out.onPurpose ? {} : back.current(), replace: true });
  }, [out, router]);
}
