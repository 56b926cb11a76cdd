import type { JobFailure } from './image.ts';

/** Why a job has no result: the failure that the image process told of, or the end of that process. */
export class JobError extends Error {
  readonly failure: JobFailure | { readonly reason: 'lost'; readonly message: string };

  constructor(failure: JobError['failure']) {
    super(failure.message);
    this.failure = failure;
  }
}
