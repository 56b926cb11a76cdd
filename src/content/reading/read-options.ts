/** What a read is of, and how it is made where the parameters do not say. */
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Cohort } from '../../query/content-query.ts';
import type { Page } from '../../query/page.ts';

/** What a single read is of. */
export type Single =
  | { readonly kind: 'document'; readonly documentId: string }
  /** A row by its id: files and users. */
  | { readonly kind: 'row'; readonly id: number }
  /** The one document of a single type. */
  | { readonly kind: 'single' };

export interface ReadOptions {
  /** The page to read; parsed from the parameters when left out. */
  readonly page?: Page;
  /** Whether rows of either status are listed, drafts and published ones; by the parameters when left out. */
  readonly eitherStatus?: boolean;
  /** How many rows of each list of relations to read, at any depth; all when left out. */
  readonly linked?: number;
  /** The cohort of what is populated, of one document, where that is another than the one of the document. */
  readonly linkedCohort?: Cohort;
  /** Constant keys at the end of each object. */
  readonly flags?: Readonly<Record<string, boolean>>;
  /** Where to read: a transaction that wrote what is read; the database itself when left out. */
  readonly db?: Queryable;
  /** Bytes of the longest answer; what the server allows when left out. */
  readonly longest?: number | undefined;
}
