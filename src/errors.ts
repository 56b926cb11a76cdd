/**
 * The catalogue of errors that a client can see. Nothing else in the server invents a status, a name or a message
 * form; `docs/reference/errors.md` lists the same catalogue and a test keeps the two equal.
 *
 * The shapes are the reference's: `{data: null, error: {status, name, message, details}}`
 * (docs/reference/errors.md).
 */

/** Name → HTTP status of every error that an answer can carry. */
export const catalogue = {
  ValidationError: 400,
  PaginationError: 400,
  ApplicationError: 400,
  SyntaxError: 400,
  BadRequestError: 400,
  UnauthorizedError: 401,
  ForbiddenError: 403,
  NotFoundError: 404,
  MethodNotAllowedError: 405,
  PreconditionFailedError: 412,
  PayloadTooLargeError: 413,
  UnsupportedMediaTypeError: 415,
  RangeNotSatisfiableError: 416,
  RateLimitError: 429,
  HeadersTooLargeError: 431,
  InternalServerError: 500,
  ServiceUnavailableError: 503,
  InsufficientStorageError: 507,
} as const;

export type ErrorName = keyof typeof catalogue;

/** What `details` may contain: an object of JSON values. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Errors found before a request was understood: their answers have no `details` key. */
const WITHOUT_DETAILS: ReadonlySet<ErrorName> = new Set(['SyntaxError', 'PayloadTooLargeError']);

/** The beginning of a text that is longer than `length`, which `…` shows. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

export interface ContentErrorOptions extends ErrorOptions {
  readonly logged?: string | undefined;
  readonly advice?: string | undefined;
}

/**
 * An error that becomes an answer. `cause` is what brought it about, such as an error of the database or the disk: it
 * is for the log alone, and nothing of it reaches a client.
 */
export class ContentError extends Error {
  /** Characters of a message: it may contain a key or a value of the caller's, which is as long as the caller wants. */
  static readonly messageLength = 1000;
  override readonly name: ErrorName;
  readonly status: number;
  /** Undefined leaves the key out of the answer. */
  readonly details: ErrorDetails | undefined;
  /** What the log tells the administrator about it; never sent. */
  readonly logged: string | undefined;
  /** What the administrator can do about it, for the log at level `info`; never sent. */
  readonly advice: string | undefined;

  /**
   * @param options may contain the `cause`, which is logged but not sent, and what else the administrator is
   * told in the log.
   */
  constructor(name: ErrorName, message: string, details: ErrorDetails = {}, options: ContentErrorOptions = {}) {
    super(cut(message, ContentError.messageLength), options);
    this.logged = options.logged;
    this.advice = options.advice;
    this.name = name;
    this.status = catalogue[name];
    this.details = WITHOUT_DETAILS.has(name) ? undefined : details;
  }
}

/** Where an invalid key stood. */
export interface InvalidKey {
  readonly key: string;
  /** Dotted path of attributes, or null at the top; undefined leaves the member out. */
  readonly path: string | null | undefined;
  readonly source: 'query' | 'body';
  /** The parameter that has it. */
  readonly param?: string;
  /** The nearest valid key, ours: sent as `details.hint`. */
  readonly nearest?: string | undefined;
  /** What would be right, ours: sent as `details.hint` where no valid key is near. */
  readonly hint?: string | undefined;
  /** What the administrator is told in the log. */
  readonly logged?: string | undefined;
}

/** Characters of a key and of its path in the error of an invalid key. */
const KEY_LENGTH = 100;
const PATH_LENGTH = 500;

/** The invalid-key error (docs/reference/query-parameters.md, "Names that do not exist"). */
export function invalidKey({
  key: whole,
  path: wholePath,
  source,
  param,
  nearest,
  hint,
  logged,
}: InvalidKey): ContentError {
  const key = cut(whole, KEY_LENGTH);
  const path = wholePath == null ? wholePath : wholePath === whole ? key : cut(wholePath, PATH_LENGTH);
  const at = path != null && path !== key ? ` at ${path}` : '';
  const details: Record<string, unknown> = { key };
  if (path !== undefined) details['path'] = path;
  details['source'] = source;
  if (param) details['param'] = param;
  if (nearest) details['hint'] = `did you mean ${nearest}?`;
  else if (hint) details['hint'] = cut(hint, PATH_LENGTH);
  return new ContentError('ValidationError', `Invalid key ${key}${at}`, details, { logged });
}

/** @param hint what may have been meant. */
export const notFound = (message = 'Not Found', hint?: string | undefined): ContentError =>
  new ContentError('NotFoundError', message, hint === undefined ? {} : { hint });
