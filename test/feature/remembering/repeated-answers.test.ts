/** Answers that are sent again as they were sent before (docs/architecture.md, "Remembered answers"). */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, mock } from 'node:test';
import { processorTime } from '../../../src/processor-time.ts';
import { engines } from '../../support/databases/databases.ts';
import { writeConfig } from '../../support/servers/configured.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type RawAnswer, rawRequest } from '../../support/servers/raw-http.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const NOTE = 'api::note.note';
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'narrow', type: 'custom', permissions: [`${NOTE}.find`] },
  ],
  roles: { public: [`${NOTE}.find`] },
};
/** Requests after which an answer is sent again, where it can be. */
const TIMES = 6;

/** Milliseconds for which a server that is told to end takes requests. */
const DELAY = 1000;
/** Milliseconds of the processor that a look at the clock takes, where turns are to be over soon. */
const WORK = 2;
/** Turns of Node's event loop that make one, where many requests are to arrive in it. */
const TURNS = 200;

/** Headers without those that differ from answer to answer. */
function lasting({ headers }: RawAnswer): Record<string, unknown> {
  const { date: _date, 'x-request-id': _id, ...rest } = headers;
  return rest;
}

/** Whether an answer did without the server's hooks, which put the id first. */
function isRepeated({ headers }: RawAnswer): boolean {
  const names = Object.keys(headers);
  return names.indexOf('x-request-id') > names.indexOf('vary');
}

