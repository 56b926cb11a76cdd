/** What code reads of strapi guards nothing; what it puts there may. */
import { strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MEMBERS, PANEL_SERVICES, SERVICES } from '../../../src/extend/strapi/reference.ts';
import { type ReadCode, readCode } from '../../support/servers/project-code.ts';

let code: ReadCode;
before(async () => {
  code = await readCode();
});
after(() => code?.folder.remove());

/** What is closed by an action that does something to strapi, and by start code that does so. */
const closedBy = async (body: string): Promise<readonly string[]> =>
  Promise.all([
    code.closedBy({ 'src/api/c/controllers/c.js': `module.exports = { async go(ctx) { ${body} } };` }),
    code.closedBy({ 'src/index.js': `module.exports = { async bootstrap({ strapi }) { ${body} } };` }),
  ]);

const OF_DB = [
  ...['config', 'logger', 'dialect', 'metadata', 'connection', 'schema', 'migrations', 'lifecycles', 'entityManager'],
  ...['repair', 'init', 'query', 'inTransaction', 'transaction', 'getSchemaName', 'getConnection', 'getInfo'],
  ...['getSchemaConnection', 'queryBuilder', 'destroy'],
];

describe('code that reads what strapi has', () => {
  const services = Object.entries(SERVICES).flatMap(([plugin, names]) =>
    names.map((name) => `strapi.plugin('${plugin}').service('${name}')`),
  );
  const parts = [
    ...[...MEMBERS].map((name) => `strapi.${name}`),
    ...OF_DB.map((name) => `strapi.db.${name}`),
    ...services,
    ...PANEL_SERVICES.map((name) => `strapi.service('admin::${name}')`),
  ];
  for (const part of parts) {
    it(`closes nothing: ${part}`, async () => {
      for (const body of [`if (${part}) return 1;`, `const part = ${part}; console.log(part);`]) {
        strictEqual((await closedBy(body)).join(' '), ' ', body);
      }
    });
  }
  const bodies = [
    "return strapi.sessionManager('users-permissions').listSessions('1');",
    "return strapi.get('query-params').transform('api::a.a', ctx.query);",
    "strapi.add('mailer', () => ({ send }));",
    "strapi.add('mailer', (app) => ({ send: () => app.service('api::a.a').run() })); return strapi.get('mailer').send();",
    "return strapi.sanitizers.get('content-api.output').length;",
    "for (const one of strapi.validators.get('content-api.input')) console.log(one.name);",
    "return strapi.db.entityManager.findMany('api::a.a', { limit: 1 });",
    "return strapi.db.entityManager.getRepository('api::a.a').findOne();",
    'return strapi.models?.a?.find();',
    'strapi.destroy(); strapi.stop(1);',
    "return strapi.get('services').get('api::a.a').find();",
    "const all = strapi.get('content-types').getAll('api::'); return Object.keys(all);",
    "return strapi.get('content-types').get('api::a.a').attributes.text.type;",
    "return strapi.get('coreStore').get({ key: 'x' });",
    "return strapi.db.dialect.client === 'postgres' && strapi.db.config.connection.client;",
    "return strapi.has('mailer') && strapi.has('db');",
    "return strapi.hook('strapi::content-types.afterSync').getHandlers();",
    'return strapi.server.listRoutes();',
    "const redis = strapi.plugin('redis'); if (redis) return redis.connections.default.client.get('x');",
    'return strapi.auth.authenticate(ctx, () => {});',
  ];
  for (const body of bodies) {
    it(`closes nothing: ${body}`, async () => strictEqual((await closedBy(body)).join(' '), ' '));
  }
});

describe('code that puts something into strapi', () => {
  const bodies = [
    'strapi.server.mount();',
    "strapi.get('auth').register('content-api', strategy);",
    "strapi.auth.register('content-api', strategy);",
    'const { auth } = strapi; auth.register(strategy);',
    "strapi.sanitizers.add('content-api.output', hide);",
    "strapi.sanitizers.get('content-api.output').push(hide);",
    "const steps = strapi.sanitizers.get('content-api.output'); steps.push(hide);",
    "strapi.get('validators').set('content-api.input', []);",
    "strapi.get('services').extend('api::a.a', (service) => service);",
    "strapi.get('policies').set('global::own', () => true);",
    "strapi.get('content-types').extend('api::a.a', hide);",
    "strapi.get('content-types').get('api::a.a').attributes.text.private = true;",
    "strapi.hook('strapi::content-types.beforeSync').register(hide);",
    'strapi.entityService.decorate(around);',
    "strapi.sessionManager.defineOrigin('users-permissions', {});",
    "strapi.add('own', () => strapi.documents);",
    "strapi.add('own', (app) => { app.server.api('content-api').use(guard); });",
    "strapi.add('own', strapi.server);",
    'strapi.registerInternalServices();',
  ];
  for (const body of bodies) {
    it(`closes everything: ${body}`, async () => strictEqual((await closedBy(body)).join(' '), '* *'));
  }
});
