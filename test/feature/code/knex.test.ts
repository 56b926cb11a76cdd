/** Migrations with Knex, and their rollback: docs/reference/project-code.md. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openProject } from '../../../src/app.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

/** Links are rows that go with what they point to. */
const CHANGES = `exports.up = async (knex) => {
  const before = await knex('notes_tags_lnk').select();
  await knex.schema.alterTable('notes', (table) => { table.text('text').notNullable().defaultTo('none').alter(); });
  await knex.schema.alterTable('notes', (table) => { table.dropColumn('spare'); });
  const kept = await knex('notes_tags_lnk').select();
  await knex('tags').where('name', 'gone').del();
  await knex.schema.alterTable('tags', (table) => { table.text('name').alter(); });
  const left = await knex('notes_tags_lnk').select();
  globalThis.seen = [before, kept, left].map((rows) => rows.length);
};`;

const WAYS = `export const up = async (knex: any): Promise<void> => {
  const { client } = knex.client.config;
  await knex.schema.createTable('boxes', (table) => {
    table.increments();
    table.string('label').unique();
    table.enu('size', ['small', 'large']).notNullable();
  });
  await knex.schema.createTable('things', (table) => {
    table.increments();
    table.integer('box').unsigned();
    table.foreign('box').references('id').inTable('boxes').onDelete('CASCADE');
  });
  await knex('boxes').insert([{ label: 'a', size: 'small' }, { label: 'b', size: 'large' }]);
  await knex('boxes').insert({ label: 'a', size: 'large' }).onConflict('label').merge();
  await knex('boxes').insert({ label: 'b', size: 'small' }).onConflict('label').ignore();
  const refused = await knex.transaction((trx) => trx('boxes').insert({ label: 'c', size: 'huge' })).then(() => false, () => true);
  await knex('things').insert([{ box: 1 }, { box: 1 }, { box: 2 }]);
  const full = await knex('things').select('box').count('* as n').groupBy('box').having(knex.raw('count(*)'), '>', 1);
  await knex('boxes').where({ label: 'a' }).del();
  const left = await knex('things').pluck('box');
  const sizes = await knex('boxes').pluck('size');
  (globalThis as any).seen = { client, refused, full: full.map((row: any) => row.box), left, sizes };
};`;

/** Bundles are kept by what is in them, and lose their lid with it. */
const KEYS = `exports.up = async (knex) => {
  await knex.schema.createTable('lids', (table) => { table.increments(); });
  await knex.schema.createTable('bundles', (table) => {
    table.increments();
    table.integer('box').notNullable().references('id').inTable('boxes');
    table.integer('lid').references('id').inTable('lids').onDelete('SET NULL');
  });
  await knex.schema.createTable('labels', (table) => {
    table.integer('bundle').references('id').inTable('bundles').onDelete('CASCADE');
  });
  await knex('lids').insert([{ id: 1 }, { id: 2 }]);
  await knex('bundles').insert([{ id: 1, box: 2, lid: 1 }, { id: 2, box: 2, lid: 2 }]);
  await knex('labels').insert([{ bundle: 1 }, { bundle: 2 }]);
  await knex.raw('delete from lids where id = ?', [1]);
  const kept = await knex.transaction((trx) => trx('boxes').where('id', 2).del()).then(() => false, (error) => /foreign key/i.test(error.message));
  await knex('bundles').where('id', 2).del();
  globalThis.seen = [kept, await knex('boxes').where('id', 2).pluck('id'), await knex('bundles').select('id', 'lid'), await knex('labels').pluck('bundle')];
};`;

const FORGETFUL = `exports.up = async (knex) => {
  const later = async () => { await new Promise(setImmediate); await knex('boxes').insert({ label: 'late', size: 'small' }); };
  later();
};`;

const OPEN = `const { openProject } = await import('${new URL('../../../src/app.ts', import.meta.url).href}');
await (await openProject(process.env.DIR)).close();`;

const COMMITS = `exports.up = async (knex) => {
  await knex('boxes').insert({ label: 'committed', size: 'small' });
  await knex.destroy();
  await knex.commit();
};`;

const schema = contentType('note', {
  text: { type: 'string' },
  spare: { type: 'string' },
  tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
});

