/** A recorded version of a document, without its content. */
import type { Actor } from '../db/interface/actor.ts';
import type { Replacement } from '../db/interface/change.ts';

/** Who made a version: an actor without its address. */
export type Author = Omit<Actor, 'address'>;

export interface Version {
  /** A number, after `strapi-` for versions that the reference recorded. */
  readonly id: string;
  readonly status: 'draft' | 'published';
  /** Null on types without locales. */
  readonly locale: string | null;
  /** When it was saved or published, in ISO 8601. */
  readonly savedAt: string;
  /** Null if it is not known. */
  readonly savedBy: Author | null;
  /** When it was replaced or removed, in ISO 8601, by whom and why; null for versions that the reference recorded. */
  readonly replacedAt: string | null;
  readonly replacedBy: Author | null;
  readonly reason: Replacement['kind'] | null;
}

/** The values of a recorded version by attribute. */
export type Content = Readonly<Record<string, unknown>>;

/** Versions on a page, and the number of all of them. */
export interface VersionPage {
  readonly versions: readonly Version[];
  readonly total: number;
}

export interface VersionAddress {
  readonly uid: string;
  readonly documentId: string;
}
