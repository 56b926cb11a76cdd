/** The server that is attacked: a program of its own, watched from a third one. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type StartedProcess, startProcess } from '../support/servers/process.ts';
import type { Probe, Watched, WatchReport } from './watcher.ts';

const WATCHER = path.join(import.meta.dirname, 'watcher.ts');
/** Milliseconds that a server may take to end. */
const ENDING = 16_000;

const running = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
process.on('exit', endAll);
// what else there is to end, ends with this process
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

export interface SubjectOptions {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  /** Asked all along beside `/_health`. */
  readonly probes: readonly Probe[];
  /** The most files and sockets that it may have open. */
  readonly openFiles?: number | undefined;
}

export class Subject {
  readonly #server: StartedProcess;
  readonly #watcher: ChildProcess;
  #report: Promise<WatchReport> | undefined;

  private constructor(server: StartedProcess, watcher: ChildProcess) {
    this.#server = server;
    this.#watcher = watcher;
  }

  /** Starts a server, which answers then, and its watcher. */
  static async start({ dir, env, probes, openFiles }: SubjectOptions): Promise<Subject> {
    const server = await startProcess(dir, env, openFiles);
    running.add(server.child);
    const watcher = fork(WATCHER, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    running.add(watcher);
    watcher.once('exit', () => running.delete(watcher));
    server.child.once('exit', () => running.delete(server.child));
    const watched: Watched = {
      url: server.url,
      pid: server.child.pid!,
      probes: [{ name: '/_health', path: '/_health' }, ...probes],
    };
    const begun = once(watcher, 'message');
    watcher.send(watched);
    await begun;
    return new Subject(server, watcher);
  }

  get url(): string {
    return this.#server.url;
  }

  get pid(): number {
    return this.#server.child.pid!;
  }

  get isAlive(): boolean {
    return this.#server.child.exitCode === null && this.#server.child.signalCode === null;
  }

  /** The lines that it has written to its log so far. */
  log(): string[] {
    return this.#server.errors().split('\n').filter(Boolean);
  }

  /** Ends the watch; the first call alone does something. */
  seen(): Promise<WatchReport> {
    this.#report ??= this.#ask();
    return this.#report;
  }

  async #ask(): Promise<WatchReport> {
    const report = once(this.#watcher, 'message') as Promise<[WatchReport]>;
    const ended = once(this.#watcher, 'exit').then(() => {
      throw new Error('the watcher ended');
    });
    ended.catch(() => {});
    this.#watcher.send('end');
    return (await Promise.race([report, ended]))[0];
  }

  /** Ends the server; gives what was wrong with that. */
  async stop(): Promise<string | undefined> {
    const wasAlive = this.isAlive;
    this.#watcher.kill('SIGKILL');
    this.#server.child.kill('SIGTERM');
    const late = setTimeout(() => this.#server.child.kill('SIGKILL'), ENDING);
    const { code, err } = await this.#server.ended;
    clearTimeout(late);
    if (!wasAlive) return `ended by itself: ${err.slice(-300).trim()}`;
    return code === 0 ? undefined : 'did not end in time when told to';
  }
}
