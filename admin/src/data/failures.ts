/** What becomes of requests that do not succeed. */
export interface FieldError {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly name: string;
}

/** A refusal, in the server's words. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** Seconds after which it may be tried again, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}, retryAfter?: number) {
    super(message);
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /** What is wrong where, for the fields of a form. */
  get fields(): readonly FieldError[] {
    const { errors, path, hint } = this.details;
    if (Array.isArray(errors)) return errors as readonly FieldError[];
    // of a link it says in other ways which attribute it is
    const place = typeof path === 'string' ? path : /^at (\S+)$/.exec(typeof hint === 'string' ? hint : '')?.[1];
    return place ? [{ path: place.split('.'), message: this.message, name: this.name }] : [];
  }
}

/** No answer came: the network is gone, or the server. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}
