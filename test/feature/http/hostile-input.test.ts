/**
 * Input that means harm, or nothing: every answer is a refusal in the envelope, or 200 where the text is a legal value;
 * never a 5xx, never a server that is gone or grows.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ConformanceServer, serveConformance } from '../../support/conformance/conformance.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, jsonOf } from '../../support/servers/project.ts';
import { rawRequest } from '../../support/servers/raw-http.ts';

after(() => agent.destroy());

const SQL = [
  "'",
  '"',
  "' or 1=1 --",
  '" or ""="',
  "'; drop table authors; --",
  'name"; drop table "authors"; --',
  '1) union select password from up_users --',
  '$1',
  '?',
  ':a',
  '\\',
  '%',
  '_',
  "x'00'",
  '/*',
  '`',
];
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'then', ''];
const NUMBERS = [
  '-1',
  '0',
  '-0',
  '1e309',
  '-1e309',
  'NaN',
  'Infinity',
  '0x10',
  '1e-400',
  '1.5',
  '9'.repeat(30),
  '9'.repeat(400),
  '+1',
  ' 1 ',
  '1_000',
  '',
  'null',
  '٣',
];

const repeated = (count: number, item: (index: number) => string, separator = '&') =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator);
const e = encodeURIComponent;

/** Text positions of a query string, by what they are called. */
const NAME_PLACES: Readonly<Record<string, (name: string) => string>> = {
  parameter: (name) => `${e(name)}=1`,
  'filter field': (name) => `filters[${e(name)}]=1`,
  operator: (name) => `filters[name][${e(name)}]=1`,
  'nested filter': (name) => `filters[articles][${e(name)}][$eq]=1`,
  group: (name) => `filters[$and][0][${e(name)}]=1`,
  'group index': (name) => `filters[$or][${e(name)}][name]=1`,
  sort: (name) => `sort=${e(name)}`,
  'sort order': (name) => `sort=name:${e(name)}`,
  'sort key': (name) => `sort[${e(name)}]=asc`,
  'sort path': (name) => `sort=articles.${e(name)}`,
  field: (name) => `fields=${e(name)}`,
  'field entry': (name) => `fields[${e(name)}]=name`,
  populate: (name) => `populate=${e(name)}`,
  'populate key': (name) => `populate[${e(name)}]=true`,
  'populate path': (name) => `populate=articles.${e(name)}`,
  'populate option': (name) => `populate[articles][${e(name)}]=1`,
  'populated field': (name) => `populate[articles][fields]=${e(name)}`,
  'populated filter': (name) => `populate[articles][filters][${e(name)}]=1`,
  'zone type': (name) => `populate[articles][populate][zone][on][${e(name)}][fields]=text`,
  page: (name) => `pagination[${e(name)}]=1`,
};

const VALUE_PLACES: Readonly<Record<string, (value: string) => string>> = {
  equal: (value) => `filters[name]=${e(value)}`,
  contains: (value) => `filters[name][$contains]=${e(value)}`,
  'contains in any case': (value) => `filters[name][$containsi]=${e(value)}`,
  list: (value) => `filters[name][$in][]=${e(value)}`,
  between: (value) => `filters[name][$between][]=${e(value)}&filters[name][$between][]=${e(value)}`,
  number: (value) => `filters[age][$gt]=${e(value)}`,
  id: (value) => `filters[id]=${e(value)}`,
  time: (value) => `filters[createdAt][$lt]=${e(value)}`,
  null: (value) => `filters[name][$null]=${e(value)}`,
  'related number': (value) => `filters[articles][views]=${e(value)}`,
  'related date': (value) => `filters[articles][day]=${e(value)}`,
  'related big number': (value) => `filters[articles][big]=${e(value)}`,
  search: (value) => `_q=${e(value)}`,
  locale: (value) => `locale=${e(value)}`,
  status: (value) => `status=${e(value)}`,
  cohort: (value) => `publicationFilter=${e(value)}`,
  'page number': (value) => `pagination[page]=${e(value)}`,
  'page size': (value) => `pagination[pageSize]=${e(value)}`,
  start: (value) => `pagination[start]=${e(value)}`,
  limit: (value) => `pagination[limit]=${e(value)}`,
  count: (value) => `pagination[withCount]=${e(value)}`,
};

