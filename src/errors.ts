/**
 * The catalogue of errors that clients can see. No other part of the server defines a status, name or form of messages;
 * a test keeps `docs/reference/errors.md` equal to it. The shapes are the reference's: `{data: null, error: {status,
 * name, message, details}}`.
 */
import { type Reason, reason } from './reasons.ts';

/** The HTTP status of each error, by name. */
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

/** The `details` of an error: an object of JSON values. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Errors of requests that were not understood; their answers have no `details` key. */
const WITHOUT_DETAILS: ReadonlySet<ErrorName> = new Set(['SyntaxError', 'PayloadTooLargeError']);

/** A text cut to `length` characters, with `…` if it is longer. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

export interface ContentErrorOptions extends ErrorOptions {
  readonly reason?: Reason | undefined;
  readonly logged?: string | undefined;
  readonly advice?: string | undefined;
  readonly isUnanswered?: boolean;
}

/**
 * An error that becomes an answer. Its `cause`, such as an error of the database or the disk, is only for the log and
 * never sent.
 */
export class ContentError extends Error {
  /** Characters of a message, which may contain a key or value of the caller. */
  static readonly messageLength = 1000;
  override readonly name: ErrorName;
  readonly status: number;
  /** Undefined leaves the key out of the answer. */
  readonly details: ErrorDetails | undefined;
  /** For the administration's app; the content API does not send it. */
  readonly reason: Reason | undefined;
  /** An explanation for the operator in the log; never sent. */
  readonly logged: string | undefined;
  /** Advice for the operator, logged at level `info`; never sent. */
  readonly advice: string | undefined;
  /** True for a 404 without a message of its own, which middlewares of Strapi see as a request without an answer. */
  readonly isUnanswered: boolean;

  /** @param options the `cause`, which is logged and not sent, explanations for the log, and the reason. */
  constructor(name: ErrorName, message: string, details: ErrorDetails = {}, options: ContentErrorOptions = {}) {
    super(cut(message, ContentError.messageLength), options);
    this.reason = options.reason;
    this.logged = options.logged;
    this.advice = options.advice;
    this.isUnanswered = options.isUnanswered ?? false;
    this.name = name;
    this.status = catalogue[name];
    this.details = WITHOUT_DETAILS.has(name) ? undefined : details;
  }
}

/** An invalid key and its place. */
export interface InvalidKey {
  readonly key: string;
  /** Dotted path of attributes, or null at the top; undefined leaves the member out. */
  readonly path: string | null | undefined;
  readonly source: 'query' | 'body';
  /** The parameter with the key. */
  readonly param?: string;
  /** The nearest valid key, sent as `details.hint`. Galley's own. */
  readonly nearest?: string | undefined;
  /** What would be right, sent as `details.hint` if no valid key is similar. Galley's own. */
  readonly hint?: string | undefined;
  /** An explanation for the operator in the log. */
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

/** @param hint the value that was probably meant. */
export function notFound(message?: string, hint?: string): ContentError {
  const options = { reason: reason('missing'), isUnanswered: message === undefined };
  return new ContentError('NotFoundError', message ?? 'Not Found', hint === undefined ? {} : { hint }, options);
}
/** Whether an error means that something does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof ContentError && error.name === 'NotFoundError';
/** A 400 for what a request asks for, not for one of its values. */
export const refusal = (message: string, why?: Reason): ContentError =>
  new ContentError('ApplicationError', message, {}, { reason: why });
/** A 503 for something that is unavailable at the moment. @param cause the reason, for the log. */
export const unavailable = (message: string, cause?: unknown): ContentError =>
  new ContentError('ServiceUnavailableError', message, {}, cause === undefined ? {} : { cause });
/**
 * Loads a module with the first request that needs it, instead of at the start.
 *
 * @throws ContentError 503 with the message if it cannot be loaded, for example without free file descriptors; the next
 *   request tries again.
 */
export const loaded = <T>(module: Promise<T>, message: string): Promise<T> =>
  module.catch((error: unknown) => {
    throw unavailable(message, error);
  });
/**
 * @param logged an explanation for the log.
 * @param more `path` of the attribute that may not be written, `hint` with the missing right and how to grant it.
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
  return new ContentError('ForbiddenError', 'Forbidden', details, { logged, advice, reason: reason('forbidden') });
};
export const validation = (message: string, details: ErrorDetails = {}, why?: Reason): ContentError =>
  new ContentError('ValidationError', message, details, { reason: why });

/** Messages for a statement that is right by the schema and refused by the database. */
const REFUSALS = {
  tables:
    'The database refuses this request, since its tables differ from the schema: the command "galley doctor" lists the differences',
  column:
    'The database refuses this value: it does not fit into its column. If the column differs from the schema, the command "galley doctor" lists the difference',
  constraint:
    'The database refuses this value: a constraint or trigger of the database, which the schema does not know, does not allow it',
} as const;

/**
 * A 400 for a statement that the database refuses. Its cause is the error of the engine, with its code.
 *
 * @param reason `tables` if they certainly differ from the schema; `column` and `constraint` if they may.
 */
export function refusedByDatabase(cause: Error, reason: keyof typeof REFUSALS): ContentError {
  const { code } = cause as { code?: string };
  return Object.assign(new ContentError('ApplicationError', REFUSALS[reason], {}, { cause }), { code });
}

/** A statement that is too large for the engine; limits on plans prevent most of them. */
export const tooLarge = (): ContentError => validation('The request is too large for one statement');

/** An answer with more populated rows than one statement may gather. */
export const tooMany = (rows: number): ContentError =>
  validation(`The request would populate more than ${rows} documents: populate fewer levels, or filter them`);

/** An answer that is longer than the server sends. */
export const tooLong = (): ContentError =>
  validation('The answer would be too long: populate fewer levels, or request fewer documents or fields');

/** An error for the operator at the command line: one clear line and an exit code, without a stack trace. */
export class UsageError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A mistake in a file of a project, with the names and indexes that lead to it. */
export class Mistake extends Error {
  readonly trail: readonly (string | number)[];

  constructor(message: string, trail: readonly (string | number)[] = [], options: ErrorOptions = {}) {
    super(message, options);
    this.trail = trail;
  }
}

/**
 * Reads a part of a file.
 *
 * @param trail the keys that lead to the part.
 * @param place the name of the part in messages without a place.
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

/** A mistake in a file whose line is not known yet. */
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

/** The reason of a failure for the log and the command line: the message of its cause, if it has one. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
