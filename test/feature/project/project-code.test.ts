/** Code of a project that is not run opens nothing: docs/reference/project-code.md. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines } from '../../support/databases/databases.ts';
import { INHERITED } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const MAIN = path.join(import.meta.dirname, '../../../src/main.ts');
const FACTORIES = "const { factories } = require('@strapi/strapi');\n";
const router = (uid: string, options: string) =>
  `${FACTORIES}module.exports = factories.createCoreRouter('${uid}', ${options});`;

const type = (name: string, draftAndPublish = false) =>
  contentType(name, { text: { type: 'string' } }, { options: { draftAndPublish } });

/** A type for each way in which code stands before actions. */
const PROJECT: ProjectFiles = {
  contentTypes: {
    plain: contentType('plain', {
      text: { type: 'string' },
      guarded: { type: 'relation', relation: 'oneToOne', target: 'api::guarded.guarded' },
    }),
    guarded: type('guarded', true),
    overridden: type('overridden'),
    kept: type('kept'),
    hooked: type('hooked'),
    watched: type('watched', true),
    page: type('page'),
    moved: type('moved'),
    taken: type('taken'),
  },
  files: {
    '.env': 'GALLEY_CODE=read\n',
    'src/api/plain/routes/plain.ts':
      "import { factories } from '@strapi/strapi';\n\nexport default factories.createCoreRouter('api::plain.plain');\n",
    'src/api/guarded/routes/guarded.js': router(
      'api::guarded.guarded',
      "{ config: { find: { policies: ['global::p'] }, create: { policies: ['global::p'] }, update: { policies: ['is-owner'] } } }",
    ),
    'src/policies/p.js': 'module.exports = () => false;',
    'src/api/overridden/controllers/overridden.js': `${FACTORIES}module.exports = factories.createCoreController('api::overridden.overridden', () => ({ async create(ctx) { return ctx.forbidden(); } }));`,
    'src/api/kept/routes/kept.js': router('api::kept.kept', "{ except: ['delete'] }"),
    'src/api/hooked/content-types/hooked/lifecycles.js':
      "module.exports = { beforeCreate() { throw new Error('no'); } };",
    'src/index.ts':
      "export default { register({ strapi }: { strapi: any }) { strapi.documents.use(async (context: any, next: any) => { if (context.uid === 'api::watched.watched' && context.action === 'publish') { throw new Error('no'); } return next(); }); }, bootstrap() {} };",
    'src/api/page/routes/page.js': router(
      'api::page.page',
      "{ config: { find: { middlewares: ['api::page.populate'] } } }",
    ),
    'src/api/page/middlewares/populate.js':
      'module.exports = () => async (ctx, next) => { ctx.query.populate = "*"; await next(); };',
    'src/api/moved/routes/moved.js': router(
      'api::moved.moved',
      "{ prefix: '/v1', only: ['find', 'findOne', 'create'] }",
    ),
    'src/api/taken/routes/taken.js': router('api::taken.taken', '{}'),
    'src/api/taken/routes/01-slug.js':
      "module.exports = { routes: [{ method: 'GET', path: '/takens/:slug', handler: 'taken.bySlug' }] };",
  },
};

const withFiles = (files: Readonly<Record<string, unknown>>): ProjectFiles => ({
  ...PROJECT,
  files: { ...PROJECT.files, ...files },
});

