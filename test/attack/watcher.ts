/**
 * A process of its own that looks at a server while it is attacked: it asks `/_health` and a cheap read all along, so
 * that the attacker's own business does not count, and sums up the memory of the server and its children. When whoever
 * started it is gone, it ends the server and itself.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

import os from 'node:os';

/** What the watcher is told to look at. */
export interface Watched {
  readonly url: string;
  readonly pid: number;
  readonly probes: readonly Probe[];
}

export interface Probe {
  readonly name: string;
  readonly path: string;
  readonly token?: string | undefined;
}

/** What was seen of one probe. */
export interface ProbeReport {
  readonly name: string;
  readonly asked: number;
  /** Answers other than 2xx, connections that broke included. */
  readonly refused: number;
  /** Milliseconds of the longest, and of 99 in 100. */
  readonly longest: number;
  readonly p99: number;
  /** The longest without the time for which the server or the watcher waited for a processor. */
  readonly longestOwn: number;
  /** The most that the server's main thread worked until it answered. */
  readonly mostWork: number;
}

export interface WatchReport {
  readonly probes: readonly ProbeReport[];
  /** Megabytes that the server and its children held at most. */
  readonly memory: number;
}

/** Milliseconds between two questions, and between two looks at the memory. */
const EVERY = 50;
const MEMORY_EVERY = 200;
/** Milliseconds after which a question is given up. */
const PATIENCE = 60_000;

interface Times {
  readonly server: Spent;
  readonly self: Spent;
}

interface Sample {
  readonly ms: number;
  readonly own: number;
  readonly work: number;
  readonly isFine: boolean;
}

/** How the main thread of a process has spent its time, in milliseconds. */
interface Spent {
  readonly atWork: number;
  /** Ready to run, while the machine ran others. */
  readonly waiting: number;
}

/** Nothing where nobody tells. */
function spent(pid: number | 'self'): Spent {
  try {
    const [work, wait] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ').map(Number);
    return { atWork: work! / 1e6, waiting: wait! / 1e6 };
  } catch {
    return { atWork: 0, waiting: 0 };
  }
}

/** Megabytes of a process and of all below it; a page that several of them share, such as Node itself, counts once. */
function memoryOf(root: number): Promise<number> {
  return new Promise((resolve) => {
    execFile('ps', ['-axo', 'pid=,ppid=,rss='], (_error, out) => {
      const rows = out.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
      const family = new Set([root]);
      let total = 0;
      // a child may stand before its parent: once more until nothing is found
      for (let before = 0; before !== family.size; ) {
        before = family.size;
        for (const [pid, parent] of rows) if (family.has(parent!)) family.add(pid!);
      }
      for (const [pid, , size] of rows) if (family.has(pid!)) total += proportionOf(pid!) ?? size!;
      resolve(total / 1024);
    });
  });
}

/** Kilobytes of a process with its part of what it shares with others; undefined where nobody tells. */
function proportionOf(pid: number): number | undefined {
  try {
    const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'));
    return found ? Number(found[1]) : undefined;
  } catch {
    return undefined;
  }
}

class Watch {
  readonly #watched: Watched;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #samples = new Map<string, Sample[]>();
  readonly #pending = new Map<string, { readonly started: number; readonly before: Times }>();
  readonly #timers: NodeJS.Timeout[] = [];
  #memory = 0;
  #begun: (() => void) | undefined;
  /** Resolves when every question has been answered once: from then on its connections are open. */
  readonly begun = new Promise<void>((resolve) => {
    this.#begun = resolve;
  });

  constructor(watched: Watched) {
    this.#watched = watched;
    for (const probe of watched.probes) {
      this.#samples.set(probe.name, []);
      this.#timers.push(setInterval(() => this.#ask(probe), EVERY));
    }
    this.#timers.push(setInterval(() => void this.look(), MEMORY_EVERY));
  }

  async look(): Promise<void> {
    this.#memory = Math.max(this.#memory, await memoryOf(this.#watched.pid));
  }

  #times(): Times {
    return { server: spent(this.#watched.pid), self: spent('self') };
  }

  /** One question of a probe at a time: how long the server is silent shows in its time. */
  #ask({ name, path, token }: Probe): void {
    if (this.#pending.has(name)) return;
    this.#pending.set(name, { started: performance.now(), before: this.#times() });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const asked = request(this.#watched.url + path, { agent: this.#agent, headers, timeout: PATIENCE }, (response) => {
      response.resume().on('close', () => this.#note(name, response.complete && response.statusCode! < 300));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => this.#note(name, false)).end();
  }

  #note(name: string, isFine: boolean): void {
    const pending = this.#pending.get(name);
    if (!pending) return;
    this.#pending.delete(name);
    const ms = performance.now() - pending.started;
    const { server, self } = this.#times();
    const { before } = pending;
    // they overlap: the greater alone, so that nothing is taken off twice
    const waits = Math.max(0, server.waiting - before.server.waiting, self.waiting - before.self.waiting);
    const work = server.atWork - before.server.atWork;
    this.#samples.get(name)!.push({ ms, own: Math.max(0, ms - waits), work, isFine });
    if ([...this.#samples.values()].every(({ length }) => length > 0)) this.#begun!();
  }

  async report(): Promise<WatchReport> {
    await this.look();
    for (const timer of this.#timers) clearInterval(timer);
    for (const [name, { started }] of this.#pending) {
      // the last question may be under way; what has been open for long will not be answered
      if (performance.now() - started > 1000) this.#note(name, false);
    }
    this.#agent.destroy();
    const probes = [...this.#samples].map(([name, samples]) => {
      const times = samples.map(({ ms }) => ms).sort((a, b) => a - b);
      return {
        name,
        asked: samples.length,
        refused: samples.filter(({ isFine }) => !isFine).length,
        longest: times.at(-1) ?? 0,
        p99: times[Math.floor(times.length * 0.99)] ?? 0,
        longestOwn: samples.reduce((most, { own }) => Math.max(most, own), 0),
        mostWork: samples.reduce((most, { work }) => Math.max(most, work), 0),
      };
    });
    return { probes, memory: this.#memory };
  }
}

try {
  os.setPriority(os.constants.priority.PRIORITY_HIGH);
} catch {
  // not everybody may
}
let watch: Watch | undefined;
let pid: number | undefined;
process.on('SIGINT', () => {});
process.on('message', (message: Watched | 'end') => {
  if (message !== 'end') {
    pid = message.pid;
    watch = new Watch(message);
    void watch.begun.then(() => process.send!('begun'));
    return;
  }
  void watch!.report().then((report) =>
    process.send!(report, () => {
      pid = undefined;
      process.disconnect();
    }),
  );
});
process.on('disconnect', () => {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
  process.exit();
});