for (const engine of engines) {
  describe(`answers sent again on ${engine.name}`, () => {
    let server: SeededServer;
    let stopped: Promise<void> | undefined;
    const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
      rawRequest(server.url + target, { method, headers });
    const many = async (target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer[]> => {
      const answers = [];
      for (let n = 0; n < TIMES; n++) answers.push(await get(target, headers, method));
      return answers;
    };
    const bearer = (name: string) => ({ authorization: `Bearer ${server.secrets[name]}` });
    const create = (title: string, body?: string) =>
      server.request('POST', '/api/notes', { token: server.secrets['full'], body: { data: { title, body } } });

    before(async () => {
      const folder = await makeProject({
        contentTypes: { note: contentType('note', { title: { type: 'string' }, body: { type: 'text' } }) },
      });
      await writeConfig(folder.dir, {
        server: { shutdown: { delay: DELAY } },
        api: { rest: { cacheControl: { [NOTE]: 'public, max-age=60' } } },
        middlewares: ['strapi::cors', 'strapi::compression'],
      });
      server = await serveSeeded(engine, folder, fixture);
      for (let n = 0; n < 40; n++) strictEqual((await create(`a note that is long enough ${n}`)).status, 200);
    });
    after(() => stopped ?? server?.stop());

    it('have the status, headers and bytes that they had, and an id of their own', async () => {
      for (const headers of [{}, bearer('full'), bearer('narrow'), { 'strapi-response-format': 'v4' }]) {
        const [first, ...others] = await many('/api/notes?sort=id', headers);
        // the headers of an answer in the older format are those of the target's other answers
        strictEqual(isRepeated(first!), 'strapi-response-format' in headers);
        ok(others.some(isRepeated));
        for (const other of others) {
          deepStrictEqual([other.status, lasting(other)], [200, lasting(first!)]);
          deepStrictEqual(other.body, first!.body);
          notStrictEqual(other.headers['x-request-id'], first!.headers['x-request-id']);
        }
      }
    });

    it('take the id that a request gives', async () => {
      const answers = await many('/api/notes?sort=id', { 'x-request-id': 'mine' });
      for (const { headers } of answers) strictEqual(headers['x-request-id'], 'mine');
    });

    it('have the right Cache-Control', async () => {
      const target = '/api/notes?sort=id&fields=title';
      for (let n = 0; n < TIMES; n++) {
        strictEqual((await get(target)).headers['cache-control'], 'public, max-age=60');
        strictEqual((await get(target, bearer('full'))).headers['cache-control'], 'private, no-cache');
      }
    });

    it('are not sent where other headers of the request decide about the answer', async () => {
      const target = '/api/notes?sort=title';
      const [plain] = await many(target);
      const tag = plain!.headers.etag!;
      for (const [headers, method, expected] of [
        [
          { origin: 'https://elsewhere.example' },
          'GET',
          { 'access-control-allow-origin': 'https://elsewhere.example' },
        ],
        [{ 'accept-encoding': 'gzip' }, 'GET', { 'content-encoding': 'gzip' }],
        [{ 'if-none-match': tag }, 'GET', { etag: tag }],
        [{}, 'HEAD', { etag: tag }],
      ] as const) {
        for (const answer of await many(target, headers, method)) {
          ok(!isRepeated(answer));
          for (const [name, value] of Object.entries(expected)) strictEqual(answer.headers[name], value);
          strictEqual(answer.status, 'if-none-match' in headers ? 304 : 200);
          if (method === 'HEAD') strictEqual(answer.body.length, 0);
        }
      }
    });

    it('come in the order of requests that are sent at once', async () => {
      const targets = ['/api/notes?sort=id', '/api/notes/none', '/api/notes?sort=id', '/api/notes?sort=title:desc'];
      await many(targets[0]!);
      const { hostname, port } = new URL(server.url);
      const socket = net.connect(Number(port), hostname);
      const close = (n: number) => (n === targets.length - 1 ? 'connection: close\r\n' : '');
      socket.write(targets.map((target, n) => `GET ${target} HTTP/1.1\r\nhost: x\r\n${close(n)}\r\n`).join(''));
      const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      deepStrictEqual(statuses, [200, 403, 200, 200]);
    });

    // where nothing is remembered, reads would wait for their places by a clock that runs too fast
    it('are sent at once where they are short, however much of the turn of the event loop is over', {
      skip: engine.name !== 'sqlite',
    }, async () => {
      strictEqual((await create('long', 'x'.repeat(20_000))).status, 200);
      const { hostname, port } = new URL(server.url);
      const now = performance.now.bind(performance);
      const immediate = setImmediate;
      const later = (run: () => void, turns: number): unknown =>
        immediate(() => (turns > 0 ? later(run, turns - 1) : run()));
      // the first of a turn is sent at once in any case
      for (const [filter, isShort] of [
        ['$startsWith]=a note that is', true],
        ['$startsWith]=long', false],
      ] as const) {
        const target = encodeURI(`/api/notes?sort=id&pagination[pageSize]=5&filters[title][${filter}`);
        await many(target);
        const sockets = Array.from({ length: 20 }, () => net.connect(Number(port), hostname));
        await Promise.all(sockets.map((socket) => once(socket, 'connect')));
        // a turn lasts until all of them are read, and is over soon: each look at the clock takes some of its time
        let looks = 0;
        const { mock: clock } = mock.method(performance, 'now', () => {
          const begun = processorTime();
          while (processorTime() - begun < WORK);
          return now() + 10 * ++looks;
        });
        const { mock: turns } = mock.method(globalThis, 'setImmediate', (run: () => void) => later(run, TURNS));
        try {
          // all of them are there before the first is read
          for (const socket of sockets) socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
          const answers = await Promise.all(sockets.map((socket) => text(socket)));
          for (const answer of answers) ok(answer.startsWith('HTTP/1.1 200'), answer.slice(-300));
          const repeated = answers.filter((answer) => answer.indexOf('\r\nx-request-id') > answer.indexOf('\r\nvary'));
          strictEqual(repeated.length === answers.length, isShort, `${repeated.length}`);
        } finally {
          clock.restore();
          turns.restore();
        }
      }
    });

    it('are refused as others are once there is nothing to answer with', async () => {
      const { body } = await create('short-lived');
      const target = `/api/notes/${body.data.documentId}`;
      ok((await many(target, bearer('full'))).some(isRepeated));
      const token = server.secrets['full'];
      strictEqual((await server.request('DELETE', target, { token })).status, 204);
      const gone = await get(target, bearer('full'));
      const never = await get('/api/notes/never', bearer('full'));
      deepStrictEqual([gone.status, lasting(gone), gone.body], [404, lasting(never), never.body]);
    });

    it('are read once if they cannot be read, with the same error for all', async () => {
      const target = '/api/notes?sort=id&fields=body';
      const [first] = await many(target);
      const { database } = server.app;
      const reads: string[] = [];
      await database.transaction(async (tx) => tx.rows('alter table notes rename to notes_elsewhere', []));
      database.watch(({ table }) => reads.push(table));
      try {
        const { status, body } = await get(target);
        // SQLite has no code of its own for a table that is missing
        const missing = engine.name === 'postgres' ? [503, 'ServiceUnavailableError'] : [500, 'InternalServerError'];
        deepStrictEqual([status, JSON.parse(body.toString()).error.name], missing);
        // beside the process nobody is kept waiting twice
        if (engine.name === 'postgres') deepStrictEqual(reads, ['notes']);
      } finally {
        database.watch(() => {});
        await database.transaction(async (tx) => tx.rows('alter table notes_elsewhere rename to notes', []));
      }
      deepStrictEqual((await get(target)).body, first!.body);
    });

    it('end with their content and rights', async () => {
      const target = '/api/notes?pagination[pageSize]=100';
      const titles = ({ body }: RawAnswer) =>
        JSON.parse(body.toString()).data.map((one: { title: string }) => one.title);
      await many(target);
      strictEqual((await create('new')).status, 200);
      ok(titles(await get(target)).includes('new'));
      await many(target);
      const token = server.secrets['full'];
      const { body } = await server.request('GET', '/api/users-permissions/roles', { token });
      const { id } = body.roles.find(({ type }: { type: string }) => type === 'public');
      const narrowed = { name: 'Public', description: '', permissions: {} };
      const changed = await server.request('PUT', `/api/users-permissions/roles/${id}`, { token, body: narrowed });
      strictEqual(changed.status, 200, changed.text);
      strictEqual((await get(target)).status, 403);
    });

    it('close their connections when the server ends', async () => {
      const agent = new Agent({ keepAlive: true });
      const ask = () => rawRequest(`${server.url}/api/notes?sort=id`, { headers: bearer('full'), agent });
      const { database } = server.app;
      const end = async () => {
        stopped = server.stop();
        await until('it is not ready', async () => (await get('/_ready')).status === 503);
      };
      for (let n = 0; n < TIMES; n++) strictEqual((await ask()).headers['connection'], 'keep-alive');
      if (engine.name === 'postgres') {
        let asked: Promise<RawAnswer> | undefined;
        await database.transaction(async (tx) => {
          await tx.rows('lock table notes in access exclusive mode', []);
          asked = ask();
          await until('it is being read', () => database.load!()['connections_used'] === 2);
          await end();
        });
        const answer = await asked!;
        deepStrictEqual([isRepeated(answer), answer.headers['connection']], [true, 'close']);
      } else await end();
      for (let n = 0; n < TIMES; n++) strictEqual((await ask()).headers['connection'], 'close');
      await stopped;
      agent.destroy();
    });
  });
}
