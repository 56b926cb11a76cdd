/** The `config/galley` that the start prints opens what the start says is closed, and nothing else. */
import { deepStrictEqual, doesNotMatch, match, ok } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { BUILT_IN_ACTIONS, coreNames, coreRoute, ownRoutesOf } from '../../../src/access/actions.ts';
import { applyFixture } from '../../../src/cli/apply.ts';
import { checkFixture, knownActions } from '../../../src/cli/fixture-file.ts';
import { engines } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';

type Files = Readonly<Record<string, unknown>>;

const MISSING = "strapi.db.queryBuilder('x')";
/** The same where reading the code does not show it. */
const HIDDEN = "strapi.db[['query', 'Builder'].join('')]('x')";
const POLICY = { 'src/policies/p.js': `module.exports = () => { ${MISSING}; return true; };` };
const RUNNING_POLICY = { 'src/policies/p.js': 'module.exports = () => true;' };

const factory = (kind: string, name: string, given: string): string =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}', ${given});`;
const members = (kind: string, name: string, text: string): string =>
  factory(kind, name, `({ strapi }) => ({ ${text} })`);
const guarded = (name: string, ...actions: string[]): Files => {
  const config = actions.map((action) => `${action}: { policies: ['global::p'] }`).join(', ');
  return { [`src/api/${name}/routes/${name}.js`]: factory('Router', name, `{ config: { ${config} } }`) };
};
const index = (register: string, bootstrap = ''): Files => ({
  'src/index.js': `module.exports = { register({ strapi }) { ${register} }, async bootstrap({ strapi }) { ${bootstrap} } };`,
});
const onNotes = (action: string): string =>
  `strapi.documents.use((context, next) => { if (context.uid === 'api::note.note' && context.action === '${action}') { globalThis.seen = context.action; } return next(); });`;
const subscribed = (uid: string, ...moments: string[]): string =>
  `strapi.db.lifecycles.subscribe({ models: ['${uid}'], ${moments.map((one) => `${one}() {}`).join(', ')} });`;
const ownRoutes = (...routes: object[]): Files => ({
  'src/api/note/routes/00-own.js': `module.exports = { routes: ${JSON.stringify(routes)} };`,
});
const plugin = (text: string): Files => ({
  'config/plugins.js': "module.exports = { mine: { enabled: true, resolve: './src/plugins/mine' } };",
  'src/plugins/mine/package.json': { name: 'mine', strapi: { kind: 'plugin', name: 'mine' } },
  'src/plugins/mine/strapi-server.js': `module.exports = { ${text} };`,
});
const packaged = (name: string, text: string, about: object = {}): Files => ({
  [`node_modules/${name}/package.json`]: { name, ...about },
  [`node_modules/${name}/${'strapi' in about ? 'strapi-server' : 'index'}.js`]: text,
});
const extension = (name: string, text: string): Files => ({
  [`src/extensions/${name}/strapi-server.js`]: `module.exports = (plugin) => { ${text} return plugin; };`,
});
const globals = (...names: string[]): Files => ({
  'config/middlewares.js': `module.exports = ['strapi::errors', ${names.join(', ')}, 'strapi::public'];`,
});
const GATE = (text: string): Files => ({
  'src/middlewares/gate.js': `module.exports = (config, { strapi }) => { ${text} };`,
});
const lifecycles = (name: string, text: string): Files => ({
  [`src/api/${name}/content-types/${name}/lifecycles.js`]: text,
});

