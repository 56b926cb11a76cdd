/** The app's files below its path, what browsers may load with them, and the root of the server. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Config } from '../../../src/config/config.ts';
import { AppServer } from '../../../src/http/admin/static-files.ts';
import { engines } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';

const PAGE = '<script type="module" src="/admin/assets/main-abc.js"></script><link href="/admin/mark.svg">';
const SCRIPT = 'console.log("hello");'.repeat(50);
const local = { store: 'local', provider: 'local', s3: undefined } as const;
const S3 = { bucket: 'media', region: 'eu-west-1', endpoint: undefined, prefix: '', pathStyle: undefined };

describe('the files of the app', () => {
  let folder: string;
  const servers: FastifyInstance[] = [];
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'galley-app-'));
    await mkdir(path.join(folder, 'assets'));
    await writeFile(path.join(folder, 'index.html'), PAGE);
    await writeFile(path.join(folder, 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await writeFile(path.join(folder, 'assets/main-abc.js'), SCRIPT);
    await writeFile(path.join(folder, 'assets/main-abc.js.gz'), gzipSync(SCRIPT));
    await writeFile(path.join(folder, '.secret'), 'secret');
  });
  after(async () => {
    for (const server of servers) await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const serveApp = (admin = '/admin', storage: object = local, from = folder, frames: string[] = []) => {
    const config = { admin: { path: admin }, upload: { storage } } as unknown as Config;
    const app = new AppServer(config, { folder: from, frames });
    const server = Fastify();
    server.get('/*', (request, reply) => app.answer(request, reply, (request.params as { '*': string })['*']));
    servers.push(server);
    return (name: string, headers: Record<string, string> = {}) => server.inject({ url: `/${name}`, headers });
  };

  it('are cached forever if their names are hashed, and else revalidated', async () => {
    const get = serveApp();
    const script = await get('assets/main-abc.js');
    deepStrictEqual(
      [script.statusCode, script.headers['cache-control'], script.headers['content-type'], script.body],
      [200, 'public, max-age=31536000, immutable', 'text/javascript; charset=utf-8', SCRIPT],
    );
    const mark = await get('mark.svg');
    deepStrictEqual([mark.headers['cache-control'], mark.headers['content-type']], ['no-cache', 'image/svg+xml']);
    const again = await get('mark.svg', { 'if-none-match': String(mark.headers['etag']) });
    strictEqual(again.statusCode, 304);
  });

  it('are sent as the build compressed them, to browsers that take that', async () => {
    const get = serveApp();
    const small = await get('assets/main-abc.js', { 'accept-encoding': 'br, gzip', range: 'bytes=0-9' });
    deepStrictEqual(
      [small.statusCode, small.headers['content-encoding'], small.headers['vary'], small.headers['content-type']],
      [200, 'gzip', 'Accept-Encoding', 'text/javascript; charset=utf-8'],
    );
    deepStrictEqual(small.rawPayload, gzipSync(SCRIPT));
    const plain = await get('assets/main-abc.js', { 'accept-encoding': 'identity' });
    deepStrictEqual([plain.headers['content-encoding'], plain.headers['vary']], [undefined, 'Accept-Encoding']);
  });

  it('have one page for all other paths, which names the path that they are served from', async () => {
    const get = serveApp('/desk/top');
    for (const name of ['', 'content/api::note.note', 'first', 'index.html', 'content/a.b']) {
      const page = await get(name);
      strictEqual(page.statusCode, 200, name);
      strictEqual(page.body, PAGE.replaceAll('/admin/', '/desk/top/'));
      strictEqual(page.headers['cache-control'], 'no-cache');
    }
    const { headers } = await get('');
    strictEqual((await get('', { 'if-none-match': String(headers['etag']) })).statusCode, 304);
  });

  it('are those of the folder, and no others', async () => {
    const get = serveApp();
    strictEqual((await get('assets/main-gone.js')).statusCode, 404);
    for (const name of [
      '.secret',
      '..%2f..%2fetc%2fpasswd',
      'assets/..%2f..%2fpackage.json',
      'a%5cb.js',
      'mark.svg%00.js',
    ]) {
      doesNotMatch((await get(name)).body, /^secret$|root:|"galley"/, name);
    }
  });

  it('may load nothing but themselves, pictures of the store, and frames that are named', async () => {
    const policy = async (storage?: object, frames?: string[]) =>
      String((await serveApp('/admin', storage, folder, frames)('')).headers['content-security-policy']);
    const own = await policy();
    match(own, /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:;/);
    for (const part of ["connect-src 'self'", "frame-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]) {
      strictEqual(own.split('; ').includes(part), true, part);
    }
    doesNotMatch(own, /unsafe|\*/);
    const store = { store: 's3', provider: 'aws-s3', s3: { ...S3, baseUrl: 'https://cdn.example.com/files' } };
    match(await policy(store), /img-src 'self' blob: data: https:\/\/cdn\.example\.com https:\/\/s3\.eu-west-1/);
    const besideUs = { ...store, s3: { ...S3, endpoint: 'http://127.0.0.1:9000' } };
    match(await policy(besideUs), /img-src 'self' blob: data: http:\/\/127\.0\.0\.1:9000;/);
    match(await policy(local, ['https://preview.example.com']), /frame-src https:\/\/preview\.example\.com;/);
  });

  it('say how they are built where they are missing', async () => {
    const { statusCode, body, headers } = await serveApp('/admin', local, path.join(folder, 'gone'))('');
    strictEqual(statusCode, 503);
    match(body, /npm run build -w admin/);
    match(String(headers['content-type']), /^text\/html/);
  });
});

for (const engine of engines.slice(0, 1)) {
  describe('the root of the server', () => {
    let folder: ProjectFolder;
    let server: RunningServer;
    const start = async (admin: object) => {
      folder = await makeProject({
        contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
        files: { 'config/admin.json': admin },
      });
      server = await serve(folder, await engine.databaseFor(folder));
    };
    const get = async (target: string, accept?: string) => {
      const { status, headers, body } = await server.request('GET', target, accept ? { headers: { accept } } : {});
      return [status, headers.get('location') ?? body];
    };
    const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

    it('redirects browsers to the app, and describes the server to programs', async () => {
      await start({ path: '/desk' });
      try {
        deepStrictEqual(await get('/', HTML), [302, '/desk/']);
        const told = { name: 'galley', api: '/api', administration: '/desk' };
        deepStrictEqual(await get('/', 'application/json'), [200, told]);
        deepStrictEqual(await get('/'), [200, told]);
        strictEqual((await get('/desk/api/session'))[0], 401);
        strictEqual((await get('/desk/api/nothing'))[0], 404);
        strictEqual((await get('/admin'))[0], 404);
      } finally {
        await server.stop();
      }
    });

    it('has neither app nor API where they are switched off', async () => {
      await start({ enabled: false });
      try {
        for (const target of ['/', '/admin', '/admin/', '/admin/api/session']) {
          strictEqual((await get(target, HTML))[0], 404, target);
        }
      } finally {
        await server.stop();
      }
    });
  });
}
