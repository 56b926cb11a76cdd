/** What one process changes of tokens, roles, accounts and locales counts in the others at once. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { recordRowChange } from '../../../src/content/rows/changes.ts';
import { CACHED_TABLES, changesCached } from '../../../src/db/interface/cached-tables.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import { Subscriptions } from '../../../src/events/subscriptions.ts';
import { ReleaseNames } from '../../../src/releases/release-names.ts';
import { storedWorkflows } from '../../../src/review/workflow-rows.ts';
import { nextTime } from '../../../src/schedule/items.ts';
import { LOCALE_UID } from '../../../src/schema/catalog.ts';
import {
  findAdministrator,
  permissionsOfAdministrator,
  rolesOfAdministrator,
} from '../../../src/users/administrators/administrator-rows.ts';
import { findOpenSession } from '../../../src/users/administrators/administrator-sessions.ts';
import { Callers } from '../../../src/users/sessions/callers.ts';
import { UserTokens } from '../../../src/users/sessions/user-tokens.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { openPlain } from '../../support/databases/plain-database.ts';
import { standIn } from '../../support/databases/stand-in.ts';
import { startProxy } from '../../support/databases/tcp-proxy.ts';
import type { RunningServer } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

/** A clock that does not tick while a test runs: what is noticed was told. */
const NEVER = { GALLEY_RECHECK_INTERVAL: String(2 ** 31 - 1) };

