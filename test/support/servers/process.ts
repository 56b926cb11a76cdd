/** `galley start` as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The file that starts Galley: the bundle of a run of many test files (global-setup.ts), else the sources. */
export const PROGRAM = process.env['GALLEY_TEST_PROGRAM'] ?? path.join(import.meta.dirname, '../../../src/main.ts');

const COMPILED = process.env['NODE_COMPILE_CACHE'];

/**
 * What a process of the tests' needs of their environment: it finds programs, and compiled modules of the server. These
 * are kept apart from those of the tests: the program sets flags of V8's, which takes no code from a process with others,
 * so that each would compile anew what the other has kept.
 */
export const INHERITED: Readonly<Record<string, string>> = {
  ...(process.env['PATH'] && { PATH: process.env['PATH'] }),
  ...(COMPILED && { NODE_COMPILE_CACHE: path.join(COMPILED, 'of-programs') }),
};

export interface EndedProcess {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it has written to standard output so far. */
  lines(): string;
  /** What it has written to standard error so far. */
  errors(): string;
  readonly ended: Promise<EndedProcess>;
}

/** The secrets of all projects that are started here. */
export const SECRETS = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };

/**
 * Starts a project on a free port and resolves once it listens. The environment is `env` and what every process of the tests needs.
 *
 * @param words the command with its flags.
 * @param openFiles the most files and sockets that the process may have open; the system's own limit when left out.
 */
export async function startProcess(
  dir: string,
  env: Readonly<Record<string, string>>,
  openFiles?: number,
  words: readonly string[] = ['start', '--host', '127.0.0.1'],
): Promise<StartedProcess> {
  const started = spawnProcess([...words, dir, '--port', '0'], env, openFiles);
  const found = (): string | undefined => /(http:\S+)\/_health\n/.exec(started.lines())?.[1];
  const failed = started.ended.then(({ err }) => Promise.reject(new Error(`galley ended: ${err}`)));
  failed.catch(() => {});
  while (found() === undefined) await Promise.race([once(started.child.stdout!, 'data'), failed]);
  return { ...started, url: found()! };
}

/** Runs a command, and does not wait for anything. */
export function spawnProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  openFiles?: number,
): Omit<StartedProcess, 'url'> {
  const command = [process.execPath, PROGRAM, ...words];
  const limited =
    openFiles === undefined ? command : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...command];
  const child = spawn(limited[0]!, limited.slice(1), {
    env: { ...INHERITED, ...SECRETS, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return { child, lines: () => out, errors: () => err, ended };
}
