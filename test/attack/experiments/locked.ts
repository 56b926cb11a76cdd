/** Another program holds the write lock of the SQLite file. */
import Sqlite from 'better-sqlite3';
import { ask, atOnce, besiege, longest, pause, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

const HELD = 15_000;
/** Milliseconds: a write is refused after 5 s, a read that may be slow waits no longer for its turn. */
const MOST_TIME = 8000;

export const experiment: Experiment = {
  name: 'locked',
  engines: ['sqlite'],
  async run(trial) {
    const { url, tokens, env } = await trial.serveGrown();
    const write = (n: number) =>
      ask(url, { method: 'POST', path: '/api/tags', token: tokens.writer, body: { data: { name: `attack ${n}` } } });
    const other = new Sqlite(env['DATABASE_FILENAME']!);
    trial.afterwards(() => other.close());
    await write(0);
    other.exec('begin immediate');
    const reading = besiege(url, 8, HELD / 1000, (n) => ({ path: `/api/tags?pagination[pageSize]=${1 + (n % 5)}` }));
    const refused = [];
    for (const until = performance.now() + HELD; performance.now() < until; ) {
      refused.push(...(await atOnce(20, write)));
      await pause(100);
    }
    const reads = await reading;
    other.exec('rollback');
    const after = await write(1);
    trial.figure(
      refused.every(({ status, headers }) => status === 503 && headers['retry-after'] !== undefined) &&
        longest(refused) < MOST_TIME &&
        after.status < 300,
      `writes ${statuses(refused)}, longest ${ms(longest(refused))}; a write after: ${after.status}`,
    );
    trial.figure(
      reads.every(({ status }) => status === 200) && longest(reads) < MOST_TIME,
      `reads meanwhile ${statuses(reads)}, longest ${ms(longest(reads))}`,
    );
  },
};
