/** `database/migrations` runs: docs/reference/project-code.md. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

/** What the reference was recorded with, on the same steps. */
const FIRST = `const { writeFileSync } = require('node:fs');
module.exports = { async up(knex, db) {
  const out = { had: await knex.schema.hasTable('extras') };
  await knex.schema.createTable('extras', (table) => {
    table.increments('id');
    table.string('name');
    table.integer('n').defaultTo(3);
    table.boolean('ok');
    table.datetime('at', { useTz: false });
  });
  await knex('extras').insert({ name: 'a', ok: true, at: new Date(0) });
  await knex('extras').insert([{ name: 'b' }, { name: 'c', n: 5 }]);
  out.returned = await knex('extras').insert({ name: 'd' }).returning('id');
  out.updated = await knex('extras').where({ name: 'a' }).update({ n: 9 });
  out.names = await knex('extras').select('name').whereNull('ok').orWhere((some) => some.where('n', '>', 8).whereNot('name', 'z')).orderBy('id');
  out.first = await knex('extras').select('id', 'name as title').where('name', 'b').first();
  out.none = (await knex('extras').where('name', 'zz').first()) === undefined;
  out.plucked = await knex('extras').whereIn('name', knex('extras').select('name').where('n', 5)).pluck('name');
  out.counted = Number((await knex('extras').count('* as n'))[0].n);
  out.joined = await knex('extras as one').join('extras as other', 'one.id', 'other.id').where('one.n', 9).select('other.name');
  out.deleted = await knex('extras').where('name', 'c').del();
  const raw = await knex.raw('select name, n from ?? where id = ?', ['extras', 1]);
  out.raw = raw.rows ?? raw;
  await knex.transaction(async (trx) => { await trx('extras').delete(); throw new Error('not that'); }).catch(() => {});
  await knex.schema.alterTable('extras', (table) => { table.string('added').notNullable().defaultTo('x'); table.renameColumn('name', 'title'); });
  await knex.schema.table('extras', (table) => { table.dropColumn('ok'); table.index(['title']); table.unique(['title', 'n']); });
  out.columns = [await knex.schema.hasColumn('extras', 'title'), await knex.schema.hasColumn('extras', 'ok')];
  out.left = await knex('extras').select('title', 'added').orderBy('title', 'desc').limit(1);
  await knex.schema.renameTable('extras', 'more');
  await strapi.db.transaction(({ trx }) => trx('more').increment('n', 1).where({ title: 'd' }));
  writeFileSync(__dirname + '/../out.json', JSON.stringify(out));
} };`;

const RENAME = `exports.up = async (knex) => {
  await knex.schema.renameTable('notes', 'jottings');
  await knex.schema.alterTable('jottings', (table) => table.renameColumn('text', 'body'));
  await knex('jottings').update({ body: knex.raw('upper(??)', ['body']) });
};`;

const schema = (text: string) =>
  contentType('note', { [text]: { type: 'string' } }, { options: { draftAndPublish: true } });

