/** Changes of a transaction, as readers can observe them. */
import { type ChangeDetails, detailsOfBoth } from './action.ts';
import type { Actor } from './actor.ts';

/** What happened to one version of a document: its draft or published row in one locale. */
export type ChangeKind = 'created' | 'updated' | 'published' | 'unpublished' | 'discarded' | 'deleted';

/** A change of one document in one locale and status. */
export interface Change {
  /** The uid of the content type, also for files, accounts, roles, tokens and locales. */
  readonly uid: string;
  readonly documentId: string;
  /** Null on types without locales. */
  readonly locale: string | null;
  /** Which of the two rows changed; `published` on types without drafts. */
  readonly status: 'draft' | 'published';
  readonly kind: ChangeKind;
  /** The row's id before and after the change; undefined if the row did not or does not exist. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Who made the change. */
  readonly by: Actor;
  /** Epoch milliseconds. */
  readonly at: number;
  /** For the log of actions. Undefined for a change of another document that followed from the write. */
  readonly details?: ChangeDetails | undefined;
}

/** A version of a document that is about to be removed. */
export type Removal = Pick<Change, 'uid' | 'documentId' | 'locale' | 'status'> & {
  readonly kind: 'unpublished' | 'deleted';
  readonly row: number;
};

/** Rows of a document, a file or a folder that are about to be deleted. */
export interface RemovedRows {
  readonly uid: string;
  readonly documentId: string;
  /** The document id of the folder with which a file is deleted. */
  readonly folder?: string | undefined;
  /** Whether other rows may contain links from or to the rows. */
  readonly isLinked: boolean;
  readonly rows: readonly (Pick<Change, 'locale' | 'status'> & { readonly id: number })[];
}

/** A version whose present state is about to be replaced or removed. */
export type Replacement = Pick<Change, 'uid' | 'documentId' | 'locale' | 'status'> & {
  /** `restored`: an older state takes its place; `imported`: a row of a file, by an import that can be undone. */
  readonly kind: ChangeKind | 'restored' | 'imported';
  readonly row: number;
  /** Which attributes of the row have values (`readFilled`), where the caller has read it. */
  readonly filled?: string | undefined;
  /** The `updatedAt` of the row before and after the change, in epoch milliseconds, where the caller has both. */
  readonly times?: { readonly before: number; readonly after: number } | undefined;
};

/** A key that identifies the version of a document. */
export function versionKey(version: Pick<Change, 'uid' | 'documentId' | 'locale' | 'status'>): string {
  const { uid, documentId, locale, status } = version;
  // only the last part may be any text
  return `${uid}\n${status}\n${locale ?? ''}\n${documentId}`;
}

/**
 * The net effect of two changes of one version, the earlier one first: none if the version was created and removed
 * again. Undefined if they stay separate, such as a removal and a new version in its place.
 */
export function combined(earlier: Change, later: Change): readonly [] | readonly [Change] | undefined {
  if (earlier.after === undefined) return undefined;
  const { before } = earlier;
  if (later.after === undefined) return before === undefined ? [] : [{ ...later, before }];
  const isUpdate = later.kind === 'updated';
  const details = detailsOfBoth(earlier.details, later.details);
  return [{ ...(isUpdate ? earlier : later), before, after: later.after, ...(details && { details }) }];
}

/** Changes in their order. Several changes of one version are combined. */
export class Changes {
  /** A hole stands for changes that cancelled each other out. */
  readonly #noted: (Change | undefined)[] = [];
  /** The index of the change of each version with which a later one is combined. */
  readonly #open = new Map<string, number>();

  /** Increases with each change that is not combined with an earlier one. */
  get count(): number {
    return this.#noted.length;
  }

  add(change: Change): void {
    const key = versionKey(change);
    const index = this.#open.get(key);
    const before = index === undefined ? undefined : this.#noted[index];
    const both = before && combined(before, change);
    if (both) {
      this.#noted[index!] = both[0];
      return;
    }
    if (!before) this.#open.set(key, this.#noted.length);
    this.#noted.push(change);
  }

  /** The changes after the first ones, whose number is an earlier `count`. */
  from(first: number): Change[] {
    return this.#noted.slice(first).filter((change) => change !== undefined);
  }

  /** Keeps later changes from being combined with the present ones. */
  close(): void {
    this.#open.clear();
  }
}
