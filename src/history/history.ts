/** The history of documents and the trash: records versions, compresses and prunes them. It lives as long as the process. */
import type { HistoryConfig, TrashConfig } from '../config/config.ts';
import { onAccount } from '../db/interface/account.ts';
import { SERVER } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';
import { errorField, writeLogLine } from '../log-line.ts';
import type { Storage } from '../media/storage/storage.ts';
import { Recorder, type Recording } from './recorder.ts';
import { forgetOldDeletions } from './trash.ts';
import { Pruning, packVersions } from './upkeep.ts';

/** The project whose versions are recorded. */
export interface RecordedProject {
  readonly recording: Recording;
  readonly config: HistoryConfig;
  readonly trash: TrashConfig;
  /** The tables of the project's types. */
  readonly tables: ReadonlyMap<string, string>;
  /** All stores that may have files. */
  readonly stores: readonly Storage[];
}

/** Milliseconds between two looks for versions to compress, and between two looks for old versions. */
const PACKING = 10_000;
const PRUNING = 3_600_000;

export class History {
  readonly #database: Database;
  readonly #pruning: Pruning;
  #project: RecordedProject | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #work: Promise<void> | undefined;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
    this.#pruning = new Pruning(database, () => this.#isClosed);
    database.subscribe(new Recorder(() => this.#project?.recording));
  }

  /** Sets the project by which versions are recorded. */
  recordAs(project: RecordedProject): void {
    this.#project = project;
  }

  /** Begins to compress and prune versions in the background. */
  start(): void {
    this.#timer = setInterval(() => void this.tidy(), PACKING).unref();
  }

  /** Compresses new versions, and deletes old ones once an hour. Failures are logged. */
  tidy(): Promise<void> {
    this.#work ??= onAccount({ key: 'history', actor: SERVER }, () => this.#tidy())
      .catch((error: unknown) => {
        if (!this.#isClosed) writeLogLine('warn', 'versions of documents were not compressed', errorField(error));
      })
      .finally(() => (this.#work = undefined));
    return this.#work;
  }

  async #tidy(): Promise<void> {
    await packVersions(this.#database, () => this.#isClosed);
    if (!this.#project || performance.now() - this.#prunedAt < PRUNING) return;
    this.#prunedAt = performance.now();
    const { config, trash, tables, stores } = this.#project;
    const forgetting = { database: this.#database, tables, stores };
    await forgetOldDeletions(forgetting, { days: trash.days, isOver: () => this.#isClosed });
    await this.#pruning.run(config, [...tables.keys()]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#work;
  }
}
