/** Images in sizes asked for (docs/reference/extensions.md, "Sizes on the fly"). No engine has a part in it. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import sharp from 'sharp';
import { engines } from '../../support/databases/databases.ts';
import { moving, picture, redAndBlue } from '../../support/media/images.ts';
import { startS3 } from '../../support/media/s3.ts';
import {
  CONFORMANCE_DIR,
  copyProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

const SIZES = {
  widths: [100, 200, '300'],
  heights: [50],
  fits: ['cover', 'fill'],
  formats: ['webp', 'png', 'gif'],
  qualities: [20, 90],
};

async function projectWith(sizes: unknown): Promise<ProjectFolder> {
  const folder = await copyProject(CONFORMANCE_DIR);
  await mkdir(path.join(folder.dir, 'config'), { recursive: true });
  await writeFile(
    path.join(folder.dir, 'config/plugins.json'),
    JSON.stringify({ upload: { config: sizes === undefined ? {} : { sizes } } }),
  );
  await mkdir(path.join(folder.dir, 'public/uploads'), { recursive: true });
  return folder;
}

/** Stores a file with a record, as an upload without processing would. */
async function store({ app }: Pick<RunningServer, 'app'>, name: string, content: string | Buffer): Promise<void> {
  await writeFile(path.join(app.config.publicDir, 'uploads', name), content);
  await record(app, name, 'local', `/uploads/${name}`);
}

async function record({ database }: RunningServer['app'], name: string, provider: string, url: string): Promise<void> {
  const { name: hash, ext } = path.parse(name);
  const types: Record<string, string> = { '.svg': 'image/svg+xml', '.txt': 'text/plain', '.jpg': 'image/jpeg' };
  const type = types[ext] ?? `image/${ext.slice(1)}`;
  await database.transaction(async (tx) =>
    tx.rows(
      `insert into "files" ("document_id", "name", "hash", "ext", "mime", "provider", "url")
       values ('${randomUUID()}', '${name}', '${hash}', '${ext}', '${type}', '${provider}', '${url}')`,
      [],
    ),
  );
}

