/** Who is calling and what they may do. Pure: `users/` loads tokens and roles and hands a `Grants` value over. */

/** The rights of one caller. */
export interface Grants {
  /** Equal for callers with equal rights: part of the key of cached plans. */
  readonly key: string;
  /** May do everything: full-access tokens, and code that embeds the server. */
  readonly all: boolean;
  /** May do whatever only reads: read-only tokens. */
  readonly reads: boolean;
  readonly actions: ReadonlySet<string>;
}

export const FULL_ACCESS: Grants = { key: 'all', all: true, reads: false, actions: new Set() };
export const READ_ONLY: Grants = { key: 'reads', all: false, reads: true, actions: new Set() };

/** Grants of a list of actions such as `api::article.article.find`. */
export function grantsOf(actions: Iterable<string>): Grants {
  const set = new Set(actions);
  return { key: `some\n${[...set].sort().join('\n')}`, all: false, reads: false, actions: set };
}

/**
 * Last words of actions that only read. The reference knows `find` and `findOne`; counting and paging files are
 * reading as well (behaviour-media-access.md, "be better").
 */
const READING = /\.(find|findOne|count|findPage|listLocales)$/;

/** Whether the caller may perform an action: `<uid>.<operation>`. */
export function may(grants: Grants, action: string): boolean {
  return grants.all || grants.actions.has(action) || (grants.reads && READING.test(action));
}

/**
 * Whether documents of a type are visible to the caller, so that it may be populated, filtered and sorted through.
 * Administrators' accounts never are.
 */
export function mayFind(grants: Grants, uid: string): boolean {
  return !uid.startsWith('admin::') && may(grants, `${uid}.find`);
}
