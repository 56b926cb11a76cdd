/** What the reading of a project's code does not resolve counts as touched: docs/reference/project-code.md. */
import { strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ReadCode, readCode } from '../../support/servers/project-code.ts';

type Files = Readonly<Record<string, string>>;

let code: ReadCode;
before(async () => {
  code = await readCode();
});
after(() => code?.folder.remove());

const service = (body: string, head = ''): Files => ({
  'src/api/c/services/c.ts': `${head}\nexport default ({ strapi }: { strapi: any }) => ({ async go(ctx: any) { ${body} } });`,
});
const index = (body: string, head = ''): Files => ({
  'src/index.ts': `${head}\nexport default { async bootstrap({ strapi }: any) { ${body} } };`,
});
/** The same code in a service and in start code. */
const anywhere = (...bodies: readonly string[]): [string, Files][] =>
  bodies.flatMap((body): [string, Files][] => [
    [`in a service: ${body}`, service(body)],
    [`at start: ${body}`, index(body)],
  ]);
/** A module of the project, and a service that imports from it. */
const withModule = (source: string, head: string, body: string): [string, Files] => [
  `${source} | ${head} | ${body}`,
  { 'src/utils/kept.ts': source, ...service(body, head) },
];

const CLOSING: Readonly<Record<string, readonly [string, Files][]>> = {
  'callbacks that are handed what requests are served with': [
    ...anywhere(
      'const hide = (t: any) => { t.attributes.text.private = true; }; Object.values(strapi.contentTypes).forEach(hide);',
      'Object.values(strapi.contentTypes).sort((one: any, other: any) => { one.attributes.text.private = true; return 0; });',
      'Object.values(strapi.contentTypes).findLast((one: any) => { one.attributes.text.private = true; });',
      'Object.values(strapi.contentTypes).forEach(require("some-package").hide);',
      'Object.values(strapi.services).forEach(hide);',
      'const all = Object.entries(strapi.controllers); all.forEach(guard);',
      'const first = Object.values(strapi.contentTypes).filter(Boolean).at(0) as any; first.attributes.text.private = true;',
      'const [last] = Object.values(strapi.contentTypes).toSorted() as any[]; last.attributes.text.private = true;',
      'Object.values(strapi.contentTypes).reduce((sum: any, one: any) => { one.attributes.text.private = true; return sum; }, {});',
      'const map = Object.values(strapi.contentTypes).map((one: any) => one.attributes); map[0].text.private = true;',
      'Object.values(strapi.contentTypes).forEach((...all: any[]) => { all[0].attributes.text.private = true; });',
      'Array.from(Object.values(strapi.contentTypes), hide);',
      'require("lodash").forEach(strapi.contentTypes, hide);',
    ),
  ],
  'names that a module exports': [
    withModule(
      'export const app = strapi.server;',
      "import { app } from '../../../utils/kept';",
      'app.use(require("some-package"));',
    ),
    withModule(
      'export let app: any; export const keep = (s: any) => { app = s.server; };',
      "import * as kept from '../../../utils/kept';",
      'kept.keep(strapi); kept.app.use(f);',
    ),
    withModule(
      'export const service = strapi.service("api::a.a");',
      "import { service } from '../../../utils/kept';",
      'service.find = f;',
    ),
    withModule(
      'export const { attributes } = strapi.contentType("api::a.a");',
      "import { attributes } from '../../../utils/kept';",
      'attributes.text.private = true;',
    ),
    withModule(
      'const app = strapi.server; export { app as other };',
      "import { other } from '../../../utils/kept';",
      'other.use(f);',
    ),
    withModule(
      'const app = strapi.server; export default app;',
      "import app from '../../../utils/kept';",
      'app.use(f);',
    ),
    withModule(
      'let app: any; module.exports = { app: strapi.server };',
      '',
      'require("../../../utils/kept").app.use(f);',
    ),
    withModule('exports.app = strapi.server;', "import { app } from '../../../utils/kept';", 'app.use(f);'),
    withModule(
      'export const get = () => strapi.server;',
      "import * as kept from '../../../utils/kept';",
      'const pick = kept; pick.get().use(f);',
    ),
    withModule(
      'export const get = () => strapi.server;',
      "import { get } from '../../../utils/kept';",
      'require("some-package").later(get);',
    ),
    withModule(
      'const get = () => strapi.server; module.exports = { get };',
      "const kept = require('../../../utils/kept');",
      'require("some-package")(kept);',
    ),
    withModule(
      'export const get = () => strapi.server;',
      '',
      'const { get } = await import("../../../utils/kept"); get().use(f);',
    ),
    [
      'a file that hands on what another exports',
      {
        'src/utils/kept.ts': 'export const get = () => strapi.server;',
        'src/utils/index.ts': "export * from './kept';",
        ...service('get().use(f);', "import { get } from '../../../utils';"),
      },
    ],
  ],
  'functions that travel as values and give what requests are served with': [
    ...anywhere(
      'const getServer = () => strapi.server; require("some-package").later(getServer);',
      'const getServer = () => strapi.server; new Guard({ getServer }).install();',
      'const maker: any = {}; const get = () => strapi.server; maker.get = get; maker.get().use(f);',
      'const get = () => strapi.server; const makers = { get }; for (const make of Object.values(makers)) (make as any)().use(f);',
      'let get: any = () => strapi.server; get = wrap(get); get().use(f);',
      'function getServer() { return strapi.server; } [getServer].forEach((get) => get().use(f));',
      'const run = (get: any) => get().use(f); run(() => strapi.server);',
      'class Kept { get() { return strapi.server; } } new Kept().get().use(f);',
      'const make = () => () => strapi.server; const inner = make(); inner().use(f);',
      'const get = async () => strapi.server; get().then(guard);',
      'function first(x: any): any { return x ? second() : strapi.server; } function second() { return first(0); } first(1).use(f); second().use(f);',
      'function Kept() { return strapi.server; } new (Kept as any)().use(f);',
      'const hand = (...all: any[]) => require("some-package")(all); hand(0, strapi.server);',
    ),
  ],
  'expressions in whatever depth and form': [
    ...anywhere(
      `const deep = ${'('.repeat(14)}0, strapi.server${')'.repeat(14)}; deep.use(f);`,
      `const deep = ${'x ? 0 : '.repeat(20)}strapi.server; deep.use(f);`,
      `const deep = ${'a || ('.repeat(20)}strapi.server${')'.repeat(20)}; deep.use(f);`,
      `const f0 = () => strapi.server; ${Array.from({ length: 20 }, (_, i) => `const f${i + 1} = () => f${i}();`).join(' ')} f20().use(f);`,
      `const tag = (texts: any, app: any) => app.use(f); tag\`\${strapi.server}\`;`,
      'strapi.server.use`x`;',
      `require("some-package").tag\`\${strapi.documents}\`;`,
      'let kept: any; (kept = strapi.server).use(f);',
      'const kept: any = {}; ({ server: kept.server } = strapi); kept.server.use(f);',
      'const kept: any = {}; for (kept.one of Object.values(strapi.contentTypes)) kept.one.attributes.text.private = true;',
      'const kept: any = {}; [kept.one] = Object.values(strapi.contentTypes); kept.one.attributes.text.private = true;',
      '(strapi.getModel("api::a.a") || {}).attributes.text.private = true;',
      'const copy = { ...strapi.getModel("api::a.a").attributes }; copy.text.private = true;',
      'const { kind, ...rest } = strapi.getModel("api::a.a"); rest.attributes.text.private = true;',
      '(0, eval)("strapi.server.use(f)");',
      'const run = eval; run("strapi.server.use(f)");',
      'globalThis.eval("strapi.server.use(f)");',
      'require("node:vm").runInThisContext("strapi.server.use(f)");',
    ),
  ],
  'what requests are served with beside strapi': [
    ...anywhere(
      'require("http").Server.prototype.emit = f;',
      'const http = require("node:http"); const { prototype } = http.Server; prototype.emit = f;',
      'const { Server } = require("http"); Object.assign(Server.prototype, { emit() {} });',
      'const { EventEmitter } = require("events"); Object.defineProperty(EventEmitter.prototype, "emit", { value: f });',
      'require("some-package").wrap(require("http").Server.prototype, "emit", f);',
      'require("http").createServer = f;',
      'Object.prototype.toJSON = f;',
      'JSON.stringify = f;',
      'globalThis.JSON.stringify = f;',
      'Reflect.set(Array.prototype, "map", f);',
      'require("koa").prototype.callback = f;',
      'const { Client } = require("some-driver"); Client.prototype.query = f;',
      'const list = Array.prototype; list.map = f;',
      'require.cache[require.resolve("koa")] = f;',
    ),
  ],
  'schemas that are kept or handed on, in whatever file': [
    ...anywhere(
      'const kept = { at: strapi.contentType("api::a.a").attributes }; kept.at.text.private = true;',
      'deep(strapi.contentType("api::a.a").attributes, "secret.private", true);',
      'const list: any[] = []; list.push(strapi.contentType("api::a.a")); list[0].attributes.text.private = true;',
      '(this as any).attributes = strapi.contentType("api::a.a").attributes; (this as any).attributes.text.private = true;',
      'const { set } = require("lodash"); set(strapi.contentTypes, "api::a.a.attributes.text.private", true);',
      'require("lodash").get(strapi.contentTypes, "api::a.a").attributes.text.private = true;',
      'strapi.service("api::b.b").hide(strapi.contentType("api::a.a").attributes);',
    ),
    [
      'a service that gives a schema',
      {
        'src/api/c/services/c.js': 'module.exports = ({ strapi }) => ({ of(uid) { return strapi.getModel(uid); } });',
        ...index('strapi.service("api::c.c").of("api::a.a").attributes.text.private = true;'),
      },
    ],
  ],
  'further forms': [
    ...anywhere(
      'strapi.requestContext.get().app.use(f);',
      'const s = Object.create(strapi.server); s.use(f);',
      'const x = [strapi.server].map((s) => s); x[0].use(f);',
      '["x"].map(() => strapi)[0].server.use(f);',
      'const l = ["a"].map(() => strapi.server); for (const s of l) s.use(f);',
      'Promise.all([1].map(() => strapi.server)).then(g);',
      'const b = strapi.server.use.bind(strapi.server); b(f);',
      'const fn = () => { return strapi.server }; fn.call(null).use(f);',
      'const o = { get s() { return strapi.server; } }; o.s.use(f);',
      'class A { s = strapi.server; }; new A().s.use(f);',
      'class A { static get s() { return strapi.server; } }; A.s.use(f);',
      'function* g() { yield strapi.server; } for (const s of g()) s.use(f);',
      'try { throw strapi.server; } catch (s) { s.use(f); }',
      'const m = new Map([["s", strapi.server]]); m.get("s").use(f);',
      'let s; for (s of Object.values(strapi)) s.use(f);',
      'const k = "server"; strapi[k].use(f);',
      '((s) => s.use(f))(strapi.server);',
      '(async () => strapi.server)().then((s) => s.use(f));',
      'strapi.log.x = strapi.server; strapi.log.x.use(f);',
      'strapi.io = strapi.server; strapi.io.use(f);',
      'strapi.redis = { s: strapi.server };',
      'strapi.eventHub.emit("x", strapi.server);',
      'strapi.store.s = strapi.server;',
      'strapi.service("api::b.b").run(() => strapi.server);',
      'strapi.documents("api::a.a").findMany = f;',
      'strapi.service("api::a.a").find.call = f;',
      'Object.defineProperty(strapi.service("api::a.a"), "find", {});',
      'Object.keys(strapi.contentTypes).map((u) => strapi.contentTypes[u]).forEach((t) => { t.attributes.text.private = true; });',
      'const uids = Object.keys(strapi.contentTypes); const ts = uids.map((u) => strapi.contentTypes[u]); ts[0].attributes.text.private = true;',
      'for (const u in strapi.contentTypes) strapi.contentTypes[u].attributes.text.private = true;',
      'const { x = strapi.server } = {} as any; x.use(f);',
      'const f2 = (x = strapi.server) => x.use(f); f2();',
      'function h() { this.s.use(f); } h.call({ s: strapi.server });',
      'globalThis.kept = strapi.server; globalThis.kept.use(f);',
      'const { sanitizers: { add } } = strapi; add("content-api.output", f);',
      'import("../../../utils/x").then((m) => m.get(strapi));',
      'setTimeout(hand, 1, strapi);',
      'strapi.getModel("api::a.a").attributes.b.components.push("x");',
      'Object.values(strapi.contentType("api::a.a").attributes).map((a: any) => Object.assign(a, { private: true }));',
      'structuredClone(strapi.server).use(f);',
      'const a: any = strapi.contentTypes["api::a.a"]?.attributes; a.text["pri" + "vate"] = true;',
      'strapi.contentTypes["api::a.a"].attributes = {};',
      'const t = strapi.contentTypes; delete t["api::a.a"];',
      'strapi.contentTypes["api::a.a"].options.privateAttributes = ["text"];',
      'strapi.contentTypes["api::a.a"].pluginOptions.i18n.localized = false;',
      'const opts = strapi.contentTypes["api::a.a"].options; opts.privateAttributes.push("text");',
      'change(strapi.contentTypes["api::a.a"].options.privateAttributes);',
      'new (class extends (strapi.server as any) {})();',
      'const Evil = require("http").IncomingMessage; Evil.prototype.x = 1;',
      'const F = Function; F("x")();',
      '(() => {}).constructor("return strapi")().server.use(f);',
    ),
  ],
  'copies, lists, loops and what is taken out of them': [
    ...anywhere(
      'const o: any = { ...{ s: strapi.server } }; o.s.use(f);',
      'const pair = Object.entries(strapi.contentTypes)[0]; (pair as any)[1].attributes.text.private = true;',
      'Object.entries(strapi.contentTypes).forEach((pair: any) => { pair[1].attributes.text.private = true; });',
      'Object.entries(strapi.contentTypes).forEach((pair: any) => { hide(pair); });',
      'const all = [...Object.values(strapi.contentTypes)] as any[]; all[0].attributes.text.private = true;',
      'const all = Object.values(strapi.contentTypes); all.concat([]).forEach(hide);',
      'const [, ...others] = Object.values(strapi.contentTypes) as any[]; others[0].attributes.text.private = true;',
      'Object.values(strapi.contentTypes).flatMap((t: any) => Object.values(t.attributes)).forEach((a: any) => { a.private = true; });',
      'Object.fromEntries(Object.entries(strapi.contentTypes))["api::a.a"].attributes.text.private = true;',
      'Object.groupBy(Object.values(strapi.contentTypes), (t: any) => t.kind).collectionType[0].attributes = {};',
      'new Set(Object.values(strapi.contentTypes)).forEach((t: any) => { t.attributes = {}; });',
      'const it = Object.values(strapi.contentTypes)[Symbol.iterator](); it.next().value.attributes = {};',
      'for (const t of Object.values(strapi.contentTypes).values()) (t as any).attributes = {};',
      'for (const [, t] of Object.values(strapi.contentTypes).entries()) (t as any).attributes = {};',
      'const t = Object.values(strapi.contentTypes).reduce((x: any) => x) as any; t.attributes = {};',
      'Object.assign({}, strapi.contentTypes)["api::a.a"].attributes.text.private = true;',
      'const { attributes: { text } } = strapi.contentType("api::a.a"); text.private = true;',
      'const { attributes: { ...all } } = strapi.contentType("api::a.a"); all.text.private = true;',
      'strapi.contentType("api::a.a").attributes.text.private ||= true;',
      'strapi.contentType("api::a.a").attributes.text.maxLength++;',
      '[strapi.contentType("api::a.a").attributes.text.private] = [true];',
      'for (strapi.contentType("api::a.a").attributes.text.private of [true]) {}',
      'Reflect.set(strapi.contentType("api::a.a").attributes.text, "private", true);',
      'Reflect.get(strapi, "server").use(f);',
      'const p = new Proxy(strapi, {}); p.server.use(f);',
      'const w = new WeakRef(strapi.server); w.deref().use(f);',
      'JSON.parse = f;',
      'Promise.prototype.then = f;',
      'globalThis.Promise = f as any;',
      'globalThis["JSON"].parse = f;',
      'Object.defineProperty(globalThis, "JSON", {});',
      'Function.prototype.call = f;',
      'require("events").prototype.emit = f;',
      'const E = require("events"); class X extends E {}; Object.getPrototypeOf(X.prototype).emit = f;',
      'const { default: koa } = await import("koa"); (koa as any).prototype.use = f;',
      'require("module")._load = f;',
      'require("module").prototype.require = f;',
      'require("pg").Client.prototype.query = f;',
      'require("knex").QueryBuilder.extend("x", f);',
      'const K = require("koa"); K.prototype = f;',
      'const f1 = strapi.contentType.bind(strapi); f1("api::a.a").attributes.text.private = true;',
      'const s = strapi.service; s.call(strapi, "api::a.a").find = f;',
      'strapi.serviceMap.set("x", f);',
      'strapi.cron.jobs.push(f)',
      'strapi["cron"].add(jobs);',
      'const { cron } = strapi; cron.add({ x: require("p") });',
      'const { add } = strapi.cron; add({ x: require("p") });',
      'strapi.cron.add({ x: (all: any) => all["str" + "api"].server.use(f) });',
      'function k(this: any) { return this; } k.call(strapi).server.use(f);',
      'const t2 = setInterval(() => hand(strapi), 1);',
      'return { server: strapi.server };',
      'return [strapi.server];',
      'const v = void 0 ?? strapi.server; v.use(f);',
      'let z: any; z ??= strapi.server; z.use(f);',
      'if ((ctx.s = strapi.server)) ctx.s.use(f);',
      'const fnn = function named(): any { return strapi.server; }; fnn().use(f);',
      'const a1 = (strapi.server, strapi.documents); a1.use(f);',
      'Array.prototype.forEach.call(Object.values(strapi.contentTypes), hide);',
      'Reflect.apply(hide, null, [strapi.contentTypes]);',
      'strapi.contentTypes["api::a.a"].attributes.text["private"] = true;',
      'const kk = { ...strapi }; kk.server.use(f);',
      'const { ...kk } = strapi; kk.server.use(f);',
      'const h2 = ({ ...rest }: any) => rest.server.use(f); h2(strapi);',
      'const h3 = ({ server = 1 }: any) => server.use(f); h3(strapi);',
      'const h4 = ([s]: any) => s.use(f); h4(Object.values(strapi));',
      'function h5(a: any, b = a.server) { b.use(f); } h5(strapi);',
      'const h6 = (a: any) => (b: any) => b.use(a); h6(f)(strapi.server);',
    ),
  ],
  'the application in the context of a request': [
    ...[
      'ctx.app.use(f);',
      'const c = ctx as any; c.app.middleware.unshift(f);',
      'const app = ctx.app; app.use(f);',
      'const { app } = ctx.request; app.use(f);',
      'const guard = (one: any) => one.app.use(f); guard(ctx);',
    ].map((body): [string, Files] => [body, service(body)]),
  ],
  'the connection to the database in other hands': [
    ...anywhere(
      'migrate(strapi.db.connection);',
      'require("some-package")({ knex: strapi.db.connection });',
      'const keep = { knex: strapi.db.connection }; keep.knex.client.query = f;',
      'strapi.cron.add({ x: { task: (all: any) => require("some-package")(all), options: {} } });',
      'strapi.cron.add({ x: { task: require("some-package").task, options: {} } });',
    ),
  ],
};

