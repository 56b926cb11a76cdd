/** HTTP around the content: paths, methods, headers and bodies (docs/reference/http.md, "Paths and methods"). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type ConformanceServer, serveConformance } from '../../support/conformance/conformance.ts';
import { engines } from '../../support/databases/databases.ts';
import type { RunningServer } from '../../support/servers/project.ts';

const NOT_FOUND = { data: null, error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} } };
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY'];

for (const engine of engines) {
  describe(`HTTP on ${engine.name}`, () => {
    let conformance: ConformanceServer;
    let server: RunningServer;
    let token = '';
    let documentId = '';
    before(async () => {
      conformance = await serveConformance(engine);
      server = conformance.server;
      token = JSON.parse(await readFile(conformance.tokensFile, 'utf8')).full;
      const made = await server.request('POST', '/api/authors', { token, body: { data: { name: 'Ann' } } });
      documentId = made.body.data.documentId;
    });
    after(() => conformance?.server.stop());

    /** Sends text over a socket and gives all that comes back until the server closes. */
    async function exchange(text: string): Promise<string> {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        answer += chunk;
      });
      socket.on('error', () => {});
      socket.end(text);
      await once(socket, 'close');
      return answer;
    }

    describe('a path', () => {
      it('that is unknown is a 404 for every method, before token and body', async () => {
        for (const method of METHODS) {
          const headers = { 'content-type': 'application/json', authorization: 'Bearer nobody' };
          const body = method === 'GET' ? undefined : '{';
          const { status, body: answer } = await server.request(method, '/api/nope', { headers, body });
          deepStrictEqual([method, status, answer], [method, 404, NOT_FOUND]);
        }
      });

      it('with a wrong method is a 405 with Allow, before token and body', async () => {
        for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY']) {
          const headers = { 'content-type': 'application/json', authorization: 'Bearer nobody' };
          const answer = await server.request(method, '/api/Authors/?x=1', { headers, body: '{' });
          deepStrictEqual([method, answer.status, answer.text], [method, 405, 'Method Not Allowed']);
          strictEqual(answer.headers.get('allow'), 'HEAD, GET, POST');
          strictEqual(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
          const file = await server.request(method, '/uploads/a.txt', { body: '{' });
          deepStrictEqual([method, file.status, file.headers.get('allow')], [method, 405, 'HEAD, GET']);
        }
      });

      it('that only accepts writes answers reads like an unknown path, and lists GET in Allow', async () => {
        for (const method of ['GET', 'HEAD']) {
          const { status, body } = await server.request(method, '/api/auth/local');
          const hint = method === 'GET' ? { hint: 'this path takes POST' } : undefined;
          deepStrictEqual([method, status, body?.error.details], [method, 404, hint]);
        }
        for (const [method, status] of [
          ['PUT', 405],
          ['OPTIONS', 200],
        ] as const) {
          const { headers, ...answer } = await server.request(method, '/api/auth/local');
          deepStrictEqual([method, answer.status, headers.get('allow')], [method, status, 'HEAD, GET, POST']);
          strictEqual(headers.get('content-type'), 'text/plain; charset=utf-8');
        }
      });

      it('lists the methods of all matching routes', async () => {
        const answer = await server.request('OPTIONS', '/api/users/me');
        strictEqual(answer.status, 200);
        match(answer.headers.get('allow')!, /^HEAD, GET/);
      });

      it('matches in any letter case, but for document ids', async () => {
        strictEqual((await server.get(`/API/AUTHORS/${documentId}/`, token)).status, 200);
        strictEqual((await server.get(`/api/authors/${documentId.toUpperCase()}`, token)).status, 404);
      });

      it('may end in one slash, not in two', async () => {
        strictEqual((await server.get('/api/authors/', token)).status, 200);
        strictEqual((await server.get('/api/authors//', token)).status, 404);
      });

      it('with an id of any length is looked up after the caller', async () => {
        for (const length of [99, 101, 5000]) {
          const target = `/api/authors/${'a'.repeat(length)}`;
          deepStrictEqual((await server.get(target, token)).body, NOT_FOUND);
          strictEqual((await server.get(target, 'nobody')).status, 401);
        }
        const { status, body } = await server.get(`/api/users/${'9'.repeat(400)}`, token);
        deepStrictEqual([status, body.error.message], [404, 'User not found']);
      });
    });

    it('HEAD answers as GET without the body, with its length', async () => {
      const got = await server.get(`/api/authors/${documentId}`, token);
      const { status, text, headers } = await server.request('HEAD', `/api/authors/${documentId}`, { token });
      deepStrictEqual([status, text], [200, '']);
      strictEqual(headers.get('content-length'), String(Buffer.byteLength(got.text)));
      strictEqual((await server.request('HEAD', '/api/articles')).status, 403);
    });

    it('/_health is 204 for every method, body and caller', async () => {
      for (const method of METHODS) {
        const headers = { 'content-type': 'application/json', authorization: 'Bearer nobody' };
        const body = method === 'GET' ? undefined : '{';
        const { status, text } = await server.request(method, '/_health', { headers, body });
        deepStrictEqual([method, status, text], [method, 204, '']);
      }
    });

    it('a preflight request is answered for any path; other origins read every answer', async () => {
      const headers = { origin: 'https://example.org', 'access-control-request-method': 'PUT' };
      const preflight = await server.request('OPTIONS', '/api/nope', { headers });
      strictEqual(preflight.status, 204);
      match(preflight.headers.get('access-control-allow-methods')!, /PUT/);
      for (const target of ['/api/authors', '/api/nope', '/api/authors/%zz', '/api/articles']) {
        const answer = await server.request('GET', target, { headers: { origin: 'https://example.org' } });
        strictEqual(answer.headers.get('access-control-allow-origin'), 'https://example.org', target);
        strictEqual(answer.headers.get('x-content-type-options'), 'nosniff', target);
      }
    });

    describe('a body', () => {
      const post = (type: string, body: string) =>
        server.request('POST', '/api/authors', { token, body, headers: { 'content-type': type } });

      it('that is no JSON is a SyntaxError without details', async () => {
        const outlines = await Promise.all(
          ['{', '{data:{}}', '"text"', 'null', '1', ' \n'].map((text) => post('application/json', text)),
        );
        for (const { status, body } of outlines) {
          deepStrictEqual([status, body.error.name, 'details' in body.error], [400, 'SyntaxError', false]);
        }
      });

      it('of an unsupported media type is ignored', async () => {
        for (const type of ['text/plain', 'application/jsonx', 'garbage', 'application/xml; charset=utf-8']) {
          const { status, body } = await post(type, '{"data":{"name":"x"}}');
          deepStrictEqual(
            [type, status, body.error.message],
            [type, 400, 'Missing "data" payload in the request body'],
          );
        }
      });

      it('of any JSON type, or a form, is read', async () => {
        const types = ['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.api+json'];
        for (const [index, type] of types.entries()) {
          strictEqual((await post(type, `{"data":{"name":"of type ${index}"}}`)).status, 200, type);
        }
        strictEqual((await post('application/x-www-form-urlencoded', 'data[name]=of+a+form')).status, 200);
        strictEqual((await post('application/json', '\ufeff{"data":{"name":"behind a mark"}}')).status, 200);
      });

      it('that is compressed is a 415, after the path and the caller', async () => {
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
        const send = (method: string, target: string, secret?: string) =>
          server.request(method, target, {
            headers,
            token: secret,
            ...(method === 'GET' ? {} : { body: '{"data":{}}' }),
          });
        strictEqual((await send('POST', '/api/nope', token)).status, 404);
        strictEqual((await send('POST', '/api/authors')).status, 403);
        const { status, body } = await send('POST', '/api/authors', token);
        deepStrictEqual([status, body.error.name], [415, 'UnsupportedMediaTypeError']);
        strictEqual((await send('GET', '/api/authors')).status, 200);
        headers['content-encoding'] = 'identity';
        strictEqual((await send('POST', '/api/authors', token)).status, 400);
      });

      it('beyond the limit is a 413 without details', async () => {
        const large = [
          await post('application/json', `{"data":{"name":"${'x'.repeat(1_100_000)}"}}`),
          await post('application/x-www-form-urlencoded', `data[name]=${'x'.repeat(60_000)}`),
        ];
        const error = { status: 413, name: 'PayloadTooLargeError', message: 'request entity too large' };
        for (const { status, body } of large) deepStrictEqual([status, body], [413, { data: null, error }]);
      });

      it('far beyond the limit is read to its end, so that its sender sees the answer', async () => {
        const { port } = new URL(server.url);
        const body = 'x'.repeat(8 << 20);
        const head = `POST /api/countries HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n`;
        for (const [caller, status] of [
          [`authorization: Bearer ${token}\r\n`, 413],
          ['authorization: Bearer nobodys\r\n', 401],
          ['', 403],
          [`authorization: Bearer ${token}\r\n`, 413],
        ] as const) {
          const socket = connect(Number(port), '127.0.0.1');
          let answer = '';
          socket.setEncoding('utf8').on('data', (text: string) => {
            answer += text;
          });
          const closed = once(socket, 'close');
          socket.write(`${head}${caller}content-length: ${body.length}\r\n\r\n${body}`);
          await closed;
          ok(answer.startsWith(`HTTP/1.1 ${status} `), answer.slice(0, 100));
        }
      });

      it('with too many levels or fields is a 400', async () => {
        const deep = (levels: number) => `{"data":{"name":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
        match((await post('application/json', deep(5000))).body.error.message, /at most 500 levels/);
        match((await post('application/json', deep(500_000))).body.error.message, /at most 500 levels/);
        const form = await post('application/x-www-form-urlencoded', 'data[name]=x&'.repeat(1500));
        match(form.body.error.message, /at most 1000 fields/);
      });

      it('may be missing with a JSON type', async () => {
        const headers = { 'content-type': 'application/json' };
        const made = await server.request('POST', '/api/authors', { token, body: { data: { name: 'Typed' } } });
        const target = `/api/authors/${made.body.data.documentId}`;
        strictEqual((await server.request('GET', target, { token, headers })).status, 200);
        strictEqual((await server.request('DELETE', target, { token, headers })).status, 204);
        const { status, body } = await server.request('POST', '/api/authors', { token, headers });
        deepStrictEqual([status, body.error.message], [400, 'Missing "data" payload in the request body']);
      });

      it('of GET and DELETE is not read', async () => {
        const gone = await server.request('DELETE', '/api/authors/nosuch', {
          token,
          body: '{',
          headers: { 'content-type': 'application/json' },
        });
        ok([204, 404].includes(gone.status), String(gone.status));
      });
    });

    it('invalid HTTP and a head that is too long are refused in the envelope', async () => {
      const refused = async (text: string, status: number) => {
        const answer = await exchange(text);
        match(answer, new RegExp(`^HTTP/1.1 ${status} `));
        const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
        strictEqual(error.status, status);
        return error.message as string;
      };
      await refused('nonsense\r\n\r\n', 400);
      await refused('GET /api/authors?\0 HTTP/1.1\r\nHost: x\r\n\r\n', 400);
      await refused(`GET /api/authors?q=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431);
      await refused(`GET /api/authors HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`, 431);
      const cut = 'POST /api/authors HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{';
      strictEqual(await refused(cut, 400), 'The request ended before its body was complete');
    });
  });
}
