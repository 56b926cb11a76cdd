/** `strapi` in the code of a project, and the refusal of missing members: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import { refusesToStart } from '../../support/code/refused-start.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const core = (kind: string, name: string, options = '') =>
  `const { factories } = require('@strapi/strapi');\nmodule.exports = factories.createCore${kind}('api::${name}.${name}'${options});`;

/** Actions of one controller, each a function of strapi that gives what is answered. */
const ACTIONS: Readonly<Record<string, string>> = {
  commits: `await strapi.db.transaction(async ({ onCommit }) => {
      onCommit(() => { strapi.committed = 'yes'; });
      await strapi.documents('api::note.note').create({ data: { text: 'in a transaction' } });
      strapi.inside = strapi.db.inTransaction();
    });
    return { notes: await strapi.db.query('api::note.note').count({ where: { text: 'in a transaction' } }), committed: strapi.committed, inside: strapi.inside, outside: strapi.db.inTransaction() };`,
  leavesAlone: `const notes = strapi.documents('api::note.note');
    let late;
    await strapi.db.transaction(async () => { late = notes.create({ data: { text: 'not waited for' }, status: 'published' }); });
    await late;
    return await strapi.db.query('api::note.note').count({ where: { text: 'not waited for' } });`,
  rollsBack: `let rolledBack = false;
    try {
      await strapi.db.transaction(async ({ onRollback }) => {
        onRollback(() => { rolledBack = true; });
        await strapi.documents('api::note.note').create({ data: { text: 'never' } });
        throw new Error('no');
      });
    } catch {}
    return { rolledBack, notes: await strapi.db.query('api::note.note').count({ where: { text: 'never' } }) };`,
  ends: `const told = [];
    const write = (text) => strapi.documents('api::note.note').create({ data: { text } });
    await strapi.db.transaction(async ({ trx, commit, onCommit, onRollback }) => {
      onCommit(() => { told.push('committed'); throw new Error('of nobody'); });
      onRollback(() => told.push('rolled back'));
      await write('ended');
      await commit();
      told.push(strapi.db.inTransaction());
      await write('ended');
    });
    await strapi.db.transaction(async ({ rollback, onRollback }) => {
      onRollback(() => told.push('rolled back'));
      await write('ended');
      await rollback();
    });
    return { told, notes: await strapi.db.query('api::note.note').count({ where: { text: 'ended' } }) };`,
  oneRow: `const rows = strapi.db.query('api::note.note');
    const documents = strapi.documents('api::note.note');
    const { documentId } = await documents.create({ data: { text: 'first' }, status: 'published' });
    await documents.update({ documentId, data: { text: 'unfinished' } });
    await rows.update({ where: { documentId, publishedAt: { $notNull: true } }, data: { secret: 'counted' } });
    const texts = async () => (await rows.findMany({ where: { documentId } })).map(({ text, secret, publishedAt }) => [text, secret, publishedAt !== null]);
    const changed = await texts();
    await rows.deleteMany({ where: { documentId, publishedAt: null } });
    return { changed, left: await texts(), none: await rows.findOne({ where: { id: Number(documentId) } }) };`,
  asWritten: `const made = await strapi.documents('api::note.note').create({ data: { text: 'as written', nope: 1, createdBy: 1 } });
    const row = await strapi.db.query('api::note.note').findOne({ where: { id: made.id }, select: ['text'] });
    const schema = strapi.contentType('api::note.note');
    const query = { filters: { $or: [{ text: 'a' }, { secret: 'b' }], nope: 1 }, sort: ['text', 'secret'], fields: ['secret'], own: 1 };
    const jwt = strapi.plugin('users-permissions').service('jwt');
    const { own } = await jwt.verify(jwt.issue({ own: 'claim' }));
    const { env, strings } = require('@strapi/utils');
    return { locale: made.locale, nope: 'nope' in made, row, query: await strapi.contentAPI.sanitize.query(query, schema, {}), input: await strapi.contentAPI.sanitize.input({ text: 'a', nope: 1, id: 1 }, schema, {}), own, env: env.int('NOT_SET', 3), slug: strings.nameToSlug('Über Uns & Co') };`,
  unnamed: `const rows = strapi.db.query('api::note.note');
    const errors = [];
    for (const where of [{}, undefined, { id: undefined }, { $or: [{ text: undefined }] }]) {
      for (const ask of [() => rows.update({ where, data: { text: 'x' } }), () => rows.delete({ where })]) await ask().catch(({ message }) => errors.push(message));
    }
    await rows.deleteMany({ where: { id: undefined } }).catch(({ message }) => errors.push(message));
    const before = await rows.count();
    await rows.deleteMany({ where: { text: undefined } });
    return { errors: errors.length, gone: before - (await rows.count()) };`,
  rows: `const rows = strapi.db.query('api::note.note');
    const one = await rows.create({ data: { text: 'row', secret: 's' } });
    await rows.create({ data: { text: 'row', publishedAt: null } });
    const all = await rows.findMany({ where: { text: 'row' }, select: ['text', 'publishedAt'], orderBy: { id: 'asc' } });
    const updated = await rows.update({ where: { id: one.id }, data: { text: 'changed' } });
    const { count } = await rows.deleteMany({ where: { text: { $in: ['row', 'changed'] } } });
    return { secret: one.secret, all: all.map((row) => [row.text, row.publishedAt === null]), updated: updated.text, count, left: await rows.count({ where: { $or: [{ text: 'row' }, { text: 'changed' }] } }), none: await rows.findOne({ where: { text: 'none' } }) };`,
  entities: `const notes = strapi.entityService;
    const shown = [];
    for (const data of [{ text: 'old' }, { text: 'old', publishedAt: new Date() }, { text: 'old', publishedAt: null }]) shown.push((await notes.create('api::note.note', { data })).publishedAt !== null);
    await strapi.db.query('api::note.note').deleteMany({ where: { text: 'old' } });
    return shown;`,
  asQueries: `const rows = strapi.db.query('api::page.page');
    const notes = strapi.db.query('api::note.note');
    const [b, a] = [await notes.create({ data: { text: 'qb' } }), await notes.create({ data: { text: 'qa', publishedAt: null } })];
    for (const [code, size] of [['x', 2], ['y', null], ['z', 1]]) await rows.create({ data: { code, size, notes: [a.id, b.id] } });
    const { count } = await rows.updateMany({ where: { size: { $notIn: [] } }, data: { code: 'same' } });
    const page = { where: { text: { $startsWith: 'q' } }, select: ['secret'], orderBy: [{ text: 'asc' }, { publishedAt: 'asc' }], offset: 1, limit: 1, populate: { pages: { select: ['code'] } } };
    const [found, total] = await notes.findWithCount(page);
    const one = await rows.findOne({ where: { size: 1 }, select: ['code'], populate: { notes: { count: true } } });
    return { count, codes: (await rows.findMany({ select: ['code'], limit: 0 })), found: found.map(({ id, ...rest }) => rest), total, notes: one.notes.count, keys: Object.keys(one) };`,
  store: `const store = strapi.store({ type: 'plugin', name: 'own', key: 'setting' });
    const before = await store.get();
    await store.set({ value: { a: 1 } });
    await store.set({ value: { a: 2 } });
    return { before, after: await store.get(), same: await strapi.store.get({ type: 'plugin', name: 'own', key: 'setting' }) };`,
  account: `const users = strapi.plugin('users-permissions').service('user');
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'authenticated' } });
    const user = await users.add({ username: 'zoe', email: 'zoe@example.com', password: 'Abcdef1234', provider: 'local', role: role.id });
    const jwt = strapi.plugin('users-permissions').service('jwt').issue({ id: user.id });
    const edited = await users.edit(user.id, { username: 'zoe2' });
    const whole = await users.fetchAuthenticatedUser(user.id);
    return { jwt, username: edited.username, roles: [user, edited, whole].map(({ role }) => role.type), password: Object.keys(whole).includes('password') };`,
  ids: `const users = strapi.plugin('users-permissions').service('user');
    const { id } = await users.add({ username: 'ida', email: 'ida@example.com', password: 'Abcdef1234', provider: 'local' });
    const wrong = [Number.NaN, id + 'abc', '0x' + id.toString(16), [id], [id, 1], null, undefined, true, {}, id + 0.5, -id, 0, ' ' + id, id + '.0', '', 2 ** 60, { id }, { $gt: 0 }];
    const told = new Set();
    const files = strapi.plugin('upload').service('upload');
    for (const one of wrong) {
      const found = [users.fetch(one), users.fetchAuthenticatedUser(one), strapi.service('admin::user').findOne(one), strapi.service('admin::api-token').getById(one), strapi.entityService.findOne('plugin::users-permissions.user', one), strapi.get('webhookStore').findWebhook(one)];
      const written = [users.edit(one, { username: 'taken over' }), users.remove({ id: one }), files.updateFileInfo(one, { name: 'x' }), files.remove({ id: one }), strapi.service('admin::user').isLastSuperAdminUser(one)];
      for (const left of await Promise.allSettled([...found, ...written])) told.add(String(left.reason?.message ?? left.value));
    }
    const { username } = await users.edit(String(id), { username: 'idb' });
    return [[...told].sort(), username, (await users.fetch(id)).username];`,
  signsIn: `const service = strapi.plugin('users-permissions').service('user');
    await service.add({ username: 'ben', email: 'ben@example.com', password: 'Abcdef1234', provider: 'local' });
    const uid = 'plugin::users-permissions.user';
    const where = { username: 'ben' };
    const found = [
      await strapi.db.query(uid).findOne({ where }),
      await strapi.db.query(uid).findOne({ where, select: ['id', 'password'] }),
      await strapi.db.query(uid).findOne({ where, select: ['username', 'password'] }),
      (await strapi.db.query(uid).findMany({ where }))[0],
      await strapi.documents(uid).findFirst({ filters: where }),
      (await strapi.entityService.findMany(uid, { filters: where }))[0],
    ];
    found.push(await service.fetch(found[0].id, { populate: '*' }));
    const known = [];
    for (const { password, ...rest } of found) known.push([await service.validatePassword('Abcdef1234', password), await service.validatePassword('wrong', password), 'password' in rest]);
    return { known, told: JSON.stringify(found).includes('$2'), listed: Object.keys(found[0]).includes('password'), sent: { ...found[0] }.password, unasked: 'password' in (await strapi.db.query(uid).findOne({ where, select: ['id', 'email'] })) };`,
  grants: `const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'authenticated' } });
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    const actions = ['find', 'findOne', 'create', 'update', 'delete'].map((name) => 'api::note.note.' + name);
    await Promise.all(actions.map((action) => permissions.create({ data: { action, role: role.id } })));
    return permissions.count({ where: { action: { $in: actions }, role: role.id } });`,
  locales: `const locales = strapi.plugin('i18n').service('locales');
    const french = await locales.create({ code: 'fr', name: 'French' });
    const german = await strapi.db.query('plugin::i18n.locale').create({ data: { code: 'de', name: 'German' } });
    const refused = [];
    for (const work of [() => locales.create({ code: 'FR' }), () => locales.create({ code: '../x' }), () => locales.setDefaultLocale({ code: 'it' }), () => locales.delete({ code: 'fr' })]) {
      await work().catch(({ name }) => refused.push(name));
    }
    await locales.setDefaultLocale({ code: 'fr' });
    const chosen = await locales.getDefaultLocale();
    await locales.delete({ id: french.id }).catch(({ message }) => refused.push(message));
    await locales.setDefaultLocale({ code: 'en' });
    const renamed = await locales.update({ code: 'fr' }, { name: 'Français' });
    const removed = await locales.delete(german);
    const left = await locales.setIsDefault(await locales.find());
    return { chosen, refused, renamed: renamed.name, removed: removed.code, left: left.map(({ code, isDefault }) => [code, isDefault]), none: await locales.update({ code: 'it' }, { name: 'x' }) };`,
  roles: `const roles = strapi.plugin('users-permissions').service('role');
    const enabled = (...names) => ({ 'api::note': { controllers: { note: Object.fromEntries(names.map((name) => [name, { enabled: true }])) } } });
    await roles.createRole({ name: 'Chief Editor', description: 'x', permissions: enabled('find', 'findOne') });
    const { id, nb_users } = (await roles.find()).find(({ type }) => type === 'chief_editor');
    await roles.updateRole(id, { name: 'Chief', permissions: enabled('find') });
    const { name, permissions } = await roles.findOne(id);
    const { find, findOne } = permissions['api::note'].controllers.note;
    const refused = [];
    for (const work of [() => roles.updateRole(9999, { name: 'x' }), () => roles.findOne(9999), () => roles.createRole({ name: 'Bad', permissions: { 'api::note': { controllers: { note: { nope: { enabled: true } } } } } }), () => roles.deleteRole([id])]) {
      await work().catch(({ name }) => refused.push(name));
    }
    await roles.deleteRole(id);
    const left = (await roles.find()).map(({ type }) => type).sort();
    strapi.startupLogger.logStats();
    return { nb_users, name, enabled: [find.enabled, findOne.enabled], refused, left };`,
  model: `const model = strapi.getModel('api::note.note'); const { contentTypes } = require('@strapi/utils'); const heard = []; const stop = strapi.eventHub.subscribe((name) => void heard.push('subscriber of ' + name)); strapi.eventHub.once('own', () => void heard.push('listener')); await strapi.eventHub.emit('own'); stop();
    return { kind: strapi.getModel('api::note.note').kind, attributes: Object.keys(strapi.contentTypes['api::note.note'].attributes).slice(0, 2), names: [model.modelName, model.singularName, model.tableName], hidden: [contentTypes.isVisibleAttribute(model, 'createdBy'), 'useJoinTable' in model.attributes.text], heard, public: strapi.dirs.static.public.length > 0 };`,
  sanitized: `const note = await strapi.documents('api::note.note').create({ data: { text: 'x', secret: 's' }, status: 'published' });
    return strapi.contentAPI.sanitize.output(note, strapi.contentType('api::note.note'), { auth: ctx.state.auth });`,
  remembered: `return { path: strapi.requestContext.get().path };`,
  form: `const { files } = ctx.request.files; return { body: ctx.request.body, name: files.originalFilename, size: files.size };`,
  parts: `const { data, files } = require('@strapi/utils').parseMultipartData(ctx); return { data, cover: files.cover.size, pages: files.pages.map((file) => file.originalFilename) };`,
  times: `const task = () => {};
    const far = new Date(4e12);
    strapi.cron.add({ once: { task, options: far }, over: { task, options: { rule: '* * * * * *', end: new Date(1e12) } }, later: { task, options: { rule: '* * * * * *', start: far } } });
    strapi.cron.add({ '0 0 1 1 *': task });
    return strapi.cron.jobs.map(({ name, options, job }) => {
      const next = job.nextInvocation();
      return [name, typeof options, next && Number(next) >= 4e12, Number(job.nextRun()) === Number(next)];
    });`,
  settings: `const { environment, info } = strapi.config; return { environment, same: strapi.config.get('environment') === environment, name: info.name };`,
  changesModel: `strapi.contentTypes['api::note.note'].attributes.text.private = true; return 'changed';`,
  checks: `const { yup, validateYupSchema } = require('@strapi/utils');
    const nested = yup.object({ n: yup.number().integer().min(1) });
    const schema = yup.object().shape({ title: yup.string().required().min(3), email: yup.string().email(), tags: yup.array().of(yup.string()).max(2), nested, slug: yup.string().isKebabCase(), owner: yup.strapiID(), pages: yup.array().of(yup.object({ name: yup.string().notNull() })).uniqueProperty('name', 'twice') }).noUnknown();
    await validateYupSchema(schema)(ctx.request.body);
    return { ok: true };`,
  cast: `const { yup } = require('@strapi/utils');
    return yup.object({ n: yup.number(), on: yup.boolean() }).validate(ctx.request.body, { stripUnknown: true });`,
  known: `return ctx.state.auth;`,
  cut: `const cut = (query) => strapi.contentAPI.sanitize.query(query, strapi.getModel('api::note.note'), { auth: ctx.state.auth });
    return Promise.all(ctx.request.body.map(cut));`,
  bare: `const uid = 'plugin::users-permissions.user'; const users = strapi.plugin('users-permissions').service('user'); const documents = strapi.documents(uid);
    const roles = await strapi.db.query('plugin::users-permissions.role').findMany({ orderBy: 'type' });
    const of = (n) => ({ username: 'bare' + n, email: 'bare' + n + '@example.com', password: 'Abcdef1234' });
    const made = [await users.add(of(1)), await documents.create({ data: of(2), populate: ['role'] }), await strapi.db.query(uid).create({ data: of(3), populate: ['role'] })];
    const whole = await documents.create({ data: { ...of(4), role: roles[0].id, confirmed: true }, fields: ['username', 'confirmed'], populate: { role: { fields: ['type'] } } });
    const { role, ...own } = await documents.update({ documentId: whole.documentId, data: { username: 'bare4b' }, fields: 'username', populate: { role: true } });
    const ids = { documentId: 'zzzzzzzzzzzzzzzzzzzzzzzz' }; const filters = { username: { $startsWith: 'bare' } };
    const none = [await users.edit(99999, {}), await users.remove({ id: 99999 }), await documents.update({ ...ids, data: {} }), await documents.delete(ids)];
    const told = [];
    for (const work of [() => users.add(of(1)), () => users.edit(made[0].id, { username: 'bare2' }), () => documents.create({ data: { ...of(5), email: 'bare1@example.com' } })]) await work().catch(({ name, details }) => told.push([name, ...details.errors.map(({ path, message }) => path + ' ' + message)]));
    const all = await users.fetchAll({ filters, fields: ['username'], sort: 'username:desc', populate: { role: { fields: ['type'] } }, pagination: { start: 0, limit: 2 } });
    return { made: made.map(({ role, confirmed }) => [role, confirmed]), whole: [Object.keys(whole).sort(), whole.role.type], own: [Object.keys(own).sort(), role.type], none, told, count: [await users.count({ filters }), await users.count({ username: 'bare1' })], all: all.map(({ username, role, ...others }) => [username, role && role.type, ...('confirmed' in others ? ['more'] : [])]), fetched: (await users.fetch(made[1].id, { fields: ['username'], populate: { role: { fields: ['type'] } } })).role };`,
  ordered: `const documents = strapi.documents('api::page.page'); const told = [];
    for (const code of ['oa', 'ob', 'oc']) await documents.create({ data: { code, size: 1 } });
    const query = { filters: { code: { $startsWith: 'o' } }, sort: 'size,code:asc', fields: ['code'], start: 1, limit: 5 };
    const listen = (change) => strapi.db.lifecycles.subscribe({ models: ['api::page.page'], beforeFindMany({ params }) { told.push({ ...params }); Object.assign(params, change); } });
    const found = [];
    for (const change of [{}, { orderBy: { code: 'desc' }, offset: 0, limit: 2, select: ['code', 'size'] }, { where: { code: 'oc' }, offset: 0 }]) { const stop = listen(change); found.push((await documents.findMany(query)).map(({ code, size }) => [code, size ?? null])); stop(); }
    return { told: told[0], found };`,
  whole: `for (const code of ['wa', 'wb']) await strapi.documents('api::page.page').create({ data: { code } });
    const service = strapi.service('api::page.page');
    const page = async (pagination) => { const { results, pagination: told } = await service.find({ filters: { code: { $startsWith: 'w' } }, pagination }); return [results.length, told]; };
    return [await page({ limit: -1 }), await page({ limit: '-1' }), await page({ limit: -1, start: 1 })];`,
  lives: `const jwt = strapi.plugin('users-permissions').service('jwt'); const told = [];
    for (const expiresIn of [60, '1h', '2 days', '5000']) { const { iat, exp, sub } = await jwt.verify(jwt.issue({ id: 1 }, { expiresIn, subject: 'ann' })); told.push([exp - iat, sub]); }
    for (const [payload, options] of [[{}, { expiresIn: 'soon' }], [{}, { expiresIn: null }], [{ exp: 5 }, {}]]) try { jwt.issue(payload, options); } catch (error) { told.push(error.name); }
    return told;`,
  modules: `const { features } = strapi; const api = strapi.api('note'); const own = api.controllers.own; let told = 0; const listener = () => { told++; };
    strapi.eventHub.addListener('part', listener); await strapi.eventHub.emit('part'); strapi.eventHub.removeListener('part', listener); await strapi.eventHub.emit('part');
    return { same: [own === strapi.controller('api::note.own'), own === strapi.apis.note.controller('own'), api.service('note') === strapi.service('api::note.note'), api.contentTypes.note.uid === 'api::note.note'], controllers: Object.keys(api.controllers).sort(), policies: [Object.keys(strapi.policies).filter((uid) => uid.startsWith('global::')), 'global::by-sql' in strapi.policies, Object.keys(strapi.middlewares).filter((uid) => uid.startsWith('plugin::users'))], none: [strapi.api('nowhere') === undefined, api.service('nothing') === undefined], flags: [features.future.isEnabled('own'), features.future.isEnabled('off'), features.future.isEnabled('nothing'), features.isEnabled('whole'), features.config.whole], told };`,
  asksForMore: `return strapi[['session', 'Manager'].join('')];`,
  startsLater: `return strapi.plugin('users-permissions').service('jwt').issue({}, { notBefore: 5 });`,
};

