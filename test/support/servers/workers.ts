/** `galley start` with two workers, and connections to each of them. */
import { spawnSync } from 'node:child_process';
import { Agent } from 'node:http';
import type { Engine } from '../databases/databases.ts';
import { until } from '../wait.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';
import { jsonOf } from './project.ts';
import { type RawAnswer, rawRequest } from './raw-http.ts';

export interface WorkerAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
  readonly body: any;
  /** Names the process that answered. */
  readonly process: string;
}

/** A connection that is kept: it stays with the worker that it was given to. */
export class Connection {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  async send(method: string, target: string, data?: unknown, token?: string): Promise<WorkerAnswer> {
    const body = data === undefined ? undefined : JSON.stringify(data);
    const { status, headers, ...answer } = await rawRequest(this.#url + encodeURI(target), {
      method,
      agent: this.#agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const [process = ''] = String(headers['x-request-id']).split('-');
    return { status, body: jsonOf(answer.body.toString('utf8')), process };
  }

  /** What a read is answered, with its headers. */
  answer(
    target: string,
    token: string | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> {
    const own = token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
    return rawRequest(this.#url + encodeURI(target), { agent: this.#agent, headers: own });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A connection to each of two workers. */
export async function connectToBoth(url: string): Promise<[Connection, Connection]> {
  const first = new Connection(url);
  const { process: own } = await first.send('GET', '/_health');
  const second = await until('another worker answers', async () => {
    const connection = new Connection(url);
    if ((await connection.send('GET', '/_health')).process !== own) return connection;
    connection.close();
    return undefined;
  });
  return [first, second];
}

/** The processes that a process has started and that are there. */
export function childrenOf(pid: number): number[] {
  const found = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return found.stdout.split('\n').filter(Boolean).map(Number);
}

/** Starts two workers on the project of the conformance scenarios with its fixture. */
export function startWorkers(engine: Engine, { env, ...options }: ProgramOptions = {}): Promise<Program> {
  return startProgram(engine, { ...options, env: { GALLEY_WORKERS: '2', ...env } });
}
