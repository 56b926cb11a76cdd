/** The errors of requests. */
import type { Outcome } from '../../contract/lists.ts';
import type { Reason } from '../../contract/reasons.ts';

export interface FieldError {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Missing for errors that the catalogue does not have, such as those of project code. */
  readonly reason?: Reason;
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
    const { errors, path } = this.details;
    if (Array.isArray(errors)) return errors as readonly FieldError[];
    const { message, name, reason } = this;
    const place = typeof path === 'string' ? path : reason?.path;
    return place ? [{ path: place.split('.'), message, name, ...(reason && { reason }) }] : [];
  }

  /** The reason, if the server gives one. */
  get reason(): Reason | undefined {
    return this.details['reason'] as Reason | undefined;
  }
}

/** The error of one of several documents. */
export const refusedError = ({ status, message, reason }: NonNullable<Outcome['error']>): RefusedError =>
  new RefusedError(status, message, reason && { reason });

/** No answer arrived: the network or the server is down. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}
