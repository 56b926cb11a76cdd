/** The history of documents and the trash: records versions, compresses and prunes them. It lives as long as the process. */
import type { HistoryConfig, TrashConfig } from '../config/config.ts';
import { onAccount } from '../db/interface/account.ts';
import { SERVER } from '../db/interface/actor.ts';
import type { Database } from '../db/interface/database.ts';
import { NamedLease } from '../db/interface/named-lease.ts';
import { errorField, writeLogLine } from '../log-line.ts';
import type { Storage } from '../media/storage/storage.ts';
import { Recorder, type Recording } from './recorder.ts';
import { forgetOldDeletions, forgetRestoredRows, limitDeletions } from './trash.ts';
import { packVersions, pruneVersions } from './upkeep.ts';

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
  /** Whether the database has the table of versions that the reference recorded. */
  hasStrapiVersions = false;
  readonly #database: Database;
  readonly #lease: NamedLease;
  #project: RecordedProject | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #work: Promise<void> | undefined;
  #prunedAt = Number.NEGATIVE_INFINITY;
  /** The last version whose content could not be compressed, until the next pruning. */
  #packedFrom = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#lease = new NamedLease(database, 'history');
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

  /**
   * Compresses new versions, deletes documents for good that were deleted too long ago, and once an hour old versions.
   * Failures are logged.
   */
  tidy(): Promise<void> {
    this.#work ??= onAccount({ key: 'history', actor: SERVER }, () => this.#tidy()).finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  /** Whether this process does nothing more: the server stops, or another process does it. */
  readonly #isOver = async (): Promise<boolean> => this.#isClosed || !(await this.#lease.hold());

  async #tidy(): Promise<void> {
    await this.#attempt('versions of documents were not compressed', () => this.#pack());
    await this.#attempt('old documents in the trash were not deleted', () => this.#forgetDeletions());
    const isDue = performance.now() - this.#prunedAt >= PRUNING;
    if (this.#project && isDue && !this.#isClosed) {
      this.#prunedAt = performance.now();
      this.#packedFrom = 0;
      const { config, tables, trash } = this.#project;
      const pruning = { isOver: this.#isOver, pause: PRUNING / 2 };
      await this.#attempt('old versions of documents were not deleted', () =>
        pruneVersions(this.#database, config, [...tables.keys()], pruning),
      );
      await this.#attempt('the oldest documents in the trash were not deleted', async () => {
        await limitDeletions(this.#database, trash.documents);
        await forgetRestoredRows(this.#database, trash.days);
      });
    }
    // it runs out by itself
    await this.#lease.end().catch(() => undefined);
  }

  async #pack(): Promise<void> {
    const failed = await packVersions(this.#database, this.#isOver, this.#packedFrom);
    if (!failed) return;
    this.#packedFrom = failed.id;
    throw failed.error;
  }

  async #forgetDeletions(): Promise<void> {
    if (!this.#project || this.#isClosed) return;
    const { trash, tables, stores } = this.#project;
    const forgetting = { database: this.#database, tables, stores };
    await forgetOldDeletions(forgetting, { days: trash.days, isOver: this.#isOver });
  }

  /** Does a part of the work; a failure is logged and does not keep the other parts from being done. */
  async #attempt(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#isClosed) writeLogLine('warn', failure, errorField(error));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#work;
  }
}
