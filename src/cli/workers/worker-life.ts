/** One life of a worker, as its parent sees it. */
import cluster, { type Worker } from 'node:cluster';
import type { Family } from '../../http/monitoring/prometheus.ts';
import type { Announcement } from '../serving.ts';
import { type FromWorker, ROLE_VARIABLE, type Role, type ToWorker } from './messages.ts';
import type { SharedWork } from './shared-work.ts';

/** Milliseconds in which a worker has to tell its metrics. */
const PATIENCE = 2000;

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Serving {
  readonly url: string;
  readonly announcement: Announcement;
}

export class WorkerLife {
  readonly role: Role;
  readonly started = Date.now();
  /** Resolve once it is so; never for a worker that ends before. */
  readonly prepared: Promise<void>;
  readonly serving: Promise<Serving>;
  readonly exited: Promise<Exit>;
  isServing = false;
  hasServed = false;
  hasEnded = false;
  readonly #worker: Worker;
  readonly #work: SharedWork;
  readonly #asked = new Map<number, (families: readonly Family[]) => void>();
  #lastId = 0;
  /** What it is to be told once it hears. */
  #untold: ToWorker[] | undefined = [];
  #prepare: () => void = () => {};
  #serve: (serving: Serving) => void = () => {};

  constructor(role: Role, work: SharedWork) {
    this.role = role;
    this.#work = work;
    this.prepared = new Promise((resolve) => {
      this.#prepare = resolve;
    });
    this.serving = new Promise((resolve) => {
      this.#serve = resolve;
    });
    this.#worker = cluster.fork({ [ROLE_VARIABLE]: JSON.stringify(role) });
    closeUntaken(this.#worker);
    this.#worker.on('message', (message: FromWorker) => this.#take(message));
    // a message that finds no channel any more, or a process that could not be started: its end follows
    this.#worker.on('error', () => {});
    this.exited = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null): void => {
        this.isServing = false;
        this.hasEnded = true;
        resolve({ code, signal });
      };
      this.#worker.once('exit', end);
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  send(message: ToWorker): void {
    if (this.#untold) this.#untold.push(message);
    else if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Its metrics; undefined where it does not tell them in time. */
  metrics(): Promise<readonly Family[] | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle = (families: readonly Family[] | undefined): void => {
        clearTimeout(late);
        this.#asked.delete(id);
        resolve(families);
      };
      const late = setTimeout(settle, PATIENCE, undefined);
      this.#asked.set(id, settle);
      this.send({ kind: 'metrics', id });
    });
  }

  #take(message: FromWorker): void {
    const { kind } = message;
    if (kind === 'hears') this.#tell();
    else if (kind === 'prepared') this.#prepare();
    else if (kind === 'serving') {
      this.isServing = true;
      this.hasServed = true;
      this.#serve(message);
    } else if (kind === 'count') {
      this.send({ kind: 'counted', id: message.id, answers: this.#work.count(message.asks) });
    } else if (kind === 'image') void this.#runImage(message);
    else this.#asked.get(message.id)?.(message.families);
  }

  #tell(): void {
    const messages = this.#untold ?? [];
    this.#untold = undefined;
    for (const message of messages) this.send(message);
  }

  async #runImage({ id, job }: Extract<FromWorker, { kind: 'image' }>): Promise<void> {
    this.send({ kind: 'imaged', id, outcome: await this.#work.runImage(job) });
  }
}

interface Sent {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

interface Handle {
  close(): void;
}

/** Closes the connections that a worker was sent and did not take, once it has ended. */
export function closeUntaken({ process }: Worker): void {
  const underWay = new Map<number, Handle>();
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  process.send = ((...args: unknown[]) => {
    const [message, handle] = args as [Sent | undefined, Handle | undefined];
    if (message?.cmd === 'NODE_CLUSTER' && message.act === 'newconn' && message.seq !== undefined && handle) {
      underWay.set(message.seq, handle);
    }
    return send(...args);
  }) as typeof process.send;
  process.on('internalMessage', ({ cmd, ack }: Sent) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) underWay.delete(ack);
  });
  process.once('exit', () => {
    for (const handle of underWay.values()) handle.close();
    underWay.clear();
  });
}
