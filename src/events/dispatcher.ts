/**
 * Sends recent changes to listeners. Listeners with the same rights form a group and are served together. A listener that
 * is behind its group (it has just come, reads slowly or got other rights) is served alone until it has caught up. Nothing
 * is sent while rights may have changed; each listener continues from its own index.
 */
import type { Viewer } from '../access/view.ts';
import { onAccountOf } from '../db/interface/account.ts';
import type { EventBus } from './bus.ts';
import type { PositionedChange } from './log-reader.ts';
import { Recipients, type RecipientsContext, type StreamRequest } from './recipients.ts';
import type { Rights } from './rights.ts';
import { pause, SHARE, yielded } from './throttle.ts';

interface DispatcherContext extends RecipientsContext {
  readonly bus: EventBus;
  readonly rights: Pick<Rights<Listener>, 'areCurrent' | 'refresh'>;
  /** Ends a stream; the listener reconnects. */
  readonly end: (listener: Listener) => void;
}

/** Unread bytes of a listener above which it leaves its group and is served at its own pace. */
const UNREAD = 256 * 1024;
/** Milliseconds between two checks whether a slow listener has read anything. */
const POLL = 50;
/** Changes that are sent at once. */
const BATCH = 50;
/** Groups that are served at once, so that one with slow reads does not delay the others. */
const WORKERS = 4;
/** Milliseconds after which a failed lookup of rights is repeated. */
const RETRY = 500;

export class Dispatcher {
  readonly #context: DispatcherContext;
  readonly #groups = new Map<string, Group>();
  /** Groups that wait for their turn, in order. */
  readonly #due = new Set<Group>();
  #workers = 0;
  #isClosed = false;

  constructor(context: DispatcherContext) {
    this.#context = context;
  }

