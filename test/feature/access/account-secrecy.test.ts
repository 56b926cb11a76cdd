/**
 * What a server does for an address that no account has is what it does for one that an account has, so that the next
 * request, which has to wait for it, tells nothing. Time itself is not measured here.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../../src/db/interface/database.ts';
import type { SqlValue } from '../../../src/sql/fragment.ts';
import {
  findConfirmationCode,
  findResetCode,
  makeConfirmationCode,
  makeResetCode,
} from '../../../src/users/accounts/account-codes.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { until } from '../../support/wait.ts';

/**
 * Statements for what is kept in memory, which some engines look up again when a second is over, and of work that waits
 * for no request: schedules, the removal of old versions, and the log, whose entries depend on the network alone.
 */
const OTHERS = new RegExp(
  [
    ...['up_permissions', 'up_roles', 'i18n_locale', 'strapi_api_tokens', 'strapi_webhooks', 'strapi_workflows'],
    ...['galley_event_listening', 'galley_scheduled', 'galley_servers'],
    ...['galley_versions', 'galley_trash', 'galley_restored_rows', 'galley_audit'],
  ]
    .map((table) => `"${table}"`)
    .join('|'),
);

/** The values of statements by which servers notice a change of the schema. */
const isOfSchema = (values: readonly SqlValue[]): boolean =>
  values.some((value) => /^galley_schema/.test(String(value)));

/** Writes down the statements that a database is given from now on. */
function recorded(database: Database): string[] {
  const texts: string[] = [];
  const recording =
    <Result>(run: (text: string, values: readonly SqlValue[]) => Result, before = (): void => {}) =>
    (text: string, values: readonly SqlValue[]): Result => {
      if (!OTHERS.test(text) && !isOfSchema(values)) {
        before();
        texts.push(text);
      }
      return run(text, values);
    };
  const transaction = database.transaction.bind(database);
  database.rows = recording(database.rows.bind(database));
  database.transaction = (work, waits) =>
    transaction((tx) => {
      // those that look up again what is kept in memory, now and then, belong to no request
      let isBegun = false;
      const begin = (): void => {
        if (!isBegun) texts.push('begin');
        isBegun = true;
      };
      tx.rows = recording(tx.rows.bind(tx), begin);
      tx.send = recording(tx.send.bind(tx), begin);
      tx.insert = recording(tx.insert.bind(tx), begin);
      return work(tx);
    }, waits);
  return texts;
}

for (const engine of engines) {
  describe(`the work for unknown addresses on ${engine.name}`, () => {
    let server: AccountsServer;
    let texts: string[];
    before(async () => {
      server = await serveAccounts(engine);
      await server.advanced({ email_confirmation: true });
      for (const name of ['known', 'waiting', 'closed']) await server.register(name);
      for (const name of ['known', 'waiting', 'closed']) await server.nextMail(`${name}@example.com`);
      const token = server.secrets['full'];
      const { body } = await server.get('/api/users?filters[username]=closed', token);
      await server.request('PUT', `/api/users/${body[0].id}`, { token, body: { blocked: true } });
      texts = recorded(server.app.database);
    });
    after(() => server?.stop());

    /** The statements that a request entails, up to the `count`-th, or up to the mail that it sends. */
    const statements = async (target: string, email: string, count?: number): Promise<string[]> => {
      texts.splice(0);
      const { status, text } = await server.post(target, { email });
      strictEqual(status, 200, text);
      if (count === undefined) await server.nextMail(email);
      else await until(`${count} statements are run`, () => (texts.length >= count ? true : undefined));
      return [...texts];
    };

    for (const [what, target, known, unknown] of [
      ['a forgotten password', '/auth/forgot-password', 'known', ['nobody', 'closed', 'somebody']],
      ['an address to be confirmed', '/auth/send-email-confirmation', 'waiting', ['nobody', 'somebody']],
    ] as const) {
      it(`is the same sequence of statements, writes included: ${what}`, async () => {
        const email = `${known}@example.com`;
        // the first of each kind makes rows that later ones change
        await statements(target, email);
        const first = await statements(target, email);
        ok(first.some((text) => /insert into "galley_accounts"/.test(text)));
        ok(first.includes('begin'));
        for (const name of unknown) {
          deepStrictEqual(await statements(target, `${name}@example.com`, first.length), first, name);
        }
        // and nothing came after
        deepStrictEqual(await statements(target, email), first);
        deepStrictEqual(server.mailbox.mails, []);
      });
    }

    it('codes for unknown addresses are never valid', async () => {
      const { database } = server.app;
      const code = await database.transaction(async (tx) => {
        strictEqual(await findConfirmationCode(tx, await makeConfirmationCode(tx, 0)), undefined);
        const made = await makeResetCode(tx, 0);
        strictEqual(await findResetCode(tx, made), undefined);
        return made;
      });
      const body = { code, password: 'secret2', passwordConfirmation: 'secret2' };
      const { status, text } = await server.post('/auth/reset-password', body);
      strictEqual(status, 400);
      match(text, /Incorrect code/);
      const rows = await database.rows('select count(*) from "galley_accounts" where "user_id" = 0', []);
      strictEqual(Number(rows[0]![0]), 1);
    });

    it('a login compares a hash and runs the same statements with and without an account', async () => {
      const login = async (identifier: string) => {
        texts.splice(0);
        strictEqual((await server.login(identifier, 'wrong1')).status, 400);
        return [...texts];
      };
      deepStrictEqual(await login('nobody'), await login('known'));
    });
  });
}
