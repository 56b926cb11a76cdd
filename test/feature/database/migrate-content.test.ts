/** `galley migrate`: each change of schema files with content, its plan, its decisions, and the content afterwards. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { processName } from '../../../src/media/safety/process-name.ts';
import { SchemaHolds, whileServersWait } from '../../../src/schema-holds.ts';
import { type Engine, engines, type TestDatabase } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';

const ROWS = 1000;
const SEO = 'src/components/shared/seo.json';

type Schema = Readonly<Record<string, unknown>>;

/** A document with drafts and locales, as it is read. */
interface Shown {
  readonly title: string;
  readonly seo: { readonly text: string; readonly links: readonly Schema[] };
  readonly author: Schema;
}

/** A project with content, whose schema files are changed. */
class Changing {
  readonly folder: ProjectFolder;
  readonly database: TestDatabase;
  #reading: App | undefined;

  private constructor(folder: ProjectFolder, database: TestDatabase) {
    this.folder = folder;
    this.database = database;
  }

  static async on(
    engine: Engine,
    contentTypes: Readonly<Record<string, unknown>>,
    components: Readonly<Record<string, unknown>> = {},
  ): Promise<Changing> {
    const folder = await makeProject({ contentTypes, components });
    return new Changing(folder, await engine.databaseFor(folder));
  }

  async open<T>(work: (app: App) => Promise<T>): Promise<T> {
    const app = await openProject(this.folder.dir, { env: this.database.env });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  }

  /** Runs statements. */
  sql(...texts: readonly string[]): Promise<void> {
    return this.reading().then(({ database }) =>
      database.transaction(async (tx) => {
        for (const text of texts) await tx.rows(text, []);
      }),
    );
  }

  /** The project as it was first, for its database. */
  async reading(): Promise<App> {
    this.#reading ??= await openProject(this.folder.dir, { env: this.database.env });
    return this.#reading;
  }

  async count(table: string, where: string): Promise<number> {
    const { database } = await this.reading();
    const [row] = await database.rows(`select count(*) from ${table} where ${where}`, []);
    return Number(row![0]);
  }

  hasColumn(table: string, column: string): Promise<boolean> {
    return this.reading().then(async ({ engine, database }) => {
      const found = (await engine.introspect(database, [table])).get(table)!;
      return found.columns.some(({ name }) => name === column);
    });
  }

  async save(name: string, schema: Schema): Promise<void> {
    const file = path.join(this.folder.dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(schema));
  }

  type(name: string, attributes: Schema, more: Schema = {}): Promise<void> {
    return this.save(`src/api/${name}/content-types/${name}/schema.json`, contentType(name, attributes, more));
  }

  /** Without a backup, which takes longer than all else. */
  migrate(...words: readonly string[]): Promise<{ code: number; text: string }> {
    return this.galley('migrate', '--no-backup', ...words);
  }

  async galley(...words: readonly string[]): Promise<{ code: number; text: string }> {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const code = await runCommandLine([...words, this.folder.dir], { env: this.database.env, print, warn: print });
    return { code, text: lines.join('\n') };
  }

  /** Migrates, and returns the plan. */
  async migrated(...words: readonly string[]): Promise<string> {
    const { code, text } = await this.migrate(...words);
    strictEqual(code, 0, text);
    match(text, /\nmigrated in /);
    return text;
  }

  /** What a migration without a decision says. */
  async refused(...words: readonly string[]): Promise<string> {
    const { code, text } = await this.migrate(...words);
    strictEqual(code, 1, text);
    match(text, /nothing has been changed$/);
    return text;
  }

  async close(): Promise<void> {
    await this.#reading?.close();
  }

  async end(): Promise<void> {
    await this.close();
    await this.database.drop();
    await this.folder.remove();
  }
}

