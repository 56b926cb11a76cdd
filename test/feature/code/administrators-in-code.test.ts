/** Administrators in code of a project: reads, writes and lifecycles: docs/reference/project-code.md. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../support/servers/project.ts';

const PROJECT: ProjectFiles = {
  contentTypes: { author: contentType('author', { name: { type: 'string' }, of: { type: 'integer' } }) },
  files: {
    'src/index.js': `module.exports = {
  register({ strapi }) {
    strapi.told = [];
    const tell = ({ action, params: { where, data }, result }) => strapi.told.push([action, where ?? null, data && Object.fromEntries(Object.entries(data).map(([name, value]) => [name, value instanceof Date ? 'time' : value])), result ? [result.email, 'password' in result, result.roles.map(({ code }) => code).join()] : null]);
    strapi.db.lifecycles.subscribe({
      models: ['admin::user'],
      beforeCreate(event) {
        tell(event);
        if (event.params.data.lastname === 'Refused') throw new (require('@strapi/utils').errors.ApplicationError)('not this one');
      },
      async afterCreate(event) {
        tell(event);
        await strapi.documents('api::author.author').create({ data: { name: event.result.firstname, of: event.result.id } });
      },
      beforeUpdate(event) {
        tell(event);
        if (event.params.data.firstname === 'Changed') event.params.data.firstname = 'Other';
        if (event.params.data.firstname === 'Refused') throw new (require('@strapi/utils').errors.ApplicationError)('not so');
        return globalThis.meanwhile?.();
      },
      afterUpdate: tell,
      beforeDelete(event) {
        tell(event);
        if (globalThis.keptAdministrator === event.params.where.id) throw new (require('@strapi/utils').errors.ApplicationError)('this one stays');
        return globalThis.meanwhile?.();
      },
      afterDelete: tell,
    });
  },
};`,
  },
};

/** The hash of a password that no code was given here. */
const FOREIGN_HASH = '$2b$10$sKxVVLh1e3rBTqeoJSGdAuYH4N7mXZ5oR2wPbKq9cFzTdLgUi0EyW';

const SERVICES = `const users = strapi.service('admin::user');
    const roles = strapi.admin.services.role;
    const shown = (user) => user && [user.email, user.firstname, user.isActive, user.roles?.map(({ code }) => code).join() ?? 'no roles'].join(' ');
    const reason = (work) => work.then(shown, ({ name, message }) => name + ': ' + message);
    const authors = async () => (await strapi.documents('api::author.author').findMany({ sort: 'name' })).map(({ name }) => name);`;
