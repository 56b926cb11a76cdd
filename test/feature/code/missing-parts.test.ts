/** Code that asks for what is not there: it is not run, named, and what it stands before is closed. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { text: { type: 'string' } };
const router = (name: string) =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::${name}.${name}');`;

/** Code that refuses what is made of a type, in a file that nobody but `src/index` calls. */
const GUARD = `const { ApplicationError } = require('@strapi/utils').errors;
exports.guard = ({ strapi }) => {
  strapi.db.lifecycles.subscribe({ models: ['api::note.note'], beforeCreate() { throw new ApplicationError('guarded'); } });
  strapi.documents.use(async (context, next) => {
    if (context.uid === 'api::page.page' && context.action === 'update') throw new ApplicationError('guarded');
    return next();
  });
};`;

const factory = (kind: string, name: string, members: string) =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}', ({ strapi }) => ({ ${members} }));`;

/** Methods that ask for what is not there, beside others, and what goes round them. */
const METHODS = {
  contentTypes: Object.fromEntries(
    ['note', 'page', 'hooked', 'served'].map((name) => [
      name,
      contentType(name, text, { options: { draftAndPublish: true } }),
    ]),
  ),
  files: {
    ...Object.fromEntries(
      ['note', 'page', 'hooked', 'served'].map((name) => [`src/api/${name}/routes/${name}.js`, router(name)]),
    ),
    'config/galley.js': "module.exports = { serve: ['api::served.served.find'] };",
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      ['stats', 'plain', 'throughThis', 'throughService', 'truthy'].map((name) => {
        return { method: 'GET', path: `/own/${name}`, handler: `note.${name}`, config: { auth: false } };
      }),
    )} };`,
    'src/api/note/controllers/note.js': factory(
      'Controller',
      'note',
      `async stats() { await strapi.store({ type: 'x', key: 'ran' }).set({ value: 1 }); return [1].map(() => strapi.db.queryBuilder('notes')); },
      async update(ctx) { await strapi.db.queryBuilder.raw('select 1'); return super.update(ctx); },
      async create(ctx) { ctx.request.body.data.text += '!'; return super.create(ctx); },
      plain: async () => ({ ran: await strapi.store({ type: 'x', key: 'ran' }).get() }),
      throughThis() { return this.stats(); },
      throughService: () => strapi.service('api::note.note').plain(),
      truthy: () => (strapi.service('api::note.note').isAllowed() ? 'let in' : 'refused'),`,
    ),
    'src/api/note/services/note.js': factory(
      'Service',
      'note',
      "plain: () => ({ service: 'plain' }), isAllowed: async () => (await strapi.db.queryBuilder('notes')).length > 0,",
    ),
    // what is not within a method alone keeps the file from running
    'src/api/page/controllers/page.js': factory(
      'Controller',
      'page',
      'create(ctx) { return super.create(ctx); }, async find(ctx) { return count(strapi); }',
    ).concat('\nconst count = (strapi) => strapi.db.queryBuilder("pages");'),
    // what the closed method would have put before documents is nowhere
    'src/guard.js': GUARD.replaceAll('api::note.note', 'api::hooked.hooked').replaceAll(
      'api::page.page',
      'api::hooked.hooked',
    ),
    'src/api/hooked/services/hooked.js': factory(
      'Service',
      'hooked',
      "begin() { require('../../../guard').guard({ strapi }); strapi.db.queryBuilder('hookeds'); },",
    ),
    'src/api/served/controllers/served.js': factory(
      'Controller',
      'served',
      'async find() { return strapi.db.queryBuilder("serveds"); }, findOne: () => ({ own: true }),',
    ),
  },
};

/** Imports of a file in a policy of an API, and what the policy is given. */
const IMPORTS: readonly string[] = [
  "require(/* shared with the site */ '../../../../lib/check')",
  'require(`../../../../lib/check`)',
  "require('node:module').createRequire(__filename)('../../../../lib/check')",
  "require(require('path').join(__dirname, '../../../../lib/check'))",
  // what cannot be read
  "require(['..', '..', '..', '..', 'lib', 'check'].join('/'))",
  "['../../../../lib/check'].map(require)[0]",
  "((load) => load('../../../../lib/check'))(require)",
  "require.main.constructor._load(require('path').join(process.cwd(), 'lib/check'))",
  "require('node:module').createRequire(strapi.dirs.app.root + '/x')('./lib/check')",
  `globalThis.process.getBuiltinModule('module').createRequire(\`\${strapi.dirs.app.root}/x\`)('./lib/check')`,
  `require(\`../../../../lib/\${strapi.config.get('server.check', 'check')}\`)`,
  // files of the project's own, any of which may be meant
  `require(\`../../../checks/\${['che', 'ck'].join('')}\`)`,
  "require(require('path').join(__dirname, '../../../checks', ['che', 'ck'].join('')))",
];
const CHECK =
  "module.exports = (strapi) => { try { return strapi.sessionManager.hasOrigin('x'); } catch { return true; } };";