/** Whether an error says that what was asked for is not there. */
export const isNotFound = (error: unknown): boolean => error instanceof ContentError && error.name === 'NotFoundError';
/** A 400 of what a request asks for, not of a value in it. */
export const refusal = (message: string): ContentError => new ContentError('ApplicationError', message);
/** A 503: what the request needs cannot be had at the moment. `cause`: the error that says why, for the log. */
export const unavailable = (message: string, cause?: unknown): ContentError =>
  new ContentError('ServiceUnavailableError', message, {}, cause === undefined ? {} : { cause });
/**
 * A module that the first request which needs it loads, so that a start need not.
 *
 * @throws ContentError 503 with the message when it cannot be loaded, such as for want of a file descriptor; the next
 * request tries again.
 */
export const loaded = <T>(module: Promise<T>, message: string): Promise<T> =>
  module.catch((error: unknown) => {
    throw unavailable(message, error);
  });
/**
 * @param logged what the administrator is told in the log. @param more `path` of the attribute that may not be written,
 * `hint` with the right that is missing, and how the administrator grants it.
 */
export const forbidden = (
  logged?: string | undefined,
  more: {
    readonly path?: string | undefined;
    readonly hint?: string | undefined;
    readonly advice?: string | undefined;
  } = {},
): ContentError => {
  const { path, hint, advice } = more;
  const details = { ...(path === undefined ? {} : { path }), ...(hint === undefined ? {} : { hint }) };
  return new ContentError('ForbiddenError', 'Forbidden', details, { logged, advice });
};
export const validation = (message: string, details: ErrorDetails = {}): ContentError =>
  new ContentError('ValidationError', message, details);

/** Why a database refuses a statement that is right by the schema, as a client is told. */
const REFUSALS = {
  tables:
    'The database refuses this request, since its tables differ from the schema: the command "galley doctor" lists the differences',
  column:
    'The database refuses this value: it does not fit into its column. If the column differs from the schema, the command "galley doctor" lists the difference',
  constraint:
    'The database refuses this value: a constraint or trigger of the database, which the schema does not know, does not allow it',
} as const;

/**
 * A 400 for a statement that the database refuses. The error has the code of the engine's own, which is its cause.
 *
 * @param reason `tables` where they differ from the schema for certain; `column` and `constraint` where they need not.
 */
export function refusedByDatabase(cause: Error, reason: keyof typeof REFUSALS): ContentError {
  const { code } = cause as { code?: string };
  return Object.assign(new ContentError('ApplicationError', REFUSALS[reason], {}, { cause }), { code });
}

/** A statement beyond what the engine compiles: the limits on plans catch most, the engine reports the rest. */
export const tooLarge = (): ContentError => validation('The request is too large for one statement');

/** An answer that would contain more populated rows than one statement may gather. */
export const tooMany = (rows: number): ContentError =>
  validation(`The request would populate more than ${rows} documents: populate fewer levels, or filter them`);

/** An answer longer than the server passes on. */
export const tooLong = (): ContentError =>
  validation('The answer would be too long: populate fewer levels, or ask for fewer documents or fields');

/** An error for the person at the command line: one clear line and an exit code, never a stack trace. */
export class UsageError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A mistake in what a file of a project says, with the names and places in lists that lead to it. */
export class Mistake extends Error {
  readonly trail: readonly (string | number)[];

  constructor(message: string, trail: readonly (string | number)[] = [], options: ErrorOptions = {}) {
    super(message, options);
    this.trail = trail;
  }
}

/**
 * Reads a part of what a file says.
 *
 * @param trail what leads to the part. @param place what messages call it, where they do not say themselves.
 * @throws Mistake with the whole trail for any error.
 */
export function within<T>(trail: readonly (string | number)[], work: () => T, place?: string): T {
  try {
    return work();
  } catch (error) {
    const inner = error instanceof Mistake ? error.trail : [];
    const message = (error as Error | undefined)?.message ?? String(error);
    throw new Mistake(place === undefined ? message : `${place}: ${message}`, [...trail, ...inner], { cause: error });
  }
}

/** A mistake whose file is known, until its line is looked up. */
export class MistakeInFile extends UsageError {
  /** Path inside the project. */
  readonly file: string;
  readonly mistake: Mistake;

  constructor(file: string, mistake: Mistake) {
    super(`${file}: ${mistake.message}`, 1);
    this.file = file;
    this.mistake = mistake;
  }
}

/** What lies behind a failure, for the log and the command line: what its cause says, where it has one. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
