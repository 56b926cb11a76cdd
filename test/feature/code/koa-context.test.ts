/** Members of Koa's context beside the usual ones, and answers that fail: docs/reference/project-code.md, "ctx". */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Bodies of functions that are given `ctx`, by the name of the path that calls them. */
const ACTIONS: Readonly<Record<string, string>> = {
  app: "ctx.app.once('error', (error) => ctx.set('x-error', error.message)); ctx.app.emit('error', new Error('told'), ctx); return { env: typeof ctx.app.env, same: ctx.app === strapi.server.app };",
  proxied:
    'const { app } = strapi.server; app.proxy = ctx.query.trust === "yes"; const { ip, protocol, host, secure } = ctx; app.proxy = false; return { ip, protocol, host, secure };',
  extended: 'strapi.server.app.context.whole = function () { return this.path; }; return { path: ctx.whole?.() };',
  session: 'return { views: ctx.session.views };',
  shown:
    "return { ctx: Object.keys(ctx.toJSON()).sort(), text: JSON.parse(JSON.stringify({ ctx })).ctx.request.method, subdomains: ctx.subdomains, languages: [ctx.acceptsLanguages('fr', 'de'), ctx.acceptsLanguages('it')], encodings: ctx.acceptsEncodings('br', 'identity'), charset: ctx.acceptsCharsets('utf-8'), message: ctx.response.message };",
  circle: 'const body = { x: 1 }; body.body = body; ctx.body = body;',
  big: 'ctx.body = { n: 10n };',
  fails: "ctx.body = Readable.from((async function* () { throw new Error('at once'); })());",
  missing: "ctx.body = fs.createReadStream('/nonexistent/file');",
  midway:
    "ctx.type = 'text'; ctx.body = Readable.from((async function* () { yield 'first'.repeat(20000); await new Promise((go) => setTimeout(go, 50)); throw new Error('midway'); })());",
  ended: "ctx.res.statusCode = 203; ctx.res.setHeader('x-own', 'yes'); ctx.res.end('ended');",
  own: "ctx.respond = false; ctx.res.writeHead(202, { 'x-own': 'yes' }); ctx.res.write('a'); setImmediate(() => ctx.res.end('b'));",
  object: "ctx.badRequest({ message: 'm' });",
  exposed: "throw Object.assign(new Error('hidden'), { status: 503, expose: true });",
  unexposed: "throw Object.assign(new Error('hidden'), { status: 422, expose: false });",
  params: 'return [ctx.request.params, ctx.request.params === ctx.params];',
  sent: 'return [typeof ctx.request.body, ctx.request.body];',
  thrown: "throw { status: 400, message: 'no error' };",
  early: 'ctx.throw(425);',
  throws: 'ctx.throw(...JSON.parse(ctx.query.parts));',
  failing: "throw Object.assign(new Error('boom'), JSON.parse(ctx.query.parts));",
  gone: 'ctx.throw(499);',
  unknown: 'ctx.throw(520);',
  statuses:
    'const told = {}; for (let status = 400; status < 600; status++) { try { ctx.throw(status); } catch ({ name }) { (told[name] ??= []).push(status); } } return told;',
  redirected: "ctx.redirect('https://example.com/a?b=c d');",
  back: "ctx.redirect('back', '/other');",
  backByResponse: "ctx.response.redirect('back', '/other');",
  takes:
    "return { languages: [ctx.acceptsLanguages(), ctx.acceptsLanguages(['en', 'de']), ctx.acceptsLanguages('de', 'fr')], encodings: [ctx.acceptsEncodings(), ctx.acceptsEncodings('gzip', 'identity')], types: [ctx.accepts(), ctx.accepts('json', 'text/html'), ctx.accepts('png')], sets: ctx.acceptsCharsets('iso-8859-1', 'utf-8') };",
  saved: "ctx.attachment(ctx.query.name, ctx.query.type && { type: ctx.query.type }); ctx.body = 'x';",
  empty: "ctx.status = 205; ctx.body = 'x';",
  typed:
    "ctx.type = 'csv'; ctx.body = { a: 'ä' }; const told = [ctx.type, ctx.length, ctx.response.length]; ctx.body = { told }; ctx.type = 'application/ld+json';",
  loud: "ctx.throw(500, 'hidden', { expose: true });",
  asked:
    "const kinds = [ctx.is('application/*'), ctx.is('json')]; ctx.query = { a: 1, b: ['x', 'y'] }; const told = [ctx.querystring, ctx.url]; ctx.url = '/elsewhere?k=2'; told.push(ctx.path, ctx.query.k, ctx.originalUrl); ctx.type = 'png'; told.push(ctx.response.is('image/*'), ctx.response.is('json')); ctx.type = 'json'; ctx.body = [...told, ...kinds];",
};

