/** Files in an object store: the provider by itself, against a server that checks signatures. No engine has a part in it. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, afterEach, before, describe, it } from 'node:test';
import type { S3Config } from '../../../src/config/config.ts';
import { openS3Storage, type S3Storage } from '../../../src/media/storage/s3-storage.ts';
import { engines } from '../../support/databases/databases.ts';
import { sampleFile, uploadForm } from '../../support/media/media.ts';
import { BUCKET, type S3Server, startS3 } from '../../support/media/s3.ts';
import { CONFORMANCE_DIR, copyProject, withoutTrash } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

/** Frozen, as all configuration is. */
const KEYS = Object.freeze({ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' });

function configOf(endpoint: string | undefined, more: Partial<S3Config> = {}): S3Config {
  return {
    provider: 'aws-s3',
    bucket: BUCKET,
    region: 'eu-test-1',
    endpoint,
    prefix: '',
    pathStyle: undefined,
    private: false,
    acl: undefined,
    baseUrl: undefined,
    signedUrlExpires: 900,
    credentials: KEYS,
    ...more,
  };
}

describe('an object store', () => {
  let folder: string;
  let server: S3Server;
  const opened: S3Storage[] = [];
  const open = async (more: Partial<S3Config> = {}, now?: () => number) => {
    const storage = await openS3Storage(configOf(server.endpoint, more), now);
    opened.push(storage);
    return storage;
  };
  const fileOf = async (bytes: string | Buffer, mime = 'text/plain') => {
    const file = path.join(folder, randomBytes(6).toString('hex'));
    await writeFile(file, bytes);
    return { path: file, size: Buffer.byteLength(bytes), mime };
  };
  const read = async (stream: Readable | undefined) => stream && (await buffer(stream));
  const all = async (storage: S3Storage) => {
    const keys: string[] = [];
    for await (const { key } of storage.list()) keys.push(key);
    return keys.sort();
  };

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'galley-s3-files-'));
    server = await startS3('private');
  });
  after(async () => {
    await Promise.all(opened.map((storage) => storage.close()));
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    server.refuse = () => undefined;
    server.requests.length = 0;
  });

  it('returns stored objects with their size and type', async () => {
    const storage = await open();
    await storage.put('note.txt', await fileOf('hello'));
    strictEqual(String(await read(await storage.get('note.txt'))), 'hello');
    const found = await storage.stat('note.txt');
    deepStrictEqual([found?.key, found?.size], ['note.txt', 5]);
    ok(Math.abs(found!.modifiedAt - Date.now()) < 60_000);
    await storage.put('note.txt', await fileOf('bye, all'));
    strictEqual(String(await read(await storage.get('note.txt'))), 'bye, all');
    const sent = server.requests.find(({ method }) => method === 'PUT')!;
    deepStrictEqual([sent.headers['content-type'], sent.headers['content-length']], ['text/plain', '5']);
    strictEqual(sent.signed, 'header');
  });

  it('has nothing under other keys, and removing that is no error', async () => {
    const storage = await open();
    strictEqual(await storage.get('none.txt'), undefined);
    strictEqual(await storage.stat('none.txt'), undefined);
    await storage.remove('none.txt');
    await storage.put('gone.txt', await fileOf('x'));
    await storage.remove('gone.txt');
    strictEqual(await storage.get('gone.txt'), undefined);
  });

  it('keeps to its prefix', async () => {
    const storage = await open({ prefix: 'site/files' });
    await storage.put('a.txt', await fileOf('a'));
    await storage.put('sub/b c+d&é.txt', await fileOf('b'));
    deepStrictEqual(await all(storage), ['a.txt', 'sub/b c+d&é.txt']);
    ok((await server.names()).includes('site/files/a.txt'));
    deepStrictEqual(await all(await open({ prefix: 'site/fi' })), []);
    strictEqual(String(await read(await storage.get('sub/b c+d&é.txt'))), 'b');
    const url = storage.urlOf('sub/b c+d&é.txt');
    strictEqual(url, `${server.endpoint}/library/site/files/sub/b%20c%2Bd%26%C3%A9.txt`);
    strictEqual(storage.keyOf(url), 'sub/b c+d&é.txt');
    strictEqual(storage.keyOf(`${server.endpoint}/library/elsewhere/a.txt`), undefined);
  });

  it('sends large files in parts and puts them together', async () => {
    const storage = await open();
    const bytes = randomBytes(70 * 1024 * 1024);
    await storage.put('large.bin', await fileOf(bytes, 'application/octet-stream'));
    ok(bytes.equals((await read(await storage.get('large.bin')))!));
    strictEqual(server.requests.filter(({ target }) => target.includes('partNumber=')).length, 5);
  });

  it('sends a part again that failed, and gives all up when it keeps failing', async () => {
    const storage = await open();
    const file = await fileOf(randomBytes(65 * 1024 * 1024));
    let failures = 0;
    server.refuse = ({ target }) => (target.includes('partNumber=2') && failures++ === 0 ? 500 : undefined);
    await storage.put('again.bin', file);
    strictEqual((await storage.stat('again.bin'))?.size, file.size);
    server.refuse = ({ target }) => (target.includes('partNumber=2') ? 500 : undefined);
    await rejects(storage.put('never.bin', file));
    strictEqual(await storage.stat('never.bin'), undefined);
    ok(server.requests.some(({ method, target }) => method === 'DELETE' && target.includes('uploadId=')));
  });

  it('sends a small file again that failed', async () => {
    const storage = await open();
    let failures = 0;
    server.refuse = ({ method }) => (method === 'PUT' && failures++ === 0 ? 503 : undefined);
    await storage.put('small.txt', await fileOf('small'));
    strictEqual(String(await read(await storage.get('small.txt'))), 'small');
  });

  it('has files that browsers would run scripts of saved instead of shown', async () => {
    const storage = await open();
    const dispositionOf = async (mime: string) => {
      server.requests.length = 0;
      await storage.put('x', await fileOf('<svg/>', mime));
      return server.requests[0]!.headers['content-disposition'];
    };
    for (const mime of [
      ...['text/html', 'image/svg+xml', 'image/svg', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml', 'text/xml'],
      ...['*/*', 'unknown/unknown', 'junk', '', 'text/javascript', 'application/zip', 'multipart/x-mixed-replace'],
      ...['image/png, text/html', 'image/x+xml', 'image/png\u00e9'],
    ]) {
      strictEqual(await dispositionOf(mime), 'attachment', mime);
    }
    for (const mime of ['image/png', 'application/pdf', 'text/plain; charset=utf-8', 'video/mp4', 'audio/mpeg']) {
      strictEqual(await dispositionOf(mime), undefined, mime);
    }
  });

  it('gives no type to browsers that makes them guess one', async () => {
    const storage = await open();
    for (const mime of ['*/*', 'unknown/unknown', 'application/unknown', 'junk', 'a/b/c', '', 'text/pl\u00e4in']) {
      server.requests.length = 0;
      await storage.put('x', await fileOf('<html>', mime));
      strictEqual(server.requests[0]!.headers['content-type'], 'application/octet-stream', mime);
    }
  });

  it('has nothing under keys that lead out of its prefix', async () => {
    const storage = await open({ prefix: 'site' });
    for (const key of ['../x', 'a/../../x', './x', '..']) {
      strictEqual(await storage.stat(key), undefined, key);
      strictEqual(await storage.get(key), undefined, key);
    }
    strictEqual(server.requests.length, 0);
  });

  it('sends an ACL only when one is configured', async () => {
    await (await open()).put('x', await fileOf('x'));
    await (await open({ acl: 'public-read' })).put('x', await fileOf('x'));
    deepStrictEqual(
      server.requests.map(({ headers }) => headers['x-amz-acl']),
      [undefined, 'public-read'],
    );
  });

  it('is refused with other keys, and names the missing bucket', async () => {
    const stranger = await open({ credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'wrong' } });
    await rejects(stranger.put('x', await fileOf('x')));
    await rejects(stranger.get('x'));
    const nowhere = await open({ bucket: 'no-such-bucket' });
    await rejects(nowhere.get('x'), { name: 'NoSuchBucket' });
  });

  it('signs addresses that live for their time and open nothing else', async () => {
    const storage = await open({ private: true, signedUrlExpires: 60, prefix: 'p' });
    await storage.put('sub/é +&.txt', await fileOf('secret'));
    await storage.put('other.txt', await fileOf('other'));
    const url = storage.urlOf('sub/é +&.txt');
    const signed = storage.sign!(url);
    strictEqual((await fetch(url)).status, 403);
    const answer = await fetch(signed);
    deepStrictEqual([answer.status, await answer.text()], [200, 'secret']);
    match(signed, /[?&]X-Amz-Expires=60&/);
    const wrong = [
      signed.replace(/(X-Amz-Signature=)(.)/, (_, name, first) => name + (first === '0' ? '1' : '0')),
      signed.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'),
      signed.replace('/p/sub/%C3%A9%20%2B%26.txt', '/p/other.txt'),
    ];
    for (const target of wrong) strictEqual((await fetch(target)).status, 403, target);
    strictEqual((await fetch(signed, { method: 'PUT', body: 'x' })).status, 403);
    server.advance(61);
    strictEqual((await fetch(signed)).status, 403);
    server.advance(-61);
  });

  it('signs without a request, with the same result within a minute', async () => {
    let now = Date.parse('2026-01-02T03:00:00Z');
    const storage = await open({ private: true }, () => now);
    const url = storage.urlOf('a.txt');
    const first = storage.sign!(url);
    const period = storage.fileUrls!.period();
    now += 59_000;
    strictEqual(storage.sign!(url), first);
    strictEqual(storage.fileUrls!.period(), period);
    now += 1000;
    const second = storage.sign!(url);
    match(second, /X-Amz-Date=20260102T030100Z/);
    ok(storage.fileUrls!.period() !== period);
    deepStrictEqual(server.requests, []);
  });

  it('signs addresses of its bucket alone', async () => {
    const storage = await open({ private: true });
    for (const url of [
      '/uploads/a.png',
      'https://elsewhere.example.com/library/a.png',
      `${server.endpoint}/other/a.png`,
      `${server.endpoint}/library/`,
      `${server.endpoint}/library`,
      '',
    ]) {
      strictEqual(storage.sign!(url), url);
    }
  });
});

