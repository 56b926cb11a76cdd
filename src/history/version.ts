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

export interface VersionWithContent {
  readonly version: Version;
  readonly content: Content;
}

/** Versions on a page, and the number of all of them. */
export interface VersionPage {
  readonly versions: readonly Version[];
  readonly total: number;
}

export interface VersionAddress {
  readonly uid: string;
  readonly documentId: string;
  /** The locales whose versions are shown; undefined: all. */
  readonly locales?: readonly string[];
  /** Whether versions from before a deletion of the document are hidden: conditions on rows apply to present ones. */
  readonly isSinceDeletion?: boolean;
}

/** The shown locales as the value of a statement, with a requested one alone; undefined: all. */
export function localesValue({ locales }: VersionAddress, requested: string | undefined): string | undefined {
  const wanted = requested === undefined ? locales : (locales ?? [requested]).filter((code) => code === requested);
  return wanted && JSON.stringify(wanted.map((code) => [code]));
}