const ACTIONS = {
  told: 'return strapi.told.splice(0);',
  seeds: `${SERVICES}
    const before = await users.exists({ email: 'seed@example.com' });
    const role = await roles.getSuperAdmin();
    const made = await users.create({ email: 'Seed@Example.com', firstname: 'Seed', lastname: 'One', password: 'Secret123', isActive: true, roles: [role.id] });
    const editor = await roles.findOne({ code: 'strapi-editor' });
    const closed = await users.create({ email: 'closed@example.com', firstname: 'Closed', password: 'Secret123', roles: [role.id, { id: editor.id }] });
    return [before, shown(made), Object.keys(made).includes('password'), shown(closed), await users.exists({ email: 'seed@example.com' }), await authors()];`,
  refusals: `${SERVICES}
    const count = await users.count();
    const person = { email: 'next@example.com', firstname: 'Next', password: 'Secret123', roles: [1], isActive: true };
    const wrong = [{ email: 'SEED@example.com' }, { email: 'nobody' }, { roles: [999] }, { roles: ['x'] }, { password: 'x'.repeat(100) }, { firstname: 1 }, { lastname: 'Refused' }];
    const reasons = [];
    for (const data of wrong) reasons.push(await reason(users.create({ ...person, ...data })));
    return [reasons, (await users.count()) - count, await authors()];`,
  reads: `${SERVICES}
    const seed = await users.findOneByEmail('Seed@example.com');
    const { results, pagination } = await users.findPage({ pagination: { page: 1, pageSize: 1 }, sort: 'id' });
    return [
      shown(seed), shown(await users.findOneByEmail('seed@example.com', ['roles'])), shown(await users.findOne(seed.id)), await users.findOne(9999),
      [results.length, pagination.total >= 2], [await users.count({ email: 'seed@example.com' }), await users.exists({ email: 'none@example.com' })],
      Object.keys(await strapi.db.query('admin::user').findOne({ where: { id: seed.id }, populate: ['apiTokens'] })).filter((name) => /token|password/i.test(name)),
      Object.keys(users.sanitizeUser({ ...(await users.findOne(seed.id)), password: 'x' })).filter((name) => /oken$|password/.test(name)),
      (await roles.find()).map(({ code }) => code).sort(), (await roles.getSuperAdminWithUsersCount()).usersCount >= 2, await roles.count(), await roles.exists({ code: 'none' }), await roles.findOne({ code: 'none' }),
      shown(await strapi.db.query('admin::user').findOne({ where: { email: 'seed@example.com' }, populate: ['roles'] })), (await strapi.query('admin::role').findOne({ where: { code: 'strapi-editor' } })).name,
    ];`,
  changes: `${SERVICES}
    strapi.told.splice(0);
    const query = strapi.db.query('admin::user');
    const one = await query.create({ data: { email: 'Row@Example.com', firstname: 'Row', password: await strapi.service('admin::auth').hashPassword('Secret123'), isActive: true, roles: [(await roles.findOne({ code: 'strapi-editor' })).id] }, populate: ['roles'] });
    const author = await roles.findOne({ code: 'strapi-author' });
    const told = [strapi.told.splice(0).map(([action, , , result]) => [action, result])];
    const left = [
      shown(one), Object.keys(one).includes('password'),
      shown(await users.updateById(one.id, { firstname: 'Rae', username: 'rae', roles: [author.id], email: 'rae@example.com' })),
      shown(await query.update({ where: { email: 'rae@example.com' }, data: { firstname: 'Row', roles: { connect: [one.roles[0].id], disconnect: [author] } }, populate: ['roles'] })),
      await users.updateById(9999, { firstname: 'x' }),
    ];
    told.push(strapi.told.splice(0).map(([action, where, data]) => [action, where.id === one.id || where, Object.keys(data)]));
    return [left, told];`,
  removed: `globalThis.keptAdministrator = undefined;
    const users = strapi.service('admin::user');
    const { id } = await users.findOneByEmail('four@example.com');
    return (await users.deleteById(id)).email;`,
  hashes: `${SERVICES}
    const auth = strapi.service('admin::auth');
    const accounts = strapi.plugin('users-permissions').service('user');
    const reasons = [];
    for (const password of [undefined, null, '', 5, ['Secret123']]) {
      reasons.push(await reason(auth.hashPassword(password)), await reason(accounts.ensureHashedPasswords({ password })));
    }
    const { id } = await users.findOneByEmail('seed@example.com');
    await users.updateById(id, { password: '${FOREIGN_HASH}' });
    return [reasons, await accounts.ensureHashedPasswords({ username: 'x' })];`,
  removals: `${SERVICES}
    const role = await roles.getSuperAdmin();
    const supers = await strapi.db.query('admin::user').findMany({ where: { roles: { code: 'strapi-super-admin' } } });
    const editor = await roles.findOne({ code: 'strapi-editor' });
    const make = (name, { id }) => users.create({ email: name + '@example.com', firstname: name, password: 'Secret123', isActive: true, roles: [id] });
    const made = [];
    for (const name of ['one', 'two', 'three', 'four']) made.push(await make(name, editor));
    const [one, two, three, four] = made;
    globalThis.keptAdministrator = four.id;
    strapi.told.splice(0);
    const listed = (work) => work.then((all) => all.map(({ email }) => email).join(), ({ message }) => message);
    const ids = supers.map(({ id }) => id);
    const left = [
      await listed(users.deleteByIds([...ids, one.id])), await reason(users.exists({ id: one.id })),
      await reason(users.deleteById(String(one.id))), await reason(users.deleteById(one.id)), await reason(users.deleteById(two.id + 'x')), await reason(users.deleteById([two.id])),
      await listed(users.deleteByIds([two.id, 9999, two.id])),
      shown(await strapi.db.query('admin::user').delete({ where: { id: three.id }, populate: ['roles'] })),
      await reason(users.deleteById(four.id)), await listed(users.deleteByIds([])),
      await users.count({ id: { $in: made.map(({ id }) => id) } }),
      [await users.count({ id: { $in: ids } }), ids.length],
    ];
    for (const name of ['owned', 'content']) await strapi.service('admin::api-token').create({ name });
    return [left, strapi.told.splice(0).map(([action, where, , result]) => [action, made.findIndex(({ id }) => id === where.id), result && result[0]])];`,
  leaving: `${SERVICES}
    const all = { where: { roles: { code: 'strapi-super-admin' } }, orderBy: 'id' };
    const [first, ...others] = await strapi.db.query('admin::user').findMany(all);
    const { id } = await roles.findOne({ code: 'strapi-editor' });
    const begin = () => { globalThis.meanwhile = async () => { globalThis.meanwhile = undefined; for (const other of others) await users.updateById(other.id, { roles: [id] }); }; };
    const reasons = [];
    for (const work of [() => users.deleteById(first.id), () => users.updateById(first.id, { roles: [id] })]) { begin(); reasons.push(await reason(work())); }
    strapi.told.splice(0);
    return [others.length > 0, reasons, (await strapi.db.query('admin::user').findMany(all)).length - others.length];`,
  withoutPassword: `${SERVICES}
    return users.create({ email: 'next@example.com', firstname: 'Next', roles: [1], isActive: true });`,
  tokenByService: `${SERVICES}
    return users.updateById((await users.findOneByEmail('seed@example.com')).id, { registrationToken: 'x' });`,
  tokenByRow:
    "return strapi.db.query('admin::user').update({ where: { email: 'seed@example.com' }, data: { resetPasswordToken: 'x' } });",
  roleByRow: "return strapi.db.query('admin::role').create({ data: { name: 'New' } });",
  forbidden: `${SERVICES}
    const supers = await strapi.db.query('admin::user').findMany({ where: { roles: { code: 'strapi-super-admin' } }, orderBy: 'id', populate: ['roles'] });
    const [first, ...others] = supers;
    const editor = await roles.findOne({ code: 'strapi-editor' });
    for (const { id } of others) await users.updateById(id, { roles: [editor.id] });
    const wrong = [{ roles: [editor.id] }, { roles: null }, { isActive: false }, { email: 'rae@example.com' }, { email: 'nobody' }, { email: null }, { password: '' }, { password: null }, { isActive: 'no' }, { firstname: 'Refused' }];
    const reasons = [await users.isLastSuperAdminUser(first.id), await users.isLastSuperAdminUser(others[0].id)];
    for (const data of wrong) reasons.push(await reason(users.updateById(first.id, data)));
    const byRow = (work) => work.then(() => 'done', ({ message }) => message);
    const query = strapi.db.query('admin::user');
    for (const data of [{ roles: [] }, { roles: { set: null } }, { roles: { set: [editor.id] } }, { roles: { disconnect: [first.roles[0].id] } }, { isActive: false }, { blocked: true }]) reasons.push(await byRow(query.update({ where: { id: first.id }, data })));
    reasons.push(await byRow(query.updateMany({ where: { id: first.id }, data: { isActive: false } })));
    for (const roles of [[true], [[1]], [{}], { to: 1 }, { connect: true }, [1.5], ' 1', '']) reasons.push(await byRow(query.update({ where: { id: others[0].id }, data: { roles } })));
    reasons.push(await users.updateById(true, { firstname: 'x' }));
    reasons.push(await reason(users.resetPasswordByEmail('seed@example.com', 'weak')), await reason(users.resetPasswordByEmail('none@example.com', 'Secret1234')));
    reasons.push(await reason(strapi.db.query('admin::user').delete({ where: { id: first.id } })), await reason(users.deleteById(first.id)));
    await query.update({ where: { id: first.id }, data: { registrationToken: null, resetPasswordToken: null }, populate: ['roles'] });
    const now = [first.firstname, (await users.findOne(first.id)).firstname, await users.isLastSuperAdminUser(first.id)];
    for (const { id } of others) await users.updateById(id, { roles: [{ id: (await roles.getSuperAdmin()).id }] });
    await users.resetPasswordByEmail('rae@example.com', 'Changed123');
    return [reasons, now];`,
};

