/**
 * What becomes of transactions, in the order in which they wrote: of two that wrote one document, the commit of the second
 * may be heard of first.
 */

interface Pending {
  /** The documents that it wrote. */
  readonly documents: ReadonlySet<string>;
  /** Undefined until it is committed; null once it is rolled back. */
  outcome: (() => void) | null | undefined;
}

export class CommitOrder {
  readonly #pending: Pending[] = [];

  /**
   * Notes a transaction that has written all it will write of some documents, and holds them until it ends.
   *
   * @returns what is called when it has ended: with what is to be done once it is its turn, or without anything.
   */
  begin(documents: ReadonlySet<string>): (work?: () => void) => void {
    const pending: Pending = { documents, outcome: undefined };
    this.#pending.push(pending);
    return (work) => {
      pending.outcome = work ?? null;
      this.#release();
    };
  }

  /** Does what is to be done, but for what stands behind a transaction that has not ended. */
  #release(): void {
    const held = new Set<string>();
    for (const pending of [...this.#pending]) {
      const { documents, outcome } = pending;
      const waits = outcome === undefined || [...documents].some((document) => held.has(document));
      if (!waits) {
        this.#pending.splice(this.#pending.indexOf(pending), 1);
        outcome?.();
      } else for (const document of documents) held.add(document);
    }
  }
}
