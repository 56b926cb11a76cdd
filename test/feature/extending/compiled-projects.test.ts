/** Projects with only the compiled files of TypeScript: their configuration counts like their code. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';

const MODULE = "'use strict'; Object.defineProperty(exports, '__esModule', { value: true });";
const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };

/** What of a project is compiled to `root`. */
const compiledTo = (root: string): Record<string, string> => ({
  [`${root}/src/middlewares/inner.js`]:
    "module.exports = () => (ctx, next) => (ctx.query.block ? ctx.forbidden('inner') : next());",
  [`${root}/src/api/note/routes/own.js`]:
    "module.exports = { routes: [{ method: 'GET', path: '/keys', handler: () => strapi.config.get('keys'), config: { auth: false } }] };",
  [`${root}/config/middlewares.js`]: `${MODULE} exports.default = ['strapi::errors', 'global::inner', 'strapi::query', 'strapi::body'];`,
  [`${root}/config/keys.js`]: "const { first } = require('./first'); module.exports = { first };",
  [`${root}/config/first.js`]: "exports.first = 'a';",
});

const STATES: Readonly<Record<string, ProjectFiles['files']>> = {
  'without `config`': { 'tsconfig.json': '{}', ...compiledTo('dist') },
  'beside files of `config` that are no code': {
    'tsconfig.json': '{}',
    'config/data.json': '{}',
    ...compiledTo('dist'),
  },
  'beside other files of `config`': {
    'tsconfig.json': '{}',
    'config/plugins.ts': 'export default {};',
    ...compiledTo('dist'),
  },
  'beside TypeScript, where `tsconfig.json` is gone': {
    'config/plugins.ts': 'export default {};',
    ...compiledTo('dist'),
  },
  'where everything else is gone': compiledTo('dist'),
  'in the folder that `tsconfig.json` names': {
    'tsconfig.json': { compilerOptions: { outDir: 'out/made' } },
    ...compiledTo('out/made'),
  },
};

for (const engine of engines) {
  describe(`a compiled project on ${engine.name}`, () => {
    for (const [state, files] of Object.entries(STATES)) {
      it(`is run with the configuration that was compiled, ${state}`, async () => {
        await using stack = new AsyncDisposableStack();
        const server = await serveSeeded(engine, await makeProject({ contentTypes, files: files! }));
        stack.defer(() => server.stop());
        const { body, status } = await server.get('/api/keys');
        deepStrictEqual({ status, body }, { status: 200, body: { first: 'a' } });
        strictEqual((await server.get('/api/keys?block=1')).status, 403);
      });
    }

    it('has the schemas that were compiled, where nothing else is there', async () => {
      await using stack = new AsyncDisposableStack();
      const at = 'dist/src';
      const attributes = { text: { type: 'string' }, part: { type: 'component', component: 'shared.part' } };
      const part = {
        collectionName: 'components_parts',
        info: { displayName: 'Part' },
        attributes: { word: { type: 'string' } },
      };
      const nickname = { attributes: { nickname: { type: 'string' } } };
      const files = {
        'package.json': { name: 'made', dependencies: { '@strapi/strapi': '5.54.0' } },
        'tsconfig.json': '{}',
        ...compiledTo('dist'),
        [`${at}/api/note/content-types/note/schema.json`]: contentType('note', attributes),
        [`${at}/api/note/content-types/note/lifecycles.js`]: `${MODULE} exports.default = { beforeCreate({ params }) { params.data.text += ' was seen'; } };`,
        [`${at}/api/note/routes/note.js`]: `${MODULE} exports.default = require('@strapi/strapi').factories.createCoreRouter('api::note.note');`,
        [`${at}/components/shared/part.json`]: part,
        [`${at}/extensions/users-permissions/content-types/user/schema.json`]: nickname,
        'dist/config/middlewares.js': `${MODULE} exports.default = ['strapi::errors', { resolve: './src/middlewares/inner' }, 'strapi::query', 'strapi::body'];`,
      };
      const fixture = { tokens: [{ name: 'full', type: 'full-access' }] };
      const server = await serveSeeded(engine, await makeProject({ files }), fixture);
      stack.defer(() => server.stop());
      const body = { data: { text: 'it', part: { word: 'a' } } };
      const sent = { token: server.secrets['full'], body };
      const made = await server.request('POST', '/api/notes?populate=part', sent);
      deepStrictEqual([made.body.data.text, made.body.data.part.word], ['it was seen', 'a']);
      strictEqual((await server.get('/api/notes?block=1', server.secrets['full'])).status, 403);
      strictEqual(
        server.app.catalog.contentTypes.get('plugin::users-permissions.user')!.attributes.has('nickname'),
        true,
      );
      deepStrictEqual(
        server.app.warnings.filter((warning) => /^Custom code is not run/.test(warning)),
        [],
      );
    });

    it('has the schemas of `src` if there are any, and not those of removed types', async () => {
      await using stack = new AsyncDisposableStack();
      const gone = {
        'tsconfig.json': '{}',
        'dist/src/api/gone/content-types/gone/schema.json': contentType('gone', {}),
      };
      const server = await serveSeeded(engine, await makeProject({ contentTypes, files: gone }));
      stack.defer(() => server.stop());
      strictEqual(server.app.catalog.contentTypes.has('api::gone.gone'), false);
    });

    it('has the rules of access of the folder that `tsconfig.json` names', async () => {
      await using stack = new AsyncDisposableStack();
      const rules = `${MODULE} exports.default = { access: { 'api::note.note': { find: { text: { $startsWith: 'pub' } } } } };`;
      const files = { 'tsconfig.json': { compilerOptions: { outDir: './out' } }, 'out/src/galley.js': rules };
      const server = await serveSeeded(engine, await makeProject({ contentTypes, files }), {
        roles: { public: ['api::note.note.find'] },
      });
      stack.defer(() => server.stop());
      for (const text of ['pub', 'private']) await server.app.documents('api::note.note').create({ data: { text } });
      const { data } = (await server.get('/api/notes')).body as { data: { text: string }[] };
      deepStrictEqual(
        data.map(({ text }) => text),
        ['pub'],
      );
    });
  });
}

