/** What a write knows without asking: the rows of documents that it links. */

/** A row of a document that can be linked to. */
export interface LinkedRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

export class WriteMemory {
  /** All rows of the documents that are linked to, by uid and document id, and by uid and row id. */
  readonly #documents = new Map<string, readonly LinkedRow[]>();
  readonly #rows = new Map<string, LinkedRow>();
  /** How often links were taken from rows, which may be such as were read. */
  changes = 0;

  /** Notes all rows of a document that nobody else changes meanwhile. */
  noteDocument(uid: string, documentId: string, rows: readonly LinkedRow[]): void {
    this.#documents.set(`${uid} ${documentId}`, rows);
    for (const row of rows) this.#rows.set(`${uid} ${row.id}`, row);
  }

  /** A row, and the published one of its version; undefined of a row that is not known. */
  withPublished(uid: string, rowId: number): { readonly row: LinkedRow; readonly published?: LinkedRow } | undefined {
    const row = this.#rows.get(`${uid} ${rowId}`);
    if (!row) return undefined;
    const published = this.#documents
      .get(`${uid} ${row.documentId}`)!
      .find((other) => other.published && other.locale === row.locale);
    return { row, ...(published ? { published } : {}) };
  }
}
