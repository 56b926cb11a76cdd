/** The messages between a worker and its parent, which travel as JSON. */
import type { Family } from '../../http/monitoring/prometheus.ts';
import type { RateLimitOutcome } from '../../http/protocol/rate-limit.ts';
import type { ImageJob, JobResult } from '../../media/images/image.ts';
import type { GivenUp, JobError } from '../../media/images/image-queue.ts';
import type { Announcement } from '../serving.ts';

/** The environment variable that contains the role of a worker. */
export const ROLE_VARIABLE = 'GALLEY_WORKER';

/** The role of a worker. */
export interface Role {
  /** From 1. A replacement has the number of the worker that ended. */
  readonly number: number;
  /** The number of workers. */
  readonly workers: number;
  /** Whether it replaces a worker that ended, so that the database already matches the schema. */
  readonly isReplacement: boolean;
  /** The token that creates the first administrator, the same in all workers. */
  readonly firstToken: string;
  /** The file through which workers on SQLite signal commits; undefined if there is none. */
  readonly signal: string | undefined;
}

/** The first worker does the work that happens once. */
export const leads = ({ number }: Role): boolean => number === 1;

/** An operation on a counter. A number gives a request back to the window that ends at that time. */
export type LimitAction = 'take' | 'isSpent' | number;
/** One request to count: name and rule of the limiter, the key and the operation. */
export type LimitAsk = readonly [name: string, max: number, windowMs: number, key: string, action: LimitAction];
/** The result: the outcome of `take`, whether the limit `isSpent`, or null after giving a request back. */
export type LimitAnswer = RateLimitOutcome | boolean | null;

/** The outcome of an image job. */
export type ImageOutcome =
  | { readonly result: JobResult }
  | { readonly failure: JobError['failure'] }
  | { readonly givenUp: GivenUp; readonly cause: string | undefined };

export type FromWorker =
  /** It receives messages from now on. A message to a process that is still loading would be lost. */
  | { readonly kind: 'receives' }
  /** Its project is open, and the database matches the schema. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'serving'; readonly url: string; readonly announcement: Announcement }
  | { readonly kind: 'count'; readonly id: number; readonly asks: readonly LimitAsk[] }
  | { readonly kind: 'image'; readonly id: number; readonly job: ImageJob }
  | { readonly kind: 'metrics'; readonly id: number; readonly families: readonly Family[] };

export type ToWorker =
  /** Open the project, because the first worker is prepared. */
  | { readonly kind: 'open' }
  /** Take requests, because all workers are prepared. */
  | { readonly kind: 'listen' }
  /** Finish the requests in flight, and end. */
  | { readonly kind: 'end' }
  | { readonly kind: 'counted'; readonly id: number; readonly answers: readonly LimitAnswer[] }
  | { readonly kind: 'imaged'; readonly id: number; readonly outcome: ImageOutcome }
  | { readonly kind: 'metrics'; readonly id: number };
