/** pg's client as every connection to the server is made with it. */
import pg from 'pg';
import { keepLongValues } from './values/long-values.ts';

/** Milliseconds that the making of a connection may take. */
const CONNECT = 5000;
/** Milliseconds without a word after which the system asks whether the other end is there. */
const KEEP_ALIVE = 10_000;

/**
 * How values are written, each a parameter of its own: a pooler that lends its connections to many clients sets these
 * for each (https://www.pgbouncer.org/config.html, "track_extra_parameters"), and ignores `options`.
 */
const FORMS = { TimeZone: 'UTC', DateStyle: 'ISO' };

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
}
