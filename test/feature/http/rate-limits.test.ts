/** Rate limits of the API as a whole: off by default, by caller (docs/reference/http.md, "Rate limits"). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Fastify from 'fastify';
import type { Database } from '../../../src/db/interface/database.ts';
import { CallerLimit } from '../../../src/http/protocol/caller-limit.ts';
import { RateLimiter } from '../../../src/http/protocol/rate-limit.ts';
import { Callers } from '../../../src/users/sessions/callers.ts';
import { UserTokens } from '../../../src/users/sessions/user-tokens.ts';
import { engines } from '../../support/databases/databases.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import type { RequestOptions } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const MAX = 5;

for (const engine of engines) {
  describe(`rate limits on ${engine.name}`, () => {
    let server: SeededServer;
    const statuses = async (count: number, target: string, options: RequestOptions = {}, method = 'GET') => {
      const found: number[] = [];
      for (let i = 0; i < count; i++) found.push((await server.request(method, target, options)).status);
      return found;
    };

    before(async () => {
      server = await serveConfigured(engine, { api: { rest: { rateLimit: { max: MAX, window: 3_600_000 } } } });
    });
    after(() => server?.stop());

    it('refuse requests beyond them, for every spelling of path, query and headers', async () => {
      const first = await server.get('/api/authors');
      deepStrictEqual(
        ['limit', 'remaining'].map((name) => first.headers.get(`x-ratelimit-${name}`)),
        [String(MAX), String(MAX - 1)],
      );
      deepStrictEqual(await statuses(MAX - 1, '/api/authors'), Array(MAX - 1).fill(200));
      const refused = await server.get('/api/authors');
      deepStrictEqual(
        [refused.status, refused.body.error],
        [
          429,
          {
            status: 429,
            name: 'RateLimitError',
            message: 'Too many requests, please try again later.',
            details: {},
          },
        ],
      );
      strictEqual(refused.headers.get('x-ratelimit-remaining'), '0');
      const wait = Number(refused.headers.get('retry-after'));
      ok(wait > 0 && wait <= 3600, String(wait));
      const reset = Number(refused.headers.get('x-ratelimit-reset')) * 1000 - Date.now();
      ok(reset > 0 && reset <= 3_601_000, String(reset));
      for (const target of ['/API/Authors/', '/api/authors?x=1', '/api/countries', '/api/%61uthors']) {
        strictEqual((await server.get(target)).status, 429, target);
      }
      const forged: Record<string, string>[] = [
        { 'x-forwarded-for': '203.0.113.9' },
        { forwarded: 'for=203.0.113.9' },
        { 'x-real-ip': '203.0.113.9' },
        { authorization: 'Basic x' },
        { authorization: 'Bearer a b' },
      ];
      for (const headers of forged) {
        strictEqual((await server.request('GET', '/api/authors', { headers })).status, 429, JSON.stringify(headers));
      }
      strictEqual((await server.request('HEAD', '/api/authors')).status, 429);
    });

    it('count each token by itself, however its header is written', async () => {
      const full = server.secrets['full']!;
      const forms = [`Bearer ${full}`, `bearer ${full}`, `  BEARER   ${full} `, `Bearer\t${full}`, `bEARER ${full}`];
      for (const authorization of forms) {
        strictEqual((await server.request('GET', '/api/tags', { headers: { authorization } })).status, 200);
      }
      strictEqual((await server.get('/api/tags', full)).status, 429);
      strictEqual((await server.get('/api/tags', server.secrets['read'])).status, 200);
    });

    it('count refused credentials with the address, so that guessing stops', async () => {
      for (const guess of ['a', 'b', 'c']) strictEqual((await server.get('/api/tags', guess)).status, 429);
    });

    it('leave health checks, preflights and unknown paths alone', async () => {
      deepStrictEqual(await statuses(3, '/_health'), [204, 204, 204]);
      deepStrictEqual(await statuses(2, '/api/nope'), [404, 404]);
      const headers = { origin: 'https://x.example', 'access-control-request-method': 'GET' };
      deepStrictEqual(await statuses(2, '/api/authors', { headers }, 'OPTIONS'), [204, 204]);
    });

    it('are off by default', async () => {
      const plain = await serveScenarioProject(engine);
      try {
        const { status, headers } = await plain.get('/api/authors');
        deepStrictEqual([status, headers.get('x-ratelimit-limit')], [200, null]);
      } finally {
        await plain.stop();
      }
    });
  });
}

for (const engine of engines) {
  describe(`credentials that are refused on ${engine.name}`, () => {
    it('are not looked up beyond the limit of their address, and good ones still are', async () => {
      const seeded = await serveScenarioProject(engine);
      const { database, config } = seeded.app;
      let lookups = 0;
      const counting: Database = standIn(database, {
        rows: (text, values) => {
          lookups += 1;
          return database.rows(text, values);
        },
      });
      const tokens = new UserTokens(config.jwtSecret, config.users);
      const callers = new Callers(counting, config, tokens);
      const limit = new CallerLimit({ max: MAX, windowMs: 3_600_000 });
      const server = Fastify();
      server.get('/', (request, reply) => limit.identify(request, reply, callers));
      const ask = async (credentials?: string, remoteAddress = '192.0.2.1') => {
        const headers = credentials === undefined ? {} : { authorization: `Bearer ${credentials}` };
        const { statusCode } = await server.inject({ url: '/', headers, remoteAddress });
        return statusCode;
      };
      try {
        const { full, read } = seeded.secrets;
        strictEqual(await ask(full), 200);
        for (let i = 0; i < MAX; i++) strictEqual(await ask(`guess${i}`), 401);
        lookups = 0;
        for (let i = 0; i < 3; i++) strictEqual(await ask(`more${i}`), 429);
        strictEqual(lookups, 0);
        strictEqual(await ask(full), 200);
        // also when what was known of it is forgotten
        callers.forget();
        strictEqual(await ask(full), 200);
        ok(lookups > 0);
        // what bears our signature is worth a look
        const session = { id: 'x'.repeat(32), userId: 1, refreshId: 'x', expiresAt: Date.now() + 60_000 };
        strictEqual(await ask(await tokens.access(session)), 429);
        lookups = 0;
        strictEqual(await ask(await tokens.access({ ...session, id: 'y'.repeat(32) })), 429);
        ok(lookups > 0);
        strictEqual(await ask(undefined), 429);
        strictEqual(await ask(read, '192.0.2.2'), 200);
      } finally {
        await server.close();
        await seeded.stop();
      }
    });
  });
}

describe('a rate limiter', () => {
  const rule = { max: 3, windowMs: 1000 };

  it('counts a key within a window that begins with its first request', () => {
    const limiter = new RateLimiter(rule);
    const taken = [0, 1, 500, 999, 1000].map((now) => limiter.take('a', now));
    deepStrictEqual(
      taken.map(({ allowed, remaining, resetAt }) => [allowed, remaining, resetAt]),
      [
        [true, 2, 1000],
        [true, 1, 1000],
        [true, 0, 1000],
        [false, 0, 1000],
        [true, 2, 2000],
      ],
    );
    strictEqual(limiter.take('b', 1000).remaining, 2);
  });

  it('keeps as many counters as it may, and no flood of keys gives a fresh start', () => {
    const limiter = new RateLimiter(rule, 10);
    for (let i = 0; i < 4; i++) limiter.take('attacker', 0);
    for (let i = 0; i < 25; i++) limiter.take(`flood ${i}`, 1);
    strictEqual(limiter.size, 10);
    strictEqual(limiter.take('attacker', 2).allowed, false);
    for (let i = 0; i < 10_000; i++) limiter.take(`flood ${i}`, 3);
    strictEqual(limiter.size, 10);
    strictEqual(limiter.take('attacker', 4).allowed, false);
  });

  it('frees the counters of windows that are over', () => {
    const limiter = new RateLimiter(rule, 10);
    for (let i = 0; i < 10; i++) for (let j = 0; j < 5; j++) limiter.take(`flood ${i}`, 0);
    strictEqual(limiter.take('new', 500).allowed, false);
    strictEqual(limiter.take('newer', 2000).remaining, 2);
    ok(limiter.size < 10);
  });

  it('does not count a restored request, and restores no other one', () => {
    const limiter = new RateLimiter(rule);
    const { resetAt } = limiter.take('a', 0);
    limiter.take('a', 1);
    limiter.giveBack('a', resetAt);
    strictEqual(limiter.take('a', 2).remaining, 1);
    // a window that has begun since was not the one that it was counted in
    limiter.take('a', 1000);
    limiter.giveBack('a', resetAt);
    strictEqual(limiter.take('a', 1001).remaining, 1);
    // nor is there less than nothing, and counters that are free again are taken first
    const full = new RateLimiter(rule, 2);
    for (let n = 0; n < 3; n++) full.take('spent', 0);
    full.take('b', 0);
    for (let n = 0; n < 3; n++) full.giveBack('b', resetAt);
    strictEqual(full.take('c', 1).remaining, 2);
    strictEqual(full.isSpent('spent', 1), true);
  });

  it('accepts keys of any length and stores none of them', () => {
    const limiter = new RateLimiter(rule);
    for (let i = 0; i < 3; i++) limiter.take('x'.repeat(1_000_000), 0);
    strictEqual(limiter.take('x'.repeat(1_000_000), 0).allowed, false);
    strictEqual(limiter.take(`${'x'.repeat(999_999)}y`, 0).allowed, true);
    match(String(limiter.size), /^2$/);
  });
});
