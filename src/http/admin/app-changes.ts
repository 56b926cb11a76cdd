/**
 * Streams that tell open tabs of the app when their session or the schema has changed elsewhere. An event contains the
 * versions of the answers of `GET /session` and `GET /schema`; a tab that has other versions reads them again. The
 * versions are computed from the answers themselves, so all processes have the same.
 */
import type { Database } from '../../db/interface/database.ts';
import { ContentError, unavailable } from '../../errors.ts';
import type { Sink } from '../../events/dispatcher.ts';
import { Throttle } from '../../events/throttle.ts';
import type { Administrator, Administrators } from '../../users/administrators/administrators.ts';
import { type AppSchema, appSchema, type SchemaContext } from './app-schema.ts';
import { describedSession } from './described-session.ts';

/** Milliseconds between two checks whether anything was written. */
const LOOK = 250;
/** Milliseconds between two signs of life, at which sessions that have expired are noticed too. */
const HEARTBEAT = 15_000;
/** The most streams of an administrator, and of all. */
const MOST_EACH = 20;
const MOST = 1000;
/** Bytes that a tab may leave unread before its connection is closed. */
const MOST_UNREAD = 65_536;

interface AppChangesContext extends SchemaContext {
  readonly administrators: Pick<Administrators, 'ofSession' | 'viewer'>;
}

interface Listener {
  readonly session: string;
  readonly userId: number;
  readonly sink: Sink;
  /** The last event. */
  event: string;
}

export class AppChanges {
  readonly #context: AppChangesContext;
  readonly #listeners = new Set<Listener>();
  readonly #throttle = new Throttle();
  #generation = Number.NaN;
  /** Whether this process has committed anything since the last look. */
  #isWritten = false;
  #looking: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  constructor(context: AppChangesContext) {
    this.#context = context;
  }

  /**
   * Adds a tab, and sends it the current versions.
   *
   * @param begin starts the reply; called once the tab is admitted.
   * @returns a function that removes the tab.
   * @throws ContentError 429 and 503 if there are too many streams, 503 while the project is being replaced.
   */
  async add({ row, session }: Administrator, begin: () => Sink): Promise<() => void> {
    const schema = await appSchema(this.#context);
    const administrator = await this.#context.administrators.ofSession(session.id);
    if (this.#isClosed) throw unavailable('The server is ending');
    const own = [...this.#listeners].filter(({ userId }) => userId === row.id).length;
    if (own >= MOST_EACH) throw new ContentError('RateLimitError', 'Too many tabs are open');
    if (this.#listeners.size >= MOST) throw unavailable('Too many tabs are open');
    const listener: Listener = { session: session.id, userId: row.id, sink: begin(), event: '' };
    this.#listeners.add(listener);
    this.#start();
    // something may have been committed since the versions were read
    this.#isWritten = true;
    this.#tell(listener, this.#eventFor(administrator, schema));
    return () => this.#remove(listener);
  }

  /** Ends all streams. Their tabs reconnect, to another process or to the next project. */
  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners) {
      listener.sink.end();
      this.#remove(listener);
    }
  }

  #start(): void {
    if (this.#stop) return;
    const looks = setInterval(() => this.#look(false), LOOK).unref();
    const beats = setInterval(() => this.#beat(), HEARTBEAT).unref();
    const unsubscribe = this.#context.database.subscribe({
      afterEveryCommit: () => {
        this.#isWritten = true;
      },
    });
    this.#stop = () => {
      clearInterval(looks);
      clearInterval(beats);
      unsubscribe();
      this.#stop = undefined;
    };
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#stop?.();
  }

  #beat(): void {
    for (const { sink } of this.#listeners) {
      if (sink.unread > MOST_UNREAD) sink.destroy();
      else sink.write(Buffer.from(':\n\n'));
    }
    this.#look(true);
  }

  /** Reads the versions again if anything may have changed. @param isDue whether it is time in any case. */
  #look(isDue: boolean): void {
    if (this.#looking || (!isDue && !this.#isWritten && generationOf(this.#context.database) === this.#generation))
      return;
    this.#looking = this.#lookAtAll()
      .catch(() => {
        // the database is unavailable: the next look tries again
        this.#isWritten = true;
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookAtAll(): Promise<void> {
    const { database, administrators } = this.#context;
    const generation = database.generation();
    this.#isWritten = false;
    const schema = await appSchema(this.#context);
    for (const [session, listeners] of Map.groupBy(this.#listeners, (listener) => listener.session)) {
      await this.#throttle.turn();
      const administrator = await administrators.ofSession(session);
      const began = performance.now();
      const event = this.#eventFor(administrator, schema);
      for (const listener of listeners) this.#tell(listener, event);
      this.#throttle.worked(performance.now() - began);
    }
    this.#generation = generation;
  }

  /** The event with the versions of an administrator; of none after the end of the session. */
  #eventFor(administrator: Administrator | undefined, schema: AppSchema): string {
    const versions = administrator
      ? { session: describedSession(administrator).version, schema: schema.versionFor(administrator) }
      : { session: null, schema: null };
    return `data: ${JSON.stringify(versions)}\n\n`;
  }

  #tell(listener: Listener, event: string): void {
    if (event === listener.event || !this.#listeners.has(listener)) return;
    listener.event = event;
    listener.sink.write(Buffer.from(event));
  }
}

/** NaN, which differs from itself, while the database does not answer. */
function generationOf(database: Database): number {
  try {
    return database.generation();
  } catch {
    return Number.NaN;
  }
}
