/** What becomes of workers that end, or are ended, and of what they have answered. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import type { Program } from '../../support/servers/program.ts';
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

const allGone = (pids: readonly number[]) => until('the processes are gone', () => !pids.some(isAlive));

for (const engine of engines) {
  // one program, which the last test ends: it is started only once
  describe(`workers on ${engine.name}`, () => {
    let program: Program;
    let parent: number;
    let token: string;
    before(async () => {
      program = await startWorkers(engine);
      parent = program.child.pid!;
      token = program.secrets['full']!;
    });
    after(() => program?.remove());

    it('refuse logins while their parent cannot count them, and serve what is not counted', async () => {
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

    it('are replaced when they end, which loses nothing that was answered and keeps nobody from writing', async () => {
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
      const told = new RegExp(`worker \\d \\(process ${killed}\\) ended by SIGKILL: now another is started`);
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

    it('answer what is in flight at each when they are ended together, and leave no process behind', async () => {
      const workers = childrenOf(parent);
      const connections = await connectToBoth(program.url);
      // hashing a password takes long enough to be in flight
      const answers = connections.map((connection, i) => {
        const account = { username: `user${i}`, email: `user${i}@example.org`, password: 'secret1', role: 1 };
        return connection.send('POST', '/api/users', account, token);
      });
      for (const probe of await connectToBoth(program.url)) probe.close();
      program.child.kill('SIGTERM');
      strictEqual((await program.ended).code, 0);
      deepStrictEqual(
        (await Promise.all(answers)).map(({ status }) => status),
        [201, 201],
      );
      await allGone(workers);
    });

    it('end with their parent, however that ended', async () => {
      const again = await startProcess(program.dir, { ...program.env, GALLEY_WORKERS: '2' });
      const workers = childrenOf(again.child.pid!);
      again.child.kill('SIGKILL');
      await again.ended;
      strictEqual(workers.length, 2);
      await allGone(workers);
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
    });
  });
}
