/** Trusted proxies: whose word about a caller's address counts (docs/reference/http.md, "Proxies"). */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';

/** Whether each `X-Forwarded-For` still finds its counter unused: a limit of one request tells addresses apart. */
async function fresh(proxy: unknown, forwarded: readonly string[]): Promise<boolean[]> {
  const server = await serveConfigured(engines[0]!, {
    server: { proxy },
    api: { rest: { rateLimit: { max: 1, window: 3_600_000 } } },
  });
  try {
    const found: boolean[] = [];
    for (const value of forwarded) {
      const headers = { 'x-forwarded-for': value };
      found.push((await server.request('GET', '/api/authors', { headers })).status === 200);
    }
    return found;
  } finally {
    await server.stop();
  }
}

describe('X-Forwarded-For', () => {
  it('is not believed without configuration', async () => {
    for (const proxy of [undefined, false, { koa: false }, { trust: [] }, { trust: ['192.0.2.1'] }]) {
      deepStrictEqual(await fresh(proxy, ['203.0.113.1', '203.0.113.2']), [true, false], JSON.stringify(proxy));
    }
  });

  it('counts an address of IPv4 as itself, also where it is written as one of IPv6', async () => {
    const spellings = ['1.2.3.4', '::ffff:1.2.3.4', '::ffff:0102:0304', '::FFFF:102:304', '::ffff:1.2.3.5'];
    deepStrictEqual(await fresh(true, spellings), [true, false, false, false, true]);
    const networks = ['2001:db8:1:2::1', '2001:0db8:1:2:ffff::', '2001:db8:1:3::1', '::1:2:3'];
    deepStrictEqual(await fresh(true, networks), [true, false, true, true]);
  });

  it("returns the address that the nearest proxy saw, despite the caller's headers", async () => {
    for (const proxy of [true, { koa: true }, { trust: true }, { trust: 1 }, { koa: true, maxIpsCount: 1 }]) {
      deepStrictEqual(
        await fresh(proxy, ['203.0.113.1', '203.0.113.2', 'made-up, 203.0.113.1', '198.51.100.7, 203.0.113.2']),
        [true, true, false, false],
        JSON.stringify(proxy),
      );
    }
  });

  it('goes through proxies within the own network', async () => {
    deepStrictEqual(
      await fresh(true, ['203.0.113.1, 10.0.0.7', '203.0.113.2, 10.0.0.7', '198.51.100.7, 203.0.113.1, fd00::1']),
      [true, true, false],
    );
  });

  it('counts networks of IPv6 clients, who have many addresses each, and spellings of one address, as one', async () => {
    deepStrictEqual(
      await fresh(true, [
        '2001:db8::1',
        '2001:db8:0:0:ffff::2',
        '2001:DB8:0:1::1',
        '203.0.113.1',
        '::ffff:203.0.113.1',
      ]),
      [true, false, true, true, false],
    );
  });

  it('goes through as many proxies, or through those named', async () => {
    const forwarded = ['203.0.113.1, 192.0.2.1', '203.0.113.2, 192.0.2.1', '198.51.100.7, 203.0.113.1, 192.0.2.1'];
    for (const proxy of [{ trust: 2 }, { trust: ['127.0.0.1', '192.0.2.0/24'] }, { trust: 'loopback, 192.0.2.1' }]) {
      deepStrictEqual(await fresh(proxy, forwarded), [true, true, false], JSON.stringify(proxy));
    }
  });

  it('is refused in a wrong form at start, with the key', async () => {
    for (const proxy of ['yes', { trust: ['nowhere'] }, { koa: 'x' }]) {
      const error = await fresh(proxy, []).catch((thrown: Error) => thrown);
      match((error as Error).message, /config\/server\.js: proxy/);
    }
    strictEqual((await fresh({ koa: true }, ['203.0.113.1']))[0], true);
  });
});