for (const engine of engines) {
  describe(`Knex in migrations on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let files = 0;
    const open = () => openProject(folder.dir, { env: database.env });
    const add = async (text: string, ending = 'js'): Promise<string> => {
      files += 1;
      const file = path.join(folder.dir, `database/migrations/2024.01.0${files}.${ending}`);
      await writeFile(file, text);
      return file;
    };
    const started = async (text: string, ending?: string): Promise<void> => {
      await add(text, ending);
      await (await open()).close();
    };
    const seen = () => (globalThis as { seen?: unknown }).seen;
    const asked = async (text: string) => {
      const app = await open();
      try {
        return await app.database.rows(text, []);
      } finally {
        await app.close();
      }
    };

    before(async () => {
      folder = await makeProject({
        contentTypes: { note: schema, tag: contentType('tag', { name: { type: 'string' } }) },
        files: {
          'config/database.js': 'module.exports = { settings: { useTypescriptMigrations: true } };',
          'database/migrations/.gitkeep': '',
        },
      });
      database = await engine.emptyDatabase();
      const app = await open();
      const tags = [];
      for (const name of ['kept', 'gone']) {
        tags.push((await app.documents('api::tag.tag').create({ data: { name } })).documentId);
      }
      await app.documents('api::note.note').create({ data: { text: 'a', tags } });
      await app.close();
    });
    after(() => database?.drop());

    it('keeps links when a column of their table is changed or dropped, and deletes them with their rows', async () => {
      await started(CHANGES);
      deepStrictEqual(seen(), [2, 2, 1]);
      const app = await open();
      const [note] = await app.documents('api::note.note').findMany({ populate: ['tags'] });
      deepStrictEqual([note!['text'], (note!['tags'] as unknown[]).length], ['a', 1]);
      const totals = `select name, cast(sum(n) as integer) from galley_totals where name in ('notes', 'tags') group by name order by name`;
      deepStrictEqual(await app.database.rows(totals, []), [
        ['notes', 1],
        ['tags', 1],
      ]);
      // ids are never given twice: what else knows them by would become the next one's
      const { id } = await app.documents('api::tag.tag').create({ data: { name: 'new' } });
      strictEqual(id, 3);
      await app.close();
    });

    it('has the members of Knex, in TypeScript as well', async () => {
      await started(WAYS, 'ts');
      deepStrictEqual(seen(), {
        client: engine.name === 'sqlite' ? 'better-sqlite3' : 'pg',
        refused: true,
        full: [1],
        left: [2],
        sizes: ['large'],
      });
    });

    it('enforces foreign keys', async () => {
      await started(KEYS);
      deepStrictEqual(seen(), [true, [2], [{ id: 1, lid: null }], [1]]);
      const wrong = await add(`exports.up = (knex) => knex('labels').insert({ bundle: 77 });`);
      await rejects(open(), /foreign key/i);
      await rm(wrong);
      deepStrictEqual(await asked('select bundle from labels'), [[1]]);
    });

    it('refuses a statement after the end of the migration, and commits the earlier ones only with its record', async () => {
      await add(FORGETFUL);
      // the runner of tests takes what nobody waits for
      const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', OPEN], {
        env: { ...process.env, ...database.env, DIR: folder.dir },
      });
      match(`${stdout}${stderr}`, /"level":"error".*2024\.01\.05\.js:2: Transaction query already complete/);
      await started(COMMITS);
      const labels = `select label from boxes order by id`;
      deepStrictEqual(await asked(labels), [['b'], ['committed']]);
      const fails = await add(`${COMMITS.replace('committed', 'lost')}\nconst { up } = exports;
exports.up = async (knex) => { await up(knex); throw new Error('after all'); };`);
      await rejects(open(), /after all/);
      await writeFile(fails, `exports.up = async (knex) => {\n  await knex.raw('commit');\n};`);
      await rejects(open(), /\.js:2: .*leave out begin, commit and rollback/);
      await writeFile(
        fails,
        `exports.up = async (knex) => { (await knex.client.acquireConnection()).${engine.name === 'sqlite' ? 'close' : 'end'}(); };`,
      );
      await rejects(open(), /2024.01.0\d\.js: /);
      await rm(fails);
      const sql = await add(`insert into boxes (label, size) values ('x', 'small'); -- it's\ncommit; select 1`, 'sql');
      await rejects(open(), /\.sql: .*leave out begin, commit and rollback/);
      await rm(sql);
      deepStrictEqual(await asked(labels), [['b'], ['committed']]);
    });

    it('runs once where two start together', async () => {
      await add(`exports.up = async (knex) => {
  await knex('boxes').insert({ label: 'once', size: 'small' });
};`);
      const apps = await Promise.all([open(), open()]);
      for (const app of apps) await app.close();
      deepStrictEqual(await asked(`select label from boxes where label = 'once'`), [['once']]);
    });
  });
}
