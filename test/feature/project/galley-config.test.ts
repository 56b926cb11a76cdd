/** `config/galley`, and what `galley check` reports of a project: docs/reference/project-code.md. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';

const type = (name: string) => contentType(name, { text: { type: 'string' } });

/** A project with a global middleware, whose code is not run. */
const galley = (files: Readonly<Record<string, unknown>>): ProjectFiles => ({
  contentTypes: { page: type('page') },
  files: { '.env': 'GALLEY_CODE=read\n', ...files },
});

for (const engine of engines) {
  describe(`config/galley on ${engine.name}`, () => {
    it('keeps the global middlewares that a shorter list of an environment leaves, as Strapi does', async () => {
      const folder = await makeProject(
        galley({
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
          strictEqual(app.code.closed.has('api::page.page.find'), true);
        } finally {
          await app.close();
        }
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
          ['config/galley.js', 'module.exports = { history: { day: 30 } };'],
          ['config/galley.js', 'module.exports = { history: { days: 0 } };'],
          ['config/galley.js', "module.exports = { history: { types: { 'api::page.page': { interval: 1 } } } };"],
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

  it('reports every mistake of schema files, configuration and environment at once', async () => {
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
      /^config\/galley\.js: safeToSkip\.0: the project loads no code from src\/no\.js$/m,
      /^config\/galley\.js: there is no setting sreve: use serve, without, safeToSkip, run, history, trash, audit or backup \(did you mean serve\?\)$/m,
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

  it('reports types of the history that the project does not have', async () => {
    const history = "module.exports = { history: { types: { 'api::page.pages': { days: 3 } } } };";
    const { code, out } = await check({ contentTypes: { page: type('page') }, files: { 'config/galley.js': history } });
    strictEqual(code, 1);
    match(out, /^config\/galley: history\.types\.api::page\.pages: .*did you mean api::page\.page\?/m);
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

  it('takes no notice of a file of package.json that only starts Strapi, and refuses one that does more', async () => {
    const problem = async (source: string, files: Readonly<Record<string, unknown>> = {}) => {
      const start = { 'package.json': { scripts: { start: 'NODE_ENV=production node ./server' } } };
      const { out } = await check({
        contentTypes: { page: type('page') },
        files: { ...start, 'server.js': source, ...files },
      });
      return out;
    };
    for (const source of [
      "const strapi = require('@strapi/strapi');\nstrapi.createStrapi({ distDir: './dist' }).start();",
      "require('dotenv').config();\nconst { createStrapi } = require('@strapi/strapi');\n// starts it\ncreateStrapi().start();",
      "require('@strapi/strapi')().start();",
      "import { createStrapi } from '@strapi/strapi';\nconst app = await createStrapi({}).load();\nawait app.start();",
      // fills a database: nothing is served
      "const { createStrapi } = require('@strapi/strapi');\ncreateStrapi().load().then((app) => app.documents('api::page.page').create({ data: {} }));",
      // calls a running server
      "// for use in Strapi\nclass Feed { start() { return fetch('https://strapi.example.com/api/pages'); } }\nnew Feed().start();",
      "/**\n * require('@strapi/strapi')\n */\nconsole.log('Strapi'); require('node-cron').schedule('* * * * *', f).start();",
    ]) {
      match(await problem(source), /no mistakes$/, source);
    }
    for (const source of [
      "const { createStrapi } = require('@strapi/strapi');\ncreateStrapi().load().then((app) => { app.server.use(guard); app.start(); });",
      "require('./guard');\nrequire('@strapi/strapi').createStrapi().start();",
      "require('@strapi/strapi').createStrapi().start().then(require('some-package'));",
      "require('node:child_process').spawn('strapi', ['start']); guard();",
      "require('node:child_process').execSync('npx strapi develop'); guard();",
      "require('./node_modules/.bin/strapi'); guard(); // start",
      "global.guard = 1; require('@strapi/strapi').createStrapi().start();",
      "require('@strapi/strapi').createStrapi().start(); require('koa').prototype.use = f;",
      "const strapi = require('@strapi/strapi'); strapi.createStrapi({ distDir: guard() }).start();",
    ]) {
      match(await problem(source), /server\.js starts Strapi by itself.*\n.*\n.*without: \['server\.js'\]/, source);
    }
    const imported = { 'lib/go.js': "strapi.server.use(guard); require('@strapi/strapi').createStrapi().start();" };
    match(await problem("require('./lib/go');", imported), /server\.js starts Strapi by itself/);
  });
});
