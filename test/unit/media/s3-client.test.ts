/** Unexpected answers of an object store. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { S3Config } from '../../../src/config/config.ts';
import { openS3Storage, type S3Storage } from '../../../src/media/storage/s3-storage.ts';
import type { StoredObject } from '../../../src/media/storage/storage.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

describe('an object store that', () => {
  let folder: string;
  let server: Server;
  let config: S3Config;
  let storage: S3Storage;
  let answer: Answer;
  let early: Answer | undefined;
  const targets: string[] = [];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'galley-s3-client-'));
    server = createServer((request, response) => {
      targets.push(`${request.method} ${request.url}`);
      void answer(request, response);
    });
    server.on('checkContinue', (request, response) => {
      targets.push(`${request.method} ${request.url}`);
      if (early) return void early(request, response);
      response.writeContinue();
      void answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    config = {
      provider: 'aws-s3',
      bucket: 'b',
      region: 'r',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      prefix: 'p',
      pathStyle: true,
      private: false,
      acl: undefined,
      baseUrl: undefined,
      signedUrlExpires: 900,
      credentials: { accessKeyId: 'k', secretAccessKey: 's' },
    };
    storage = await openS3Storage(config);
  });
  after(async () => {
    await storage?.close();
    server?.closeAllConnections();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    targets.length = 0;
    early = undefined;
  });
  const fileOf = async (size: number) => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await truncate(file, size);
    return { path: file, size, mime: 'text/plain' };
  };
  const all = async () => {
    const found: StoredObject[] = [];
    for await (const object of storage.list()) found.push(object);
    return found;
  };
  const refusal = (code: string) => `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>no</Message></Error>`;

  it('lists in pages is read to the end, with any characters in names', async () => {
    const names = ['p/a b', 'p/\u0001&<é>', 'p/c+d', 'p/folder/', 'elsewhere'];
    answer = (request, response) => {
      const query = new URL(request.url!, 'http://x').searchParams;
      const at = Number(query.get('continuation-token') ?? '0');
      const truncated = at + 1 < names.length;
      response.end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>${truncated}</IsTruncated>
        <EncodingType>url</EncodingType><NextContinuationToken>${at + 1}</NextContinuationToken>
        <Contents><Key>${encodeURIComponent(names[at]!).replaceAll('%20', '+')}</Key><Size>${at}</Size>
        <LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents></ListBucketResult>`);
    };
    const found = await all();
    const modifiedAt = Date.parse('2026-01-02T03:04:05Z');
    deepStrictEqual(found, [
      { key: 'a b', size: 0, modifiedAt },
      { key: '\u0001&<é>', size: 1, modifiedAt },
      { key: 'c+d', size: 2, modifiedAt },
    ]);
    strictEqual(targets.length, names.length);
  });

  it('refuses what its clock finds too old is asked again by its clock', async () => {
    const ahead = 7 * 60 * 60_000;
    answer = (request, response) => {
      const date = String(request.headers['x-amz-date']).replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      const now = Date.now() + ahead;
      response.setHeader('date', new Date(now).toUTCString());
      if (Math.abs(Date.parse(date) - now) < 60_000) response.writeHead(204).end();
      else response.writeHead(403).end(refusal('RequestTimeTooSkewed'));
    };
    await storage.remove('a');
    await storage.remove('b');
    deepStrictEqual(targets, ['DELETE /b/p/a', 'DELETE /b/p/a', 'DELETE /b/p/b']);
  });

  it('refuses with status 200 has refused, and what was sent is given up', async () => {
    answer = async (request, response) => {
      await text(request);
      const { searchParams } = new URL(request.url!, 'http://x');
      if (searchParams.has('uploads')) response.end('<R><UploadId>u&amp;1</UploadId></R>');
      else if (searchParams.has('partNumber')) response.setHeader('etag', '"e"').end();
      else if (request.method === 'POST') response.end(`\n  ${refusal('InternalError')}`);
      else response.writeHead(204).end();
    };
    await rejects(storage.put('large', await fileOf(65 * 1024 * 1024)), { name: 'InternalError', message: 'no' });
    strictEqual(targets.at(-1), 'DELETE /b/p/large?uploadId=u%261');
  });

  it('refuses with status 200 for a moment is asked again, with what was sent', async () => {
    let refusals = 0;
    answer = async (request, response) => {
      await text(request);
      const { searchParams } = new URL(request.url!, 'http://x');
      if (searchParams.has('uploads')) response.end('<R><UploadId>u</UploadId></R>');
      else if (searchParams.has('partNumber')) response.setHeader('etag', '"e"').end();
      else if (refusals++ === 0) response.end(refusal('InternalError'));
      else response.end('<CompleteMultipartUploadResult/>');
    };
    await storage.put('large', await fileOf(65 * 1024 * 1024));
    deepStrictEqual(targets.slice(-2), ['POST /b/p/large?uploadId=u', 'POST /b/p/large?uploadId=u']);
  });

  it('refuses a large file is not sent it', async () => {
    let read = 0;
    early = (request, response) => {
      request.on('data', (chunk: Buffer) => {
        read += chunk.length;
      });
      response.writeHead(403).end(refusal('AccessDenied'));
    };
    await rejects(storage.put('a', await fileOf(8 * 1024 * 1024)), { name: 'AccessDenied', status: 403 });
    deepStrictEqual([targets.length, read], [1, 0]);
  });

  it('refuses in the middle of a file is heard, and the connection not used again', async () => {
    answer = (request, response) => {
      request.once('data', () => {
        request.pause();
        response.writeHead(400).end(refusal('EntityTooLarge'));
      });
    };
    await rejects(storage.put('a', await fileOf(32 * 1024 * 1024)), { name: 'EntityTooLarge' });
    answer = (_request, response) => void response.writeHead(204).end();
    await storage.remove('a');
  });

  it('breaks connections is asked three times', async () => {
    answer = (request) => void request.socket.destroy();
    await rejects(storage.stat('a'), { code: 'ECONNRESET' });
    strictEqual(targets.length, 3);
  });

  it('nobody has keys for is not asked, and whoever gives keys is asked once a request', async () => {
    let asked = 0;
    const credentials = async () => {
      asked += 1;
      throw Object.assign(new Error('busy'), { code: 'ETIMEDOUT' });
    };
    const locked = await openS3Storage({ ...config, credentials });
    await rejects(locked.stat('a'), { message: 'busy' });
    deepStrictEqual([asked, targets], [1, []]);
    await locked.close();
  });

  it('answers what is not XML has refused, by its status', async () => {
    answer = (_request, response) => void response.writeHead(403).end('<html><p>Go away');
    await rejects(storage.get('a'), (error: Error) => {
      match(error.message, /answered 403/);
      ok(!error.message.includes('html'));
      return true;
    });
    answer = (_request, response) => void response.writeHead(200).end('<html><p>Welcome');
    await rejects(all());
  });
});
