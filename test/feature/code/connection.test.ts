/** `strapi.db.connection`: Knex in the transaction of the code. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Actions by name, each the body of an async function. */
const ACTIONS: Readonly<Record<string, string>> = {
  raw: `const result = await strapi.db.connection.raw('select ? as word, ? as number', ['a', 1]);
    return (result.rows ?? result).map(({ word, number }) => ({ word, number: Number(number) }));`,
  builder: `const knex = strapi.db.connection;
    await knex('notes').insert([{ text: 'one', document_id: 'one' }, { text: 'two', document_id: 'two' }]);
    const changed = await knex('notes').where({ text: 'two' }).update({ text: 'three' });
    const [{ id }] = await knex('notes').insert({ text: 'four', document_id: 'four' }).returning('id');
    const texts = await knex('notes').orderBy('text').pluck('text');
    const first = await knex('notes').where({ text: 'one' }).first();
    const [{ count }] = await knex('notes').count({ count: '*' });
    const removed = await knex('notes').del();
    return { changed, id: typeof id, texts, first: first.text, count: Number(count), removed };`,
  values: `const knex = strapi.db.connection;
    await knex('notes').insert({ text: 'v', document_id: 'v', at: new Date(1e12), data: JSON.stringify({ a: 1 }), size: 12, isOpen: undefined }, undefined).catch((error) => error);
    await knex('notes').insert({ text: 'v', document_id: 'v', at: new Date(1e12), data: JSON.stringify({ a: 1 }), size: 12 });
    const { text, size, data, at } = await knex('notes').where('text', 'v').first();
    await knex('notes').del();
    return { text, size, data: String(data).replaceAll(' ', ''), at: new Date(at).getTime() };`,
  ambient: `const texts = () => strapi.db.connection('notes').orderBy('text').pluck('text');
    const seen = [];
    await strapi.db.transaction(async ({ trx, rollback }) => {
      await strapi.documents('api::note.note').create({ data: { text: 'document' } });
      await strapi.db.connection('notes').insert({ text: 'builder', document_id: 'b' });
      await strapi.db.connection('notes').transacting(trx).insert({ text: 'transacting', document_id: 't' });
      await trx('notes').insert({ text: 'trx', document_id: 'x' });
      seen.push(await texts());
      await rollback();
    });
    return [...seen, await texts()];`,
  transaction: `const knex = strapi.db.connection;
    const texts = () => knex('notes').orderBy('text').pluck('text');
    const seen = [];
    const result = await knex.transaction(async (trx) => {
      await trx('notes').insert({ text: 'kept', document_id: 'k' });
      await trx.transaction(async (inner) => { await inner('notes').insert({ text: 'inner', document_id: 'i' }); throw new Error('no'); }).catch(() => {});
      await strapi.documents('api::note.note').create({ data: { text: 'document' } });
      return 'done';
    });
    seen.push(result, await texts());
    seen.push(await knex.transaction(async (trx) => { await trx('notes').del(); throw new Error('undone'); }).catch(({ message }) => message));
    const trx = await knex.transaction();
    await trx('notes').insert({ text: 'provided', document_id: 'p' });
    await trx.commit();
    seen.push(await texts());
    const other = await knex.transaction();
    await other('notes').del();
    await other.rollback();
    seen.push(await texts());
    await knex('notes').del();
    return seen;`,
  schema: `const { connection } = strapi.db;
    const has = [await connection.schema.hasTable('notes'), await connection.schema.hasTable('own_counts')];
    await connection.schema.createTable('own_counts', (table) => { table.increments('id'); table.integer('n'); });
    await connection('own_counts').insert({ n: 3 });
    const [{ n }] = await connection('own_counts').select('n');
    return { has, n, now: typeof connection.fn.now, client: connection.client.config.client,
      same: strapi.db.getConnection() === strapi.db.connection, rows: (await strapi.db.getConnection('own_counts')).length,
      there: await strapi.db.getSchemaConnection().hasTable('own_counts') };`,
  refused: `const { connection } = strapi.db;
    const [work] = [{ ${["begin: () => connection.raw('begin')", "alter: () => connection.schema.dropTable('notes')", "commit: () => connection.raw('select 1; commit')"].join(', ')} }];
    try { await work[ctx.query.which](); } catch {}
    return 'went on';`,
  wrong: "return strapi.db.connection('nothing_there').select().catch(({ message }) => ({ message }));",
  condemned: `const app = strapi; await app.db.connection('notes').insert({ text: 'before', document_id: 'n' });
    await app.db.transaction(async () => {
      await app.db.connection('notes').insert({ text: 'within', document_id: 'w' });
      try { app['d' + 'b'].queryBuilder('notes'); } catch {}
    }).catch(() => {});
    await app.db.connection('notes').insert({ text: 'after', document_id: 'a' }).catch(() => {});
    return 'fine';`,
};

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      text: { type: 'string' },
      at: { type: 'datetime' },
      data: { type: 'json' },
      size: { type: 'integer' },
    }),
  },
  files: {
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(ACTIONS).map((name) => ({ method: 'POST', path: `/do/${name}`, handler: `own.${name}` })),
    )} };`,
    'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({ ${Object.entries(ACTIONS)
      .map(([name, body]) => `async ${name}(ctx) { ${body} }`)
      .join(',\n')} });`,
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
  },
};

for (const engine of engines) {
  describe(`strapi.db.connection on ${engine.name}`, () => {
    let server: SeededServer;
    const run = async (name: string, query = '') =>
      server.request('POST', `/api/do/${name}${query}`, { token: server.secrets['full'], body: {} });
    const result = async (name: string): Promise<unknown> => {
      const { status, body } = await run(name);
      strictEqual(status, 200, JSON.stringify(body));
      return body;
    };
    const texts = async () => {
      const { body } = await server.get('/api/notes?sort=text', server.secrets['full']);
      return (body.data as { text: string }[]).map(({ text }) => text);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('runs statements with values', async () => {
      deepStrictEqual(await result('raw'), [{ word: 'a', number: 1 }]);
      deepStrictEqual(await result('builder'), {
        ...{ changed: 1, id: 'number', texts: ['four', 'one', 'three'], first: 'one', count: 3, removed: 3 },
      });
    });

    it('reads and writes values as Strapi does', async () => {
      deepStrictEqual(await result('values'), { text: 'v', size: 12, data: '{"a":1}', at: 1e12 });
    });

    it('takes part in the transaction of the code', async () => {
      deepStrictEqual(await result('ambient'), [['builder', 'document', 'transacting', 'trx'], []]);
    });

    it('has transactions of its own, with savepoints within them', async () => {
      deepStrictEqual(await result('transaction'), [
        ...['done', ['document', 'kept'], 'undone', ['document', 'kept', 'provided'], ['document', 'kept', 'provided']],
      ]);
    });

    it('reads the schema and creates tables', async () => {
      deepStrictEqual(await result('schema'), {
        ...{ has: [true, false], n: 3, now: 'function', client: engine.name === 'sqlite' ? 'better-sqlite3' : 'pg' },
        ...{ same: true, rows: 1, there: true },
      });
    });

    it('shows its writes to requests that were answered before', async () => {
      deepStrictEqual(await texts(), []);
      await run('condemned');
      deepStrictEqual(await texts(), ['before']);
    });

    it('fails with the message of the engine', async () => {
      match(((await result('wrong')) as { message: string }).message, /nothing_there/);
    });

    for (const which of ['begin', 'alter', 'commit']) {
      it(`refuses to ${which}, and the request fails`, async () => {
        strictEqual((await run('refused', `?which=${which}`)).status, 500);
      });
    }
  });
}
