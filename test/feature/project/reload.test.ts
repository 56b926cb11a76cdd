/** A project is replaced while requests go on: what is kept, what is not, and who finishes what. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type Answer, contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { rawRequest } from '../../support/servers/raw-http.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const TITLE = { title: { type: 'string' } };
const FIXTURE = {
  locales: [{ code: 'en', name: 'English', default: true }],
  tokens: [{ name: 'full', type: 'full-access' }],
  roles: { public: ['api::note.note.find', 'api::note.note.create'] },
};

const schemaFile = (name: string) => `src/api/${name}/content-types/${name}/schema.json`;

class Served {
  readonly server: SeededServer;

  constructor(server: SeededServer) {
    this.server = server;
  }

  get dir(): string {
    return this.server.app.config.dir;
  }

  async write(file: string, value: unknown): Promise<void> {
    const place = path.join(this.dir, file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, typeof value === 'string' ? value : JSON.stringify(value));
  }

  remove(file: string): Promise<void> {
    return rm(path.join(this.dir, file), { recursive: true });
  }

  type(name: string, attributes: Readonly<Record<string, unknown>>, schema = {}): Promise<void> {
    return this.write(schemaFile(name), contentType(name, attributes, schema));
  }

  /** Status and body of a request of the full-access token. */
  async ask(method: string, target: string, data?: object): Promise<Pick<Answer, 'status' | 'body'>> {
    const token = this.server.secrets['full'];
    const { status, body } = await this.server.request(method, target, { token, ...(data && { body: { data } }) });
    return { status, body };
  }
}

