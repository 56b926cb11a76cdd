/**
 * Lists the writes that everyone can perform without signing in, and reads of accounts and of the history. An action of
 * the role `public` writes unless all its routes are GET. The list leaves out the account endpoints that are open in every new project, such as registration:
 * they protect themselves, and would hide the lines that matter.
 */
import { listed } from '../counted.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { ACCOUNT_ACTION_PREFIX, PUBLIC_ACTIONS } from '../db/migration/bookkeeping.ts';
import { UsageError } from '../errors.ts';
import {
  type ActionSource,
  codeRequestsOf,
  isRead,
  onlyReads,
  openActions,
  readsHistory,
  requestsOf,
  requestText,
  typeAndName,
} from '../runtime/action-requests.ts';
import type { ContentType } from '../schema/catalog.ts';
import { findRoleId, grantedActions } from '../users/roles/roles.ts';
import type { Surroundings } from './command.ts';

export const PUBLIC = 'public';

/** The writes to one content type, or to one part of the server. */
export interface PublicWrite {
  /** `create and update articles`. */
  readonly words: string;
  /** `POST /api/articles`; empty if the routes of an action are unknown. */
  readonly requests: readonly string[];
}

/** The actions that every new project grants to the role `public`. */
const STANDING: ReadonlySet<string> = new Set(PUBLIC_ACTIONS.map((name) => ACCOUNT_ACTION_PREFIX + name));

const VERBS: Readonly<Record<string, string>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  createLocalization: 'translate',
  publish: 'publish',
  unpublish: 'unpublish',
  discardDraft: 'discard drafts of',
  restoreVersion: 'restore versions of',
  findVersions: 'read unpublished and earlier versions of',
};

/** Actions that read accounts. */
const ACCOUNT_READS: readonly string[] = ['find', 'findOne', 'count'].map(
  (name) => `plugin::users-permissions.user.${name}`,
);

const BUILT_IN_WORDS: Readonly<Record<string, string>> = {
  'plugin::upload.content-api.upload': 'upload files',
  'plugin::upload.content-api.destroy': 'delete files',
  'plugin::users-permissions.user.find': 'list all accounts with their e-mail addresses',
  'plugin::users-permissions.user.findOne': 'read every account with its e-mail address',
  'plugin::users-permissions.user.count': 'count the accounts',
  'plugin::users-permissions.user.create': 'create accounts',
  'plugin::users-permissions.user.update': 'change accounts',
  'plugin::users-permissions.user.destroy': 'delete accounts',
  'plugin::users-permissions.role.createRole': 'create roles',
  'plugin::users-permissions.role.updateRole': 'change roles',
  'plugin::users-permissions.role.deleteRole': 'delete roles',
  'plugin::i18n.locales.createLocale': 'add locales',
  'plugin::i18n.locales.updateLocale': 'change locales',
  'plugin::i18n.locales.deleteLocale': 'remove locales',
};

/** The actions that let everyone write, by the type or part of the server that they write to. */
export function publicWrites(source: ActionSource, actions: Iterable<string>): PublicWrite[] {
  const writes: PublicWrite[] = [];
  const byType = new Map<ContentType, string[]>();
  for (const action of new Set(actions)) {
    const isHarmless = onlyReads(source, action) && !ACCOUNT_READS.includes(action) && !readsHistory(source, action);
    if (STANDING.has(action) || isHarmless) continue;
    const [type, name] = typeAndName(source, action);
    if (type && name in VERBS) byType.set(type, [...(byType.get(type) ?? []), name]);
    else {
      const words = BUILT_IN_WORDS[action] ?? `call ${action}`;
      writes.push({ words, requests: requestsOf(source, action).map(requestText) });
    }
  }
  const order = Object.keys(VERBS);
  for (const [type, names] of byType) {
    const sorted = names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const noun = type.kind === 'singleType' ? `the ${type.singularName}` : type.pluralName;
    const requests = sorted.flatMap((name) => requestsOf(source, `${type.uid}.${name}`).map(requestText));
    writes.push({ words: `${listed(sorted.map((name) => VERBS[name]!))} ${noun}`, requests: [...new Set(requests)] });
  }
  return writes;
}

/** What everyone can write now, by grants of the role `public` and by routes without authentication. */
export async function grantedPublicWrites(source: ActionSource, db: Queryable): Promise<PublicWrite[]> {
  const role = await findRoleId(db, PUBLIC);
  const granted = role === undefined ? [] : publicWrites(source, [...(await grantedActions(db, role))].sort());
  const listedAlready = new Set(granted.flatMap(({ requests }) => requests));
  const open = openWrites(source).filter(({ requests }) => requests.some((request) => !listedAlready.has(request)));
  return [...granted, ...open];
}

/** One line for each. */
export const linesOf = (writes: readonly PublicWrite[]): string[] =>
  writes.map(({ words, requests }) => {
    const how = requests.length === 0 ? '' : `: ${requests.join(', ')}`;
    return `everyone can ${words} without signing in${how}`;
  });

/**
 * Prints what everyone will be able to write, and asks for confirmation at the terminal, unless `--yes` confirms it.
 *
 * @throws UsageError without confirmation.
 */
export async function confirmPublicWrites(
  writes: readonly PublicWrite[],
  isConfirmed: boolean,
  { warn, ask }: Pick<Surroundings, 'warn' | 'ask'>,
): Promise<void> {
  if (writes.length === 0) return;
  const words = listed(writes.map((write) => write.words));
  const requests = writes.flatMap((write) => write.requests);
  const how = requests.length === 0 ? '' : ` (${requests.join(', ')})`;
  warn(`This lets everyone who can reach the server ${words} without signing in${how}.`);
  if (isConfirmed) return;
  if (!ask)
    throw new UsageError('nothing was granted: if everyone should be able to do this, repeat the command with --yes');
  const answer = await ask('Grant this to everyone? [y/N] ');
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('nothing was granted', 1);
}

/** The routes of project code with `auth: false` that write, by their actions. */
function openWrites(source: ActionSource): PublicWrite[] {
  return [...openActions(source)].flatMap((action) => {
    const requests = codeRequestsOf(source, action).filter((request) => request.isOpen && !isRead(request));
    return requests.length === 0 ? [] : [{ words: `call ${action}`, requests: requests.map(requestText) }];
  });
}
