/** Records the reads of one piece of work, such as a request that is explained. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Read } from './database.ts';

/** The most reads that are recorded. */
const MOST_READS = 8;

const records = new AsyncLocalStorage<Read[]>();
/** How many recordings are open: without any, a read costs nothing more. */
let open = 0;

/** Records the first reads of work, until it is closed. */
export class ReadRecording {
  readonly #reads: Read[] = [];

  constructor() {
    open++;
  }

  get reads(): readonly Read[] {
    return this.#reads;
  }

  run<T>(work: () => T): T {
    return records.run(this.#reads, work);
  }

  close(): void {
    open--;
  }
}

/** Whether the reads of the current work are recorded: they must then reach the database. */
export const isRecording = (): boolean => open > 0 && records.getStore() !== undefined;

/** Called by engines for each read. */
export function noteRead(read: Read): void {
  if (open === 0) return;
  const reads = records.getStore();
  if (reads && reads.length < MOST_READS) reads.push(read);
}
