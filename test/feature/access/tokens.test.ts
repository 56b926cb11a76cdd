/** API tokens: their rights, lifetime and last use, and their end in every server. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import type { SqlValue } from '../../../src/sql/fragment.ts';
import { Callers } from '../../../src/users/sessions/callers.ts';
import { UserTokens } from '../../../src/users/sessions/user-tokens.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import {
  contentType,
  makeProject,
  type ProjectFolder,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const HOUR = 3_600_000;

for (const engine of engines) {
  describe(`API tokens on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let server: RunningServer;
    /** Another server on the same database. */
    let other: RunningServer;

    before(async () => {
      folder = await makeProject({
        contentTypes: {
          note: contentType('note', { title: { type: 'string' } }),
          page: contentType('page', { title: { type: 'string' } }),
        },
        files: { 'config/admin.json': { apiToken: { salt: 'salt' }, secrets: { encryptionKey: 'k'.repeat(32) } } },
      });
      database = await engine.databaseFor(folder);
      server = await serve(folder, database);
      other = await serve(folder, database);
    });
    after(async () => {
      await other?.app.close();
      await server?.stop();
    });

    /** Runs `galley token …` as another process would: with connections of its own. */
    const token = async (...args: string[]): Promise<{ code: number; out: string; err: string }> => {
      const out: string[] = [];
      const err: string[] = [];
      const code = await runCommandLine(['token', ...args, folder.dir], {
        env: database.env,
        print: (line) => void out.push(line),
        warn: (line) => void err.push(line),
      });
      return { code, out: out.join('\n'), err: err.join('\n') };
    };
    const create = async (name: string, type: string, ...args: string[]): Promise<string> => {
      const { code, out, err } = await token('create', '--name', name, '--type', type, ...args);
      strictEqual(code, 0, err);
      return out;
    };
    const run = (text: string, ...values: SqlValue[]) =>
      server.app.database.transaction(async (tx) => tx.rows(text, values));
    const slots = (...names: string[]) => names.map((_, n) => server.app.database.dialect.placeholder(n + 1));
    const time = (milliseconds: number) => server.app.database.dialect.encodeTime(milliseconds);
    const setTime = async (name: string, column: string, milliseconds: number): Promise<void> => {
      const [first, second] = slots('time', 'name');
      await run(`update strapi_api_tokens set ${column} = ${first} where name = ${second}`, time(milliseconds), name);
    };
    const lastUse = async (name: string): Promise<number | null> => {
      const { out } = await token('list', '--json');
      const row = out
        .split('\n')
        .map((line) => JSON.parse(line))
        .find((row) => row.name === name);
      return row.lastUsedAt === null ? null : Date.parse(row.lastUsedAt);
    };
    const status = async (at: RunningServer, secret: string, target = '/api/notes') =>
      (await at.get(target, secret)).status;

    it("opens the actions of the token's type", async () => {
      const secrets = {
        reads: await create('reads', 'read-only'),
        all: await create('all', 'full-access'),
        some: await create('some', 'custom', '--permission', 'api::note.note.create'),
        none: await create('none', 'custom'),
      };
      const tried = async (secret: string) => [
        await status(server, secret),
        await status(server, secret, '/api/pages'),
        (await server.request('POST', '/api/notes', { token: secret, body: { data: { title: 'a' } } })).status,
        (await server.request('POST', '/api/pages', { token: secret, body: { data: { title: 'a' } } })).status,
      ];
      deepStrictEqual(await tried(secrets.reads), [200, 200, 403, 403]);
      deepStrictEqual(await tried(secrets.all), [200, 200, 200, 200]);
      deepStrictEqual(await tried(secrets.some), [403, 403, 200, 403]);
      deepStrictEqual(await tried(secrets.none), [403, 403, 403, 403]);
    });

    it('ends with its lifespan, also if it is cached', async () => {
      const secret = await create('short', 'read-only', '--lifespan', '1');
      strictEqual(await status(server, secret), 200);
      await setTime('short', 'expires_at', Date.now() - 1);
      const expired = await until('the token has expired', async () => {
        const answer = await other.get('/api/notes', secret);
        return answer.status === 401 && answer;
      });
      deepStrictEqual(expired.body.error, {
        status: 401,
        name: 'UnauthorizedError',
        message: 'Token expired',
        details: {},
      });
    });

    it('is not a token of the panel', async () => {
      const secret = await create('panel', 'full-access');
      await run(`update strapi_api_tokens set kind = 'admin' where name = 'panel'`);
      strictEqual(await status(other, secret), 401);
      const { out } = await token('list');
      doesNotMatch(out, /panel/);
      deepStrictEqual((await token('revoke', 'panel')).code, 2);
    });

    it('of before kinds keeps working', async () => {
      const secret = await create('old', 'full-access');
      await run(`update strapi_api_tokens set kind = null where name = 'old'`);
      strictEqual(await status(other, secret), 200);
    });

    it('notes its last use, and no second one within the hour', async () => {
      const secret = await create('used', 'read-only');
      const before = Date.now();
      strictEqual(await lastUse('used'), null);
      strictEqual(await status(server, secret), 200);
      const first = await until('the use is written', () => lastUse('used'));
      ok(first >= before && first <= Date.now(), String(first));

      const recent = await create('recent', 'read-only');
      const halfAnHourAgo = Date.now() - HOUR / 2;
      await setTime('recent', 'last_used_at', halfAnHourAgo);
      const late = await create('late', 'read-only');
      await setTime('late', 'last_used_at', Date.now() - 2 * HOUR);
      strictEqual(await status(server, recent), 200);
      strictEqual(await status(server, secret), 200);
      strictEqual(await status(server, late), 200);
      // uses are written in their order: when the last one is there, the others would be
      await until('the late use is written', async () => (await lastUse('late'))! >= before);
      deepStrictEqual([await lastUse('recent'), await lastUse('used')], [halfAnHourAgo, first]);
    });

    it('is not noted as used when it has expired', async () => {
      const expired = await create('gone', 'read-only', '--lifespan', '1');
      await setTime('gone', 'expires_at', Date.now() - 1);
      const next = await create('next', 'read-only');
      strictEqual(await status(server, expired), 401);
      strictEqual(await status(server, next), 200);
      await until('the next use is written', () => lastUse('next'));
      strictEqual(await lastUse('gone'), null);
    });

    it('gets another secret, and the one before dies in every server', async () => {
      const before = await create('turning', 'custom', '--permission', 'api::note.note.find', '--lifespan', '9');
      deepStrictEqual([await status(server, before), await status(other, before)], [200, 200]);
      const listed = async () =>
        JSON.parse((await token('list', '--json')).out.split('\n').find((line) => line.includes('"turning"'))!);
      const { expiresAt } = await listed();
      const { code, out, err } = await token('rotate', 'turning');
      strictEqual(code, 0);
      match(out, /^[0-9a-f]{256}$/);
      ok(out !== before && !err.includes(out));
      for (const at of [server, other]) {
        await until('the secret before is refused', async () => (await status(at, before)) === 401);
        strictEqual(await status(at, out), 200);
        strictEqual(await status(at, out, '/api/pages'), 403);
      }
      strictEqual((await listed()).expiresAt, expiresAt);
      const anew = JSON.parse((await token('rotate', 'turning', '--lifespan', '20', '--json')).out);
      ok(Date.parse(anew.expiresAt) > Date.parse(expiresAt));
      deepStrictEqual([anew.name, anew.permissions], ['turning', ['api::note.note.find']]);
      await until('the new secret is known', async () => (await status(other, anew.secret)) === 200);
    });

    it('keeps the copy that the key of the project opens in step with its secret', async () => {
      await create('copied', 'read-only');
      const copy = async () => (await run(`select encrypted_key from strapi_api_tokens where name = 'copied'`))[0]![0];
      const before = await copy();
      await token('rotate', 'copied');
      const after = await copy();
      ok(before !== after && String(after).startsWith('v1:'));
    });

    it('is refused in every server once it is revoked, and leaves nothing behind', async () => {
      const action = ['--permission', 'api::note.note.find', '--permission', 'plugin::i18n.locales.createLocale'];
      const secret = await create('fleeting', 'custom', ...action);
      deepStrictEqual([await status(server, secret), await status(other, secret)], [200, 200]);
      const counts = () =>
        run(`select (select count(*) from strapi_api_token_permissions),
          (select count(*) from strapi_api_token_permissions_token_lnk), (select count(*) from galley_permissions)`);
      const [before] = await counts();
      const { code, out } = await token('revoke', 'fleeting');
      deepStrictEqual([code, /^revoked the token fleeting \(id \d+\)$/.test(out)], [0, true]);
      for (const at of [server, other]) {
        await until('the secret is refused', async () => (await status(at, secret)) === 401);
      }
      const [rows] = await counts();
      deepStrictEqual(
        rows!.map(Number),
        before!.map((count) => Number(count) - 1),
      );
      doesNotMatch((await token('list')).out, /fleeting/);
    });

    it('is listed with its type and times and never with a secret', async () => {
      const secret = await create('listed', 'read-only', '--lifespan', '3');
      for (const args of [['list'], ['list', '--json']]) {
        const { out } = await token(...args);
        match(out, /listed/);
        doesNotMatch(out, /[0-9a-f]{40}/);
        ok(!out.includes(secret));
      }
      const { out } = await token('list');
      match(out.split('\n')[0]!, /^id +name +type +expires +last used$/);
      match(out, /^\d+ +listed +read-only +\d{4}-\d\d-\d\d \d\d:\d\d +never$/m);
      match(out, /^\d+ +gone +read-only .* \(expired\) +never$/m);
      match(out, /^\d+ +used +read-only +never +\d{4}-\d\d-\d\d \d\d:\d\d$/m);
    });

    it('is named by its id as well, unless that is the name of another', async () => {
      const first = JSON.parse(await create('by id', 'read-only', '--json'));
      match(first.secret, /^[0-9a-f]{256}$/);
      strictEqual((await token('rotate', String(first.id))).code, 0);
      await create(String(first.id), 'read-only');
      const ambiguous = await token('revoke', String(first.id));
      deepStrictEqual([ambiguous.code, ambiguous.out], [2, '']);
      match(ambiguous.err, /matches several tokens: it is also the name of token \d+$/);
      strictEqual((await token('revoke', 'by id')).code, 0);
      strictEqual((await token('revoke', String(first.id))).code, 0);
    });

    it('is refused with a message if it does not exist', async () => {
      const { code, err } = await token('rotate', 'tuning');
      deepStrictEqual([code, err], [2, 'galley: no token tuning: did you mean turning?']);
      strictEqual((await token('rotate')).code, 2);
    });

    it('that does not exist costs one lookup for all its requests, and evicts no cached token', async () => {
      const good = await create('good', 'read-only');
      const { statements, callers } = recordingCallers(server);
      await callers.identify(`Bearer ${good}`);
      const before = statements.length;
      for (let round = 0; round < 3; round++) {
        const asked = Array.from({ length: 20 }, () => callers.identify('Bearer garbage'));
        for (const { status } of await Promise.allSettled(asked)) strictEqual(status, 'rejected');
      }
      // where changes are looked for once a second, a second may begin in between
      ok(statements.length - before <= 2, `${statements.length - before} statements`);
      await rejects(callers.identify(`Bearer ${'x'.repeat(5000)}`), { status: 401 });
      for (let n = 0; n < 1500; n++) await callers.identify(`Bearer garbage${n}`).catch(() => {});
      const known = statements.length;
      strictEqual((await callers.identify(`Bearer ${good}`)).grants.reads, true);
      ok(statements.length - known <= 1);
    });

    it('that was looked up while something changed is looked up again', async () => {
      const secret = await create('racing', 'read-only');
      const { callers, statements, hold } = recordingCallers(server);
      const release = hold();
      const first = callers.identify(`Bearer ${secret}`);
      callers.forget();
      release();
      strictEqual((await first).grants.reads, true);
      const before = statements.length;
      await callers.identify(`Bearer ${secret}`);
      strictEqual(statements.length, before + 1);
    });

    if (engine.name === 'sqlite') {
      // the other engine tells no change, so everybody is looked up once a second
      it('is not looked up again because its use was written', async () => {
        // on a database of its own: a commit by anybody else, such as the use that another server notes, ends what is
        // known, as it should
        const alone = await serveSeeded(engine, await makeProject({ contentTypes: { note: contentType('note', {}) } }));
        try {
          const { statements, callers, writes } = recordingCallers(alone);
          const header = `Bearer ${alone.secrets['read']}`;
          await callers.identify(header);
          await until('the use is written', () => writes() > 0);
          const before = statements.length;
          await callers.identify(header);
          strictEqual(statements.length, before);
        } finally {
          await alone.stop();
        }
      });

      it('is served while another program writes, and its use waits', async () => {
        const secret = await create('patient', 'read-only');
        const writer = new Sqlite(database.env['DATABASE_FILENAME']!);
        writer.exec('begin immediate');
        try {
          strictEqual(await status(server, secret), 200);
          await rejects(
            server.app.database.transaction(async () => {}, { waits: false }),
            { name: 'ServiceUnavailableError', status: 503 },
          );
          strictEqual(await status(server, secret), 200);
        } finally {
          writer.exec('rollback');
          writer.close();
        }
        await server.app.database.transaction(async () => {}, { waits: false });
      });
    }
  });
}

/** Callers whose statements are counted and can be held back. */
function recordingCallers({ app }: RunningServer) {
  const { database } = app;
  const statements: string[] = [];
  let written = 0;
  let held: Promise<void> | undefined;
  const recording: Database = standIn(database, {
    async rows(text, values) {
      statements.push(text);
      await held;
      return database.rows(text, values);
    },
    async transaction(work, options) {
      const result = await database.transaction(work, options);
      written += 1;
      return result;
    },
  });
  const hold = (): (() => void) => {
    let release = (): void => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  return {
    statements,
    callers: new Callers(recording, app.config, new UserTokens(app.config.jwtSecret, app.config.users)),
    writes: () => written,
    hold,
  };
}
