/** Streams of the server with a middleware of the project around everything. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../../src/cli/run.ts';
import { commandText } from '../../../../src/own-files.ts';
import { engines, type TestDatabase } from '../../../support/databases/databases.ts';
import { openStream } from '../../../support/servers/event-stream.ts';
import { startProcess } from '../../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';
import { until } from '../../../support/wait.ts';

const NOTE = 'api::note.note';
const PROJECT = {
  contentTypes: {
    note: contentType('note', { text: { type: 'string' } }),
    owned: contentType('owned', { text: { type: 'string' } }),
    post: contentType('post', { text: { type: 'string' } }),
    secret: contentType('secret', { text: { type: 'string' } }),
    shadow: contentType('shadow', { text: { type: 'string' } }),
  },
  files: {
    'package.json': { name: '@us/our-site' },
    'config/server.js': 'module.exports = { events: { perCaller: 1 } };',
    // a middleware may refuse what nobody else knows of
    'config/galley.js': `module.exports = { serve: ['${NOTE}.find'] };`,
    'config/middlewares.js': "module.exports = ['strapi::errors', 'global::around'];",
    'src/galley.js': `module.exports = {
      policies: { 'api::owned.owned': { find: [function isOwner() { return true; }] } },
      routes: [{ name: 'mine', method: 'GET', path: '/:all(shadows)', auth: false, handler: () => [] }],
    };`,
    'src/policies/no.js': 'module.exports = () => false;',
    'src/api/post/routes/post.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::post.post', { config: { find: { policies: ['global::no'] } } });",
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

    it('send types that are declared safe, and end with their listeners', async () => {
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

    it('announce the excluded types at start, in one line, and the command that lists them', () => {
      const { dir } = server.app.config;
      deepStrictEqual(server.app.warnings, [
        'Code of the project guards its content, so streams of changes leave out 4 types, and 15 actions that Strapi does not have are closed.',
        `"${commandText('check', dir)}" lists the code behind these warnings.`,
      ]);
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

for (const engine of engines) {
  describe(`reports about streams on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    const env = () => ({ ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' });
    const run = async (...args: string[]) => {
      const lines: string[] = [];
      const take = (line: string) => void lines.push(...line.split('\n'));
      const code = await runCommandLine(args, { env: env(), print: take, warn: take, input: async () => '' });
      return { code, lines: lines.map((line) => line.trim()) };
    };
    before(async () => {
      folder = await makeProject(PROJECT);
      database = await engine.databaseFor(folder);
      const actions = ['note', 'owned', 'post', 'shadow'].flatMap((name) => ['--action', `api::${name}.${name}.find`]);
      strictEqual((await run('role', 'grant', 'public', ...actions, folder.dir)).code, 0);
    });
    after(async () => {
      await database?.drop();
      await folder?.remove();
    });

    it('by galley explain: the types, the reasons for the excluded ones, and the answer of the server', async () => {
      const explain = async (query: string) => {
        const { code, lines } = await run('explain', `GET /api/_events${query}`, folder.dir);
        return [code, ...lines.filter((line) => /^(?:sent|omitted|Refused)/.test(line))];
      };
      const around = 'global middleware global::around of config/middlewares.js';
      const owned = `omitted   api::owned.owned: policy isOwner of src/galley; ${around}`;
      const post = `omitted   api::post.post: ${around}; policy global::no of src/policies/no.js`;
      const secret = 'omitted   api::secret.secret: find is not granted';
      const shadow = `omitted   api::shadow.shadow: ${around}; route mine of src/galley`;
      deepStrictEqual(await explain(''), [0, `sent      ${NOTE}`, owned, post, secret, shadow]);
      deepStrictEqual(await explain('?types=notes'), [0, `sent      ${NOTE}`]);
      const [code, ...lines] = await explain('?types=notes,posts');
      deepStrictEqual([code, ...lines.slice(0, 2)], [1, `sent      ${NOTE}`, post]);
      match(String(lines[2]), /^Refused: 400 ValidationError: Invalid key posts at types/);
      const forbidden = await run('role', 'revoke', 'public', '--action', `${NOTE}.find`, folder.dir);
      strictEqual(forbidden.code, 0);
      deepStrictEqual(await explain('?types=posts'), [1, post, 'Refused: 403 ForbiddenError: Forbidden']);
      strictEqual((await run('role', 'grant', 'public', '--action', `${NOTE}.find`, folder.dir)).code, 0);
    });

    it('by galley check, with the setting that opens a type', async () => {
      const { code, lines } = await run('check', folder.dir);
      strictEqual(code, 0, lines.join('\n'));
      const around = 'global middleware global::around of config/middlewares.js';
      for (const line of [
        `api::owned.owned: policy isOwner of src/galley; ${around}`,
        `api::post.post: ${around}; policy global::no of src/policies/no.js`,
        `api::secret.secret: ${around}`,
        `api::shadow.shadow: ${around}; route mine of src/galley`,
        'A policy of src/galley always keeps its type out: api::owned.owned.',
      ]) {
        ok(lines.includes(line), lines.join('\n'));
      }
      match(lines.join('\n'), /leave out 4 types: .*\n.*policy isOwner/);
      // the last line to paste opens whatever the lines before it open
      const pasted = lines.findLast((line) => line.includes('module.exports'))!.trim();
      const opened = await makeProject({ ...PROJECT, files: { ...PROJECT.files, 'config/galley.js': pasted } });
      const told = (await run('check', opened.dir)).lines.join('\n');
      await opened.remove();
      match(told, /leave out 1 type: .*\n.*policy isOwner/);
      strictEqual(/closed|module\.exports/.test(told), false, told);
    });

    it('by the log: why a requested type is excluded, once, and never to the caller', async () => {
      const galley = await startProcess(folder.dir, env());
      try {
        for (const query of ['types=posts', 'types=posts', 'types=secrets', 'types=notes,owneds']) {
          const answer = await fetch(`${galley.url}/api/_events?${query}`);
          strictEqual(answer.status, 400);
          ok(!(await answer.text()).includes('global::'));
        }
      } finally {
        galley.child.kill('SIGTERM');
      }
      const { err } = await galley.ended;
      const told = [...err.matchAll(/"streams of changes leave out (.*?)"/g)].map(([, text]) => text);
      deepStrictEqual(told, [
        'api::post.post: global middleware global::around of config/middlewares.js; policy global::no of src/policies/no.js; config/galley can open types that this code does not guard',
        'api::owned.owned: policy isOwner of src/galley; global middleware global::around of config/middlewares.js',
      ]);
    });
  });
}

describe('streams behind document middlewares', () => {
  it('contain no type, since only a middleware can know which documents it changes', async () => {
    const use = "strapi.documents.use((context, next) => (context.uid === 'api::secret.secret' ? undefined : next()))";
    const { contentTypes } = PROJECT;
    const files = { 'src/index.js': `module.exports = { register({ strapi }) { ${use}; } };` };
    const server = await serveSeeded(engines[0]!, await makeProject({ contentTypes, files }));
    try {
      const token = server.secrets['full']!;
      strictEqual('/api/events' in (await server.get('/api/openapi.json', token)).body.paths, false);
      strictEqual((await server.request('HEAD', '/api/_events?types=notes', { token })).status, 403);
    } finally {
      await server.stop();
    }
  });
});
