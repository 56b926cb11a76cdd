/** What `src/galley.ts` of a project may export (docs/extending.md). `galley types` fills in the types of its documents. */
import type {
  Condition,
  DocumentsOf,
  Output,
  Populate,
  ReadName,
  Uid,
  ValuePath,
  Whole,
  WholeInput,
  WriteName,
} from '../../content/documents/document-types.ts';
import type { UploadedFile } from '../../media/media-context.ts';

type Awaitable<T> = T | Promise<T>;

/** The arguments of all code of `src/galley.ts`. */
export interface Tools {
  /**
   * The documents of a type with all rights, private attributes included, without checks for a caller. In a
   * transaction, operations are part of it.
   */
  readonly documents: DocumentsOf<'whole'>;
  readonly log: Readonly<Record<'debug' | 'info' | 'warn' | 'error', (message: string) => void>>;
}

export interface BeforeWriteEvent<U extends Uid = Uid> extends Tools {
  readonly uid: U;
  readonly action: 'create' | 'update';
  /** Undefined for a new document, and for a single type. */
  readonly documentId: string | undefined;
  /** Undefined: the default locale. */
  readonly locale: string | undefined;
  readonly status: 'draft' | 'published';
  /**
   * The data of the write: the hook may change it, or return other data. Of a file: `name`, `alternativeText`,
   * `caption`, `focalPoint` and `folder`, the id of one or null for none.
   */
  data: WholeInput<U>;
  /** The uploaded bytes of a file, not stored yet. Undefined if the bytes do not change, and for other types. */
  readonly file?: UploadedFile | undefined;
  /** Row id of the account that writes; null for the public, tokens, administrators and code. */
  readonly userId: number | null;
  /** Row id of the administrator that writes. */
  readonly administratorId: number | null;
}

/** Types of the project's own, which `'*'` stands for. */
type OwnUid = string extends Uid ? string : Extract<Uid, `api::${string}`>;
/** In a hook of several types, `uid` discriminates the type of the data. */
type ComingWrite<U extends Uid> = U extends Uid ? BeforeWriteEvent<U> : never;

/** A change of one version of a document. */
export interface ToldChange {
  readonly uid: string;
  readonly documentId: string;
  /** Null on types without locales. */
  readonly locale: string | null;
  readonly status: 'draft' | 'published';
  readonly kind: 'created' | 'updated' | 'published' | 'unpublished' | 'discarded' | 'deleted';
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface ChangesEvent extends Tools {
  readonly changes: readonly ToldChange[];
}

export interface Hooks<U extends Uid = OwnUid> {
  /** Before the transaction. An error refuses the write. */
  // biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing are of this type
  beforeWrite?(event: ComingWrite<U>): Awaitable<WholeInput<U> | undefined | void>;
  /** Within the transaction, which an error rolls back. It has ten seconds. */
  inTransaction?(event: ChangesEvent): Awaitable<void>;
  /**
   * After the commit; the request does not wait for it. With `retry` it is called until it succeeds, up to ten times,
   * by any process that serves the project.
   */
  afterCommit?: AfterCommit | { readonly retry: true; readonly run: AfterCommit };
}

type AfterCommit = (event: ChangesEvent) => unknown;
/** Writes outside of documents have no data. */
type HooksOf<U extends Uid> = [WholeInput<U>] extends [never] ? Omit<Hooks<U>, 'beforeWrite'> : Hooks<U>;

type UserUid = 'plugin::users-permissions.user';
/** An account as code sees it, with its role. */
export type Account = { readonly id: number } & Readonly<Whole<UserUid>>;

/** Who makes a request. */
export interface AskingCaller {
  /** The account, with its role; undefined for the public and for tokens. */
  readonly user: Account | undefined;
  /** The type of the role, such as `public`; undefined for tokens. */
  readonly role: string | undefined;
  /** Whether an action is granted, such as `api::article.article.find`. This does not run its policies. */
  may(action: string): boolean;
  /**
   * The documents of a type as the content API would give them to the caller. Each method asks for the grant of the action
   * that it is (`findMany` for `find`, `clone` for `findOne` and `create`) and, in routes, for the policies that `src/galley`
   * has for it, and throws a ForbiddenError without; policies of Strapi's kind stand before requests alone. Rules of access hold for rows, attributes and links. Drafts are meant unless told otherwise.
   */
  readonly documents: DocumentsOf<'caller'>;
}

export interface PolicyEvent extends Tools {
  /** `api::article.article.find`. */
  readonly action: string;
  /** Undefined where a route has `auth: false`. */
  readonly caller: AskingCaller | undefined;
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Parameters of the query string. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The address of the client. */
  readonly ip: string;
}

/** True, or nothing, lets the request pass; false refuses it with 403; an error with its own status. */
// biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing are of this type
export type Policy = (event: PolicyEvent) => Awaitable<boolean | undefined | void>;

/** The parts of a request that a route with the schemas `S` receives: the output of the schemas. */
export interface RouteEvent<S = unknown> extends Omit<PolicyEvent, 'params' | 'query'> {
  readonly request: Request;
  /** Parameters of the path, and of the query string. */
  readonly params: MadeParts<S, 'params', string>;
  readonly query: MadeParts<S, 'query', unknown>;
  /** The body as it was parsed: of JSON its value, of a form its fields, of a text the text. */
  readonly body: S extends { readonly body: infer B extends object } ? SchemaOutput<B[keyof B]> : unknown;
  /** Files of a form. */
  readonly files: unknown;
}

/** The output of a schema. */
type SchemaOutput<T> = T extends { safeParse(value: unknown): infer R } ? OutputOf<R> : unknown;
type OutputOf<R> = R extends { readonly success: false } ? never : R extends { readonly data?: infer D } ? D : unknown;
type MadeParts<S, K extends string, Other> = S extends { readonly [P in K]: infer T extends object }
  ? { readonly [N in keyof T]: SchemaOutput<T[N]> } & Readonly<Omit<Record<string, Other>, keyof T>>
  : Readonly<Record<string, Other>>;

/** A schema of a value, such as one of zod 4. */
export interface ValueSchema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: unknown };
}