describe('addresses of an object store', () => {
  const open = (more: Partial<S3Config>) =>
    openS3Storage(configOf(undefined, { private: true, ...more }), () => Date.parse('2013-05-24T00:00:00Z'));

  it('are signed as the example of the documentation of AWS is', async () => {
    // https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    const storage = await open({
      bucket: 'examplebucket',
      region: 'us-east-1',
      endpoint: 'https://s3.amazonaws.com',
      signedUrlExpires: 86400,
      credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    });
    const signed = new URL(storage.sign!(storage.urlOf('test.txt')));
    strictEqual(signed.origin + signed.pathname, 'https://examplebucket.s3.amazonaws.com/test.txt');
    strictEqual(
      signed.searchParams.get('X-Amz-Signature'),
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });

  it('have the bucket in the host where it can stand there', async () => {
    const urlOf = async (more: Partial<S3Config>) => (await open(more)).urlOf('a.png');
    strictEqual(await urlOf({ region: 'eu-west-3' }), 'https://library.s3.eu-west-3.amazonaws.com/a.png');
    strictEqual(await urlOf({ region: 'cn-north-1' }), 'https://library.s3.cn-north-1.amazonaws.com.cn/a.png');
    strictEqual(await urlOf({ endpoint: 'https://s3.example.com' }), 'https://library.s3.example.com/a.png');
    strictEqual(
      await urlOf({ endpoint: 'https://s3.example.com', pathStyle: true }),
      'https://s3.example.com/library/a.png',
    );
    strictEqual(await urlOf({ bucket: 'my.files' }), 'https://s3.eu-test-1.amazonaws.com/my.files/a.png');
    strictEqual(await urlOf({ endpoint: 'http://[::1]:9000' }), 'http://[::1]:9000/library/a.png');
    strictEqual(await urlOf({ endpoint: 'http://localhost:9000' }), 'http://localhost:9000/library/a.png');
  });

  it('below a configured base are not signed', async () => {
    const storage = await open({ baseUrl: 'https://cdn.example.com/media', prefix: 'p' });
    const url = storage.urlOf('a.png');
    strictEqual(url, 'https://cdn.example.com/media/p/a.png');
    strictEqual(storage.keyOf(url), 'a.png');
    strictEqual(storage.sign!(url), url);
    const direct = 'https://library.s3.eu-test-1.amazonaws.com/p/a.png';
    strictEqual(storage.keyOf(direct), 'a.png');
    match(storage.sign!(direct), /X-Amz-Signature=/);
  });

  it('in older forms of AWS are recognised', async () => {
    const storage = await open({ region: 'eu-west-1' });
    for (const url of [
      'https://library.s3.eu-west-1.amazonaws.com/a.png',
      'https://library.s3.amazonaws.com/a.png',
      'https://s3.amazonaws.com/library/a.png',
      'https://library.s3-eu-west-1.amazonaws.com/a.png',
      'https://s3.eu-west-1.amazonaws.com/library/a.png',
    ]) {
      strictEqual(storage.keyOf(url), 'a.png', url);
      match(storage.sign!(url), /^https:\/\/library\.s3\.eu-west-1\.amazonaws\.com\/a\.png\?/);
    }
  });

  it('are signed with temporary keys, and with the next before those end', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-01-02T03:00:00Z') });
    let number = 0;
    const credentials = async () => ({
      accessKeyId: `TEMP${++number}`,
      secretAccessKey: 'x',
      sessionToken: 'a+/=',
      expiration: new Date(Date.now() + 60 * 60_000),
    });
    const storage = await open({ credentials });
    const parameters = () => new URL(storage.sign!(storage.urlOf('a.png'))).searchParams;
    strictEqual(parameters().get('X-Amz-Security-Token'), 'a+/=');
    match(parameters().get('X-Amz-Credential')!, /^TEMP1\/20130524\/eu-test-1\/s3\/aws4_request$/);
    const period = storage.fileUrls!.period();
    t.mock.timers.tick(56 * 60_000);
    while (number < 2 || storage.fileUrls!.period() === period) await new Promise(setImmediate);
    match(parameters().get('X-Amz-Credential')!, /^TEMP2\//);
    await storage.close();
  });

  it('cannot be signed without keys, which is reported at the start', async () => {
    const credentials = () => Promise.reject(new Error('no keys'));
    await rejects(open({ credentials }), /there are no credentials for the object store/);
  });
});

