/** Rows of MySQL and MariaDB in canonical values. All values arrive as the server's texts. */
import type { ColumnType } from '../../schema/layout/table.ts';
import { sql } from '../../sql/fragment.ts';
import { canonicalJson, canonicalTime, toNumber } from '../canonical-values.ts';
import type { CanonicalRows, CanonicalValue } from '../interface/canonical-rows.ts';
import type { Executor } from '../interface/queryable.ts';

const MOMENT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?$/;
/** Parts of dates that do not exist, which some modes of the server store. */
const NO_DATE = /^\d{4}-(?:00-\d{2}|\d{2}-00)|^0000-/;

function canonical(value: unknown, type: ColumnType): CanonicalValue | undefined {
  if (value === null) return null;
  // bytes
  if (typeof value !== 'string') return undefined;
  switch (type) {
    case 'increments':
    case 'bigincrements':
    case 'integer':
    case 'float':
    case 'double':
      return toNumber(value);
    case 'biginteger':
      return /^-?\d+$/.test(value) ? BigInt(value) : value;
    case 'boolean':
      return value === '0' || value === '1' ? value === '1' : value;
    case 'date':
      return NO_DATE.test(value) ? undefined : value;
    case 'time':
      return canonicalTime(value);
    case 'datetime':
      return momentOf(value);
    case 'json':
      return canonicalJson(value);
    default:
      return value;
  }
}

/** The wall clock as if it were UTC, in epoch milliseconds. */
function momentOf(text: string): CanonicalValue | undefined {
  const match = MOMENT.exec(text);
  if (!match) return text;
  if (NO_DATE.test(text)) return undefined;
  const [, day, time, fraction = ''] = match;
  const seconds = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(seconds) ? text : seconds + Number(fraction.padEnd(6, '0')) / 1000;
}

const LAST_IDS = `select table_name, auto_increment - 1 from information_schema.tables
  where table_schema = database() and auto_increment > 1`;

async function lastIds(executor: Executor): Promise<ReadonlyMap<string, number>> {
  const rows = await executor.rows(LAST_IDS, []);
  return new Map(rows.map(([table, last]) => [String(table), Number(last)]));
}

export const mysqlRows: Pick<CanonicalRows, 'read' | 'canonical' | 'byCodePoint' | 'lastIds'> = {
  read: (column) => column,
  byCodePoint: (text) => sql`cast(${text} as binary)`,
  canonical,
  lastIds,
};
