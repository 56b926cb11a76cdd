import type { JobFailure } from './image.ts';

/** Why a job has no result: the failure that the image process reported, or the end of that process. */
export class JobError extends Error {
  readonly failure: JobFailure | { readonly reason: 'lost'; readonly message: string };

  constructor(failure: JobError['failure']) {
    super(failure.message);
    this.failure = failure;
  }
}
