/** The rights of a caller. Pure: `users/` loads tokens and roles and passes `Grants`. */

/** The rights of one caller. */
export interface Grants {
  /** Equal for callers with equal rights. Part of the key of cached plans. */
  readonly key: string;
  /** True for full-access tokens and code that embeds the server: every action is granted. */
  readonly all: boolean;
  /** True for read-only tokens: actions whose names end in `find` or `findOne` are granted. */
  readonly reads: boolean;
  readonly actions: ReadonlySet<string>;
  /**
   * Actions that are closed over HTTP regardless of grants, with the reason for the administrator: project code that
   * guards them does not run. Empty for code that embeds the server. Populating and filtering stay possible, since that
   * code would not run for them either (docs/reference/project-code.md). A uid of a type among them means that the type
   * is not shown through other types, since code may hide its attributes.
   */
  readonly closed: ReadonlyMap<string, string>;
  /** The type of the role, such as `authenticated`; undefined for tokens. */
  readonly role?: string | undefined;
}

const NONE_CLOSED: ReadonlyMap<string, string> = new Map();

export const FULL_ACCESS: Grants = { key: 'all', all: true, reads: false, actions: new Set(), closed: NONE_CLOSED };
export const READ_ONLY: Grants = { key: 'reads', all: false, reads: true, actions: new Set(), closed: NONE_CLOSED };

/** Grants of a list of actions such as `api::article.article.find`. @param role the type of the role. */
export function grantsOf(actions: Iterable<string>, role?: string): Grants {
  const set = new Set(actions);
  const key = `some\n${[...set].sort().join('\n')}`;
  return { key, all: false, reads: false, actions: set, closed: NONE_CLOSED, role };
}

/** Endings of the actions that read-only tokens may perform, as in the reference. */
const READING = /find(?:One)?$/;

/** True for an action that is granted, even if it is closed. */
function isGranted(grants: Grants, action: string): boolean {
  return grants.all || grants.actions.has(action) || (grants.reads && READING.test(action));
}

/** True for an action, `<uid>.<operation>`, that the caller may perform. */
export function may(grants: Grants, action: string): boolean {
  return isGranted(grants, action) && !grants.closed.has(action);
}

/** The reason why a granted action is closed; undefined for an open action. */
export function closedReason(grants: Grants, action: string): string | undefined {
  return isGranted(grants, action) ? grants.closed.get(action) : undefined;
}

/** True for types whose documents no caller can find: accounts of administrators. */
export const isNeverFound = (uid: string): boolean => uid.startsWith('admin::');

/** True where the grants let the caller find documents of a type. */
export function mayFind(grants: Grants, uid: string): boolean {
  return !isNeverFound(uid) && isGranted(grants, `${uid}.find`);
}

/** True for a type that is hidden completely, including media, which need no grant. */
export function isSealed(grants: Grants, uid: string): boolean {
  return grants.closed.has(uid);
}

/** Actions that rules of access are about: `find` covers all reading, the others rows before and after they are written. */
export const ACCESS_ACTIONS = ['find', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];
