/** The additions of `migrate` to a database, and unchanged parts. */
import { deepStrictEqual, match, ok, rejects } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createDocumentId } from '../../../src/content/rows/document-rows.ts';
import { OWN_TABLES, REFERENCE_MIGRATIONS, REFERENCE_TABLES } from '../../../src/db/migration/bookkeeping.ts';
import { type Migration, migrate } from '../../../src/db/migration/migrate.ts';
import type { ExistingTable } from '../../../src/db/migration/schema-engine.ts';
import { UsageError } from '../../../src/errors.ts';
import { type Layout, layOut } from '../../../src/schema/layout/layout.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import { openPlain, type PlainDatabase } from '../../support/databases/plain-database.ts';
import { standIn } from '../../support/databases/stand-in.ts';

const PROJECT = path.join(import.meta.dirname, '../../fixtures/strapi-project');
const MIGRATE_ONCE = path.join(import.meta.dirname, '../../support/databases/migrate-once.ts');
const execute = promisify(execFile);
const layout = layOut(loadCatalog(PROJECT));
const NOW = Date.UTC(2024, 4, 6, 7, 8, 9, 123);

/** The layout of the fixture project with one schema file changed. */
async function changedLayout(
  file: string,
  change: (attributes: Record<string, Record<string, unknown>>) => void,
): Promise<Layout> {
  const dir = await mkdtemp(path.join(tmpdir(), 'galley-schema-'));
  try {
    await cp(path.join(PROJECT, 'src'), path.join(dir, 'src'), { recursive: true });
    const schema = JSON.parse(await readFile(path.join(dir, file), 'utf8'));
    change(schema.attributes);
    await writeFile(path.join(dir, file), JSON.stringify(schema));
    return layOut(loadCatalog(dir));
  } finally {
    await rm(dir, { recursive: true });
  }
}

const TAG = 'src/api/tag/content-types/tag/schema.json';

const run = async ({ database, engine }: PlainDatabase, wanted = layout): Promise<Omit<Migration, 'later'>> => {
  const { later, ...migration } = await migrate(database, wanted, { engine, createId: createDocumentId, now: NOW });
  deepStrictEqual(later, { indexes: [], totals: [], retired: [] }, 'small tables are dealt with at once');
  return migration;
};

const tablesOf = ({ database, engine }: PlainDatabase): Promise<ReadonlyMap<string, ExistingTable>> =>
  engine.introspect(database);

/** Runs a test on a database of its own. */
async function on(
  make: () => Promise<TestDatabase>,
  test: (plain: PlainDatabase, source: TestDatabase) => Promise<void>,
) {
  const source = await make();
  const plain = await openPlain(source);
  try {
    await test(plain, source);
  } finally {
    await plain.database.close();
    await source.drop();
  }
}

/** The same database where nobody may write. */
function refusingWrites({ engine, database }: PlainDatabase): PlainDatabase {
  return {
    engine,
    database: standIn(database, {
      transaction: () => Promise.reject(new Error('nobody may write')),
      generation: () => 0,
      close: () => Promise.resolve(),
    }),
  };
}

/** Statements that make tables of other programs, the same on both engines. */
async function runStatements({ database }: PlainDatabase, ...statements: string[]): Promise<void> {
  await database.transaction(async (tx) => {
    for (const statement of statements) await tx.rows(statement, []);
  });
}

