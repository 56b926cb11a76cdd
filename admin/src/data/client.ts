/** The one way to the server: requests by their names in the contract, with the types that it gives them. */
import type { Requests } from '../../contract/contract.ts';
import type { Infer } from '../../contract/shape.ts';
import { BASE } from './base.ts';
import { RefusedError, UnreachableError } from './failures.ts';
import { bytesOf, canOutlive, outliving } from './outliving.ts';

export { type FieldError, RefusedError, UnreachableError } from './failures.ts';

export type RequestName = keyof Requests;
type BodyOf<N extends RequestName> = Requests[N] extends { body: infer B } ? Infer<B> : undefined;
export type AnswerOf<N extends RequestName> = Requests[N] extends { answer: infer A } ? Infer<A> : undefined;

/** The names behind colons in a path: `:id`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What stands behind the question mark of an address; what is undefined is left out. */
export type Query = URLSearchParams | Readonly<Record<string, string | undefined>>;

export type Options<N extends RequestName> = (BodyOf<N> extends undefined
  ? { readonly body?: never }
  : { readonly body: BodyOf<N> }) &
  ([ParametersOf<N>] extends [never]
    ? { readonly params?: never }
    : { readonly params: Readonly<Record<ParametersOf<N>, string>> }) & {
    readonly query?: Query;
    readonly signal?: AbortSignal;
    /** The entity tag of what is to be changed: refused with 412 where it is of another version by now. */
    readonly ifMatch?: string;
    /** Has the browser send it though the page goes meanwhile, unless it is too long for that. */
    readonly outlives?: boolean;
  };

type Rest<N extends RequestName> = Record<never, never> extends Options<N> ? [options?: Options<N>] : [Options<N>];

/** Called when a request other than that for the session is answered with 401: the session has ended meanwhile. */
let onSignedOut = (): void => {};

/** Has `listener` called when the session turns out to have ended. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/**
 * Asks the server.
 *
 * @returns the body of the answer; undefined where it is empty.
 * @throws RefusedError for every status from 400 on, UnreachableError without an answer.
 */
export async function request<N extends RequestName>(name: N, ...rest: Rest<N>): Promise<AnswerOf<N>> {
  return (await answerTo(name, ...rest)).body;
}

/** The same with the answer's entity tag. */
export async function answerTo<N extends RequestName>(
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
  // a change is always said to be JSON, so that no form of another site can make one
  const text = JSON.stringify(body ?? {});
  if (method !== 'GET') init.body = text;
  const bytes = outlives ? bytesOf(text) : 0;
  if (outlives && canOutlive(bytes)) init.keepalive = true;
  const address = `${addressOf(path, params)}${queryOf(query)}`;
  const send = init.keepalive ? () => outliving(bytes, () => fetch(address, init)) : () => fetch(address, init);
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
  const said =
    query instanceof URLSearchParams
      ? query
      : new URLSearchParams(
          Object.entries(query ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
        );
  return said.size === 0 ? '' : `?${said}`;
}

/** The address of a request, its parameters filled in. */
export function addressOf(path: string, params?: Readonly<Record<string, string>>): string {
  return `${BASE}api/${path.replace(/:(\w+)/g, (_whole, key: string) => encodeURIComponent(params?.[key] ?? ''))}`;
}

/** The body of an answer; undefined where it is empty, or no JSON. */
export function parsedBody(text: string, contentType: string | null): unknown {
  return /\bjson\b/.test(contentType ?? '') && text !== '' ? JSON.parse(text) : undefined;
}

/** An answer that is none. */
interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly body: unknown;
  /** The header of that name. */
  readonly retryAfter: string | null;
}

/** What an answer that is none means. */
export function failureOf(
  path: string,
  { status, statusText, body, retryAfter }: Refusal,
): RefusedError | UnreachableError {
  // a proxy says that there is no server behind it
  if (body === undefined && status >= 502) return new UnreachableError(`status ${status}`);
  const { error } = (body ?? {}) as { error?: { message?: string; details?: Readonly<Record<string, unknown>> } };
  if (status === 401 && path !== 'session') onSignedOut();
  const seconds = Number(retryAfter ?? Number.NaN);
  return new RefusedError(status, error?.message ?? statusText, error?.details, seconds > 0 ? seconds : undefined);
}
