/** Configuration: files, `.env`, environment; secrets of a new project; settings without effect. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Config } from '../../../src/config/config.ts';
import { createEnv } from '../../../src/config/environment.ts';
import { type LoadOptions, loadConfig } from '../../../src/config/load.ts';
import { UsageError } from '../../../src/errors.ts';
import { secretsOfNewProject } from '../../../src/new-secrets.ts';

const FIXTURE = path.join(import.meta.dirname, '../../fixtures/strapi-project');

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'galley-config-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
}

/** Loads without the test's own environment and without writing. */
const load = (options: LoadOptions = {}): Promise<Config> => loadConfig(dir, { env: {}, ...options });

/** Expects a UsageError of one line that matches. */
const refused = (promise: Promise<unknown>, expected: RegExp): Promise<void> =>
  rejects(promise, (error) => {
    ok(error instanceof UsageError, String(error));
    match(error.message, expected);
    ok(!error.message.includes('\n'), 'one line');
    return true;
  });

describe('a project without configuration', () => {
  it('has the defaults of the reference page', async () => {
    const config = await load();
    const filename = path.join(dir, 'database/content.db');
    deepStrictEqual(config.database, { client: 'sqlite', filename, readTimeout: 5000 });
    deepStrictEqual(
      { host: config.host, port: config.port, publicDir: config.publicDir, logSql: config.logSql },
      { host: '0.0.0.0', port: 1337, publicDir: path.join(dir, 'public'), logSql: false },
    );
    deepStrictEqual(config.rest, {
      prefix: '/api',
      defaultLimit: 25,
      maxLimit: 100,
      withCount: true,
      strictParams: false,
      strictRelations: false,
      strictDocuments: false,
      firstPublishedAt: false,
      createdStatus: 200,
      localizationPermission: 'createLocalization',
      privateAttributes: [],
      maxBatch: 100,
      maxAnswerSize: 16 * 1024 ** 2,
      answerCache: { size: 16 * 1024 ** 2, largest: 1024 ** 2 },
    });
    deepStrictEqual(config.warnings, []);
    ok(Object.isFrozen(config) && Object.isFrozen(config.rest) && Object.isFrozen(config.database));
  });

  it('is refused when its folder does not exist', () =>
    refused(loadConfig(path.join(dir, 'nowhere')), /^no such folder: .*nowhere$/));
});

describe('the configuration of the Strapi fixture', () => {
  it('is honoured, without a warning of keys that mean nothing here', async () => {
    const config = await loadConfig(FIXTURE, { env: {} });
    strictEqual(config.apiTokenSalt, 'apisalt');
    strictEqual(config.jwtSecret, 'jwtsecret');
    strictEqual(config.encryptionKey, 'a'.repeat(32));
    strictEqual(config.rest.maxLimit, 100);
    deepStrictEqual(config.warnings, []);
    ok(!existsSync(path.join(FIXTURE, '.env')));
  });
});

