/** Types of the document service, for code that embeds the server. `galley types` adds the types of a project. */

/**
 * The content types of a project by uid, each `{output, input}`: the type of a read document and of written data. Empty
 * here: the file that `galley types` writes extends it by `declare module 'galley'`. If they differ, an entry has two
 * more: `whole` for reads that show private attributes, `written` for data that project code may write.
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be merged with
export interface Documents {}

/** A content type's uid: any string, unless the project's types are declared. */
export type Uid = keyof Documents extends never ? string : keyof Documents & string;

/** A document, if the project's types are not declared. */
// biome-ignore lint/suspicious/noExplicitAny: the type is not declared
export type AnyDocument = { [name: string]: any };

type Entry<U, K extends string, Otherwise> = U extends keyof Documents
  ? Documents[U] extends { [P in K]: infer T }
    ? T
    : Otherwise
  : AnyDocument;

export type Output<U> = Entry<U, 'output', never>;
export type Input<U> = Entry<U, 'input', never>;
/** The type of reads that show private attributes. */
export type Whole<U> = Entry<U, 'whole', Output<U>>;
/** The type of data that project code may write. */
export type WholeInput<U> = Entry<U, 'written', Input<U>>;

/**
 * The visible part of documents: everything that is not private, private attributes as well, or the part that a caller
 * may see, which may be any part of what is not private.
 */
export type Sight = 'shown' | 'whole' | 'caller';

/** Attributes of a document that parameters may name. */
export type Selectable<U, S extends Sight> = S extends 'whole' ? Whole<U> : Output<U>;
type Written<U, S extends Sight> = S extends 'whole' ? WholeInput<U> : Input<U>;
/** A document that was read. */
export type ReadDocument<U, S extends Sight = 'shown'> = S extends 'caller' ? Seen<Output<U>> : Selectable<U, S>;

export type DocumentStatus = 'draft' | 'published';

/** Filters by attribute: a value, or operators such as `{$gt: 3}`. */
export type Filters<U, S extends Sight = 'shown'> = Condition<Selectable<U, S>, string | undefined>;

/** Names of the values of a document itself. */
export type FieldName<U, S extends Sight = 'shown'> = FieldOf<Selectable<U, S>>;

/** Parameters for the shape of the answer. */
export interface ShapeParams<U, S extends Sight = 'shown'> {
  fields?: '*' | FieldName<U, S> | readonly ('*' | FieldName<U, S>)[];
  /** As the parameter `populate` of the REST API. */
  populate?: Populate<Selectable<U, S>, string & Record<never, never>>;
}

/** Parameters that select rows: by default drafts in the default locale. */
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

/** Without a page or a limit, all documents are returned. */
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
  /** Whether the total is counted: not by default. */
  withCount?: boolean;
}

