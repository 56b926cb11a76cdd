/** `galley admin …`, the address that a start prints, and several workers. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changeProject } from '../../../src/cli/in-project.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { insertAdministrator, lockAdministrators } from '../../../src/users/administrators/administrator-rows.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { type StartedProcess, startProcess } from '../../support/servers/process.ts';
import { contentType, jsonOf, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const contentTypes = { note: contentType('note', { title: { type: 'string' } }) };

for (const engine of engines) {
  describe(`commands on administrators on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let started: StartedProcess | undefined;
    before(async () => {
      const files = { 'config/admin.json': { rateLimit: { max: 3 } } };
      folder = await makeProject({ contentTypes, files });
      database = await engine.databaseFor(folder);
    });
    after(async () => {
      started?.child.kill('SIGKILL');
      await started?.ended;
      await database?.drop();
      await folder?.remove();
    });

    const galley = async (args: string[], input = '') => {
      const lines: string[] = [];
      const code = await runCommandLine(['admin', ...args, folder.dir], {
        env: { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' },
        print: (line) => void lines.push(line),
        warn: (line) => void lines.push(line),
        input: async () => input,
      });
      return { code, text: lines.join('\n') };
    };
    const signIn = async (email: string, password: string) => {
      const response = await fetch(`${started!.url}/admin/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      return { status: response.status, body: jsonOf(await response.text()) as Any };
    };
    const start = async (workers: number) => {
      started = await startProcess(folder.dir, { ...database.env, GALLEY_WORKERS: String(workers) });
      return started.lines();
    };
    const stop = async () => {
      started!.child.kill('SIGTERM');
      return (await started!.ended).code;
    };

    it('print the address that makes the first administrator, which every worker takes', async () => {
      const out = await start(2);
      const [, token, ...others] =
        /\/admin\/first#([\w-]{32}) \(creates the first administrator; works once\)/.exec(out) ?? [];
      deepStrictEqual([others, out.match(/first#/g)?.length], [[], 1]);
      const create = async (email: string) => {
        const response = await fetch(`${started!.url}/admin/api/first-administrator`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ token, firstname: 'Ada', email, password: 'Secret123' }),
        });
        return response.status;
      };
      const statuses = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(`${name}@example.com`)));
      deepStrictEqual(statuses.sort(), [201, 403, 403, 403]);
    });

    it('count attempts to sign in for all workers together', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => signIn('nobody@example.com', 'x')));
      deepStrictEqual(answers.map(({ status }) => status).sort(), [400, 400, 400, 429, 429]);
    });

    it('print the address of the administration once there is an administrator', async () => {
      strictEqual(await stop(), 0);
      doesNotMatch(started!.errors(), /first#/);
      const again = await start(1);
      doesNotMatch(again, /first/);
      match(again, /\n {2}http:\S+\/admin\n/);
    });

    it('create administrators with roles, and refuse weak passwords', async () => {
      const weak = await galley(['create', '--email', 'eve@example.com'], 'short');
      deepStrictEqual([weak.code, weak.text], [2, 'galley: the password must be at least 8 characters']);
      strictEqual((await galley(['create', '--email', 'nobody'], 'Secret123')).code, 2);
      const role = await galley(['create', '--email', 'eve@example.com', '--role', 'strapi-editer'], 'Secret123');
      match(role.text, /did you mean strapi-editor\?/);
      const made = ['create', '--email', 'Eve@Example.com', '--firstname', 'Eve', '--role', 'strapi-editor'];
      deepStrictEqual(await galley(made, 'Secret123\n'), {
        code: 0,
        text: 'Created the administrator eve@example.com with the role Editor.',
      });
      match((await galley(made, 'Secret123')).text, /already exists/);
      const { status, body } = await signIn('eve@example.com', 'Secret123');
      deepStrictEqual([status, body.data.user.firstname, body.data.roles[0].code], [200, 'Eve', 'strapi-editor']);
    });

    // on SQLite transactions that write stand in a line anyhow
    it('wait for a concurrent change of an address', { skip: engine.name === 'sqlite' }, async () => {
      const surroundings = { env: { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' }, warn: () => {} };
      let asked: Promise<{ code: number; text: string }> | undefined;
      await changeProject(folder.dir, surroundings, async (_app, tx) => {
        await lockAdministrators(tx);
        const held = { email: 'held@example.com', firstname: 'Held', lastname: null, password: 'x' };
        await insertAdministrator(tx, held, []);
        let isOver = false;
        asked = galley(['create', '--email', 'held@example.com'], 'Secret123').finally(() => {
          isOver = true;
        });
        const waiting = "select 1 from pg_locks where locktype = 'advisory' and not granted";
        await until('the command waits', async () => isOver || (await tx.rows(waiting, [])).length > 0);
        strictEqual(isOver, false);
      });
      match((await asked!).text, /held@example\.com already exists/);
    });

    it('list them, and set passwords', async () => {
      const listed = await galley(['list']);
      match(listed.text, /eve@example\.com +Eve +strapi-editor +yes +no/);
      const [first] = (await galley(['list', '--json'])).text.split('\n').map((line) => JSON.parse(line));
      deepStrictEqual([first.firstname, first.roles, first.maySignIn], ['Ada', ['strapi-super-admin'], true]);
      const reset = await galley(['reset-password', '--email', 'eve@example.com'], 'Secret456');
      deepStrictEqual(reset, { code: 0, text: 'Set the password of eve@example.com.' });
      strictEqual((await signIn('eve@example.com', 'Secret456')).status, 200);
      strictEqual((await galley(['reset-password', '--email', 'nobody@example.com'], 'Secret456')).code, 2);
    });
  });
}
