/** Values of an API body in the form of their columns. */
import { execute } from '../../../src/db/interface/statements.ts';
import type { Transaction } from '../../../src/db/interface/transaction.ts';
import type { Attribute } from '../../../src/schema/catalog.ts';
import { columnKind } from '../../../src/sql/dialect.ts';
import { id, type SqlValue, sql } from '../../../src/sql/fragment.ts';
import { castDatetime, castTime } from '../../../src/sql/values.ts';

/** Inserts a row that holds nothing and gives its id. */
export async function insertEmpty(tx: Transaction, table: string): Promise<number> {
  const rows = await execute(tx, sql`insert into ${id(table)} default values returning "id"`);
  return Number(rows[0]![0]);
}

/** The value of a column. */
export function encode(tx: Transaction, attribute: Attribute, value: unknown): SqlValue {
  if (value === null) return null;
  switch (columnKind(attribute.type)) {
    case 'json':
      return JSON.stringify(value);
    case 'datetime':
      return tx.dialect.encodeTime(castDatetime(String(value), attribute.name));
    case 'time':
      return castTime(String(value), attribute.name);
    case 'boolean':
      return tx.dialect.encode(Boolean(value), 'boolean');
    default:
      return value as SqlValue;
  }
}
