/**
 * Values of an attribute whose type or rules change: which of them fit, and what the others become. They are checked as
 * values of a request are.
 */
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { execute, jsonOf, query, sending } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError } from '../../errors.ts';
import { at, Failures } from '../../failures.ts';
import type { ScalarAttribute } from '../../schema/catalog.ts';
import { columnKind } from '../../sql/dialect.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { compileSetValue, compileSetValues, compileValuesAfter } from '../../sql/schema-changes.ts';
import type { StoredValue } from '../rows/write-context.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { checkScalar, storedTime } from '../validation/validate-scalar.ts';

/** A change of the values in a column. */
export interface ValueChange {
  readonly table: string;
  /** The column with the values. */
  readonly source: string;
  readonly from: ScalarAttribute;
  readonly to: ScalarAttribute;
  /** What takes the place of values that do not fit and, if they are required, of missing ones; undefined: nothing. */
  readonly substitute: unknown;
}

/** A value that does not fit. */
export interface Misfit {
  readonly row: number;
  /** The document of the row; undefined for rows of components. */
  readonly document: string | undefined;
  readonly value: unknown;
}

export interface Examined {
  /** Rows with a value. */
  readonly values: number;
  /** Rows without one. */
  readonly missing: number;
  readonly misfits: number;
  /** The first of them. */
  readonly examples: readonly Misfit[];
}

const READ = 5000;
const WRITTEN = 1000;
const EXAMPLES = 5;

/** Examines all values of a column. @param isDocument whether its rows belong to documents. */
export async function examineValues(db: Queryable, change: ValueChange, isDocument: boolean): Promise<Examined> {
  const fits = fitting(change);
  const examples: Misfit[] = [];
  let [values, missing, misfits] = [0, 0, 0];
  const columns = [change.source, ...(isDocument ? ['document_id'] : [])];
  for await (const rows of batches(db, compileValuesAfter(change.table, columns), READ)) {
    for (const [row, value, document] of rows) {
      if (value === null) {
        missing++;
        continue;
      }
      values++;
      if (fits(value) !== undefined) continue;
      misfits++;
      if (examples.length === EXAMPLES) continue;
      const shown = plainOf(change.from, value);
      examples.push({ row: Number(row), document: isDocument ? String(document) : undefined, value: shown });
    }
  }
  return { values, missing, misfits, examples };
}

/**
 * Stores the values of a column in another one, as far as they are not there yet: in many transactions, so that others can
 * write in between, or in one that excludes them.
 *
 * @param target the other column; the same one if nothing but the substitute is stored.
 * @param onlyMissing whether rows with a value stay as they are.
 */
export async function storeValues(
  db: Pick<Database, 'dialect' | 'transaction'> | Transaction,
  change: ValueChange,
  target: string,
  onlyMissing = false,
): Promise<void> {
  const fits = fitting(change);
  const { dialect } = db;
  const { table, source, to } = change;
  const encoded = (value: StoredValue): SqlValue => dialect.encode(value, columnKind(to.type));
  const { substitute } = change;
  const fallback = substitute === undefined ? null : (checked(to, substitute) ?? null);
  const empty = to.required ? fallback : null;
  const known = fitting({ ...change, from: to });
  const setOne = sending(dialect, compileSetValue(table, target));
  const setAll = sending(dialect, compileSetValues(dialect, table, target));
  const select = compileValuesAfter(table, [source, target], onlyMissing ? source : undefined);
  const work = async (tx: Transaction, last: number): Promise<number | undefined> => {
    const rows = await execute(tx, select, [last, WRITTEN]);
    const changed = rows.flatMap(([row, value, present]): [SqlValue, number][] => {
      const wanted = encoded(value === null ? empty : (fits(value) ?? fallback));
      const has = present === null ? null : encoded(known(present) ?? null);
      return wanted === has ? [] : [[wanted, Number(row)]];
    });
    for (const [wanted, ofValue] of Map.groupBy(changed, ([wanted]) => wanted)) {
      const rows = ofValue.map(([, row]) => row);
      if (rows.length === 1) await setOne(tx, [wanted, rows[0]!]);
      else await setAll(tx, [wanted, JSON.stringify(rows.map((row) => [row]))]);
    }
    return rows.length < WRITTEN ? undefined : Number(rows.at(-1)![0]);
  };
  for (let last: number | undefined = 0; last !== undefined; ) {
    const first: number = last;
    last = await ('transaction' in db ? db.transaction((tx) => work(tx, first)) : work(db, first));
  }
}

async function* batches(db: Queryable, select: ReturnType<typeof compileValuesAfter>, size: number) {
  for (let last = 0; ; ) {
    const rows = await query(db, select, [last, size]);
    yield rows;
    if (rows.length < size) return;
    last = Number(rows.at(-1)![0]);
  }
}

/** Returns a function that converts a stored value; undefined if it does not fit. */
function fitting({ from, to }: ValueChange): (stored: unknown) => StoredValue | undefined {
  // a hash is no value
  if ((from.type === 'password') !== (to.type === 'password')) return () => undefined;
  return (stored) => checked(to, converted(plainOf(from, stored), to));
}

/** The stored form of a value by the rules of an attribute; undefined if it breaks one. */
export function checked(attribute: ScalarAttribute, value: unknown): StoredValue | undefined {
  if (value === null || value === undefined) return undefined;
  const failures = new Failures();
  const place = at(attribute.name);
  try {
    // the rules of passwords do not apply to stored hashes
    if (attribute.type === 'password') return typeof value === 'string' ? value : undefined;
    const valid = checkScalar(attribute, value, { strict: true, place, failures, patterns: new PatternTime() });
    return valid === undefined || failures.count > 0 ? undefined : storedTime(attribute, valid);
  } catch (error) {
    if (error instanceof ContentError) return undefined;
    throw error;
  }
}

/** A stored value as a request would write it. */
function plainOf({ type }: ScalarAttribute, stored: unknown): unknown {
  switch (type) {
    case 'json':
    case 'blocks':
      return jsonOf(stored);
    case 'boolean':
      return stored === 1 || stored === true || stored === '1' || stored === 't' || stored === 'true';
    case 'datetime':
    case 'timestamp': {
      if (stored instanceof Date) return stored.toISOString();
      if (typeof stored === 'number') return new Date(stored).toISOString();
      const text = String(stored);
      return /^\d+$/.test(text) ? new Date(Number(text)).toISOString() : `${text.replace(' ', 'T').replace(/Z$/, '')}Z`;
    }
    default:
      return stored;
  }
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);

/** A plain value in the form that an attribute of another type takes. */
function converted(value: unknown, { type }: ScalarAttribute): unknown {
  if (TEXTS.has(type)) return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (type === 'json' && typeof value === 'string') return jsonOf(value);
  if (typeof value === 'boolean' && type !== 'boolean' && type !== 'json') return value ? 1 : 0;
  if (type === 'date' && typeof value === 'string') return value.replace(/T.*$/s, '');
  return value;
}
