/** A TCP proxy in front of a database server that can fall silent, as a network that drops packets does. */
import { once } from 'node:events';
import net from 'node:net';
import type { TestDatabase } from './databases.ts';

export interface TcpProxy {
  /** What makes a project use the database through the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Connections that are open at the moment. */
  readonly connections: number;
  /** Passes nothing on any more: of the connections that there are, and of later ones. */
  silence(): void;
  /** Passes nothing on any more of the connections that there are; later ones are served. */
  silenceOpen(): void;
  /** The same from the moment on when a client's bytes hold a text, which the server still gets. */
  silenceAfter(text: string): void;
  /** Serves new connections again. */
  speak(): void;
  /** Passes on only those bytes of the server that a function gives back. */
  rewrite(bytes: (chunk: Buffer) => Buffer): void;
  stop(): void;
}

/** Starts a proxy in front of the server of a test database. */
export async function startProxy({ env }: Pick<TestDatabase, 'env'>): Promise<TcpProxy> {
  const url = new URL(env['DATABASE_URL']!);
  const target = { host: url.hostname, port: Number(url.port) };
  const pairs = new Set<{ isSilent: boolean }>();
  const sockets = new Set<net.Socket>();
  let isSilent = false;
  let trigger: string | undefined;
  let rewritten = (chunk: Buffer): Buffer => chunk;
  const server = net.createServer((client) => {
    const upstream = net.connect(target);
    const pair = { isSilent };
    pairs.add(pair);
    const forward = (from: net.Socket, to: net.Socket, seen: (chunk: Buffer) => Buffer) => {
      from.on('data', (chunk) => {
        if (pair.isSilent) return;
        to.write(seen(chunk));
      });
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        // what is silent tells nobody that it has ended, but the proxy itself
        sockets.delete(from);
        if (from === client) pairs.delete(pair);
        if (!pair.isSilent) to.destroy();
      });
    };
    forward(client, upstream, (chunk) => {
      if (trigger !== undefined && chunk.includes(trigger)) {
        trigger = undefined;
        setImmediate(() => {
          pair.isSilent = true;
        });
      }
      return chunk;
    });
    forward(upstream, client, (chunk) => rewritten(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String(port);
  const silenceOpen = () => {
    for (const pair of pairs) pair.isSilent = true;
  };
  return {
    env: { ...env, DATABASE_URL: own.href },
    get connections() {
      return pairs.size;
    },
    silenceOpen,
    silence() {
      isSilent = true;
      silenceOpen();
    },
    silenceAfter(text) {
      trigger = text;
    },
    speak() {
      isSilent = false;
    },
    rewrite(bytes) {
      rewritten = bytes;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
