/** The listeners of a project: who they are, what they may still see, and sending it to them. */
import type { Viewer } from '../access/view.ts';
import type { Views } from '../access/views.ts';
import type { Database } from '../db/database.ts';
import { unavailable } from '../errors.ts';
import { ROLE_UID, USER_UID } from '../schema/catalog.ts';
import type { Caller } from '../users/sessions/callers.ts';
import { TOKEN_UID } from '../users/sessions/tokens.ts';
import { type Asked, Audience, type AudienceParts, audienceKey, mayRead } from './audience.ts';
import { changesAfter, rangeOfLog } from './change-log.ts';
import type { Hub } from './hub.ts';
import type { TailChange } from './tail.ts';

/** Where a listener is written to. */
export interface Sink {
  /** Gives how many bytes wait to be taken. */
  write(frames: Buffer): number;
  /** Ends the stream: the listener may come back. */
  end(): void;
  /** Cuts the connection off. */
  destroy(): void;
}

export interface NewListener {
  readonly authorization: string | undefined;
  /** Whose it is, for limits. */
  readonly account: string;
  readonly caller: Caller;
  readonly asked: Asked;
  /** The number behind which it goes on; undefined: it begins. */
  readonly after: number | undefined;
}

interface Listener {
  readonly authorization: string | undefined;
  readonly asked: Asked;
  readonly sink: Sink;
  readonly leave: () => void;
  viewer: Viewer;
  /** Epoch milliseconds after which its credentials no longer count; null: never. */
  expiresAt: number | null;
  /** Undefined until it has been told what it has missed, and once it has gone. */
  feed: Feed | undefined;
}

/** An audience with those who are in it, and the changes that it is still to be told. */
interface Feed {
  readonly key: string;
  readonly audience: Audience;
  readonly listeners: Set<Listener>;
  queue: TailChange[];
  isBusy: boolean;
}

interface Parts extends AudienceParts {
  readonly database: Database;
  readonly hub: Hub;
  readonly views: Views;
  readonly identify: (authorization: string | undefined) => Promise<Caller>;
}

/** Bytes that may wait for a listener who does not keep up, and changes for an audience whose reads do not. */
const WAITING = 256 * 1024;
const QUEUED = 5000;
/** Milliseconds between two signs of life. */
const HEARTBEAT = 15_000;
/** Milliseconds between two looks at the rights of all listeners: at least, and for each set of credentials. */
const LOOK = 1000;
const LOOK_EACH = 5;
/** Credentials that are looked up at once. */
const AT_ONCE = 20;
/** Milliseconds of writing after which others are served. */
const SHARE = 2;
/** How long nothing is written after having written: so many times as long, up to so many milliseconds. */
const RESTS = 2;
const LONGEST_REST = 40;
/** Changes that are read at once for a listener who comes back. */
const PAGE = 500;
/** Milliseconds after which a listener whose stream has ended is to come back. */
const RETRY = 2000;

export class EventStreams {
  readonly #parts: Parts;
  readonly #feeds = new Map<string, Feed>();
  readonly #listeners = new Set<Listener>();
  readonly #remove: (() => void)[];
  /** When rights were last looked at, and the generation that they were of. */
  #looked = 0;
  #generation = Number.NaN;
  /** Whether this process has changed somebody's rights since. */
  #mayHaveChanged = false;
  /** How many different ones there were. */
  #credentials = 0;
  /** When the first credentials expire. */
  #expiry = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const heartbeat = setInterval(() => void this.#beat(), HEARTBEAT).unref();
    this.#remove = [
      parts.hub.add({ tell: (changes) => this.#tell(changes) }),
      parts.database.subscribe({
        afterCommit: (changes) => {
          const isRight = changes.some(({ uid }) => uid === ROLE_UID || uid === USER_UID || uid === TOKEN_UID);
          if (isRight) this.#rightsChanged();
        },
      }),
      () => clearInterval(heartbeat),
    ];
  }

