/** Counts the requests of this process for the health of the server: numbers, durations, and the slowest ones. */
import type { ServerResponse } from 'node:http';
import { BUCKETS, bucketOf, type DurationCounts, pairsOf } from './durations.ts';
import { type KnownNames, pathShape, queryShape } from './request-shape.ts';

/** Requests of one shape. */
export interface SlowRequest {
  readonly method: string;
  /** Without ids and values (`request-shape.ts`). */
  readonly path: string;
  readonly query: string;
  /** The number of slow ones, and the slowest one: its milliseconds, status, and epoch milliseconds. */
  readonly count: number;
  readonly ms: number;
  readonly status: number;
  readonly at: number;
}

/** The requests of a period. */
export interface TrafficCounts {
  readonly requests: number;
  /** Requests with a status of 500 or more, and of 400 to 499. */
  readonly failed: number;
  readonly refused: number;
  readonly durations: DurationCounts;
  readonly slow: readonly SlowRequest[];
}

/** Milliseconds from which a request may be among the slowest. */
const SLOW = 20;
/** Shapes among the slowest. */
export const MOST_SLOW = 10;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class Traffic {
  readonly #names: KnownNames;
  #requests = 0;
  #failed = 0;
  #refused = 0;
  readonly #durations = new Uint32Array(BUCKETS);
  #slow = new Map<string, SlowRequest>();
  /** Milliseconds of the fastest one among the slowest, once their list is full. */
  #least = SLOW;

  /** @param names which paths and queries of slow requests may contain. */
  constructor(names: KnownNames) {
    this.#names = names;
  }

  /** Counts an answered request. Answers that their client did not wait for, and streams, have no duration. */
  note(method: string | undefined, target: string | undefined, response: ServerResponse, milliseconds: number): void {
    this.#requests++;
    const { statusCode } = response;
    if (statusCode >= 400) {
      if (statusCode >= 500) this.#failed++;
      else this.#refused++;
    }
    if (!response.writableFinished) return;
    if (milliseconds >= SLOW && isStream(response)) return;
    this.#durations[bucketOf(milliseconds)]!++;
    if (milliseconds < this.#least || this.#names.isOfApp(target ?? '')) return;
    this.#noteSlow(method ?? '', target ?? '', statusCode, milliseconds);
  }

  /** The counts of the current period. @param isOver whether a new period begins. */
  counts(isOver: boolean): TrafficCounts {
    const counts = {
      requests: this.#requests,
      failed: this.#failed,
      refused: this.#refused,
      durations: pairsOf(this.#durations),
      slow: [...this.#slow.values()],
    };
    if (!isOver) return counts;
    this.#requests = 0;
    this.#failed = 0;
    this.#refused = 0;
    this.#durations.fill(0);
    this.#slow = new Map();
    this.#least = SLOW;
    return counts;
  }

  #noteSlow(givenMethod: string, target: string, status: number, milliseconds: number): void {
    const method = METHODS.has(givenMethod) ? givenMethod : 'other';
    const path = pathShape(target, this.#names);
    const key = `${method} ${path}`;
    const ms = Math.round(milliseconds * 10) / 10;
    const known = this.#slow.get(key);
    if (known && known.ms >= ms) {
      this.#slow.set(key, { ...known, count: known.count + 1 });
      return;
    }
    const query = queryShape(target, this.#names);
    this.#slow.set(key, { method, path, query, count: (known?.count ?? 0) + 1, ms, status, at: Date.now() });
    if (this.#slow.size > MOST_SLOW) {
      const [fastest] = [...this.#slow].reduce((one, other) => (other[1].ms < one[1].ms ? other : one));
      this.#slow.delete(fastest);
    }
    if (this.#slow.size === MOST_SLOW) this.#least = Math.min(...[...this.#slow.values()].map((one) => one.ms));
  }
}

const isStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type') ?? '').startsWith('text/event-stream');
