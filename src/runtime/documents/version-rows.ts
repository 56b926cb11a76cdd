/** The rows of the versions of a document: as operations read them, and those that a write changes in other locales. */
import type { DocumentService } from '../../content/documents/document-types.ts';
import type { Change } from '../../db/interface/change.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { AmbientDatabase } from './ambient.ts';
import type { OperationsContext, Row } from './document-actions.ts';
import type { Lifecycles, Params } from './lifecycles.ts';
import { plainParams, withoutLocale } from './plain-params.ts';
import { inShape } from './row-params.ts';

export class VersionRows {
  readonly #context: OperationsContext;
  readonly #type: ContentType;
  readonly #service: DocumentService<string>;

  constructor(context: OperationsContext, type: ContentType) {
    this.#context = context;
    this.#type = type;
    this.#service = context.serviceOf(type.uid);
  }

  /** A result in the form that code sees. */
  shaped<T>(value: T, params: Params): T {
    const { catalog } = this.#context.runtime;
    const entries = Array.isArray(value) ? value : (value as { entries?: unknown } | null)?.entries;
    inShape(catalog, this.#type, entries ?? value, params);
    return value;
  }

  /** Parameters as the documents' own service takes them. */
  requested(params: Params): Params {
    return withoutLocale(this.#context.runtime.catalog, this.#type, params);
  }

  /** Those of some rows that meet conditions. */
  async meeting(rows: readonly Row[], conditions: unknown): Promise<readonly Row[]> {
    const filters = { $and: [{ id: { $in: rows.map(({ id }) => id) } }, conditions] };
    const met = new Set((await this.#meeting(filters, '*', { fields: ['id'] })).map(({ id }) => id));
    return rows.filter(({ id }) => met.has(id));
  }

  /** The row of a version, without relations that the shape does not populate. */
  async row({ documentId, locale }: Params, status: 'draft' | 'published', shape: Params = {}): Promise<Row | null> {
    const version = { documentId, status, ...(typeof locale === 'string' ? { locale } : {}) };
    return this.shaped((await this.#service.findOne({ ...this.requested(shape), ...version })) as Row | null, shape);
  }

  /** The row of a version with all entries, where components have listeners. */
  async whole(at: Params, status: 'draft' | 'published'): Promise<Row | null> {
    const { components } = this.#context;
    return components.haveListeners(this.#type) ? this.row(at, status, this.#entire) : null;
  }

  /** The rows of an operation by their ids, in the same way. */
  async wholes(params: Params): Promise<ReadonlyMap<number, Row>> {
    const hasListeners = this.#context.components.haveListeners(this.#type);
    const rows = hasListeners ? await this.rows(params, this.#entire) : [];
    return new Map(rows.map((row) => [row.id, row]));
  }

  get #entire(): Params {
    return { populate: this.#context.components.populate(this.#type) };
  }

  /** The rows of an operation, without relations that the shape does not populate. */
  async rows({ documentId, locale }: Params, shape: Params = {}): Promise<Row[]> {
    return this.shaped(await this.#meeting({ documentId }, locale, shape), shape);
  }

  async #meeting(filters: Params, locale: unknown, shape: Params): Promise<Row[]> {
    const rows: Row[] = [];
    for (const status of this.#type.draftAndPublish ? (['draft', 'published'] as const) : (['draft'] as const)) {
      const requested = {
        ...shape,
        filters,
        status,
        ...(this.#type.localized ? { locale: locale ?? undefined } : {}),
      };
      const { filters: plain, ...rest } = plainParams(
        this.requested(requested),
        this.#type,
        this.#context.runtime.catalog,
        true,
      );
      const resolved = { ...rest, filters: await this.#context.named.resolve(plain, this.#type, true) };
      rows.push(...((await this.#service.findMany(resolved as never)) as Row[]));
    }
    return rows;
  }
}

type Write = (params: Params) => Promise<unknown>;
type Version = Pick<Change, 'documentId' | 'status'> & { readonly locale: string };

export class SharedRows {
  readonly #database: AmbientDatabase;
  readonly #type: ContentType;
  readonly #lifecycles: Pick<Lifecycles, 'listens'>;
  readonly #changes: Change[] = [];

  constructor(database: AmbientDatabase, type: ContentType, lifecycles: Pick<Lifecycles, 'listens'>) {
    this.#database = database;
    this.#type = type;
    this.#lifecycles = lifecycles;
  }

  /** A write whose changes are recorded where updates of the type have listeners. */
  noting(write: Write): Write {
    return async (params) => {
      const tx = this.#database.current?.tx;
      if (!this.#type.localized || !tx || !this.#lifecycles.listens(this.#type.uid, 'Update')) return write(params);
      const { result, changes } = await tx.noting(() => write(params));
      this.#changes.push(...changes);
      return result;
    };
  }

  /** The versions that were changed, of a document's. @param own the locale that was written. */
  versions(own: unknown): Version[] {
    return this.#changes.flatMap(({ uid, kind, documentId, locale, status }) =>
      uid === this.#type.uid && kind === 'updated' && locale !== null && locale !== own
        ? [{ documentId, locale, status }]
        : [],
    );
  }
}

/** The conditions that identify the row of a version in an event. */
export const whereOf = ({ documentId, locale, status }: Version): Params => ({
  documentId,
  publishedAt: status === 'draft' ? null : { $ne: null },
  locale: { $eq: locale },
});
