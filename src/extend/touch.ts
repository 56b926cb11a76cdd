/** What of a project's code does to actions, had it run. */

/**
 * What code does, where that matters beyond the actions: it is a middleware `around` every request, stands before rows or
 * documents (`hook`), does something to `strapi` that is not known to be harmless, or adds `unreadRoutes`, which reading it
 * does not show.
 */
export type TouchKind = 'around' | 'hook' | 'strapi' | 'unreadRoutes';

/** A piece of code, and the actions that it may refuse, filter or change. */
export interface Touch {
  /** Uids of types among them stand for what other types show of these: attributes may be hidden by code. */
  readonly actions: readonly string[] | 'all';
  /** The file, or the name of a global middleware: what `safeToSkip` of `config/galley` names. */
  readonly code: string;
  /** `policy global::is-owner`, `overridden create`. */
  readonly what: string;
  readonly kind?: TouchKind | undefined;
  /** Whether it may refuse a request, as far as its text shows. It only orders what is printed at start. */
  readonly refuses: boolean;
  /** Whether it stands before requests of the content API alone: Strapi's panel goes to documents by a way of its own. */
  readonly ofApi?: boolean;
  /** Whether it also guards stored files, and those of the project. */
  readonly files?: boolean;
  /** Where in the text of its file all that it does to strapi stands; undefined where that is not known. */
  readonly places?: readonly number[] | undefined;
}

/** A touch of every action; of files too, if `files` says so. */
export const allActions = (
  code: string,
  what: string,
  { refuses = true, files = false, kind, places }: Partial<Pick<Touch, 'refuses' | 'files' | 'kind' | 'places'>> = {},
): Touch => ({ actions: 'all', code, what, kind, refuses, files, places });

/** Whether it is a middleware of the project that stands around every request. */
export const isAroundAll = ({ kind }: Touch): boolean => kind === 'around';
