/** What pages of other origins may do, and security headers: `strapi::cors`, `strapi::security` (docs/reference/http.md). */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import type { Answer } from '../../support/servers/project.ts';
import type { SeededServer } from '../../support/servers/seeded.ts';

const ORIGIN = 'https://site.example';

async function served(
  middlewares: unknown,
  use: (server: SeededServer) => Promise<void>,
  more: Parameters<typeof serveConfigured>[1] = {},
): Promise<void> {
  const server = await serveConfigured(engines[0]!, { ...(middlewares === undefined ? {} : { middlewares }), ...more });
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const ask = (server: SeededServer, origin = ORIGIN) => server.request('GET', '/api/authors', { headers: { origin } });
const preflight = (server: SeededServer, requested = '', origin = ORIGIN) =>
  server.request('OPTIONS', '/api/authors', {
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': requested },
  });
const allowedHeaders = ({ headers }: Answer) => headers.get('access-control-allow-headers');

describe('cross-origin requests', () => {
  it('by default may come from anywhere, read our headers, and send those that mean something here', () =>
    served(undefined, async (server) => {
      const { headers } = await ask(server);
      strictEqual(headers.get('access-control-allow-origin'), ORIGIN);
      const exposed = headers.get('access-control-expose-headers')!.split(',');
      for (const name of ['ETag', 'Retry-After', 'X-Galley-Hint', 'X-RateLimit-Remaining', 'X-Request-Id']) {
        strictEqual(exposed.includes(name), true, name);
      }
      strictEqual(allowedHeaders(await preflight(server)), 'Content-Type,Authorization,Origin,Accept');
      strictEqual(
        allowedHeaders(await preflight(server, 'authorization,if-match, IF-NONE-MATCH,strapi-response-format,x-evil')),
        'Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Strapi-Response-Format',
      );
    }));

  it('ask for headers in a list of any form', () =>
    served(undefined, async (server) => {
      const spaces = ' '.repeat(4000);
      strictEqual(
        allowedHeaders(await preflight(server, `a${spaces}b , if-match${spaces},${spaces}x`)),
        'Content-Type,Authorization,Origin,Accept,If-Match',
      );
    }));

  it('have the headers on refusals of every kind', () =>
    served(undefined, async (server) => {
      for (const [target, status] of [
        ['/api/nope', 404],
        ['/api/articles', 403],
        ['/api/authors?sort=nope', 400],
        ['/api/authors/%zz', 400],
      ] as const) {
        const answer = await server.request('GET', target, { headers: { origin: ORIGIN } });
        deepStrictEqual([answer.status, answer.headers.get('access-control-allow-origin')], [status, ORIGIN]);
      }
    }));

  it('come from the origins of the configuration alone', () =>
    served(
      [{ name: 'strapi::cors', config: { origin: [ORIGIN, 'https://other.example'], credentials: false } }],
      async (server) => {
        const allowed = await ask(server);
        strictEqual(allowed.headers.get('access-control-allow-origin'), ORIGIN);
        strictEqual(allowed.headers.get('access-control-allow-credentials'), null);
        for (const origin of ['https://evil.example', 'https://site.example.evil.example', 'null', '']) {
          const { status, headers } = await ask(server, origin);
          deepStrictEqual(
            [status, headers.get('access-control-allow-origin'), headers.get('vary')],
            [200, null, 'Origin'],
          );
          const refused = await preflight(server, '', origin);
          deepStrictEqual([refused.status, refused.headers.get('access-control-allow-methods')], [200, null]);
        }
      },
    ));

  it('may be a text, with methods, headers, exposed headers and an age', () =>
    served(
      [
        {
          name: 'strapi::cors',
          config: {
            origin: `https://other.example, ${ORIGIN}`,
            methods: ['GET', 'PUT'],
            headers: ['Authorization', 'X-Own'],
            expose: ['X-Other'],
            maxAge: 60,
            keepHeadersOnError: true,
          },
        },
      ],
      async (server) => {
        const { status, headers } = await preflight(server, 'if-match');
        deepStrictEqual(
          [
            status,
            headers.get('access-control-allow-origin'),
            headers.get('access-control-allow-methods'),
            headers.get('access-control-allow-headers'),
            headers.get('access-control-max-age'),
          ],
          [204, ORIGIN, 'GET,PUT', 'Authorization,X-Own', '60'],
        );
        strictEqual((await ask(server)).headers.get('access-control-expose-headers'), 'X-Other');
        deepStrictEqual(server.app.warnings, []);
      },
    ));

  it('are answered for no origin if a function of the project would decide and no code runs, with a warning', () => {
    const middlewares = "module.exports = [{ name: 'strapi::cors', config: { origin: () => '*' } }];";
    return served(
      middlewares,
      async (server) => {
        strictEqual((await ask(server)).headers.get('access-control-allow-origin'), null);
        deepStrictEqual(server.app.warnings, [
          'config/middlewares.js: this key has no effect: strapi::cors config.origin.',
        ]);
      },
      { galley: { run: false } },
    );
  });

  it('are answered for the origins that a function of the project gives', () => {
    const decide = `async (ctx) => {
      const origin = ctx.request.header.origin;
      if (origin === '${ORIGIN}') return ctx.get('Origin');
      if (origin === 'https://list.example') return ['https://a.example', 'https://list.example'];
      if (origin === 'https://text.example') return 'https://a.example, ' + origin;
      if (origin === 'https://path.example') return ctx.path === '/api/authors' && ctx.method === 'GET' ? '*' : '';
      if (origin === 'https://nothing.example') return undefined;
      if (origin === 'https://strapi.example') return strapi.config.get('server.name', origin);
      if (origin === 'https://fails.example') throw new Error('who is this?');
      return '';
    }`;
    return served(`module.exports = [{ name: 'strapi::cors', config: { origin: ${decide} } }];`, async (server) => {
      const allowed = async (origin: string) =>
        (await ask(server, origin)).headers.get('access-control-allow-origin') === origin;
      const before = async (origin: string) => (await preflight(server, '', origin)).status === 204;
      for (const [name, isAllowed] of [
        ...(['site', 'list', 'text', 'nothing', 'strapi'] as const).map((one) => [one, true] as const),
        ...(['fails', 'other'] as const).map((one) => [one, false] as const),
      ]) {
        const origin = `https://${name}.example`;
        // the second answer may be one that is remembered
        for (let n = 0; n < 2; n++) strictEqual(await allowed(origin), isAllowed, origin);
        strictEqual(await before(origin), isAllowed, origin);
      }
      deepStrictEqual([await allowed('https://path.example'), await before('https://path.example')], [true, false]);
      strictEqual((await server.request('GET', '/api/authors', {})).status, 200);
      deepStrictEqual(server.app.warnings, []);
    });
  });

  it('have no headers where the project lists its middlewares without strapi::cors', () =>
    served(['strapi::errors', 'strapi::security'], async (server) => {
      const { headers } = await ask(server);
      deepStrictEqual([headers.get('access-control-allow-origin'), headers.get('vary')], [null, null]);
    }));
});

describe('security headers', () => {
  it('are those of strapi::security', () =>
    served(
      [
        {
          name: 'strapi::security',
          config: {
            hsts: { maxAge: 60, includeSubDomains: false, preload: true },
            frameguard: { action: 'deny' },
            referrerPolicy: { policy: 'same-origin' },
            noSniff: true,
            ieNoOpen: false,
            crossOriginResourcePolicy: { policy: 'cross-origin' },
            contentSecurityPolicy: { directives: { 'img-src': ["'self'", 'https://cdn.example'] } },
          },
        },
      ],
      async (server) => {
        const { headers } = await server.get('/api/nope');
        deepStrictEqual(
          ['strict-transport-security', 'x-frame-options', 'referrer-policy', 'x-content-type-options'].map((name) =>
            headers.get(name),
          ),
          ['max-age=60; preload', 'DENY', 'same-origin', 'nosniff'],
        );
        deepStrictEqual(
          [headers.get('x-download-options'), headers.get('cross-origin-resource-policy')],
          [null, 'cross-origin'],
        );
        deepStrictEqual(server.app.warnings, []);
      },
    ));
});

describe('a request id', () => {
  it('is generated for each request, or taken from a well-formed header', () =>
    served(undefined, async (server) => {
      const idOf = async (given?: string) => {
        const headers = given === undefined ? {} : { 'x-request-id': given };
        return (await server.request('GET', '/api/nope', { headers })).headers.get('x-request-id')!;
      };
      const [first, second] = [await idOf(), await idOf()];
      match(first, /^[\w-]+$/);
      strictEqual(first === second, false);
      strictEqual(await idOf('trace:4bf92f35-77b3.01'), 'trace:4bf92f35-77b3.01');
      for (const wrong of ['', 'a b', '{"x":1}', 'x'.repeat(129), '<script>']) {
        strictEqual((await idOf(wrong)) === wrong, false, wrong);
      }
    }));
});
