/** Which databases have content, so that a restore replaces them only with `--replace`. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databaseAt } from '../../../src/config/database-config.ts';
import { hasContent } from '../../../src/open-database.ts';
import { engines } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';

for (const engine of engines) {
  describe(`content of a database on ${engine.name}`, () => {
    it('may be in tables whose names begin like those of plugins', async () => {
      const target = await engine.emptyDatabase();
      const { database } = await openPlain(target);
      try {
        const { DATABASE_URL, DATABASE_FILENAME } = target.env;
        const config = databaseAt('.', DATABASE_URL ?? `sqlite:${DATABASE_FILENAME}`);
        const run = (text: string) => database.transaction(async (tx) => tx.rows(text, []));
        for (const table of ['up_roles', 'upload_events']) {
          await run(`create table ${table} (id integer primary key)`);
          await run(`insert into ${table} (id) values (1)`);
          strictEqual(await hasContent(config), table === 'upload_events', table);
        }
      } finally {
        await database.close();
        await target.drop();
      }
    });
  });
}
