/** Clients that do not take their answers (docs/reference/http.md, "Connections"). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Engine, engines } from '../../support/databases/databases.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const MEGABYTE = 1024 ** 2;
/** Much more than the buffers of the system between client and server hold. */
const LONG = 'x'.repeat(12 * MEGABYTE);

interface Setup {
  readonly server: RunningServer;
  /** The value of a metric. */
  metric(name: string): Promise<number>;
}

async function setUp(engine: Engine, answers: { readonly timeout: number; readonly memory?: number }): Promise<Setup> {
  const port = await freePort();
  const config = JSON.stringify({ answers, metrics: { port } });
  const folder = await makeProject({
    contentTypes: { doc: contentType('doc', { name: { type: 'string' }, body: { type: 'text' } }) },
    files: {
      'config/server.js': `module.exports = ${config};`,
      'config/middlewares.js': `module.exports = [{ name: 'strapi::compression', config: { threshold: 1 } }];`,
      'seed.json': {},
    },
  });
  await mkdir(path.join(folder.dir, 'public/uploads'), { recursive: true });
  await writeFile(path.join(folder.dir, 'public/uploads/long.txt'), LONG);
  const server = await serve(folder, await engine.databaseFor(folder));
  await server.app.documents('api::doc.doc').create({ data: { name: 'long', body: LONG } });
  await server.app.documents('api::doc.doc').create({ data: { name: 'short' } });
  await server.app.database.transaction(
    (tx) =>
      tx.rows(
        `insert into galley_permissions (role_id, action) select id, 'api::doc.doc.find' from up_roles where type = 'public'`,
        [],
      ) as Promise<unknown[]>,
  );
  return {
    server,
    async metric(name) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
  };
}

const opened: Socket[] = [];

/** Sends requests on one connection and reads nothing until told to. */
function send(server: RunningServer, requests: string): { readonly socket: Socket; readonly isClosed: () => boolean } {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  opened.push(socket);
  let closed = false;
  const close = () => {
    closed = true;
  };
  socket.pause().on('error', close).on('close', close);
  socket.write(requests);
  const isClosed = () => {
    // who only waits does not notice a reset
    if (!closed) socket.write('\r\n');
    return closed;
  };
  return { socket, isClosed };
}

const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const LIST = '/api/docs?sort=name';
const SHORT = '/api/docs?filters[name]=short';

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

