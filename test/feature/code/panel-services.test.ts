/** The administration's part of strapi in code, and its container: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { startReceiver } from '../../support/servers/receiver.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const REFUSED =
  'const refused = async (work) => { try { await work(); return "done"; } catch ({ name, message }) { return name + ": " + message; } };';

/** Bodies of functions that are given `strapi` and `ctx`, by the name of the path that calls them. */
const ACTIONS: Readonly<Record<string, string>> = {
  tokens: `${REFUSED}
    const tokens = strapi.service('admin::api-token');
    const made = await tokens.create({ name: 'site', type: 'custom', permissions: ['api::note.note.find'] });
    const wrong = [{ name: 'site' }, { name: 'x', type: 'custom' }, { name: 'x', type: 'custom', permissions: ['api::note.note.nope'] }, { type: 'read-only' }, { name: 'x', type: 'all' }];
    const refusals = [];
    for (const data of wrong) refusals.push(await refused(() => tokens.create(data)));
    const again = await tokens.create({ name: 'gone', type: 'read-only' });
    await tokens.revoke(again.id);
    const found = await tokens.getByName('site');
    return { secret: made.accessKey, permissions: found.permissions, hidden: 'accessKey' in found, refusals, exists: [await tokens.exists({ name: 'site' }), await tokens.exists({ name: 'gone' })] };`,
  sameName: `${REFUSED}
    const tokens = strapi.service('admin::api-token');
    const made = await Promise.all(Array.from({ length: 8 }, () => refused(() => tokens.create({ name: 'once', type: 'read-only' }))));
    return { made: made.sort(), stored: (await tokens.list()).filter(({ name }) => name === 'once').length };`,
  privately: `${REFUSED}
    const { statusCode, message } = await strapi.webhookRunner.run({ url: ctx.query.url }, 'entry.publish', {});
    const made = await refused(() => strapi.get('webhookStore').createWebhook({ name: 'in', url: ctx.query.url, events: ['entry.publish'] }));
    return { statusCode, message, made };`,
  webhooks: `${REFUSED}
    const store = strapi.get('webhookStore');
    const made = await store.createWebhook({ name: 'site', url: 'https://example.com/hook', headers: { 'X-Key': 'k' }, events: ['entry.publish'] });
    const changed = await store.updateWebhook(made.id, { ...made, name: 'other', isEnabled: false });
    const listed = await strapi.webhookStore.findWebhooks();
    const wrong = [await refused(() => store.createWebhook({ ...made, events: ['entry.none'] })), await refused(() => store.createWebhook({ ...made, url: 'file:///etc' }))];
    const { name } = await store.deleteWebhook(made.id);
    return { made, changed, listed: listed.length, wrong, deleted: name, left: await store.findWebhook(made.id) };`,
  told: `const { statusCode } = await strapi.webhookRunner.run({ url: ctx.query.url, headers: { 'x-own': 'yes' } }, 'entry.publish', { model: 'note' });
    return { statusCode };`,
  folders: `const folders = strapi.plugin('upload').service('folder');
    const above = await folders.create({ name: 'above', parent: null });
    const below = await folders.create({ name: 'below', parent: above.id });
    return { names: [above.name, below.name], isBelow: below.path.startsWith(above.path + '/'), exists: [await folders.exists({ name: 'below' }), await folders.exists({ name: 'none' })] };`,
  actions: `const { permissions } = strapi.contentAPI;
    return { map: permissions.getActionsMap()['api::note'].controllers.note.includes('find'), known: permissions.providers.action.has('api::note.note.find'), keys: permissions.providers.action.keys().includes('api::note.own.actions'), services: Object.keys(strapi.services).filter((uid) => uid.startsWith('api::')) };`,
  settings: `const store = strapi.store({ type: 'plugin', name: 'users-permissions' });
    const grant = await store.get({ key: 'grant' });
    const email = await store.get({ key: 'email' });
    grant.google = { ...grant.google, enabled: true, key: 'k' };
    email.email_confirmation.options.object = 'Welcome';
    await store.set({ key: 'grant', value: grant });
    await store.set({ key: 'email', value: email });
    return { google: (await store.get({ key: 'grant' })).google, object: (await store.get({ key: 'email' })).email_confirmation.options.object, none: await store.get({ key: 'none' }) };`,
  authService: "return strapi.service(['admin', 'auth'].join('::')).create({});",
  permissionsManager: 'return strapi.admin.services.permission.createPermissionsManager({});',
  authModule: "return strapi.get(['au', 'th'].join(''));",
};

