/** Pages far from the beginning of a list: a cursor skips no rows, and other pages do not fetch the rows that they skip. */
import { deepStrictEqual, doesNotMatch, match, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const UID = 'api::item.item';
const ROWS = 4000;
const PAGE = 10;
/** Rows that a statement may look at for a page: those of the page and one more, in each step of it. */
const FEW = 100;

/** Keys with an index, how many rows lie before the page, and where the engines enter the index. */
const SORTS: readonly [string, number, readonly string[]][] = [
  ['', 3000, ['(id|rowid)>']],
  ['id:desc', 3000, ['(id|rowid)<']],
  ['rank', 3000, ['rank=', 'rank>']],
  ['rank:desc', 3000, ['rank=', 'rank<']],
  // half of the rows have the same value
  ['flag', 1500, ['flag=']],
  ['flag:desc', 1500, ['flag=']],
  ['flag,rank', 1500, ['flag=\\? AND rank>']],
  ['flag:desc,rank:desc', 1500, ['flag=\\? AND rank<']],
  // missing values are half of the rows
  ['rest', 3500, ['rest=']],
  ['rest', 500, ['rest=']],
  ['name', 3000, ['name=', 'name>']],
];

async function serveItems(engine: Engine): Promise<RunningServer> {
  const attributes = {
    name: { type: 'string' },
    rank: { type: 'integer' },
    flag: { type: 'boolean' },
    rest: { type: 'float' },
    body: { type: 'richtext' },
  };
  const folder = await makeProject({ contentTypes: { item: contentType('item', attributes) } });
  const server = await serve(folder, await engine.emptyDatabase());
  const { database } = server.app;
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: ROWS }, (_, i) => {
      const name = `n${String((i * 7) % ROWS).padStart(6, '0')}`;
      return `('d${i}', '${name}', ${(i * 7) % ROWS}, ${i % 2 === 0}, ${i % 2 === 0 ? 'null' : i / 2}, 'body')`;
    });
    await tx.rows(`insert into items (document_id, name, rank, flag, rest, body) values ${rows.join()}`, []);
    const collate = engine.name === 'postgres' ? ' collate "C"' : '';
    await tx.rows(`create index by_name on items (name${collate}, id)`, []);
    for (const name of ['rank', 'flag', 'rest']) await tx.rows(`create index by_${name} on items (${name}, id)`, []);
    await tx.rows('create index by_flag_rank on items (flag, rank, id)', []);
  });
  // nothing but statistics that the engines would gather themselves
  await database.transaction(async (tx) => tx.rows(engine.name === 'postgres' ? 'analyze' : 'select 1', []));
  return server;
}

for (const engine of engines) {
  describe(`pages far from the beginning on ${engine.name}`, () => {
    let server: RunningServer;
    let reader: RecordingReader;
    before(async () => {
      server = await serveItems(engine);
      reader = recordingReader(server.app);
    });
    after(() => server?.stop());

    /** What an engine says of how it runs the statement of a list; on PostgreSQL with the numbers of rows. */
    async function planOf(query: string): Promise<string> {
      reader.reset();
      await reader.list(UID, query);
      const { text, values } = reader.statements[0]!;
      const explain = engine.name === 'sqlite' ? 'explain query plan' : 'explain (analyze, timing off, costs off)';
      const rows = await server.app.database.transaction(async (tx) => {
        if (engine.name === 'postgres') await tx.rows('set local enable_seqscan = off', []);
        return tx.rows(`${explain} ${text}`, values);
      });
      return rows.map((row) => String(row.at(-1))).join('\n');
    }

    for (const [sort, count, entries] of SORTS) {
      it(`continues a list sorted by ${sort || 'nothing'} after ${count} rows from the index`, async () => {
        const service = server.app.documents(UID);
        const { pagination } = await service.findPage({ sort, pageSize: count, fields: ['rank'] });
        const query = `sort=${sort}&fields=name&pagination[pageSize]=${PAGE}&pagination[cursor]=${pagination.next}`;
        const plain = `sort=${sort}&fields=name&pagination[limit]=${PAGE}&pagination[start]=${count}`;
        deepStrictEqual((await reader.list(UID, query)).data, (await reader.list(UID, plain)).data);
        const plan = await planOf(query);
        if (engine.name === 'sqlite') {
          for (const entry of entries) match(plan, new RegExp(`SEARCH t0 USING .*\\(${entry}`));
          doesNotMatch(plan, /SCAN t0/);
        } else {
          const numbers = [...plan.matchAll(/(?:actual rows=|Removed by Filter: )(\d+)/g)].map(([, rows]) =>
            Number(rows),
          );
          ok(numbers.length > 5 && Math.max(...numbers) <= FEW, plan);
        }
      });
    }

    for (const sort of ['', 'rank', 'rank:desc', 'name', 'body', 'flag,rest:desc']) {
      it(`fetches only the page of a list sorted by ${sort || 'nothing'} at an offset`, async () => {
        const service = server.app.documents(UID);
        const all = await service.findMany({ sort });
        const query = (start: number) => `sort=${sort}&pagination[start]=${start}&pagination[limit]=${PAGE}`;
        for (const start of [999, 1000, 1001, 3000, 3995, 5000]) {
          deepStrictEqual((await reader.list(UID, query(start))).data, all.slice(start, start + PAGE), `${start}`);
        }
        const plan = await planOf(query(3000));
        // each row of the page by its id
        if (engine.name === 'sqlite') match(plan, /SEARCH t1 USING INTEGER PRIMARY KEY \(rowid=\?\)/);
        else match(plan, new RegExp(`using items_pkey on items t1 \\(actual rows=1.00 loops=${PAGE}\\)`));
        if (engine.name === 'sqlite' && /rank|name/.test(sort)) match(plan, /SCAN t0 USING COVERING INDEX/);
      });
    }

    it('reads each row of a first page once', async () => {
      doesNotMatch(await planOf(`sort=rank&pagination[start]=100&pagination[limit]=${PAGE}`), /rowid=\?|items t1/);
    });
  });
}