for (const engine of engines) {
  describe(`reloading a project on ${engine.name}`, () => {
    const running = new Set<Served>();
    const start = async (files: ProjectFiles, env = {}): Promise<Served> => {
      const served = new Served(await serveSeeded(engine, await makeProject(files), FIXTURE, env));
      running.add(served);
      return served;
    };
    let served: Served;
    before(async () => {
      served = await start({
        contentTypes: { note: contentType('note', TITLE), page: contentType('page', TITLE) },
      });
    });
    after(async () => {
      for (const { server } of running) await server.stop();
    });

    it('adds tables and columns, and serves them', async () => {
      await served.ask('POST', '/api/notes', { title: 'before' });
      await served.type('note', { ...TITLE, subtitle: { type: 'string' } });
      await served.type('tag', {
        name: { type: 'string' },
        notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note' },
      });
      const { added, restart } = await served.server.app.reload();
      deepStrictEqual(restart, []);
      ok(added.includes('notes.subtitle') && added.includes('tags'), added.join());
      const { body } = await served.ask('POST', '/api/notes', { title: 'after', subtitle: 'more' });
      strictEqual(body.data.subtitle, 'more');
      const made = await served.ask('POST', '/api/tags?populate=notes', { name: 'x', notes: [body.data.documentId] });
      deepStrictEqual([made.status, made.body.data.notes.length], [200, 1]);
      const list = await served.ask('GET', '/api/notes?sort=id');
      deepStrictEqual(
        list.body.data.map((note: { subtitle: string | null }) => note.subtitle),
        [null, 'more'],
      );
    });

    it('answers 404 for a type that was removed, and finds its documents when it is put back', async () => {
      const made = await served.ask('POST', '/api/pages', { title: 'kept' });
      await served.remove('src/api/page');
      await served.server.app.reload();
      strictEqual((await served.ask('GET', '/api/pages')).status, 404);
      strictEqual((await served.ask('OPTIONS', '/api/pages')).status, 404);
      await rejects(async () => served.server.app.documents('api::page.page'), /there is no content type/);
      await served.type('page', TITLE);
      deepStrictEqual((await served.server.app.reload()).added, []);
      const { body } = await served.ask('GET', `/api/pages/${made.body.data.documentId}`);
      strictEqual(body.data.title, 'kept');
      strictEqual((await served.server.app.documents('api::page.page').findMany()).length, 1);
    });

    it('keeps the project that was in place when the files are wrong', async () => {
      const { app } = served.server;
      const { catalog } = app;
      await served.type('page', { title: { type: 'strin' } });
      await rejects(app.reload(), /1 mistake in the schema files.*did you mean string/s);
      strictEqual(app.catalog, catalog);
      strictEqual((await served.ask('GET', '/api/pages')).status, 200);
      await served.type('page', TITLE);
      await served.write('config/api.js', 'module.exports = { rest: { defaultLimit: "many" } };');
      await rejects(app.reload(), /config\/api\.js/);
      await served.remove('config/api.js');
      await app.reload(() => {});
      strictEqual((await served.ask('GET', '/api/pages')).status, 200);
    });

    it('keeps the previous project if the database cannot be adapted to the files', async () => {
      const { app } = served.server;
      // a view where a table is to be made
      await app.database.transaction(async (tx) => tx.rows('create view "blocked_things" as select 1 as one', []));
      await served.type('blocked', TITLE, { collectionName: 'blocked_things' });
      await served.type('page', { ...TITLE, never: { type: 'string' } });
      await rejects(app.reload(), /could not be added/);
      strictEqual((await served.ask('GET', '/api/blockeds')).status, 404);
      strictEqual((await served.ask('POST', '/api/pages', { title: 'a', never: 'b' })).status, 400);
      await served.remove('src/api/blocked');
      await served.type('page', TITLE);
      await app.reload();
    });

    if (engine.name === 'postgres') {
      it('waits for no table that another program holds, so that requests do not wait either', async () => {
        const { app } = served.server;
        const { connectionString } = app.config.database as { connectionString: string };
        const other = new pg.Client({ connectionString });
        await other.connect();
        await other.query('begin');
        await other.query('select * from "pages"');
        await served.type('page', { ...TITLE, waited: { type: 'string' } });
        await rejects(app.reload(), /pages\.waited, which could not be added/);
        strictEqual((await served.ask('GET', '/api/pages')).status, 200);
        await other.end();
        deepStrictEqual((await app.reload()).added, ['pages.waited']);
        await served.type('page', TITLE);
        await app.reload();
      });
    }

    it('changes nothing when the files have changed since they were read', async () => {
      const { app } = served.server;
      const { catalog } = app;
      await served.type('page', { ...TITLE, unread: { type: 'string' } });
      const refuse = (): never => {
        throw new Error('changed again');
      };
      await rejects(app.reload(refuse), /changed again/);
      strictEqual(app.catalog, catalog);
      await served.type('page', TITLE);
      deepStrictEqual((await app.reload()).added, []);
    });

    it('finishes a request on the project that it began with', async () => {
      const url = new URL(served.server.url);
      const socket = connect(Number(url.port), url.hostname);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      const body = '{"data":{"title":"slow"}}';
      const token = served.server.secrets['full'];
      socket.write(
        `POST /api/pages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
      );
      // the request is in the server's hands once another on a later connection is answered
      await fetch(`${url.origin}/_health`);
      await served.remove('src/api/page');
      await served.server.app.reload();
      strictEqual((await served.ask('GET', '/api/pages')).status, 404);
      socket.write(body.slice(9));
      await until('the slow request is answered', () => answer.includes('"slow"'));
      match(answer, /^HTTP\/1\.1 200 /);
      // the next one on the same connection begins with the project in place now
      answer = '';
      socket.write('GET /api/pages HTTP/1.1\r\nHost: x\r\n\r\n');
      await until('the second request is answered', () => answer.includes('NotFoundError'));
      socket.end();
      await once(socket, 'close');
      await served.type('page', TITLE);
      await served.server.app.reload();
    });

    it('fails no request of those that arrive meanwhile', async () => {
      let isOver = false;
      const statuses = new Map<number, number>();
      const ask = async (method: string, data?: object): Promise<void> => {
        while (!isOver) {
          const { status } = await served.ask(method, '/api/notes?pagination[limit]=5', data);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      const clients = [ask('GET'), ask('GET'), ask('POST', { title: 'meanwhile' }), ask('POST', { title: 'too' })];
      for (let round = 0; round < 6; round++) {
        await served.type('note', { ...TITLE, [`extra${round}`]: { type: 'integer' } });
        const { added } = await served.server.app.reload();
        deepStrictEqual(added, [`notes.extra_${round}`]);
      }
      isOver = true;
      await Promise.all(clients);
      deepStrictEqual([...statuses.keys()], [200]);
    });

    it('keeps tokens and permissions', async () => {
      strictEqual((await served.server.get('/api/notes')).status, 200);
      await served.server.app.reload();
      strictEqual((await served.server.get('/api/notes')).status, 200);
      strictEqual((await served.ask('GET', '/api/pages')).status, 200);
      strictEqual((await served.server.get('/api/pages')).status, 403);
    });

    it('runs the code of the project anew', async () => {
      const router = "const { createCoreRouter } = require('@strapi/strapi').factories;\n";
      const guarded = `module.exports = createCoreRouter('api::note.note', { config: { find: { policies: ['only-mine'] } } });`;
      await served.write('src/api/note/routes/note.js', router + guarded);
      await served.write('src/api/note/policies/only-mine.js', 'module.exports = () => false;');
      await served.server.app.reload();
      deepStrictEqual(
        [(await served.ask('GET', '/api/notes')).status, (await served.server.get('/api/notes')).status],
        [403, 403],
      );
      await served.write('src/api/note/policies/only-mine.js', 'module.exports = () => true;');
      await served.server.app.reload();
      strictEqual((await served.ask('GET', '/api/notes')).status, 200);
      await served.remove('src/api/note/routes');
      await served.server.app.reload();
      deepStrictEqual(
        [(await served.ask('GET', '/api/notes')).status, (await served.server.get('/api/notes')).status],
        [200, 200],
      );
    });

    it('takes over the configuration of the project and leaves that of the engine', async () => {
      const { app } = served.server;
      await served.write(
        'config/api.js',
        'module.exports = { rest: { prefix: "/v1", defaultLimit: require("./limit.js") } };',
      );
      await served.write('config/limit.js', 'module.exports = 1;');
      await served.write('config/server.js', 'module.exports = { port: 9, logger: {} };');
      const { port } = app.config;
      await app.reload();
      strictEqual((await served.ask('GET', '/v1/notes')).body.data.length, 1);
      strictEqual((await served.ask('GET', '/api/notes')).status, 404);
      await served.write('config/limit.js', 'module.exports = 2;');
      await served.write(
        'config/database.js',
        'module.exports = { connection: { client: "sqlite", connection: { filename: "other.db" } } };',
      );
      await served.write(
        'config/plugins.js',
        'module.exports = { "users-permissions": { config: { jwtManagement: "refresh" } } };',
      );
      const { restart } = await app.reload();
      strictEqual((await served.ask('GET', '/v1/notes')).body.data.length, 2);
      strictEqual(app.config.port, port);
      // the environment of the test names database and port, and wins
      deepStrictEqual(restart, ['the sessions of users']);
      await served.remove('config');
      deepStrictEqual((await app.reload()).restart, []);
    });

    it('leaves nothing of a project behind after its last request', async () => {
      const { app, url } = served.server;
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const { hostname, port } = new URL(url);
      const abandoned = connect(Number(port), hostname);
      const refs = await (async () => {
        for (const query of ['', '?filters[title][$contains]=a&sort=title', '?populate=*', '?_q=a']) {
          await rawRequest(`${url}/api/notes${query}`, { agent });
        }
        await served.ask('POST', '/api/notes', { title: 'a' });
        // a request whose client goes away before its end, another one waiting behind it
        const post =
          'POST /api/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"d';
        abandoned.write(`GET /api/notes HTTP/1.1\r\nHost: x\r\n\r\n${post}`);
        await rawRequest(`${url}/api/nothing`, { agent });
        await app.documents('api::note.note').findMany();
        const { catalog, layout, writer, media, code, config } = app;
        const parts = {
          catalog,
          layout,
          writer,
          media,
          code,
          config,
          type: catalog.contentTypes.get('api::note.note')!,
        };
        return Object.entries(parts).map(([name, part]) => ({ name, ref: new WeakRef<object>(part) }));
      })();
      await app.reload();
      // the connection of the old project's last request stays open
      await rawRequest(`${url}/_health`, { agent });
      abandoned.destroy();
      let left: string[] = [];
      await until('nothing of the project is left', () => {
        collectGarbage();
        left = refs.filter(({ ref }) => ref.deref() !== undefined).map(({ name }) => name);
        return left.length === 0;
      }).catch(() => deepStrictEqual(left, []));
      agent.destroy();
    });

    it('replaces a project of a hundred types', async () => {
      const next = (index: number) => ({
        type: 'relation',
        relation: 'oneToOne',
        target: `api::t${(index + 1) % 100}.t${(index + 1) % 100}`,
      });
      const types = Array.from({ length: 100 }, (_, index) => [
        `t${index}`,
        contentType(`t${index}`, { ...TITLE, next: next(index) }, { options: { draftAndPublish: true } }),
      ]);
      const large = await start({ contentTypes: { note: contentType('note', TITLE), ...Object.fromEntries(types) } });
      await large.type('t7', { ...TITLE, more: { type: 'string' }, next: next(7) });
      const begin = performance.now();
      deepStrictEqual((await large.server.app.reload()).added, ['t7s.more']);
      // a guard against hangs: it takes some 0.1 s
      ok(performance.now() - begin < 10_000);
      strictEqual((await large.ask('POST', '/api/t7s', { more: 'a' })).status, 200);
    });
  });

  describe(`metrics while a project is reloaded on ${engine.name}`, () => {
    it('go on counting', async () => {
      const port = await freePort();
      const folder = await makeProject({ contentTypes: { note: contentType('note', TITLE) } });
      const server = await serveSeeded(engine, folder, FIXTURE, { METRICS_PORT: String(port) });
      try {
        const counted = async () => {
          const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
          return /request_duration_seconds_count\{method="GET",route="\/api\/notes",status="200"\} (\d+)/.exec(
            text,
          )?.[1];
        };
        await server.get('/api/notes');
        await until('the first is counted', async () => (await counted()) === '1');
        await server.app.reload();
        await server.get('/api/notes');
        await until('the second is counted', async () => (await counted()) === '2');
      } finally {
        await server.stop();
      }
    });
  });

  describe(`accounts while a project is reloaded on ${engine.name}`, () => {
    it('keeps sessions, and ends them in every project', async () => {
      const server = await serveAccounts(engine, {});
      try {
        const { jwt } = await server.register('ann');
        const me = async () => (await server.get('/api/users/me', jwt)).status;
        strictEqual(await me(), 200);
        await server.app.reload();
        strictEqual(await me(), 200);
        strictEqual((await server.post('/auth/logout', {}, jwt)).status, 200);
        await server.app.reload();
        strictEqual(await me(), 401);
      } finally {
        await server.stop();
      }
    });

    it('continues to count requests for the limits', async () => {
      const server = await serveAccounts(engine, {
        users: { ratelimit: { enabled: true, max: 2, interval: 3_600_000 } },
      });
      try {
        const login = async () => (await server.login('nobody@example.com', 'wrong')).status;
        deepStrictEqual([await login(), await login()], [400, 400]);
        await server.app.reload();
        strictEqual(await login(), 429);
      } finally {
        await server.stop();
      }
    });
  });
}