describe('the forms of a configuration file', () => {
  const forms = {
    'a CommonJS object': { 'config/server.js': 'module.exports = { port: 4000 };' },
    'a CommonJS function of env': {
      'config/server.js': "module.exports = ({ env }) => ({ port: env.int('P', 4000) });",
    },
    'CommonJS that requires': {
      'config/server.js': "const { port } = require('./values.cjs');\nmodule.exports = { port };",
      'config/values.cjs': 'exports.port = 4000;',
    },
    'compiled ES modules': { 'config/server.js': 'exports.__esModule = true; exports.default = { port: 4000 };' },
    'an ES module in .js': { 'config/server.js': 'export default () => ({ port: 4000 });' },
    'an ES module in a package of modules': {
      'package.json': '{"type": "module"}',
      'config/server.js': "import os from 'node:os';\nexport default { port: os ? 4000 : 0 };",
    },
    '.cjs': { 'config/server.cjs': 'module.exports = { port: 4000 };' },
    '.mjs': { 'config/server.mjs': 'export default { port: 4000 };' },
    '.json': { 'config/server.json': '{"port": 4000}' },
    'TypeScript with types': {
      'package.json': '{"name": "typed"}',
      'config/server.ts':
        "import type { Core } from '@strapi/strapi';\nconst config = ({ env }: Core.Config.Shared.ConfigParams): { port: number } => ({ port: env.int('P', 4000) });\nexport default config;",
    },
    'an asynchronous function': { 'config/server.js': 'module.exports = async () => ({ port: 4000 });' },
  };
  for (const [form, files] of Object.entries(forms)) {
    it(`reads ${form}`, async () => {
      await write(files);
      strictEqual((await load()).port, 4000);
    });
  }

  for (const written of ['null', '0', '-1']) {
    it(`takes a maxLimit of ${written} for no maximum`, async () => {
      await write({ 'config/api.js': `module.exports = { rest: { maxLimit: ${written} } };` });
      strictEqual((await load()).rest.maxLimit, null);
    });
  }

  it('lies the variant of NODE_ENV over the file, key by key', async () => {
    await write({
      'config/api.js': 'module.exports = { rest: { defaultLimit: 10, maxLimit: 20 } };',
      'config/env/production/api.js': 'module.exports = { rest: { maxLimit: 50 } };',
    });
    strictEqual((await load()).rest.maxLimit, 20);
    const { rest } = await load({ env: { NODE_ENV: 'production' } });
    deepStrictEqual([rest.defaultLimit, rest.maxLimit], [10, 50]);
  });

  it('gives TypeScript files the __dirname that Strapi compiles them to', async () => {
    await write({
      'config/database.ts':
        "import path from 'path';\nexport default ({ env }) => ({ connection: { client: 'sqlite', connection: { filename: path.join(__dirname, '..', '..', env('FILE', '.tmp/data.db')) } } });",
    });
    const filename = path.join(dir, '.tmp/data.db');
    deepStrictEqual((await load()).database, { client: 'sqlite', filename, readTimeout: 5000 });
    strictEqual('__dirname' in globalThis, false);
  });

  it('shows the variables of .env in process.env while a file is evaluated, and takes them back', async () => {
    await write({
      '.env': 'GALLEY_TEST_PORT=4001',
      'config/server.js': 'module.exports = { port: process.env.GALLEY_TEST_PORT };',
    });
    strictEqual((await load()).port, 4001);
    strictEqual(process.env['GALLEY_TEST_PORT'], undefined);
  });

  const broken = {
    'a file that throws': ["throw new Error('no luck\\nat all');", /^config\/server\.js:1: no luck$/],
    'a function that throws': [
      "module.exports = () => { throw new Error('no luck'); };",
      /^config\/server\.js:1: no luck$/,
    ],
    'a syntax error': ['module.exports = {\n  port: 1,\n  host: :\n};', /^config\/server\.js:3: Unexpected token/],
    'a wrong shape': ['module.exports = [];', /^config\/server\.js: must export an object/],
    'a port that is none': [
      "module.exports = { port: 'http' };",
      /^config\/server\.js: port must be a whole number from 0 to 65535$/,
    ],
    'a host that is no text': ['module.exports = { host: 1 };', /^config\/server\.js: host must be a string$/],
  } as const;
  for (const [what, [text, expected]] of Object.entries(broken)) {
    it(`refuses ${what} in one line that names the file`, async () => {
      await write({ 'config/server.js': text });
      await refused(load(), expected);
    });
  }

  const placed: Readonly<Record<string, readonly [Readonly<Record<string, string>>, RegExp]>> = {
    'of an ES module': [{ 'config/server.mjs': "\n\nthrow new Error('no luck');" }, /^config\/server\.mjs:3: no luck$/],
    'of TypeScript': [
      { 'config/server.ts': 'const port: number = 1;\nexport default () => ({ port, host: missing });' },
      /^config\/server\.ts:2: missing is not defined$/,
    ],
    'of JSON': [{ 'config/server.json': '{\n  "port": 1,\n}' }, /^config\/server\.json:3: Expected double-quoted/],
    'of a file that it requires': [
      {
        'config/server.js': "module.exports = require('./parts/host');",
        'config/parts/host.js': "'use strict';\nmodule.exports = { host: missing };",
      },
      /^config\/server\.js: missing is not defined \(config\/parts\/host\.js:2\)$/,
    ],
    'at which it asks for a variable': [
      {
        'config/server.js': "module.exports = ({ env }) => ({\n  port: env.json('PORT_JSON'),\n});",
        '.env': 'PORT_JSON={',
      },
      /^config\/server\.js:2: the environment variable PORT_JSON is not valid JSON$/,
    ],
  };
  for (const [what, [files, expected]] of Object.entries(placed)) {
    it(`names the line ${what}`, async () => {
      await write(files);
      await refused(load(), expected);
    });
  }

  it('refuses two files of one name', async () => {
    await write({ 'config/server.js': 'module.exports = {};', 'config/server.json': '{}' });
    await refused(load(), /^config\/server\.js and config\/server\.json both exist/);
  });

  const limits = {
    'defaultLimit: 0': 'rest.defaultLimit',
    "withCount: 'yes'": 'rest.withCount',
    'createdStatus: 202': 'rest.createdStatus',
    "localizationPermission: 'none'": 'rest.localizationPermission',
    'maxBatch: 1.5': 'rest.maxBatch',
    "answerCache: { size: 'much' }": 'rest.answerCache.size',
    'answerCache: { largest: -1 }': 'rest.answerCache.largest',
    'maxAnswerSize: 1000': 'rest.maxAnswerSize',
    "maxAnswerSize: 'much'": 'rest.maxAnswerSize',
    'maxLimit: {}': 'rest.maxLimit',
    "prefix: '/a b'": 'rest.prefix',
  };
  for (const [setting, key] of Object.entries(limits)) {
    it(`refuses ${setting}`, async () => {
      await write({ 'config/api.js': `module.exports = { rest: { ${setting} } };` });
      await refused(load(), new RegExp(`^config/api\\.js: ${key.replace('.', '\\.')} must be `));
    });
  }
});

