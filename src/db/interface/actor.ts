/** Who makes a change: the history and the log of actions name it. */

export const ACTOR_KINDS = ['administrator', 'token', 'user', 'public', 'code', 'command', 'server'] as const;

export interface Actor {
  /**
   * `public` is a request without credentials; `code` is project code outside of requests, such as a cron task; in a
   * request project code acts as its caller. `server` is the server's own work.
   */
  readonly kind: (typeof ACTOR_KINDS)[number];
  /** The row id of the administrator, API token or account; null for all others. */
  readonly id: number | null;
  /** The name of the administrator or API token, the command, or the task of project code; null if it is not known. */
  readonly name: string | null;
  /** The address from which the request came; null outside of requests. */
  readonly address: string | null;
}

/** Whether actors of a kind are rows, which are named by their ids. */
export const hasRow = (kind: string | undefined): boolean =>
  kind === 'administrator' || kind === 'token' || kind === 'user';

/** The actor as the log of actions stores it and is filtered by: `administrator 3`, `command apply`, `public`. */
export function actorKey({ kind, id, name }: Pick<Actor, 'kind' | 'id' | 'name'>): string {
  const own = id ?? name;
  return own === null ? kind : `${kind} ${own}`;
}

/** The actor of a key. @param name that the log stores beside it. */
export function actorOf(key: string, name: string | null): Omit<Actor, 'address'> {
  const [kind, own] = /^(\S+)(?: (.*))?$/s.exec(key)?.slice(1) ?? [];
  return { kind: kind as Actor['kind'], id: hasRow(kind) && own !== undefined ? Number(own) : null, name };
}

/** The server's own work. */
export const SERVER: Actor = { kind: 'server', id: null, name: null, address: null };

/** Project code outside of requests. @param name of its task. */
export const codeActor = (name: string): Actor => ({ kind: 'code', id: null, name, address: null });
