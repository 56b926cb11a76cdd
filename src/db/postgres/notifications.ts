/**
 * Notifications of other processes that tokens, roles, accounts or locales have changed, on a connection of its own
 * (https://www.postgresql.org/docs/current/sql-notify.html). Without it, for example behind a pooler that gives each
 * transaction another connection, caches are read again at intervals (`Database.generation`).
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Sleeper } from '../../sleep.ts';
import type { Bell } from '../interface/database.ts';
import { Client } from './client.ts';
import { Connection, type Patience } from './connection.ts';

/** Only sessions of the same database receive its notifications. */
const CHANNEL = 'galley_changes';
/** Notified when the log of changes has grown; no cache depends on it. */
const BELL = 'galley_events';

/** Notifies all listening processes when its transaction commits. */
export const NOTIFY = `notify ${CHANNEL}`;

/** Milliseconds between two attempts to listen: the first, and the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 60_000;
/** Milliseconds between two checks of the connection. */
const HEARTBEAT = 30_000;
/** How long the server's answers, and the return of a notification of this process, are awaited. */
const PATIENCE: Patience = { limit: 5000, cancels: false };

export class Notifications {
  readonly #options: pg.ClientConfig;
  #heard = 0;
  #isListening = false;
  #isClosed = false;
  #isStarted = false;
  /** Woken when the connection has ended, the awaited notification has arrived, or this is closed. */
  readonly #sleeper = new Sleeper();
  #done: Promise<void> = Promise.resolve();
  #connection: Connection | undefined;
  readonly #hearing = new Set<() => void>();
  readonly #learning = new Set<() => void>();
  /** Whether a ring is being sent; `#ringsAgain`: whether another one is needed. */
  #rings = false;
  #ringsAgain = false;

  /** @param options of the connection, which is not made before `start`. */
  constructor(options: pg.ClientConfig) {
    this.#options = options;
  }

  /** Increases with every notification, and whenever some may have been missed. */
  get heard(): number {
    return this.#heard;
  }

  /** Whether notifications are received at the moment. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Signals that the log of changes has grown. */
  readonly bell: Bell = {
    ring: () => {
      this.#ringsAgain = true;
      // a notification delays other commits that notify, so rings during one are combined into the next
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
    isListening: () => this.#isListening,
  };

  async #ring(): Promise<void> {
    this.#rings = true;
    try {
      while (this.#ringsAgain && this.#isListening && this.#connection) {
        this.#ringsAgain = false;
        await this.#connection.command(`notify ${BELL}`, PATIENCE);
      }
    } catch {
      // the ring is lost: others find the changes by looking
    } finally {
      this.#rings = false;
    }
  }

  /** Starts to listen, until it is closed. */
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
        // no connection, or a lost one: until the next attempt caches are read again at intervals
      }
      this.#isListening = false;
      this.#connection = undefined;
      connection.destroy();
      if (!this.#isClosed) await this.#sleeper.sleep(pause * (0.5 + Math.random()));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }

  /**
   * Resolves once notifications arrive, which one of this process proves: a pooler may accept the command and swallow
   * notifications.
   */
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
    // the end of an abandoned connection comes during the pause before the next, which it must not cut short
    client.once('end', () => this.#connection === connection && this.#sleeper.wake());
    await client.connect();
    await connection.command(`listen ${CHANNEL}; listen ${BELL}`, PATIENCE);
    await connection.command(`${NOTIFY}, '${probe}'`, PATIENCE);
    if (!isProbeHeard && !this.#isClosed) await this.#sleeper.sleep(PATIENCE.limit);
    if (!isProbeHeard) throw new Error('notifications do not arrive');
    this.#isListening = true;
    // changes before this moment may have been missed
    this.#heard += 1;
  }
}