const PAGES = { type: 'relation', relation: 'manyToMany', target: 'api::page.page', mappedBy: 'notes' };

/** yup as a project has it installed. */
const YUP = `module.exports = require(${JSON.stringify(createRequire(import.meta.url).resolve('yup'))});`;

/** What is refused of bodies: paths and messages, as the reference answers. */
const REFUSED: readonly (readonly [unknown, readonly (readonly [string, string])[]])[] = [
  [{}, [['title', 'title is a required field']]],
  [{ title: null }, [['title', 'title must be a `string` type, but the final value was: `null`.']]],
  [
    { title: 'ab', email: 'no', tags: ['a', 'b', 'c'], nested: { n: 0 } },
    [
      ['title', 'title must be at least 3 characters'],
      ['email', 'email must be a valid email'],
      ['tags', 'tags field must have less than or equal to 2 items'],
      ['nested.n', 'nested.n must be greater than or equal to 1'],
    ],
  ],
  [{ title: 'abc', extra: 1 }, [['', 'this field has unspecified keys: extra']]],
  [
    { title: 'abc', nested: { n: 1.5 }, tags: 'x' },
    [
      ['tags', 'tags must be a `array` type, but the final value was: `"x"`.'],
      ['nested.n', 'nested.n must be an integer'],
    ],
  ],
  [
    { title: 'abc', slug: 'Not Kebab', owner: { id: 1 } },
    [
      ['slug', 'slug is not in kebab case (an-example-of-kebab-case)'],
      ['owner', 'owner must be a `strapiID` type, but the final value was: `{\n  "id": "1"\n}`.'],
    ],
  ],
  [
    { title: 'abc', pages: [{ name: 'a' }, { name: 'a' }] },
    [
      ['pages.0.name', 'twice'],
      ['pages.1.name', 'twice'],
    ],
  ],
];

