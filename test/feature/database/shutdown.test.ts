/** The end of a server: requests in flight are finished (docs/reference/http.md, "Shutdown"). */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { startProxy } from '../../support/databases/tcp-proxy.ts';
import { serveConfigured, writeConfig } from '../../support/servers/configured.ts';
import { startProcess } from '../../support/servers/process.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import type { SeededServer } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const BODY = '{"data":{"name":"Ann"}}';

/** A POST whose body has come half: in flight until `finish`. */
class HalfRequest {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  answer = '';

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = once(socket, 'close');
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.answer += text;
    });
    socket.on('error', () => {});
  }

  static async begin(url: string, token: string): Promise<HalfRequest> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const half = new HalfRequest(socket);
    await once(socket, 'connect');
    const head = `POST /api/authors HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`;
    socket.write(head);
    // told once the server has taken the request
    await until('the server has read the head', () => half.answer.includes('100 Continue'));
    socket.write(BODY.slice(0, 8));
    return half;
  }

  finish(): void {
    this.socket.write(BODY.slice(8));
  }
}

async function serveEnding(engine: (typeof engines)[number], shutdown: unknown): Promise<SeededServer> {
  return serveConfigured(engine, { server: { shutdown } });
}

for (const engine of engines) {
  describe(`the end of a server on ${engine.name}`, () => {
    it('answers requests in flight, closes their connections, and accepts no others', async () => {
      const server = await serveEnding(engine, {});
      const half = await HalfRequest.begin(server.url, server.secrets['full']!);
      const stopped = server.stop();
      await until('no connection is taken', () =>
        server.get('/_health').then(
          () => false,
          () => true,
        ),
      );
      half.finish();
      await half.closed;
      match(half.answer, /HTTP\/1\.1 200 OK\r\n/);
      match(half.answer, /\r\nconnection: close\r\n/i);
      match(half.answer, /"name" ?: ?"Ann"/);
      await stopped;
    });

    it('is reported by /_ready while connections are still accepted', async () => {
      const server = await serveEnding(engine, { delay: 1000 });
      strictEqual((await server.get('/_ready')).status, 204);
      const stopped = server.stop();
      const answer = await until('it is not ready', async () => {
        const ready = await server.get('/_ready');
        return ready.status === 503 && ready;
      });
      deepStrictEqual([answer.body.error.name, answer.headers.get('connection')], ['ServiceUnavailableError', 'close']);
      const other = await server.get('/api/authors');
      deepStrictEqual([other.status, other.headers.get('connection')], [200, 'close']);
      strictEqual((await server.get('/_health')).status, 204);
      await stopped;
      await rejects(server.get('/_health'));
    });

    it('ends requests that exceed the time limit', async () => {
      const server = await serveEnding(engine, { timeout: 50 });
      const half = await HalfRequest.begin(server.url, server.secrets['full']!);
      await server.stop();
      await half.closed;
      ok(!half.answer.includes('200 OK'), half.answer);
    });
  });
}

describe('galley start', () => {
  const start = async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const server = await startProcess(folder.dir, { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: 'end.db' });
    return { folder, server };
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`ends with code 0 at ${signal}, after requests in flight are answered`, async () => {
      const { folder, server } = await start();
      try {
        const half = await HalfRequest.begin(server.url, 'nobody');
        server.child.kill(signal);
        await until('no connection is taken', () =>
          fetch(`${server.url}/_health`).then(
            () => false,
            () => true,
          ),
        );
        half.finish();
        await half.closed;
        match(half.answer, /HTTP\/1\.1 401 /);
        strictEqual((await server.ended).code, 0);
      } finally {
        server.child.kill('SIGKILL');
        await folder.remove();
      }
    });
  }

  it('ends with code 0 while an SMTP server is silent', async () => {
    const sockets: Socket[] = [];
    // it does not end a connection either
    const smtp = createServer({ allowHalfOpen: true }, (socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    const { port } = smtp.address() as AddressInfo;
    const folder = await copyProject(CONFORMANCE_DIR);
    const env = { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: 'end.db', SMTP_URL: `smtp://127.0.0.1:${port}` };
    const server = await startProcess(folder.dir, { ...env, EMAIL_FROM: 'a@example.com' });
    try {
      const post = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json' };
        const init = { method: 'POST', headers, body: JSON.stringify(body) };
        strictEqual((await fetch(`${server.url}/api/auth/${path}`, init)).status, 200);
      };
      const email = 'ann@example.com';
      await post('local/register', { username: 'ann', email, password: 'secret1' });
      await post('forgot-password', { email });
      await until('the mail server is asked', () => sockets.length > 0);
      server.child.kill('SIGTERM');
      const { code, err } = await server.ended;
      strictEqual(code, 0, err);
      // a database that is closed leaves no log of writes behind
      deepStrictEqual(
        (await readdir(folder.dir)).filter((name) => name.startsWith('end.db')),
        ['end.db'],
      );
    } finally {
      server.child.kill('SIGKILL');
      for (const socket of sockets) socket.destroy();
      smtp.close();
      await folder.remove();
    }
  });

  it('ends with code 0 while PostgreSQL is silent, without waiting for its answers', async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    await writeConfig(folder.dir, { server: { shutdown: { timeout: 50 } } });
    const storage = await engines[1]!.databaseFor(folder);
    const proxy = await startProxy(storage);
    // what takes longer than it may ends the process with code 1, and reads may take longer than that
    const server = await startProcess(folder.dir, { ...proxy.env, GALLEY_READ_TIMEOUT: '60000' });
    try {
      proxy.silence();
      const asked = Promise.allSettled(Array.from({ length: 4 }, () => fetch(`${server.url}/api/authors`)));
      // by then the others have been taken
      strictEqual((await fetch(`${server.url}/_health`)).status, 204);
      server.child.kill('SIGTERM');
      const { code, err } = await server.ended;
      strictEqual(code, 0, err);
      deepStrictEqual(
        (await asked).map(({ status }) => status),
        Array.from({ length: 4 }, () => 'rejected'),
      );
    } finally {
      server.child.kill('SIGKILL');
      proxy.stop();
      await storage.drop();
      await folder.remove();
    }
  });

  it('ends at once at a second signal', async () => {
    const { folder, server } = await start();
    try {
      const half = await HalfRequest.begin(server.url, 'nobody');
      server.child.kill('SIGTERM');
      await until('no connection is taken', () =>
        fetch(`${server.url}/_health`).then(
          () => false,
          () => true,
        ),
      );
      server.child.kill('SIGTERM');
      await server.ended;
      await half.closed;
      deepStrictEqual([server.child.signalCode, half.answer.includes('401')], ['SIGTERM', false]);
    } finally {
      server.child.kill('SIGKILL');
      await folder.remove();
    }
  });
});
