/** Secrets that are missing although the database depends on them, and `ENV_PATH`. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { changeProject } from '../../../src/cli/in-project.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { insertRow } from '../../../src/db/interface/statements.ts';
import { encryptSecret } from '../../../src/users/sessions/tokens.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';

/** A command that creates a secret. */
const CREATE = ['token', 'create', '--name', 'refused', '--type', 'read-only'];
const contentTypes = { note: contentType('note', { title: { type: 'string' } }) };

for (const engine of engines) {
  describe(`missing secrets on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    let original: string;
    const envFile = () => path.join(folder.dir, '.env');
    before(async () => {
      folder = await makeProject({ contentTypes });
      database = await engine.emptyDatabase();
    });
    after(async () => {
      await database.drop();
      await folder.remove();
    });
    const galley = async (args: string[], env: Record<string, string> = {}) => {
      const lines: string[] = [];
      const print = (line: string) => void lines.push(line);
      const code = await runCommandLine([...args, folder.dir], {
        env: { ...database.env, ...env },
        print,
        warn: print,
        input: async () => 'Secret123',
      });
      return { code, text: lines.join('\n') };
    };
    const refused = async (args: string[], expected: RegExp) => {
      const before = existsSync(envFile()) ? await readFile(envFile(), 'utf8') : undefined;
      const { code, text } = await galley(args);
      strictEqual(code, 2, text);
      match(text, expected);
      match(text, /copy the \.env of the machine where the database was created/);
      match(text, /--new-secrets/);
      strictEqual(existsSync(envFile()) ? await readFile(envFile(), 'utf8') : undefined, before);
      ok(!existsSync(`${envFile()}.lock`));
    };

    it('are created as long as the database has neither tokens nor people', async () => {
      strictEqual((await galley(['role', 'list'])).code, 0);
      await rm(envFile());
      strictEqual((await galley(['role', 'list'])).code, 0);
      deepStrictEqual(Object.keys(parseEnv(await readFile(envFile(), 'utf8'))).sort(), [
        'API_TOKEN_SALT',
        'JWT_SECRET',
      ]);
    });

    it('are named by every command that would create them, once there are people', async () => {
      strictEqual((await galley(['admin', 'create', '--email', 'ada@example.com'])).code, 0);
      original = await readFile(envFile(), 'utf8');
      await rm(envFile());
      for (const args of [['start', '--port', '0'], ['dev', '--port', '0'], ['start', '--workers', '2'], CREATE]) {
        await refused(args, /API_TOKEN_SALT and JWT_SECRET are missing, .*already has 1 administrator\n/);
        await refused(args, /this protects tokens and sign-ins: .*\n.*; then nothing in this database stops working\n/);
      }
      // commands that neither create nor check secrets run, and create none
      for (const args of [
        ['check'],
        ['doctor'],
        ['role', 'list'],
        ['token', 'list'],
        ['locale', 'list'],
        ['index', 'list'],
        ['admin', 'list'],
        ['admin', 'invite', 'eve@example.com', '--role', 'editor'],
      ]) {
        const { code, text } = await galley(args);
        strictEqual(code, 0, `${args.join(' ')}: ${text}`);
        ok(!existsSync(envFile()));
      }
      strictEqual((await galley(['admin', 'delete', 'eve@example.com'])).code, 0);
    });

    it('are named where a single one is missing', async () => {
      await writeFile(envFile(), original.replace(/^JWT_SECRET=.*\n/m, ''));
      await refused(CREATE, /^galley: JWT_SECRET is missing/);
      await writeFile(envFile(), original.replace(/^API_TOKEN_SALT=.*\n/m, 'API_TOKEN_SALT=\n'));
      await refused(CREATE, /^galley: API_TOKEN_SALT is missing/);
      const { API_TOKEN_SALT = '' } = parseEnv(original);
      strictEqual((await galley(['admin', 'list'], { API_TOKEN_SALT })).code, 0);
    });

    it('include the key of second factors, and not that of copies of tokens alone', async () => {
      await writeFile(envFile(), original);
      const withKey = { env: { ...database.env, ENCRYPTION_KEY: 'key' }, warn: () => {} };
      strictEqual(
        (await galley(['token', 'create', '--name', 'a', '--type', 'read-only'], { ENCRYPTION_KEY: 'key' })).code,
        0,
      );
      strictEqual((await galley(['token', 'list'])).code, 0);
      await changeProject(folder.dir, withKey, async (_, tx) => {
        await insertRow(tx, 'galley_admin_second_factors', {
          user_id: 1,
          secret: encryptSecret('ABC', 'key'),
          enabled_at: tx.dialect.encodeTime(Date.now()),
        });
      });
      await refused(CREATE, /ENCRYPTION_KEY is missing, .*1 API token and 1 administrator/);
      strictEqual((await galley(['token', 'list'], { ENCRYPTION_KEY: 'key' })).code, 0);
    });

    it('are read from, and written to, the file that ENV_PATH names', async () => {
      const elsewhere = path.join(folder.dir, 'elsewhere.env');
      await rename(envFile(), elsewhere);
      const relative = path.relative(process.cwd(), elsewhere);
      for (const ENV_PATH of [elsewhere, relative]) {
        strictEqual((await galley(['admin', 'list'], { ENV_PATH, ENCRYPTION_KEY: 'key' })).code, 0);
      }
      const missing = path.join(folder.dir, 'missing.env');
      match((await galley(CREATE, { ENV_PATH: missing })).text, /missing\.env \(there is no such file\)/);
      ok(!existsSync(missing) && !existsSync(envFile()));
      await rm(elsewhere);
    });

    it('are replaced with --new-secrets, which reports the effects', async () => {
      const elsewhere = path.join(folder.dir, 'new.env');
      const env = { ...database.env, ENV_PATH: elsewhere, API_TOKEN_SALT: '', JWT_SECRET: '' };
      const started = await startProcess(folder.dir, env, undefined, ['start', '--new-secrets']);
      started.child.kill('SIGTERM');
      await started.ended;
      match(
        started.errors(),
        /new secrets: the API tokens \(1\) stop working until npm run -s galley -- token rotate replaces each/,
      );
      match(started.errors(), /second factor \(1\) need a recovery code/);
      const names = Object.keys(parseEnv(await readFile(elsewhere, 'utf8')));
      deepStrictEqual(names.sort(), ['API_TOKEN_SALT', 'ENCRYPTION_KEY', 'JWT_SECRET']);
      strictEqual((await galley(['admin', 'list'], { ENV_PATH: elsewhere })).code, 0);
    });
  });
}
