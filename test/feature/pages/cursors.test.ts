/**
 * Pages by cursor (docs/reference/query-parameters.md, "Pagination"): all pages together give the rows of the plain list in
 * its order, and while others write, each row that stays in the list exactly once.
 */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Random } from '../../model/random.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const relation = (kind: string, target: string, rest: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...rest,
});

const PROJECT = {
  contentTypes: {
    book: contentType(
      'book',
      {
        title: { type: 'string' },
        kind: { type: 'enumeration', enum: ['a', 'b', 'c'] },
        body: { type: 'richtext' },
        size: { type: 'integer' },
        large: { type: 'biginteger' },
        rate: { type: 'float' },
        price: { type: 'decimal' },
        flag: { type: 'boolean' },
        day: { type: 'date' },
        hour: { type: 'time' },
        at: { type: 'datetime' },
        meta: { type: 'json' },
        author: relation('manyToOne', 'author', { inversedBy: 'books' }),
        tags: relation('manyToMany', 'tag'),
        seo: { type: 'component', component: 'lib.part' },
        parts: { type: 'component', component: 'lib.part', repeatable: true },
      },
      { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
    ),
    author: contentType('author', {
      name: { type: 'string' },
      born: { type: 'date' },
      books: relation('oneToMany', 'book', { mappedBy: 'author' }),
    }),
    tag: contentType('tag', { name: { type: 'string' }, hot: { type: 'boolean' }, weight: { type: 'float' } }),
  },
  components: {
    'lib.part': {
      collectionName: 'components_lib_parts',
      attributes: { title: { type: 'string' }, at: { type: 'datetime' }, text: { type: 'text' } },
    },
  },
};

/** What lists are sorted by. */
const OWN: readonly string[] = 'title kind body size large rate price flag day hour at'.split(' ');
const KEYS: readonly string[] = [
  ...OWN,
  ...'id documentId createdAt publishedAt locale author.name author.born seo.title seo.at'.split(' '),
  ...'tags.name tags.hot tags.weight tags.id parts.at parts.text author.books.size localizations.title'.split(' '),
];
/** What else a list may say. */
const RESTS: readonly string[] = [
  '',
  'locale=*',
  'status=draft&locale=*',
  'status=draft&publicationFilter=modified&locale=*',
  'filters[size][$notNull]=true&locale=*',
  'filters[tags][name][$ne]=x&locale=*',
  '_q=a&locale=*',
  'locale[0]=fr&locale[1]=de',
];

/** What no column of the key's type holds, but for engines that hold anything. */
const FORGED: Readonly<Record<string, readonly unknown[]>> = {
  title: [1, 'a\0b', '\ud800'],
  rate: ['x', '1e999', '', '0x10'],
  large: ['1.5', '9223372036854775808', ''],
  price: ['1e5', '--1', 'Infinity'],
  flag: ['yes', 2],
  day: ['2024-02-31', '0000-01-01', 'infinity', 5],
  hour: ['25:00:00', '10:00', 'x'],
  at: ['2024-01-01', '2024-02-31T00:00:00.000000', '2024-01-01T24:00:00.000000', 'now'],
};

type Row = Record<string, unknown> & { id: number; documentId: string };
interface List {
  readonly data: readonly Row[];
  readonly pagination: { readonly pageSize: number; readonly next: string | null; readonly total?: number };
}

for (const engine of engines) {
  describe(`pages by cursor on ${engine.name}`, () => {
    const random = new Random(11);
    let server: SeededServer;
    let books: string[];
    let authors: string[];
    let tags: string[];

    async function list(query: string): Promise<List> {
      const { status, body, text } = await server.get(`/api/books?${query}`, server.secrets['full']);
      strictEqual(status, 200, `${query}: ${text.slice(0, 500)}`);
      return { data: body.data, pagination: body.meta.pagination };
    }

    /** All rows, page by page. @param between is called after each page. */
    async function walk(
      query: string,
      size: number,
      between?: (page: readonly Row[]) => Promise<void>,
    ): Promise<Row[]> {
      const rows: Row[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: List = await list(`${query}&pagination[pageSize]=${size}&pagination[cursor]=${cursor}`);
        ok(page.data.length <= size && (page.pagination.next === null || page.data.length === size));
        rows.push(...page.data);
        cursor = page.pagination.next;
        await between?.(page.data);
      }
      return rows;
    }

    const plain = async (query: string) => (await list(`${query}&pagination[pageSize]=100`)).data;
    const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);

    const maybe = <T>(value: T): T | null => (random.chance(0.3) ? null : value);
    const time = () => `2024-01-01T00:00:0${random.below(3)}.${100 + random.below(3)}Z`;
    const partOf = () => ({
      title: maybe(random.pick(['p', 'Q'])),
      at: maybe(time()),
      text: maybe(random.pick(TEXTS)),
    });
    const TEXTS = ['a', 'B', 'ä', '𝄞', '～', '', 'a"\\', 'ab'.repeat(120), 'ab'.repeat(119)];
    const values = () => ({
      title: maybe(random.pick(TEXTS)),
      kind: maybe(random.pick(['a', 'b', 'c'])),
      body: maybe(random.pick(TEXTS)),
      size: maybe(random.below(4) - 2),
      large: maybe(String(2n ** 60n + BigInt(random.below(4)))),
      rate: maybe(random.pick([0.1 + 0.2, 0.3, -1e-300, 1 / 3, 1e22, 5])),
      price: maybe(random.pick([1.1, 10.25, -3, 0.3])),
      flag: maybe(random.chance(0.5)),
      day: maybe(`2024-0${1 + random.below(3)}-01`),
      hour: maybe(`10:00:0${random.below(3)}.${100 + random.below(2)}`),
      at: maybe(time()),
      meta: { a: 1 },
      author: maybe(random.pick(authors)),
      tags: random.some(tags, 3),
      seo: maybe(partOf()),
      parts: random.some([1, 2, 3], 3).map(partOf),
    });

    async function makeBook(): Promise<string> {
      const { seeder } = server;
      const book = await seeder.create('api::book.book', values(), random.chance(0.8) ? {} : { status: 'draft' });
      for (const locale of random.some(['fr', 'de'], 2)) {
        await seeder.update('api::book.book', book, values(), { locale });
      }
      return book;
    }

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      const { seeder } = server;
      authors = [];
      for (const name of ['Ann', 'Bob', null]) {
        authors.push(await seeder.create('api::author.author', { name, born: maybe('1970-01-01') }));
      }
      tags = [];
      for (const name of ['red', 'Red', 'x', null]) {
        const tag = { name, hot: maybe(random.chance(0.5)), weight: maybe(random.pick([0.1, 1 / 3])) };
        tags.push(await seeder.create('api::tag.tag', tag));
      }
      books = [];
      for (let i = 0; i < 20; i++) books.push(await makeBook());
      // drafts that are newer than what is published
      for (const book of books.slice(0, 8)) await seeder.update('api::book.book', book, values(), { status: 'draft' });
    });
    after(() => server?.stop());

    it('begins with an empty cursor and ends with null', async () => {
      const all = await plain('');
      const first = await list('pagination[cursor]=&pagination[pageSize]=10');
      deepStrictEqual(Object.keys(first.pagination), ['pageSize', 'next']);
      const second = await list(`pagination[cursor]=${first.pagination.next}&pagination[pageSize]=${all.length - 10}`);
      deepStrictEqual(idsOf([...first.data, ...second.data]), idsOf(all));
      deepStrictEqual(second.pagination, { pageSize: all.length - 10, next: null });
      deepStrictEqual(await list('pagination[cursor]=&filters[title]=none'), {
        data: [],
        pagination: { pageSize: 25, next: null },
      });
    });

    it('counts on request', async () => {
      const { length } = await plain('filters[size][$gt]=-1');
      const counted = 'filters[size][$gt]=-1&pagination[pageSize]=2&pagination[withCount]=true';
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { pagination }: List = await list(`${counted}&pagination[cursor]=${cursor}`);
        strictEqual(pagination.total, length);
        cursor = pagination.next;
      }
    });

    for (const key of KEYS) {
      it(`walks through a list sorted by ${key} in the order of the plain list`, async () => {
        for (const order of ['asc', 'desc']) {
          for (const rest of ['locale=*', random.pick(RESTS)]) {
            const query = `fields=id&${rest}&sort=${key}:${order}`;
            deepStrictEqual(idsOf(await walk(query, 4 + random.below(8))), idsOf(await plain(query)), query);
          }
        }
      });
    }

    it('walks through lists sorted by several keys', async () => {
      for (let i = 0; i < 15; i++) {
        const keys = Array.from({ length: 2 + random.below(4) }, () => random.pick(random.chance(0.7) ? OWN : KEYS));
        const sort = keys.map((key) => `${key}:${random.pick(['asc', 'desc'])}`).join();
        const query = `fields=id&${random.pick(RESTS)}&sort=${sort}`;
        deepStrictEqual(idsOf(await walk(query, 2 + random.below(5))), idsOf(await plain(query)), query);
      }
    });

    it('shows each row that stays in the list once while others write', async () => {
      const { seeder } = server;
      for (let i = 0; i < 6; i++) {
        const keys = Array.from({ length: 1 + random.below(2) }, () => random.pick(OWN));
        const query = `fields=id&sort=${keys.map((key) => `${key}:${random.pick(['asc', 'desc'])}`)}`;
        const start = await plain(query);
        const touched = new Set<string>();
        /** Changes or removes a document; the one that the cursor was made from more often than others. */
        const disturb = async (documentId: string) => {
          if (touched.has(documentId) || touched.size > start.length / 2) return;
          touched.add(documentId);
          if (random.chance(0.3)) await seeder.update('api::book.book', documentId, values());
          else await seeder.remove(documentId);
        };
        const rows = await walk(query, 3, async (page) => {
          touched.add(await seeder.create('api::book.book', values()));
          await disturb(random.pick(start).documentId);
          if (random.chance(0.5)) await disturb(page.at(-1)!.documentId);
        });
        const stayed = (row: Row) => !touched.has(row.documentId);
        deepStrictEqual(idsOf(rows.filter(stayed)), idsOf(start.filter(stayed)), query);
        // no more than the plain list shows at once
        for (const { documentId } of (await plain('')).slice(40)) await seeder.remove(documentId);
      }
    });

    it('distinguishes values that differ beyond the precision of answers', async () => {
      const { database } = server.app;
      const numbers: Record<string, readonly unknown[]> = {
        at: engine.name === 'postgres' ? ['00.000001', '00.000002', '00.000003', '00.000009'] : [1, 2, 3, 9],
        rate: [0.1, 0.30000000000000004, 0.3, 5e-324],
        large: ['9007199254740993', '9007199254740992', '9223372036854775807', '-9223372036854775808'],
        hour: ['10:00:00.000', '10:00:00.001', '23:59:59.999', '00:00:00.000'],
        price: ['0.10', '0.11', '-0.10', '12345678.90'],
      };
      const made: string[] = [];
      for (let i = 0; i < 12; i++) made.push(await server.seeder.create('api::book.book', { title: 'exact' }));
      const rows = await plain('filters[title]=exact');
      await database.transaction(async (tx) => {
        for (const [index, { id }] of rows.entries()) {
          for (const [column, of] of Object.entries(numbers)) {
            const value = of[index % of.length];
            const text = column === 'at' && typeof value === 'string' ? `2024-01-01T00:00:${value}` : String(value);
            await tx.rows(`update books set ${column} = '${text}' where id = ${id}`, []);
          }
        }
      });
      for (const column of Object.keys(numbers)) {
        for (const order of ['asc', 'desc']) {
          const query = `fields=id&filters[title]=exact&sort=${column}:${order}`;
          deepStrictEqual(idsOf(await walk(query, 1)), idsOf(await plain(query)), query);
        }
      }
      for (const book of made) await server.seeder.remove(book);
    });

    it('compares long texts by their beginning, and the cursor stays short', async () => {
      const { seeder } = server;
      const made: string[] = [];
      const beginning = '~'.repeat(300);
      for (const text of ['b', 'a', 'c'.repeat(1_000_000), '']) {
        const body = beginning + text;
        made.push(await seeder.create('api::book.book', { title: 'long', body, parts: [{ text: body }] }));
      }
      made.push(await seeder.create('api::book.book', { title: 'long', body: `${'~'.repeat(254)}!` }));
      const all = idsOf(await plain('fields=id&filters[title]=long'));
      // of the same 255 characters the ids decide
      const expected = [all[4]!, ...all.slice(0, 4)];
      deepStrictEqual(idsOf(await walk('fields=id&filters[title]=long&sort=body', 1)), expected);
      const { pagination } = await list(
        'fields=id&filters[title]=long&sort=body:desc,parts.text&pagination[cursor]=&pagination[pageSize]=1',
      );
      ok(pagination.next!.length < 1000);
      for (const book of made) await seeder.remove(book);
    });

    it('refuses an invalid cursor with its path', async () => {
      const next = async (query: string) =>
        (await list(`${query}&pagination[pageSize]=1&pagination[cursor]=`)).pagination.next!;
      const bySize = await next('sort=size');
      const [tie] = JSON.parse(Buffer.from(bySize, 'base64url').toString()) as string[];
      const forged = (...content: unknown[]) => Buffer.from(JSON.stringify(content)).toString('base64url');
      const refused: readonly [string, string][] = [
        ['sort=size', 'x'],
        ['sort=size', `${bySize}A`],
        ['sort=size', `${bySize.slice(0, -6)}`],
        ['sort=size', 'A'.repeat(13_000)],
        ['sort=size:desc', bySize],
        ['sort=rate', bySize],
        ['sort=size,rate', bySize],
        ['', bySize],
        ['sort=size', forged(tie)],
        ['sort=size', forged(tie, '1')],
        ['sort=size', forged(tie, '1', null, '1')],
        ['sort=size', forged(tie, { a: 1 }, '1')],
        ['sort=size', forged(tie, 'one', '1')],
        ['sort=size', forged(tie, "1'; drop table books; --", '1')],
        ['sort=size', forged(tie, '99999999999999999999', '1')],
        ['sort=size', forged(tie, '1', 'x')],
        ['sort=size', forged(tie, '1', true)],
        ['sort=meta', ''],
        ['sort=size,rate,price,flag,day,hour', ''],
      ];
      for (const [query, cursor] of refused) {
        const { status, body } = await server.get(
          `/api/books?${query}&pagination[cursor]=${cursor}`,
          server.secrets['full'],
        );
        deepStrictEqual([status, body.error?.details.path], [400, 'pagination.cursor'], `${query} ${cursor}`);
      }
      for (const [key, value] of Object.entries(FORGED)) {
        const cursor = await next(`sort=${key}`);
        const [own] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as string[];
        for (const wrong of value) {
          const { status, text } = await server.get(
            `/api/books?sort=${key}&pagination[cursor]=${forged(own, wrong, '1')}`,
            server.secrets['full'],
          );
          ok(status === 400 || (status === 200 && engine.name === 'sqlite'), `${key} ${wrong}: ${text}`);
        }
      }
    });

    it('refuses another pagination together with a cursor', async () => {
      for (const other of ['page=1', 'start=0', 'limit=5']) {
        const { status, body } = await server.get(
          `/api/books?pagination[cursor]=&pagination[${other.replace('=', ']=')}`,
          server.secrets['full'],
        );
        deepStrictEqual([status, body.error.name], [400, 'PaginationError']);
      }
      const { status, body } = await server.get('/api/books?pagination[cursor][a]=1', server.secrets['full']);
      deepStrictEqual([status, body.error.details.path], [400, 'pagination.cursor']);
    });

    it('reports a wrong name before a wrong cursor', async () => {
      const { status, body } = await server.get('/api/books?sort=nope&pagination[cursor]=x', server.secrets['full']);
      deepStrictEqual([status, body.error.message], [400, 'Invalid key nope']);
    });

    it('walks through files', async () => {
      const { seeder } = server;
      for (const name of ['b.png', 'a.png', 'c.png']) await seeder.file({ name, url: `/${name}` });
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await server.get(
          `/api/upload/files/page?sort=name&pagination[pageSize]=2&pagination[cursor]=${cursor}`,
          server.secrets['full'],
        );
        names.push(...body.data.map(({ name }: { name: string }) => name));
        cursor = body.meta.pagination.next;
      }
      deepStrictEqual(names, ['a.png', 'b.png', 'c.png']);
    });

    it('serves pages to code that embeds the server', async () => {
      const service = server.app.documents('api::book.book');
      const all = await service.findMany({ sort: 'title:desc', locale: '*' });
      const walked: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await service.findPage({ sort: 'title:desc', locale: '*', cursor, pageSize: 7 });
        strictEqual(page.pagination.total, undefined);
        walked.push(...page.results);
        cursor = page.pagination.next;
      }
      deepStrictEqual(walked, all);
      const { results, pagination } = await service.findPage({ withCount: true });
      deepStrictEqual([results.length, pagination.pageSize], [25, 25]);
      strictEqual(pagination.total, await service.count());
      await rejects(service.findPage({ cursor: 'x' }), { name: 'ValidationError' });
      await rejects(service.findMany({ pagination: { cursor: '' } as object }), { name: 'ValidationError' });
    });
  });
}
