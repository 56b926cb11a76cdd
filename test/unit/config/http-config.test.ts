/** The settings of the HTTP surface: accepted values, and refusals with file and key. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { type ConfigFilesOfTest, writeConfig } from '../../support/servers/configured.ts';

const SECRETS = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };

describe('the configuration of the HTTP surface', () => {
  let parent = '';
  before(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'galley-http-config-'));
  });
  after(() => rm(parent, { recursive: true, force: true }));

  const load = async (files: ConfigFilesOfTest, env: Readonly<Record<string, string>> = {}) => {
    const dir = await mkdtemp(path.join(parent, 'project-'));
    await writeConfig(dir, files);
    return loadConfig(dir, { env: { ...SECRETS, ...env } });
  };
  const middleware = (name: string, config: unknown) => ({ middlewares: [{ name: `strapi::${name}`, config }] });

  it('has defaults that need no file', async () => {
    const { http, warnings } = await load({});
    deepStrictEqual(
      [http.trustProxy, http.jsonLimit, http.formLimit, http.rateLimit, http.metrics, http.logLevel, http.codeLogLevel],
      [false, 1_048_576, 57_344, undefined, undefined, 'warn', 'info'],
    );
    deepStrictEqual(http.compression, { threshold: 1024, gzip: 6, brotli: 4 });
    deepStrictEqual(http.shutdown, { delay: 0, timeout: 10_000 });
    deepStrictEqual(warnings, []);
  });

  it('is overruled by the environment', async () => {
    const env = { LOG_LEVEL: 'error', METRICS_PORT: '9100', METRICS_HOST: '::1' };
    const { http } = await load({ server: { log: { level: 'info' }, metrics: { port: 1 } } }, env);
    deepStrictEqual([http.logLevel, http.codeLogLevel, http.metrics], ['error', 'error', { host: '::1', port: 9100 }]);
  });

  it('takes sizes as numbers and as texts', async () => {
    for (const [value, bytes] of [
      [10, 10],
      ['10', 10],
      ['10b', 10],
      ['1.5kb', 1536],
      ['2 MB', 2_097_152],
      ['1gb', 1_073_741_824],
    ]) {
      strictEqual((await load(middleware('body', { jsonLimit: value }))).http.jsonLimit, bytes);
    }
  });

  it('lists settings without effect', async () => {
    const { warnings } = await load({
      middlewares: [{ name: 'strapi::security', config: { hsts: false, strange: { deep: 1 } } }, 'strapi::cors'],
      server: { proxy: { koa: true, global: 'http://proxy' } },
    });
    deepStrictEqual(warnings, [
      'config/server.js: this key has no effect: proxy.global.',
      'config/middlewares.js: this key has no effect: strapi::security config.strange.deep.',
    ]);
  });

  it('takes lists of patterns of addresses, each of which must let a request in', async () => {
    const middlewares = `module.exports = [
      'strapi::ip', { name: 'strapi::ip' }, { name: 'strapi::ip', config: { whitelist: undefined, blacklist: null } },
      { name: 'strapi::ip', config: ['10.0.0.1'] }, { name: 'strapi::ip', config: /^10/g },
      { name: 'strapi::ip', config: { whitelist: [], blacklist: [/7$/y], handler() {} } },
    ];`;
    const { http, warnings } = await load({ middlewares });
    deepStrictEqual(http.addresses, [
      { allowed: [/10.0.0.1/], refused: [] },
      { allowed: [/^10/], refused: [] },
      { allowed: [], refused: [/^(?:7$)/] },
    ]);
    deepStrictEqual(warnings, ['config/middlewares.js: this key has no effect: strapi::ip config.handler.']);
  });

  it('drops entries of lists whose variables are not set, and opens nothing by it', async () => {
    const unset = "[undefined, null, '']";
    const { http, admin, upload, users, rest } = await load({
      server: `module.exports = { proxy: { trust: ${unset} } };`,
      api: `module.exports = { responses: { privateAttributes: ${unset} } };`,
      admin: `module.exports = { preview: { urls: {}, config: { allowedOrigins: ${unset} } } };`,
      plugins: `module.exports = {
        upload: { config: { security: { allowedTypes: ${unset} }, sizes: { widths: ${unset}, fits: ${unset} } } },
        'users-permissions': { config: { jwtSecret: 'x', register: { allowedFields: ${unset} } } },
      };`,
      middlewares: `module.exports = [
        { name: 'strapi::cors', config: { origin: ${unset}, methods: ${unset}, headers: ${unset} } },
        { name: 'strapi::security', config: { referrerPolicy: { policy: ${unset} },
          contentSecurityPolicy: { directives: { 'img-src': ["'self'", undefined], 'script-src': ${unset} } } } },
        { name: 'strapi::ip', config: { whitelist: ${unset}, blacklist: ['10.0.0.1', undefined] } }, 'strapi::public',
      ];`,
    });
    deepStrictEqual(http.trustProxy, false);
    deepStrictEqual([rest.privateAttributes, users.registerFields, admin.preview.origins], [[], [], []]);
    deepStrictEqual([upload.allowedTypes, upload.sizes?.widths, upload.sizes?.fits], [[], [], []]);
    deepStrictEqual([http.cors?.origins, http.cors?.methods, http.cors?.headers], [new Set(), '', '']);
    deepStrictEqual(http.addresses, [{ allowed: [], refused: [/10.0.0.1/] }]);
    deepStrictEqual(http.securityHeaders['referrer-policy'], 'no-referrer');
    match(http.publicFiles.policy!, /img-src 'self';.*script-src(;|$)/);
    const some = await load({
      middlewares: "module.exports = [{ name: 'strapi::cors', config: { origin: [undefined, 'https://a.example'] } }];",
      admin: `module.exports = { preview: {
        urls: { 'api::a.a': 'https://a.example/{slug}' }, config: { allowedOrigins: [undefined, 'https://b.example'] } } };`,
    });
    deepStrictEqual(some.http.cors?.origins, new Set(['https://a.example']));
    deepStrictEqual(some.admin.preview.origins, ['https://a.example', 'https://b.example']);
  });

  it('refuses an entry of the middlewares that is missing: it may have been a guard', async () => {
    await rejects(load({ middlewares: "module.exports = ['strapi::cors', undefined];" }), /config\/middlewares\.js/);
  });

  it('matches patterns statelessly, as they are written', async () => {
    const { http } = await load({
      middlewares: "module.exports = [{ name: 'strapi::ip', config: { blacklist: [/127|0\\.1/y] } }];",
    });
    const [pattern] = http.addresses.flatMap(({ refused }) => refused);
    const asked = ['127.0.0.1', '127.0.0.1', '10.0.0.1', '127.0.0.1'].map((address) => pattern!.test(address));
    deepStrictEqual(asked, [true, true, false, true]);
  });

  it('takes functions for answers of some statuses as code', async () => {
    const list = (handlers: string) =>
      load({ middlewares: `module.exports = [{ name: 'strapi::responses', config: { handlers: ${handlers} } }];` });
    const { code, warnings } = await list('{ 200: (ctx) => ctx }');
    deepStrictEqual([code.middlewares.map(({ name }) => name), warnings], [['strapi::responses'], []]);
    deepStrictEqual((await list("{ 200: 'none' }")).code.middlewares, []);
  });

  const wrong: readonly [files: ConfigFilesOfTest, env: Record<string, string>, message: RegExp][] = [
    [middleware('cors', { origin: 1 }), {}, /^config\/middlewares\.js strapi::cors: origin must be a list of strings$/],
    [middleware('cors', { maxAge: 'long' }), {}, /strapi::cors: maxAge must be a whole number/],
    [middleware('cors', { headers: ['a\nb'] }), {}, /strapi::cors: headers must be/],
    [
      middleware('security', { frameguard: { action: 'allow' } }),
      {},
      /frameguard\.action must be one of deny, sameorigin/,
    ],
    [
      middleware('security', { contentSecurityPolicy: { directives: { scriptSrc: ["'self'; x"] } } }),
      {},
      /contentSecurityPolicy\.directives\.scriptSrc must be a list of sources/,
    ],
    [
      middleware('security', { contentSecurityPolicy: { directives: { 'script-src': [], scriptSrc: [] } } }),
      {},
      /directives\.scriptSrc must be left out: it is the same as script-src$/,
    ],
    [
      middleware('security', { contentSecurityPolicy: { directives: { 'img-src x': [] } } }),
      {},
      /contentSecurityPolicy\.directives must be directives by their names, which "img-src x" is not$/,
    ],
    [middleware('security', { hsts: 'yes' }), {}, /hsts must be true, false or an object/],
    [middleware('security', { referrerPolicy: { policy: 'a\r\nb' } }), {}, /referrerPolicy\.policy must be/],
    [middleware('body', { jsonLimit: 'much' }), {}, /jsonLimit must be a number of bytes/],
    [middleware('body', { formLimit: -1 }), {}, /formLimit must be a number of bytes/],
    [middleware('compression', { gzip: { level: 10 } }), {}, /gzip\.level must be a whole number from -1 to 9/],
    [
      middleware('compression', { br: { params: { 1: 12 } } }),
      {},
      /br\.params\[1\] must be a whole number from 0 to 11/,
    ],
    [
      middleware('ip', { whitelist: '10.0.0.1' }),
      {},
      /^config\/middlewares\.js: config\.whitelist of strapi::ip must be a list of patterns/,
    ],
    [middleware('ip', { whiteList: [] }), {}, /config\.whiteList of strapi::ip is unknown/],
    [middleware('ip', null), {}, /config of strapi::ip is unknown/],
    [
      middleware('ip', { blacklist: ['10.0.0.0/8'] }),
      {},
      /config\.blacklist\[0\] of strapi::ip cannot match an address/,
    ],
    [middleware('ip', [7]), {}, /config\.whitelist\[0\] of strapi::ip must be a pattern/],
    [middleware('ip', ['*.*']), {}, /config\.whitelist\[0\] of strapi::ip is not a pattern/],
    [
      { ...middleware('ip', ['10.0.0.1']), server: { proxy: { koa: true, ipHeader: 'CF-Connecting-IP' } } },
      {},
      /proxy\.ipHeader is not supported, and strapi::ip/,
    ],
    [middleware('rateLimit', {}), {}, /there is no middleware strapi::rateLimit: there are strapi::body/],
    [middleware('body', { multipart: false }), {}, /strapi::body: config\.multipart cannot be false/],
    [middleware('body', { formidable: { filter: 'code' } }), {}, /config\.formidable\.filter is code that may refuse/],
    [middleware('body', { parsedMethods: ['POST'] }), {}, /config\.parsedMethods cannot leave out PUT/],
    [{ server: { socket: '/tmp/strapi.sock' } }, {}, /^config\/server\.js: socket is not supported/],
    [{ plugins: { 'users-permissions': false } }, {}, /users-permissions cannot be disabled/],
    [{ plugins: { 'users-permissions': { enabled: false } } }, {}, /users-permissions cannot be disabled/],
    [{ api: { rest: { rateLimit: true } } }, {}, /rest\.rateLimit must be an object/],
    [{ api: { rest: { rateLimit: { max: 0 } } } }, {}, /rest\.rateLimit\.max must be/],
    [
      { api: { rest: { cacheControl: { 'api::a.a': 'x\r\ny: z' } } } },
      {},
      /cacheControl\['api::a\.a'\] must be the value/,
    ],
    [{ server: { log: { level: 'loud' } } }, {}, /log\.level must be one of/],
    [{ server: { shutdown: { timeout: -1 } } }, {}, /shutdown\.timeout must be/],
    [{}, { LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of .*, not "loud"$/],
    [{}, { METRICS_PORT: '0' }, /^METRICS_PORT must be a whole number from 1 to 65535, not "0"$/],
  ];
  for (const [files, env, message] of wrong) {
    it(`refuses ${JSON.stringify(Object.values(files)[0] ?? env)}`, async () => {
      const error = await load(files, env).catch((thrown: Error) => thrown);
      match((error as Error).message, message);
    });
  }
});