/**
 * The schemas of requests to a route: an invalid value is a 400, and the handler receives the output of the schema.
 */
export interface RequestSchemas {
  /** Of parameters of the path and of the query string, by name. */
  readonly params?: Readonly<Record<string, ValueSchema>>;
  readonly query?: Readonly<Record<string, ValueSchema>>;
  /** Schemas of the body by its type, such as `application/json`: bodies of other types are refused. */
  readonly body?: Readonly<Record<string, ValueSchema>>;
}

export interface OwnRoute<S = RequestSchemas> {
  /** The grant of the route is `api::galley.route.<name>`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the prefix of the API: `/articles/:documentId/view`. */
  readonly path: string;
  /** False: everyone may call it, and callers are not identified. */
  readonly auth?: false;
  readonly policies?: readonly Policy[];
  readonly request?: S & RequestSchemas;
  /** The answers, for the description of the API; answers are not checked. */
  readonly response?: ValueSchema;
  /** Returns the answer: a `Response`, or a value that is sent as JSON; undefined is a 204. */
  handler(event: RouteEvent<S>): unknown;
}

/** Routes by the schemas that each has. */
export type OwnRoutes<R extends readonly unknown[] = readonly RequestSchemas[]> = {
  readonly [I in keyof R]: OwnRoute<R[I]>;
};

/** A value of the caller's account: `$user.email`, `$user.company.id`. */
type AccountValue = '$user.id' | `$user.${ValuePath<Output<UserUid>>}`;

/**
 * A condition in the language of `filters`, with `$user.id` for the caller and `$now` for the present time; true: every
 * row, false: none.
 */
export type RowCondition<U extends Uid = Uid> =
  | Condition<Whole<U>, AccountValue | '$now' | `${number}` | 'true' | 'false'>
  | boolean;

export interface TypeAccessRules<U extends Uid = Uid> {
  /** The rows that are there, wherever they could be met. */
  find?: RowCondition<U>;
  /** The rows that may be written, among those that are there: before and after. */
  create?: RowCondition<U>;
  update?: RowCondition<U>;
  delete?: RowCondition<U>;
  publish?: RowCondition<U>;
  unpublish?: RowCondition<U>;
  discardDraft?: RowCondition<U>;
  /** Attributes that may be read; `seo.title` is one of a component. */
  read?: readonly ReadName<Output<U>>[];
  /** Attributes that may be written: without it, those that may be read. */
  write?: readonly WriteName<Whole<U>, WholeInput<U>>[];
}

/** The default of the parameter `populate`. */
export interface Populated<U extends Uid = Uid> {
  readonly list?: Populate<Whole<U>>;
  readonly one?: Populate<Whole<U>>;
}

export interface Job {
  /** `0 3 * * *`, with seconds in front where there are six parts. */
  readonly cron: string;
  readonly timezone?: string;
  run(event: Tools): unknown;
}

type Actions =
  | 'find'
  | 'findOne'
  | 'create'
  | 'update'
  | 'delete'
  | 'publish'
  | 'unpublish'
  | 'discardDraft'
  | 'findVersions'
  | 'restoreVersion';

/** Rules of access to a type; those for holders of a role are named by its type. */
export type Access<U extends Uid = Uid> = TypeAccessRules<U> & {
  readonly roles?: Readonly<Record<string, TypeAccessRules<U>>>;
};

/** The exports of `src/galley.ts`. */
export interface GalleyDefinition<R extends readonly unknown[] = readonly RequestSchemas[]> {
  hooks?: { readonly [U in Uid]?: HooksOf<U> } & { readonly '*'?: Hooks };
  routes?: OwnRoutes<R>;
  /** By type and action. */
  policies?: { readonly [U in Uid]?: { readonly [A in Actions]?: readonly Policy[] } };
  /** By type. */
  access?: { readonly [U in Uid]?: Access<U> };
  populate?: { readonly [U in Uid]?: Populated<U> };
  jobs?: Readonly<Record<string, Job>>;
}