const PROJECT: ProjectFiles = {
  contentTypes: {
    note: contentType(
      'note',
      { text, secret: { ...text, private: true }, pages: PAGES },
      { options: { draftAndPublish: true } },
    ),
    guarded: contentType('guarded', { text }),
    raw: contentType('raw', { text }),
    page: contentType('page', {
      code: { type: 'string', unique: true, required: true },
      size: { type: 'integer' },
      notes: { type: 'relation', relation: 'manyToMany', target: 'api::note.note', inversedBy: 'pages' },
    }),
    watched: contentType('watched', { text, slug: text }),
    hidden: contentType('hidden', { text }),
  },
  files: {
    'package.json': '{"name":"own-project"}',
    'node_modules/yup/index.js': YUP,
    'config/features.js': 'module.exports = { whole: true, future: { own: true, off: false } };',
    'src/api/note/routes/note.js': core('Router', 'note'),
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(ACTIONS).map((name) => ({ method: 'POST', path: `/own/${name}`, handler: `own.${name}` })),
    )} };`,
    'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({\n${Object.entries(ACTIONS)
      .map(([name, body]) => `async ${name}(ctx) {\n${body}\n},`)
      .join('\n')}\n});`,
    // asks for what is not there: its route stays closed
    'src/policies/by-sql.js':
      "module.exports = async (ctx, config, { strapi }) => {\n  const rows = await strapi.db.queryBuilder.raw('select 1');\n  return rows.length > 0;\n};",
    'src/api/guarded/routes/guarded.js': core(
      'Router',
      'guarded',
      ", { config: { find: { policies: ['global::by-sql'] } } }",
    ),
    'src/api/raw/routes/raw.js': core('Router', 'raw'),
    'src/api/raw/controllers/raw.js': core(
      'Controller',
      'raw',
      ', ({ strapi }) => ({ async find(ctx) { return strapi.db.queryBuilder("raws"); } })',
    ),
    'src/api/watched/routes/watched.js': core('Router', 'watched'),
    'src/api/watched/content-types/watched/lifecycles.js':
      "module.exports = { beforeCreate({ params: { data } }) { if (data.text === 'no') throw new (require('@strapi/utils').errors.ApplicationError)('refused'); data.slug = 's-' + data.text; }, afterCreate({ result }) { if (result.text === 'late') throw new (require('@strapi/utils').errors.ApplicationError)('too late'); }, afterFindMany({ result }) { for (const row of result) row.text += '!'; } };",
    'src/api/hidden/routes/hidden.js': core('Router', 'hidden'),
    'src/index.js':
      "module.exports = { register({ strapi }) { strapi.documents.use(async (context, next) => { if (context.uid === 'api::hidden.hidden' && context.action === 'findMany') { context.params.filters = { text: 'shown' }; } return next(); }); } };",
  },
};

