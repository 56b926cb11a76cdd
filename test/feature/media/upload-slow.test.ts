/** How fast bodies must arrive: most within a fixed time, uploads as long as they go on. */
import { match, ok, strictEqual } from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { keepPace } from '../../../src/http/protocol/body.ts';
import { until } from '../../support/wait.ts';

const PACE = { time: 400, bytes: 1000 };

describe('bodies that arrive slowly', () => {
  let server: FastifyInstance;
  let port: number;
  before(async () => {
    server = Fastify({ requestTimeout: 0 });
    keepPace(server, PACE);
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', (_request, payload, done) => {
      payload.on('end', () => done(null, undefined)).resume();
    });
    server.post('/upload', { config: { multipart: true } }, async () => 'done');
    server.post('/other', async () => 'done');
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as { port: number }).port;
  });
  after(() => server.close());

  /** Begins a request and gives its connection, what comes back on it, and whether it is closed. */
  function begin(path: string): { socket: Socket; text: () => string; closed: () => boolean } {
    let text = '';
    let closed = false;
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed = true;
      });
    const type = 'content-type: multipart/form-data; boundary=xx';
    socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${type}\r\ntransfer-encoding: chunked\r\n\r\n`);
    return { socket, text: () => text, closed: () => closed };
  }

  const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;

  it('an upload continues beyond the time limit of other bodies', async () => {
    const { socket, text, closed } = begin('/upload');
    const end = Date.now() + 3 * PACE.time;
    await until('the upload has lasted', () => {
      socket.write(chunk);
      return closed() || Date.now() > end;
    });
    ok(!closed());
    socket.write('0\r\n\r\n');
    await until('it is answered', () => text().includes('done'));
    match(text(), /^HTTP\/1.1 200 /);
    socket.destroy();
  });

  it('an upload that stalls is cut off', async () => {
    const { socket, text, closed } = begin('/upload');
    socket.write(chunk);
    await until('it is cut off', closed);
    strictEqual(text(), '');
  });

  it('another body is cut off at its time, however fast it comes', async () => {
    const { socket, closed } = begin('/other');
    await until('it is cut off', () => {
      if (!closed()) socket.write(chunk);
      return closed();
    });
  });

  it('a connection whose bodies have arrived stays open', async () => {
    const { socket, text, closed } = begin('/other');
    socket.write('0\r\n\r\n');
    await until('it is answered', () => text().includes('done'));
    const end = Date.now() + 2 * PACE.time;
    await until('more than its time has gone', () => Date.now() > end);
    ok(!closed());
    socket.write('POST /other HTTP/1.1\r\nhost: x\r\ncontent-type: a/b\r\ncontent-length: 2\r\n\r\nab');
    await until('it is answered again', () => text().split('HTTP/1.1 200').length === 3);
    socket.destroy();
  });
});
