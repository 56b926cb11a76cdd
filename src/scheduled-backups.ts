/** Backups at the times of `config/galley`: by one process at a time, each read again, the oldest removed afterwards. */
import { setTimeout as after } from 'node:timers/promises';
import type { Cron } from 'croner';
import { backUp, isOwnBackup, openPlace } from './backups.ts';
import type { Config } from './config/config.ts';
import { counted } from './counted.ts';
import type { Database } from './db/interface/database.ts';
import { UsageError } from './errors.ts';
import type { BackupState } from './http/monitoring/diagnosis.ts';
import type { Family } from './http/monitoring/prometheus.ts';
import { single } from './http/monitoring/prometheus.ts';
import type { OpenStorage } from './media/storage/open-storage.ts';
import type { Storage } from './media/storage/storage.ts';
import { databaseCopies } from './open-database.ts';
import { commandText } from './own-files.ts';
import {
  isRunning,
  JobRuns,
  type JobState,
  lateSince,
  outcomeOf,
  type Ran,
  type Report,
} from './runtime/jobs/job-runs.ts';
import { mailOf } from './users/mail/mail.ts';
import type { Mailer } from './users/mail/mailer.ts';

/** The name among the runs of their kind. */
const NAME = 'backup';
/** Milliseconds that a stopping server waits for a backup. */
const PATIENCE = 3000;

interface ScheduledBackupsParts {
  readonly config: Config;
  readonly database: Database;
  readonly stores: OpenStorage;
  readonly mailer: Mailer;
  readonly log: (line: string, error?: unknown) => void;
}

export class ScheduledBackups {
  readonly #parts: ScheduledBackupsParts;
  readonly #runs: JobRuns;
  #cron: Cron | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: ScheduledBackupsParts) {
    this.#parts = parts;
    const alone = (purpose: string, work: () => Promise<unknown>) =>
      work().catch((error: unknown) => parts.log(`error: ${purpose} failed`, error));
    this.#runs = new JobRuns({ database: parts.database, kind: 'galley_backup', alone });
  }

  /** Starts to create backups at their times, and creates one now if one is due since the last. */
  async start(): Promise<void> {
    const cron = await this.#times();
    if (!cron) return;
    this.#cron = cron;
    cron.schedule((self: Cron) => {
      const at = (self.currentRun() ?? new Date()).getTime();
      return this.#runIf(Math.floor(at / 1000) * 1000, (last, due) => last < due);
    });
    void this.#runIf(Date.now(), (last, now) => {
      const due = cron.nextRun(new Date(last));
      return due !== null && due.getTime() <= now;
    });
  }

  /** Waits a short time for a backup that is being created. One that is given up counts as failed. */
  async close(): Promise<void> {
    this.#cron?.stop();
    await Promise.race([this.#running, after(PATIENCE, undefined, { ref: false })]);
  }

  /** The state of scheduled backups; undefined if none are scheduled. */
  async state(): Promise<BackupState | undefined> {
    const cron = await this.#times();
    if (!cron) return undefined;
    const state = await this.#runs.stateOf(NAME);
    const outcome = outcomeOf(state);
    return {
      failed: outcome === 'failed' || outcome === 'given up',
      lateSince: lateSince(state, (time) => cron.nextRun(time))?.getTime() ?? null,
      doneAt: lastSuccess(state) ?? null,
    };
  }

  /** Metrics of the scheduled backups. */
  async metrics(): Promise<Family[]> {
    const state = await this.state();
    if (!state) return [];
    const seconds = (state.doneAt ?? 0) / 1000;
    const failing = state.failed || state.lateSince !== null ? 1 : 0;
    return [
      single('gauge', 'galley_backup_last_success_timestamp_seconds', 'When the last backup was complete', seconds),
      single('gauge', 'galley_backup_failing', 'Whether the last scheduled backup failed or is late', failing),
    ];
  }

  async #times(): Promise<Cron | undefined> {
    const { cron } = this.#parts.config.backup;
    if (cron === undefined) return undefined;
    const { Cron: CronClass } = await import('croner');
    return new CronClass(cron, { protect: true, unref: true, timezone: 'UTC' });
  }

  /** Creates a backup that is due by the time of the last one, unless another process does. */
  async #runIf(at: number, isDue: (last: number, at: number) => boolean): Promise<void> {
    const running = this.#claimed(at, isDue).catch((error: unknown) =>
      this.#parts.log('error: a scheduled backup could not begin', error),
    );
    this.#running = running;
    await running;
  }

  async #claimed(at: number, isDue: (last: number, at: number) => boolean): Promise<void> {
    const claims = await this.#runs.claims(
      NAME,
      at,
      (known, now) => isDue(known?.at ?? now, at) && !isRunning(known, now),
    );
    if (claims) await this.#runs.perform(NAME, at, (report) => this.#perform(report));
  }

  async #perform(report: Report): Promise<Ran> {
    const { log } = this.#parts;
    try {
      const missing = await this.#create();
      if (missing > 0) log(`warning: the backup lacks ${counted(missing, 'file')} that the database names`);
      await report({ doneAt: Date.now() });
      return { failed: undefined };
    } catch (error) {
      const isKnown = error instanceof UsageError;
      const failed = isKnown ? error.message : 'an internal error, which the log of the server has';
      log(`error: the scheduled backup failed${isKnown ? `: ${failed}` : ''}`, isKnown ? undefined : error);
      await this.#mail(failed).catch((failure: unknown) => log('error: a mail about a failed backup failed', failure));
      return { failed };
    }
  }

  /** Creates a backup, and removes those beyond the number that stay. Returns the number of missing files. */
  async #create(): Promise<number> {
    const { config, stores } = this.#parts;
    const { to, key, files, keep } = config.backup;
    const place = await openPlace(to, config, config.dir);
    try {
      if (place.name !== undefined) throw new UsageError(`backup.to must be a folder or a prefix, not ${to}`, 1);
      const copies = await databaseCopies(config.database);
      const { manifest } = await backUp({ config, stores, copies }, { place, key, files });
      await removeOldest(place.storage, config, keep);
      return manifest.files.missing;
    } finally {
      await place.storage.close();
    }
  }

  async #mail(reason: string): Promise<void> {
    const { config, mailer } = this.#parts;
    const { mail, to } = config.backup;
    if (mail === undefined) return;
    const paragraphs = [
      `The scheduled backup of ${config.name} into ${to} failed: ${reason}.`,
      'Earlier backups are as they were. This command tries again, and prints the reason:',
      commandText('backup', config.dir),
    ];
    await mailer.send(mailOf(mail, `The backup of ${config.name} failed`, paragraphs), true);
  }
}

/** When the last complete backup ended, as runs report it. */
const lastSuccess = (state: JobState | undefined): number | undefined => {
  const { doneAt } = state?.report ?? {};
  return typeof doneAt === 'number' ? doneAt : undefined;
};

async function removeOldest(storage: Storage, config: Config, keep: number): Promise<void> {
  const names: string[] = [];
  for await (const { key } of storage.list()) if (isOwnBackup(config, key)) names.push(key);
  // names are in the order of their times
  for (const name of names.sort().slice(0, -keep)) await storage.remove(name);
}
