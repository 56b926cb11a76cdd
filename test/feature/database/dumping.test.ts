/** Where pg_dump cannot back up a database of PostgreSQL. */
import { strictEqual } from 'node:assert/strict';
import { it } from 'node:test';
import { canDump } from '../../../src/db/postgres/dumping.ts';

it('pg_dump is not used for connections with certificates of the configuration', async () => {
  for (const ssl of [{ ca: 'x' }, { cert: 'x', key: 'y' }]) strictEqual(await canDump({ ssl }), false);
});
