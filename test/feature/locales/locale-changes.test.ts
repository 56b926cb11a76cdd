/** Locales are added, renamed, chosen and removed over HTTP and from the command line. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  page: contentType('page', { title: { type: 'string', ...localized } }, localized),
};
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
    { name: 'adder', type: 'custom', permissions: ['plugin::i18n.locales.createLocale'] },
  ],
};

for (const engine of engines) {
  describe(`changing locales over HTTP on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes }), fixture);
    });
    after(() => server?.stop());

    const send = (method: string, path: string, body?: unknown, token = 'full') =>
      server.request(method, `/api${path}`, { body, token: server.secrets[token] });
    const codes = async () => (await send('GET', '/i18n/locales')).body.map(({ code }: { code: string }) => code);

    it('adds a locale that can be written at once', async () => {
      strictEqual((await send('POST', '/pages?locale=nl', { data: { title: 'x' } })).status, 400);
      const { status, body } = await send('POST', '/i18n/locales', { code: 'nl', name: 'Dutch' });
      strictEqual(status, 200);
      deepStrictEqual([body.code, body.name, body.isDefault], ['nl', 'Dutch', false]);
      deepStrictEqual((await send('GET', '/i18n/locales')).body.at(-1), body);
      strictEqual((await send('POST', '/pages?locale=nl', { data: { title: 'x' } })).status, 200);
    });

    it('names a locale without a name by its language', async () => {
      strictEqual((await send('POST', '/i18n/locales', { code: 'pt-BR' })).body.name, 'Brazilian Portuguese (pt-BR)');
    });

    it('refuses codes of another form, taken codes and wrong names, with their paths', async () => {
      for (const [body, path] of [
        [{}, 'code'],
        [{ code: 7 }, 'code'],
        [{ code: 'e' }, 'code'],
        [{ code: 'fr_FR' }, 'code'],
        [{ code: "x'; drop table i18n_locale" }, 'code'],
        [{ code: 'fr' }, 'code'],
        [{ code: 'FR' }, 'code'],
        [{ code: 'sv', name: '' }, 'name'],
        [{ code: 'sv', name: 'x'.repeat(51) }, 'name'],
        [{ code: 'sv', isDefault: 'yes' }, 'isDefault'],
      ] as const) {
        const { status, body: answer } = await send('POST', '/i18n/locales', body);
        deepStrictEqual([status, answer.error.details.errors?.[0]?.path], [400, [path]], JSON.stringify(body));
      }
      strictEqual(
        (await send('POST', '/i18n/locales', { code: 'sv', nome: 'x' })).body.error.message,
        'Invalid key nome',
      );
      strictEqual((await send('POST', '/i18n/locales')).status, 400);
      strictEqual((await send('POST', '/i18n/locales', [])).status, 400);
      ok(!(await codes()).includes('sv'));
    });

    it('two requests for one code add it once', async () => {
      const answers = await Promise.all([1, 2, 3].map(() => send('POST', '/i18n/locales', { code: 'it' })));
      deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400, 400]);
      strictEqual((await codes()).filter((code: string) => code === 'it').length, 1);
    });

    it('renames a locale by row id and by document id, and keeps its code', async () => {
      const { body: added } = await send('POST', '/i18n/locales', { code: 'da' });
      strictEqual((await send('PUT', `/i18n/locales/${added.id}`, { name: 'Dansk' })).body.name, 'Dansk');
      strictEqual(
        (await send('PUT', `/i18n/locales/${added.documentId}`, { name: 'Danish', code: 'da' })).body.name,
        'Danish',
      );
      const { status, body } = await send('PUT', `/i18n/locales/${added.id}`, { code: 'dk' });
      deepStrictEqual([status, body.error.details.errors[0].path], [400, ['code']]);
      strictEqual((await send('PUT', '/i18n/locales/999999', { name: 'x' })).status, 404);
    });

    it('writes and reads without a locale use the default locale', async () => {
      const fr = (await send('GET', '/i18n/locales')).body.find(({ code }: { code: string }) => code === 'fr');
      strictEqual((await send('PUT', `/i18n/locales/${fr.id}`, { isDefault: true })).body.isDefault, true);
      strictEqual((await send('POST', '/pages', { data: { title: 'un' } })).body.data.locale, 'fr');
      const { status, body } = await send('PUT', `/i18n/locales/${fr.id}`, { isDefault: false });
      deepStrictEqual([status, body.error.details.errors[0].path], [400, ['isDefault']]);
      match((await send('DELETE', `/i18n/locales/${fr.id}`)).body.error.message, /default locale/);
      const en = (await send('GET', '/i18n/locales')).body.find(({ code }: { code: string }) => code === 'en');
      strictEqual((await send('PUT', `/i18n/locales/${en.id}`, { isDefault: true })).status, 200);
    });

    it('refuses to remove a locale with content, and reports how much there is', async () => {
      const added = (await send('POST', '/i18n/locales', { code: 'fi' })).body;
      const { documentId } = (await send('POST', '/pages?locale=fi', { data: { title: 'x' } })).body.data;
      const { status, body } = await send('DELETE', `/i18n/locales/${added.id}`);
      deepStrictEqual([status, body.error.message], [400, 'fi has content: 1 document (1 of api::page.page)']);
      strictEqual((await send('DELETE', `/pages/${documentId}`)).status, 204);
      deepStrictEqual((await send('DELETE', `/i18n/locales/${added.id}`)).body, added);
      strictEqual((await send('DELETE', `/i18n/locales/${added.id}`)).status, 404);
      strictEqual((await send('POST', '/pages?locale=fi', { data: { title: 'x' } })).status, 400);
    });

    it('each change needs its own permission', async () => {
      strictEqual((await send('POST', '/i18n/locales', { code: 'no' }, 'read')).status, 403);
      strictEqual((await send('POST', '/i18n/locales', { code: 'no' }, 'adder')).status, 200);
      strictEqual((await send('PUT', '/i18n/locales/1', { name: 'x' }, 'adder')).status, 403);
      strictEqual((await send('DELETE', '/i18n/locales/1', undefined, 'adder')).status, 403);
    });
  });

  describe(`galley locale on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    before(async () => {
      folder = await makeProject({ contentTypes });
      database = await engine.databaseFor(folder);
      // makes what the database lacks, and says so
      await galley('locale', 'list');
    });
    after(async () => {
      await folder?.remove();
      await database?.drop();
    });

    const galley = async (...args: string[]) => {
      const out: string[] = [];
      const print = (line: string): void => void out.push(line);
      const code = await runCommandLine([...args, folder.dir], { env: database.env, print, warn: print });
      return { code, out: out.join('\n') };
    };

    it('adds, chooses, lists and removes', async () => {
      const granted = [
        'The role Editor received the new locale fr (create, read, update, delete and publish) of api::page.page.',
        'The role Author received the new locale fr (create, read, update and delete; only with admin::is-creator) of api::page.page.',
      ];
      const out = ['added fr: French', ...granted].join('\n');
      deepStrictEqual(await galley('locale', 'add', 'fr', 'French'), { code: 0, out });
      deepStrictEqual(await galley('locale', 'default', 'fr'), { code: 0, out: 'fr is now the default locale' });
      const listed = [
        'code  name          documents',
        'en    English (en)  0',
        'fr    French        0          default',
      ];
      strictEqual((await galley('locale', 'list')).out, listed.join('\n'));
      deepStrictEqual(await galley('locale', 'remove', 'en'), { code: 0, out: 'removed en' });
    });

    it('names a locale itself if only the folder follows its code', async () => {
      match((await galley('locale', 'add', 'da')).out, /^added da: Danish \(da\)\n/);
    });

    it('recognizes codes of languages, and suggests the nearest', async () => {
      const hints = { 'en-UK': 'en-GB', pt_BR: 'pt-BR', DE: 'de', 'zh-hant': 'zh-Hant', 'nl-NLL': 'nl-NL' };
      for (const [code, hint] of Object.entries(hints)) {
        const out = `galley: ${code} is not the code of a language: did you mean ${hint}?`;
        deepStrictEqual(await galley('locale', 'add', code), { code: 1, out });
      }
      const { out } = await galley('locale', 'add', 'qqq-Zzzz-QQ');
      strictEqual(out, 'galley: qqq-Zzzz-QQ is not the code of a language: to add it anyway, use --unknown');
      // what the help says needs it
      const [, code] = /--unknown .* such as (\S+)/.exec((await galley('locale', 'add', '--help')).out)!;
      strictEqual((await galley('locale', 'add', code!)).code, 1);
      strictEqual((await galley('locale', 'add', code!, '--unknown')).code, 0);
      const [told] = (await galley('locale', 'list', '--json')).out.split('\n').filter((line) => line.includes(code!));
      deepStrictEqual(JSON.parse(told!), { code, name: JSON.parse(told!).name, documents: 0, isDefault: false });
      strictEqual((await galley('locale', 'add', 'de-LI')).code, 0);
    });

    it('refuses in one line', async () => {
      deepStrictEqual(await galley('locale', 'add', 'fr', 'French'), {
        code: 1,
        out: 'galley: The locale fr already exists',
      });
      strictEqual((await galley('locale', 'add', 'f_r', 'French', '--unknown')).code, 1);
      match((await galley('locale', 'remove', 'fr')).out, /^galley: fr is the default locale/);
      deepStrictEqual(await galley('locale', 'default', 'fe'), {
        code: 2,
        out: 'galley: no locale fe: did you mean fr?',
      });
    });
  });
}
