/**
 * Dispatcher listeners the recent changes. Those who may see the same are told together; one who is behind them, having come
 * back or been given other rights, is told by itself until it has caught up. Nothing is written while rights may have
 * changed, and nothing is lost when they have: whoever is told otherwise from then on goes on from its place.
 */

import type { Viewer } from '../access/view.ts';
import { onAccountOf } from '../db/scheduling/account.ts';
import type { EventBus } from './bus.ts';
import type { PositionedChange } from './log-reader.ts';
import { Recipients, type RecipientsContext, type StreamRequest } from './recipients.ts';
import type { Rights } from './rights.ts';
import { pause, SHARE, yielded } from './throttle.ts';

interface Parts extends RecipientsContext {
  readonly bus: EventBus;
  readonly rights: Pick<Rights<Listener>, 'areCurrent' | 'settle'>;
  /** Ends a stream: its listener comes back. */
  readonly end: (listener: Listener) => void;
}

/** Bytes that may wait for a listener before it is told more. One who takes longer is told by itself, at its own pace. */
const WAITING = 256 * 1024;
/** Milliseconds after which it is looked again whether a slow one has taken anything. */
const LOOK = 50;
/** Changes that are told at once. */
const BATCH = 50;
/** Groups that are told at once: one whose reads take long does not hold up the others. */
const WORKERS = 4;
/** Milliseconds after which rights are looked up again that could not be. */
const AGAIN = 500;

