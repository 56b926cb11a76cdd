/** Members of strapi in code of a project: docs/reference/project-code.md, "strapi". */
import { deepStrictEqual, match } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Actions of one controller, each the body of a function whose answers Strapi 5.54 has given. */
const ACTIONS: Readonly<Record<string, string>> = {
  container: `const mailer = strapi.get('mailer');
    return { sent: mailer.send(), same: strapi.get('mailer') === mailer, plain: strapi.get('plain'),
      has: ['mailer', 'db', 'nope'].map((name) => strapi.has(name)), own: said(() => strapi.mailer),
      told: [() => strapi.get('nope'), () => strapi.add('mailer', 1), () => strapi.add('db', {})].map(said) };`,
  registries: `const [services, controllers] = [strapi.get('services'), strapi.get('controllers')];
    return { same: services.get('api::article.article') === strapi.service('api::article.article'),
      none: said(() => services.get('api::nope.nope')), types: Object.keys(strapi.get('content-types').getAll('api::')),
      controllers: controllers.keys().includes('api::article.own'),
      kinds: [strapi.get('coreStore').get, strapi.get('logger').info, strapi.get('content-api').sanitize.query].map((one) => typeof one) };`,
  params: `return [
      { filters: { title: 'a' }, sort: 'title:desc', pagination: { page: 1 } },
      { fields: ['title'], sort: ['views', 'title:desc'], start: '2', limit: '3', locale: 'en' },
      { fields: 'title,slug', populate: { cat: { fields: ['name'], sort: 'name', filters: { name: 'x' } } }, page: 2, pageSize: '5', _q: 'x' },
      { populate: '*', limit: -1 }, { populate: ['cat'], sort: { title: 'asc' } }, {},
      { page: 1, start: 1 }, { page: 0 }, { pageSize: 'x' }, { start: -1 }, { limit: 'x' },
    ].map((query) => said(() => strapi.get('query-params').transform('api::article.article', query)));`,
  log: `strapi.log.log('info', 'told by log');
    strapi.log.log({ level: 'warn', message: 'told by log as well' });
    return { level: strapi.log.level, is: [strapi.log.isInfoEnabled(), strapi.log.isLevelEnabled('error')],
      silly: strapi.log.levels.silly, child: typeof strapi.log.child({ a: 1 }).info };`,
  editions: `const { isEE, features, seats } = strapi.ee;
    return { EE: strapi.EE, isEE, features: [features.isEnabled('sso'), features.list()], seats: said(() => seats),
      hooks: Object.keys(strapi.hooks), none: said(() => strapi.hook('x')), telemetry: typeof strapi.telemetry.isDisabled,
      steps: [strapi.sanitizers.get('content-api.output').slice(0, 0), strapi.sanitizers.has('content-api.output'), strapi.validators.has('x')] };`,
  plugins: `return [
      () => strapi.plugin('redis'), () => strapi.plugins.redis, () => strapi.plugin('sentry')?.service('sentry'),
      () => strapi.service('plugin::redis.x'), () => strapi.controller('plugin::redis.x'),
      () => strapi.plugin('upload').service('nope'), () => strapi.service('plugin::upload.nope'),
      () => strapi.service('admin::nope'), () => strapi.plugin('upload').contentType('nope'), () => strapi.models,
      () => strapi.plugin('redis').connections,
    ].map(said);`,
  settings: `const { config } = strapi;
    return [config.get('info.strapi'), config.info.name, config.get('admin.path'), config.get('admin.url'), config.uuid,
      config.get('autoReload'), typeof config.launchedAt, config.has('admin.path'),
      config.get('database.connection.client') === strapi.db.dialect.client];`,
  db: `const { entityManager, logger, config, dialect } = strapi.db;
    return { same: [logger === strapi.log, config.connection.client === dialect.client],
      found: (await entityManager.findMany('api::article.article', { where: { title: 'one' } })).map(({ title }) => title),
      count: [await entityManager.count('api::article.article'), await entityManager.getRepository('api::article.article').count()] };`,
  sanitizers: `const uid = 'api::article.article';
    const { sanitize, validate } = require('@strapi/utils');
    const { contentAPI } = strapi;
    const asked = {
      filters: { title: 'a', hidden: 'x', $or: [{ hidden: 'x' }, { views: 1 }] },
      sort: ['hidden:asc', 'title'], fields: ['title', 'hidden'], populate: { cat: { fields: ['name'] }, nope: true },
    };
    const made = sanitize.createAPISanitizers({ getModel: strapi.getModel });
    const checks = validate.createAPIValidators({ getModel: strapi.getModel });
    const told = [];
    for (const [name, value] of Object.entries(asked)) {
      const both = [made, contentAPI.sanitize].map((one) => one[name](value, strapi.contentType(uid), {}));
      told.push(...(await Promise.all(both)));
      for (const one of [checks, contentAPI.validate]) {
        told.push(await one[name](value, strapi.contentType(uid), {}).then(() => 'valid', (error) => error.message));
      }
      told.push(await checks[name](told.at(-4), strapi.contentType(uid), {}).then(() => 'valid', (error) => error.message));
    }
    return told;`,
  policies: `const { policy } = require('@strapi/utils');
    const ctx = strapi.requestContext.get();
    return ['admin', 'koa'].map((kind) => {
      const context = policy.createPolicyContext(kind, ctx);
      return [context.type, context.is('admin'), context.is('koa'), context.request.url === ctx.request.url];
    });`,
  models: `return ['shared.part', 'api::nope.nope'].map((uid) => said(() => strapi.db.query(uid)));`,
  files: `const [fs, path] = [require('node:fs'), require('node:path')];
    const at = (name) => path.join(strapi.dirs.app.root, name);
    await strapi.fs.writeAppFile('own/a.txt', 'a');
    await strapi.fs.writeAppFile(['..', '..', 'own', 'b.txt'], 'b');
    strapi.fs.appendFile('own/a.txt', 'c');
    await strapi.fs.writePluginFile('shop', 'x.txt', 'x');
    const there = [fs.readFileSync(at('own/a.txt'), 'utf8'), fs.existsSync(at('own/b.txt')), fs.existsSync(at('extensions/shop/x.txt'))];
    for (const name of ['own', 'extensions']) await strapi.fs.removeAppFile(name);
    return [...there, fs.existsSync(at('own'))];`,
};

