/**
 * What a write knows without asking: the content of rows that it has made itself, and the rows that its links lead to. A
 * document that is created and published at once is copied from this and not from the database.
 */
import type { SqlValue } from '../../sql/fragment.ts';

/** A link as it is stored. */
export interface StoredLink {
  /** 0 of one that was not read. */
  readonly id: number;
  readonly target: number;
  readonly uid: string;
  readonly order: number | null;
  /** Its place in the other side's order; null of one that was not read. */
  readonly inverse: number | null;
  /** What else the link's row says: the attribute that a link to any type was written from. */
  readonly fields: Readonly<Record<string, SqlValue>>;
}

/** Whether a link is known from what was written, and was not read. */
export const isUnread = ({ id }: StoredLink): boolean => id === 0;

/** An entry of a component or zone attribute as stored. */
export interface StoredEntry {
  /** 0 of one that was not read. */
  readonly linkId: number;
  readonly field: string;
  readonly uid: string;
  readonly id: number;
  readonly order: number | null;
}

/** A row of a document that can be linked to. */
export interface LinkedRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale: string | null;
  readonly published: boolean;
}

export class WriteMemory {
  readonly #links = new Map<string, Map<number, readonly StoredLink[]>>();
  readonly #entries = new Map<string, Map<number, StoredEntry[]>>();
  /** All rows of the documents that are linked to, by uid and document id, and by uid and row id. */
  readonly #documents = new Map<string, readonly LinkedRow[]>();
  readonly #rows = new Map<string, LinkedRow>();
  /** Whether rows are made together with those that are published from them: of a document that is created published. */
  makesTwins = false;
  /** Published rows by the uid and the id of the draft that they were made with. */
  readonly #twins = new Map<string, number>();
  /** How often links were taken from rows, which may be such as are known, or were read. */
  changes = 0;

  /** Notes the links of an attribute of a row that was just made. */
  noteLinks(uid: string, attribute: string, row: number, links: readonly StoredLink[]): void {
    const key = `${uid} ${attribute}`;
    const known = this.#links.get(key);
    if (known) known.set(row, links);
    else this.#links.set(key, new Map([[row, links]]));
  }

  /** Links of rows that this write has made, by row. */
  linksOf(uid: string, attribute: string): ReadonlyMap<number, readonly StoredLink[]> {
    return this.#links.get(`${uid} ${attribute}`) ?? new Map();
  }

  /** Notes an entry of a row that was just made, behind those that it has. */
  noteEntry(uid: string, row: number, entry: StoredEntry): void {
    const ofModel = this.#entries.get(uid) ?? new Map<number, StoredEntry[]>();
    this.#entries.set(uid, ofModel);
    const known = ofModel.get(row);
    if (known) known.push(entry);
    else ofModel.set(row, [entry]);
  }

  /** Entries of rows that this write has made, by row. */
  entriesOf(uid: string): ReadonlyMap<number, readonly StoredEntry[]> {
    return this.#entries.get(uid) ?? new Map();
  }

  /** Notes the published row that was made with a draft, or a draft's component. */
  noteTwin(uid: string, draft: number, published: number): void {
    this.#twins.set(`${uid} ${draft}`, published);
  }

  /** The published row that was made with a row; undefined where there is none. */
  twinOf(uid: string, draft: number): number | undefined {
    return this.#twins.get(`${uid} ${draft}`);
  }

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
