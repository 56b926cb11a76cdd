/** Sorting through to-many relations, and hundreds of comparisons without an index, at 20,000 articles. */
import { ask, atOnce, besiege, longest, statuses } from '../client.ts';
import type { Experiment } from '../experiment.ts';
import { ms } from '../trial.ts';

/** Milliseconds: the limit of a read, and as long for its turn. */
const MOST_TIME = 18_000;

const SORTS = [
  'sort=tags.name',
  'sort=tags.articles.title',
  'sort=tags.articles.author.articles.title:desc&pagination[pageSize]=1',
  'sort=author.articles.tags.articles.related.title',
  'sort=related.related.related.related.title,tags.articles.title',
  'sort=tags.articles.tags.articles.tags.articles.tags.name',
];
/** Some 16 KB: each of these is looked for in every article. */
const SEARCH = Array.from(
  { length: 330 },
  (_, n) => `filters[$or][${n % 4}][$or][${n >> 2}][body][$containsi]=n${n}`,
).join('&');

export const experiment: Experiment = {
  name: 'sort',
  async run(trial) {
    const { url } = await trial.serveGrown();
    const alone = [];
    for (const sort of SORTS) alone.push(await ask(url, { path: `/api/articles?${sort}` }));
    const search = await ask(url, { path: `/api/articles?${SEARCH}` });
    trial.figure(
      longest([...alone, search]) < MOST_TIME &&
        [...alone, search].every(({ status }) => [200, 400, 503].includes(status)),
      `${SORTS.length} sorts alone: ${statuses(alone)}, longest ${ms(longest(alone))}; 330 $containsi: ${search.status} in ${ms(search.ms)}`,
    );
    const together = await atOnce(10, (n) => ask(url, { path: `/api/articles?${SORTS[n % SORTS.length]}` }));
    const searches = await besiege(url, 10, 4, () => ({ path: `/api/articles?${SEARCH}` }));
    trial.figure(
      longest([...together, ...searches]) < MOST_TIME,
      `10 sorts at once: ${statuses(together)}, longest ${ms(longest(together))}; searches on 10 connections: ${statuses(searches)}, longest ${ms(longest(searches))}`,
    );
  },
};
