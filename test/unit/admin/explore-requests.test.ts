/** Queries of the page of the API, and requests as code. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { chosenOf } from '../../../admin/src/pages/explore/choice.ts';
import { nestedQuery, parseQuery, writeQuery } from '../../../admin/src/pages/explore/query-model.ts';
import { SAMPLE_KINDS, type Sampled, sampleOf } from '../../../admin/src/pages/explore/samples.ts';

describe('the chosen request of the page of the API', () => {
  const type = (uid: string, roles: readonly number[]) => {
    const request = {
      id: `GET /${uid}`,
      name: 'find',
      method: 'GET',
      path: `/${uid}`,
      isOwn: false,
      closed: null,
      roles,
    };
    return { uid, displayName: uid, requests: [request] };
  };
  const overview = {
    roles: [
      { id: 1, name: 'Authenticated', type: 'authenticated' },
      { id: 2, name: 'Public', type: 'public' },
    ],
    types: [type('articles', []), type('authors', [1]), type('recipes', [1, 2])],
  } as unknown as Parameters<typeof chosenOf>[0];
  const chosen = (search: Parameters<typeof chosenOf>[1]) => {
    const { type, as } = chosenOf(overview, search)!;
    return [type.uid, as];
  };

  it('is one that the caller may send', () => {
    deepStrictEqual(chosen({}), ['recipes', 'public']);
    deepStrictEqual(chosen({ as: 'role:1' }), ['authors', 'role:1']);
  });

  it('has a permitted caller by default, if there is one', () => {
    deepStrictEqual(chosen({ uid: 'authors' }), ['authors', 'role:1']);
    deepStrictEqual(chosen({ uid: 'authors', as: 'public' }), ['authors', 'public']);
    deepStrictEqual(chosen({ uid: 'articles' }), ['articles', 'public']);
  });
});

describe('a query in the form of the API', () => {
  const same = (query: string, written = query) => strictEqual(writeQuery(parseQuery(query)), written);

  it('is the same query after it was read and written', () => {
    same('filters[title][$eq]=One&sort=title:desc&fields=title&populate=*&locale=fr&status=draft');
    same(
      'filters[author][name][$in][0]=Ann&filters[author][name][$in][1]=Ben&pagination[page]=2&pagination[pageSize]=5',
    );
    same('sort[0]=title&sort[1]=views:desc&pagination[withCount]=false');
    same('sort=title,views:desc', 'sort[0]=title&sort[1]=views:desc');
    same('filters[title]=One', 'filters[title][$eq]=One');
    same('', '');
  });

  it('keeps parameters that the form does not edit', () => {
    same('filters[$or][0][title][$eq]=One&filters[$or][1][views][$gt]=3');
    same('populate[author][fields][0]=name&_q=fog&pagination[cursor]=abc');
    same('filters[tags][0][$eq]=x&filters[title][$not][$eq]=y');
  });

  it('escapes values, and leaves brackets readable', () => {
    const query = writeQuery({
      ...parseQuery(''),
      filters: [{ path: ['title'], operator: '$eq', values: ["It's 5 & 6 # é"] }],
    });
    strictEqual(query, 'filters[title][$eq]=It%27s%205%20%26%206%20%23%20%C3%A9');
    deepStrictEqual(parseQuery(query).filters[0]?.values, ["It's 5 & 6 # é"]);
  });

  it('is a nested object for the official client', () => {
    deepStrictEqual(
      nestedQuery('filters[views][$in][0]=1&filters[views][$in][1]=2&sort[]=a&sort[]=b&pagination[page]=2'),
      {
        filters: { views: { $in: ['1', '2'] } },
        sort: ['a', 'b'],
        pagination: { page: 2 },
      },
    );
    const odd = nestedQuery('filters[__proto__][polluted]=1');
    ok(!('polluted' in {}) && JSON.stringify(odd).length > 0);
  });
});

describe('a request as code', () => {
  const sampled: Sampled = {
    ...{ origin: 'https://example.com', prefix: '/api', method: 'POST', path: '/api/articles', query: 'status=draft' },
    ...{ name: 'create', documentId: undefined, hasToken: true },
    body: JSON.stringify({ data: { title: `It's "$HOME" \`x\` \\ \${y}`, 'odd-key': [1, true, null] } }),
    type: { kind: 'collectionType', singularName: 'article', pluralName: 'articles', typeName: 'Article' },
  };

  it('passes a shell unchanged, with any values', () => {
    const command = sampleOf('curl', { ...sampled, query: "filters[title][$eq]=a'b$(x)" });
    const words = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`], {
      env: { GALLEY_TOKEN: 'secret' },
      encoding: 'utf8',
    }).split('\n');
    deepStrictEqual(words, [
      '--globoff',
      "https://example.com/api/articles?filters[title][$eq]=a'b$(x)",
      ...['--request', 'POST', '--header', 'Authorization: Bearer secret'],
      ...['--header', 'Content-Type: application/json', '--data', sampled.body, ''],
    ]);
  });

  it('runs as JavaScript with the same address, body and token', async () => {
    let sent: [string, RequestInit] | undefined;
    const fetch = async (url: string, init: RequestInit) => {
      sent = [url, init];
      return { ok: true, json: async () => ({ data: null }) };
    };
    const run = new Function('fetch', 'process', `return (async () => { ${sampleOf('fetch', sampled)} })();`);
    await run(fetch, { env: { GALLEY_TOKEN: 'secret' } });
    const [url, init] = sent!;
    deepStrictEqual([url, init.method], ['https://example.com/api/articles?status=draft', 'POST']);
    deepStrictEqual(JSON.parse(String(init.body)), JSON.parse(sampled.body!));
    deepStrictEqual(init.headers, { Authorization: 'Bearer secret', 'Content-Type': 'application/json' });
  });

  it('calls the official client with its methods, and others by their path', () => {
    const call = (some: Partial<Sampled>) =>
      sampleOf('client', { ...sampled, ...some })
        .split('\n')
        .slice(6)
        .join('\n');
    const read = { method: 'GET', body: undefined, query: '' };
    strictEqual(
      call({ ...read, name: 'find' }).trim(),
      "const { data, meta } = await client.collection('articles').find();",
    );
    strictEqual(
      call({ ...read, name: 'findOne', documentId: 'a1', path: '/api/articles/a1' }).trim(),
      "const { data } = await client.collection('articles').findOne('a1');",
    );
    strictEqual(
      call({ ...read, name: 'delete', method: 'DELETE', documentId: 'a1', path: '/api/articles/a1' }).trim(),
      "await client.collection('articles').delete('a1');",
    );
    const published = call({ ...read, name: 'publish', method: 'POST', path: '/api/articles/a1/actions/publish' });
    ok(published.includes("client.fetch('/articles/a1/actions/publish', {"), published);
    const single = { ...sampled.type, kind: 'singleType', singularName: 'home' } as const;
    ok(call({ ...read, name: 'find', type: single }).includes("client.single('home').find()"));
  });

  it('is one text for each kind', () => {
    for (const kind of SAMPLE_KINDS) ok(sampleOf(kind, sampled).includes('/articles') || kind === 'client');
  });
});
