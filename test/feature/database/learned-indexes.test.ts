/** Indexes that slow reads lack are made, or told; those of no use are dropped. The commands show and change them. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { IndexMode } from '../../../src/config/config.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader } from '../../../src/content/reading/reader.ts';
import type { Read, ReadWatcher } from '../../../src/db/database.ts';
import { keptIndexes } from '../../../src/db/learning/kept-indexes.ts';
import { LearnedIndexes } from '../../../src/db/learning/learned-indexes.ts';
import { Upkeep } from '../../../src/db/upkeep.ts';
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
    async function learning(mode: IndexMode) {
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
        apart: database.apart?.bind(database),
        read: (read) => {
          last = read;
          return database.read(read);
        },
      });
      const lines: string[] = [];
      const log = (line: string) => void lines.push(line);
      const upkeep = new Upkeep({ database: large, engine: app.engine, log });
      upkeep.start();
      const learned = new LearnedIndexes({ database: large, engine: app.engine, upkeep, mode, log });
      await learned.begin(layout);
      learned.start();
      const reader = new Reader({
        catalog,
        layout,
        database: large,
        locales: new LocaleStore(database),
        limits: config.rest,
      });
      return {
        lines,
        learned,
        upkeep,
        async slowly(query: string, milliseconds = 100) {
          await reader.list(catalog.contentTypes.get('api::article.article')!, views.full, parseParams(query));
          for (let n = 0; n < 5; n++) watcher(last!, milliseconds);
        },
      };
    }
    const indexes = async () => {
      const { app } = server;
      const { indexes } = (await app.engine.introspect(app.database)).get('articles')!;
      return indexes.filter(({ name }) => /learned/.test(name)).map(({ columns }) => columns.join(' '));
    };
    const kept = () => keptIndexes(server.app.database);
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

    it('are made where reads are slow again and again, said, and remembered', async () => {
      const { lines, slowly, upkeep } = await learning('auto');
      await slowly('sort=views:desc');
      await until('it is made', async () => (await indexes()).length === 1 && upkeep.isIdle);
      deepStrictEqual(await indexes(), ['locale views id']);
      match(
        lines.join(),
        /^made index galley_articles_learned_\w+ on articles \(locale, views desc, id, where published_at is not null\) in [\d.]+ s, as 5 reads without it took 0\.5 s$/,
      );
      deepStrictEqual(
        (await kept()).map(({ origin, reads }) => [origin, reads]),
        [['learned', 5]],
      );
      await slowly('sort=views:desc');
      ok(upkeep.isIdle, 'there is nothing left to make');
    });

    it('are made again where somebody has dropped them', async () => {
      const [one] = await kept();
      await server.app.engine.dropIndex(server.app.database, one!.index.name);
      deepStrictEqual(await indexes(), []);
      const { upkeep } = await learning('auto');
      await until('it is made again', async () => (await indexes()).length === 1 && upkeep.isIdle);
    });

    it('are dropped when no read has used them for a month', async () => {
      const { learned, lines, upkeep, slowly } = await learning('auto');
      await learned.tidy(Date.now() + 20 * DAY);
      ok(upkeep.isIdle);
      await slowly('sort=views:desc', 0.1);
      await learned.tidy(Date.now() + 31 * DAY);
      await until('it is dropped', async () => (await indexes()).length === 0 && upkeep.isIdle);
      match(lines.join(), /^dropped index galley_articles_learned_\w+: no read has used it for 30 days$/);
      deepStrictEqual(await kept(), []);
    });

    it('are only told of where the configuration says so, and made by command', async () => {
      const { lines, slowly } = await learning('suggest');
      await slowly('filters[title][$eq]=x&sort=views');
      await until('it is told', async () => (await kept()).length === 1);
      deepStrictEqual(await indexes(), []);
      const [one] = await kept();
      const { name } = one!.index;
      match(lines.join(), new RegExp(`would help: 5 reads without it took 0\\.5 s \\(galley index create ${name}\\)`));
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
      strictEqual((await galley('index', 'suggest', folder.dir)).text, 'there is nothing to suggest');
      match((await galley('index', 'list', folder.dir)).text, new RegExp(`${name} +articles +.* command +yes`));
      strictEqual((await galley('index', 'drop', name, folder.dir)).text, `dropped ${name}`);
      deepStrictEqual(await indexes(), []);
    });

    it('are search indexes where reads look for pieces of text, and can be made by command', async () => {
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
        /^made index galley_articles_search_\w+ on articles \(texts of title\) in [\d.]+ s, as 10 reads/,
      );
      const [one] = await kept();
      match(
        (await galley('index', 'list', folder.dir)).text,
        new RegExp(`${one!.index.name} +articles +texts of title +learned +yes`),
      );
      strictEqual((await galley('index', 'drop', one!.index.name, folder.dir)).code, 0);
      deepStrictEqual(await searched(), new Set());
      const made = await galley('index', 'create', 'api::article.article', 'title,body', '--search', folder.dir);
      match(made.text, /^made galley_articles_search_\w+ on articles \(texts of body, title\)/);
      deepStrictEqual(await searched(), new Set(['body', 'title']));
      const [two] = await kept();
      strictEqual((await galley('index', 'drop', two!.index.name, folder.dir)).code, 0);
      deepStrictEqual([await searched(), await kept()], [new Set(), []]);
    });

    it('are not looked for where the configuration says so', async () => {
      const { slowly, upkeep, lines } = await learning('off');
      await slowly('sort=rating');
      ok(upkeep.isIdle);
      deepStrictEqual([await kept(), lines], [[], []]);
    });

    it('can be made by attributes', async () => {
      const { code, lines } = await galley('index', 'create', 'api::article.article', 'title,-views', folder.dir);
      strictEqual(code, 0);
      strictEqual(lines.length, 2, 'for drafts and published documents');
      deepStrictEqual(await indexes(), ['locale title views id', 'locale title views id']);
      for (const { index } of await kept())
        strictEqual((await galley('index', 'drop', index.name, folder.dir)).code, 0);
    });

    it('of a text find it and have it in order, by attributes, and are made once', async () => {
      const command = ['index', 'create', 'api::tag.tag', 'name', folder.dir];
      const { code, lines } = await galley(...command);
      strictEqual(code, 0);
      const ways = engine.name === 'postgres' ? ['name', 'name by code point'] : ['name'];
      const wanted = ways.flatMap((way) => [
        `tags (${way}, id, where published_at is not null)`,
        `tags (${way}, id, where published_at is null)`,
      ]);
      deepStrictEqual(
        lines.map((line) => /^made \S+ on (.*) in [\d.]+ s$/.exec(line)?.[1]),
        wanted,
      );
      deepStrictEqual(
        (await galley(...command)).lines.map((line) => /^\S+ on (.*) is there already$/.exec(line)?.[1]),
        wanted,
      );
      if (engine.name === 'postgres') {
        const plain = `select count(*) from pg_indexes where indexname like 'galley_tags_learned%' and indexdef like '%(name, id)%'`;
        deepStrictEqual(
          await server.app.database.rows(plain, []),
          [[2]],
          'those for filters are in the own order of texts',
        );
      }
      for (const { index } of await kept())
        strictEqual((await galley('index', 'drop', index.name, folder.dir)).code, 0);
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
        /values of body are too long for an index; see --search/,
      );
      match(await refusal('index', 'drop', 'galley_articles_published_no'), /there is no such index/);
      const list = (await galley('index', 'list', folder.dir)).text.split('\n');
      const [ofSchema] = list.map((line) => line.trim().split(/\s{2,}/)).filter((cells) => cells[3] === 'schema');
      match(await refusal('index', 'drop', ofSchema![0]!), /follows from the schema and stays/);
    });
  });
}
