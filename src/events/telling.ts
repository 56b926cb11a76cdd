/**
 * Telling listeners the recent changes. Those who may see the same are told together; one who is behind them, having come
 * back or been given other rights, is told by itself until it has caught up. Nothing is written while rights may have
 * changed, and nothing is lost when they have: whoever is told otherwise from then on goes on from its place.
 */
import { onAccountOf } from '../db/scheduling/account.ts';
import { type Asked, Audience, type AudienceParts } from './audience.ts';
import { pause, SHARE, yielded } from './duty.ts';
import type { Hub } from './hub.ts';
import type { Group, Listener } from './listener.ts';
import type { Rights } from './rights.ts';
import type { TailChange } from './tail.ts';

interface Parts extends AudienceParts {
  readonly hub: Hub;
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

export class Telling {
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
    const { end } = this.#parts.hub.recent;
    for (const group of this.#groups.values()) if (group.place < end && !group.isBusy) this.#due.add(group);
    // it is not done on the account of whoever has just come
    while (this.#workers < WORKERS && this.#due.size > 0) void onAccountOf('events', () => this.#work());
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Tells a listener by itself what it has missed, and puts it among those who may see the same. */
  async join(listener: Listener): Promise<void> {
    const { hub } = this.#parts;
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
      if (listener.place < hub.recent.start) {
        this.#parts.end(listener);
        return;
      }
      const to = Math.min(group.place, listener.place + BATCH);
      const changes = hub.recent.between(listener.place, to);
      await this.tellAlone(listener, changes);
      listener.place = to;
    }
  }

  /** Tells a listener changes by itself. A slow one is waited for. */
  async tellAlone(listener: Listener, changes: readonly TailChange[]): Promise<void> {
    const { hub, rights } = this.#parts;
    while (!this.#hasGone(listener)) {
      await this.#drained(listener);
      await this.#settle();
      const { viewer, viewKey, asked, askedKey } = listener;
      const audience = new Audience(this.#parts, viewer);
      const told = await this.#reading(audience, changes, [asked]);
      // what was read is what it was allowed to see before
      if (!rights.areCurrent || listener.viewKey !== viewKey) continue;
      if (this.#hasGone(listener)) return;
      const frames = told.of(askedKey, asked, 0);
      for (const frame of frames) listener.sink.write(frame);
      return hub.duty.turn();
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
    const audience = new Audience(this.#parts, viewer);
    const group = { key: viewKey, audience, members: new Set<Listener>(), place, isBusy: false };
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
    const { recent, duty } = this.#parts.hub;
    group.isBusy = true;
    try {
      await duty.turn();
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

  async #tell(group: Group, changes: readonly TailChange[], from: number): Promise<void> {
    const { hub, rights } = this.#parts;
    for (;;) {
      await this.#settle();
      if (group.members.size === 0 || this.#isClosed) return;
      const asked = new Map([...group.members].map((member) => [member.askedKey, member.asked]));
      const told = await this.#reading(group.audience, changes, [...asked.values()]);
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
        const frames = told.of(member.askedKey, member.asked, Math.max(0, member.place - from));
        member.place = to;
        for (const frame of frames) member.sink.write(frame);
      }
      hub.duty.worked(performance.now() - began);
      return;
    }
  }

  /** What an audience is told, read in turn with other reads for listeners. */
  async #reading(audience: Audience, changes: readonly TailChange[], asked: readonly Asked[]) {
    const { duty, reads } = this.#parts.hub;
    if (!audience.reads(changes, asked)) return audience.told(changes, asked);
    return reads.in(async () => {
      await duty.turn();
      const began = performance.now();
      try {
        return await audience.told(changes, asked);
      } finally {
        duty.worked(performance.now() - began);
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
      if (performance.now() - since > this.#parts.hub.patience) {
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
