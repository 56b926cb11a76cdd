/** The subclass of pg's client for all connections. */
import pg from 'pg';
import { behindRefused } from './failures.ts';
import { keepLongValues } from './long-values.ts';
import { Query } from './query.ts';

/** Milliseconds for establishing a connection. */
const CONNECT = 5000;
/** Milliseconds of silence after which the system probes the other end. */
const KEEP_ALIVE = 10_000;

/**
 * How values are written. Each is a startup parameter: a pooler that lends its connections to many clients sets these
 * for each client (https://www.pgbouncer.org/config.html, "track_extra_parameters"), and ignores `options`.
 */
const FORMS = { TimeZone: 'UTC', DateStyle: 'ISO' };

/** The members of pg's client that its types omit. */
interface Internals {
  _activeQuery: unknown;
  readonly _sentQueryQueue: unknown[];
  _handleCommandComplete(message: unknown): void;
  _handleErrorMessage(message: unknown): void;
  _handleReadyForQuery(message: { readonly status: string }): void;
}

const own = pg.Client.prototype as unknown as Internals;
const IN_TRANSACTION = { status: 'T' };

/** The query whose answer is arriving, if another query of its batch follows. */
function followed({ _activeQuery: query }: Internals): Query | undefined {
  return query instanceof Query && query.isFollowed ? query : undefined;
}

/** Sends statements without waiting for the answers of earlier ones, and returns long values as bytes. */
export class Client extends pg.Client {
  constructor(options: pg.ClientConfig) {
    super({
      ...options,
      connectionTimeoutMillis: CONNECT,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE,
      pipeline: true,
    } as pg.ClientConfig);
    keepLongValues(this);
  }

  /** The startup parameters, which pg's types omit. */
  getStartupConf(): Readonly<Record<string, string>> {
    const { prototype } = pg.Client as unknown as { prototype: Client };
    return { ...prototype.getStartupConf.call(this), ...FORMS };
  }

  /**
   * The server reports that it is ready only at the end of a batch. For the other statements of a batch the completion
   * of the command ends the answer.
   */
  _handleCommandComplete(this: Client & Internals, message: unknown): void {
    own._handleCommandComplete.call(this, message);
    if (followed(this)) this._handleReadyForQuery(IN_TRANSACTION);
  }

  /** After a refused statement the server skips the rest of its batch without answers. */
  _handleErrorMessage(this: Client & Internals, message: unknown): void {
    let refused: unknown = followed(this);
    own._handleErrorMessage.call(this, message);
    while (refused instanceof Query && refused.isFollowed) {
      refused = this._sentQueryQueue.shift();
      if (refused instanceof Query) refused.handleError(behindRefused());
    }
  }
}
