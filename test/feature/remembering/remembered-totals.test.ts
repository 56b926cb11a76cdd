/** The total of a filtered list is counted once for its pages, while nothing changes that it was counted from. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { App } from '../../../src/app.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import { parseParams } from '../../../src/query/params.ts';
import { Random } from '../../model/random.ts';
import { engines } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const BOOK = 'api::book.book';

/** Lists with a reader that knows nothing yet. */
function listener(app: App, uid = BOOK) {
  const { catalog, layout, database, config, views } = app;
  const texts: string[] = [];
  const heard: Database = standIn(database, {
    changeClock: database.changeClock,
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
  const type = catalog.contentTypes.get(uid)!;
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
    before(async () => {
      const contentTypes = {
        book: contentType('book', { name: { type: 'string' }, pages: { type: 'integer' } }),
        other: contentType('other', { name: { type: 'string' } }),
        note: contentType('note', { name: { type: 'string' }, shown: { type: 'boolean' } }),
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
        await writer.query(text);
        await writer.end();
      }
    };
    /** Where another program finds the database. */
    const place = () => {
      const { database } = server.app.config;
      const isFile = database.client === 'sqlite';
      const env = isFile ? { DATABASE_FILENAME: database.filename } : { DATABASE_URL: database.connectionString! };
      return { env: env as Record<string, string> };
    };
    const random = new Random(5);
    const insert = (table: string, column: string, value: string) =>
      `insert into ${table} (document_id, published_at, ${column})
       values ('n${random.below(1e9)}', ${engine.name === 'sqlite' ? '1' : 'now()'}, ${value})`;
    const create = (plural: string, data: unknown) =>
      server.request('POST', `/api/${plural}`, { token: server.secrets['full'], body: { data } });
    const page = (number: number, more = '') =>
      `filters[pages][$gte]=1&pagination[page]=${number}&pagination[pageSize]=2${more}`;

    /** A page whose total was remembered. On PostgreSQL other tests write to other databases now and then. */
    const remembered = (list: ReturnType<typeof listener>, query: string) =>
      until('a total is remembered', async () => {
        const found = await list(query);
        return !found.counted && found;
      });

    it('are counted for the first page', async () => {
      const list = listener(server.app);
      deepStrictEqual(await list(page(1)), { names: ['b', 'c'], total: 4, counted: true });
      deepStrictEqual(await remembered(list, page(2)), { names: ['d', 'e'], total: 4, counted: false });
      const other = page(1, '&sort=name:desc&fields=name');
      deepStrictEqual(await remembered(list, other), { names: ['e', 'd'], total: 4, counted: false });
    });

    it('are counted for a page that is not full, which has looked at all rows', async () => {
      const list = listener(server.app);
      await list(page(1));
      deepStrictEqual(await list(page(3)), { names: [], total: 4, counted: true });
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
      await remembered(list, page(2));
      await create('others', { name: 'x' });
      // on PostgreSQL whatever has changed
      deepStrictEqual(await list(page(2)), { names: ['d', 'e'], total: 4, counted: engine.name === 'postgres' });
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
        if (!hasChanged) await elsewhere(insert('books', 'name, pages', "'g', 9"));
        hasChanged = true;
        return read.call(database, asked);
      };
      try {
        deepStrictEqual(await list(page(3)), { names: ['f', 'g'], total: 6, counted: true });
      } finally {
        Reflect.deleteProperty(database, 'read');
      }
    });

    it('are counted again after concurrent commits', async () => {
      const { database } = await openPlain(place());
      const list = listener(server.app);
      const { total } = await list(page(1));
      try {
        await database.transaction(async (tx) => {
          await tx.rows(insert('books', 'pages', '7'), []);
          // on SQLite nobody else may write now
          if (engine.name === 'postgres') await elsewhere(insert('others', 'name', 'null'));
          strictEqual((await list(page(1))).total, total);
          await remembered(list, page(2));
        });
        strictEqual((await list(page(1))).total, total! + 1);
      } finally {
        await database.close();
      }
    });

    it('are never wrong while several others write, some of them in vain', async () => {
      const writers = await Promise.all([openPlain(place()), openPlain(place()), openPlain(place())]);
      /** Each row says how many there are, as of the same commit. */
      const number = `update notes set name = (select count(*) from notes where shown)`;
      const statements = () => {
        if (random.chance(0.4)) return [insert('others', 'name', 'null')];
        const lock = engine.name === 'postgres' ? ['lock table notes in share row exclusive mode'] : [];
        const change = random.chance(0.6)
          ? insert('notes', 'shown', 'true')
          : 'delete from notes where id = (select max(id) from notes) and (select count(*) from notes) > 6';
        return [...lock, change, number];
      };
      const write = async (writer: (typeof writers)[number]) => {
        const texts = statements();
        const isVain = random.chance(0.3);
        await writer.database
          .transaction(async (tx) => {
            for (const text of texts) await tx.rows(text, []);
            if (isVain) throw new Error('in vain');
          })
          .catch((error: Error) => strictEqual(error.message, 'in vain'));
      };
      const readers = [listener(server.app, 'api::note.note'), listener(server.app, 'api::note.note')];
      const read = async (list: (typeof readers)[number]) => {
        for (let i = 0; i < 5; i++) {
          const query = `filters[shown]=true&pagination[page]=${1 + random.below(3)}&pagination[pageSize]=2`;
          const { names, total } = await list(query);
          deepStrictEqual(new Set(names), new Set([String(total)]), query);
        }
      };
      for (let i = 0; i < 6; i++) await elsewhere(insert('notes', 'shown', 'true'));
      await elsewhere(number);
      try {
        for (let round = 0; round < 30; round++) {
          const busy = round % 3 === 0 ? [] : writers.slice(0, 1 + (round % 3));
          await Promise.all([...readers.map(read), ...busy.map(write)]);
        }
        for (const list of readers) await remembered(list, 'filters[shown]=true&pagination[pageSize]=2');
      } finally {
        for (const writer of writers) await writer.database.close();
      }
    });
  });
}
