/** The checks of the doctor: each has one statement that finds problems, and at most one repair. */
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { compileCountFound, compileFirstFound } from '../../sql/doctor/findings.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import type { WriteContext } from '../rows/write-context.ts';

/**
 * What a problem is about: a link, a component, a file in use, Galley's note of a link, the order of a list, a missing
 * document id, a missing draft, several rows of a version, a locale, values that locales share.
 */
export type ProblemKind =
  | 'link'
  | 'component'
  | 'media'
  | 'note'
  | 'order'
  | 'unnamed'
  | 'draft'
  | 'doubled'
  | 'locale'
  | 'shared';

export interface Check {
  readonly kind: ProblemKind;
  /** The problem in words: `link to a row that is gone`. */
  readonly problem: string;
  /** The table that it is wrong in. */
  readonly table: string;
  /** Returns a row for each problem. */
  readonly find: Sql;
  /** The values of its slots. */
  readonly values?: readonly SqlValue[];
  /** Names of its columns; the first is the id of a row in `table`, unless the check has no repair. */
  readonly columns: readonly string[];
  /** Left out if only a person can decide. */
  readonly repair?: Repair;
  /** Advice for problems without a repair. */
  readonly advice?: string;
}

export interface Repair {
  /** `delete the row`. */
  readonly does: string;
  /** Repairs the rows. After it the check no longer finds them. */
  readonly apply: (context: WriteContext, rows: readonly Row[]) => unknown;
}

export interface Finding {
  readonly check: Check;
  readonly count: number;
  /** Some of the rows, as `id 7, tag_id 9`. */
  readonly examples: readonly string[];
}

/** Rows repaired with one statement. */
const BATCH = 200;
const EXAMPLES = 3;

/** Deletes the rows. */
export function deletion(table: string): Repair {
  const apply = (context: WriteContext, rows: readonly Row[]) => context.tables.delete(table, { id: idsOf(rows) });
  return { does: 'delete the row', apply };
}

/** Sets columns of the rows to null. */
export function clearing(table: string, columns: readonly string[]): Repair {
  const nulls = new Map<string, SqlValue>(columns.map((column) => [column, null]));
  const apply = (context: WriteContext, rows: readonly Row[]) =>
    context.tables.update(table, nulls, { id: idsOf(rows) });
  return { does: `set ${columns.join(' and ')} to null`, apply };
}

export const idsOf = (rows: readonly Row[]): number[] => rows.map(([id]) => Number(id));

/** Runs checks and returns their findings. */
export async function examine(db: Queryable, checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const [counted] = await query(db, compileCountFound(check.find), check.values);
    const count = Number(counted![0]);
    if (count === 0) continue;
    const rows = await firstRows(db, check, EXAMPLES);
    findings.push({ check, count, examples: rows.map((row) => described(check, row)) });
  }
  return findings;
}

/** Runs the work on a batch of rows, with a connection and the context of its writes. */
export type InBatch = <T>(work: (db: Queryable, context: WriteContext) => Promise<T>) => Promise<T>;

/** Repairs everything in a finding, batch after batch. @param repaired is called with the number of rows of each batch. */
export async function repair(
  inBatch: InBatch,
  { check }: Finding,
  repaired: (rows: number) => unknown = () => undefined,
): Promise<void> {
  let last: unknown;
  if (!check.repair) return;
  for (;;) {
    const count = await inBatch(async (db, context) => {
      const rows = await firstRows(db, check, BATCH);
      const first = rows[0]?.[0];
      // a repair that leaves its first row unchanged would never end
      if (first === undefined || first === last) return 0;
      last = first;
      await check.repair!.apply(context, rows);
      return rows.length;
    });
    if (count === 0) return;
    await repaired(count);
  }
}

function firstRows(db: Queryable, { find, values }: Check, count: number): Promise<Row[]> {
  return query(db, compileFirstFound(find, count), values);
}

function described({ columns }: Check, row: Row): string {
  return columns.map((column, index) => `${column} ${row[index] ?? 'null'}`).join(', ');
}
