/**
 * `sort` through lists of relations, components and media (docs/reference/query-parameters.md, "Sort"): a row takes its
 * first value in the direction of sorting, among all rows that the path leads to; a path that leads to nothing gives
 * null, also where others of the same row lead on. Nulls stand where the engine puts them (docs/differences.md,
 * "Populate, sort, fields and pages").
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Random } from '../../model/random.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const relation = (kind: string, target: string | undefined, rest: object = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target === undefined ? {} : { target: `api::${target}.${target}` }),
  ...rest,
});
const parts = { type: 'component', component: 'lib.part', repeatable: true };
const FIELDS = {
  title: { type: 'string' },
  size: { type: 'integer' },
  flag: { type: 'boolean' },
  at: { type: 'datetime' },
  body: { type: 'text' },
  meta: { type: 'json' },
};
const drafts = { options: { draftAndPublish: true } };

const PROJECT = {
  contentTypes: {
    shelf: contentType(
      'shelf',
      {
        ...FIELDS,
        books: relation('manyToMany', 'book', { inversedBy: 'shelves' }),
        covers: { type: 'media', multiple: true },
        parts,
        seo: { type: 'component', component: 'lib.part' },
        pins: relation('morphMany', 'pin', { morphBy: 'about' }),
        lists: relation('morphMany', 'pin', { morphBy: 'items' }),
      },
      { ...drafts, pluginOptions: { i18n: { localized: true } } },
    ),
    book: contentType(
      'book',
      {
        ...FIELDS,
        shelves: relation('manyToMany', 'shelf', { mappedBy: 'books' }),
        author: relation('manyToOne', 'author', { inversedBy: 'books', useJoinTable: false }),
        cover: { type: 'media' },
        parts,
      },
      drafts,
    ),
    author: contentType('author', {
      ...FIELDS,
      books: relation('oneToMany', 'book', { mappedBy: 'author', useJoinTable: false }),
    }),
    pin: contentType('pin', {
      ...FIELDS,
      about: relation('morphToOne', undefined),
      items: relation('morphToMany', undefined),
    }),
  },
  components: {
    'lib.part': {
      collectionName: 'components_lib_parts',
      attributes: { title: { type: 'string' }, size: { type: 'integer' }, book: relation('oneToOne', 'book') },
    },
  },
};

/** Paths with a list on them, and what is compared at their ends. */
const PATHS: readonly string[] = [
  'books.title',
  'books.size',
  'books.flag',
  'books.at',
  'books.body',
  'books.id',
  'books.author.title',
  'books.author.books.size',
  'books.author.books.author.title',
  'books.cover.name',
  'books.shelves.title',
  'books.shelves.books.author.size',
  'books.parts.title',
  'covers.name',
  'parts.title',
  'parts.book.size',
  'parts.book.author.title',
  'seo.book.parts.size',
  'pins.title',
  'lists.size',
  'localizations.title',
  'localizations.books.size',
];

type Value = string | number | boolean | null;
type Row = Record<string, unknown> & { id: number };

const rowsOf = (value: unknown): Row[] => (Array.isArray(value) ? value : value ? [value as Row] : []);

/** The values at the end of a path, each as often as a way leads there. */
function valuesOf(row: Row, [name, ...rest]: readonly string[]): Value[] {
  if (rest.length === 0) return [(row[name!] ?? null) as Value];
  const related = rowsOf(row[name!]);
  // the versions of a document are all of them
  if (name === 'localizations') related.push(row);
  return related.length === 0 ? [null] : related.flatMap((next) => valuesOf(next, rest));
}

