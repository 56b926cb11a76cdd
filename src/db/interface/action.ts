/** What the log of actions records beside the fields of a `Change`: never content, and no secrets. */
import type { Actor } from './actor.ts';

/** The names of all actions in the log: docs/reference/audit.md. Those of changes have the name of a noun and a verb. */
export const ACTION_NAMES = [
  'entry.create',
  'entry.update',
  'entry.delete',
  'entry.publish',
  'entry.unpublish',
  'entry.draft-discard',
  'release.revert',
  'release.create',
  'release.update',
  'release.delete',
  'rows.export',
  'rows.import',
  'rows.undo',
  'content.import',
  'release.run',
  'release.fail',
  'schedule.create',
  'schedule.update',
  'schedule.cancel',
  'schedule.retry',
  'schedule.fail',
  'review.stage',
  'review.assign',
  'workflow.create',
  'workflow.update',
  'workflow.delete',
  'comment.create',
  'comment.update',
  'comment.delete',
  'trash.restore',
  'trash.delete',
  'media.create',
  'media.update',
  'media.delete',
  'media-folder.create',
  'media-folder.update',
  'media-folder.delete',
  'admin.auth.success',
  'admin.auth.error',
  'admin.logout',
  'admin.session.end',
  'admin.second-factor.enable',
  'admin.second-factor.disable',
  'admin.second-factor.renew-codes',
  'site.auth.success',
  'site.auth.error',
  'site.logout',
  'site.session.end',
  'user.create',
  'user.update',
  'user.delete',
  'user.invite',
  'user.forgot-password',
  'role.create',
  'role.update',
  'role.delete',
  'permission.update',
  'api-token.create',
  'api-token.update',
  'api-token.delete',
  'api-token.regenerate',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'locale.create',
  'locale.update',
  'locale.delete',
  'locale.default.update',
  'settings.update',
  'layout.update',
  'content-type.create',
  'content-type.update',
  'content-type.delete',
  'component.create',
  'component.update',
  'component.delete',
  'job.run',
  'audit-log.export',
] as const;
export type ActionName = (typeof ACTION_NAMES)[number];

/** What a change concerned. Names and lists may be of any length: the log cuts them. */
export interface ChangeDetails {
  /** The names of the written attributes or settings. */
  readonly fields?: readonly string[];
  /** The name of the changed thing, if it is not content: of a role, token or person. */
  readonly name?: string;
  /** The action, where the kind of the change does not say it: `permission.update`. */
  readonly action?: ActionName;
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
export type NewAction = Omit<Action, 'by' | 'at' | 'action'> & {
  readonly action: ActionName;
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
