/**
 * The project's `.env`, or the file that `ENV_PATH` names in its place: read for its variables, and written once, when a
 * new project lacks a secret. Secrets are never defaulted and never shown.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { UsageError } from '../errors.ts';

/** How long a start waits for another that is writing secrets, and when a lock counts as left behind, in ms. */
const LOCK_WAIT = 10_000;
const LOCK_STALE = 5_000;

/**
 * The file of a project's variables: the one that `ENV_PATH` names, else `<dir>/.env`. As in the reference, a relative
 * path starts at the working folder, and `~` is the home folder.
 *
 * @param env the process's environment: an `ENV_PATH` in the file itself has no effect.
 */
export function envFileOf(dir: string, env: Readonly<Record<string, string | undefined>>): string {
  const named = env['ENV_PATH'];
  if (!named) return join(dir, '.env');
  return named.startsWith('~') ? join(homedir(), named.slice(1)) : resolve(named);
}

/** The variables of a file, none when there is no such file. Throws UsageError when it cannot be read. */
export function readEnvFile(path: string): Readonly<Record<string, string | undefined>> {
  if (!existsSync(path)) return {};
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${codeOf(error)}`);
  }
}

/** Variables of this process that come from the `.env` of a project. */
const lent = new Set<string>();

/** Gives the project's code the variables of its file in `process.env`, where the process has none of that name. */
export function lendVariables(path: string): void {
  for (const [name, value] of Object.entries(readEnvFile(path))) {
    if (value === undefined || (process.env[name] !== undefined && !lent.has(name))) continue;
    process.env[name] = value;
    lent.add(name);
  }
}

/**
 * Makes the named secrets that the file still lacks and appends them to it, and gives all of them. The file has mode 0600
 * from then on; one that exists keeps its content. Starts that run at the same time take turns at a lock file
 * and read again behind it, so they end with the same secrets. Throws UsageError when the folder cannot be written.
 */
export async function keepSecrets(path: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
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
    // The mode of the call counts only for a file that it creates; an older one contains secrets from now on as well.
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
    if (Date.now() > deadline) throw new UsageError(`${lock} is held by another start: remove it if none is running`);
    await sleep(20);
  }
}

/** A start that was killed between taking the lock and releasing it must not stop every later one. */
function removeStale(lock: string): void {
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (made !== undefined && Date.now() - made > LOCK_STALE) rmSync(lock, { force: true });
}

function unwritable(path: string, error: unknown): UsageError {
  return new UsageError(
    `cannot write the new project's secrets to ${path} (${codeOf(error)}): make the folder writable, or set API_TOKEN_SALT and JWT_SECRET`,
  );
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