describe('what is not resolved closes every action', () => {
  for (const [title, table] of Object.entries(CLOSING)) {
    describe(title, () => {
      for (const [name, files] of table) it(name, async () => strictEqual(await code.closedBy(files), '*'));
    });
  }
});

describe('ordinary code of projects closes nothing', () => {
  const table: [string, Files][] = [
    [
      'start code that seeds content',
      index(
        `const seeds = require('../data.json'); const count = await strapi.documents('api::a.a').count({});
         if (count > 0) return;
         for (const data of [{ text: 'x' }]) { const made = await strapi.documents('api::a.a').create({ data }); strapi.log.info(made.documentId); }
         await Promise.all(['x', 'y'].map((text) => strapi.entityService.create('api::b.b', { data: { text } })));
         const existing = await strapi.db.query('api::a.a').findOne({ where: { text: 'x' } }); if (!existing) await seed(strapi);`,
        "import { seed } from './seed';",
      ),
    ],
    [
      'jobs',
      index(`strapi.cron.add({
          clean: { task: async ({ strapi }: any) => { await strapi.documents('api::a.a').delete({ documentId: 'x' }); }, options: { rule: '0 0 * * *' } },
          '*/5 * * * *': async ({ strapi: app }: any) => { await app.service('api::a.a').sync(); },
          other: { task: () => strapi.service('api::b.b').sync(), options: { rule: process.env.RULE, tz: 'UTC' } },
        }); strapi.cron.remove('other');`),
    ],
    [
      'jobs of another file',
      {
        ...index('strapi.cron.add(jobs);', "import jobs from './jobs';"),
        'src/jobs.ts':
          'export default { x: { task: async ({ strapi }: any) => { strapi.log.info("x"); }, options: { rule: "* * * * *" } } };',
      },
    ],
    [
      'sockets',
      index(
        `const io = new Server(strapi.server.httpServer, { cors: { origin: '*' } });
         io.use(async (socket: any, next: any) => { const { id } = await strapi.plugins['users-permissions'].services.jwt.verify(socket.handshake.auth.token); socket.user = await strapi.documents('plugin::users-permissions.user').findOne({ documentId: id }); next(); });
         io.on('connection', (socket: any) => { socket.on('say', async (text: any) => { const made = await strapi.documents('api::a.a').create({ data: { text } }); io.emit('said', made); }); });
         (strapi as any).io = io; strapi.server.httpServer.on('close', () => io.close());`,
        "import { Server } from 'socket.io';",
      ),
    ],
    [
      'statements on the connection',
      index(`const knex = strapi.db.connection; await knex.schema.alterTable('as', (table: any) => { table.index(['text']); });
         const rows = await knex('as').select('id').where('text', 'x').whereNotNull('b').andWhere('c', 1).orderBy('id').limit(10).offset(1).groupBy('id').having('id', '>', 0).distinct().first();
         await strapi.db.connection.raw('create index if not exists x on as (text)'); send(rows);
         await strapi.db.transaction(async ({ trx, onCommit }: any) => { await trx('as').insert(rows); onCommit(() => send(rows)); });
         await migrate(strapi.db.connection); async function migrate(db: any) { if (!(await db.schema.hasTable('x'))) await db.schema.createTable('x', (t: any) => { t.increments(); }); }`),
    ],
    [
      'words in the log and settings',
      index(`strapi.log.info('x'); strapi.log.debug(JSON.stringify(strapi.config.get('server')));
         const { log } = strapi; log.warn(strapi.config.get('custom.key', 'x')); const url = strapi.config.get('server.url'); client.configure({ url, key: strapi.config.get('mail.key') });
         log.info(strapi.config.environment); logger.child(strapi.log);`),
    ],
    [
      'services that are called and methods that are handed on',
      index(`await strapi.service('api::a.a').sync(); const service = strapi.service('api::b.b'); const found = await service.find({ filters: {} }); send(found.results);
         queue.process(strapi.service('api::a.a').run); queue.on('done', () => service.done()); emitter.on('x', strapi.service('api::b.b').handle);
         await Promise.all(found.results.map((one: any) => service.index(one)));
         const users = await strapi.plugin('users-permissions').service('user').fetchAll({}); users.forEach(send);`),
    ],
    [
      'documents that are read',
      index(`const articles = await strapi.documents('api::a.a').findMany({ filters: { text: 'x' }, populate: ['b'] });
         articles.forEach(send); articles.map(toItem).filter(Boolean).sort(byText); list.push(...articles); return cache.set('x', { articles, first: articles[0] });`),
    ],
    [
      'a custom field',
      {
        'src/index.ts':
          "const fields = [{ name: 'colour', type: 'string' }]; export default { register({ strapi }: any) { strapi.customFields.register({ name: 'x', plugin: 'p', type: 'string', inputSize: { default: 4, isResizable: true } }); strapi.customFields.register(fields); } };",
      },
    ],
    [
      'public permissions',
      index(`const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' }, populate: ['permissions'] });
         const actions = ['api::a.a.find', 'api::a.a.findOne'];
         const missing = actions.filter((action) => !role.permissions.some((one: any) => one.action === action));
         await Promise.all(missing.map((action) => strapi.db.query('plugin::users-permissions.permission').create({ data: { action, role: role.id } })));
         for (const uid of Object.keys(strapi.contentTypes).filter((name) => name.startsWith('api::'))) { await allow(uid); }
         async function allow(uid: string) { await strapi.query('plugin::users-permissions.permission').create({ data: { action: uid + '.find', role: role.id } }); }`),
    ],
    [
      'types that are listed and walked through',
      index(`const uids = Object.values(strapi.contentTypes).filter((one: any) => one.uid.startsWith('api::')).map((one: any) => one.uid);
         uids.forEach(register); for (const uid of uids) { const { kind, info } = strapi.contentType(uid); send(kind, info.displayName, strapi.getModel(uid).collectionName); }
         const populate = Object.entries(strapi.contentType('api::a.a').attributes).reduce((all: any, [name, one]: any) => { if (one.type === 'component') all[name] = { populate: deep(one.component) }; else if (one.type === 'dynamiczone') one.components.forEach((uid: any) => { all[uid] = true; }); return all; }, {});
         const names = Object.entries(strapi.components['x.y'].attributes).filter(([, one]: any) => one.type === 'media').map(([name]: any) => name); send(populate, names);
         const model = (strapi.getModel('api::a.a') || {}).attributes; for (const name in model) { if (model[name].type === 'relation') list.push(name, model[name].target); }`),
    ],
    [
      'functions of other files that give services, in every usual form',
      {
        'src/utils/es.ts':
          "export const getService = (name: string) => strapi.service('api::' + name);\nexport function getKnex() { return strapi.db.connection; }\nexport default function model(uid: any) { return strapi.getModel(uid); }",
        'src/utils/common.js':
          "'use strict';\nconst getPlugin = (name) => strapi.plugin('users-permissions').service(name);\nmodule.exports = { getPlugin };",
        'src/utils/compiled.js':
          "'use strict';\nObject.defineProperty(exports, '__esModule', { value: true });\nexports.getMail = void 0;\nconst getMail = () => strapi.plugin('email').service('email');\nexports.getMail = getMail;",
        'src/utils/index.ts': "export * from './es';\nexport { default as model } from './es';",
        ...service(
          "await getService('a').go(); const rows = await getKnex()('as').select('id'); await common.getPlugin('user').fetch({}); await (0, compiled_1.getMail)().send({}); send(rows, model('api::a.a').uid); return barrel('a').find();",
          "import model, { getService, getKnex } from '../../../utils/es';\nimport { getService as barrel } from '../../../utils';\nconst common = require('../../../utils/common');\nconst compiled_1 = require('../../../utils/compiled');",
        ),
      },
    ],
    [
      'answers that are cleaned and errors that are thrown',
      service(
        `const schema = strapi.contentType('api::a.a'); const { auth } = ctx.state; const query = await strapi.contentAPI.validate.query(ctx.query, schema, { auth }); await strapi.contentAPI.sanitize.query(ctx.query, schema, { auth });
         if (!query) throw new ApplicationError('x'); await traverseEntity(({ key }: any, { remove }: any) => remove(key), { schema, getModel: (uid: any) => strapi.getModel(uid) }, {});
         class Refused extends ApplicationError {} if (auth instanceof Refused) throw new errors.NotFoundError(); return strapi.contentAPI.sanitize.output(query, schema, { auth });`,
        "import { errors, traverseEntity } from '@strapi/utils';\nconst { ApplicationError } = errors;",
      ),
    ],
    [
      'packages that are used and configured',
      service(
        `axios.defaults.baseURL = 'x'; Object.assign(axios.defaults, {}); configure(axios); const agent = new https.Agent({ keepAlive: true }); await axios.get('x', { httpsAgent: agent }); process.env.TZ = 'UTC'; const run = promisify(stream.pipeline); await run(a, b);
         class Bus extends EventEmitter {} Object.assign(ctx.state, { x: 1 }); const bus = new Bus(); bus.on('x', send); BigInt.prototype.toJSON = function () { return this.toString(); }; return Object.prototype.hasOwnProperty.call(ctx, 'x');`,
        "import axios from 'axios';\nimport https from 'node:https';\nimport stream from 'stream';\nimport { EventEmitter } from 'events';\nimport { promisify } from 'util';",
      ),
    ],
  ];
  for (const [name, files] of table) {
    it(name, async () => {
      const seed = {
        'src/seed.ts':
          "export const seed = async (strapi: any) => { await strapi.db.query('api::a.a').createMany({ data: [] }); };",
      };
      strictEqual(await code.closedBy({ 'data.json': '[]', ...seed, ...files }), '');
    });
  }
  const bodies = [
    "const schema = strapi.contentType('api::a.a'); const names = Object.keys(schema.attributes).filter((n) => schema.attributes[n].type === 'string'); return names;",
    "const { attributes } = strapi.contentType(ctx.uid); return Object.keys(attributes).reduce((p: any, k) => { if (attributes[k].type === 'media') p[k] = true; return p; }, {});",
    "const x = strapi.config.get('api.rest.maxLimit', 100); const y = strapi.config.get('plugin::upload.sizeLimit'); return Math.min(x, y);",
    "const uids = Object.keys(strapi.contentTypes).filter((uid) => uid.startsWith('api::')); for (const uid of uids) { const n = await strapi.db.query(uid).count(); strapi.log.info(uid + n); } const all = await Promise.all(uids.map((uid) => strapi.documents(uid as any).count({})));",
    "ctx.body = await strapi.service('api::a.a').find(ctx.query); ctx.status = 201; ctx.state.user.x = 1;",
    "const pluginStore = strapi.store({ environment: strapi.config.environment, type: 'type', name: 'setup' }); const init = await pluginStore.get({ key: 'x' }); await pluginStore.set({ key: 'x', value: true });",
    "const { email } = strapi.plugins.email.services; try { await email.send({ to: 'x' }); } catch (error: any) { strapi.log.error(error); }",
    "await import('some-package'); const { default: fetch } = await import('node-fetch'); return fetch('x');",
    "const moment = require('moment'); const fs = require('fs'); const path = require('path'); const data = JSON.parse(fs.readFileSync(path.join(strapi.dirs.app.root, 'x.json'), 'utf8')); return _.pick(data, ['x']);",
    "const { createWriteStream } = require('fs'); await new Promise((resolve, reject) => { const s = createWriteStream('x'); s.on('finish', resolve); s.on('error', reject); });",
    "const uploaded = await strapi.plugin('upload').service('upload').upload({ data: {}, files: ctx.request.files }); return uploaded[0].url;",
    "const hash = crypto.createHash('sha256').update('x').digest('hex'); const sleep = util.promisify(setTimeout); await sleep(1); return Buffer.from(hash);",
    "for (const [uid, type] of Object.entries(strapi.contentTypes) as any) { if (!uid.startsWith('api::')) continue; console.log(type.info.displayName, type.kind); list.push({ uid, name: type.info.displayName }); }",
    "const results = await strapi.entityService.findMany('api::a.a', { populate: '*' }); return results.map((r: any) => new Model(r)).filter((m: any) => m.ok);",
    "return strapi.db.transaction(async () => { await strapi.documents('api::a.a').update({ documentId: 'x', data: {} }); });",
    "const qs = strapi.db.connection('as').select('*'); const rows = await qs; return rows;",
    'strapi.server.httpServer.keepAliveTimeout = 5; strapi.server.httpServer.setTimeout(1000);',
    "const found = strapi.plugin('users-permissions'); if (found) { const s = found.service('jwt'); return s.issue({ id: 1 }); }",
    'const sanitized = await this.sanitizeOutput(x, ctx); return this.transformResponse(sanitized);',
    "const s = strapi; s.log.info('x'); const db = s.db; await db.query('api::a.a').findMany();",
    "const t: any = {}; t.get = () => strapi.service('api::a.a').find(); return t;",
    "const limit = strapi.contentType('api::a.a').options.draftAndPublish ? 1 : 2; const p = strapi.contentType('api::a.a').pluginOptions?.i18n?.localized; return [limit, p];",
    "queue.add(async () => { const k = strapi.db.connection; await k('x').del(); });",
    "redis.on('message', (m: any) => strapi.documents('api::a.a').create({ data: m }));",
    "Object.keys(strapi.plugins).forEach((p) => console.log(p)); const has = 'x' in strapi.plugins; return !!strapi.plugin('x');",
    "const { uid } = strapi.contentType('api::a.a'); const m = strapi.getModel(uid as any); return slug(m.info.singularName, m.collectionName);",
    "const modelDef = strapi.getModel('api::a.a'); const rels = Object.entries(modelDef.attributes).filter(([_, a]: any) => a.type === 'relation').map(([n, a]: any) => ({ n, target: a.target })); return rels.map((r) => r.target);",
    'return Object.values(strapi.contentTypes).find((t: any) => t.info.pluralName === ctx.params.x)?.uid;',
    "const type = Object.values(strapi.contentTypes).find((t: any) => t.uid === ctx.uid); if (!type) throw new Error('x'); return strapi.documents((type as any).uid).findMany();",
  ];
  for (const body of bodies) {
    it(body, async () => {
      strictEqual(await code.closedBy(service(body)), '');
      strictEqual(await code.closedBy(index(body)), '');
    });
  }
});