/** A project for each kind of code that closes something. */
const KINDS: Readonly<Record<string, Files>> = {
  'a policy': { ...guarded('note', 'find', 'update'), ...POLICY },
  'a policy of a single type': { ...guarded('home', 'find', 'update'), ...POLICY },
  'a policy of all actions of a project': {
    ...guarded('note', 'find', 'findOne', 'create', 'update', 'delete'),
    ...guarded('page', 'find', 'findOne', 'create', 'update', 'delete'),
    ...guarded('home', 'find', 'update', 'delete'),
    ...POLICY,
  },
  'a policy of a plugin that is not there': {
    'src/api/page/routes/page.js': factory('Router', 'page', "{ config: { find: { policies: ['plugin::gone.p'] } } }"),
  },
  'a policy that runs': { ...guarded('note', 'find', 'update', 'delete'), ...RUNNING_POLICY },
  'a policy of a single type that runs, and one that does not': {
    ...guarded('home', 'update'),
    ...guarded('note', 'find'),
    'src/policies/p.js': `module.exports = () => true;`,
    'src/api/page/routes/page.js': factory('Router', 'page', "{ config: { find: { policies: ['global::q'] } } }"),
    'src/policies/q.js': POLICY['src/policies/p.js'],
  },
  'a middleware of a route': {
    'src/api/note/routes/note.js': factory('Router', 'note', "{ config: { find: { middlewares: ['api::note.m'] } } }"),
    'src/api/note/middlewares/m.js': `module.exports = () => async (ctx, next) => { ${MISSING}; await next(); };`,
  },
  'a global middleware': { ...globals("'global::gate'"), ...GATE(`return (ctx, next) => { ${MISSING}; };`) },
  'a global middleware beside one that runs, and a policy that runs': {
    ...globals("'global::fine'", "'global::gate'"),
    'src/middlewares/fine.js': 'module.exports = () => (ctx, next) => next();',
    ...GATE(`return (ctx, next) => { ${MISSING}; };`),
    ...guarded('note', 'update'),
    ...RUNNING_POLICY,
  },
  'a global middleware beside a document middleware that runs': {
    ...globals("'global::gate'"),
    ...GATE(`return (ctx, next) => { ${MISSING}; };`),
    ...index(onNotes('update')),
  },
  'a global middleware that shows what it lacks when it is made': {
    ...globals("'global::gate'"),
    ...GATE(`${HIDDEN}; return (ctx, next) => next();`),
  },
  'a global middleware of a package that shows what it lacks when it is made': {
    ...globals("{ resolve: 'some-gate' }"),
    ...packaged('some-gate', `module.exports = (config, { strapi }) => { ${HIDDEN}; };`),
  },
  'a global middleware of a plugin that is not there': globals("'plugin::gone.guard'"),
  lifecycles: lifecycles('note', `module.exports = { beforeCreate() { ${MISSING}; }, afterFindMany() {} };`),
  'lifecycles of a single type': lifecycles('home', `module.exports = { beforeUpdate() { ${MISSING}; } };`),
  'lifecycles that run': lifecycles('note', 'module.exports = { beforeUpdate() {} };'),
  'lifecycles that show what they lack when they are loaded': lifecycles(
    'note',
    `${HIDDEN}; module.exports = { beforeUpdate() {} };`,
  ),
  'subscribed lifecycles': index('', `${subscribed('api::note.note', 'beforeCreate', 'afterUpdate')} ${MISSING};`),
  'subscribed lifecycles of accounts': index(
    '',
    `${subscribed('plugin::users-permissions.user', 'beforeCreate')} ${MISSING};`,
  ),
  'subscribed lifecycles of files': index('', `${subscribed('plugin::upload.file', 'beforeFindMany')} ${MISSING};`),
  'subscribed lifecycles of a component': index('', `${subscribed('shared.seo', 'beforeCreate')} ${MISSING};`),
  'subscribed lifecycles of roles and locales': index(
    '',
    `${subscribed('plugin::users-permissions.role', 'beforeCreate')} ${subscribed('plugin::i18n.locale', 'beforeFindMany')} ${MISSING};`,
  ),
  'subscribed lifecycles that run': index('', subscribed('api::note.note', 'beforeCreate')),
  'lifecycles that reading does not show, behind a policy': {
    ...index(`strapi.db[['lifecy', 'cles'].join('')].subscribe({ models: ['api::note.note'], beforeUpdate() {} });`),
    ...guarded('note', 'update', 'delete'),
    ...POLICY,
  },
  'a document middleware': index(`${onNotes('publish')} ${MISSING};`),
  'a document middleware beside code that shows what it lacks as it starts': index(
    onNotes('update'),
    "await strapi.service('admin::user').isFirstSuperAdminUser(1);",
  ),
  'code around everything that shows what it lacks as it starts': index(
    'strapi.server.use((ctx, next) => next()); strapi.documents.use((context, next) => next());',
    HIDDEN,
  ),
  'a method of a controller': {
    'src/api/note/controllers/note.js': members(
      'Controller',
      'note',
      `async create(ctx) { ${MISSING}; return super.create(ctx); }, async find(ctx) { return super.find(ctx); }`,
    ),
  },
  'a method of a controller of a single type': {
    'src/api/home/controllers/home.js': members('Controller', 'home', `async update(ctx) { return ${MISSING}; }`),
  },
  'a whole controller': {
    'src/api/note/controllers/note.js': `${members('Controller', 'note', 'find(ctx) { return count(strapi); }, create(ctx) { return super.create(ctx); }')}
const count = (strapi) => ${MISSING};`,
  },
  'a method of a service': {
    'src/api/note/services/note.js': members('Service', 'note', `async find(params) { return ${MISSING}; }`),
  },
  'a whole service': {
    'src/api/note/services/note.js': `${members('Service', 'note', 'async update(id, params) { return count(strapi); }')}
const count = (strapi) => ${MISSING};`,
  },
  'routes of a method in the place of core ones': {
    ...ownRoutes(
      { method: 'POST', path: '/notes', handler: 'own.make', config: {} },
      { method: 'GET', path: '/notes/:slug', handler: 'own.make', config: {} },
    ),
    'src/api/note/controllers/own.js': `module.exports = { make: () => ${MISSING} };`,
    ...guarded('note', 'delete'),
    ...RUNNING_POLICY,
  },
  'an extension of accounts': extension(
    'users-permissions',
    `plugin.controllers.user.me = async (ctx) => { ${MISSING}; };`,
  ),
  'an extension of files': extension('upload', `plugin.controllers['content-api'].find = () => { ${MISSING}; };`),
  'an extension that cannot be followed': extension(
    'users-permissions',
    `for (const name of Object.keys(plugin.controllers)) delete plugin.controllers[name]; ${MISSING};`,
  ),
  'a plugin of a package': {
    'package.json': { dependencies: { navi: '1.0.0' } },
    ...packaged(
      'navi',
      `module.exports = { register({ strapi }) { ${subscribed('api::note.note', 'beforeCreate')} }, bootstrap() {}, controllers: { c: { x() {} } }, routes: { 'content-api': { type: 'content-api', prefix: '', routes: [{ method: 'GET', path: '/pages/:id', handler: 'c.x' }] } } };`,
      { strapi: { kind: 'plugin', name: 'navi' } },
    ),
  },
  'a plugin that is not there': {
    'config/plugins.js': "module.exports = { navi: { enabled: true, resolve: 'navi' } };",
  },
  'a plugin of the project': plugin(`register({ strapi }) { ${onNotes('create')} ${MISSING}; }, bootstrap() {}`),
  'a middleware of a plugin of the project': {
    ...globals("'plugin::mine.m'"),
    ...plugin(`register({ strapi }) { ${MISSING}; }, bootstrap() {}, middlewares: { m: () => (ctx, next) => next() }`),
  },
  'a file that starts Strapi': {
    'package.json': { scripts: { start: 'node ./server' } },
    'server.js':
      "require('@strapi/strapi').createStrapi().load().then((app) => { app.server.use(guard); app.start(); });",
  },
};

