/** Servers that run with the database of a project while a command replaces its content. */
import type { Config } from '../config/config.ts';
import { query, selectRows } from '../db/interface/statements.ts';
import { UsageError } from '../errors.ts';
import { processState } from '../media/safety/process-name.ts';
import { lookIntoDatabase, openDatabase } from '../open-database.ts';
import { SERVERS_TABLE } from '../sql/settings.ts';
import { compileDeleteAll } from '../sql/write.ts';

/** @throws UsageError if a server of this machine uses the database. */
export async function refuseServers(config: Config['database']): Promise<void> {
  const isServed = await lookIntoDatabase(config, async ({ database, schema }) => {
    if (!(await schema.introspect(database, [SERVERS_TABLE])).has(SERVERS_TABLE)) return false;
    const rows = await selectRows(database, SERVERS_TABLE, ['process'], {});
    return rows.some(([name]) => processState(String(name)) === 'alive');
  });
  if (isServed) throw new UsageError('a server is running with the database: stop it first', 1);
}

/** Forgets the servers of the database that a backup was made of: they do not use the restored one. */
export async function forgetServers(config: Config['database']): Promise<void> {
  const { database, schema } = await openDatabase({ database: config, logSql: false });
  try {
    if (!(await schema.introspect(database, [SERVERS_TABLE])).has(SERVERS_TABLE)) return;
    await database.transaction((tx) => query(tx, compileDeleteAll(SERVERS_TABLE)));
  } finally {
    await database.close();
  }
}
