/** A provider of mail that is code of the project, and mail that nothing is there to send: docs/reference/configuration.md. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { refusesToStart } from '../../support/code/refused-start.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const contentTypes = { note: contentType('note', { text: { type: 'string' } }) };
const PROVIDER = `const fs = require('node:fs');
module.exports = { init(options, settings) {
  return {
    settings,
    send(mail) {
      if (mail.subject === 'refused') throw Object.assign(new Error('not this one'), { status: 422, expose: true });
      fs.appendFileSync(options.file, JSON.stringify([this.settings, mail]) + '\\n');
    },
  };
} };`;
const ACTIONS = `const email = () => strapi.plugin('email').service('email');
const told = (work) => work.then(() => 'sent', (error) => error.message);
module.exports = { routes: [
  { method: 'POST', path: '/send', handler: async (ctx) => ({ told: await told(email().send(ctx.request.body)) }), config: { auth: false } },
  { method: 'POST', path: '/filled', handler: async () => ({ told: await told(email().sendTemplatedEmail({ to: 'c@example.com' }, { subject: 'Hi <%= user.name %>', text: 't', html: 'h' }, { user: { name: 'Ann' } })) }), config: { auth: false } },
  { method: 'GET', path: '/settings', handler: () => email().getProviderSettings(), config: { auth: false } },
] };`;

const project = (provider: string, more: Readonly<Record<string, unknown>> = {}) => {
  const config = `{ provider: '${provider}', providerOptions: { file: __dirname + '/../mails.txt' }, settings: { defaultFrom: 'us@example.com', other: 1 } }`;
  const files = {
    'config/plugins.js': `module.exports = { email: { config: ${config} } };`,
    'src/api/note/routes/own.js': ACTIONS,
    ...more,
  };
  return { contentTypes, files };
};
const PRODUCTION = { NODE_ENV: 'production' };

for (const engine of engines) {
  describe(`mail by code of the project on ${engine.name}`, () => {
    const serve = async (...given: Parameters<typeof project>) => {
      const folder = await makeProject(project(...given));
      const accounts = ['plugin::users-permissions.auth.forgotPassword', 'plugin::users-permissions.auth.register'];
      const grants = { public: accounts };
      return { server: await serveSeeded(engine, folder, { grants }, PRODUCTION), dir: folder.dir };
    };
    const post = async (server: SeededServer, target: string, body: unknown = {}) =>
      (await server.request('POST', `/api/${target}`, { body })).body;
    const sentBy = async (dir: string) =>
      (await readFile(path.join(dir, 'mails.txt'), 'utf8').catch(() => ''))
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

    const PLACES: readonly (readonly [name: string, file: string])[] = [
      ['./providers/post', 'providers/post.js'],
      ['strapi-provider-email-post', 'node_modules/strapi-provider-email-post/index.js'],
      ['Post', 'node_modules/@strapi/provider-email-post/index.js'],
    ];
    it('is handed over as the code has written it, wherever the provider is', async () => {
      for (const [name, file] of PLACES) {
        const { server, dir } = await serve(name, { [file]: PROVIDER });
        try {
          const own = { to: ['a@example.com', 'b@example.com'], subject: 's', text: 't', templateId: 7 };
          strictEqual((await post(server, 'send', own)).told, 'sent');
          strictEqual((await post(server, 'filled')).told, 'sent');
          strictEqual((await post(server, 'send', { to: 'a@example.com', subject: 'refused' })).told, 'not this one');
          const settings = { defaultFrom: 'us@example.com', other: 1 };
          deepStrictEqual(await sentBy(dir), [
            [settings, own],
            [settings, { to: 'c@example.com', subject: 'Hi Ann', text: 't', html: 'h' }],
          ]);
          const { body } = await server.get('/api/settings');
          deepStrictEqual([body.provider, body.settings], [name, settings]);
          doesNotMatch(server.app.warnings.join('\n'), /mail|no effect/i);
        } finally {
          await server.stop();
        }
      }
    });

    it('reaches accounts', async () => {
      const { server, dir } = await serve('./providers/post', { 'providers/post.js': PROVIDER });
      try {
        await post(server, 'auth/local/register', {
          username: 'ann',
          email: 'ann@example.com',
          password: 'Abcdef1234',
        });
        for (const email of ['nobody@example.com', 'ann@example.com'])
          await post(server, 'auth/forgot-password', { email });
        await until('the mail is sent', async () => (await sentBy(dir)).length > 0);
        const mails = await sentBy(dir);
        deepStrictEqual(
          mails.map(([, { to, subject }]) => [to, subject]),
          [['ann@example.com', 'Reset password']],
        );
        match(mails[0][1].html, /\?code=\w+/);
      } finally {
        await server.stop();
      }
    });

    it('is not taken for sent where nothing is there to send it', async () => {
      const { server } = await serve('not-installed');
      try {
        match((await post(server, 'send', { to: 'a@example.com', subject: 's', text: 't' })).told, /mail is not sent/);
        match((await post(server, 'filled')).told, /mail is not sent/);
        match(server.app.warnings.join('\n'), /sends mail with not-installed, which Galley does not have/);
      } finally {
        await server.stop();
      }
    });

    it('keeps the project from starting where the provider cannot be started', async () => {
      const starting = (code: string, message: RegExp) =>
        refusesToStart(engine, project('./providers/post', { 'providers/post.js': code }), message);
      await starting(
        'module.exports = {};',
        /^The provider \.\/providers\/post of mail \(providers\/post\.js\) cannot be started: .*no function init$/,
      );
      await starting('module.exports = { init: () => ({}) };', /no function send$/);
      await starting("module.exports = { init() { throw new Error('no key'); } };", /cannot be started: no key$/);
    });
  });
}
