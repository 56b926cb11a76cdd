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

  constructor(status: number, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }

  /** What is wrong where, for the fields of a form. */
  get fields(): readonly FieldError[] {
    const { errors } = this.details;
    return Array.isArray(errors) ? (errors as readonly FieldError[]) : [];
  }
}

/** No answer came: the network is gone, or the server. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}