describe('uploads to an object store', () => {
  let server: S3Server;
  let galley: SeededServer;
  before(async () => {
    server = await startS3('public');
    const folder = await withoutTrash(await copyProject(CONFORMANCE_DIR));
    galley = await serveSeeded(engines[0]!, folder, undefined, server.env());
  });
  after(async () => {
    await galley?.stop();
    await server?.stop();
  });
  afterEach(() => {
    server.refuse = () => undefined;
  });
  const send = async (names: string[], target = '/api/upload', fields: Record<string, string> = {}) =>
    galley.request('POST', target, { token: galley.secrets['full'], body: await uploadForm(names, fields) });

  it('that fail half-way leave neither objects nor records', async () => {
    let stored = 0;
    server.refuse = ({ method }) => (method === 'PUT' && ++stored > 2 ? 403 : undefined);
    const { status, body } = await send(['landscape.jpg', 'note.txt']);
    deepStrictEqual([status, body.error.name], [503, 'ServiceUnavailableError']);
    deepStrictEqual(await server.names(), []);
    deepStrictEqual((await galley.get('/api/upload/files', galley.secrets['full'])).body, []);
  });

  it('that fail are not reported as remaining if they were never stored', async (t) => {
    const lines: string[] = [];
    server.refuse = ({ method }) => (method === 'PUT' || method === 'DELETE' ? 403 : undefined);
    const mocked = t.mock.method(process.stderr, 'write', (line: string) => lines.push(line) > 0);
    strictEqual((await send(['note.txt'])).status, 503);
    mocked.mock.restore();
    const told = lines.join('');
    match(told, /could not be stored; if any of it was, it is still there/);
    strictEqual(told.includes('was not removed'), false, told);
  });

  it('go below the folder that `path` names, with their sizes', async () => {
    const [file] = (await send(['portrait.png'], '/api/upload', { path: 'trips/2026' })).body;
    for (const { url } of [file, ...Object.values<{ url: string }>(file.formats)]) {
      ok(url.startsWith(`${server.endpoint}/${BUCKET}/trips/2026/`), url);
      strictEqual((await fetch(url)).status, 200);
    }
    const before = await server.names();
    const replaced = await send(['note.txt'], `/api/upload?id=${file.id}`);
    strictEqual(replaced.body.url, file.url);
    strictEqual(await (await fetch(file.url)).text(), String(await sampleFile('note.txt')));
    ok((await server.names()).length < before.length);
    const token = galley.secrets['full'];
    strictEqual((await galley.request('DELETE', `/api/upload/files/${file.id}`, { token })).status, 200);
    deepStrictEqual(await server.names(), []);
  });

  it('of a provider that is not there are refused, and stored addresses are served', async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    await mkdir(path.join(folder.dir, 'config'), { recursive: true });
    const plugins = "module.exports = { upload: { config: { provider: 'cloudinary' } } };";
    await writeFile(path.join(folder.dir, 'config/plugins.js'), plugins);
    const other = await serveSeeded(engines[0]!, folder);
    try {
      const token = other.secrets['full'];
      const { status, body } = await other.request('POST', '/api/upload', {
        token,
        body: await uploadForm(['note.txt']),
      });
      deepStrictEqual(
        [status, body.error.message],
        [400, 'Files cannot be changed: there is no provider cloudinary here'],
      );
      const url = 'https://res.cloudinary.com/x.png';
      const values = { name: 'x', hash: 'x', ext: '.png', mime: 'image/png', size: 1, folderPath: '/' };
      await other.seeder.file({ ...values, provider: 'cloudinary', url });
      strictEqual((await other.get('/api/upload/files', token)).body[0].url, url);
    } finally {
      await other.stop();
    }
  });
});
