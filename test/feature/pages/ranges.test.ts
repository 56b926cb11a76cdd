/**
 * Lists of a range of an indexed column with any number of rows: page and total equal those of a column without an index, and
 * the database does not read all rows (docs/reference/indexes.md).
 */
import { deepStrictEqual, ok } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { mostLookedAt } from '../../support/recording/looked-at.ts';
import { type RecordingReader, recordingReader } from '../../support/recording/recording.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const UID = 'api::item.item';
const ROWS = 2600;
const ATTRIBUTES = {
  // the same values, with an index and without
  size: { type: 'integer', index: true },
  plain: { type: 'integer' },
  name: { type: 'string', index: true },
  plainName: { type: 'string' },
  colour: { type: 'integer' },
  body: { type: 'richtext' },
};

async function serveItems(engine: Engine): Promise<RunningServer> {
  const options = { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } };
  const folder = await makeProject({ contentTypes: { item: contentType('item', ATTRIBUTES, options) } });
  const server = await serve(folder, await engine.emptyDatabase());
  const { dialect } = server.app.database;
  const time = (day: number) => {
    const encoded = dialect.encodeTime(Date.UTC(2024, 0, day));
    return typeof encoded === 'number' ? encoded : `'${encoded}'`;
  };
  const rows = Array.from({ length: ROWS }, (_, i) => {
    const size = i % 41 === 0 ? 'null' : (i * 7919) % 1500;
    const name = `'${String.fromCodePoint(65 + (i % 7), 97 + (i % 5), 228)}'`;
    const published = i % 13 === 0 ? 'null' : time(1);
    const locale = i % 17 === 0 ? 'fr' : 'en';
    return `('d${i}', '${locale}', ${time((i * 37) % 900)}, ${published}, ${size}, ${size}, ${name}, ${name}, ${i % 3}, 'text ${i % 4}')`;
  });
  await server.app.database.transaction(async (tx) => {
    const columns = 'document_id, locale, created_at, published_at, size, plain, name, plain_name, colour, body';
    await tx.rows(`insert into items (${columns}) values ${rows.join()}`, []);
    await tx.rows('analyze', []);
  });
  return server;
}

/** Ranges of nearly all rows, of a few and of none, and with further conditions. `N` and `S` stand for the columns. */
const RANGES = [
  'filters[N][$gte]=5',
  'filters[N][$lt]=3',
  'filters[N][$gt]=5000',
  'filters[N][$gte]=100&filters[N][$lte]=140',
  'filters[N][$between][0]=200&filters[N][$between][1]=900',
  'filters[N][$lt]=1.5',
  'filters[S][$gte]=B',
  'filters[S][$lt]=Ab',
  'filters[N][$gte]=5&filters[colour]=1',
  'filters[N][$lt]=30&filters[colour]=1',
  'filters[$and][0][N][$gt]=20&filters[$and][1][S][$lt]=C',
  'filters[N][$gte]=5&filters[$or][0][colour]=1&filters[$or][1][N]=7',
];
const SORTS = [
  '',
  'sort=N',
  'sort=N:desc,colour',
  'sort=S:desc',
  'sort=createdAt:desc',
  'sort=colour,N:desc',
  'sort=body',
];
const PAGES = ['pagination[pageSize]=7', 'pagination[start]=9&pagination[limit]=5', 'pagination[start]=1500'];
const RESTS = ['', 'status=draft', 'locale=fr', 'locale=*'];

for (const engine of engines) {
  describe(`lists of a range on ${engine.name}`, () => {
    let server: RunningServer;
    let reader: RecordingReader;
    before(async () => {
      server = await serveItems(engine);
      const { catalog, layout, database, config, views } = server.app;
      // many rows are as few as the test has
      const planner = { ...database.dialect.planner, smallRange: 1000 };
      const dialect = { ...database.dialect, planner };
      reader = recordingReader({ catalog, layout, config, views, database: standIn(database, { dialect }) });
    });
    after(() => server?.stop());

    const list = async (query: string, number: string, text: string) => {
      const { data, total } = await reader.list(
        UID,
        `fields=body&${query.replaceAll('N', number).replaceAll('S', text)}`,
      );
      return { ids: data.map(({ id }) => id), total };
    };

    for (const range of RANGES) {
      it(`are equal with and without an index: ${range}`, async () => {
        let turn = RANGES.indexOf(range);
        for (const sort of SORTS) {
          for (const page of PAGES) {
            const rest = RESTS[turn++ % RESTS.length]!;
            for (const counted of ['', '&pagination[withCount]=false']) {
              const query = `${range}&${sort}&${page}&${rest}${counted}`;
              deepStrictEqual(await list(query, 'size', 'name'), await list(query, 'plain', 'plainName'), query);
            }
          }
        }
      });
    }

    const looked = async (query: string): Promise<number> => {
      reader.reset();
      await list(query, 'size', 'name');
      return mostLookedAt(server.app.database, reader.statements[0]!);
    };

    it('read only the rows of the page if an index has the order of the range', async () => {
      reader.reset();
      const { total } = await list('filters[N][$gte]=5&sort=N:desc', 'size', 'name');
      ok(total! > 2000);
      ok(!reader.statements[0]!.text.includes('galley_found'));
    });

    if (engine.name === 'postgres') {
      it('read few rows for any values with one plan', async () => {
        for (const range of ['filters[N][$gt]=5000', 'filters[N][$lt]=3', 'filters[N][$gte]=5']) {
          for (const sort of ['', '&sort=createdAt:desc']) {
            const most = await looked(`${range}${sort}&pagination[withCount]=false`);
            ok(most <= 1001, `${range}${sort}: ${most} rows`);
          }
        }
      });
    }

    it('work for a range of ids', async () => {
      const { ids, total } = await list('pagination[limit]=60', 'size', 'name');
      const behind = await list(`filters[id][$gt]=${ids[9]}&pagination[limit]=50`, 'size', 'name');
      deepStrictEqual(behind, { ids: ids.slice(10), total: total! - 10 });
    });
  });
}
