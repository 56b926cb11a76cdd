/** Logging in: what a storm of logins, whose passwords take long to check, costs those who read meanwhile. */
import type { Target } from './processes.ts';

/**
 * Requests a second, sent at their time whether or not those before have been answered. Reads are fewer where the server
 * could not keep up with so many: a queue that grows says nothing about logins. The share of its pace that is asked for
 * leaves room for the logins.
 */
const READS = 200;
const SHARE = 0.25;
const LOGINS = 20;
/** Readers that ask one after another to find out the pace, and their seconds. */
const PACERS = 4;
const PACING = 2;
/** A read of ordinary size. */
const READ = '/api/articles?populate[0]=author&populate[1]=tags';

const ACCOUNT = { username: 'bench', email: 'bench@example.com', password: 'correct horse' };
const json = { 'content-type': 'application/json' };

/** Milliseconds within which half and 99 of 100 requests were answered. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export interface LoginFigures {
  readonly idle: Latency;
  readonly storm: Latency;
  /** Of the logins themselves. */
  readonly logins: Latency;
  /** Logins that were refused because too many waited. */
  readonly refused: number;
  /** Reads a second, and those that were refused. */
  readonly reads: number;
  readonly readsRefused: number;
}

/** Reads for `seconds`, then reads as often during a storm of logins. The limit of logins must be lifted. */
export async function measureLogins(target: Target, seconds: number): Promise<LoginFigures> {
  await register(target);
  const read = (): Promise<Response> => fetch(target.url + READ, { headers: target.headers });
  const login = (): Promise<Response> =>
    fetch(`${target.url}/api/auth/local`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ identifier: ACCOUNT.username, password: ACCOUNT.password }),
    });
  const reads = Math.max(1, Math.min(READS, Math.floor((await paceOf(read)) * SHARE)));
  await send(read, reads, 1);
  const idle = await send(read, reads, seconds);
  await send(login, LOGINS, 1);
  const [storm, logins] = await Promise.all([send(read, reads, seconds), send(login, LOGINS, seconds)]);
  return { idle, storm, logins, refused: logins.refused, reads, readsRefused: idle.refused + storm.refused };
}

/** Requests a second that are answered when some are asked for one after another. */
async function paceOf(request: () => Promise<Response>): Promise<number> {
  const end = performance.now() + PACING * 1000;
  let answered = 0;
  const reader = async (): Promise<void> => {
    while (performance.now() < end) {
      await (await request()).arrayBuffer();
      answered++;
    }
  };
  await Promise.all(Array.from({ length: PACERS }, reader));
  return answered / PACING;
}

/** Sends requests evenly, `rate` a second. Throws when one fails; refusals for want of time are counted. */
async function send(
  request: () => Promise<Response>,
  rate: number,
  seconds: number,
): Promise<Latency & { readonly refused: number }> {
  const start = performance.now();
  let refused = 0;
  const times = await Promise.all(
    Array.from({ length: rate * seconds }, async (_, n) => {
      const due = start + (n * 1000) / rate;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      const sent = performance.now();
      const response = await request();
      await response.arrayBuffer();
      if (response.status === 503) refused += 1;
      else if (response.status !== 200) throw new Error(`${response.url}: ${response.status}`);
      return performance.now() - sent;
    }),
  );
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(Math.floor(times.length * share), times.length - 1)]!;
  return { p50: at(0.5), p99: at(0.99), refused };
}

async function register({ url }: Target): Promise<void> {
  const body = JSON.stringify(ACCOUNT);
  const response = await fetch(`${url}/api/auth/local/register`, { method: 'POST', headers: json, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`register: ${response.status} ${text.slice(0, 300)}`);
}
