/** The total of a filtered list is counted once for its pages, while nothing changes that it was counted from. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { App } from '../../../src/app.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import type { Database } from '../../../src/db/database.ts';
import { parseParams } from '../../../src/query/params.ts';
import { engines } from '../../support/databases/databases.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const BOOK = 'api::book.book';

/** Lists with a reader that knows nothing yet. */
function listener(app: App) {
  const { catalog, layout, database, config, views } = app;
  const texts: string[] = [];
  const heard: Database = standIn(database, {
    moments: database.moments,
    read: (read) => {
      texts.push(read.text);
      return database.read(read);
    },
  });
  const reader = new Reader({
    catalog,
    layout,
    database: heard,
    locales: new LocaleStore(database),
    limits: config.rest,
  });
  const type = catalog.contentTypes.get(BOOK)!;
  /** The names and the total of a page, and whether its statement counted. */
  return async (query: string) => {
    texts.length = 0;
    const { data, total } = await reader.list(type, views.full, parseParams(query));
    const names = (JSON.parse(data) as { name: string }[]).map(({ name }) => name);
    return { names, total, counted: /\bcount\(/.test(texts.at(-1)!) };
  };
}

for (const engine of engines) {
  describe(`totals on ${engine.name}`, () => {
    let server: SeededServer;
    const keeps = engine.name === 'sqlite';

    before(async () => {
      const contentTypes = {
        book: contentType('book', { name: { type: 'string' }, pages: { type: 'integer' } }),
        other: contentType('other', { name: { type: 'string' } }),
      };
      server = await serveSeeded(engine, await makeProject({ contentTypes }));
      for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) await create('books', { name, pages: index });
    });
    after(() => server?.stop());

    const elsewhere = async (text: string): Promise<void> => {
      const { database } = server.app.config;
      if (database.client === 'sqlite') {
        const writer = new Sqlite(database.filename);
        writer.exec(text);
        writer.close();
      } else {
        const writer = new pg.Client({ connectionString: database.connectionString });
        await writer.connect();
        await writer.query(text.replace(', 1)', ', now())'));
        await writer.end();
      }
    };
    const create = (plural: string, data: unknown) =>
      server.request('POST', `/api/${plural}`, { token: server.secrets['full'], body: { data } });
    const page = (number: number, more = '') =>
      `filters[pages][$gte]=1&pagination[page]=${number}&pagination[pageSize]=2${more}`;

    it('are counted for the first page', async () => {
      const list = listener(server.app);
      deepStrictEqual(await list(page(1)), { names: ['b', 'c'], total: 4, counted: true });
      deepStrictEqual(await list(page(2)), { names: ['d', 'e'], total: 4, counted: !keeps });
      deepStrictEqual(await list(page(3)), { names: [], total: 4, counted: !keeps });
      deepStrictEqual(await list(page(1, '&sort=name:desc&fields=name')), {
        names: ['e', 'd'],
        total: 4,
        counted: !keeps,
      });
    });

    it('are of one filter, one search and one status', async () => {
      const list = listener(server.app);
      const totals = [];
      for (const query of [
        'filters[pages][$gte]=1',
        'filters[pages][$gte]=2',
        'filters[pages][$lte]=1',
        '_q=a',
        '_q=b',
      ]) {
        totals.push([(await list(query)).total, (await list(query)).total]);
      }
      deepStrictEqual(totals, [
        [4, 4],
        [3, 3],
        [2, 2],
        [1, 1],
        [1, 1],
      ]);
    });

    it('are counted again when something has changed', async () => {
      const list = listener(server.app);
      await list(page(1));
      await create('others', { name: 'x' });
      deepStrictEqual(await list(page(2)), { names: ['d', 'e'], total: 4, counted: !keeps });
      await create('books', { name: 'f', pages: 9 });
      deepStrictEqual(await list(page(2)), { names: ['d', 'e'], total: 5, counted: true });
    });

    it('are counted again for a page that was read while something changed', async () => {
      const { database } = server.app;
      const { read } = database;
      let hasChanged = false;
      const list = listener(server.app);
      await list(page(1));
      // the change, another program's, comes between the look at the total and the reading of the page
      database.read = async (asked) => {
        if (!hasChanged)
          await elsewhere("insert into books (document_id, name, pages, published_at) values ('g', 'g', 9, 1)");
        hasChanged = true;
        return read.call(database, asked);
      };
      try {
        deepStrictEqual(await list(page(3)), { names: ['f', 'g'], total: 6, counted: true });
      } finally {
        Reflect.deleteProperty(database, 'read');
      }
    });
  });
}
