/**
 * The error classes of `@strapi/utils`, and their responses. A Galley error of the same name counts as an instance: project
 * code tests `error instanceof errors.ValidationError`.
 */
import { ContentError, catalogue, type ErrorDetails, type ErrorName } from '../../errors.ts';
import { STATUS_CODES } from '../../node-http.ts';

type Details = unknown;

/** The class of an error, as code that catches one knows it. */
export class ApplicationError extends Error {
  /** Names of Galley's own errors that count as one of the class. */
  static readonly names: readonly string[] = [];
  details: Details;

  constructor(message = 'An application error occurred', details: Details = {}) {
    super(message);
    this.name = 'ApplicationError';
    this.details = details;
  }
}

/** Whether an error is one of a class, or one of Galley's own that counts as one. */
function isInstance(this: { readonly prototype: object; readonly names: readonly string[] }, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.prototype.isPrototypeOf.call(this.prototype, value)) return true;
  if (!(value instanceof ContentError)) return false;
  return this.names.length === 0 ? value.status < 500 : this.names.includes(value.name);
}
Object.defineProperty(ApplicationError, Symbol.hasInstance, { value: isInstance });

/** An error class with a name and a default message. */
function errorClass(name: string, message: string | undefined, base: typeof ApplicationError = ApplicationError) {
  const created = class extends base {
    static override readonly names = [name];

    constructor(text = message, details?: Details) {
      super(text, details);
      this.name = name;
    }
  };
  Object.defineProperty(created, 'name', { value: name });
  return created;
}

export const ValidationError = errorClass('ValidationError', undefined);
export const ForbiddenError = errorClass('ForbiddenError', 'Forbidden access');
export const UnauthorizedError = errorClass('UnauthorizedError', 'Unauthorized');
export const PolicyError = errorClass('PolicyError', 'Policy Failed', ForbiddenError);
const NotImplementedError = errorClass('NotImplementedError', 'This feature is not implemented yet');

/** One mistake of a value in the form of yup. */
interface YupFailure extends Error {
  readonly path?: string;
  readonly value?: unknown;
  readonly inner?: readonly YupFailure[];
}

/** The details of a yup failure: each mistake with its path. */
export function formatYupErrors(failure: YupFailure) {
  const mistakes = failure.inner?.length ? failure.inner : [failure];
  return {
    errors: mistakes.map(({ path, message, name, value }) => ({ path: pathOf(path), message, name, value })),
    message: failure.message,
  };
}

/** `a[0].b` is `['a', '0', 'b']`. */
const pathOf = (path = ''): string[] => path.match(/[^.[\]"']+/g) ?? [];

export class YupValidationError extends ValidationError {
  constructor(failure: YupFailure, message?: string) {
    const details = formatYupErrors(failure);
    super(message || details.message, { errors: details.errors });
  }
}

/** Words of statuses by which Koa names errors that are thrown, where Node has others. */
const THROWN: Readonly<Record<number, string>> = { 418: "I'm a teapot", 425: 'Unordered Collection' };

/** Whether an error may have a status: one of those that Koa knows, or any of 400 to 599. Below 200 there is no answer. */
const isStatus = (status: unknown): status is number =>
  Number.isInteger(status) &&
  (status as number) >= 200 &&
  (status as number) < 600 &&
  ((status as number) >= 400 || STATUS_CODES[status as number] !== undefined);

/** Errors of `ctx.throw`. */
export class HttpError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Whether responses may contain the message. */
  readonly expose: boolean;
  readonly details: unknown;

  /** @param statusCode the status; an invalid one counts as 500. */
  constructor(statusCode: number, message: string | undefined, properties: Readonly<Record<string, unknown>> = {}) {
    const status = isStatus(statusCode) ? statusCode : 500;
    const words = THROWN[status] ?? wordsOfStatus(status);
    super(message ?? words);
    this.status = status;
    this.statusCode = status;
    this.expose = status < 500;
    // statuses below 400 have no error name
    this.name = status < 400 ? 'Error' : nameOfWords(words);
    Object.assign(this, properties);
  }
}

/** `Not Found` of 404; the words of 400 or 500 where a status has none of its own. */
export const wordsOfStatus = (status: number): string =>
  STATUS_CODES[status] ?? STATUS_CODES[status < 500 ? 400 : 500]!;

/** `BadRequestError` of 400. */
export const nameOfStatus = (status: number): string => nameOfWords(wordsOfStatus(status));

function nameOfWords(words: string): string {
  const parts = words.replaceAll(/[^\w ]/g, '').split(' ');
  const name = parts.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return name.endsWith('Error') ? name : `${name}Error`;
}

/** `errors` of `@strapi/utils`. */
export const errors = {
  HttpError,
  ApplicationError,
  ValidationError,
  YupValidationError,
  PaginationError: errorClass('PaginationError', 'Invalid pagination'),
  NotFoundError: errorClass('NotFoundError', 'Entity not found'),
  ForbiddenError,
  UnauthorizedError,
  RateLimitError: errorClass('RateLimitError', 'Too many requests, please try again later.'),
  PayloadTooLargeError: errorClass('PayloadTooLargeError', 'Entity too large'),
  PolicyError,
  NotImplementedError,
};

const STATUSES: readonly (readonly [typeof ApplicationError, number])[] = [
  [UnauthorizedError, 401],
  [ForbiddenError, 403],
  [errors.NotFoundError, 404],
  [errors.PayloadTooLargeError, 413],
  [errors.RateLimitError, 429],
  [NotImplementedError, 501],
];

/** The response to an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: { readonly data: null; readonly error: Readonly<Record<string, unknown>> };
}

export function errorAnswer(status: number, name: string, message: string, details: unknown): ErrorAnswer {
  return { status, body: { data: null, error: { status, name, message, details } } };
}

/** The response to an error; undefined for an error that is not meant for clients. */
export function answerOfError(error: unknown): ErrorAnswer | undefined {
  if (error instanceof ContentError) return undefined;
  if (error instanceof ApplicationError) {
    const [, status = 400] = STATUSES.find(([base]) => error instanceof base) ?? [];
    return errorAnswer(status, error.name, error.message, error.details);
  }
  // errors of http-errors and similar packages
  const { status, statusCode = status, expose, name, message, details } = (error ?? {}) as Partial<HttpError>;
  if (!(error instanceof Error) || !isStatus(statusCode)) return undefined;
  // server errors are never exposed, whatever the error says
  if (statusCode < 500 && (expose ?? true))
    return errorAnswer(statusCode, name ?? nameOfStatus(statusCode), message ?? '', details);
  return undefined;
}

/** An error of code as a Galley error; undefined for an error that is not meant for clients. */
export function refusalOf(error: unknown): ContentError | undefined {
  if (error instanceof ContentError) return error;
  const answer = answerOfError(error);
  if (!answer) return undefined;
  const { name, message, details } = answer.body.error;
  const known = typeof details === 'object' && details !== null ? (details as ErrorDetails) : {};
  return new ContentError(nameInCatalogue(String(name), answer.status), String(message), known);
}

/** Runs work, and throws the errors that code means for clients as Galley errors. */
export async function throwingRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** The error of the catalogue that is closest to an error of code. */
function nameInCatalogue(name: string, status: number): ErrorName {
  const names = (Object.keys(catalogue) as ErrorName[]).filter((one) => catalogue[one] === status);
  // a 400 without invalid values is an error of the application
  return names.find((one) => one === name) ?? (status === 400 ? undefined : names[0]) ?? 'ApplicationError';
}
