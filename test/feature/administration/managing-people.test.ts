/** People and roles in the administration: by rights, never beyond the rights of the administrator, and at once. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stepOf, totpCode } from '../../../src/users/administrators/totp.ts';
import { Browser, makeAdministrator, makeRole, PASSWORD } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const ARTICLE = 'api::article.article';
const EXPLORER = 'plugin::content-manager.explorer';
const SUPER = 'strapi-super-admin';
const text = { type: 'string' } as const;
const contentTypes = {
  article: contentType(
    'article',
    { title: text, body: text, seo: { type: 'component', component: 'shared.seo' } },
    { pluginOptions: { i18n: { localized: true } }, options: { draftAndPublish: true } },
  ),
  event: contentType('event', { name: text }),
};
const components = { 'shared.seo': { collectionName: 'components_seos', attributes: { head: text, image: text } } };
const files = { 'config/admin.js': 'module.exports = { rateLimit: { max: 200 } };' };

/** What the managers of the tests may do besides people: read titles of articles. */
const MANAGED = [
  ...['users', 'roles'].flatMap((of) => ['create', 'read', 'update', 'delete'].map((verb) => `admin::${of}.${verb}`)),
].map((action) => ({ operation: action as 'plugin::x', subject: null, properties: {} }));
const TITLES = { operation: 'read', subject: ARTICLE, properties: { fields: ['title'], locales: ['en'] } } as const;

