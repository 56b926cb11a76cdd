/** The settings of the site, its locales, and the sessions of its users in the administration, by rights. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { previewsOf, storageOf } from '../../../src/http/admin/site-values.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType } from '../../support/servers/project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const PAGE = 'api::page.page';
const page = contentType(
  'page',
  { title: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
  { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
);
const PREVIEW = 'https://preview.example.com/{locale}?secret=of-the-preview&slug={title}';
const CONFIG = {
  admin: { preview: { urls: { [PAGE]: PREVIEW } } },
  plugins: {
    'users-permissions': { config: { ratelimit: { enabled: false } } },
    upload: { config: { sizeLimit: 5_000_000, breakpoints: { large: 1200 } } },
  },
};
/** The rights of the role `caretaker`. */
const RIGHTS = ['plugin::i18n.locale.read', 'plugin::email.settings.read', 'plugin::upload.settings.read'] as const;

for (const engine of engines) {
  describe(`the site in the administration on ${engine.name}`, () => {
    let server: AccountsServer;
    const people: Record<string, Browser> = {};

    before(async () => {
      server = await serveAccounts(engine, {
        files: CONFIG,
        projectFiles: { 'src/api/page/content-types/page/schema.json': page },
      });
      const granted = RIGHTS.map((operation) => ({ operation, subject: null, properties: {} }));
      const users = { operation: 'read', subject: 'plugin::users-permissions.user', properties: {} } as const;
      await makeRole(server, 'caretaker', [...granted, users]);
      for (const [name, role] of [
        ['sue', 'strapi-super-admin'],
        ['eva', 'strapi-author'],
        ['cara', 'caretaker'],
      ] as const) {
        await makeAdministrator(server, name, role);
        people[name] = new Browser(server);
        await people[name].signIn(name);
      }
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, name = 'sue'): Promise<Any> => {
      const answer = await people[name]!.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const data = async (...of: Parameters<typeof ask>): Promise<Any> => {
      const { status, body, text } = await ask(...of);
      ok(status < 300, text);
      return body?.data;
    };
    const status = async (...of: Parameters<typeof ask>): Promise<number> => (await ask(...of)).status;
    const paths = ({ body }: Any): string[] => body.error.details.errors.map(({ path }: Any) => path.join('.'));
    const write = (title: string, locale: string, documentId?: string) =>
      data(documentId ? 'PUT' : 'POST', `content/${PAGE}${documentId ? `/${documentId}` : ''}`, {
        data: { title },
        locale,
      });

    it('shows values with their source, and no secret', async () => {
      const { body, text } = await ask('GET', 'site');
      const { site, accounts, images, mail, storage, previews, limits } = body.data;
      strictEqual(site.name, null);
      deepStrictEqual(mail.from, {
        value: 'Galley <galley@example.com>',
        source: { variable: 'EMAIL_FROM' },
        isDefault: false,
      });
      deepStrictEqual([mail.kind, mail.server.source], ['smtp', { variable: 'SMTP_URL' }]);
      const at = (key: string) => ({ file: 'config/plugins.js', key: `upload.config.${key}` });
      deepStrictEqual(
        [storage.kind, storage.provider, storage.bucket],
        ['local', { value: 'local', source: at('provider'), isDefault: true }, null],
      );
      deepStrictEqual(limits.fileSize, { value: 5_000_000, source: at('sizeLimit'), isDefault: false });
      deepStrictEqual(images.breakpoints, {
        value: [{ name: 'large', pixels: 1200 }],
        source: at('breakpoints'),
        isDefault: false,
      });
      deepStrictEqual(
        [limits.json, limits.page, site.serverTimeZone].map(({ source, isDefault }: Any) => [source, isDefault]),
        [
          [{ file: 'config/middlewares', key: 'strapi::body config.jsonLimit' }, true],
          [{ file: 'config/api', key: 'rest.maxLimit' }, true],
          [{ variable: 'TZ' }, true],
        ],
      );
      match(previews.value[0].url, /secret=…&slug=\{title\}$/);
      deepStrictEqual(accounts.default_role, 'authenticated');
      const { config } = server.app;
      const s3 = {
        bucket: 'files',
        region: 'eu',
        endpoint: 'https://key:of-the-bucket@s3.example.com/',
        prefix: '',
        private: false,
      };
      const kept = { ...config.upload.storage, store: 's3', s3 } as Any;
      const { bucket } = storageOf({ ...config, upload: { ...config.upload, storage: kept } });
      strictEqual(bucket?.endpoint.value, 'https://s3.example.com/');
      const urls = new Map([[PAGE, 'https://editor:secret@preview.example.com/{locale}']]);
      const preview = { ...config.admin.preview, urls };
      const shown = previewsOf({ ...config, admin: { ...config.admin, preview } }, server.app.catalog);
      strictEqual(shown.value[0]!.url, 'https://preview.example.com/{locale}');
      doesNotMatch(text, /of-the-preview/);
    });

    it('changes settings that Strapi stores in the database, in the same place', async () => {
      const changed = await data('PUT', 'site/accounts', {
        allow_register: false,
        email_reset_password: 'https://example.com/reset',
      });
      deepStrictEqual([changed.allow_register, changed.unique_email], [false, true]);
      strictEqual((await server.post('/auth/local/register', {})).status, 400);
      const wrong = await ask('PUT', 'site/accounts', {
        unique_email: 'yes',
        email_confirmation_redirection: 'javascript:alert(1)',
        default_role: 'nobody',
      });
      deepStrictEqual(
        [wrong.status, paths(wrong)],
        [400, ['unique_email', 'email_confirmation_redirection', 'default_role']],
      );
      await data('PUT', 'site/accounts', { allow_register: true, email_reset_password: '' });
      const images = await data('PUT', 'site/images', { sizeOptimization: false, autoOrientation: true });
      deepStrictEqual([images.sizeOptimization, images.autoOrientation], [false, true]);
      const rows = await server.app.database.rows(
        `select "key", "value" from strapi_core_store_settings where "key" in ('plugin_upload_settings',
          'plugin_users-permissions_advanced') order by "key"`,
        [],
      );
      const [upload, advanced] = rows.map(([, value]) => JSON.parse(String(value)));
      deepStrictEqual(upload, {
        ...{ sizeOptimization: false, responsiveDimensions: true, autoOrientation: true, aiMetadata: true },
      });
      await data('PUT', 'site/images', { autoOrientation: false });
      deepStrictEqual([advanced.allow_register, advanced.email_reset_password], [true, null]);
      deepStrictEqual(paths(await ask('PUT', 'site/images', { responsiveDimensions: 1 })), ['responsiveDimensions']);
    });

    it('changes the mails to accounts where Strapi stores them, and refuses code and other variables', async () => {
      const { templates } = await data('GET', 'site');
      deepStrictEqual(
        [templates.reset_password.object, templates.email_confirmation.response_email],
        ['Reset password', ''],
      );
      const changed = await data('PUT', 'site/templates/reset_password', {
        from_name: 'Harbour',
        from_email: 'harbour@example.com',
        response_email: 'office@example.com',
        object: 'For <%= USER.username %>',
        message: '<p><%=USER.email%>: <%= TOKEN %></p>',
      });
      deepStrictEqual(changed.email_confirmation, templates.email_confirmation);
      const email = 'mia@example.com';
      await server.register('mia', { email });
      await server.post('/auth/forgot-password', { email });
      const mail = await server.nextMail(email);
      match(mail.text, /^From: "?Harbour"? <harbour@example\.com>/m);
      match(mail.text, /^Reply-To: office@example\.com/m);
      match(mail.text, new RegExp(`${email.replace('.', '\\.')}: [0-9a-f]{8}`));
      const [[value]] = (await server.app.database.rows(
        `select "value" from strapi_core_store_settings where "key" = 'plugin_users-permissions_email'`,
        [],
      )) as Any;
      const { display, icon, options } = JSON.parse(value).reset_password;
      deepStrictEqual(
        [display, icon, options.from],
        ['Email.template.reset_password', 'sync', { name: 'Harbour', email: 'harbour@example.com' }],
      );
      for (const message of [
        '<% code() %>',
        '<%- URL %>',
        '<%= USER.password %>',
        '<%= URL',
        ['$', '{URL}'].join(''),
      ]) {
        const wrong = await ask('PUT', 'site/templates/email_confirmation', { message });
        deepStrictEqual(
          [wrong.status, paths(wrong), wrong.body.error.details.errors[0].reason.code],
          [400, ['message'], 'template'],
        );
      }
      const wrong = await ask('PUT', 'site/templates/reset_password', {
        from_name: 'a\nb',
        from_email: 'nobody',
        response_email: 1,
        object: '<%= SECRET %>',
        message: 'x'.repeat(20_001),
      });
      deepStrictEqual(paths(wrong), ['from_name', 'from_email', 'response_email', 'object', 'message']);
      strictEqual(await status('PUT', 'site/templates/other', {}), 404);
      strictEqual(await status('PUT', 'site/templates/reset_password', {}, 'cara'), 403);
      strictEqual((await data('GET', 'site', undefined, 'cara')).templates, null);
      await data('PUT', 'site/templates/reset_password', { from_name: '', from_email: '', response_email: '' });
    });

    it('names the site and its time zone in the app', async () => {
      const { name, timeZone } = await data('PUT', 'site', { name: ' The harbour ', timeZone: 'Europe/Berlin' });
      deepStrictEqual({ name, timeZone }, { name: 'The harbour', timeZone: 'Europe/Berlin' });
      deepStrictEqual((await data('GET', 'schema')).site, { name, timeZone });
      const wrong = await ask('PUT', 'site', { name: 'a\nb', timeZone: 'Mars/Olympus' });
      deepStrictEqual([wrong.status, paths(wrong)], [400, ['name', 'timeZone']]);
      deepStrictEqual((await data('PUT', 'site', { name: '', timeZone: null })).name, null);
    });

    it('tests mail and storage, and limits the tests', async () => {
      const sent = await data('POST', 'site/mail/test');
      deepStrictEqual([sent.ok, sent.to], [true, 'sue@example.com']);
      match(sent.answer, /^250 /);
      match((await server.nextMail('sue@example.com')).text, /Test mail of/);
      deepStrictEqual(await data('POST', 'site/storage/test').then(({ done, failure }) => [done, failure]), [
        ['write', 'read', 'delete'],
        null,
      ]);
      const more = await Promise.all(Array.from({ length: 6 }, () => status('POST', 'site/storage/test')));
      deepStrictEqual([more.filter((one) => one === 200).length, more.includes(429)], [5, true]);
    });

    it('adds, renames and removes locales together with their content', async () => {
      const [en] = await data('GET', 'locales');
      deepStrictEqual([en.code, en.isDefault], ['en', true]);
      const de = await data('POST', 'locales', { code: 'de' });
      strictEqual(de.name, 'German (de)');
      const refused = await ask('POST', 'locales', { code: 'en-UK' });
      match(refused.body.error.message, /did you mean en-GB\?$/);
      deepStrictEqual(paths(await ask('POST', 'locales', { code: 'de', name: '' })), ['code', 'name']);
      strictEqual((await data('PUT', `locales/${de.id}`, { name: 'Deutsch' })).name, 'Deutsch');
      strictEqual((await data('PUT', `locales/${de.id}`, { isDefault: true })).isDefault, true);
      strictEqual(await status('POST', `locales/${de.id}/remove`, { code: 'de' }), 400);
      await data('PUT', `locales/${en.id}`, { isDefault: true });

      const both = await write('Fog', 'en');
      await write('Nebel', 'de', both.documentId);
      await data('POST', `content/${PAGE}/${both.documentId}/publish`, { locale: 'de' });
      const own = await write('Nur hier', 'de');
      await write('Tide', 'en');
      const counted = (await data('GET', 'locales/untranslated')).find(({ uid }: Any) => uid === PAGE);
      deepStrictEqual([counted.documents, counted.missing], [3, { en: 1, de: 1 }]);
      const lacking = await ask('GET', `content/${PAGE}?locale=en&filters[$not][localizations][locale][$eq]=de`);
      deepStrictEqual(
        lacking.body.data.map(({ title }: Any) => title),
        ['Tide'],
      );
      const content = (await data('GET', `locales/${de.id}/content`)).map(({ uid, documents, only }: Any) => [
        uid,
        documents,
        only,
      ]);
      deepStrictEqual(content, [[PAGE, 2, 1]]);
      deepStrictEqual(paths(await ask('POST', `locales/${de.id}/remove`, { code: 'en' })), ['code']);
      deepStrictEqual(await data('POST', `locales/${de.id}/remove`, { code: 'de' }), { removed: 2, isDone: true });
      deepStrictEqual((await data('GET', 'locales')).length, 1);
      strictEqual(await status('GET', `content/${PAGE}/${own.documentId}?locale=en`), 404);
      deepStrictEqual((await data('GET', `content/${PAGE}/${both.documentId}?locale=en`)).states, { en: 'draft' });
      strictEqual(await status('GET', `locales/${de.id}/content`), 404);
    });

    it('removes a locale with much content in as many requests as it takes, and counts its documents', async () => {
      const fr = await data('POST', 'locales', { code: 'fr' });
      for (let number = 0; number < 51; number++) await write(`Page ${number}`, 'fr');
      let total = 0;
      for (let isOver = false; !isOver; ) {
        const { removed, isDone } = await data('POST', `locales/${fr.id}/remove`, { code: 'fr' });
        ok(isDone || removed > 0);
        total += removed;
        isOver = isDone;
      }
      strictEqual(total, 51);
      strictEqual((await data('GET', 'locales')).length, 1);
    });

    it('lists and ends the sessions of a site user', async () => {
      const { jwt } = await server.register('ann');
      const other = (await server.login('ann', 'secret1')).body.jwt;
      const uid = 'plugin::users-permissions.user';
      const [{ documentId }] = await data('GET', `content/${uid}?filters[username]=ann`);
      const target = `site-users/${documentId}/sessions`;
      const { body } = await ask('GET', target, undefined, 'cara');
      deepStrictEqual([body.data.length, body.meta.total], [2, 2]);
      strictEqual(await status('DELETE', `${target}/${body.data[0].id}`, undefined, 'cara'), 403);
      const works = async (token: string) => (await server.get('/api/users/me', token)).status === 200;
      strictEqual(await status('DELETE', `${target}/${body.data[0].id}`), 204);
      strictEqual(await status('DELETE', `${target}/${body.data[0].id}`), 404);
      deepStrictEqual([await works(jwt), await works(other)].sort(), [false, true]);
      strictEqual(await status('DELETE', target), 204);
      deepStrictEqual([await works(jwt), await works(other)], [false, false]);
      strictEqual(await status('GET', 'site-users/missing/sessions'), 404);
      strictEqual(await status('GET', target, undefined, 'eva'), 403);
    });

    it('refuses administrators without the right', async () => {
      const requests = [
        ['GET', 'site'],
        ['PUT', 'site'],
        ['PUT', 'site/accounts'],
        ['PUT', 'site/images'],
        ['POST', 'site/mail/test'],
        ['POST', 'site/storage/test'],
        ['GET', 'locales'],
        ['POST', 'locales'],
        ['GET', 'locales/untranslated'],
        ['PUT', 'locales/1'],
        ['GET', 'locales/1/content'],
        ['POST', 'locales/1/remove'],
      ] as const;
      for (const [method, target] of requests) {
        strictEqual(await status(method, target, method === 'GET' ? undefined : {}, 'eva'), 403, `${method} ${target}`);
      }
      const { site, accounts, mail, storage, limits, previews } = await data('GET', 'site', undefined, 'cara');
      deepStrictEqual([accounts, limits, previews], [null, null, null]);
      ok(site && mail && storage);
      strictEqual(await status('PUT', 'site', { name: 'Mine' }, 'cara'), 403);
      strictEqual(await status('PUT', 'site/accounts', {}, 'cara'), 403);
      strictEqual(await status('POST', 'locales', { code: 'it' }, 'cara'), 403);
      strictEqual(await status('GET', 'locales', undefined, 'cara'), 200);
    });
  });
}