/** What Koa names errors that are thrown by a status, all of which have a name of their own but those of 400 and 500. */
const NAMED = `401 Unauthorized, 402 PaymentRequired, 403 Forbidden, 404 NotFound, 405 MethodNotAllowed, 406 NotAcceptable,
  407 ProxyAuthenticationRequired, 408 RequestTimeout, 409 Conflict, 410 Gone, 411 LengthRequired, 412 PreconditionFailed,
  413 PayloadTooLarge, 414 URITooLong, 415 UnsupportedMediaType, 416 RangeNotSatisfiable, 417 ExpectationFailed,
  418 ImATeapot, 421 MisdirectedRequest, 422 UnprocessableEntity, 423 Locked, 424 FailedDependency,
  425 UnorderedCollection, 426 UpgradeRequired, 428 PreconditionRequired, 429 TooManyRequests,
  431 RequestHeaderFieldsTooLarge, 451 UnavailableForLegalReasons, 501 NotImplemented, 502 BadGateway,
  503 ServiceUnavailable, 504 GatewayTimeout, 505 HTTPVersionNotSupported, 506 VariantAlsoNegotiates,
  507 InsufficientStorage, 508 LoopDetected, 509 BandwidthLimitExceeded, 510 NotExtended, 511 NetworkAuthenticationRequired`;

/** What is answered where something is thrown with a status, as Strapi 5.54 does. */
const INTERNAL = [500, 'InternalServerError', 'Internal Server Error'] as const;
const THROWN: readonly (readonly [string, unknown, number, string?, string?])[] = [
  ['throws', [302], 302, 'Error', 'Found'],
  ['throws', [302, 'moved'], 302, 'Error', 'moved'],
  ['throws', [200, 'fine'], 200, 'Error', 'fine'],
  ['throws', [204], 204],
  ['throws', [304], 304],
  ...[99, 299, 399, 600, 0, -1].map((status) => ['throws', [status, 'x'], ...INTERNAL] as const),
  ['throws', ['x'], ...INTERNAL],
  ['failing', { status: 302 }, 302, 'Error', 'boom'],
  ['failing', { statusCode: 200 }, 200, 'Error', 'boom'],
  ['failing', { status: '404' }, ...INTERNAL],
  ['failing', { status: 299 }, ...INTERNAL],
];

