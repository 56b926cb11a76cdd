/** What a write knows without asking: the rows of documents that it links. */

/** A row of a document that can be linked to. */
export interface LinkedRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

export class WriteMemory {
  /** By uid and document id, and by uid and row id. */
  readonly #documents = new Map<string, Map<string, LinkedRow[]>>();
  readonly #rows = new Map<string, Map<number, LinkedRow>>();

  /** Notes the rows of documents that are linked, all of each document. Nobody else changes them meanwhile. */
  noteRows(uid: string, rows: readonly LinkedRow[]): void {
    const documents = this.#documents.get(uid) ?? new Map<string, LinkedRow[]>();
    const byId = this.#rows.get(uid) ?? new Map<number, LinkedRow>();
    this.#documents.set(uid, documents);
    this.#rows.set(uid, byId);
    for (const row of rows) {
      const known = documents.get(row.documentId);
      if (known) known.push(row);
      else documents.set(row.documentId, [row]);
      byId.set(row.id, row);
    }
  }

  /** The rows of a document that was looked up. */
  rowsOf(uid: string, documentId: string): readonly LinkedRow[] {
    return this.#documents.get(uid)?.get(documentId) ?? [];
  }

  row(uid: string, id: number): LinkedRow | undefined {
    return this.#rows.get(uid)?.get(id);
  }

  /** The published row of the version that a row is of; undefined where there is none. */
  publishedOf(uid: string, { documentId, locale }: LinkedRow): LinkedRow | undefined {
    return this.rowsOf(uid, documentId).find((other) => other.published && other.locale === locale);
  }
}
