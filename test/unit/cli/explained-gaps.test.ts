/** Missing indexes of a read, from its plan and the engine's plan. */
import { describe } from 'node:test';
import { missing, searchingOf } from '../../../src/db/explain/missing.ts';
import { adviseIndexes } from '../../../src/plan/index-advice.ts';
import { planIndexSearch } from '../../../src/plan/search.ts';
import { layout, planText } from '../../support/queries/planned.ts';
import { table } from '../../support/tables.ts';

/**
 * `article?sort=views scan articles=50000 sort articles`: what the engine reads and sorts, with numbers of rows where it
 * says any. Every table has a million rows. `total=9`, `rows=9` and `offset=9` are what was found; pages have 25 rows.
 * `searched`: articles have a search index of their titles and bodies. `indexed`: articles have an index on locale, views and id. `named`, `ordered`: authors have one on name and id, `ordered` by code point. `collated`: the engine has indexes of text in another order as well.
 */
const gaps = (text: string): string => {
  const [query = '', ...words] = text.split(' ');
  const { plan, kinds, values } = planText(query, { locales: ['en'], count: words.includes('counted') });
  const handled = (kind: string) =>
    words.flatMap((word, n) => {
      if (words[n - 1] !== kind) return [];
      const [name = '', rows] = word.split('=');
      return [{ table: name, rows: rows === undefined ? undefined : Number(rows) }];
    });
  const number = (name: string) => {
    const word = words.find((one) => one.startsWith(`${name}=`));
    return word === undefined ? undefined : Number(word.slice(name.length + 1));
  };
  const sizes = new Map(['articles', 'authors', 'tags'].map((name) => [name, 1_000_000]));
  const collation = words.includes('collated') ? '"C"' : undefined;
  const engine = { scans: handled('scan'), sorts: handled('sort'), sizes, collation };
  const page = { limit: 25, offset: number('offset') ?? 0 };
  const index = { name: 'by_views', columns: ['locale', 'views', 'id'], unique: false };
  const articles = {
    name: 'articles',
    columns: [],
    indexes: words.includes('indexed') ? [index] : [],
    keepsTotals: false,
  };
  const byName = {
    name: 'by_name',
    columns: ['name', 'id'],
    unique: false,
    ...(words.includes('ordered') ? { ordered: ['name'] } : {}),
  };
  const hasNames = words.includes('named') || words.includes('ordered');
  const authors = { name: 'authors', columns: [], indexes: hasNames ? [byName] : [], keepsTotals: false };
  const found = {
    existing: new Map([
      ['articles', articles],
      ['authors', authors],
    ]),
    rows: number('rows') ?? 25,
    total: number('total'),
    page,
  };
  const slots = [...kinds.keys()];
  const searching = searchingOf(
    layout.tables.find(({ name }) => name === plan.table)!,
    new Set(words.includes('searched') ? ['body', 'title'] : []),
    { plan, parameters: slots.map((slot) => ({ slot, kind: kinds.get(slot)! })) },
    { values: slots.map((slot) => values[slot] as string) },
    { ask: (piece) => (piece.length < 3 ? undefined : piece) },
  );
  const indexes = { version: 1, of: () => [{ name: 'by_text', table: 'articles', columns: [...searching.searched] }] };
  const isSearched = searching.searched.size > 0 && searching.tooShort.length === 0;
  const search = isSearched ? planIndexSearch(plan.where, plan.table, indexes, new Map()) : undefined;
  const asked = { ...plan, search };
  return missing({ plan: asked, advice: adviseIndexes(layout, asked), searching, engine, ...found }).join(' | ');
};

const SORTED = 'no index serves the order by views';
const BY_VIEWS = '(index on articles: locale, views, id, of published rows)';

