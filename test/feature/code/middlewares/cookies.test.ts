/** Cookies of a project's code: docs/reference/project-code.md, "ctx". The signatures are those that Strapi gave. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFiles,
  type RunningServer,
  serve,
} from '../../../support/servers/project.ts';

const project = (keys: readonly string[]): ProjectFiles => ({
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'config/server.js': `module.exports = { app: { keys: ${JSON.stringify(keys)} } };`,
    'src/api/jar/routes/jar.js': `module.exports = { routes: ['set', 'get'].map((name) => (
  { method: 'POST', path: '/jar/' + name, handler: 'jar.' + name, config: { auth: false } })) };`,
    'src/api/jar/controllers/jar.js': `module.exports = {
  set(ctx) {
    try { for (const args of ctx.request.body) ctx.cookies.set(...args); } catch ({ message }) { return { message }; }
    return { message: null };
  },
  get: (ctx) => ctx.request.body.map((args) => {
    try { return ctx.cookies.get(...args) ?? null; } catch ({ message }) { return message; }
  }),
};`,
  },
});

const END = 'expires=Thu, 01 Jan 1970 00:00:00 GMT';
const SIGNED = 'b=signed; b.sig=QFgAzPvMnJuGl5eIkUd7RC-QsJE';

for (const engine of engines) {
  describe(`cookies of code on ${engine.name}`, () => {
    let server: RunningServer;
    let keyless: RunningServer;
    const serveWith = async (keys: readonly string[]): Promise<RunningServer> => {
      const folder = await makeProject(project(keys));
      return serve(folder, await engine.databaseFor(folder));
    };
    const ask = async (name: string, calls: unknown, cookie?: string, asked = server) => {
      const headers = { 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) };
      const body = JSON.stringify(calls);
      const answer = await fetch(`${asked.url}/api/jar/${name}`, { method: 'POST', headers, body });
      strictEqual(answer.status, 200);
      return { result: (await answer.json()) as unknown, set: answer.headers.getSetCookie() };
    };

    before(async () => {
      server = await serveWith(['k1', 'k2']);
      keyless = await serveWith([]);
    });
    after(async () => {
      await server?.stop();
      await keyless?.stop();
    });

    it('have the attributes and signatures of Koa for every option', async () => {
      const { set, result } = await ask('set', [
        ['a', 'plain'],
        ['b', 'signed', { signed: true }],
        ['c', 'opts', { httpOnly: false, maxAge: 0 }],
        ['d', 'unsigned', { signed: false, path: '/x', domain: 'a.b', sameSite: 'Lax' }],
        ['e', null],
        ['f', null, { signed: true }],
        ['h', 'x y="z"', { sameSite: true, signed: false, priority: 'High', partitioned: true }],
        ['i', 'first', { signed: false }],
        ['i', 'second', { overwrite: true, signed: true }],
        ['k', 'ok', { path: null }],
        ['b', 'again'],
      ]);
      deepStrictEqual(result, { message: null });
      deepStrictEqual(set, [
        'a=plain; path=/; httponly',
        'b=signed; path=/; httponly',
        'b.sig=QFgAzPvMnJuGl5eIkUd7RC-QsJE; path=/; httponly',
        'c=opts; path=/',
        'c.sig=kPGxym1XYXF7WcEMpF-bZLquBPI; path=/',
        'd=unsigned; path=/x; domain=a.b; samesite=lax; httponly',
        `e=; path=/; ${END}; httponly`,
        `f=; path=/; ${END}; httponly`,
        `f.sig=pX2_EwG0iD919agZCvmFGD6j3qs; path=/; ${END}; httponly`,
        'h=x y="z"; path=/; priority=high; samesite=strict; httponly; partitioned',
        'i=second; path=/; httponly',
        'i.sig=T0ygYkCAhH553tLs7zNvsU76nwg; path=/; httponly',
        'k=ok; httponly',
        'k.sig=VYNIGi-AXHA9eOQlbH6zOVi-WNw; httponly',
        'b=again; path=/; httponly',
      ]);
    });

    it('are read as Strapi reads them: with any option a signature must be that of one of the keys', async () => {
      const sent = [
        SIGNED,
        'c=tampered; c.sig=kPGxym1XYXF7WcEMpF-bZLquBPI',
        'd=unsigned',
        'old=v; old.sig=13yfN3VOylaqFUdjRdAlCNXtIck',
        'q="quoted"; q.sig=TWtkya2nE_oacW115NYyv5ugSUc',
      ].join('; ');
      const calls: readonly (readonly [unknown[], string | null])[] = [
        [['b', { signed: true }], 'signed'],
        [['b', {}], 'signed'],
        [['b'], 'signed'],
        [['c', { signed: true }], null],
        [['c'], 'tampered'],
        [['d', { signed: false }], 'unsigned'],
        [['d', {}], null],
        [['old', { signed: true }], 'v'],
        [['q', { signed: true }], 'quoted'],
        [['nope', { signed: true }], null],
      ];
      const { result, set } = await ask(
        'get',
        calls.map(([args]) => args),
        sent,
      );
      deepStrictEqual(
        result,
        calls.map(([, value]) => value),
      );
      // one that is not right is taken away, and one of a key that was replaced is made with the first
      deepStrictEqual(set, [
        `c.sig=; path=/; ${END}; httponly`,
        'old.sig=V0gcjm7RnyExkEtmBcY_cn3IuNQ; path=/; httponly',
      ]);
    });

    it('cannot be signed without keys, and stay unsigned without the option', async () => {
      const message = '.keys required for signed cookies';
      const { result, set } = await ask('set', [['b', 'signed', { signed: true }]], undefined, keyless);
      deepStrictEqual([result, set], [{ message }, []]);
      const calls = [['b', { signed: true }], ['b', {}], ['b']];
      deepStrictEqual((await ask('get', calls, SIGNED, keyless)).result, [message, 'signed', 'signed']);
    });

    it('take no name, value or attribute that would end the header', async () => {
      for (const args of [
        ['a;b', 'x'],
        ['a', 'x; path=/'],
        ['a', 'x\r\nset-cookie: b=c'],
        ['a', 'x', { domain: 'a\r\nb: c' }],
      ]) {
        const { result, set } = await ask('set', [args]);
        strictEqual(typeof (result as { message: unknown }).message, 'string');
        deepStrictEqual(set, []);
      }
    });
  });
}
