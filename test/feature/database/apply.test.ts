/** `galley apply` makes a project match a file, once, and in one transaction. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type App, openProject } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { defaultLocale, listLocales } from '../../../src/content/locales/locales.ts';
import type { Queryable } from '../../../src/db/interface/queryable.ts';
import { query } from '../../../src/db/interface/statements.ts';
import { raw } from '../../../src/sql/fragment.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { CONFORMANCE_DIR, copyProject, FIXTURE_DIR, type ProjectFolder } from '../../support/servers/project.ts';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const FIXTURE_FILE = path.join(CONFORMANCE_DIR, 'fixture.json');
const json = async (file: string): Promise<Record<string, string>> => JSON.parse(await readFile(file, 'utf8'));

for (const engine of engines) {
  describe(`galley apply on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let file = '';
    let out = '';

    async function apply(fixture: unknown, ...flags: string[]): Promise<Outcome> {
      const printed: string[] = [];
      const warned: string[] = [];
      await writeFile(file, typeof fixture === 'string' ? fixture : JSON.stringify(fixture));
      const code = await runCommandLine(['apply', file, folder.dir, ...flags], {
        env: database.env,
        print: (line) => void printed.push(line),
        warn: (line) => void warned.push(line),
      });
      return { code, out: printed.join('\n'), err: warned.join('\n').replaceAll(file, 'FILE').replaceAll(out, 'OUT') };
    }

    /** What `read` finds in the database. */
    async function look<T>(read: (db: Queryable, app: App) => Promise<T>): Promise<T> {
      const app = await openProject(folder.dir, { env: database.env });
      try {
        return await read(app.database, app);
      } finally {
        await app.close();
      }
    }

    const select = (text: string): Promise<unknown[][]> =>
      look(async (db) => (await query(db, raw(text))).map((row) => [...row]));

    const grantsOf = async (role: string): Promise<unknown[]> =>
      (
        await select(
          `select p.action from up_permissions p join up_permissions_role_lnk l on l.permission_id = p.id
           join up_roles r on r.id = l.role_id where r.type = '${role}'
           union all select g.action from galley_permissions g join up_roles r on r.id = g.role_id
           where r.type = '${role}' order by 1`,
        )
      ).map(([action]) => action);

    async function open(project: ProjectFolder, store: TestDatabase): Promise<void> {
      folder = project;
      database = store;
      file = path.join(folder.dir, 'given.json');
      out = path.join(folder.dir, 'tokens.out.json');
    }

    async function close(): Promise<void> {
      await database?.drop();
      await folder?.remove();
    }

    describe('to a new project', () => {
      let first: Outcome;
      let secrets: Record<string, string>;
      before(async () => {
        await open(await copyProject(CONFORMANCE_DIR), await engine.emptyDatabase());
        first = await apply(await readFile(FIXTURE_FILE, 'utf8'), '--tokens-out', out);
        if (first.code === 0) secrets = await json(out);
      });
      after(close);

      it('makes the locales, tokens and grants of the conformance scenarios', async () => {
        strictEqual(first.code, 0, first.err);
        match(first.err, /^(created a new database: \S+|created the tables in an empty database)$/);
        const locales = await look(listLocales);
        deepStrictEqual(
          locales.map(({ code, name }) => [code, name]),
          [
            ['en', 'English (en)'],
            ['fr', 'French'],
            ['de', 'German'],
          ],
        );
        strictEqual(await look(defaultLocale), 'en');
        const { roles } = JSON.parse(await readFile(FIXTURE_FILE, 'utf8'));
        for (const role of ['public', 'authenticated']) deepStrictEqual(await grantsOf(role), [...roles[role]].sort());
      });

      it('writes the secrets for their owner alone', async () => {
        deepStrictEqual(Object.keys(secrets), ['full', 'read', 'custom']);
        for (const secret of Object.values(secrets)) match(secret, /^[0-9a-f]{256}$/);
        strictEqual((await stat(out)).mode & 0o777, 0o600);
      });

      it('stores tokens as the reference does', async () => {
        const rows = await select(
          'select name, type, kind, lifespan, expires_at, encrypted_key from strapi_api_tokens order by id',
        );
        deepStrictEqual(
          rows.filter(([name]) => ['full', 'read', 'custom'].includes(String(name))),
          [
            ['full', 'full-access', 'content-api', null, null, null],
            ['read', 'read-only', 'content-api', null, null, null],
            ['custom', 'custom', 'content-api', null, null, null],
          ],
        );
        const orders = await select(
          `select p.action, l.api_token_permission_ord from strapi_api_token_permissions p
           join strapi_api_token_permissions_token_lnk l on l.api_token_permission_id = p.id order by 2`,
        );
        deepStrictEqual(
          orders.map(([action, order]) => `${Number(order)} ${action}`),
          [
            '1 api::article.article.find',
            '2 api::article.article.findOne',
            '3 api::article.article.create',
            '4 api::article.article.update',
            '5 api::tag.tag.create',
          ],
        );
      });

      it('changes nothing the second time, and keeps the secrets of a file that still fits', async () => {
        const again = await apply(await readFile(FIXTURE_FILE, 'utf8'), '--tokens-out', out);
        deepStrictEqual(again, {
          code: 0,
          out: `0 locales changed, 0 tokens created, 0 permissions granted, 0 revoked\n3 secrets written to ${out}`,
          err: '',
        });
        deepStrictEqual(await json(out), secrets);
      });

      it('warns about tokens whose secret cannot be recovered', async () => {
        const other = path.join(folder.dir, 'other.json');
        const { code, err } = await apply({ tokens: [{ name: 'full', type: 'full-access' }] }, '--tokens-out', other);
        strictEqual(code, 0);
        match(err, /^warning: .*other\.json lacks full: /);
        deepStrictEqual(await json(other), {});
      });

      it('does not change anything that the file does not name', async () => {
        const before = await grantsOf('authenticated');
        strictEqual((await apply({ roles: { public: [] } })).code, 0);
        deepStrictEqual(await grantsOf('public'), []);
        deepStrictEqual(await grantsOf('authenticated'), before);
      });

      it('stores grants that the reference does not know in a table of Galley', async () => {
        const actions = [
          'api::article.article.createLocalization',
          'api::article.article.find',
          'api::article.article.publish',
        ];
        const fixture = {
          roles: { public: actions },
          tokens: [{ name: 'editor', type: 'custom', permissions: actions, lifespan: 30 }],
        };
        const { code, out: said } = await apply(fixture, '--yes');
        strictEqual(code, 0);
        match(said, /everyone can translate and publish articles without signing in: PUT \S+, POST \S+\/publish$/m);
        deepStrictEqual(await grantsOf('public'), actions);
        const known = await select(
          "select action from up_permissions where action like '%createLocalization' or action like '%publish'",
        );
        deepStrictEqual(known, []);
        const own = await select(
          `select g.action from galley_permissions g join strapi_api_tokens t on t.id = g.token_id
           where t.name = 'editor' order by 1`,
        );
        deepStrictEqual(own, [[actions[0]], [actions[2]]]);
        const [expiring] = await select(
          "select lifespan from strapi_api_tokens where name = 'editor' and expires_at is not null",
        );
        strictEqual(Number(expiring?.[0]), 30 * 24 * 3600 * 1000);
        strictEqual((await apply({ roles: { public: ['api::article.article.find'] } })).code, 0);
        deepStrictEqual(await grantsOf('public'), ['api::article.article.find']);
      });

      it('renames a locale and makes another the default', async () => {
        strictEqual((await apply({ locales: [{ code: 'fr', name: 'Français', default: true }] })).code, 0);
        strictEqual((await look(listLocales)).find(({ code }) => code === 'fr')?.name, 'Français');
        strictEqual(await look(defaultLocale), 'fr');
        strictEqual((await apply({ locales: [{ code: 'en', default: true }] })).code, 0);
        strictEqual(await look(defaultLocale), 'en');
      });

      it('changes nothing at all when a part of the file cannot be applied', async () => {
        const { code, err } = await apply({ locales: [{ code: 'it' }], roles: { publik: [] } });
        deepStrictEqual(
          [code, err],
          [2, 'galley: FILE: roles.publik: unknown role publik: did you mean public? There are authenticated, public'],
        );
        ok(!(await look(listLocales)).some(({ code }) => code === 'it'));
      });

      const mistakes: [string, unknown, readonly string[]][] = [
        ['no JSON', '{', ['FILE: not valid JSON: ']],
        ['no object', [], ['FILE: the file: must be an object']],
        ['an unknown key', { token: [] }, ['FILE: the file: unknown key token: did you mean tokens?']],
        [
          'several mistakes, all at once',
          {
            locales: [{ code: 'e n' }, { code: 'en', nam: 'x' }, { code: 'en-UK' }, { code: 'xq-club', unknown: 1 }],
            tokens: [
              { name: 'a', type: 'fullaccess' },
              { name: 'b', type: 'read-only', permissions: ['api::tag.tag.find'] },
            ],
            roles: { public: ['api::article.article.fnd'] },
            grants: { editr: [] },
          },
          [
            'FILE: locales.0.code: e n is not a locale code',
            'FILE: locales.1: unknown key nam: did you mean name?',
            'FILE: locales.2.code: en-UK is not the code of a language: did you mean en-GB?',
            'FILE: locales.3.unknown: must be true or false',
            'FILE: locales.3.code: xq-club is not the code of a language: to add it anyway, use "unknown": true',
            'FILE: tokens.0.type: unknown type "fullaccess": did you mean full-access?',
            'FILE: tokens.1.permissions: only custom tokens have them',
            'FILE: roles.public.0: unknown permission api::article.article.fnd: did you mean api::article.article.find?',
            'FILE: grants.editr: unknown role editr: there are authenticated, public',
          ],
        ],
        [
          'two defaults and a name twice',
          {
            locales: [
              { code: 'en', default: true },
              { code: 'fr', default: true },
            ],
            tokens: [
              { name: 'a', type: 'read-only' },
              { name: 'a', type: 'read-only' },
            ],
          },
          ['FILE: tokens: the name a appears twice', 'FILE: locales: only one can be the default'],
        ],
      ];
      it('accepts a code that no language has only with unknown, or if the locale exists', async () => {
        strictEqual((await apply({ locales: [{ code: 'en-x-club', unknown: true }] })).code, 0);
        strictEqual((await apply({ locales: [{ code: 'en-x-club', name: 'Club' }] })).code, 0);
        ok((await look(listLocales)).some(({ code, name }) => code === 'en-x-club' && name === 'Club'));
      });

      for (const [what, fixture, lines] of mistakes) {
        it(`refuses a file with ${what}`, async () => {
          const { code, err } = await apply(fixture);
          strictEqual(code, 2);
          const told = err.split('\n');
          strictEqual(told.length, lines.length, err);
          for (const [i, line] of lines.entries()) ok(told[i]!.startsWith(`galley: ${line}`), told[i]);
        });
      }
    });

    describe('before there is a database', () => {
      before(async () => open(await copyProject(CONFORMANCE_DIR), await engine.emptyDatabase()));
      after(close);

      it('changes nothing where the file has mistakes', async () => {
        const { code, err } = await apply({ locales: [{ code: 'en-UK' }], grants: { publik: [] }, token: [] });
        deepStrictEqual([code, err.split('\n').length], [2, 3]);
        match(err, /unknown key token[\s\S]*did you mean en-GB\?[\s\S]*unknown role publik: did you mean public\?/);
        const next = await apply({ tokens: [{ name: 'site', type: 'read-only' }] });
        match(
          next.err,
          /^warning: the secrets of the new tokens site will be lost[^\n]*\n(created a new database: \S+|created the tables in an empty database)$/,
        );
      });
    });

    describe('to a project of Strapi', () => {
      beforeEach(async () => {
        await close();
        await open(await copyProject(), await engine.fixtureDatabase());
      });
      after(close);

      it('recovers the secrets of its tokens', async () => {
        const { code, err } = await apply(await readFile(FIXTURE_FILE, 'utf8'), '--tokens-out', out);
        deepStrictEqual([code, err], [0, '']);
        const recorded = engine.name === 'sqlite' ? 'tokens.json' : 'tokens-postgres.json';
        deepStrictEqual(await json(out), await json(path.join(FIXTURE_DIR, recorded)));
      });

      it('makes the grants of its roles exactly those of the file', async () => {
        strictEqual((await apply(await readFile(FIXTURE_FILE, 'utf8'))).code, 0);
        const { roles } = JSON.parse(await readFile(FIXTURE_FILE, 'utf8'));
        for (const role of ['public', 'authenticated']) deepStrictEqual(await grantsOf(role), [...roles[role]].sort());
      });

      it('keeps a copy of a new secret that its encryption key opens', async () => {
        const fixture = { tokens: [{ name: 'new', type: 'read-only' }] };
        strictEqual((await apply(fixture, '--tokens-out', out)).code, 0);
        const again = path.join(folder.dir, 'again.json');
        strictEqual((await apply(fixture, '--tokens-out', again)).code, 0);
        deepStrictEqual(await json(again), await json(out));
      });
    });
  });
}