  /**
   * Takes a listener in, and gives what forgets it. `begin` makes what it is written to, once it is clear that it may be.
   *
   * @throws ContentError 429 and 503 where too many listen, 503 when the project is being replaced or the server ends.
   */
  async add({ authorization, account, caller, asked, after }: NewListener, begin: () => Sink): Promise<() => void> {
    const leave = await this.#parts.hub.enter(account);
    if (this.#isClosed) {
      leave();
      throw unavailable('The server is ending');
    }
    const viewer = this.#viewerOf(caller);
    const { expiresAt } = caller;
    const listener: Listener = { authorization, asked, sink: begin(), leave, viewer, expiresAt, feed: undefined };
    this.#listeners.add(listener);
    this.#expiry = Math.min(this.#expiry, expiresAt ?? this.#expiry);
    void this.#catchUp(listener, after).catch(() => this.#end(listener));
    return () => this.#forget(listener);
  }

  /** Ends all streams. Their listeners come back, to another process or to the project that takes this one's place. */
  close(): void {
    this.#isClosed = true;
    for (const remove of this.#remove) remove();
    for (const listener of this.#listeners) this.#end(listener);
  }

  #viewerOf({ grants, userId }: Caller): Viewer {
    return this.#parts.views.viewer(grants, { userId });
  }

  /** Tells a listener who comes back what it has missed, and lets it in with the others. */
  async #catchUp(listener: Listener, after: number | undefined): Promise<void> {
    const { database, hub } = this.#parts;
    const { sink } = listener;
    const range = after === undefined ? undefined : await rangeOfLog(database);
    const isKept = after !== undefined && range !== undefined && after >= range.first - 1 && after <= range.last;
    const kind = after === undefined || isKept ? 'ready' : 'reset';
    let last = isKept ? after : hub.last;
    const position = isKept ? after : hub.position;
    sink.write(Buffer.from(`retry: ${RETRY}\n${plainEvent(kind, position)}`));
    while (last < hub.last && this.#listeners.has(listener)) {
      const changes = await changesAfter(database, last, PAGE);
      if (changes.length === 0) break;
      const told = changes.map((change) => ({
        ...change,
        position: Math.max(position, Math.min(change.id, hub.position)),
      }));
      last = changes.at(-1)!.id;
      const isPause = changes.some(({ kind }) => kind === 'pause');
      const audience = new Audience(this.#parts, listener.viewer, listener.asked);
      const text = isPause ? plainEvent('reset', told.at(-1)!.position) : await audience.frames(told);
      if (text !== '' && sink.write(Buffer.from(text)) > WAITING) return this.#cut(listener);
    }
    if (this.#listeners.has(listener)) this.#join(listener);
  }

  /** Puts a listener among those who may see the same. */
  #join(listener: Listener): void {
    const key = audienceKey(listener.viewer, listener.asked);
    if (listener.feed?.key === key) return;
    this.#part(listener);
    let feed = this.#feeds.get(key);
    if (!feed) {
      const audience = new Audience(this.#parts, listener.viewer, listener.asked);
      feed = { key, audience, listeners: new Set(), queue: [], isBusy: false };
      this.#feeds.set(key, feed);
    }
    feed.listeners.add(listener);
    listener.feed = feed;
  }

  #part(listener: Listener): void {
    const { feed } = listener;
    if (!feed) return;
    listener.feed = undefined;
    feed.listeners.delete(listener);
    if (feed.listeners.size === 0) this.#feeds.delete(feed.key);
  }

  #forget(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    this.#part(listener);
    listener.leave();
  }

