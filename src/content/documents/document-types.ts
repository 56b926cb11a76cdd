/** Types of the document service, for code that embeds the server. `galley types` fills in those of a project. */
import type { Condition, FieldOf, Populate, Seen } from './query-types.ts';

/**
 * The content types of a project by uid, each `{output, input}`: what is read and what may be written. Empty here: the
 * file that `galley types` writes adds to it by `declare module 'galley'`. Where these differ, an entry has two more:
 * `whole` is what is read where private attributes are shown, `written` what code of the project may write.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface Documents {}

/** A content type's uid: any, until the project's types are known. */
export type Uid = keyof Documents extends never ? string : keyof Documents & string;

/** A document where the project's types are not known. */
// biome-ignore lint/suspicious/noExplicitAny: nothing is known of it
export type AnyDocument = { [name: string]: any };

type Entry<U, K extends string, Otherwise> = U extends keyof Documents
  ? Documents[U] extends { [P in K]: infer T }
    ? T
    : Otherwise
  : AnyDocument;

export type Output<U> = Entry<U, 'output', never>;
export type Input<U> = Entry<U, 'input', never>;
/** What is read with private attributes. */
export type Whole<U> = Entry<U, 'whole', Output<U>>;
/** What code of the project may write. */
export type WholeInput<U> = Entry<U, 'written', Input<U>>;

/**
 * What is seen of documents: all that is not private, private attributes as well, or what a caller may see, which may be
 * any part of what is not private.
 */
export type Sight = 'shown' | 'whole' | 'caller';

/** What may be named of a document. */
export type Asked<U, S extends Sight> = S extends 'whole' ? Whole<U> : Output<U>;
type Written<U, S extends Sight> = S extends 'whole' ? WholeInput<U> : Input<U>;
/** A document that was found. */
export type Found<U, S extends Sight = 'shown'> = S extends 'caller' ? Seen<Output<U>> : Asked<U, S>;

export type DocumentStatus = 'draft' | 'published';

/** Filters by attribute: a value, or operators such as `{$gt: 3}`. */
export type Filters<U, S extends Sight = 'shown'> = Condition<Asked<U, S>, string | undefined>;

/** Names of the values of a document itself. */
export type FieldName<U, S extends Sight = 'shown'> = FieldOf<Asked<U, S>>;

/** What the answer holds. */
export interface ShapeParams<U, S extends Sight = 'shown'> {
  fields?: '*' | FieldName<U, S> | readonly ('*' | FieldName<U, S>)[];
  /** As the parameter `populate` of the REST API. */
  populate?: Populate<Asked<U, S>, string & Record<never, never>>;
}

/** Which rows are meant: drafts, unless told otherwise, in the default locale. */
export interface VersionParams {
  /** A locale code; `*` and lists where several versions may be meant. */
  locale?: string | readonly string[];
  status?: DocumentStatus;
  publicationFilter?: string;
}

export interface FindParams<U, S extends Sight = 'shown'> extends ShapeParams<U, S>, VersionParams {
  filters?: Filters<U, S>;
  sort?: string | readonly string[] | object;
  /** The term of a search, `_q`. */
  _q?: string;
}

/** Without a page or a limit all documents are given. */
export interface FindManyParams<U, S extends Sight = 'shown'> extends FindParams<U, S> {
  page?: number;
  pageSize?: number;
  start?: number;
  limit?: number;
  pagination?: { page?: number; pageSize?: number } | { start?: number; limit?: number };
}

/** A page by cursor: the first one without a cursor, the others with the `next` of the page before. */
export interface FindPageParams<U, S extends Sight = 'shown'> extends FindParams<U, S> {
  cursor?: string | null;
  pageSize?: number;
  /** Whether the total is counted: not unless told so. */
  withCount?: boolean;
}

/** Documents, and how to ask for those behind them. */
export interface DocumentPage<U, S extends Sight = 'shown'> {
  results: Found<U, S>[];
  pagination: {
    pageSize: number;
    /** Null where nothing follows. */
    next: string | null;
    total?: number;
  };
}

export interface OneParams<U, S extends Sight = 'shown'> extends ShapeParams<U, S> {
  documentId: string;
  locale?: string;
  status?: DocumentStatus;
}

export interface CreateParams<U, S extends Sight = 'shown'> extends ShapeParams<U, S> {
  data: Written<U, S>;
  locale?: string;
  /** `published` publishes as well. */
  status?: DocumentStatus;
}

export interface UpdateParams<U, S extends Sight = 'shown'> extends CreateParams<U, S> {
  documentId: string;
}

/** Of what may be of several versions at once; without `locale` the default locale alone is meant. */
export interface VersionsParams<U, S extends Sight = 'shown'> extends ShapeParams<U, S> {
  documentId: string;
  /** A code, several, or `*`. */
  locale?: string | readonly string[];
}

export interface CloneParams<U, S extends Sight = 'shown'> extends VersionsParams<U, S> {
  /** Written over what is cloned, in every version. */
  data?: Written<U, S>;
}

/** The rows that an operation made, published or removed. */
export interface Entries<U, S extends Sight = 'shown'> {
  documentId: string;
  entries: Found<U, S>[];
}

/**
 * The documents of one content type. Semantics are those of Strapi 5's Document Service
 * (docs/reference/document-service.md). Every method throws a ContentError where the REST API answers with an error.
 */
export interface DocumentService<U, S extends Sight = 'shown'> {
  findMany(params?: FindManyParams<U, S>): Promise<Found<U, S>[]>;
  /** Goes through any number of documents page by page, none of them twice while others are added or removed. */
  findPage(params?: FindPageParams<U, S>): Promise<DocumentPage<U, S>>;
  findFirst(params?: FindParams<U, S>): Promise<Found<U, S> | null>;
  findOne(params: OneParams<U, S>): Promise<Found<U, S> | null>;
  count(params?: Pick<FindParams<U, S>, 'filters' | 'locale' | 'status' | 'publicationFilter' | '_q'>): Promise<number>;
  create(params: CreateParams<U, S>): Promise<Found<U, S>>;
  /** Null when there is no such document. */
  update(params: UpdateParams<U, S>): Promise<Found<U, S> | null>;
  delete(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  publish(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  /** Gives the published rows, which are gone. */
  unpublish(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  discardDraft(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  /** Makes a new document, a draft, of the versions named. */
  clone(params: CloneParams<U, S>): Promise<Entries<U, S>>;
}

/** The documents of each content type. */
export type DocumentsOf<S extends Sight = 'shown'> = <U extends Uid>(uid: U) => DocumentService<U, S>;
