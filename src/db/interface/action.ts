/** What the log of actions records beside the fields of a `Change`: never content, and no secrets. */
import type { Actor } from './actor.ts';

/** What a change concerned. Names and lists may be of any length: the log cuts them. */
export interface ChangeDetails {
  /** The names of the written attributes or settings. */
  readonly fields?: readonly string[];
  /** The name of the changed thing, if it is not content: of a role, token or person. */
  readonly name?: string;
  /** The action, where the kind of the change does not say it: `permission.update`. */
  readonly action?: string;
  /** Further names and numbers. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** An action that changes no document, such as a sign-in. */
export interface Action {
  /** Such as `admin.auth.success`; the reference's name where it has one. */
  readonly action: string;
  /** The uid or name of the kind of its subject; null without a subject. */
  readonly type: string | null;
  /** The document id or row id of its subject; null if there is only one. */
  readonly id: string | null;
  readonly name?: string | undefined;
  readonly fields?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
  readonly by: Actor;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** An action as it is recorded: by the current actor at the current address, unless it names another one. */
export type NewAction = Omit<Action, 'by' | 'at'> & {
  readonly by?: (Omit<Actor, 'address'> & Partial<Pick<Actor, 'address'>>) | undefined;
};

/** The details of two changes of one version, the earlier one first. */
export function detailsOfBoth(
  earlier: ChangeDetails | undefined,
  later: ChangeDetails | undefined,
): ChangeDetails | undefined {
  if (!earlier || !later) return earlier ?? later;
  return { ...earlier, ...later, fields: [...new Set([...(earlier.fields ?? []), ...(later.fields ?? [])])] };
}

/** A failed attempt to sign in. */
export interface FailedSignIn {
  readonly action: 'admin.auth.error' | 'site.auth.error';
  /** What was wrong. */
  readonly reason: 'credentials' | 'code' | 'blocked' | 'unconfirmed';
  /** The account whose address was given; undefined for an unknown address, which may be a secret in the wrong field. */
  readonly account: { readonly type: string; readonly id: string; readonly name: string } | undefined;
}

/** Notes failed attempts to sign in. There may be any number of them. */
export type NoteFailedSignIn = (failed: FailedSignIn) => void;
