/**
 * Indexes that slow reads lack are created, or suggested; unused ones are dropped. The commands show and change them.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { IndexMode, IndexModes } from '../../../src/config/config.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import type { TableIndex } from '../../../src/db/indexes/index-learner.ts';
import { LearnedIndexes } from '../../../src/db/indexes/learned-indexes.ts';
import {
  forgetIndex,
  type IndexOrigin,
  recordCheck,
  type StoredIndex,
  storedIndexes,
  storeIndex,
  suggestIndex,
  takePlace,
} from '../../../src/db/indexes/stored-indexes.ts';
import type { Read, ReadWatcher } from '../../../src/db/interface/database.ts';
import { Upkeep } from '../../../src/db/migration/upkeep.ts';
import { parseParams } from '../../../src/query/params.ts';
import { engines } from '../../support/databases/databases.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const DAY = 86_400_000;

for (const engine of engines) {
  describe(`learned indexes on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    before(async () => {
      folder = await copyProject(CONFORMANCE_DIR);
      server = await serveSeeded(engine, folder, undefined, { DATABASE_INDEXES: 'off' });
    });
    after(() => server?.stop());

    /** Learns on the server's database as if its tables were large, and slow reads can be made up. */
    async function learning(learn: IndexMode, searched: IndexMode = learn, begins = true) {
      const modes: IndexModes = { learn, search: searched };
      const { app } = server;
      const { database, catalog, layout, config, views } = app;
      let watcher: ReadWatcher = () => {};
      let last: Read | undefined;
      const large = standIn(database, {
        rowsOf: () => 1_000_000,
        watch: (given) => {
          watcher = given;
        },
        search: database.search,
        subscribe: () => () => {},
        separately: database.separately?.bind(database),
        read: (read) => {
          last = read;
          return database.read(read);
        },
      });
      const lines: string[] = [];
      const log = (line: string) => void lines.push(line);
      const upkeep = new Upkeep({ database: large, engine: app.engine, log });
      if (begins) upkeep.start();
      const learned = new LearnedIndexes({ database: large, engine: app.engine, upkeep, modes, log });
      await learned.begin(layout);
      learned.start();
      const reader = new Reader({
        catalog,
        layout,
        database: large,
        locales: new LocaleStore(database),
        limits: config.rest,
      });
      /** Reads that are slow all at once. */
      const slowlyAtOnce = async (queries: readonly string[], milliseconds = 100) => {
        const reads: Read[] = [];
        for (const query of queries) {
          await reader.list(catalog.contentTypes.get('api::article.article')!, views.full, parseParams(query));
          reads.push(last!);
        }
        for (const read of reads) for (let n = 0; n < 5; n++) watcher(read, milliseconds);
      };
      const slowly = (query: string, milliseconds?: number) => slowlyAtOnce([query], milliseconds);
      return { lines, learned, upkeep, slowly, slowlyAtOnce };
    }
    const indexes = async () => {
      const { app } = server;
      const { indexes } = (await app.engine.introspect(app.database)).get('articles')!;
      return indexes.filter(({ name }) => /_(learned|made)_/.test(name)).map(({ columns }) => columns.join(' '));
    };
    const kept = () => storedIndexes(server.app.database);
    const galley = async (...args: string[]) => {
      const out: string[] = [];
      const print = (line: string) => void out.push(line);
      const config = server.app.config.database;
      const env = {
        DATABASE_CLIENT: config.client,
        ...('filename' in config ? { DATABASE_FILENAME: config.filename } : { DATABASE_URL: config.connectionString }),
      };
      const secrets = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
      const code = await runCommandLine(args, { env: { ...env, ...secrets }, print, warn: print });
      return { code, text: out.join('\n'), lines: out };
    };

    it('are created after repeated slow reads, logged, and stored', async () => {
      const { lines, slowly, upkeep } = await learning('auto');
      await slowly('sort=views:desc');
      await until('it is made', async () => (await indexes()).length === 1 && upkeep.isIdle);
      deepStrictEqual(await indexes(), ['locale views id']);
      match(
        lines.join(),
        /^created index galley_articles_learned_\w+ on articles \(locale, views desc, id, where published_at is not null\) in [\d.]+ s: 5 reads without it took 0\.5 s$/,
      );
      deepStrictEqual(
        (await kept()).map(({ origin, reads }) => [origin, reads]),
        [['learned', 5]],
      );
      await slowly('sort=views:desc');
      ok(upkeep.isIdle, 'there is nothing left to make');
      const { lines: said } = await galley('index', 'suggest', folder.dir);
      deepStrictEqual(said.slice(0, 3), ['no index to suggest', '', 'indexes that Galley created after slow reads:']);
      match(said.at(-1)!, /^galley_articles_learned_\w+ +articles +locale, views desc, id.* 5 +0\.5$/);
      strictEqual((await galley('index', 'suggest', '--json', folder.dir)).text, '');
    });

    it('are created again after another program has dropped them', async () => {
      const [one] = await kept();
      await server.app.engine.dropIndex(server.app.database, one!.index.name);
      deepStrictEqual(await indexes(), []);
      const { upkeep } = await learning('auto');
      await until('it is made again', async () => (await indexes()).length === 1 && upkeep.isIdle);
    });

    let clock = Date.now();
    /** Has processes be there for some days, one after the other. */
    const live = async ({ learned }: { learned: LearnedIndexes }, days: number) => {
      for (let n = 0; n < 2 * days; n++) {
        clock += DAY / 2;
        await learned.tidy(clock);
      }
    };

    it('stay if no server ran to use them', async () => {
      const one = await learning('auto');
      await live(one, 1);
      clock += 60 * DAY;
      await live(one, 1);
      ok(one.upkeep.isIdle);
      strictEqual((await kept()).length, 1);
    });

    it('are dropped when no read has used them for a month, whichever process is there', async () => {
      for (const days of [5, 14]) {
        const one = await learning('auto');
        await live(one, days);
        ok(one.upkeep.isIdle);
      }
      const { lines, upkeep, learned } = await learning('auto');
      await live({ learned }, 12);
      await until('it is dropped', async () => (await indexes()).length === 0 && upkeep.isIdle);
      match(lines.join(), /^dropped index galley_articles_learned_\w+: no read has used it for 30 days$/);
      deepStrictEqual(await kept(), []);
    });

    it('are only suggested if the configuration says so, and created by command', async () => {
      const { lines, slowly } = await learning('suggest');
      await slowly('filters[title][$eq]=x&sort=views');
      await until('it is told', async () => (await kept()).length === 1);
      deepStrictEqual(await indexes(), []);
      const [one] = await kept();
      const { name } = one!.index;
      match(
        lines.join(),
        new RegExp(`would help: 5 reads without it took 0\\.5 s \\(npm run -s galley -- index create ${name}\\)`),
      );
      match(
        (await galley('index', 'suggest', folder.dir)).text,
        new RegExp(`${name} +articles +locale, title, views, id.* 5 +0\\.5`),
      );
      const suggested = JSON.parse((await galley('index', 'suggest', '--json', folder.dir)).text);
      deepStrictEqual([suggested.name, suggested.table, suggested.reads], [name, 'articles', 5]);
      strictEqual((await galley('index', 'create', name, folder.dir)).code, 0);
      deepStrictEqual(await indexes(), ['locale title views id']);
      const listed = (await galley('index', 'list', '--json', folder.dir)).text.split('\n');
      const { columns: _, ...own } = listed.map((line) => JSON.parse(line)).find((index) => index.name === name);
      deepStrictEqual(own, { name, table: 'articles', origin: 'command', built: true });
      strictEqual((await galley('index', 'suggest', folder.dir)).text, 'no index to suggest');
      match((await galley('index', 'list', folder.dir)).text, new RegExp(`${name} +articles +.* command +yes`));
      strictEqual((await galley('index', 'drop', name, folder.dir)).text, `dropped ${name}`);
      deepStrictEqual(await indexes(), []);
    });

    it('are search indexes if reads search for pieces of text, and can be created by command', async () => {
      const searched = async () => {
        const { search } = server.app.database;
        await search!.refresh();
        return new Set(search!.of('articles').flatMap(({ columns }) => columns));
      };
      const { lines, slowly, upkeep } = await learning('auto');
      await slowly('filters[title][$containsi]=abc', 500);
      await slowly('filters[title][$containsi]=xyz', 500);
      await until('it is made', async () => (await searched()).has('title') && upkeep.isIdle);
      match(
        lines.join(),
        /^created index galley_articles_search_\w+ on articles \(texts of title\) in [\d.]+ s: 10 reads/,
      );
      const [one] = await kept();
      match(
        (await galley('index', 'list', folder.dir)).text,
        new RegExp(`${one!.index.name} +articles +texts of title +learned +yes`),
      );
      strictEqual((await galley('index', 'drop', one!.index.name, folder.dir)).code, 0);
      deepStrictEqual(await searched(), new Set());
      const made = await galley('index', 'create', 'api::article.article', 'title,body', '--search', folder.dir);
      match(made.text, /^created galley_articles_search_\w+ on articles \(texts of body, title\)/);
      deepStrictEqual(await searched(), new Set(['body', 'title']));
      const [two] = await kept();
      strictEqual((await galley('index', 'drop', two!.index.name, folder.dir)).code, 0);
      deepStrictEqual([await searched(), await kept()], [new Set(), []]);
    });

    it('of texts are created with a notice about writes that wait', async () => {
      const { lines, slowly, upkeep } = await learning('off', 'auto');
      for (const word of ['abc', 'xyz']) await slowly(`filters[title][$containsi]=${word}`, 500);
      await until('it is made', async () => lines.length === 1 && (await kept()).length === 1 && upkeep.isIdle);
      const [one] = await kept();
      const told =
        /^created index .* took \d+\.\d s(; programs with an SQLite before 3\.43 cannot write to a table that has a search index)?$/;
      strictEqual(told.exec(lines[0]!)?.[1] !== undefined, engine.name === 'sqlite', lines[0]);
      strictEqual((await galley('index', 'drop', one!.index.name, folder.dir)).code, 0);
      await server.app.database.search!.refresh();
    });

    it('are of the configured kinds', async () => {
      const { lines, slowly, upkeep } = await learning('off', 'suggest');
      for (const word of ['abc', 'xyz']) await slowly(`filters[title][$containsi]=${word}&sort=rating`, 500);
      await slowly('sort=rating');
      await until('it is told', async () => (await kept()).length === 1);
      const [one] = await kept();
      deepStrictEqual([one!.index.search, lines.length, upkeep.isIdle], [true, 1, true]);
      strictEqual((await galley('index', 'drop', one!.index.name, folder.dir)).code, 0);
      const other = await learning('suggest', 'off');
      for (const word of ['abc', 'xyz']) await other.slowly(`filters[title][$containsi]=${word}&sort=rating`, 500);
      await until('it is told', async () => (await kept()).length === 1);
      const [two] = await kept();
      deepStrictEqual([two!.index.search, other.lines.length], [undefined, 1]);
      strictEqual((await galley('index', 'drop', two!.index.name, folder.dir)).code, 0);
    });

    it('replace others that no read has used for a week if a table has the maximum', async () => {
      const keep = (column: string, days: number, origin: IndexOrigin = 'learned') => {
        const index = { columns: ['locale', column, 'id'], unique: false, name: `galley_articles_learned_${column}` };
        const usedAt = Date.now() - days * DAY;
        const numbers = { reads: 5, milliseconds: 500, madeAt: usedAt, usedAt };
        return storeIndex(server.app.database, { table: 'articles', index, origin, ...numbers });
      };
      const columns = ['title', 'slug', 'views', 'rating', 'created_at', 'updated_at'];
      for (const [days, column] of columns.entries()) await keep(column, days);
      // what was made by command takes a place, and keeps it
      await keep('slug', 400, 'command');
      const full = await learning('auto');
      await full.slowly('sort=createdAt:desc,views');
      await until('it is told', async () => (await kept()).length === 7 && full.upkeep.isIdle);
      match(
        full.lines.find((line) => !line.endsWith('again'))!,
        /would help: .*; not created automatically, because there are many already/,
      );
      for (const [n, column] of columns.entries()) if (column !== 'slug') await keep(column, n + 3);
      const { database } = server.app;
      // for nine days nobody was there who could have used them
      await recordCheck(database, Date.now() - 9 * DAY, new Map());
      const back = await learning('auto');
      const before = new Set((await kept()).map(({ index }) => index.name));
      await back.slowly('sort=createdAt:desc,rating');
      await until('it is told', async () => (await kept()).length === 8 && back.upkeep.isIdle);
      const [another] = (await kept()).filter(({ index }) => !before.has(index.name));
      strictEqual(another!.origin, 'suggested');
      await forgetIndex(database, another!.index.name);
      await recordCheck(database, Date.now(), new Map());
      const { lines, slowly, slowlyAtOnce, upkeep } = await learning('auto');
      await slowly('sort=createdAt:desc,views');
      const told = () => lines.filter((line) => !line.endsWith('again'));
      await until('it is made', async () => told().length === 2 && upkeep.isIdle);
      const said = told();
      match(said[0]!, /^created index galley_articles_learned_\w+ on articles \(locale, created_at desc, views, id,/);
      match(
        said[1]!,
        /^dropped index galley_articles_learned_updated_at: one on articles \(locale, created_at desc, views, id,.*\) takes its place$/,
      );
      strictEqual((await kept()).length, 6);
      // one is left, which only one of two can take
      await slowlyAtOnce(['sort=updatedAt:desc,views', 'sort=publishedAt:desc,views']);
      await until('one takes its place', async () => told().length === 5 && upkeep.isIdle);
      strictEqual(
        (await kept()).some(({ index }) => index.name === 'galley_articles_learned_created_at'),
        false,
      );
      strictEqual(told().filter((line) => line.includes('would help')).length, 1);
      strictEqual((await kept()).filter(({ origin }) => origin !== 'suggested').length, 6);
      strictEqual(
        (await galley('index', 'drop', ...(await kept()).map(({ index }) => index.name), folder.dir)).code,
        0,
      );
    });

    describe('of several processes', () => {
      const numbers = { reads: 5, milliseconds: 500, madeAt: Date.now(), usedAt: Date.now() };
      const recordOf = (column: string, origin: IndexOrigin = 'learned'): StoredIndex => {
        const index = { columns: ['locale', column, 'id'], unique: false, name: `galley_articles_learned_${column}` };
        return { table: 'articles', index, origin, ...numbers };
      };
      const taking = (column: string) => {
        const kept = recordOf(column);
        const isSame = ({ index }: TableIndex) => String(index.columns) === String(kept.index.columns);
        return takePlace(server.app.database, kept, { isSame, leaving: new Set() });
      };
      before(async () => {
        for (const column of ['title', 'slug', 'rating', 'big', 'price'])
          await storeIndex(server.app.database, recordOf(column));
        // they are there, so that nothing is left to be done before what is decided
        const { upkeep } = await learning('auto');
        await until('they are made', async () => upkeep.isIdle);
      });
      after(async () => {
        const names = (await kept()).map(({ index }) => index.name);
        strictEqual((await galley('index', 'drop', ...names, folder.dir)).code, 0);
      });

      it('never exceed the maximum, even if several processes find the last free place', async () => {
        const waiting = [await learning('auto', 'auto', false), await learning('auto', 'auto', false)];
        await waiting[0]!.slowly('sort=updatedAt:desc,views');
        await waiting[1]!.slowly('sort=publishedAt:desc,views');
        await until('both have decided', async () => waiting.every(({ upkeep }) => !upkeep.isIdle));
        strictEqual((await kept()).length, 5);
        for (const { upkeep } of waiting) upkeep.start();
        await until('both are done', async () => waiting.every(({ upkeep }) => upkeep.isIdle));
        const said = waiting.flatMap(({ lines }) => lines);
        deepStrictEqual(
          [/^created /, /many already/].map((text) => said.filter((line) => text.test(line)).length),
          [1, 1],
        );
        deepStrictEqual((await kept()).map(({ origin }) => origin).sort(), [
          ...Array.from({ length: 6 }, () => 'learned'),
          'suggested',
        ]);
        // whoever found none is asked again once there may be one
        const loser = waiting.find(({ lines }) => lines.some((line) => /many already/.test(line)))!;
        strictEqual((await galley('index', 'drop', 'galley_articles_learned_price', folder.dir)).code, 0);
        await recordCheck(server.app.database, Date.now() - DAY, new Map());
        await loser.learned.tidy();
        await loser.slowly(loser === waiting[0] ? 'sort=updatedAt:desc,views' : 'sort=publishedAt:desc,views');
        await until('it is made', async () => loser.lines.some((line) => line.startsWith('created ')));
        await until('it is remembered', async () => (await kept()).every(({ origin }) => origin === 'learned'));
        strictEqual((await kept()).length, 6);
        const names = (await kept())
          .filter(({ index }) => index.columns.includes('views'))
          .map(({ index }) => index.name);
        strictEqual((await galley('index', 'drop', ...names, folder.dir)).code, 0);
      });

      it('have a place one after the other, and an index that both want but once', async () => {
        deepStrictEqual((await Promise.all([taking('views'), taking('views')])).sort(), ['taken', 'there']);
        deepStrictEqual((await Promise.all([taking('price'), taking('hour')])).sort(), ['full', 'taken']);
        const made = (await kept()).find(({ index }) => index.columns.includes('views'))!;
        await suggestIndex(server.app.database, { ...made, origin: 'suggested' });
        strictEqual((await kept()).filter(({ origin }) => origin === 'learned').length, 6);
      });
    });

    it('are not learned if the configuration disables it', async () => {
      const { slowly, upkeep, lines } = await learning('off');
      await slowly('sort=rating');
      ok(upkeep.isIdle);
      deepStrictEqual([await kept(), lines], [[], []]);
    });

    it('can be created by attributes', async () => {
      const { code, lines } = await galley('index', 'create', 'api::article.article', 'title,-views', folder.dir);
      strictEqual(code, 0);
      strictEqual(lines.length, 2, 'for drafts and published documents');
      deepStrictEqual(await indexes(), ['locale title views id', 'locale title views id']);
      const names = (await kept()).map(({ index }) => index.name);
      ok(
        names.every((name) => /^galley_articles_made_\w+$/.test(name)),
        names.join(),
      );
      const wrong = await galley('index', 'drop', ...names, 'galley_articles_made_no', folder.dir);
      match(wrong.text, /^galley: no index galley_articles_made_no/);
      strictEqual((await kept()).length, 2, 'nothing is dropped if one name is wrong');
      const dropped = await galley('index', 'drop', ...names, names[0]!, folder.dir);
      deepStrictEqual(
        dropped.lines,
        names.map((name) => `dropped ${name}`),
      );
      deepStrictEqual([await indexes(), await kept()], [[], []]);
    });

    it('of a text serve its filter and its order, by attributes, and are created once', async () => {
      const command = ['index', 'create', 'api::tag.tag', 'name', folder.dir];
      const { code, lines } = await galley(...command);
      strictEqual(code, 0);
      const ways = engine.name === 'postgres' ? ['name', 'name by code point'] : ['name'];
      const wanted = ways.flatMap((way) => [
        `tags (${way}, id, where published_at is not null)`,
        `tags (${way}, id, where published_at is null)`,
      ]);
      deepStrictEqual(
        lines.map((line) => /^created \S+ on (.*) in [\d.]+ s$/.exec(line)?.[1]),
        wanted,
      );
      deepStrictEqual(
        (await galley(...command)).lines.map((line) => /^\S+ on (.*) already exists$/.exec(line)?.[1]),
        wanted,
      );
      if (engine.name === 'postgres') {
        const plain = `select count(*) from pg_indexes where indexname like 'galley_tags_made_%' and indexdef like '%(name, id)%'`;
        deepStrictEqual(
          await server.app.database.rows(plain, []),
          [[2]],
          'those for filters are in the own order of texts',
        );
      }
      strictEqual(
        (await galley('index', 'drop', ...(await kept()).map(({ index }) => index.name), folder.dir)).code,
        0,
      );
    });

    it('are refused with the nearest name', async () => {
      const refusal = async (...args: string[]) => (await galley(...args, folder.dir)).text;
      match(
        await refusal('index', 'create', 'api::articel.article', 'title'),
        /no content type .*did you mean api::article\.article\?/,
      );
      match(
        await refusal('index', 'create', 'api::article.article', 'titel'),
        /no attribute titel: did you mean title\?/,
      );
      match(
        await refusal('index', 'create', 'api::article.article', 'body'),
        /values of body are too long for an index; use --search/,
      );
      match(
        await refusal('index', 'create', 'api::article.article', 'views', '--search'),
        /^galley: views is not a text attribute, and search indexes contain only texts$/,
      );
      match(await refusal('index', 'drop', 'galley_articles_published_no'), /no index galley_articles_published_no/);
      const told = async (...args: string[]) => {
        const { code, text } = await galley('index', ...args);
        return [code, text];
      };
      deepStrictEqual(
        [
          await told('drop', 'galley_articles_published_no', 'nosuch'),
          await told('create', 'galley_articles_published_no', 'nosuch'),
          await told('create', 'api::article.article', 'kind', 'views'),
        ],
        [
          [2, 'galley: nosuch is neither an index nor a folder'],
          [2, 'galley: nosuch is not a folder, and galley index create takes one NAME'],
          [2, 'galley: views is not a folder, and attributes are separated by commas: kind,views'],
        ],
      );
      const list = (await galley('index', 'list', folder.dir)).text.split('\n');
      const [ofSchema] = list.map((line) => line.trim().split(/\s{2,}/)).filter((cells) => cells[3] === 'schema');
      match(
        await refusal('index', 'drop', ofSchema![0]!),
        /belongs to the schema, and the next start would create it again/,
      );
    });
  });
}
