/** Servers as processes of their own: start one, wait for its first answer, look at its memory, end it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the start of the process to its first successful answer. */
  readonly firstAnswer: number;
  /** Resident memory in megabytes. */
  memory(): number;
  /** The same with that of the processes that it has started. */
  memoryOfAll(): number;
  /** Seconds of processor time that it has taken, with the child processes that are there. */
  processorTime(): number;
  /** False once the process has ended by itself. */
  alive(): boolean;
  /** The end of what it has printed. */
  output(): string;
  stop(): Promise<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Path whose first 200 counts as the first answer. */
  readonly probe: string;
  readonly timeout: number;
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function answers(url: string, headers: Readonly<Record<string, string>>): Promise<boolean> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

const running = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endAll();
    process.kill(process.pid, signal);
  });
}

/** Megabytes of one process, or of a list of them; none: 0. */
function residentMemory(pid: number | string | undefined): number {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').reduce((sum, line) => sum + Number(line), 0) / 1024;
}

/** Ticks of the processor in a second, as Linux tells them (`sysconf(_SC_CLK_TCK)`). */
const TICKS = 100;

/** Seconds of processor time that processes have taken, as `/proc` tells them. */
function processorTimeOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // the second field is a name in parentheses and may contain anything
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, own) => sum + own, 0) / TICKS;
}

/** Ids of a process and of all that it has started, they of theirs. */
function family(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  // the list grows while it is gone through
  for (const parent of found) found.push(...pairs.filter(([, by]) => by === parent).map(([child]) => child!));
  return found;
}

/** Starts a server and waits for its first answer. Throws with its output when it ends or does not answer in time. */
export async function launch({ command, args, cwd, env, port, headers = {}, probe, timeout }: Launch): Promise<Target> {
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const child = spawn(command, args, {
    cwd,
    // Nothing of npm's environment: it would put another Node first.
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-8000);
    });
  }
  child.once('exit', () => running.delete(child));
  while (!(await answers(url + probe, headers))) {
    if (child.exitCode !== null || performance.now() - started > timeout) {
      child.kill('SIGKILL');
      throw new Error(`${command} ${args.join(' ')} did not answer:\n${output}`);
    }
    await pause(5);
  }
  return {
    url,
    headers,
    firstAnswer: performance.now() - started,
    memory: () => residentMemory(child.pid),
    memoryOfAll: () => residentMemory(family(child.pid!).join()),
    processorTime: () => processorTimeOf(family(child.pid!)),
    alive: () => child.exitCode === null,
    output: () => output,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await Promise.race([ended, pause(10_000)]);
      child.kill('SIGKILL');
    },
  };
}
