/** Indexes of tables that requests use: a reload adds them without making writes wait. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { migrate } from '../../../src/db/migration/migrate.ts';
import { type Layout, layOut } from '../../../src/schema/layout/layout.ts';
import type { ColumnDefinition, IndexDefinition } from '../../../src/schema/layout/table.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';
import { until } from '../../support/wait.ts';

const TABLE = 'live_things';
const NAME = 'live_things_code_uq';
const project = layOut(loadCatalog(path.join(import.meta.dirname, '../../fixtures/strapi-project')));
const CODE: ColumnDefinition = { name: 'code', type: 'string' };
const SIZE: ColumnDefinition = { name: 'size', type: 'string' };
const unique: IndexDefinition = { name: NAME, columns: ['code'], unique: true };
const plainIndex: IndexDefinition = { name: 'live_things_code_idx', columns: ['code'], unique: false };

/** The layout of the fixture project, and a table. */
const layoutOf = (
  indexes: readonly IndexDefinition[],
  more: readonly ColumnDefinition[] = [],
  name = TABLE,
): Layout => {
  const columns: ColumnDefinition[] = [{ name: 'id', type: 'increments' }, CODE, ...more];
  return { ...project, tables: [...project.tables, { name, columns, indexes, foreignKeys: [] }] };
};

