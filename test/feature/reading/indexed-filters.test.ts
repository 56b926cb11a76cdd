/** Filters on columns with an index use it, on every engine, and give the same for numbers that no column could hold. */
import { deepStrictEqual, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const UID = 'api::item.item';
const ROWS = 3000;
const COLUMNS = { whole: 'integer', large: 'biginteger', day: 'date', moment: 'datetime', flag: 'boolean' } as const;

/** Column, filter on it. */
const INDEXED: readonly [string, string][] = [
  ['whole', 'filters[whole]=7'],
  ['whole', 'filters[whole][$in][0]=7&filters[whole][$in][1]=8'],
  ['whole', 'filters[whole][$between][0]=7&filters[whole][$between][1]=8'],
  ['whole', 'filters[whole][$lt]=3&sort=whole'],
  ['large', 'filters[large]=9000000000007'],
  ['large', 'filters[large][$gte]=9000000000007&sort=large'],
  ['id', 'filters[id]=7'],
  ['id', 'filters[id][$in][0]=7&filters[id][$in][1]=8'],
  ['day', 'filters[day]=2020-01-07'],
  ['moment', 'filters[moment]=2020-01-07T00:00:00.000Z'],
  ['flag', 'filters[flag]=true&sort=flag'],
];

/** Sentence, filter, how many of the rows. */
const MISFITS: readonly [string, string, number][] = [
  ['equal to a fraction', 'filters[whole]=1.5', 0],
  ['other than a fraction', 'filters[whole][$ne]=1.5', ROWS],
  ['not equal to a fraction', 'filters[$not][whole][$eq]=1.5', ROWS],
  ['below a fraction', 'filters[whole][$lt]=1.5', 1],
  ['above a fraction', 'filters[whole][$gt]=1.5', ROWS - 1],
  ['between fractions', 'filters[whole][$between][0]=1.5&filters[whole][$between][1]=3.5', 2],
  ['in a list with a fraction', 'filters[whole][$in][0]=1.5&filters[whole][$in][1]=3', 1],
  ['outside of a list with a fraction', 'filters[whole][$notIn][0]=1.5&filters[whole][$notIn][1]=3', ROWS - 1],
  ['a whole number with decimals', 'filters[whole]=3.0', 1],
  ['beyond 32 bits', 'filters[whole][$lt]=3000000000', ROWS],
  ['beyond 64 bits', 'filters[whole][$lt]=99999999999999999999', ROWS],
  ['beyond 64 bits, downwards', 'filters[whole][$gt]=-1e30', ROWS],
  ['the largest biginteger', 'filters[large][$lte]=9223372036854775807', ROWS],
  ['one more than the largest biginteger', 'filters[large][$lt]=9223372036854775808', ROWS],
  ['a biginteger and a fraction', 'filters[large][$lte]=9000000000001.5', 1],
  ['a biginteger as a power', 'filters[large][$lt]=1e25', ROWS],
  ['an id beyond all ids', 'filters[id][$lt]=1e30', ROWS],
];

async function serveItems(engine: Engine): Promise<RunningServer> {
  const attributes = Object.fromEntries(Object.entries(COLUMNS).map(([name, type]) => [name, { type }]));
  const folder = await makeProject({ contentTypes: { item: contentType('item', attributes) } });
  const server = await serve(folder, await engine.databaseFor(folder));
  const { database } = server.app;
  const { dialect } = database;
  const start = Date.parse('2020-01-01T00:00:00.000Z');
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: ROWS }, (_, i) => {
      const time = start + i * 86_400_000;
      const moment = dialect.encodeTime(time);
      const day = new Date(time).toISOString().slice(0, 10);
      const text = typeof moment === 'number' ? moment : `'${moment}'`;
      return `('d${i}', ${i + 1}, ${9e12 + i + 1}, '${day}', ${text}, ${i < 2 ? 'true' : 'false'}, ${text})`;
    });
    const columns = 'document_id, whole, large, day, moment, flag, published_at';
    await tx.rows(`insert into items (${columns}) values ${rows.join()}`, []);
    for (const name of Object.keys(COLUMNS)) await tx.rows(`create index by_${name} on items (${name})`, []);
  });
  await database.transaction(async (tx) => tx.rows('analyze', []));
  return server;
}

for (const engine of engines) {
  describe(`filters on columns with an index on ${engine.name}`, () => {
    let server: RunningServer;
    let reader: RecordingReader;
    before(async () => {
      server = await serveItems(engine);
      reader = recordingReader(server.app);
    });
    after(() => server?.stop());

    const planOf = async (query: string): Promise<string> => {
      reader.reset();
      await reader.list(UID, `fields=id&pagination[withCount]=false&${query}`);
      const { text, values } = reader.statements[0]!;
      return server.app.database.transaction(async (tx) => {
        if (engine.name === 'sqlite') {
          return (await tx.rows(`explain query plan ${text}`, values)).map((row) => row[3]).join('\n');
        }
        await tx.rows('set local enable_seqscan = off', []);
        return (await tx.rows(`explain ${text}`, values)).map(([line]) => line).join('\n');
      });
    };

    for (const [column, query] of INDEXED) {
      it(`looks ${query} up`, async () => {
        const used = engine.name === 'sqlite' ? `SEARCH .*(${column}|rowid)[=<>]` : `Index Cond: .*\\b${column}\\b`;
        match(await planOf(query), new RegExp(used));
      });
    }

    for (const [sentence, query, count] of MISFITS) {
      it(`compares values that no index serves: ${sentence}`, async () => {
        deepStrictEqual((await reader.list(UID, `fields=id&pagination[limit]=1&${query}`)).total, count);
      });
    }
  });
}
