/**
 * A process that writes to an SQLite database as fast as it comes to the lock: `contender.ts FILE WRITERS SIGNAL`. It says
 * `ready`, begins when it is sent anything, says `written` after each commit, and ends with its channel.
 */
import { once } from 'node:events';
import { openSqlite } from '../../../src/db/sqlite/driver.ts';

/** Has the engine count: a transaction takes about two milliseconds. */
const WORK = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000) select count(*) from n';

const [filename, writers, signal] = process.argv.slice(2) as [string, string, string];
const database = openSqlite(filename, { readTimeout: 0, writers: Number(writers), signal });
process.send!('ready');
await once(process, 'message');
while (process.connected) {
  await database.transaction(async (tx) => {
    await tx.rows('insert into notes values (null)', []);
    await tx.rows(WORK, []);
  });
  if (process.connected) process.send!('written', () => {});
}
await database.close();
