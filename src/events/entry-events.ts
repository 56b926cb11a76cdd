/** Changes under the names that the reference has for them: those of webhooks, and of `strapi.eventHub`. */
import type { Change } from '../db/interface/change.ts';
import { FILE_UID } from '../schema/catalog.ts';
import type { Entries, EntryAddress } from './entries.ts';
import type { WebhookEvent } from './webhooks/webhook.ts';

/** Events of documents by what happened to them. */
export const ENTRY_EVENTS: Readonly<Record<Change['kind'], WebhookEvent>> = {
  created: 'entry.create',
  updated: 'entry.update',
  published: 'entry.publish',
  unpublished: 'entry.unpublish',
  discarded: 'entry.draft-discard',
  deleted: 'entry.delete',
};
/** Those of files. */
export const MEDIA_EVENTS: Partial<Readonly<Record<Change['kind'], WebhookEvent>>> = {
  created: 'media.create',
  updated: 'media.update',
  deleted: 'media.delete',
};

/** The name of a change; undefined for what is told to nobody. @param entries undefined: no project is in place. */
export function eventOf(
  entries: Entries | undefined,
  { uid, kind }: Pick<Change, 'uid' | 'kind'>,
): WebhookEvent | undefined {
  if (uid === FILE_UID) return MEDIA_EVENTS[kind];
  return entries?.modelOf(uid) === undefined ? undefined : ENTRY_EVENTS[kind];
}

/** The version that a change is of. */
export const addressOf = ({ uid, documentId, locale, status, before, after }: Change): EntryAddress => ({
  uid,
  documentId,
  locale,
  status,
  row: after ?? before ?? 0,
});