/** Documents, and the cursor for the next page. */
export interface DocumentPage<U, S extends Sight = 'shown'> {
  results: ReadDocument<U, S>[];
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

/** Parameters of operations on several versions at once; without `locale`, on the default locale only. */
export interface VersionsParams<U, S extends Sight = 'shown'> extends ShapeParams<U, S> {
  documentId: string;
  /** A code, several, or `*`. */
  locale?: string | readonly string[];
}

export interface CloneParams<U, S extends Sight = 'shown'> extends VersionsParams<U, S> {
  /** Data that replaces the cloned values, in every version. */
  data?: Written<U, S>;
}

/** The rows that an operation created, published or removed. */
export interface Entries<U, S extends Sight = 'shown'> {
  documentId: string;
  entries: ReadDocument<U, S>[];
}

/**
 * The documents of one content type. The semantics are those of Strapi 5's Document Service
 * (docs/reference/document-service.md). Every method throws a ContentError if the REST API answers with an error.
 */
export interface DocumentService<U, S extends Sight = 'shown'> {
  findMany(params?: FindManyParams<U, S>): Promise<ReadDocument<U, S>[]>;
  /**
   * Iterates over any number of documents page by page. No document appears twice while others are added or removed.
   */
  findPage(params?: FindPageParams<U, S>): Promise<DocumentPage<U, S>>;
  findFirst(params?: FindParams<U, S>): Promise<ReadDocument<U, S> | null>;
  findOne(params: OneParams<U, S>): Promise<ReadDocument<U, S> | null>;
  count(params?: Pick<FindParams<U, S>, 'filters' | 'locale' | 'status' | 'publicationFilter' | '_q'>): Promise<number>;
  create(params: CreateParams<U, S>): Promise<ReadDocument<U, S>>;
  /** Null if there is no such document. */
  update(params: UpdateParams<U, S>): Promise<ReadDocument<U, S> | null>;
  delete(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  publish(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  /** Returns the published rows, which are removed. */
  unpublish(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  discardDraft(params: VersionsParams<U, S>): Promise<Entries<U, S>>;
  /** Makes a new document, a draft, of the versions named. */
  clone(params: CloneParams<U, S>): Promise<Entries<U, S>>;
}

/** The documents of each content type. */
export type DocumentsOf<S extends Sight = 'shown'> = <U extends Uid>(uid: U) => DocumentService<U, S>;

/**
 * Types of parameters: conditions, fields, populate. They follow from the type of a document, in which attributes that
 * need `populate` are optional. A document of the type `any` accepts everything.
 */

/** A value, or one of the values of a list. */
type Item<V> = NonNullable<V> extends readonly (infer E)[] ? E : NonNullable<V>;

/** Attributes that can be populated: relations, media, components and zones. */
export type Populatable<O> = string extends keyof O
  ? string
  : keyof { [K in keyof O as Partial<Pick<O, K>> extends Pick<O, K> ? K : never]: true } & string;

/** Attributes that can be named as fields. */
export type FieldOf<O> = string extends keyof O ? string : Exclude<keyof O & string, Populatable<O>>;

/** A document of which some attributes may be hidden, at every level. */
export type Seen<O> = { id: number; documentId: string } & SeenPart<O>;
type SeenPart<O> = { [K in keyof O]?: SeenValue<O[K]> };
type SeenValue<V> = V extends readonly (infer E)[]
  ? SeenValue<E>[]
  : V extends { __component: infer C; id: number }
    ? { __component: C; id: number } & SeenPart<V>
    : V extends { documentId: string }
      ? Seen<V>
      : V extends { id: number }
        ? { id: number } & SeenPart<V>
        : V;

/** A `Date`: by the one of its members that no editor proposes where an object is written. */
type Moment = Pick<Date, typeof Symbol.toPrimitive>;
type Plain = number | bigint | boolean | Moment | null;
/** Any text is accepted; an editor proposes the literals. `X` is the type of other operands. */
type Operand<V, X> = [V] extends [string]
  ? (string extends V ? never : V) | Plain | X | (string & Record<never, never>)
  : Plain | X;

type Flag = boolean | number | string;
interface Comparing<T> {
  $eq?: T | readonly T[];
  $ne?: T | readonly T[];
  $in?: T | readonly T[];
  $notIn?: T | readonly T[];
  $lt?: T | readonly T[];
  $lte?: T | readonly T[];
  $gt?: T | readonly T[];
  $gte?: T | readonly T[];
  $between?: readonly T[];
  $null?: Flag;
  $notNull?: Flag;
}
interface Operators<T> extends Comparing<T> {
  $eqi?: T | readonly T[];
  $nei?: T | readonly T[];
  $contains?: T | readonly T[];
  $notContains?: T | readonly T[];
  $containsi?: T | readonly T[];
  $notContainsi?: T | readonly T[];
  $startsWith?: T | readonly T[];
  $startsWithi?: T | readonly T[];
  $endsWith?: T | readonly T[];
  $endsWithi?: T | readonly T[];
  $and?: readonly Operators<T>[];
  $or?: readonly Operators<T>[];
  $not?: ValueTest<T>;
}
type ValueTest<T> = T | readonly T[] | Operators<T>;

interface Groups<C> {
  $and?: readonly C[];
  $or?: readonly C[];
  $not?: C;
}

/** Tests of a related row: of its fields, or of itself by its id. */
type RowConditions<O, X> = { [K in Testable<O>]?: Test<O[K], X> } & Comparing<Plain | X> & {
    $and?: readonly RowConditions<O, X>[];
    $or?: readonly RowConditions<O, X>[];
    $not?: RowTest<O, X>;
  };
type RowTest<O, X> = Plain | X | readonly (Plain | X)[] | RowConditions<O, X>;

/** All but zones and relations to any type. */
type Testable<O> = keyof { [K in keyof O as IsMixed<O[K]> extends true ? never : K]: true } & keyof O;
type IsMixed<V> = unknown extends V
  ? false
  : [Item<V>] extends [{ __component: string } | { __type: string }]
    ? true
    : false;
/** An attribute without a type of its own accepts everything. */
type Test<V, X> = unknown extends V
  ? unknown
  : [Item<V>] extends [{ id: number }]
    ? RowTest<Item<V>, X>
    : [Item<V>] extends [object]
      ? unknown
      : ValueTest<Operand<NonNullable<V>, X>>;

/** A condition in the language of `filters` on documents of the type `O`. */
export type Condition<O, X> = { [K in Testable<O>]?: Test<O[K], X> } & Groups<Condition<O, X>>;

type Names<O, T> = Populatable<O> | `${Populatable<O>}${'.' | ','}${string}` | T;

/** The parameter `populate`. `T` are texts that are accepted whatever they name. */
export type Populate<O, T = never> =
  | '*'
  | ''
  | Names<O, T>
  | readonly Names<O, T>[]
  | { [K in Populatable<O>]?: boolean | '*' | PopulateOptions<K extends keyof O ? Item<O[K]> : unknown, T> };

type Fragments<E extends { __component: string }, T> = {
  [P in E as P['__component']]?: boolean | '*' | RelatedOptions<P, T>;
};

type PopulateOptions<E, T> = unknown extends E
  ? object
  : [E] extends [{ __component: string }]
    ? { on?: Fragments<E & { __component: string }, T>; populate?: '*' | ''; count?: boolean }
    : [E] extends [{ __type: string }]
      ? object
      : RelatedOptions<E, T>;

type Field<E, T> = '*' | FieldOf<E> | T;
interface RelatedOptions<E, T> {
  fields?: Field<E, T> | `${FieldOf<E>},${string}` | readonly Field<E, T>[];
  filters?: Condition<E, string | undefined>;
  sort?: string | readonly string[] | object;
  populate?: Populate<E, T>;
  count?: boolean;
}

/** A path from an account to a text, a number, a time or a choice: the first step is checked, the rest is not. */
export type ValuePath<O> = string extends keyof O
  ? string
  : Leaf<O> | { [K in Step<O>]: `${K}.${Leaf<Item<O[K]>> | `${Step<Item<O[K]>>}.${string}`}` }[Step<O>];
type Leaf<O> = keyof {
  [K in keyof O as [NonNullable<O[K]>] extends [string | number | boolean] ? K : never]: true;
} &
  string;
/** Attributes that lead to rows of one type. */
type Step<O> = keyof { [K in keyof O as IsRow<Item<O[K]>> extends true ? K : never]: true } & keyof O & string;
type IsRow<E> = IsMixed<E> extends true ? false : [E] extends [{ id: number }] ? true : false;

/** Attributes that may be shown; those of components after a dot. */
export type ReadName<O> = string extends keyof O
  ? string
  : OwnName<O> | { [K in Part<O>]: `${K}.${OwnName<Item<O[K]>> | `${Part<Item<O[K]>>}.${string}`}` }[Part<O>];
type OwnName<O> = Exclude<
  keyof O & string,
  'id' | 'documentId' | 'createdAt' | 'updatedAt' | 'publishedAt' | 'localizations'
>;

/**
 * Attributes that may be written. `I` is the type of written data, which names all of them, and `O` tells which are
 * components.
 */
export type WriteName<O, I> = string extends keyof I
  ? string
  : (keyof I & string) | { [K in Part<O> & keyof I]: `${K}.${PartNames<Item<O[K]>, Item<I[K]>>}` }[Part<O> & keyof I];
type PartNames<O, I> = Exclude<keyof I & string, 'id'> | `${Part<O>}.${string}`;
/** Attributes that hold components of one kind. */
type Part<O> = keyof { [K in keyof O as IsPart<Item<O[K]>> extends true ? K : never]: true } & keyof O & string;
type IsPart<E> = [E] extends [{ documentId: string }] ? false : IsRow<E>;