for (const engine of engines) {
  describe(`an answer that is not taken on ${engine.name}`, () => {
    let setup: Setup;
    before(async () => {
      setup = await setUp(engine, { timeout: 2000 });
    });
    after(() => setup?.server.stop());

    for (const [what, target] of [
      ['of JSON', LIST],
      ['of a file', '/uploads/long.txt'],
    ] as const) {
      it(`${what} ends its connection, whatever else is requested on it`, async () => {
        const closedBefore = await setup.metric('galley_http_unread_closed_total');
        const { isClosed } = send(setup.server, get(target) + get(SHORT));
        await until('the connection is closed', isClosed);
        await until(
          'it is counted',
          async () => (await setup.metric('galley_http_unread_closed_total')) > closedBefore,
        );
        await until('nothing is held for it', async () => (await setup.metric('galley_http_unread_bytes')) === 0);
      });

      it(`${what} is sent to the end to a client that takes it slowly but steadily`, async () => {
        const { socket } = send(setup.server, get(target, 'connection: close\r\n'));
        const started = Date.now();
        let bytes = 0;
        await until('all is read', () => {
          let chunk: Buffer | null;
          // as much as lets the whole take longer than the time for which nothing may be taken
          for (let taken = 0; taken < 80_000; taken += chunk.length) {
            chunk = socket.read() as Buffer | null;
            if (chunk === null) break;
            bytes += chunk.length;
          }
          return socket.readableEnded || socket.destroyed;
        });
        ok(bytes > LONG.length, `${bytes} bytes`);
        ok(Date.now() - started > 2000);
      });
    }

    it('is nothing to a connection that waits for its next request', async () => {
      const { socket } = send(setup.server, get(SHORT));
      let text = '';
      socket.resume().on('data', (data) => {
        text += data;
      });
      await until('it is answered', () => text.includes('"short"'));
      const { isClosed } = send(setup.server, get(LIST));
      await until('another one is closed', isClosed);
      text = '';
      socket.write(get(SHORT));
      await until('it is answered again', () => text.includes('"short"'));
    });
  });

  describe(`unread answers on ${engine.name}`, () => {
    let setup: Setup;
    before(async () => {
      setup = await setUp(engine, { timeout: 600_000, memory: 40 * MEGABYTE });
    });
    after(() => setup?.server.stop());

    it('hold no more memory together than is set, and others are served', async () => {
      const { server, metric } = setup;
      const clients: ReturnType<typeof send>[] = [];
      for (let n = 0; n < 12; n++) {
        clients.push(send(server, get(LIST)));
        ok((await metric('galley_http_unread_bytes')) <= 40 * MEGABYTE);
        strictEqual((await server.get(SHORT)).status, 200);
      }
      await until('a long answer is given again', async () => {
        const answer = await server.get(LIST);
        if (answer.status === 200) return answer.text.length > LONG.length;
        deepStrictEqual([answer.status, answer.body.error.name], [503, 'ServiceUnavailableError']);
        match(answer.headers.get('retry-after') ?? '', /^[1-5]$/);
        strictEqual(answer.headers.get('etag'), null);
        return false;
      });
      await until('one of the others is closed', () => clients.some(({ isClosed }) => isClosed()));
    });

    it('count for requests that wait behind one another', async () => {
      const { server, metric } = setup;
      send(server, get(LIST).repeat(12));
      for (let look = 0; look < 20; look++) {
        ok((await metric('galley_http_unread_bytes')) <= 40 * MEGABYTE);
        strictEqual((await server.get(SHORT)).status, 200);
      }
    });
  });

  describe(`requests that wait behind one another on ${engine.name}`, () => {
    let setup: Setup;
    before(async () => {
      setup = await setUp(engine, { timeout: 60_000 });
    });
    after(() => setup?.server.stop());

    /** The statuses of all answers on a connection that is closed in the end. */
    async function statuses(requests: string): Promise<string[]> {
      const { socket } = send(setup.server, requests);
      let text = '';
      socket.resume().on('data', (data) => {
        text += data;
      });
      await until('all is answered', () => socket.readableEnded || socket.destroyed);
      return [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status!);
    }

    it('are answered in their order, as many as may wait', async () => {
      const found = await statuses(get(SHORT).repeat(99) + get('/nothing', 'connection: close\r\n'));
      deepStrictEqual(found, [...Array(99).fill('200'), '404']);
    });

    it('are answered behind one whose target cannot be read', async () => {
      const broken = get('/%zz');
      for (const requests of [broken + get(SHORT), get(SHORT) + broken + get(SHORT), broken + broken + get(SHORT)]) {
        const found = await statuses(requests + get('/nothing', 'connection: close\r\n'));
        deepStrictEqual(found.slice(-2), ['200', '404']);
      }
    });

    it('are answered on a connection that has been used before', async () => {
      const { socket } = send(setup.server, get(SHORT));
      let text = '';
      socket.resume().on('data', (data) => {
        text += data;
      });
      const answered = () => text.match(/HTTP\/1\.1 /g)?.length ?? 0;
      await until('the first is answered', () => answered() === 1);
      socket.write(get('/%zz') + get(SHORT) + get(SHORT));
      await until('all are answered', () => answered() === 4);
      socket.destroy();
    });

    it('beyond that are refused, and end the connection', async () => {
      const found = await statuses(get(SHORT).repeat(5000));
      ok(found.length < 1000, `${found.length} answers`);
      // the refusal itself is lost where the connection is reset under what is still being sent
      if (found.at(-1) === '503') found.pop();
      deepStrictEqual(new Set(found), new Set(['200']));
    });
  });
}
