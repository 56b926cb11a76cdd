/** The attacker's side: requests whose end is waited for, never for ever. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Asked {
  readonly method?: string;
  /** Brackets and spaces may be written raw. */
  readonly path: string;
  readonly token?: string | undefined;
  /** Sent as JSON, or as it is when it is a text. */
  readonly body?: unknown;
  readonly headers?: OutgoingHttpHeaders;
  readonly agent?: Agent;
  /** Milliseconds after which it is given up. */
  readonly patience?: number;
}

export interface Reply {
  /** 0: none, the connection broke or nothing came in time. */
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The beginning of the body. */
  readonly text: string;
}

/** Milliseconds after which a request is given up, where it says nothing else. */
const PATIENCE = 20_000;
/** Characters of a body that are kept. */
const KEPT = 100_000;

const oneEach = new Agent({ keepAlive: false });

/** A path as it is sent: brackets stay, and a percent sign is an escape that the experiment wrote itself. */
const targetOf = (path: string): string =>
  encodeURI(path).replaceAll('%25', '%').replaceAll('%5B', '[').replaceAll('%5D', ']');

export function ask(url: string, asked: Asked): Promise<Reply> {
  const { method = 'GET', path, token, body, agent = oneEach, patience = PATIENCE } = asked;
  const headers: OutgoingHttpHeaders = { ...asked.headers };
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  const started = performance.now();
  return new Promise((resolve) => {
    let text = '';
    let bytes = 0;
    const done = (status: number, answered: Readonly<Record<string, unknown>> = {}) =>
      resolve({ status, ms: performance.now() - started, bytes, headers: answered, text });
    const { hostname, port } = new URL(url);
    const to = { hostname, port, path: targetOf(path) };
    const sent = request({ ...to, method, headers, agent, timeout: patience }, (response) => {
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < KEPT) text += chunk.toString('latin1');
      });
      response.on('close', () => done(response.complete ? response.statusCode! : 0, response.headers));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => done(0));
    sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/**
 * The JSON of an answer that the experiment needs, asked for again for some seconds where the server is busy.
 *
 * @throws Error when there is none.
 */
export async function askJson<T>(url: string, asked: Asked): Promise<T> {
  let reply = await ask(url, asked);
  for (let again = 0; again < 5 && reply.status !== 200; again++) {
    await pause(500);
    reply = await ask(url, asked);
  }
  if (reply.status !== 200)
    throw new Error(`${asked.path}: ${reply.status || 'no answer'} ${reply.text.slice(0, 200)}`);
  return JSON.parse(reply.text) as T;
}

/** Runs `work` for each number below `count`, all at once. */
export const atOnce = <T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How many answers had which status: `200 × 12, 503 × 3`. */
export function statuses(replies: readonly Pick<Reply, 'status'>[]): string {
  const counts = new Map<number, number>();
  for (const { status } of replies) counts.set(status, (counts.get(status) ?? 0) + 1);
  const told = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'none'} × ${count}`);
  return told.join(', ') || 'none';
}

export const longest = (replies: readonly Pick<Reply, 'ms'>[]): number =>
  // there may be more of them than a call takes arguments
  replies.reduce((most, { ms }) => Math.max(most, ms), 0);

/** Many connections, each of which asks again as soon as it was answered, until the time is over. */
export async function besiege(
  url: string,
  connections: number,
  seconds: number,
  pick: (n: number) => Asked,
): Promise<Reply[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const replies: Reply[] = [];
  await atOnce(connections, async (connection) => {
    for (let n = connection; performance.now() < until; n += connections) {
      const reply = await ask(url, { agent, ...pick(n) });
      replies.push(reply);
      // what refuses connections would be asked in an endless loop of failures
      if (reply.status === 0) await pause(100);
    }
  });
  agent.destroy();
  return replies;
}

/** A connection on which nothing is read unless asked for. It takes errors in silence. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: hostname }).pause();
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(socket));
  });
}

/** The lines of a request as it goes over the wire. */
export function wire({ method = 'GET', path, token, headers = {} }: Asked, body = ''): string {
  const all = { host: 'localhost', ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${targetOf(path)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
