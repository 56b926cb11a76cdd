/**
 * Which database a project uses: `config/database` in Strapi's form, and the environment variables that win over it.
 * Messages never quote a connection string, since it contains a password.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../errors.ts';
import type { Config, DatabaseConfig, IndexMode, IndexModes } from '../config.ts';
import { type ConfigFile, isTree } from '../config-file.ts';
import type { Variables } from '../env-helper.ts';
import { unknownSetting, wrongVariable } from '../mistake.ts';
import { booleanAt, integerAt, parseInteger, rangeText, textAt, valueAt, wrong } from '../values.ts';

/** Where the database of a project without a database configuration lies. */
export const DEFAULT_FILENAME = 'database/content.db';

/** Milliseconds that a read may take, and any other statement on PostgreSQL. */
const READ_TIMEOUT = 5000;
const STATEMENT_TIMEOUT = 30_000;
/** Milliseconds after which caches are read again on PostgreSQL. */
const RECHECK_INTERVAL = 1000;
const LONGEST_TIMEOUT = 2 ** 31 - 1;

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
 * The database of a project. `variables` that are set and not empty win over the file; those of the other engine are
 * not looked at. Throws UsageError for an engine that is not supported and for values of the wrong shape.
 */
export function databaseConfig(
  dir: string,
  file: ConfigFile,
  variables: Variables,
): Pick<Config, 'database' | 'indexes' | 'migrations' | 'warnings'> {
  const fileClient = clientNamed(valueAt(file, 'connection.client'), `${file.path}: connection.client`);
  const wantedClient = clientNamed(variables['DATABASE_CLIENT'], 'DATABASE_CLIENT');
  const warnings: string[] = [];
  let url = variables['DATABASE_URL'] || undefined;
  if (url && wantedClient && clientOfUrl(url) !== wantedClient) {
    warnings.push(`DATABASE_URL is not used: DATABASE_CLIENT is ${wantedClient} and the URL is for another engine.`);
    url = undefined;
  }
  const client = wantedClient ?? (url ? clientOfUrl(url) : (fileClient ?? 'sqlite'));
  // The connection of another engine says nothing about this one.
  const applicable = (fileClient ?? 'sqlite') === client ? file : { path: file.path, value: {} };
  const database =
    client === 'sqlite' ? fileDatabase(dir, applicable, variables, url) : serverDatabase(applicable, variables, url);
  const migrations = {
    run: booleanAt(file, 'settings.runMigrations', true),
    typescript: booleanAt(file, 'settings.useTypescriptMigrations', false),
  };
  return { database, indexes: indexModes(file, variables), migrations, warnings };
}

function fileDatabase(dir: string, file: ConfigFile, variables: Variables, url: string | undefined): DatabaseConfig {
  const named =
    (url ? filenameOfUrl(url) : undefined) ??
    (variables['DATABASE_FILENAME'] || undefined) ??
    textAt(file, 'connection.connection.filename') ??
    DEFAULT_FILENAME;
  const filename = named === ':memory:' ? named : resolve(dir, named);
  return { client: 'sqlite', filename, readTimeout: readTimeout(variables) };
}

function serverDatabase(file: ConfigFile, variables: Variables, url: string | undefined): DatabaseConfig {
  const at = (key: string) => `connection.connection.${key}`;
  const text = (variable: string, key: string) => (variables[variable] || undefined) ?? textAt(file, at(key));
  const port = variables['DATABASE_PORT']
    ? parseInteger(variables['DATABASE_PORT'], 1, 65535)
    : integerAt(file, at('port'), undefined, 1, 65535);
  if (variables['DATABASE_PORT'] && port === undefined) {
    throw wrongVariable('DATABASE_PORT', variables['DATABASE_PORT'], rangeText(1, 65535));
  }
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
    statementTimeout: milliseconds(variables, 'GALLEY_STATEMENT_TIMEOUT', STATEMENT_TIMEOUT, 0),
    recheckInterval: milliseconds(variables, 'GALLEY_RECHECK_INTERVAL', RECHECK_INTERVAL, 1),
  };
}

