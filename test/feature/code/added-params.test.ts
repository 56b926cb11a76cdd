/** Unknown parameters, and those that code adds: docs/reference/project-code.md, "Parameters that code adds". */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ACTIONS = ['find', 'findOne', 'create', 'update', 'delete'];
const FIXTURE = {
  roles: { public: ['note', 'tag'].flatMap((name) => ACTIONS.map((a) => `api::${name}.${name}.${a}`)) },
};

/** `tag` has no code; `note` has a document middleware, and so goes through its service. */
const project = (strictParams: boolean): ProjectFiles => ({
  contentTypes: {
    note: contentType('note', { text: { type: 'string' } }),
    tag: contentType('tag', { text: { type: 'string' } }),
  },
  files: {
    'config/api.js': `module.exports = { rest: { strictParams: ${strictParams} }, documents: { strictParams: ${strictParams} } };`,
    'src/index.js': `const digits = { safeParse: (value) => /^\\d$/.test(value) ? { success: true, data: Number(value) } : { success: false, error: new Error('no digit') } };
module.exports = { register({ strapi }) {
  strapi.contentAPI.addQueryParams({ level: { schema: digits, matchRoute: (route) => route.method === 'GET' && route.path === '/notes' } });
  strapi.contentAPI.addQueryParams({ width: { schema: digits, matchRoute: ({ path }) => path === '/tags' } });
  strapi.contentAPI.addQueryParams({ depth: { schema: digits } });
  strapi.contentAPI.addInputParams({ mutation: { schema: digits, matchRoute: ({ handler }) => /\\.create$/.test(handler) } });
  for (const name of ['sort', 'depth']) try { strapi.contentAPI.addQueryParams({ [name]: { schema: digits } }); } catch ({ message }) { strapi.told = [...(strapi.told ?? []), message]; }
  strapi.documents.use(async (context, next) => {
    const found = await next();
    if (context.action === 'findMany' && context.uid === 'api::note.note') for (const one of found) one.text = [context.params.level, context.params.other].map(String).join();
    return found;
  });
} };`,
    'src/api/ask/routes/ask.js': `const digits = { safeParse: (value) => ({ success: value === '1', data: 1, error: new Error('not one') }) };
module.exports = { routes: [
  { method: 'POST', path: '/ask', handler: 'ask.it', config: { auth: false }, request: { query: { own: digits }, body: { 'application/json': { shape: { text: digits } } } } },
  { method: 'POST', path: '/documents', handler: 'ask.documents', config: { auth: false } },
  { method: 'GET', path: '/told', handler: 'ask.told', config: { auth: false } },
] };`,
    'src/api/ask/controllers/ask.js': `module.exports = {
  told: () => strapi.told,
  async documents(ctx) {
    const { method, params } = ctx.request.body;
    const documents = strapi.documents('api::tag.tag');
    const methods = {
      create: () => documents.create(params), update: () => documents.update(params),
      findMany: () => documents.findMany(params), findFirst: () => documents.findFirst(params),
      findOne: () => documents.findOne(params), count: () => documents.count(params),
      delete: () => documents.delete(params), clone: () => documents.clone(params),
    };
    return { given: await methods[method]() };
  },
  async it(ctx) {
    const { options, data } = ctx.request.body;
    const all = { ...options, route: options.route && ctx.state.route };
    const model = strapi.getModel('api::note.note');
    await strapi.contentAPI.validate.query(ctx.query, model, all);
    if (data) await strapi.contentAPI.validate.input(data, model, all);
    return [await strapi.contentAPI.sanitize.query(ctx.query, model, all), data && await strapi.contentAPI.sanitize.input(data, model, all)];
  },
};`,
  },
});

