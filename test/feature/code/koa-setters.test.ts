/** Members of a request that code may set, as in Koa. Compared with Strapi 5.54. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** What the global middleware does with a request whose path ends in the name. */
const CHANGES: Readonly<Record<string, string>> = {
  ip: "ctx.request.ip = '203.0.113.9';",
  header: 'ctx.request.header = { ...ctx.request.header, authorization: undefined };',
  headers: 'ctx.request.headers = { ...ctx.request.headers, authorization: undefined };',
  nodeHeaders: 'ctx.req.headers = { ...ctx.req.headers, authorization: undefined };',
  search: "ctx.search = '?filters[title]=one';",
  requestSearch: "ctx.request.search = '?filters[title]=one';",
  nodeUrl: "ctx.req.url = ctx.req.url.split('?')[0] + '?filters[title]=one';",
  defined: "Object.defineProperty(ctx, 'query', { value: { filters: { title: 'one' } } });",
  definedOfRequest: "Object.defineProperty(ctx.request, 'query', { value: { filters: { title: 'one' } } });",
  path: "ctx.path = '/api/notes/nodeUrl';",
  nodePath: "ctx.req.url = '/api/notes/plain?filters[title]=one';",
  method: "ctx.req.method = 'GET';",
  plain: '',
};

const PROJECT = {
  contentTypes: {
    note: contentType('note', { title: { type: 'string' } }),
    open: contentType('open', { title: { type: 'string' } }),
  },
  files: {
    'config/middlewares.js': "module.exports = ['strapi::errors', 'strapi::query', 'strapi::body', 'global::change'];",
    'src/middlewares/change.js': `const CHANGES = { ${Object.entries(CHANGES).map(([name, text]) => `${name}(ctx) { ${text} }`)} };
      module.exports = () => (ctx, next) => {
        const change = ctx.get('x-change') || /[^/]*$/.exec(ctx.path)[0];
        CHANGES[change]?.(ctx);
        return next();
      };`,
    'src/policies/lan.js': "module.exports = (ctx) => ctx.request.ip !== '203.0.113.9';",
    'src/api/note/routes/note.js': `module.exports = { routes: [${Object.keys(CHANGES).map(
      (name) =>
        `{ method: 'GET', path: '/notes/${name}', handler: 'note.find', config: { policies: ['global::lan'] } }`,
    )}] };`,
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
      for (const uid of ['api::note.note', 'api::open.open'])
        for (const title of ['one', 'two']) await strapi.documents(uid).create({ data: { title } });
    } };`,
  },
};

for (const engine of engines) {
  describe(`members of a request that code sets on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (path: string, change?: string, method = 'GET') => {
      const headers: Record<string, string> = change === undefined ? {} : { 'x-change': change };
      const { status, body } = await server.request(method, `/api/${path}`, { token: server.secrets['full'], headers });
      return status === 200 ? body.data.map(({ title }: { title: string }) => title) : status;
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [{ name: 'full', type: 'full-access' }],
      });
    });
    after(() => server?.stop());

    it('have the address that policies see', async () => {
      deepStrictEqual([await ask('notes/ip'), await ask('notes/plain')], [403, ['one', 'two']]);
    });

    it('have the headers that say who its caller is', async () => {
      for (const name of ['header', 'headers', 'nodeHeaders'])
        deepStrictEqual([await ask(`notes/${name}`), await ask('opens', name)], [403, 403], name);
    });

    it('have its parameters', async () => {
      for (const name of ['search', 'requestSearch', 'nodeUrl', 'defined', 'definedOfRequest'])
        deepStrictEqual([await ask(`notes/${name}?sort=title`), await ask('opens', name)], [['one'], ['one']], name);
    });

    it('have its path and its method', async () => {
      deepStrictEqual(await ask('notes/path'), ['one', 'two']);
      deepStrictEqual(await ask('notes/nodePath'), ['one']);
      strictEqual(await ask('notes/plain', undefined, 'DELETE'), 405);
      deepStrictEqual(await ask('notes/plain', 'method', 'DELETE'), ['one', 'two']);
    });
  });
}
