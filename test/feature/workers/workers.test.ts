/** Several processes that serve a project at one port (docs/reference/command-line.md, "galley start"). */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { stepOf, totpCode } from '../../../src/users/administrators/totp.ts';
import { engines } from '../../support/databases/databases.ts';
import { picture } from '../../support/media/images.ts';
import { formOf } from '../../support/media/uploads.ts';
import { freePort } from '../../support/servers/free-port.ts';
import type { Program } from '../../support/servers/program.ts';
import { type Connection, childrenOf, connectToBoth, startWorkers } from '../../support/servers/workers.ts';
import { until } from '../../support/wait.ts';

const LOGINS = 10;

for (const engine of engines) {
  describe(`two workers on ${engine.name}`, () => {
    let program: Program;
    let metrics: string;
    let one: Connection;
    let other: Connection;
    let token: string;
    before(async () => {
      const port = await freePort();
      metrics = `http://127.0.0.1:${port}/metrics`;
      const files = { api: { rest: { rateLimit: { max: 5000 } } } };
      program = await startWorkers(engine, { files, env: { METRICS_PORT: String(port), LOG_LEVEL: 'info' } });
      token = program.secrets['full']!;
      [one, other] = await connectToBoth(program.url);
    });
    after(() => program?.remove());

    /** Changes by one worker are known to the other at once where both look at one file, else within a moment. */
    const soon = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
      if (engine.name === 'sqlite') ok(await isSo(), what);
      else await until(what, isSo);
    };

    it('reports their number', () => {
      match(program.lines(), / with 2 workers\n/);
    });

    it('hands the connections to both in turn', async () => {
      const counts = new Map<string, number>();
      for (let i = 0; i < 10; i++) {
        const answer = await fetch(`${program.url}/_health`, { headers: { connection: 'close' } });
        const [worker = ''] = answer.headers.get('x-request-id')!.split('-');
        counts.set(worker, (counts.get(worker) ?? 0) + 1);
      }
      deepStrictEqual([...counts.values()], [5, 5]);
    });

    it('shows writes of one in reads of the other', async () => {
      for (const [name, writer, reader] of [
        ['Ann', one, other],
        ['Bob', other, one],
      ] as const) {
        const made = await writer.send('POST', '/api/authors', { data: { name } }, token);
        strictEqual(made.status, 200);
        const { documentId } = made.body.data;
        const read = await reader.send('GET', `/api/authors/${documentId}`, undefined, token);
        deepStrictEqual([read.status, read.body.data.name], [200, name]);
      }
    });

    it('counts the requests of a caller together', async () => {
      const remaining = async (connection: Connection): Promise<number> => {
        const { headers } = await connection.answer('/api/authors', program.secrets['read']);
        return Number(headers['x-ratelimit-remaining']);
      };
      const first = await remaining(one);
      deepStrictEqual(
        [await remaining(other), await remaining(one), await remaining(other)],
        [first - 1, first - 2, first - 3],
      );
    });

    it('counts logins of all workers together, and refuses those beyond the limit', async () => {
      const login = { identifier: 'nobody@example.org', password: 'wrong' };
      const statuses: number[] = [];
      for (let i = 0; i < LOGINS + 2; i++) {
        statuses.push((await (i % 2 === 0 ? one : other).send('POST', '/api/auth/local', login)).status);
      }
      deepStrictEqual(statuses, [...Array.from({ length: LOGINS }, () => 400), 429, 429]);
    });

    it('counts wrong codes of administrators together, and no right ones', async () => {
      let cookie = '';
      // each request has a connection of its own, and with it another worker
      const ask = async (method: string, target: string, body: object = {}) => {
        const answer = await fetch(`${program.url}/admin/api/${target}`, {
          method,
          headers: { origin: program.url, connection: 'close', 'content-type': 'application/json', cookie },
          body: JSON.stringify(body),
        });
        cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
        const text = await answer.text();
        return { status: answer.status, data: text === '' ? undefined : JSON.parse(text).data };
      };
      const [, firstToken] = /first#(\S+)/.exec(program.lines())!;
      const secrets = { email: 'mara@example.org', password: 'Harbour1909' };
      const made = await ask('POST', 'first-administrator', { token: firstToken, firstname: 'Mara', ...secrets });
      strictEqual(made.status, 201);
      const { secret } = (await ask('POST', 'me/second-factor')).data;
      const enable = async (code: string) => ask('PUT', 'me/second-factor', { code });
      for (let n = 0; n < 4; n++) strictEqual((await enable('12345')).status, 400);
      const { recoveryCodes } = (await enable(totpCode(secret, stepOf(Date.now())))).data;
      const signIn = async (code: string) => (await ask('POST', 'session', { ...secrets, code })).status;
      const [one, two] = recoveryCodes;
      deepStrictEqual(
        [await signIn(one), await signIn(two), await signIn('x'), await signIn('x')],
        [200, 200, 401, 429],
      );
    });

    it('refuses the token of an account that the other has blocked', async () => {
      const account = { username: 'blocked', email: 'blocked@example.org', password: 'secret1' };
      const { body } = await one.send('POST', '/api/auth/local/register', account);
      const me = async (connection: Connection) =>
        (await connection.send('GET', '/api/users/me', undefined, body.jwt)).status;
      deepStrictEqual([await me(one), await me(other)], [200, 200]);
      const blocked = await one.send('PUT', `/api/users/${body.user.id}`, { blocked: true }, token);
      strictEqual(blocked.status, 200);
      strictEqual(await me(one), 401);
      await soon('the other refuses it', async () => (await me(other)) === 401);
    });

    it('closes to the public an action that is revoked through the other', async () => {
      const read = async (connection: Connection) => (await connection.send('GET', '/api/countries')).status;
      deepStrictEqual([await read(one), await read(other)], [200, 200]);
      const { body } = await one.send('GET', '/api/users-permissions/roles', undefined, token);
      const role = body.roles.find(({ type }: { type: string }) => type === 'public');
      const path = `/api/users-permissions/roles/${role.id}`;
      const { permissions } = (await one.send('GET', path, undefined, token)).body.role;
      permissions['api::country'].controllers.country.find.enabled = false;
      strictEqual((await one.send('PUT', path, { permissions }, token)).status, 200);
      strictEqual(await read(one), 403);
      await soon('the other refuses it', async () => (await read(other)) === 403);
    });

    it('finds a locale that was added through the other', async () => {
      const added = await one.send('POST', '/api/i18n/locales', { code: 'it' }, token);
      ok(added.status < 300, `${added.status}`);
      await soon('the other knows it', async () => {
        const { status } = await other.send('POST', '/api/countries?locale=it', { data: { name: 'Italia' } }, token);
        return status < 300;
      });
    });

    it('processes the images that both take in one process', async () => {
      const content = await picture(300, 200).jpeg().toBuffer();
      const takers = new Set<string>();
      for (const name of ['one.jpg', 'other.jpg']) {
        const answer = await fetch(`${program.url}/api/upload`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, connection: 'close' },
          body: formOf([{ name, content, type: 'image/jpeg' }]),
        });
        takers.add(answer.headers.get('x-request-id')!.split('-')[0]!);
        const [file] = (await answer.json()) as [{ formats: object }];
        deepStrictEqual(Object.keys(file.formats), ['thumbnail']);
      }
      strictEqual(takers.size, 2);
      const processes = execFileSync('ps', ['-eo', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
      const ofImages = processes
        .filter((line) => line.includes('image-process'))
        .map((line) => Number.parseInt(line, 10));
      const family = [program.child.pid!, ...childrenOf(program.child.pid!)];
      deepStrictEqual(
        ofImages.filter((parent) => family.includes(parent)),
        [program.child.pid],
      );
    });

    it('returns the metrics of both at one port', async () => {
      const text = await (await fetch(metrics)).text();
      match(text, /^galley_workers 2$/m);
      match(text, /^galley_workers_replaced_total 0$/m);
      for (const worker of [1, 2]) {
        match(
          text,
          new RegExp(`^galley_http_request_duration_seconds_count{.*status="200",worker="${worker}"} [1-9]`, 'm'),
        );
        match(text, new RegExp(`^process_resident_memory_bytes{worker="${worker}"} [1-9]`, 'm'));
      }
      strictEqual(text.match(/^# TYPE process_resident_memory_bytes /gm)?.length, 1);
    });

    it('logs each request once, in a line that names its worker', async () => {
      const id = 'asked-twice';
      for (const connection of [one, other]) await connection.answer('/api/authors', token, { 'x-request-id': id });
      const lines = await until('both are logged', () => {
        const found = program
          .errors()
          .split('\n')
          .filter((line) => line.includes(id));
        return found.length >= 2 && found;
      });
      deepStrictEqual(lines.map((line) => JSON.parse(line).worker).sort(), [1, 2]);
    });
  });
}
