/**
 * Versions in other locales that a write changes, since they share attributes with what was written: rows that listeners
 * are told of besides.
 */
import type { Change } from '../../../db/interface/change.ts';
import type { ContentType } from '../../../schema/catalog.ts';
import type { AmbientDatabase } from './ambient.ts';
import type { Lifecycles, Params } from './lifecycles.ts';

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

  /** A write, in the transaction of code, of which it is noted what it changes, where anybody is to be told. */
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

/** What names the row of a version where a change of it is told of. */
export const whereOf = ({ documentId, locale, status }: Version): Params => ({
  documentId,
  publishedAt: status === 'draft' ? null : { $ne: null },
  locale: { $eq: locale },
});
