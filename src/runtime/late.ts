/** The time that transactions of a project's code have. */
import { ContentError } from '../errors.ts';

/** Milliseconds that code may keep a transaction open: others may wait for it to end. */
export const TRANSACTION_TIME = 10_000;

/** The error of a transaction that took too long. Its stack is that of the code that began it. */
export class Late extends ContentError {
  constructor() {
    const seconds = TRANSACTION_TIME / 1000;
    super('ServiceUnavailableError', `a transaction of the project's code took longer than ${seconds} seconds`);
  }
}