const PROJECT: ProjectFiles = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/index.js': `module.exports = {
      async bootstrap({ strapi }) {
        await strapi.service('admin::permission').actionProvider.registerMany([{ section: 'plugins', displayName: 'Read', uid: 'read', pluginName: 'own' }]);
        await strapi.admin.services.permission.conditionProvider.register({ displayName: 'Same', name: 'same', handler: () => true });
      },
    };`,
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(
      Object.keys(ACTIONS).map((name) => ({ method: 'GET', path: `/${name}`, handler: `own.${name}` })),
    )} };`,
    'src/api/note/controllers/own.js': `module.exports = ({ strapi }) => ({ ${Object.entries(ACTIONS)
      .map(([name, body]) => `async ${name}(ctx) { ${body} }`)
      .join(',\n')} });`,
  },
};

/** A middleware around every request, and nothing else. */
const AROUND: ProjectFiles = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/index.js':
      "module.exports = { register({ strapi }) { strapi.server.use(async (ctx, next) => { if (ctx.get('x-refused')) return ctx.forbidden('not you'); await next(); ctx.set('x-own', 'yes'); }); } };",
  },
};

/** A controller that does to strapi what reading it does not show, and a listener that nothing shows either. */
const unclear = (moment: string): ProjectFiles => ({
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/api/note/controllers/own.js':
      "const service = (name) => strapi.get(name);\nmodule.exports = { listed: () => Object.keys(service('db')) };",
    'src/api/note/routes/own.js': "module.exports = [{ method: 'GET', path: '/listed', handler: 'own.listed' }];",
    'src/index.js': `module.exports = { bootstrap: ({ strapi }) => strapi[['d', 'b'].join('')].lifecycles.subscribe({ models: ['plugin::upload.file'], ${moment}() {} }) };`,
  },
});

