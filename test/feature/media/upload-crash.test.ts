/** Uploads when the disk is full, and when the server is killed. No engine has a part in it. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Incoming } from '../../../src/media/incoming.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, rawForm, rawHead, sample, traces, upload } from '../../support/media/uploads.ts';
import { INHERITED, PROGRAM } from '../../support/servers/process.ts';
import { CONFORMANCE_DIR, copyProject, serve } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

/** Mounts a small disk at a folder; false where this may not be done. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('uploads in bad times', () => {
  it('on a full disk are refused with 507 and leave nothing', async (t) => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const uploads = path.join(folder.dir, 'public/uploads');
    await mkdir(uploads, { recursive: true });
    if (!mountSmallDisk(uploads)) {
      await folder.remove();
      return t.skip('no disk can be mounted here');
    }
    const server = await serveSeeded(engines[0]!, folder);
    try {
      const token = server.secrets['full'];
      const stored = (await upload(server, token, [note('kept.txt', 'k'.repeat(300_000))])).body[0];
      const before = await traces(server);
      const cases = [
        () => upload(server, token, [note('big.txt', 'b'.repeat(5_000_000))]),
        () => upload(server, token, [note('fits.txt', 'f'.repeat(300_000)), note('big.txt', 'b'.repeat(900_000))]),
        () => upload(server, token, [note('big.txt', 'b'.repeat(900_000))], {}, `?id=${stored.id}`),
      ];
      for (const send of cases) {
        const { status, body } = await send();
        deepStrictEqual([status, body.error.name], [507, 'InsufficientStorageError']);
        deepStrictEqual(await traces(server), before);
      }
      strictEqual((await server.get(stored.url)).text.length, 300_000);
      strictEqual((await upload(server, token, [sample('small.webp')])).status, 201);
    } finally {
      await server.app.close();
      execFileSync('umount', [uploads]);
      await server.stop().catch(() => undefined);
    }
  });

  it('that a killed server did not finish are removed by the next start', async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const seeded = await serveSeeded(engines[0]!, folder);
    const database = seeded.app.config.database as { filename: string };
    const env = { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: database.filename };
    await seeded.app.close();
    const uploads = path.join(folder.dir, 'public/uploads');
    const child = spawn(process.execPath, [PROGRAM, 'start', folder.dir, '--port', '0', '--host', '127.0.0.1'], {
      env: { ...INHERITED, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const [, port] = await until('the server listens', () => /http:\/\/127\.0\.0\.1:(\d+)\/_health/.exec(text));
    const form = rawForm('xx', 'x'.repeat(400_000));
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      rawHead(seeded.secrets['full']!, {
        'content-type': 'multipart/form-data; boundary=xx',
        'content-length': form.length,
      }),
    );
    socket.write(form.subarray(0, 200_000));
    const waiting = () => existsSync(uploads) && readdirSync(uploads, { recursive: true, encoding: 'utf8' });
    const isFile = (name: string) => /file-0$/.test(name);
    await until('bytes wait on the disk', () => (waiting() || []).some(isFile));
    child.kill('SIGKILL');
    await once(child, 'exit');
    socket.destroy();
    ok((waiting() || []).some(isFile));
    // what other processes and machines are at work on stays
    const parent = readStart(process.ppid);
    const place = new Incoming('').process.split('~').slice(0, -3);
    const named = (...parts: unknown[]) => path.join(uploads, '.incoming', parts.join('~'));
    const alive = named(...place, process.ppid, parent, '00');
    // ids mean something else in another container of the same name, and after the machine was started again
    const contained = named(place[0], place[1], '4000000000', 1, 1, '00');
    const rebooted = named(place[0], '00000000-0000-0000-0000-000000000000', place[2], 1, 1, '00');
    const gone = named(...place, process.ppid, '1', '00');
    const foreign = path.join(uploads, '.incoming', 'elsewhere~1~1~00');
    const old = path.join(uploads, '.incoming', 'long-gone~1~1~00');
    for (const dir of [alive, foreign, contained, rebooted, gone, old]) {
      await mkdir(dir, { recursive: true });
      await writeFile(path.join(dir, 'file-0'), 'x');
    }
    const longAgo = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000);
    await utimes(path.join(old, 'file-0'), longAgo, longAgo);
    await utimes(old, longAgo, longAgo);
    const server = await serve(folder, { env, drop: async () => undefined });
    try {
      const left = readdirSync(path.join(uploads, '.incoming')).sort();
      deepStrictEqual(left, [alive, foreign, contained, rebooted].map((dir) => path.basename(dir)).sort());
      strictEqual((await server.get('/uploads/.incoming/elsewhere~1~1~00/file-0')).status, 404);
      const answer = await upload(server, seeded.secrets['full'], [note()]);
      strictEqual(answer.status, 201);
      match(answer.body[0].url, /^\/uploads\//);
    } finally {
      await server.stop();
    }
  });
});

/** When a process started, as proc(5) tells it. */
function readStart(pid: number): string {
  return execFileSync('cut', ['-d', ' ', '-f', '22', `/proc/${pid}/stat`], { encoding: 'utf8' }).trim();
}