describe('env', () => {
  const env = createEnv({
    N: '12.7',
    T: 'true',
    YES: 'yes',
    J: '{"a":1}',
    BAD: '{',
    L: '[a, "b" ,c]',
    D: '2024-05-06',
    EMPTY: '',
  });

  it('reads each type as Strapi does', () => {
    strictEqual(env('N'), '12.7');
    strictEqual(env('EMPTY', 'x'), '');
    strictEqual(env('NONE', 'x'), 'x');
    strictEqual(env.int('N'), 12);
    strictEqual(env.float('N'), 12.7);
    deepStrictEqual([env.bool('T'), env.bool('YES'), env.bool('NONE', true)], [true, false, true]);
    deepStrictEqual(env.json('J'), { a: 1 });
    deepStrictEqual(env.array('L'), ['a', 'b', 'c']);
    deepStrictEqual(env.date('D'), new Date('2024-05-06'));
    strictEqual(env.oneOf('YES', ['yes', 'no'], 'no'), 'yes');
    strictEqual(env.oneOf('N', ['yes', 'no'], 'no'), 'no');
  });

  it('names a variable that is not JSON without quoting it', () => {
    try {
      env.json('BAD');
      ok(false, 'it should throw');
    } catch (error) {
      strictEqual((error as Error).message, 'the environment variable BAD is not valid JSON');
    }
  });
});

