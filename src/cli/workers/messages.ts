/** What a worker and its parent say to each other. Messages go through JSON. */
import type { Family } from '../../http/monitoring/prometheus.ts';
import type { RateLimitOutcome } from '../../http/protocol/rate-limit.ts';
import type { ImageJob, JobResult } from '../../media/images/image.ts';
import type { GivenUp, JobError } from '../../media/images/image-queue.ts';
import type { Announcement } from '../serving.ts';

/** The variable of its environment that tells a worker what it is. */
export const ROLE_VARIABLE = 'GALLEY_WORKER';

/** What a worker is. */
export interface Role {
  /** From 1; a worker that takes the place of another has its number. */
  readonly number: number;
  /** How many they are. */
  readonly workers: number;
  /** Whether the database is what the schema says already: it takes the place of one that has ended. */
  readonly isReplacement: boolean;
  /** What lets somebody make the first administrator: all workers know the same. */
  readonly firstToken: string;
  /** The file by which workers tell one another of commits, where they do. */
  readonly signal: string | undefined;
}

/** The first worker does what is done once. */
export const leads = ({ number }: Role): boolean => number === 1;

/** What is done to a counter; a number: a request of the window that is over then is given back. */
export type LimitAction = 'take' | 'isSpent' | number;
/** One request to count: the limiter by its name and rule, the key, and what is to be done. */
export type LimitAsk = readonly [name: string, max: number, windowMs: number, key: string, action: LimitAction];
/** Its answer: of one that was asked after, whether it is spent; of one that is given back there is none. */
export type LimitAnswer = RateLimitOutcome | boolean | null;

/** How an image job ended. */
export type ImageOutcome =
  | { readonly result: JobResult }
  | { readonly failure: JobError['failure'] }
  | { readonly givenUp: GivenUp; readonly cause: string | undefined };

export type FromWorker =
  /** It hears what it is told: what is sent to a process that is still loading would be lost. */
  | { readonly kind: 'hears' }
  /** Its project is open, and the database is what the schema says. */
  | { readonly kind: 'prepared' }
  | { readonly kind: 'serving'; readonly url: string; readonly announcement: Announcement }
  | { readonly kind: 'count'; readonly id: number; readonly asks: readonly LimitAsk[] }
  | { readonly kind: 'image'; readonly id: number; readonly job: ImageJob }
  | { readonly kind: 'metrics'; readonly id: number; readonly families: readonly Family[] };

export type ToWorker =
  /** The first worker is prepared: open the project. */
  | { readonly kind: 'open' }
  /** All are prepared: take requests. */
  | { readonly kind: 'listen' }
  /** Finish what is in flight, and end. */
  | { readonly kind: 'end' }
  | { readonly kind: 'counted'; readonly id: number; readonly answers: readonly LimitAnswer[] }
  | { readonly kind: 'imaged'; readonly id: number; readonly outcome: ImageOutcome }
  | { readonly kind: 'metrics'; readonly id: number };
