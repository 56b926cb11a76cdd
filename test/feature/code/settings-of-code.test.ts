/** `strapi.config` in code: Strapi's defaults of settings. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** What code may ask, with what Strapi answers. */
const VALUES: readonly (readonly [expression: string, value: unknown])[] = [
  ["strapi.config.get('plugin::users-permissions.ratelimit.enabled')", true],
  ["strapi.config.get('plugin::users-permissions.jwt.expiresIn')", '30d'],
  ["strapi.config.get('plugin::users-permissions.sessions.maxSessionLifespan')", 86_400],
  ["strapi.plugin('users-permissions').config('layout').user.actions.create", 'contentManagerUser.create'],
  [
    "strapi.plugin('users-permissions').config('callback').validate('https://a.io/x?y=1', { callback: 'https://a.io/x' }) ?? 'fine'",
    'fine',
  ],
  [
    "(() => { try { strapi.plugin('users-permissions').config('callback').validate('https://b.io/x', { callback: 'https://a.io/x' }); } catch { return 'refused'; } })()",
    'refused',
  ],
  ["strapi.plugin('upload').config('enabled')", true],
  ["strapi.config.get('plugin::email.provider')", 'sendmail'],
  ["strapi.config.get('plugin::email.settings.defaultFrom')", 'Strapi <no-reply@strapi.io>'],
  ["strapi.config.get('plugin::content-manager')", {}],
  ["strapi.config.get('server.proxy')", false],
  ["strapi.config.get('server.cron.enabled')", false],
  ["strapi.config.get('server.logger.updates.enabled')", true],
  ["strapi.config.get('server.transfer.remote.enabled')", true],
  ["strapi.config.get('server.openapi.admin.access')", 'disabled'],
  ["typeof strapi.config.get('admin.forgotPassword.emailTemplate.text')", 'string'],
  ["strapi.config.get('database.settings.migrations.dir').startsWith(strapi.dirs.app.root)", true],
  ["strapi.config.has('server.proxy') && strapi.config.has('installId') && !strapi.config.has('server.nope')", true],
  ["strapi.config.get('own.missing', 'fallback')", 'fallback'],
  [
    "['server', 'admin', 'api', 'own', 'dirs', 'get'].every((name) => name in strapi.config && Object.keys(strapi.config).includes(name))",
    true,
  ],
  ['({ ...strapi.config }).own.key', 'value'],
  ["Object.keys(strapi.config).some((name) => name.startsWith('plugin'))", false],
];

for (const engine of engines) {
  describe(`settings of code on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      const routes = VALUES.map(
        ([test], index) =>
          `{ method: 'GET', path: '/value/${index}', handler: () => ({ value: ${test} }), config: { auth: false } }`,
      );
      const project = await makeProject({
        contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
        files: {
          'config/own.js': "module.exports = { key: 'value' };",
          'src/api/note/routes/values.js': `module.exports = { routes: [${routes}] };`,
        },
      });
      server = await serveSeeded(engine, project);
    });
    after(() => server?.stop());

    it('are those of Strapi by default', async () => {
      for (const [index, [expression, value]] of VALUES.entries()) {
        const { status, body } = await server.get(`/api/value/${index}`);
        deepStrictEqual({ expression, status, body }, { expression, status: 200, body: { value } });
      }
    });
  });
}