async function bytesOf(server: RunningServer, target: string, headers: Record<string, string> = {}) {
  const answer = await fetch(server.url + target, { headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('sizes on the fly', () => {
  let server: RunningServer;
  let uploads: string;
  let kept: string;
  before(async () => {
    const folder = await projectWith(SIZES);
    uploads = path.join(folder.dir, 'public/uploads');
    kept = path.join(uploads, '.sizes');
    server = await serve(folder, await engines[0]!.emptyDatabase());
    await store(server, 'a.jpg', await picture(400, 300).jpeg().toBuffer());
    await store(server, 'ü b.png', await picture(400, 300, 4).png().toBuffer());
    await store(
      server,
      'on-its-side.jpg',
      await redAndBlue(400, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    );
    await store(server, 'moving.gif', await moving(400, 200, 3, 'gif'));
    await store(server, 'broken.jpg', (await picture(400, 300).jpeg().toBuffer()).subarray(0, 3000));
    await store(
      server,
      'a.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><script>alert(1)</script></svg>',
    );
    await store(server, 'a.txt', 'text');
    await writeFile(path.join(folder.dir, 'public/beside.jpg'), await picture(400, 300).jpeg().toBuffer());
  });
  after(() => server?.stop());

  const shapeOf = async (target: string) => {
    const { status, headers, bytes } = await bytesOf(server, target);
    strictEqual(status, 200, target);
    const { format, width, height, pageHeight, pages = 1 } = await sharp(bytes, { animated: true }).metadata();
    strictEqual(headers.get('content-type'), `image/${format}`);
    strictEqual(Number(headers.get('content-length')), bytes.length);
    return [format, width, pageHeight ?? height, pages];
  };

  it('fit into the requested width and height unless the request names another fit', async () => {
    deepStrictEqual(await shapeOf('/uploads/a.jpg?width=200'), ['jpeg', 200, 150, 1]);
    deepStrictEqual(await shapeOf('/uploads/a.jpg?height=50'), ['jpeg', 67, 50, 1]);
    deepStrictEqual(await shapeOf('/uploads/a.jpg?width=200&height=50'), ['jpeg', 67, 50, 1]);
    deepStrictEqual(await shapeOf('/uploads/a.jpg?width=200&height=50&fit=inside'), ['jpeg', 67, 50, 1]);
    deepStrictEqual(await shapeOf('/uploads/a.jpg?width=200&height=50&fit=cover'), ['jpeg', 200, 50, 1]);
    deepStrictEqual(await shapeOf('/uploads/%C3%BC%20b.png?width=100'), ['png', 100, 75, 1]);
    deepStrictEqual(await shapeOf('/uploads/on-its-side.jpg?width=100'), ['jpeg', 100, 200, 1]);
  });

  it('have the requested format and quality, and stay animated if the format can be', async () => {
    deepStrictEqual(await shapeOf('/uploads/a.jpg?format=webp'), ['webp', 400, 300, 1]);
    deepStrictEqual(await shapeOf('/uploads/a.jpg?format=png&width=300'), ['png', 300, 225, 1]);
    deepStrictEqual(await shapeOf('/uploads/moving.gif?width=100'), ['gif', 100, 50, 3]);
    deepStrictEqual(await shapeOf('/uploads/moving.gif?width=100&format=webp'), ['webp', 100, 50, 3]);
    deepStrictEqual(await shapeOf('/uploads/moving.gif?width=100&format=png'), ['png', 100, 50, 1]);
    const poor = await bytesOf(server, '/uploads/a.jpg?quality=20');
    const rich = await bytesOf(server, '/uploads/a.jpg?quality=90');
    ok(poor.bytes.length < rich.bytes.length / 2);
  });

  it('are never larger than the image', async () => {
    const small = await picture(90, 40).jpeg().toBuffer();
    await store(server, 'small.jpg', small);
    deepStrictEqual(await shapeOf('/uploads/small.jpg?width=300'), ['jpeg', 90, 40, 1]);
  });

  it('that the configuration does not list are refused', async () => {
    const refused = ['width=101', 'width=', 'width=0', 'width=100.0', 'width=1e2', 'width=100&width=100', 'height=100'];
    refused.push('fit=contain', 'format=avif', 'format=jpeg', 'quality=80', 'width=100&quality=1', 'width=%31%30%31');
    for (const query of refused) {
      const { status, body } = await server.get(`/uploads/a.jpg?${query}`);
      deepStrictEqual([status, body?.error.name], [400, 'ValidationError'], query);
    }
    match((await server.get('/uploads/a.jpg?width=1')).body.error.message, /^width must be one of 100, 200, 300$/);
  });

  it('are of raster images alone, and of nothing outside of the folder', async () => {
    for (const name of ['a.svg', 'a.txt', 'broken.jpg']) {
      const { status, body, headers } = await server.get(`/uploads/${name}?width=100`);
      deepStrictEqual([status, body?.error.name], [400, 'ValidationError'], name);
      strictEqual(headers.get('cache-control'), null, name);
    }
    for (const name of ['none.jpg', '..%2fbeside.jpg', '.sizes', '', 'folder/a.jpg', '%00']) {
      strictEqual((await server.get(`/uploads/${name}?width=100`)).status, 404, name);
    }
  });

  it('may be cached forever under an address with a version, and are revalidated without one', async () => {
    const fixed = await bytesOf(server, '/uploads/a.jpg?width=200&v=2026-11-21T00:00:00.000Z');
    strictEqual(fixed.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const open = await bytesOf(server, '/uploads/a.jpg?width=200');
    strictEqual(open.headers.get('cache-control'), 'public, max-age=0, must-revalidate');
    strictEqual(
      (await bytesOf(server, '/uploads/a.jpg?width=200&v=')).headers.get('cache-control'),
      open.headers.get('cache-control'),
    );
    const etag = open.headers.get('etag')!;
    strictEqual(fixed.headers.get('etag'), etag);
    const again = await bytesOf(server, '/uploads/a.jpg?width=200', { 'if-none-match': etag });
    deepStrictEqual([again.status, again.bytes.length, again.headers.get('etag')], [304, 0, etag]);
    strictEqual((await bytesOf(server, '/uploads/a.jpg?width=100', { 'if-none-match': etag })).status, 200);
  });

  it('run no scripts, like everything below /uploads', async () => {
    const { headers } = await bytesOf(server, '/uploads/a.jpg?width=200');
    match(headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
    strictEqual(headers.get('x-content-type-options'), 'nosniff');
    const drawing = await bytesOf(server, '/uploads/a.svg');
    match(drawing.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
    ok(!drawing.headers.get('content-security-policy')!.includes('allow-scripts'));
    deepStrictEqual(
      [drawing.headers.get('content-type'), drawing.headers.get('x-content-type-options')],
      ['image/svg+xml', 'nosniff'],
    );
  });

  it('answer HEAD without their bytes', async () => {
    const { status, text, headers } = await server.request('HEAD', '/uploads/a.jpg?width=200');
    deepStrictEqual([status, text], [200, '']);
    ok(Number(headers.get('content-length')) > 0);
  });

  it('are created once for concurrent requests, and cached', async () => {
    await rm(kept, { recursive: true, force: true });
    const all = await Promise.all(
      Array.from({ length: 10 }, () => bytesOf(server, '/uploads/a.jpg?width=100&quality=90')),
    );
    strictEqual(new Set(all.map(({ bytes }) => bytes.toString('base64'))).size, 1);
    const [name, ...others] = await readdir(kept);
    deepStrictEqual(others, []);
    const { mtimeMs, ino } = await stat(path.join(kept, name!));
    await bytesOf(server, '/uploads/a.jpg?width=100&quality=90');
    deepStrictEqual(await readdir(kept), [name]);
    const now = await stat(path.join(kept, name!));
    deepStrictEqual([now.mtimeMs, now.ino], [mtimeMs, ino]);
  });

  it('are of the file as it is now', async () => {
    const target = '/uploads/changing.jpg?width=100';
    const file = path.join(uploads, 'changing.jpg');
    await store(server, 'changing.jpg', await picture(400, 300).jpeg().toBuffer());
    const before = await bytesOf(server, target);
    await writeFile(file, await picture(400, 400).jpeg().toBuffer());
    const now = await bytesOf(server, target, { 'if-none-match': before.headers.get('etag')! });
    strictEqual(now.status, 200);
    notStrictEqual(now.headers.get('etag'), before.headers.get('etag'));
    strictEqual((await sharp(now.bytes).metadata()).height, 100);
    await rm(file);
    strictEqual((await server.get(target)).status, 404);
  });

  it('leave everything else below /uploads as it was', async () => {
    for (const target of ['/uploads/a.jpg', '/uploads/a.jpg?v=1', '/uploads/a.jpg?updatedAt=2026']) {
      const { status, headers, bytes } = await bytesOf(server, target);
      deepStrictEqual([status, headers.get('cache-control'), headers.get('etag')], [200, 'max-age=0', null]);
      strictEqual((await sharp(bytes).metadata()).width, 400);
    }
    strictEqual((await bytesOf(server, '/uploads/.sizes/')).status, 404);
  });
});

describe('cached sizes', () => {
  it('use no more space than configured, and outlive the server', async () => {
    const cacheSize = 10_000;
    const folder = await projectWith({ widths: [100, 101, 102, 103, 104, 105, 106, 107], cacheSize });
    const uploads = path.join(folder.dir, 'public/uploads');
    const kept = path.join(uploads, '.sizes');
    const bytesKept = async () => {
      const files = await readdir(kept);
      const sizes = await Promise.all(
        files.map(async (name) => (await stat(path.join(kept, name)).catch(() => undefined))?.size ?? 0),
      );
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    const server = await serve(folder, await engines[0]!.emptyDatabase());
    try {
      await store(server, 'a.jpg', await picture(400, 300).jpeg({ quality: 95 }).toBuffer());
      let made = 0;
      for (let width = 100; width < 108; width++)
        made += (await bytesOf(server, `/uploads/a.jpg?width=${width}`)).bytes.length;
      ok(made > cacheSize, `${made}`);
      await until('the oldest are gone', async () => (await bytesKept()) <= cacheSize);
      ok((await readdir(kept)).length >= 1);
      const left = await readdir(kept);
      // what another process has under way, and what one that was killed has left
      for (const name of ['a.part', 'a.source', 'old.part', 'old.source']) await writeFile(path.join(kept, name), 'x');
      for (const name of ['old.part', 'old.source']) await utimes(path.join(kept, name), 1_700_000_000, 1_700_000_000);
      // another server finds what the last one made
      await server.app.close();
      const { openProject } = await import('../../../src/app.ts');
      const app = await openProject(folder.dir, { env: {}, overrides: { port: 0, host: '127.0.0.1' } });
      try {
        const { url } = await app.listen();
        await record(app, 'a.jpg', 'local', '/uploads/a.jpg');
        const answer = await fetch(`${url}/uploads/a.jpg?width=107`);
        strictEqual(answer.status, 200);
        await answer.arrayBuffer();
        const now = [...left, 'a.part', 'a.source'].sort();
        await until('what was left is gone', async () => isDeepStrictEqual((await readdir(kept)).sort(), now));
      } finally {
        await app.close();
      }
    } finally {
      await folder.remove();
    }
  });
});

describe('sizes on the fly by the place of the file', () => {
  it('are counted together with those that other processes make in the same folder', async () => {
    const cacheSize = 10_000;
    const folder = await projectWith({ widths: [100, 101, 102, 103], cacheSize });
    const kept = path.join(folder.dir, 'public/uploads/.sizes');
    const server = await serve(folder, await engines[0]!.emptyDatabase());
    try {
      await store(server, 'a.jpg', await picture(400, 300).jpeg({ quality: 95 }).toBuffer());
      await bytesOf(server, '/uploads/a.jpg?width=100');
      const other = `${'0'.repeat(32)}.jpeg`;
      await writeFile(path.join(kept, other), Buffer.alloc(cacheSize));
      await bytesOf(server, '/uploads/a.jpg?width=101');
      await until('the other is gone', async () => !(await readdir(kept)).includes(other));
      strictEqual((await bytesOf(server, '/uploads/a.jpg?width=101')).status, 200);
    } finally {
      await server.stop();
    }
  });

  it('exist only for files with records', async () => {
    const folder = await projectWith({ widths: [100] });
    const server = await serve(folder, await engines[0]!.emptyDatabase());
    const { app } = server;
    try {
      const sent = await picture(400, 300).jpeg().toBuffer();
      await writeFile(path.join(app.config.publicDir, 'uploads/unnamed.jpg'), sent);
      strictEqual((await bytesOf(server, '/uploads/unnamed.jpg')).status, 200);
      strictEqual((await bytesOf(server, '/uploads/unnamed.jpg?width=100')).status, 404);
      // a format of a record, and a record whose name tells nothing of its hash
      await store(server, 'some_0123.jpg', sent);
      const formats = JSON.stringify({ my_own: { url: '/uploads/my_own_some_0123.jpg', ext: '.jpg' }, odd: null });
      await app.database.transaction(async (tx) =>
        tx.rows(`update "files" set "formats" = '${formats}', "hash" = 'x_y'`, []),
      );
      await writeFile(path.join(app.config.publicDir, 'uploads/my_own_some_0123.jpg'), sent);
      strictEqual((await bytesOf(server, '/uploads/some_0123.jpg?width=100')).status, 200);
      strictEqual((await bytesOf(server, '/uploads/my_own_some_0123.jpg?width=100')).status, 404);
      await app.database.transaction(async (tx) => tx.rows(`update "files" set "hash" = 'some_0123'`, []));
      await writeFile(path.join(app.config.publicDir, 'uploads/my_some_0123.jpg'), sent);
      strictEqual((await bytesOf(server, '/uploads/my_some_0123.jpg?width=100')).status, 404);
      for (const key of ['%2e%2e%2fbeside.jpg', '%2e%2e/%2e%2e/x.jpg', '_'.repeat(2000), `a'b.jpg`]) {
        strictEqual((await bytesOf(server, `/uploads/${key}?width=100`)).status, 404, key);
      }
    } finally {
      await server.stop();
    }
  });

  it('copy a file of a local store never, and one of another store once, and only an image', async () => {
    const s3 = await startS3('public');
    const widths = Array.from({ length: 12 }, (_, index) => 100 + index);
    const folder = await projectWith({ widths });
    const server = await serve(folder, await engines[0]!.emptyDatabase(), s3.env({ S3_PREFIX: 'site' }));
    const { storage } = server.app.stores;
    const reads = () => s3.requests.filter(({ method }) => method === 'GET').length;
    const file = path.join(folder.dir, 'sent');
    const put = async (key: string, content: Buffer) => {
      await writeFile(file, content);
      await storage.put(key, { path: file, size: content.length, mime: 'image/jpeg' });
    };
    const ask = (key: string) =>
      Promise.all(widths.map((width) => bytesOf(server, `/uploads/${key}?width=${width}`))).then((answers) =>
        answers.map(({ status }) => status),
      );
    try {
      for (const key of ['trips/a_01.jpg', 'video_01.jpg', 'unnamed_01.jpg']) {
        await put(
          key,
          key.startsWith('video') ? Buffer.alloc(3_000_000, 7) : await picture(900, 600).jpeg().toBuffer(),
        );
      }
      await record(server.app, 'a_01.jpg', 'aws-s3', storage.urlOf('trips/a_01.jpg'));
      await record(server.app, 'video_01.jpg', '@strapi/provider-upload-aws-s3', storage.urlOf('video_01.jpg'));
      deepStrictEqual(
        await ask('trips/a_01.jpg'),
        widths.map(() => 200),
      );
      strictEqual(reads(), 1);
      deepStrictEqual(
        await ask('video_01.jpg'),
        widths.map(() => 400),
      );
      const before = reads();
      deepStrictEqual(
        await ask('video_01.jpg'),
        widths.map(() => 400),
      );
      strictEqual(reads(), before, 'refusals are remembered');
      const requests = s3.requests.length;
      deepStrictEqual(
        await ask('unnamed_01.jpg'),
        widths.map(() => 404),
      );
      deepStrictEqual(
        await ask('trips%2f%2e%2e%2ftrips%2fa_01.jpg'),
        widths.map(() => 404),
      );
      strictEqual(s3.requests.length, requests);
      const kept = path.join(folder.dir, 'public/uploads/.sizes');
      ok((await readdir(kept)).every((name) => /^[0-9a-f]{32}\.jpeg$/.test(name)));
    } finally {
      await server.stop();
      await s3.stop();
    }
  });
});

describe('sizes on the fly that are not configured', () => {
  it('are not created: the query has no effect', async () => {
    const folder = await projectWith(undefined);
    const uploads = path.join(folder.dir, 'public/uploads');
    await writeFile(path.join(uploads, 'a.jpg'), await picture(400, 300).jpeg().toBuffer());
    const server = await serve(folder, await engines[0]!.emptyDatabase());
    try {
      const { status, headers, bytes } = await bytesOf(server, '/uploads/a.jpg?width=100&format=webp');
      deepStrictEqual([status, headers.get('cache-control')], [200, 'max-age=0']);
      strictEqual((await sharp(bytes).metadata()).width, 400);
    } finally {
      await server.stop();
    }
  });

  it('are refused at the start when they are configured wrongly, with the key', async () => {
    const wrong: [unknown, RegExp][] = [
      [{ widths: 100 }, /upload\.config\.sizes\.widths must be a list/],
      [{ widths: [0] }, /sizes\.widths must be a list of numbers, each a whole number from 1 to 10000/],
      [{ qualities: [101] }, /sizes\.qualities/],
      [{ formats: ['svg'] }, /sizes\.formats must be a list of jpeg/],
      [{ fits: ['crop'] }, /sizes\.fits/],
      ['all', /upload\.config\.sizes must be an object/],
    ];
    const { openProject } = await import('../../../src/app.ts');
    for (const [sizes, message] of wrong) {
      const folder = await projectWith(sizes);
      const error = await openProject(folder.dir, { env: {} }).then(
        (app) => app.close(),
        (error: Error) => error,
      );
      match(String(error), message);
      await folder.remove();
    }
  });
});
