/**
 * The database of a project: `config/database` in Strapi's form, and environment variables, which take precedence.
 * Messages never quote a connection string, since it contains a password.
 */
import { createHash } from 'node:crypto';
import path, { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../errors.ts';
import type { Config, DatabaseConfig, IndexMode, IndexModes } from './config.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import type { Variables } from './environment.ts';
import {
  booleanAt,
  flagVariable,
  integerAt,
  integerVariable,
  textAt,
  textVariable,
  unknownSetting,
  valueAt,
  wordVariable,
  wrong,
} from './values.ts';

/** The database file of a project without a database configuration. */
const DEFAULT_FILENAME = 'database/content.db';

const CONNECTION_KEYS = [
  'filename',
  'connectionString',
  'host',
  'port',
  'database',
  'user',
  'password',
  'ssl',
  'schema',
];

/** The settings that are read, as dotted paths. */
export const DATABASE_KEYS: readonly string[] = [
  'connection.client',
  ...CONNECTION_KEYS.map((key) => `connection.connection.${key}`),
  'connection.pool.min',
  'connection.pool.max',
  'indexes',
  'settings.runMigrations',
  'settings.useTypescriptMigrations',
];

/** Milliseconds that a read may take, and any other statement on PostgreSQL. */
const READ_TIMEOUT = 5000;
const STATEMENT_TIMEOUT = 30_000;
/** Milliseconds after which caches are read again on PostgreSQL. */
const RECHECK_INTERVAL = 1000;
const LONGEST_TIMEOUT = 2 ** 31 - 1;
const PORTS = [1, 65535] as const;

type Client = DatabaseConfig['client'];

const CLIENTS: Readonly<Record<string, Client>> = {
  sqlite: 'sqlite',
  sqlite3: 'sqlite',
  'better-sqlite': 'sqlite',
  'better-sqlite3': 'sqlite',
  postgres: 'postgres',
  postgresql: 'postgres',
  pg: 'postgres',
};

/**
 * The database of a project. Variables that are set and not empty take precedence over the file; those of the other engine
 * are ignored.
 *
 * @throws UsageError for an unsupported engine and for a wrong value.
 */
export function databaseConfig(
  dir: string,
  file: ConfigFile,
  variables: Variables,
): Pick<Config, 'database' | 'indexes' | 'migrations' | 'warnings'> {
  const fileClient = clientNamed(valueAt(file, 'connection.client'), `${file.path}: connection.client`);
  const wantedClient = clientNamed(variables['DATABASE_CLIENT'], 'DATABASE_CLIENT');
  const warnings: string[] = [];
  let url = textVariable(variables, 'DATABASE_URL');
  if (url && wantedClient && clientOfUrl(url) !== wantedClient) {
    warnings.push(`DATABASE_URL is not used: DATABASE_CLIENT is ${wantedClient} and the URL is for another engine.`);
    url = undefined;
  }
  const client = wantedClient ?? (url ? clientOfUrl(url) : (fileClient ?? 'sqlite'));
  // the file's connection may be for the other engine
  const applicable = (fileClient ?? 'sqlite') === client ? file : { path: file.path, value: {} };
  const database =
    client === 'sqlite' ? fileDatabase(dir, applicable, variables, url) : serverDatabase(applicable, variables, url);
  const migrations = {
    run: booleanAt(file, 'settings.runMigrations', true),
    typescript: booleanAt(file, 'settings.useTypescriptMigrations', false),
  };
  return { database, indexes: indexModes(file, variables), migrations, warnings };
}

/**
 * The database of an address such as `postgres://user@host/name` or `sqlite:/path/to.db`.
 *
 * @param dir the folder of relative paths.
 * @throws UsageError for an address of another form.
 */
export function databaseAt(dir: string, address: string): DatabaseConfig {
  return databaseConfig(dir, { path: '', value: {} }, { DATABASE_URL: address }).database;
}

function fileDatabase(dir: string, file: ConfigFile, variables: Variables, url: string | undefined): DatabaseConfig {
  const named =
    (url ? filenameOfUrl(url) : undefined) ??
    textVariable(variables, 'DATABASE_FILENAME') ??
    textAt(file, 'connection.connection.filename') ??
    DEFAULT_FILENAME;
  const filename = named === ':memory:' ? named : resolve(dir, named);
  return { client: 'sqlite', filename, readTimeout: readTimeout(variables) };
}

function serverDatabase(file: ConfigFile, variables: Variables, url: string | undefined): DatabaseConfig {
  const at = (key: string) => `connection.connection.${key}`;
  const text = (variable: string, key: string) => textVariable(variables, variable) ?? textAt(file, at(key));
  const port =
    integerVariable(variables, 'DATABASE_PORT', ...PORTS) ?? integerAt(file, at('port'), undefined, ...PORTS);
  const poolMin = integerAt(file, 'connection.pool.min', 2, 0);
  const poolMax = integerAt(file, 'connection.pool.max', Math.max(10, poolMin), 1);
  if (poolMin > poolMax) throw wrong(file, 'connection.pool.min', `at most connection.pool.max (${poolMax})`);
  return {
    client: 'postgres',
    connectionString: url ?? textAt(file, at('connectionString')),
    host: text('DATABASE_HOST', 'host'),
    port,
    database: text('DATABASE_NAME', 'database'),
    user: text('DATABASE_USERNAME', 'user'),
    password: text('DATABASE_PASSWORD', 'password'),
    ssl: sslOf(file, variables),
    schema: text('DATABASE_SCHEMA', 'schema'),
    poolMin,
    poolMax,
    readTimeout: readTimeout(variables),
    statementTimeout: integerVariable(variables, 'GALLEY_STATEMENT_TIMEOUT', 0, LONGEST_TIMEOUT) ?? STATEMENT_TIMEOUT,
    recheckInterval: integerVariable(variables, 'GALLEY_RECHECK_INTERVAL', 1, LONGEST_TIMEOUT) ?? RECHECK_INTERVAL,
  };
}

const INDEX_MODES: readonly IndexMode[] = ['auto', 'suggest', 'off'];
const MODES = 'auto, suggest or off';
const KINDS: readonly string[] = ['learn', 'search'] satisfies (keyof IndexModes)[];

/** One mode for both kinds, or an object with a mode for each. */
function indexModes(file: ConfigFile, variables: Variables): IndexModes {
  const variable = wordVariable(variables, 'DATABASE_INDEXES', INDEX_MODES, MODES);
  if (variable !== undefined) return { learn: variable, search: variable };
  const written = valueAt(file, 'indexes') || 'auto';
  if (!isTree(written)) {
    const mode = modeAt(
      file,
      'indexes',
      written,
      `${MODES}, or an object such as { learn: 'auto', search: 'suggest' }`,
    );
    return { learn: mode, search: mode };
  }
  const unknown = Object.keys(written).find((key) => !KINDS.includes(key));
  if (unknown !== undefined) throw unknownSetting(file.path, `indexes.${unknown}`, KINDS);
  const learn = modeAt(file, 'indexes.learn', written['learn'] ?? 'auto', MODES);
  // search indexes cost more, so their default follows that of ordinary ones
  return { learn, search: modeAt(file, 'indexes.search', written['search'] ?? learn, MODES) };
}

const modeOf = (wanted: unknown): IndexMode | undefined => INDEX_MODES.find((mode) => mode === wanted);

function modeAt(file: ConfigFile, path: string, wanted: unknown, expected: string): IndexMode {
  const mode = modeOf(wanted);
  if (mode === undefined) throw wrong(file, path, `${expected}, not ${JSON.stringify(wanted)}`);
  return mode;
}

const readTimeout = (variables: Variables): number =>
  integerVariable(variables, 'GALLEY_READ_TIMEOUT', 0, LONGEST_TIMEOUT) ?? READ_TIMEOUT;

function sslOf(file: ConfigFile, variables: Variables): boolean | Readonly<Record<string, unknown>> {
  const path = 'connection.connection.ssl';
  const inFile = valueAt(file, path);
  const flag = flagVariable(variables, 'DATABASE_SSL');
  // the file may contain certificates; the variable says whether TLS is used
  if (flag !== undefined) return flag && isTree(inFile) ? inFile : flag;
  return isTree(inFile) ? inFile : booleanAt(file, path, false);
}

function clientNamed(name: unknown, where: string): Client | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  const client = typeof name === 'string' && Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client) return client;
  const advice = 'use sqlite or postgres';
  if (typeof name === 'string' && /^(mysql|mysql2|mariadb)$/.test(name)) {
    throw new UsageError(`${where}: ${name} is not supported: ${advice}`);
  }
  throw new UsageError(`${where}: unknown database client ${JSON.stringify(name)}: ${advice}`);
}

