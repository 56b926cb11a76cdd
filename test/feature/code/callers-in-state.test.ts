/**
 * What `ctx.state.auth` and `{ auth }` say of a caller, where code has changed them: relations are shown whose types the
 * strategy permits. Compared with Strapi 5.54.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const REFUSES = '{ strategy: { verify() { throw new ForbiddenError(); } } }';
const FINDS =
  '{ strategy: { verify(auth, { scope }) { if (scope !== "api::secret.secret.find") throw new ForbiddenError(); } } }';

/** Changes of a caller by a middleware, by name, with whether secrets are shown then. */
const CHANGES: Readonly<Record<string, readonly [shown: boolean, text: string]>> = {
  unchanged: [true, ''],
  replaced: [false, `ctx.state.auth = ${REFUSES};`],
  finding: [true, `ctx.state.auth = ${FINDS};`],
  deleted: [false, 'delete ctx.state.auth;'],
  undefined: [false, 'ctx.state.auth = undefined;'],
  strategy: [false, `ctx.state.auth.strategy = ${REFUSES}.strategy;`],
  method: [false, `ctx.state.auth.strategy.verify = ${REFUSES}.strategy.verify;`],
  credentials: [false, "ctx.state.auth.credentials = { type: 'custom' };"],
  type: [false, "ctx.state.auth.credentials.type = 'custom';"],
  copied: [true, 'ctx.state.auth = { ...ctx.state.auth };'],
  empty: [false, 'ctx.state = {};'],
};

/** Values of `auth` for functions that sanitize, with whether secrets are shown by them. */
const AUTHS: Readonly<Record<string, readonly [shown: boolean, text: string]>> = {
  none: [true, 'undefined'],
  own: [true, 'ctx.state.auth'],
  refused: [false, REFUSES],
  found: [true, FINDS],
  empty: [false, '{}'],
  token: [false, "{ ...ctx.state.auth, credentials: { type: 'custom' } }"],
};

const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      text: { type: 'string' },
      secrets: { type: 'relation', relation: 'oneToMany', target: 'api::secret.secret', mappedBy: 'note' },
    }),
    secret: contentType('secret', {
      text: { type: 'string' },
      note: { type: 'relation', relation: 'manyToOne', target: 'api::note.note', inversedBy: 'secrets' },
    }),
  },
  files: {
    'src/index.js': `module.exports = { async bootstrap({ strapi }) {
      const note = await strapi.documents('api::note.note').create({ data: { text: 'n' } });
      await strapi.documents('api::secret.secret').create({ data: { text: 's', note: note.documentId } });
    } };`,
    'src/api/note/routes/note.js': `const { ForbiddenError } = require('@strapi/utils').errors;
      const change = (name) => (ctx, next) => { CHANGES[name](ctx); return next(); };
      const CHANGES = { ${Object.entries(CHANGES).map(([name, [, text]]) => `${name}: (ctx) => { ${text} }`)} };
      const routes = Object.keys(CHANGES).flatMap((name) => [
        { method: 'GET', path: '/' + name, handler: 'note.find', config: { middlewares: [change(name)] } },
        { method: 'GET', path: '/own/' + name, handler: 'note.own', config: { middlewares: [change(name)] } },
      ]);
      module.exports = { routes: [...routes,
        { method: 'GET', path: '/sanitized', handler: 'note.sanitized' },
        { method: 'GET', path: '/open/sanitized', handler: 'note.sanitized', config: { auth: false } },
      ] };`,
    'src/api/note/controllers/note.js': `const { errors: { ForbiddenError }, sanitize, validate } = require('@strapi/utils');
      const AUTHS = { ${Object.entries(AUTHS).map(([name, [, text]]) => `${name}: (ctx) => (${text})`)} };
      module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', ({ strapi }) => ({
        async own(ctx) {
          const notes = await strapi.documents('api::note.note').findMany({ populate: ['secrets'] });
          return { data: await this.sanitizeOutput(notes, ctx), query: await this.sanitizeQuery(ctx) };
        },
        async sanitized(ctx) {
          const schema = strapi.contentType('api::note.note');
          const getModel = strapi.getModel.bind(strapi);
          const [ofUtils, checked] = [sanitize.createAPISanitizers({ getModel }), validate.createAPIValidators({ getModel })];
          const told = {};
          for (const [name, of] of Object.entries(AUTHS)) {
            const auth = of(ctx);
            const query = () => ({ populate: { secrets: true } });
            const outcomes = [];
            for (const api of [ofUtils, strapi.contentAPI.sanitize]) {
              const [note] = await strapi.documents('api::note.note').findMany({ populate: ['secrets'] });
              outcomes.push('secrets' in (await api.output(note, schema, { auth })), 'secrets' in ((await api.query(query(), schema, { auth })).populate ?? {}));
            }
            for (const api of [checked, strapi.contentAPI.validate])
              outcomes.push(await api.query({ filters: { secrets: { text: 'x' } } }, schema, { auth }).then(() => true, () => false));
            told[name] = [...new Set(outcomes)];
          }
          return told;
        },
      }));`,
  },
};

const FIXTURE = { tokens: [{ name: 'full', type: 'full-access' }] };

/** Whether a value is told for each name. */
const shownBy = (of: Readonly<Record<string, readonly [shown: boolean, text: string]>>): Record<string, boolean> =>
  Object.fromEntries(Object.entries(of).map(([name, [shown]]) => [name, shown]));

for (const engine of engines) {
  describe(`callers whom code has changed on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (path: string) => {
      const { status, body } = await server.get(`/api/${path}`, server.secrets['full']);
      strictEqual(status, 200, `${path}: ${JSON.stringify(body)}`);
      return body;
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
    });
    after(() => server?.stop());

    it('see relations that their strategy permits', async () => {
      const shown: Record<string, boolean> = {};
      for (const name of Object.keys(CHANGES)) {
        const { data } = await ask(`${name}?populate=*`);
        shown[name] = 'secrets' in data[0];
      }
      deepStrictEqual(shown, shownBy(CHANGES));
    });

    it('are checked by it when they filter by hidden attributes', async () => {
      for (const [name, [shown]] of Object.entries(CHANGES)) {
        const { status } = await server.get(`/api/${name}?filters[secrets][text]=s`, server.secrets['full']);
        strictEqual(status, shown ? 200 : 400, name);
      }
    });

    it('are those of the methods of controllers', async () => {
      const shown: Record<string, boolean[]> = {};
      for (const name of Object.keys(CHANGES)) {
        const { data, query } = await ask(`own/${name}?populate[secrets]=true`);
        shown[name] = ['secrets' in data[0], 'secrets' in (query.populate ?? {})];
      }
      deepStrictEqual(shown, Object.fromEntries(Object.entries(CHANGES).map(([name, [is]]) => [name, [is, is]])));
    });

    it('are the callers for functions that sanitize and validate', async () => {
      const told = Object.fromEntries(Object.entries(shownBy(AUTHS)).map(([name, is]) => [name, [is]]));
      deepStrictEqual([await ask('sanitized'), await ask('open/sanitized')], [told, told]);
    });
  });
}
