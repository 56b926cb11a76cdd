/** The state of the page of the API in its address. Invalid values are ignored. */

export interface ExploreSearch {
  /** The content type. */
  readonly uid?: string | undefined;
  /** The request: its name, such as `find`, or its method and path. */
  readonly action?: string | undefined;
  /** The caller: `public`, `role:ID` or `token:ID`. */
  readonly as?: string | undefined;
  /** The values of the parameters of the path, by name. */
  readonly path?: Readonly<Record<string, string>> | undefined;
  /** The query string of the request. */
  readonly query?: string | undefined;
  readonly body?: string | undefined;
}

/** The most characters of a query and of a body. */
const LENGTH = 7000;

/** Reads the state. Every key is present, because the router keeps the previous value of an absent one. */
export function exploreSearch(search: Readonly<Record<string, unknown>>): ExploreSearch {
  const { uid, action, as, path, query, body } = search;
  const values = typeof path === 'object' && path !== null ? Object.entries(path) : [];
  const written = values.flatMap(([name, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    uid: textOf(uid),
    action: textOf(action),
    as: typeof as === 'string' && /^(?:public|(?:role|token):\d+)$/.test(as) ? as : undefined,
    path: written.length > 0 ? Object.fromEntries(written) : undefined,
    query: textOf(query),
    body: textOf(body),
  };
}

/** The router parses texts that are JSON. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
  return text === undefined || text === '' ? undefined : text.slice(0, LENGTH);
}