const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'own', type: 'custom', permissions: ['api::note.own.model', 'api::note.own.cut', 'api::note.own.known'] },
  ],
  roles: { public: ['api::note.own.remembered'] },
};

for (const engine of engines) {
  describe(`strapi in the code of a project on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, token: string | undefined = server.secrets['full']) =>
      server.request(method, `/api${target}`, { token, ...(body === undefined ? {} : { body }) });
    const own = async (name: string) => (await call('POST', `/own/${name}`)).body;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
    });
    after(() => server?.stop());

    it('has transactions around calls of documents', async () => {
      deepStrictEqual(await own('commits'), { notes: 1, committed: 'yes', inside: true, outside: false });
      strictEqual(await own('leavesAlone'), 2);
      deepStrictEqual(await own('rollsBack'), { rolledBack: true, notes: 0 });
    });

    it('has transactions that code ends by itself', async () => {
      deepStrictEqual(await own('ends'), { told: ['committed', false, 'rolled back'], notes: 2 });
    });

    it('changes and removes the named rows only', async () => {
      deepStrictEqual(await own('oneRow'), {
        changed: [
          ['unfinished', null, false],
          ['first', 'counted', true],
        ],
        left: [['first', 'counted', true]],
        none: null,
      });
      deepStrictEqual(await own('unnamed'), { errors: 7, gone: 0 });
    });

    it('has data, shapes and helpers as in the reference', async () => {
      deepStrictEqual(await own('asWritten'), {
        locale: null,
        nope: false,
        row: { text: 'as written' },
        query: { filters: { $or: [{ text: 'a' }] }, sort: ['text'], own: 1 },
        input: { text: 'a', nope: 1 },
        own: 'claim',
        env: 3,
        slug: 'ueber-uns-and-co',
      });
    });

    it('reports refusals of a yup schema to a client, with the path', async () => {
      for (const [body, wrong] of REFUSED) {
        const { status, body: answer } = await call('POST', '/own/checks', body);
        const told = answer.error.details.errors.map((one: { path: string[]; message: string }) => [
          one.path.join('.'),
          one.message,
        ]);
        deepStrictEqual([status, answer.error.name, told], [400, 'ValidationError', wrong]);
        const message = wrong.length === 1 ? wrong[0]![1] : `${wrong.length} errors occurred`;
        strictEqual(answer.error.message, message);
      }
      const right = { title: 'good', email: 'a@b.co', tags: ['a'], nested: { n: 2 }, slug: 'a-b', owner: 4 };
      deepStrictEqual((await call('POST', '/own/checks', right)).body, { ok: true });
      deepStrictEqual((await call('POST', '/own/cast', { n: '5', on: 'true', more: 1 })).body, { n: 5, on: true });
    });

    it('has rows, drafts and published ones alike', async () => {
      deepStrictEqual(await own('rows'), {
        secret: 's',
        // what says nothing of its publication is published
        all: [
          ['row', true],
          ['row', false],
          ['row', true],
        ],
        updated: 'changed',
        count: 3,
        left: 0,
        none: null,
      });
    });

    it('publishes entries of the entity service, unless they are drafts', async () => {
      deepStrictEqual(await own('entities'), [true, true, false]);
    });

    it('has queries as in the reference: both versions in one order, selected attributes, converted values', async () => {
      deepStrictEqual(await own('asQueries'), {
        count: 3,
        codes: [{ code: 'same' }, { code: 'same' }, { code: 'same' }],
        found: [{ secret: null, pages: [{ code: 'same' }, { code: 'same' }, { code: 'same' }] }],
        total: 3,
        // the draft of one, and both versions of the other
        notes: 3,
        keys: ['id', 'code', 'notes'],
      });
    });

    it('has settings of its own, schemas, folders and the request that it answers', async () => {
      deepStrictEqual(await own('store'), { before: null, after: { a: 2 }, same: { a: 2 } });
      deepStrictEqual(await own('model'), {
        ...{ kind: 'collectionType', attributes: ['text', 'secret'], public: true },
        ...{ names: ['note', 'note', 'notes'], hidden: [false, false], heard: ['listener', 'subscriber of own'] },
      });
      deepStrictEqual(await own('remembered'), { path: '/api/own/remembered' });
    });

    it('has the parts of an API, flags, and listeners by the names that Node gives them', async () => {
      deepStrictEqual(await own('modules'), {
        ...{ same: [true, true, true, true], controllers: ['note', 'own'], none: [true, true], told: 1 },
        ...{
          policies: [['global::by-sql'], true, ['plugin::users-permissions.rateLimit']],
          flags: [true, false, false, true, true],
        },
      });
    });

    it('has accounts, whose tokens let them in', async () => {
      const { jwt, ...rest } = await own('account');
      deepStrictEqual(rest, { username: 'zoe2', roles: Array(3).fill('authenticated'), password: false });
      const me = await server.request('POST', '/api/own/remembered', { token: jwt });
      // the role has no grant of it, and is known
      strictEqual(me.status, 403);
    });

    it('creates accounts from the data alone, without default role and confirmation', async () => {
      const taken = 'This attribute must be unique';
      const shown = ['documentId', 'id'];
      deepStrictEqual(await own('bare'), {
        made: Array(3).fill([null, false]),
        whole: [['confirmed', ...shown, 'role', 'username'], 'authenticated'],
        own: [[...shown, 'username'], 'authenticated'],
        none: [null, null, null, { documentId: 'z'.repeat(24), entries: [] }],
        told: [
          ['ValidationError', `email ${taken}`],
          ['ValidationError', `username ${taken}`],
          ['ValidationError', `email ${taken}`],
        ],
        ...{ count: [4, 1], fetched: null },
        all: [
          ['bare4b', 'authenticated'],
          ['bare3', null],
        ],
      });
    });

    it('passes reads to lifecycles in the form of rows, and applies their changes', async () => {
      deepStrictEqual(await own('ordered'), {
        told: {
          ...{ orderBy: [{ size: 'asc' }, { code: 'asc' }], select: ['id', 'documentId', 'code'], offset: 1, limit: 5 },
          where: { code: { $startsWith: 'o' } },
        },
        found: [
          [
            ['ob', null],
            ['oc', null],
          ],
          [
            ['oc', 1],
            ['ob', 1],
          ],
          [['oc', null]],
        ],
      });
    });

    it('returns pages of services up to the limit if code requests all', async () => {
      deepStrictEqual(await own('whole'), [
        [2, { start: 0, limit: 100, total: 2 }],
        [1, { start: 0, limit: 1, total: 2 }],
        [1, { start: 1, limit: 100, total: 2 }],
      ]);
    });

    it('has tokens with the lifetime that code sets', async () => {
      const refused = ['Error', 'Error', 'Error'];
      deepStrictEqual(await own('lives'), [...[60, 3600, 172_800, 5].map((seconds) => [seconds, 'ann']), ...refused]);
    });

    it('has the hash of the password of an account, which it does not hand on unawares', async () => {
      const none = ['Entity not found', 'false', 'null'];
      deepStrictEqual(await own('ids'), [none, 'idb', 'idb'], 'what is no id names nobody');
      const { known, ...rest } = await own('signsIn');
      deepStrictEqual(
        known,
        Array.from({ length: 7 }, () => [true, false, false]),
      );
      deepStrictEqual(rest, { told: false, listed: false, unasked: false });
    });

    it('grants a role all of several concurrent grants', async () => {
      strictEqual(await own('grants'), 5);
    });

    it('makes, changes and removes locales, as far as documents allow', async () => {
      deepStrictEqual(await own('locales'), {
        ...{ chosen: 'fr', renamed: 'Français', removed: 'de', none: null },
        refused: [
          ...['ValidationError', 'ValidationError', 'NotFoundError', 'Error'],
          'fr is the default locale: make another one the default first',
        ],
        left: [
          ['en', true],
          ['fr', false],
        ],
      });
    });

    it('makes, changes and removes roles with their grants', async () => {
      deepStrictEqual(await own('roles'), {
        ...{ nb_users: 0, name: 'Chief', enabled: [true, false] },
        ...{
          refused: ['NotFoundError', 'NotFoundError', 'ValidationError', 'NotFoundError'],
          left: ['authenticated', 'public'],
        },
      });
    });

    it('shows a caller no private attribute that code has read', async () => {
      const shown = await own('sanitized');
      deepStrictEqual([shown.text, 'secret' in shown], ['x', false]);
    });

    it('has the API token of a caller, without its secret', async () => {
      const { body } = await call('POST', '/own/known', {}, server.secrets['own']);
      const { credentials, strategy } = body;
      const { id, createdAt, lastUsedAt, permissions, ...others } = credentials;
      deepStrictEqual([strategy.name, typeof id, typeof createdAt], ['content-api-token', 'number', 'string']);
      deepStrictEqual(others, { name: 'own', type: 'custom', kind: 'content-api', expiresAt: null });
      deepStrictEqual(
        [...permissions].sort(),
        ['cut', 'known', 'model'].map((one) => `api::note.own.${one}`),
      );
      deepStrictEqual((await own('known')).credentials.permissions, []);
      strictEqual(lastUsedAt === null || typeof lastUsedAt === 'string', true);
    });

    it('reduces a query to permitted parts, with the relations of stars', async () => {
      const cut = async (query: object, token?: string) => (await call('POST', '/own/cut', [query], token)).body[0];
      const all = (populate: unknown, token?: string) => cut({ populate }, token);
      deepStrictEqual(
        [await all('*'), await all({ pages: { populate: '*' } }), await all('pages.notes')],
        [
          { populate: { pages: true } },
          { populate: { pages: { populate: { notes: true } } } },
          { populate: 'pages.notes' },
        ],
      );
      // may find neither pages nor notes
      const limited = server.secrets['own'];
      deepStrictEqual(
        [await all('*', limited), await all('pages', limited), await all(['pages'], limited)],
        [{ populate: {} }, {}, {}],
      );
      for (const inner of [true, { fields: 'code' }, { populate: '*' }])
        deepStrictEqual(await all({ pages: inner }, limited), {}, JSON.stringify(inner));
      deepStrictEqual(await cut({ sort: 'text,secret:desc', fields: 'text,secret', filters: { secret: 'x' } }), {
        ...{ sort: 'text', fields: ['text'], filters: {} },
      });
      deepStrictEqual(await cut({ sort: 'text,createdAt:desc', fields: 'text,createdAt' }), {
        ...{ sort: 'text,createdAt:desc', fields: ['text', 'createdAt'] },
      });
    });

    it('has the fields and files of a form, which no other caller can set', async () => {
      const form = () => {
        const parts = new FormData();
        parts.set('a', '1');
        parts.set('files', new Blob(['hello']), 'hello.txt');
        return parts;
      };
      const { body } = await call('POST', '/own/form', form());
      deepStrictEqual(body, { body: { a: '1' }, name: 'hello.txt', size: 5 });
      strictEqual((await server.request('POST', '/api/own/form', { body: form() })).status, 403);
    });

    it('has the files of a form by the names of their parts', async () => {
      const parts = new FormData();
      parts.set('data', '{"text":"x"}');
      parts.set('files.cover', new Blob(['hello']), 'cover.txt');
      for (const name of ['1.txt', '2.txt']) parts.append('files.pages', new Blob(['page']), name);
      const { body } = await call('POST', '/own/parts', parts);
      deepStrictEqual(body, { data: { text: 'x' }, cover: 5, pages: ['1.txt', '2.txt'] });
    });

    it('has tasks that run once, or between two times', async () => {
      deepStrictEqual(await own('times'), [
        ['once', 'object', true, true],
        ['over', 'object', null, true],
        ['later', 'object', true, true],
        [null, 'string', false, true],
      ]);
    });

    it('returns its environment and the package of the project', async () => {
      deepStrictEqual(await own('settings'), { environment: 'development', same: true, name: 'own-project' });
    });

    it('answers 500 if code changes a schema, or reads a missing member', async () => {
      for (const name of ['changesModel', 'asksForMore', 'startsLater']) {
        const { status, text } = await call('POST', `/own/${name}`);
        strictEqual(status, 500, name);
        match(text, /"message":"Internal Server Error"/);
      }
    });

    it('has actions of its own that tokens and roles may be granted', async () => {
      const secret = server.secrets['own'];
      strictEqual((await call('POST', '/own/model', undefined, secret)).status, 200);
      strictEqual((await call('POST', '/own/store', undefined, secret)).status, 403);
      strictEqual((await server.request('POST', '/api/own/remembered')).status, 200);
      strictEqual((await server.request('POST', '/api/own/model')).status, 403);
    });

    it('refuses requests whose code reads a missing member, and no others', async () => {
      strictEqual((await call('GET', '/guardeds')).status, 500);
      strictEqual((await call('POST', '/guardeds', { data: { text: 'x' } })).status, 200);
      strictEqual((await call('GET', '/raws')).status, 500);
      strictEqual((await call('GET', '/raws/none')).status, 404);
    });

    it('runs lifecycles around requests, and lets nothing go round them', async () => {
      const { body, status } = await call('POST', '/watcheds', { data: { text: 'a' } });
      deepStrictEqual([status, body.data.slug], [200, 's-a']);
      deepStrictEqual((await call('GET', '/watcheds')).body.data[0].text, 'a!');
      const refused = await call('POST', '/watcheds', { data: { text: 'no' } });
      deepStrictEqual([refused.status, refused.body.error.message], [400, 'refused']);
      const late = await call('POST', '/watcheds', { data: { text: 'late' } });
      deepStrictEqual([late.status, late.body.error.message], [400, 'too late']);
      strictEqual((await call('GET', '/watcheds?filters[text]=late')).body.data.length, 0);
      const operations = [{ action: 'create', data: { text: 'no' } }];
      strictEqual((await call('POST', '/watcheds/actions/batch', { operations })).status, 403);
    });

    it('runs document middlewares before every read of their type', async () => {
      for (const word of ['shown', 'other']) await call('POST', '/hiddens', { data: { text: word } });
      const { body } = await call('GET', '/hiddens');
      deepStrictEqual(
        body.data.map((one: { text: string }) => one.text),
        ['shown'],
      );
    });

    it('ends the start of a project whose code cannot be loaded, with the place', async () => {
      const contentTypes = { note: contentType('note', { text }) };
      const broken = (files: Readonly<Record<string, string>>, message: RegExp) =>
        refusesToStart(engine, { contentTypes, files }, message);
      await broken(
        { 'src/index.ts': 'export default {\n  bootstrap() {\n    throw new Error("no luck");\n  },\n};' },
        /^src\/index\.ts:3: no luck \(bootstrap of src\/index\.ts\)\n/,
      );
      await broken(
        {
          'src/index.js':
            "module.exports = { bootstrap() { const { ValidationError } = require('@strapi/utils').errors; throw new ValidationError('2 errors occurred', { errors: [{ message: 'text is wrong' }, { message: 'so is this' }] }); } };",
        },
        /2 errors occurred: text is wrong; so is this \(bootstrap of src\/index\.js\)\n/,
      );
      const nowhere = "{ task() {}, options: { rule: '* * * * * *', tz: 'Nowhere' } }";
      await broken(
        { 'config/server.js': `module.exports = { cron: { enabled: true, tasks: { nightly: ${nowhere} } } };` },
        /^the cron task nightly cannot be run at its times: .*Nowhere/,
      );
      await broken(
        { 'src/api/note/routes/note.js': core('Router', 'note', ", { config: { find: { policies: ['missing'] } } }") },
        /^src\/api\/note\/routes\/note\.js:2: the route GET \/notes: Policy missing not found in src\/api\/note\/policies\/missing or src\/policies\/missing: there are none\n/,
      );
      const routes = (handler: string, config = '{}') =>
        `export default {\n  routes: [\n    { method: 'GET', path: '/own', config: ${config},\n      handler: '${handler}' },\n  ],\n};`;
      const controller = "export default {\n  async list() { return 'a'; },\n};";
      const files = {
        'src/api/note/controllers/own.ts': controller,
        'src/policies/is-owner.ts': 'export default () => true;',
        'src/middlewares/trace.ts': 'export default () => (ctx, next) => next();',
      };
      await broken(
        { ...files, 'src/api/note/routes/own.ts': routes('own.lst') },
        /^src\/api\/note\/routes\/own\.ts:4: the route GET \/own: Handler not found "own\.lst": the controller api::note\.own has no method lst: did you mean list\? There is list\n/,
      );
      await broken(
        { ...files, 'src/api/note/routes/own.ts': routes('owm.list') },
        /own\.ts:4: .*Handler not found "owm\.list": there is no controller owm: did you mean own\?/,
      );
      await broken(
        { ...files, 'src/api/note/routes/own.ts': routes('own.list', "{ policies: [\n 'global::is-ower'] }") },
        /own\.ts:4: .*Policy global::is-ower not found in src\/policies\/is-ower: did you mean global::is-owner\?/,
      );
      await broken(
        { ...files, 'src/api/note/routes/own.ts': routes('own.list', "{ middlewares: [{ name: 'global::trce' }] }") },
        /own\.ts:3: .*Middleware global::trce not found in src\/middlewares\/trce: did you mean global::trace\?/,
      );
    });
  });
}