for (const engine of engines) {
  describe(`indexes that a reload adds on ${engine.name}`, () => {
    let source: TestDatabase;
    let plain: PlainDatabase;
    before(async () => {
      source = await engine.emptyDatabase();
      plain = await openPlain(source);
    });
    after(async () => {
      await plain?.database.close();
      await source?.drop();
    });
    /** Migrates, and does what the migration has left for later. */
    const start = async (layout: Layout, isLive = false) => {
      const { database, engine } = plain;
      const migration = await migrate(database, layout, { engine, createId: createDocumentId, isLive });
      const { added, warnings, later } = migration;
      const failures: (string | undefined)[] = [];
      for (const missing of later.indexes) failures.push(await engine.addIndex(database, missing));
      return { added, warnings: [...warnings, ...failures.filter((failure) => failure !== undefined)] };
    };
    const reload = (layout: Layout) => start(layout, true);
    const write = (text: string) => plain.database.transaction(async (tx) => tx.rows(text, []));
    const indexesOf = async (table = TABLE) =>
      (await plain.engine.introspect(plain.database)).get(table)!.indexes.map(({ name }) => name);
    beforeEach(async () => {
      await write(`drop table if exists ${TABLE}`);
      await start(layoutOf([]));
    });

    it('are there afterwards, with new columns', async () => {
      await write(`insert into ${TABLE} (code) values ('a'), ('b')`);
      const sized = { name: 'live_things_size_idx', columns: ['size'], unique: false };
      const { added, warnings } = await reload(layoutOf([unique, plainIndex, sized], [SIZE]));
      deepStrictEqual([added, warnings], [[`${TABLE}.size`], []]);
      deepStrictEqual((await indexesOf()).sort(), [plainIndex.name, NAME, sized.name]);
      deepStrictEqual(await reload(layoutOf([unique, plainIndex, sized], [SIZE])), { added: [], warnings: [] });
    });

    it('are created with a new table', async () => {
      await write('drop table if exists live_new');
      deepStrictEqual((await reload(layoutOf([{ ...unique, name: 'live_new_uq' }], [], 'live_new'))).warnings, []);
      deepStrictEqual(await indexesOf('live_new'), ['live_new_uq']);
    });

    it('are a warning if rows contradict them, and nothing of them remains', async () => {
      await write(`insert into ${TABLE} (code) values ('a'), ('a')`);
      const { warnings } = await reload(layoutOf([unique, plainIndex]));
      deepStrictEqual(warnings, [`unique index ${NAME} was not created: rows of ${TABLE} have the same code`]);
      deepStrictEqual(await indexesOf(), [plainIndex.name]);
      await write(`insert into ${TABLE} (code) values ('a')`);
    });

    it('are built later where a table is large, and at once where it is small', async () => {
      const migrated = (layout: Layout, isLive: boolean) =>
        migrate(plain.database, layout, { engine: plain.engine, createId: createDocumentId, isLive });
      const own = { ...plainIndex, name: 'galley_live_things_code_idx' };
      await write(`insert into ${TABLE} (id, code) values (50001, 'a')`);
      const fill = `insert into ${TABLE} (id, code) select n, repeat('x', 200) from generate_series(60000, 160000) n`;
      if (engine.name === 'postgres') await write(fill);
      const { later, added } = await migrated(layoutOf([unique, own], [SIZE]), true);
      deepStrictEqual(added, [`${TABLE}.size`]);
      deepStrictEqual(
        later.indexes.map(({ index }) => index.name),
        [NAME, own.name],
      );
      deepStrictEqual(await indexesOf(), []);
      // at a start nothing waits for what makes reads faster, and everything for what the schema asks for
      const second = await migrated(layoutOf([plainIndex, own], [SIZE]), false);
      deepStrictEqual(
        second.later.indexes.map(({ index }) => index.name),
        [own.name],
      );
      deepStrictEqual(await indexesOf(), [plainIndex.name]);
      strictEqual(await plain.engine.addIndex(plain.database, second.later.indexes[0]!), undefined);
      strictEqual(await plain.engine.addIndex(plain.database, second.later.indexes[0]!), undefined, 'it is there');
      deepStrictEqual((await indexesOf()).sort(), [own.name, plainIndex.name]);
      strictEqual(await plain.engine.dropIndex(plain.database, own.name), undefined);
      deepStrictEqual(await indexesOf(), [plainIndex.name]);
    });

    it('are built by several processes at once, each index by one', async () => {
      const other = await openPlain(source);
      try {
        await write(`insert into ${TABLE} (code) values ('a'), ('b')`);
        const some = ['a', 'b', 'c'].map((name) => ({
          table: TABLE,
          index: { name: `galley_live_things_${name}`, columns: ['code', 'id'], unique: false, whereNotNull: 'code' },
        }));
        const builders = [plain, other].flatMap((by) => some.map((one) => by.engine.addIndex(by.database, one)));
        deepStrictEqual(await Promise.all(builders), Array(6).fill(undefined));
        deepStrictEqual(
          (await indexesOf()).sort(),
          some.map(({ index }) => index.name),
        );
      } finally {
        await other.database.close();
      }
    });

    if (engine.name === 'postgres') {
      const connected = async <T>(use: (client: pg.Client) => Promise<T>): Promise<T> => {
        const client = new pg.Client(source.env['DATABASE_URL']);
        await client.connect();
        try {
          return await use(client);
        } finally {
          await client.end();
        }
      };
      const stateOf = (client: pg.Client) =>
        client.query('select indisvalid from pg_index where indexrelid = to_regclass($1)', [NAME]);
      /** What a build that failed, or a process that was killed, leaves behind. */
      const leaveInvalid = () =>
        connected(async (client) => {
          await client.query(`insert into ${TABLE} (code) values ('a'), ('a')`);
          await client.query(`create unique index concurrently ${NAME} on ${TABLE} (code)`).catch(() => undefined);
          deepStrictEqual((await stateOf(client)).rows, [{ indisvalid: false }]);
          await client.query(`delete from ${TABLE}`);
        });

      /** Begins a transaction that has written to the table, and a reload whose build of the index waits for its end. */
      const whileBuilding = async (client: pg.Client) => {
        await client.query('begin');
        await client.query(`insert into ${TABLE} (code) values ('early')`);
        const reloaded = reload(layoutOf([unique]));
        await until('the index is being built', async () => (await connected(stateOf)).rows.length === 1);
        return { reloaded };
      };

      it('do not make writes wait, even while they wait for another transaction', () =>
        connected(async (client) => {
          const { reloaded } = await whileBuilding(client);
          await connected(async (other) => {
            await other.query(`set lock_timeout = '2s'`);
            await other.query(`insert into ${TABLE} (code) values ('meanwhile')`);
          });
          deepStrictEqual((await connected(stateOf)).rows, [{ indisvalid: false }]);
          await client.query('commit');
          deepStrictEqual(await reloaded, { added: [], warnings: [] });
          deepStrictEqual((await stateOf(client)).rows, [{ indisvalid: true }]);
          const { rows } = await client.query('select contype from pg_constraint where conname = $1', [NAME]);
          deepStrictEqual(rows, [{ contype: 'u' }], 'a constraint, as a start makes it');
        }));

      it('wait for their turn without a transaction, whose end a build would wait for', () =>
        connected(async (client) => {
          const { rows } = await client.query('select array_agg(pid) as "pids" from pg_stat_activity');
          await client.query(`select pg_advisory_lock(x'67616c6d'::int)`);
          const built = plain.engine.addIndex(plain.database, { table: TABLE, index: plainIndex });
          const asking = `select from pg_stat_activity where datname = current_database()
            and query = 'rollback' and state = 'idle' and not pid = any($1)`;
          await until('it has been told to wait', async () => (await client.query(asking, [rows[0].pids])).rows[0]);
          await client.query('select pg_advisory_unlock_all()');
          strictEqual(await built, undefined);
          deepStrictEqual(await indexesOf(), [plainIndex.name]);
        }));

      it('are left to the process that is building them', () =>
        connected(async (client) => {
          const { reloaded } = await whileBuilding(client);
          deepStrictEqual(await reload(layoutOf([unique])), { added: [], warnings: [] });
          deepStrictEqual(await start(layoutOf([unique])), { added: [], warnings: [] });
          await client.query('commit');
          deepStrictEqual((await reloaded).warnings, []);
          deepStrictEqual((await stateOf(client)).rows, [{ indisvalid: true }]);
        }));

      it('are a warning with the reason when the server ends their build, and are built the next time', () =>
        connected(async (client) => {
          const { reloaded } = await whileBuilding(client);
          await connected((other) =>
            other.query(
              `select pg_cancel_backend(pid) from pg_stat_activity where query like 'create unique index concurrently%'
               and datname = current_database()`,
            ),
          );
          // an index that is no longer being built is dropped, which waits for the transaction as well
          await client.query('commit');
          const { warnings } = await reloaded;
          strictEqual(warnings.length, 1);
          match(
            warnings[0]!,
            /^index live_things_code_uq of table live_things could not be added: canceling statement/,
          );
          deepStrictEqual((await stateOf(client)).rows, []);
          deepStrictEqual(await reload(layoutOf([unique])), { added: [], warnings: [] });
          deepStrictEqual((await stateOf(client)).rows, [{ indisvalid: true }]);
        }));

      it('replace the remains of a failed build, at a reload and at a start', async () => {
        for (const again of [reload, start]) {
          await leaveInvalid();
          ok(!(await indexesOf()).includes(NAME));
          deepStrictEqual(await again(layoutOf([unique])), { added: [], warnings: [] });
          deepStrictEqual((await connected(stateOf)).rows, [{ indisvalid: true }]);
          await write(`alter table ${TABLE} drop constraint ${NAME}`);
        }
      });
    }
  });
}