describe('the configuration of a compiled project', () => {
  const load = async (files: Readonly<Record<string, unknown>>) => {
    await using stack = new AsyncDisposableStack();
    const folder = await makeProject({ contentTypes, files });
    stack.defer(() => folder.remove());
    return await loadConfig(folder.dir, { env: { NODE_ENV: 'production' } });
  };

  it('configures the database and the plugins', async () => {
    const database = { connection: { client: 'sqlite', connection: { filename: ':memory:' } } };
    const config = await load({
      'tsconfig.json': '{}',
      'dist/config/database.js': `module.exports = () => (${JSON.stringify(database)});`,
      'dist/config/plugins.js': 'module.exports = { seo: { enabled: false } };',
    });
    strictEqual(config.database.client === 'sqlite' && config.database.filename, ':memory:');
    deepStrictEqual(config.code.plugins, [{ name: 'seo', enabled: false, resolve: undefined }]);
  });

  it('is merged with that of the environment, and a source precedes its compiled file', async () => {
    const compiled = {
      'tsconfig.json': '{}',
      'dist/config/server.js': 'module.exports = { host: "compiled", port: 2 };',
      'dist/config/env/production/server.js': 'module.exports = { port: 3 };',
    };
    const alone = await load(compiled);
    deepStrictEqual([alone.host, alone.port], ['compiled', 3]);
    const source = 'export default { host: "source", port: 1 };';
    const own = await load({ ...compiled, 'config/server.ts': source, 'config/env/production/server.ts': source });
    deepStrictEqual([own.host, own.port], ['source', 1]);
  });

  it('is not merged with the compiled file of an environment without a source', async () => {
    const config = await load({
      'tsconfig.json': '{}',
      'config/server.ts': 'export default { host: "source", port: 1 };',
      'dist/config/server.js': 'module.exports = { host: "compiled", port: 2 };',
      'dist/config/env/production/server.js': 'module.exports = { port: 3 };',
    });
    deepStrictEqual([config.host, config.port], ['source', 1]);
    const others = await load({
      'tsconfig.json': '{}',
      'config/env/production/api.ts': 'export default { rest: { defaultLimit: 7 } };',
      'dist/config/server.js': 'module.exports = { port: 2 };',
      'dist/config/env/production/server.js': 'module.exports = { port: 3 };',
    });
    deepStrictEqual([others.port, others.rest.defaultLimit], [2, 7]);
  });

  it('is not looked for in a project of JavaScript', async () => {
    const config = await load({
      'config/plugins.js': 'module.exports = {};',
      'dist/config/server.js': 'module.exports = { port: 2 };',
    });
    strictEqual(config.port, 1337);
  });
});
