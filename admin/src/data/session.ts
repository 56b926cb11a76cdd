/** The session of the administrator. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Right, Session } from '../../contract/contract.ts';
import { RefusedError, request } from './client.ts';
import { PRESENCE } from './one-user.ts';

/** Being signed out is a normal answer, not an error. */
export type Presence =
  | { readonly signedIn: true; readonly session: Session }
  | {
      readonly signedIn: false;
      readonly firstAdministrator: boolean;
      /** The command that creates the first administrator. */
      readonly command?: string | undefined;
      /** Whether the user has signed out: then the sign-in page does not lead back. */
      readonly onPurpose?: boolean;
    };

/** The presence of a session that the server has just returned. */
export function presenceOf(session: Session): Presence {
  return { signedIn: true, session };
}

/** The milliseconds after which the session is refetched when a page uses it. */
const FRESH = 60_000;

export const presenceQuery = queryOptions({
  queryKey: [PRESENCE],
  queryFn: async ({ signal }): Promise<Presence> => {
    try {
      return presenceOf((await request('GET session', { signal })).data);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 401) throw error;
      const { firstAdministrator, command } = error.details;
      return {
        signedIn: false,
        firstAdministrator: firstAdministrator === true,
        ...(typeof command === 'string' && { command }),
      };
    }
  },
  staleTime: FRESH,
  gcTime: Number.POSITIVE_INFINITY,
  meta: { isStored: true },
});

/** Whether a token can create the first administrator. True if the check fails: the form then shows the error. */
export async function canCreateFirst(token: string): Promise<boolean> {
  try {
    await request('POST first-administrator/check', { body: { token } });
    return true;
  } catch (error) {
    return !(error instanceof RefusedError) || ![400, 403].includes(error.status);
  }
}

/** The person whom a token invites; undefined if the token is invalid. Other errors are thrown. */
export async function invitedBy(token: string): Promise<Invited | undefined> {
  try {
    return (await request('POST invitation/check', { body: { token } })).data;
  } catch (error) {
    if (error instanceof RefusedError && [400, 403].includes(error.status)) return undefined;
    throw error;
  }
}

export interface Invited {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
}

/** Whether a token can reset a password. True if the check fails: the form then shows the error. */
export async function canReset(token: string): Promise<boolean> {
  try {
    await request('POST password-reset/check', { body: { token } });
    return true;
  } catch (error) {
    return !(error instanceof RefusedError) || ![400, 403].includes(error.status);
  }
}

/** Whether the server can send e-mail with links that reset passwords, and the command that does without. */
export const resetQuery = queryOptions({
  queryKey: ['password-reset'],
  queryFn: async ({ signal }) => (await request('GET password-reset', { signal })).data,
  staleTime: FRESH,
});

/** The session. Only pages inside the shell, which requires one, may use it. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(presenceQuery);
  // The shell may render once more after the session has ended.
  const last = useRef<Session>(undefined);
  if (data.signedIn) last.current = data.session;
  if (!last.current) throw new Error('nobody is signed in');
  return last.current;
}

/** Whether the rights permit an action, on a type if the action concerns one. */
export function permits(rights: readonly Right[], action: string, subject: string | null = null): boolean {
  return rights.some((right) => right.action === action && right.subject === subject);
}

/** Whether the administrator has the super admin role. */
export const isSuper = ({ roles }: Pick<Session, 'roles'>): boolean =>
  roles.some(({ code }) => code === 'strapi-super-admin');

/** Whether a role requires a second factor that has to be set up first. Until then, nothing else is permitted. */
export const isFactorDue = ({ user }: Pick<Session, 'user'>): boolean =>
  user.secondFactorRequired && !user.secondFactor;

/** The name of an administrator; the e-mail address if there is no name. */
export function nameOf(user: Pick<Session['user'], 'firstname' | 'lastname' | 'email'>): string {
  return [user.firstname, user.lastname].filter(Boolean).join(' ') || user.email;
}