describe('the missing part of a read', () => {
  table('is nothing where the engine uses an index, or tables are small', gaps, [
    ['article?sort=views', ''],
    ['article?filters[views]=1', ''],
    ['article?sort=views sort articles=9999', ''],
    ['article?filters[views]=1 scan articles=9999', ''],
    ['article scan articles', ''],
  ]);

  table('is an index for an order', gaps, [
    ['article?sort=views sort articles=50000', `${SORTED}: 50,000 rows of articles are sorted ${BY_VIEWS}`],
    ['article?sort=views sort articles scan articles', `${SORTED}: 1,000,000 rows of articles are sorted ${BY_VIEWS}`],
    ['article?sort=views sort articles', `${SORTED}: up to 1,000,000 rows of articles are sorted ${BY_VIEWS}`],
    ['article?sort=views sort articles rows=3', ''],
    [
      'article?sort=views sort articles counted total=20000',
      `${SORTED}: 20,000 rows of articles are sorted ${BY_VIEWS} | the total counts 20,000 rows: ask without it (pagination[withCount]=false)`,
    ],
    ['article?sort=views sort tags=50000', ''],
    [
      'article?filters[views]=1&sort=title:desc sort articles=50000 collated',
      'no index serves the order by title: 50,000 rows of articles are sorted (index on articles: locale, views, title collate "C" desc, id, of published rows)',
    ],
  ]);

  table('names an index that finds rows if the engine reads to the end', gaps, [
    [
      'article?filters[views]=1 scan articles rows=3',
      `no index finds articles by views: 1,000,000 rows are read ${BY_VIEWS}`,
    ],
    ['article?filters[views]=1 scan articles', ''],
    [
      'article?filters[views]=1 scan articles=30000',
      `no index finds articles by views: 30,000 rows are read ${BY_VIEWS}`,
    ],
    [
      'article?filters[views]=1 scan articles=30000 indexed',
      'the database does not use the index by_views to find articles by views: 30,000 rows are read',
    ],
    [
      'article?filters[price]=1 scan articles=30000 indexed',
      'no index finds articles by price: 30,000 rows are read (index on articles: locale, price, id, of published rows)',
    ],
    [
      'article?filters[author][name]=a scan authors rows=3',
      'no index finds authors by name: 1,000,000 rows are read (index on authors: name, id)',
    ],
    [
      'author?filters[name]=a scan authors=30000 named collated',
      'the database does not use the index by_name to find authors by name: 30,000 rows are read',
    ],
    [
      'author?filters[name]=a scan authors=30000 ordered collated',
      'no index finds authors by name: 30,000 rows are read (index on authors: name, id)',
    ],
    [
      'author?filters[name][$gt]=a scan authors=30000 named collated counted',
      'no index finds authors by name: 30,000 rows are read (index on authors: name collate "C", id)',
    ],
  ]);

  table('names conditions that no index serves', gaps, [
    [
      'article?filters[title][$eqi]=a scan articles rows=0',
      'comparing title without case reads every one: 1,000,000 rows of articles; $eq can use an index',
    ],
    [
      'article?filters[title][$ne]=a scan articles rows=0',
      'a filter that excludes values of title is tested on each row: 1,000,000 rows of articles',
    ],
    [
      'article?filters[$or][0][title]=a&filters[$or][1][views]=1 scan articles rows=0',
      'alternatives on title, views are tested on each row: 1,000,000 rows of articles',
    ],
    [
      'article?filters[author][$null]=true scan articles rows=0',
      'the filter on related authors is tested on each row: 1,000,000 rows of articles',
    ],
    [
      'article?filters[body]=a scan articles rows=0',
      'body may be too long for an index, and is compared on each row: 1,000,000 rows of articles',
    ],
    [
      'article?status=draft&publicationFilter=modified scan articles rows=0',
      'publicationFilter compares each row with the other version of its document: 1,000,000 rows of articles',
    ],
    [
      'article?sort=author.name sort articles=50000',
      'the order by name goes through a relation to authors: 50,000 rows are sorted',
    ],
    [
      'article?sort=views,price,big,day,featured sort articles=50000',
      'the order by views, price, big, day, featured has more keys than an index should have: 50,000 rows are sorted',
    ],
  ]);

  const every = (names: string) => `a search for a piece of text reads every ${names}: 1,000,000 rows of articles`;
  const short = (piece: string) =>
    `; a search index cannot look up "${piece}": an index needs three letters or digits in a row`;
  table('names a search index, or the reason why none would help', gaps, [
    [
      'article?filters[title][$contains]=abc scan articles rows=0',
      `${every('title')} (search index on articles: title)`,
    ],
    ['article?filters[title][$contains]=abc', ''],
    ['article?_q=abc scan articles rows=0', `${every('title, body')} (search index on articles: title, body)`],
    ['article?filters[title][$contains]=ab scan articles rows=0', `${every('title')}${short('ab')}`],
    ['article?filters[title][$contains]=ab scan articles rows=0 searched', `${every('title')}${short('ab')}`],
    ['article?_q=ab scan articles rows=0 searched', `${every('title, body')}${short('ab')}`],
    [
      'article?filters[title][$contains]=abc&filters[body][$contains]=ab scan articles rows=0',
      `${every('title')}${short('ab')} | ${every('body')}${short('ab')}`,
    ],
    [
      'article?_q=98765432 scan articles rows=0',
      `${every('title, body, views, big, price')}; no search index serves it, as views, big, price are not text`,
    ],
    [
      'article?filters[views][$contains]=123 scan articles rows=0',
      `${every('views')}; no search index serves it, as views is not text`,
    ],
    [
      'article?filters[tags][name][$contains]=abc scan tags rows=0',
      'a search for a piece of text reads every name: 1,000,000 rows of tags; search indexes do not serve conditions on related rows',
    ],
    [
      'article?filters[author][articles][title][$contains]=abc scan articles rows=0',
      `${every('title')}; search indexes do not serve conditions on related rows`,
    ],
  ]);

  const looked = 'many articles match the search in title, with or without a search index';
  table('names a search that reads many rows although it has an index', gaps, [
    ['article?filters[title][$contains]=abc scan articles rows=0 searched', ''],
    ['article?filters[title][$contains]=abc scan articles=300 rows=0 searched', ''],
    [
      'article?filters[title][$contains]=abc scan articles=30000 rows=0 searched',
      `${looked}: 30,000 rows of articles are read`,
    ],
  ]);

  table('names deep pages', gaps, [
    ['article offset=40000', 'the page comes after 40,000 rows, which the database skips one by one'],
    ['article offset=9999', ''],
  ]);
});
