/** Workers that end, or are ended, and their answered requests. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { spawnProcess, startProcess } from '../../support/servers/process.ts';
import type { Program } from '../../support/servers/program.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { Connection, childrenOf, connectToBoth, startWorkers } from '../../support/servers/workers.ts';
import { until } from '../../support/wait.ts';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A project whose first worker waits before it opens it, and whose second one before it takes requests. */
const HELD = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'config/server.js': `const fs = require('node:fs');
      const { number } = JSON.parse(process.env.GALLEY_WORKER ?? '{}');
      const clock = new Int32Array(new SharedArrayBuffer(4));
      while (number === 1 && !fs.existsSync(__dirname + '/../lead')) Atomics.wait(clock, 0, 0, 10);
      module.exports = {};`,
    'src/index.js': `const fs = require('node:fs');
      module.exports = {
        async bootstrap() {
          if (JSON.parse(process.env.GALLEY_WORKER).number !== 2) return;
          fs.writeFileSync(__dirname + '/../held', String(process.pid));
          while (!fs.existsSync(__dirname + '/../others')) await new Promise((resolve) => setTimeout(resolve, 10));
        },
      };`,
  },
};

const allGone = (pids: readonly number[]) => until('the processes are gone', () => !pids.some(isAlive));

for (const engine of engines) {
  // one program, which the last test ends: it is started only once
  describe(`workers on ${engine.name}`, () => {
    let program: Program;
    let parent: number;
    let token: string;
    let temporary: string;
    before(async () => {
      temporary = await mkdtemp(path.join(tmpdir(), 'galley-temporary-'));
      program = await startWorkers(engine, { env: { TMPDIR: temporary } });
      parent = program.child.pid!;
      token = program.secrets['full']!;
    });
    after(async () => {
      await program?.remove();
      await rm(temporary, { recursive: true });
    });

    it('refuse logins while their parent cannot count them, and serve uncounted requests', async () => {
      const [connection] = await connectToBoth(program.url);
      const login = { identifier: 'nobody@example.org', password: 'wrong' };
      process.kill(parent, 'SIGSTOP');
      try {
        strictEqual((await connection.send('POST', '/api/auth/local', login)).status, 503);
        strictEqual((await connection.send('GET', '/api/authors')).status, 200);
      } finally {
        process.kill(parent, 'SIGCONT');
      }
      strictEqual((await connection.send('POST', '/api/auth/local', login)).status, 400);
    });

    it('leave no client waiting whose connection was on its way to one that ends', async () => {
      const [killed] = childrenOf(parent);
      // takes no connection that it is given
      process.kill(killed!, 'SIGSTOP');
      const answers = Array.from({ length: 4 }, () => new Connection(program.url).send('GET', '/_health'));
      const outcomes = Promise.allSettled(answers);
      await Promise.any(answers);
      process.kill(killed!, 'SIGKILL');
      const lost = (await outcomes).filter(({ status }) => status === 'rejected');
      strictEqual(lost.length, 1);
      await connectToBoth(program.url);
    });

    it('are replaced when they end, without losing answered requests or blocking writers', async () => {
      const [killed, kept] = childrenOf(parent);
      const connections = await connectToBoth(program.url);
      const answered: string[] = [];
      const refused: unknown[] = [];
      let isEnding = false;
      const write = async (connection: Connection, writer: number): Promise<void> => {
        for (let i = 0; !isEnding; i++) {
          const name = `${writer} ${i}`;
          // one of the connections is lost with its worker
          const answer = await connection
            .send('POST', '/api/authors', { data: { name } }, token)
            .catch(() => undefined);
          if (answer?.status === 200) answered.push(name);
          else if (answer) refused.push(answer.body);
        }
      };
      const writers = [...connections, ...connections.map(() => new Connection(program.url))].map(write);
      await until('all have written', () => answered.length > 20);
      process.kill(killed!, 'SIGKILL');
      const before = answered.length;
      await until('the others go on', () => answered.length > before + 20);
      isEnding = true;
      await Promise.all(writers);
      deepStrictEqual(refused, []);
      // it may have come in the place of the one that ended before: which of two has the lower number is open
      const told = new RegExp(
        `worker \\d \\(process ${killed}\\) ended by SIGKILL; a replacement starts (now|in \\d+ ms)`,
      );
      await until('it is told', () => told.test(program.errors()));
      const readers = await connectToBoth(program.url);
      deepStrictEqual(
        childrenOf(parent).filter((pid) => pid === killed || pid === kept),
        [kept],
      );
      for (const reader of readers) {
        const stored = new Set<string>();
        for (let page = 1, pages = 1; page <= pages; page++) {
          const target = `/api/authors?fields=name&pagination[pageSize]=100&pagination[page]=${page}`;
          const { body } = await reader.send('GET', target, undefined, token);
          for (const { name } of body.data) stored.add(name);
          pages = body.meta.pagination.pageCount;
        }
        deepStrictEqual(
          answered.filter((name) => !stored.has(name)),
          [],
        );
      }
    });

    it('answer open requests when they are ended together, and leave neither a process nor a temporary file behind', async () => {
      const workers = childrenOf(parent);
      const connections = await connectToBoth(program.url);
      // hashing a password takes long enough to be in flight
      const answers = connections.map((connection, i) => {
        const account = { username: `user${i}`, email: `user${i}@example.org`, password: 'secret1', role: 1 };
        return connection.send('POST', '/api/users', account, token);
      });
      for (const probe of await connectToBoth(program.url)) probe.close();
      // by which they tell one another of commits
      deepStrictEqual((await readdir(temporary)).length, engine.name === 'sqlite' ? 1 : 0);
      program.child.kill('SIGTERM');
      strictEqual((await program.ended).code, 0);
      deepStrictEqual(
        (await Promise.all(answers)).map(({ status }) => status),
        [201, 201],
      );
      await allGone(workers);
      deepStrictEqual(await readdir(temporary), []);
    });

    it('end with their parent, however that ended', async () => {
      const again = await startProcess(program.dir, { ...program.env, GALLEY_WORKERS: '2' });
      const workers = childrenOf(again.child.pid!);
      again.child.kill('SIGKILL');
      await again.ended;
      strictEqual(workers.length, 2);
      await allGone(workers);
      deepStrictEqual(await readdir(temporary), []);
    });

    it('serve and end normally without a temporary folder', async () => {
      for (const isThere of [false, true]) {
        const folder = path.join(temporary, 'own');
        if (isThere) await mkdir(folder);
        const env = { ...program.env, GALLEY_WORKERS: '2', TMPDIR: folder };
        const again = await startProcess(program.dir, env);
        try {
          // not a folder any more
          await rm(folder, { recursive: true, force: true });
          await writeFile(folder, '');
          for (const [n, connection] of (await connectToBoth(again.url)).entries()) {
            const data = { name: `Ann ${n} ${isThere}` };
            strictEqual((await connection.send('POST', '/api/authors', { data }, token)).status, 200);
            connection.close();
          }
          again.child.kill('SIGTERM');
          const { code, err } = await again.ended;
          deepStrictEqual([code, err], [0, '']);
        } finally {
          again.child.kill('SIGKILL');
        }
        await rm(folder);
      }
    });

    it('are replaced also during their start, in any state', async () => {
      const { dir, remove } = await makeProject(HELD);
      const database = await engine.emptyDatabase();
      const port = await freePort();
      const started = spawnProcess(['start', dir, '--host', '127.0.0.1', '--port', String(port)], {
        ...database.env,
        GALLEY_WORKERS: '2',
      });
      const { child } = started;
      const go = (name: string) => writeFile(path.join(dir, name), '');
      const replaced = (pid: number) => started.errors().includes(`(process ${pid}) ended by SIGKILL; `);
      const kill = async (find: (pids: readonly number[]) => number | undefined) => {
        const pid = await until('there is one', () => find(childrenOf(child.pid!)));
        process.kill(pid, 'SIGKILL');
        await until('it is said that another is started', () => replaced(pid) || child.exitCode !== null);
        return pid;
      };
      try {
        // before it has opened the project
        const first = await kill(([one]) => one);
        await until('another is there', () => childrenOf(child.pid!).some((pid) => pid !== first));
        await go('lead');
        // when it answers, and the other one does not yet
        const answers = () =>
          fetch(`http://127.0.0.1:${port}/_health`).then(
            ({ status }) => status === 204,
            () => false,
          );
        await until('it answers', answers);
        const second = await until('the other one has said who it is', async () => {
          const told = await readFile(path.join(dir, 'held'), 'utf8').catch(() => '');
          return told === '' ? undefined : Number(told);
        });
        await kill((pids) => pids.find((pid) => pid !== second));
        await until('its successor answers', answers);
        // before it takes requests
        await kill((pids) => pids.find((pid) => pid === second));
        ok(!started.lines().includes('/_health'), 'nobody is told before all serve');
        await go('others');
        await until('all serve', () => started.lines().includes('/_health'));
        for (const connection of await connectToBoth(`http://127.0.0.1:${port}`)) connection.close();
        child.kill('SIGTERM');
        strictEqual((await started.ended).code, 0);
      } finally {
        child.kill('SIGKILL');
        await started.ended;
        await database.drop();
        await remove();
      }
    });

    it('end before they have served where one cannot start, and say the reason once', async () => {
      const file = path.join(program.dir, 'src/api/author/content-types/author/schema.json');
      const schema = JSON.parse(await readFile(file, 'utf8'));
      schema.attributes.name.type = 'strange';
      await writeFile(file, JSON.stringify(schema));
      const failure = await startProcess(program.dir, { ...program.env, GALLEY_WORKERS: '2' }).then(
        () => undefined,
        (error: Error) => error.message,
      );
      ok(failure);
      strictEqual(failure.match(/strange/g)?.length, 1, failure);
      // one of the others cannot, for a reason of its own
      const { dir, remove } = await makeProject({
        ...HELD,
        files: { 'config/server.js': 'if (/"number":2/.test(process.env.GALLEY_WORKER)) throw new Error(\'odd\');' },
      });
      const { ended } = spawnProcess(['start', dir, '--port', '0'], { ...program.env, GALLEY_WORKERS: '2' });
      const { code, err } = await ended;
      await remove();
      deepStrictEqual([code, err], [2, 'galley: config/server.js:1: odd\n']);
    });

    it('are not started for ever if one of them does not respond, or ends each time', async () => {
      for (const [end, how] of [
        ['process.exit(0)', 'with code 0'],
        ["process.kill(process.pid, 'SIGKILL')", 'by SIGKILL'],
      ] as const) {
        const { dir, remove } = await makeProject({
          ...HELD,
          files: { 'config/server.js': `if (/"number":2/.test(process.env.GALLEY_WORKER)) ${end};` },
        });
        const { ended } = spawnProcess(['start', dir, '--port', '0'], { ...program.env, GALLEY_WORKERS: '2' });
        const { code, err } = await ended;
        await remove();
        strictEqual(code, 1, err);
        match(err, new RegExp(`worker 2 \\(process \\d+\\) ended ${how} before it served\n$`));
      }
    });
  });
}
