/** Types of the document service, for code that embeds the server. `galley types` fills in those of a project. */

/**
 * The content types of a project by uid, each `{output, input}`: what is read and what may be written. Empty here: the
 * file that `galley types` writes adds to it by `declare module 'galley'`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface Documents {}

/** A content type's uid: any, until the project's types are known. */
export type Uid = keyof Documents extends never ? string : keyof Documents & string;

/** A document where the project's types are not known. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of it
export type AnyDocument = { [name: string]: any };

export type Output<U> = U extends keyof Documents
  ? Documents[U] extends { output: infer O }
    ? O
    : never
  : AnyDocument;
export type Input<U> = U extends keyof Documents ? (Documents[U] extends { input: infer I } ? I : never) : AnyDocument;

export type DocumentStatus = 'draft' | 'published';

/** Filters by attribute: a value, or operators such as `{$gt: 3}`. */
export type Filters<U> = { [K in keyof Output<U>]?: unknown } & {
  $and?: readonly Filters<U>[];
  $or?: readonly Filters<U>[];
  $not?: Filters<U>;
};

/** What the answer holds. */
export interface ShapeParams<U> {
  fields?: readonly (keyof Output<U> & string)[] | '*';
  /** As the parameter `populate` of the REST API. */
  populate?: '*' | readonly string[] | string | { [K in keyof Output<U>]?: unknown };
}

/** Which rows are meant: drafts, unless told otherwise, in the default locale. */
export interface VersionParams {
  /** A locale code; `*` and lists where several versions may be meant. */
  locale?: string | readonly string[];
  status?: DocumentStatus;
  publicationFilter?: string;
}

export interface FindParams<U> extends ShapeParams<U>, VersionParams {
  filters?: Filters<U>;
  sort?: string | readonly string[] | object;
  /** The term of a search, `_q`. */
  _q?: string;
}

/** Without a page or a limit all documents are given. */
export interface FindManyParams<U> extends FindParams<U> {
  page?: number;
  pageSize?: number;
  start?: number;
  limit?: number;
  pagination?: { page?: number; pageSize?: number } | { start?: number; limit?: number };
}

/** A page by cursor: the first one without a cursor, the others with the `next` of the page before. */
export interface FindPageParams<U> extends FindParams<U> {
  cursor?: string | null;
  pageSize?: number;
  /** Whether the total is counted: not unless told so. */
  withCount?: boolean;
}

/** Documents, and how to ask for those behind them. */
export interface DocumentPage<U> {
  results: Output<U>[];
  pagination: {
    pageSize: number;
    /** Null where nothing follows. */
    next: string | null;
    total?: number;
  };
}

export interface OneParams<U> extends ShapeParams<U> {
  documentId: string;
  locale?: string;
  status?: DocumentStatus;
}

export interface CreateParams<U> extends ShapeParams<U> {
  data: Input<U>;
  locale?: string;
  /** `published` publishes as well. */
  status?: DocumentStatus;
}

export interface UpdateParams<U> extends CreateParams<U> {
  documentId: string;
}

/** Of what may be of several versions at once; without `locale` the default locale alone is meant. */
export interface VersionsParams<U> extends ShapeParams<U> {
  documentId: string;
  /** A code, several, or `*`. */
  locale?: string | readonly string[];
}

export interface CloneParams<U> extends VersionsParams<U> {
  /** Written over what is cloned, in every version. */
  data?: Input<U>;
}

/** The rows that an operation made, published or removed. */
export interface Entries<U> {
  documentId: string;
  entries: Output<U>[];
}

/**
 * The documents of one content type. Semantics are those of Strapi 5's Document Service
 * (docs/reference/document-service.md). Every method throws a ContentError where the REST API answers with an error.
 */
export interface DocumentService<U> {
  findMany(params?: FindManyParams<U>): Promise<Output<U>[]>;
  /** Goes through any number of documents page by page, none of them twice while others are added or removed. */
  findPage(params?: FindPageParams<U>): Promise<DocumentPage<U>>;
  findFirst(params?: FindParams<U>): Promise<Output<U> | null>;
  findOne(params: OneParams<U>): Promise<Output<U> | null>;
  count(params?: Pick<FindParams<U>, 'filters' | 'locale' | 'status' | 'publicationFilter' | '_q'>): Promise<number>;
  create(params: CreateParams<U>): Promise<Output<U>>;
  /** Null when there is no such document. */
  update(params: UpdateParams<U>): Promise<Output<U> | null>;
  delete(params: VersionsParams<U>): Promise<Entries<U>>;
  publish(params: VersionsParams<U>): Promise<Entries<U>>;
  /** Gives the published rows, which are gone. */
  unpublish(params: VersionsParams<U>): Promise<Entries<U>>;
  discardDraft(params: VersionsParams<U>): Promise<Entries<U>>;
  /** Makes a new document, a draft, of the versions named. */
  clone(params: CloneParams<U>): Promise<Entries<U>>;
}
