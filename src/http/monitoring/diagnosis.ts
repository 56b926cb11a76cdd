/** The services of the health page that depend on modules beside `http`. */
import type { ProblemKind } from '../../content/doctor/check.ts';

/** A problem of a project. */
export interface Diagnosis {
  readonly kind:
    | ProblemKind
    | 'table'
    | 'sequence'
    | 'file-left'
    | 'file-recent'
    | 'file-elsewhere'
    | 'file-unclaimed'
    | 'file-missing';
  /** The problem in technical words; empty where the kind says it all. */
  readonly problem: string;
  /** The table, column or store. */
  readonly place: string;
  readonly count: number;
  readonly isRepairable: boolean;
  readonly examples: readonly string[];
}

/** An index for slow reads, as `galley index list` and `galley index suggest` show it. */
export interface ShownIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: string;
  readonly origin: 'learned' | 'suggested' | 'command';
  /** The slow reads that lacked it, and their total milliseconds. */
  readonly reads: number;
  readonly milliseconds: number;
  /** Epoch milliseconds. */
  readonly usedAt: number;
}

export type DoctorWork = 'examination' | 'repair';

/** How far a repair is. */
export interface DoctorProgress {
  readonly step: 'tables' | 'rows' | 'files' | 'examination';
  /** Rows, of those that were found by now. */
  readonly repaired: number;
  readonly of: number;
}

/** The examination or repair that runs, or the last one. */
export interface DoctorRun {
  readonly work: DoctorWork;
  /** `given up`: the process that ran it has ended. */
  readonly outcome: 'running' | 'done' | 'failed' | 'given up';
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Null for an examination, and before the first step. */
  readonly progress: DoctorProgress | null;
  /** The problems that were found, or that remain; null unless the outcome is `done`. */
  readonly problems: readonly Diagnosis[] | null;
  /** The message of a failure; null if only the log has the reason. */
  readonly error: string | null;
}

/** The state of scheduled backups. Times are epoch milliseconds. */
export interface BackupState {
  /** Whether the last one failed. */
  readonly failed: boolean;
  /** When one was due that has not begun. */
  readonly lateSince: number | null;
  /** When the last complete one ended. */
  readonly doneAt: number | null;
}

export interface HealthServices {
  /** The scheduled backups; undefined if none are scheduled. */
  backup(): Promise<BackupState | undefined>;
  /** The last examination or repair in any process; undefined if there was none. */
  doctorRun(): Promise<DoctorRun | undefined>;
  /**
   * Begins an examination, or a repair of what can be repaired without losing content, and does not wait for its end.
   *
   * @returns false if one is running, in any process.
   */
  beginDoctor(work: DoctorWork): Promise<boolean>;
  /** Indexes that were learned, created or suggested, the most wanted first. */
  indexes(): Promise<readonly ShownIndex[]>;
}
