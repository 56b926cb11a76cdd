/** The errors of requests. */
export interface FieldError {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly name: string;
}

/** The server refused the request. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** The seconds to wait before a retry, if the server names them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}, retryAfter?: number) {
    super(message);
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /** The errors by field, for forms. */
  get fields(): readonly FieldError[] {
    const { errors, path, hint } = this.details;
    if (Array.isArray(errors)) return errors as readonly FieldError[];
    // For links the server names the attribute in other ways.
    const place = typeof path === 'string' ? path : /^at (\S+)$/.exec(typeof hint === 'string' ? hint : '')?.[1];
    return place ? [{ path: place.split('.'), message: this.message, name: this.name }] : [];
  }
}

/** No answer arrived: the network or the server is down. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}