for (const engine of engines) {
  describe(`changes by another process on ${engine.name}`, () => {
    let server: AccountsServer;
    /** Another one on the same database. */
    let other: Pick<RunningServer, 'url'> & { close(): Promise<void> };
    const isListening = (database: Database) => database.load!()['listening'] !== 0;
    const elsewhere = (method: string, target: string, token?: string, body?: unknown): Promise<Response> =>
      fetch(`${other.url}/api${target}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const statusOf = async (target: string, token?: string) => (await server.get(`/api${target}`, token)).status;
    const becomes = (status: number, target: string, token?: string) =>
      until(`${target} answers ${status}`, async () => (await statusOf(target, token)) === status);

    before(async () => {
      const roles = { public: ['api::tag.tag.find', 'plugin::users-permissions.auth.register'] };
      server = await serveAccounts(engine, { env: NEVER, roles });
      const app = await openProject(server.app.config.dir, {
        env: server.env,
        overrides: { port: 0, host: '127.0.0.1' },
      });
      const { url } = await app.listen();
      other = { url, close: () => app.close() };
      await statusOf('/tags');
      await elsewhere('GET', '/tags');
      await until('both listen for changes', () => isListening(server.app.database) && isListening(app.database));
    });
    after(async () => {
      await other?.close();
      await server?.stop();
    });

    it('ends a session that was ended there', async () => {
      const { jwt } = await server.register('ann');
      strictEqual(await statusOf('/users/me', jwt), 200);
      strictEqual((await elsewhere('POST', '/auth/logout', jwt)).status, 200);
      await becomes(401, '/users/me', jwt);
    });

    it('refuses an account that was blocked there', async () => {
      const { jwt, user } = await server.register('bob');
      strictEqual(await statusOf('/users/me', jwt), 200);
      const blocked = await elsewhere('PUT', `/users/${user.id}`, server.secrets['manager'], { blocked: true });
      strictEqual(blocked.status, 200);
      await becomes(401, '/users/me', jwt);
    });

    it('refuses an API token that a command has revoked', async () => {
      const token = server.secrets['read']!;
      strictEqual(await statusOf('/tags', token), 200);
      const code = await runCommandLine(['token', 'revoke', 'read', server.app.config.dir], {
        env: server.env,
        print: () => {},
        warn: () => {},
      });
      strictEqual(code, 0);
      await becomes(401, '/tags', token);
    });

    it('finds a locale that was created there', async () => {
      const full = server.secrets['full'];
      const make = () =>
        server.request('POST', '/api/articles?locale=pt', { token: full, body: { data: { title: 'Um' } } });
      strictEqual((await make()).status, 400);
      strictEqual((await elsewhere('POST', '/i18n/locales', full, { code: 'pt' })).status, 200);
      await until('the locale is known', async () => (await make()).status === 200);
    });

    it('takes a grant away that was withdrawn there', async () => {
      strictEqual(await statusOf('/tags'), 200);
      const { database } = await openPlain(server);
      try {
        await database.transaction(async (tx) => {
          const granted = `select id from up_permissions where action = 'api::tag.tag.find'`;
          await tx.rows(`delete from up_permissions_role_lnk where permission_id in (${granted})`, []);
        });
      } finally {
        await database.close();
      }
      await becomes(403, '/tags');
    });

    it('keeps the latest locales when an earlier read of them returns late', async () => {
      const { database } = server.app;
      let held: Promise<void> | undefined;
      let isRead = false;
      const slow: Database = standIn(database, {
        async rows(text, values) {
          const rows = await database.rows(text, values);
          if (held && text.includes('i18n_locale')) {
            isRead = true;
            await held;
          }
          return rows;
        },
        generation: () => 1,
      });
      const locales = new LocaleStore(slow);
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      const early = locales.has('sv');
      await until('the locales are read', () => isRead);
      held = undefined;
      const made = await elsewhere('POST', '/i18n/locales', server.secrets['full'], { code: 'sv' });
      strictEqual(made.status, 200);
      await database.transaction(async (tx) => recordRowChange(tx, LOCALE_UID, 'any', 'updated', 1));
      strictEqual(await locales.has('sv'), true);
      release();
      await early;
      strictEqual(await locales.has('sv'), true);
    });

    if (engine.name === 'sqlite') return;

    it('listens again after its connection was lost', async () => {
      const { database } = server.app;
      // other tests listen on the same server
      const listener = `select pid from pg_stat_activity
        where datname = current_database() and (query = 'select 1' or query like '%galley_changes%')`;
      const generation = database.generation();
      await database.rows(`select pg_terminate_backend(pid) from (${listener}) l where pid <> pg_backend_pid()`, []);
      await until('it listens no more', () => !isListening(database));
      await until('it listens again', () => isListening(database));
      // whatever happened in between went unheard
      notStrictEqual(database.generation(), generation);
      const heard = database.generation();
      await database.transaction(async (tx) => tx.rows('update up_roles set name = name', []));
      await until('a change is heard of', () => database.generation() !== heard);
    });

    it('relies on the clock where notifications do not arrive, as behind some poolers', async () => {
      const proxy = await startProxy(server);
      let dropped = 0;
      proxy.rewrite((chunk) => {
        const kept = withoutNotifications(chunk);
        dropped += chunk.length - kept.length;
        return kept;
      });
      const { database } = await openPlain(proxy, { recheckInterval: 100 });
      try {
        const generation = database.generation();
        await until('it has tried to listen', () => dropped > 0);
        await until('the clock ticks', () => database.generation() !== generation);
        ok(!isListening(database));
        deepStrictEqual(await database.rows('select 1', []), [[1]]);
      } finally {
        await database.close();
        proxy.stop();
      }
    });

    it('reports a change in every table that callers, administrators, roles, locales, webhooks, workflows and scheduled work are read from', async () => {
      const { database, config } = server.app;
      const texts: string[] = [];
      const recording: Database = standIn(database, {
        async rows(text, values) {
          texts.push(text);
          return database.rows(text, values);
        },
      });
      const callers = new Callers(recording, config, new UserTokens(config.jwtSecret, config.users));
      const { jwt } = await server.register('cleo');
      await server.advanced({ email_confirmation: true });
      await database.transaction(async (tx) => tx.rows('update up_users set confirmed = false', []));
      await callers.identify(undefined);
      await callers.identify(`Bearer ${server.secrets['manager']}`);
      await callers.identify(`Bearer ${jwt}`).catch(() => {});
      await findOpenSession(recording, 'none');
      await findAdministrator(recording, 1);
      await rolesOfAdministrator(recording, 1);
      await permissionsOfAdministrator(recording, 1);
      await new LocaleStore(recording).has('en');
      await new Subscriptions(recording, () => {}).read();
      await nextTime(recording, ['document']);
      const workflow = `insert into strapi_workflows (name, content_types) values ('none', '[]')`;
      await database.transaction(async (tx) => tx.rows(workflow, []));
      await storedWorkflows(recording);
      await new ReleaseNames(recording).idOf('none');
      const read = new Set(
        texts.flatMap((text) => [...text.matchAll(/(?:from|join) "(\w+)"/g)].map(([, name]) => name)),
      );
      deepStrictEqual(
        [...read].filter((name) => !CACHED_TABLES.includes(name!)),
        [],
      );
      deepStrictEqual(
        CACHED_TABLES.filter((name) => !read.has(name)),
        [],
      );
      for (const name of CACHED_TABLES) ok(changesCached(`delete from "${name}" where "id" = $1`), name);
      ok(!changesCached('insert into "galley_sessions" ("id") values ($1)'));
      ok(!changesCached('update "galley_admin_sessions" set "used_at" = $1'));
      ok(!changesCached('update "strapi_api_tokens" set "last_used_at" = $1'));
      ok(changesCached('update "galley_scheduled" set "state" = $1'));
      ok(!changesCached('update "galley_scheduled" set "owner" = $1'));
      ok(!changesCached('update "up_users_of_ours" set "id" = $1'));
    });
  });
}

/** The server's messages but for notifications; a chunk may end anywhere, but those of a test are short. */
function withoutNotifications(chunk: Buffer): Buffer {
  const kept: Buffer[] = [];
  let at = 0;
  while (at + 5 <= chunk.length) {
    const end = at + 1 + chunk.readInt32BE(at + 1);
    if (chunk[at] !== 'A'.charCodeAt(0)) kept.push(chunk.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}
