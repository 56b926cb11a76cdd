/** Who is signed in. */
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Right, Session } from '../../contract/contract.ts';
import { RefusedError, request } from './client.ts';
import { PRESENCE } from './one-user.ts';

/** Being signed out is an answer like any other, not a failure. */
export type Presence =
  | { readonly signedIn: true; readonly session: Session }
  | {
      readonly signedIn: false;
      readonly firstAdministrator: boolean;
      /** What makes one at the terminal. */
      readonly command?: string | undefined;
      /** Somebody has signed out: there is nothing to go back to. */
      readonly onPurpose?: boolean;
    };

/** Being signed in, in a session that the server has just answered with. */
export function presenceOf(session: Session): Presence {
  return { signedIn: true, session };
}

/** Milliseconds after which it is asked again, when something leads there. */
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
  meta: { kept: true },
});

/** Whether a token makes the first administrator. What is not known is told when the form is sent. */
export async function isFirst(token: string): Promise<boolean> {
  try {
    await request('POST first-administrator/check', { body: { token } });
    return true;
  } catch (error) {
    return !(error instanceof RefusedError) || ![400, 403].includes(error.status);
  }
}

/** The person whom a token invites; undefined where it is not valid. What is not known is told when the form is sent. */
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

/** Whether a token resets a password. What is not known is told when the form is sent. */
export async function canReset(token: string): Promise<boolean> {
  try {
    await request('POST password-reset/check', { body: { token } });
    return true;
  } catch (error) {
    return !(error instanceof RefusedError) || ![400, 403].includes(error.status);
  }
}

/** Whether links that reset passwords are mailed. */
export const resetQuery = queryOptions({
  queryKey: ['password-reset'],
  queryFn: async ({ signal }): Promise<boolean> => (await request('GET password-reset', { signal })).data.isMailed,
  staleTime: FRESH,
});

/** The session, inside of the shell, which is drawn for those alone who have one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(presenceQuery);
  // what is drawn once more before the shell goes is still of the session that has ended
  const last = useRef<Session>(undefined);
  if (data.signedIn) last.current = data.session;
  if (!last.current) throw new Error('nobody is signed in');
  return last.current;
}

/** Whether one of the rights permits an action, on a type where it is about one. */
export function permits(rights: readonly Right[], action: string, subject: string | null = null): boolean {
  return rights.some((right) => right.action === action && right.subject === subject);
}

/** Whether somebody has the role of all rights. */
export const isSuper = ({ roles }: Pick<Session, 'roles'>): boolean =>
  roles.some(({ code }) => code === 'strapi-super-admin');

/** How somebody is called: by name, else by address. */
export function nameOf(user: Pick<Session['user'], 'firstname' | 'lastname' | 'email'>): string {
  return [user.firstname, user.lastname].filter(Boolean).join(' ') || user.email;
}