for (const engine of engines) {
  describe(`migrations on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    const write = (name: string, text: string) => writeFile(path.join(folder.dir, name), text);
    const open = () => openProject(folder.dir, { env: database.env });
    const asked = async (text: string) => {
      const app = await open();
      try {
        return await app.database.rows(text, []);
      } finally {
        await app.close();
      }
    };
    const marked = `select name from strapi_migrations order by id`;

    before(async () => {
      folder = await makeProject({
        contentTypes: { note: schema('text') },
        files: {
          'database/migrations/2024.01.01.first.js': FIRST,
          'database/migrations/2024.01.02.second.sql': `insert into more (title) values ('from sql'); update more set added = 'sql' where title = 'from sql'`,
          'config/database.js': 'module.exports = {};',
          'database/migrations/2024.01.03.third.ts': 'throw new Error("the reference does not see it")',
        },
      });
      database = await engine.emptyDatabase();
    });
    after(() => database?.drop());

    it('run once, in the order of their names, and are marked as Strapi marks them', async () => {
      deepStrictEqual(await asked(marked), [['2024.01.01.first.js'], ['2024.01.02.second.sql']]);
      deepStrictEqual(JSON.parse(await readFile(path.join(folder.dir, 'database/out.json'), 'utf8')), {
        had: false,
        returned: [{ id: 4 }],
        updated: 1,
        names: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }],
        first: { id: 2, title: 'b' },
        none: true,
        plucked: ['c'],
        counted: 4,
        joined: [{ name: 'a' }],
        deleted: 1,
        raw: [{ name: 'a', n: 9 }],
        columns: [true, false],
        left: [{ title: 'd', added: 'x' }],
      });
      const rows = await asked(`select title, added from more order by id`);
      deepStrictEqual(rows.at(-1), ['from sql', 'sql']);
    });

    it('rename tables and columns before the schema is looked at, with their content', async () => {
      const app = await open();
      await app.documents('api::note.note').create({ data: { text: 'kept' } });
      await app.close();
      await write('database/migrations/2024.02.01.rename.js', RENAME);
      const renamed = schema('body');
      await write(
        'src/api/note/content-types/note/schema.json',
        JSON.stringify({ ...renamed, collectionName: 'jottings' }),
      );
      const again = await open();
      const notes = await again.documents('api::note.note').findMany({ status: 'draft' });
      deepStrictEqual(
        notes.map((note) => note['body']),
        ['KEPT'],
      );
      await again.documents('api::note.note').create({ data: { body: 'new' } });
      strictEqual(await again.documents('api::note.note').count({ status: 'draft' }), 2);
      const totals = `select cast(sum(n) as integer) from galley_totals where name = 'jottings'`;
      deepStrictEqual(await again.database.rows(totals, []), [[2]]);
      await again.close();
    });

    it('roll back one that fails or uses a missing member, and the server does not start', async () => {
      const name = '2024.03.01.fails.js';
      await write(
        `database/migrations/${name}`,
        `exports.up = async (knex) => {
  await knex('more').insert({ title: 'lost' });
  await knex('more').mend(() => {});
};`,
      );
      await rejects(open(), (error: Error) => {
        match(error.message, /^database\/migrations\/2024\.03\.01\.fails\.js:3: .*mend is not a function/);
        match(error.message, /npm run -s galley -- migration done 2024\.03\.01\.fails\.js$/);
        return true;
      });
      const lines: string[] = [];
      const surroundings = {
        env: database.env,
        print: (line: string) => void lines.push(line),
        warn: (line: string) => void lines.push(line),
      };
      strictEqual(await runCommandLine(['migration', 'done', '2024.03.01.fail.js', folder.dir], surroundings), 1);
      match(lines.pop()!, /did you mean 2024\.03\.01\.fails\.js\?/);
      strictEqual(await runCommandLine(['migration', 'list', folder.dir], surroundings), 0);
      match(lines.join('\n'), /2024\.02\.01\.rename\.js +done\n2024\.03\.01\.fails\.js +pending/);
      lines.length = 0;
      strictEqual(await runCommandLine(['migration', 'list', '--json', folder.dir], surroundings), 0);
      const told = lines.map((line) => JSON.parse(line));
      deepStrictEqual(told.slice(-2), [
        { name: '2024.02.01.rename.js', done: true },
        { name: '2024.03.01.fails.js', done: false },
      ]);
      strictEqual(await runCommandLine(['migration', 'done', name, folder.dir], surroundings), 0);
      deepStrictEqual(await asked(`select title from more where title = 'lost'`), []);
    });

    it('wait for a start while requests are answered, and do not run if the configuration disables them', async () => {
      const app = await open();
      const name = 'database/migrations/2024.04.01.late.js';
      await write(name, 'exports.up = async (knex) => {\n  await knex("nowhere").select();\n};');
      await rejects(app.reload(), /2024\.04\.01\.late\.js.* restart the server/);
      await app.close();
      await rejects(open(), /2024\.04\.01\.late\.js:2: .*nowhere/);
      await rejects(
        openProject(folder.dir, { env: { ...database.env, GALLEY_CODE: 'read' } }),
        /no code of the project/,
      );
      await write('config/database.js', 'module.exports = { settings: { runMigrations: false } };');
      strictEqual((await asked(marked)).length, 4);
    });
  });
}
