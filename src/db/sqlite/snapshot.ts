/** A snapshot of an SQLite file: a transaction that only reads. */
import type { Snapshot } from '../interface/snapshot.ts';
import { typeStoredIn } from '../interface/snapshot.ts';
import type { ExistingTable } from '../migration/schema-engine.ts';
import { sqliteRows } from './canonical-rows.ts';
import { Connection, connect } from './connection.ts';
import { openFailure } from './driver.ts';
import { sqliteSchema } from './schema-engine.ts';

/** Milliseconds to wait for a program that has locked the file. */
const PATIENCE = 5000;

/** @throws UsageError in one line if the file cannot be read. */
export function openSnapshot(filename: string): Snapshot {
  try {
    const connection = connect(filename, true, PATIENCE);
    const executor = new Connection(connection);
    connection.exec('begin');
    // the state is that of the first read
    connection.prepare('select count(*) from sqlite_schema').get();
    return {
      rows: (text, values) => executor.rows(text, values),
      form: sqliteRows,
      placeholder: sqliteSchema.ddl.placeholder,
      tables: async () => named(await sqliteSchema.introspect(executor)),
      foreignKeys: (table) => sqliteSchema.foreignKeys(executor, table),
      typeOf: (existing) => typeStoredIn(existing, sqliteSchema.ddl.sameType),
      // whole milliseconds in UTC
      isWallClock: () => false,
      close: async () => void connection.close(),
    };
  } catch (error) {
    throw openFailure(filename, error);
  }
}

/** The most characters of a table's name in the name of an index: other engines cut long names. */
const NAME = 50;

/** Gives names to the indexes of unique constraints, whose own ones belong to the engine. */
function named(tables: ReadonlyMap<string, ExistingTable>): ReadonlyMap<string, ExistingTable> {
  const rename = (table: string, indexes: ExistingTable['indexes']) =>
    indexes.map((index, n) =>
      index.name.startsWith('sqlite_') ? { ...index, name: `${table.slice(0, NAME)}_uq_${n + 1}` } : index,
    );
  return new Map([...tables].map(([name, table]) => [name, { ...table, indexes: rename(name, table.indexes) }]));
}