describe('environment variables', () => {
  it('win over .env, which wins over files, and the command line over all', async () => {
    await write({ 'config/server.js': 'module.exports = { host: "file", port: 1 };', '.env': 'PORT=2\nHOST=dotenv' });
    deepStrictEqual([(await load()).host, (await load()).port], ['dotenv', 2]);
    const env = { PORT: '3' };
    strictEqual((await load({ env })).port, 3);
    strictEqual((await load({ env, overrides: { port: 4 } })).port, 4);
  });

  it('count as not set when they are empty', async () => {
    strictEqual((await load({ env: { PORT: '', HOST: '', DATABASE_URL: '', GALLEY_LOG: '' } })).port, 1337);
  });

  const files = {
    'sqlite:/data/a.db': '/data/a.db',
    'sqlite:///data/a.db': '/data/a.db',
    'file:/data/a%20b.db': '/data/a%20b.db',
    'file:///data/a.db': '/data/a.db',
  };
  for (const [url, filename] of Object.entries(files)) {
    it(`DATABASE_URL ${url} is a file`, async () => {
      deepStrictEqual((await load({ env: { DATABASE_URL: url } })).database, {
        client: 'sqlite',
        filename,
        readTimeout: 5000,
      });
    });
  }

  it('DATABASE_URL and DATABASE_FILENAME are relative to the project', async () => {
    for (const env of [{ DATABASE_URL: 'sqlite:x/a.db' }, { DATABASE_FILENAME: 'x/a.db' }]) {
      const filename = path.join(dir, 'x/a.db');
      deepStrictEqual((await load({ env })).database, { client: 'sqlite', filename, readTimeout: 5000 });
    }
  });

  it('a PostgreSQL connection comes from the file, and single variables replace its parts', async () => {
    await write({
      'config/database.js':
        "module.exports = { connection: { client: 'postgres', connection: { host: 'h', port: 5433, database: 'd', user: 'u', password: 'p', ssl: { ca: 'c' }, schema: 's' }, pool: { min: 1, max: 4 } } };",
    });
    const expected = {
      client: 'postgres',
      connectionString: undefined,
      host: 'h',
      port: 5433,
      database: 'd',
      user: 'u',
      password: 'p',
      ssl: { ca: 'c' },
      schema: 's',
      poolMin: 1,
      poolMax: 4,
      readTimeout: 5000,
      statementTimeout: 30_000,
      recheckInterval: 1000,
    };
    deepStrictEqual((await load()).database, expected);
    const env = { DATABASE_HOST: 'other', DATABASE_PORT: '1', DATABASE_SSL: 'true', DATABASE_NAME: 'n' };
    deepStrictEqual((await load({ env })).database, { ...expected, host: 'other', port: 1, database: 'n' });
    const times = { GALLEY_READ_TIMEOUT: '0', GALLEY_STATEMENT_TIMEOUT: '500', GALLEY_RECHECK_INTERVAL: '60000' };
    deepStrictEqual((await load({ env: times })).database, {
      ...expected,
      readTimeout: 0,
      statementTimeout: 500,
      recheckInterval: 60_000,
    });
    strictEqual((await load({ env: { DATABASE_CLIENT: 'better-sqlite' } })).database.client, 'sqlite');
  });

  it('reads the modes of ordinary indexes and search indexes', async () => {
    const indexes = async (given: string, variable = '') => {
      await write({ 'config/database.js': `module.exports = { indexes: ${given} };` });
      const config = await load({ env: { DATABASE_INDEXES: variable } });
      deepStrictEqual(config.warnings, []);
      return [config.indexes.learn, config.indexes.search];
    };
    for (const unset of ['undefined', 'null', "''", '{}']) deepStrictEqual(await indexes(unset), ['auto', 'auto']);
    deepStrictEqual(await indexes("'auto'"), ['auto', 'auto']);
    deepStrictEqual(await indexes("'auto'", 'off'), ['off', 'off']);
    deepStrictEqual(await indexes("{ learn: 'auto', search: 'suggest' }"), ['auto', 'suggest']);
    deepStrictEqual(await indexes("{ search: 'off' }"), ['auto', 'off']);
    deepStrictEqual(await indexes("{ learn: 'suggest' }"), ['suggest', 'suggest']);
    deepStrictEqual(await indexes("{ learn: 'off', search: 'auto' }"), ['off', 'auto']);
    const wrong: [given: string, message: RegExp][] = [
      [
        "'on'",
        /^config\/database\.js: indexes must be auto, suggest or off, or an object such as \{ learn: 'auto', search: 'suggest' \}, not "on"$/,
      ],
      ['true', /indexes must be auto, .*, not true$/],
      ["['auto']", /indexes must be auto, .*, not \["auto"\]$/],
      [
        "{ serach: 'off' }",
        /^config\/database\.js: there is no setting indexes\.serach: use learn or search \(did you mean search\?\)$/,
      ],
      ["{ all: 'off' }", /^config\/database\.js: there is no setting indexes\.all: use learn or search$/],
      ["{ search: 'on' }", /^config\/database\.js: indexes\.search must be auto, suggest or off, not "on"$/],
    ];
    for (const [given, message] of wrong) await rejects(indexes(given), { message });
    await rejects(indexes("'auto'", 'on'), /DATABASE_INDEXES must be auto, suggest or off, not "on"$/);
  });

  it('a URL of another engine than DATABASE_CLIENT is named and not used', async () => {
    const config = await load({ env: { DATABASE_CLIENT: 'sqlite', DATABASE_URL: 'postgres://u:hidden@h/d' } });
    strictEqual(config.database.client, 'sqlite');
    match(config.warnings.join(), /^DATABASE_URL is not used/);
    doesNotMatch(config.warnings.join(), /hidden/);
  });

  const wrong: [Record<string, string>, RegExp][] = [
    [{ PORT: '99999' }, /^PORT must be a whole number from 0 to 65535, not "99999"$/],
    [{ DATABASE_PORT: 'x', DATABASE_CLIENT: 'postgres' }, /^DATABASE_PORT must be .*, not "x"$/],
    [
      { GALLEY_STATEMENT_TIMEOUT: '-1', DATABASE_CLIENT: 'postgres' },
      /^GALLEY_STATEMENT_TIMEOUT must be .*, not "-1"$/,
    ],
    [{ GALLEY_READ_TIMEOUT: 'x' }, /^GALLEY_READ_TIMEOUT must be .*, not "x"$/],
    [{ GALLEY_RECHECK_INTERVAL: '0', DATABASE_CLIENT: 'postgres' }, /^GALLEY_RECHECK_INTERVAL must be/],
    [{ DATABASE_SSL: 'x', DATABASE_CLIENT: 'postgres' }, /^DATABASE_SSL must be true or false, not "x"$/],
    [{ DATABASE_CLIENT: 'mysql' }, /^DATABASE_CLIENT: mysql is not supported: use sqlite or postgres$/],
    [{ DATABASE_CLIENT: 'oracle' }, /^DATABASE_CLIENT: unknown database client "oracle"/],
    [{ DATABASE_URL: 'mysql://u:hidden@h/d' }, /^DATABASE_URL: mysql is not supported: use sqlite or postgres$/],
    [{ DATABASE_URL: 'nonsense' }, /^DATABASE_URL must begin with/],
    [
      { STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE: 'pt_BR' },
      /^STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE must be the code of a language .*\(did you mean pt-BR\?\), not "pt_BR"$/,
    ],
    [{ GALLEY_LOG: 'all' }, /^GALLEY_LOG must be sql or unset, not "all"$/],
    [{ GALLEY_CODE: 'exec' }, /^GALLEY_CODE must be run, read or unset, not "exec"$/],
    [{ NODE_ENV: '../x' }, /^NODE_ENV must be/],
  ];
  for (const [env, expected] of wrong) {
    it(`refuses ${JSON.stringify(env)}`, () => refused(load({ env }), expected));
  }

  it('refuses MySQL in the file', async () => {
    await write({ 'config/database.js': "module.exports = { connection: { client: 'mysql2' } };" });
    await refused(load(), /^config\/database\.js: connection\.client: mysql2 is not supported/);
  });
});

