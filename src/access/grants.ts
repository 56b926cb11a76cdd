/** Who is calling and what they may do. Pure: `users/` loads tokens and roles and hands a `Grants` value over. */

/** The rights of one caller. */
export interface Grants {
  /** Equal for callers with equal rights: part of the key of cached plans. */
  readonly key: string;
  /** May do everything: full-access tokens, and code that embeds the server. */
  readonly all: boolean;
  /** May perform actions whose names end in `find` or `findOne`: read-only tokens. */
  readonly reads: boolean;
  readonly actions: ReadonlySet<string>;
  /**
   * Actions that nobody may perform over HTTP, whatever was granted, with what the administrator is told of it: code of
   * the project stands before them and is not run. Empty for code that embeds the server. It does not count for what
   * is populated or filtered: no code would have run for that either (docs/reference/project-code.md). The uid of a type
   * among them says that the type is not shown through others either: code may hide attributes of it.
   */
  readonly closed: ReadonlyMap<string, string>;
  /** The type of the role that has them, such as `authenticated`; undefined for tokens. */
  readonly role?: string | undefined;
}

const NONE_CLOSED: ReadonlyMap<string, string> = new Map();

export const FULL_ACCESS: Grants = { key: 'all', all: true, reads: false, actions: new Set(), closed: NONE_CLOSED };
export const READ_ONLY: Grants = { key: 'reads', all: false, reads: true, actions: new Set(), closed: NONE_CLOSED };

/** Grants of a list of actions such as `api::article.article.find`. @param role the type of the role that has them. */
export function grantsOf(actions: Iterable<string>, role?: string): Grants {
  const set = new Set(actions);
  const key = `some\n${[...set].sort().join('\n')}`;
  return { key, all: false, reads: false, actions: set, closed: NONE_CLOSED, role };
}

/** Actions that read-only tokens may perform, by how their names end, as in the reference. */
const READING = /find(?:One)?$/;

/** Whether an action was granted, closed or not. */
function isGranted(grants: Grants, action: string): boolean {
  return grants.all || grants.actions.has(action) || (grants.reads && READING.test(action));
}

/** Whether the caller may perform an action: `<uid>.<operation>`. */
export function may(grants: Grants, action: string): boolean {
  return isGranted(grants, action) && !grants.closed.has(action);
}

/** Why an action that was granted is closed all the same; undefined for one that is not. */
export function closedReason(grants: Grants, action: string): string | undefined {
  return isGranted(grants, action) ? grants.closed.get(action) : undefined;
}

/** Whether a type's documents are found by nobody, whatever is granted: administrators' accounts. */
export const isNeverFound = (uid: string): boolean => uid.startsWith('admin::');

/** Whether the caller may find documents of a type, as its grants say. */
export function mayFind(grants: Grants, uid: string): boolean {
  return !isNeverFound(uid) && isGranted(grants, `${uid}.find`);
}

/** Whether nobody may see anything of a type, media included, which need no grant. */
export function isSealed(grants: Grants, uid: string): boolean {
  return grants.closed.has(uid);
}

/** Actions that rules of access are about: `find` covers all reading, the others rows before and after they are written. */
export const ACCESS_ACTIONS = ['find', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];