function suite(engine: Engine): void {
  describe('an empty database', () => {
    let source: TestDatabase;
    let plain: PlainDatabase;
    const column = async (query: string): Promise<unknown[]> =>
      (await plain.database.rows(query, [])).map(([value]) => value);

    before(async () => {
      source = await engine.emptyDatabase();
      plain = await openPlain(source);
      await run(plain);
    });
    after(async () => {
      await plain.database.close();
      await source.drop();
    });

    it('gets every table of the layout and ours', async () => {
      const tables = await tablesOf(plain);
      for (const { name } of layout.tables) ok(tables.has(name), name);
      deepStrictEqual(
        tables.get('galley_permissions')?.columns.map(({ name }) => name),
        ['id', 'role_id', 'token_id', 'action'],
      );
    });

    it('is marked as migrated by the reference', async () => {
      const names = await column('select name from strapi_migrations_internal order by id');
      deepStrictEqual(names, [...REFERENCE_MIGRATIONS]);
    });

    it('gets the default locale', async () => {
      const rows = await plain.database.rows('select name, code, locale from i18n_locale', []);
      deepStrictEqual(rows, [['English (en)', 'en', null]]);
      deepStrictEqual(
        await column(`select value from strapi_core_store_settings where key = 'plugin_i18n_default_locale'`),
        ['"en"'],
      );
    });

    it('gets another default locale where one is named, and keeps the one that it has', async () => {
      await on(
        () => engine.emptyDatabase(),
        async ({ database, engine: schemaEngine }) => {
          const named = (code: string) =>
            migrate(database, layout, {
              engine: schemaEngine,
              createId: createDocumentId,
              locale: { code, name: code },
            });
          await named('pt-BR');
          await named('fr');
          deepStrictEqual(await database.rows('select code from i18n_locale', []), [['pt-BR']]);
          const settings = `select value from strapi_core_store_settings where key = 'plugin_i18n_default_locale'`;
          deepStrictEqual(await database.rows(settings, []), [['"pt-BR"']]);
        },
      );
    });

    it('gets the settings that the content API reads', async () => {
      deepStrictEqual(await column('select key from strapi_core_store_settings order by key'), [
        'plugin_i18n_default_locale',
        'plugin_upload_settings',
        'plugin_users-permissions_advanced',
      ]);
    });

    it('gets the two roles with their account actions', async () => {
      const grants = await plain.database.rows(
        `select r.type, count(*) from up_roles r join up_permissions_role_lnk l on l.role_id = r.id
         join up_permissions p on p.id = l.permission_id group by r.type order by r.type`,
        [],
      );
      deepStrictEqual(
        grants.map(([type, count]) => [type, Number(count)]),
        [
          ['authenticated', 5],
          ['public', 8],
        ],
      );
    });

    it('keeps times and document ids in their stored form', async () => {
      const [id] = await column('select document_id from i18n_locale');
      match(String(id), /^[a-z][a-z0-9]{23}$/);
      const [time] = await column(
        engine.name === 'sqlite' ? 'select created_at from i18n_locale' : 'select created_at::text from i18n_locale',
      );
      deepStrictEqual(time, engine.name === 'sqlite' ? NOW : '2024-05-06 07:08:09.123');
    });

    it('has nothing to do the second time', async () => {
      const before = await tablesOf(plain);
      deepStrictEqual(await run(plain), { added: [], warnings: [] });
      deepStrictEqual(await tablesOf(plain), before);
      deepStrictEqual((await column('select code from i18n_locale')).length, 1);
    });
  });

  describe('a database of the reference', () => {
    it("gets Galley's tables and indexes and is otherwise unchanged", () =>
      on(engine.fixtureDatabase, async (plain) => {
        const before = await tablesOf(plain);
        const rows = await contents(plain, before);
        const own = OWN_TABLES.map(({ name }) => name);
        deepStrictEqual(await run(plain), { added: own, warnings: [] });
        const after = new Map(await tablesOf(plain));
        for (const name of own) ok(after.delete(name), `${name} was made`);
        const ours = new Set<string>();
        for (const [name, table] of after) {
          const indexes = table.indexes.filter((index) => !index.name.startsWith('galley_'));
          for (const index of table.indexes) if (!indexes.includes(index)) ours.add(index.name);
          after.set(name, { ...table, indexes, keepsTotals: false });
        }
        for (const name of ['articles_author_lnk', 'articles_cmps', 'articles_slug'])
          ok(ours.has(`galley_${name}_idx`), name);
        const ofReference = [...ours].filter((name) => /galley_(up|strapi)_/.test(name)).sort();
        deepStrictEqual(
          ofReference,
          ['galley_strapi_versions_document', 'galley_up_users_email_idx', 'galley_up_users_username_idx'],
          'the history of a document, and logins',
        );
        deepStrictEqual(after, before);
        deepStrictEqual(await contents(plain, before), rows);
      }));

    it('needs no writing when it is complete', () =>
      on(engine.fixtureDatabase, async (plain) => {
        await run(plain);
        const refusing = refusingWrites(plain);
        deepStrictEqual(await run(refusing), { added: [], warnings: [] });
        const wider = await changedLayout(TAG, (attributes) => {
          attributes['colour'] = { type: 'string' };
        });
        await rejects(run(refusing, wider), (error: Error) => {
          ok(error instanceof UsageError);
          match(error.message, /^the database lacks tags\.colour, which could not be added: nobody may write$/);
          return true;
        });
      }));

    it('gets indexes for the orders of lists, for each status of types with drafts', () =>
      on(engine.fixtureDatabase, async (plain) => {
        await run(plain);
        const tables = await tablesOf(plain);
        const ofLists = (table: string) =>
          tables
            .get(table)!
            .indexes.filter(({ name }) => /^galley_.*_(published|drafts|all)_/.test(name))
            .map(
              ({ name, columns, partial = false }) =>
                `${name.slice(8 + table.length)} ${columns}${partial ? ' partial' : ''}`,
            )
            .sort();
        deepStrictEqual(ofLists('articles'), [
          'drafts_created_at locale,created_at,id partial',
          'drafts_id locale,id partial',
          'drafts_updated_at locale,updated_at,id partial',
          'published_created_at locale,created_at,id partial',
          'published_id locale,id partial',
          'published_published_at locale,published_at,id partial',
          'published_updated_at locale,updated_at,id partial',
        ]);
        deepStrictEqual(ofLists('tags').slice(0, 2), [
          'drafts_created_at created_at,id partial',
          'drafts_id id partial',
        ]);
        deepStrictEqual(ofLists('authors'), [
          'all_created_at created_at,id',
          'all_published_at published_at,id',
          'all_updated_at updated_at,id',
        ]);
      }));

    it('gets an index of a text by code point as well where its own order is another one', async () => {
      const hinted = await changedLayout(TAG, (attributes) => {
        attributes['name'] = { ...attributes['name']!, index: true };
      });
      const wanted =
        engine.name === 'sqlite'
          ? ['drafts name,id', 'published name,id']
          : [
              'drafts name,id',
              'drafts_sorted name by code point,id',
              'published name,id',
              'published_sorted name by code point,id',
            ];
      for (const make of [engine.emptyDatabase, engine.fixtureDatabase])
        await on(make, async (plain) => {
          await run(plain, hinted);
          const ofName = (await tablesOf(plain))
            .get('tags')!
            .indexes.filter(({ name }) => /^galley_tags_name_/.test(name));
          const printed = ofName.map(({ name, columns, ordered = [] }) => {
            const keys = columns.map((column) => (ordered.includes(column) ? `${column} by code point` : column));
            return `${name.slice('galley_tags_name_'.length)} ${keys}`;
          });
          deepStrictEqual(printed.sort(), wanted);
          if (engine.name === 'postgres') return;
          // what earlier versions made, and what somebody else made under such a name
          const doubled = 'galley_tags_name_published_sorted';
          await runStatements(
            plain,
            `create index ${doubled} on tags (name, id) where published_at is not null`,
            'create index galley_tags_name_drafts_sorted on tags (id) where published_at is null',
          );
          const retired = async () => {
            const { database, engine } = plain;
            return (await migrate(database, hinted, { engine, createId: createDocumentId, now: NOW })).later.retired;
          };
          deepStrictEqual(await retired(), [doubled]);
          await runStatements(plain, 'drop index galley_tags_name_published');
          deepStrictEqual(await retired(), [], 'not while it is the only one');
        });
    });

    it('takes an index of a text for ours only where both are in the same order', () =>
      on(engine.fixtureDatabase, async (plain) => {
        await run(plain);
        const ours = 'galley_articles_slug_idx';
        const has = async () => (await tablesOf(plain)).get('articles')!.indexes.some(({ name }) => name === ours);
        const other = engine.name === 'sqlite' ? 'nocase' : '"C"';
        await runStatements(plain, `drop index ${ours}`, `create index theirs on articles (slug collate ${other})`);
        await run(plain);
        deepStrictEqual(await has(), true);
        await runStatements(plain, `drop index ${ours}`, 'drop index theirs', 'create index theirs on articles (slug)');
        await run(plain);
        deepStrictEqual(await has(), false);
      }));

    it("works without Galley's indexes if it is read-only", () =>
      on(engine.fixtureDatabase, async (plain) => {
        await run(plain);
        const name = 'galley_articles_published_id';
        await runStatements(plain, `drop index ${name}`);
        const { added, warnings } = await run(refusingWrites(plain));
        deepStrictEqual(added, []);
        deepStrictEqual(warnings, ['indexes that make reading faster could not be added: nobody may write']);
        deepStrictEqual(await run(plain), { added: [], warnings: [] });
        ok((await tablesOf(plain)).get('articles')!.indexes.some((index) => index.name === name));
      }));

    it('gets a column for a new attribute, and nothing else', () =>
      on(engine.fixtureDatabase, async (plain) => {
        await run(plain);
        const before = new Map(await tablesOf(plain));
        const wider = await changedLayout(TAG, (attributes) => {
          attributes['colour'] = { type: 'string' };
        });
        deepStrictEqual((await run(plain, wider)).added, ['tags.colour']);
        const tags = before.get('tags')!;
        const colour = { name: 'colour', type: engine.name === 'sqlite' ? 'varchar(255)' : 'character varying(255)' };
        before.set('tags', { ...tags, columns: [...tags.columns, { ...colour, nullable: true, defaultTo: null }] });
        deepStrictEqual(await tablesOf(plain), before);
      }));

    it('gets a column with its foreign key for a relation without a link table', () =>
      on(engine.fixtureDatabase, async (plain) => {
        const wider = await changedLayout(TAG, (attributes) => {
          const home = { type: 'relation', relation: 'manyToOne', target: 'api::country.country', useJoinTable: false };
          attributes['home'] = home;
        });
        const { added } = await run(plain, wider);
        ok(added.includes('tags.home_id'));
        const keys = await plain.engine.foreignKeys(plain.database, 'tags');
        const key = keys.find(({ column }) => column === 'home_id');
        deepStrictEqual(key?.references, { table: 'countries', column: 'id' });
        deepStrictEqual(key?.onDelete, 'SET NULL');
        const index = (await tablesOf(plain)).get('tags')?.indexes.find(({ name }) => name === 'tags_home_id_fk');
        deepStrictEqual(index?.columns, ['home_id']);
      }));

    it('keeps columns and tables that the schemas no longer name', () =>
      on(engine.fixtureDatabase, async (plain) => {
        await run(plain);
        const before = await tablesOf(plain);
        const narrower = await changedLayout(TAG, (attributes) => {
          const name = Object.keys(attributes).find((key) => attributes[key]!.type === 'string')!;
          delete attributes[name];
        });
        await run(plain, narrower);
        deepStrictEqual(await tablesOf(plain), before);
      }));

    it('warns of a column of another type and leaves it', () =>
      on(engine.fixtureDatabase, async (plain) => {
        const before = await tablesOf(plain);
        const other = await changedLayout(TAG, (attributes) => {
          attributes['name'] = { type: 'integer' };
        });
        const { warnings } = await run(plain, other);
        deepStrictEqual(warnings.length, 1);
        match(warnings[0]!, /^column name of table tags is .+, the schema expects integer$/);
        deepStrictEqual((await tablesOf(plain)).get('tags')?.columns, before.get('tags')?.columns);
      }));

    it('warns of a unique index that its rows contradict', () =>
      on(engine.fixtureDatabase, async (plain) => {
        const unique = await changedLayout(TAG, (attributes) => {
          attributes['name']!['column'] = { unique: true };
        });
        const { warnings } = await run(plain, unique);
        deepStrictEqual(warnings, ['unique index tags_name_uq was not created: rows of tags have the same name']);
      }));
  });

  describe('two processes at once', () => {
    it('make one database together', () =>
      on(engine.emptyDatabase, async (plain, source) => {
        const start = () => execute(process.execPath, [MIGRATE_ONCE, PROJECT, JSON.stringify(source.env)]);
        const results = await Promise.all([start(), start()]);
        // One did everything, the other found nothing left to do.
        deepStrictEqual(
          results.map(({ stdout }) => Number(stdout)).filter((added) => added > 0),
          [layout.tables.length + REFERENCE_TABLES.length + OWN_TABLES.length],
        );
        deepStrictEqual((await plain.database.rows('select code from i18n_locale', [])).length, 1);
        deepStrictEqual((await plain.database.rows('select id from up_roles', [])).length, 2);
      }));
  });

  describe('a database of another layout', () => {
    const refuses = (message: RegExp, ...statements: string[]) =>
      on(engine.emptyDatabase, async (plain) => {
        await runStatements(plain, ...statements);
        const before = await tablesOf(plain);
        await rejects(run(plain), (error: Error) => {
          ok(error instanceof UsageError);
          match(error.message, message);
          ok(!error.message.includes('\n'));
          return true;
        });
        deepStrictEqual(await tablesOf(plain), before);
      });

    it('is refused if a table does not belong to its name', () =>
      refuses(
        /^table tags of the database lacks the column document_id/,
        'create table tags (id integer primary key, label text)',
      ));

    it('is refused when it is of version 4', () =>
      refuses(
        /is not laid out as in Strapi 5/,
        'create table tags (id integer primary key, name text)',
        'create table strapi_core_store_settings (id integer primary key, key text, value text)',
        'create table strapi_migrations (id integer primary key, name text)',
      ));

    it("is refused without the record of the reference's migrations", () =>
      refuses(/is not laid out as in Strapi 5/, 'create table tags (id integer primary key, document_id text)'));

    it('is accepted if its other tables do not conflict', () =>
      on(engine.emptyDatabase, async (plain) => {
        await runStatements(plain, 'create table somebody_elses (id integer primary key)');
        ok((await run(plain)).added.includes('tags'));
        ok((await tablesOf(plain)).has('somebody_elses'));
      }));
  });
}

/** Rows of every table, as text. */
async function contents({ database }: PlainDatabase, tables: ReadonlyMap<string, ExistingTable>): Promise<string> {
  const all: unknown[] = [];
  for (const name of tables.keys()) all.push(name, await database.rows(`select * from "${name}" order by id`, []));
  return JSON.stringify(all);
}

for (const engine of engines) describe(`migration on ${engine.name}`, () => suite(engine));