const PROJECT: ProjectFiles = {
  components: {
    'shared.part': { collectionName: 'components_parts', attributes: { label: { type: 'string' } } },
  },
  contentTypes: {
    cat: contentType('cat', { name: { type: 'string' } }),
    article: contentType('article', {
      title: { type: 'string' },
      slug: { type: 'string' },
      views: { type: 'integer' },
      hidden: { type: 'string', private: true },
      cat: { type: 'relation', relation: 'manyToOne', target: 'api::cat.cat' },
    }),
  },
  files: {
    'package.json': {
      name: 'members',
      dependencies: { '@strapi/strapi': '5.54.0' },
      strapi: { uuid: 'own-uuid' },
    },
    'src/api/article/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(ACTIONS).map((name) => {
        return { method: 'GET', path: `/own/${name}`, handler: `own.${name}`, config: { auth: false } };
      }),
    )} };`,
    'src/api/article/controllers/own.js': `const said = (work) => {
  try {
    const value = work();
    return value === undefined ? 'undefined' : value;
  } catch (error) {
    return \`\${error.name}: \${error.message}\`;
  }
};
module.exports = {
${Object.entries(ACTIONS)
  .map(([name, body]) => `  async ${name}() {\n    ${body}\n  },`)
  .join('\n')}
};`,
    'src/index.js': `module.exports = {
  register({ strapi }) {
    strapi.add('mailer', (app) => ({ send: () => [app === strapi, app.isLoaded] }));
    strapi.add('plain', 5);
  },
  async bootstrap({ strapi }) {
    await strapi.documents('api::article.article').create({ data: { title: 'one' } });
  },
};`,
  },
};