/** Ascending order of values, nulls as the engine places them. */
function compare(a: Value, b: Value, nullsLow: boolean): number {
  if (a === null || b === null) return a === b ? 0 : (a === null) === nullsLow ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Ids in the order that the rule gives. */
function expected(rows: readonly Row[], path: string, descending: boolean, nullsLow: boolean): number[] {
  const sign = descending ? -1 : 1;
  const by = (a: Value, b: Value) => sign * compare(a, b, nullsLow);
  const first = new Map(rows.map((row) => [row.id, valuesOf(row, path.split('.')).sort(by)[0]!]));
  return rows.map(({ id }) => id).sort((a, b) => by(first.get(a)!, first.get(b)!) || a - b);
}

/** A populate of every step of a path. */
function populateOf(path: string): string {
  const [first, ...rest] = path.split('.').slice(0, -1);
  const populate = `populate${[first, ...rest].map((name) => `[${name}]`).join('[populate]')}=true`;
  return first === 'localizations' && rest.length > 0 ? `${populate}&${populateOf([...rest, ''].join('.'))}` : populate;
}

for (const engine of engines) {
  describe(`sort through lists on ${engine.name}`, () => {
    const nullsLow = engine.name === 'sqlite';
    let server: SeededServer;
    const random = new Random(7);

    async function list(query: string): Promise<Row[]> {
      const { status, body, text } = await server.get(`/api/${query}`, server.secrets['full']);
      strictEqual(status, 200, `${query}: ${text.slice(0, 500)}`);
      return body.data;
    }

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      const { seeder } = server;
      const maybe = <T>(value: T): T | null => (random.chance(0.3) ? null : value);
      const values = () => ({
        title: maybe(random.pick(['a', 'B', 'c', 'Ä', 'ab', '10', '9'])),
        size: maybe(random.below(9) - 3),
        flag: maybe(random.chance(0.5)),
        at: maybe(`2024-0${1 + random.below(9)}-01T00:00:00.000Z`),
        body: maybe(random.pick(['x', 'y'.repeat(2000), 'Z'])),
        meta: maybe({ n: random.below(5) }),
      });
      const files: number[] = [];
      for (const name of ['f1.png', 'a.png', 'Z.png']) files.push(await seeder.file({ name, url: `/${name}` }));
      const authors: string[] = [];
      for (let i = 0; i < 5; i++) authors.push(await seeder.create('api::author.author', values()));
      const books: string[] = [];
      const partsOf = () =>
        random.some([1, 2, 3], 3).map(() => ({
          title: maybe(random.pick(['p', 'Q'])),
          size: maybe(random.below(4)),
          book: books.length === 0 ? null : maybe(random.pick(books)),
        }));
      for (let i = 0; i < 12; i++) {
        const status = i % 3 === 0 ? 'draft' : undefined;
        const data = {
          ...values(),
          author: maybe(random.pick(authors)),
          cover: maybe(random.pick(files)),
          parts: partsOf(),
        };
        books.push(await seeder.create('api::book.book', data, { status }));
      }
      const shelves: string[] = [];
      for (let i = 0; i < 15; i++) {
        const data = () => ({
          ...values(),
          books: random.some(books, 4),
          covers: random.some(files, 3),
          parts: partsOf(),
          seo: random.chance(0.5) ? { title: 's', book: random.pick(books) } : null,
        });
        const shelf = await seeder.create('api::shelf.shelf', data());
        shelves.push(shelf);
        for (const locale of random.some(['fr', 'de'], 2))
          await seeder.update('api::shelf.shelf', shelf, data(), { locale });
      }
      const about = () => ({ __type: 'api::shelf.shelf', documentId: random.pick(shelves), status: 'published' });
      for (let i = 0; i < 10; i++) {
        await seeder.create('api::pin.pin', {
          ...values(),
          about: about(),
          items: random.some([1, 2, 3], 3).map(about),
        });
      }
    });
    after(() => server?.stop());

    for (const path of PATHS) {
      it(`through ${path} takes the first value of all that the path leads to`, async () => {
        const rows = await list(`shelfs?pagination[pageSize]=100&${populateOf(path)}`);
        ok(rows.length > 10);
        for (const descending of [false, true]) {
          const key = `${path}:${descending ? 'desc' : 'asc'}`;
          const order = expected(rows, path, descending, nullsLow);
          for (const rest of [
            '',
            '&pagination[withCount]=false',
            '&filters[id][$gt]=0',
            '&filters[id][$gt]=0&pagination[withCount]=false',
          ]) {
            const sorted = await list(`shelfs?pagination[pageSize]=100&fields=id&sort=${key}${rest}`);
            deepStrictEqual(
              sorted.map(({ id }) => id),
              order,
              `${key}${rest}`,
            );
          }
          const some = rows.filter((row) => valuesOf(row, ['size'])[0] !== null);
          const filtered = await list(
            `shelfs?pagination[pageSize]=100&fields=id&sort=${key}&filters[size][$notNull]=true`,
          );
          deepStrictEqual(
            filtered.map(({ id }) => id),
            expected(some, path, descending, nullsLow),
            key,
          );
        }
      });
    }

    for (const path of ['books.size', 'books.author.title', 'pins.title', 'parts.book.author.books.size']) {
      it(`sorts populated rows through ${path}`, async () => {
        const inner = populateOf(path).replace('populate', 'populate[shelves][populate]');
        const books = await list(`books?pagination[pageSize]=100&${inner}`);
        for (const descending of [false, true]) {
          const key = `${path}:${descending ? 'desc' : 'asc'}`;
          const sorted = await list(
            `books?pagination[pageSize]=100&populate[shelves][sort]=${key}&populate[shelves][fields]=id`,
          );
          for (const [index, book] of sorted.entries()) {
            const shelves = rowsOf(books[index]!['shelves']);
            deepStrictEqual(
              rowsOf(book['shelves']).map(({ id }) => id),
              expected(shelves, path, descending, nullsLow),
              key,
            );
          }
        }
      });
    }

    it('goes through all links, whichever cohort the documents are of', async () => {
      for (const path of ['books.title', 'parts.book.size', 'seo.book.title']) {
        for (const order of ['asc', 'desc']) {
          const query = `shelfs?status=draft&pagination[pageSize]=100&fields=id&sort=${path}:${order}`;
          deepStrictEqual(await list(`${query}&publicationFilter=has-published-version`), await list(query));
        }
      }
    });

    it('takes several keys, and pages that follow one another', async () => {
      const sort = 'sort=books.flag,parts.size:desc,title,books.author.books.title';
      const whole = await list(`shelfs?pagination[pageSize]=100&fields=id&${sort}`);
      const paged: Row[] = [];
      for (const page of [1, 2, 3, 4, 5]) {
        paged.push(...(await list(`shelfs?pagination[pageSize]=4&pagination[page]=${page}&fields=id&${sort}`)));
      }
      deepStrictEqual(paged, whole);
    });

    it('takes JSON, whose order is the engine’s', async () => {
      strictEqual((await list('shelfs?sort=books.meta,books.parts.book.meta:desc')).length, 15);
      strictEqual((await list('shelfs?sort=books.meta&filters[id][$gt]=0')).length, 15);
    });

    it('has a limit of lists', async () => {
      const keys = (count: number) => Array.from({ length: count }, () => 'books.author.title').join(',');
      strictEqual((await server.get(`/api/shelfs?sort=${keys(20)}`, server.secrets['full'])).status, 200);
      const lists = Array.from({ length: 11 }, () => 'books.shelves.title').join(',');
      const { status, body } = await server.get(`/api/shelfs?sort=${lists}`, server.secrets['full']);
      deepStrictEqual([status, body.error.message], [400, 'A request can sort through at most 20 lists of relations']);
    });
  });
}