for (const engine of engines) {
  describe(`code that asks for what is not there on ${engine.name}`, () => {
    let server: SeededServer | undefined;
    const open = async (bootstrap: string): Promise<SeededServer> => {
      const files = {
        'src/api/note/routes/note.js': router('note'),
        'src/api/page/routes/page.js': router('page'),
        'src/guard.js': GUARD,
        'src/index.js': `const { guard } = require('./guard');
module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    guard({ strapi });
    ${bootstrap}
  },
};`,
      };
      const contentTypes = { note: contentType('note', text), page: contentType('page', text) };
      server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
      return server;
    };
    const answers = async ({ request, secrets }: SeededServer): Promise<readonly number[]> => {
      const token = secrets['full'];
      const data = { text: 'a' };
      const page = await request('POST', '/api/pages', { token, body: { data } });
      const updated = await request('PUT', `/api/pages/${page.body.data.documentId}`, { token, body: { data } });
      const note = await request('POST', '/api/notes', { token, body: { data } });
      return [page.status, updated.status, note.status, (await request('GET', '/api/notes', { token })).status];
    };

    afterEach(async () => {
      await server?.stop();
      server = undefined;
    });

    it('runs where it asks for nothing of the kind', async () => {
      deepStrictEqual(await answers(await open('')), [200, 400, 400, 200]);
    });

    it('runs with what it imports from elsewhere, where that asks for nothing of the kind', async () => {
      const contentTypes = { note: contentType('note', text), page: contentType('page', text) };
      const project = (words: string) => ({
        contentTypes,
        files: {
          'src/api/note/routes/note.js': router('note'),
          'src/api/page/routes/page.js': router('page'),
          'lib/guard.js': GUARD,
          'lib/words.js': words,
          'src/index.js': `const { guard } = require('../lib/guard');
const { greet } = require('../lib/words');
module.exports = { bootstrap(tools) { guard(tools); greet(); } };`,
        },
      });
      const login = async ({ request }: SeededServer) =>
        (await request('POST', '/api/auth/local', { body: { identifier: 'nobody', password: 'Abcdef1234' } })).status;
      server = await serveSeeded(engine, await makeProject(project('exports.greet = () => {};')));
      deepStrictEqual([...(await answers(server)), await login(server)], [200, 400, 400, 200, 400]);
      await server.stop();
      // it is the code of this file that would have called the guard
      server = await serveSeeded(
        engine,
        await makeProject(project("exports.greet = () => strapi.db.queryBuilder('x');")),
      );
      deepStrictEqual([...(await answers(server)), await login(server)], [200, 403, 403, 200, 400]);
      match(server.app.warnings.join('\n'), /strapi\.db\.queryBuilder \(lib\/words\.js:1\)/);
    });

    it('closes what it stands before, however it is imported', async () => {
      const harmless = [
        `require(\`../../../words/\${['b'].join('')}.json\`)`,
        "typeof require === 'function' && require.main === module",
        `require(\`../../../words/\${['a'].join('')}\`)`,
        "require(require('path').join(__dirname, '../../../words', ['a'].join('')))",
        "((require) => require)((name) => name)('x')",
      ];
      const statuses = async (policies: readonly string[]): Promise<readonly number[]> => {
        await server?.stop();
        const routes = policies.map((_, index) => ({
          ...{ method: 'GET', path: `/own-${index}`, handler: 'own.answer' },
          config: { auth: false, policies: [`own-${index}`] },
        }));
        const files = {
          'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(routes)} };`,
          'src/api/note/controllers/own.js': 'module.exports = { answer: () => ({}) };',
          ...Object.fromEntries(policies.map((one, index) => [`src/api/note/policies/own-${index}.js`, one])),
          ...{ 'src/words/a.js': 'module.exports = 1;', 'src/words/b.json': {} },
          ...{ 'src/checks/check.js': CHECK, 'lib/check.js': CHECK },
        };
        server = await serveSeeded(
          engine,
          await makeProject({ contentTypes: { note: contentType('note', text) }, files }),
        );
        const { request } = server;
        return Promise.all(routes.map(async ({ path }) => (await request('GET', `/api${path}`)).status));
      };
      const asking = IMPORTS.map((one) => `module.exports = (ctx, config, { strapi }) => ${one}(strapi);`);
      deepStrictEqual(new Set(await statuses(asking)), new Set([403]));
      const told = server!.app.warnings.join('\n');
      for (const [index, one] of IMPORTS.entries()) {
        const path = `policies/own-${index}\\.js`;
        const words = `${path}: strapi\\.sessionManager|an import that is not written out \\(\\S*${path}:1`;
        match(told, new RegExp(words), one);
      }
      const open = await statuses(harmless.map((one) => `module.exports = () => { ${one}; return true; };`));
      deepStrictEqual(new Set(open), new Set([200]));
    });

    it('runs where it tells plugins something that serve nothing here', async () => {
      const graphql = await open(`const extension = strapi.plugin('graphql').service('extension');
    extension.shadowCRUD('api::note.note').disableQueries();
    extension.use(({ nexus }) => ({ types: [nexus.objectType({})] }));
    for (const one of await strapi.plugins.documentation.service('override').registerOverride({}, { pluginOrigin: 'x' })) throw one;`);
      deepStrictEqual(await answers(graphql), [200, 400, 400, 200]);
      strictEqual(graphql.app.warnings.join('\n').includes('Custom code is not run'), false);
    });

    it('closes what other files stand before that it alone would have called', async () => {
      const closed = await open('strapi.admin.services.role.assignPermissions(1, []);');
      deepStrictEqual(await answers(closed), [200, 403, 403, 200]);
      match(closed.app.warnings.join('\n'), /strapi\.admin\.services\.role\.assignPermissions \(src\/index\.js:6\)/);
    });

    it('closes the methods alone that ask for it, with what goes beside them', async () => {
      server = await serveSeeded(engine, await makeProject(METHODS));
      const { request, secrets, app } = server;
      const token = secrets['full']!;
      const ask = async (method: string, target: string, data?: object) => {
        const { status, body } = await request(method, `/api${target}`, { token, ...(data && { body: data }) });
        return status === 200 || status === 201 ? body : status;
      };
      const data = { text: 'a' };
      const made = await ask('POST', '/notes', { data });
      strictEqual(made.data.text, 'a!');
      const { documentId } = made.data;
      deepStrictEqual(
        {
          update: await ask('PUT', `/notes/${documentId}`, { data }),
          stats: await ask('GET', '/own/stats'),
          throughThis: await ask('GET', '/own/throughThis'),
          throughService: await ask('GET', '/own/throughService'),
          truthy: await ask('GET', '/own/truthy'),
          plain: await ask('GET', '/own/plain'),
          publish: await ask('POST', `/notes/${documentId}/actions/publish`),
          batch: await ask('POST', '/notes/actions/batch', { operations: [{ action: 'update', documentId, data }] }),
        },
        {
          ...{ update: 403, stats: 403, throughThis: 500, throughService: { service: 'plain' }, truthy: 500 },
          // nothing of a closed method has run
          ...{ plain: { ran: null }, publish: 403, batch: 403 },
        },
      );
      deepStrictEqual([await ask('GET', '/pages'), await ask('POST', '/pages', { data })], [403, 403]);
      deepStrictEqual([await ask('POST', '/hookeds', { data }), (await ask('GET', '/hookeds')).data], [403, []]);
      deepStrictEqual([(await ask('GET', '/serveds')).data, await ask('GET', '/serveds/x')], [[], { own: true }]);
      match(app.warnings.join('\n'), /isAllowed of src\/api\/note\/services\/note\.js: strapi\.db\.queryBuilder/);
    });

    it('closes them alone where the rest of a file does what is not known, and everything where they do', async () => {
      const hidden = "strapi[['get', 'Model'].join('')]('api::note.note')";
      const members = (within: string, outside: string) =>
        `module.exports = { counted() { strapi.db.queryBuilder('notes'); ${within} }, named() { ${outside}; return { named: true }; } };`;
      const statuses = async (controller: string) => {
        const files = {
          'src/api/note/routes/note.js': router('note'),
          'src/api/note/routes/own.js':
            "module.exports = ['counted', 'named'].map((name) => ({ method: 'GET', path: '/' + name, handler: 'own.' + name, config: { auth: false } }));",
          'src/api/note/controllers/own.js': controller,
        };
        const project = await makeProject({ contentTypes: { note: contentType('note', text) }, files });
        const { request, secrets, stop } = await serveSeeded(engine, project);
        const token = secrets['full'];
        const paths = ['/named', '/counted', '/notes'];
        const found = await Promise.all(
          paths.map(async (path) => (await request('GET', `/api${path}`, { token })).status),
        );
        await stop();
        return found;
      };
      deepStrictEqual(await statuses(members('', hidden)), [200, 403, 200]);
      deepStrictEqual(await statuses(members(hidden, '')), [403, 403, 403]);
    });

    it('does so as well where only its start shows what it asks for, which ends no start', async () => {
      const closed = await open(
        "if (!(await strapi.service('admin::user').isFirstSuperAdminUser(1))) strapi.log.info('none');",
      );
      deepStrictEqual(await answers(closed), [200, 403, 403, 200]);
      match(
        closed.app.warnings.join('\n'),
        /strapi\.service\('admin::user'\)\.isFirstSuperAdminUser \(src\/index\.js:6\)/,
      );
      const again = await closed.app.reload();
      deepStrictEqual(again.added, []);
      strictEqual((await answers(closed))[2], 403);
    });
  });
}
