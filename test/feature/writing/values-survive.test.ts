/** Values of columns are returned as they were stored, and can be found by their value, on both engines. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const UID = 'api::article.article';

/** Texts as JSON values, and as SQLite keeps them: bare, as Strapi reads them, unless they would be another value. */
const JSON_STRINGS: readonly (readonly [text: string, stored: string])[] = [
  ['', ''],
  [' ', ' '],
  ['text', 'text'],
  ["it's", "it's"],
  ['2026-11-24', '2026-11-24'],
  ['5 km', '5 km'],
  ['0x10', '0x10'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['{a:1}', '{a:1}'],
  ['"', '"'],
  ['"quoted"', String.raw`"\"quoted\""`],
  ['{"a":1}', String.raw`"{\"a\":1}"`],
  ['5', '"5"'],
  ['5.', '"5."'],
  ['.5', '".5"'],
  ['+5', '"+5"'],
  ['-.5e-3', '"-.5e-3"'],
  [' 5 ', '" 5 "'],
  ['\v5\f', String.raw`"\u000b5\f"`],
  ['1e3', '"1e3"'],
  ['+9e999', '"+9e999"'],
  ['true', '"true"'],
  [' null', '" null"'],
];

/** Attribute, values that come out as they are. */
const KEPT: readonly [string, readonly unknown[]][] = [
  [
    'rating',
    [0, -0.1, 0.1, 1.5, 0.30000000000000004, 1 / 3, 123456789.12345679, 1e21, 5e-7, 2 ** 53, -1.7976931348623157e308],
  ],
  ['views', [0, -1, 2147483647, -2147483648]],
  ['big', ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808']],
  ['price', [0, 10.25, -3.5, 99999999.99]],
  ['featured', [true, false]],
  ['day', ['2024-02-29', '0001-01-01', '9999-12-31']],
  [
    'at',
    [
      '2024-01-05T10:00:00.001Z',
      '1969-12-31T23:59:59.999Z',
      '2262-04-12T00:00:00.700Z',
      '9999-12-31T23:59:59.999Z',
      '0001-01-01T00:00:00.000Z',
    ],
  ],
  [
    'meta',
    [
      { a: [1, { b: null }], '}': '{' },
      [],
      [[]],
      {},
      'text',
      '',
      '"',
      '{"a":1}',
      ...JSON_STRINGS.map(([value]) => value),
      0,
      -1.5,
      true,
      false,
      '\u2028',
      'ünï\u{1f600}',
    ],
  ],
  ['blocks', [[{ type: 'paragraph', children: [{ type: 'text', text: 'a "quoted" \\ text}' }] }]]],
];

const TEXTS = [
  '',
  ' ',
  'a',
  "it's",
  '"quoted"',
  '\\',
  '\\"',
  '{}',
  '}',
  ']',
  ',',
  'null',
  'true',
  '1',
  'tab\tline\nreturn\rfeed\f',
  '\u0001\u001f\u007f',
  '\u2028\u2029',
  'é',
  'e\u0301',
  'ß',
  'İıſ',
  '日本語',
  '\u{1f468}\u200d\u{1f469}',
  '\u{10ffff}',
  '\ufeff',
  '\u202eabc',
  '%_\\',
  "'; drop table articles; --",
];

for (const engine of engines) {
  describe(`values on ${engine.name}`, () => {
    let server: SeededServer;
    const read = (target: string) => server.get(target, server.secrets['full']);
    const one = async (documentId: string) => (await read(`/api/articles/${documentId}`)).body.data;

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    for (const [attribute, values] of KEPT) {
      it(`keeps every ${attribute}`, async () => {
        for (const value of values) {
          const documentId = await server.seeder.create(UID, { title: 't', [attribute]: value });
          deepStrictEqual((await one(documentId))[attribute], value);
          await server.seeder.remove(documentId);
        }
      });
    }

    it('writes JSON strings in a form that Strapi reads as the same text', async () => {
      const articles = server.app.documents(UID);
      for (const [value, bare] of JSON_STRINGS) {
        const { documentId } = (await articles.create({ data: { title: 't', meta: value } })) as { documentId: string };
        const [kept] = await server.app.database.rows(
          `select "meta" from "articles" where "document_id" = '${documentId}'`,
          [],
        );
        // PostgreSQL has a type of its own for JSON
        deepStrictEqual(kept, [engine.name === 'sqlite' ? bare : JSON.stringify(value)]);
        deepStrictEqual((await articles.findOne({ documentId }))!['meta'], value);
        await articles.delete({ documentId });
      }
    });

    for (const [attribute, values] of KEPT) {
      if (attribute === 'meta' || attribute === 'blocks') continue;
      it(`finds every ${attribute} by its value, and by no neighbour's`, async () => {
        const ids = [];
        for (const value of values) ids.push(await server.seeder.create(UID, { title: 't', [attribute]: value }));
        for (const [index, value] of values.entries()) {
          const query = `filters[${attribute}]=${encodeURIComponent(String(value))}&fields=title`;
          const found = (await read(`/api/articles?${query}`)).body.data;
          deepStrictEqual(
            found?.map((article: { documentId: string }) => article.documentId),
            [ids[index]],
            query,
          );
        }
        for (const id of ids) await server.seeder.remove(id);
      });
    }

    it('keeps every text, and finds it by its value', async () => {
      const ids = [];
      for (const title of TEXTS)
        ids.push(await server.seeder.create(UID, { title, zone: [{ __component: 'blocks.quote', text: title }] }));
      for (const [index, title] of TEXTS.entries()) {
        const query = `filters[title]=${encodeURIComponent(title)}&populate=zone`;
        const { body } = await read(`/api/articles?${query}`);
        deepStrictEqual(
          body.data.map((article: { documentId: string }) => article.documentId),
          [ids[index]],
          JSON.stringify(title),
        );
        strictEqual(body.data[0].title, title);
        strictEqual(body.data[0].zone[0].text, title);
      }
      for (const id of ids) await server.seeder.remove(id);
    });

    it('preserves long values in answers, in the document service and through publication', async () => {
      const { documents } = server.app;
      for (const length of [16_000, 16_383, 16_384, 100_000, 400_000]) {
        for (const character of ['a', 'é', '日', '\u{1f600}']) {
          const body = character.repeat(Math.floor(length / character.length));
          const meta = { long: [body, { '}': '"' }] };
          const { documentId } = await documents(UID).create({ data: { title: 't', body, meta } });
          const draft = await documents(UID).findOne({ documentId });
          deepStrictEqual([draft!['body'], draft!['meta']], [body, meta]);
          await documents(UID).publish({ documentId });
          const published = await one(documentId);
          deepStrictEqual([published.body, published.meta], [body, meta]);
          const listed = (await read(`/api/articles?filters[documentId]=${documentId}`)).body.data[0];
          deepStrictEqual([listed.body, listed.meta], [body, meta]);
          await documents(UID).delete({ documentId });
        }
      }
    });

    it('orders text by code point, beyond the first plane as well', async () => {
      const titles = ['Z', 'a', 'Ä', 'é', 'z', '\uffee', '\u{1f600}'];
      const ids = [];
      for (const title of titles) ids.push(await server.seeder.create(UID, { title }));
      const { body } = await read('/api/articles?sort=title&fields=title');
      deepStrictEqual(
        body.data.map((article: { title: string }) => article.title),
        ['Z', 'a', 'z', 'Ä', 'é', '\uffee', '\u{1f600}'],
      );
      const above = await read('/api/articles?filters[title][$gt]=z&fields=title');
      strictEqual(above.body.data.length, 4);
      const between = await read(
        '/api/articles?filters[title][$between][0]=a&filters[title][$between][1]=z&fields=title',
      );
      strictEqual(between.body.data.length, 2);
      for (const id of ids) await server.seeder.remove(id);
    });

    it('writes times as the engine holds them, and compares them by value', async () => {
      const ids = [];
      for (const hour of ['10:00:00', '10:00:00.7', '23:59:59.999'])
        ids.push(await server.seeder.create(UID, { title: 't', hour }));
      const hours = (await read('/api/articles?fields=hour')).body.data.map(
        (article: { hour: string }) => article.hour,
      );
      deepStrictEqual(
        hours,
        engine.name === 'sqlite'
          ? ['10:00:00.000', '10:00:00.700', '23:59:59.999']
          : ['10:00:00', '10:00:00.7', '23:59:59.999'],
      );
      for (const [query, count] of [
        ['=10:00:00', 1],
        ['=10:00:00.700', 1],
        ['=10:00:00.70', 1],
        ['[$gt]=10:00:00.69', 2],
        ['[$in][0]=10:00:00.000&filters[hour][$in][1]=23:59:59.999', 2],
      ] as const) {
        strictEqual((await read(`/api/articles?filters[hour]${query}`)).body.data.length, count, query);
      }
      for (const id of ids) await server.seeder.remove(id);
    });

    it('compares moments in every form of them', async () => {
      const documentId = await server.seeder.create(UID, {
        title: 't',
        at: '2024-01-05T10:00:00.000Z',
        day: '2024-01-05',
      });
      const at = Date.UTC(2024, 0, 5, 10);
      for (const text of [
        '2024-01-05T10:00:00.000Z',
        '2024-01-05T10:00Z',
        '2024-01-05T11:00:00%2B01:00',
        '2024-01-05T10:00:00',
        `${at}`,
      ]) {
        strictEqual((await read(`/api/articles?filters[at]=${text}`)).body.data.length, 1, text);
      }
      for (const query of [
        'filters[at][$gt]=2024-01-05',
        'filters[day]=2024-01-05T23:30:00.000Z',
        'filters[day][$lt]=2024-01-06',
      ]) {
        strictEqual((await read(`/api/articles?${query}`)).body.data.length, 1, query);
      }
      strictEqual((await read('/api/articles?filters[at]=2024-01-05')).body.data.length, 0);
      for (const text of [
        '8640000000000001',
        '2024-13-01',
        '2024-01-05T25:00:00Z',
        '99999-01-01',
        '0000-01-01',
        '-62167219200001',
      ]) {
        strictEqual((await read(`/api/articles?filters[at]=${text}`)).status, 400, text);
      }
      await server.seeder.remove(documentId);
    });

    it('returns a bare string that another program stored in a JSON column as text', async (t) => {
      if (engine.name !== 'sqlite') return t.skip('the column takes JSON alone');
      const documentId = await server.seeder.create(UID, { title: 't', meta: 1, views: 2 });
      await server.seeder.sql(`update articles set meta = 'not "json" }'`);
      const data = await one(documentId);
      deepStrictEqual([data.meta, data.views], ['not "json" }', 2]);
      await server.seeder.remove(documentId);
    });

    it('distinguishes null documents from absent ones in filters', async () => {
      const ids = [
        await server.seeder.create(UID, { title: 'a', meta: { a: 1 } }),
        await server.seeder.create(UID, { title: 'b' }),
      ];
      const titles = async (query: string) =>
        (await read(`/api/articles?${query}`)).body.data.map((article: { title: string }) => article.title);
      deepStrictEqual(await titles('filters[meta][$null]=true'), ['b']);
      deepStrictEqual(await titles('filters[meta][$notNull]=true'), ['a']);
      deepStrictEqual(await titles('filters[meta]'), ['b']);
      for (const id of ids) await server.seeder.remove(id);
    });
  });
}
