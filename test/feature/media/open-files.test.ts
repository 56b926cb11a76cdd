/** A server that may not open any more files or sockets: it goes on with what it has, and recovers. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { formOf, sample } from '../../support/media/uploads.ts';
import { type Program, startProgram } from '../../support/servers/program.ts';
import { rawRequest } from '../../support/servers/raw-http.ts';
import { until } from '../../support/wait.ts';

/** Files and sockets: some more than the program has open when it serves. */
const OPEN_FILES = 64;

const BOUNDARY = 'xx';
const FORM = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nplain text\r\n--${BOUNDARY}--\r\n`;

/** Opens connections until the server takes no more of them. */
async function exhaust({ url }: Program): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const held: Socket[] = [];
  for (let refused = 0; refused < 3; ) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    // one that is taken answers, one that is shed is closed
    socket.write('GET /_health HTTP/1.1\r\nhost: x\r\n\r\n');
    const isTaken = await new Promise((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    });
    if (isTaken) held.push(socket);
    else refused++;
  }
  return held;
}

/**
 * Opens what it may, asks for an image, a password, a read and a definition that have processes of their own, gives back
 * what it has opened, and asks again.
 */
const SCRIPT = `
import { closeSync, openSync } from 'node:fs';
import { Images } from './src/media/images/images.ts';
import { hashPassword } from './src/content/validation/password-hashing.ts';
import { openSqlite } from './src/db/sqlite/driver.ts';
import { Readers } from './src/db/sqlite/readers/readers.ts';
const config = { breakpoints: [], limitInputPixels: 1e8, memoryLimit: 4.5e8, concurrency: 1, queue: 10, timeout: 60_000 };
const images = new Images(config);
const [image, output, filename] = process.argv.slice(1);
const database = openSqlite(filename, { readTimeout: 0 });
const readers = new Readers({ filename, processes: 2, limit: 60_000 });
const told = (work) => work.then(() => 'done', ({ status, cause }) => status + ' ' + /EMFILE|E2BIG/.test(cause));
const ask = async () => [
  await told(images.resize(image, output, { width: 10, fit: 'inside' })),
  await told(hashPassword('secret')),
  await told(readers.run({ text: 'select 1', values: [] }, () => {})),
  await told(database.separately((executor) => executor.rows('select 1', []))),
];
const open = [];
try {
  for (;;) open.push(openSync('/dev/null'));
} catch {}
// the image itself can be read
closeSync(open.pop());
const before = await ask();
for (const file of open) closeSync(file);
// what the system refuses at once, as it does for want of memory
const path = process.env.PATH;
process.env.PATH = 'x'.repeat(200_000);
const atOnce = await ask();
process.env.PATH = path;
console.log(JSON.stringify([...before, ...atOnce, ...(await ask())]));
process.exit();
`;

describe('without a file to open', () => {
  it('work with its own process or thread is refused with 503 until that can be started', async () => {
    const root = path.join(import.meta.dirname, '../../..');
    const image = path.join(root, 'test/conformance/files/small.webp');
    const folder = await mkdtemp(path.join(tmpdir(), 'galley-open-files-'));
    const files = [image, path.join(folder, 'small.webp'), path.join(folder, 'data.db')];
    const command = [process.execPath, '--input-type=module', '-e', SCRIPT, ...files];
    const out = execFileSync('sh', ['-c', `ulimit -n ${OPEN_FILES}; exec "$@"`, 'sh', ...command], { cwd: root });
    const kinds = ['images', 'passwords', 'reads', 'definitions'];
    const [refused, done] = ['503 true', 'done'];
    const atOnce = kinds.map((kind) => (kind === 'passwords' ? done : refused));
    deepStrictEqual(JSON.parse(String(out)), [...kinds.map(() => refused), ...atOnce, ...kinds.map(() => done)]);
    await rm(folder, { recursive: true });
  });
});

for (const engine of engines) {
  describe(`without a file to open on ${engine.name}`, () => {
    it('the server serves its open connections, refuses requests that need a file, and recovers', async () => {
      const sizes = { widths: [10], fits: ['inside'], formats: ['webp'] };
      const program = await startProgram(engine, {
        openFiles: OPEN_FILES,
        files: { plugins: { upload: { config: { sizes } } } },
      });
      const agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })];
      const [agent] = agents as [Agent, Agent];
      try {
        await mkdir(path.join(program.dir, 'public/uploads'), { recursive: true });
        await writeFile(path.join(program.dir, 'public/uploads/stored.txt'), 'stored');
        const headers = { authorization: `Bearer ${program.secrets['full']}` };
        const read = () => rawRequest(`${program.url}/api/authors`, { agent, headers });
        const upload = () =>
          rawRequest(`${program.url}/api/upload`, {
            method: 'POST',
            agent,
            headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
            body: FORM,
          });
        const login = () =>
          rawRequest(`${program.url}/api/auth/local`, {
            method: 'POST',
            agent,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ identifier: 'nobody', password: 'secret' }),
          });
        // the first token of a user loads what reads such tokens
        const token = () =>
          rawRequest(`${program.url}/api/authors`, { agent, headers: { authorization: 'Bearer a.b.c' } });
        const stored = () => rawRequest(`${program.url}/uploads/stored.txt`, { agent });
        strictEqual((await read()).status, 200);
        const body = formOf([sample('small.webp')]);
        const [image] = (await (
          await fetch(`${program.url}/api/upload`, { method: 'POST', headers, body })
        ).json()) as [{ url: string }];
        const sized = () => rawRequest(`${program.url}${image.url}?width=10`, { agent });

        const held = await exhaust(program);
        ok(held.length > 5, `${held.length} connections`);
        strictEqual((await rawRequest(`${program.url}/_health`, { agent })).status, 204);
        // what the server does by itself may have its connection to the database for a moment
        await until('a read has a connection', async () => (await read()).status === 200);
        for (const request of [upload, stored, sized, login, token, upload]) {
          const { status, headers, body } = await request();
          strictEqual(status, 503, String(body));
          match(headers['retry-after'] ?? '', /^[1-5]$/);
          strictEqual(JSON.parse(String(body)).error.name, 'ServiceUnavailableError');
        }
        strictEqual((await rawRequest(`${program.url}/_health`, { agent })).status, 204);
        strictEqual((await read()).status, 200);

        for (const socket of held) socket.destroy();
        await until('an upload is taken again', async () => (await upload()).status === 201);
        strictEqual(String((await stored()).body), 'stored');
        strictEqual((await sized()).status, 200);
        strictEqual((await login()).status, 400);
        strictEqual((await token()).status, 401);
        strictEqual(program.child.exitCode, null);
        const lines = await program.log();
        const told = new Set(lines.map(({ level, msg }) => `${level} ${msg}`));
        // where a read had no connection to the database for a moment
        told.delete('warn outage over');
        deepStrictEqual([...told], ['error outage'], JSON.stringify(lines));
        ok(lines.some(({ err }) => /EMFILE|too many open files/.test(JSON.stringify(err))));
      } finally {
        for (const each of agents) each.destroy();
        await program.remove();
      }
    });
  });
}