  #end(listener: Listener): void {
    this.#forget(listener);
    listener.sink.end();
  }

  #cut(listener: Listener): void {
    this.#forget(listener);
    listener.sink.destroy();
  }

  async #tell(changes: readonly TailChange[]): Promise<void> {
    if (this.#feeds.size === 0) return;
    await this.#look();
    for (const feed of [...this.#feeds.values()]) {
      feed.queue.push(...changes);
      if (feed.queue.length > QUEUED) this.#endAll(feed);
      else if (!feed.isBusy) void this.#feed(feed);
    }
  }

  /** Tells an audience what waits for it. Others do not wait for its reads, nor for its listeners. */
  async #feed(feed: Feed): Promise<void> {
    feed.isBusy = true;
    try {
      while (feed.queue.length > 0 && feed.listeners.size > 0) {
        const changes = feed.queue;
        feed.queue = [];
        const text = await feed.audience.frames(changes);
        if (text === '') continue;
        const began = performance.now();
        await this.#write([...feed.listeners], Buffer.from(text));
        // what comes meanwhile is told together: many listeners take their part of the time, and writers theirs
        const took = performance.now() - began;
        if (took > SHARE) await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_REST, took * RESTS)));
      }
    } catch {
      // what cannot be read now is told when they come back
      this.#endAll(feed);
    } finally {
      feed.isBusy = false;
    }
  }

  #endAll(feed: Feed): void {
    feed.queue = [];
    for (const listener of [...feed.listeners]) this.#end(listener);
  }

  /** Writes to listeners, and lets others be served in between. */
  async #write(listeners: readonly Listener[], frames: Buffer): Promise<void> {
    let since = performance.now();
    for (const listener of listeners) {
      // it has gone, or its rights have, while others were written to
      if (!listener.feed) continue;
      if (listener.sink.write(frames) > WAITING) this.#cut(listener);
      if (performance.now() - since < SHARE) continue;
      await new Promise((resolve) => setImmediate(resolve));
      since = performance.now();
    }
  }

  async #beat(): Promise<void> {
    await this.#look();
    await this.#write([...this.#listeners], Buffer.from(':\n\n'));
  }

  #rightsChanged(): void {
    this.#mayHaveChanged = true;
    void this.#look();
  }

  /** Ends the streams of those who may see nothing any more, and moves those who may see other things. */
  async #look(): Promise<void> {
    const now = Date.now();
    const generation = this.#parts.database.generation();
    const pause = Math.max(LOOK, this.#credentials * LOOK_EACH);
    const isDue = generation !== this.#generation && now - this.#looked >= pause;
    if (!isDue && !this.#mayHaveChanged && now < this.#expiry) return;
    this.#mayHaveChanged = false;
    this.#looked = now;
    this.#generation = generation;
    const all = [...Map.groupBy(this.#listeners, ({ authorization }) => authorization)];
    this.#credentials = all.length;
    for (let first = 0; first < all.length; first += AT_ONCE) {
      await Promise.all(all.slice(first, first + AT_ONCE).map(([own, of]) => this.#lookAt(own, of)));
    }
    const times = [...this.#listeners].map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY);
    this.#expiry = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  }

  async #lookAt(authorization: string | undefined, listeners: readonly Listener[]): Promise<void> {
    try {
      const caller = await this.#parts.identify(authorization);
      const viewer = this.#viewerOf(caller);
      for (const listener of listeners) {
        listener.viewer = viewer;
        listener.expiresAt = caller.expiresAt;
        if (!readsAnything(this.#parts, viewer)) this.#end(listener);
        else if (listener.feed) this.#join(listener);
      }
    } catch {
      // refused; or the database is away, and nobody knows who may see what
      for (const listener of listeners) this.#end(listener);
    }
  }
}

/** Whether a viewer may read documents of any type. */
export function readsAnything({ catalog }: Pick<AudienceParts, 'catalog'>, viewer: Viewer): boolean {
  return [...catalog.contentTypes.values()].some((type) => type.routed && mayRead(viewer, type));
}

const plainEvent = (kind: 'ready' | 'reset', position: number): string =>
  `event: ${kind}\nid: ${position}\ndata: {}\n\n`;
