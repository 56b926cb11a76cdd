/** `filters`: docs/reference/query-parameters.md, "Filters"; docs/differences.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Library, serveLibrary } from '../../support/content/library.ts';
import { engines } from '../../support/databases/databases.ts';

/** Sentence, filters, titles in row order. */
const MATCHES: readonly [string, string, readonly string[]][] = [
  ['takes a bare value as $eq', 'filters[title]=Alpha', ['Alpha']],
  ['tells letter case apart in $eq', 'filters[title]=alpha', []],
  ['ignores letter case in $eqi', 'filters[title][$eqi]=aLPHA', ['Alpha']],
  ['does not match null rows with $ne', 'filters[views][$ne]=10', ['Beta', 'Gamma']],
  ['does not match null rows with $notIn', 'filters[views][$notIn]=10', ['Beta', 'Gamma']],
  ['does not match null rows with $not', 'filters[views][$not][$eq]=10', ['Beta', 'Gamma']],
  ['does not match null rows with a $not around', 'filters[$not][views]=10', ['Beta', 'Gamma']],
  ['does not match null rows with $notContains', 'filters[kind][$notContains]=new', ['Beta']],
  ['does not match null rows with $nei', 'filters[kind][$nei]=NEWS', ['Beta']],
  ['takes a value without = as null for $eq', 'filters[views]', ['Delta']],
  ['takes a value without = as not null for $ne', 'filters[views][$ne]', ['Alpha', 'Beta', 'Gamma']],
  ['matches nothing with a null operand of an order', 'filters[views][$gt]', []],
  ['inverts $null by a false text', 'filters[views][$null]=f', ['Alpha', 'Beta', 'Gamma']],
  ['inverts $null by an empty text', 'filters[views][$null]=', ['Alpha', 'Beta', 'Gamma']],
  ['takes other texts of $null as true', 'filters[views][$null]=yes', ['Delta']],
  ['inverts $notNull by 0', 'filters[views][$notNull]=0', ['Delta']],
  ['negates a $null', 'filters[$not][views][$null]=true', ['Alpha', 'Beta', 'Gamma']],
  [
    'includes both bounds of $between',
    'filters[views][$between][0]=2&filters[views][$between][1]=10',
    ['Alpha', 'Beta'],
  ],
  ['matches nothing between reversed bounds', 'filters[views][$between][0]=10&filters[views][$between][1]=2', []],
  ['does not split the value of $in at commas', 'filters[title][$in]=Alpha,Beta', []],
  ['matches any of a list under $eq', 'filters[title][0]=Alpha&filters[title][1]=Delta', ['Alpha', 'Delta']],
  [
    'matches any of a list even under $ne',
    'filters[views][$ne][0]=10&filters[views][$ne][1]=2',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['joins operators side by side', 'filters[views][$gt]=2&filters[views][$lt]=30', ['Alpha']],
  ['joins fields side by side', 'filters[title]=Alpha&filters[views]=2', []],
  [
    'nests groups freely',
    'filters[$or][0][$and][0][views]=2&filters[$or][0][$and][1][title]=Beta&filters[$or][1][views]=30',
    ['Beta', 'Gamma'],
  ],
  ['negates a group: not (a or b)', 'filters[$not][$or][0][views]=2&filters[$not][$or][1][views]=10', ['Gamma']],
  [
    'negates a group with unknowns: not (a and b)',
    'filters[$not][$and][0][title]=Delta&filters[$not][$and][1][views]=1',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['cancels a double negation', 'filters[$not][$not][views]=10', ['Alpha']],
  [
    'lists a document once however many related rows match',
    'filters[tags][weight][$gte]=1',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['wants one related row to meet all conditions of one object', 'filters[tags][name]=red&filters[tags][weight]=1', []],
  [
    'lets different related rows meet separate entries',
    'filters[$and][0][tags][name]=red&filters[$and][1][tags][name]=blue',
    ['Gamma'],
  ],
  [
    'takes $or inside a relation',
    'filters[author][$or][0][name]=Bob&filters[author][$or][1][age]=33',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['takes a negated to-many as: some row that differs', 'filters[tags][name][$ne]=red', ['Alpha', 'Beta', 'Gamma']],
  ['takes $not around a to-many as: no row that matches', 'filters[$not][tags][name]=red', ['Beta', 'Delta']],
  [
    'takes $not inside a to-many as: some row that differs',
    'filters[tags][$not][name]=green',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['takes $not of $ne around a to-many as: all rows match', 'filters[$not][tags][name][$ne]=green', ['Delta']],
  ['wants a value of every row of a negated to-many', 'filters[$not][author][articles][views]=30', ['Beta']],
  [
    'negates the null of a to-many: a row, and no row without the value',
    'filters[$not][tags][weight][$null]=true',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['negates that there is no related row', 'filters[$not][tags][$null]=true', ['Alpha', 'Beta', 'Gamma']],
  ['negates that there is a related row', 'filters[$not][tags][$notNull]=true', ['Delta']],
  [
    'negates a group through a to-many',
    'filters[$not][$or][0][tags][name]=red&filters[$not][$or][1][title]=Delta',
    ['Beta'],
  ],
  [
    'negates what one related row must meet',
    'filters[$not][tags][name]=red&filters[$not][tags][weight]=1',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
  ],
  [
    'negates what one related row meets',
    'filters[$not][tags][$and][0][name]=red&filters[$not][tags][$and][1][weight]=3',
    ['Beta', 'Delta'],
  ],
  ['negates twice through a to-many', 'filters[$not][$not][tags][name]=red', ['Alpha', 'Gamma']],
  ['asks with two negations that all rows match', 'filters[$not][tags][$not][weight][$gte]=2', ['Delta']],
  ['negates through relations of relations', 'filters[$not][tags][articles][title]=Beta', ['Delta']],
  ['negates within a step', 'filters[tags][$not][articles][title]=Beta', ['Alpha', 'Gamma']],
  [
    'negates in a disjunction',
    'filters[$or][0][$not][tags][name]=red&filters[$or][1][title]=Alpha',
    ['Alpha', 'Beta', 'Delta'],
  ],
  ['takes a value under $not as $eq', 'filters[title][$not]=Alpha', ['Beta', 'Gamma', 'Delta']],
  [
    'takes a list under $not as none of it',
    'filters[title][$not][0]=Alpha&filters[title][$not][1]=Beta',
    ['Gamma', 'Delta'],
  ],
  ['takes $not without a value as not null', 'filters[views][$not]', ['Alpha', 'Beta', 'Gamma']],
  ['negates right under a to-one', 'filters[author][$not][name]=Ann', ['Beta']],
  ['negates an operator right under a relation', 'filters[tags][$not][$null]=true', ['Alpha', 'Beta', 'Gamma']],
  [
    'takes filters and operators as entries of a group under a relation',
    'filters[author][$or][0][$null]=true&filters[author][$or][1][name]=Bob',
    ['Beta', 'Delta'],
  ],
  [
    'takes $or under a scalar',
    'filters[title][$or][0][$eq]=Alpha&filters[title][$or][1][$startsWith]=G',
    ['Alpha', 'Gamma'],
  ],
  [
    'takes $and under a scalar beside an operator',
    'filters[title][$and][0][$contains]=a&filters[title][$and][1][$not][$startsWith]=A&filters[title][$ne]=Gamma',
    ['Beta', 'Delta'],
  ],
  ['takes groups under JSON', 'filters[meta][$or][0][$null]=true&filters[views][$gt]=10', ['Gamma']],
  ['does not match a missing to-one with $not', 'filters[$not][author][name]=Ann', ['Beta']],
  ['counts a missing relation as null', 'filters[author][name][$null]=true', ['Delta']],
  ['negates the null of a missing relation', 'filters[$not][author][name][$null]=true', ['Alpha', 'Beta', 'Gamma']],
  ['tests that there is no related row', 'filters[tags][$null]=true', ['Delta']],
  ['tests that there is a related row', 'filters[tags][$notNull]=true', ['Alpha', 'Beta', 'Gamma']],
  [
    'tests the null of a related row with a neighbour that is none',
    'filters[tags][$null]=false',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  ['enters relations of relations', 'filters[author][country][code]=DE', ['Beta']],
  ['enters the inverse side and back', 'filters[author][articles][title]=Gamma', ['Alpha', 'Gamma']],
  ['compares a number that is written as a power', 'filters[views]=1e1', ['Alpha']],
  ['compares a number with spaces around', 'filters[views]= 10 ', ['Alpha']],
  ['compares an integer with a fraction', 'filters[views][$gt]=2.5', ['Alpha', 'Gamma']],
  ['compares an integer with a huge number', 'filters[views][$lt]=99999999999999999999', ['Alpha', 'Beta', 'Gamma']],
  [
    'compares an integer with a huge negative number',
    'filters[views][$gt]=-99999999999999999999',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  [
    'compares a row id with a number beyond all ids',
    'filters[id][$lt]=99999999999999999999',
    ['Alpha', 'Beta', 'Gamma', 'Delta'],
  ],
  ['compares a row id with a negative number', 'filters[id]=-1', []],
  ['looks for text in the digits of a number', 'filters[views][$contains]=0', ['Alpha', 'Gamma']],
  ['compares text by code point', 'filters[title][$lt]=a&filters[title][$gt]=B', ['Beta', 'Gamma', 'Delta']],
  [
    'takes labels for the numbers of a group',
    'filters[$or][a][title]=Alpha&filters[$or][b][author][name]=Bob',
    ['Alpha', 'Beta'],
  ],
  ['takes one label', 'filters[$and][only][title]=Alpha', ['Alpha']],
  ['takes labels beside numbers', 'filters[$or][0][title]=Alpha&filters[$or][b][title]=Beta', ['Alpha', 'Beta']],
  [
    'takes labels of a group inside a relation',
    'filters[author][$or][x][name]=Bob&filters[author][$or][y][age]=33',
    ['Alpha', 'Beta', 'Gamma'],
  ],
  [
    'takes labels of a group below an attribute',
    'filters[title][$or][x][$startsWith]=A&filters[title][$or][y][$endsWith]=lta',
    ['Alpha', 'Delta'],
  ],
  ['takes a negated group with labels', 'filters[$not][$or][a][views]=2&filters[$not][$or][b][views]=10', ['Gamma']],
  ['ignores a group without filters', 'filters[$or][]&filters[title]=Beta', ['Beta']],
  ['ignores an empty list', 'filters[]', ['Alpha', 'Beta', 'Gamma', 'Delta']],
  ['matches nothing with an empty list of $in', 'filters[title][$in][]', []],
  ['matches nothing with an empty list of numbers', 'filters[views][$in][]', []],
  ['matches nothing with an empty list of the official client', 'filters[title][$in][]=', []],
  ['matches nothing with an empty list of $notIn', 'filters[views][$notIn][]=', []],
  ['matches nothing with a list of an empty text, of numbers', 'filters[views][$in][]=', []],
  ['matches nothing with a list of an empty text, of row ids', 'filters[author][$in][]=', []],
  ['matches nothing with a list of an empty text, of booleans', 'filters[featured][$in][]=', []],
  ['matches nothing with a list of an empty text, of days', 'filters[day][$in][]=', []],
  ['passes over an empty text in a list of numbers', 'filters[views][$in][]=2&filters[views][$in][]=', ['Beta']],
  ['takes a list of one value for a flag', 'filters[views][$null][]=true', ['Delta']],
  ['ignores what has no value', 'filters', ['Alpha', 'Beta', 'Gamma', 'Delta']],
  ['never leaves the status by publishedAt', 'filters[publishedAt][$null]=true', []],
];

/** Sentence, filters on the authors' bio, names. */
const TEXTS: readonly [string, string, readonly string[]][] = [
  ['takes % literally', '[$contains]=0%25 p', ['Ann']],
  ['takes _ literally', '[$contains]=pure_gold', ['Ann']],
  ['takes \\ literally', '[$endsWith]=gold\\', ['Ann']],
  ['finds an empty text in every text', '[$contains]=', ['Ann', 'Bob', 'Cleo']],
  ['ends every text with the empty text', '[$endsWith]=', ['Ann', 'Bob', 'Cleo']],
  ['tells letter case apart in $contains', '[$contains]=PURE', []],
  ['ignores letter case in $containsi', '[$containsi]=PURE_', ['Ann']],
  ['tells letter case apart in $startsWith', '[$startsWith]=élan', []],
  ['folds letters beyond ASCII in $startsWithi', '[$startsWithi]=éLAN', ['Cleo']],
  ['takes a final sigma for a sigma in $endsWithi', '[$endsWithi]=σίσυφος', ['Cleo']],
  ['takes a final sigma for a sigma in $containsi', '[$containsi]=ΊΣΥΦΟσ', ['Cleo']],
  ['folds letters beyond ASCII in $notContainsi', '[$notContainsi]=éLAN', ['Ann', 'Bob']],
  ['does not find a text at the end that is longer', '[$endsWith]=x100%25 pure_gold\\', []],
];

/** Sentence, filters, key and path of the invalid key. */
const INVALID: readonly [string, string, string, string | null][] = [
  ['names an unknown key', '[nope]=1', 'nope', null],
  ['names the holder of an unknown key', '[author][nope]=1', 'nope', 'author'],
  ['leaves groups and indexes out of paths', '[$or][0][author][country][nope]=1', 'nope', 'author.country'],
  ['names an unknown operator', '[title][$foo]=1', '$foo', 'title'],
  ['takes operators by letter case', '[title][$EQ]=1', '$EQ', 'title'],
  ['refuses private attributes', '[hidden]=x', 'hidden', 'hidden'],
  ['refuses private attributes of related types', '[author][articles][hidden]=x', 'hidden', 'author.articles.hidden'],
  ['refuses passwords', '[secret]=x', 'secret', 'secret'],
  ['refuses creators', '[createdBy][id]=1', 'createdBy', 'createdBy'],
  ['refuses dynamic zones', '[zone][id]=1', 'zone', 'zone'],
  ['refuses the hidden fields of media', '[cover][folderPath]=/1', 'folderPath', 'cover.folderPath'],
  ['refuses the owners of media', '[cover][related][id]=1', 'related', 'cover.related'],
  ['refuses locale where a type is not localized', '[author][locale]=en', 'locale', 'author.locale'],
  ['refuses an operator at top level', '[$eq]=1', '$eq', null],
  ['refuses a key inside JSON', '[meta][a]=1', 'a', 'meta'],
  ['refuses names of the language itself', '[constructor]=1', 'constructor', null],
];

/** Sentence, filters: 400. */
const REFUSED: readonly [string, string][] = [
  ['a text', 'filters=x'],
  ['an empty text', 'filters='],
  ['a text for a number', 'filters[views]=abc'],
  ['an empty text for a number', 'filters[views]='],
  ['an infinite number', 'filters[views]=1e999'],
  ['a text for a row id', 'filters[id]=abc'],
  ['a fraction for a row id', 'filters[id]=1.5'],
  ['a text for a related row', 'filters[author]=abc'],
  ['a text that is no boolean', 'filters[featured]=yes'],
  ['a date that is none', 'filters[day]=2024-02-30'],
  ['a year that is in no calendar', 'filters[day]=0000-05-05'],
  ['a time without seconds', 'filters[hour]=08:30'],
  ['a moment that is none', 'filters[at]=yesterday'],
  ['$between with one value', 'filters[views][$between]=1'],
  ['$between with three values', 'filters[views][$between]=1&filters[views][$between]=2&filters[views][$between]=3'],
  ['$and that is no list', 'filters[$and][title]=x'],
  ['$or of texts', 'filters[$or][0]=x'],
  ['$or of texts with labels', 'filters[$or][a]=x'],
  ['names of attributes in the place of a list', 'filters[$or][title][$eq]=x&filters[$or][views][$eq]=1'],
  ['a relation in the place of a list', 'filters[$or][author][name]=x'],
  ['a hidden attribute in the place of a list', 'filters[$and][hidden][$eq]=x'],
  ['an operator in the place of a list', 'filters[$and][$or][0][title]=x'],
  ['an operator in the place of a list below an attribute', 'filters[title][$or][$not][$eq]=x'],
  ['a name that is unknown below a label', 'filters[$or][a][nope]=x'],
  ['a group with too many labels', Array.from({ length: 101 }, (_, n) => `filters[$or][a${n}][title]=x`).join('&')],
  ['an empty text in a list of $notIn', 'filters[views][$notIn][]=1&filters[views][$notIn][]='],
  ['$not of a text at the top', 'filters[$not]=x'],
  ['$not of a text for a related row', 'filters[author][$not]=x'],
  ['$not of a list', 'filters[$not][0][title]=x'],
  ['a list at the top', 'filters[0][title]=x'],
  ['a group of texts under a scalar', 'filters[title][$or][0]=x'],
  ['a name in a group under a scalar', 'filters[title][$or][0][title]=x'],
  ['two operators on one relation', 'filters[author][$gt]=1&filters[author][$lt]=9'],
  [
    'two operators on one relation, one with a list',
    'filters[author][$gt]=1&filters[author][$eq][0]=1&filters[author][$eq][1]=9',
  ],
  ['an operator and a field on one relation', 'filters[author][$gt]=1&filters[author][name]=x'],
  ['an operator that the reference has and hides', 'filters[meta][$jsonSupersetOf]=x'],
  ['a list with names', 'filters[title][$in][a]=x'],
  ['more values than a list holds', `filters[title][$in]=x${'&filters[title][$in]=x'.repeat(100)}`],
  ['a value in JSON', 'filters[meta]=1'],
];

/** Sentence, filters on an article of every type of value, whether they match. */
const SHOWN: readonly [string, string, boolean][] = [
  ['finds the date of a time as ISO 8601', '[at][$startsWith]=2024-05-06T', true],
  ['finds the milliseconds and the zone of a time', '[at][$endsWith]=:09.050Z', true],
  ['finds letters of a time in any case', '[at][$containsi]=06t07', true],
  ['does not find the stored form of a time', '[at][$contains]=17149', false],
  ['finds the words of a boolean', '[featured][$contains]=rue', true],
  ['finds the words of a boolean in any case', '[featured][$startsWithi]=TR', true],
  ['does not find the stored form of a boolean', '[featured][$contains]=1', false],
  ['does not contain another word than the boolean', '[featured][$notContains]=false', true],
  ['finds part of a date', '[day][$startsWith]=2024-05', true],
  ['finds the end of a date', '[day][$endsWith]=-06', true],
  ['finds the minutes of a time of day', '[hour][$contains]=:30:', true],
  ['finds the digits of a decimal', '[price][$startsWith]=10.5', true],
  ['finds the digits of a big integer', '[big][$endsWith]=740993', true],
  ['finds the digits of an integer', '[views][$contains]=23', true],
  ['finds the milliseconds of a time of the system', '[createdAt][$endsWith]=Z', true],
];

/** Doubles of every form that JavaScript writes them in, and prices that every engine keeps. */
const NUMBERS: readonly (readonly [rating: number, price: number])[] = [
  [2, 2],
  [100, 10.1],
  [0.1, 10.5],
  [-3.5, 20.05],
  [0, 0],
  [0.30000000000000004, 1000],
  [0.7999999999999999, -7.25],
  [1e15, 100],
  [123456789012345680, 99999999.99],
  [999999999999999900000, 0.01],
  [1e21, 110],
  [1.5e22, 210.1],
  [0.00001, -0.1],
  [0.000001, 30],
  [9.99e-7, 33],
  [1.1e-7, 3],
  [5e-324, 12.3],
];

type Match = (text: string, needle: string) => boolean;
const TEXT_TESTS: readonly [string, Match][] = [
  ['$contains', (text, needle) => text.includes(needle)],
  ['$startsWith', (text, needle) => text.startsWith(needle)],
  ['$endsWith', (text, needle) => text.endsWith(needle)],
];
/** Every operator for pieces of text; the needles of the `i` forms are in capitals. */
const TEXT_OPERATORS: readonly [string, Match][] = TEXT_TESTS.flatMap(([operator, matches]): [string, Match][] => {
  const negated = operator.replace('$c', '$notC');
  const both: [string, Match][] = [
    [operator, matches],
    [negated, (text, needle) => !matches(text, needle)],
  ];
  return both
    .filter(([name], index) => index === 0 || name !== operator)
    .flatMap(([name, test]): [string, Match][] => [
      [name, test],
      [`${name}i`, (text, needle) => test(text.toUpperCase(), needle.toUpperCase())],
    ]);
});

for (const engine of engines) {
  describe(`filters on ${engine.name}`, () => {
    let library: Library;
    const read = (query: string, as = 'full') => library.get(query, library.secrets[as]);

    before(async () => {
      library = await serveLibrary(engine);
    });
    after(() => library?.stop());

    for (const [sentence, query, expected] of MATCHES) {
      it(sentence, async () => deepStrictEqual(await library.titles(query), expected));
    }

    for (const [sentence, condition, expected] of TEXTS) {
      it(sentence, async () => {
        const { body } = await read(`/api/authors?filters[bio]${condition}`);
        deepStrictEqual(
          body.data?.map((author: { name: string }) => author.name),
          expected,
          JSON.stringify(body),
        );
      });
    }

    it('searches numbers and times as answers show them', async () => {
      const data = {
        title: 'Values',
        at: '2024-05-06T07:08:09.050Z',
        featured: true,
        day: '2024-05-06',
        hour: '10:30:00.000',
        price: 10.5,
        big: '9007199254740993',
        views: 1234,
      };
      const id = await library.seeder.create('api::article.article', data);
      for (const [sentence, condition, matches] of SHOWN) {
        const titles = await library.titles(`filters[title]=Values&filters${condition}`);
        deepStrictEqual(titles, matches ? ['Values'] : [], sentence);
      }
      const { body } = await read(`/api/articles/${id}`);
      const { at, day, hour, big, views } = body.data;
      for (const [name, value] of Object.entries({ at, day, hour, big, views })) {
        for (const operator of ['$startsWith', '$endsWith', '$contains', '$containsi']) {
          const titles = await library.titles(`filters[title]=Values&filters[${name}][${operator}]=${value}`);
          deepStrictEqual(titles, ['Values'], `${name} ${operator} ${value}`);
        }
      }
      await library.seeder.remove(id);
    });

    it('compares the shortest form of a number, as JSON clients show it', async () => {
      const ids: string[] = [];
      const tag = library.ids['blue'];
      for (const [rating, price] of NUMBERS) {
        const data = { title: 'Number', rating, price, views: null, tags: [tag] };
        ids.push(await library.seeder.create('api::article.article', data));
      }
      const { body } = await read('/api/articles?filters[title]=Number&pagination[pageSize]=100');
      const shown: { documentId: string; rating: number; price: number }[] = body.data;
      const listed = async (query: string) => {
        const answer = await read(`/api/articles?fields=title&filters[title]=Number&pagination[pageSize]=100&${query}`);
        return answer.body.data.map(({ documentId }: { documentId: string }) => documentId);
      };
      for (const field of ['rating', 'price'] as const) {
        for (const [operator, matches] of TEXT_OPERATORS) {
          for (const needle of ['0', '.0', '00', '1', '10', 'e+', 'E', '-', '0.1', '999', '5', '2', '']) {
            const expected = shown.filter((one) => matches(String(one[field]), needle));
            deepStrictEqual(
              await listed(`filters[${field}][${operator}]=${encodeURIComponent(needle)}`),
              expected.map(({ documentId }) => documentId),
              `${field} ${operator} ${needle}`,
            );
          }
        }
      }
      for (const term of ['0', '.0', '00', '10', '1e21', '05']) {
        const expected = shown.filter((one) => [one.rating, one.price].some((value) => String(value).includes(term)));
        const found = await listed(`_q=${term}`);
        deepStrictEqual(
          found,
          expected.map(({ documentId }) => documentId),
          `_q ${term}`,
        );
      }
      const through = await read('/api/tags?filters[articles][title]=Number&filters[articles][rating][$endsWith]=100');
      deepStrictEqual(
        through.body.data.map(({ name }: { name: string }) => name),
        ['blue'],
      );
      const none = await read('/api/tags?filters[articles][title]=Number&filters[articles][rating][$endsWith]=.0');
      deepStrictEqual(none.body.data, []);
      for (const id of ids) await library.seeder.remove(id);
    });

    for (const [sentence, condition, key, path] of INVALID) {
      it(sentence, async () => {
        const { status, body } = await read(`/api/articles?filters${condition}`);
        strictEqual(status, 400);
        const { hint: _, ...details } = body.error.details;
        deepStrictEqual(details, { key, path, source: 'query', param: 'filters' });
      });
    }

    for (const [sentence, query] of REFUSED) {
      it(`refuses ${sentence}`, async () => {
        const { status, body } = await read(`/api/articles?${query}`);
        deepStrictEqual([status, body.error.name], [400, 'ValidationError']);
      });
    }

    it('counts a document once however many related rows match', async () => {
      const { body } = await read('/api/articles?fields=title&filters[tags][weight][$gte]=1&pagination[pageSize]=1');
      strictEqual(body.meta.pagination.total, 3);
    });

    it('tests related rows by their row ids', async () => {
      const ann = library.seeder.rowId(library.ids['Ann']!);
      deepStrictEqual(await library.titles(`filters[author]=${ann}`), ['Alpha', 'Gamma']);
      deepStrictEqual(await library.titles(`filters[author][$ne]=${ann}`), ['Beta']);
      deepStrictEqual(await library.titles(`filters[author][$in][0]=${ann}&filters[author][$in][1]=0`), [
        'Alpha',
        'Gamma',
      ]);
    });

    it('acts on single reads: no match is a 404', async () => {
      const one = `/api/articles/${library.ids['Alpha']}`;
      strictEqual((await read(`${one}?filters[views]=10`)).status, 200);
      strictEqual((await read(`${one}?filters[views]=11`)).status, 404);
      strictEqual((await read(`${one}?filters[nope]=11`)).status, 400);
      strictEqual((await read('/api/articles/nosuchdocument?filters[nope]=11')).status, 400);
    });

    it('hints at the nearest valid name and never at a hidden one', async () => {
      const near = await read('/api/articles?filters[titel]=x');
      strictEqual(near.body.error.details.hint, 'did you mean title?');
      for (const name of ['hiden', 'hidde', 'secre', 'createdB', 'updatedB']) {
        const { text } = await read(`/api/articles?filters[${name}]=x`);
        strictEqual(/hidden|secret|createdBy|updatedBy/.test(text), false, text);
      }
      match((await read('/api/articles?filters[title][$equals]=x')).text, /Invalid key \$equals at title/);
    });
  });
}
