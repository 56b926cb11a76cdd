/** The context of a policy has the members that Koa's context has itself, and no others. Compared with Strapi 5.54. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Policies that refuse, by name, with the status of their answer: expressions of `ctx` and `utils`. */
const REFUSING: Readonly<Record<string, readonly [status: number, text: string]>> = {
  answers: [500, "ctx.forbidden('members only')"],
  sends: [500, "ctx.send('no', 403)"],
  redirects: [500, "ctx.redirect('/elsewhere')"],
  query: [500, 'ctx.query.preview === undefined'],
  address: [403, 'ctx.ip !== undefined'],
  method: [403, "ctx.method === 'POST'"],
  in: [403, "'query' in ctx"],
  spread: [403, '!{ ...ctx }.state'],
  owned: [403, "!Object.hasOwn(ctx, 'state')"],
  copied: [403, "'ip' in utils.policy.createPolicyContext('koa', ctx)"],
  router: [500, 'ctx.router.opts === undefined'],
};

const NAMES = [
  'app',
  'is',
  'originalUrl',
  'params',
  'req',
  'request',
  'res',
  'response',
  'routerPath',
  'state',
  'type',
];

/** Policies that let in. */
const PASSING: Readonly<Record<string, string>> = {
  passes: `${JSON.stringify(NAMES)}.every((name) => Object.keys(ctx).includes(name))`,
  kind: "ctx.is('koa') && !ctx.is('admin') && ctx.type === 'koa'",
  matched: 'Boolean(ctx.matched && ctx.router && ctx.captures)',
  body: "ctx.request.body.data.text === 'x' && ctx.request.ip !== undefined && ctx.request.query.a === undefined",
  controller: "strapi.controller('api::note.note').sanitizeOutput({ text: 'x' }, ctx).then(({ text }) => text === 'x')",
};

const POLICIES = {
  ...Object.fromEntries(Object.entries(REFUSING).map(([name, [, text]]) => [name, text])),
  ...PASSING,
};

const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    ...Object.fromEntries(
      Object.entries(POLICIES).map(([name, text]) => [
        `src/policies/${name}.js`,
        `const utils = require('@strapi/utils'); module.exports = (ctx) => ${text};`,
      ]),
    ),
    'src/api/note/routes/note.js': `module.exports = { routes: [${Object.keys(POLICIES).map(
      (name) =>
        `{ method: 'POST', path: '/notes/${name}', handler: 'note.create', config: { auth: false, policies: ['global::${name}'] } }`,
    )}] };`,
  },
};

for (const engine of engines) {
  describe(`the context of a policy on ${engine.name}`, () => {
    let server: SeededServer;
    const ask = async (name: string) =>
      (await server.request('POST', `/api/notes/${name}`, { body: { data: { text: 'x' } } })).status;

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [{ name: 'full', type: 'full-access' }],
      });
    });
    after(() => server?.stop());

    it('lacks the members of the prototype, so that a policy which answers by them refuses', async () => {
      const answers = await Promise.all(Object.keys(REFUSING).map(async (name) => [name, await ask(name)]));
      deepStrictEqual(
        answers,
        Object.entries(REFUSING).map(([name, [status]]) => [name, status]),
      );
    });

    it('has the own members of the context, its kind and the hidden caller', async () => {
      for (const name of Object.keys(PASSING)) strictEqual(await ask(name), 200, name);
    });
  });
}
