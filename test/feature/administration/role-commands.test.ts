/** `galley admin role …`, roles of administrators in `galley apply`, and their part of `galley doctor`. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { commandText } from '../../../src/own-files.ts';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, copyProject, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

const text = { type: 'string' } as const;
const i18n = { pluginOptions: { i18n: { localized: true } } };
const seo = { type: 'component', component: 'shared.seo' };
const contentTypes = {
  article: contentType('article', { title: text, body: text, seo }, { ...i18n, options: { draftAndPublish: true } }),
  event: contentType('event', { name: text }),
};
const components = { 'shared.seo': { collectionName: 'components_seos', attributes: { head: text, image: text } } };
const KEYS = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };

for (const engine of engines) {
  describe(`galley admin role on ${engine.name}`, () => {
    let server: RunningServer;
    let dir: string;
    let env: Record<string, string>;
    before(async () => {
      const folder = await makeProject({ contentTypes, components });
      const database = await engine.databaseFor(folder);
      dir = folder.dir;
      env = { ...database.env, ...KEYS };
      server = await serve(folder, database, KEYS);
    });
    after(() => server?.stop());

    const galley = async (...args: string[]) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine([...args, dir], { env, print, warn: print });
      return { code, lines };
    };
    const role = (...args: string[]) => galley('admin', 'role', ...args);
    const refused = async (args: string[], reason: RegExp) => {
      const { code, lines } = await role(...args);
      strictEqual(code > 0, true);
      match(lines.join('\n'), reason);
    };

    it('creates a role and permits it a type, in a running server at once', async () => {
      deepStrictEqual((await role('create', 'fairs', '--name', 'Fairs', '--description', 'Plans fairs')).code, 0);
      await makeAdministrator(server, 'fay', 'fairs');
      const fay = new Browser(server);
      await fay.signIn('fay');
      const create = async () =>
        (await fay.send('POST', 'content/api::event.event', { data: { name: 'Fair' } })).status;
      strictEqual(await create(), 403);
      deepStrictEqual((await role('grant', 'fairs', '--type', 'event')).lines, [
        'granted to fairs: create api::event.event',
        'granted to fairs: read api::event.event',
        'granted to fairs: update api::event.event',
        'granted to fairs: delete api::event.event',
        'granted to fairs: publish api::event.event',
      ]);
      strictEqual(await create(), 201);
      deepStrictEqual((await role('grant', 'Fairs', '--type', 'api::event.event')).lines, ['nothing has changed']);
      deepStrictEqual((await role('revoke', 'fairs', '--type', 'events', '--action', 'create')).lines, [
        'revoked from fairs: create api::event.event',
      ]);
      strictEqual(await create(), 403);
    });

    it('grants and revokes fields, locales and conditions', async () => {
      await role('create', 'words');
      await galley('locale', 'add', 'fr');
      const article = ['--type', 'article', '--action', 'read'];
      const grant = async (...args: string[]) => (await role('grant', 'words', ...article, ...args)).lines;
      deepStrictEqual(await grant('--field', 'title', '--locale', 'en', '--condition', 'is-creator'), [
        'granted to words: read api::article.article (field title; locale en; only with admin::is-creator)',
      ]);
      deepStrictEqual(await grant('--field', 'seo'), [
        'granted to words: read api::article.article (fields seo.head, seo.image)',
      ]);
      deepStrictEqual(await grant('--condition', 'has-same-role-as-creator'), [
        'granted to words: read api::article.article (only with admin::has-same-role-as-creator or admin::is-creator)',
      ]);
      const shown = (await role('show', 'words')).lines;
      match(shown[2]!, /^api::article\.article +read +all but body +en +is-creator or has-same-role-as-creator$/);
      deepStrictEqual(await grant(), [
        'granted to words: read api::article.article (field body)',
        'granted to words: read api::article.article (locale fr)',
        'granted to words: read api::article.article (without a condition)',
      ]);
      const revoke = async (...args: string[]) => (await role('revoke', 'words', '--type', 'article', ...args)).lines;
      deepStrictEqual(await revoke('--field', 'seo.image', '--field', 'body'), [
        'revoked from words: read api::article.article (fields body, seo.image)',
      ]);
      deepStrictEqual(await revoke('--locale', 'en'), ['revoked from words: read api::article.article (locale en)']);
      deepStrictEqual(JSON.parse((await role('show', 'words', '--json')).lines[0]!), {
        action: 'plugin::content-manager.explorer.read',
        subject: 'api::article.article',
        fields: ['title', 'seo.head'],
        locales: ['fr'],
        conditions: [],
      });
      deepStrictEqual(await revoke('--locale', 'fr'), [
        'revoked from words: read api::article.article (fields title, seo.head; locale fr)',
      ]);
      deepStrictEqual((await role('grant', 'words', '--action', 'plugin::upload.read')).lines, [
        'granted to words: plugin::upload.read',
      ]);
    });

    it('extends the actions that a role has on a type where no action is named', async () => {
      await role('create', 'readers');
      const event = ['readers', '--type', 'event'];
      await role('grant', ...event, '--action', 'read', '--condition', 'is-creator');
      deepStrictEqual((await role('grant', ...event, '--condition', 'has-same-role-as-creator')).lines, [
        'granted to readers: read api::event.event (only with admin::has-same-role-as-creator or admin::is-creator)',
      ]);
      deepStrictEqual((await role('grant', ...event, '--field', 'name')).lines, ['nothing has changed']);
      await role('revoke', ...event);
      await role('grant', ...event, '--action', 'delete');
      await refused(['grant', ...event, '--field', 'name'], /may only delete api::event\.event.*--action/);
      await role('delete', 'readers');
    });

    it('reports the missing part of an ineffective permission', async () => {
      const { lines } = await role('grant', 'words', '--type', 'event', '--action', 'update');
      match(
        lines.join('\n'),
        /note: words cannot use its permissions on api::event\.event without read; .*--action read( path\/to\/\S+)?$/,
      );
    });

    it('suggests similar names', async () => {
      await refused(['show', 'editr'], /no administrator role editr: did you mean editor\?/);
      const grant = (...args: string[]) => ['grant', 'words', ...args];
      await refused(grant('--type', 'artcle'), /unknown type artcle: did you mean article\?/);
      await refused(grant('--type', 'api::artcle.article'), /did you mean api::article\.article\?/);
      await refused(grant('--type', 'article', '--action', 'raed'), /unknown action raed: did you mean read\?/);
      await refused(grant('--type', 'article', '--field', 'titel'), /no field titel: did you mean title\?/);
      await refused(grant('--type', 'article', '--locale', 'fx'), /unknown locale fx: did you mean fr\?/);
      await refused(grant('--type', 'event', '--locale', 'fr'), /api::event\.event has no locales/);
      await refused(grant('--type', 'article', '--condition', 'is-creater'), /did you mean is-creator\?/);
      await refused(
        grant('--type', 'article', '--action', 'publish', '--field', 'title'),
        /publish applies to whole entries/,
      );
      await refused(grant('--action', 'read'), /read needs a type: name one with --type/);
      await refused(grant(), /needs a ROLE and --type/);
      await refused(
        ['revoke', 'words', '--type', 'article', '--field', 'title', '--locale', 'en'],
        /--field or --locale/,
      );
      await refused(['grant', 'super-admin', '--type', 'event'], /always has every permission/);
      await refused(['create', 'words'], /a role words \(words\) already exists/);
      await refused(['create', 'other', '--name', 'Editor'], /a role strapi-editor \(Editor\) already exists/);
      await refused(['grnt'], /did you mean admin role grant\?/);
    });

    it('lists roles, and deletes one that no administrator has', async () => {
      const { lines } = await role('list');
      match(lines.join('\n'), /^fairs +Fairs +1 +1 of 3 types$/m);
      await refused(['delete', 'fairs'], /1 administrator has the role fairs/);
      await refused(['delete', 'super-admin'], /Super Admin cannot be deleted/);
      deepStrictEqual(await role('delete', 'words'), { code: 0, lines: ['deleted the role words'] });
      strictEqual(
        (await role('list')).lines.some((line) => line.startsWith('words')),
        false,
      );
      const rows = await server.app.database.rows(
        'select count(*) from admin_permissions p where not exists (select 1 from admin_permissions_role_lnk l where l.permission_id = p.id)',
        [],
      );
      strictEqual(Number(rows[0]![0]), 0);
    });

    it('are matched by galley apply, which prints each grant and revocation', async () => {
      const file = path.join(dir, 'apply.json');
      const apply = async (administratorRoles: unknown) => {
        await writeFile(file, JSON.stringify({ locales: [{ code: 'it' }], administratorRoles }));
        return galley('apply', file);
      };
      const permissions = [
        { type: 'event', actions: ['create', 'read'], conditions: ['is-creator'] },
        { type: 'api::article.article', actions: ['read'], fields: ['title'], locales: ['it'] },
        { actions: ['plugin::upload.read'] },
      ];
      const wanted = { desk: { name: 'Desk', permissions }, fairs: { permissions: [{ type: 'event' }] } };
      const { code, lines } = await apply(wanted);
      strictEqual(code, 0);
      deepStrictEqual(lines.filter((line) => !line.startsWith('The role')).slice(1), [
        'created the administrator role desk',
        'granted to desk: create api::event.event (only with admin::is-creator)',
        'granted to desk: read api::event.event (only with admin::is-creator)',
        'granted to desk: read api::article.article (field title; locale it)',
        'granted to desk: plugin::upload.read',
        'granted to fairs: create api::event.event',
      ]);
      strictEqual((await apply(wanted)).lines.length, 1);
      const less = await apply({ desk: { permissions: [{ type: 'event', actions: ['read'] }] } });
      deepStrictEqual(less.lines.slice(1), [
        'granted to desk: read api::event.event (without a condition)',
        'revoked from desk: create api::event.event (only with admin::is-creator)',
        'revoked from desk: read api::article.article (field title; locale it)',
        'revoked from desk: plugin::upload.read',
      ]);
      const mistakes = await apply({
        desk: {
          permissions: [{ type: 'evnt' }, { type: 'event', fields: ['nme'] }, { type: 'event', action: ['read'] }],
        },
        'strapi-super-admin': { permissions: [] },
      });
      strictEqual(mistakes.code, 2);
      const said = mistakes.lines.join('\n');
      match(said, /administratorRoles\.desk\.permissions\.0: unknown type evnt: did you mean event\?/);
      match(said, /administratorRoles\.desk\.permissions\.1: api::event\.event has no field nme: did you mean name\?/);
      match(said, /administratorRoles\.desk\.permissions\.2: unknown key action: did you mean actions\?/);
      match(said, /administratorRoles\.strapi-super-admin: this role always has every permission/);
    });

    it('are named by galley doctor with the types that they see nothing of, which is no problem', async () => {
      const { code, lines } = await galley('doctor');
      deepStrictEqual(
        [code, lines.slice(0, 3)],
        [
          0,
          [
            'no problems found',
            'information: administrators with the role Fairs cannot see entries of api::article.article. To change that, run:',
            `  ${commandText('admin role grant fairs --type api::article.article', dir)}`,
          ],
        ],
      );
    });
  });

  describe(`galley admin role in a database of Strapi on ${engine.name}`, () => {
    it('shows permissions stored by Strapi, and adds others', async (context) => {
      const folder = await copyProject();
      const database = await engine.fixtureDatabase();
      context.after(async () => {
        await database.drop();
        await folder.remove();
      });
      const galley = async (...args: string[]) => {
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        await runCommandLine([...args, folder.dir], { env: { ...database.env, ...KEYS }, print, warn: print });
        return lines;
      };
      const shown = await galley('admin', 'role', 'show', 'editor');
      strictEqual(
        shown.some((line) => /^api::article\.article +read +all +none +-$/.test(line)),
        true,
      );
      deepStrictEqual(await galley('admin', 'role', 'grant', 'editor', '--type', 'article', '--locale', 'en'), [
        ...['create', 'read', 'update'].map(
          (name) => `granted to strapi-editor: ${name} api::article.article (locale en)`,
        ),
      ]);
      deepStrictEqual(await galley('admin', 'role', 'revoke', 'editor', '--type', 'article', '--field', 'secret'), [
        ...['create', 'read', 'update'].map(
          (name) => `revoked from strapi-editor: ${name} api::article.article (field secret)`,
        ),
      ]);
    });
  });
}
