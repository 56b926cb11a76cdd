/**
 * Requests to a server outside of the connection in question: cancelling its statement, and checking whether the server
 * is reachable (https://www.postgresql.org/docs/current/protocol-flow.html, "Canceling Requests in Progress").
 */
import type { EventEmitter } from 'node:events';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';

/** The other end of a connection, as its client knows it. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | Readonly<Record<string, unknown>>;
  readonly sslNegotiation?: string;
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: { readonly stream: Duplex & Pick<net.Socket, 'remoteAddress' | 'remotePort'> };
}

/** The members of pg's protocol layer that its types omit. */
interface Wire extends EventEmitter {
  readonly stream: Duplex;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

/** `SSLRequest`, which any server answers with one byte, before authentication. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Errors of the network that mean an absent host; any other error comes from the host itself. */
const ABSENT = /^(?:EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ETIMEDOUT)$/;

/** The address of the very server at the other end: its name may lead to another one by now. */
function addressOf({ host, port, connection }: Peer): [number, string] | [string] {
  if (host.startsWith('/')) return [`${host}/.s.PGSQL.${port}`];
  const { remoteAddress, remotePort } = connection.stream;
  return [remotePort ?? port, remoteAddress ?? host];
}

/** The TLS options of a connection by address: the certificate names the host. */
function tlsOf({ host, ssl }: Peer): boolean | Record<string, unknown> {
  if (ssl === false) return false;
  return { host, ...(net.isIP(host) === 0 ? { servername: host } : {}), ...(ssl === true ? {} : ssl) };
}

/**
 * Asks the server to cancel what a connection runs. Resolves to true once the server has processed that, so that it
 * cannot affect the connection's next statement; to false if that is not known within `milliseconds`.
 */
export function cancelStatement(peer: Peer, milliseconds: number): Promise<boolean> {
  const { processID, secretKey } = peer;
  if (processID === null || secretKey === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const ssl = tlsOf(peer);
    const negotiation = peer.sslNegotiation ?? 'postgres';
    const wire = new pg.Connection({ ssl, sslNegotiation: negotiation } as pg.ConnectionConfig) as unknown as Wire;
    let isSent = false;
    const end = (isDone: boolean) => {
      clearTimeout(timer);
      wire.stream.destroy();
      resolve(isDone);
    };
    const timer = setTimeout(end, milliseconds, false);
    // the server answers by closing the connection
    wire.on('error', () => end(isSent));
    wire.on('end', () => end(isSent));
    if (ssl !== false && negotiation !== 'direct') wire.once('connect', () => wire.requestSsl());
    wire.once(ssl === false ? 'connect' : 'sslconnect', () => {
      wire.cancel(processID, secretKey);
      isSent = true;
    });
    const [place, host] = addressOf(peer);
    wire.connect(place, host);
  });
}

/** Whether the server at the other end of a connection reacts to a new connection within `milliseconds`. */
export function isReachable(peer: Peer, milliseconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const [place, host] = addressOf(peer);
    const socket = typeof place === 'string' ? net.connect(place) : net.connect(place, host);
    const end = (isThere: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(end, milliseconds, false);
    socket.once('connect', () => socket.write(SSL_REQUEST));
    socket.once('data', () => end(true));
    socket.once('close', () => end(true));
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => end(!ABSENT.test(code)));
  });
}
