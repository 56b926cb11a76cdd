/**
 * A network between a program and its PostgreSQL server, on which answers take a while. It counts how often a transaction
 * waits for one: the round trips that would each take as long, however far away the server is.
 */
import { once } from 'node:events';
import net from 'node:net';
import type { TestDatabase } from './databases.ts';

/**
 * Turns of the event loop for which an answer is on its way: more than the program, which is in this process, takes to ask
 * what needs none, however slow the machine is.
 */
const DELAY = 50;
/** Bytes of a message's type, and of its length, which counts itself but not the type. */
const TYPE = 1;
const HEADER = TYPE + 4;

export interface DistantServer {
  /** What makes a project use the database over the network. */
  readonly env: Readonly<Record<string, string>>;
  /** The round trips of the transactions that were committed since the last call, from `begin` to `commit`. */
  take(): number[];
  stop(): void;
}

/** Counts messages of some types in what passes (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
class MessageCounter {
  readonly #types: string;
  #rest = Buffer.alloc(0);
  count = 0;

  constructor(types: string) {
    this.#types = types;
  }

  push(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEADER) {
      const length = TYPE + bytes.readUInt32BE(TYPE);
      if (bytes.length < length) break;
      if (this.#types.includes(String.fromCharCode(bytes[0]!))) this.count++;
      bytes = bytes.subarray(length);
    }
    this.#rest = bytes;
  }
}

function afterTurns(turns: number, run: () => void): void {
  if (turns === 0) run();
  else setImmediate(() => afterTurns(turns - 1, run));
}

/** Puts a network between a test database's server and who uses the environment that is given. */
export async function startDistance({ env }: Pick<TestDatabase, 'env'>): Promise<DistantServer> {
  const url = new URL(env['DATABASE_URL']!);
  const target = { host: url.hostname, port: Number(url.port) };
  const sockets = new Set<net.Socket>();
  let committed: number[] = [];
  const server = net.createServer((client) => {
    const upstream = net.connect(target);
    /** What the server was asked to answer, and what it has: simple queries and the ends of batches. */
    const asked = new MessageCounter('QS');
    const answered = new MessageCounter('Z');
    let isStarted = false;
    let held: Buffer[] = [];
    let isWaiting = false;
    /** Of the transaction under way. */
    let trips: number | undefined;
    client.on('data', (chunk) => {
      if (chunk.includes('begin\0')) trips = 0;
      if (!isWaiting && trips !== undefined) trips++;
      isWaiting = true;
      if (isStarted) asked.push(chunk);
      upstream.write(chunk);
      if (trips !== undefined && chunk.includes('commit\0')) {
        committed.push(trips);
        trips = undefined;
      }
    });
    const release = () => {
      if (answered.count < asked.count) return;
      isWaiting = false;
      for (const chunk of held) client.write(chunk);
      held = [];
    };
    upstream.on('data', (chunk) => {
      if (!isStarted) {
        // the beginning of a connection: the first time that the server is ready ends it
        const counter = new MessageCounter('Z');
        counter.push(chunk);
        isStarted = counter.count > 0;
        isWaiting = false;
        client.write(chunk);
        return;
      }
      answered.push(chunk);
      held.push(chunk);
      if (answered.count >= asked.count) afterTurns(DELAY, release);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    env: { ...env, DATABASE_URL: url.href },
    take() {
      const taken = committed;
      committed = [];
      return taken;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
