/**
 * The listeners of a project: letting them in, telling them what they have missed, and ending their streams. `Dispatcher`
 * tells them the rest.
 */
import type { Viewer } from '../access/view.ts';
import type { Views } from '../access/views.ts';
import type { Database } from '../db/interface/database.ts';
import { forbidden, unavailable } from '../errors.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Caller, KnownCallers } from '../users/sessions/callers.ts';
import type { EventBus } from './bus.ts';
import { changesAfter, rangeOfLog } from './change-log.ts';
import { Dispatcher, type Listener, type NewListener, type Sink } from './dispatcher.ts';
import type { PositionedChange } from './log-reader.ts';
import { audibleTypes, type RecipientsContext, recipientsKey, requestKey } from './recipients.ts';
import { Rights } from './rights.ts';
import { SHARE, yielded } from './throttle.ts';

interface Parts extends RecipientsContext {
  readonly database: Database;
  readonly bus: EventBus;
  readonly views: Views;
  readonly callers: Pick<KnownCallers, 'identify' | 'epoch' | 'onChange'>;
}

/** Milliseconds between two signs of life. */
const HEARTBEAT = 15_000;
/** Changes that are read at once for a listener who comes back. */
const PAGE = 50;
/** Milliseconds after which a listener whose stream has ended is to come back. */
const RETRY = 2000;

export class EventStreams {
  readonly #parts: Parts;
  readonly #listeners = new Set<Listener>();
  readonly #rights: Rights<Listener>;
  readonly #dispatcher: Dispatcher;
  readonly #remove: (() => void)[];
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { bus, callers, database } = parts;
    this.#rights = new Rights<Listener>({
      ...{ database, callers, throttle: bus.throttle, listeners: this.#listeners },
      found: (listener, caller) => this.#found(listener, caller),
    });
    this.#dispatcher = new Dispatcher({ ...parts, rights: this.#rights, end: (listener) => this.#end(listener) });
    const heartbeat = setInterval(() => void this.#beat(), HEARTBEAT).unref();
    this.#remove = [
      bus.add(() => this.#dispatcher.wake()),
      // streams of those who may hear nothing any more end even where nothing happens
      callers.onChange(() => this.#listeners.size > 0 && void this.#rights.settle()),
      () => clearInterval(heartbeat),
    ];
  }

  /**
   * Takes a listener in, and gives what forgets it. `begin` makes what it is written to, once it is clear that it may be.
   *
   * @throws ContentError 401 and 403 for one who may not listen, 429 and 503 where too many do, 503 when the project is
   *   being replaced or the server ends.
   */
  async add({ authorization, account, asked, after }: NewListener, begin: () => Sink): Promise<() => void> {
    const { bus, views } = this.#parts;
    const leave = await bus.enter(account);
    try {
      // taking a place may take a while, in which rights change
      const { grants, userId, expiresAt } = await this.#rights.identify(authorization);
      const viewer = views.viewer(grants, { userId });
      if (this.#isClosed) throw unavailable('The server is ending');
      if (audibleTypes(this.#parts, viewer, asked.documentId).length === 0) throw forbidden();
      const own = {
        authorization,
        asked,
        requestKey: requestKey(asked),
        viewer,
        viewKey: recipientsKey(viewer),
        expiresAt,
      };
      const listener: Listener = { ...own, sink: begin(), leave, place: bus.recent.end, group: undefined };
      this.#listeners.add(listener);
      this.#rights.expireAt(expiresAt);
      void this.#catchUp(listener, after).catch(() => this.#end(listener));
      return () => this.#forget(listener);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The types that a viewer may listen to. */
  heardBy(viewer: Viewer, documentId: string | undefined): ContentType[] {
    return audibleTypes(this.#parts, viewer, documentId);
  }

  /** Ends all streams. Their listeners come back, to another process or to the project that takes this one's place. */
  close(): void {
    this.#isClosed = true;
    for (const remove of this.#remove) remove();
    for (const listener of this.#listeners) this.#end(listener);
    this.#dispatcher.close();
  }

  /** Tells a listener who comes back what it has missed, and lets it in with the others. */
  async #catchUp(listener: Listener, after: number | undefined): Promise<void> {
    const { database, bus } = this.#parts;
    // what is told from now on is among the recent changes, whatever its number
    const end = bus.last;
    const position = bus.position;
    const range = after === undefined ? undefined : await rangeOfLog(database);
    const isKept = after !== undefined && range !== undefined && after >= range.first - 1 && after <= range.last;
    const kind = after === undefined || isKept ? 'ready' : 'reset';
    listener.sink.write(Buffer.from(`retry: ${RETRY}\n${plainEvent(kind, isKept ? after : position)}`));
    for (let last = isKept ? after : end; last < end && this.#isIn(listener); ) {
      const changes = await bus.reads.run(() => changesAfter(database, last, PAGE, end));
      const kept = await rangeOfLog(database);
      if (kept === undefined || kept.first - 1 > last) {
        // some were forgotten before they were read
        listener.sink.write(Buffer.from(plainEvent('reset', position)));
        break;
      }
      // one behind the position has come before others that have not
      const told = changes.map((change): PositionedChange => ({ ...change, position: Math.min(change.id, position) }));
      await this.#dispatcher.tellAlone(listener, told);
      last = changes.at(-1)?.id ?? end;
    }
    if (this.#isIn(listener)) await this.#dispatcher.join(listener);
  }

  #isIn(listener: Listener): boolean {
    return this.#listeners.has(listener);
  }

  #forget(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    this.#dispatcher.part(listener);
    listener.leave();
  }

  #end(listener: Listener): void {
    this.#forget(listener);
    listener.sink.end();
  }

  /** Has a listener see what its caller may see now. */
  #found(listener: Listener, caller: Caller | undefined): void {
    const { views } = this.#parts;
    if (!this.#isIn(listener)) return;
    if (!caller) {
      this.#end(listener);
      return;
    }
    listener.expiresAt = caller.expiresAt;
    const viewer = views.viewer(caller.grants, { userId: caller.userId });
    const key = recipientsKey(viewer);
    if (key === listener.viewKey) return;
    if (audibleTypes(this.#parts, viewer, listener.asked.documentId).length === 0) {
      this.#end(listener);
      return;
    }
    const { group } = listener;
    this.#dispatcher.part(listener);
    listener.viewer = viewer;
    listener.viewKey = key;
    // one that is being told by itself goes on as the other
    if (group) void this.#dispatcher.join(listener).catch(() => this.#end(listener));
  }

  /** Shows that streams are alive, and where to go on for whoever has not been told anything for long. */
  async #beat(): Promise<void> {
    const { bus } = this.#parts;
    await this.#rights.settle();
    let since = performance.now();
    for (const listener of [...this.#listeners]) {
      if (!this.#isIn(listener)) continue;
      const isUpToDate = listener.group !== undefined && listener.place === bus.recent.end;
      this.#dispatcher.greet(listener, Buffer.from(isUpToDate ? `:\nid: ${bus.position}\n\n` : ':\n\n'));
      if (performance.now() - since < SHARE) continue;
      await yielded();
      since = performance.now();
    }
  }
}

const plainEvent = (kind: 'ready' | 'reset', position: number): string =>
  `event: ${kind}\nid: ${position}\ndata: {}\n\n`;
