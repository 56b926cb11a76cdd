/** A snapshot of a PostgreSQL database: a transaction that only reads, on a connection of its own. */
import type pg from 'pg';
import { UsageError } from '../../errors.ts';
import type { Executor } from '../interface/queryable.ts';
import { type Snapshot, typeStoredIn } from '../interface/snapshot.ts';
import { postgresRows } from './canonical-rows.ts';
import { Client } from './client.ts';
import { Connection } from './connection.ts';
import { postgresSchema } from './schema-engine.ts';

const BEGIN = 'begin isolation level repeatable read read only';
/** Statements may take any time, and the transaction may be idle for any time while its rows are written elsewhere. */
const UNHURRIED = ' -c statement_timeout=0 -c idle_in_transaction_session_timeout=0';
const PATIENCE = { limit: 0, cancels: false };

/** @throws UsageError in one line if the server cannot be reached, refuses, or lacks the database. */
export async function openSnapshot(options: pg.ClientConfig): Promise<Snapshot> {
  const client = new Client({ ...options, options: `${options.options ?? ''}${UNHURRIED}` });
  const connection = new Connection(client);
  const executor: Executor = {
    rows: async (text, values) => (await connection.run({ text, values }, PATIENCE)).rows,
  };
  try {
    await client.connect();
    await executor.rows(BEGIN, []);
    // the state is that of the first read
    await executor.rows('select 1', []);
  } catch (error) {
    connection.destroy();
    const { message, cause } = error as Error;
    throw new UsageError(
      `the PostgreSQL database cannot be opened: ${cause instanceof Error ? cause.message : message}`,
      1,
    );
  }
  return {
    ...executor,
    form: postgresRows,
    placeholder: postgresSchema.ddl.placeholder,
    tables: () => postgresSchema.introspect(executor),
    foreignKeys: (table) => postgresSchema.foreignKeys(executor, table),
    typeOf: (existing) => typeStoredIn(existing, postgresSchema.ddl.sameType),
    isWallClock: (existing) => /^timestamp(?:\(\d\))? without time zone$/.test(existing),
    close: async () => connection.destroy(),
  };
}