function clientOfUrl(url: string): Client {
  const scheme = /^([a-z][a-z0-9+-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === 'sqlite' || scheme === 'file') return 'sqlite';
  if (scheme === 'postgres' || scheme === 'postgresql') return 'postgres';
  throw new UsageError(
    scheme?.startsWith('mysql') || scheme === 'mariadb'
      ? `DATABASE_URL: ${scheme} is not supported: use sqlite or postgres`
      : 'DATABASE_URL must begin with postgres://, sqlite: or file:',
  );
}

/** The file of `sqlite:/a/b.db`, `sqlite:///a/b.db`, `file:b.db` and `sqlite::memory:`. */
function filenameOfUrl(url: string): string {
  if (/^file:\/\/\//i.test(url)) return fileURLToPath(url);
  const path = url.slice(url.indexOf(':') + 1).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//'))
    throw new UsageError('DATABASE_URL names no file: write sqlite:/path/to.db');
  return path;
}

/** A short name of a database, equal for equal connections. */
export function databaseName(database: DatabaseConfig): string {
  return createHash('sha256').update(placeOf(database)).digest('hex').slice(0, 16);
}

function placeOf(database: DatabaseConfig): string {
  if (database.client === 'sqlite') return `sqlite ${path.resolve(database.filename)}`;
  const { connectionString, schema } = database;
  const url = connectionString !== undefined && URL.canParse(connectionString) ? new URL(connectionString) : undefined;
  const place = url ? [url.host, url.pathname] : [database.host, database.port, database.database];
  return ['postgres', ...place, schema].join(' ');
}
