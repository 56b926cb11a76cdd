/** Finds documents by values of one of their fields: those that rows update, and those that they link. */
import type { Viewer } from '../access/view.ts';
import { allDocuments } from '../content/administration/lists.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import { ContentError } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
import type { ContentType } from '../schema/catalog.ts';

/** Values that one read looks up. */
const TOGETHER = 500;
/** Values with their documents in memory. */
const CACHED = 10_000;

/** The documents with a value, two of several if the value is not unique; or why it was refused. */
export type Found = readonly string[] | ContentError;

export class FoundDocuments {
  readonly #reader: DocumentReader;
  readonly #viewer: Viewer;
  readonly #type: ContentType;
  readonly #field: string;
  readonly #found = new LruCache<string, Found>(CACHED);

  /** @param viewer finds only the documents that it is shown. */
  constructor(reader: DocumentReader, viewer: Viewer, type: ContentType, field: string) {
    this.#reader = reader;
    this.#viewer = viewer;
    this.#type = type;
    this.#field = field;
  }

  /** The documents of values that are looked up together. @param locale of their versions; undefined: any. */
  async of(
    values: readonly string[],
    locale: string | undefined,
    isCached = true,
  ): Promise<ReadonlyMap<string, Found>> {
    const keyOf = (value: string): string => `${locale ?? ''} ${value}`;
    const all = [...new Set(values)];
    const found = new Map<string, Found>();
    for (const value of isCached ? all : []) {
      const known = this.#found.get(keyOf(value));
      if (known) found.set(value, known);
    }
    const missing = all.filter((value) => !found.has(value));
    for (let at = 0; at < missing.length; at += TOGETHER) {
      for (const [value, documents] of await this.#read(missing.slice(at, at + TOGETHER), locale)) {
        found.set(value, documents);
        if (isCached) this.#found.set(keyOf(value), documents);
      }
    }
    return found;
  }

  /** The documents of values in the database. A refused value does not keep the others from being found. */
  async #read(values: readonly string[], locale: string | undefined): Promise<ReadonlyMap<string, Found>> {
    const params = {
      filters: { [this.#field]: { $in: [...values] } },
      fields: ['documentId', this.#field],
      locale: locale ?? '*',
    };
    const found = new Map<string, readonly string[]>(values.map((value) => [value, []]));
    try {
      for await (const page of allDocuments(this.#reader, this.#type, this.#viewer, params)) {
        for (const document of page) {
          const value = String(document[this.#field]);
          const documentId = String(document['documentId']);
          const known = found.get(value);
          if (known && known.length < 2 && !known.includes(documentId)) found.set(value, [...known, documentId]);
        }
      }
      return found;
    } catch (error) {
      if (!(error instanceof ContentError) || error.status >= 500) throw error;
      if (values.length === 1) return new Map([[values[0]!, error]]);
      const middle = values.length >> 1;
      const first = await this.#read(values.slice(0, middle), locale);
      return new Map([...first, ...(await this.#read(values.slice(middle), locale))]);
    }
  }
}
