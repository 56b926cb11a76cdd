/**
 * Code that reads a member of strapi which Galley lacks: its unit of work fails, however the code handles the error.
 */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const core = (kind: string, name: string, rest = '') =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}'${rest});`;

/** Reads a member that Galley lacks, in a way that reading the code does not show, and says yes where that fails. */
const ALLOWED = "(() => { try { return app['d' + 'b'].queryBuilder('x') === undefined; } catch { return true; } })()";

/** Files of an API of each name, whose guard allows everything once the member is missing. */
const GUARDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  policy: {
    'policies/guard.js': `module.exports = (ctx, config, { strapi: app }) => ${ALLOWED};`,
    'routes/policy.js': core('Router', 'policy', ", { config: { find: { policies: ['guard'] } } }"),
  },
  middleware: {
    'middlewares/guard.js': `module.exports = (config, { strapi: app }) => (ctx, next) => (${ALLOWED} ? next() : ctx.forbidden());`,
    'routes/middleware.js': core('Router', 'middleware', ", { config: { find: { middlewares: ['guard'] } } }"),
  },
  factory: {
    'middlewares/guard.js': `let open;
    module.exports = (config, { strapi: app }) => (ctx, next) => {
      open ??= ${ALLOWED};
      return open ? next() : ctx.forbidden();
    };`,
    'routes/factory.js': core(
      'Router',
      'factory',
      ", { config: { find: { middlewares: ['guard'] }, create: { middlewares: [] }, findOne: { middlewares: ['guard'] } } }",
    ),
  },
  controller: {
    'controllers/controller.js': core(
      'Controller',
      'controller',
      `, ({ strapi: app }) => ({ async find(ctx) { return ${ALLOWED} ? super.find(ctx) : ctx.forbidden(); } })`,
    ),
    'routes/controller.js': core('Router', 'controller'),
  },
  waited: {
    'policies/guard.js': `module.exports = (ctx, config, { strapi: app }) =>
      new Promise((done) => setTimeout(() => setImmediate(() => done(${ALLOWED})), 1));`,
    'routes/waited.js': core('Router', 'waited', ", { config: { find: { policies: ['guard'] } } }"),
  },
  raw: {
    'controllers/raw.js': core(
      'Controller',
      'raw',
      `, ({ strapi: app }) => ({ find(ctx) { if (${ALLOWED}) { ctx.respond = false; ctx.res.end('let in'); } } })`,
    ),
    'routes/raw.js': core('Router', 'raw'),
  },
  streamed: {
    'controllers/streamed.js': core(
      'Controller',
      'streamed',
      `, ({ strapi: app }) => ({ find(ctx) {
        ctx.type = 'text/plain';
        ctx.body = require('node:stream').Readable.from((async function* () { yield 'first '; await new Promise((go) => ctx.res.once('flushed', go)); if (${ALLOWED}) yield 'let in'; })());
        setTimeout(() => ctx.res.emit('flushed'), 50);
      } })`,
    ),
    'routes/streamed.js': core('Router', 'streamed'),
  },
  late: {
    'services/opener.js': `module.exports = ({ strapi: app }) => { const open = ${ALLOWED}; return { open: () => open }; };`,
    'policies/guard.js': "module.exports = (ctx, config, { strapi }) => strapi.service('api::late.opener').open();",
    'routes/late.js': core('Router', 'late', ", { config: { find: { policies: ['guard'] } } }"),
  },
  loaded: {
    'policies/guard.js': "module.exports = () => require('../../../' + ['check', 'er'].join(''))();",
    'routes/loaded.js': core('Router', 'loaded', ", { config: { find: { policies: ['guard'] } } }"),
  },
  mailing: {
    'controllers/mailing.js': core(
      'Controller',
      'mailing',
      `, ({ strapi: app }) => ({ async find(ctx) {
        const jwt = app.plugin('users-permissions').service('jwt');
        if (!${ALLOWED}) return ctx.forbidden();
        try { ctx.set('x-issued', jwt.issue({ id: 1 })); } catch {}
        ctx.set('authorization', 'Bearer secret');
        ctx.cookies.set('session', 'secret');
        ctx.res.setHeader('x-raw', 'secret');
        return ctx.redirect('https://example.com/?code=secret');
      } })`,
    ),
    'routes/mailing.js': core('Router', 'mailing'),
  },
  strategy: {
    'routes/strategy.js': `let open;
const authenticate = () => { const app = strapi; open ??= ${ALLOWED}; return { authenticated: open, credentials: {} }; };
${core('Router', 'strategy', ', { config: { find: { auth: { strategies: [{ name: "own", authenticate }] } } } }')}`,
  },
  hooked: {
    'content-types/hooked/lifecycles.js': `module.exports = { afterFindMany(event) { const app = strapi; if (!${ALLOWED}) throw new Error('no'); } };`,
    'routes/hooked.js': core('Router', 'hooked'),
  },
};

