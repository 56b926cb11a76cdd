/** Batches whose answers are long, and slow to read. */
import { ask, askJson, atOnce, longest, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms, size } from '../trial.ts';
import { LONGEST_ANSWER } from './answers.ts';

const OPERATIONS = 100;
const MOST_TIME = 19_000;
const DEEP = 'populate[author][populate][articles][populate]=*&populate[tags]=*';

interface Listed {
  readonly data: readonly { readonly documentId: string }[];
}

export const experiment: Experiment = {
  name: 'batch',
  // on SQLite several processes make answers of 16 MB at a time
  mostMemory: 800,
  async run(trial) {
    const { url, tokens } = await trial.serveGrown();
    const path = '/api/articles?fields=title&filters[author][name][$notNull]=true&pagination[pageSize]=100';
    const { data } = await askJson<Listed>(url, { path, token: tokens.writer });
    const articles = data.map(({ documentId }) => documentId);
    const operations = Array.from({ length: OPERATIONS }, (_, n) => ({
      action: 'update',
      documentId: articles[n % articles.length],
      data: { title: `attack ${n}` },
    }));
    const batch = {
      method: 'POST',
      path: `/api/articles/actions/batch?${DEEP}`,
      token: tokens.writer,
      body: { operations },
    };
    const one = await ask(url, batch);
    trial.figure(
      one.status !== 0 && one.status !== 500 && one.bytes < LONGEST_ANSWER && one.ms < MOST_TIME,
      `one of ${OPERATIONS} operations: ${one.status || 'none'} of ${size(one.bytes)} in ${ms(one.ms)}`,
    );
    const replies = await atOnce(4, () => ask(url, batch));
    trial.figure(
      replies.every(({ status }) => status !== 0 && status !== 500),
      `4 at once: ${statuses(replies)}, longest ${ms(longest(replies))}`,
    );
  },
};
