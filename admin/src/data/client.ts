/** The client of the server: requests by their names in the contract, which determine all types. */
import type { Requests } from '../../contract/contract.ts';
import type { Infer } from '../../contract/shape.ts';
import { BASE } from './base.ts';
import { RefusedError, UnreachableError } from './failures.ts';
import { bytesOf, canOutlive, withKeepalive } from './keepalive.ts';

export { type FieldError, RefusedError, refusedError, UnreachableError } from './failures.ts';

export type RequestName = keyof Requests;
type BodyOf<N extends RequestName> = Requests[N] extends { body: infer B } ? Infer<B> : undefined;
export type AnswerOf<N extends RequestName> = Requests[N] extends { answer: infer A } ? Infer<A> : undefined;

/** The names after colons in a path: `:id`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The query of an address; undefined values are left out. */
export type Query = URLSearchParams | Readonly<Record<string, string | undefined>>;

export type Options<N extends RequestName> = (BodyOf<N> extends undefined
  ? { readonly body?: never }
  : { readonly body: BodyOf<N> }) &
  ([ParametersOf<N>] extends [never]
    ? { readonly params?: never }
    : { readonly params: Readonly<Record<ParametersOf<N>, string>> }) & {
    readonly query?: Query;
    readonly signal?: AbortSignal;
    /** The entity tag of the version to be changed. The server answers 412 if the version has changed. */
    readonly ifMatch?: string;
    /** Whether the browser finishes the request after the page is closed. It cannot do so for long bodies. */
    readonly outlives?: boolean;
  };

type Rest<N extends RequestName> = Record<never, never> extends Options<N> ? [options?: Options<N>] : [Options<N>];

/** Called when a request other than the one for the session is answered with 401: the session has ended. */
let onSignedOut = (): void => {};

/** Calls `listener` when the session has ended. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Called when a request is refused because a role requires a second factor that is not set up. */
let onFactorDue = (): void => {};

/** Calls `listener` when a role requires a second factor. */
export function whenFactorDue(listener: () => void): void {
  onFactorDue = listener;
}

/**
 * Sends a request.
 *
 * @returns the body of the answer; undefined if it is empty.
 * @throws RefusedError for every status from 400 on, UnreachableError without an answer.
 */
export async function request<N extends RequestName>(name: N, ...rest: Rest<N>): Promise<AnswerOf<N>> {
  return (await answerTo(name, ...rest)).body;
}

/** Sends a request and also returns the entity tag of the answer. */
async function answerTo<N extends RequestName>(
  name: N,
  ...[options]: Rest<N>
): Promise<{ readonly body: AnswerOf<N>; readonly tag: string | null }> {
  const { body, params, query, signal, ifMatch, outlives } = (options ?? {}) as {
    readonly body?: unknown;
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Query;
    readonly signal?: AbortSignal;
    readonly ifMatch?: string;
    readonly outlives?: boolean;
  };
  const [method, path] = name.split(' ') as [string, string];
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') headers['content-type'] = 'application/json';
  if (ifMatch !== undefined) headers['if-match'] = ifMatch;
  const init: RequestInit = { method, headers, credentials: 'same-origin', signal: signal ?? null };
  // Changes are always sent as JSON, which no form of another site can do.
  const text = JSON.stringify(body ?? {});
  if (method !== 'GET') init.body = text;
  const bytes = outlives ? bytesOf(text) : 0;
  if (outlives && canOutlive(bytes)) init.keepalive = true;
  const address = `${addressOf(path, params)}${queryOf(query)}`;
  const send = init.keepalive ? () => withKeepalive(bytes, () => fetch(address, init)) : () => fetch(address, init);
  const response = await send().catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new UnreachableError('the server does not answer', { cause: error });
  });
  const { status, statusText, ok } = response;
  const parsed = parsedBody(await response.text(), response.headers.get('content-type'));
  if (ok) return { body: parsed as AnswerOf<N>, tag: response.headers.get('etag') };
  throw failureOf(path, { status, statusText, body: parsed, retryAfter: response.headers.get('retry-after') });
}

function queryOf(query: Query | undefined): string {
  const message =
    query instanceof URLSearchParams
      ? query
      : new URLSearchParams(
          Object.entries(query ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
        );
  return message.size === 0 ? '' : `?${message}`;
}

/** The address of a request with its parameters. */
export function addressOf(path: string, params?: Readonly<Record<string, string>>): string {
  return `${BASE}api/${path.replace(/:(\w+)/g, (_whole, key: string) => encodeURIComponent(params?.[key] ?? ''))}`;
}

/** The body of an answer; undefined if it is empty or not JSON. */
export function parsedBody(text: string, contentType: string | null): unknown {
  return /\bjson\b/.test(contentType ?? '') && text !== '' ? JSON.parse(text) : undefined;
}

/** An answer with an error. */
interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly body: unknown;
  /** The Retry-After header. */
  readonly retryAfter: string | null;
}

/** The error of an answer. */
export function failureOf(
  path: string,
  { status, statusText, body, retryAfter }: Refusal,
): RefusedError | UnreachableError {
  // A proxy answered because the server behind it is down.
  if (body === undefined && status >= 502) return new UnreachableError(`status ${status}`);
  const { error } = (body ?? {}) as { error?: { message?: string; details?: Readonly<Record<string, unknown>> } };
  if (status === 401 && path !== 'session') onSignedOut();
  if (error?.details?.['secondFactorRequired'] === true) onFactorDue();
  const seconds = Number(retryAfter ?? Number.NaN);
  return new RefusedError(status, error?.message ?? statusText, error?.details, seconds > 0 ? seconds : undefined);
}
