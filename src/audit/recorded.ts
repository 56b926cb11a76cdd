/** Turns the changes and actions of a transaction into entries: one for each action on a document. */
import type { Action } from '../db/interface/action.ts';
import type { Change, ChangeKind } from '../db/interface/change.ts';
import { WEBHOOK_UID } from '../events/webhooks/webhook.ts';
import { ADMIN_USER_UID, FILE_UID, LOCALE_UID, ROLE_UID } from '../schema/catalog.ts';
import { TOKEN_UID } from '../users/sessions/tokens.ts';
import type { NewEntry } from './entry.ts';

/** What entries about types of Galley's own are about; any other type has entries. */
const NOUNS: Readonly<Record<string, string>> = {
  [FILE_UID]: 'media',
  [ADMIN_USER_UID]: 'user',
  [ROLE_UID]: 'role',
  [TOKEN_UID]: 'api-token',
  [LOCALE_UID]: 'locale',
  [WEBHOOK_UID]: 'webhook',
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
  readonly locales: Set<string>;
  readonly fields: Set<string>;
}

export function entriesOf(changes: readonly Change[], actions: readonly Action[]): NewEntry[] {
  const entries = actions.map(
    ({ fields, more, name, ...action }): NewEntry => ({ ...action, name, details: { fields, ...more } }),
  );
  // most transactions change one version
  if (changes.length === 1) return [entryOfGroup(groupOf(changes[0]!)), ...entries];
  return [...groupsOf(changes).map(entryOfGroup), ...entries];
}

function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  /** Whether any version of a document was changed by the write itself. */
  const direct = new Map<string, Group>();
  const indirect: Change[] = [];
  for (const change of changes) {
    if (isIndirect(change)) {
      indirect.push(change);
      continue;
    }
    const group = groupOf(change);
    const key = `${group.action}\n${documentOf(change)}`;
    const same = groups.get(key);
    if (same) join(same, group);
    else {
      groups.set(key, group);
      if (!direct.has(documentOf(change))) direct.set(documentOf(change), group);
    }
  }
  for (const change of indirect) {
    const document = documentOf(change);
    const group = groupOf(change);
    const known = direct.get(document);
    if (known) join(known, group);
    else {
      groups.set(`indirect\n${document}`, group);
      direct.set(document, group);
    }
  }
  return [...groups.values()];
}

/** Whether a change followed from a write of another version: a link that it took, or a value that locales share. */
const isIndirect = ({ kind, details }: Change): boolean => kind === 'updated' && details === undefined;

const documentOf = ({ uid, documentId }: Change): string => `${uid}\n${documentId}`;

const groupOf = (change: Change): Group => ({
  change,
  action: change.details?.action ?? `${NOUNS[change.uid] ?? 'entry'}.${VERBS[change.kind]}`,
  locales: new Set(change.locale === null ? [] : [change.locale]),
  fields: new Set(change.details?.fields),
});

function join(group: Group, { locales, fields }: Group): void {
  for (const locale of locales) group.locales.add(locale);
  for (const field of fields) group.fields.add(field);
}

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
      locales: locales.size > 0 ? [...locales] : undefined,
      fields: fields.size > 0 ? [...fields] : undefined,
      indirect: isIndirect(change) || undefined,
      ...details?.more,
    },
  };
}