for (const engine of engines) {
  describe(`people and roles in the administration on ${engine.name}`, () => {
    let server: RunningServer;
    const ids: Record<string, number> = {};
    const browsers: Record<string, Browser> = {};

    const make = async (name: string, role: string) => {
      ids[name] = await makeAdministrator(server, name, role);
      const browser = new Browser(server);
      browsers[name] = browser;
      strictEqual((await browser.signIn(name)).status, 200);
      return browser;
    };
    before(async () => {
      const folder = await makeProject({ contentTypes, components, files });
      server = await serve(folder, await engine.databaseFor(folder));
      await makeRole(server, 'manager', [...MANAGED, TITLES]);
      await makeRole(server, 'reader', [TITLES]);
      await makeRole(server, 'looker', [
        { operation: 'admin::users.read' as 'plugin::x', subject: null, properties: {} },
      ]);
      for (const [name, role] of [
        ['sue', SUPER],
        ['max', 'manager'],
        ['eva', 'strapi-editor'],
        ['ray', 'reader'],
        ['lou', 'looker'],
      ] as const) {
        await make(name, role);
      }
    });
    after(() => server?.stop());

    const ask = async (name: string, method: string, target: string, body?: unknown): Promise<Any> => {
      const answer = await browsers[name]!.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const status = async (...args: Parameters<typeof ask>) => (await ask(...args)).status;
    /** The refused place and its message. */
    const refused = async (...args: Parameters<typeof ask>) => {
      const { status, body } = await ask(...args);
      const [first] = body.error.details.errors ?? [];
      return [status, first?.path.join('.') ?? '', first?.message ?? body.error.message];
    };
    const data = async (...args: Parameters<typeof ask>) => (await ask(...args)).body.data;
    const roleId = async (name: string, as = 'sue'): Promise<number> =>
      (await data(as, 'GET', 'roles')).find((role: Any) => role.name === name || role.code === name).id;

    it('are seen and changed by administrators with the rights alone', async () => {
      const people = await data('lou', 'GET', 'people');
      deepStrictEqual(
        people.map(({ email, state, isYou, roles }: Any) => [email.split('@')[0], state, isYou, roles[0].code]),
        [
          ['sue', 'active', false, SUPER],
          ['max', 'active', false, 'manager'],
          ['eva', 'active', false, 'strapi-editor'],
          ['ray', 'active', false, 'reader'],
          ['lou', 'active', true, 'looker'],
        ],
      );
      ok(people.every(({ lastUsedAt }: Any) => Date.now() - Date.parse(lastUsedAt) < 60_000));
      doesNotMatch(JSON.stringify(people), /\$2[aby]\$|password/);
      const id = ids['ray'];
      const calls = [
        ['POST', 'people', { email: 'x@example.com', roles: [1] }],
        ['PUT', `people/${id}`, { firstname: 'X' }],
        ['DELETE', `people/${id}`],
        ['POST', `people/${id}/invitation`, {}],
        ['POST', `people/${id}/block`],
        ['POST', `people/${id}/unblock`],
        ['DELETE', `people/${id}/sessions`],
        ['DELETE', `people/${id}/sessions/x`],
        ['DELETE', `people/${id}/second-factor`],
        ['GET', 'roles'],
        ['POST', 'roles', { name: 'X' }],
        ['GET', 'roles/permittable'],
        ['GET', 'roles/1'],
        ['PUT', 'roles/1', { name: 'X' }],
        ['DELETE', 'roles/1'],
      ] as const;
      for (const [method, target, body] of calls) strictEqual(await status('lou', method, target, body), 403, target);
      strictEqual(await status('eva', 'GET', 'people'), 403);
      strictEqual(await status('eva', 'GET', 'people/options'), 403);
      for (const target of ['people/999', 'people/x', 'people/999999999999999', 'roles/999']) {
        strictEqual(await status('sue', 'GET', target), 404);
      }
      for (const query of ['cursor=x', 'cursor[toString]=1', 'cursor=1&cursor=2']) {
        strictEqual(await status('sue', 'GET', `people?${query}`), 400);
      }
    });

    it('are invited by a link that works once, with roles within the rights of the administrator', async () => {
      const [reader, editor] = [await roleId('reader'), await roleId('Editor')];
      const body = { email: ' New@Example.com', firstname: 'Nell', roles: [reader] };
      deepStrictEqual(await refused('max', 'POST', 'people', { ...body, roles: [reader, await roleId(SUPER)] }), [
        403,
        'roles',
        'Only super admins give and take the role Super Admin',
      ]);
      deepStrictEqual(await refused('max', 'POST', 'people', { ...body, roles: [editor] }), [
        403,
        'roles',
        'The role Editor permits more than your roles',
      ]);
      for (const [wrong, place] of [
        [{ ...body, roles: [] }, 'roles'],
        [{ ...body, roles: [999] }, 'roles'],
        [{ ...body, roles: 'x' }, 'roles'],
        [{ roles: [reader] }, 'email'],
        [{ ...body, email: 'sue@example.com' }, 'email'],
      ] as const) {
        deepStrictEqual((await refused('max', 'POST', 'people', wrong)).slice(0, 2), [400, place]);
      }
      const { id, invitation } = await data('max', 'POST', 'people', body);
      deepStrictEqual([invitation.link, invitation.isMailed], [null, false]);
      const invited = await data('max', 'GET', `people/${id}`);
      deepStrictEqual([invited.email, invited.state, invited.lastUsedAt], ['new@example.com', 'invited', null]);
      ok(Date.parse(invited.invitedUntil) > Date.now() + 6 * 24 * 3_600_000);
      const again = await data('max', 'POST', `people/${id}/invitation`, {});
      const accept = (token: string) =>
        new Browser(server).send('POST', 'invitation', { token, firstname: 'Nell', password: PASSWORD });
      strictEqual((await accept(invitation.token)).status, 403);
      strictEqual((await accept(again.token)).status, 201);
      strictEqual(await status('max', 'POST', `people/${id}/invitation`, {}), 400);
      strictEqual((await data('max', 'GET', `people/${id}`)).state, 'active');
      // a person with more rights cannot be invited again by somebody who would then hold the link
      const { id: other } = await data('sue', 'POST', 'people', { email: 'ed@example.com', roles: [editor] });
      strictEqual(await status('max', 'POST', `people/${other}/invitation`, {}), 403);
      deepStrictEqual((await refused('max', 'PUT', `people/${other}`, { email: 'max2@example.com' })).slice(0, 2), [
        403,
        'email',
      ]);
      strictEqual(await status('max', 'DELETE', `people/${other}`), 204);
      strictEqual(await status('sue', 'DELETE', `people/${id}`), 204);
    });

    it('get roles, are blocked and deleted, with effect on their next request', async () => {
      const tom = await make('tom', 'reader');
      const id = ids['tom'];
      const types = async () => (await tom.get('schema')).body.data?.contentTypes.length;
      strictEqual(await types(), 1);
      await data('sue', 'PUT', `people/${id}`, { roles: [await roleId('Editor')], firstname: 'Tom', lastname: 'Ash' });
      ok((await types()) > 1);
      const told = await data('sue', 'GET', `people/${id}`);
      deepStrictEqual([told.firstname, told.lastname, told.sessions.length], ['Tom', 'Ash', 1]);
      await data('max', 'PUT', `people/${id}`, { roles: [await roleId('reader')] });
      strictEqual(await types(), 1);
      deepStrictEqual((await data('max', 'DELETE', `people/${id}/sessions/${told.sessions[0].id}`)).sessions, []);
      strictEqual((await tom.get('session')).status, 401);
      strictEqual((await tom.signIn('tom')).status, 200);
      strictEqual((await data('max', 'POST', `people/${id}/block`)).state, 'blocked');
      strictEqual((await tom.get('session')).status, 401);
      strictEqual((await tom.signIn('tom')).status, 400);
      strictEqual((await data('max', 'POST', `people/${id}/unblock`)).state, 'active');
      strictEqual((await tom.signIn('tom')).status, 200);
      await data('max', 'DELETE', `people/${id}/sessions`);
      strictEqual((await tom.get('session')).status, 401);
      strictEqual(await status('max', 'DELETE', `people/${id}`), 204);
      strictEqual(await status('max', 'GET', `people/${id}`), 404);
    });

    it('cannot lock themselves or everyone out, and only super admins change super admins', async () => {
      const [sue, max] = [ids['sue'], ids['max']];
      for (const [method, target, body] of [
        ['POST', `people/${sue}/block`],
        ['DELETE', `people/${sue}`],
        ['DELETE', `people/${sue}/sessions`],
        ['DELETE', `people/${sue}/second-factor`],
        ['PUT', `people/${sue}`, { firstname: 'X' }],
      ] as const) {
        strictEqual(await status('max', method, target, body), 403);
      }
      // the account of an open session does not move to another address without the password
      for (const [name, id] of [
        ['max', max],
        ['sue', sue],
      ] as const) {
        const moved = await refused(name, 'PUT', `people/${id}`, { email: 'thief@example.com' });
        deepStrictEqual(moved, [400, 'email', 'You cannot change your own address']);
      }
      strictEqual(await status('max', 'PUT', `people/${max}`, { email: 'max@example.com', firstname: 'Max' }), 200);
      strictEqual(await status('max', 'POST', `people/${max}/block`), 400);
      strictEqual(await status('max', 'DELETE', `people/${max}`), 400);
      strictEqual(await status('sue', 'DELETE', `people/${max}/second-factor`), 200);
      await browsers['max']!.signIn('max');
      const demoted = { roles: [await roleId('reader')] };
      match((await refused('sue', 'PUT', `people/${sue}`, demoted))[2], /last super admin/);
      await make('sam', SUPER);
      await data('sue', 'POST', `people/${ids['sam']}/block`);
      match((await refused('sue', 'PUT', `people/${sue}`, demoted))[2], /last super admin/);
      await data('sue', 'POST', `people/${ids['sam']}/unblock`);
      await browsers['sam']!.signIn('sam');
      deepStrictEqual((await data('sam', 'PUT', `people/${sue}`, demoted)).roles.length, 1);
      strictEqual(await status('sue', 'POST', `people/${ids['sam']}/block`), 403);
      await data('sam', 'PUT', `people/${sue}`, { roles: [await roleId(SUPER, 'sam')] });
      strictEqual(await status('sue', 'DELETE', `people/${ids['sam']}`), 204);
    });

    it('have roles whose permissions are stored as the reference stores them', async () => {
      const { id } = await data('sue', 'POST', 'roles', { name: 'Press team', description: 'Writes news' });
      const article = (verb: string, permission: object | null) => ({
        action: `${EXPLORER}.${verb}`,
        subject: ARTICLE,
        permission,
      });
      const all = { fields: null, locales: null, conditions: [] };
      const some = { fields: ['seo.head', 'title'], locales: ['en'], conditions: ['admin::is-creator'] };
      const files = { action: 'plugin::upload.read', subject: null, permission: all };
      const role = await data('sue', 'PUT', `roles/${id}`, {
        permissions: [article('read', all), article('update', some), article('publish', all), files],
      });
      deepStrictEqual([role.name, role.code, role.people, role.others], ['Press team', 'press-team', 0, 0]);
      deepStrictEqual(
        role.permissions.find(({ action }: Any) => action.endsWith('update')),
        { action: `${EXPLORER}.update`, subject: ARTICLE, ...some, fields: ['title', 'seo.head'] },
      );
      const rows = await server.app.database.rows(
        `select p.action, p.properties, p.conditions from admin_permissions p
          join admin_permissions_role_lnk l on l.permission_id = p.id where l.role_id = ${id} order by p.id`,
        [],
      );
      const json = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);
      deepStrictEqual(
        rows.map(([action, properties, conditions]) => [
          String(action).split('.').at(-1),
          json(properties),
          json(conditions),
        ]),
        [
          ['read', { fields: ['title', 'body', 'seo.head', 'seo.image'], locales: ['en'] }, []],
          ['update', { fields: ['title', 'seo.head'], locales: ['en'] }, ['admin::is-creator']],
          ['publish', { locales: ['en'] }, []],
          ['read', {}, []],
        ],
      );
      // what is not mentioned stays, also its row
      const next = await data('sue', 'PUT', `roles/${id}`, { permissions: [article('publish', null)] });
      strictEqual(next.permissions.length, 3);
      const copy = await data('sue', 'POST', 'roles', { name: 'Press team!', from: id });
      deepStrictEqual((await data('sue', 'GET', `roles/${copy.id}`)).permissions, next.permissions);
      for (const [body, place] of [
        [{ name: 'Editor' }, 'name'],
        [{ name: ' ' }, 'name'],
        [{ description: 'a\nb' }, 'description'],
        [{ secondFactor: 'yes' }, 'secondFactor'],
        [{ permissions: [article('fly', all)] }, 'permissions.0.action'],
        [{ permissions: [article('read', { ...all, fields: ['nope'] })] }, 'permissions.0.permission.fields.0'],
        [{ permissions: [article('delete', { ...all, fields: ['title'] })] }, 'permissions.0.permission.fields'],
        [{ permissions: [article('read', { ...all, conditions: ['x'] })] }, 'permissions.0.permission.conditions.0'],
        [{ permissions: [article('read', all), article('read', all)] }, 'permissions.1'],
        [{ permissions: [null] }, 'permissions.0.action'],
        [{ permissions: 'x' }, 'permissions'],
      ] as const) {
        deepStrictEqual((await refused('sue', 'PUT', `roles/${id}`, body)).slice(0, 2), [400, place]);
      }
      const superId = await roleId(SUPER);
      strictEqual((await refused('sue', 'PUT', `roles/${superId}`, { permissions: [] }))[1], 'permissions');
      strictEqual(await status('sue', 'DELETE', `roles/${superId}`), 400);
      strictEqual(await status('sue', 'POST', 'roles', { name: 'All', from: superId }), 400);
      strictEqual(await status('sue', 'DELETE', `roles/${await roleId('reader')}`), 400);
      strictEqual(await status('sue', 'DELETE', `roles/${copy.id}`), 204);
      strictEqual(await status('sue', 'DELETE', `roles/${id}`), 204);
    });

    it('have roles that only a super admin extends beyond their own rights', async () => {
      const reader = await roleId('reader');
      const read = (permission: object) => ({ action: `${EXPLORER}.read`, subject: ARTICLE, permission });
      const put = (permission: object) => refused('max', 'PUT', `roles/${reader}`, { permissions: [read(permission)] });
      const titles = { fields: ['title'], locales: ['en'], conditions: [] };
      deepStrictEqual((await put({ ...titles, fields: null })).slice(0, 2), [403, 'permissions']);
      deepStrictEqual((await put({ ...titles, fields: ['title', 'body'] })).slice(0, 2), [403, 'permissions']);
      const narrower = { ...titles, conditions: ['admin::is-creator'] };
      strictEqual(await status('max', 'PUT', `roles/${reader}`, { permissions: [read(narrower)] }), 200);
      strictEqual(await status('max', 'PUT', `roles/${reader}`, { permissions: [read(titles)] }), 200);
      // a list does not grow further than that of the administrator
      strictEqual(
        await status('max', 'PUT', `roles/${reader}`, { permissions: [read({ ...titles, locales: null })] }),
        200,
      );
      strictEqual(await status('max', 'POST', 'roles', { name: 'Copy', from: await roleId('Editor') }), 403);
      strictEqual(await status('max', 'PUT', `roles/${await roleId('Editor')}`, { secondFactor: true }), 403);
      strictEqual(await status('max', 'PUT', `roles/${await roleId(SUPER)}`, { name: 'Boss' }), 403);
      // a role beyond these rights is not weakened, renamed or deleted either
      const { id: high } = await data('sue', 'POST', 'roles', { name: 'High', from: await roleId('Editor') });
      strictEqual((await data('max', 'GET', `roles/${high}`)).isChangeable, false);
      strictEqual((await data('max', 'GET', `roles/${reader}`)).isChangeable, true);
      const none = { action: `${EXPLORER}.update`, subject: ARTICLE, permission: null };
      for (const edit of [{ permissions: [none] }, { name: 'Low' }]) {
        deepStrictEqual(await refused('max', 'PUT', `roles/${high}`, edit), [
          403,
          'id',
          'The role High permits more than your roles',
        ]);
      }
      strictEqual(await status('max', 'DELETE', `roles/${high}`), 403);
      strictEqual(await status('sue', 'DELETE', `roles/${high}`), 204);
      const options = await data('max', 'GET', 'people/options');
      deepStrictEqual(
        options.roles.filter(({ isGrantable }: Any) => isGrantable).map(({ code }: Any) => code),
        ['manager', 'reader', 'looker'],
      );
    });

    it('get no role that extends rights on documents of people with the same role', async () => {
      const titles = { fields: ['title'], locales: ['en'] };
      const conditions = ['admin::has-same-role-as-creator'];
      await makeRole(server, 'deputy', [
        ...MANAGED,
        TITLES,
        { operation: 'update', subject: ARTICLE, properties: titles, conditions },
      ]);
      const dan = await make('dan', 'deputy');
      await make('pia', 'reader');
      const [deputy, reader, looker] = [await roleId('deputy'), await roleId('reader'), await roleId('looker')];
      const options = (await data('dan', 'GET', 'people/options')).roles;
      strictEqual(options.find(({ id }: Any) => id === deputy).isGrantable, false);
      const put = (name: string, roles: number[]) => refused('dan', 'PUT', `people/${ids[name]}`, { roles });
      deepStrictEqual((await put('pia', [reader, deputy])).slice(0, 2), [403, 'roles']);
      const invited = { email: 'deputy2@example.com', roles: [deputy] };
      deepStrictEqual((await refused('dan', 'POST', 'people', invited)).slice(0, 2), [403, 'roles']);
      // the own roles do not become those of others, nor theirs the own
      deepStrictEqual(await put('dan', [deputy, reader]), [
        403,
        'roles',
        'The role reader gives access to documents beyond your roles',
      ]);
      await data('sue', 'PUT', `people/${ids['dan']}`, { roles: [deputy, looker] });
      deepStrictEqual((await put('pia', [reader, looker])).slice(0, 2), [403, 'roles']);
      await data('sue', 'PUT', `people/${ids['dan']}`, { roles: [deputy] });
      strictEqual((await data('dan', 'PUT', `people/${ids['pia']}`, { roles: [reader, looker] })).roles.length, 2);
      const update = { action: `${EXPLORER}.update`, subject: ARTICLE };
      const shared = { permissions: [{ ...update, permission: { ...titles, conditions } }] };
      deepStrictEqual((await refused('dan', 'PUT', `roles/${reader}`, shared)).slice(0, 2), [403, 'permissions']);
      deepStrictEqual((await refused('dan', 'POST', 'roles', { name: 'Deputy 2', from: deputy })).slice(0, 2), [
        403,
        'from',
      ]);
      // people with the same roles are no higher, and what a role permits can become less
      await data('sue', 'PUT', `people/${ids['pia']}`, { roles: [deputy] });
      strictEqual((await data('dan', 'GET', `people/${ids['pia']}`)).isRecoverable, true);
      strictEqual(
        await status('dan', 'PUT', `roles/${deputy}`, { permissions: [{ ...update, permission: null }] }),
        200,
      );
      strictEqual((await dan.get('session')).status, 200);
      for (const name of ['dan', 'pia']) strictEqual(await status('sue', 'DELETE', `people/${ids[name]}`), 204);
      strictEqual(await status('sue', 'DELETE', `roles/${deputy}`), 204);
    });

    it('keep the second factor that their roles require, unless a super admin ends it', async () => {
      const kim = await make('kim', 'looker');
      const [reader, looker] = [await roleId('reader'), await roleId('looker')];
      await data('max', 'PUT', `roles/${reader}`, { secondFactor: true });
      strictEqual((await data('max', 'PUT', `people/${ids['kim']}`, { roles: [reader, looker] })).roles.length, 2);
      deepStrictEqual(await refused('max', 'PUT', `roles/${reader}`, { secondFactor: false }), [
        403,
        'secondFactor',
        'Only super admins end the requirement of a second factor',
      ]);
      const taken = { roles: [looker] };
      deepStrictEqual((await refused('max', 'PUT', `people/${ids['kim']}`, taken)).slice(0, 2), [403, 'roles']);
      const { id: copy } = await data('max', 'POST', 'roles', { name: 'Reader 2', from: reader });
      strictEqual(await status('max', 'PUT', `roles/${copy}`, { secondFactor: false }), 403);
      // another role that requires it takes the place of the first
      strictEqual((await data('max', 'PUT', `people/${ids['kim']}`, { roles: [copy] })).secondFactorRequired, true);
      strictEqual((await kim.get('schema')).status, 403);
      strictEqual((await data('sue', 'PUT', `people/${ids['kim']}`, taken)).secondFactorRequired, false);
      await data('sue', 'PUT', `roles/${reader}`, { secondFactor: false });
      strictEqual(await status('sue', 'DELETE', `people/${ids['kim']}`), 204);
      strictEqual(await status('sue', 'DELETE', `roles/${copy}`), 204);
    });

    it('must set up a second factor that a role requires before anything else', async () => {
      const eva = browsers['eva']!;
      const [editor, manager] = [await roleId('Editor'), await roleId('manager')];
      strictEqual((await data('sue', 'PUT', `roles/${editor}`, { secondFactor: true })).secondFactor, true);
      const session = (await eva.get('session')).body.data;
      deepStrictEqual(
        [session.user.secondFactorRequired, session.user.secondFactor, session.rights],
        [true, false, []],
      );
      for (const [method, target, body] of [
        ['GET', 'schema'],
        ['GET', 'sessions'],
        ['PUT', 'me', { firstname: 'Eva' }],
        ['PUT', 'me/password', { currentPassword: PASSWORD, password: 'Other1234' }],
        ['POST', `content/${ARTICLE}`, { data: { title: 'x' } }],
        ['GET', 'me/second-factor/recovery-codes'],
      ] as const) {
        const { status, body: answer } = await ask('eva', method, target, body);
        deepStrictEqual(
          [status, answer.error.details],
          [403, { secondFactorRequired: true, reason: { code: 'factorFirst' } }],
        );
      }
      const { secret } = (await eva.send('POST', 'me/second-factor')).body.data;
      const code = (later = 0) => totpCode(secret, stepOf(Date.now()) + later);
      strictEqual((await eva.send('PUT', 'me/second-factor', { code: code() })).status, 200);
      strictEqual((await eva.get('schema')).status, 200);
      strictEqual((await data('sue', 'GET', `people/${ids['eva']}`)).secondFactor, true);
      // a person who has lost it sets up another one at the next sign-in
      strictEqual(await status('max', 'DELETE', `people/${ids['eva']}/second-factor`), 403);
      deepStrictEqual((await data('sue', 'DELETE', `people/${ids['eva']}/second-factor`)).sessions, []);
      strictEqual((await eva.signIn('eva')).status, 200);
      strictEqual((await eva.get('schema')).status, 403);
      await data('sue', 'PUT', `roles/${editor}`, { secondFactor: false });
      strictEqual((await eva.get('schema')).status, 200);
      // super admins have no way around it either
      const boss = await roleId(SUPER);
      await data('sue', 'PUT', `roles/${boss}`, { secondFactor: true });
      strictEqual(await status('sue', 'PUT', `roles/${boss}`, { secondFactor: false }), 403);
      strictEqual(await status('max', 'PUT', `roles/${manager}`, { description: 'Manages people' }), 200);
    });
  });
}
