/** Turns the changes and actions of a transaction into entries: one for each action on a document. */
import type { Action } from '../db/interface/action.ts';
import type { Change, ChangeKind } from '../db/interface/change.ts';
import { WEBHOOK_UID } from '../events/webhooks/webhook.ts';
import { ADMIN_USER_UID, FILE_UID, LOCALE_UID, RELEASE_UID, ROLE_UID } from '../schema/catalog.ts';
import { TOKEN_UID } from '../users/sessions/tokens.ts';
import type { NewEntry } from './entry.ts';

/** What entries about types of Galley's own are about; any other type has entries. */
export const NOUNS: Readonly<Record<string, string>> = {
  [FILE_UID]: 'media',
  [ADMIN_USER_UID]: 'user',
  [ROLE_UID]: 'role',
  [TOKEN_UID]: 'api-token',
  [LOCALE_UID]: 'locale',
  [WEBHOOK_UID]: 'webhook',
  [RELEASE_UID]: 'release',
};

/** The verbs of the reference. */
const VERBS: Readonly<Record<ChangeKind, string>> = {
  created: 'create',
  updated: 'update',
  published: 'publish',
  unpublished: 'unpublish',
  discarded: 'draft-discard',
  deleted: 'delete',
};

/** The changes of one document by one action. */
interface Group {
  readonly change: Change;
  readonly action: string;
  locales: readonly string[];
  fields: readonly string[];
}

export function entriesOf(changes: readonly Change[], actions: readonly Action[]): NewEntry[] {
  // most transactions change one version
  const groups = changes.length === 1 ? [groupOf(changes[0]!)] : groupsOf(changes);
  const entries = groups.map(entryOfGroup);
  for (const { fields, more, name, ...action } of actions)
    entries.push({ ...action, name, details: { fields, ...more } });
  return entries;
}

function groupsOf(changes: readonly Change[]): Group[] {
  const all: Group[] = [];
  const documents = new Map<string, Group[]>();
  const ofDocument = ({ uid, documentId }: Change): Group[] => {
    const key = `${uid}\n${documentId}`;
    const known = documents.get(key);
    if (known) return known;
    const groups: Group[] = [];
    documents.set(key, groups);
    return groups;
  };
  const add = (groups: Group[], group: Group): void => {
    all.push(group);
    groups.push(group);
  };
  for (const change of changes) {
    if (isIndirect(change)) continue;
    const groups = ofDocument(change);
    const group = groupOf(change);
    const same = groups.find(({ action }) => action === group.action);
    if (same) join(same, group);
    else add(groups, group);
  }
  // what follows from a write of the same document belongs to it
  for (const change of changes) {
    if (!isIndirect(change)) continue;
    const groups = ofDocument(change);
    if (groups[0]) join(groups[0], groupOf(change));
    else add(groups, groupOf(change));
  }
  return all;
}

/** Whether a change followed from a write of another version: a link that it took, or a value that locales share. */
const isIndirect = ({ kind, details }: Change): boolean => kind === 'updated' && details === undefined;

const NONE: readonly string[] = [];

const groupOf = (change: Change): Group => ({
  change,
  action: change.details?.action ?? `${NOUNS[change.uid] ?? 'entry'}.${VERBS[change.kind]}`,
  locales: change.locale === null ? NONE : [change.locale],
  fields: change.details?.fields ?? NONE,
});

function join(group: Group, { locales, fields }: Group): void {
  group.locales = both(group.locales, locales);
  group.fields = both(group.fields, fields);
}

const both = (some: readonly string[], more: readonly string[]): readonly string[] =>
  more.length === 0 ? some : some.length === 0 ? more : [...new Set([...some, ...more])];

function entryOfGroup({ change, action, locales, fields }: Group): NewEntry {
  const { uid, documentId, before, after, details, by, at } = change;
  // people, roles and the like are addressed by the ids of their rows
  const isRow = uid !== FILE_UID && NOUNS[uid] !== undefined;
  return {
    action,
    by,
    at,
    type: uid,
    id: isRow ? String(after ?? before) : documentId,
    name: details?.name,
    details: {
      locales: locales.length > 0 ? locales : undefined,
      fields: fields.length > 0 ? fields : undefined,
      indirect: isIndirect(change) || undefined,
      ...details?.more,
    },
  };
}
