/** The work of the parent for all workers: it counts limited requests, and processes images. */
import type { ImagesConfig } from '../../config/config.ts';
import { type RateLimiter, RateLimits } from '../../http/protocol/rate-limit.ts';
import type { ImageJob } from '../../media/images/image.ts';
import { type ImageQueue, JobError, QueueError } from '../../media/images/image-queue.ts';
import { imageQueue } from '../../media/images/images.ts';
import type { ImageOutcome, LimitAnswer, LimitAsk } from './messages.ts';

export class SharedWork {
  readonly #limits = new RateLimits();
  readonly #images: ImageQueue;

  constructor(images: ImagesConfig) {
    this.#images = imageQueue(images);
  }

  /** Counts requests, in order. */
  count(asks: readonly LimitAsk[]): LimitAnswer[] {
    return asks.map(([name, max, windowMs, key, action]) => {
      const limiter: RateLimiter = this.#limits.of(name, { max, windowMs });
      if (action === 'take') return limiter.take(key);
      if (action === 'isSpent') return limiter.isSpent(key);
      limiter.giveBack(key, action);
      return null;
    });
  }

  /** Runs an image job in its turn, also if the worker that sent it ends meanwhile. */
  async runImage(job: ImageJob): Promise<ImageOutcome> {
    try {
      return { result: await this.#images.run(job) };
    } catch (error) {
      if (error instanceof JobError) return { failure: error.failure };
      if (!(error instanceof QueueError)) throw error;
      return { givenUp: error.reason, cause: (error.cause as Error | undefined)?.message };
    }
  }

  close(): void {
    this.#images.close();
  }
}
