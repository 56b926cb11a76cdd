/** What the server streams where a middleware of the project stands around everything. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { openStream } from '../../../support/servers/event-stream.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';
import { until } from '../../../support/wait.ts';

const NOTE = 'api::note.note';
const PROJECT = {
  contentTypes: {
    note: contentType('note', { text: { type: 'string' } }),
    secret: contentType('secret', { text: { type: 'string' } }),
  },
  files: {
    'package.json': { name: '@us/our-site' },
    'config/server.js': 'module.exports = { events: { perCaller: 1 } };',
    // a middleware may refuse what nobody else knows of
    'config/galley.js': `module.exports = { serve: ['${NOTE}.find'] };`,
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::around'];",
    'src/middlewares/around.js':
      "module.exports = () => async (ctx, next) => { await next(); if (ctx.path === '/api/_events') ctx.body = 'instead'; };",
  },
};

for (const engine of engines) {
  describe(`streams behind a middleware on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [
          { name: 'full', type: 'full-access' },
          { name: 'secrets', type: 'custom', permissions: ['api::secret.secret.find'] },
        ],
      });
    });
    after(() => server?.stop());

    it('reach their listeners with what is said to be safe, and end with them', async () => {
      const token = server.secrets['full']!;
      const open = () => openStream(`${server.url}/api/events`, { token }).catch(() => undefined);
      for (let round = 0; round < 3; round++) {
        const stream = await until('a place is free for the stream', open);
        await server.app.documents('api::secret.secret').create({ data: { text: 'not told' } });
        await server.app.documents(NOTE).create({ data: { text: 'told' } });
        const [change] = await stream.told(1);
        strictEqual(change!['uid'], NOTE);
        stream.close();
      }
    });

    it('are said at start to tell of nothing else, with what opens a type', () => {
      const [warning, ...others] = server.app.warnings;
      match(
        warning!,
        /^Streams of changes \(\/api\/events\) do not tell of 1 type: global::around of config\/middlewares/,
      );
      match(warning!, /serve: \['api::note\.note\.find', 'api::secret\.secret\.find'\]/);
      deepStrictEqual(others, []);
    });

    it('are described to those alone who may hear something', async () => {
      const described = async (name: string) => {
        const { body } = await server.get('/api/openapi.json', server.secrets[name]);
        return [body.info.title, '/api/events' in body.paths];
      };
      deepStrictEqual(
        [await described('full'), await described('secrets')],
        [
          ['our-site', true],
          ['our-site', false],
        ],
      );
    });

    it('end where code answers with something else', async () => {
      const token = server.secrets['full']!;
      for (let round = 0; round < 3; round++) {
        const sent = () => server.get('/api/_events', token);
        const text = await until('the stream before has ended', async () => {
          const { status, text } = await sent();
          return status === 200 && text;
        });
        strictEqual(text, 'instead');
      }
    });
  });
}

/** Document middlewares, and whether listeners are told of notes: `secret` always has one of its own. */
const HOOKS: readonly [name: string, code: string, told: boolean][] = [
  ['another type', "if (context.uid !== 'api::secret.secret') return next(); throw new Error('no');", true],
  [
    'writes alone',
    "if (['create', 'update'].includes(context.action) && context.uid === 'api::note.note') context.params.data.by = 1; return next();",
    true,
  ],
  ['reads', 'if (/^find/.test(context.action)) context.params.filters = { id: 0 }; return next();', false],
  ['a type that is worked out', "if (context.uid !== ['api', 'secret.secret'].join('::')) return next();", false],
];

describe('streams behind document middlewares', () => {
  for (const [name, code, told] of HOOKS) {
    it(`${told ? 'tell' : 'do not tell'} of types beside a middleware of ${name}`, async () => {
      const use = `strapi.documents.use((context, next) => { ${code} })`;
      const { contentTypes } = PROJECT;
      const files = { 'src/index.js': `module.exports = { register({ strapi }) { ${use}; } };` };
      const server = await serveSeeded(engines[0]!, await makeProject({ contentTypes, files }));
      try {
        const token = server.secrets['full']!;
        strictEqual('/api/events' in (await server.get('/api/openapi.json', token)).body.paths, told);
        const asked = await server.request('HEAD', '/api/_events?types=notes', { token });
        strictEqual(asked.status, told ? 200 : 403);
      } finally {
        await server.stop();
      }
    });
  }
});