const text = { text: { type: 'string' } };
const drafts = { options: { draftAndPublish: true } };
const NOTE = { ...text, seo: { type: 'component', component: 'shared.seo' }, file: { type: 'media' } };
const TYPES = ['note', 'page', 'home'];
const SCHEMAS = {
  contentTypes: {
    note: contentType('note', NOTE, drafts),
    page: contentType('page', text),
    home: contentType('home', text, { kind: 'singleType', ...drafts }),
  },
  components: { 'shared.seo': { collectionName: 'seos', attributes: text } },
};
const ROUTERS = Object.fromEntries(
  TYPES.map((name) => [`src/api/${name}/routes/${name}.js`, factory('Router', name, '{}')]),
);

const SECRETS = { API_TOKEN_SALT: 's', JWT_SECRET: 'j' };
const FIXTURE = { tokens: [{ name: 'full', type: 'full-access' }] };
/** Lines of the messages that are a whole `config/galley`. */
const LINES = /^ {4}((?:module\.exports =|export default) \{.*\};|\{ ".*\})$/gm;
const linesOf = (warnings: readonly string[]): string[] =>
  [...warnings.join('\n').matchAll(LINES)].map(([, line]) => line!);
/** The names that such a line lists. */
const namesIn = (line: string): string[] =>
  [...line.matchAll(/(["'])((?:(?!\1).)+)\1/g)]
    .map(([, , name]) => name!)
    .filter((name) => !/^(serve|safeToSkip)$/.test(name));

/** What a full-access token gets of each action that has a route, by the action. */
async function answers({ app, request }: RunningServer, token: string): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const ask = async (action: string, method: string, target: string, body: unknown): Promise<void> => {
    const isRead = method === 'GET' || method === 'DELETE';
    statuses[action] = (await request(method, target, { token, ...(isRead ? {} : { body }) })).status;
  };
  const askType = async (name: string): Promise<void> => {
    const uid = `api::${name}.${name}`;
    const type = app.catalog.contentTypes.get(uid)!;
    const routes = [...coreNames(type).map((one) => coreRoute(type, one)), ...ownRoutesOf(type)];
    for (const { action, method, path: place } of routes) {
      // as code that embeds the server does it: nothing of the project stands before that
      const made = await app.documents(uid as never).create({ data: { text: 'a' } } as never);
      const { documentId } = made as { documentId: string };
      const data = { text: 'b' };
      const body = action.endsWith('.batch') ? { operations: [{ action: 'create', data }] } : { data };
      await ask(action, method, `/api${place.replace(':documentId', documentId)}`, body);
    }
  };
  const others = BUILT_IN_ACTIONS.map(({ action, method, path: place }) =>
    ask(action, method, `/api${place.replace(/:\w+/, '9999')}`, {}),
  );
  await Promise.all([...TYPES.map(askType), ...others, ask('uploads', 'GET', '/uploads/gone.png', {})]);
  return statuses;
}

/** On the other engine kinds of answers are enough: which code closes what does not depend on the engine. */
const OF_BOTH = ['a policy', 'a global middleware', 'lifecycles', 'a method of a controller', 'an extension of files'];

for (const engine of engines) {
  describe(`the config/galley that the start prints on ${engine.name}`, () => {
    let database: Awaited<ReturnType<typeof engine.databaseFor>>;
    let token: string;
    let plain: Record<string, number>;

    const start = async (folder: ProjectFolder) => {
      const server = await serve(folder, database, SECRETS, {}, async (app) => {
        const checked = checkFixture('fixture of the test', FIXTURE, knownActions(app));
        token ??= (await applyFixture(app, checked, new Map())).secrets.get('full')!;
      });
      const { app } = server;
      try {
        const { code, config, warnings } = app;
        const [closed, guarded] = [[...code.closed.keys()], [...code.guarded.keys()]];
        return { warnings, closed, guarded, lists: config.code, answers: await answers(server, token) };
      } finally {
        await app.close();
      }
    };
    /** Starts a project, then again with a line of its messages as its `config/galley`. */
    const open = async (files: Files, { pick = 0, file = 'config/galley.js' } = {}) => {
      const folder = await makeProject({ ...SCHEMAS, files: { ...ROUTERS, ...files } });
      try {
        const first = await start(folder);
        const line = linesOf(first.warnings).at(pick);
        ok(line !== undefined, first.warnings.join('\n'));
        const place = path.join(folder.dir, file);
        await mkdir(path.dirname(place), { recursive: true });
        await writeFile(place, line);
        return { first, line, second: await start(folder) };
      } finally {
        await folder.remove();
      }
    };

    before(async () => {
      const folder = await makeProject({ ...SCHEMAS, files: ROUTERS });
      database = await engine.databaseFor(folder);
      plain = (await start(folder)).answers;
      await folder.remove();
    });
    after(() => database?.drop());

    const isFirst = engine === engines[0];
    for (const [name, files] of Object.entries(KINDS).filter(([one]) => isFirst || OF_BOTH.includes(one))) {
      it(`opens what is closed because of ${name}`, async () => {
        const { first, second } = await open(files);
        ok(first.closed.length > 0);
        doesNotMatch(second.warnings.join('\n'), /403 to everybody|Closed in the administration app/);
        deepStrictEqual([second.closed, second.guarded], [[], []]);
        for (const [action, status] of Object.entries(second.answers)) {
          // a batch needs what its operations need
          const names = [action, action.replace(/\.batch$/, '.create')];
          const isClosed = names.some((one) => first.closed.includes(one));
          if (isClosed) deepStrictEqual([action, first.answers[action]], [action, 403]);
          deepStrictEqual([action, status], [action, isClosed ? plain[action] : first.answers[action]]);
        }
      });
    }

    const POLICY_OF_NOTES = { ...guarded('note', 'find', 'update'), ...POLICY };
    const LISTS = "{ serve: ['api::page.page.find'], safeToSkip: ['src/index.js'] }";
    const places: Readonly<Record<string, readonly [file: string, Files]>> = {
      'a project in TypeScript': ['config/galley.ts', { 'tsconfig.json': '{}' }],
      'one with lists in TypeScript': [
        'config/galley.ts',
        { 'tsconfig.json': '{}', 'config/galley.ts': `const lists = ${LISTS};\nexport default () => lists;\n` },
      ],
      'one with lists in JavaScript': ['config/galley.js', { 'config/galley.js': `module.exports = ${LISTS};` }],
      'one with lists in JSON': [
        'config/galley.json',
        { 'config/galley.json': { serve: ['api::page.page.find'], safeToSkip: ['src/index.js'] } },
      ],
      'one with lists for an environment': [
        'config/env/development/galley.js',
        {
          'config/galley.js': "module.exports = { serve: ['api::page.page.findOne', 'api::page.page.find'] };",
          'config/env/development/galley.js': `module.exports = ${LISTS};`,
        },
      ],
    };
    for (const [name, [file, files]] of isFirst ? Object.entries(places) : []) {
      it(`is the whole file of ${name}, with what was there`, async () => {
        const all = { ...POLICY_OF_NOTES, ...index(''), ...files };
        const { first, line, second } = await open(all, { file });
        const verb = file in files ? `replace the content of ${file} with this` : `write this into a new file ${file}`;
        ok(first.warnings.join('\n').includes(`To serve these actions without that code, ${verb};`));
        const before = [...first.lists.safeToSkip, ...first.lists.serve];
        deepStrictEqual(
          before.filter((one) => !namesIn(line).includes(one)),
          [],
        );
        deepStrictEqual(
          [second.closed, [...second.lists.safeToSkip, ...second.lists.serve].sort()],
          [[], namesIn(line).sort()],
        );
        deepStrictEqual(second.answers, plain);
      });
    }

    it('is one for all messages in the last of them', async () => {
      const { first, line, second } = await open(
        {
          ...guarded('note', 'find', 'update'),
          ...RUNNING_POLICY,
          ...index('', `${subscribed('plugin::upload.file', 'beforeFindMany')}`),
        },
        { pick: -1 },
      );
      const told = first.warnings.join('\n');
      match(told, /403 to everybody/);
      match(told, /Closed in the administration app/);
      match(told, /Streams of changes/);
      for (const other of linesOf(first.warnings)) {
        deepStrictEqual(
          namesIn(other).filter((one) => !namesIn(line).includes(one)),
          [],
        );
      }
      deepStrictEqual([second.closed, second.guarded, second.warnings], [[], [], []]);
    });
  });
}