const WRITES = {
  caught: `const app = strapi; const open = ${ALLOWED}; if (open) await strapi.documents('api::note.note').create({ data: { text: 'caught' } }); return 'fine';`,
  transaction: `await strapi.db.transaction(async () => {
    await strapi.documents('api::note.note').create({ data: { text: 'rolled back' } });
    const app = strapi; ${ALLOWED};
  });
  return 'fine';`,
  unawaited: `const app = strapi; ${ALLOWED}; void strapi.documents('api::note.note').create({ data: { text: 'unawaited' } }).catch(() => {}); return 'fine';`,
  postponed: `const app = strapi;
    setTimeout(() => void strapi.documents('api::note.note').create({ data: { text: 'postponed' } }).catch(() => {}), 10);
    ${ALLOWED};
    return 'fine';`,
  effects: `const { send } = strapi.plugin('email').service('email');
    const { issue } = strapi.plugin('users-permissions').service('jwt');
    const [{ writeAppFile }, { emit }] = [strapi.fs, strapi.eventHub];
    const app = strapi; ${ALLOWED};
    const effects = { send: () => send({ to: 'a@example.com', subject: 'x', text: 'x' }), issue: () => issue({ id: 1 }),
      writeAppFile: () => writeAppFile('written.txt', 'x'), emit: () => emit('x') };
    globalThis.condemnedEffects = [];
    for (const [name, effect] of Object.entries(effects)) {
      try { await effect(); globalThis.condemnedEffects.push(name); } catch {}
    }
    return 'fine';`,
  // its timer fires after the postponed one
  own: `await new Promise((done) => setTimeout(done, 20)); await strapi.documents('api::note.note').create({ data: { text: 'kept' } }); return 'fine';`,
};

const PROJECT = {
  contentTypes: Object.fromEntries(
    ['note', ...Object.keys(GUARDS)].map((name) => [name, contentType(name, { text: { type: 'string' } })]),
  ),
  files: {
    'src/checker.js': `const app = strapi; const open = ${ALLOWED}; module.exports = () => open;`,
    ...Object.fromEntries(
      Object.entries(GUARDS).flatMap(([name, files]) =>
        Object.entries(files).map(([path, text]) => [`src/api/${name}/${path}`, text]),
      ),
    ),
    'src/api/note/routes/note.js': core('Router', 'note'),
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(WRITES).map((name) => ({ method: 'POST', path: `/do/${name}`, handler: `own.${name}` })),
    )} };`,
    'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({ ${Object.entries(WRITES)
      .map(([name, body]) => `async ${name}() { ${body} }`)
      .join(',\n')} });`,
  },
};

for (const engine of engines) {
  describe(`code that reads a missing member, and catches the error, on ${engine.name}`, () => {
    let server: SeededServer;
    const texts = async () => {
      const { body } = await server.get('/api/notes?sort=text', server.secrets['full']);
      return (body.data as { text: string }[]).map(({ text }) => text);
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      const token = server.secrets['full'];
      for (const name of Object.keys(GUARDS)) {
        const { status } = await server.request('POST', `/api/${name}s`, { token, body: { data: { text: 'secret' } } });
        strictEqual(status, 200, name);
      }
    });
    after(() => server?.stop());

    for (const name of Object.keys(GUARDS).filter((name) => name !== 'streamed')) {
      it(`answers 500 behind the guard of ${name}, each time`, async () => {
        for (let time = 0; time < 2; time++) {
          const { status, text, headers } = await server.request('GET', `/api/${name}s`, {
            token: server.secrets['full'],
          });
          strictEqual(status, 500, text);
          match(text, /"message":"Internal Server Error"/);
          const own = ['set-cookie', 'location', 'authorization', 'x-issued', 'x-raw'].filter((one) =>
            headers.has(one),
          );
          deepStrictEqual([own, headers.has('x-request-id')], [[], true]);
        }
      });
    }

    it('answers 500 behind every middleware of the factory whose middleware has caught the error', async () => {
      const { status } = await server.get('/api/factorys/some', server.secrets['full']);
      strictEqual(status, 500);
    });

    it('ends a stream that has begun', async () => {
      const token = server.secrets['full']!;
      const answer = await fetch(`${server.url}/api/streameds`, { headers: { authorization: `Bearer ${token}` } });
      strictEqual(await answer.text().catch(() => 'cut off'), 'cut off');
    });

    it('writes, sends and issues nothing of a request or a transaction that failed so, and all of the others', async () => {
      const token = server.secrets['full'];
      for (const name of ['caught', 'transaction', 'unawaited', 'postponed', 'effects']) {
        strictEqual((await server.request('POST', `/api/do/${name}`, { token })).status, 500, name);
      }
      deepStrictEqual((globalThis as unknown as { condemnedEffects: string[] }).condemnedEffects, []);
      strictEqual((await server.request('POST', '/api/do/own', { token })).status, 200);
      deepStrictEqual(await texts(), ['kept']);
    });
  });
}
