/** Files below `/uploads` (docs/reference/files.md). No engine has a part in it. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject, type RunningServer, serve } from '../../support/servers/project.ts';

describe('files below /uploads', () => {
  let server: RunningServer;
  before(async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const uploads = path.join(folder.dir, 'public/uploads');
    await mkdir(path.join(uploads, 'folder'), { recursive: true });
    await writeFile(path.join(uploads, 'a.txt'), 'hello world');
    await writeFile(path.join(uploads, 'empty.txt'), '');
    await writeFile(path.join(uploads, 'ü 100%.txt'), 'named');
    await writeFile(path.join(uploads, 'page.html'), '<script>alert(1)</script>');
    await writeFile(path.join(uploads, '.secret'), 'secret');
    await writeFile(path.join(folder.dir, 'public/beside.txt'), 'secret');
    await writeFile(path.join(folder.dir, '.env'), 'SECRET=1\n', { flag: 'a' });
    server = await serve(folder, await engines[0]!.emptyDatabase());
  });
  after(() => server?.stop());

  it('need no token, are fresh for no time, and carry no ETag', async () => {
    const { status, text, headers } = await server.get('/uploads/a.txt');
    deepStrictEqual([status, text], [200, 'hello world']);
    strictEqual(headers.get('cache-control'), 'max-age=0');
    strictEqual(headers.get('etag'), null);
    strictEqual(headers.get('content-type'), 'text/plain; charset=utf-8');
    ok(Date.parse(headers.get('last-modified')!) > 0);
    strictEqual((await server.get('/uploads/a.txt', 'nobody')).status, 200);
  });

  it('answer HEAD without their bytes', async () => {
    const { status, text, headers } = await server.request('HEAD', '/uploads/a.txt');
    deepStrictEqual([status, text, headers.get('content-length')], [200, '', '11']);
  });

  it('have names that need escapes', async () => {
    strictEqual((await server.get('/uploads/%C3%BC%20100%25.txt')).text, 'named');
  });

  it('are sent in single ranges', async () => {
    const range = async (range: string) => {
      const { status, text, headers } = await server.request('GET', '/uploads/a.txt', { headers: { range } });
      return [status, text, headers.get('content-range')];
    };
    deepStrictEqual(await range('bytes=0-3'), [206, 'hell', 'bytes 0-3/11']);
    deepStrictEqual(await range('bytes=-3'), [206, 'rld', 'bytes 8-10/11']);
    deepStrictEqual(await range('bytes=6-'), [206, 'world', 'bytes 6-10/11']);
    deepStrictEqual(await range('bytes=6-200'), [206, 'world', 'bytes 6-10/11']);
    deepStrictEqual(await range('lines=1-2'), [200, 'hello world', null]);
    deepStrictEqual(await range('bytes=0-1,5-6'), [200, 'hello world', null]);
  });

  it('are sent completely if a request asks for more last bytes than exist', async () => {
    for (const range of ['bytes=-11', 'bytes=-12', 'bytes=-65557', 'bytes= -12']) {
      const { status, text, headers } = await server.request('GET', '/uploads/a.txt', { headers: { range } });
      deepStrictEqual([status, text, headers.get('content-range')], [206, 'hello world', 'bytes 0-10/11'], range);
    }
    for (const range of ['bytes=-0', 'bytes=11-', 'bytes=5-2']) {
      const { status, headers } = await server.request('GET', '/uploads/a.txt', { headers: { range } });
      deepStrictEqual([status, headers.get('content-range')], [416, 'bytes */11'], range);
    }
    const empty = await server.request('GET', '/uploads/empty.txt', { headers: { range: 'bytes=-5' } });
    deepStrictEqual([empty.status, empty.headers.get('content-range')], [416, 'bytes */0']);
  });

  it('are sent in ranges only to GET, and only for the version that If-Range names', async () => {
    const ask = async (method: string, headers: Record<string, string>) => {
      const answer = await server.request(method, '/uploads/a.txt', { headers: { range: 'bytes=0-3', ...headers } });
      return [answer.status, answer.text, answer.headers.get('content-length')];
    };
    deepStrictEqual(await ask('HEAD', {}), [200, '', '11']);
    deepStrictEqual(await ask('GET', { 'accept-encoding': 'gzip, br' }), [206, 'hell', '4']);
    const { headers } = await server.get('/uploads/a.txt');
    deepStrictEqual(headers.get('accept-ranges'), 'bytes');
    deepStrictEqual(await ask('GET', { 'if-range': headers.get('last-modified')! }), [206, 'hell', '4']);
    for (const version of ['Fri, 01 Jan 2100 00:00:00 GMT', 'Fri, 01 Jan 1999 00:00:00 GMT', '"tag"', 'W/"tag"', 'x']) {
      deepStrictEqual(await ask('GET', { 'if-range': version }), [200, 'hello world', '11'], version);
    }
  });

  it('answer 416 to a range beyond their end', async () => {
    const beyond = await server.request('GET', '/uploads/a.txt', { headers: { range: 'bytes=50-60' } });
    strictEqual(beyond.status, 416);
    strictEqual(beyond.body.error.name, 'RangeNotSatisfiableError');
    strictEqual(beyond.headers.get('content-range'), 'bytes */11');
  });

  it('are sent for any conditions of the request', async () => {
    const conditions = [
      { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
      { 'if-none-match': '*' },
      { 'if-match': '"x"' },
      { 'if-unmodified-since': 'Fri, 01 Jan 1999 00:00:00 GMT' },
    ];
    for (const headers of conditions) {
      const answer = await server.request('GET', '/uploads/a.txt', { headers: headers as Record<string, string> });
      deepStrictEqual([answer.status, answer.text], [200, 'hello world'], Object.keys(headers)[0]);
    }
  });

  it('run no scripts in a browser', async () => {
    const { headers } = await server.get('/uploads/page.html');
    match(headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
    strictEqual(headers.get('x-content-type-options'), 'nosniff');
  });

  it('that are missing, folders, or begin with a dot are the JSON 404', async () => {
    const names = ['none.txt', 'folder', 'folder/', '', '.secret', 'a.txt%00.png', '%00', 'a'.repeat(3000)];
    for (const name of names) {
      const { status, body } = await server.get(`/uploads/${name}`);
      deepStrictEqual([status, body?.error.name], [404, 'NotFoundError'], name.slice(0, 40));
    }
  });

  it('lie in their folder alone', async () => {
    const names = [
      '../beside.txt',
      '../../.env',
      '..%2fbeside.txt',
      '%2e%2e/%2e%2e/.env',
      '..%5cbeside.txt',
      'folder/../../beside.txt',
      '/etc/passwd',
    ];
    for (const name of names) {
      // fetch would resolve the dots itself
      const status = await new Promise((resolve, reject) => {
        const { port } = new URL(server.url);
        get({ host: '127.0.0.1', port, path: `/uploads/${name}` }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        }).on('error', reject);
      });
      strictEqual(status, 404, name);
    }
  });

  it('are only read', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const { status, headers } = await server.request(method, '/uploads/a.txt');
      deepStrictEqual([method, status, headers.get('allow')], [method, 405, 'HEAD, GET']);
    }
  });
});