for (const engine of engines) {
  describe(`parameters of requests in a project with code on ${engine.name}`, () => {
    let strict: SeededServer;
    let lenient: SeededServer;
    const asked = async (server: SeededServer, method: string, target: string, body?: object) => {
      const answer = await server.request(method, `/api${target}`, body ? { body } : {});
      const { status, body: told } = answer;
      return status < 400 ? [status] : [status, told.error.message, told.error.details.param];
    };

    before(async () => {
      [strict, lenient] = (await Promise.all(
        [true, false].map(async (is) => serveSeeded(engine, await makeProject(project(is)), FIXTURE)),
      )) as [SeededServer, SeededServer];
    });
    after(() => Promise.all([strict?.stop(), lenient?.stop()]));

    describe('of documents', () => {
      const told = async (server: SeededServer, method: string, params: object) => {
        const { status, body } = await server.request('POST', '/api/documents', { body: { method, params } });
        return status === 200 ? body.given : [status, body.error.name, body.error.message];
      };
      const wrong = (message: string) => [400, 'ValidationError', message];

      it('are refused where their values are wrong, if the project wants it', async () => {
        const { documentId } = await told(strict, 'create', { data: { text: 'a' }, status: '', locale: null });
        const status = wrong("Invalid parameter at 'status'. Expected 'published' or 'draft', received: other");
        for (const method of ['findMany', 'findFirst', 'findOne', 'count', 'update', 'delete', 'create', 'clone']) {
          deepStrictEqual(await told(strict, method, { documentId, data: { text: 'b' }, status: 'other' }), status);
        }
        const locale = "Invalid parameter at 'locale";
        for (const [params, message] of [
          [{ locale: 'e' }, `${locale}'. Locale must be a valid BCP 47 format (e.g. en, en-US, zh-Hans).`],
          [{ locale: 'en'.padEnd(40, '-a1') }, `${locale}'. Locale exceeds maximum length of 35 characters.`],
          [{ locale: 7 }, `${locale}'. Expected a string, received: number`],
          [
            { locale: ['en', '', 'en_US'] },
            `${locale}[1]'. Locale must be a valid BCP 47 format (e.g. en, en-US, zh-Hans).`,
          ],
          [{ page: 0 }, "Invalid parameter at 'page'. Expected integer >= 1, received: 0"],
          [{ start: -1 }, "Invalid parameter at 'start'. Expected integer >= 0, received: -1"],
          [{ limit: 0 }, "Invalid parameter at 'limit'. Expected integer >= 1 or -1, received: 0"],
          [{ withCount: 1 }, "Invalid parameter at 'withCount'. Expected a boolean, received: number"],
        ] as [object, string][]) {
          deepStrictEqual(await told(strict, 'findMany', params), wrong(message));
        }
        const [, name, both] = await told(strict, 'findMany', { page: 1, limit: 1 });
        deepStrictEqual(
          [name, /^Invalid pagination parameters\. Cannot use both page-based/.test(both)],
          ['ValidationError', true],
        );
        const object = await told(strict, 'findMany', { locale: { code: 'en' } });
        deepStrictEqual(
          [object[1], /^Invalid parameter at 'locale'\..*received: object$/.test(object[2])],
          ['ValidationError', true],
        );
      });

      it('are dropped if they are unknown or have no value', async () => {
        const { documentId } = await told(strict, 'create', { data: { text: 'kept' }, other: 1 });
        const asked = { filters: { documentId }, other: 1, status: null, locale: ['', null], limit: '1', start: '0' };
        deepStrictEqual(
          (await told(strict, 'findMany', asked)).map(({ text }: { text: string }) => text),
          ['kept'],
        );
        deepStrictEqual((await told(strict, 'findMany', { filters: { documentId }, limit: -1 })).length, 1);
        deepStrictEqual((await told(strict, 'findOne', { documentId, locale: '' })).text, 'kept');
      });

      it('are passed over otherwise', async () => {
        deepStrictEqual(await told(lenient, 'findMany', { filters: { text: 'none' }, limit: 0, withCount: 1 }), []);
      });
    });

    it('are refused before other checks if they are unknown and the project is strict', async () => {
      for (const name of ['note', 'tag']) {
        for (const [method, target] of [
          ['GET', `/${name}s`],
          ['GET', `/${name}s/x`],
          ['POST', `/${name}s`],
          ['PUT', `/${name}s/x`],
          ['DELETE', `/${name}s/x`],
        ] as const) {
          const data = method[0] === 'P' ? { data: { text: 'a' } } : undefined;
          const refused = await asked(strict, method, `${target}?fields=text&other[a]=1&sort=nope`, data);
          deepStrictEqual(refused, [400, 'Invalid key other', 'other'], `${method} ${target}`);
          // an answer that is remembered is no way round it
          deepStrictEqual(await asked(strict, method, `${target}?fields=text&other[a]=1&sort=nope`, data), refused);
        }
        deepStrictEqual(await asked(strict, 'GET', `/${name}s?pagination[page]=1&_q=a&count=1&status=draft`), [200]);
        deepStrictEqual(await asked(lenient, 'GET', `/${name}s?other=1`), [200]);
      }
      const { body } = await strict.request('GET', '/api/tags?populat=a');
      deepStrictEqual(body.error.details, {
        key: 'populat',
        path: null,
        source: 'query',
        param: 'populat',
        hint: 'did you mean populate?',
      });
    });

    it('are added by code to the routes that it names, with values that their schemas take', async () => {
      deepStrictEqual(await asked(strict, 'GET', '/notes?level=2&depth=1'), [200]);
      deepStrictEqual(await asked(strict, 'GET', '/notes?level=x'), [400, 'no digit', 'level']);
      deepStrictEqual(await asked(strict, 'GET', '/tags?level=2'), [400, 'Invalid key level', 'level']);
      deepStrictEqual(await asked(strict, 'GET', '/notes/x?level=2'), [400, 'Invalid key level', 'level']);
      // a query that one route takes is no other one's
      deepStrictEqual(await asked(strict, 'GET', '/tags?width=1'), [200]);
      deepStrictEqual(await asked(strict, 'GET', '/tags/x?width=1'), [400, 'Invalid key width', 'width']);
      for (const [target, status] of [
        ['/tags', 200],
        ['/tags/x', 404],
        ['/notes', 200],
        ['/notes/x', 404],
      ] as const) {
        deepStrictEqual((await asked(strict, 'GET', `${target}?depth=1`))[0], status);
        deepStrictEqual(await asked(strict, 'GET', `${target}?depth=x`), [400, 'no digit', 'depth']);
      }
      deepStrictEqual((await strict.request('GET', '/api/told')).body, [
        'contentAPI.addQueryParams: param "sort" is reserved by Strapi; use a different name',
        'contentAPI.addQueryParams: param "depth" has already been added',
      ]);
    });

    it('reach documents as their schemas make them, or not at all', async () => {
      await lenient.request('POST', '/api/notes', { body: { data: { text: 'a' } } });
      const texts = async (query: string) => (await lenient.request('GET', `/api/notes?${query}`)).body.data[0].text;
      deepStrictEqual(await Promise.all(['level=2&other=b', 'level=x', ''].map(texts)), [
        '2,b',
        'undefined,undefined',
        'undefined,undefined',
      ]);
    });

    it('are accepted in data of types, and not stored', async () => {
      for (const server of [strict, lenient]) {
        for (const path of ['/notes', '/tags']) {
          const write = (data: object) => asked(server, 'POST', path, { data: { text: 'a', ...data } });
          deepStrictEqual(await write({ mutation: '1' }), [200]);
          deepStrictEqual(await write({ mutation: 'x' }), [400, 'no digit', 'mutation']);
          deepStrictEqual(await write({ other: '1' }), [400, 'Invalid key other', undefined]);
          deepStrictEqual((await asked(server, 'PUT', `${path}/x`, { data: { mutation: '1' } }))[0], 400);
        }
      }
    });

    it('are checked by code on request, with those of its route', async () => {
      const ask = async (query: string, body: object) => {
        const answer = await lenient.request('POST', `/api/ask?${query}`, { body });
        return answer.status === 200 ? answer.body : answer.body.error.message;
      };
      deepStrictEqual(await ask('other=1', { options: {} }), [{ other: '1' }, null]);
      deepStrictEqual(await ask('other=1', { options: { strictParams: true } }), 'Invalid key other');
      deepStrictEqual(await ask('own=1', { options: { strictParams: true } }), 'Invalid key own');
      deepStrictEqual(await ask('own=1', { options: { strictParams: true, route: true } }), [{ own: 1 }, null]);
      deepStrictEqual(await ask('own=2', { options: { strictParams: true, route: true } }), 'not one');
      deepStrictEqual(await ask('own=2', { options: { route: true } }), [{}, null]);
      deepStrictEqual(await ask('', { options: { route: true }, data: { text: '2' } }), 'not one');
      deepStrictEqual(await ask('', { options: { route: true }, data: { text: '1' } }), [{}, { text: '1' }]);
    });
  });
}
