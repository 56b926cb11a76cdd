/** How an engine runs a read, in its own words and as far as it concerns the choice of indexes. */
import type { LaneTimes } from './lanes.ts';

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
  /** About how many rows tables have, as far as that is known. */
  readonly sizes: ReadonlyMap<string, number>;
  /** What counts as quick. */
  readonly laneTimes: LaneTimes;
}

/** The tables that a statement's aliases stand for; what it works out beforehand stands for `table`. */
export function aliasesOf(text: string, table: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/(?:"([^"]+)"|\b(galley_found)) (t\d+)\b/g);
  return new Map([...found].map(([, name, , alias]) => [alias!, name ?? table]));
}
