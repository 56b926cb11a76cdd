/** Requests whose clients go away within their bodies: no client reads the answer, and the server has no failure. */
import { deepStrictEqual, match } from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type Program, startProgram } from '../../support/servers/program.ts';

const FORM =
  '--xx\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nhalf';

/** Bodies that have begun, by their type and the path that they are sent to. */
const BODIES = [
  ['/api/authors', 'application/json', '{"data": {"name": "ha'],
  ['/api/authors', 'application/x-www-form-urlencoded', 'data[name]=ha'],
  ['/api/authors', 'text/plain', 'half'],
  ['/api/authors', 'multipart/form-data; boundary=xx', FORM],
  ['/api/upload', 'multipart/form-data; boundary=xx', FORM],
  ['/api/upload', 'application/json', '{"fileInfo": "ha'],
  ['/api/nothing', 'application/json', '{"half'],
] as const;

const LENGTHS = ['content-length: 1000', 'transfer-encoding: chunked'];

for (const engine of engines) {
  describe(`bodies that are cut off on ${engine.name}`, () => {
    let program: Program;
    before(async () => {
      program = await startProgram(engine, { env: { LOG_LEVEL: 'info' } });
    });
    after(() => program?.remove());

    /** Sends the beginning of a request and then leaves, by a reset or by the end of what is sent. */
    async function leave(head: string, body: string, length: string, isReset: boolean): Promise<string> {
      const { hostname, port } = new URL(program.url);
      const socket = connect(Number(port), hostname);
      let text = '';
      socket
        .on('error', () => undefined)
        .on('data', (data) => {
          text += data;
        });
      await once(socket, 'connect');
      const isChunked = length.includes('chunked');
      socket.write(`${head}\r\n${length}\r\n\r\n${isChunked ? `${body.length.toString(16)}\r\n${body}\r\n` : body}`);
      // the server has begun to read once it has answered something before it: nothing tells that from outside
      await fetch(`${program.url}/_health`);
      if (isReset) socket.resetAndDestroy();
      else socket.end();
      if (!socket.closed) await once(socket, 'close');
      return text;
    }

    it('log no error, for any type', async () => {
      for (const [path, type, body] of BODIES) {
        for (const length of LENGTHS) {
          for (const isReset of [true, false]) {
            const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${program.secrets['full']}\r\ncontent-type: ${type}`;
            const text = await leave(head, body, length, isReset);
            // whoever only stopped sending may still read
            if (!isReset && !path.endsWith('nothing')) match(text, /^HTTP\/1\.1 400 /);
          }
        }
      }
      await fetch(`${program.url}/api/authors`);
      const lines = await program.log();
      deepStrictEqual(
        lines.filter(({ level }) => level !== 'info'),
        [],
      );
    });
  });
}