const PROJECT: ProjectFiles = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(Object.keys(ACTIONS))}.map((name) => ({ method: ['sent', 'asked'].includes(name) ? 'POST' : 'GET', path: '/' + name, handler: 'note.' + name, config: { auth: false } })) };`,
    'src/api/note/controllers/note.js': `const fs = require('node:fs');\nconst { Readable } = require('node:stream');\nmodule.exports = {\n${Object.entries(
      ACTIONS,
    )
      .map(([name, body]) => `async ${name}(ctx) { ${body} }`)
      .join(',\n')}\n};`,
  },
};

for (const engine of engines) {
  describe(`the context of code on ${engine.name}`, () => {
    let server: SeededServer;
    const get = (name: string, headers: Readonly<Record<string, string>> = {}) =>
      server.request('GET', `/api/${name}`, { headers });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('has texts that are sent as they are, and other bodies as objects', async () => {
      const send = async (type: string, body: string) => {
        const answer = await fetch(`${server.url}/api/sent`, {
          method: 'POST',
          headers: { 'content-type': type },
          body,
        });
        return answer.json();
      };
      deepStrictEqual(await send('text/plain; charset=utf-8', '{"a":1}'), ['string', '{"a":1}']);
      deepStrictEqual(await send('application/json', '{"a":1}'), ['object', { a: 1 }]);
      deepStrictEqual(await send('application/x-own', 'abc'), ['object', {}]);
    });

    it('has the application, without sessions', async () => {
      const { body, headers } = await get('app');
      deepStrictEqual([body, headers.get('x-error')], [{ env: 'string', same: true }, 'told']);
      const session = await get('session');
      deepStrictEqual([session.status, session.body.error.message], [500, 'Internal Server Error']);
    });

    it('takes addresses from the headers of a proxy where code trusts it', async () => {
      const headers = {
        'x-forwarded-for': '9.9.9.9, 8.8.8.8',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'a.b',
      };
      const trusted = { ip: '9.9.9.9', protocol: 'https', host: 'a.b', secure: true };
      deepStrictEqual((await get('proxied?trust=yes', headers)).body, trusted);
      const { ip, protocol, secure } = (await get('proxied', headers)).body;
      deepStrictEqual([ip === '9.9.9.9', protocol, secure], [false, 'http', false]);
    });

    it('has the members that code has added to the contexts of later requests', async () => {
      deepStrictEqual((await get('extended')).body, {});
      deepStrictEqual((await get('extended')).body, { path: '/api/extended' });
    });

    it('can be inspected, and negotiates content types', async () => {
      deepStrictEqual((await get('params')).body, [{}, true]);
      const { body } = await get('shown', { 'accept-language': 'de, en;q=0.5', 'accept-encoding': 'identity' });
      deepStrictEqual(body, {
        ctx: ['originalUrl', 'req', 'request', 'res', 'response', 'socket'],
        ...{ text: 'GET', subdomains: [], languages: ['de', false] },
        ...{ encodings: 'identity', charset: 'utf-8', message: 'Not Found' },
      });
    });

    it("returns the client's preference, by its weights", async () => {
      const taken = async (headers: Readonly<Record<string, string>>) => (await get('takes', headers)).body;
      deepStrictEqual(
        await taken({
          'accept-language': 'de;q=0.5, en-US, *;q=0.1',
          'accept-encoding': 'gzip;q=0, br;q=0.2',
          'accept-charset': 'iso-8859-1;q=0.3, *;q=0.7',
          accept: 'text/html;q=0.1, application/*',
        }),
        {
          languages: [['en-US', 'de', '*'], 'en', 'de'],
          encodings: [['br', 'identity'], 'identity'],
          types: [['application/*', 'text/html'], 'json', false],
          sets: 'utf-8',
        },
      );
      const { languages, encodings, types } = await taken({ 'accept-encoding': '', accept: '*/*' });
      deepStrictEqual(
        [languages, encodings],
        [
          [['*'], 'en', 'de'],
          [['identity'], 'identity'],
        ],
      );
      deepStrictEqual(types, [['*/*'], 'json', 'png']);
    });

    it('sends a client back where it came from on this host, and elsewhere else', async () => {
      const to = async (referer: string) => (await get('back', { referer })).headers.get('location');
      const own = `${server.url}/from?a=b`;
      deepStrictEqual(
        [await to(own), await to('https://evil.example/x'), await to('/from'), await to('http://[')],
        [own, '/other', '/from', '/other'],
      );
    });

    it('names a body that is saved as RFC 6266 has it', async () => {
      const named = async (query: string) => (await get(`saved?${query}`)).headers.get('content-disposition');
      deepStrictEqual(
        [await named('name=a"b.txt'), await named('name=%C3%BC.txt'), await named('name=dir/%E2%82%AC%22.json')],
        [
          'attachment; filename="a\\"b.txt"',
          `attachment; filename="?.txt"; filename*=UTF-8''%C3%BC.txt`,
          `attachment; filename="?\\".json"; filename*=UTF-8''%E2%82%AC%22.json`,
        ],
      );
      deepStrictEqual(
        [await named('name=a%2520b.txt'), await named('name=x.pdf&type=inline'), await named('')],
        [`attachment; filename="a%20b.txt"; filename*=UTF-8''a%2520b.txt`, 'inline; filename="x.pdf"', 'attachment'],
      );
    });

    it('has the type and the length of a body, which code may change', async () => {
      const { body, headers } = await get('typed');
      deepStrictEqual(
        [body, headers.get('content-type')],
        [{ told: ['application/json', 10, 10] }, 'application/ld+json; charset=utf-8'],
      );
    });

    it('has an address that follows changes of code', async () => {
      const { body } = await server.request('POST', '/api/asked', { body: {} });
      const query = 'a=1&b%5B0%5D=x&b%5B1%5D=y';
      deepStrictEqual(body, [
        ...[query, `/api/asked?${query}`, '/elsewhere', '2', '/api/asked', 'image/png', false],
        ...['application/json', 'json'],
      ]);
    });

    it('logs an answer that cannot be sent, and continues', async () => {
      const folder = await makeProject(PROJECT);
      const database = await engine.databaseFor(folder);
      const program = await startProcess(folder.dir, { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
      try {
        const ask = (name: string) => fetch(`${program.url}/api/${name}`);
        for (const name of ['circle', 'big', 'fails']) strictEqual((await ask(name)).status, 500);
        strictEqual((await ask('missing')).status, 404);
        const midway = await ask('midway');
        strictEqual(midway.status, 200);
        await rejects(midway.text());
        strictEqual((await ask('shown')).status, 200);
      } finally {
        program.child.kill('SIGTERM');
        const { err } = await program.ended;
        await database.drop();
        await folder.remove();
        match(
          err,
          /The body of GET \/api\/circle \(note\.circle\) cannot be written as JSON: Converting circular structure/,
        );
        match(err, /The body of GET \/api\/big \(note\.big\)/);
        match(err, /at once/);
        match(err, /The stream of GET \/api\/midway \(note\.midway\) failed: midway/);
      }
    });

    it('lets code answer by itself', async () => {
      const ended = await get('ended');
      deepStrictEqual([ended.status, ended.headers.get('x-own'), ended.text], [203, 'yes', 'ended']);
      const own = await get('own');
      deepStrictEqual([own.status, own.headers.get('x-own'), own.text], [202, 'yes', 'ab']);
    });

    it('answers with errors as Koa and the reference do', async () => {
      const told = async (name: string) => {
        const { name: own, message } = (await get(name)).body.error;
        return [own, message];
      };
      deepStrictEqual(await told('object'), ['BadRequestError', 'Bad Request']);
      deepStrictEqual(await told('exposed'), ['ServiceUnavailableError', 'Service Unavailable']);
      deepStrictEqual(await told('loud'), ['InternalServerError', 'Internal Server Error']);
      const empty = await get('empty');
      deepStrictEqual([empty.status, empty.text, empty.headers.get('content-type')], [205, '', null]);
      deepStrictEqual(await told('thrown'), ['InternalServerError', 'Internal Server Error']);
      deepStrictEqual(await told('unexposed'), ['UnprocessableEntityError', 'Unprocessable Entity']);
      deepStrictEqual(await told('early'), ['UnorderedCollectionError', 'Unordered Collection']);
      strictEqual((await get('gone')).status, 499);
      deepStrictEqual(await told('gone'), ['BadRequestError', 'Bad Request']);
      strictEqual((await get('unknown')).status, 520);
      deepStrictEqual(await told('unknown'), ['InternalServerError', 'Internal Server Error']);
      const named = NAMED.split(',').map((one) => one.trim().split(' '));
      const { BadRequestError, InternalServerError, ...others } = (await get('statuses')).body;
      deepStrictEqual(others, Object.fromEntries(named.map(([code, name]) => [`${name}Error`, [Number(code)]])));
      const [first, last] = [BadRequestError.length, InternalServerError.length];
      deepStrictEqual([first + last + named.length, BadRequestError[0], InternalServerError[0]], [200, 400, 500]);
      for (const [name, parts, code, own, message] of THROWN) {
        const { status, text, body } = await get(`${name}?parts=${encodeURIComponent(JSON.stringify(parts))}`);
        const error = text === '' ? {} : body.error;
        deepStrictEqual(
          [status, error.status ?? code, error.name, error.message],
          [code, code, own, message],
          `${parts}`,
        );
      }
      const { status, headers } = await get('redirected');
      deepStrictEqual([status, headers.get('location')], [302, 'https://example.com/a?b=c%20d']);
      for (const name of ['back', 'backByResponse']) strictEqual((await get(name)).headers.get('location'), '/other');
    });
  });
}