  /** Starts to send new changes to all groups. */
  wake(): void {
    const { end } = this.#context.bus.recent;
    for (const group of this.#groups.values()) if (group.index < end && !group.isBusy) this.#due.add(group);
    // the time for this is not charged to the request that made the change
    while (this.#workers < WORKERS && this.#due.size > 0) void onAccountOf('events', () => this.#work());
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Sends a listener the changes that it has missed, and adds it to the group with its rights. */
  async join(listener: Listener): Promise<void> {
    const { bus } = this.#context;
    while (!this.#hasGone(listener)) {
      if (listener.sink.unread > UNREAD) await this.#untilRead(listener);
      if (this.#hasGone(listener)) return;
      const group = this.#groupOf(listener);
      if (listener.index >= group.index) {
        group.members.add(listener);
        listener.group = group;
        this.wake();
        return;
      }
      if (listener.index < bus.recent.start) {
        this.#context.end(listener);
        return;
      }
      const to = Math.min(group.index, listener.index + BATCH);
      const changes = bus.recent.between(listener.index, to);
      await this.sendAlone(listener, changes);
      listener.index = to;
    }
  }

  /** Sends changes to one listener, and waits while it is slow. */
  async sendAlone(listener: Listener, changes: readonly PositionedChange[]): Promise<void> {
    const { bus, rights } = this.#context;
    while (!this.#hasGone(listener)) {
      await this.#untilRead(listener);
      await this.#refreshRights();
      const { viewer, viewKey, request, requestKey } = listener;
      const recipients = new Recipients(this.#context, viewer);
      const events = await this.#eventsFor(recipients, changes, [request]);
      // the events follow from rights that have changed meanwhile
      if (!rights.areCurrent || listener.viewKey !== viewKey) continue;
      if (this.#hasGone(listener)) return;
      for (const frame of events.framesFor(requestKey, request, 0)) listener.sink.write(frame);
      return bus.throttle.turn();
    }
  }

  /** Sends a sign of life unless the listener has unread data anyway. */
  keepAlive({ sink }: Listener, frames: Buffer): void {
    if (sink.unread <= UNREAD) sink.write(frames);
  }

  /** Removes a listener from its group. */
  leave(listener: Listener): void {
    const { group } = listener;
    if (!group) return;
    listener.group = undefined;
    group.members.delete(listener);
    if (group.members.size > 0) return;
    this.#due.delete(group);
    if (this.#groups.get(group.key) === group) this.#groups.delete(group.key);
  }

  #hasGone({ sink }: Listener): boolean {
    return this.#isClosed || sink.isClosed;
  }

  /** The group with the rights of a listener; a new one if there is none. */
  #groupOf({ viewer, viewKey, index }: Listener): Group {
    const existing = this.#groups.get(viewKey);
    if (existing) return existing;
    const recipients = new Recipients(this.#context, viewer);
    const group = { key: viewKey, recipients, members: new Set<Listener>(), index, isBusy: false };
    this.#groups.set(viewKey, group);
    return group;
  }

  async #work(): Promise<void> {
    this.#workers += 1;
    try {
      for (const group of this.#due) {
        this.#due.delete(group);
        if (!group.isBusy) await this.#serve(group);
      }
    } finally {
      this.#workers -= 1;
    }
  }

  /** Sends a group one batch, and queues it again if there is more. */
  async #serve(group: Group): Promise<void> {
    const { recent, throttle } = this.#context.bus;
    group.isBusy = true;
    try {
      await throttle.turn();
      if (group.index < recent.start) return this.#endAll(group);
      const from = group.index;
      const to = Math.min(recent.end, from + BATCH);
      group.index = to;
      await this.#send(group, recent.between(from, to), from);
    } catch {
      // the listeners reconnect and receive what could not be read
      this.#endAll(group);
    } finally {
      group.isBusy = false;
      if (group.members.size > 0 && group.index < recent.end) this.#due.add(group);
    }
  }

  async #send(group: Group, changes: readonly PositionedChange[], from: number): Promise<void> {
    const { bus, rights } = this.#context;
    for (;;) {
      await this.#refreshRights();
      if (group.members.size === 0 || this.#isClosed) return;
      const requests = new Map([...group.members].map((member) => [member.requestKey, member.request]));
      const events = await this.#eventsFor(group.recipients, changes, [...requests.values()]);
      if (!rights.areCurrent) continue;
      const began = performance.now();
      const to = from + changes.length;
      let since = began;
      for (const member of [...group.members]) {
        if (performance.now() - since > SHARE) {
          await yielded();
          await this.#refreshRights();
          since = performance.now();
        }
        // it has left, has other rights, or has joined after these changes
        if (member.group !== group || member.index >= to) continue;
        if (member.sink.unread > UNREAD) {
          this.leave(member);
          void this.join(member).catch(() => this.#context.end(member));
          continue;
        }
        const frames = events.framesFor(member.requestKey, member.request, Math.max(0, member.index - from));
        member.index = to;
        for (const frame of frames) member.sink.write(frame);
      }
      bus.throttle.worked(performance.now() - began);
      return;
    }
  }

  /** The events of changes for recipients. Reads take turns with those for other listeners. */
  async #eventsFor(recipients: Recipients, changes: readonly PositionedChange[], requests: readonly StreamRequest[]) {
    const { throttle, reads } = this.#context.bus;
    if (!recipients.needsRead(changes, requests)) return recipients.eventsOf(changes, requests);
    return reads.run(async () => {
      await throttle.turn();
      const began = performance.now();
      try {
        return await recipients.eventsOf(changes, requests);
      } finally {
        throttle.worked(performance.now() - began);
      }
    });
  }

  /** Waits until a listener has read its data, and disconnects it if it reads nothing. */
  async #untilRead(listener: Listener): Promise<void> {
    const { sink } = listener;
    let least = Number.POSITIVE_INFINITY;
    let since = performance.now();
    while (sink.unread > UNREAD && !this.#hasGone(listener)) {
      if (sink.unread < least) since = performance.now();
      least = Math.min(least, sink.unread);
      if (performance.now() - since > this.#context.bus.patience) {
        this.#context.end(listener);
        sink.destroy();
        return;
      }
      await pause(POLL);
    }
  }

  /** Waits until the rights are current. */
  async #refreshRights(): Promise<void> {
    while (!this.#isClosed && !(await this.#context.rights.refresh())) await pause(RETRY);
  }

  #endAll(group: Group): void {
    for (const listener of [...group.members]) this.#context.end(listener);
  }
}

/** The connection of a listener. */
export interface Sink {
  /** Bytes that were written and not sent yet. */
  readonly unread: number;
  readonly isClosed: boolean;
  write(frames: Buffer): void;
  /** Ends the stream; the listener may reconnect. */
  end(): void;
  /** Closes the connection. */
  destroy(): void;
}

/** A request to listen. */
export interface NewListener {
  readonly authorization: string | undefined;
  /** The owner, for limits. */
  readonly account: string;
  readonly request: StreamRequest;
  /** The number of the last event that the listener has received; undefined for a new listener. */
  readonly after: number | undefined;
}

export interface Listener {
  readonly authorization: string | undefined;
  readonly request: StreamRequest;
  readonly requestKey: string;
  readonly sink: Sink;
  readonly leave: () => void;
  viewer: Viewer;
  /** Equal for listeners with the same rights. */
  viewKey: string;
  expiresAt: number | null;
  /** Its index in the recent changes. */
  index: number;
  /** Its group; undefined while it is served alone, and after it has gone. */
  group: Group | undefined;
}

/** Listeners with the same rights that have received, or are receiving, all changes before an index. */
export interface Group {
  readonly key: string;
  readonly recipients: Recipients;
  readonly members: Set<Listener>;
  index: number;
  isBusy: boolean;
}