/** The longest target that is read to its end before it is answered. */
const READ_WHOLE = 16_000;
const agent = new Agent({ keepAlive: true });

/**
 * One request. Those that are all read go over one connection: `fetch` opens one for each, once the server has closed one
 * while the next request was on its way, which is several times the work.
 */
async function ask(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | undefined },
): Promise<{ status: number; text: string }> {
  const options = { method, headers, ...(body === undefined ? {} : { body }) };
  if (url.length > READ_WHOLE) {
    const response = await fetch(url, options);
    return { status: response.status, text: await response.text() };
  }
  const answer = await rawRequest(url, { ...options, agent });
  return { status: answer.status, text: answer.body.toString() };
}

const LISTS = ['/api/authors', '/api/articles', '/api/users', '/api/upload/files', '/api/upload/files/page'];

for (const engine of engines) {
  describe(`hostile input on ${engine.name}`, () => {
    let conformance: ConformanceServer;
    let token = '';
    before(async () => {
      conformance = await serveConformance(engine);
      token = JSON.parse(await readFile(conformance.tokensFile, 'utf8')).full;
      await conformance.server.request('POST', '/api/authors', { token, body: { data: { name: 'Ann', age: 3 } } });
    });
    after(() => conformance?.server.stop());

    /** Sends a target as it is written, and checks the form of the answer. */
    async function send(target: string, method = 'GET', body?: string): Promise<Pick<Answer, 'status' | 'body'>> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const { status, text } = await ask(conformance.server.url + target, { method, headers, body });
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
      const answer = jsonOf(text) as any;
      const shown = `${method} ${target.slice(0, 200)} → ${status} ${JSON.stringify(answer)?.slice(0, 200)}`;
      ok(status === 200 || (status >= 400 && status < 500), shown);
      if (status !== 200) {
        deepStrictEqual([answer.data, answer.error.status], [null, status], shown);
        ok(answer.error.message.length > 0 && answer.error.message.length < 20_000, shown);
      }
      return { status, body: answer };
    }

    const refused = async (target: string, status: number, message?: RegExp): Promise<void> => {
      const answer = await send(target);
      strictEqual(answer.status, status, `${target.slice(0, 120)} ${JSON.stringify(answer.body).slice(0, 200)}`);
      if (message) match(answer.body.error.message, message);
    };

    it('brackets that do not match are refused', async () => {
      for (const query of [
        'filters[name=1',
        'filters]name[=1',
        'filters[[name]]=1',
        '[=1',
        ']=1',
        'sort[=name',
        'populate[[[[=1',
      ]) {
        await refused(`/api/authors?${query}`, 400);
      }
      await send('/api/authors?=&&&==&a&[]=1');
    });

    it('more keys, entries and characters than a request may have are refused', async () => {
      await refused(`/api/authors?filters${'[a]'.repeat(5000)}=1`, 400);
      await refused(`/api/authors?filters${'[a]'.repeat(10_000)}=1`, 431);
      await refused(`/api/authors?${repeated(1500, (index) => `a${index}=1`)}`, 400, /at most 1000 parameters/);
      await refused(`/api/authors?${repeated(700, (index) => `fields[]=${index}`)}`, 400, /at most 100 entries/);
      await refused(`/api/authors?filters[id][$in]=${repeated(10_000, String, ',')}`, 431);
      await refused(`/api/authors?filters[id][$in][100000000]=1`, 400);
      await refused(`/api/authors?${'x'.repeat(1_000_000)}`, 431);
    });

    it('__proto__ is refused as a key, and a text like any other as a value', async () => {
      for (const query of [
        'filters[name]=__proto__',
        'filters[name][$in][]=__proto__',
        'filters[name]=%5F_proto__',
        '_q=a%5B__proto__%5D%3Db',
      ]) {
        strictEqual((await send(`/api/authors?${query}`)).status, 200, query);
      }
      for (const query of [
        '__proto__=1',
        '__proto__',
        '[__proto__]=1',
        'filters[__proto__]=1',
        'filters[__proto__][name]=1',
        'filters%5B__proto__%5D=1',
        'filters[%5F%5Fproto%5F%5F]=1',
        'filters[name][__proto__]=1',
        'filters[__proto__][]=1',
      ]) {
        await refused(`/api/authors?${query}`, 400, /Invalid key __proto__/);
      }
      for (const query of ['sort=__proto__', 'fields=__proto__', 'populate=__proto__', 'locale=__proto__']) {
        const { status, body } = await send(`/api/authors?${query}`);
        strictEqual(status, query.startsWith('locale') ? 200 : 400, JSON.stringify(body));
      }
      const form = (text: string) =>
        fetch(`${conformance.server.url}/api/authors`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
          body: text,
        });
      const taken = await form('data[name]=__proto__&data[bio]=a%3D__proto__%26[__proto__]');
      const { data } = (await taken.json()) as { data: { name: string; documentId: string } };
      deepStrictEqual([taken.status, data.name], [200, '__proto__']);
      await conformance.server.request('DELETE', `/api/authors/${data.documentId}`, { token });
      for (const text of ['data[__proto__]=1', '__proto__[name]=x', 'data[name]=x&data%5B%5f_proto__%5D=1']) {
        strictEqual((await form(text)).status, 400, text);
      }
    });

    it('text that is no UTF-8, or holds U+0000, is refused in names and values', async () => {
      for (const text of ['%00', 'a%00b', '%ff', '%c0%80', '%ed%a0%80', '%ed%b0%80', '%zz', '%', '%2', '%u0041']) {
        await refused(`/api/authors?filters[name]=${text}`, 400);
        await refused(`/api/authors?filters[${text}]=1`, 400);
        await refused(`/api/authors?${text}=1`, 400);
        const path = await send(`/api/authors/${text}`);
        ok(path.status === 400 || path.status === 404, text);
        const unknown = await send(`/api/${text}`);
        ok(unknown.status === 400 || unknown.status === 404, text);
      }
      for (const text of ['\\u0000', '\\ud800', '\\udc00x', 'a\\ud83d']) {
        const { status } = await send('/api/authors', 'POST', `{"data":{"name":"n ${text}"}}`);
        strictEqual(status, 400, text);
        strictEqual((await send('/api/authors', 'POST', `{"data":{"a${text}":1}}`)).status, 400);
      }
    });

    it('SQL in the place of a name is no name, and of a value is that value', async () => {
      for (const text of SQL) {
        for (const [place, query] of Object.entries({ ...NAME_PLACES, ...VALUE_PLACES })) {
          const { status, body } = await send(`/api/authors?${query(text)}`);
          if (status === 200) ok(body.data.length <= 1, `${place}: ${text}`);
        }
        strictEqual((await send(`/api/authors/${e(text)}`)).status, 404, text);
        strictEqual((await send(`/api/users/${e(text)}`)).status, 404, text);
        strictEqual((await send(`/api/upload/files/${e(text)}`)).status, 404, text);
        const { body } = await send(`/api/authors?filters[name]=${e(text)}`);
        deepStrictEqual(body.data, [], text);
      }
      strictEqual((await send('/api/authors')).body.data.length, 1);
    });

    it('names of members of JavaScript objects are unknown', async () => {
      for (const name of NAMES) {
        for (const [place, query] of Object.entries(NAME_PLACES)) {
          for (const list of LISTS) {
            const { status } = await send(`${list}?${query(name)}`);
            if (
              name !== '' &&
              /filter field|populate key|sort$|^field$|^populate$/.test(place) &&
              !list.includes('page')
            ) {
              strictEqual(status, 400, `${list} ${place} ${name}`);
            }
          }
        }
        strictEqual((await send(`/api/${name || 'x'}`)).status, 404);
        const body = name === '' ? '{"data":{"":1}}' : `{"data":{"name":"x","${name}":{"name":"y"}}}`;
        strictEqual((await send('/api/authors', 'POST', body)).status, 400, name);
      }
      strictEqual(({} as Record<string, unknown>)['name'], undefined);
    });

    it('numbers of any size and form get an answer wherever one can stand', async () => {
      for (const number of NUMBERS) {
        for (const query of Object.values(VALUE_PLACES)) {
          for (const list of LISTS) await send(`${list}?${query(number)}`);
        }
        await send(`/api/users/${e(number)}`);
        await send(`/api/upload/files/${e(number)}`);
        await send('/api/authors', 'POST', `{"data":{"name":"n","age":${JSON.stringify(number)}}}`);
      }
      for (const number of ['1e309', '-1e309', '9'.repeat(400), '2147483648', '-2147483649', '1.5']) {
        strictEqual((await send('/api/authors', 'POST', `{"data":{"name":"m","age":${number}}}`)).status, 400, number);
      }
    });

    it('one parameter in several forms at once gets an answer', async () => {
      const forms = [
        'sort=name&sort[name]=asc',
        'sort[]=name&sort[a][b]=1',
        'filters=1&filters[name]=1',
        'filters[name]=1&filters[name][$eq]=1',
        'filters[]=1&filters[name]=1',
        'populate=*&populate[articles]=true',
        'populate[]=articles&populate[articles][fields]=x',
        'fields=name&fields[a]=name',
        'pagination=1&pagination[page]=1',
        'pagination[page]=1&pagination[page]=2',
        'pagination[page][a]=1',
        'pagination[]=1',
        'locale[a]=en',
        'locale[][a]=en',
        'status[]=draft',
        'status[a]=draft',
        '_q[]=a',
        '_q[a]=b',
        'filters[$and]=1',
        'filters[$and][a]=1',
        'filters[$not]=1',
        'filters[$or][0]=1',
        'filters[$or][]=',
        'filters[name][$eq][a]=1',
        'filters[name][$eq][]=1',
        'filters[name][$null][]=true',
        'filters[name][$between]=1',
        'filters[name][$in][a]=1',
        'filters[articles]=1',
        'filters[articles][]=1',
        'filters[articles][$eq]=1',
        'filters[$eq]=1',
        'filters',
        'filters=',
        'sort',
        'sort=',
        'sort=,',
        'sort=:',
        'sort=name:',
        'fields',
        'fields=,',
        'populate',
        'populate=',
        'populate=,',
        'populate=.',
        'populate=articles.',
        'populate=.articles',
        'populate=articles..author',
        'pagination',
        'pagination[page]',
        'locale',
        'status',
        '_q',
      ];
      for (const form of forms) for (const list of LISTS) await send(`${list}?${form}`);
    });

    describe('short queries with expensive answers', () => {
      const chain = (length: number) => repeated(length, (index) => (index % 2 ? 'author' : 'articles'), '.');
      const brackets = (length: number) => chain(length).replaceAll(/\w+/g, '[$&]').replaceAll('.', '');

      it('relations in a row have a limit, in reach of every engine', async () => {
        strictEqual((await send(`/api/authors?populate=${chain(15)}`)).status, 200);
        for (const length of [16, 100, 1000])
          await refused(`/api/authors?populate=${chain(length)}`, 400, /at most 15 relations/);
        const inner = `populate[articles][populate][author][populate]=${chain(14)}`;
        await refused(`/api/authors?${inner}`, 400, /at most 15 relations/);
        strictEqual((await send(`/api/authors?sort=${'articles.author.'.repeat(7)}name`)).status, 200);
        for (const length of [8, 500]) await refused(`/api/authors?sort=${'articles.author.'.repeat(length)}name`, 400);
        strictEqual((await send(`/api/authors?filters${brackets(18)}[id]=1`)).status, 200);
      });

      it('populated relations have a limit', async () => {
        const stars = (depth: number): string[] => {
          if (depth === 0) return ['=*'];
          const below = stars(depth - 1);
          return ['author', 'related', 'tags'].flatMap((name) =>
            below.map((rest) => `[${name}][populate]${name === 'related' ? '' : '[articles][populate]'}${rest}`),
          );
        };
        const query = (depth: number) =>
          stars(depth)
            .map((rest) => `populate${rest}`)
            .join('&');
        strictEqual((await send(`/api/articles?${query(2)}`)).status, 200);
        await refused(`/api/articles?${query(4)}`, 400, /populate at most 1000 relations/);
      });

      it('relations that filters and sort keys go through have a limit', async () => {
        const filters = (count: number, length: number) =>
          repeated(count, (index) => `filters[$and][${index}]${brackets(length)}[id][$null]=true`);
        strictEqual((await send(`/api/authors?${filters(5, 10)}`)).status, 200);
        strictEqual((await send(`/api/authors?${filters(50, 1)}`)).status, 200);
        await refused(`/api/authors?${filters(51, 1)}`, 400, /filter through at most 50 relations/);
        await refused(`/api/authors?${filters(90, 5)}`, 400);
        const sort = (count: number) => `sort=${repeated(count, () => 'articles.author.name', ',')}`;
        strictEqual((await send(`/api/authors?${sort(20)}`)).status, 200);
        await refused(`/api/authors?${sort(21)}`, 400, /sort through at most 40 relations/);
        await refused(`/api/authors?sort=${repeated(2000, () => 'name', ',')}`, 400, /sort by at most 100 keys/);
      });

      it('conditions as many as fit are answered, alone and inside populate', async () => {
        const conditions = repeated(24, (outer) =>
          repeated(15, (inner) => `filters[$and][${outer}][$or][${inner}][id]=1`),
        );
        strictEqual((await send(`/api/authors?${conditions.slice(0, 15_000).replace(/&[^&]*$/, '')}`)).status, 200);
        const path = brackets(8).replaceAll('][', '][populate][');
        const inside = repeated(80, (index) => `populate${path}[filters][$or][${index}][id]=1`);
        strictEqual((await send(`/api/authors?${inside}`)).status, 200);
        strictEqual((await send(`/api/authors?filters${'[$not]'.repeat(18)}[id]=1`)).status, 200);
      });

      it('long lists of names are answered', async () => {
        strictEqual((await send(`/api/authors?fields=${repeated(3000, () => 'name', ',')}`)).status, 200);
        strictEqual((await send(`/api/articles?locale=${repeated(5000, () => 'en', ',')}`)).status, 200);
        strictEqual((await send(`/api/articles?filters[title][$containsi]=${'%25_'.repeat(3500)}`)).status, 200);
      });
    });

    it('leaves the server answering, and no larger than its caches', async () => {
      // what waits for the collector is no growth
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const heap = () => {
        collect();
        return process.memoryUsage().heapUsed;
      };
      const round = (from: number) => {
        const shapes = Array.from({ length: 1500 }, (_, index) => {
          const at = from + index;
          return `/api/articles?populate[tags][filters][name][$in][]=${at}&populate[tags][filters][$or][${at % 90}][weight]=${at}&sort=${'title,'.repeat(at % 40)}id&x${at}=${'y'.repeat(800)}`;
        });
        return shapes;
      };
      for (const target of round(0)) await send(target);
      const filled = heap();
      for (let from = 1500; from < 6000; from += 1500) for (const target of round(from)) await send(target);
      const grown = (heap() - filled) / 2 ** 20;
      ok(grown < 60, `the heap grew by ${grown.toFixed(1)} MiB`);
      const { status, body } = await send('/api/authors?sort=id');
      deepStrictEqual([status, body.data[0].name], [200, 'Ann']);
    });
  });
}
