/** pg's client as every connection to the server is made with it. */
import pg from 'pg';
import { behindRefused } from './failures.ts';
import { keepLongValues } from './long-values.ts';
import { Query } from './query.ts';

/** Milliseconds that the making of a connection may take. */
const CONNECT = 5000;
/** Milliseconds without a word after which the system asks whether the other end is there. */
const KEEP_ALIVE = 10_000;

/**
 * How values are written, each a parameter of its own: a pooler that lends its connections to many clients sets these
 * for each (https://www.pgbouncer.org/config.html, "track_extra_parameters"), and ignores `options`.
 */
const FORMS = { TimeZone: 'UTC', DateStyle: 'ISO' };

/** What pg's client has and its types leave out. */
interface Internals {
  _activeQuery: unknown;
  readonly _sentQueryQueue: unknown[];
  _handleCommandComplete(message: unknown): void;
  _handleErrorMessage(message: unknown): void;
  _handleReadyForQuery(message: { readonly status: string }): void;
}

const own = pg.Client.prototype as unknown as Internals;
/** Of a connection in a transaction. */
const IN_TRANSACTION = { status: 'T' };

/** The query whose answer is arriving, if another one of its batch follows it. */
function followed({ _activeQuery: query }: Internals): Query | undefined {
  return query instanceof Query && query.isFollowed ? query : undefined;
}

/** Does not wait for answers before it sends more, and leaves long values bytes. */
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

  /** What the server is told first. pg's types do not know of it. */
  getStartupConf(): Readonly<Record<string, string>> {
    const { prototype } = pg.Client as unknown as { prototype: Client };
    return { ...prototype.getStartupConf.call(this), ...FORMS };
  }

  /** The server says that it is ready at the end of a batch. Of the other statements of it this is the end of the answer. */
  _handleCommandComplete(this: Client & Internals, message: unknown): void {
    own._handleCommandComplete.call(this, message);
    if (followed(this)) this._handleReadyForQuery(IN_TRANSACTION);
  }

  /** Of what follows in the batch the server says nothing any more. */
  _handleErrorMessage(this: Client & Internals, message: unknown): void {
    let refused: unknown = followed(this);
    own._handleErrorMessage.call(this, message);
    while (refused instanceof Query && refused.isFollowed) {
      refused = this._sentQueryQueue.shift();
      if (refused instanceof Query) refused.handleError(behindRefused());
    }
  }
}
