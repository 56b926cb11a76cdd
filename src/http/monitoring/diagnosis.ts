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

export interface HealthServices {
  /** @throws ContentError 503 if the examination takes too long. */
  examine(): Promise<Diagnosis[]>;
  /** Repairs what can be repaired without losing content. Returns what remains. */
  repair(): Promise<Diagnosis[]>;
  /** Indexes that were learned, created or suggested, the most wanted first. */
  indexes(): Promise<readonly ShownIndex[]>;
}
