/** How long Galley waits for each kind of statement, because a server that stopped responding enforces no limits. */
import type { Patience } from './connection.ts';

/** Milliseconds that the server has to end a statement by its own limit before Galley does. */
const MARGIN = 5000;

export interface Patiences {
  readonly read: Patience;
  /** A statement of a transaction. */
  readonly write: Patience;
  /** A statement that may take any time while the server is reachable. */
  readonly unlimited: Patience;
  /** The beginning of a transaction, and its rollback. */
  readonly control: Patience;
  /** A commit, which is not cancelled: it might happen all the same. */
  readonly commit: Patience;
}

/** How long a locked table is awaited while requests are served: longer than most reads and writes take. */
export const TABLE_PATIENCE = '2s';

/** Lets the statements of a transaction take any time. */
export const UNLIMITED = 'set local statement_timeout = 0';

export function patiencesOf(config: { readonly readTimeout: number; readonly statementTimeout: number }): Patiences {
  const { readTimeout, statementTimeout } = config;
  const limit = statementTimeout === 0 ? 0 : statementTimeout + MARGIN;
  return {
    read: { limit: readTimeout, cancels: true },
    write: { limit, cancels: true },
    unlimited: { limit: 0, cancels: true },
    control: { limit: readTimeout || limit, cancels: false },
    commit: { limit, cancels: false },
  };
}

/** A patience that ends after so many milliseconds at the latest. */
export function within(patience: Patience, limit = Number.POSITIVE_INFINITY): Patience {
  const least = Math.min(limit, patience.limit || Number.POSITIVE_INFINITY);
  return least === Number.POSITIVE_INFINITY ? patience : { ...patience, limit: Math.ceil(least) };
}
