/** Environment variables: the `env` function of configuration files, and the project's `.env` file with its secrets. */
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { UsageError } from '../errors.ts';

/** Environment variables by name: those of the process, over those of `.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The `env` function of a configuration file: `env('KEY', fallback)` with typed readers. It behaves like Strapi's
 * ("Environment configuration and variables") in every detail, since projects rely on them. A fallback is returned
 * unchanged, whatever its type.
 */
export interface EnvFunction {
  (key: string, fallback?: unknown): unknown;
  int(key: string, fallback?: unknown): unknown;
  float(key: string, fallback?: unknown): unknown;
  /** True only for `true`. */
  bool(key: string, fallback?: unknown): unknown;
  /** Throws when the variable is not valid JSON. */
  json(key: string, fallback?: unknown): unknown;
  /** Splits at commas; removes surrounding brackets, spaces and double quotes. */
  array(key: string, fallback?: unknown): unknown;
  date(key: string, fallback?: unknown): unknown;
  /** The variable if it is one of `expected`, else the fallback. Throws if the fallback is not one of them. */
  oneOf(key: string, expected: readonly unknown[], fallback?: unknown): unknown;
}

/** The `env` function for some variables. */
export function createEnv(variables: Variables): EnvFunction {
  const read =
    (convert: (text: string, key: string) => unknown) =>
    (key: string, fallback?: unknown): unknown => {
      const text = Object.hasOwn(variables, key) ? variables[key] : undefined;
      return text === undefined ? fallback : convert(text, key);
    };
  const plain = read((text) => text);
  return Object.assign((key: string, fallback?: unknown) => plain(key, fallback), {
    int: read((text) => Number.parseInt(text, 10)),
    float: read((text) => Number.parseFloat(text)),
    bool: read((text) => text === 'true'),
    json: read(parseJson),
    array: read(splitList),
    date: read((text) => new Date(text)),
    oneOf(key: string, expected: readonly unknown[], fallback?: unknown): unknown {
      if (!Array.isArray(expected)) throw new Error(`env.oneOf('${key}') needs a list of expected values`);
      if (fallback && !expected.includes(fallback)) {
        throw new Error(`env.oneOf('${key}') needs a fallback that is one of the expected values`);
      }
      const value = plain(key, fallback);
      return expected.includes(value) ? value : fallback;
    },
  });
}

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw new Error(`the environment variable ${key} is not valid JSON`);
  }
}

function splitList(text: string): string[] {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return inner.split(',').map((item) => item.replace(/^ +| +$/g, '').replace(/^"+|"+$/g, ''));
}

/** Milliseconds that a start waits for another one that writes secrets, and after which a lock counts as abandoned. */
const LOCK_WAIT = 10_000;
const LOCK_STALE = 5_000;

/**
 * The project's variables file: the one named by `ENV_PATH`, else `<dir>/.env`. As in the reference, a relative path starts
 * at the working folder, and `~` is the home folder.
 *
 * @param env the process's environment: an `ENV_PATH` in the file itself has no effect.
 */
export function envFileOf(dir: string, env: Readonly<Record<string, string | undefined>>): string {
  const named = env['ENV_PATH'];
  if (!named) return join(dir, '.env');
  return named.startsWith('~') ? join(homedir(), named.slice(1)) : resolve(named);
}

/** The variables of a file; none if it does not exist. @throws UsageError if it cannot be read. */
export function readEnvFile(path: string): Readonly<Record<string, string | undefined>> {
  if (!existsSync(path)) return {};
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${codeOf(error)}`);
  }
}

/** Names of variables in `process.env` that come from a project's `.env`. */
const lent = new Set<string>();

/** Sets the variables of a file in `process.env` for the project's code, without replacing those of the process. */
export function lendVariables(path: string): void {
  for (const [name, value] of Object.entries(readEnvFile(path))) {
    if (value === undefined || (process.env[name] !== undefined && !lent.has(name))) continue;
    process.env[name] = value;
    lent.add(name);
  }
}

/**
 * Returns the named secrets, and creates and appends to the file those that it lacks. The file gets mode 0600 and keeps
 * its content. Concurrent starts take turns with a lock file and read the file again, so they use the same secrets.
 *
 * @throws UsageError if the file cannot be written.
 */
export async function ensureSecrets(path: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const lock = `${path}.lock`;
  await takeLock(lock, path);
  try {
    const present = readEnvFile(path);
    const secrets = new Map<string, string>();
    const lines: string[] = [];
    for (const name of names) {
      const value = present[name] || randomBytes(32).toString('base64');
      secrets.set(name, value);
      if (!present[name]) lines.push(`${name}=${value}`);
    }
    if (lines.length > 0) appendLines(path, lines);
    return secrets;
  } finally {
    rmSync(lock, { force: true });
  }
}

function appendLines(path: string, lines: readonly string[]): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const comment = '# Made by galley. Keep them: tokens and sessions depend on them.';
  const lead = before === '' || before.endsWith('\n') ? '' : '\n';
  try {
    // the mode of appendFileSync only applies to a new file
    if (before !== '' || existsSync(path)) chmodSync(path, 0o600);
    appendFileSync(path, `${lead}${comment}\n${lines.join('\n')}\n`, { mode: 0o600, flush: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function takeLock(lock: string, path: string): Promise<void> {
  const deadline = Date.now() + LOCK_WAIT;
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx', 0o600));
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw unwritable(path, error);
    }
    removeStale(lock);
    if (Date.now() > deadline)
      throw new UsageError(`another start of the project holds ${lock}: remove it if none is running`);
    await sleep(20);
  }
}

/** The lock of a start that was killed must not stop later ones. */
function removeStale(lock: string): void {
  const createdAt = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (createdAt !== undefined && Date.now() - createdAt > LOCK_STALE) rmSync(lock, { force: true });
}

function unwritable(path: string, error: unknown): UsageError {
  return new UsageError(
    `cannot write the new project's secrets to ${path} (${codeOf(error)}): make the folder writable, or set API_TOKEN_SALT and JWT_SECRET`,
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