for (const engine of engines) {
  describe(`the code of a project on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, token: string | undefined = server.secrets['full']) =>
      server.request(method, `/api${target}`, { token, ...(body === undefined ? {} : { body }) });
    const status = async (...request: Parameters<typeof call>) => (await call(...request)).status;
    const data = { text: 'x' };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it('closes what a policy guards, to full-access tokens too, and tells a caller nothing', async () => {
      const { status: refused, body } = await call('POST', '/guardeds', { data });
      strictEqual(refused, 403);
      deepStrictEqual(body, {
        data: null,
        error: { status: 403, name: 'ForbiddenError', message: 'Forbidden', details: {} },
      });
      strictEqual(await status('GET', '/guardeds'), 403);
      strictEqual(await status('GET', '/guardeds', undefined, server.secrets['read']), 403);
      const made = await server.app.documents('api::guarded.guarded').create({ data, status: 'published' });
      const { documentId } = made as { documentId: string };
      strictEqual(await status('GET', `/guardeds/${documentId}`), 200);
      strictEqual(await status('PUT', `/guardeds/${documentId}`, { data }), 403);
      strictEqual(await status('DELETE', `/guardeds/${documentId}`), 204);
    });

    it('leaves no way round: not by batches and not by the actions beside a closed update', async () => {
      const made = await server.app.documents('api::guarded.guarded').create({ data, status: 'draft' });
      const { documentId } = made as { documentId: string };
      for (const word of ['publish', 'unpublish', 'discard-draft']) {
        strictEqual(await status('POST', `/guardeds/${documentId}/actions/${word}`), 403, word);
      }
      const batch = (plural: string, operation: unknown) =>
        call('POST', `/${plural}/actions/batch`, { operations: [operation] });
      for (const operation of [
        { action: 'create', data },
        { action: 'update', documentId, data },
        { action: 'publish', documentId },
      ]) {
        strictEqual((await batch('guardeds', operation)).status, 403, operation.action);
      }
      strictEqual((await batch('guardeds', { action: 'delete', documentId })).status, 200);
      const kept = await call('POST', '/kepts', { data });
      strictEqual((await batch('kepts', { action: 'delete', documentId: kept.body.data.documentId })).status, 403);
      strictEqual((await batch('plains', { action: 'create', data })).status, 200);
    });

    it('populates and filters through a type whose list is closed, as Strapi runs none of its code for that', async () => {
      const guarded = (await server.app.documents('api::guarded.guarded').create({ data, status: 'published' })) as {
        documentId: string;
      };
      const plain = await call('POST', '/plains', { data: { text: 'y', guarded: guarded.documentId } });
      strictEqual(plain.status, 200, plain.text);
      const { body } = await call('GET', `/plains?populate=guarded&filters[guarded][text]=x`);
      strictEqual(body.data[0].guarded.documentId, guarded.documentId);
    });

    it('closes an overridden action and leaves the others', async () => {
      strictEqual(await status('POST', '/overriddens', { data }), 403);
      strictEqual(await status('GET', '/overriddens'), 200);
    });

    it('has no route that a router leaves out', async () => {
      const { body } = await call('POST', '/kepts', { data });
      const { status: removed, headers } = await call('DELETE', `/kepts/${body.data.documentId}`);
      deepStrictEqual([removed, headers.get('allow')], [405, 'HEAD, GET, PUT']);
      strictEqual(await status('GET', `/kepts/${body.data.documentId}`), 200);
      strictEqual(await status('GET', '/moveds'), 404);
      strictEqual(await status('POST', '/v1/moveds', { data }), 200);
      strictEqual((await call('GET', '/v1/moveds')).body.data.length, 1);
    });

    it('closes what lifecycles and document middlewares stand before', async () => {
      strictEqual(await status('POST', '/hookeds', { data }), 403);
      strictEqual(await status('GET', '/hookeds'), 200);
      const { body } = await call('POST', '/watcheds?status=draft', { data });
      strictEqual(await status('POST', `/watcheds/${body.data.documentId}/actions/publish`), 403);
      strictEqual(await status('PUT', `/watcheds/${body.data.documentId}`, { data }), 200);
    });

    it('closes a list that a middleware would have populated, and an action that a route of the project answers', async () => {
      strictEqual(await status('GET', '/pages'), 403);
      strictEqual(await status('POST', '/pages', { data }), 200);
      strictEqual(await status('GET', '/takens'), 200);
      strictEqual(await status('GET', '/takens/anything'), 403);
    });

    it('leaves the document service open to code that embeds the server', async () => {
      await server.app.documents('api::hooked.hooked').create({ data });
      strictEqual((await server.app.documents('api::page.page').findMany()).length > 0, true);
    });

    it('serves what config/galley lists as safe', async () => {
      const opened = await serveSeeded(
        engine,
        await makeProject(
          withFiles({
            'config/galley.js':
              "module.exports = { serve: ['api::guarded.guarded.create', 'api::page.page.find'], safeToSkip: ['src/api/hooked/content-types/hooked/lifecycles.js'] };",
          }),
        ),
      );
      try {
        const token = opened.secrets['full'];
        strictEqual((await opened.request('POST', '/api/guardeds', { token, body: { data } })).status, 200);
        strictEqual((await opened.request('POST', '/api/hookeds', { token, body: { data } })).status, 200);
        strictEqual((await opened.get('/api/pages', token)).status, 200);
        strictEqual((await opened.get('/api/guardeds', token)).status, 403);
        // what is opened is not granted
        strictEqual((await opened.get('/api/pages')).status, 403);
      } finally {
        await opened.stop();
      }
    });

    it('closes everything behind a global middleware, stored files included, until it is safe to skip', async () => {
      const middlewares = (names: string) => ({
        'config/middlewares.js': `module.exports = ['strapi::errors', ${names}];`,
        'src/middlewares/gate.js': 'module.exports = () => (ctx, next) => next();',
      });
      const statuses = async (files: Readonly<Record<string, string>>): Promise<number[]> => {
        const gated = await serveSeeded(engine, await makeProject(withFiles(files)));
        try {
          await mkdir(path.join(gated.app.config.publicDir, 'uploads'), { recursive: true });
          await writeFile(path.join(gated.app.config.publicDir, 'uploads/a.png'), 'bytes');
          const token = gated.secrets['full'];
          const targets = ['/api/plains', '/api/users', '/api/i18n/locales', '/uploads/a.png', '/_health'];
          return await Promise.all(targets.map(async (target) => (await gated.get(target, token)).status));
        } finally {
          await gated.stop();
        }
      };
      deepStrictEqual(await statuses(middlewares("'global::gate', 'strapi::public'")), [403, 403, 403, 403, 204]);
      deepStrictEqual(await statuses(middlewares("'strapi::public', 'global::gate'")), [403, 403, 403, 403, 204]);
      const safe = { 'config/galley.json': '{ "safeToSkip": ["global::gate"] }' };
      deepStrictEqual(await statuses({ ...middlewares("'global::gate'"), ...safe }), [200, 200, 200, 200, 204]);
    });

    it('keeps the global middlewares that a shorter list of an environment leaves, as Strapi does', async () => {
      const folder = await makeProject(
        withFiles({
          'config/middlewares.js': "module.exports = ['strapi::errors', 'strapi::public', 'global::gate'];",
          'config/env/production/middlewares.js': "module.exports = ['strapi::logger'];",
          'config/api.js': "module.exports = { responses: { privateAttributes: ['a', 'b'] } };",
          'config/env/production/api.js': "module.exports = { responses: { privateAttributes: ['c'] } };",
          'config/galley.js': "module.exports = { serve: ['uploads', 'api::page.page.find'] };",
          'config/env/production/galley.js': "module.exports = { serve: ['api::page.page.findOne'] };",
        }),
      );
      const database = await engine.databaseFor(folder);
      try {
        const app = await openProject(folder.dir, { env: { ...database.env, NODE_ENV: 'production' } });
        try {
          deepStrictEqual(app.config.code.middlewares, [{ name: 'global::gate' }]);
          deepStrictEqual(app.config.rest.privateAttributes, ['c', 'b']);
          deepStrictEqual(app.config.code.serve, ['api::page.page.findOne']);
          strictEqual(app.code.closed.has('api::plain.plain.find'), true);
        } finally {
          await app.close();
        }
      } finally {
        await database.drop();
        await folder.remove();
      }
    });

    it('refuses to start with a word in config/galley that names nothing, and tells the nearest', async () => {
      const folder = await makeProject(withFiles({ 'config/galley.json': '{ "serve": ["api::page.page.fnd"] }' }));
      const database = await engine.databaseFor(folder);
      try {
        await rejects(openProject(folder.dir, { env: database.env }), {
          message:
            'config/galley.json: serve.0: the project has no action api::page.page.fnd (did you mean api::page.page.find?)',
        });
      } finally {
        await database.drop();
        await folder.remove();
      }
    });

    it('refuses to start with a config/galley that cannot be read, or has settings that do not exist', async () => {
      const database = await engine.emptyDatabase();
      const told = async (file: string, text: string) => {
        const folder = await makeProject({ contentTypes: { page: type('page') }, files: { [file]: text } });
        try {
          await rejects(openProject(folder.dir, { env: database.env }), (error: Error) => {
            match(error.message, /^config\/(?:env\/development\/)?galley\.\w+(?::\d+)*: /);
            doesNotMatch(error.message, /\n/);
            return true;
          });
        } finally {
          await folder.remove();
        }
      };
      try {
        for (const [file, text] of [
          ['config/galley.json', '{ "serves": [] }'],
          ['config/galley.json', '{ "serve": ["uploads" }'],
          ['config/galley.json', '["uploads"]'],
          ['config/galley.json', '{ "serve": "uploads" }'],
          ['config/galley.json', '{ "safeToSkip": [1] }'],
          ['config/galley.js', 'module.exports = {'],
          ['config/galley.js', 'module.exports = 1;'],
          ['config/galley.ts', 'export const serve = ["uploads"];'],
          ['config/galley.ts', 'export default { serve: { page: true } };'],
          ['config/galley.js', "serve: ['api::page.page.find']"],
          ['config/galley.js', ''],
          ['config/galley.mjs', "serve: ['api::page.page.find']"],
          ['config/galley.ts', "serve: ['api::page.page.find']"],
          ['config/env/development/galley.cjs', '// nothing'],
        ] as const) {
          await told(file, text);
        }
      } finally {
        await database.drop();
      }
    });

    it('tells what to write into a config/galley that exports nothing, and takes what it prints', async () => {
      const guarded = withFiles({ 'tsconfig.json': '{}' });
      const opened = async (files: Readonly<Record<string, unknown>>) => {
        const folder = await makeProject({ ...guarded, files: { ...guarded.files, ...files } });
        const database = await engine.databaseFor(folder);
        try {
          const app = await openProject(folder.dir, { env: database.env });
          const closed = [...app.code.closed.keys()].filter((action) => action !== 'api::kept.kept.delete');
          await app.close();
          return { warnings: app.warnings, closed };
        } finally {
          await database.drop();
          await folder.remove();
        }
      };
      for (const file of ['config/galley.js', 'config/galley.ts', 'config/galley.mjs']) {
        await rejects(opened({ [file]: "serve: ['api::page.page.find']" }), {
          message: `${file}: exports nothing; write: ${file.endsWith('.js') ? 'module.exports =' : 'export default'} { serve: ['api::page.page.find'] };`,
        });
      }
      const { warnings, closed } = await opened({});
      strictEqual(closed.length > 0, true);
      const [, file = '', text = ''] =
        /^ {2}To serve these actions without that code, .* (config\/galley\.ts); .*:\n {4}(.*)$/m.exec(
          warnings.join('\n'),
        ) ?? [];
      match(text, /^export default \{ .* \};$/);
      // what is left of them has been left out by routers
      deepStrictEqual((await opened({ [file]: text })).closed, ['api::moved.moved.update', 'api::moved.moved.delete']);
    });

    it('tells at start what is closed and how to open it, and in the log what was refused, once', async () => {
      const folder = await makeProject({
        contentTypes: { moved: type('moved'), other: type('other'), page: type('page') },
        files: {
          '.env': 'GALLEY_CODE=read\n',
          'src/api/moved/routes/moved.js': router('api::moved.moved', "{ prefix: '/v1', except: ['find'] }"),
          'src/api/other/routes/other.js': router('api::other.other', "{ prefix: '/v2' }"),
          'src/api/page/routes/page.js': router('api::page.page', "{ config: { find: { policies: ['global::p'] } } }"),
        },
      });
      const database = await engine.databaseFor(folder);
      const env = { ...INHERITED, ...database.env, API_TOKEN_SALT: 's', JWT_SECRET: 'j' };
      let secret = '';
      const keep = (line: string): void => {
        secret = line;
      };
      const run = (args: string[]) => runCommandLine(args, { env, print: keep, warn: () => {} });
      strictEqual(await run(['token', 'create', '--name', 'full', '--type', 'full-access', folder.dir]), 0);
      const child: ChildProcess = spawn(
        process.execPath,
        [MAIN, 'start', folder.dir, '--host', '127.0.0.1', '--port', '0'],
        { env },
      );
      try {
        let out = '';
        let err = '';
        child.stdout!.setEncoding('utf8').on('data', (text: string) => {
          out += text;
        });
        child.stderr!.setEncoding('utf8').on('data', (text: string) => {
          err += text;
        });
        const ended = once(child, 'close');
        while (!/_health\n/.test(out))
          await Promise.race([once(child.stdout!, 'data'), ended.then(() => rejects(async () => err))]);
        const url = /(http:\S+)\/_health/.exec(out)![1]!;
        for (const headers of [{}, { authorization: `Bearer ${secret}` }, { authorization: `Bearer ${secret}` }]) {
          strictEqual((await fetch(`${url}/api/pages`, { headers })).status, 403);
        }
        // the address that is printed is that of a list which is open
        match(out, /:\d+\/api\/v2\/others\n/);
        child.kill('SIGTERM');
        await ended;
        match(
          err,
          /^warning: 1 action is closed .*\n {2}Would lose a guard:\n {4}policy global::p, src\/api\/page\/routes\/page\.js: find of api::page\.page\n.*\n {4}module\.exports = \{ serve: \['api::page\.page\.find'\] \};\n/m,
        );
        strictEqual(
          err.match(
            /api::page\.page\.find is closed, since code before it is not run: policy global::p \(src\/api\/page\/routes\/page\.js\);/g,
          )?.length,
          1,
          err,
        );
      } finally {
        child.kill('SIGKILL');
        await database.drop();
        await folder.remove();
      }
    });
  });
}

describe('galley check', () => {
  const check = async (project: ProjectFiles, env: Readonly<Record<string, string>> = {}) => {
    const folder = await makeProject(project);
    const [out, err]: [string[], string[]] = [[], []];
    try {
      const surroundings = {
        env,
        print: (line: string) => void out.push(line),
        warn: (line: string) => void err.push(line),
      };
      const code = await runCommandLine(['check', folder.dir], surroundings);
      return { code, out: out.join('\n'), err: err.join('\n') };
    } finally {
      await folder.remove();
    }
  };

  it('prints the same as the start, and names all code that is not run', async () => {
    const { code, err } = await check(
      withFiles({
        'config/plugins.js': 'module.exports = { graphql: { enabled: true } };',
        'src/plugins/own/server/index.js': '',
        'src/extensions/upload/content-types/file/schema.json': '{}',
      }),
    );
    strictEqual(code, 0);
    match(err, /^warning: \d+ actions are closed \(403 to everybody\)/m);
    match(
      err,
      /Would answer differently:\n {4}middleware populate, src\/api\/page\/routes\/page\.js: find of api::page\.page/,
    );
    match(
      err,
      /Custom code is not run: the plugin graphql of config\/plugins\.js, .*src\/index\.ts, src\/plugins\/own, src\/policies\/p\.js\.$/m,
    );
  });

  it('tells every mistake of schema files, configuration and environment at once', async () => {
    const { code, out } = await check(
      {
        contentTypes: {
          page: type('page'),
          note: contentType('note', { text: { type: 'strng' }, more: { type: 'string', requird: true } }),
        },
        files: {
          'config/galley.js':
            "module.exports = { serve: ['api::note.note.fnd', 'api::page.page.find'], sreve: 1, safeToSkip: ['src/no.js'] };",
          'config/server.js': "module.exports = { port: 'abc', host: 5, log: { level: 'loud' } };",
          'config/api.js': 'module.exports = { rest: { ',
          'config/middlewares.js': "module.exports = ['strapi::errors', 'strapi::nothing', 'strapi::boddy'];",
        },
      },
      { PORT: 'x1', DATABASE_CLIENT: 'oracle', SMTP_URL: 'me:secret@host', PUBLIC_URL: 'ftp://me:secret@host' },
    );
    deepStrictEqual([code, out.split('\n').at(-1)], [1, '15 mistakes']);
    for (const told of [
      /^src\/api\/note\/.*: attributes\.text\.type: .*strng/m,
      /^src\/api\/note\/.*: attributes\.more\.requird: unknown option requird \(did you mean required\?\)$/m,
      /^config\/galley\.js: serve\.0: the project has no action api::note\.note\.fnd \(did you mean api::note\.note\.find\?\)$/m,
      /^config\/galley\.js: safeToSkip\.0: the project has no code src\/no\.js$/m,
      /^config\/galley\.js: there is no setting sreve: use serve, safeToSkip or run \(did you mean serve\?\)$/m,
      /^config\/server\.js: port must be a whole number/m,
      /^config\/server\.js: host must be a string$/m,
      /^config\/server\.js: log\.level must be one of /m,
      /^config\/api\.js:\d: /m,
      /^config\/middlewares\.js: there is no middleware strapi::nothing/m,
      /^config\/middlewares\.js: there is no middleware strapi::boddy/m,
      /^PORT must be a whole number from 0 to 65535, not "x1"$/m,
      /^DATABASE_CLIENT: unknown database client "oracle"/m,
      /^SMTP_URL must be an smtp or smtps URL$/m,
      /^PUBLIC_URL must be an http or https URL$/m,
    ]) {
      match(out, told);
    }
    ok(!out.includes('secret'));
  });

  it('takes an option that is one slip away from another for a mistake, which the start only warns of', async () => {
    const page = contentType('page', { text: { type: 'string', Required: true, requirement: true } });
    const project = { contentTypes: { page: { ...page, options: { draftAndPublsh: true } } } };
    const { code, out } = await check(project);
    strictEqual(code, 1);
    match(out, /options\.draftAndPublsh: unknown option draftAndPublsh \(did you mean draftAndPublish\?\)$/m);
    match(out, /attributes\.text\.Required: unknown option Required \(did you mean required\?\)\n2 mistakes$/);
    const folder = await makeProject(project);
    const app = await openProject(folder.dir, { env: { DATABASE_FILENAME: ':memory:' } });
    const schema = 'src/api/page/content-types/page/schema.json';
    deepStrictEqual(app.warnings, [
      `${schema}: options.draftAndPublsh: unknown option draftAndPublsh (did you mean draftAndPublish?)`,
      `${schema}: attributes.text.Required: unknown option Required (did you mean required?)`,
    ]);
    await app.close();
    await folder.remove();
  });

  it('names what routers leave out, and not these routers among the code that is not run', async () => {
    const { code, out, err } = await check({
      contentTypes: { kept: type('kept'), moved: type('moved') },
      files: {
        'src/api/kept/routes/kept.js': router('api::kept.kept', "{ except: ['delete'] }"),
        'src/api/moved/routes/moved.ts':
          "import { factories } from '@strapi/strapi';\nexport default factories.createCoreRouter('api::moved.moved', { prefix: '/v1', only: ['find', 'findOne'] });",
      },
    });
    deepStrictEqual([code, err.includes('not run')], [0, false]);
    match(
      out,
      /^routers of the project leave out delete of api::kept\.kept; create, update, delete of api::moved\.moved\n2 content types/,
    );
  });

  it('closes everything for a file that package.json runs and that does more than start Strapi', async () => {
    const told = async (source: string, files: Readonly<Record<string, unknown>> = {}) => {
      const start = { 'package.json': { scripts: { start: 'NODE_ENV=production node ./server' } } };
      const { err } = await check({
        contentTypes: { page: type('page') },
        files: { ...start, 'server.js': source, ...files },
      });
      return err;
    };
    for (const source of [
      "const strapi = require('@strapi/strapi');\nstrapi.createStrapi({ distDir: './dist' }).start();",
      "require('dotenv').config();\nconst path = require('path');\nprocess.env.X = path.join(__dirname, 'x');\nconst { createStrapi } = require('@strapi/strapi');\ncreateStrapi().start().catch((error) => { console.error(error); process.exit(1); });",
      "require('@strapi/strapi')().start();",
      "import { createStrapi } from '@strapi/strapi';\nconst app = await createStrapi({}).load();\nawait app.start();",
      // fills a database: nothing is served
      "const { createStrapi } = require('@strapi/strapi');\ncreateStrapi().load().then((app) => app.documents('api::page.page').create({ data: {} }));",
    ]) {
      doesNotMatch(await told(source), /closed/, source);
    }
    for (const source of [
      "const { createStrapi } = require('@strapi/strapi');\ncreateStrapi().load().then((app) => { app.server.use(guard); app.start(); });",
      "require('./guard');\nrequire('@strapi/strapi').createStrapi().start();",
      "require('@strapi/strapi').createStrapi().start().then(require('some-package'));",
      "global.guard = 1; require('@strapi/strapi').createStrapi().start();",
      "require('@strapi/strapi').createStrapi().start(",
      "require('@strapi/strapi').createStrapi().start(); require('koa').prototype.use = f;",
    ]) {
      match(await told(source), /code that starts Strapi, server\.js: every action/, source);
    }
    const imported = { 'lib/go.js': "strapi.server.use(guard); require('@strapi/strapi').createStrapi().start();" };
    match(await told("require('./lib/go');", imported), /code that starts Strapi, server\.js: every action/);
    const unused = await told('', { 'other.js': "require('@strapi/strapi').createStrapi().start();" });
    match(unused, /^warning: Custom code is not run: other\.js\.$/m);
    doesNotMatch(unused, /closed/);
  });

  it('reports mistakes of config/galley and exits 1', async () => {
    const { code, out } = await check(
      withFiles({ 'config/galley.js': "module.exports = { serve: ['api::page.page.fnd', 'api::kept.kept.delete'] };" }),
    );
    strictEqual(code, 1);
    match(
      out,
      /^config\/galley\.js: serve\.0: .* \(did you mean api::page\.page\.find\?\)\nconfig\/galley\.js: serve\.1: api::kept\.kept\.delete has no route/,
    );
    match(out, /\n2 mistakes$/);
  });

  it('says of a middleware that no file is which ones there are', async () => {
    const { dir, remove } = await makeProject({
      contentTypes: { plain: type('plain') },
      files: {
        'src/middlewares/trace.js': 'module.exports = () => (ctx, next) => next();',
        'config/middlewares.js': "module.exports = ['strapi::errors', 'global::trce', 'global::trace'];",
      },
    });
    const app = await openProject(dir, { env: { DATABASE_FILENAME: ':memory:' } });
    const told = app.warnings.join('\n');
    match(
      told,
      /global::trce of config\/middlewares\.js \(there is no file of it: did you mean global::trace\? There is/,
    );
    doesNotMatch(told, /the middleware global::trace/);
    await app.close();
    await remove();
  });

  it('stays readable with fifty types', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `kind${index}`);
    const files = names.flatMap((name) => [
      [
        `src/api/${name}/routes/${name}.js`,
        router(
          `api::${name}.${name}`,
          `{ config: { find: { middlewares: ['api::${name}.populate'] }, findOne: { middlewares: ['api::${name}.populate'] }, create: { policies: ['global::is-owner'] } } }`,
        ),
      ],
      [`src/api/${name}/middlewares/populate.js`, 'module.exports = () => (ctx, next) => next();'],
    ]);
    const contentTypes = Object.fromEntries(names.map((name) => [name, type(name)]));
    const { err } = await check({
      contentTypes,
      files: { '.env': 'GALLEY_CODE=read\n', ...Object.fromEntries(files) },
    });
    strictEqual(err.split('\n').length, 8);
    match(
      err,
      /policy global::is-owner, src\/api\/kind0\/routes\/kind0\.js and 49 more: create of api::kind0\.kind0, .* and 44 more$/m,
    );
    match(err, /Custom code is not run: 50 middlewares of src\/api, 50 routes of src\/api\.$/m);
  });
});
