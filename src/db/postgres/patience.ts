/** How long Galley waits for each kind of statement: a server that has gone silent keeps no limit of its own. */
import type { Patience } from './connection.ts';

/** Milliseconds that the server has to end a statement by its own limit before Galley does. */
const MARGIN = 5000;

export interface Patiences {
  /** A read outside of transactions. */
  readonly read: Patience;
  /** A statement of a transaction. */
  readonly write: Patience;
  /** One that may take any time, as long as the server is there. */
  readonly unlimited: Patience;
  /** The beginning of a transaction, and its rollback. */
  readonly control: Patience;
  /** A commit: cancelled, it might still be made. */
  readonly commit: Patience;
}

/** How long a table is waited for while requests are answered: longer than reads and writes mostly take. */
export const TABLE_PATIENCE = '2s';

/** What a transaction tells the server whose statements may take any time. */
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

/** A patience that is over after some milliseconds, if not before. */
export function within(patience: Patience, limit = Number.POSITIVE_INFINITY): Patience {
  const least = Math.min(limit, patience.limit || Number.POSITIVE_INFINITY);
  return least === Number.POSITIVE_INFINITY ? patience : { ...patience, limit: Math.ceil(least) };
}
