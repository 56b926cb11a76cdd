/** PostgreSQL falls silent: packets are dropped, or its processes are stopped. Requests are answered, service resumes. */
import pg from 'pg';
import { type Asked, ask, atOnce, longest, pause, type Reply, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { startProxy } from '../proxy.ts';
import { type Attacked, ms, type Trial } from '../trial.ts';

/** Milliseconds in which a request is answered, and in which service resumes. */
const MOST_TIME = 15_000;
const MOST_RETURN = 10_000;

const asks = ({ tokens }: Attacked): Asked[] => [
  { path: '/api/articles?pagination[pageSize]=5', token: tokens.reader },
  { path: '/api/articles?sort=author.name&pagination[pageSize]=5' },
  { path: '/api/tags', token: 'nobody' },
  { method: 'POST', path: '/api/tags', token: tokens.writer, body: { data: { name: 'attack' } } },
  { path: '/_ready' },
];

/** Asks everything some times at once, again until the time is over. */
async function during(attacked: Attacked, milliseconds: number): Promise<Reply[]> {
  const until = performance.now() + milliseconds;
  const all = asks(attacked);
  const replies: Reply[] = [];
  while (performance.now() < until) {
    replies.push(...(await atOnce(10, (n) => ask(attacked.url, all[n % all.length]!))));
    await pause(200);
  }
  return replies;
}

/** Milliseconds until everything is answered well again. */
async function untilServed(attacked: Attacked): Promise<number> {
  const started = performance.now();
  while (performance.now() - started < 30_000) {
    const replies = await atOnce(4, (n) => ask(attacked.url, { path: '/api/articles', headers: { 'x-n': String(n) } }));
    if (replies.every(({ status }) => status === 200)) break;
    await pause(100);
  }
  return performance.now() - started;
}

async function judge(
  trial: Trial,
  attacked: Attacked,
  what: string,
  stop: () => void,
  resume: () => void,
): Promise<void> {
  stop();
  const replies = await during(attacked, 12_000);
  resume();
  const back = await untilServed(attacked);
  const inTime = longest(replies) < MOST_TIME && replies.every(({ status }) => status !== 0 && status !== 500);
  trial.figure(
    inTime && back < MOST_RETURN,
    `${what}: ${statuses(replies)}, longest ${ms(longest(replies))}, served again after ${ms(back)}`,
  );
}

/** Ids of the server's processes of the database. */
async function backends(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has ended
    }
  }
}

/** Lines that outages may write: one a second of each kind. */
const MOST_LINES = 60;

export const experiment: Experiment = {
  name: 'silent',
  engines: ['postgres'],
  async run(trial) {
    const ground = await trial.ground();
    const proxy = await startProxy(ground.env['DATABASE_URL']!);
    trial.afterwards(() => proxy.close());
    const attacked = await trial.serve(ground, { env: { DATABASE_URL: proxy.url }, isFragile: true });
    await untilServed(attacked);
    await judge(
      trial,
      attacked,
      'packets dropped for 12 s',
      () => {
        proxy.isSilent = true;
      },
      () => {
        proxy.isSilent = false;
      },
    );
    const stopped = await backends(ground.env['DATABASE_URL']!);
    trial.afterwards(() => signal(stopped, 'SIGCONT'));
    await judge(
      trial,
      attacked,
      'its processes stopped',
      () => signal(stopped, 'SIGSTOP'),
      // they stay as they are: the connections are replaced
      () => {},
    );
    const lines = attacked.subject.log().length;
    trial.figure(lines > 0 && lines < MOST_LINES, `${lines} lines in the log`);
  },
};
