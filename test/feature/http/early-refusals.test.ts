/**
 * Callers are identified, counted and refused before their bodies are read (docs/reference/http.md, "Paths and
 * methods").
 */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines } from '../../support/databases/databases.ts';
import { serveConfigured } from '../../support/servers/configured.ts';
import type { SeededServer } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

/** A connection, and what has come over it. */
class Wire {
  readonly socket: Socket;
  received = '';

  constructor(server: SeededServer) {
    const { port } = new URL(server.url);
    this.socket = connect(Number(port), '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
    });
  }

  /** Sends the head of a request whose body is to follow. */
  head(method: string, target: string, headers: Readonly<Record<string, string | number>>): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${target} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`);
  }

  /** The status of the next answer, which is then forgotten. */
  async status(): Promise<number> {
    const found = await until('an answer arrives', () => /^HTTP\/1\.1 (\d+) [\s\S]*?\r\n\r\n/.exec(this.received));
    this.received = this.received.slice(found[0].length);
    return Number(found[1]);
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const bearer = (secret: string | undefined) => ({ authorization: `Bearer ${secret}` });

for (const engine of engines) {
  describe(`refusals before the body on ${engine.name}`, () => {
    let server: SeededServer;
    let full: Record<string, string>;
    before(async () => {
      const rateLimit = { max: 200, window: 3_600_000 };
      const users = { ratelimit: { enabled: true, max: 5, interval: 3_600_000 } };
      server = await serveConfigured(engine, {
        api: { rest: { rateLimit } },
        plugins: { 'users-permissions': { config: users } },
      });
      full = bearer(server.secrets['full']);
    });
    after(() => server?.stop());

    it('a missing body does not delay the refusal of its sender', async () => {
      const requests = [
        ['POST', '/api/authors', {}, 403],
        ['PUT', '/api/authors/any', {}, 403],
        ['POST', '/api/authors', bearer('nobodys'), 401],
        ['PUT', '/api/setting', bearer(server.secrets['read']), 403],
        ['POST', '/api/tags/actions/batch', bearer(server.secrets['read']), 403],
        ['POST', '/api/i18n/locales', {}, 403],
        ['POST', '/api/users', {}, 403],
        ['POST', '/api/users-permissions/roles', {}, 403],
        ['POST', '/api/upload', { 'content-type': 'multipart/form-data; boundary=x' }, 403],
        ['POST', '/api/nope', {}, 404],
      ] as const;
      // each is answered when the body has been waited for, so that the client sees the answer
      await Promise.all(
        requests.map(async ([method, target, headers, status]) => {
          const wire = new Wire(server);
          wire.head(method, target, { ...JSON_TYPE, ...headers, 'content-length': 1_000_000 });
          strictEqual(await wire.status(), status, `${method} ${target}`);
          wire.socket.destroy();
        }),
      );
    });

    it('a connection stays open when the refused body has arrived, and is closed when it does not arrive', async () => {
      const wire = new Wire(server);
      wire.head('POST', '/api/authors', { ...JSON_TYPE, 'content-length': 11 });
      wire.socket.write('{"data":{}}');
      strictEqual(await wire.status(), 403);
      wire.head('GET', '/api/authors', full);
      await until('the second answer arrives', () => /HTTP\/1\.1 200 /.test(wire.received));
      wire.socket.destroy();
      const slow = new Wire(server);
      const closed = once(slow.socket, 'close');
      slow.head('POST', '/api/authors', { ...JSON_TYPE, 'content-length': 1_000_000 });
      await closed;
      match(slow.received, /^HTTP\/1\.1 403 [\s\S]*connection: close\r\n/i);
    });

    it('an unreadable body is reported only to callers who may send it', async () => {
      for (const [type, body, status] of [
        ['application/json', '{', 400],
        ['application/json', `"${'x'.repeat(1_200_000)}"`, 413],
        ['application/x-www-form-urlencoded', `a=${'x'.repeat(60_000)}`, 413],
        ['text/plain', 'x'.repeat(1_200_000), 413],
      ] as const) {
        const headers = { 'content-type': type };
        const send = (token?: string) => server.request('POST', '/api/authors', { token, headers, body });
        strictEqual((await send(server.secrets['full'])).status, status, `${type} ${body.length}`);
        strictEqual((await send()).status, 403, `${type} ${body.length}`);
        strictEqual((await send('nobodys')).status, 401, `${type} ${body.length}`);
      }
    });

    it('a login beyond its limit is refused before its body is there', async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 6; i += 1) {
        const wire = new Wire(server);
        const length = i < 5 ? 2 : 1_000_000;
        wire.head('POST', '/api/auth/local', { ...JSON_TYPE, 'content-length': length });
        if (i < 5) wire.socket.write('{}');
        statuses.push(await wire.status());
        wire.socket.destroy();
      }
      deepStrictEqual(statuses, [400, 400, 400, 400, 400, 429]);
    });

    it('a caller beyond the limit is refused before a body is there', async () => {
      const send = async (): Promise<number> => {
        const wire = new Wire(server);
        wire.head('POST', '/api/tags', { ...JSON_TYPE, ...bearer(server.secrets['read']), 'content-length': 2 });
        wire.socket.write('{}');
        const status = await wire.status();
        wire.socket.destroy();
        return status;
      };
      await Promise.all(Array.from({ length: 200 }, send));
      strictEqual(await send(), 429);
      const wire = new Wire(server);
      wire.head('POST', '/api/tags', {
        ...JSON_TYPE,
        ...bearer(server.secrets['read']),
        'content-length': 1_000_000,
      });
      strictEqual(await wire.status(), 429);
      wire.socket.destroy();
    });

    it('a caller who loses the right while a body arrives is refused', async () => {
      const secret = server.secrets['full'];
      const wire = new Wire(server);
      const body = '{"data":{"name":"late"}}';
      wire.head('POST', '/api/tags', { ...JSON_TYPE, ...bearer(secret), 'content-length': body.length });
      wire.socket.write(body.slice(0, 5));
      // the head is in the server's hands once another request on a later connection is answered
      strictEqual((await server.get('/api/tags', secret)).status, 200);
      const { dir, database } = server.app.config;
      const place = database.client === 'sqlite' ? database.filename : database.connectionString!;
      const [name, client] = database.client === 'sqlite' ? ['FILENAME', 'sqlite'] : ['URL', 'postgres'];
      const env = { DATABASE_CLIENT: client!, [`DATABASE_${name}`]: place };
      const code = await runCommandLine(['token', 'revoke', 'full', dir], { env, print: () => {}, warn: () => {} });
      strictEqual(code, 0);
      await until(
        'the token is known to be revoked',
        async () => (await server.get('/api/tags', secret)).status === 401,
      );
      wire.socket.write(body.slice(5));
      strictEqual(await wire.status(), 401);
      wire.socket.destroy();
    });
  });
}
