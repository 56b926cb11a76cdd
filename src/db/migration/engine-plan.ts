/** How an engine runs a read, in its own words and as far as it concerns the choice of indexes. */
import type { LaneTimes } from '../scheduling/lanes.ts';

/** Rows that are examined or sorted. */
export interface Handled {
  readonly table: string;
  /** How many; undefined where the engine does not say. */
  readonly rows: number | undefined;
}

export interface EnginePlan {
  /** What the engine says, a step a line, indented by what it is a part of. */
  readonly lines: readonly string[];
  /** Tables of which rows are read one after the other, in the table or in an index, to find some of them. */
  readonly scans: readonly Handled[];
  /** What is sorted. */
  readonly sorts: readonly Handled[];
  /** How an index must collate text for orders and ranges to use it; undefined where any does. */
  readonly collation: string | undefined;
  /** About how many rows tables have, as far as that is known. */
  readonly sizes: ReadonlyMap<string, number>;
  /** What counts as quick. */
  readonly laneTimes: LaneTimes;
}
