/**
 * Word of other processes that tokens, roles, accounts or locales have changed, on a connection of its own
 * (https://www.postgresql.org/docs/current/sql-notify.html). Without it, such as behind a pooler that gives each
 * transaction another connection, caches are read again once in a while (`Database.generation`).
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Sleeper } from '../../sleep.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import type { Bell } from '../interface/database.ts';
import { Client } from './client.ts';
import { Connection, type Patience } from './connection.ts';

/** Notifications are heard by those who listen in the same database. */
const CHANNEL = 'galley_changes';
/** Rung when the log of changes has grown. It says nothing about what is cached. */
const BELL = 'galley_events';

/** Tells all who listen, when the transaction that it is part of commits. */
export const NOTIFY = `notify ${CHANNEL}`;

/** Milliseconds until it is tried again to listen: first, and at most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 60_000;
/** Milliseconds between two looks whether the connection is there. */
const HEARTBEAT = 30_000;
/** Milliseconds in which the server has to answer, and a notification of our own to come back. */
const PATIENCE: Patience = { limit: 5000, cancels: false };

export class Notifications {
  readonly #options: pg.ClientConfig;
  #heard = 0;
  #isListening = false;
  #isClosed = false;
  #isStarted = false;
  /** Ended early where the connection has ended, the awaited has come, or this is closed. */
  readonly #sleeper = new Sleeper();
  #done: Promise<void> = Promise.resolve();
  #connection: Connection | undefined;
  readonly #hearing = new Set<() => void>();
  readonly #learning = new Set<() => void>();
  /** Whether the bell is being rung, and whether it is to be rung again. */
  #rings = false;
  #ringsAgain = false;

  /** @param options of the connection; it is not made before `start`. */
  constructor(options: pg.ClientConfig) {
    this.#options = options;
  }

  /** Grows with every change that was heard of, and whenever some may have been missed. */
  get heard(): number {
    return this.#heard;
  }

  /** Whether changes are heard of at the moment. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Tells of changes in the log that listeners are told from. */
  readonly bell: Bell = {
    ring: () => {
      this.#ringsAgain = true;
      // a notification holds up other commits that notify: what comes while one is under way is told with the next
      if (!this.#rings) void this.#ring();
    },
    onRing: (listener) => {
      this.start();
      this.#hearing.add(listener);
      return () => void this.#hearing.delete(listener);
    },
    onChange: (listener) => {
      this.start();
      this.#learning.add(listener);
      return () => void this.#learning.delete(listener);
    },
  };

  async #ring(): Promise<void> {
    this.#rings = true;
    try {
      while (this.#ringsAgain && this.#isListening && this.#connection) {
        this.#ringsAgain = false;
        await this.#connection.command(`notify ${BELL}`, PATIENCE);
      }
    } catch {
      // it is lost: others find what is new by looking
    } finally {
      this.#rings = false;
    }
  }

  /** Begins to listen, and goes on until it is closed. */
  start(): void {
    if (this.#isStarted || this.#isClosed) return;
    this.#isStarted = true;
    this.#done = this.#keepListening();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection?.destroy();
    this.#sleeper.wake();
    await this.#done;
  }

  async #keepListening(): Promise<void> {
    let pause = FIRST_PAUSE;
    while (!this.#isClosed) {
      const client = new Client(this.#options);
      const connection = new Connection(client);
      this.#connection = connection;
      try {
        await this.#listen(client, connection);
        pause = FIRST_PAUSE;
        while (!this.#isClosed && !connection.isLost) {
          await this.#sleeper.sleep(HEARTBEAT);
          if (!this.#isClosed) await connection.command('select 1', PATIENCE);
        }
      } catch {
        // not to be had, or lost: the clock is relied upon meanwhile
      }
      this.#isListening = false;
      this.#connection = undefined;
      connection.destroy();
      if (!this.#isClosed) await this.#sleeper.sleep(pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  /** Resolves once notifications arrive, which one of our own shows: a pooler may take the command and keep them. */
  async #listen(client: pg.Client, connection: Connection): Promise<void> {
    const probe = randomUUID();
    let isProbeHeard = false;
    client.on('notification', ({ channel, payload }) => {
      if (channel === BELL) {
        for (const listener of this.#hearing) listener();
        return;
      }
      this.#heard += 1;
      for (const listener of this.#learning) listener();
      if (payload !== probe) return;
      isProbeHeard = true;
      this.#sleeper.wake();
    });
    // one that was given up has its end in the pause before the next, which it must not cut short
    client.once('end', () => this.#connection === connection && this.#sleeper.wake());
    await client.connect();
    await connection.command(`listen ${CHANNEL}; listen ${BELL}`, PATIENCE);
    await connection.command(`${NOTIFY}, '${probe}'`, PATIENCE);
    if (!isProbeHeard && !this.#isClosed) await this.#sleeper.sleep(PATIENCE.limit);
    if (!isProbeHeard) throw new Error('notifications do not arrive');
    this.#isListening = true;
    // changes before this moment went unheard
    this.#heard += 1;
  }
}

/** Where tokens, roles, accounts, locales and webhooks are: what is kept of them is read from there. */
export const CACHED_TABLES: readonly string[] = [
  'strapi_api_tokens',
  'strapi_api_token_permissions',
  'strapi_api_token_permissions_token_lnk',
  'up_roles',
  'up_permissions',
  'up_permissions_role_lnk',
  'up_users',
  'up_users_role_lnk',
  'galley_permissions',
  'galley_accounts',
  'galley_sessions',
  'i18n_locale',
  'strapi_webhooks',
  'galley_webhook_secrets',
  'galley_event_listening',
  CORE_STORE_TABLE,
];

const tables = (names: readonly string[]): string => `"?(?:${names.join('|')})"?(?![\\w"])`;
/**
 * No cache depends on sessions that begin or continue: what matters is that one ends. The last use of a token is
 * written often and means nothing to others.
 */
const CHANGES = new RegExp(
  `^\\s*(?:(?:insert into|update)\\s+${tables(CACHED_TABLES.filter((name) => name !== 'galley_sessions'))}` +
    `(?!\\s+set\\s+"last_used_at")|delete from\\s+${tables(CACHED_TABLES)})`,
  'i',
);

/** Whether a statement, if it changes any row, changes what caches depend on. */
export function changesCached(text: string): boolean {
  return CHANGES.test(text);
}
