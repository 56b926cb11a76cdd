/**
 * The HTTP listener of a process. It passes each request to the current handler, which finishes the request even if
 * another handler replaces it meanwhile.
 */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import type { HttpConfig } from '../config/config.ts';
import { createServer, type RequestHandler } from '../node-http.ts';
import type { HttpEngine } from './http-engine.ts';
import { refuseConnection } from './protocol/refusals.ts';

/** Takes a connection whose request asks for another protocol, such as WebSocket. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The whole answer of a request. */
interface WholeAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Answers a request without a body apart from the others; undefined if it has to wait. */
export type ReadHeld = (request: IncomingMessage) => Promise<WholeAnswer | undefined>;

/** Connections with another protocol. */
export interface Upgrades {
  /** Whether they are accepted at the moment. Otherwise such requests are answered like all others. */
  readonly areTaken: () => boolean;
  readonly take: UpgradeHandler;
  /** Calls a function when `areTaken` may have changed. */
  readonly watch: (changed: () => void) => void;
}

/** The handlers of requests and of connections with another protocol. */
export interface Answerers {
  readonly handler: RequestHandler;
  /** Undefined for a project without code. */
  readonly upgrades: Upgrades | undefined;
}

/** How long a connection may be idle between two requests, in milliseconds: longer than proxies keep theirs. */
const KEEP_ALIVE = 72_000;
/** Requests that wait at most; others are passed on. */
const MOST_HELD = 10_000;
/** How often connections that have become idle are closed while the listener ends, in milliseconds. */
const SWEEP = 50;

/** A handler with its unfinished requests. */
class Serving {
  readonly #idle = new Set<() => void>();
  readonly handler: RequestHandler;
  readonly #ended = Promise.withResolvers<void>();
  #requests = 0;
  #isReplaced = false;

  constructor(handler: RequestHandler) {
    this.handler = handler;
  }

  begin(): void {
    this.#requests++;
  }

  end(): void {
    this.#requests--;
    this.#look();
  }

  /** Resolves when the last request has ended. No new one may begin. */
  replaced(): Promise<void> {
    this.#isReplaced = true;
    this.#look();
    return this.#ended.promise;
  }

  /** Resolves at the first moment without a request. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.add(resolve);
      this.#look();
    });
  }

  #look(): void {
    if (this.#requests > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
    if (this.#isReplaced) this.#ended.resolve();
  }
}

export class Listener {
  readonly #engine: HttpEngine;
  readonly #servers: Server[] = [];
  /**
   * Callbacks that end the unfinished requests, by connection. A set that each request enters and leaves would leave
   * tables behind that link to one another, and keep the requests in memory until a full garbage collection.
   */
  readonly #unfinished = new Map<Socket, (() => void)[]>();
  #serving: Serving | undefined;
  /** Requests that wait; undefined: none has to. */
  #held: (() => void)[] | undefined;
  #readHeld: ReadHeld | undefined;
  #upgrades: Upgrades | undefined;
  /** Connections that changed to another protocol, which the servers no longer count. */
  readonly #upgraded = new Set<Duplex>();

  constructor(engine: HttpEngine) {
    this.#engine = engine;
  }

  /** Whether requests are accepted. */
  get isListening(): boolean {
    return this.#servers.length > 0;
  }