for (const engine of engines) {
  describe(`the administration's services in code on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
    });
    after(() => server.stop());

    const ask = async (path: string) => {
      const { status, body } = await server.request('GET', `/api/${path}`, { token: server.secrets['full'] });
      strictEqual(status, 200, JSON.stringify(body));
      return body;
    };

    it('create API tokens that are valid at once, and refuse invalid values', async () => {
      const { secret, refusals, ...rest } = await ask('tokens');
      deepStrictEqual(rest, { permissions: ['api::note.note.find'], hidden: false, exists: [true, false] });
      deepStrictEqual(refusals, [
        'ValidationError: Name already taken',
        'ValidationError: Missing permissions attribute for custom token',
        'ValidationError: Unknown permissions provided: api::note.note.nope',
        'ValidationError: name must be a text',
        'ValidationError: type must be one of read-only, full-access, custom',
      ]);
      strictEqual((await server.request('GET', '/api/notes', { token: secret })).status, 200);
      strictEqual((await server.request('POST', '/api/notes', { token: secret, body: { data: {} } })).status, 403);
    });

    it('make, change and delete webhooks, with the rules of the command line', async () => {
      const { made, changed, wrong, ...rest } = await ask('webhooks');
      const webhook = { url: 'https://example.com/hook', headers: { 'X-Key': 'k' }, events: ['entry.publish'] };
      deepStrictEqual(made, { id: made.id, name: 'site', ...webhook, isEnabled: true });
      deepStrictEqual(changed, { id: made.id, name: 'other', ...webhook, isEnabled: false });
      deepStrictEqual(rest, { listed: 1, deleted: 'other', left: null });
      strictEqual(wrong[0], 'ValidationError: Webhook event entry.none is not supported');
      match(wrong[1], /^ValidationError: file:\/\/\/etc is not an address/);
    });

    it('allow a name for one API token only, for any number of concurrent requests', async () => {
      const taken = Array.from({ length: 7 }, () => 'ValidationError: Name already taken');
      deepStrictEqual(await ask('sameName'), { made: [...taken, 'done'], stored: 1 });
    });

    it('send nothing to a webhook in a private network where that is forbidden', async () => {
      const closed = 'module.exports = { webhooks: { allowPrivateNetworks: false } };';
      const files = { ...PROJECT.files, 'config/server.js': closed };
      const alone = await serveSeeded(engine, await makeProject({ ...PROJECT, files }));
      const receiver = await startReceiver();
      try {
        const target = `/api/privately?url=${encodeURIComponent(receiver.url)}`;
        const { body } = await alone.request('GET', target, { token: alone.secrets['full'] });
        strictEqual(body.statusCode, 500);
        match(body.message, /is in a private network/);
        match(body.made, /^ValidationError: .*is in a private network/);
        deepStrictEqual(receiver.received, []);
      } finally {
        await receiver.close();
        await alone.stop();
      }
    });

    it('send an event to a webhook once, with its headers', async () => {
      const receiver = await startReceiver();
      try {
        deepStrictEqual(await ask(`told?url=${encodeURIComponent(receiver.url)}`), { statusCode: 200 });
        const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
        deepStrictEqual([headers['x-strapi-event'], headers['x-own'], body['model']], ['entry.publish', 'yes', 'note']);
      } finally {
        await receiver.close();
      }
    });

    it('create folders of the library, list the actions, and return settings before any is stored', async () => {
      deepStrictEqual(await ask('folders'), { names: ['above', 'below'], isBelow: true, exists: [true, false] });
      deepStrictEqual(await ask('actions'), { map: true, known: true, keys: true, services: ['api::note.note'] });
      const { google, ...rest } = await ask('settings');
      deepStrictEqual(rest, { object: 'Welcome', none: null });
      deepStrictEqual([google.enabled, google.key, google.scope], [true, 'k', ['email']]);
    });

    it('accept registrations for the panel, and throw for missing members', async () => {
      for (const name of ['authService', 'permissionsManager', 'authModule'])
        strictEqual((await server.request('GET', `/api/${name}`, { token: server.secrets['full'] })).status, 500, name);
    });

    it('are as open behind a middleware around every request, which is run for administrators too', async () => {
      const around = await serveSeeded(engine, await makeProject(AROUND));
      try {
        deepStrictEqual(
          around.app.warnings.filter((warning) => /closed/i.test(warning)),
          [],
        );
        for (const path of ['/admin/api/session', '/api/notes']) {
          const { headers } = await around.request('GET', path);
          strictEqual(headers.get('x-own'), 'yes', path);
          const refused = await around.request('GET', path, { headers: { 'x-refused': '1' } });
          deepStrictEqual([refused.status, refused.body.error.message], [403, 'not you'], path);
        }
      } finally {
        await around.stop();
      }
    });

    it('are behind a middleware that the extension of a plugin puts there which Galley lacks', async () => {
      const guard = "strapi.server.use((ctx, next) => (ctx.get('x-ok') ? next() : ctx.forbidden('no')))";
      const files = {
        'package.json': '{"dependencies":{"@strapi/plugin-documentation":"5.0.0"}}',
        'src/extensions/documentation/strapi-server.js': `module.exports = (plugin) => { ${guard}; return plugin; };`,
      };
      const guarded = await serveSeeded(engine, await makeProject({ contentTypes: AROUND.contentTypes!, files }));
      try {
        const token = guarded.secrets['full'];
        strictEqual((await guarded.request('GET', '/api/notes', { token })).status, 403);
        const headers = { 'x-ok': '1' };
        strictEqual((await guarded.request('GET', '/api/notes', { token, headers })).status, 200);
      } finally {
        await guarded.stop();
      }
    });

    it('are behind a middleware that bootstrap puts there in the next turn, and does not wait for', async () => {
      const files = {
        'src/index.js':
          "module.exports = { bootstrap: ({ strapi }) => void setImmediate(() => strapi.server.use((ctx, next) => (ctx.get('x-ok') ? next() : ctx.forbidden('no')))) };",
      };
      const guarded = await serveSeeded(engine, await makeProject({ contentTypes: AROUND.contentTypes!, files }));
      try {
        const token = guarded.secrets['full'];
        strictEqual((await guarded.request('GET', '/api/notes', { token })).status, 403);
        strictEqual((await guarded.request('GET', '/api/notes', { token, headers: { 'x-ok': 'yes' } })).status, 200);
      } finally {
        await guarded.stop();
      }
    });

    it('leave to administrators the types without hooks of running code, despite its other effects', async () => {
      // listeners to reads run around the reads of administrators
      for (const [moment, status] of [
        ['afterCreate', 200],
        ['beforeFindMany', 200],
      ] as const) {
        const open = await serveSeeded(engine, await makeProject(unclear(moment)));
        try {
          await makeAdministrator(open, 'ann', 'strapi-super-admin');
          const ann = new Browser(open);
          strictEqual((await ann.signIn('ann')).status, 200);
          strictEqual((await ann.get('files')).status, status, moment);
          strictEqual((await ann.get('content/api::note.note')).status, 200, moment);
        } finally {
          await open.stop();
        }
      }
    });
  });
}
