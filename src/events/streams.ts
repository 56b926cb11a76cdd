/** The event streams of a project: admits listeners, sends them missed changes, and ends their streams. */
import type { Viewer } from '../access/view.ts';
import type { Views } from '../access/views.ts';
import type { Database } from '../db/interface/database.ts';
import { forbidden, unavailable } from '../errors.ts';
import type { ContentType } from '../schema/catalog.ts';
import type { Caller, KnownCallers } from '../users/sessions/callers.ts';
import type { EventBus } from './bus.ts';
import { changesAfter, rangeOfLog } from './change-log.ts';
import { Dispatcher, type Listener, type NewListener, type Sink } from './dispatcher.ts';
import { type RecipientsContext, receivableTypes, recipientsKey, requestKey } from './recipients.ts';
import { Rights } from './rights.ts';
import { SHARE, yielded } from './throttle.ts';

interface StreamsContext extends RecipientsContext {
  readonly database: Database;
  readonly bus: EventBus;
  readonly views: Views;
  readonly callers: Pick<KnownCallers, 'identify' | 'epoch' | 'onChange'>;
}

/** Milliseconds between two signs of life. */
const HEARTBEAT = 15_000;
/** Changes that are read at once for a listener that reconnects. */
const PAGE = 50;
/** Milliseconds after which a listener reconnects when its stream has ended. */
const RETRY = 2000;

export class EventStreams {
  readonly #context: StreamsContext;
  readonly #listeners = new Set<Listener>();
  readonly #rights: Rights<Listener>;
  readonly #dispatcher: Dispatcher;
  readonly #remove: (() => void)[];
  #isClosed = false;

  constructor(context: StreamsContext) {
    this.#context = context;
    const { bus, callers, database } = context;
    this.#rights = new Rights<Listener>({
      ...{ database, callers, throttle: bus.throttle, listeners: this.#listeners },
      update: (listener, caller) => this.#updateRights(listener, caller),
    });
    this.#dispatcher = new Dispatcher({ ...context, rights: this.#rights, end: (listener) => this.#end(listener) });
    const heartbeat = setInterval(() => void this.#beat(), HEARTBEAT).unref();
    this.#remove = [
      bus.onChanges(() => this.#dispatcher.wake()),
      // a stream without rights ends even if there are no changes
      callers.onChange(() => this.#listeners.size > 0 && void this.#rights.refresh()),
      () => clearInterval(heartbeat),
    ];
  }

  /**
   * Adds a listener.
   *
   * @param begin starts the reply; called once the listener is admitted.
   * @returns a function that removes the listener.
   * @throws ContentError 401 and 403 if the caller may not listen, 429 and 503 if there are too many listeners, 503 while
   *   the project is being replaced or the server is stopping.
   */
  async add({ authorization, account, request, after }: NewListener, begin: () => Sink): Promise<() => void> {
    const { bus, views } = this.#context;
    const leave = await bus.admit(account);
    try {
      // admission may take a while, in which rights change
      const { grants, userId, expiresAt } = await this.#rights.identify(authorization);
      const viewer = views.viewer(grants, { userId });
      if (this.#isClosed) throw unavailable('The server is ending');
      if (receivableTypes(this.#context, viewer, request.documentId).length === 0) throw forbidden();
      const listener: Listener = {
        ...{ authorization, request, requestKey: requestKey(request), viewer, viewKey: recipientsKey(viewer) },
        ...{ expiresAt, sink: begin(), leave, index: bus.recent.end, group: undefined },
      };
      this.#listeners.add(listener);
      this.#rights.expireAt(expiresAt);
      void this.#catchUp(listener, after).catch(() => this.#end(listener));
      return () => this.#forget(listener);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The types whose events a viewer may receive. */
  typesFor(viewer: Viewer, documentId: string | undefined): ContentType[] {
    return receivableTypes(this.#context, viewer, documentId);
  }

  /** Ends all streams. Their listeners reconnect, to another process or to the next project. */
  close(): void {
    this.#isClosed = true;
    for (const remove of this.#remove) remove();
    for (const listener of this.#listeners) this.#end(listener);
    this.#dispatcher.close();
  }

  /** Sends missed changes to a listener that reconnects, and adds it to the dispatcher. */
  async #catchUp(listener: Listener, after: number | undefined): Promise<void> {
    const { database, bus } = this.#context;
    // later changes are in the buffer, whatever their numbers
    const end = bus.last;
    const position = bus.position;
    const range = after === undefined ? undefined : await rangeOfLog(database);
    const isInLog = after !== undefined && range !== undefined && after >= range.first - 1 && after <= range.last;
    const kind = after === undefined || isInLog ? 'ready' : 'reset';
    listener.sink.write(Buffer.from(`retry: ${RETRY}\n${plainEvent(kind, isInLog ? after : position)}`));
    for (let last = isInLog ? after : end; last < end && this.#isIn(listener); ) {
      const changes = await bus.reads.run(() => changesAfter(database, last, PAGE, end));
      const rest = await rangeOfLog(database);
      if (rest === undefined || rest.first - 1 > last) {
        // some changes were deleted before they were read
        listener.sink.write(Buffer.from(plainEvent('reset', position)));
        break;
      }
      // a change beyond the position was published before smaller numbers
      const positioned = changes.map((change) => ({ ...change, position: Math.min(change.id, position) }));
      await this.#dispatcher.sendAlone(listener, positioned);
      last = changes.at(-1)?.id ?? end;
    }
    if (this.#isIn(listener)) await this.#dispatcher.join(listener);
  }

  #isIn(listener: Listener): boolean {
    return this.#listeners.has(listener);
  }

  #forget(listener: Listener): void {
    if (!this.#listeners.delete(listener)) return;
    this.#dispatcher.leave(listener);
    listener.leave();
  }

  #end(listener: Listener): void {
    this.#forget(listener);
    listener.sink.end();
  }

  /** Sets what a listener may see, and ends its stream if that is nothing. */
  #updateRights(listener: Listener, caller: Caller | undefined): void {
    const { views } = this.#context;
    if (!this.#isIn(listener)) return;
    if (!caller) {
      this.#end(listener);
      return;
    }
    listener.expiresAt = caller.expiresAt;
    const viewer = views.viewer(caller.grants, { userId: caller.userId });
    const key = recipientsKey(viewer);
    if (key === listener.viewKey) return;
    if (receivableTypes(this.#context, viewer, listener.request.documentId).length === 0) {
      this.#end(listener);
      return;
    }
    const { group } = listener;
    this.#dispatcher.leave(listener);
    listener.viewer = viewer;
    listener.viewKey = key;
    // a listener that is served alone continues with its new rights
    if (group) void this.#dispatcher.join(listener).catch(() => this.#end(listener));
  }

  /** Sends signs of life, with the current position to listeners that are up to date. */
  async #beat(): Promise<void> {
    const { bus } = this.#context;
    await this.#rights.refresh();
    let since = performance.now();
    for (const listener of [...this.#listeners]) {
      if (!this.#isIn(listener)) continue;
      const isUpToDate = listener.group !== undefined && listener.index === bus.recent.end;
      this.#dispatcher.keepAlive(listener, Buffer.from(isUpToDate ? `:\nid: ${bus.position}\n\n` : ':\n\n'));
      if (performance.now() - since < SHARE) continue;
      await yielded();
      since = performance.now();
    }
  }
}

const plainEvent = (kind: 'ready' | 'reset', position: number): string =>
  `event: ${kind}\nid: ${position}\ndata: {}\n\n`;