  /**
   * Passes all requests from now on to a handler. Resolves when the handler before has finished its last request. Its
   * connections with another protocol are then ended, and their clients reconnect.
   */
  async put({ handler, upgrades }: Answerers): Promise<void> {
    const before = this.#serving;
    const upgraded = [...this.#upgraded];
    this.#serving = new Serving(handler);
    this.#takeUpgrades(upgrades);
    await before?.replaced();
    for (const socket of upgraded) socket.destroy();
  }

  /**
   * Lets requests that arrive from now on wait until `release`. Resolves when those before and other work are finished, or
   * after some milliseconds; returns whether they are.
   *
   * @param read answers requests that only read, if it can.
   */
  async hold(patience: number, others: Promise<unknown>, read?: ReadHeld): Promise<boolean> {
    this.#held ??= [];
    this.#readHeld = read;
    const late = new AbortController();
    const isIdle = Promise.all([this.#serving?.idle(), others]).then(() => true);
    const isLate = after(patience, false, { signal: late.signal, ref: false }).catch(() => false);
    try {
      return await Promise.race([isIdle, isLate]);
    } finally {
      late.abort();
    }
  }

  /** Passes the requests that wait to the handler. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#readHeld = undefined;
    for (const serve of held) serve();
  }

  /**
   * Listens, and returns the address for people. `localhost` is every address of that name.
   *
   * @throws NodeJS.ErrnoException when the address is not available.
   */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<string> {
    const server = await this.#open(host, port);
    const address = server.address() as AddressInfo;
    if (host === 'localhost') {
      const { lookup } = await import('node:dns/promises');
      const others = await lookup(host, { all: true }).catch(() => []);
      for (const other of others) {
        // a machine may lack one of them
        if (other.address !== address.address) await this.#open(other.address, address.port).catch(() => undefined);
      }
    }
    return urlOf(address);
  }

  async #open(host: string, port: number): Promise<Server> {
    const server = createServer((request, response) => this.#serve(request, response));
    server.keepAliveTimeout = KEEP_ALIVE;
    // bodies are timed by protocol/body.ts
    server.requestTimeout = 0;
    server.on('clientError', refuseConnection);
    server.listen(port, host);
    await once(server, 'listening');
    // without this listener a failed accept, for example without file descriptors, would end the process
    server.on('error', (error) => this.#engine.log.unaccepted(error));
    this.#servers.push(server);
    this.#offerUpgrades(server);
    return server;
  }

  #takeUpgrades(upgrades: Upgrades | undefined): void {
    this.#upgrades = upgrades;
    const offer = (): void => {
      for (const server of this.#servers) this.#offerUpgrades(server);
    };
    upgrades?.watch(offer);
    offer();
  }

  /** Takes upgrade requests out of the others, as a server with a listener for them does. */
  #offerUpgrades(server: Server): void {
    server.removeListener('upgrade', this.#take);
    if (this.#upgrades?.areTaken()) server.on('upgrade', this.#take);
  }

  readonly #take: UpgradeHandler = (request, socket, head) => {
    this.#upgraded.add(socket);
    socket.once('close', () => this.#upgraded.delete(socket));
    // a client that has disconnected is not an error
    socket.on('error', () => socket.destroy());
    this.#upgrades!.take(request, socket, head);
  };

  #serve(request: IncomingMessage, response: ServerResponse): void {
    if (hasLeft(request, response)) return;
    if (this.#held && this.#held.length < MOST_HELD) {
      void this.#hold(request, response);
      return;
    }
    const { socket, method, url } = request;
    const began = performance.now();
    // targets that cannot be decoded reach no hook of Fastify
    this.#engine.unread.note(socket, response);
    const serving = this.#serving!;
    const { traffic } = this.#engine;
    const unfinished = this.#unfinishedOf(socket);
    const end = (): void => {
      const place = unfinished.indexOf(end);
      if (place < 0) return;
      unfinished.splice(place, 1);
      serving.end();
      traffic.note(method, url, response, performance.now() - began);
    };
    serving.begin();
    unfinished.push(end);
    response.once('close', end);
    serving.handler(request, response);
  }

  async #hold(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const answer = isRead ? await this.#readHeld?.(request).catch(() => undefined) : undefined;
    if (hasLeft(request, response)) return;
    if (answer) {
      response.writeHead(answer.status, answer.headers.flat());
      response.end(answer.body);
    } else if (this.#held) this.#held.push(() => this.#serve(request, response));
    else this.#serve(request, response);
  }

  #unfinishedOf(socket: Socket): (() => void)[] {
    const known = this.#unfinished.get(socket);
    if (known) return known;
    const unfinished: (() => void)[] = [];
    this.#unfinished.set(socket, unfinished);
    // pipelined responses get no event when the connection is closed
    socket.once('close', () => {
      this.#unfinished.delete(socket);
      for (const end of [...unfinished]) end();
    });
    return unfinished;
  }

  /**
   * Ends: requests in progress are answered within the time that the project allows, then open connections are closed.
   * Node closes connections that are idle at that moment, but not those that become idle later.
   */
  async close({ delay, timeout }: HttpConfig['shutdown']): Promise<void> {
    // `/_ready` reports it while connections are still accepted, so that load balancers stop sending requests
    this.#engine.readiness.ending = true;
    if (!this.isListening) return;
    await after(delay);
    this.#takeUpgrades(undefined);
    for (const socket of this.#upgraded) socket.destroy();
    const started = Date.now();
    const sweep = setInterval(() => {
      for (const server of this.#servers) {
        if (Date.now() - started >= timeout) server.closeAllConnections();
        else server.closeIdleConnections();
      }
    }, SWEEP);
    try {
      await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    } finally {
      clearInterval(sweep);
    }
  }
}

/** Whether the client of a request that waited has disconnected. */
const hasLeft = ({ socket }: IncomingMessage, { closed }: ServerResponse): boolean => socket.destroyed || closed;

/** The address of a server; where it listens at all addresses, one that leads to it. */
function urlOf({ address, family, port }: AddressInfo): string {
  if (family === 'IPv6') return `http://[${address}]:${port}`;
  return `http://${address === '0.0.0.0' ? ownAddress() : address}:${port}`;
}

/** An IPv4 address of this machine: the loopback address, where there is one. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family }) => family === 'IPv4');
  return (addresses.find(({ internal }) => internal) ?? addresses[0])?.address ?? '127.0.0.1';
}
