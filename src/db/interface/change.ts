/** What a transaction has changed, as a reader could observe it. */

/** What happened to one version of a document: its draft or published row in one locale. */
export type ChangeKind = 'created' | 'updated' | 'published' | 'unpublished' | 'discarded' | 'deleted';

/** A change of one document in one locale and status. */
export interface Change {
  /** The content type's uid; of files, accounts, roles, tokens and locales as well. */
  readonly uid: string;
  readonly documentId: string;
  /** Null on types without locales. */
  readonly locale: string | null;
  /** Which of the two rows changed; `published` on types without drafts. */
  readonly status: 'draft' | 'published';
  readonly kind: ChangeKind;
  /** The row's id before and after; undefined where there was, or is, none. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** Who: the account on which the work was done (`account.ts`). */
  readonly by: string;
  /** When: epoch milliseconds. */
  readonly at: number;
}

/** A version of a document that is about to be removed. */
export type Removal = Pick<Change, 'uid' | 'documentId' | 'locale' | 'status'> & {
  readonly kind: 'unpublished' | 'deleted';
  /** The row's id. */
  readonly row: number;
};

/** What tells the version of a document that a change is of from all others. */
export function versionKey(version: Pick<Change, 'uid' | 'documentId' | 'locale' | 'status'>): string {
  const { uid, documentId, locale, status } = version;
  // only the last of them may be any text
  return `${uid}\n${status}\n${locale ?? ''}\n${documentId}`;
}

/**
 * The net effect of two changes of one version, the earlier one first: none where it was created and removed again.
 * Undefined where they stay separate, as a removal and what is created in its place.
 */
export function combined(earlier: Change, later: Change): readonly [] | readonly [Change] | undefined {
  if (earlier.after === undefined) return undefined;
  const { before } = earlier;
  if (later.after === undefined) return before === undefined ? [] : [{ ...later, before }];
  const isUpdate = later.kind === 'updated';
  return [{ ...(isUpdate ? earlier : later), before, after: later.after }];
}

/** Changes in their order: of several of one version, what they come to. */
export class Changes {
  /** A hole stands for one that came to nothing. */
  readonly #noted: (Change | undefined)[] = [];
  /** Where in them the change of a version stands that a later one is combined with. */
  readonly #open = new Map<string, number>();

  /** Grows with each change that is not combined with an earlier one. */
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

  /** Those behind the first ones, as many as `count` was then. */
  from(first: number): Change[] {
    return this.#noted.slice(first).filter((change) => change !== undefined);
  }

  /** Leaves what was noted so far as it is: later changes are not combined with it. */
  close(): void {
    this.#open.clear();
  }
}
