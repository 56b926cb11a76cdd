/** Compression of answers (RFC 9110, sections 8.4, 8.8.3.3 and 12.5.3; docs/reference/http.md). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { chooseCoding } from '../../../src/http/protocol/compression.ts';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import { rawRequest } from '../../support/servers/raw-http.ts';
import type { SeededServer } from '../../support/servers/seeded.ts';

/** Makes a document with a text of so many characters and gives its address. */
async function longDocument(server: SeededServer, length: number): Promise<string> {
  const { body } = await server.request('POST', '/api/authors', {
    token: server.secrets['full'],
    body: { data: { name: `Ann ${length}`, bio: 'é<"\n'.repeat(length / 4) } },
  });
  return `${server.url}/api/authors/${body.data.documentId}`;
}

for (const engine of engines) {
  describe(`compression on ${engine.name}`, () => {
    let server: SeededServer;
    let url = '';
    let plain: Buffer = Buffer.alloc(0);
    const get = (coding: string | undefined, headers: Record<string, string> = {}, method = 'GET') =>
      rawRequest(url, {
        method,
        headers: { ...(coding === undefined ? {} : { 'accept-encoding': coding }), ...headers },
      });

    before(async () => {
      server = await serveConfigured(engine, {});
      url = await longDocument(server, 8000);
      plain = (await get(undefined)).body;
    });
    after(() => server?.stop());

    it("follows the caller's Accept-Encoding", async () => {
      const gzip = await get('gzip');
      deepStrictEqual([gzip.headers['content-encoding'], gunzipSync(gzip.body)], ['gzip', plain]);
      const brotli = await get('gzip, deflate, br');
      deepStrictEqual([brotli.headers['content-encoding'], brotliDecompressSync(brotli.body)], ['br', plain]);
      for (const answer of [gzip, brotli]) {
        strictEqual(answer.headers['content-length'], String(answer.body.length));
        strictEqual(answer.headers['content-type'], 'application/json; charset=utf-8');
        ok(answer.body.length < plain.length / 4);
      }
    });

    it('is nothing for those who do not ask, or refuse it', async () => {
      for (const coding of [undefined, '', 'identity', 'gzip;q=0, br;q=0', 'deflate, zstd', 'br;q=0, *;q=0']) {
        const { headers, body } = await get(coding);
        deepStrictEqual([coding, headers['content-encoding'], body], [coding, undefined, plain]);
      }
    });

    it('varies with Accept-Encoding, also without one', async () => {
      for (const coding of [undefined, 'gzip']) {
        match((await get(coding)).headers.vary!, /^Origin, Accept-Encoding$/);
      }
    });

    it('answers HEAD with the headers of GET', async () => {
      for (const coding of [undefined, 'gzip', 'br']) {
        const [got, head] = [await get(coding), await get(coding, {}, 'HEAD')];
        strictEqual(head.body.length, 0);
        for (const name of ['content-length', 'content-encoding', 'etag', 'vary', 'content-type']) {
          strictEqual(head.headers[name], got.headers[name], name);
        }
      }
    });

    it('leaves short answers, and those without a body, as they are', async () => {
      const short = await rawRequest(`${server.url}/api/countries`, { headers: { 'accept-encoding': 'gzip' } });
      deepStrictEqual([short.headers['content-encoding'], short.headers.vary], [undefined, 'Origin']);
      const empty = await rawRequest(`${server.url}/_health`, { headers: { 'accept-encoding': 'gzip' } });
      deepStrictEqual([empty.status, empty.headers['content-encoding']], [204, undefined]);
    });

    it('gives each coding a strong tag of its own, and takes each for the answer', async () => {
      const tags = [];
      for (const coding of [undefined, 'gzip', 'br']) tags.push((await get(coding)).headers.etag!);
      strictEqual(new Set(tags).size, 3);
      for (const tag of tags) {
        const { status, headers, body } = await get('gzip', { 'if-none-match': tag });
        deepStrictEqual([status, body.length, headers.etag, headers['content-encoding']], [304, 0, tag, undefined]);
        match(headers.vary!, /Accept-Encoding/);
      }
    });

    it('takes the tag of a compressed answer for If-Match', async () => {
      const headers = {
        authorization: `Bearer ${server.secrets['full']}`,
        'content-type': 'application/json',
        'if-match': (await get('br')).headers.etag!,
      };
      const put = (body: string) => rawRequest(url, { method: 'PUT', headers, body });
      strictEqual((await put('{"data":{"age":1}}')).status, 200);
      strictEqual((await put('{"data":{"age":2}}')).status, 412);
    });

    it('is of errors, too', async () => {
      const { status, headers, body } = await rawRequest(`${server.url}/api/articles`, {
        method: 'POST',
        headers: {
          'accept-encoding': 'gzip',
          'content-type': 'application/json',
          authorization: `Bearer ${server.secrets['full']}`,
        },
        body: JSON.stringify({ data: { title: 't', blocks: Array.from({ length: 30 }, () => ({ type: 'zzz' })) } }),
      });
      deepStrictEqual([status, headers['content-encoding']], [400, 'gzip']);
      strictEqual(JSON.parse(gunzipSync(body).toString()).error.name, 'ValidationError');
    });
  });

  describe(`compression as configured on ${engine.name}`, () => {
    const serveWith = (config: unknown) =>
      serveConfigured(engine, { middlewares: ['strapi::cors', { name: 'strapi::compression', config }] });
    const codingOf = async (server: SeededServer, length: number) => {
      const url = await longDocument(server, length);
      return (await rawRequest(url, { headers: { 'accept-encoding': 'br, gzip' } })).headers['content-encoding'];
    };

    it('has a threshold and may lack a coding', async () => {
      const server = await serveWith({ threshold: '4kb', br: false, gzip: { level: 1 } });
      try {
        deepStrictEqual([await codingOf(server, 2000), await codingOf(server, 8000)], [undefined, 'gzip']);
      } finally {
        await server.stop();
      }
    });

    it('may be off', async () => {
      const server = await serveWith({ enabled: false });
      try {
        strictEqual(await codingOf(server, 8000), undefined);
      } finally {
        await server.stop();
      }
    });
  });
}

describe('Accept-Encoding', () => {
  const cases: readonly [header: string, coding: string][] = [
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br, gzip', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip; q = 0.8 , br;q=0.9', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', 'identity'],
    ['*;q=0, gzip', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['identity;q=1, gzip;q=0.5', 'identity'],
    ['identity, gzip', 'gzip'],
    ['gzip;q=nonsense', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=-1, br;q=', 'identity'],
    ['gzip;q=0.5;x=y', 'gzip'],
    ['br;q=0.000, gzip;q=1.000', 'gzip'],
    ['deflate', 'identity'],
    ['', 'identity'],
    [', ,', 'identity'],
  ];
  for (const [header, expected] of cases) {
    it(`"${header}" gives ${expected}`, () => {
      strictEqual(chooseCoding(header, ['br', 'gzip']), expected);
    });
  }
});
