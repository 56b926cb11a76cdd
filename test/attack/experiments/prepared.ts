/** Many shapes of statements on every connection to PostgreSQL: the memory of its processes. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { ask, besiege, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';

const SHAPES = 500;
/** Megabytes that one process of PostgreSQL may hold for itself. */
const MOST_EACH = 150;

const FIELDS = ['title', 'slug', 'views', 'rating', 'price', 'featured', 'kind', 'day', 'contact'];

/** Read with everything, and as many statements as there are subsets of fields. */
const shape = (n: number): string => {
  const fields = FIELDS.filter((_, bit) => (n + 1) & (1 << bit)).map((field, i) => `fields[${i}]=${field}`);
  return `/api/articles?populate=*&pagination[pageSize]=1&pagination[withCount]=false&${fields.join('&')}`;
};

/** Megabytes that a process shares with nobody; undefined where that is not told. */
function ownMemory(pid: number): number | undefined {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    const parts = [...rollup.matchAll(/^Private_(?:Clean|Dirty): +(\d+)/gm)];
    return parts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024;
  } catch {
    return undefined;
  }
}

export const experiment: Experiment = {
  name: 'prepared',
  engines: ['postgres'],
  async run(trial) {
    const { url, env } = await trial.serveGrown();
    await ask(url, { path: shape(1) });
    // one shape ten times at once, so that each connection sees it
    const replies = await besiege(url, 10, 30, (n) => ({ path: shape(Math.floor(n / 20) % SHAPES) }));
    const client = new pg.Client({ connectionString: env['DATABASE_URL']! });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.end();
    const sizes = rows.map(({ pid }) => ownMemory(pid)).filter((size) => size !== undefined);
    const largest = Math.max(0, ...sizes);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const refused = replies.filter(({ status }) => status !== 200).length;
    trial.figure(
      sizes.length > 0 && largest <= MOST_EACH && refused === 0,
      `${Math.min(SHAPES, Math.floor(replies.length / 20))} shapes on 10 connections (${statuses(replies)}): ${sizes.length} processes of PostgreSQL hold ${total.toFixed(0)} MB of their own, the largest ${largest.toFixed(0)} MB`,
    );
  },
};
