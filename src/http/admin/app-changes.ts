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
  /** Reported commits that may have changed the versions, and their number at the last look. */
  #commits = 0;
  #seen = 0;
  #looking: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  readonly #unsubscribe: readonly (() => void)[];
  #isClosed = false;

  constructor(context: AppChangesContext) {
    this.#context = context;
    const { database } = context;
    const note = () => {
      this.#commits++;
    };
    const unsubscribe = database.subscribe({ afterCachedChange: note });
    this.#unsubscribe = [unsubscribe, ...(database.bell ? [database.bell.onChange(note)] : [])];
  }

  /**
   * Adds a tab, and sends it the current versions. Its stream ends with its session.
   *
   * @param begin starts the reply; called once the tab is admitted.
   * @returns a function that removes the tab.
   * @throws ContentError 429 and 503 if there are too many streams, 503 while the project is being replaced.
   */
  async add({ row, session }: Administrator, begin: () => Sink): Promise<() => void> {
    const { database, administrators } = this.#context;
    const [commits, generation] = [this.#commits, generationOf(database)];
    const schema = await appSchema(this.#context);
    const administrator = await administrators.ofSession(session.id);
    if (this.#isClosed) throw unavailable('The server is ending');
    const own = [...this.#listeners].filter(({ userId }) => userId === row.id).length;
    if (own >= MOST_EACH) throw new ContentError('RateLimitError', 'Too many tabs are open');
    if (this.#listeners.size >= MOST) throw unavailable('Too many tabs are open');
    const listener: Listener = { session: session.id, userId: row.id, sink: begin(), event: '' };
    this.#listeners.add(listener);
    this.#start();
    // a look that has begun since may not have included this tab
    if (commits !== this.#commits || generation !== generationOf(database)) this.#seen = Number.NaN;
    this.#tell(listener, this.#eventFor(administrator, schema));
    return () => this.#remove(listener);
  }

  /** Ends all streams. Their tabs reconnect, to another process or to the next project. */
  close(): void {
    this.#isClosed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const listener of this.#listeners) this.#end(listener);
  }

  #start(): void {
    if (this.#stop) return;
    const looks = setInterval(() => this.#look(false), LOOK).unref();
    const beats = setInterval(() => this.#beat(), HEARTBEAT).unref();
    this.#stop = () => {
      clearInterval(looks);
      clearInterval(beats);
      this.#stop = undefined;
    };
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.#stop?.();
  }

  #end(listener: Listener): void {
    listener.sink.end();
    this.#remove(listener);
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
    const isCurrent = this.#commits === this.#seen && generationOf(this.#context.database) === this.#generation;
    if (this.#looking || (isCurrent && !isDue)) return;
    this.#looking = this.#lookAtAll()
      .catch(() => {
        // the database is unavailable: the next look tries again
        this.#seen = Number.NaN;
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookAtAll(): Promise<void> {
    const { database, administrators } = this.#context;
    const generation = generationOf(database);
    this.#seen = this.#commits;
    const schema = await appSchema(this.#context);
    for (const [session, listeners] of Map.groupBy(this.#listeners, (listener) => listener.session)) {
      await this.#throttle.turn();
      const began = performance.now();
      const administrator = await administrators.ofSession(session);
      const event = this.#eventFor(administrator, schema);
      for (const listener of listeners) this.#tell(listener, event);
      this.#throttle.worked(performance.now() - began);
    }
    this.#generation = generation;
  }

  /** The event with the versions of an administrator; the last one after the end of the session. */
  #eventFor(administrator: Administrator | undefined, schema: AppSchema): string {
    if (!administrator) return ENDED;
    return eventWith({ session: describedSession(administrator).version, schema: schema.versionFor(administrator) });
  }

  #tell(listener: Listener, event: string): void {
    if (event === listener.event || !this.#listeners.has(listener)) return;
    listener.event = event;
    listener.sink.write(Buffer.from(event));
    if (event === ENDED) this.#end(listener);
  }
}

/** The event with the versions of both answers. */
const eventWith = (versions: Readonly<Record<'session' | 'schema', string | null>>): string =>
  `data: ${JSON.stringify(versions)}\n\n`;

/** The last event of a stream, at the end of its session. */
const ENDED = eventWith({ session: null, schema: null });

/**
 * A number that changes when another process may have changed the versions without a report. NaN, which differs from
 * itself, while the database does not answer.
 */
function generationOf(database: Database): number {
  try {
    return database.bell?.isListening() ? 0 : database.generation();
  } catch {
    return Number.NaN;
  }
}
