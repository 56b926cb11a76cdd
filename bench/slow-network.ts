/**
 * A network between a server and its PostgreSQL: a process of its own that passes everything on, later. It counts what
 * goes through: the statements, and how often somebody waited for an answer.
 *
 *     node slow-network.ts HOST PORT MILLISECONDS
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import pg from 'pg';

export interface Traffic {
  readonly statements: number;
  readonly roundTrips: number;
}

export interface Network {
  /** The database's URL by way of it. */
  readonly url: string;
  /** What went through since the last time it was asked. */
  traffic(): Promise<Traffic>;
  stop(): void;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Puts so many milliseconds of round trip between a database and whoever uses the URL. */
export async function startNetwork(databaseUrl: string, milliseconds: number): Promise<Network> {
  const url = new URL(databaseUrl);
  const child = fork(import.meta.filename, [url.hostname, url.port, String(milliseconds)]);
  running.add(child);
  const [port] = (await once(child, 'message')) as [number];
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    async traffic() {
      child.send('traffic');
      return ((await once(child, 'message')) as [Traffic])[0];
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

/** Milliseconds of a statement that does nothing: the median of two hundred. */
export async function roundTrip(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const times: number[] = [];
  for (let n = 0; n < 200; n++) {
    const start = performance.now();
    await client.query('select 1');
    times.push(performance.now() - start);
  }
  await client.end();
  return times.sort((x, y) => x - y)[100]!;
}

/** The bytes of a client as messages, whose first one has no type. Counts those that run a statement. */
function statementCounter(found: () => void): (chunk: Buffer) => void {
  const types = new Set([...'EQ'].map((type) => type.charCodeAt(0)));
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = true;
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const header = isFirst ? 4 : 5;
      if (rest.length < header) return;
      const length = rest.readInt32BE(header - 4) + header - 4;
      if (rest.length < length) return;
      if (!isFirst && types.has(rest[0]!)) found();
      isFirst = false;
      rest = rest.subarray(length);
    }
  };
}

/** Passes on what comes from one side after so many milliseconds, its end included. */
function passOn(from: net.Socket, to: net.Socket, milliseconds: number, seen: (chunk: Buffer) => void): void {
  // timers of equal length fire in the order in which they were set
  const later = (run: () => void): void => void (milliseconds === 0 ? run() : setTimeout(run, milliseconds));
  from.on('data', (chunk: Buffer) => {
    seen(chunk);
    later(() => to.write(chunk));
  });
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.destroy()));
}

async function serve(host: string, port: number, milliseconds: number): Promise<void> {
  let traffic = { statements: 0, roundTrips: 0 };
  // a timer takes a whole millisecond at least, so that one millisecond is spent on the way back alone
  const forth = Math.floor(milliseconds / 2);
  const server = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect({ host, port, noDelay: true });
    let isAnswered = true;
    const count = statementCounter(() => void traffic.statements++);
    passOn(client, upstream, forth, (chunk) => {
      if (isAnswered) traffic.roundTrips++;
      isAnswered = false;
      count(chunk);
    });
    passOn(upstream, client, milliseconds - forth, () => {
      isAnswered = true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send!((server.address() as net.AddressInfo).port);
  process.on('message', () => {
    process.send!(traffic);
    traffic = { statements: 0, roundTrips: 0 };
  });
  process.on('disconnect', () => process.exit());
}

if (process.argv[1] === import.meta.filename) {
  const [, , host = '', port = '', milliseconds = ''] = process.argv;
  await serve(host, Number(port), Number(milliseconds));
}