export class Dispatcher {
  readonly #parts: Parts;
  readonly #groups = new Map<string, Group>();
  /** Those whose turn it is, in their order. */
  readonly #due = new Set<Group>();
  #workers = 0;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Has all be told what is new. */
  wake(): void {
    const { end } = this.#parts.bus.recent;
    for (const group of this.#groups.values()) if (group.place < end && !group.isBusy) this.#due.add(group);
    // it is not done on the account of whoever has just come
    while (this.#workers < WORKERS && this.#due.size > 0) void onAccountOf('events', () => this.#work());
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Tells a listener by itself what it has missed, and puts it among those who may see the same. */
  async join(listener: Listener): Promise<void> {
    const { bus } = this.#parts;
    while (!this.#hasGone(listener)) {
      if (listener.sink.waiting > WAITING) await this.#drained(listener);
      if (this.#hasGone(listener)) return;
      const group = this.#groupOf(listener);
      if (listener.place >= group.place) {
        group.members.add(listener);
        listener.group = group;
        this.wake();
        return;
      }
      if (listener.place < bus.recent.start) {
        this.#parts.end(listener);
        return;
      }
      const to = Math.min(group.place, listener.place + BATCH);
      const changes = bus.recent.between(listener.place, to);
      await this.tellAlone(listener, changes);
      listener.place = to;
    }
  }

  /** Tells a listener changes by itself. A slow one is waited for. */
  async tellAlone(listener: Listener, changes: readonly PositionedChange[]): Promise<void> {
    const { bus, rights } = this.#parts;
    while (!this.#hasGone(listener)) {
      await this.#drained(listener);
      await this.#settle();
      const { viewer, viewKey, asked, requestKey } = listener;
      const recipients = new Recipients(this.#parts, viewer);
      const told = await this.#reading(recipients, changes, [asked]);
      // what was read is what it was allowed to see before
      if (!rights.areCurrent || listener.viewKey !== viewKey) continue;
      if (this.#hasGone(listener)) return;
      const frames = told.of(requestKey, asked, 0);
      for (const frame of frames) listener.sink.write(frame);
      return bus.throttle.turn();
    }
  }

  /** Shows a listener a sign of life, unless something waits for it anyway. */
  greet({ sink }: Listener, frames: Buffer): void {
    if (sink.waiting <= WAITING) sink.write(frames);
  }

  /** Takes a listener from those with whom it was told. */
  part(listener: Listener): void {
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

  /** Those who may see what a listener may see. It is the first of a new group. */
  #groupOf({ viewer, viewKey, place }: Listener): Group {
    const known = this.#groups.get(viewKey);
    if (known) return known;
    const recipients = new Recipients(this.#parts, viewer);
    const group = { key: viewKey, recipients, members: new Set<Listener>(), place, isBusy: false };
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

  /** Tells a group a batch of what is new, and has it wait for its next turn if there is more. */
  async #serve(group: Group): Promise<void> {
    const { recent, throttle } = this.#parts.bus;
    group.isBusy = true;
    try {
      await throttle.turn();
      if (group.place < recent.start) return this.#endAll(group);
      const from = group.place;
      const to = Math.min(recent.end, from + BATCH);
      group.place = to;
      await this.#tell(group, recent.between(from, to), from);
    } catch {
      // what cannot be read now is told when they come back
      this.#endAll(group);
    } finally {
      group.isBusy = false;
      if (group.members.size > 0 && group.place < recent.end) this.#due.add(group);
    }
  }

  async #tell(group: Group, changes: readonly PositionedChange[], from: number): Promise<void> {
    const { bus, rights } = this.#parts;
    for (;;) {
      await this.#settle();
      if (group.members.size === 0 || this.#isClosed) return;
      const asked = new Map([...group.members].map((member) => [member.requestKey, member.asked]));
      const told = await this.#reading(group.recipients, changes, [...asked.values()]);
      if (!rights.areCurrent) continue;
      const began = performance.now();
      const to = from + changes.length;
      let since = began;
      for (const member of [...group.members]) {
        if (performance.now() - since > SHARE) {
          await yielded();
          await this.#settle();
          since = performance.now();
        }
        // it has gone, its rights have, or it came when this was told already
        if (member.group !== group || member.place >= to) continue;
        if (member.sink.waiting > WAITING) {
          this.part(member);
          void this.join(member).catch(() => this.#parts.end(member));
          continue;
        }
        const frames = told.of(member.requestKey, member.asked, Math.max(0, member.place - from));
        member.place = to;
        for (const frame of frames) member.sink.write(frame);
      }
      bus.throttle.worked(performance.now() - began);
      return;
    }
  }

  /** What an recipients is told, read in turn with other reads for listeners. */
  async #reading(recipients: Recipients, changes: readonly PositionedChange[], asked: readonly StreamRequest[]) {
    const { throttle, reads } = this.#parts.bus;
    if (!recipients.reads(changes, asked)) return recipients.told(changes, asked);
    return reads.run(async () => {
      await throttle.turn();
      const began = performance.now();
      try {
        return await recipients.told(changes, asked);
      } finally {
        throttle.worked(performance.now() - began);
      }
    });
  }

  /** Waits until a listener has taken what was written to it, and cuts it off if it takes nothing. */
  async #drained(listener: Listener): Promise<void> {
    const { sink } = listener;
    let least = Number.POSITIVE_INFINITY;
    let since = performance.now();
    while (sink.waiting > WAITING && !this.#hasGone(listener)) {
      if (sink.waiting < least) since = performance.now();
      least = Math.min(least, sink.waiting);
      if (performance.now() - since > this.#parts.bus.patience) {
        this.#parts.end(listener);
        sink.destroy();
        return;
      }
      await pause(LOOK);
    }
  }

  /** Waits until rights are known. */
  async #settle(): Promise<void> {
    while (!this.#isClosed && !(await this.#parts.rights.settle())) await pause(AGAIN);
  }

  #endAll(group: Group): void {
    for (const listener of [...group.members]) this.#parts.end(listener);
  }
}

// MERGED listener.ts: Those who listen to changes: who they are, and where they are written to.

/** Where a listener is written to. */
export interface Sink {
  /** Bytes that wait to be taken. */
  readonly waiting: number;
  /** Whether nothing can be written any more. */
  readonly isClosed: boolean;
  write(frames: Buffer): void;
  /** Ends the stream: the listener may come back. */
  end(): void;
  /** Cuts the connection off. */
  destroy(): void;
}

export interface NewListener {
  readonly authorization: string | undefined;
  /** Whose it is, for limits. */
  readonly account: string;
  readonly asked: StreamRequest;
  /** The number behind which it goes on; undefined: it begins. */
  readonly after: number | undefined;
}

export interface Listener {
  readonly authorization: string | undefined;
  readonly asked: StreamRequest;
  /** Of what it has asked for. */
  readonly requestKey: string;
  readonly sink: Sink;
  readonly leave: () => void;
  viewer: Viewer;
  /** Of what it may see. */
  viewKey: string;
  expiresAt: number | null;
  /** Its place: what it has been told of the recent changes. */
  place: number;
  /** Those with whom it is told; undefined while it is told by itself, and once it has gone. */
  group: Group | undefined;
}

/** An recipients with those who are in it, and their place: all of them have been told what is before it, or are being. */
export interface Group {
  readonly key: string;
  readonly recipients: Recipients;
  readonly members: Set<Listener>;
  place: number;
  isBusy: boolean;
}
