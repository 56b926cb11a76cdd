/** Finds documents by values of one of their fields: those that rows update, and those that they link. */
import type { Viewer } from '../access/view.ts';
import type { DocumentReader } from '../content/reading/reader.ts';
import { LruCache } from '../lru-cache.ts';
import type { Page } from '../query/page.ts';
import type { ContentType } from '../schema/catalog.ts';

/** Versions that one read finds: documents may have one in each locale. */
const MANY: Page = { mode: 'offset', offset: 0, limit: 10_000, withCount: false };
/** Values with their documents in memory. */
const CACHED = 10_000;

/** The documents with a value; several if the value is not unique. */
export type Found = readonly string[];

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
    if (missing.length === 0) return found;
    const params = {
      filters: { [this.#field]: { $in: missing } },
      fields: ['documentId', this.#field],
      locale: locale ?? '*',
      status: 'draft',
    };
    const { data } = await this.#reader.list(this.#type, this.#viewer, params, { page: MANY });
    for (const value of missing) found.set(value, []);
    for (const document of JSON.parse(data) as Readonly<Record<string, unknown>>[]) {
      const value = String(document[this.#field]);
      const documentId = String(document['documentId']);
      const known = found.get(value);
      if (known && !known.includes(documentId)) found.set(value, [...known, documentId]);
    }
    if (isCached) for (const value of missing) this.#found.set(keyOf(value), found.get(value)!);
    return found;
  }
}
