/**
 * `strapi.server.httpServer`: a server of Node's own that does not listen. What arrives at the listener goes through it
 * as soon as code has attached something to it, as socket.io does.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { createServer } from '../../node-http.ts';
import { missingMember, unsupported } from '../guarded.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export class CodeServer {
  /** The object for code. */
  readonly server: Server;
  readonly #own: Answer;
  #answer: Answer | undefined;

  constructor() {
    // code may store it, and call it for other requests
    this.#own = (request, response) => this.#answer!(request, response);
    this.server = createServer(this.#own);
    Object.defineProperty(this.server, 'listening', { get: () => this.#answer !== undefined });
    this.server.address = () => (this.#answer ? missingMember('strapi.server.httpServer.address()') : null);
    this.server.listen = () => unsupported('strapi.server.httpServer.listen()');
  }

  /** Whether requests go through it: code has attached a listener, or has replaced the server. */
  get isTaken(): boolean {
    const listeners = this.server.listeners('request');
    return listeners.length !== 1 || listeners[0] !== this.#own;
  }

  /** Whether connections may change to another protocol here. */
  get takesUpgrades(): boolean {
    return this.server.listenerCount('upgrade') > 0;
  }

  /** Calls a function whenever code adds a listener for upgrades, which it may do at any time. */
  whenUpgraded(changed: () => void): void {
    // the event comes before the listener is there
    this.server.on('newListener', (name) => void (name === 'upgrade' && queueMicrotask(changed)));
  }

  /** Begins. @param answer answers requests that code leaves to the server. */
  open(answer: Answer): void {
    this.#answer = answer;
    this.server.emit('listening');
  }

  /** Lets code close its connections, and Node the timer that checks them. */
  close(): void {
    this.server.close();
  }

  /** Hands on a request. */
  request(request: IncomingMessage, response: ServerResponse): void {
    this.server.emit('request', request, response);
  }

  /** Passes on a connection that upgrades to another protocol. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.server.emit('upgrade', request, socket, head);
  }
}