/** Rows of a type without drafts; `values` are expressions of `n`, a number from 1 on. */
const filled = (table: string, values: Readonly<Record<string, string>>, rows = ROWS): string => {
  const columns = Object.keys(values).map((name) => `"${name}"`);
  const numbers = `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${rows})`;
  return `insert into ${table} (document_id, ${columns.join(', ')}) ${numbers} select 'doc' || n, ${Object.values(values).join(', ')} from c`;
};

for (const engine of engines) {
  describe(`galley migrate on ${engine.name}`, () => {
    const published = engine.name === 'sqlite' ? '1767225600000' : "timestamp '2026-01-01'";
    const later = engine.name === 'sqlite' ? '1767225700000' : "timestamp '2026-01-02'";
    let site: Changing;

    describe('with an article', () => {
      before(async () => {
        site = await Changing.on(
          engine,
          {
            article: contentType('article', {
              title: { type: 'string' },
              meta: { type: 'string' },
              price: { type: 'string' },
              stock: { type: 'integer' },
              bio: { type: 'text' },
              slug: { type: 'string' },
              mood: { type: 'enumeration', enum: ['glad', 'sad', 'new'] },
              note: { type: 'string' },
              tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
            }),
            tag: contentType('tag', { name: { type: 'string' } }),
          },
          { 'shared.seo': { collectionName: 'components_shared_seos', attributes: { text: { type: 'string' } } } },
        );
        await site.sql(
          filled('articles', {
            title: "'title ' || n",
            meta: "case when n % 2 = 0 then 'meta ' || n end",
            price: "case when n = 7 then 'about 7' else '' || n end",
            stock: 'n',
            bio: "'bio ' || n",
            slug: "'slug ' || (n % 999)",
            mood: "case when n % 100 = 0 then 'new' else 'glad' end",
            note: "case when n > 10 then 'note' end",
            published_at: published,
          }),
          filled('tags', { name: "'tag ' || n" }, 10),
          'insert into articles_tags_lnk (article_id, tag_id, tag_ord) select a.id, t.id, 1 from articles a, tags t where t.id = 1',
        );
      });
      after(() => site?.end());

      const ATTRIBUTES = {
        title: { type: 'string' },
        meta: { type: 'string' },
        price: { type: 'string' },
        stock: { type: 'integer' },
        bio: { type: 'text' },
        slug: { type: 'string' },
        mood: { type: 'enumeration', enum: ['glad', 'sad', 'new'] },
        note: { type: 'string' },
        tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      };

      it('has nothing to do where the schema files are as they were', async () => {
        deepStrictEqual(await site.migrate(), { code: 0, text: 'the database fits the schema files' });
      });

      it('asks which attribute a removed one has become, and moves the values of a renamed one', async () => {
        const { title, ...rest } = ATTRIBUTES;
        await site.type('article', { headline: title, ...rest });
        const asked = await site.refused();
        match(
          asked,
          /article\.title +is removed, .*: 1,000 documents\n +decide: "renamedFrom": "title" in article\.headline, or --drop article\.title, or --keep article\.title\n/,
        );
        // a start loses nothing, and says so
        const { warnings } = await site.open(async (app) => app);
        ok(warnings.some((line) => line.includes('the column title of the table articles has values')));
        await site.type('article', { headline: { ...title, renamedFrom: 'title' }, ...rest });
        const started = await site.open(async (app) => app);
        ok(
          started.warnings.some((line) =>
            /belongs to other schema files \(api::article\.article\.headline\): .*migrate/.test(line),
          ),
        );
        match(await site.migrated(), /article\.headline +was title: 1,000 documents\n/);
        strictEqual(await site.count('articles', "headline = 'title ' || substr(document_id, 4)"), ROWS);
        strictEqual((await site.migrate()).text, 'the database fits the schema files');
      });

      it('converts values to another type, and asks what becomes of those that do not fit', async () => {
        const { title, price: _, ...rest } = ATTRIBUTES;
        await site.type('article', { headline: title, price: { type: 'integer' }, ...rest });
        const asked = await site.refused();
        match(
          asked,
          /article\.price +string becomes integer\n +1 value of 1,000 rows does not fit:\n +"about 7" \(document doc7, row \d+\)\n/,
        );
        match(asked, /decide: --default article\.price=VALUE, or --keep article\.price, or --drop article\.price/);
        match((await site.migrate('--default', 'article.price=none')).text, /none is not a value/);
        match(await site.migrated('--default', 'article.price=0'), /they become 0\n/);
        strictEqual(await site.count('articles', 'price = 0'), 1);
        strictEqual(
          await site.count('articles', 'price > 0 and price = cast(substr(document_id, 4) as integer)'),
          ROWS - 1,
        );
        // the former values stay until they are dropped
        strictEqual(await site.count('articles', "price_old = 'about 7'"), 1);
        match(await site.migrated('--drop', 'article.price_old'), /its content, which no attribute uses, is dropped/);
        strictEqual(await site.hasColumn('articles', 'price_old'), false);
      });

      it('keeps the content of a removed attribute until it is dropped', async () => {
        const { title, price: _, bio: __, ...rest } = ATTRIBUTES;
        await site.type('article', { headline: title, price: { type: 'integer' }, ...rest });
        match(
          await site.migrated(),
          /article\.bio +is removed, and its content stays in the database, without use: 1,000 documents/,
        );
        strictEqual(await site.count('articles', "bio like 'bio %'"), ROWS);
        if (engine.name === 'sqlite') {
          const { text } = await site.galley('migrate', '--drop', 'article.bio');
          match(text, /\nbackup: backups\/.*\.tar\.gz\nmigrated in /);
        } else await site.migrated('--drop', 'article.bio');
        strictEqual(await site.hasColumn('articles', 'bio'), false);
        match(
          (await site.migrate('--drop', 'article.bio')).text,
          /--drop article\.bio: the plan has nothing of this kind to decide/,
        );
      });

      it('names values that a new rule forbids, and fills in what is required', async () => {
        const { title, price: _, bio: __, ...rest } = ATTRIBUTES;
        const rules = {
          ...{ slug: { type: 'string', unique: true }, mood: { type: 'enumeration', enum: ['glad', 'sad'] } },
          ...{ note: { type: 'string', required: true }, stars: { type: 'integer', required: true, default: 3 } },
        };
        await site.type('article', { headline: title, price: { type: 'integer' }, ...rest, ...rules });
        const asked = await site.refused();
        match(
          asked,
          /article\.slug +is unique: 2 documents .*\n +"slug 1": 2 documents\n +decide: --keep article\.slug\n/,
        );
        match(asked, /article\.mood +has other rules\n +10 values of 1,000 rows do not fit:\n +"new" /);
        match(
          asked,
          /article\.note +is required: 10 documents without a value\n +decide: --default article\.note=VALUE, or --keep article\.note\n/,
        );
        match(asked, /article\.stars +is required: 1,000 rows get 3\n/);
        const defaults = ['article.note=none', 'article.mood=sad'].flatMap((text) => ['--default', text]);
        await site.migrated(...defaults, '--keep', 'article.slug');
        strictEqual(await site.count('articles', "note = 'none'"), 10);
        strictEqual(await site.count('articles', "note = 'note'"), ROWS - 10);
        strictEqual(await site.count('articles', "mood = 'sad'"), 10);
        strictEqual(await site.count('articles', 'stars = 3'), ROWS);
        await site.type('article', { headline: title, ...rest, ...rules, price: { type: 'string' } });
        await site.migrated();
        strictEqual(await site.count('articles', "price = '12'"), 1);
      });

      it('moves values into a component, and renames a type', async () => {
        await site.save(SEO, {
          collectionName: 'components_shared_seos',
          attributes: { text: { type: 'string' }, title: { type: 'string' } },
        });
        const attributes = {
          headline: { type: 'string' },
          seo: { type: 'component', component: 'shared.seo', renamedFrom: { title: 'meta' } },
          tags: ATTRIBUTES.tags,
        };
        await rm(path.join(site.folder.dir, 'src/api/article'), { recursive: true });
        await site.type('page', attributes, { renamedFrom: 'api::article.article' });
        const plan = await site.migrated();
        match(plan, /page +was api::article\.article: 1,000 documents\n/);
        match(plan, /page\.meta +moves into seo\.title: 500 documents\n/);
        await site.open(async (app) => {
          const pages = app.documents('api::page.page' as never);
          const found = (await pages.findMany({ populate: '*', sort: 'id', limit: 2 } as never)) as unknown as Schema[];
          const [one, two] = found as [Schema, Schema];
          deepStrictEqual(
            [one['headline'], one['seo'], two['seo']],
            ['title 1', null, { ...(two['seo'] as object), title: 'meta 2', text: null }],
          );
          deepStrictEqual(
            (two['tags'] as Schema[]).map(({ name }) => name),
            ['tag 1'],
          );
          const created = await pages.create({ data: { headline: 'new', seo: { title: 'x' } } as never });
          ok(created);
        });
        strictEqual(await site.count('pages_cmps', "field = 'seo'"), 501);
      });
    });

    describe('with values that decisions concern', () => {
      before(async () => {
        site = await Changing.on(engine, {
          thing: contentType('thing', {
            code: { type: 'string', required: true, default: 'x' },
            size: { type: 'string' },
            note: { type: 'string' },
          }),
        });
        const code = "case n when 1 then 'too long' when 2 then null else 'ok' end";
        const size = "case n when 1 then 'large' when 2 then null else '' || n end";
        await site.sql(filled('things', { code, size, note: "case when n > 3 then 'note' end" }, 10));
      });
      after(() => site?.end());

      const note = { type: 'string' };

      it('leaves values that stay, and empty ones that may be empty', async () => {
        const code = { type: 'string', required: true, default: 'x', maxLength: 3 };
        await site.type('thing', { code, size: { type: 'integer' }, note });
        await site.migrated('--keep', 'thing.code', '--default', 'thing.size=0');
        strictEqual(await site.count('things', "code = 'too long'"), 1);
        strictEqual(await site.count('things', 'code is null'), 1);
        strictEqual(await site.count('things', 'size = 0'), 1);
        strictEqual(await site.count('things', 'size is null'), 1);
      });

      it('says how many rows without a value get the default', async () => {
        const code = { type: 'string', required: true, default: 'x', maxLength: 4 };
        await site.type('thing', { code, size: { type: 'integer' }, note });
        match(await site.migrated('--default', 'thing.code=none'), /"none" for 1 row without a value\n/);
        strictEqual(await site.count('things', "code = 'none'"), 2);
      });
    });

    describe('refused after its plan', () => {
      before(async () => {
        site = await Changing.on(engine, { thing: contentType('thing', { note: { type: 'string' } }) });
        await site.sql(filled('things', { note: "case when n > 3 then 'note' end" }, 10));
        await site.type('thing', {
          note: { type: 'string', required: true },
          stars: { type: 'integer', required: true, default: 3 },
        });
      });
      after(() => site?.end());

      it('leaves content and columns as they were', async () => {
        const { engine: schema, database } = await site.reading();
        await whileServersWait({ schema, database }, processName(), async () => {
          match((await site.migrate('--default', 'thing.note=none')).text, /another process is changing the schema/);
        });
        strictEqual(await site.count('things', 'note is null'), 3);
        strictEqual(await site.hasColumn('things', 'stars'), false);
        await site.migrated('--default', 'thing.note=none');
        strictEqual(await site.count('things', "note = 'none' and stars = 3"), 3);
      });
    });

    describe('beside other processes', () => {
      let server: RunningServer | undefined;
      before(async () => {
        site = await Changing.on(engine, { thing: contentType('thing', { note: { type: 'string' } }) });
      });
      after(async () => {
        await site?.close();
        await server?.stop();
      });

      const whileAlone = async (work: () => Promise<unknown> = async () => undefined) => {
        const { engine: schema, database } = await site.reading();
        await whileServersWait({ schema, database }, processName(), work);
      };

      it('is refused while the requests of one do not end', async () => {
        const { database } = await site.reading();
        const busy = new SchemaHolds({
          ...{ database, process: processName(), reload: async () => undefined },
          ...{ hold: async () => false, release: () => undefined },
        });
        await busy.begin();
        await rejects(whileAlone(), /a server still has requests that do not end/);
        await busy.close();
        await whileAlone();
      });

      it('is refused while one is doing the same', async () => {
        const isOver = Promise.withResolvers<void>();
        let count = 0;
        const change = async () => {
          count++;
          if (count > 1) isOver.resolve();
          await isOver.promise;
        };
        const ends = [whileAlone(change), whileAlone(change)];
        for (const end of ends) end.catch(() => isOver.resolve());
        const states = (await Promise.allSettled(ends)).map(({ status }) => status);
        deepStrictEqual([count, states.sort()], [1, ['fulfilled', 'rejected']]);
        await whileAlone();
      });

      it('does not wait for one of another machine that has ended without a trace', async () => {
        const seen = Date.now() - 60_000;
        await site.sql(`insert into galley_servers (process, held, seen) values ('elsewhere', '', ${seen})`);
        await whileAlone();
        // the next server that starts removes its row
        server = await serve(site.folder, site.database);
        strictEqual(await site.count('galley_servers', "process = 'elsewhere'"), 0);
      });
    });

    describe('beside a server', () => {
      let server: RunningServer;
      before(async () => {
        site = await Changing.on(engine, {
          thing: contentType('thing', { title: { type: 'string' }, hits: { type: 'integer' } }),
        });
        await site.sql(filled('things', { title: "'title ' || n", published_at: published }));
        server = await serve(site.folder, site.database);
      });
      after(async () => {
        await site?.close();
        await server?.stop();
      });

      it('does not answer requests whose clients have left while they waited', async () => {
        const made = await site.galley('token', 'create', '--name', 'writer', '--type', 'full-access');
        const [secret] = made.text.split('\n');
        const { engine: schema, database } = await site.reading();
        await whileServersWait({ schema, database }, processName(), async () => {
          const body = '{"data":{"title":"abandoned"}}';
          const { port, hostname } = new URL(server.url);
          const lines = [
            ...['POST /api/things HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${secret}`],
            ...['Content-Type: application/json', `Content-Length: ${body.length}`, '', body],
          ];
          const client = connect(Number(port), hostname).end(lines.join('\r\n')).resume();
          await once(client, 'close');
        });
        // the server holds its requests again, and none is unfinished
        await whileServersWait({ schema, database }, processName(), async () => undefined);
        strictEqual(await site.count('things', "title = 'abandoned'"), 0);
      });

      it('lets requests wait for a moment, and the server goes on with the new schema files', async () => {
        const made = await site.galley('token', 'create', '--name', 'all', '--type', 'full-access');
        const [secret] = made.text.split('\n');
        const answers: number[] = [];
        let isOver = false;
        const client = async (method: string, target: string, body?: object) => {
          const options = { token: secret!, ...(body ? { body: { data: body } } : {}) };
          while (!isOver) answers.push((await server.request(method, target, options)).status);
        };
        const clients = [
          client('GET', '/api/things?pagination[pageSize]=5'),
          client('GET', '/api/things/doc3'),
          client('PUT', '/api/things/doc3', { hits: 1 }),
        ];
        await site.type('thing', { heading: { type: 'string', renamedFrom: 'title' }, hits: { type: 'integer' } });
        await site.migrated();
        const changed = async () => {
          const { body } = await server.get('/api/things/doc3', secret);
          return (body as { data: Schema }).data['heading'] === 'title 3';
        };
        // its requests waited until it had read the files
        strictEqual(await changed(), true);
        isOver = true;
        await Promise.all(clients);
        deepStrictEqual([...new Set(answers)], [200]);
      });
    });

    describe('under galley dev', () => {
      let server: RunningServer;
      before(async () => {
        site = await Changing.on(engine, {
          thing: contentType('thing', { title: { type: 'string' }, size: { type: 'string' } }),
        });
        await site.sql(
          filled('things', { title: "'title ' || n", size: "case when n = 7 then 'large' else '' || n end" }, 20),
        );
        server = await serve(site.folder, site.database, {}, { editsSchemas: true });
      });
      after(async () => {
        await site?.close();
        await server?.stop();
      });

      const read = async () => {
        const things = server.app.documents('api::thing.thing' as never);
        const [first] = (await things.findMany({ sort: 'id', limit: 1 } as never)) as unknown as Schema[];
        return first!;
      };

      it('applies a saved change at once where nothing has to be decided', async () => {
        await site.type('thing', { heading: { type: 'string', renamedFrom: 'title' }, size: { type: 'string' } });
        await server.app.reload();
        strictEqual((await read())['heading'], 'title 1');
        strictEqual(await site.hasColumn('things', 'title'), false);
        ok(server.app.warnings.includes('  thing.heading  was title: 20 documents'));
        await server.app.reload();
        deepStrictEqual(server.app.warnings, []);
      });

      it('prints the plan and loses nothing where something has to be decided', async () => {
        await site.type('thing', { heading: { type: 'string', renamedFrom: 'title' }, size: { type: 'integer' } });
        await server.app.reload();
        ok(
          server.app.warnings.some((line) => /decide: --default thing\.size=VALUE/.test(line)),
          server.app.warnings.join('\n'),
        );
        strictEqual(await site.count('things', "cast(size as text) = 'large'"), 1);
        await site.migrated('--default', 'thing.size=0');
        await server.app.reload();
        deepStrictEqual([(await read())['size'], server.app.warnings], [1, []]);
      });
    });

    describe('with drafts and locales', () => {
      const attributes = {
        title: { type: 'string' },
        seo: { type: 'component', component: 'shared.seo' },
        author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'news' },
      };
      const localized = { pluginOptions: { i18n: { localized: true } } };
      const drafts = { options: { draftAndPublish: true } };

      before(async () => {
        site = await Changing.on(
          engine,
          {
            news: contentType('news', attributes, { collectionName: 'news' }),
            author: contentType('author', {
              name: { type: 'string' },
              news: { type: 'relation', relation: 'oneToMany', target: 'api::news.news', mappedBy: 'author' },
            }),
          },
          {
            'shared.seo': {
              collectionName: 'components_shared_seos',
              attributes: {
                text: { type: 'string' },
                links: { type: 'component', component: 'shared.link', repeatable: true },
              },
            },
            'shared.link': { collectionName: 'components_shared_links', attributes: { url: { type: 'string' } } },
          },
        );
        const ofSeo = (columns: string, from: string) => `insert into ${columns} select ${from}`;
        await site.sql(
          filled('news', { title: "'title ' || n", published_at: published, updated_at: published }),
          filled('authors', { name: "'author ' || n", published_at: published }, 3),
          'insert into news_author_lnk (news_id, author_id, news_ord) select n.id, a.id, n.id from news n, authors a where a.id = n.id % 3 + 1',
          ofSeo('components_shared_seos (id, text)', "id, 'seo ' || id from news"),
          ofSeo('news_cmps (entity_id, cmp_id, component_type, field)', "id, id, 'shared.seo', 'seo' from news"),
          ofSeo('components_shared_links (id, url)', "id, 'url ' || id from news"),
          ofSeo(
            'components_shared_seos_cmps (entity_id, cmp_id, component_type, field, "order")',
            "id, id, 'shared.link', 'links', 1 from news",
          ),
        );
        await site.open((app) =>
          app.database.transaction(async (tx) => void (await app.engine.sequences?.advance(tx))),
        );
      });
      after(() => site?.end());

      /** The first documents, as they are read in a status. */
      const read = (status: 'draft' | 'published', locale?: string) =>
        site.open(async (app) => {
          const query = {
            status,
            ...(locale === undefined ? {} : { locale }),
            sort: 'id',
            limit: 3,
            populate: { seo: { populate: '*' }, author: true },
          };
          const found = (await app.documents('api::news.news' as never).findMany(query as never)) as unknown as Shown[];
          return found.map(({ title, seo, author }) => [
            title,
            seo.text,
            seo.links.map(({ url }: Schema) => url),
            author['name'],
          ]);
        });
      const expected = [1, 2, 3].map((n) => [`title ${n}`, `seo ${n}`, [`url ${n}`], `author ${(n % 3) + 1}`]);

      it('creates equal drafts of all documents where drafts are switched on', async () => {
        await site.type('news', attributes, { collectionName: 'news', ...drafts });
        match(await site.migrated(), /news +gets drafts: 1,000 documents get a draft that is equal\n/);
        strictEqual(await site.count('news', 'published_at is null'), ROWS);
        strictEqual(await site.count('components_shared_seos', '1 = 1'), 2 * ROWS);
        deepStrictEqual(await read('draft'), expected);
        deepStrictEqual(await read('published'), expected);
      });

      it('links each state with its own where both types have drafts', async () => {
        const news = { type: 'relation', relation: 'oneToMany', target: 'api::news.news', mappedBy: 'author' };
        await site.type('author', { name: { type: 'string' }, news }, drafts);
        match(await site.migrated(), /author +gets drafts: 3 documents/);
        const states = '(n.published_at is null) = (a.published_at is null)';
        const links = 'news_author_lnk l join news n on n.id = news_id join authors a on a.id = author_id';
        strictEqual(await site.count(links, states), 2 * ROWS);
        strictEqual(await site.count(links, `not (${states})`), 0);
        deepStrictEqual(await read('draft'), expected);
        deepStrictEqual(await read('published'), expected);
      });

      it('gives all documents the default locale where locales are switched on', async () => {
        await site.type('news', attributes, { collectionName: 'news', ...drafts, ...localized });
        match(await site.migrated(), /news +gets locales: 1,000 documents get the default locale\n/);
        strictEqual(await site.count('news', "locale = 'en'"), 2 * ROWS);
        deepStrictEqual(await read('published', 'en'), expected);
      });

      it('asks before drafts and locales go, and leaves one version of each document', async () => {
        await site.sql(
          "insert into i18n_locale (document_id, name, code) values ('de', 'German', 'de')",
          `insert into news (document_id, title, locale, created_at, updated_at) select document_id, 'deutsch', 'de', created_at, updated_at from news where published_at is null and document_id like 'doc1%'`,
          `insert into news (document_id, title, locale) values ('alone', 'allein', 'de')`,
          `update news set title = 'changed', updated_at = ${later} where document_id = 'doc5' and published_at is null and locale = 'en'`,
        );
        await site.type('news', attributes, { collectionName: 'news', ...drafts });
        match(
          await site.refused(),
          /news +loses its locales: 112 documents with several, of which the default one stays\n +decide: --drop news\.locale/,
        );
        await site.migrated('--drop', 'news.locale');
        strictEqual(await site.count('news', 'locale is not null'), 0);
        strictEqual(await site.count('news', "title = 'deutsch'"), 0);
        strictEqual(await site.count('news', "title = 'allein'"), 1);
        await site.type('news', attributes, { collectionName: 'news' });
        match(
          await site.refused(),
          /news +loses its drafts: 1,001 documents\n +2 documents with a draft that is not published\n +decide: --publish news/,
        );
        await site.migrated('--publish', 'news');
        strictEqual(await site.count('news', '1 = 1'), ROWS + 1);
        strictEqual(await site.count('news', 'published_at is null'), 0);
        strictEqual(await site.count('news', "title = 'changed' and document_id = 'doc5'"), 1);
      });
    });
  });
}
