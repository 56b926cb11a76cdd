/** One process of a worker, from its start to its exit, as the parent sees it. */
import cluster, { type Worker } from 'node:cluster';
import type { Family } from '../../http/monitoring/prometheus.ts';
import type { Announcement } from '../serving.ts';
import { type FromWorker, ROLE_VARIABLE, type Role, type ToWorker } from './messages.ts';
import type { SharedWork } from './shared-work.ts';

/** Milliseconds in which a worker must send its metrics. */
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
  /** Each resolves when the worker reaches that state; never if the worker ends before. */
  readonly prepared: Promise<void>;
  readonly serving: Promise<Serving>;
  readonly exited: Promise<Exit>;
  isServing = false;
  hasServed = false;
  hasEnded = false;
  readonly #worker: Worker;
  readonly #work: SharedWork;
  readonly #metricsRequests = new Map<number, (families: readonly Family[]) => void>();
  #lastId = 0;
  /** Messages to send once the worker receives; undefined from then on. */
  #unsent: ToWorker[] | undefined = [];
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
    // a message to a closed channel, or a process that could not start: its exit follows
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
    if (this.#unsent) this.#unsent.push(message);
    else if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Its metrics; undefined if they do not arrive in time. */
  metrics(): Promise<readonly Family[] | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const settle = (families: readonly Family[] | undefined): void => {
        clearTimeout(late);
        this.#metricsRequests.delete(id);
        resolve(families);
      };
      const late = setTimeout(settle, PATIENCE, undefined);
      this.#metricsRequests.set(id, settle);
      this.send({ kind: 'metrics', id });
    });
  }

  #take(message: FromWorker): void {
    const { kind } = message;
    if (kind === 'receives') this.#sendWaiting();
    else if (kind === 'prepared') this.#prepare();
    else if (kind === 'serving') {
      this.isServing = true;
      this.hasServed = true;
      this.#serve(message);
    } else if (kind === 'count') {
      this.send({ kind: 'counted', id: message.id, answers: this.#work.count(message.asks) });
    } else if (kind === 'image') void this.#runImage(message);
    else this.#metricsRequests.get(message.id)?.(message.families);
  }

  #sendWaiting(): void {
    const messages = this.#unsent ?? [];
    this.#unsent = undefined;
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

/**
 * Closes connections that a worker did not take before it ended. Node's cluster accepts connections in the parent, sends
 * them to a worker, and closes its own copy when the worker confirms (lib/internal/cluster/round_robin_handle.js). Without
 * this function a connection to a worker that ends before that stays open, and its client waits for ever. Node has no public
 * interface for this; if its messages change, the function has no effect.
 */
function closeUntaken({ process }: Worker): void {
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