const INDEX_MODES: readonly IndexMode[] = ['auto', 'suggest', 'off'];
const MODES = 'auto, suggest or off';
const KINDS: readonly string[] = ['learn', 'search'] satisfies (keyof IndexModes)[];

/** One word for both kinds, or an object with one for each. */
function indexModes(file: ConfigFile, variables: Variables): IndexModes {
  const name = 'DATABASE_INDEXES';
  const variable = variables[name];
  if (variable) {
    const mode = modeOf(variable);
    if (mode === undefined) throw wrongVariable(name, variable, MODES);
    return { learn: mode, search: mode };
  }
  const given = valueAt(file, 'indexes') || 'auto';
  if (!isTree(given)) {
    const mode = modeAt(file, 'indexes', given, `${MODES}, or an object such as { learn: 'auto', search: 'suggest' }`);
    return { learn: mode, search: mode };
  }
  const unknown = Object.keys(given).find((key) => !KINDS.includes(key));
  if (unknown !== undefined) throw unknownSetting(file.path, `indexes.${unknown}`, KINDS);
  const learn = modeAt(file, 'indexes.learn', given['learn'] ?? 'auto', MODES);
  // whoever wants none unasked wants none of those that cost more
  return { learn, search: modeAt(file, 'indexes.search', given['search'] ?? learn, MODES) };
}

const modeOf = (wanted: unknown): IndexMode | undefined => INDEX_MODES.find((known) => known === wanted);

function modeAt(file: ConfigFile, path: string, wanted: unknown, expected: string): IndexMode {
  const mode = modeOf(wanted);
  if (mode === undefined) throw wrong(file, path, `${expected}, not ${JSON.stringify(wanted)}`);
  return mode;
}

const readTimeout = (variables: Variables): number => milliseconds(variables, 'GALLEY_READ_TIMEOUT', READ_TIMEOUT, 0);

function milliseconds(variables: Variables, name: string, usual: number, least: number): number {
  const wanted = variables[name];
  if (!wanted) return usual;
  const time = parseInteger(wanted, least, LONGEST_TIMEOUT);
  if (time === undefined) throw wrongVariable(name, wanted, rangeText(least, LONGEST_TIMEOUT));
  return time;
}

function sslOf(file: ConfigFile, variables: Variables): boolean | Readonly<Record<string, unknown>> {
  const path = 'connection.connection.ssl';
  const inFile = valueAt(file, path);
  const wanted = variables['DATABASE_SSL'];
  if (wanted) {
    if (wanted !== 'true' && wanted !== 'false') throw wrongVariable('DATABASE_SSL', wanted, 'true or false');
    // The file may say how (certificates); the variable says whether.
    return wanted === 'true' && isTree(inFile) ? inFile : wanted === 'true';
  }
  return isTree(inFile) ? inFile : booleanAt(file, path, false);
}

function clientNamed(name: unknown, where: string): Client | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  const client = typeof name === 'string' && Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client) return client;
  const known = 'use sqlite or postgres';
  if (typeof name === 'string' && /^(mysql|mysql2|mariadb)$/.test(name)) {
    throw new UsageError(`${where}: ${name} is not supported: ${known}`);
  }
  throw new UsageError(`${where}: unknown database client ${JSON.stringify(name)}: ${known}`);
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

/** `sqlite:/a/b.db`, `sqlite:///a/b.db`, `file:b.db` and `sqlite::memory:`. */
function filenameOfUrl(url: string): string {
  if (/^file:\/\/\//i.test(url)) return fileURLToPath(url);
  const path = url.slice(url.indexOf(':') + 1).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//'))
    throw new UsageError('DATABASE_URL names no file: write sqlite:/path/to.db');
  return path;
}