for (const engine of engines) {
  describe(`administrators in the code of a project on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    it('are created in the browser, and change themselves, with lifecycles around', async () => {
      const { server } = served;
      const browser = new Browser(server);
      const { text: token } = server.app.firstToken;
      const person = { firstname: 'Ada', lastname: null, email: 'ada@example.com', password: 'Secret123', token };
      const refused = await browser.send('POST', 'first-administrator', { ...person, lastname: 'Refused' });
      match(refused.text, /not this one/);
      strictEqual((await browser.send('POST', 'first-administrator', person)).status, 201);
      const shown = ['ada@example.com', false, 'strapi-super-admin'];
      const told = await served.run('told');
      const roles = told[0][2].roles;
      strictEqual(roles.length, 1);
      const names = { firstname: 'Ada', email: 'ada@example.com', username: null, isActive: true };
      const data = { ...names, registrationToken: null, roles, createdAt: 'time', updatedAt: 'time' };
      deepStrictEqual(told, [
        ['beforeCreate', null, { ...data, lastname: 'Refused' }, null],
        ['beforeCreate', null, { ...data, lastname: null }, null],
        ['afterCreate', null, { ...data, lastname: null }, shown],
      ]);
      const profile = { firstname: 'Ava', lastname: 'L', username: 'ava', preferedLanguage: 'de' };
      strictEqual((await browser.send('PUT', 'me', profile)).status, 200);
      const password = { currentPassword: 'Secret123', password: 'Secret1234' };
      strictEqual((await browser.send('PUT', 'me/password', password)).status, 200);
      const changes = await served.run('told');
      const where = { id: changes[0][1].id };
      const now = { updatedAt: 'time' };
      deepStrictEqual(changes, [
        ['beforeUpdate', where, { ...profile, ...now }, null],
        ['afterUpdate', where, { ...profile, ...now }, shown],
        ['beforeUpdate', where, now, null],
        ['afterUpdate', where, now, shown],
      ]);
      match((await browser.send('PUT', 'me', { ...profile, firstname: 'Refused' })).text, /not so/);
      strictEqual((await browser.send('PUT', 'me', { ...profile, firstname: 'Changed' })).status, 500);
      deepStrictEqual(await served.run('told'), [
        ['beforeUpdate', where, { ...profile, ...now, firstname: 'Refused' }, null],
        ['beforeUpdate', where, { ...profile, ...now, firstname: 'Changed' }, null],
      ]);
      match((await browser.get('session')).text, /"Ava"/);
    });

    it('are created by code, and may sign in', async () => {
      deepStrictEqual(await served.run('seeds'), [
        false,
        'seed@example.com Seed true strapi-super-admin',
        false,
        'closed@example.com Closed false strapi-super-admin,strapi-editor',
        true,
        ['Ada', 'Closed', 'Seed'],
      ]);
      strictEqual((await new Browser(served.server).signIn('seed')).status, 200);
      strictEqual((await new Browser(served.server).signIn('closed')).status, 400);
    });

    it('are refused where they are wrong, taken, or not wanted by a lifecycle', async () => {
      const [reasons, more, authors] = await served.run('refusals');
      deepStrictEqual(reasons, [
        'ValidationError: Email already taken',
        'ValidationError: email must be a valid email',
        'ValidationError: Some of the roles do not exist',
        'ValidationError: roles must be ids',
        'ValidationError: password is too long',
        'ValidationError: firstname must be a text',
        'ApplicationError: not this one',
      ]);
      deepStrictEqual([more, authors], [0, ['Ada', 'Closed', 'Seed']]);
    });

    it('are read with their roles, and without passwords', async () => {
      const seed = 'seed@example.com Seed true strapi-super-admin';
      deepStrictEqual(await served.run('reads'), [
        ...['seed@example.com Seed true no roles', seed, seed, null],
        ...[[1, true], [1, false], ['resetPasswordTokenExpiresAt'], []],
        ...[['strapi-author', 'strapi-editor', 'strapi-super-admin'], true, 3, false, null],
        ...[seed, 'Editor'],
      ]);
    });

    it('are written as rows, with hashes that code read, and changed by their service', async () => {
      const [left, told] = await served.run('changes');
      deepStrictEqual(left, [
        ...['row@example.com Row true strapi-editor', false],
        ...['rae@example.com Rae true strapi-author', 'rae@example.com Row true strapi-editor', null],
      ]);
      const where = ['email', 'firstname', 'username', 'roles', 'updatedAt'];
      deepStrictEqual(told, [
        [
          ['beforeCreate', null],
          ['afterCreate', ['row@example.com', false, 'strapi-editor']],
        ],
        [
          ['beforeUpdate', true, where],
          ['afterUpdate', true, where],
          ['beforeUpdate', { email: 'rae@example.com' }, ['firstname', 'roles', 'updatedAt']],
          ['afterUpdate', { email: 'rae@example.com' }, ['firstname', 'roles', 'updatedAt']],
        ],
      ]);
      const rae = new Browser(served.server);
      strictEqual((await rae.signIn('rae')).status, 200);
      strictEqual((await rae.get('session')).status, 200);
      const rows = (sql: string) => served.server.app.database.transaction(async (tx) => tx.rows(sql, []));
      await rows("update admin_users set registration_token = 'x', reset_password_token = 'x'");
      const [reasons, now] = await served.run('forbidden');
      const tokens = "select registration_token, reset_password_token from admin_users where email = 'ada@example.com'";
      deepStrictEqual(await rows(tokens), [[null, null]]);
      const last = 'ValidationError: You must have at least one user with super admin role.';
      for (const name of ['withoutPassword', 'tokenByService', 'tokenByRow', 'roleByRow'])
        await rejects(served.run(name), /answered 500/, name);
      deepStrictEqual(reasons, [
        ...[true, false, last, last, last],
        ...['ValidationError: Email already taken', 'ValidationError: email must be a valid email'],
        ...['ValidationError: email must be a valid email', 'ValidationError: password must be a text'],
        ...['ValidationError: password must be a text', 'ValidationError: isActive must be true or false'],
        'ApplicationError: not so',
        ...Array(6).fill('You must have at least one user with super admin role.'),
        'You must have at least one user with super admin role.',
        ...Array(8).fill('roles must be ids'),
        null,
        ...[
          'ValidationError: password must be at least 8 characters',
          'Error: User not found for email: none@example.com',
        ],
        ...[last, last],
      ]);
      deepStrictEqual(now, ['Ava', 'Ava', true]);
      strictEqual((await rae.get('session')).status, 401, 'a new password ends sessions');
      strictEqual((await new Browser(served.server).signIn('rae', { password: 'Changed123' })).status, 200);
    });

    it('are removed by it with their sessions, and not the last one with all rights', async () => {
      const { app } = served.server;
      const count = async (table: string) => {
        const [[found]] = (await app.database.rows(`select count(*) from ${table}`, [])) as [[number]];
        return Number(found);
      };
      const own = ['sessions', 'second_factors', 'refused'].map((name) => `galley_admin_${name}`);
      const tables = ['admin_users', 'admin_users_roles_lnk', ...own];
      const before = await Promise.all(tables.map(count));
      const last = 'You must have at least one user with super admin role.';
      const stays = 'ApplicationError: this one stays';
      const [left, told] = await served.run('removals');
      const [refused, , first, ...others] = left;
      deepStrictEqual([refused, first], [last, 'one@example.com one true strapi-editor']);
      const three = 'three@example.com three true strapi-editor';
      deepStrictEqual(others.slice(0, -1), [null, null, null, 'two@example.com', three, stays, '', 1]);
      strictEqual(others.at(-1)[0], others.at(-1)[1]);
      const both = (index: number, name: string) => [
        ['beforeDelete', index, null],
        ['afterDelete', index, `${name}@example.com`],
      ];
      deepStrictEqual(told, [...both(0, 'one'), ...both(1, 'two'), ...both(2, 'three'), ['beforeDelete', 3, null]]);
      // only the one that stays is more than before
      deepStrictEqual(await Promise.all(tables.map(count)), [before[0]! + 1, before[1]! + 1, ...before.slice(2)]);
      const four = new Browser(served.server);
      strictEqual((await four.signIn('four')).status, 200);
      // a token of the panel is its owner's alone
      await app.database.transaction(async (tx) => {
        await tx.rows("update strapi_api_tokens set kind = 'admin' where name = 'owned'", []);
        await tx.rows(
          "insert into strapi_api_tokens_admin_user_owner_lnk (api_token_id, user_id) select t.id, u.id from strapi_api_tokens t, admin_users u where t.name in ('owned', 'content') and u.email = 'four@example.com'",
          [],
        );
        const factor = "insert into galley_admin_second_factors (user_id, secret) select id, 'x' from admin_users";
        const untold = 'insert into galley_admin_refused (user_id, made_at) select id, 0 from admin_users';
        for (const made of [factor, untold]) await tx.rows(`${made} where email = 'four@example.com'`, []);
      });
      strictEqual(await served.run('removed'), 'four@example.com');
      const tokens = "select name from strapi_api_tokens where name in ('owned', 'content')";
      deepStrictEqual(await app.database.rows(tokens, []), [['content']]);
      strictEqual(await count('strapi_api_tokens_admin_user_owner_lnk'), 0);
      strictEqual((await four.get('session')).status, 401);
      deepStrictEqual(await Promise.all(tables.map(count)), before);
    });

    it('retain one super admin, for any changes of listeners', async () => {
      const last = 'ValidationError: You must have at least one user with super admin role.';
      deepStrictEqual(await served.run('leaving'), [true, [last, last], 1]);
    });

    it('hash any text except hashes that code read, and refuse other values', async () => {
      const [reasons, values] = await served.run('hashes');
      const refused = 'TypeError: a password to be hashed must be a text that is not empty';
      deepStrictEqual(reasons, Array(10).fill(refused));
      deepStrictEqual(values, { username: 'x' });
      const signedIn = await new Browser(served.server).signIn('seed', { password: FOREIGN_HASH });
      strictEqual(signedIn.status, 200, 'the text is the password');
    });
  });
}