for (const engine of engines) {
  describe(`members of strapi on ${engine.name}`, () => {
    let server: SeededServer;
    const own = async (name: string) => {
      const { status, body, text } = await server.get(`/api/own/${name}`);
      return status === 200 ? body : [status, text];
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server?.stop());

    it("store services of a project under their names, and have Strapi's under theirs", async () => {
      deepStrictEqual(await own('container'), {
        ...{ sent: [true, true], same: true, plain: 5, has: [true, true, false], own: 'undefined' },
        told: [
          'Error: Could not resolve service nope',
          'Error: Cannot register already registered service mailer',
          'Error: Cannot register already registered service db',
        ],
      });
      deepStrictEqual(await own('registries'), {
        ...{ same: true, none: 'undefined', types: ['api::article.article', 'api::cat.cat'], controllers: true },
        kinds: ['function', 'function', 'function'],
      });
    });

    it('turn parameters of documents into those of queries', async () => {
      const cat = { orderBy: [{ name: 'asc' }], select: ['id', 'documentId', 'name'], where: { name: 'x' } };
      const select = ['id', 'documentId', 'title'];
      deepStrictEqual(await own('params'), [
        { orderBy: [{ title: 'desc' }], pagination: { page: 1 }, where: { title: 'a' } },
        { limit: 3, locale: 'en', offset: 2, orderBy: [{ views: 'asc' }, { title: 'desc' }], select },
        { _q: 'x', page: 2, pageSize: 5, populate: { cat }, select: [...select, 'slug'] },
        { populate: true },
        { orderBy: { title: 'asc' }, populate: ['cat'] },
        {},
        'PaginationError: Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
        "PaginationError: Invalid 'page' parameter. Expected an integer > 0, received: 0",
        "PaginationError: Invalid 'pageSize' parameter. Expected an integer > 0, received: x",
        'ValidationError: convertStartQueryParams expected a positive integer got -1',
        'ValidationError: convertLimitQueryParams expected a positive integer got NaN',
      ]);
    });

    it('log by the name of a level, and list the levels', async () => {
      deepStrictEqual(await own('log'), { level: 'http', is: [true, true], silly: 6, child: 'function' });
    });

    it('report that no paid feature is present, and that sanitizers have no additions', async () => {
      deepStrictEqual(await own('editions'), {
        ...{ EE: false, isEE: false, features: [false, []], seats: 'undefined', none: 'undefined' },
        hooks: ['strapi::content-types.beforeSync', 'strapi::content-types.afterSync'],
        ...{ telemetry: 'boolean', steps: [[], true, false] },
      });
    });

    it('are undefined where the reference has nothing either, as are plugins that a project does not have', async () => {
      deepStrictEqual(await own('plugins'), [
        ...Array(10).fill('undefined'),
        "TypeError: Cannot read properties of undefined (reading 'connections')",
      ]);
    });

    it('sanitize and validate each parameter by itself', async () => {
      const kept = {
        filters: { title: 'a', $or: [{ views: 1 }] },
        sort: ['title'],
        fields: ['title'],
        populate: { cat: { fields: ['name'] } },
      };
      const told = Object.entries(kept).flatMap(([name, value]) => {
        const refusal = `Invalid key ${name === 'populate' ? 'nope' : 'hidden'}`;
        return [value, value, refusal, refusal, 'valid'];
      });
      deepStrictEqual(await own('sanitizers'), told);
    });

    it('pass the kind of its context to a policy', async () => {
      deepStrictEqual(await own('policies'), [
        ['admin', true, false, true],
        ['koa', false, true, true],
      ]);
    });

    it('name the uids that no content type has', async () => {
      const [part, nope] = await own('models');
      match(part, /shared\.part is a component.*populate/);
      match(nope, /api::nope\.nope not found: no content type has this uid/);
    });

    it('return settings and the database, and write files of the project', async () => {
      const settings = ['5.54.0', 'members', '/admin', '/admin', 'own-uuid', false, 'number', true, true];
      deepStrictEqual(await own('settings'), settings);
      deepStrictEqual(await own('db'), { same: [true, true], found: ['one'], count: [1, 1] });
      deepStrictEqual(await own('files'), ['ac', true, true, false]);
    });
  });
}