describe('the secrets of a new project', () => {
  const start = (): Promise<Config> => loadConfig(dir, { env: {}, newSecrets: secretsOfNewProject });
  const project = { 'package.json': JSON.stringify({ dependencies: { galley: '*' } }) };

  it('are created once and stored in .env, which only its owner can read', async () => {
    await write(project);
    const first = await start();
    const second = await start();
    deepStrictEqual([second.jwtSecret, second.apiTokenSalt], [first.jwtSecret, first.apiTokenSalt]);
    notStrictEqual(first.jwtSecret, first.apiTokenSalt);
    ok(Buffer.from(first.jwtSecret, 'base64').length === 32);
    strictEqual((await stat(path.join(dir, '.env'))).mode & 0o777, 0o600);
    deepStrictEqual((await readdir(dir)).sort(), ['.env', 'package.json']);
  });

  it('are appended to an existing .env, whose content stays', async () => {
    await write({ ...project, '.env': 'JWT_SECRET=mine\nOTHER=1' });
    const config = await start();
    strictEqual(config.jwtSecret, 'mine');
    match(await readFile(path.join(dir, '.env'), 'utf8'), /^JWT_SECRET=mine\nOTHER=1\n#.*\nAPI_TOKEN_SALT=\S+\n$/);
  });

  it('are not written when configuration or environment has them', async () => {
    await write({ 'config/admin.js': "module.exports = { apiToken: { salt: 'salt' } };" });
    const config = await loadConfig(dir, { env: { JWT_SECRET: 'jwt' }, newSecrets: secretsOfNewProject });
    deepStrictEqual([config.apiTokenSalt, config.jwtSecret], ['salt', 'jwt']);
    ok(!existsSync(path.join(dir, '.env')));
  });

  it('are not written by a command that only looks', async () => {
    const config = await load();
    ok(config.jwtSecret.length > 20);
    deepStrictEqual(await readdir(dir), []);
  });

  it('are the same for starts that run at once', async () => {
    await write(project);
    const configs = await Promise.all(Array.from({ length: 8 }, start));
    strictEqual(new Set(configs.map((config) => config.jwtSecret + config.apiTokenSalt)).size, 1);
    const text = await readFile(path.join(dir, '.env'), 'utf8');
    strictEqual(text.match(/^JWT_SECRET=/gm)?.length, 1);
  });

  it('are not written into a folder that is no project', async () => {
    await refused(start(), /is not the folder of a project/);
    deepStrictEqual(await readdir(dir), []);
  });

  it('cannot be created if .env cannot be written, which is reported in one line', async () => {
    await mkdir(path.join(dir, '.env'));
    await refused(start(), /^cannot (read|write).*\.env/);
  });
});

describe('settings that Galley ignores', () => {
  it('is named: keys by file and path', async () => {
    await write({
      'config/server.js':
        "module.exports = { url: 'https://x', cron: { enabled: true }, polling: { enabled: true }, app: { keys: ['k'] }, logger: { level: 'debug' } };",
      'config/plugins.js':
        "module.exports = { upload: { config: { sizeLimits: 1 } }, graphql: { enabled: true }, gone: { enabled: false }, 'users-permissions': { config: { jwtSecret: 's', jwt: { expiresIn: '7d', issuer: 'x' } } } };",
      'config/middlewares.js':
        "module.exports = ['strapi::errors', { name: 'strapi::body', config: { parsedMethods: ['POST', 'PUT', 'PATCH'] } }, 'global::mine'];",
      'config/shop.js': 'module.exports = {};',
      'config/galley.js': 'module.exports = { run: false };',
    });
    deepStrictEqual((await load()).warnings, [
      'config/plugins.js: the plugin graphql is enabled, but Galley has no GraphQL: /graphql answers 404.',
      'config/server.js: this key has no effect: polling.enabled.',
      'config/plugins.js: these keys have no effect: upload.config.sizeLimits, users-permissions.config.jwt.issuer.',
      'config/middlewares.js: this key has no effect: strapi::body config.parsedMethods.',
      'Not read: config/shop.js.',
    ]);
  });

  it('reports the lack of GraphQL if a dependency brings it, unless it is disabled', async () => {
    const dependencies = { '@strapi/plugin-graphql': '5.0.0' };
    await write({ 'package.json': JSON.stringify({ dependencies }) });
    deepStrictEqual((await load()).warnings, [
      'package.json: the plugin graphql is enabled, but Galley has no GraphQL: /graphql answers 404.',
    ]);
    await write({ 'config/plugins.js': 'module.exports = { graphql: { enabled: false } };' });
    deepStrictEqual((await load()).warnings, []);
  });
});
